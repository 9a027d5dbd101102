"""Continuous batching in steady state: closed-loop users or open-loop requests on one copy of a model.

A request reads its prompt once and then takes part in one step per answer token; every prompt that others
bring slows the steps it shares. Requests that find no room in the KV cache or in the batch wait in front.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from configurator.scaling.roofline import BoundStage, Collectives, Step, stage_step

SATURATED_SHARE: Final = 0.85
"""Share of capacity from which a queue grows faster than it drains (M/G/1 rule of thumb, shown as saturated)."""


NOTHING: Final = Step(0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Engine:
    """One copy of the model: stages in pipeline order and what bounds the batch."""

    stages: tuple[BoundStage, ...]
    comms: tuple[Collectives | None, ...]
    send_s: Callable[[int, float], float] | None
    """(boundary index, bytes) -> seconds between two stages."""
    cache_scale: float
    capacity: float
    """Requests of the asked size whose KV cache fits at once."""
    max_sequences: int
    chunk_tokens: int
    """Prompt tokens one step may carry."""
    overlap: bool = True
    """Stages work on different requests at the same time (False: llama.cpp passes one batch through all cards)."""
    host_bytes: float = 0.0
    """Weight bytes per pass that are read from the host's memory."""
    host_bytes_per_s: float = 1.0


@dataclass(frozen=True, slots=True)
class Demand:
    """What one copy is asked to do; means over requests."""

    input_tokens: float
    output_tokens: float
    users: float | None = None
    requests_per_s: float | None = None
    prefix_hit_share: float = 0.0
    accepted_tokens: float = 1.0
    """Tokens per step with speculative decoding, 1 without."""
    waves: float = math.inf
    """Requests per user in a test that starts all users at once; infinite: the burst at the start is forgotten."""
    poll_steps: float = 0.0
    """Steps between two looks at the queue, an engine setting."""
    network_s: float = 0.0
    """Time on the way to the site and back, added to the first token."""


@dataclass(frozen=True, slots=True)
class Steady:
    """One copy under the demand. Times are means."""

    output_tokens_per_s: float
    time_to_first_token_s: float
    time_per_output_token_s: float
    prefill_tokens_per_s: float
    running: float
    waiting: float
    saturated: bool
    limit: str
    """memory_bandwidth, compute, link, launch, kv_capacity, max_num_seqs."""
    step: Step
    requests_per_s: float


def decode_step(engine: Engine, batch: float, context: float) -> tuple[float, Step]:
    """Seconds per token of every running request, and the stage that rules."""
    stages = len(engine.stages)
    parallel = stages if engine.overlap else 1
    each = batch / parallel if batch >= parallel else min(batch, 1.0)
    total = engine.host_bytes / engine.host_bytes_per_s
    slowest = NOTHING
    for index, stage in enumerate(engine.stages):
        step = stage_step(stage, engine.comms[index], each, context, engine.cache_scale)
        total += step.total_s
        if step.total_s > slowest.total_s:
            slowest = step
        if index + 1 < stages and engine.send_s is not None:
            total += engine.send_s(index, each * stage.work.hidden_bytes)
    rates = engine.stages[0].rates
    host = rates.host_s + rates.host_sequence_s * batch
    if parallel > 1:
        busy = min(batch, stages) * (slowest.total_s + rates.host_s + rates.host_sequence_s * each)
        return max(total + host, busy), slowest
    return total + host, slowest


def prompt_pass(
    engine: Engine, tokens: float, cached: float, batch: float, context: float, together: float = 1.0
) -> tuple[float, float]:
    """(seconds until the first token of a prompt of ``tokens`` new tokens, seconds it takes from the others).

    ``batch`` requests decode beside it; ``together`` prompts share the steps.
    """
    stages = len(engine.stages)
    parallel = stages if engine.overlap else 1
    each = batch / parallel if batch >= parallel else min(batch, 1.0)
    room = max(1.0, engine.chunk_tokens - each)
    whole = tokens * together
    count = max(1, math.ceil(whole / room))
    size = whole / count
    own = 0.0
    taken = 0.0
    sends = 0.0
    for index, stage in enumerate(engine.stages):
        comm = engine.comms[index]
        alone = stage_step(stage, comm, each, context, engine.cache_scale).total_s if each else 0.0
        spent = 0.0
        # Attention grows linearly over the chunks: the mean chunk stands for all.
        before = cached + tokens * (1.0 - 1.0 / count) / 2.0 if together == 1.0 else cached
        mixed = stage_step(stage, comm, each, context, engine.cache_scale, size, before, each + together)
        spent = mixed.total_s * count
        own += spent
        extra = spent - count * alone
        taken = max(taken, extra) if engine.overlap else taken + extra
        if index + 1 < stages and engine.send_s is not None:
            sends += engine.send_s(index, size * stage.work.hidden_bytes)
    if parallel > 1:
        # Chunks follow each other through the stages.
        own = own / count * (1.0 + (count - 1) / stages) if count > 1 else own
        own += sends * count
    waits = count * engine.host_bytes / engine.host_bytes_per_s
    own, taken = own + waits, taken + waits
    return own, taken / together


def run(engine: Engine, demand: Demand) -> Steady:
    """Steady state of one copy. Open-loop demand is turned into the number of requests it keeps in flight."""
    if demand.users is not None:
        return _closed(engine, demand, max(demand.users, 1e-9))
    rate = demand.requests_per_s or 0.0
    limit = max(1.0, min(engine.capacity, float(engine.max_sequences)))
    full = _closed(engine, demand, limit)
    if rate >= full.requests_per_s * 0.999:
        return _closed(engine, demand, limit * 1.5)
    low, high = 1e-6, limit
    found = full
    for _ in range(14):
        middle = math.sqrt(low * high) if low > 1e-3 else (low + high) / 2
        found = _closed(engine, demand, middle)
        if found.requests_per_s > rate:
            high = middle
        else:
            low = middle
        if abs(found.requests_per_s - rate) < 0.01 * rate:
            break
    return found


def _closed(engine: Engine, demand: Demand, users: float) -> Steady:
    cap = max(1.0, min(engine.capacity, float(engine.max_sequences)))
    slots = min(users, cap)
    new = max(1.0, demand.input_tokens * (1.0 - demand.prefix_hit_share))
    cached = demand.input_tokens - new
    steps = max(0.0, demand.output_tokens - 1.0) / demand.accepted_tokens
    context = demand.input_tokens + demand.output_tokens / 2.0
    rates = engine.stages[0].rates
    share = rates.mixed_prefill
    batch = slots
    rate = 0.0
    decode_s, step = decode_step(engine, max(batch, 1.0), context)
    together = 1.0
    own_s = taken_s = 0.0
    cycle = 1.0
    tpot = decode_s
    for _ in range(3):
        own_s, taken_s = prompt_pass(engine, new, cached, max(0.0, batch - 1.0), context, together)
        others = max(0.0, slots - 1.0)
        decoding = steps * decode_s
        # While it decodes, a request meets the prompts that start meanwhile.
        span = decoding + others * taken_s * share
        cycle = own_s + span
        met = others * span / cycle
        span = decoding + met * taken_s * share
        cycle = own_s + span
        tpot = span / max(demand.output_tokens - 1.0, 1.0)
        batch = max(slots * span / cycle, min(1.0, slots)) if steps else 0.0
        rate = slots / cycle
        decode_s, step = decode_step(engine, max(batch, 1.0), context)
        together = min(max(1.0, engine.chunk_tokens / new), max(1.0, rate * own_s))
    load = min(0.99, rate * taken_s)
    wait = taken_s * load / (2.0 * (1.0 - load)) if slots > 1 else 0.0
    wait = min(wait, taken_s * max(0.0, slots - 1.0) / 2.0)
    if math.isfinite(demand.waves) and demand.waves > 0:
        wait += taken_s * max(0.0, slots - 1.0) / 2.0 / demand.waves
    poll = decode_s * (0.5 if slots > 1 else 0.0) + decode_s * demand.poll_steps / 2.0
    queue = 0.0
    waiting = max(0.0, users - slots)
    if waiting:
        queue = waiting / rate
    first = rates.ingest_s + own_s + wait + poll + queue + demand.network_s
    # The measured cycle also holds the waits that keep slots from decoding.
    idle = rates.ingest_s + wait + poll
    rate = slots / (cycle + idle)
    if waiting:
        queue = waiting / rate
        first = rates.ingest_s + own_s + wait + poll + queue + demand.network_s
    saturated = waiting > 0.05 * users
    limit = step.limit
    if waiting:
        limit = "kv_capacity" if engine.capacity <= engine.max_sequences else "max_num_seqs"
    elif taken_s * rate > 0.5:
        # Prompts take more than half of the time: what bounds reading them bounds the service.
        size = min(new, engine.chunk_tokens)
        stage = engine.stages[0]
        limit = stage_step(stage, engine.comms[0], batch, context, engine.cache_scale, size, cached).limit
    return Steady(
        output_tokens_per_s=rate * demand.output_tokens,
        time_to_first_token_s=first,
        time_per_output_token_s=tpot,
        prefill_tokens_per_s=rate * demand.input_tokens,
        running=slots,
        waiting=waiting,
        saturated=saturated,
        limit=limit,
        step=step,
        requests_per_s=rate,
    )
