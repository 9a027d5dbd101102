"""Several models on the same servers."""

from __future__ import annotations

from configurator.plan.edits import rebuilt, update
from configurator.plan.model import Plan, Workload
from configurator.wording import Wording
from tests.rules.ask import EIGHT, HOME, LOAD, PRO, R3090, ask, codes, plan_of, told


def two(plan: Plan, model: str, weights: str) -> Plan:
    """The plan with a second model beside its own."""
    other = Workload(id="side", name="side", model=model, weights=weights, users=4, context_tokens=4096)
    return rebuilt(plan, workloads=(*plan.workloads, other))


def test_each_model_gets_cards_of_its_own() -> None:
    plan = two(plan_of((EIGHT, PRO, 4), model="llama-3.3-70b", weights="fp8", **LOAD), "llama-3.1-8b", "bf16")
    answer = ask(plan)
    cards = [{row.gpu_id for row in each.per_gpu} for each in answer.workloads]
    assert all(cards)
    assert not cards[0] & cards[1]
    assert told(answer, "together.cards.own").kind == "good_to_know"


def test_one_model_alone_keeps_all_cards() -> None:
    answer = ask(plan_of((EIGHT, PRO, 4), model="llama-3.3-70b", weights="fp8", **LOAD))
    assert len({row.gpu_id for row in answer.workloads[0].per_gpu}) == 4
    assert not {each for each in codes(answer) if each.startswith("together.")}


def test_models_with_servers_of_their_own_do_not_meet() -> None:
    plan = two(
        plan_of((HOME, R3090, 1), (HOME, R3090, 1), model="llama-3.1-8b", weights="q4_k_m"), "llama-3.1-8b", "bf16"
    )
    first, second = (server.id for server in plan.sites[0].servers)
    plan = update(plan, plan.workloads[0].id, server_ids=(first,))
    plan = update(plan, "side", server_ids=(second,))
    assert not {each for each in codes(ask(plan)) if each.startswith("together.")}


def test_a_model_without_a_card_left_is_told() -> None:
    plan = two(plan_of((HOME, R3090, 1), model="llama-3.1-8b", weights="fp8", **LOAD), "llama-3.1-8b", "bf16")
    found = told(ask(plan), "together.cards.none")
    assert found.kind == "will_not_work"
    assert "finds no card of its own" in Wording().text(found.text)
