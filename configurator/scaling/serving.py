"""Serving speed of copies of a model on particular GPUs: tokens per second, per person, and the wait before them.

The steady state of continuous batching (steady.py) over the roofline of each stage (roofline.py), with the links of
the plan. ``step_time_s`` and ``prefill_time_s`` answer for a card without a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf
from typing import Final

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.plan.model import Workload
from configurator.scaling.calibration import covered, rates_of, speed_table
from configurator.scaling.collectives import Comm
from configurator.scaling.copies import Engines, batch_defaults, kept_engines
from configurator.scaling.results import Instance, Layout, Speed
from configurator.scaling.roofline import BoundStage, Collectives, bind_stage, stage_step
from configurator.scaling.steady import Demand, Engine, Steady, decode_step, prompt_pass, run
from configurator.scaling.topology import Topology
from configurator.scaling.work import cache_element_scale, stage_work
from configurator.sizing.results import LayoutMemory
from configurator.terms import Estimate, Message, message

Topologies = tuple[Topology, Topology, Topology]
"""The plan with its unknowns resolved: low, expected, high."""

DEFAULT_CONTEXT_TOKENS: Final = 8192
DEFAULT_ANSWER_TOKENS: Final = 512
"""Used while the owner has not said how long prompts and answers are."""

NEW_TOKENS: Final = 2048
"""New tokens per question of a chat whose prompts nobody has measured: engines keep the start of a conversation
(prefix caching is on by default in vLLM and SGLang, and per slot in llama.cpp) and read what is new."""

REQUESTS_PER_USER: Final = 10.0
"""How published load tests run: all users begin at once and ask ten times (InferenceX); people after a meeting do."""

UNCALIBRATED_FACTOR: Final = 1.8
"""How much wider the range is outside every calibrated class."""
UNCALIBRATED_LEAST: Final = 0.35
"""Least half-width (log) outside every calibrated class."""


@dataclass(frozen=True, slots=True)
class ServingLoad:
    """What one copy (or all copies together) is asked; None: not asked.

    ``users`` are requests in flight at once (closed loop), ``requests_per_s`` an arrival rate (open loop); without
    either the copy is asked for all it holds.
    """

    input_tokens: float
    output_tokens: float
    users: float | None = None
    requests_per_s: float | None = None
    prefix_cache_hit_share: float = 0.0
    speculative_accepted_tokens: float = 1.0
    time_to_first_token_limit_s: float | None = None
    tokens_per_s_per_user_limit: float | None = None
    network_s: float = 0.0
    """Round trip to the person or between sites, added to the first token."""
    requests_per_user: float = REQUESTS_PER_USER
    """Of people who begin together: the fewer, the more the rush at the start counts in the mean first token."""


def lengths_of(workload: Workload) -> tuple[float, float]:
    """Prompt and answer tokens of a request: as said, else split from the mean context."""
    context = workload.context_tokens or DEFAULT_CONTEXT_TOKENS
    if workload.output_tokens is not None:
        output = float(workload.output_tokens)
    elif workload.input_tokens is not None:
        output = float(max(1, min(DEFAULT_ANSWER_TOKENS, 2 * max(1, context - workload.input_tokens))))
    else:
        output = float(max(1, min(DEFAULT_ANSWER_TOKENS, context // 4)))
    if workload.input_tokens is not None:
        return float(workload.input_tokens), output
    # The context a request holds grows from the prompt to prompt and answer; its mean lies half an answer above.
    return max(1.0, context - output / 2.0), output


def cached_share(workload: Workload) -> float:
    """Share of a prompt that is not read again: as said; in a chat of unknown prompts, all but the newest tokens."""
    if workload.task != "chat" or workload.input_tokens is not None:
        return workload.prefix_cache_hit_share
    return max(workload.prefix_cache_hit_share, 1.0 - NEW_TOKENS / max(lengths_of(workload)[0], NEW_TOKENS))


def load_of(workload: Workload, users: float | None, network_s: float = 0.0) -> ServingLoad:
    """The load of one copy: ``users`` of the workload's requests in flight land on it."""
    input_tokens, output_tokens = lengths_of(workload)
    return ServingLoad(
        input_tokens,
        output_tokens,
        users=users,
        prefix_cache_hit_share=cached_share(workload),
        speculative_accepted_tokens=workload.speculative_accepted_tokens or 1.0,
        time_to_first_token_limit_s=workload.time_to_first_token_limit_s,
        tokens_per_s_per_user_limit=workload.tokens_per_s_per_user_limit,
        network_s=network_s,
    )


def step_time_s(
    model: ModelRecord,
    weight_format: WeightFormat,
    gpu: GpuRecord,
    *,
    batch: float,
    context_tokens: float,
    engine: str = "vllm",
    kv_dtype: str = "auto",
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    expert_parallel: int = 1,
    links: Collectives | None = None,
    power_limit_w: float | None = None,
    version: str = "",
) -> float:
    """Seconds per output token of ``batch`` running requests on equal cards, prompts left out."""
    made = plain_engine(
        model,
        weight_format,
        gpu,
        engine=engine,
        kv_dtype=kv_dtype,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
        expert_parallel=expert_parallel,
        links=links,
        power_limit_w=power_limit_w,
        version=version,
    )
    return decode_step(made, batch, context_tokens)[0]


def prefill_time_s(
    model: ModelRecord,
    weight_format: WeightFormat,
    gpu: GpuRecord,
    *,
    prompt_tokens: float,
    engine: str = "vllm",
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    expert_parallel: int = 1,
    links: Collectives | None = None,
    power_limit_w: float | None = None,
    version: str = "",
) -> float:
    """Seconds to read one prompt on idle cards."""
    made = plain_engine(
        model,
        weight_format,
        gpu,
        engine=engine,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
        expert_parallel=expert_parallel,
        links=links,
        power_limit_w=power_limit_w,
        version=version,
    )
    return prompt_pass(made, prompt_tokens, 0.0, 0.0, 0.0).own_s


def plain_engine(
    model: ModelRecord,
    weight_format: WeightFormat,
    gpu: GpuRecord,
    *,
    engine: str = "vllm",
    kv_dtype: str = "auto",
    tensor_parallel: int = 1,
    pipeline_parallel: int = 1,
    expert_parallel: int = 1,
    data_parallel_attention: int = 1,
    links: Collectives | None = None,
    power_limit_w: float | None = None,
    version: str = "",
    capacity: float = float("inf"),
) -> Engine:
    """One copy on equal cards that are not part of a plan; stages hand over without delay."""
    rates = rates_of(gpu, engine, power_limit_w, version)
    stages: list[BoundStage] = []
    first = 0
    for index in range(pipeline_parallel):
        count = (model.layers - first) // (pipeline_parallel - index)
        work = stage_work(model, weight_format, tensor_parallel, expert_parallel, data_parallel_attention, first, count)
        stages.append(bind_stage(work, rates, weight_format, gpu))
        first += count
    sequences, chunk = batch_defaults(engine, gpu)
    return Engine(
        tuple(stages),
        (links if tensor_parallel > 1 else None,) * pipeline_parallel,
        None,
        cache_element_scale(kv_dtype),
        capacity,
        sequences,
        chunk,
        overlap=engine != "llama.cpp",
    )


def estimate_serving(
    model: ModelRecord,
    weight_format: WeightFormat,
    kv_dtype: str,
    engine: str,
    layout: Layout,
    instances: Sequence[Instance],
    topologies: Topologies,
    load: ServingLoad,
    memory: LayoutMemory,
    *,
    engine_version: str = "",
    max_num_seqs: int | None = None,
    max_num_batched_tokens: int | None = None,
) -> Speed:
    """Steady state of ``instances`` copies under the load, users spread by their rates.

    ``memory`` is sizing's answer for the same copies: its users_served bounds the batch. Raises ValueError when
    there is no copy.
    """
    if not instances:
        raise ValueError("no copy to estimate")
    copies = len(instances)
    held = memory.users_served
    capacities = tuple(max(1.0, each / copies) for each in (held.low, held.expected, held.high))
    plain = _local(instances, topologies)
    # Without links between cards the three scenarios differ only in what the cache holds.
    found: list[_Service] = []
    for index, topology in enumerate(topologies):
        if plain and found and capacities[index] == capacities[index - 1]:
            found.append(found[-1])
            continue
        engines = kept_engines(
            model,
            weight_format,
            kv_dtype,
            engine,
            layout,
            tuple(instances),
            topology,
            capacities[index],
            engine_version,
            max_num_seqs,
            max_num_batched_tokens,
        )
        found.append(_serve(engines, load))
    low, expected, high = found
    devices = topologies[1].devices
    cards = [devices[gpu].record for each in instances for stage in each.stages for gpu in stage]
    records = {id(record): record for record in cards}.values()
    calibrated = all(covered(record, model, weight_format, engine) for record in records) and not layout.offload
    kind = "dense" if model.moe is None else "experts"
    rate = _spread(kind, "output_rate", calibrated)
    ranged = _range(low.rate, expected.rate, high.rate, rate, "tokens/s")
    token = _spread(kind, "time_per_output_token", calibrated)
    first = _spread(kind, "time_to_first_token", calibrated)
    return Speed(
        output_tokens_per_s=ranged,
        output_tokens_per_s_per_user=_range(1 / low.token_s, 1 / expected.token_s, 1 / high.token_s, token, "tokens/s"),
        time_to_first_token_s=_range(low.first_s, expected.first_s, high.first_s, first, "s"),
        time_per_output_token_s=_range(low.token_s, expected.token_s, high.token_s, token, "s"),
        prefill_tokens_per_s=_range(low.prefill, expected.prefill, high.prefill, first, "tokens/s"),
        users_in_flight=Estimate.spanning((low.running, expected.running, high.running)),
        saturated=expected.saturated,
        limited_by=_limit(expected, instances),
        calibrated=calibrated,
        goodput_tokens_per_s=None if expected.in_time is None else ranged.scaled(expected.in_time),
    )


@dataclass(frozen=True, slots=True)
class _Service:
    """All copies together in one scenario."""

    rate: float
    token_s: float
    first_s: float
    prefill: float
    running: float
    saturated: bool
    limit: str
    slowest: int
    """Index of the copy that works hardest."""
    edge: str
    """Id of the edge its collectives wait for; empty without one."""
    in_time: float | None
    """Output within both limits over all output; None without a limit."""


def _local(instances: Sequence[Instance], topologies: Topologies) -> bool:
    """Whether every copy sits on one card, so that no link matters."""
    alone = all(len(each.stages) == 1 and len(each.stages[0]) == 1 for each in instances)
    return alone or (topologies[0] is topologies[1] is topologies[2])


def _serve(engines: Engines, load: ServingLoad) -> _Service:
    """All copies of one scenario; users go where the rate is."""
    copies = sum(count for _, count in engines)
    demand = Demand(
        load.input_tokens,
        load.output_tokens,
        prefix_hit_share=load.prefix_cache_hit_share,
        accepted_tokens=load.speculative_accepted_tokens,
        network_s=load.network_s,
        waves=inf if load.users is None else load.requests_per_user,
    )
    shares = [1.0 / copies] * len(engines)
    if len(engines) > 1:
        alone = [run(engine, replace(demand, users=_asked(engine, load, 1.0 / copies))) for engine, _ in engines]
        total = sum(found.requests_per_s * count for found, (_, count) in zip(alone, engines, strict=True))
        shares = [found.requests_per_s / total for found in alone]
    results: list[tuple[Steady, int]] = []
    in_time = 0.0
    for (engine, count), share in zip(engines, shares, strict=True):
        limited = _within_limits(engine, demand, load)
        asked = (
            replace(demand, requests_per_s=load.requests_per_s * share)
            if load.requests_per_s is not None and load.users is None
            else replace(demand, users=_asked(limited, load, share))
        )
        results.append((run(limited, asked), count))
        in_time += _in_time(engine, asked, load) * count
    rate = sum(found.output_tokens_per_s * count for found, count in results)
    weights = [found.requests_per_s * count for found, count in results]
    whole = sum(weights) or 1.0
    busiest = max(
        range(len(results)), key=lambda index: results[index][0].running / max(1.0, engines[index][0].capacity)
    )
    top = results[busiest][0]
    capped = top.waiting > 0 and load.tokens_per_s_per_user_limit is not None and top.limit == "max_num_seqs"
    prompt = [
        load.input_tokens / prompt_pass(engine, max(1.0, load.input_tokens), 0.0, 0.0, 0.0).own_s * count
        for engine, count in engines
    ]
    return _Service(
        rate=rate,
        token_s=sum(f.time_per_output_token_s * w for (f, _), w in zip(results, weights, strict=True)) / whole,
        first_s=sum(f.time_to_first_token_s * w for (f, _), w in zip(results, weights, strict=True)) / whole,
        prefill=sum(prompt),
        running=sum(found.running * count for found, count in results),
        saturated=any(found.saturated for found, _ in results),
        limit="latency_target" if capped else top.limit,
        slowest=busiest,
        edge=next((link.slowest_edge for link in engines[busiest][0].comms if isinstance(link, Comm)), ""),
        in_time=min(1.0, in_time / rate) if rate > 0.0 and _limited(load) else None,
    )


def _limited(load: ServingLoad) -> bool:
    return load.time_to_first_token_limit_s is not None or load.tokens_per_s_per_user_limit is not None


def _in_time(engine: Engine, demand: Demand, load: ServingLoad) -> float:
    """Output tokens per second of one copy for the most users whom both limits hold for; the others are turned away."""
    if not _limited(load):
        return 0.0
    first = load.time_to_first_token_limit_s or inf
    token = 1.0 / load.tokens_per_s_per_user_limit if load.tokens_per_s_per_user_limit else inf

    def kept(found: Steady) -> bool:
        return found.time_to_first_token_s <= first and found.time_per_output_token_s <= token * (1.0 + 1e-9)

    found = run(engine, demand)
    if kept(found):
        return found.output_tokens_per_s
    demand = replace(demand, users=demand.users or found.running + found.waiting, requests_per_s=None)
    low, high = 1.0, max(1.0, demand.users or 1.0)
    best = run(engine, replace(demand, users=low))
    if not kept(best):
        return 0.0
    for _ in range(GOODPUT_STEPS):
        middle = (low * high) ** 0.5
        found = run(engine, replace(demand, users=middle))
        if kept(found):
            low, best = middle, found
        else:
            high = middle
    return best.output_tokens_per_s


GOODPUT_STEPS: Final = 10
"""Halvings, in log space, of the span in which the most users within the limits are looked for."""


def _asked(engine: Engine, load: ServingLoad, share: float) -> float:
    if load.users is not None:
        return max(load.users * share, 1e-6)
    return max(1.0, min(engine.capacity, float(engine.max_sequences)))


def _within_limits(engine: Engine, demand: Demand, load: ServingLoad) -> Engine:
    """The copy with its batch cut to what keeps the rate each person must see."""
    wanted = load.tokens_per_s_per_user_limit
    if wanted is None:
        return engine
    most = int(max(1.0, min(engine.capacity, float(engine.max_sequences))))
    if run(engine, replace(demand, users=float(most))).time_per_output_token_s <= 1.0 / wanted:
        return engine
    low, high = 1, most
    while low < high:
        middle = (low + high + 1) // 2
        if run(engine, replace(demand, users=float(middle))).time_per_output_token_s <= 1.0 / wanted:
            low = middle
        else:
            high = middle - 1
    return replace(engine, max_sequences=low)


def _spread(kind: str, quantity: str, calibrated: bool) -> float:
    width = float(speed_table()["spread"][f"{kind}.{quantity}"])
    return width if calibrated else max(UNCALIBRATED_LEAST, width * UNCALIBRATED_FACTOR)


def _range(low: float, expected: float, high: float, width: float, unit: str) -> Estimate:
    """The scenario results with the spread of the measurements around them."""
    bottom, _, top = sorted((low, expected, high))
    return Estimate(bottom * exp(-width), expected, top * exp(width), unit)


def _limit(found: _Service, instances: Sequence[Instance]) -> Message:
    if found.limit == "link":
        return message("limited.link", link_id=found.edge)
    instance = instances[min(found.slowest, len(instances) - 1)]
    return message(f"limited.{found.limit}", gpu_id=instance.stages[0][0])


def single_stage_step_s(stage: BoundStage, links: Collectives | None, batch: float, context_tokens: float) -> float:
    """Seconds of one decode pass through one stage; for graphs and explanations."""
    return stage_step(stage, links, batch, context_tokens, 1.0).total_s
