"""Effective bits per weight of every component of a model in one weight format.

A format quantises some components and leaves the rest at 16 bits (what each publisher leaves alone:
resources/catalogue, quantisation facts). GGUF recipes mix tensor types, see gguf.py.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from configurator.catalogue.records import Checkpoint, ModelRecord, WeightFormat
from configurator.sizing.gguf import gguf_bits, is_gguf_recipe
from configurator.sizing.shape import COMPONENTS, shape_of

ALL_PARTS: Final = (*COMPONENTS, "token_embedding", "lm_head", "vision", "mtp")

_MATRICES: Final = (
    "attention",
    "linear_or_ssm",
    "indexer",
    "compressor",
    "dense_mlp",
    "routed_experts",
    "shared_experts",
    "latent_projections",
)

PART_NAMES: Final[dict[str, tuple[str, ...]]] = {
    **{name: (name,) for name in ALL_PARTS},
    "other_matrices": (*(name for name in _MATRICES if name != "routed_experts"), "mtp"),
    "all_linear": _MATRICES,
}
"""Names a format or an upload uses for what it quantises."""

_cache: dict[tuple[int, int], tuple[ModelRecord, WeightFormat, dict[str, float]]] = {}


def component_bits(model: ModelRecord, weight_format: WeightFormat) -> dict[str, float]:
    """Bits per element of each component, scales included. The returned mapping must not be changed."""
    key = (id(model), id(weight_format))
    kept = _cache.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        return kept[2]
    bits = _component_bits(model, weight_format)
    if len(_cache) > 8192:
        _cache.clear()
    _cache[key] = (model, weight_format, bits)
    return bits


def _component_bits(model: ModelRecord, weight_format: WeightFormat) -> dict[str, float]:
    if weight_format.quantised_parts == ("stored",):
        return {**dict.fromkeys(ALL_PARTS, 16.0), **dict(weight_format.other_bits)}
    if weight_format.family == "gguf" or is_gguf_recipe(weight_format.id):
        return gguf_bits(model, weight_format)
    if weight_format.whole_file:
        return dict.fromkeys(ALL_PARTS, weight_format.bits)
    if weight_format.family == "float" and not weight_format.quantised_parts:
        return dict.fromkeys(ALL_PARTS, weight_format.bits)
    bits = dict.fromkeys(ALL_PARTS, 16.0)
    other = dict(weight_format.other_bits)
    # "other matrices" first: a part named after it keeps its own width.
    for name in sorted(weight_format.quantised_parts, key=lambda part: part != "other_matrices"):
        for part, share in _named_part(model, name):
            width = other.get(name, other.get(part, weight_format.bits))
            bits[part] = width * share + 16.0 * (1.0 - share)
    return bits


def _named_part(model: ModelRecord, name: str) -> list[tuple[str, float]]:
    """Components a part name stands for and the quantised share of each."""
    partial = re.fullmatch(r"(.+)_(\d+)_of_(\d+)_layers", name)
    if partial:
        return [(part, int(partial.group(2)) / int(partial.group(3))) for part in PART_NAMES[partial.group(1)]]
    if name == "attention_output":
        layers = shape_of(model).layers
        whole = sum(layer.elements[0] for layer in layers)
        return [("attention", sum(layer.attention_output for layer in layers) / whole if whole else 0.0)]
    return [(part, 1.0) for part in PART_NAMES[name]]


def upload_format(model: ModelRecord, weight_format: WeightFormat, checkpoint: Checkpoint | None) -> WeightFormat:
    """The format as one upload uses it: its own quantised parts, or its published size where they are unknown.

    Without an upload, the parts that the model's uploads in this format quantise.
    """
    if weight_format.model_id:
        return weight_format
    if checkpoint is None:
        checkpoint = next(
            (each for each in model.checkpoints if each.weight_format == weight_format.id and each.quantised_parts),
            None,
        )
    if checkpoint is None and not (weight_format.id == "awq-int4" and model.moe is not None):
        return weight_format
    key = (model.id, weight_format, checkpoint)
    if key not in _uploads:
        _uploads[key] = _upload_format(model, weight_format, checkpoint)
    return _uploads[key]


def _upload_format(model: ModelRecord, weight_format: WeightFormat, checkpoint: Checkpoint | None) -> WeightFormat:
    if checkpoint is None:
        # Community AWQ of experts: groups of 32, attention left alone. Two DGX Sparks with MiniMax-M2.7-AWQ hold
        # 62.7 GiB each, not the 56.3 of groups of 128 everywhere (spark-vllm-docker issue 396).
        return replace(weight_format, bits=4.5, quantised_parts=("dense_mlp", "routed_experts", "shared_experts"))
    if checkpoint.quantised_parts:
        if checkpoint.quantised_parts == weight_format.quantised_parts:
            return weight_format
        return replace(weight_format, quantised_parts=checkpoint.quantised_parts)
    if weight_format.family == "float" or not checkpoint.size_bytes:
        return weight_format
    elements = model.parameters.total - (model.parameters.mtp if leaves_out_mtp(weight_format, checkpoint) else 0)
    return replace(
        weight_format, bits=checkpoint.size_bytes * 8 / max(elements, 1), whole_file=True, quantised_parts=("all",)
    )


def upload_model(model: ModelRecord, checkpoint: Checkpoint | None) -> ModelRecord:
    """The model as one upload stores it: some keep every KV head more than once, and so does their cache."""
    if checkpoint is None or checkpoint.kv_cache_factor == 1.0:
        return model
    key = (model.id, checkpoint)
    kept = _models.get(key)
    if kept is None or kept[0] is not model:
        factor = checkpoint.kv_cache_factor
        groups = tuple(
            replace(
                group,
                kv_heads=round(group.kv_heads * factor),
                kv_elements_per_token=group.kv_elements_per_token * factor,
            )
            for group in model.attention
        )
        kept = (model, replace(model, kv_heads=round(model.kv_heads * factor), attention=groups))
        _models[key] = kept
    return kept[1]


def leaves_out_mtp(weight_format: WeightFormat, checkpoint: Checkpoint | None = None) -> bool:
    """Whether files of this kind come without the multi-token-prediction layer (MLX conversions, some uploads)."""
    if weight_format.id.startswith("mlx"):
        return True
    if checkpoint is None:
        return False
    return checkpoint.format.startswith("MLX") or "without MTP layer" in checkpoint.basis


_uploads: dict[tuple[str, WeightFormat, Checkpoint | None], WeightFormat] = {}

_models: dict[tuple[str, Checkpoint], tuple[ModelRecord, ModelRecord]] = {}
