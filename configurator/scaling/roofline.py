"""Seconds of one forward pass: the larger of reading and multiplying per kernel, plus starting, plus talking.

Plain numbers in and out, so that the calibration and the product run the very same arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from configurator.catalogue.records import GpuRecord, WeightFormat
from configurator.scaling.rates import Rate, Rates, path_of
from configurator.scaling.work import Attention, StageWork


class Collectives(Protocol):
    """Communication of one tensor group; bytes are the full buffer of one rank."""

    def all_reduce_s(self, nbytes: float) -> float: ...

    def all_gather_s(self, nbytes: float) -> float: ...

    def reduce_scatter_s(self, nbytes: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Step:
    """Seconds of one pass through a stage and where they go."""

    total_s: float
    memory_s: float
    compute_s: float
    link_s: float
    start_s: float

    @property
    def limit(self) -> str:
        """The largest share: memory_bandwidth, compute, link or launch."""
        parts = (
            (self.memory_s, "memory_bandwidth"),
            (self.compute_s, "compute"),
            (self.link_s, "link"),
            (self.start_s, "launch"),
        )
        return max(parts)[1]


@dataclass(frozen=True, slots=True)
class BoundStage:
    """A stage on a GPU: its work with the rate of every matrix resolved."""

    work: StageWork
    rates: Rates
    matrices: tuple[tuple[float, float, float, float], ...]
    """(seconds to read the weights, the same to the power of the ridge, FLOPs per token, FLOP/s)"""
    head: tuple[float, float, Rate] | None
    experts: Rate | None
    start_s: float
    """Starting all kernels of the stage from a captured graph."""


_kept: dict[tuple[int, int, int, int], tuple[tuple[StageWork, Rates, WeightFormat, GpuRecord], BoundStage]] = {}


def kept_stage(work: StageWork, rates: Rates, weight_format: WeightFormat, gpu: GpuRecord) -> BoundStage:
    """The same object for the same work on the same card."""
    key = (id(work), id(rates), id(weight_format), id(gpu))
    kept = _kept.get(key)
    if kept is not None:
        held = kept[0]
        if held[0] is work and held[1] is rates and held[2] is weight_format and held[3] is gpu:
            return kept[1]
    made = bind_stage(work, rates, weight_format, gpu)
    if len(_kept) > 8192:
        _kept.clear()
    _kept[key] = ((work, rates, weight_format, gpu), made)
    return made


def bind_stage(work: StageWork, rates: Rates, weight_format: WeightFormat, gpu: GpuRecord) -> BoundStage:
    """Resolve which kernels each matrix uses on this GPU."""
    paths = dict(rates.paths)
    bound = [(m, paths[path_of(m.bits, weight_format, gpu)]) for m in work.matrices]
    reading = [m.weight_bytes / rate.bytes_per_s for m, rate in bound]
    matrices = tuple(
        (read, read**rates.ridge, m.flops_per_token, rate.flops_per_s)
        for (m, rate), read in zip(bound, reading, strict=True)
    )
    start = sum(m.kernels * rate.overhead_s for m, rate in bound)
    head = None
    if work.head is not None:
        rate = paths[path_of(work.head.bits, weight_format, gpu)]
        head = (work.head.weight_bytes, work.head.flops_per_token, rate)
        start += rate.overhead_s
    experts = None
    start += work.layers * rates.layer_s + work.moe_layers * rates.moe_layer_s
    if work.experts is not None:
        experts = dict(rates.expert_paths)[path_of(work.experts.bits, weight_format, gpu)]
        start += 2 * work.moe_layers * experts.overhead_s
    for group in work.attention:
        start += group.layers * (rates.linear_layer_s if group.state_bytes else rates.attention_s)
        if group.index_bytes:
            start += group.layers * rates.attention_s
    return BoundStage(work, rates, matrices, head, experts, start)


def distinct_experts(routed: int, per_token: int, tokens: float, spread: float) -> float:
    """Experts that ``tokens`` tokens touch in one layer: E(1-(1-k/E)^n), popular experts counted by ``spread``."""
    if tokens <= 1.0:
        return per_token * tokens if tokens < 1.0 else float(per_token)
    left: float = (1.0 - per_token / routed) ** (tokens**spread)
    return routed * (1.0 - left)


def stage_step(
    stage: BoundStage,
    comm: Collectives | None,
    decode: float,
    context: float,
    cache_scale: float,
    prompt: float = 0.0,
    prompt_before: float = 0.0,
    logits: float | None = None,
) -> Step:
    """One pass of ``decode`` sequences with ``context`` cached tokens each, and ``prompt`` prompt tokens that
    follow ``prompt_before`` cached ones. ``cache_scale``: bytes per cached element over two.

    Under data-parallel attention the counts are those of the whole group.
    """
    work, rates = stage.work, stage.rates
    share = work.attention_ranks / work.tensor
    tokens = (decode + prompt) * share
    ridge = rates.ridge
    memory = compute = 0.0
    busy = 0.0
    for a, a_ridge, flops, flops_per_s in stage.matrices:
        b = flops * tokens / flops_per_s
        busy += (a_ridge + b**ridge) ** (1.0 / ridge)
        memory += a
        compute += b
    if stage.head is not None:
        rows = (decode + (1.0 if prompt else 0.0)) if logits is None else logits
        a = stage.head[0] / stage.head[2].bytes_per_s
        b = stage.head[1] * rows / stage.head[2].flops_per_s
        busy += (a**ridge + b**ridge) ** (1.0 / ridge)
        memory += a
        compute += b
    experts = work.experts
    if experts is not None and stage.experts is not None:
        everyone = decode + prompt
        touched = distinct_experts(experts.routed, experts.per_token, everyone, rates.expert_spread)
        skew = 1.0
        if experts.expert_ranks > 1:
            # The busiest group decides; with many tokens per group the loads even out to the lasting skew.
            skew = min(float(experts.expert_ranks), rates.rank_skew)
        local = min(experts.routed / experts.expert_ranks, touched / experts.expert_ranks * skew)
        rows = everyone * experts.per_token / experts.expert_ranks * skew + local * rates.expert_rows
        a = experts.layers * local * experts.expert_bytes / stage.experts.bytes_per_s
        b = experts.layers * rows * experts.expert_flops / stage.experts.flops_per_s
        busy += (a**ridge + b**ridge) ** (1.0 / ridge)
        memory += a
        compute += b
    spent = _attention(stage, decode * share, context, cache_scale, prompt, prompt * share, prompt_before)
    busy += spent[0]
    memory += spent[1]
    compute += spent[2]
    moved = tokens * work.element_bytes_per_token / rates.copy_bytes_per_s
    busy += moved
    memory += moved
    link = 0.0
    if comm is not None and work.tensor > 1:
        nbytes = (decode + prompt) * work.hidden_bytes
        if share == 1.0:
            link = 2.0 * work.layers * comm.all_reduce_s(nbytes)
        else:
            link = work.layers * (comm.all_gather_s(nbytes) + comm.reduce_scatter_s(nbytes))
    start = stage.start_s
    total = busy + start + link
    if prompt:
        floor = work.layers * rates.launch_layer_s + work.moe_layers * rates.launch_moe_layer_s
        if total < floor:
            start += floor - total
            total = floor
    return Step(total, memory, compute, link, start)


def _attention(
    stage: BoundStage,
    sequences: float,
    context: float,
    cache_scale: float,
    prompt: float,
    asked: float,
    prompt_before: float,
) -> tuple[float, float, float]:
    """(busy, reading, multiplying) seconds of all attention layers: cache reads of running requests and the prompt's
    own attention. ``asked`` are the prompt tokens this GPU computes."""
    rates = stage.rates
    ridge = rates.ridge
    busy = memory = compute = 0.0
    for group in stage.work.attention:
        if sequences:
            a, b, c = _cache_read(group, rates, sequences, context, cache_scale)
            busy += c + (a**ridge + b**ridge) ** (1.0 / ridge)
            memory += a
            compute += b + c
        if not prompt:
            continue
        if group.prefill_flops:
            reach = prompt_before + prompt / 2.0
            if group.window_tokens is not None:
                reach = min(reach, float(group.window_tokens))
            if group.top_tokens:
                reach = min(reach, group.top_tokens)
            slow = 1.0 + rates.prefill_half_tokens / (prompt_before + prompt)
            b = group.layers * asked * reach * group.prefill_flops * slow / rates.prefill_attention_flops_per_s
            busy += b
            compute += b
        elif group.state_bytes:
            # Chunked linear attention passes its state once per 64 tokens.
            a = group.layers * asked * group.state_bytes / 64.0 / rates.copy_bytes_per_s
            busy += a
            memory += a
    return busy, memory, compute


def _cache_read(
    group: Attention, rates: Rates, sequences: float, context: float, cache_scale: float
) -> tuple[float, float, float]:
    """Seconds to read the cache, to multiply with it, and to search the index of sparse attention."""
    seen = context if group.window_tokens is None else min(context, float(group.window_tokens))
    search = 0.0
    if group.top_tokens and seen > group.top_tokens:
        index = group.layers * sequences * seen
        search = index * group.index_bytes * cache_scale / rates.attention_bytes_per_s
        search += index * group.index_flops / rates.attention_flops_per_s
        seen = group.top_tokens
    read = sequences * (seen * group.token_bytes * cache_scale + 2.0 * group.state_bytes)
    a = group.layers * read / rates.attention_bytes_per_s
    b = group.layers * sequences * seen * group.read_flops / rates.attention_flops_per_s
    return a, b, search
