"""What weights take once an engine has loaded them: kernel padding and position tables on top of the stored bytes."""

from __future__ import annotations

import math

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.sizing.formats import component_bits
from configurator.sizing.profiles import GIB, memory_table
from configurator.sizing.weights import rank_weights

_cache: dict[tuple[object, ...], tuple[ModelRecord, WeightFormat, tuple[int, ...]]] = {}


def loaded_weights(
    model: ModelRecord,
    weight_format: WeightFormat,
    engine: str,
    tensor_parallel: int,
    layers_per_stage: tuple[int, ...],
    expert_parallel: int = 1,
    data_parallel_attention: int = 1,
    *,
    with_mtp: bool = False,
) -> tuple[int, ...]:
    """Bytes on the fullest GPU of each stage after loading; cached."""
    key = (
        id(model), id(weight_format), engine, tensor_parallel, layers_per_stage, expert_parallel,
        data_parallel_attention, with_mtp,
    )  # fmt: skip
    kept = _cache.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        return kept[2]
    stored = rank_weights(
        model,
        weight_format,
        tensor_parallel,
        layers_per_stage,
        expert_parallel,
        data_parallel_attention,
        with_mtp=with_mtp,
    )
    added = _rotary_bytes(model) if engine in ("vllm", "sglang", "tensorrt-llm") else 0
    added += int(memory_table()["loading"]["extra_gib"].get(engine, 0.0) * GIB)
    padding = 0.0
    if engine in ("vllm", "sglang", "tensorrt-llm"):
        padding = _padding_bytes(model, weight_format, tensor_parallel, expert_parallel)
    total_layers = sum(layers_per_stage)
    result = tuple(
        round(size + added + padding * count / total_layers)
        for size, count in zip(stored, layers_per_stage, strict=True)
    )
    if len(_cache) > 8192:
        _cache.clear()
    _cache[key] = (model, weight_format, result)
    return result


def _rotary_bytes(model: ModelRecord) -> int:
    """Table of sines and cosines: one 16-bit row of head size per position."""
    width = model.head_dim or 64
    if any(group.kind.startswith("mla") for group in model.attention):
        width = 64
    return 2 * width * min(model.max_context_tokens, 1_048_576)


def _padding_bytes(
    model: ModelRecord, weight_format: WeightFormat, tensor_parallel: int, expert_parallel: int
) -> float:
    """MXFP4 kernels pad the rows of experts to a multiple of 256."""
    moe = model.moe
    if moe is None or not weight_format.base_id.startswith("mxfp4"):
        return 0.0
    multiple: int = memory_table()["loading"]["mxfp4_row_multiple"]
    slices = 1 if expert_parallel > 1 else tensor_parallel
    rows = moe.intermediate_size / slices
    grown = math.ceil(rows / multiple) * multiple / rows
    stored: float = model.parameters.routed_experts * component_bits(model, weight_format)["routed_experts"] / 8
    return stored / max(tensor_parallel, expert_parallel) * (grown - 1.0)
