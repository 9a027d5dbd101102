"""Asks the speed model what a measurement measured."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reality_plans import topology_of
from reality_rows import Case

from configurator.catalogue import Catalogue
from configurator.plan.model import Policy
from configurator.scaling.collectives import Comm, comm, send_s
from configurator.scaling.copies import batch_defaults
from configurator.scaling.rates import bind
from configurator.scaling.results import Instance, Layout
from configurator.scaling.roofline import bind_stage
from configurator.scaling.steady import Demand, Engine, decode_step, prompt_pass, run
from configurator.scaling.topology import Topology
from configurator.scaling.work import cache_element_scale, stage_work
from configurator.sizing.devices import device_memory
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad, ServeSettings
from configurator.sizing.shape import stage_layers


@dataclass(frozen=True)
class Answer:
    """Predicted quantities of one case; None where the case does not ask."""

    ttft_s: float | None
    tpot_s: float | None
    output_rate: float | None
    prefill_rate: float | None
    saturated: bool
    limit: str


def answer(case: Case, catalogue: Catalogue, table: Mapping[str, Any]) -> Answer:
    """The model's answer for a case."""
    engine = engine_of(case, catalogue, table)
    if case.context_only and case.users is not None:
        each = case.users / case.instances
        batch = min(each, engine.capacity)
        seconds, step = decode_step(engine, batch, case.input_tokens + case.output_tokens / 2)
        prefill = None
        if case.prefill_rate:
            own = prompt_pass(engine, max(case.input_tokens, 512.0), 0.0, 0.0, 0.0).own_s
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
        own = prompt_pass(engine, case.input_tokens, 0.0, 0.0, 0.0).own_s
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
    taken = prompt_pass(
        engine, case.input_tokens, 0.0, 0.0, context, max(1.0, engine.chunk_tokens / case.input_tokens)
    ).taken_s
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


Place = tuple[tuple[tuple[str, ...], ...], tuple[Comm | None, ...], Topology]

_places: dict[str, Place] = {}


def _place(case: Case, catalogue: Catalogue) -> Place:
    """Stages of card ids, their collectives and the topology; kept, because no speed constant changes them."""
    if case.id not in _places:
        topology, ids = topology_of(catalogue, case.gpu.id, case.tensor * case.pipeline)
        groups = tuple(ids[n * case.tensor : (n + 1) * case.tensor] for n in range(case.pipeline))
        links = tuple(comm(topology, group, case.engine) if case.tensor > 1 else None for group in groups)
        _places[case.id] = (groups, links, topology)
    return _places[case.id]


def engine_of(case: Case, catalogue: Catalogue, table: Mapping[str, Any]) -> Engine:
    """One copy of the model on the case's cards."""
    groups, links, topology = _place(case, catalogue)
    rates = bind(table, case.gpu, case.engine, case.power_limit_w, _version(case))
    layers = stage_layers(case.model.layers, case.pipeline)
    stages = []
    first = 0
    for count in layers:
        work = stage_work(case.model, case.weights, case.tensor, case.experts, case.data_attention, first, count)
        first += count
        stages.append(bind_stage(work, rates, case.weights, case.gpu))

    def between(index: int, size: float) -> float:
        return send_s(topology, groups[index], groups[index + 1], size)

    sequences, chunk = batch_defaults(case.engine, case.gpu)
    return Engine(
        stages=tuple(stages),
        comms=links,
        send_s=between if case.pipeline > 1 else None,
        cache_scale=cache_element_scale(case.kv),
        capacity=capacity_of(case, layers),
        max_sequences=case.max_sequences or sequences,
        chunk_tokens=case.chunk or chunk,
        overlap=case.engine != "llama.cpp",
    )


def _version(case: Case) -> str:
    """Version as numbers; the runs of October 2025 say only "latest"."""
    return "0.11" if "Oct 2025" in case.version else case.version.lstrip("v")


_capacities: dict[str, float] = {}


def capacity_of(case: Case, layers: tuple[int, ...]) -> float:
    """Requests of the case's size whose cache fits at once, by the product's own sizing."""
    if case.id not in _capacities:
        _capacities[case.id] = _capacity(case, layers)
    return _capacities[case.id]


def _capacity(case: Case, layers: tuple[int, ...]) -> float:
    held = max(1, int(case.input_tokens + case.output_tokens * 0.5))
    longest = case.max_model_len or int(case.input_tokens + case.output_tokens) + 256
    ids = tuple(tuple(f"{stage}.{rank}" for rank in range(case.tensor)) for stage in range(case.pipeline))
    cards = {name: device_memory(name, case.gpu) for stage in ids for name in stage}
    layout = Layout(case.engine, 1, case.pipeline, case.tensor, case.experts, case.data_attention)
    for share in (0.9, 0.95):
        settings = ServeSettings(
            engine=case.engine,
            engine_version=re.sub(r"[^0-9.].*", "", _version(case)),
            kv_cache=case.kv,
            gpu_memory_utilization=None if case.engine == "llama.cpp" else share,
            max_model_len=longest,
            max_num_seqs=case.max_sequences or None,
            max_num_batched_tokens=case.chunk or None,
        )
        found = size_serving(
            case.model,
            case.weights,
            settings,
            layout,
            (Instance(ids, layers),),
            cards,
            ServeLoad(None, held, longest),
            Policy(),
        )
        if found.fit != "no" and found.users_served.expected >= 1.0:
            return found.users_served.expected
    # The run did start: give it the least room that lets it work.
    return 1.0 if case.engine == "llama.cpp" else 4.0
