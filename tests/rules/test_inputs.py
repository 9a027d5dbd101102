"""R06-R17: what is asked, unknown as a value, the pilot, the request path, two readers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from configurator.advice.operations_work import request_path
from configurator.advice.pilot import comparable, pilot_plan
from configurator.operations import interconnect_decided
from configurator.plan.edits import update
from configurator.plan.model import Link, Measurement, Server, Slot, Workload
from configurator.scaling.topology import build_topology
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import (
    CATALOGUE,
    EIGHT,
    HOME,
    LOAD,
    PRO,
    R3090,
    ask,
    codes,
    facts_of,
    found,
    owned,
    plan_of,
    project_of,
    seen,
    told,
    work,
)

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
SPLIT: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", **LOAD}


def test_R06_engine_model_and_links_come_before_a_method() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), users=4))
    assert told(answer, "unknown.load.model").rule == "R06"
    assert work(answer).chosen is None
    engine = ask(plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="nvfp4", engine="llama.cpp"))
    assert told(engine, "engine.format.unread").rule == "R06"
    assert told(engine, "engine.format.unread").fix is not None


def test_R07_topology_bandwidth_and_latency_are_inputs() -> None:
    rates, delays = [], []
    for link in ("eth-1g", "eth-25g", "eth-100g-roce"):
        plan = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link=link, **SPLIT)
        topology = build_topology(plan, CATALOGUE)
        first, second = (server.slots[0] for _, server in ((None, s) for site in plan.sites for s in site.servers))
        way = there(topology.p2p(there(first.gpu).id, there(second.gpu).id))
        rates.append(way.bandwidth_bytes_per_s)
        delays.append(way.latency_s)
    assert rates == sorted(rates)
    assert delays == sorted(delays, reverse=True)
    assert "fabric.handover.enough" in codes(ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **SPLIT)))


def test_R08_homes_are_never_one_server() -> None:
    plan = plan_of(
        (HOME, R3090, 1), (HOME, R3090, 1), apart=True, kind="home", model="qwen2.5-32b", weights="fp8", **LOAD
    )
    answer = ask(plan)
    assert answer.verdict.headline.code == "headline.homes"
    assert answer.verdict.light == "stop"
    finding = told(answer, "site.apart.model")
    assert (finding.rule, finding.kind) == ("R08", "will_not_work")
    assert told(answer, "memory.pool.sites").rule == "R08"


def test_R09_the_equipment_form_has_its_fields() -> None:
    assert {"pcie_generation", "lanes", "attach", "gpu"} <= set(Slot.model_fields)
    assert {"slots", "nics", "topology_known", "p2p", "nvlink_pairs"} <= set(Server.model_fields)
    assert {"kind", "a", "b", "bandwidth_bytes_per_s", "latency_s"} <= set(Link.model_fields)
    assert {"users", "context_tokens", "goal", "model"} <= set(Workload.model_fields)
    assert told(ask(plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8")), "unknown.load.users").rule == "R09"


def test_R10_unknown_is_a_value_with_a_task() -> None:
    plan = owned(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="unknown", **SPLIT))
    answer = ask(plan, deep=True)
    assert answer.verdict.light == "unknown"
    assert "unknown-topology" in (answer.verdict.code, *answer.verdict.secondary)
    assert told(answer, "unknown.wiring.link").rule == "R10"
    unknown = next(each for each in work(answer).unknowns if each.subject_id == plan.links[0].id)
    assert "iperf3" in unknown.command
    assert unknown.answers
    assert all(verdict.light != "unknown" for _, verdict in unknown.answers)


def test_R11_no_fabric_before_the_workload() -> None:
    early = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="ib-hdr", users=4)
    assert told(ask(early), "fabric.purchase.early").rule == "R11"
    assert not interconnect_decided(early, {})
    unused = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="ib-hdr", **CHAT)
    finding = told(ask(unused), "fabric.purchase.unused")
    assert there(finding.fix)(unused).links == ()
    assert not any(line.category in {"nic", "switch", "cable"} for line in ask(unused).cost.shopping)


def test_R12_a_measurement_stands_before_the_estimate() -> None:
    plan = plan_of((EIGHT, PRO, 8), **CHAT)
    load = plan.workloads[0]
    own = Measurement(
        id="m1",
        quantity="output_tokens_per_s",
        value=777.0,
        unit="tokens/s",
        subject=load.id,
        conditions="16 users, 8k",
        source="pilot",
        date="2026-11-01",
    )
    before, after = ask(plan), ask(plan, measurements=(own,))
    speed = there(there(work(after).chosen).speed)
    assert speed.output_tokens_per_s.expected == 777.0
    assert speed.output_tokens_per_s.basis == "measured"
    assert there(there(work(before).chosen).speed).output_tokens_per_s.expected != 777.0
    assert told(after, "load.measured.used").rule == "R12"
    other = plan_of((EIGHT, PRO, 8), **CHAT)
    elsewhere = facts_of(other, measurements=(replace_subject(own, "another"),))
    assert there(there(elsewhere.workloads[0].chosen).speed).basis != "measured"


def replace_subject(measurement: Measurement, subject: str) -> Measurement:
    return Measurement(**{**measurement.model_dump(), "subject": subject})


def test_R13_the_pilot_compares_at_least_two_scenarios() -> None:
    plan = there(pilot_plan(seen(plan_of((EIGHT, PRO, 8), **CHAT))))
    assert {each.code for each in plan.scenarios} == {"independent", "coordinated"}
    assert plan.steps[0].code == "inventory"
    assert told(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "pilot.accept.cards").rule == "R13"


@pytest.mark.parametrize("field", ["model", "weights", "engine", "context_tokens", "request_set", "users"])
def test_R14_runs_that_differ_are_not_compared(field: str) -> None:
    conditions = there(pilot_plan(seen(plan_of((EIGHT, PRO, 8), **CHAT)))).scenarios[0].conditions
    assert comparable(conditions, conditions) is None
    value: Any = 1 if field in {"context_tokens", "users"} else "other"
    refused = there(comparable(conditions, replace(conditions, **{field: value})))
    assert refused.get("differing") == (field,)


def test_R15_the_pilot_and_the_answer_show_a_failure() -> None:
    situation = seen(plan_of((EIGHT, PRO, 8), **CHAT))
    failures = there(pilot_plan(situation)).failures
    assert {"worker", "server"} <= {each.code for each in failures}
    assert all(each.passes is not None and each.command for each in failures)
    effects = situation.work.failures
    assert any(each.recovery_s is not None and each.requests_lost is not None for each in effects)
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-100g-roce", **SPLIT))
    assert told(answer, "failure.domain.single").rule == "R15"


def test_R16_the_path_of_a_request() -> None:
    path = there(request_path(seen(plan_of((EIGHT, PRO, 8), **CHAT))))
    assert path.router == (len(path.copies) > 1)
    assert set(path.weights_on) == {gpu for copy in path.copies for gpu in copy}
    spread = there(request_path(seen(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-100g-roce", **SPLIT))))
    assert len(spread.servers[0]) == 2
    assert spread.links == ("link-1",)


def test_R17_two_wordings_owner_and_operator() -> None:
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **SPLIT))
    owner, operator = Wording(audience="owner"), Wording(audience="operator")
    texts = [found.text for found in answer.findings]
    differing = [text for text in texts if owner.text(text) != operator.text(text)]
    assert len(differing) > len(texts) / 2


def test_unknown_codes_are_not_found() -> None:
    assert found(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "no.such") is None


def test_owner_can_set_a_finding_aside() -> None:
    from configurator.plan.edits import set_aside

    plan = plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8")
    finding = told(ask(plan), "unknown.load.users")
    answer = ask(set_aside(plan, finding.code, finding.subjects[0], "it is one person"))
    assert told(answer, "unknown.load.users").set_aside_remark == "it is one person"
    assert project_of(plan).plans == (plan,)
    assert update(plan, plan.workloads[0].id, users=3).workloads[0].users == 3
