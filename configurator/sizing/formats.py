"""Effective bits per weight of every component of a model in one weight format.

A format quantises some components and leaves the rest at 16 bits (what each publisher leaves alone:
resources/catalogue, quantisation facts). GGUF recipes mix tensor types, see gguf.py.
"""

from __future__ import annotations

import re
from typing import Final

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.sizing.gguf import gguf_bits, is_gguf_recipe
from configurator.sizing.shape import COMPONENTS, shape_of

ALL_PARTS: Final = (*COMPONENTS, "token_embedding", "lm_head", "vision", "mtp")

PART_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "attention": ("attention",),
    "attention_projections": ("attention",),
    "dense_mlp": ("dense_mlp",),
    "mlp": ("dense_mlp", "routed_experts", "shared_experts"),
    "routed_experts": ("routed_experts",),
    "experts": ("routed_experts",),
    "shared_experts": ("shared_experts",),
    "linear_attention": ("linear_or_ssm",),
    "linear_or_ssm": ("linear_or_ssm",),
    "ssm": ("linear_or_ssm",),
    "sparse_indexer": ("indexer",),
    "indexer": ("indexer",),
    "compressor": ("compressor",),
    "mtp_matrices": ("mtp",),
    "mtp": ("mtp",),
    "latent_projections": ("latent_projections",),
    "token_embedding": ("token_embedding",),
    "embedding": ("token_embedding",),
    "lm_head": ("lm_head",),
    "head": ("lm_head",),
    "vision": ("vision",),
    "all_linear": (
        "attention",
        "dense_mlp",
        "routed_experts",
        "shared_experts",
        "linear_or_ssm",
        "indexer",
        "compressor",
        "latent_projections",
    ),
    "other_matrices": (
        "attention",
        "dense_mlp",
        "shared_experts",
        "linear_or_ssm",
        "indexer",
        "compressor",
        "latent_projections",
        "mtp",
    ),
}

SUFFIX_BITS: Final = {"fp4": 4.25, "mxfp4": 4.25, "nvfp4": 4.5, "fp8": 8.002, "int8": 8.0, "int4": 4.125}
"""Width named after a part ("other matrices FP8") where one upload mixes widths."""

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
    if weight_format.family == "gguf" or is_gguf_recipe(weight_format.id):
        return gguf_bits(model, weight_format)
    if weight_format.whole_file:
        return dict.fromkeys(ALL_PARTS, weight_format.bits)
    if weight_format.family == "float" and not weight_format.quantised_parts:
        return dict.fromkeys(ALL_PARTS, weight_format.bits)
    bits = dict.fromkeys(ALL_PARTS, 16.0)
    for name in weight_format.quantised_parts:
        for part, share, width in _named_part(model, name, weight_format.bits):
            bits[part] = width * share + 16.0 * (1.0 - share)
    return bits


def _named_part(model: ModelRecord, name: str, width: float) -> list[tuple[str, float, float]]:
    """Components a part name stands for, the quantised share of each, and the width."""
    text = name.strip().lower()
    share = 1.0
    partial = re.search(r"^(.*?)\s+of\s+(\d+)\s+of\s+(\d+)\s+layers$", text)
    if partial:
        text = partial.group(1)
        share = int(partial.group(2)) / int(partial.group(3))
    suffix = text.rsplit(" ", 1)[-1]
    if suffix in SUFFIX_BITS:
        width = SUFFIX_BITS[suffix]
        text = text.rsplit(" ", 1)[0]
    key = re.sub(r"[\s\-]+", "_", text)
    if key == "attention_output_projection":
        layers = shape_of(model).layers
        whole = sum(layer.elements[0] for layer in layers)
        return [("attention", sum(layer.attention_output for layer in layers) / whole if whole else 0.0, width)]
    return [(part, share, width) for part in PART_NAMES.get(key, ())]
