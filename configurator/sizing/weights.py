"""Weight bytes: of a checkpoint, of what an engine loads, and per GPU under tensor, pipeline and expert parallelism."""

from __future__ import annotations

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.sizing.formats import component_bits
from configurator.sizing.shape import COMPONENTS, shape_of, stage_layers

VOCABULARY_PAD = 64
"""Rows of embedding and head are padded to a multiple of this before they are split (vLLM, SGLang)."""

REPLICATED = frozenset({"indexer", "compressor", "router", "latent_projections", "small"})
"""Components every tensor rank holds whole."""


def inner_bits(model: ModelRecord, bits: dict[str, float]) -> float:
    """Stored bits of embedding, head and layers."""
    parts = model.parameters
    counts = (
        ("token_embedding", parts.token_embedding),
        ("lm_head", parts.lm_head),
        ("attention", parts.attention),
        ("linear_or_ssm", parts.linear_or_ssm),
        ("indexer", parts.indexer),
        ("compressor", parts.compressor),
        ("dense_mlp", parts.dense_mlp),
        ("router", parts.router),
        ("routed_experts", parts.routed_experts),
        ("shared_experts", parts.shared_experts),
        ("latent_projections", parts.latent_projections),
        ("small", parts.small),
    )
    return sum(bits[name] * count for name, count in counts)


_bytes_cache: dict[tuple[int, int, bool], tuple[ModelRecord, WeightFormat, int]] = {}


def checkpoint_bytes(model: ModelRecord, weight_format: WeightFormat, *, with_mtp: bool = True) -> int:
    """Bytes of the files: every stored tensor, matrices stored twice included (source: published totals)."""
    bits = component_bits(model, weight_format)
    parts = model.parameters
    total = inner_bits(model, bits)
    if weight_format.family != "gguf":
        total += parts.vision * bits["vision"]
        if with_mtp:
            total += parts.mtp * bits["mtp"] + parts.duplicates_on_disk * bits["token_embedding"]
    return round(total / 8)


def weight_bytes(model: ModelRecord, weight_format: WeightFormat, *, with_mtp: bool = False) -> int:
    """Bytes an engine loads for one whole copy on one GPU: no duplicates, no MTP layer unless asked.

    The vision encoder is loaded except from GGUF, where it is a file of its own.
    """
    key = (id(model), id(weight_format), with_mtp)
    kept = _bytes_cache.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        return kept[2]
    bits = component_bits(model, weight_format)
    parts = model.parameters
    total = inner_bits(model, bits)
    if weight_format.family != "gguf":
        total += parts.vision * bits["vision"]
    if with_mtp:
        total += parts.mtp * bits["mtp"]
    result = round(total / 8)
    if len(_bytes_cache) > 8192:
        _bytes_cache.clear()
    _bytes_cache[key] = (model, weight_format, result)
    return result


def rank_weights(
    model: ModelRecord,
    weight_format: WeightFormat,
    tensor_parallel: int = 1,
    layers_per_stage: tuple[int, ...] | None = None,
    expert_parallel: int = 1,
    data_parallel_attention: int = 1,
    *,
    with_mtp: bool = False,
) -> tuple[int, ...]:
    """Weight bytes on the fullest GPU of each pipeline stage.

    ``tensor_parallel`` is the width of the group that splits the feed-forward; attention splits over
    ``tensor_parallel / data_parallel_attention`` ranks. ``expert_parallel`` > 1 spreads whole experts over that
    many ranks instead of slicing each. Source: vLLM and SGLang parallel layers.
    """
    shape = shape_of(model)
    bits = component_bits(model, weight_format)
    split = layers_per_stage or stage_layers(model.layers, 1)
    if sum(split) != model.layers:
        raise ValueError(f"stages hold {sum(split)} layers, the model has {model.layers}")
    ranks = max(1, tensor_parallel)
    attention_ranks = max(1, ranks // max(1, data_parallel_attention))
    per_layer = _layer_rank_bytes(model, bits, ranks, attention_ranks, expert_parallel)
    vocabulary = _padded_share(model.vocabulary, ranks)
    gguf = weight_format.family == "gguf"
    stages: list[int] = []
    first = 0
    for number, count in enumerate(split):
        total = sum(per_layer[first : first + count])
        first += count
        last = number == len(split) - 1
        if number == 0:
            total += shape.token_embedding * bits["token_embedding"] / 8 * vocabulary
            if not gguf:
                total += shape.vision * bits["vision"] / 8 / (ranks if _vision_splits(model) else 1)
        if last:
            total += shape.outer_small * bits["small"] / 8
            total += shape.lm_head * bits["lm_head"] / 8 * vocabulary
            if shape.tied and number:
                total += shape.token_embedding * bits["token_embedding"] / 8 * vocabulary
            if with_mtp:
                total += shape.mtp * bits["mtp"] / 8 / (max(ranks, expert_parallel) if model.moe else ranks)
        stages.append(round(total))
    return tuple(stages)


_layer_cache: dict[tuple[int, int, int, int, int], tuple[ModelRecord, dict[str, float], tuple[float, ...]]] = {}


def _layer_rank_bytes(
    model: ModelRecord, bits: dict[str, float], ranks: int, attention_ranks: int, expert_parallel: int
) -> tuple[float, ...]:
    """Bytes of each layer on one rank."""
    key = (id(model), id(bits), ranks, attention_ranks, expert_parallel)
    kept = _layer_cache.get(key)
    if kept is not None and kept[0] is model and kept[1] is bits:
        return kept[2]
    experts = _expert_share(model, ranks, expert_parallel)
    made: list[float] = []
    for layer in shape_of(model).layers:
        total = 0.0
        for name, elements in zip(COMPONENTS, layer.elements, strict=True):
            if not elements:
                continue
            width = bits[name] / 8
            if name == "attention":
                whole = layer.attention_replicated
                pair = layer.attention_kv
                kv_heads = model.attention[layer.group].kv_heads if layer.group is not None else 1
                kv_share = max(1.0, kv_heads / attention_ranks) / max(kv_heads, 1)
                total += width * (whole + pair * kv_share + (elements - whole - pair) / attention_ranks)
            elif name in REPLICATED:
                total += width * elements
            elif name == "routed_experts":
                total += width * elements * experts
            elif name == "linear_or_ssm":
                total += width * elements / attention_ranks
            else:
                total += width * elements / ranks
        made.append(total)
    result = tuple(made)
    if len(_layer_cache) > 8192:
        _layer_cache.clear()
    _layer_cache[key] = (model, bits, result)
    return result


def _expert_share(model: ModelRecord, ranks: int, expert_parallel: int) -> float:
    """Share of the routed experts on one GPU."""
    if model.moe is None:
        return 1.0 / ranks
    if expert_parallel > 1:
        owned = -(-model.moe.routed_experts // expert_parallel)
        return owned / model.moe.routed_experts / max(1, ranks // expert_parallel)
    return 1.0 / ranks


def _padded_share(vocabulary: int, ranks: int) -> float:
    """Rows of a padded vocabulary on one rank, over the unpadded total."""
    multiple = VOCABULARY_PAD if VOCABULARY_PAD % ranks == 0 else VOCABULARY_PAD * ranks
    padded = -(-vocabulary // multiple) * multiple
    return padded / ranks / max(vocabulary, 1) if ranks > 1 else 1.0


def _vision_splits(model: ModelRecord) -> bool:
    """Whether the vision encoder is sliced over tensor ranks."""
    return model.family.startswith(("qwen", "llama-4", "internvl", "minicpm"))
