"""Asks the speed model what a measurement measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reality_plans import topology_of
from reality_rows import Case

from configurator.catalogue import Catalogue
from configurator.scaling.collectives import Comm, comm, send_s
from configurator.scaling.rates import bind
from configurator.scaling.roofline import bind_stage
from configurator.scaling.steady import Demand, Engine, decode_step, prompt_pass, run
from configurator.scaling.work import cache_element_scale, stage_work
from configurator.sizing.kv import kv_bytes
from configurator.sizing.shape import stage_layers
from configurator.sizing.weights import rank_weights

GIB = 2.0**30


@dataclass(frozen=True)
class Answer:
    """Predicted quantities of one case; None where the case does not ask."""

    ttft_s: float | None
    tpot_s: float | None
    output_rate: float | None
    prefill_rate: float | None
    saturated: bool
    limit: str


def answer(case: Case, catalogue: Catalogue, table: Mapping[str, Any]) -> Answer | None:
    """The model's answer for a case; None when its cards cannot be placed."""
    engine = engine_of(case, catalogue, table)
    if engine is None:
        return None
    if case.context_only and case.users is not None:
        each = case.users / case.instances
        batch = min(each, engine.capacity)
        seconds, step = decode_step(engine, batch, case.input_tokens + case.output_tokens / 2)
        prefill = None
        if case.prefill_rate:
            own, _ = prompt_pass(engine, max(case.input_tokens, 512.0), 0.0, 0.0, 0.0)
            prefill = max(case.input_tokens, 512.0) / own
        return Answer(None, seconds, batch / seconds * case.instances, prefill, batch < each, step.limit)
    if case.burst is not None:
        return _burst(case, engine)
    users = (case.users or 1.0) / case.instances
    demand = Demand(
        case.input_tokens,
        case.output_tokens,
        users=users,
        accepted_tokens=case.accepted,
        waves=case.waves,
        poll_steps=case.poll_steps,
    )
    found = run(engine, demand)
    prefill = None
    if case.prefill_rate:
        own, _ = prompt_pass(engine, case.input_tokens, 0.0, 0.0, 0.0)
        prefill = case.input_tokens / own
    return Answer(
        found.time_to_first_token_s,
        found.time_per_output_token_s,
        found.output_tokens_per_s * case.instances,
        prefill,
        found.saturated,
        found.limit,
    )


def _burst(case: Case, engine: Engine) -> Answer:
    """All requests at once: full batches while some wait, then the batch drains.

    Chat lengths vary like an exponential, so the last requests go on alone for several mean lengths; answers of
    one length end together.
    """
    requests = (case.burst or 1) / case.instances
    full = run(engine, Demand(case.input_tokens, case.output_tokens, users=requests))
    running = min(full.running, requests)
    seconds = (requests - running) / full.requests_per_s
    context = case.input_tokens + case.output_tokens / 2
    _, taken = prompt_pass(
        engine, case.input_tokens, 0.0, 0.0, context, max(1.0, engine.chunk_tokens / case.input_tokens)
    )
    seconds += running * taken if running >= requests else 0.0
    if case.varied:
        parts = 12
        longest = math.log(max(running, 2.0))
        for index in range(parts):
            left = running * math.exp(-(index + 0.5) / parts * longest)
            step, _ = decode_step(engine, left, context)
            seconds += step * case.output_tokens * longest / parts
    else:
        step, _ = decode_step(engine, running, context)
        seconds += step * case.output_tokens
    return Answer(
        None, None, requests * case.output_tokens / seconds * case.instances, None, full.saturated, full.limit
    )


def engine_of(case: Case, catalogue: Catalogue, table: Mapping[str, Any]) -> Engine | None:
    """One copy of the model on the case's cards."""
    placed = topology_of(catalogue, case.gpu.id, case.tensor * case.pipeline)
    if placed is None:
        return None
    topology, ids = placed
    rates = bind(table, case.gpu, case.engine, case.power_limit_w, _version(case))
    layers = stage_layers(case.model.layers, case.pipeline)
    stages = []
    comms: list[Comm | None] = []
    first = 0
    groups = []
    for index, count in enumerate(layers):
        work = stage_work(case.model, case.weights, case.tensor, case.experts, case.data_attention, first, count)
        first += count
        stages.append(bind_stage(work, rates, case.weights, case.gpu))
        group = ids[index * case.tensor : (index + 1) * case.tensor]
        groups.append(group)
        comms.append(comm(topology, group, case.engine) if case.tensor > 1 else None)

    def between(index: int, size: float) -> float:
        return send_s(topology, groups[index], groups[index + 1], size)

    return Engine(
        stages=tuple(stages),
        comms=tuple(comms),
        send_s=between if case.pipeline > 1 else None,
        cache_scale=cache_element_scale(case.kv),
        capacity=capacity_of(case, layers),
        max_sequences=case.max_sequences or (256 if case.engine == "vllm" else 1024),
        chunk_tokens=case.chunk or (8192 if case.gpu.memory_usable_bytes > 70 * GIB else 2048),
    )


def _version(case: Case) -> str:
    """Version as numbers; the runs of October 2025 say only "latest"."""
    return "0.11" if "Oct 2025" in case.version else case.version.lstrip("v")


def capacity_of(case: Case, layers: tuple[int, ...]) -> float:
    """Requests whose cache fits at once, simple rule."""
    weights = max(rank_weights(case.model, case.weights, case.tensor, layers, case.experts, case.data_attention))
    memory = case.gpu.memory_usable_bytes
    reserve = (5.2 if memory > 70 * GIB else 1.2) * GIB + (0.6 if case.tensor > 1 else 0.15) * GIB
    pool = memory * 0.9 - weights - reserve
    if pool < 0.02 * memory:
        # A run that did start was given more of the card.
        pool = max(memory * 0.95 - weights - 0.5 * reserve, 0.02 * memory)
    attention = case.tensor // case.data_attention
    held = int(case.input_tokens + case.output_tokens * 0.5)
    each = kv_bytes(case.model, case.kv, held, attention) / case.pipeline
    return max(0.5, pool / each * case.data_attention)
