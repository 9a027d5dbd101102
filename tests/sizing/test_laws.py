"""Laws that hold for every model, card and setting."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from configurator.sizing import (
    FIT_ORDER,
    LayoutMemory,
    ServeLoad,
    ServeSettings,
    kv_bytes,
    rank_weights,
    stage_layers,
    weight_bytes,
)
from configurator.wording import Wording
from tests.sizing.layouts import CATALOGUE, model, serve, weights

NAMES = sorted(name for name, record in CATALOGUE.models.items() if record.purpose == "generate")
FORMATS = ("bf16", "fp8", "awq-int4", "nvfp4")
CARDS = ("h100 sxm", "4090", "rtx pro 6000 blackwell server", "a100 40gb", "l40s", "b200")
VERSIONS = ("", "0.6.4", "0.8.5", "0.11.0", "0.19.0", "0.33.0")
GIB = 1024**3

names = st.sampled_from(NAMES)
formats = st.sampled_from(FORMATS)
cards = st.sampled_from(CARDS)
engines = st.sampled_from(("vllm", "sglang", "llama.cpp", "tensorrt-llm"))
versions = st.sampled_from(VERSIONS)
degrees = st.sampled_from((1, 2, 4, 8))
lengths = st.sampled_from((2048, 8192, 32_768))


def rank(found: LayoutMemory) -> int:
    return FIT_ORDER.index(found.fit)


def settings_of(engine: str, version: str, length: int) -> ServeSettings:
    return ServeSettings(engine=engine, engine_version=version if engine == "vllm" else "", max_model_len=length)


@settings(max_examples=80, deadline=None)
@given(names, formats, cards, engines, versions, degrees, lengths, st.integers(1, 200), st.integers(1, 100))
def test_more_users_never_fit_where_fewer_did_not(
    name: str, form: str, gpu: str, engine: str, version: str, tensor: int, length: int, users: int, more: int
) -> None:
    asked = settings_of(engine, version, length)
    few = serve(name, form, gpu, tensor, settings=asked, load=ServeLoad(users, length // 2))
    many = serve(name, form, gpu, tensor, settings=asked, load=ServeLoad(users + more, length // 2))
    assert rank(many) <= rank(few)
    assert many.max_context_tokens <= few.max_context_tokens


@pytest.mark.parametrize("users", [1, 2, 3, 8])
def test_the_next_person_never_lengthens_what_holds_with_window_layers(users: int) -> None:
    asked = settings_of("vllm", "0.33.0", 8192)
    few, many = (
        serve("gemma-4-31b", "bf16", "h100 sxm", 1, settings=asked, load=ServeLoad(count, 4096))
        for count in (users, users + 1)
    )
    assert 0 < many.max_context_tokens <= few.max_context_tokens


@settings(max_examples=80, deadline=None)
@given(names, formats, cards, engines, degrees, st.integers(16, 160), st.integers(1, 64))
def test_more_memory_never_hurts(
    name: str, form: str, gpu: str, engine: str, tensor: int, size: int, more: int
) -> None:
    """Within one class of cards: engines raise their batch defaults with the class, and the peak with them."""
    asked = ServeSettings(
        engine=engine, engine_version="0.11.0" if engine == "vllm" else "", max_model_len=4096,
        max_num_batched_tokens=4096, max_num_seqs=64, gpu_memory_utilization=0.9 if engine != "llama.cpp" else None,
    )  # fmt: skip
    load = ServeLoad(4, 2048)
    small = serve(name, form, gpu, tensor, settings=asked, load=load, memory_bytes=size * GIB)
    large = serve(name, form, gpu, tensor, settings=asked, load=load, memory_bytes=(size + more) * GIB)
    assume((size >= 28) == (size + more >= 28))
    assert rank(large) >= rank(small)
    assert large.kv_cache_tokens.expected >= small.kv_cache_tokens.expected
    assert large.users_served.expected >= small.users_served.expected


@settings(max_examples=150, deadline=None)
@given(names, st.sampled_from((*FORMATS, "q4_k_m")), st.sampled_from((1, 2, 4, 8, 16)), st.sampled_from((2, 4)))
def test_wider_splits_never_raise_weights_per_gpu(name: str, form: str, tensor: int, times: int) -> None:
    record, stored = model(name), weights(name, form)
    assert rank_weights(record, stored, tensor * times)[0] <= rank_weights(record, stored, tensor)[0]
    assert rank_weights(record, stored)[0] == pytest.approx(weight_bytes(record, stored), abs=64)


@settings(max_examples=150, deadline=None)
@given(names, formats, st.integers(1, 16))
def test_stages_hold_every_layer_once(name: str, form: str, stages: int) -> None:
    record, stored = model(name), weights(name, form)
    split = stage_layers(record.layers, stages)
    assert sum(split) == record.layers
    assert max(split) - min(split) <= 1
    found = rank_weights(record, stored, 1, split)
    assert max(found) <= weight_bytes(record, stored)
    assert sum(found) >= weight_bytes(record, stored) - 64


@settings(max_examples=120, deadline=None)
@given(
    names, formats, cards, engines, versions, degrees, st.sampled_from((1, 2)), lengths, st.none() | st.integers(1, 500)
)
def test_bytes_add_up_to_the_card(
    name: str, form: str, gpu: str, engine: str, version: str, tensor: int, stages: int, length: int, users: int | None
) -> None:
    load = ServeLoad(users, length)
    found = serve(name, form, gpu, tensor, stages=stages, settings=settings_of(engine, version, length), load=load)
    assert len(found.per_gpu) == tensor * stages
    for each in found.per_gpu:
        parts = (each.weights_bytes, each.kv_cache_bytes, each.activation_bytes, each.overhead_bytes, each.free_bytes)
        assert sum(parts) == each.memory_bytes
        assert min(parts) >= 0
        assert each.short_bytes >= 0
        assert 0 <= each.kv_pool_bytes <= each.memory_bytes
    assert found.kv_cache_tokens.low <= found.kv_cache_tokens.expected <= found.kv_cache_tokens.high
    assert (found.reason is None) == (found.fit == "serves_with_reserve")


@settings(max_examples=100, deadline=None)
@given(names, st.integers(1, 200_000), st.integers(0, 100_000), st.sampled_from(("bf16", "fp8", "q8_0")))
def test_a_longer_context_never_needs_less(name: str, tokens: int, more: int, kind: str) -> None:
    record = model(name)
    assert kv_bytes(record, kind, tokens + more) >= kv_bytes(record, kind, tokens)
    if not name.startswith("deepseek-v4"):
        # Compressed layers keep a window beside the compressed tokens instead of inside them.
        assert kv_bytes(record, kind, tokens, windows_kept=False) >= kv_bytes(record, kind, tokens)
    assert kv_bytes(record, kind, tokens, 8) <= kv_bytes(record, kind, tokens)


@settings(max_examples=100, deadline=None)
@given(names, formats, cards, lengths, st.integers(1, 8))
def test_copies_hold_what_one_holds(name: str, form: str, gpu: str, length: int, copies: int) -> None:
    asked = settings_of("vllm", "0.11.0", length)
    one = serve(name, form, gpu, 1, settings=asked)
    more = serve(name, form, gpu, 1, copies=copies, settings=asked)
    assert more.kv_cache_tokens == one.kv_cache_tokens
    assert more.users_served.expected == copies * one.users_served.expected
    assert more.per_gpu[-1].kv_pool_bytes == one.per_gpu[0].kv_pool_bytes


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**15))
def test_units_come_back_from_the_text(size: int) -> None:
    """GiB are 1,024³ bytes everywhere: what is shown, read again, is the size within its two figures' rounding."""
    text = Wording().memory(size)
    number, unit = text.replace("\u202f", "").replace("\u00a0", " ").replace(",", "").rsplit(" ", 1)
    factor = {"B": 1, "KiB": 1024, "MiB": 1024**2, "GiB": GIB, "TiB": 1024 * GIB}[unit]
    assert float(number) * factor == pytest.approx(size, rel=0.06, abs=1)
