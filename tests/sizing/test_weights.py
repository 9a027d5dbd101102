"""Weight bytes against published checkpoint sizes, and how they split over ranks."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest

from configurator.catalogue.records import Checkpoint, ModelRecord
from configurator.sizing import (
    checkpoint_bytes,
    leaves_out_mtp,
    rank_weights,
    stage_layers,
    upload_format,
    weight_bytes,
)
from tests.sizing.layouts import CATALOGUE, model, weights

GIB = 1024**3

PUBLISHED = [
    (record, checkpoint)
    for record in CATALOGUE.models.values()
    for checkpoint in record.checkpoints
    if checkpoint.size_bytes
]

STORES_THE_HEAD_TWICE = {"Qwen/Qwen3-4B-FP8"}
"""The embedding is tied, but this one upload keeps the head as well: 15 % more than the engine loads."""


def test_there_is_something_to_check() -> None:
    assert len(PUBLISHED) > 250


@pytest.mark.parametrize(("record", "checkpoint"), PUBLISHED, ids=[each.hf_id for _, each in PUBLISHED])
def test_checkpoints_are_met_within_two_percent(record: ModelRecord, checkpoint: Checkpoint) -> None:
    stored = upload_format(record, CATALOGUE.weight_formats[checkpoint.weight_format], checkpoint)
    counted = checkpoint_bytes(record, stored, with_mtp=not leaves_out_mtp(stored, checkpoint))
    if checkpoint.hf_id in STORES_THE_HEAD_TWICE:
        counted += record.parameters.token_embedding * 2
    assert counted == pytest.approx(checkpoint.size_bytes, rel=0.02)


LISTED = [
    ("llama-3.1-70b", "bf16", 141_107_412_992, "exo model cards"),
    ("gemma-4-26b-a4b", "bf16", 51_611_872_412, "exo model cards"),
    ("gemma-4-31b", "bf16", 62_546_177_752, "exo model cards"),
    ("nemotron-3-nano-30b-a3b", "bf16", 63_155_889_408, "exo model cards"),
    ("minimax-m2.5", "bf16", 457_492_783_366, "exo model cards"),
    ("kimi-k2.5", "int4-g32", 595_148_192_736, "exo model cards"),
    ("deepseek-v3", "fp8", 688_586_727_753, "repository file sum"),
    ("qwen2.5-32b", "awq-int4", 19_330_000_000, "shard sizes of the repository page"),
    ("deepseek-v4-flash", "fp4-experts-fp8", 160_000_000_000, "vllm-project/recipes, rounded to 1 GB"),
    ("deepseek-v4-pro", "fp4-experts-fp8", 865_000_000_000, "vllm-project/recipes, rounded to 1 GB"),
    ("qwen3.5-397b-a17b", "bf16", 807_000_000_000, "voipmonitor/rtx6kpro, rounded to 1 GB"),
]
"""File sums listed elsewhere: model, format, bytes, where."""


@pytest.mark.parametrize(("name", "form", "size", "_where"), LISTED, ids=[row[0] for row in LISTED])
def test_file_sums_listed_elsewhere(name: str, form: str, size: int, _where: str) -> None:
    assert checkpoint_bytes(model(name), weights(name, form)) == pytest.approx(size, rel=0.006)


LOADED = [
    ("llama-3.1-8b", "bf16", 1, 14.99),
    ("llama-3.3-70b", "fp8-channel", 1, 67.72),
    ("llama-3.3-70b", "fp8-channel", 2, 33.88),
    ("qwen3-0.6b", "bf16", 1, 1.12),
    ("qwen3-32b", "bf16", 1, 61.03),
    ("qwen3-32b", "bf16", 2, 30.59),
    ("mistral-small-3.2-24b", "bf16", 1, 44.76),
    ("minimax-m2.5", "fp8", 4, 53.75),
    ("qwen2.5-1.5b", "bf16", 1, 2.89),
    ("qwen2.5-vl-7b", "bf16", 1, 15.63),
]
"""GiB per GPU that vLLM says it loaded (llm-d-planner on H100, voipmonitor/rtx6kpro, public logs)."""


@pytest.mark.parametrize(("name", "form", "tensor", "printed"), LOADED)
def test_loaded_weights_as_engines_print_them(name: str, form: str, tensor: int, printed: float) -> None:
    (found,) = rank_weights(model(name), weights(name, form), tensor)
    assert found / GIB == pytest.approx(printed, rel=0.013)


def test_gguf_files_by_recipe() -> None:
    errors = [
        abs(checkpoint_bytes(record, CATALOGUE.weight_formats[recipe]) / GIB / size - 1)
        for record in CATALOGUE.models.values()
        for recipe, size in record.gguf
        if recipe in CATALOGUE.weight_formats
    ]
    assert len(errors) > 100
    assert statistics.median(errors) < 0.005
    # The rest are dynamic quantisations under a plain recipe's name: every publisher chooses its own tensor types.
    assert sum(error < 0.02 for error in errors) > 0.75 * len(errors)


SPLIT = ["llama-3.1-70b", "deepseek-r1", "qwen3-30b-a3b", "gemma-3-27b", "gpt-oss-120b", "nemotron-3-nano-30b-a3b"]


@pytest.mark.parametrize("name", SPLIT)
def test_a_split_never_loses_weights_and_never_adds_to_a_rank(name: str) -> None:
    record, form = model(name), weights(name, "bf16")
    whole = weight_bytes(record, form)
    assert sum(rank_weights(record, form)) == pytest.approx(whole, abs=8)
    before = whole
    for degree in (2, 4, 8):
        rank = rank_weights(record, form, degree)[0]
        assert rank < before
        assert rank * degree >= whole * 0.999
        before = rank


@pytest.mark.parametrize("name", SPLIT)
def test_stages_hold_everything_once(name: str) -> None:
    record, form = model(name), weights(name, "bf16")
    stages = rank_weights(record, form, 1, stage_layers(record.layers, 4))
    extra = record.parameters.token_embedding * 2 if record.tied_embeddings else 0
    assert sum(stages) == pytest.approx(weight_bytes(record, form) + extra, abs=16)


def test_embedding_sits_on_the_first_stage_and_the_head_on_the_last() -> None:
    record, form = model("llama-3.1-70b"), weights("llama-3.1-70b", "bf16")
    first, second, third, last = rank_weights(record, form, 1, (20, 20, 20, 20))
    assert second == third
    assert first - second == record.parameters.token_embedding * 2
    assert last - second == record.parameters.lm_head * 2 + record.hidden_size * 2


def test_the_vocabulary_is_padded_before_it_is_split() -> None:
    record, form = model("llama-3.1-8b"), weights("llama-3.1-8b", "bf16")
    odd = replace(record, vocabulary=record.vocabulary - 63)
    assert rank_weights(odd, form, 2)[0] > rank_weights(record, form, 2)[0]
    assert rank_weights(odd, form, 1) == rank_weights(record, form, 1)


def test_kv_heads_are_repeated_once_ranks_outnumber_them() -> None:
    record, form = model("qwen3-30b-a3b"), weights("qwen3-30b-a3b", "bf16")
    assert record.kv_heads == 4
    pair = 2 * 2 * record.hidden_size * record.head_dim * record.layers
    four, eight = rank_weights(record, form, 4)[0], rank_weights(record, form, 8)[0]
    whole = rank_weights(record, form, 1)[0]
    # Half of everything goes away from 4 to 8 ranks, but one KV head stays on each.
    assert eight > four / 2
    assert whole / 8 < eight < whole / 8 + pair + record.parameters.router * 2 + record.parameters.small * 2


def test_expert_parallelism_spreads_whole_experts() -> None:
    record, form = model("deepseek-r1"), weights("deepseek-r1", "fp8")
    sliced = rank_weights(record, form, 8)[0]
    whole = rank_weights(record, form, 8, expert_parallel=8)[0]
    assert whole == pytest.approx(sliced, rel=0.001)
    assert rank_weights(record, form, 1, expert_parallel=32)[0] < rank_weights(record, form, 8)[0]


def test_latent_down_projections_stay_whole_on_every_rank() -> None:
    record, form = model("deepseek-r1"), weights("deepseek-r1", "bf16")
    down = record.layers * record.hidden_size * (1536 + 512 + 64) * 2
    eight = rank_weights(record, form, 8)[0]
    assert eight > (weight_bytes(record, form) - down) / 8 + down


def test_attention_data_parallelism_keeps_attention_whole() -> None:
    record, form = model("deepseek-r1"), weights("deepseek-r1", "fp8")
    cut = rank_weights(record, form, 8)[0]
    kept = rank_weights(record, form, 8, data_parallel_attention=8)[0]
    assert kept > cut + 5 * GIB


def test_stages_must_hold_all_layers() -> None:
    with pytest.raises(ValueError, match="80"):
        rank_weights(model("llama-3.1-70b"), weights("llama-3.1-70b", "bf16"), 1, (40, 39))
