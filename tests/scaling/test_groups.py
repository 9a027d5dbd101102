"""The smallest group that holds the model, the rest as copies; a wider copy must be worth its cards."""

from __future__ import annotations

from typing import Any

from configurator.plan.edits import update
from tests.helpers import there
from tests.rules.ask import EIGHT, PRO, R3090, ask, plan_of, work


def chosen(chassis: str, gpu: str, count: int, **load: Any) -> tuple[int, int]:
    """(copies, cards of one copy) of the recommended layout."""
    layout = there(work(ask(plan_of((chassis, gpu, count), **load))).chosen).layout
    return layout.replicas, layout.width


def test_a_model_that_fits_one_card_runs_as_one_copy_per_card() -> None:
    for load in ({}, {"context_tokens": 4096}, {"users": 24, "context_tokens": 4096}):
        many: dict[str, Any] = {"goal": "many_answers", **load}
        assert chosen("epyc-sp3-7slot-openframe", R3090, 2, model="qwen2.5-7b", weights="bf16", **many) == (2, 1)


def test_two_cards_hold_it_so_four_are_two_copies() -> None:
    load: dict[str, Any] = {"goal": "many_answers", "context_tokens": 4096}
    assert chosen("epyc-sp3-7slot-openframe", R3090, 4, model="phi-3-medium-14b", weights="bf16", **load) == (2, 2)


def test_eight_large_cards_run_a_seventy_billion_model_as_copies() -> None:
    copies, width = chosen(EIGHT, PRO, 8, model="llama-3.3-70b", weights="fp8", goal="many_answers", users=64)
    assert copies * width == 8
    assert width == 2


def test_one_person_gets_more_cards_only_where_they_answer_much_faster() -> None:
    one: dict[str, Any] = {"goal": "one_fast_answer", "users": 1, "context_tokens": 4096}
    sparse = chosen(EIGHT, PRO, 4, model="gpt-oss-20b", weights="mxfp4", **one)
    assert sparse[1] == 1
    dense = chosen("hgx-h100-8", "nvidia-h100-sxm5-80gb", 8, model="llama-3.3-70b", weights="fp8", **one)
    assert dense[1] > 2


def test_a_small_model_is_not_split_for_one_person_over_links_nobody_proved() -> None:
    """A 7B on two large cards: measured 12 s over both where one took 5: copies, until the link is proven."""
    one: dict[str, Any] = {"goal": "one_fast_answer", "users": 1, "context_tokens": 200}
    plan = plan_of(("epyc-sp3-7slot-openframe", "nvidia-rtx-a6000", 2), model="qwen2.5-7b", weights="bf16", **one)
    plan = update(plan, plan.sites[0].servers[0].id, topology_known=False, p2p="unknown")
    layout = there(work(ask(plan)).chosen).layout
    assert (layout.replicas, layout.width) == (2, 1)
