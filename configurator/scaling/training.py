"""Training speed: seconds of one optimiser step from arithmetic, memory traffic, collectives, bubble and update.

Passes over the weights: forward 1, backward 2 (1 when the base is frozen), one more when activations are computed
again. Sharded data parallelism gathers the weights for forward and backward and scatters the gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Final, Literal, Protocol

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.plan.model import Workload
from configurator.scaling.calibration import speed_table
from configurator.scaling.collectives import comm, send_s
from configurator.scaling.rates import FULL_OVER_HALF, STUNTED_HALF, gpu_class, power_share
from configurator.scaling.results import Instance, Layout, TrainingSpeed
from configurator.scaling.serving import Topologies
from configurator.scaling.topology import Topology
from configurator.sizing.formats import component_bits
from configurator.sizing.shape import NO_CACHE, RECURRENT
from configurator.terms import Estimate, message

Task = Literal["lora", "qlora", "full", "pretrain"]

MONTH_S: Final = 730.0 * 3600.0
"""Hours of a mean month, the unit of GPU-months."""

DEFAULT_SEQUENCE_TOKENS: Final = 4096
PRETRAIN_BATCH_TOKENS: Final = 4_194_304
"""Tokens of one optimiser step in pre-training (4 M, as published for 70B-class models)."""
FINETUNE_BATCH_SEQUENCES: Final = 64
LORA_RANK: Final = 16
KEPT_SHARE: Final = 0.7
"""Most of a card that weights and gradients may take; activations and buffers need the rest."""


class GroupComm(Protocol):
    """Collectives among the cards that share the weights; bytes of the whole buffer."""

    def all_reduce_s(self, size_bytes: float) -> float: ...

    def all_gather_s(self, size_bytes: float) -> float: ...

    def reduce_scatter_s(self, size_bytes: float) -> float: ...


@dataclass(frozen=True, slots=True)
class TrainShape:
    """A model as training sees it, per token where not said otherwise."""

    active_matrix_elements: float
    """Elements multiplied per token in all layers, experts as far as active, output head apart."""
    head_elements: float
    held_elements: float
    """All elements that are kept, sharded and updated."""
    layers: int
    hidden: int
    attention_width: float
    """Query heads times head size, summed over the layers that attend to the whole sequence."""
    window_width: float
    """The same of layers with a window, times the window in tokens."""
    moved_widths: float
    """Widths of 16-bit activations one token moves per layer in a pass (norms, residuals, activation function)."""


def train_shape(model: ModelRecord) -> TrainShape:
    """The training view of a catalogue model."""
    parts = model.parameters
    active = float(parts.active_per_token - parts.token_embedding * (0 if model.tied_embeddings else 1))
    head = float(parts.token_embedding if model.tied_embeddings else parts.lm_head)
    whole = 0.0
    window = 0.0
    for group in model.attention:
        if group.kind in RECURRENT or group.kind in NO_CACHE:
            continue
        width = float(group.q_heads * group.head_dim * group.layers)
        if group.window_tokens is None:
            whole += width
        else:
            window += width * group.window_tokens
    moe = model.moe
    wide = model.intermediate_size if moe is None else moe.experts_per_token * moe.intermediate_size
    return TrainShape(
        active_matrix_elements=max(0.0, active - head),
        head_elements=head,
        held_elements=float(parts.text_without_mtp),
        layers=model.layers,
        hidden=model.hidden_size,
        attention_width=whole,
        window_width=window,
        moved_widths=14.0 * model.hidden_size + 4.0 * wide,
    )


@dataclass(frozen=True, slots=True)
class TrainPlan:
    """How a job runs on equal cards."""

    task: Task
    precision: str
    """bf16, fp8 or fp4: arithmetic of the matrix multiplications."""
    sequence_tokens: int
    micro_batch: int
    micro_steps: int
    """Micro-batches per optimiser step and data rank."""
    data_ranks: int
    tensor: int
    pipeline: int
    recompute: float
    """Share of the forward pass computed again: 0 none, 0.3 selective, 1 full."""
    zero_stage: int
    """3: weights sharded over the data ranks (FSDP); 1 or 2: optimiser state sharded; 0: plain DDP."""
    base_bytes: float
    """Bytes per element of the weights that are gathered (2, or 0.5 for a 4-bit base)."""
    offload: bool = False
    framework: str = "compiled"
    """plain, compiled or fused: how much of the elementwise work a framework merges."""
    lora_rank: int = LORA_RANK


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one optimiser step and its parts."""

    total_s: float
    compute_s: float
    link_s: float
    bubble_s: float
    update_s: float
    flops: float
    """Arithmetic a model needs for the step without recomputing, per card: 6 per element and token, attention added."""


def passes(plan: TrainPlan) -> float:
    """Passes over the matrices per token: forward, input gradients, weight gradients, recomputing."""
    return (3.0 if plan.task in ("full", "pretrain") else 2.0) + plan.recompute


def model_flops_per_token(shape: TrainShape, sequence_tokens: int, frozen: bool = False) -> float:
    """FLOPs a token needs, recomputing left out: 6 per element (4 with a frozen base) and causal attention."""
    factor = 4.0 if frozen else 6.0
    attention = 2.0 * (shape.attention_width * sequence_tokens + 2.0 * shape.window_width)
    return factor * (shape.active_matrix_elements + shape.head_elements) + factor / 2.0 * attention


def step_time(
    shape: TrainShape,
    plan: TrainPlan,
    gpu: GpuRecord,
    data_comm: GroupComm | None,
    tensor_comm: GroupComm | None = None,
    send: float = 0.0,
    power_limit_w: float | None = None,
) -> StepTime:
    """One optimiser step. ``data_comm`` joins the data ranks, ``tensor_comm`` a tensor group, ``send`` seconds per
    hand-over between stages."""
    table: dict[str, Any] = speed_table()["training"]
    kind = gpu_class(gpu)
    own = table["classes"].get(kind, table["classes"]["other"])
    framework = table["frameworks"][plan.framework]
    power = power_share(speed_table(), gpu, power_limit_w)
    peak = _peak(gpu, plan.precision) * power
    bandwidth = gpu.memory_bandwidth.value * own["copy_mbu"]
    share = 1.0 / (plan.tensor * plan.pipeline)
    tokens = plan.micro_batch * plan.sequence_tokens
    rounds = passes(plan)
    elements = shape.active_matrix_elements * share
    rate = peak * own["mfu"].get(plan.precision, own["mfu"]["bf16"]) * framework["mfu_share"]
    half = _peak(gpu, "bf16") * power * framework["mfu_share"]
    matrices = 2.0 * elements * tokens * rounds / rate
    matrices += 2.0 * shape.head_elements / plan.tensor / plan.pipeline * tokens * 3.0 / (half * own["mfu"]["bf16"])
    reach = shape.attention_width * plan.sequence_tokens / 2.0 + shape.window_width
    attention = 4.0 * reach * share * tokens * 3.5
    attention = (attention + 4.0 * reach * share * tokens * plan.recompute) / (half * own["attention_mfu"])
    moved = 2.0 * shape.moved_widths * shape.layers * share * tokens * (2.0 + plan.recompute)
    elementwise = moved * framework["moved_share"] / bandwidth
    unpack = 0.0
    if plan.task == "qlora":
        # A packed base is unpacked to 16 bit in every pass.
        unpack = shape.held_elements * share * (plan.base_bytes + 2.0) * rounds / bandwidth
    compute = matrices + attention + elementwise + unpack + shape.layers / plan.pipeline * framework["layer_s"]
    link = 0.0
    if plan.zero_stage >= 3 and data_comm is not None and plan.data_ranks > 1:
        whole = shape.held_elements * share * plan.base_bytes
        gathers = 2.0
        link = gathers * data_comm.all_gather_s(whole)
        if plan.task in ("full", "pretrain"):
            link += data_comm.reduce_scatter_s(shape.held_elements * share * 2.0)
    inside = 0.0
    if plan.tensor > 1 and tensor_comm is not None:
        calls = 4.0 + 2.0 * plan.recompute
        inside = shape.layers / plan.pipeline * calls * tensor_comm.all_reduce_s(2.0 * shape.hidden * tokens)
    host = 0.0
    if plan.offload:
        ranks = max(1, plan.data_ranks if plan.zero_stage >= 3 else 1)
        width = 1.0 if plan.precision == "fp8" else plan.base_bytes
        copied = shape.held_elements * share * width / ranks
        kept = copied + (2.0 * shape.held_elements * share / ranks if plan.task in ("full", "pretrain") else 0.0)
        if plan.task in ("lora", "qlora") or kept > KEPT_SHARE * gpu.memory_usable_bytes:
            # Weights that do not stay on the card come over the host link for forward and backward.
            host = 2.0 * copied / _host_rate(gpu, table)
    over = table["overlap_exponent"]
    micro = (compute**over + link**over + host**over) ** (1.0 / over) + inside * table["tensor_exposed"]
    steps = plan.micro_steps
    work = steps * micro
    bubble = (plan.pipeline - 1) * micro * table["bubble_share"] + 2.0 * steps * (plan.pipeline > 1) * send
    update = _update_s(shape, plan, share, bandwidth, gpu, table)
    if plan.zero_stage < 3 and data_comm is not None and plan.data_ranks > 1:
        trained = shape.held_elements * share if plan.task in ("full", "pretrain") else _adapters(shape, plan) * share
        reduce = data_comm.all_reduce_s(2.0 * trained)
        # The reduction hides behind the backward pass of the last micro-batch.
        update += max(0.1 * reduce, reduce - 0.6 * micro)
    total = work + bubble + update
    flops = model_flops_per_token(shape, plan.sequence_tokens, plan.task in ("lora", "qlora")) * share * tokens * steps
    return StepTime(total, steps * compute, steps * (micro - compute), bubble, update, flops)


def _adapters(shape: TrainShape, plan: TrainPlan) -> float:
    """Elements of the adapters: seven matrices per layer, rank times in plus out."""
    return shape.layers * 7.0 * plan.lora_rank * 3.0 * shape.hidden


def _update_s(
    shape: TrainShape, plan: TrainPlan, share: float, bandwidth: float, gpu: GpuRecord, table: dict[str, Any]
) -> float:
    """The optimiser reads and writes its state once per step."""
    elements = shape.held_elements * share if plan.task in ("full", "pretrain") else _adapters(shape, plan) * share
    if plan.zero_stage >= 1:
        elements /= plan.data_ranks
    traffic = elements * 30.0
    if plan.offload:
        return elements * 12.0 / _host_rate(gpu, table)
    return traffic / bandwidth


def _host_rate(gpu: GpuRecord, table: dict[str, Any]) -> float:
    """Bytes/s between a card and its host's memory: the slot's rate times a measured share; unified memory has no
    slot, there it is the memory's own rate."""
    if gpu.unified_memory or not gpu.pcie_lanes:
        return gpu.memory_bandwidth.value
    return float(table["host_link_share"] * 0.985e9 * 2.0 ** (gpu.pcie_generation - 3) * gpu.pcie_lanes)


def _peak(gpu: GpuRecord, precision: str) -> float:
    half = gpu.flops_bf16 if gpu.flops_bf16 is not None else gpu.flops_fp16
    base = half.value if half is not None else gpu.memory_bandwidth.value * 30.0
    if gpu.compute_capability == STUNTED_HALF:
        return base * FULL_OVER_HALF
    if precision == "fp8" and gpu.flops_fp8 is not None:
        return gpu.flops_fp8.value
    if precision == "fp4" and gpu.flops_fp4 is not None:
        return gpu.flops_fp4.value
    return base


@dataclass(frozen=True, slots=True)
class TrainingLoad:
    """What is to be trained; None: the product's own figure, marked as assumed by the caller."""

    task: Task
    tokens: float | None = None
    sequence_tokens: int | None = None
    micro_batch: int | None = None
    batch_tokens: int | None = None
    lora_rank: int | None = None
    zero_stage: int | None = None
    recompute: float = 1.0
    offload: bool = False


def training_load(workload: Workload) -> TrainingLoad:
    """The load a workload of a training task asks for."""
    if workload.task not in ("lora", "qlora", "full", "pretrain"):
        raise ValueError(f"not a training task: {workload.task}")
    return TrainingLoad(
        task=workload.task,
        tokens=workload.training_tokens,
        sequence_tokens=workload.sequence_tokens,
        micro_batch=workload.micro_batch,
        lora_rank=workload.lora_rank,
    )


def estimate_training(
    model: ModelRecord,
    weight_format: WeightFormat,
    load: TrainingLoad,
    layout: Layout,
    instances: Sequence[Instance],
    topologies: Topologies,
) -> TrainingSpeed:
    """Speed of one job over all copies: they are its data ranks. Raises ValueError when there is no copy."""
    if not instances:
        raise ValueError("no copy to estimate")
    low, expected, high = (_job(model, weight_format, load, layout, instances, topology) for topology in topologies)
    devices = topologies[1].devices
    cards = [devices[gpu].record for each in instances for stage in each.stages for gpu in stage]
    table = speed_table()["training"]
    calibrated = all(table["classes"].get(gpu_class(card), {}).get("fitted_on") for card in cards)
    width = table["spread"] if calibrated else max(0.4, 1.8 * table["spread"])
    found = sorted((low.tokens_per_s, expected.tokens_per_s, high.tokens_per_s))
    rate = Estimate(found[0] * exp(-width), expected.tokens_per_s, found[2] * exp(width), "tokens/s")
    batch = expected.tokens
    step = Estimate(batch / rate.high, batch / rate.expected, batch / rate.low, "s")
    use = Estimate(
        min(1.0, low.utilisation * exp(-width)), expected.utilisation, min(1.0, high.utilisation * exp(width))
    )
    use = Estimate(min(use.low, use.expected), use.expected, max(use.high, use.expected))
    finish = months = None
    if load.tokens is not None:
        finish = Estimate(load.tokens / rate.high, load.tokens / rate.expected, load.tokens / rate.low, "s")
        months = finish.scaled(len(cards) / MONTH_S, "GPU-months")
    limit = expected.limit
    gpu_id = instances[0].stages[0][0]
    return TrainingSpeed(
        tokens_per_s=rate,
        step_s=step,
        model_flops_utilisation=use,
        time_to_finish_s=finish,
        gpu_months=months,
        limited_by=message("limited.link", link_id=expected.link_id)
        if limit == "link"
        else message(f"limited.{limit}", gpu_id=gpu_id),
        calibrated=bool(calibrated),
    )


@dataclass(frozen=True, slots=True)
class _Job:
    tokens_per_s: float
    tokens: float
    utilisation: float
    limit: str
    link_id: str


def _job(
    model: ModelRecord,
    weight_format: WeightFormat,
    load: TrainingLoad,
    layout: Layout,
    instances: Sequence[Instance],
    topology: Topology,
) -> _Job:
    devices = topology.devices
    ids = [gpu for each in instances for stage in each.stages for gpu in stage]
    slowest = min((devices[gpu] for gpu in ids), key=lambda each: (_peak(each.record, "bf16"), each.power_limit_w))
    plan = plan_of(model, weight_format, load, layout, len(instances), slowest.record)
    shape = train_shape(model)
    first = instances[0]
    # Data ranks: the same place in every copy; sharding over one card per copy, or over all cards of one-card copies.
    peers = [each.stages[0][0] for each in instances]
    data = comm(topology, peers, "vllm", graphs=False) if len(peers) > 1 else None
    inside = comm(topology, first.stages[0], "vllm", graphs=False) if len(first.stages[0]) > 1 else None
    hand = 0.0
    if len(first.stages) > 1:
        size = 2.0 * shape.hidden * plan.micro_batch * plan.sequence_tokens
        hand = send_s(topology, first.stages[0], first.stages[1], size)
    if data is None and len(peers) > 1:
        return _Job(1e-9, 1.0, 0.0, "link", "")
    found = step_time(shape, plan, slowest.record, data, inside, hand, slowest.power_limit_w)
    batch = plan.micro_batch * plan.sequence_tokens * plan.micro_steps * plan.data_ranks
    slow_link = data if data is not None and (inside is None or data.servers > 1) else inside
    parts = {
        "compute": found.compute_s,
        "link": found.link_s,
        "pipeline_bubble": found.bubble_s,
        "memory_bandwidth": found.update_s,
    }
    limit = max(parts, key=lambda name: parts[name])
    return _Job(
        tokens_per_s=batch / found.total_s,
        tokens=batch,
        utilisation=found.flops / found.total_s / _peak(slowest.record, plan.precision),
        limit=limit,
        link_id=slow_link.slowest_edge if slow_link is not None else "",
    )


def plan_of(
    model: ModelRecord, weight_format: WeightFormat, load: TrainingLoad, layout: Layout, copies: int, gpu: GpuRecord
) -> TrainPlan:
    """How the job runs when the owner leaves it open."""
    sequence = load.sequence_tokens or DEFAULT_SEQUENCE_TOKENS
    micro = load.micro_batch or 1
    if load.batch_tokens is not None:
        batch = load.batch_tokens
    elif load.task == "pretrain":
        batch = PRETRAIN_BATCH_TOKENS
    else:
        batch = FINETUNE_BATCH_SEQUENCES * sequence
    steps = max(1, round(batch / (micro * sequence * copies)))
    bits = component_bits(model, weight_format)
    base = bits["routed_experts" if model.moe is not None else "dense_mlp"] / 8 if load.task == "qlora" else 2.0
    precision = (
        "fp8" if weight_format.family == "fp8" and load.task in ("full", "pretrain") and gpu.native_fp8 else "bf16"
    )
    zero = load.zero_stage if load.zero_stage is not None else (3 if copies > 1 else 0)
    return TrainPlan(
        task=load.task,
        precision=precision,
        sequence_tokens=sequence,
        micro_batch=micro,
        micro_steps=steps,
        data_ranks=copies,
        tensor=layout.tensor_parallel,
        pipeline=layout.pipeline_parallel,
        recompute=load.recompute,
        zero_stage=zero,
        base_bytes=base,
        offload=load.offload or layout.offload,
        lora_rank=load.lora_rank or LORA_RANK,
    )
