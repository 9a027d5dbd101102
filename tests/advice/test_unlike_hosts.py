"""Unlike and unknown hosts, machines without a card, and sentences that hold only for some plans."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from configurator.assess import Assessment, assess
from configurator.plan.edits import rebuilt
from configurator.plan.model import Plan, Project, Server
from tests.advice.test_traffic import SMALL, said
from tests.rules.ask import CATALOGUE, EIGHT, HOME, PRO, R3090, ask, codes, owned, plan_of, told

SLOW = "nvidia-rtx-4060-ti-16gb"
UNLIKE = ((HOME, R3090, 1), (HOME, SLOW, 1))
FOUR_BITS = {**SMALL, "weights": "q4_k_m", "engine": "llama.cpp"}


def test_what_remains_depends_on_which_copy_fails() -> None:
    answer = ask(plan_of(*UNLIKE, link="eth-1g", replicas=2, layout_reason="asked", **FOUR_BITS))
    text = told(answer, "copies.rest.unequal").text
    worst, best = text.get("worst_tokens_per_s"), text.get("best_tokens_per_s")
    assert isinstance(worst, float) and isinstance(best, float)
    assert best / worst == pytest.approx(936.2 / 288, rel=0.01)
    assert "copies.rest.pair" not in codes(answer)
    equal = ask(
        plan_of((HOME, R3090, 1), (HOME, R3090, 1), link="eth-1g", replicas=2, layout_reason="asked", **FOUR_BITS)
    )
    assert "copies.rest.unequal" not in codes(equal)


def test_a_host_that_cannot_hold_the_model_stays_out_of_its_list() -> None:
    text = said(
        ask(plan_of(*UNLIKE, link="eth-1g", replicas=2, layout_reason="asked", **FOUR_BITS)), "copies.unequal.weights"
    )
    assert "a forecast" in text and "does not hold" in text and "health check" in text


def test_a_chain_for_one_person_is_set_against_the_faster_host_alone() -> None:
    text = told(ask(plan_of(*UNLIKE, link="eth-1g", **{**FOUR_BITS, "users": 1})), "copies.joined.alone").text
    joined, fast, total = (text.get(f"{name}_tokens_per_s") for name in ("joined", "fast", "sum"))
    assert isinstance(joined, float) and isinstance(fast, float) and isinstance(total, float)
    assert joined < fast < total


def strangers(plan: Plan) -> Assessment:
    """The same plan where nobody said which cards they are."""
    gpus = {key: replace(each, memory_known=False) for key, each in CATALOGUE.gpus.items()}
    catalogue = replace(CATALOGUE, gpus=MappingProxyType(gpus))
    return assess(Project(id="p", title="p", plans=(plan,), active_plan_id=plan.id), catalogue)


def test_unknown_hosts_are_weighted_by_measured_speed() -> None:
    plan = plan_of(*UNLIKE, link="eth-1g", replicas=2, layout_reason="asked", **FOUR_BITS)
    assert "shares of 2 to 1" in said(strangers(plan), "copies.unequal.unknown")
    pair = plan_of(("epyc-sp3-7slot-openframe", R3090, 2), **SMALL)
    assert not any(each.startswith("p2p.") for each in codes(strangers(pair)))
    assert any(each.startswith("p2p.") for each in codes(ask(pair)))


def test_a_machine_without_a_card_adds_no_memory_of_cards() -> None:
    plan = plan_of((HOME, R3090, 1), **SMALL)
    site = plan.sites[0]
    bare = Server(id="bare", name="bare", chassis=HOME, slots=())
    beside = rebuilt(plan, sites=(rebuilt(site, servers=(*site.servers, bare)),))
    assert "call it over HTTP" in said(ask(beside), "node.no_card.beside")
    assert "node.no_card.beside" not in codes(ask(plan))


def test_a_restart_of_the_cluster_is_for_a_model_that_spans_servers() -> None:
    copies = ask(plan_of((EIGHT, PRO, 1), (EIGHT, PRO, 1), link="eth-10g", replicas=2, layout_reason="asked", **SMALL))
    assert not {"failure.recovery.restart", "failure.recovery.if_joined"} & codes(copies)
    open_plan = ask(plan_of((EIGHT, PRO, 1), (EIGHT, PRO, 1), link="eth-10g", **{**SMALL, "model": None}))
    assert "If one model is spread" in said(open_plan, "failure.recovery.if_joined")


def test_a_small_model_stays_on_one_card_until_the_split_is_measured() -> None:
    plan = plan_of(("epyc-sp3-7slot-openframe", "nvidia-rtx-a6000", 2), **{**SMALL, "users": 1})
    assert "0.4 to 1.8" in said(ask(plan), "split.alone.faster_unproven")


def test_equal_machines_are_told_once_about_their_supplies() -> None:
    answer = ask(owned(plan_of(*[("epyc-sp3-7slot-openframe", R3090, 4)] * 3, link="eth-10g", **SMALL)))
    told_once = [each for each in answer.findings if each.text.code.startswith("finding.power.step")]
    assert len(told_once) == 1
    assert len(told_once[0].subjects) == 3
