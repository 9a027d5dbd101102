"""What one forward pass has to do on one GPU of a stage: bytes to read, operations, kernels to start.

Counted once per (model, weight format, split) and kept; a speed question then only multiplies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from configurator.catalogue.records import AttentionGroup, ModelRecord, WeightFormat
from configurator.sizing.formats import component_bits
from configurator.sizing.kv import element_bytes, layer_token_bytes
from configurator.sizing.shape import COMPONENTS, LATENT, NO_CACHE, RECURRENT, Layer, extra, shape_of
from configurator.sizing.weights import REPLICATED

KERNELS: Final = {
    "attention": 2,
    "linear_or_ssm": 2,
    "indexer": 2,
    "compressor": 1,
    "dense_mlp": 2,
    "router": 1,
    "shared_experts": 2,
    "latent_projections": 2,
}
"""Matrix kernels per layer and component once engines fuse QKV and gate-up; latent attention adds LATENT_EXTRA."""

LATENT_EXTRA: Final = 4
"""Latent attention: down and up projections are kernels of their own (two absorbed batched ones among them)."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """Dense matrices of one precision: weight bytes and multiply-adds x2 per token on one GPU."""

    bits: float
    kernels: int
    weight_bytes: float
    flops_per_token: float


@dataclass(frozen=True, slots=True)
class Experts:
    """Routed experts of the stage on one GPU."""

    bits: float
    layers: int
    routed: int
    per_token: int
    expert_bytes: float
    """One expert in one layer, the part one GPU of its group holds."""
    expert_flops: float
    """One token through one expert, the part one GPU computes."""
    expert_ranks: int
    """Groups that hold different experts; 1: every GPU holds a slice of every expert."""


@dataclass(frozen=True, slots=True)
class Attention:
    """Layers of one attention kind on one GPU."""

    kind: str
    layers: int
    token_bytes: float
    """Cache bytes of one token in one layer on one GPU at two bytes per element."""
    window_tokens: int | None
    heads: float
    head_dim: int
    read_flops: float
    """Operations per query token and cached token in one layer on one GPU (decode; latent: absorbed form)."""
    prefill_flops: float
    """The same while the prompt is read."""
    state_bytes: float
    """Recurrent state of one sequence in one layer on one GPU."""
    index_bytes: float
    """Index keys of one cached token in one layer (sparse attention)."""
    index_flops: float
    top_tokens: float
    """Sparse attention reads at most so many cached tokens."""


@dataclass(frozen=True, slots=True)
class StageWork:
    """All kernels of one pipeline stage on one GPU of its tensor group."""

    layers: int
    moe_layers: int
    hidden_bytes: float
    """Activation of one token, 16 bit."""
    element_bytes_per_token: float
    """Bytes that norms, rotary, activation functions and residuals move per token on one GPU."""
    matrices: tuple[Matrices, ...]
    head: Matrices | None
    experts: Experts | None
    attention: tuple[Attention, ...]
    small_kernels: int
    tensor: int
    attention_ranks: int


def _attention_work(model: ModelRecord, group: AttentionGroup, layers: int, ranks: int) -> Attention:
    heads = max(1.0, group.q_heads / ranks)
    recurrent = group.kind in RECURRENT
    latent = group.kind in LATENT
    if latent:
        rank = extra(group, "kv_lora_rank", 512)
        rope = extra(group, "qk_rope_head_dim", 64)
        nope = extra(group, "qk_nope_head_dim", 128)
        value = extra(group, "v_head_dim", 128)
        read = 2.0 * heads * (2 * rank + rope)
        prefill = 2.0 * heads * (nope + rope + value)
    else:
        read = prefill = 4.0 * heads * group.head_dim
    if recurrent or group.kind in NO_CACHE:
        read = 0.0
        prefill = 0.0 if recurrent else prefill
    width = model.recurrent_state_bytes_per_element or 2.0
    state = (group.recurrent_state_elements * width + group.conv_state_elements * 2.0) / ranks
    indexed = group.indexer_elements_per_token
    return Attention(
        kind=group.kind,
        layers=layers,
        token_bytes=layer_token_bytes(group, "bf16", ranks),
        window_tokens=group.window_tokens,
        heads=heads,
        head_dim=group.head_dim,
        read_flops=read,
        prefill_flops=prefill,
        state_bytes=state if recurrent else 0.0,
        index_bytes=indexed,
        index_flops=2.0 * extra(group, "indexer_heads", 32) * indexed if indexed else 0.0,
        top_tokens=extra(group, "indexer_topk", extra(group, "topk", 2048.0)) if indexed else 0.0,
    )


def _component_share(model: ModelRecord, layer: Layer, name: str, elements: float, tensor: int, ranks: int) -> float:
    """Elements of a component of one layer that one GPU holds (routed experts apart)."""
    if name == "attention":
        kv_heads = model.attention[layer.group].kv_heads if layer.group is not None else 1
        whole, pair = layer.attention_replicated, layer.attention_kv
        kv_share = max(1.0, kv_heads / ranks) / max(kv_heads, 1)
        return whole + pair * kv_share + (elements - whole - pair) / ranks
    if name in REPLICATED:
        return elements
    if name == "linear_or_ssm":
        return elements / ranks
    return elements / tensor


_kept: dict[tuple[int, int, int, int, int, int, int], tuple[ModelRecord, WeightFormat, StageWork]] = {}
_equal: dict[StageWork, StageWork] = {}
"""Equal stages are one object, so that a pipeline of equal stages is computed once."""


def stage_work(
    model: ModelRecord,
    weight_format: WeightFormat,
    tensor_parallel: int = 1,
    expert_parallel: int = 1,
    data_parallel_attention: int = 1,
    first_layer: int = 0,
    layers: int | None = None,
) -> StageWork:
    """Work of ``layers`` layers from ``first_layer`` on one GPU; the last layer brings the output head along.

    ``tensor_parallel`` is the width of the group, ``data_parallel_attention`` how many of its ranks hold whole
    attention, ``expert_parallel`` how many groups hold different experts.
    """
    count = model.layers - first_layer if layers is None else layers
    key = (
        id(model),
        id(weight_format),
        tensor_parallel,
        expert_parallel,
        data_parallel_attention,
        first_layer,
        count,
    )
    kept = _kept.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        return kept[2]
    if len(_kept) > 8192:
        _kept.clear()
        _equal.clear()
    made = _as_before(model, weight_format, key)
    if made is None:
        made = _count(
            model, weight_format, tensor_parallel, expert_parallel, data_parallel_attention, first_layer, count
        )
        made = _equal.setdefault(made, made)
    _kept[key] = (model, weight_format, made)
    return made


def _as_before(
    model: ModelRecord, weight_format: WeightFormat, key: tuple[int, int, int, int, int, int, int]
) -> StageWork | None:
    """The work of as many layers further forward that are equal to these one by one; None when there are none."""
    first, count = key[5], key[6]
    layers = shape_of(model).layers
    if not first or first + count >= model.layers or layers[first : first + count] != layers[:count]:
        return None
    kept = _kept.get((*key[:5], 0, count))
    return kept[2] if kept is not None and kept[0] is model and kept[1] is weight_format else None


def _count(
    model: ModelRecord,
    weight_format: WeightFormat,
    tensor: int,
    expert_parallel: int,
    data_attention: int,
    first: int,
    count: int,
) -> StageWork:
    bits = component_bits(model, weight_format)
    shape = shape_of(model)
    ranks = max(1, tensor // max(1, data_attention))
    chosen = shape.layers[first : first + count]
    by_bits: dict[float, list[float]] = {}
    groups: dict[int, int] = {}
    moe_layers = 0
    expert_elements = 0.0
    moved = 0.0
    for layer in chosen:
        if layer.group is not None:
            groups[layer.group] = groups.get(layer.group, 0) + 1
        active_width = 0.0
        for name, elements in zip(COMPONENTS, layer.elements, strict=True):
            if not elements or name == "small":
                continue
            if name == "routed_experts":
                moe_layers += 1
                expert_elements += elements
                continue
            held = _component_share(model, layer, name, elements, tensor, ranks)
            kernels = KERNELS[name]
            if name == "attention" and layer.group is not None and model.attention[layer.group].kind in LATENT:
                kernels += LATENT_EXTRA
            entry = by_bits.setdefault(bits[name], [0.0, 0.0, 0.0])
            entry[0] += kernels
            entry[1] += held * bits[name] / 8
            entry[2] += held * 2.0
            if name in ("dense_mlp", "shared_experts"):
                active_width += elements / model.hidden_size / 3 / tensor
        if layer.moe and model.moe is not None:
            active_width += model.moe.experts_per_token * model.moe.intermediate_size / max(tensor, 1)
        # Residual, two norms, rotary and cache write move about a dozen hidden widths, the activation about four.
        moved += 2.0 * (12.0 * model.hidden_size + 4.0 * active_width)
    experts = None
    if moe_layers and model.moe is not None:
        per_expert = expert_elements / moe_layers / model.moe.routed_experts
        spread = max(1, expert_parallel)
        slices = max(1, tensor // spread)
        experts = Experts(
            bits=bits["routed_experts"],
            layers=moe_layers,
            routed=model.moe.routed_experts,
            per_token=model.moe.experts_per_token,
            expert_bytes=per_expert * bits["routed_experts"] / 8 / slices,
            expert_flops=2.0 * per_expert / slices,
            expert_ranks=spread,
        )
    head = None
    if first + count >= model.layers:
        elements = (shape.token_embedding if shape.tied else shape.lm_head) / tensor
        width = bits["token_embedding"] if shape.tied else bits["lm_head"]
        head = Matrices(width, 1, elements * width / 8, elements * 2.0)
    return StageWork(
        layers=count,
        moe_layers=moe_layers,
        hidden_bytes=2.0 * model.hidden_size,
        element_bytes_per_token=moved,
        matrices=tuple(Matrices(b, int(v[0]), v[1], v[2]) for b, v in sorted(by_bits.items())),
        head=head,
        experts=experts,
        attention=tuple(_attention_work(model, model.attention[g], n, ranks) for g, n in sorted(groups.items())),
        small_kernels=count,
        tensor=tensor,
        attention_ranks=ranks,
    )


def cache_element_scale(kv_dtype: str) -> float:
    """Cache bytes relative to two bytes per element."""
    return element_bytes(kv_dtype) / 2.0
