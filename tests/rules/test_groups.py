"""R05, R06, R38, R40: the smallest group and its copies, wider layouts at the same load, splits that are refused."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from configurator.advice.findings.cuts import refusal
from configurator.advice.findings.groups import crowded, fewest_cards
from configurator.advice.findings.length import built_for
from configurator.advice.findings.precision import CUDA_NEWEST, capability
from configurator.advice.findings.split import runs
from configurator.assess import assess
from configurator.plan.edits import add_gpus
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import (
    CATALOGUE,
    EIGHT,
    H100,
    LOAD,
    R3090,
    ask,
    codes,
    found,
    number,
    plan_of,
    project_of,
    seen,
    told,
    work,
)

OPEN = "epyc-sp3-7slot-openframe"
MANY: dict[str, Any] = {"goal": "many_answers", "context_tokens": 4096}
FP8 = CATALOGUE.weight_formats["fp8"]


def said(answer: Any, code: str) -> str:
    return Wording().text(told(answer, code).text).replace("\u00a0", " ").replace("\u202f", " ")


def test_one_card_per_copy_with_the_room_of_each() -> None:
    text = said(
        ask(plan_of((OPEN, R3090, 2), model="qwen2.5-7b", weights="bf16", **MANY)), "split.group.one_card.requests"
    )
    assert "15.2 GB, 63 % of one card with 24 GB: one card per copy, 2 copies" in text
    assert "of 4 096 tokens at once" in text


def test_two_cards_per_copy() -> None:
    text = said(
        ask(plan_of((OPEN, R3090, 4), model="phi-3-medium-14b", weights="bf16", **MANY)), "split.group.copies.requests"
    )
    assert "28 GB, 58 % of 2 GPUs with 48 GB together: 2 copies on 2 GPUs each" in text


def test_half_of_the_cards_do_not_hold_it() -> None:
    plan = plan_of((EIGHT, "nvidia-l40s", 8), model="qwen3-235b-a22b", weights="fp8", users=8, context_tokens=16384)
    finding = told(ask(plan), "split.group.all.requests")
    assert (finding.text.get("half_gpus"), finding.text.get("half_gb")) == (4, 192)


def test_all_numbers_of_one_comparison_are_for_the_same_people() -> None:
    answer = ask(plan_of((OPEN, R3090, 4), model="phi-3-medium-14b", weights="bf16", **MANY))
    code = next(each for each in codes(answer) if each.startswith("split.compare."))
    text = told(answer, code).text
    assert text.get("people_users") == 16
    one = there(next((each for each in codes(answer) if each.startswith("split.alone.")), None))
    small, wide = (told(answer, one).text.get(f"{name}_tokens_per_s") for name in ("small", "wide"))
    limit = next(each for each in answer.findings if each.text.code.startswith("finding.expectation.limit"))
    ceiling = limit.text.get("ceiling_tokens_per_s")
    assert isinstance(small, float)
    assert isinstance(wide, float)
    assert isinstance(ceiling, float)
    # One person's speed lies near the physical limit of one person, not at the pace of a full machine.
    assert small > 0.4 * ceiling


def test_no_sentence_speaks_for_a_split_that_is_not_recommended() -> None:
    answer = ask(plan_of((OPEN, R3090, 2), model="qwen2.5-7b", weights="bf16", goal="many_answers"))
    assert there(work(answer).chosen).layout.replicas == 2
    for audience in ("owner", "operator"):
        texts = " ".join(Wording(audience=audience).text(each.text) for each in answer.findings)
        assert "splitting pays" not in texts


def test_copies_that_lack_room_are_named_with_their_number() -> None:
    plan = plan_of((OPEN, R3090, 4), model="llama-3.3-70b", weights="awq-int4", users=5, goal="many_answers")
    text = told(ask(plan), "split.compare.room").text
    assert text.get("people_users") == 5
    held = text.get("held_users")
    assert isinstance(held, int)
    assert held < 5


def test_a_width_that_cuts_an_fp8_block_is_told_with_both_ways_round() -> None:
    plan = plan_of((EIGHT, "nvidia-l40s", 8), model="qwen3-235b-a22b", weights="fp8", users=8, context_tokens=16384)
    answer = ask(plan)
    text = said(answer, "split.cut.experts")
    assert "1 536 / 8 = 192 is no multiple of the block of 128" in text
    action = Wording(audience="operator").text(there(told(answer, "split.cut.experts").action))
    assert "TP=4 x PP=2" in action
    assert "TP=8 with --enable-expert-parallel" in action
    chosen = there(work(answer).chosen).layout
    assert chosen.tensor_parallel < 8 or chosen.expert_parallel > 1


def test_kv_heads_refuse_what_query_heads_allow() -> None:
    plan = plan_of((OPEN, R3090, 4), model="phi-3-medium-14b", weights="bf16", **MANY)
    text = said(ask(plan), "split.cut.kv")
    assert "TP=4) divides the 40 heads but not the 10 KV heads" in text


def test_an_odd_number_of_groups_wants_a_chain_or_a_padded_file() -> None:
    odd = replace(CATALOGUE.models["llama-3.3-70b"], id="odd-70b", intermediate_size=29_568)
    known = replace(CATALOGUE, models=MappingProxyType({**CATALOGUE.models, "odd-70b": odd}))
    plan = plan_of((OPEN, R3090, 4), model="odd-70b", weights="gptq-int4", users=1, context_tokens=4096)
    answer = assess(project_of(plan), known, deep=False)
    finding = there(next((each for each in answer.findings if each.text.code == "finding.split.cut.odd"), None))
    words = Wording().with_names({})
    assert "231 quantisation groups of 128" in words.text(finding.text).replace("\u202f", "")
    assert "29 696" in words.text(there(finding.action)).replace("\u202f", " ")
    assert there(work(answer).chosen).layout.tensor_parallel == 1
    assert work(answer).fit != "no"


@pytest.mark.parametrize(("tensor", "cause"), [(3, "heads"), (8, "experts"), (4, None), (2, None)])
def test_each_refusal_has_its_cause(tensor: int, cause: str | None) -> None:
    wrong = refusal(CATALOGUE.models["qwen3-235b-a22b"], FP8, tensor)
    assert (wrong.cause if wrong else None) == cause


def test_one_more_card_is_named_only_where_that_count_is_valid() -> None:
    three = told(ask(plan_of((OPEN, R3090, 3), model="qwen2.5-14b", weights="bf16", **LOAD)), "split.cut.heads")
    assert there(three.action).code.endswith(".more")
    six = told(ask(plan_of((OPEN, R3090, 6), model="llama-3.3-70b", weights="fp8", **LOAD)), "split.cut.heads")
    assert not there(six.action).code.endswith(".more")


def test_a_chain_engine_has_nothing_to_divide() -> None:
    plan = plan_of((OPEN, R3090, 3), model="llama-3.3-70b", weights="q4_k_m", engine="llama.cpp", users=1)
    assert found(ask(plan), "split.cut.heads") is None


def test_a_chain_that_only_holds_more_does_not_take_the_place_of_copies() -> None:
    # A copy fills a node to three quarters; two nodes would hold more, yet few people would be served slower.
    boxes = [(EIGHT, "nvidia-a10", 8)] * 4
    plan = plan_of(*boxes, link="eth-100g-tcp", model="llama-3-70b", weights="bf16", goal="many_answers", task="batch")
    layout = there(work(ask(plan)).chosen).layout
    assert layout.width == 8


def test_few_and_many_people_are_both_told() -> None:
    plan = plan_of(
        ("hgx-h100-8", "nvidia-h100-sxm5-80gb", 8), model="llama-3.3-70b", weights="fp8", goal="many_answers"
    )
    text = told(ask(plan), "split.compare.turns").text
    few, full = text.get("people_users"), text.get("full_users")
    assert few == 16
    assert isinstance(full, int)
    assert full > 16


def test_a_split_wider_than_a_server_is_not_proposed() -> None:
    load: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "bf16", "users": 4, "context_tokens": 8192}
    answer = ask(plan_of(*[("hgx-h100-8", "nvidia-h100-sxm5-80gb", 8)] * 4, link="eth-100g-roce", **load))
    assert found(answer, "split.cut.heads") is None


def test_fewer_cards_that_the_weights_fill_are_not_called_enough() -> None:
    """140 GB fill 88 % of two cards of 80 GB: three carry on, and no sentence sends the owner to two."""
    plan = plan_of(("dell-r760xa-4gpu", "nvidia-a100-pcie-80gb", 3), model="llama-3.1-70b", weights="bf16", task="chat")
    s = seen(plan)
    assert crowded(s, s.used_cards[:2])
    assert fewest_cards(s) == 3
    texts = codes(ask(plan))
    assert "split.alone.slower_full" in texts or "split.alone.same_full" in texts
    assert not {"split.alone.slower", "split.alone.same"} & texts


def test_layers_with_a_window_are_counted_per_request() -> None:
    """The room of a model that keeps only a window is told in requests of the asked length, not in tokens."""
    plan = plan_of(
        ("desktop-1gpu", "nvidia-rtx-5090", 1), model="gemma-3-27b", weights="awq-int4", task="chat", users=1,
        context_tokens=16_384,
    )  # fmt: skip
    texts = codes(ask(plan))
    assert any(each.startswith("split.group.") and each.endswith(".window") for each in texts)


@pytest.mark.parametrize(("gpu", "warned"), [("nvidia-v100-sxm2-32gb", True), ("nvidia-rtx-5090", False)])
def test_only_cards_below_the_need_are_told_of_newer_releases(gpu: str, warned: bool) -> None:
    """12.0 is more than 7.5, whatever the letters say."""
    record = CATALOGUE.gpus[gpu]
    assert (0 < capability(record) < CUDA_NEWEST) is warned


def test_weights_that_fill_the_cards_are_sent_to_fewer_bits_on_the_same_cards() -> None:
    """138 GB of 160 GB: in 8 bits it is 43 % there, with its room, and that is what to take."""
    plan = plan_of(
        ("dell-r760xa-4gpu", "nvidia-a100-pcie-80gb", 2), model="llama-3.1-70b", weights="bf16", task="chat",
        context_tokens=4096,
    )  # fmt: skip
    action = there(told(ask(plan), "memory.reserve.thin").action)
    assert action.code == "do.memory.reserve.two"
    assert action.get("wide_share") == pytest.approx(0.44, abs=0.02)
    assert action.get("best_code") == "reserve.eight"
    assert number(action, "narrow_room_tokens") > number(action, "wide_room_tokens") > 200_000


def test_a_long_prompt_in_one_step_takes_the_room_that_pieces_leave() -> None:
    """405B in FP8 on eight cards of 80 GB at 131,072 tokens: refused in one step (79,392 fitted), not in pieces."""
    plan = plan_of(
        ("hgx-h100-8", H100, 8), model="llama-3.1-405b", weights="fp8", task="chat", users=1,
        max_context_tokens=131_072, context_tokens=131_072,
    )  # fmt: skip
    finding = told(ask(plan), "memory.context.one_step").text
    assert number(finding, "pieces_tokens") > 200_000
    assert 70_000 < number(finding, "whole_tokens") < 100_000


def test_what_a_model_is_built_for_is_told_only_where_it_is_known() -> None:
    known = CATALOGUE.models["llama-3.1-8b"]
    assert built_for(known) == known.max_context_tokens
    assert built_for(replace(known, hf_id="")) == 0
    assert built_for(replace(known, hf_id="", name="Phi-3-medium-4k-instruct")) == 4096


def test_one_figure_for_weights_in_system_memory() -> None:
    """Cost and memory speak of the same gigabytes and the same rate."""
    plan = plan_of(
        ("desktop-1gpu", R3090, 1), model="llama-3.1-405b", weights="q4_k_m", engine="llama.cpp", task="chat", users=1
    )
    answer = ask(plan)
    host, cost = found(answer, "memory.host.ask"), found(answer, "cost.energy.offloaded")
    cost = cost or found(answer, "cost.energy.offloaded_alone")
    assert there(host).text.get("desktop_tokens_per_s") == there(cost).text.get("slow_tokens_per_s")
    assert there(host).text.get("missing_gb") == there(cost).text.get("rest_gb")


def test_unlike_cards_say_their_layers_and_that_a_low_load_is_normal() -> None:
    """24 GB and 11 GB hold 23 GB of weights and 8.6 GB of cache; the cache in 8 bits is told beside it."""
    plan = plan_of(
        (OPEN, R3090, 1), model="qwen2.5-32b", weights="q5_k_m", engine="llama.cpp", task="chat", users=1,
        context_tokens=32_768, goal="one_fast_answer",
    )  # fmt: skip
    plan, _ = add_gpus(plan, CATALOGUE, "nvidia-rtx-2080-ti", plan.sites[0].servers[0].id, 1)
    answer = ask(plan)
    assert there(work(answer).chosen).memory.fit != "no"
    finding = told(answer, "split.mixed.layers_eight").text
    assert number(finding, "sum_gb") <= number(finding, "label_gb")
    assert number(finding, "eight_gb") < number(finding, "sum_gb")
    assert "a low load on the smaller one is normal" in said(answer, "split.mixed.layers_eight")


def test_layers_of_a_chain_are_told_in_order() -> None:
    assert runs((27, 27, 26)) == "27 + 27 + 26"
    assert runs((13, 13, 13, 13, 12)) == "4 × 13 + 12"


def test_two_cards_without_a_fast_link_do_not_add_their_speeds() -> None:
    """360 GB/s over 18 GB of weights: 20 tokens/s, whatever the number of cards in the chain."""
    plan = plan_of(
        (OPEN, "nvidia-rtx-3060-12gb", 2), model="qwen2.5-32b", weights="awq-int4", task="chat", users=1,
        goal="one_fast_answer", context_tokens=2048,
    )  # fmt: skip
    roof = told(ask(plan), "split.chain.roof").text.get("roof_tokens_per_s")
    assert there(roof) == pytest.approx(360e9 / 18.5e9, rel=0.1)


def test_a_count_that_only_memory_names_says_so() -> None:
    """Three cards hold it, a scheduler takes three, and three do not divide the KV heads."""
    plan = plan_of(("hgx-h200-8", "nvidia-h200-sxm-141gb", 8), model="minimax-m2.5", weights="fp8", task="chat")
    assert told(ask(plan), "split.cut.kv.memory").text.get("tensor_count") == 3


def test_an_old_card_is_not_sent_to_an_engine_that_does_not_run_on_it() -> None:
    plan = plan_of(
        (OPEN, "nvidia-p40", 2), model="llama-3.1-8b", weights="q4_k_m", engine="llama.cpp", task="chat", users=8
    )
    texts = codes(ask(plan))
    assert "engine.llama_cpp.slots" in texts
    assert "engine.llama_cpp.batching" not in texts
