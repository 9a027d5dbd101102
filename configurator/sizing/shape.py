"""A model seen layer by layer: which attention, which feed-forward, how many elements of each component.

Everything that splits a model over GPUs (stages, tensor ranks, expert ranks, KV pools) reads this view.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from configurator.catalogue.records import AttentionGroup, ModelRecord

RECURRENT: Final = frozenset({"linear_gated_delta_net", "linear_kimi_delta", "mamba1", "mamba2", "short_conv"})
"""Kinds whose state does not grow with the context."""

LATENT: Final = frozenset({"mla", "mla_sparse_dsa"})
"""Kinds that cache one latent vector per token, needed whole on every tensor rank."""

NO_CACHE: Final = frozenset({"encoder_bidirectional", "none"})

COMPONENTS: Final = (
    "attention",
    "linear_or_ssm",
    "indexer",
    "compressor",
    "dense_mlp",
    "router",
    "routed_experts",
    "shared_experts",
    "latent_projections",
    "small",
)
"""Components that live inside layers; embedding, head, vision and MTP stand apart."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its attention group (None: no attention) and elements by component in the order of COMPONENTS.

    ``attention_replicated`` elements are whole on every tensor rank (latent down-projections);
    ``attention_kv`` elements split only as far as there are KV heads.
    """

    group: int | None
    elements: tuple[float, ...]
    attention_replicated: float
    attention_kv: float
    attention_output: float
    moe: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """All layers of a model and what stands outside them."""

    layers: tuple[Layer, ...]
    token_embedding: float
    lm_head: float
    tied: bool
    vision: float
    mtp: float
    outer_small: float


_shapes: dict[int, tuple[ModelRecord, Shape]] = {}


def shape_of(model: ModelRecord) -> Shape:
    """The layer view of a model; computed once per record object."""
    kept = _shapes.get(id(model))
    if kept is not None and kept[0] is model:
        return kept[1]
    made = _build(model)
    if len(_shapes) > 4096:
        _shapes.clear()
    _shapes[id(model)] = (model, made)
    return made


def extra(group: AttentionGroup, name: str, default: float = 0.0) -> float:
    """One further field of the architecture, by name."""
    for key, value in group.extras:
        if key == name:
            return value
    return default


def attention_elements(model: ModelRecord, group: AttentionGroup) -> tuple[float, float, float, float]:
    """Projection matrices of one attention layer: (all, replicated over ranks, KV part, output projection)."""
    hidden = model.hidden_size
    if group.kind in LATENT:
        q_rank = extra(group, "q_lora_rank")
        kv_rank = extra(group, "kv_lora_rank", 512)
        rope = extra(group, "qk_rope_head_dim", 64)
        nope = extra(group, "qk_nope_head_dim", 128)
        value = extra(group, "v_head_dim", 128)
        heads = group.q_heads
        down = hidden * (kv_rank + rope) + hidden * q_rank
        query = (q_rank or hidden) * heads * (nope + rope)
        up = kv_rank * heads * (nope + value)
        out = heads * value * hidden
        return down + query + up + out, down, 0.0, out
    query = hidden * group.q_heads * group.head_dim
    pair = 2.0 * hidden * group.kv_heads * group.head_dim
    if extra(group, "k_eq_v"):
        pair /= 2
    out = float(group.q_heads * group.head_dim * hidden)
    return query + pair + out, 0.0, pair, out


def layer_groups(model: ModelRecord) -> tuple[int | None, ...]:
    """Attention group of every layer in order, None where a layer has no attention."""
    letters = _pattern_letters(model.layer_pattern)
    by_letter = _letters_of(model)
    found: list[int | None] = [by_letter.get(letter) for letter in letters]
    counts = [0] * len(model.attention)
    for index in found:
        if index is not None:
            counts[index] += 1
    if len(found) == model.layers and counts == [group.layers for group in model.attention]:
        return tuple(found)
    return _spread(model)


def moe_layers(model: ModelRecord) -> tuple[bool, ...]:
    """Which layers hold experts."""
    if model.moe is None or not model.moe.layers:
        return (False,) * model.layers
    moe = model.moe
    letters = _pattern_letters(model.layer_pattern)
    if len(letters) == model.layers and letters.count("E") == moe.layers and "M" in letters:
        return tuple(letter == "E" for letter in letters)
    rest = model.layers - moe.first_dense_layers
    if moe.layers >= rest:
        return (False,) * moe.first_dense_layers + (True,) * rest
    step = rest / moe.layers
    chosen = {moe.first_dense_layers + int((index + 1) * step) - 1 for index in range(moe.layers)}
    return tuple(index in chosen for index in range(model.layers))


def _letters_of(model: ModelRecord) -> dict[str, int]:
    """Pattern letter to attention group."""
    names = {
        "sliding": "S",
        "chunked_local": "C",
        "linear_gated_delta_net": "L",
        "linear_kimi_delta": "L",
        "short_conv": "L",
        "mamba1": "M",
        "mamba2": "M",
        "block_sparse": "B",
        "encoder_bidirectional": "E",
        "compressed_sparse_csa": "4",
        "heavily_compressed_hca": "128",
    }
    letters: dict[str, int] = {}
    for index, group in enumerate(model.attention):
        letter = names.get(group.kind, "F")
        letters.setdefault(letter, index)
        if letter == "F":
            letters.setdefault("*", index)
        if group.kind == "sliding":
            letters.setdefault("0", index)
    return letters


def _pattern_letters(pattern: str) -> list[str]:
    """Expand "(S5 F1)x10 Sx2", "Fx32", "MEM*E" or "compress ratio per layer: 0,4,128" into one letter per layer."""
    if ":" in pattern:
        return [part.strip() for part in pattern.split(":", 1)[1].split(",")]
    letters: list[str] = []
    for body, times, single, repeat, plain in re.findall(r"\(([^)]*)\)x(\d+)|([A-Z*\-])x(\d+)|([A-Z*\-]+)", pattern):
        if body:
            unit: list[str] = []
            for letter, count in re.findall(r"([A-Z*\-])(\d*)", body):
                unit.extend([letter] * (int(count) if count else 1))
            letters.extend(unit * int(times))
        elif single:
            letters.extend([single] * int(repeat))
        else:
            letters.extend(plain)
    return letters


def _spread(model: ModelRecord) -> tuple[int | None, ...]:
    """Groups spread evenly when the order is not known."""
    owed = [0.0] * len(model.attention)
    placed = [0] * len(model.attention)
    order: list[int | None] = []
    total = sum(group.layers for group in model.attention)
    for position in range(model.layers):
        if total < model.layers and (position + 1) * total // model.layers == sum(placed):
            order.append(None)
            continue
        for index, group in enumerate(model.attention):
            owed[index] = (sum(placed) + 1) * group.layers / max(total, 1) - placed[index]
        best = max(range(len(owed)), key=lambda index: (owed[index], -index)) if owed else None
        if best is not None:
            placed[best] += 1
        order.append(best)
    return tuple(order)


def _build(model: ModelRecord) -> Shape:
    parts = model.parameters
    groups = layer_groups(model)
    moe = moe_layers(model)
    raw = [attention_elements(model, group) for group in model.attention]
    attention_layers = [g for g in groups if g is not None and model.attention[g].kind not in RECURRENT]
    recurrent_layers = sum(1 for g in groups if g is not None and model.attention[g].kind in RECURRENT)
    raw_total = sum(raw[g][0] for g in attention_layers)
    scale = parts.attention / raw_total if raw_total else 0.0
    indexed = [g is not None and bool(model.attention[g].indexer_elements_per_token) for g in groups]
    compressed = [g is not None and extra(model.attention[g], "compress_ratio") > 1 for g in groups]
    dense = [not flag for flag in moe]
    if parts.dense_mlp and not any(dense):
        dense = [True] * model.layers
    if "E" in model.layer_pattern and "M" in model.layer_pattern:
        dense = [False] * model.layers
    outer_small = float(model.hidden_size)
    layers = []
    for index, group in enumerate(groups):
        recurrent = group is not None and model.attention[group].kind in RECURRENT
        whole = raw[group] if group is not None and not recurrent else (0.0, 0.0, 0.0, 0.0)
        elements = (
            whole[0] * scale,
            parts.linear_or_ssm / recurrent_layers if recurrent else 0.0,
            _share(parts.indexer, indexed, index),
            _share(parts.compressor, compressed, index),
            _share(parts.dense_mlp, dense, index),
            _share(parts.router, moe, index),
            _share(parts.routed_experts, moe, index),
            _share(parts.shared_experts, moe, index),
            _share(parts.latent_projections, moe, index),
            max(0.0, parts.small - outer_small) / model.layers,
        )
        held = elements[0]
        out = min(whole[3], held)
        pair = min(whole[2], held - out)
        layers.append(Layer(group, elements, min(whole[1], held), pair, out, moe[index]))
    return Shape(
        tuple(layers),
        parts.token_embedding,
        parts.lm_head,
        model.tied_embeddings,
        parts.vision,
        parts.mtp,
        min(outer_small, parts.small),
    )


def _share(total: float, flags: list[bool] | tuple[bool, ...], index: int) -> float:
    """Part of a component that one layer holds; spread over all layers when no layer is marked."""
    count = sum(flags)
    if not count:
        return total / len(flags)
    return total / count if flags[index] else 0.0


def stage_layers(layers: int, stages: int) -> tuple[int, ...]:
    """Layers per pipeline stage as vLLM splits them: the rest goes to the stages before the last, from the back."""
    if stages < 1 or stages > layers:
        raise ValueError(f"{layers} layers cannot be split over {stages} stages")
    split = [layers // stages] * stages
    for offset in range(layers % stages):
        split[-(2 + offset)] += 1
    return tuple(split)
