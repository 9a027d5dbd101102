"""Integrity of every model, weight format and KV format."""

from __future__ import annotations

from typing import get_args

import pytest

from configurator.catalogue import load_catalogue
from configurator.catalogue.records import AttentionKind, ModelRecord

CATALOGUE = load_catalogue()
MODELS = tuple(CATALOGUE.models.values())
PARTS = {
    "token_embedding",
    "lm_head",
    "attention",
    "linear_or_ssm",
    "indexer",
    "compressor",
    "dense_mlp",
    "router",
    "routed_experts",
    "shared_experts",
    "latent_projections",
    "mtp",
    "vision",
    "small",
}
CHECKPOINT_PARTS = PARTS | {"attention_output", "dense_mlp_124_of_126_layers", "other_matrices"}


@pytest.mark.parametrize("model", MODELS, ids=[model.id for model in MODELS])
def test_model(model: ModelRecord) -> None:
    counts = model.parameters
    assert sum(getattr(counts, part) for part in PARTS) == counts.total
    assert counts.active_per_token <= counts.total
    assert counts.read_per_token_batch1 <= counts.active_per_token
    assert sum(group.layers for group in model.attention) == model.layers
    assert {group.kind for group in model.attention} <= set(get_args(AttentionKind))
    assert (model.kind == "moe") == (model.moe is not None) == (counts.routed_experts > 0)
    assert model.hidden_size > 0 and model.vocabulary > 0 and model.max_context_tokens > 0
    assert model.tied_embeddings == (counts.lm_head == 0) or model.purpose != "generate"
    assert model.sources and model.as_of
    assert model.recurrent_state_bytes_per_element in {2.0, 4.0}
    assert model.checkpoints
    for checkpoint in model.checkpoints:
        assert checkpoint.weight_format in CATALOGUE.weight_formats, checkpoint.hf_id
        assert set(checkpoint.quantised_parts) <= CHECKPOINT_PARTS, checkpoint.hf_id
        assert checkpoint.basis, checkpoint.hf_id
        if checkpoint.size_bytes is not None:
            assert 1.5 <= checkpoint.size_bytes * 8 / counts.total <= 33, checkpoint.hf_id
    for recipe, gib in model.gguf:
        assert recipe == recipe.lower()
        assert 1.3 <= gib * 2**33 / counts.total <= 16.6, recipe


@pytest.mark.parametrize(
    ("model", "bytes_per_token"),
    [
        ("llama-3.1-8b", 131_072),
        ("llama-3.1-70b", 327_680),
        ("llama-3.1-405b", 516_096),
        ("qwen3-32b", 262_144),
        ("qwen3-coder-480b-a35b", 253_952),
        ("qwen3-235b-a22b", 192_512),
        ("deepseek-r1", 70_272),
        ("gpt-oss-120b", 36_864),
        ("gemma-3-27b", 81_920),
    ],
)
def test_kv_elements_of_the_growing_layers(model: str, bytes_per_token: int) -> None:
    groups = CATALOGUE.models[model].attention
    growing = sum(group.layers * group.kv_elements_per_token for group in groups if group.window_tokens is None)
    assert 2 * growing == bytes_per_token


@pytest.mark.parametrize(
    ("model", "total"),
    [
        ("llama-3.1-70b", 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800),
        ("deepseek-v3.2", 683_501_971_712),
        ("qwen3.5-27b", 27_781_427_952),
    ],
)
def test_published_element_totals(model: str, total: int) -> None:
    assert CATALOGUE.models[model].parameters.total == total


def test_latent_attention_is_whole_on_every_rank() -> None:
    for model in MODELS:
        for group in model.attention:
            assert group.kv_shared_across_tp == group.kind.startswith("mla"), model.id
            if group.kind.startswith("mla"):
                extras = dict(group.extras)
                assert group.kv_elements_per_token == extras["kv_lora_rank"] + extras["qk_rope_head_dim"], model.id


def test_an_upload_may_store_its_kv_heads_twice() -> None:
    doubled = [
        (model.id, checkpoint.hf_id)
        for model in MODELS
        for checkpoint in model.checkpoints
        if checkpoint.kv_cache_factor != 1.0
    ]
    assert [(model, upload.split("/")[0]) for model, upload in doubled] == [("llama-3.1-405b", "hugging-quants")]


def test_layers_without_attention_hold_nothing() -> None:
    (nothing,) = [group for group in CATALOGUE.models["nemotron-3-nano-30b-a3b"].attention if group.kind == "none"]
    assert nothing.layers == 52 - 6 - 23
    assert nothing.kv_elements_per_token == 0


@pytest.mark.parametrize(
    ("format_id", "bits"),
    [
        ("bf16", 16.0),
        ("fp8", 8.0 + 32 / (128 * 128)),
        ("awq-int4", 4 + 16 / 128 + 4 / 128),
        ("w4a16", 4 + 16 / 128),
        ("nvfp4", 4 + 8 / 16),
        ("mxfp4", 4 + 8 / 32),
        ("mxfp8", 8 * 33 / 32),
        ("nf4", 4 + 32 / 64),
        ("int4-g32", 4 + 16 / 32),
        ("gptq-int8", 8 + 16 / 128 + 8 / 128),
    ],
)
def test_effective_bits_count_the_scales(format_id: str, bits: float) -> None:
    assert CATALOGUE.weight_formats[format_id].bits == pytest.approx(bits)


def test_four_bits_are_never_half_a_byte_alone() -> None:
    """FP4 taken for a quarter of a byte is a published mistake."""
    for record in CATALOGUE.weight_formats.values():
        if record.family in {"int4", "fp4", "nf4"} and "3bit" not in record.id:
            assert record.bits > 4, record.id


def test_every_format() -> None:
    for record in CATALOGUE.weight_formats.values():
        assert 1.5 <= record.bits <= 32, record.id
        assert record.bits_low <= record.bits <= record.bits_high, record.id
        assert record.sources, record.id
        assert set(record.quantised_parts) <= PARTS, record.id
        assert record.whole_file == (record.family == "gguf"), record.id
        assert (record.family == "gguf") <= (record.engines == ("llama.cpp",)), record.id
        assert set(record.engines) <= {"vllm", "sglang", "tensorrt-llm", "llama.cpp"}, record.id


def test_only_sixteen_bits_and_more_carry_a_gradient() -> None:
    """R21: INT4 is good for inference, not for a training gradient path; it may be the frozen base of QLoRA."""
    trainable = {record.id for record in CATALOGUE.weight_formats.values() if record.trainable}
    assert trainable == {"bf16", "fp16", "fp32"}
    assert CATALOGUE.weight_formats["nf4"].adapter_base
    assert not CATALOGUE.weight_formats["q4_k_m"].adapter_base


def test_every_published_gguf_recipe_is_a_format() -> None:
    known = set(CATALOGUE.weight_formats)
    for model in MODELS:
        for recipe, _ in model.gguf:
            assert recipe.split(" ")[0] in known, f"{model.id}: {recipe}"


def test_kv_formats() -> None:
    widths = {record.id: record.bytes_per_element for record in CATALOGUE.kv_formats.values()}
    assert widths["bf16"] == 2.0
    assert widths["fp8"] == 1.0
    assert widths["q8_0"] == 34 / 32
    assert widths["q4_0"] == 18 / 32


def test_token_prices_name_models_by_id() -> None:
    known = [price for price in CATALOGUE.token_prices.values() if price.model in CATALOGUE.models]
    assert len(known) >= 18
    assert CATALOGUE.token_prices["llama-3.3-70b"].output_usd_per_million.value == 0.75
