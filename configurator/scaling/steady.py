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

SATURATED_SHARE: Final = 0.05
"""Share of the requests that wait for room from which the copy counts as saturated."""

SETTLED: Final = 1e-3
"""Relative difference of the requests in flight at which the search for the balance ends."""

RATE_MET: Final = 0.005
"""The same for the rate of open-loop requests."""
TRIES: Final = 12
"""Most steps of a search."""

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
    before: BoundStage | None = None
    step = NOTHING
    for index, stage in enumerate(engine.stages):
        if stage is not before or engine.comms[index] is not engine.comms[index - 1]:
            step = stage_step(stage, engine.comms[index], each, context, engine.cache_scale)
            before = stage
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


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one prompt costs."""

    own_s: float
    """From its start to the first token."""
    taken_s: float
    """What it takes from the others that decode."""
    busy_s: float
    """Time of the passes that carry it; prompts that share a pass count their part."""
    passes: float
    """Passes that carry it, counted the same way."""


def prompt_pass(
    engine: Engine, tokens: float, cached: float, batch: float, context: float, together: float = 1.0
) -> Reading:
    """Reading ``tokens`` new tokens after ``cached`` ones while ``batch`` requests decode beside it.

    ``together`` prompts share the steps.
    """
    stages = len(engine.stages)
    parallel = stages if engine.overlap else 1
    each = batch / parallel if batch >= parallel else min(batch, 1.0)
    room = max(1.0, engine.chunk_tokens - each)
    whole = tokens * together
    # The last chunk is partly filled; in the mean over prompts it costs its part.
    count = max(1.0, whole / room)
    size = whole / count
    own = taken = busy = sends = 0.0
    # Attention grows linearly over the chunks: the mean chunk stands for all.
    before = cached + tokens * (1.0 - 1.0 / count) / 2.0 if together == 1.0 else cached
    last: BoundStage | None = None
    spent = extra = 0.0
    for index, stage in enumerate(engine.stages):
        comm = engine.comms[index]
        if stage is not last or comm is not engine.comms[index - 1]:
            last = stage
            alone = stage_step(stage, comm, each, context, engine.cache_scale).total_s if each else 0.0
            mixed = stage_step(stage, comm, each, context, engine.cache_scale, size, before, each + together)
            spent = mixed.total_s * count
            extra = spent - count * alone
        own += spent
        if engine.overlap:
            taken, busy = max(taken, extra), max(busy, spent)
        else:
            taken, busy = taken + extra, busy + spent
        if index + 1 < stages and engine.send_s is not None:
            sends += engine.send_s(index, size * stage.work.hidden_bytes)
    if parallel > 1:
        # Chunks follow each other through the stages.
        own = own / count * (1.0 + (count - 1.0) / stages)
        own += sends * count
    waits = count * engine.host_bytes / engine.host_bytes_per_s
    return Reading(own + waits, (taken + waits) / together, (busy + waits) / together, count / together)


def run(engine: Engine, demand: Demand) -> Steady:
    """Steady state of one copy. Open-loop demand is turned into the number of requests it keeps in flight."""
    if demand.users is not None:
        return _closed(engine, demand, max(demand.users, 1e-9))
    rate = demand.requests_per_s or 0.0
    limit = max(1.0, min(engine.capacity, float(engine.max_sequences)))
    full = _closed(engine, demand, limit)
    if rate >= full.requests_per_s * 0.999:
        return _closed(engine, demand, limit * 1.5)
    alone = _closed(engine, demand, 1.0)
    if rate <= alone.requests_per_s:
        return _closed(engine, demand, max(rate / alone.requests_per_s, 1e-9))
    low, high = 1.0, limit
    found = full
    for _ in range(TRIES):
        users = math.sqrt(low * high)
        found = _closed(engine, demand, users)
        if abs(found.requests_per_s - rate) <= RATE_MET * rate:
            break
        if found.requests_per_s > rate:
            high = users
        else:
            low = users
    return found


@dataclass(frozen=True, slots=True)
class _Flow:
    """A batch in balance: while its requests decode, as many others start as end."""

    slots: float
    """Requests in flight that keep this batch decoding."""
    rate: float
    span_s: float
    """A request decodes so long, the prompts it meets included."""
    first_s: float
    """From a free slot to the first token."""
    busy_s: float
    """Time of the passes that carry the prompt of one request."""
    step: Step


class _Balance:
    """Requests in flight as a function of the batch that decodes, for one engine and demand."""

    def __init__(self, engine: Engine, demand: Demand, slots: float) -> None:
        self.engine = engine
        self.demand = demand
        self.slots = slots
        self.new = max(1.0, demand.input_tokens * (1.0 - demand.prefix_hit_share))
        self.cached = demand.input_tokens - self.new
        self.steps = max(0.0, demand.output_tokens - 1.0) / demand.accepted_tokens
        self.context = demand.input_tokens + demand.output_tokens / 2.0
        self.others = 1.0 - 1.0 / slots if slots > 1.0 else 0.0
        self.turns = self.steps * (len(engine.stages) if engine.overlap else 1)
        """Passes, one chunk of prompts each, in which a request takes part while it decodes."""
        self.most = max(1.0, engine.chunk_tokens / self.new)
        """Prompts one pass may carry."""

    def largest(self) -> float:
        """Batch from which on every pass carries prompts: more requests queue in front."""
        passes = max(1.0, self.new / max(1.0, self.engine.chunk_tokens)) / self.most
        return self.turns / passes if self.others > 0.0 else math.inf

    def flow(self, batch: float) -> _Flow:
        """The balance that keeps ``batch`` requests decoding."""
        engine, demand, slots = self.engine, self.demand, self.slots
        decode_s, step = decode_step(engine, max(batch, 1.0), self.context)
        # A pass carries the prompts that start during a pass: batch over the passes of an answer.
        together = min(self.most, max(1.0, batch / self.turns if self.turns else slots))
        read = prompt_pass(engine, self.new, self.cached, max(0.0, batch - 1.0), self.context, together)
        span = self.steps * decode_s + batch * self.others * read.taken_s
        rate = batch / span if span > 0.0 else min(slots / read.own_s, 1.0 / read.busy_s)
        wait = 0.0
        if slots > 1.0:
            # The pass under way ends first, then the prompts that came before and find no room beside each other.
            behind = read.busy_s * (slots - 1.0) / 2.0
            least = read.taken_s + (read.busy_s - read.taken_s) / self.most
            queue = 1.0 - min(FULLEST, rate * least)
            busy = min(1.0, rate * read.busy_s)
            wait = min(busy * read.busy_s * together / (2.0 * queue), behind)
            if math.isfinite(demand.waves) and demand.waves > 0.0:
                wait += behind / demand.waves
        poll = decode_s * ((0.5 if slots > 1.0 else 0.0) + demand.poll_steps / 2.0)
        first = engine.stages[0].rates.ingest_s + read.own_s + wait + poll
        return _Flow(batch + rate * first, rate, span, first, read.busy_s, step)


FULLEST: Final = 0.99
"""Highest load the waiting-time formula is asked for."""


def _balance(balance: _Balance) -> tuple[float, _Flow]:
    """(batch, flow) with as many requests in flight as there are slots, or the largest batch when more queue."""
    target = balance.slots
    if not balance.steps or target <= 1.0:
        return min(target, 1.0), balance.flow(min(target, 1.0))
    high = min(target, balance.largest())
    found = balance.flow(high)
    if found.slots <= target * (1.0 + SETTLED):
        return high, found
    # Requests in flight grow nearly in proportion to the batch: secant steps over logarithms, inside a bracket.
    low = 0.0
    batch, slope = high, 1.0
    for _ in range(TRIES):
        before, were = batch, found.slots
        batch *= (target / were) ** (1.0 / slope)
        if not low < batch < high:
            batch = (low + high) / 2.0
        found = balance.flow(batch)
        if abs(found.slots - target) <= SETTLED * target:
            break
        if found.slots > target:
            high = batch
        else:
            low = batch
        if batch != before and found.slots != were:
            slope = min(4.0, max(0.25, math.log(found.slots / were) / math.log(batch / before)))
    return batch, found


def _closed(engine: Engine, demand: Demand, users: float) -> Steady:
    cap = max(1.0, min(engine.capacity, float(engine.max_sequences)))
    slots = min(users, cap)
    balance = _Balance(engine, demand, slots)
    batch, flow = _balance(balance)
    rate = min(flow.rate, slots / (flow.first_s + flow.span_s), 1.0 / flow.busy_s)
    # What does not fit into a pass with the others waits, and so do requests without a slot.
    first = max(flow.first_s, slots / rate - flow.span_s)
    held = rate * (flow.first_s + flow.span_s)
    waiting = max(0.0, users - slots)
    first += waiting / rate + demand.network_s
    limit = flow.step.limit
    if waiting:
        limit = "kv_capacity" if engine.capacity <= engine.max_sequences else "max_num_seqs"
    elif rate * flow.busy_s > 0.5:
        # Prompts take more than half of the time: what bounds reading them bounds the service.
        size = min(balance.new, float(engine.chunk_tokens))
        stage = engine.stages[0]
        limit = stage_step(
            stage, engine.comms[0], batch, balance.context, engine.cache_scale, size, balance.cached
        ).limit
    return Steady(
        output_tokens_per_s=rate * demand.output_tokens,
        time_to_first_token_s=first,
        time_per_output_token_s=flow.span_s / max(demand.output_tokens - 1.0, 1.0),
        prefill_tokens_per_s=rate * demand.input_tokens,
        running=slots,
        waiting=waiting,
        saturated=waiting + max(0.0, slots - held) > SATURATED_SHARE * users,
        limit=limit,
        step=flow.step,
        requests_per_s=rate,
    )
