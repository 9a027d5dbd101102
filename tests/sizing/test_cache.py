"""KV-cache bytes of every attention kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from configurator.sizing import element_bytes, kv_bytes, kv_bytes_per_token, recurrent_bytes
from tests.sizing.layouts import CATALOGUE, model

VECTORS: dict[str, dict[str, list[int]]] = json.loads(
    (Path(__file__).parent / "kv_vectors.json").read_text(encoding="utf-8")
)["models"]


@pytest.mark.parametrize("name", sorted(VECTORS))
def test_bytes_of_one_sequence(name: str) -> None:
    record = CATALOGUE.models[name]
    for context, (windowed, whole) in VECTORS[name].items():
        assert kv_bytes(record, "bf16", int(context), with_state=False) == windowed
        assert kv_bytes(record, "bf16", int(context), windows_kept=False, with_state=False) == whole


def test_nearly_every_model_has_a_vector() -> None:
    with_cache = {name for name, record in CATALOGUE.models.items() if record.purpose == "generate"}
    assert len(with_cache & set(VECTORS)) >= 0.9 * len(with_cache)


PRINTED = [
    ("llama-3.1-8b", 131_072),
    ("llama-3.1-70b", 327_680),
    ("llama-3.1-405b", 516_096),
    ("qwen3-32b", 262_144),
    ("qwen3-235b-a22b", 192_512),
    ("deepseek-r1", 70_272),
    ("mistral-small-3.2-24b", 163_840),
    ("minimax-m2.5", 253_952),
]
"""Bytes per token at 16 bits as vLLM's start-up lines give them."""


@pytest.mark.parametrize(("name", "size"), PRINTED)
def test_bytes_per_token(name: str, size: int) -> None:
    assert kv_bytes_per_token(model(name), "bf16") == size
    assert kv_bytes_per_token(model(name), "fp8") == size / 2


def test_heads_divide_until_one_is_left() -> None:
    record = model("qwen3-30b-a3b")
    sizes = [kv_bytes_per_token(record, "bf16", ranks) for ranks in (1, 2, 4, 8, 16)]
    assert sizes == [sizes[0], sizes[0] / 2, sizes[0] / 4, sizes[0] / 4, sizes[0] / 4]


def test_a_latent_cache_is_whole_on_every_rank() -> None:
    record = model("deepseek-r1")
    assert kv_bytes_per_token(record, "bf16", 8) == kv_bytes_per_token(record, "bf16", 1)


def test_windows_and_states_stop_growing() -> None:
    gemma = model("gemma-3-27b")
    fixed = kv_bytes(gemma, "bf16", 100_000) - 100_000 * 81_920
    assert fixed == 416 * 1024**2
    hybrid = model("qwen3-next-80b-a3b")
    assert recurrent_bytes(hybrid) > 0
    grown = kv_bytes(hybrid, "bf16", 20_000) - kv_bytes(hybrid, "bf16", 10_000)
    assert grown == 10_000 * kv_bytes_per_token(hybrid, "bf16")
    oss = model("gpt-oss-120b")
    assert kv_bytes(oss, "bf16", 10_000) == 10_000 * 36_864 + 4.5 * 1024**2


def test_an_encoder_keeps_nothing() -> None:
    assert kv_bytes(model("bge-m3"), "bf16", 8192) == 0


@pytest.mark.parametrize(
    ("name", "size"), [("bf16", 2), ("fp8", 1), ("q8_0", 1.0625), ("q4_0", 0.5625), ("nvfp4", 0.5625)]
)
def test_bytes_per_element(name: str, size: float) -> None:
    assert element_bytes(name) == size
    with pytest.raises(ValueError, match="unknown KV cache type"):
        element_bytes(name + "x")


def test_sparse_latent_fp8_has_its_own_layout() -> None:
    """656 bytes a token and layer in vLLM's layout for DeepSeek V3.2, 128 of indexer keys beside them."""
    record = model("deepseek-v3.2")
    assert kv_bytes_per_token(record, "fp8") == 61 * (656 + 128)
