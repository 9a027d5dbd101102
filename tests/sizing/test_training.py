"""Training memory against published peaks, and how the ways to save memory relate."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from configurator.sizing import TrainSettings, adapter_parameters, training_state_bytes
from configurator.sizing.training import training_bytes
from tests.sizing.layouts import model, train, weights

GIB = 1024**3
TITAN = "pytorch/torchtitan, benchmarks: Llama 3.1 8B on H100"
FSDP_QLORA = "AnswerDotAI/fsdp_qlora, benchmarks of March 2024"
TUNE = "meta-pytorch/torchtune README: Llama 3.2 3B on one GPU, techniques added one by one"

SMALL: dict[str, Any] = {"micro_batch": 2, "precision": "bf16", "sharding": "none"}
QLORA: dict[str, Any] = {"task": "qlora", "sequence_tokens": 2048, "lora_rank": 64}

PEAKS: list[tuple[str, str, int, float, dict[str, Any]]] = [
    # where, model, cards, GiB per card, settings
    (TITAN, "llama-3.1-8b", 8, 82.4, {"sequence_tokens": 8192, "micro_batch": 2, "checkpointing": "selective"}),
    (TITAN, "llama-3.1-8b", 128, 67.0, {"sequence_tokens": 8192, "micro_batch": 2, "checkpointing": "selective"}),
    (TITAN, "llama-3.1-8b", 8, 83.9, {"sequence_tokens": 32_768}),
    (FSDP_QLORA, "llama-2-7b", 2, 4.98, {**QLORA, "sequence_tokens": 512}),
    (FSDP_QLORA, "llama-2-7b", 2, 5.21, QLORA),
    (FSDP_QLORA, "llama-2-7b", 2, 11.22, {**QLORA, "micro_batch": 4}),
    (FSDP_QLORA, "llama-2-7b", 2, 20.97, {**QLORA, "micro_batch": 10}),
    (FSDP_QLORA, "yi-34b", 2, 23.05, {**QLORA, "micro_batch": 2}),
    (FSDP_QLORA, "yi-34b", 2, 22.98, {**QLORA, "micro_batch": 4, "offload": True}),
    (FSDP_QLORA, "llama-2-70b", 2, 14.92, {**QLORA, "micro_batch": 2, "offload": True}),
    (TUNE, "llama-3.2-3b", 1, 60.0, {**SMALL, "checkpointing": "none"}),
    (TUNE, "llama-3.2-3b", 1, 42.9, {**SMALL, "checkpointing": "none", "chunked_loss": True}),
    (TUNE, "llama-3.2-3b", 1, 24.9, {**SMALL, "chunked_loss": True}),
    (TUNE, "llama-3.2-3b", 1, 17.6, {**SMALL, "chunked_loss": True, "optimizer": "adamw_8bit"}),
    (TUNE, "llama-3.2-3b", 1, 8.5, {**SMALL, "task": "lora", "chunked_loss": True, "lora_rank": 8}),
]  # fmt: skip


def peak(name: str, cards: int, options: dict[str, Any]) -> float:
    asked = TrainSettings(**options)
    form = weights(name, "nf4" if asked.task == "qlora" else "bf16")
    return training_bytes(model(name), form, asked, cards)[0].total / GIB


@pytest.mark.parametrize(("_where", "name", "cards", "measured", "options"), PEAKS, ids=range(len(PEAKS)))
def test_published_peaks(_where: str, name: str, cards: int, measured: float, options: dict[str, Any]) -> None:
    assert peak(name, cards, options) == pytest.approx(measured, rel=0.25)


def test_published_peaks_together() -> None:
    errors = [abs(peak(name, cards, options) / size - 1) for _, name, cards, size, options in PEAKS]
    assert statistics.median(errors) < 0.1


def total(**options: Any) -> float:
    return peak("llama-3.1-8b", 8, options)


def test_what_saves_memory_saves_memory() -> None:
    assert total(checkpointing="none") > total(checkpointing="selective") > total(checkpointing="full")
    assert total(sharding="none") > total(sharding="zero1") > total(sharding="zero2") > total(sharding="zero3")
    assert total(optimizer="adamw") > total(optimizer="adamw_8bit")
    assert total(sharding="zero3") > total(sharding="zero3", offload=True)
    assert total(task="full") > total(task="lora") > total(task="qlora")
    assert total(sequence_tokens=32_768) > total(sequence_tokens=32_768, context_parallel=4)
    assert total() > total(chunked_loss=True)
    assert total(micro_batch=2) > total(micro_batch=1)


def test_state_of_mixed_precision_adam() -> None:
    """18 bytes a parameter: weights 2, gradients 4, master copy 4, moments 8."""
    for name in ("llama-2-7b", "llama-3.1-8b", "qwen3-32b"):
        record = model(name)
        assert training_state_bytes(record) == 18 * record.parameters.total


def test_adapters_from_rank_and_targets() -> None:
    """r x (in + out) of every targeted matrix: Llama 2 7B, rank 8, attention: 8 x 32 x 4 x (4096 + 4096)."""
    record = model("llama-2-7b")
    assert adapter_parameters(record, 8, "attention") == 8 * 32 * 4 * 8192
    everything = 8 * 32 * (4 * 8192 + 3 * (4096 + 11_008))
    assert adapter_parameters(record, 8) == everything
    assert adapter_parameters(record, 16) == 2 * everything


def test_a_job_that_does_not_fit_says_what_is_missing() -> None:
    found = train("llama-3.1-70b", "bf16", "4090", 8, TrainSettings(task="full"))
    assert found.fit == "no"
    assert found.reason is not None
    assert found.reason.code == "memory.training_too_large"
    assert all(gpu.short_bytes > 0 for gpu in found.per_gpu)


def test_parts_add_up_to_the_card() -> None:
    for task, form in (("full", "bf16"), ("lora", "bf16"), ("qlora", "nf4")):
        options: dict[str, Any] = {"task": task}
        for gpu in train("llama-3.1-8b", form, "h100 sxm", 8, TrainSettings(**options)).per_gpu:
            parts = (gpu.weights_bytes, gpu.kv_cache_bytes, gpu.activation_bytes, gpu.overhead_bytes, gpu.free_bytes)
            assert sum(parts) == gpu.memory_bytes
            assert min(parts) >= 0
