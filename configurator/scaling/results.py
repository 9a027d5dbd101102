"""What scaling answers: layouts with memory, speed and the reason they lost; efficiency."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.sizing.results import LayoutMemory
from configurator.terms import Estimate, Message


@dataclass(frozen=True, slots=True)
class Layout:
    """replicas x pipeline stages x tensor ranks, and expert ranks over the same GPUs."""

    engine: str
    replicas: int
    pipeline_parallel: int
    tensor_parallel: int
    expert_parallel: int = 1
    data_parallel_attention: int = 1
    split: str = "tensor"
    """llama.cpp: "layer" or "row"; else "tensor"."""
    offload: bool = False

    @property
    def width(self) -> int:
        """Cards of one copy."""
        return self.pipeline_parallel * self.tensor_parallel


@dataclass(frozen=True, slots=True)
class Instance:
    """One copy of the model on particular GPUs: ``stages`` in pipeline order, each a tensor group of GPU ids."""

    stages: tuple[tuple[str, ...], ...]
    layers_per_stage: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Speed:
    """Steady state under the asked load, whole service; in every Estimate low is the smallest figure."""

    output_tokens_per_s: Estimate
    output_tokens_per_s_per_user: Estimate
    time_to_first_token_s: Estimate
    time_per_output_token_s: Estimate
    prefill_tokens_per_s: Estimate
    users_in_flight: Estimate
    saturated: bool
    limited_by: Message
    """code limited.memory_bandwidth | limited.compute | limited.link | limited.kv_capacity | limited.max_num_seqs |
    limited.latency_target | limited.launch, with the object (link_id, gpu_id) in params."""
    calibrated: bool
    """False: outside every calibrated class, range widened."""
    basis: str = "calculated"
    goodput_tokens_per_s: Estimate | None = None
    """Output for as many of the users as get both their first word and their pace in time; None without a limit."""


@dataclass(frozen=True, slots=True)
class TrainingSpeed:
    """Training: whole job."""

    tokens_per_s: Estimate
    step_s: Estimate
    model_flops_utilisation: Estimate
    time_to_finish_s: Estimate | None
    gpu_months: Estimate | None
    limited_by: Message
    """The same codes, and limited.pipeline_bubble."""
    calibrated: bool


@dataclass(frozen=True, slots=True)
class ScoredLayout:
    """One way to run the workload. ``lost_because`` is None for the chosen one."""

    layout: Layout
    instances: tuple[Instance, ...]
    idle_gpu_ids: tuple[str, ...]
    memory: LayoutMemory
    speed: Speed | None
    training: TrainingSpeed | None
    score: float
    lost_because: Message | None
    notes: tuple[Message, ...] = ()
    """What to know about it: KV copied over ranks, quantised groups cut, layers in host memory, a link not known."""


@dataclass(frozen=True, slots=True)
class EfficiencyPoint:
    """Throughput of ``gpus`` GPUs on ``nodes`` servers; ``efficiency`` is per GPU over the baseline (R38)."""

    mode: str
    """tp | pp | dp | best | tp_across"""
    gpus: int
    nodes: int
    tokens_per_s: Estimate
    efficiency: Estimate


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The curve, the floor and the fabric that would pass it (bytes/s), None when none does."""

    baseline_gpus: int
    points: tuple[EfficiencyPoint, ...]
    fabric_needed_bytes_per_s: float | None
