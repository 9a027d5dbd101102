"""Unknowns, switch points and neighbours: what each answer would change, and where the recommendation turns."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.advice.neighbours import apply, neighbours
from configurator.advice.results import Verdict
from configurator.advice.switches import solve
from configurator.plan.edits import update
from configurator.plan.index import gpus
from configurator.plan.model import Plan
from configurator.terms import message
from tests.helpers import there
from tests.rules.ask import EIGHT, LOAD, PRO, R3090, ask, plan_of, seen, work

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}


def verdict(code: str) -> Verdict:
    assert code in {"fits", "does-not-fit"}
    return Verdict("fits" if code == "fits" else "does-not-fit", "good", message("headline.fits"), ())


@pytest.mark.parametrize("edge", [1, 2, 7, 100, 5_000])
def test_the_solver_finds_the_edge_within_five_percent(edge: int) -> None:
    found = there(solve(lambda users: verdict("fits" if users <= edge else "does-not-fit"), 1, 65_536, 2.0))
    near, far, old, new = found
    assert near <= edge < far
    assert far <= edge * 1.06 + 1
    assert (old.code, new.code) == ("fits", "does-not-fit")


def test_the_solver_walks_down_too_and_gives_up_without_an_edge() -> None:
    near, far, _, new = there(solve(lambda n: verdict("fits" if n < 50 else "does-not-fit"), 400, 1, 0.5))
    assert far < 50 <= near
    assert new.code == "fits"
    assert solve(lambda _: verdict("fits"), 1, 1_000, 2.0) is None


def test_switch_points_agree_with_the_answer_on_both_sides() -> None:
    plan = plan_of((EIGHT, PRO, 8), **CHAT)
    listed = work(ask(plan, deep=True)).switch_points
    points = {each.quantity: each for each in reversed(listed)}
    assert {"users", "context_tokens", "weights_bytes", "utilisation", "tariff"} <= set(points)
    users = points["users"]
    load = plan.workloads[0]
    before = ask(update(plan, load.id, users=int(users.value))).verdict
    after = ask(update(plan, load.id, users=int(users.value * 1.1) + 1)).verdict
    assert before.code == users.from_code
    assert (after.code, after.light) != (before.code, before.light)


def test_the_fabric_switch_is_named_where_a_copy_spans_servers() -> None:
    load: dict[str, Any] = {**CHAT, "model": "llama-3.1-405b"}
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **load), deep=True)
    assert any(each.quantity == "fabric" for each in work(answer).switch_points)


def test_an_unknown_wiring_gives_both_branches() -> None:
    plan = plan_of(("epyc-sp3-7slot-openframe", R3090, 4), **{**CHAT, "weights": "awq-int4", "users": 4})
    server = plan.sites[0].servers[0]
    answer = ask(update(plan, server.id, topology_known=False), deep=True)
    assert answer.verdict.code == "unknown-topology"
    unknown = next(each for each in work(answer).unknowns if each.subject_id == server.id)
    assert "nvidia-smi topo -m" in unknown.command
    assert len(unknown.answers) == 2
    assert unknown.answers[0][1].code != unknown.answers[1][1].code


def test_an_answer_can_be_taken_into_the_plan() -> None:
    plan = plan_of(("epyc-sp3-7slot-openframe", R3090, 4), **{**CHAT, "weights": "awq-int4", "users": 4})
    server = plan.sites[0].servers[0]
    plan = update(plan, server.id, topology_known=False)
    unknown = next(each for each in work(ask(plan, deep=True)).unknowns if each.subject_id == server.id)
    take = there(unknown.apply)
    for number, (_, promised) in enumerate(unknown.answers):
        told = ask(take(plan, number)).verdict
        assert (told.code, told.light) == (promised.code, promised.light)
    assert len(take(plan, 1).sites[0].servers) == 4


def test_unknowns_that_change_nothing_are_not_listed() -> None:
    plan = plan_of((EIGHT, PRO, 8), model="llama-3.1-8b", weights="fp8", users=4, goal="many_answers")
    asked = {each.question.code for each in work(ask(plan, deep=True)).unknowns}
    assert "question.p2p" not in asked


def test_a_missing_model_is_asked_with_examples() -> None:
    unknowns = work(ask(plan_of((EIGHT, PRO, 8), users=4, goal="many_answers"), deep=True)).unknowns
    model = next(each for each in unknowns if each.question.code == "question.model")
    assert len(model.answers) == 3


def names(plan: Plan) -> dict[str, Plan]:
    situation = seen(plan)
    made = {each.code: apply(each, plan) for each in neighbours(situation)}
    return {code: there(other) for code, other in made.items() if other is not None}


def test_two_small_boxes_become_one_large() -> None:
    plan = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **CHAT)
    other = names(plan)["one_box"]
    assert len(other.sites[0].servers) == 1
    assert len(list(gpus(other))) == 8
    assert other.links == ()


def test_no_fabric_is_offered_where_no_copy_spans_servers() -> None:
    offered = names(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-10g", **CHAT))
    assert not any(code.startswith("fabric-") for code in offered)
    needed = names(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-10g", **{**CHAT, "model": "llama-3.1-405b"}))
    assert any(code.startswith("fabric-") for code in needed)


def test_power_caps_keep_to_the_limits_of_the_card() -> None:
    other = names(plan_of((EIGHT, PRO, 8), **CHAT))["power_cap"]
    for _, _, _, card in gpus(other):
        assert card.power_limit_w == 420.0


def test_training_offers_adapters() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "bf16", "task": "full", "sequence_tokens": 2048}
    offered = names(plan_of((EIGHT, PRO, 8), **load))
    assert offered["qlora"].workloads[0].task == "qlora"
