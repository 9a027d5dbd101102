"""R65-R77: what several servers cost beyond their parts, the traps, the order of a proposal."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.advice.operations_work import (
    PROPOSAL_ORDER,
    engineering_factor,
    lost_capacity_months,
    work_list,
)
from configurator.operations.rates import AVAILABILITY
from configurator.plan.edits import update
from tests.helpers import there
from tests.rules.ask import EIGHT, LOAD, PRO, ask, codes, facts_of, found, plan_of, policy, told

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
GIANT: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", **LOAD}
FOURS = ((EIGHT, PRO, 4), (EIGHT, PRO, 4))
TUNE: dict[str, Any] = {
    "model": "llama-3.3-70b",
    "weights": "bf16",
    "task": "full",
    "sequence_tokens": 4096,
    "micro_batch": 1,
}


def list_codes(rule: str) -> set[str]:
    plan = plan_of(*FOURS, link="eth-100g-roce", **GIANT)
    return {each.code for each in work_list(facts_of(plan)) if each.rule == rule}


def test_R65_two_small_nodes_cost_about_as_much_as_one_large() -> None:
    two = ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)).cost.purchase.expected
    one = ask(plan_of((EIGHT, PRO, 8), **GIANT)).cost.purchase.expected
    assert 0.9 < two / one < 1.5
    best = ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT), deep=True).alternatives
    box = next(each for each in best if each.code == "one_box")
    assert there(box.purchase).expected <= two


def test_R66_two_nodes_double_the_operations() -> None:
    answer = ask(plan_of(*FOURS, link="eth-25g", **CHAT))
    assert told(answer, "operations.tax.doubled").rule == "R66"
    assert list_codes("R66") == {f"doubled.{each}" for each in ("bmc", "nic_tuning", "drivers", "failure_domains")}
    assert found(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "operations.tax.doubled") is None


def test_R67_the_lab_trap() -> None:
    finding = told(ask(plan_of(*FOURS, link="eth-25g", **CHAT)), "lab-trap.two_fours.plan")
    assert finding.rule == "R67"
    assert finding.kind == "one_more_step"
    assert found(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "lab-trap.two_fours.plan") is None


def test_R68_engineering_grows_linearly_with_added_nodes() -> None:
    facts = facts_of(plan_of(*FOURS, link="eth-100g-roce", **GIANT))
    assert engineering_factor(facts, 1) == 1
    assert engineering_factor(facts, 2) == pytest.approx(5.5)
    assert engineering_factor(facts, 3) == pytest.approx(10.0)
    other = facts_of(plan_of(*FOURS, **GIANT), policy=policy(engineering_factor_per_added_node=1.0))
    assert engineering_factor(other, 2) == 2
    finding = told(ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)), "operations.tax.engineering")
    assert (finding.rule, finding.text.get("effort_factor")) == ("R68", 5.5)


def test_R69_or_six_months_at_half_capacity() -> None:
    assert lost_capacity_months() == 3.0
    text = told(ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)), "operations.tax.engineering").text
    assert (text.get("months"), text.get("lost_share")) == (6, 0.5)


def test_R70_failures_grow_with_the_cards_and_availability_is_a_power() -> None:
    four = told(ask(plan_of((EIGHT, PRO, 4), **CHAT)), "failure.rate.cards").text.get("high_count")
    eight = told(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "failure.rate.cards").text.get("high_count")
    assert isinstance(four, float)
    assert eight == pytest.approx(2 * four)
    text = told(ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)), "failure.availability.chain").text
    assert text.get("server_percent") == pytest.approx(100 * AVAILABILITY[1])
    assert text.get("joined_percent") == pytest.approx(100 * AVAILABILITY[1] ** 2, abs=0.05)
    copies = told(ask(plan_of(*FOURS, link="eth-10g", **CHAT)), "failure.availability.copies").text
    assert copies.get("copies_share") == pytest.approx(1 - (1 - AVAILABILITY[1]) ** 2)


def test_R71_several_nodes_bring_shared_storage() -> None:
    assert list_codes("R71") == {"storage", "storage_vlan"}
    trained = ask(plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="ib-hdr", **TUNE))
    assert told(trained, "operations.storage.shared").rule == "R71"
    # A model that only answers can start from a copy on each disk: nothing has to be bought for it.
    served = told(ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)), "operations.storage.local")
    assert (served.rule, served.kind) == ("R71", "good_to_know")


def test_R72_checkpoints_must_be_asynchronous() -> None:
    plan = plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="ib-hdr", **TUNE)
    finding = told(ask(plan), "operations.checkpoint.stall")
    assert finding.rule == "R72"
    stall = finding.text.get("stall_about_s")
    assert isinstance(stall, float)
    assert stall > 300
    assert "checkpoints" in {each.code for each in work_list(facts_of(plan))}


def test_R73_the_list_of_network_work() -> None:
    wanted = ("flow_control", "pfc", "ecn", "jumbo", "transport", "topology_file", "ring_or_tree")
    assert list_codes("R73") == {f"network.{each}" for each in wanted}


def test_R74_the_list_of_monitoring() -> None:
    assert list_codes("R74") == {f"monitoring.{each}" for each in ("dcgm", "prometheus", "nccl_traces")}


def test_R75_the_list_of_failure_drills() -> None:
    assert {f"drill.{each}" for each in ("node_drop", "nic_reset", "switch_port")} <= list_codes("R75")
    answer = ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT))
    assert told(answer, "failure.recovery.restart").rule == "R75"


def test_R76_first_the_workload_then_the_arithmetic_last_the_hardware() -> None:
    assert PROPOSAL_ORDER == ("workload", "fit", "efficiency", "decision")
    empty = ask(plan_of((EIGHT, PRO, 8), goal="many_answers"))
    assert told(empty, "load.side.models").rule == "R76"
    order = [each.text.code for each in ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)).findings]
    assert order == [each.text.code for each in ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)).findings]


def test_R77_the_two_costliest_mistakes() -> None:
    split = ask(plan_of(*FOURS, link="eth-25g", **CHAT))
    assert told(split, "costly-mistake.split_budget.plan").rule == "R77"
    small = ask(plan_of((EIGHT, PRO, 8), **TUNE))
    assert told(small, "costly-mistake.stayed_small.plan").rule == "R77"
    assert not {"costly-mistake.split_budget.plan", "costly-mistake.stayed_small.plan"} & codes(
        ask(plan_of((EIGHT, PRO, 8), **CHAT))
    )


def test_work_list_of_one_server_is_empty() -> None:
    assert work_list(facts_of(plan_of((EIGHT, PRO, 8), **CHAT))) == ()


def test_owned_nodes_are_no_purchase() -> None:
    plan = plan_of(*FOURS, link="eth-25g", **CHAT)
    for server in plan.sites[0].servers:
        plan = update(plan, server.id, owned=True)
    assert told(ask(plan), "lab-trap.two_fours.plan").kind == "good_to_know"
