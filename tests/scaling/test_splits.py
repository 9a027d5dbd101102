"""How models divide: heads in words, quantised groups, layers on unequal cards."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from configurator.catalogue import load_catalogue
from configurator.scaling.splits import (
    expert_degrees,
    kv_heads_allow,
    plain_degrees,
    quantised_split,
    refuse_tensor,
    replicated_kv,
    split_layers,
    tensor_degrees,
)
from configurator.sizing import rank_weights

CATALOGUE = load_catalogue()
LLAMA_70B = CATALOGUE.models["llama-3.3-70b"]
QWEN_32B = CATALOGUE.models["qwen2.5-32b"]
DEEPSEEK = CATALOGUE.models["deepseek-v3"]
FP8 = CATALOGUE.weight_formats["fp8"]
AWQ = CATALOGUE.weight_formats["awq-int4"]


def test_degrees_divide_query_and_kv_heads() -> None:
    assert tensor_degrees(LLAMA_70B)[:5] == (1, 2, 4, 8, 16)  # 64 heads, 8 KV heads
    assert tensor_degrees(QWEN_32B) == (1, 2, 4, 8, 40)  # 40 heads, 8 KV heads: 5 and 10 cut KV heads


def test_a_refusal_names_the_degrees_that_work() -> None:
    refusal = refuse_tensor(QWEN_32B, 6)
    assert refusal is not None
    assert refusal.code == "layout.heads"
    assert refusal.get("heads") == 40
    assert refusal.get("allowed_counts") == (1, 2, 4, 8, 40)
    kv = refuse_tensor(QWEN_32B, 5)
    assert kv is not None
    assert kv.code == "layout.kv_heads"
    assert refuse_tensor(QWEN_32B, 8) is None


@pytest.mark.parametrize(
    ("kv_heads", "tensor", "allowed"), [(8, 4, True), (8, 16, True), (8, 3, False), (4, 8, True), (8, 12, False)]
)
def test_kv_heads_are_divided_or_copied_whole(kv_heads: int, tensor: int, allowed: bool) -> None:
    assert kv_heads_allow(kv_heads, tensor) is allowed


def test_52_heads_allow_1_2_4_13_26_52() -> None:
    heads = 52
    assert [n for n in range(1, heads + 1) if heads % n == 0] == [1, 2, 4, 13, 26, 52]


def test_beyond_the_kv_heads_the_cache_is_copied() -> None:
    assert replicated_kv(LLAMA_70B, 8) is None
    note = replicated_kv(LLAMA_70B, 16)
    assert note is not None
    assert note.code == "layout.kv_copied"
    latent = replicated_kv(DEEPSEEK, 2)
    assert latent is not None
    assert latent.code == "layout.kv_whole_on_each"


def test_expert_slices_that_cut_a_block_of_scales_are_noted() -> None:
    model = CATALOGUE.models["qwen3-235b-a22b"]
    assert model.moe is not None
    assert model.moe.intermediate_size == 1536
    note = quantised_split(model, FP8, 8, 1)  # 1536 / 8 = 192 is no multiple of 128
    assert note is not None
    assert note.code == "layout.quant_group"
    assert quantised_split(model, FP8, 8, 8) is None
    assert quantised_split(model, FP8, 4, 1) is None


def test_degrees_that_cut_a_block_are_no_plain_degrees() -> None:
    model = CATALOGUE.models["qwen3-235b-a22b"]
    assert plain_degrees(model, FP8) == (1, 2, 4)
    assert 8 in plain_degrees(model, CATALOGUE.weight_formats["bf16"])
    assert 8 in plain_degrees(model, CATALOGUE.weight_formats["fp8-channel"])


def test_an_odd_number_of_groups_allows_no_split_at_all() -> None:
    # 29,568 / 128 = 231 groups: odd, although 64 heads divide by 2, 4 and 8 (Qwen2-72B; padded to 29,696 later).
    odd = replace(LLAMA_70B, intermediate_size=29_568)
    gptq = CATALOGUE.weight_formats["gptq-int4"]
    assert plain_degrees(odd, gptq) == (1,)
    assert 8 in plain_degrees(replace(LLAMA_70B, intermediate_size=29_696), gptq)
    # A width that does not hold whole groups itself is an estimate: nothing is refused on it.
    assert 8 in plain_degrees(replace(LLAMA_70B, intermediate_size=29_600), gptq)


def test_experts_are_spread_whole_when_they_divide() -> None:
    assert expert_degrees(DEEPSEEK, 8) == (1, 8)
    assert expert_degrees(LLAMA_70B, 8) == (1,)


@settings(max_examples=60, deadline=None)
@given(
    speeds=st.lists(st.floats(0.2, 2.0), min_size=1, max_size=8),
    rooms=st.lists(st.floats(8e9, 96e9), min_size=8, max_size=8),
)
def test_layers_always_add_up_and_no_stage_is_empty(speeds: list[float], rooms: list[float]) -> None:
    split = split_layers(LLAMA_70B, AWQ, 1, speeds, rooms[: len(speeds)])
    assert sum(split) == LLAMA_70B.layers
    assert min(split) >= 1


def test_unequal_cards_take_layers_by_bandwidth_inside_their_memory() -> None:
    fast, slow = 1.8e12, 0.9e12
    split = split_layers(QWEN_32B, AWQ, 1, [fast, slow], [96e9, 96e9])
    assert split[0] == pytest.approx(2 * split[1], abs=2)
    tight = split_layers(QWEN_32B, AWQ, 1, [fast, slow], [8e9, 96e9])
    assert tight[0] < tight[1]
    assert rank_weights(QWEN_32B, AWQ, 1, tight)[0] <= 8e9


def test_equal_cards_are_split_as_the_engine_does() -> None:
    assert split_layers(CATALOGUE.models["llama-3.1-405b"], FP8, 1, [1.0] * 4, [1.0] * 4) == (31, 32, 32, 31)


def test_unlike_cards_take_as_many_layers_as_they_hold_with_the_cache() -> None:
    """A 24 GB and an 11 GB card: weights and 8.6 GB of cache fit only where the smaller card takes its part."""
    catalogue = load_catalogue()
    model = catalogue.models["qwen2.5-32b"]
    weights = catalogue.weight_formats["q5_k_m"]
    layer = rank_weights(model, weights, 1)[0] / model.layers
    cache = 32_768 * 2 * model.kv_heads * model.head_dim * 2.0
    cut = split_layers(model, weights, 1, [936e9, 616e9], [25.6e9, 11.5e9], cache, 1.9e9)
    assert sum(cut) == model.layers
    assert cut[0] * (layer + cache) + 1.9e9 <= 25.6e9
    assert cut[1] * (layer + cache) + 1.9e9 <= 11.5e9
    # Without a known load speed alone decides, inside the memory of each.
    assert split_layers(model, weights, 1, [936e9, 616e9], [25.6e9, 11.5e9]) != cut


def test_a_cache_that_no_cut_holds_leaves_the_layers_where_most_of_it_fits() -> None:
    """Four times the length: the cut follows the memory, so that the longest request is as long as it can be."""
    catalogue = load_catalogue()
    model = catalogue.models["qwen2.5-32b"]
    weights = catalogue.weight_formats["q5_k_m"]
    layer = rank_weights(model, weights, 1)[0] / model.layers
    rooms = [25.6e9, 11.5e9]
    cache = 4 * 32_768 * 2 * model.kv_heads * model.head_dim * 2.0
    cut = split_layers(model, weights, 1, [936e9, 616e9], rooms, cache, 1.9e9)
    left = [(room - 1.9e9 - count * layer) / count for room, count in zip(rooms, cut, strict=True)]
    assert min(left) >= 0.85 * max(left)
