"""How a model may be cut: which tensor degrees divide it, how layers fall on unequal cards, which groups of quantised
weights stay whole. Sources: vLLM and SGLang parallel layers, model_executor checks of attention and KV heads."""

from __future__ import annotations

from collections.abc import Sequence

from configurator.catalogue.records import AttentionGroup, ModelRecord, WeightFormat
from configurator.sizing import rank_weights, stage_layers
from configurator.terms import Message, message

GROUP_OF_FORMAT = {"int4-g32": 32, "nvfp4": 16, "mxfp4": 0, "mxfp8": 32, "fp8-channel": 0, "fp8-tensor": 0, "int8": 0}
"""Neighbouring weights that share one scale, by format id, where the family does not say it; 0: whole rows,
or padded by the engine (MXFP4: gpt-oss with 2,880-wide experts runs on four and eight cards)."""
GROUP_OF_FAMILY = {"int4": 128, "int8": 128}
"""The usual group of GPTQ and AWQ. A down projection whose slice ends inside a group is refused at start
(vLLM: "input size is not aligned with the quantized weight shape")."""
BLOCK_OF_EXPERTS = {"fp8": 128, "fp4-experts-fp8": 32}
"""Block-wise formats of sparse models: an expert's slice must hold whole blocks (vLLM issues 17569, 54178: "output_size
of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128"). FP8 of dense models usually has
one scale per row and is not bound so."""

LATENT_KINDS = frozenset({"mla", "mla_sparse_dsa", "compressed_sparse_csa", "heavily_compressed_hca"})


def divisors(number: int) -> tuple[int, ...]:
    """Every divisor in rising order."""
    return tuple(each for each in range(1, number + 1) if number % each == 0)


def kv_heads_allow(kv_heads: int, tensor_parallel: int) -> bool:
    """KV heads are divided while there are enough, and copied whole beyond."""
    if kv_heads <= 0:
        return True
    if kv_heads >= tensor_parallel:
        return kv_heads % tensor_parallel == 0
    return tensor_parallel % kv_heads == 0


def _group_allows(group: AttentionGroup, tensor_parallel: int) -> bool:
    if group.q_heads and group.q_heads % tensor_parallel:
        return False
    if group.kv_shared_across_tp or group.kind in LATENT_KINDS:
        return True
    return kv_heads_allow(group.kv_heads, tensor_parallel)


_degrees: dict[int, tuple[ModelRecord, tuple[int, ...]]] = {}


def tensor_degrees(model: ModelRecord) -> tuple[int, ...]:
    """Tensor degrees that divide the query heads and agree with the KV heads of every layer kind."""
    kept = _degrees.get(id(model))
    if kept is None or kept[0] is not model:
        heads = max(1, model.attention_heads)
        degrees = tuple(n for n in divisors(heads) if all(_group_allows(group, n) for group in model.attention))
        kept = _degrees[id(model)] = (model, degrees)
    return kept[1]


def refuse_tensor(model: ModelRecord, tensor_parallel: int) -> Message | None:
    """Why this degree cannot be, in the words of the heads; None when it can."""
    if tensor_parallel in tensor_degrees(model):
        return None
    heads = model.attention_heads
    if heads % tensor_parallel:
        return message(
            "layout.heads", heads=heads, tensor_parallel=tensor_parallel, allowed_counts=tensor_degrees(model)
        )
    return message(
        "layout.kv_heads", heads=model.kv_heads, tensor_parallel=tensor_parallel, allowed_counts=tensor_degrees(model)
    )


def block_widths(model: ModelRecord, weight_format: WeightFormat) -> tuple[tuple[str, int, int], ...]:
    """(mlp or experts, width, block) of every matrix that a tensor split cuts through blocks of shared scales.

    A width that does not hold whole blocks itself is not of such a checkpoint (an estimate, or padded): left out.
    """
    family = weight_format.family
    group = GROUP_OF_FORMAT.get(weight_format.base_id, GROUP_OF_FAMILY.get(family, 0))
    experts = BLOCK_OF_EXPERTS.get(weight_format.base_id, group) or (
        BLOCK_OF_EXPERTS["fp8"] if family == "fp8" and weight_format.base_id not in GROUP_OF_FORMAT else 0
    )
    found = []
    if group and (model.moe is None or model.moe.first_dense_layers):
        found.append(("mlp", model.intermediate_size, group))
    if experts and model.moe is not None:
        found.append(("experts", model.moe.intermediate_size, experts))
    return tuple(each for each in found if each[1] and each[1] % each[2] == 0)


def cut_block(
    model: ModelRecord, weight_format: WeightFormat, tensor_parallel: int, expert_parallel: int = 1
) -> tuple[str, int, int] | None:
    """The (mlp or experts, width, block) that this degree cuts inside a block; None where all slices are whole."""
    for kind, width, block in block_widths(model, weight_format):
        if kind == "experts" and expert_parallel > 1:
            continue
        if width % tensor_parallel or (width // tensor_parallel) % block:
            return kind, width, block
    return None


_plain: dict[tuple[int, int], tuple[ModelRecord, WeightFormat, tuple[int, ...]]] = {}


def plain_degrees(model: ModelRecord, weight_format: WeightFormat) -> tuple[int, ...]:
    """Tensor degrees that divide the heads, agree with the KV heads and keep the blocks of scales whole."""
    key = (id(model), id(weight_format))
    kept = _plain.get(key)
    if kept is None or kept[0] is not model or kept[1] is not weight_format:
        degrees = tuple(each for each in tensor_degrees(model) if cut_block(model, weight_format, each) is None)
        kept = _plain[key] = (model, weight_format, degrees)
    return kept[2]


def quantised_split(
    model: ModelRecord, weight_format: WeightFormat, tensor_parallel: int, expert_parallel: int
) -> Message | None:
    """Why the engine refuses this degree: a tensor slice would end inside a block of quantised weights."""
    cut = cut_block(model, weight_format, tensor_parallel, expert_parallel) if tensor_parallel > 1 else None
    if cut is None:
        return None
    _, width, block = cut
    return message(
        "layout.quant_group", width=width, tensor_parallel=tensor_parallel, group=block, format=weight_format.id
    )


def replicated_kv(model: ModelRecord, tensor_parallel: int) -> Message | None:
    """A note when the tensor degree exceeds the KV heads: the cache does not shrink further."""
    if tensor_parallel <= 1:
        return None
    if any(group.kv_shared_across_tp for group in model.attention):
        return message("layout.kv_whole_on_each", tensor_parallel=tensor_parallel)
    heads = min((group.kv_heads for group in model.attention if group.kv_heads), default=0)
    if heads and tensor_parallel > heads:
        return message("layout.kv_copied", kv_heads=heads, tensor_parallel=tensor_parallel)
    return None


def expert_degrees(model: ModelRecord, tensor_parallel: int) -> tuple[int, ...]:
    """Expert degrees over the tensor group worth trying: none, or whole experts on each rank when they divide."""
    if model.moe is None or tensor_parallel == 1 or model.moe.routed_experts % tensor_parallel:
        return (1,)
    return (1, tensor_parallel)


def split_layers(
    model: ModelRecord,
    weight_format: WeightFormat,
    tensor_parallel: int,
    speeds: Sequence[float],
    room_bytes: Sequence[float],
    cache_bytes: float = 0.0,
    fixed_bytes: float = 0.0,
) -> tuple[int, ...]:
    """Layers per stage: as the engine splits them on equal cards, else by memory bandwidth inside the memory of each.

    ``speeds`` and ``room_bytes`` are per stage (of its weakest card). ``cache_bytes``: what the asked conversations
    take on a card for one layer; a stage gets no more layers than it holds with their cache, and where all together
    do not hold it, the cuts that leave most of it. ``fixed_bytes``: what every card keeps for the work itself. The sum
    is always the model's layers.
    """
    stages = len(speeds)
    equal = max(speeds) - min(speeds) < 1e-6 * max(speeds) and max(room_bytes) - min(room_bytes) < 1e-6 * max(
        room_bytes
    )
    if stages == 1 or equal:
        return tuple(stage_layers(model.layers, stages))
    counts = [0] * stages
    weights = rank_weights(model, weight_format, tensor_parallel)[0]
    layer = max(1.0, weights / max(1, model.layers))
    most = _most_layers(model, weight_format, tensor_parallel, room_bytes, cache_bytes, fixed_bytes)
    for _ in range(model.layers):
        open_stages = [n for n in range(stages) if counts[n] < most[n]]
        pool = open_stages or list(range(stages))
        if open_stages:
            # The stage that would still be done first takes the next layer.
            chosen = min(pool, key=lambda n: ((counts[n] + 1) / speeds[n], n))
        else:
            chosen = min(pool, key=lambda n: ((counts[n] + 1) * layer / max(1.0, room_bytes[n]), n))
        counts[chosen] += 1
    for n in range(stages):
        if counts[n] == 0:
            richest = max(range(stages), key=lambda each: counts[each])
            counts[richest] -= 1
            counts[n] += 1
    return tuple(counts)


PLAIN_SHARE = 0.88
"""So much of a card the weights may fill where nothing is known of the conversations."""
HALVINGS = 12
"""Steps of the search for the cache that the stages still hold."""


def _most_layers(
    model: ModelRecord,
    weight_format: WeightFormat,
    tensor_parallel: int,
    room_bytes: Sequence[float],
    cache_bytes: float,
    fixed_bytes: float,
) -> list[int]:
    """Layers that each stage holds: floor((room - fixed - ends) / (weights + cache of a layer)), the cache cut down
    to what all stages together hold."""
    layers, stages = model.layers, len(room_bytes)
    if not cache_bytes or layers < 3:
        plain = max(1.0, rank_weights(model, weight_format, tensor_parallel)[0] / max(1, layers))
        return [int(room * PLAIN_SHARE // plain) for room in room_bytes]
    first, middle, last = rank_weights(model, weight_format, tensor_parallel, (1, layers - 2, 1))
    layer = max(1.0, middle / (layers - 2))
    # The token table stands on the first stage, the output head on the last.
    ends = [0.0] * stages
    ends[0], ends[-1] = max(0.0, first - layer), max(0.0, last - layer)

    def held(share: float) -> list[int]:
        each = layer + share * cache_bytes
        return [max(0, int((room - fixed_bytes - end) // each)) for room, end in zip(room_bytes, ends, strict=True)]

    if sum(held(1.0)) >= layers:
        return held(1.0)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        half = (low + high) / 2
        low, high = (half, high) if sum(held(half)) >= layers else (low, half)
    return held(low)
