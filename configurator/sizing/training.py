"""Does a training job fit: weights, gradients, optimiser, activations, by sharding, checkpointing and offload.

Sources: DeepSpeed memory estimators (ZeRO stages), Megatron-LM activation formulas, PyTorch FSDP; checked against
torchtitan, torchtune, fsdp_qlora and litgpt memory tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Policy
from configurator.sizing.devices import DeviceMemory
from configurator.sizing.results import Fit, GpuMemory, LayoutMemory
from configurator.sizing.settings import InstanceLike, LayoutLike
from configurator.sizing.shape import LATENT, shape_of, stage_layers
from configurator.sizing.weights import rank_weights, weight_bytes
from configurator.terms import Estimate, Message, message

TrainTask = Literal["lora", "qlora", "full", "pretrain"]
Optimizer = Literal["adamw", "adamw_8bit", "sgd"]
Sharding = Literal["none", "zero1", "zero2", "zero3", "fsdp"]
"""zero3 (DeepSpeed) and fsdp (PyTorch) split everything; DeepSpeed keeps more gathered parameters alive."""
WHOLE: Final = frozenset({"zero3", "fsdp"})
"""Ways that split the weights themselves."""

Checkpointing = Literal["none", "selective", "full"]

WEIGHT_BYTES: Final = 2.0
"""BF16 copy a step works with."""

GRADIENT_BYTES: Final = {"mixed": 4.0, "bf16": 2.0}
"""Gradients: kept in FP32 for summing over many cards in mixed precision."""

OPTIMIZER_BYTES: Final = {
    ("mixed", "adamw"): 12.0,
    ("mixed", "adamw_8bit"): 6.0,
    ("mixed", "sgd"): 8.0,
    ("bf16", "adamw"): 4.0,
    ("bf16", "adamw_8bit"): 2.0,
    ("bf16", "sgd"): 2.0,
}
"""FP32 master copy and moments per parameter; pure BF16 keeps BF16 moments and no master copy."""

ADAPTER_BYTES: Final = 16.0
"""Adapter weight, gradient and Adam state per adapter parameter."""

SELECTIVE_SHARE: Final = 0.52
"""Of all activations, what selective recomputation keeps (torchtitan: every other matrix product)."""

ALLOCATOR_SHARE: Final = 0.02
"""Of a card, what fragmentation costs in training."""

BUCKET_BYTES: Final = 5e8 * 2
"""Communication bucket of sharded training: DeepSpeed's default of 500 million BF16 elements."""

LIVE_PARAMETERS: Final = 1e9
"""DeepSpeed ZeRO-3 keeps up to this many gathered parameters (stage3_max_live_parameters)."""

ADAPTER_LIVE: Final = 1.75
"""Activations of the layer being computed, with adapters beside every matrix (fsdp_qlora tables)."""

LOGIT_BYTES: Final = 10.0
"""Per token and vocabulary entry: BF16 logits, FP32 copy, FP32 gradient."""

CHUNKED_LOGITS: Final = 8
"""A chunked loss holds one part in this many of the logits."""


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """How a training job is run. ``sequence_tokens`` x ``micro_batch`` is one step of one copy."""

    task: TrainTask = "full"
    sequence_tokens: int = 4096
    micro_batch: int = 1
    precision: Literal["mixed", "bf16"] = "mixed"
    optimizer: Optimizer = "adamw"
    sharding: Sharding = "fsdp"
    checkpointing: Checkpointing = "full"
    offload: bool = False
    """Parameters, gradients and optimiser in host memory."""
    lora_rank: int = 16
    lora_targets: Literal["attention", "all_linear"] = "all_linear"
    chunked_loss: bool = False
    context_parallel: int = 1


@dataclass(frozen=True, slots=True)
class TrainingBytes:
    """Bytes on one GPU, and what the host must hold."""

    weights: float
    """Base weights as stored on this GPU, working copies of gathered layers included."""
    states: float
    """Gradients, master copy, moments, adapters."""
    activations: float
    host: float = 0.0

    @property
    def total(self) -> float:
        """All of it on the GPU."""
        return self.weights + self.states + self.activations


def adapter_parameters(model: ModelRecord, rank: int, targets: str = "all_linear") -> int:
    """Parameters of a LoRA adapter: rank x (in + out) of each targeted matrix. Routed experts carry none."""
    hidden = model.hidden_size
    total = 0.0
    for layer in shape_of(model).layers:
        if layer.group is not None:
            group = model.attention[layer.group]
            if group.kind in LATENT or not group.head_dim:
                total += rank * (layer.elements[0] + layer.elements[1]) / max(hidden, 1) * 2
            else:
                query = group.q_heads * group.head_dim
                pair = group.kv_heads * group.head_dim
                total += rank * ((hidden + query) * 2 + (hidden + pair) * 2)
        if targets == "all_linear" and layer.elements[4]:
            total += rank * 3 * (hidden + model.intermediate_size)
        if targets == "all_linear" and layer.elements[7] and model.moe is not None:
            total += rank * 3 * (hidden + model.moe.shared_intermediate_size)
    return round(total)


def state_bytes_per_parameter(precision: str = "mixed", optimizer: str = "adamw") -> float:
    """Weights, gradients and optimiser of one trained parameter: 18 in mixed precision with Adam."""
    return WEIGHT_BYTES + GRADIENT_BYTES[precision] + OPTIMIZER_BYTES[(precision, optimizer)]


def training_state_bytes(model: ModelRecord, precision: str = "mixed", optimizer: str = "adamw") -> float:
    """State of a whole full fine-tune or pre-training, activations left out (R28, R29)."""
    return model.parameters.text_without_mtp * state_bytes_per_parameter(precision, optimizer)


def activation_bytes(model: ModelRecord, settings: TrainSettings, layers: int, tensor_parallel: int = 1) -> float:
    """Activations kept for one micro-batch on one GPU that holds ``layers`` layers, flash attention assumed."""
    tokens = settings.sequence_tokens * settings.micro_batch / max(1, settings.context_parallel)
    hidden = model.hidden_size
    keys = max((group.kv_heads * group.head_dim for group in model.attention), default=0)
    wide = float(model.intermediate_size)
    moe = model.moe
    if moe is not None and moe.layers:
        used = moe.intermediate_size * moe.experts_per_token + moe.shared_intermediate_size
        wide = max(wide, float(used)) if moe.layers < model.layers else float(used)
    whole = 2.0 * (6 * hidden + 2 * keys + 4 * wide)
    per_layer = whole / tensor_parallel
    kept = {"none": per_layer, "selective": SELECTIVE_SHARE * per_layer, "full": 2.0 * hidden / tensor_parallel}
    stored = layers * kept[settings.checkpointing]
    live = per_layer if settings.checkpointing == "full" else 0.0
    if settings.task in ("lora", "qlora"):
        live *= ADAPTER_LIVE
    return tokens * (stored + live)


def logit_bytes(model: ModelRecord, settings: TrainSettings, tensor_parallel: int = 1) -> float:
    """Logits of one micro-batch with loss and gradient, on the GPU with the head."""
    tokens = settings.sequence_tokens * settings.micro_batch / max(1, settings.context_parallel)
    size = tokens * model.vocabulary * LOGIT_BYTES / tensor_parallel
    return size / CHUNKED_LOGITS if settings.chunked_loss else size


def training_bytes(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: TrainSettings,
    data_parallel: int,
    tensor_parallel: int = 1,
    layers_per_stage: tuple[int, ...] | None = None,
    expert_parallel: int = 1,
) -> tuple[TrainingBytes, ...]:
    """Bytes on one GPU of each pipeline stage."""
    split = layers_per_stage or stage_layers(model.layers, 1)
    base = rank_weights(model, weight_format, tensor_parallel, split, expert_parallel)
    whole = max(1, weight_bytes(model, weight_format))
    trained = model.parameters.text_without_mtp
    stages = []
    for number, (count, held) in enumerate(zip(split, base, strict=True)):
        part = held / whole
        if settings.task in ("full", "pretrain"):
            stage = _full(settings, trained * part, data_parallel)
        else:
            stage = _adapter(model, settings, held, part, data_parallel)
        gathered = _gathered(model, weight_format, settings, data_parallel, tensor_parallel, held, count)
        work = activation_bytes(model, settings, count, tensor_parallel)
        # A one-forward-one-backward schedule keeps as many micro-batches as stages follow.
        work *= max(1, len(split) - number)
        if number == len(split) - 1:
            work += logit_bytes(model, settings, tensor_parallel)
        stages.append(TrainingBytes(stage.weights + gathered, stage.states, work, stage.host))
    return tuple(stages)


def _full(settings: TrainSettings, parameters: float, data_parallel: int) -> TrainingBytes:
    gradient = GRADIENT_BYTES[settings.precision] * parameters
    optimizer = OPTIMIZER_BYTES[(settings.precision, settings.optimizer)] * parameters
    weights = WEIGHT_BYTES * parameters
    shards = max(1, data_parallel)
    host = 0.0
    whole = settings.sharding in WHOLE
    if settings.sharding != "none":
        optimizer /= shards
    if whole or settings.sharding == "zero2":
        gradient /= shards
    if whole:
        weights /= shards
    if settings.offload:
        host = optimizer + gradient + (weights if whole else 0.0)
        optimizer = 0.0
        gradient = 0.0
        weights = 0.0 if whole else weights
    return TrainingBytes(weights, gradient + optimizer, 0.0, host)


def _adapter(
    model: ModelRecord, settings: TrainSettings, held: float, part: float, data_parallel: int
) -> TrainingBytes:
    adapters = adapter_parameters(model, settings.lora_rank, settings.lora_targets) * part * ADAPTER_BYTES
    shards = max(1, data_parallel) if settings.sharding in WHOLE else 1
    base = held / shards
    host = 0.0
    if settings.offload:
        host, base = base, 0.0
    return TrainingBytes(base, adapters / shards, 0.0, host)


def _gathered(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: TrainSettings,
    data_parallel: int,
    tensor_parallel: int,
    held: float,
    layers: int,
) -> float:
    """Whole layers alive in a step: two gathered when weights are sharded, one dequantised when they are packed."""
    parts = model.parameters
    inner = parts.text_without_mtp - parts.token_embedding - parts.lm_head
    layer = inner / model.layers * WEIGHT_BYTES / tensor_parallel
    packed = weight_format.bits < 16
    extra = 0.0
    if settings.sharding in WHOLE and (data_parallel > 1 or settings.offload):
        extra += 2 * (held / max(1, layers) if packed else layer)
        extra += max(parts.token_embedding, parts.lm_head) * WEIGHT_BYTES / tensor_parallel
    if settings.task in ("full", "pretrain") and settings.sharding != "none" and data_parallel > 1:
        extra += BUCKET_BYTES
        if settings.sharding == "zero3":
            extra += BUCKET_BYTES + WEIGHT_BYTES * min(LIVE_PARAMETERS, parts.text_without_mtp / tensor_parallel)
    if packed:
        extra += layer
    return extra


TRAINING_RESERVE_SHARE = 0.15
"""Free share of a card under which a training is called full: loading peaks, longer rows and fragments need it (R29:
234 GB of state on 256 GB is a no)."""


def size_training(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: TrainSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
    policy: Policy,
) -> LayoutMemory:
    """Memory answer for a training job: each instance is one data-parallel rank (its tensor and pipeline group).

    "starts" and "serves" are one answer here: the step runs or not; "serves_with_reserve" keeps below the policy's
    stop and leaves what loading and longer rows take.
    ``max_context_tokens`` is the longest sequence that runs. Formats without a gradient path never fit (R21).
    """
    nothing = Estimate.exact(0)
    if not instances:
        return LayoutMemory("no", (), nothing, nothing, nothing, 0, 0.0, 0.0, message("memory.no_gpus"))
    allowed = weight_format.trainable if settings.task in ("full", "pretrain") else weight_format.adapter_base
    ledgers: list[GpuMemory] = []
    sizes: dict[tuple[int, tuple[int, ...]], tuple[TrainingBytes, ...]] = {}
    for instance in instances:
        width = max(len(stage) for stage in instance.stages)
        split = instance.layers_per_stage or stage_layers(model.layers, len(instance.stages))
        key = (width, split)
        if key not in sizes:
            sizes[key] = training_bytes(
                model, weight_format, settings, len(instances), width, split, layout.expert_parallel
            )
        for stage, size in zip(instance.stages, sizes[key], strict=True):
            ledgers.extend(_ledger(devices[gpu], gpu, size) for gpu in stage)
    occupied = max(1 - (gpu.free_bytes - gpu.short_bytes) / max(1, gpu.memory_bytes) for gpu in ledgers)
    share = max(gpu.weights_bytes / max(1, gpu.memory_bytes) for gpu in ledgers)
    reason: Message | None = None
    fit: Fit = "no"
    short = max(ledgers, key=lambda gpu: gpu.short_bytes)
    if not allowed:
        reason = message("memory.not_trainable", format=weight_format.id)
    elif short.short_bytes:
        reason = message("memory.training_too_large", gpu_id=short.gpu_id, short_bytes=short.short_bytes)
    else:
        room = occupied < min(policy.occupied_stop, 1 - TRAINING_RESERVE_SHARE)
        fit = "serves_with_reserve" if room else "serves"
    longest = _longest(model, weight_format, settings, layout, instances, devices) if fit != "no" else 0
    return LayoutMemory(fit, tuple(ledgers), nothing, nothing, nothing, longest, share, max(0.0, 1 - occupied), reason)


def _ledger(device: DeviceMemory, gpu_id: str, size: TrainingBytes) -> GpuMemory:
    memory = device.memory_bytes
    fixed = device.memory_bytes - device.free_bytes + ALLOCATOR_SHARE * device.free_bytes
    weights = min(int(size.weights + size.states), memory)
    activation = min(int(size.activations), memory - weights)
    overhead = min(int(fixed), memory - weights - activation)
    missing = int(size.total) - device.free_bytes
    return GpuMemory(
        gpu_id=gpu_id,
        gpu=device.gpu,
        memory_bytes=memory,
        weights_bytes=weights,
        kv_cache_bytes=0,
        activation_bytes=activation,
        overhead_bytes=overhead,
        free_bytes=memory - weights - activation - overhead,
        short_bytes=max(0, missing),
    )


def _longest(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: TrainSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
) -> int:
    """Longest sequence: what is free, over the bytes one more token of sequence takes."""
    instance = instances[0]
    width = max(len(stage) for stage in instance.stages)
    split = instance.layers_per_stage or stage_layers(model.layers, len(instance.stages))
    sizes = training_bytes(model, weight_format, settings, len(instances), width, split, layout.expert_parallel)
    best = model.max_context_tokens
    for each in instances:
        for stage, size in zip(each.stages, sizes, strict=True):
            per_token = size.activations / settings.sequence_tokens
            for gpu in stage:
                room = devices[gpu].free_bytes - size.weights - size.states
                best = min(best, int(room / per_token)) if per_token else best
    return max(0, best)
