"""GGUF recipes: which tensor type each tensor of a model gets, as llama.cpp's quantiser decides.

Source: llama.cpp src/llama-quant.cpp (tensor type rules) and gguf 0.19.0 block sizes.
"""

from __future__ import annotations

from typing import Final

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.sizing.shape import shape_of

BLOCK_BITS: Final[dict[str, float]] = {
    "F32": 32.0, "F16": 16.0, "BF16": 16.0,
    "Q4_0": 4.5, "Q4_1": 5.0, "Q5_0": 5.5, "Q5_1": 6.0, "Q8_0": 8.5, "Q8_1": 10.0,
    "Q2_K": 2.625, "Q3_K": 3.4375, "Q4_K": 4.5, "Q5_K": 5.5, "Q6_K": 6.5625, "Q8_K": 9.125,
    "IQ1_S": 1.5625, "IQ1_M": 1.75, "IQ2_XXS": 2.0625, "IQ2_XS": 2.3125, "IQ2_S": 2.5625,
    "IQ3_XXS": 3.0625, "IQ3_S": 3.4375, "IQ4_NL": 4.5, "IQ4_XS": 4.25,
    "TQ1_0": 1.6875, "TQ2_0": 2.0625, "MXFP4": 4.25, "NVFP4": 4.5, "Q1_0": 1.125,
}  # fmt: skip
"""Bits per weight of one tensor type (gguf 0.19.0)."""

BASE_TYPE: Final[dict[str, str]] = {
    "F32": "F32", "F16": "F16", "BF16": "BF16",
    "Q8_0": "Q8_0", "Q4_0": "Q4_0", "Q4_1": "Q4_1", "Q5_0": "Q5_0", "Q5_1": "Q5_1",
    "Q2_K": "Q2_K", "Q2_K_S": "Q2_K", "Q3_K_S": "Q3_K", "Q3_K_M": "Q3_K", "Q3_K_L": "Q3_K",
    "Q4_K_S": "Q4_K", "Q4_K_M": "Q4_K", "Q5_K_S": "Q5_K", "Q5_K_M": "Q5_K", "Q6_K": "Q6_K",
    "IQ1_S": "IQ1_S", "IQ1_M": "IQ1_M", "IQ2_XXS": "IQ2_XXS", "IQ2_XS": "IQ2_XS", "IQ2_S": "IQ2_XS",
    "IQ2_M": "IQ2_S", "IQ3_XXS": "IQ3_XXS", "IQ3_XS": "IQ3_S", "IQ3_S": "IQ3_S", "IQ3_M": "IQ3_S",
    "IQ4_NL": "IQ4_NL", "IQ4_XS": "IQ4_XS", "TQ1_0": "TQ1_0", "TQ2_0": "TQ2_0",
    "MXFP4": "MXFP4", "MXFP4_MOE": "MXFP4",
}  # fmt: skip

FALLBACK: Final[dict[str, str]] = {
    "Q2_K": "IQ4_NL", "Q3_K": "IQ4_NL", "IQ1_S": "IQ4_NL", "IQ1_M": "IQ4_NL", "IQ2_XXS": "IQ4_NL",
    "IQ2_XS": "IQ4_NL", "IQ2_S": "IQ4_NL", "IQ3_XXS": "IQ4_NL", "IQ3_S": "IQ4_NL", "IQ4_XS": "IQ4_NL",
    "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0",
}  # fmt: skip
"""Type used when a row is not a multiple of 256 values."""


WHOLE_ROW: Final = 256
"""Values of a row that every recipe holds in whole blocks."""


def is_gguf_recipe(name: str) -> bool:
    """Whether a format id names a llama.cpp recipe."""
    return _recipe(name) in BASE_TYPE and _recipe(name) not in ("F16", "BF16", "F32", "MXFP4")


def _recipe(name: str) -> str:
    return name.upper().removeprefix("GGUF").strip("-_ ").replace("-", "_")


def gguf_bits(model: ModelRecord, weight_format: WeightFormat) -> dict[str, float]:
    """Average bits per element of each component when llama.cpp quantises this model with one recipe.

    An unknown recipe falls back to the format's whole-file average.
    """
    recipe = _recipe(weight_format.id)
    if recipe not in BASE_TYPE:
        recipe = _recipe(weight_format.name)
    if recipe not in BASE_TYPE:
        bits = dict.fromkeys(
            ("attention", "linear_or_ssm", "indexer", "compressor", "dense_mlp", "routed_experts", "shared_experts",
             "latent_projections", "token_embedding", "lm_head", "mtp"),
            weight_format.bits,
        )  # fmt: skip
        return {**bits, "router": 32.0, "small": 32.0, "vision": 16.0}
    moe = model.moe
    rows = model.hidden_size
    ffn_rows = model.intermediate_size
    if not model.hf_id:
        # A record of no published model: its width is an estimate, no reason to keep a matrix in 16 bits.
        ffn_rows = max(WHOLE_ROW, round(ffn_rows / WHOLE_ROW) * WHOLE_ROW)
    expert_rows = moe.intermediate_size if moe is not None else ffn_rows
    shared_rows = moe.shared_intermediate_size if moe is not None else ffn_rows
    latent = rows
    if moe is not None and moe.layers and model.parameters.latent_projections:
        latent = round(model.parameters.latent_projections / moe.layers / 2 / rows)
    head = _width(_output_type(recipe), rows)
    table = _width(_embedding_type(recipe), rows)
    bits = {
        "token_embedding": head if model.tied_embeddings else table,
        "lm_head": head,
        "attention": _attention(model, recipe),
        "linear_or_ssm": _width(BASE_TYPE[recipe], rows),
        "indexer": _width(BASE_TYPE[recipe], rows),
        "compressor": _width(BASE_TYPE[recipe], rows),
        "dense_mlp": _feed_forward(model, recipe, rows, ffn_rows),
        "routed_experts": _feed_forward(model, recipe, latent, expert_rows),
        "shared_experts": _feed_forward(model, recipe, rows, shared_rows or expert_rows),
        "latent_projections": _width(BASE_TYPE[recipe], rows),
        "router": 32.0,
        "small": 32.0,
        "vision": 16.0,
        "mtp": _width(BASE_TYPE[recipe], rows),
    }
    if recipe in ("MXFP4", "MXFP4_MOE"):
        bits.update({name: _width("Q8_0", rows) for name in bits if name not in ("router", "small", "vision")})
        bits["routed_experts"] = BLOCK_BITS["MXFP4"]
    return bits


def _width(kind: str, row: int) -> float:
    """Bits of a tensor type, after the fall-back for rows that do not hold whole blocks of 256."""
    if row and row % 256 and kind in FALLBACK:
        kind = FALLBACK[kind]
    if row and row % 32 and BLOCK_BITS[kind] < 16:
        kind = "F16"
    return BLOCK_BITS[kind]


def _output_type(recipe: str) -> str:
    base = BASE_TYPE[recipe]
    if base in ("F32", "F16", "BF16", "Q8_0"):
        return base
    if recipe in ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M", "IQ3_XXS"):
        return "Q5_K"
    return "Q6_K"


def _embedding_type(recipe: str) -> str:
    if recipe in ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS"):
        return "Q2_K"
    if recipe in ("IQ2_S", "IQ2_M", "IQ3_XXS"):
        return "IQ3_S"
    return BASE_TYPE[recipe]


def _more_bits(index: int, count: int) -> bool:
    return index < count // 8 or index >= 7 * count // 8 or (index - count // 8) % 3 == 2


def _value_type(model: ModelRecord, recipe: str, index: int, count: int) -> str:
    """Type of attn_v."""
    base = BASE_TYPE[recipe]
    kv_heads = max(1, model.kv_heads)
    shared = model.attention_heads // kv_heads >= 4
    experts = model.moe.routed_experts if model.moe is not None else 0
    kind = base
    if recipe in ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ2_M"):
        if shared or experts >= 4:
            return "Q4_K"
        return "IQ3_S" if recipe in ("IQ2_S", "IQ2_M") else "Q2_K"
    if recipe == "Q2_K":
        kind = "Q4_K" if shared else "Q3_K"
    elif (recipe in ("Q2_K_S", "IQ3_XXS", "IQ3_XS", "IQ3_S") and shared) or recipe == "IQ3_M":
        kind = "Q4_K"
    elif recipe == "Q3_K_M":
        kind = "Q5_K" if index < 2 else "Q4_K"
    elif recipe == "Q3_K_L" or (recipe in ("IQ4_NL", "IQ4_XS") and shared) or (recipe == "Q4_K_S" and index < 4):
        kind = "Q5_K"
    elif recipe in ("Q4_K_M", "Q5_K_M") and _more_bits(index, count):
        kind = "Q6_K"
    if model.layers == 80 and kind in ("Q3_K", "Q4_K"):
        kind = "Q5_K"
    if experts == 8:
        kind = "Q8_0"
    return kind


def _down_type(recipe: str, index: int, count: int) -> str:
    """Type of ffn_down."""
    base = BASE_TYPE[recipe]
    early = index < count // 8
    if recipe in ("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS"):
        return "Q2_K" if early else base
    if recipe in ("IQ2_S", "IQ2_M"):
        return "IQ3_S" if early else base
    if recipe == "Q2_K":
        return "Q3_K"
    if recipe in ("Q2_K_S", "IQ3_M"):
        return "Q4_K" if early else base
    if recipe == "Q3_K_M":
        return "Q5_K" if index < count // 16 else "Q4_K"
    if recipe == "Q3_K_L":
        return "Q5_K"
    if recipe in ("Q4_K_M", "Q5_K_M"):
        return "Q6_K" if _more_bits(index, count) else base
    if recipe == "Q4_K_S":
        return "Q5_K" if early else base
    return base


def _gate_up_type(recipe: str, index: int, count: int) -> str:
    if recipe == "IQ3_XS" and count // 8 <= index < 7 * count // 8:
        return "IQ3_XXS"
    return BASE_TYPE[recipe]


def _attention_output_type(model: ModelRecord, recipe: str) -> str:
    base = BASE_TYPE[recipe]
    if model.moe is not None and model.moe.routed_experts == 8:
        if base in ("Q2_K", "Q3_K", "Q4_K", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS", "IQ2_XXS", "IQ2_XS", "IQ2_S"):
            return "Q5_K"
        return base
    if recipe in ("IQ1_S", "IQ1_M"):
        return "IQ2_XXS"
    if recipe in ("IQ2_S", "IQ2_M", "IQ3_XXS"):
        return "IQ3_S"
    return {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K", "IQ3_M": "Q4_K"}.get(recipe, base)


def _attention(model: ModelRecord, recipe: str) -> float:
    """Average bits over the attention matrices."""
    layers = shape_of(model).layers
    count = len(layers)
    total = stored = 0.0
    for index, layer in enumerate(layers):
        elements = layer.elements[0]
        if not elements:
            continue
        value = layer.attention_kv / 2
        out = layer.attention_output
        rest = elements - value - out
        row = model.hidden_size
        stored += value * _width(_value_type(model, recipe, index, count), row)
        stored += out * _width(_attention_output_type(model, recipe), max(row, 1))
        stored += rest * _width(BASE_TYPE[recipe], row)
        total += elements
    return stored / total if total else _width(BASE_TYPE[recipe], model.hidden_size)


def _feed_forward(model: ModelRecord, recipe: str, row_in: int, row_down: int) -> float:
    """Average bits over gate, up and down matrices (two or three per block)."""
    matrices = model.moe.matrices_per_expert if model.moe is not None else 3
    count = model.layers
    total = 0.0
    for index in range(count):
        total += (matrices - 1) * _width(_gate_up_type(recipe, index, count), row_in)
        total += _width(_down_type(recipe, index, count), row_down or row_in)
    return total / count / matrices
