"""Does a served model fit a layout, with how many tokens and people: the memory ledger of every GPU."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Policy
from configurator.sizing.activations import BatchLimits, batch_limits
from configurator.sizing.budgets import RankLedger, rank_ledger, working_memory
from configurator.sizing.capacity import Capacity, Demand, capacity
from configurator.sizing.devices import DeviceMemory
from configurator.sizing.loading import loaded_weights
from configurator.sizing.profiles import EngineProfile, profiles_for
from configurator.sizing.results import Fit, GpuMemory, LayoutMemory
from configurator.sizing.settings import InstanceLike, LayoutLike, ServeLoad, ServeSettings
from configurator.sizing.shape import stage_layers
from configurator.terms import Estimate, Message, message


@dataclass(frozen=True, slots=True)
class _Copy:
    """One copy of the model under one engine profile: ledgers by stage; equal GPUs share one."""

    profile: EngineProfile
    split: tuple[int, ...]
    width: int
    limits: BatchLimits
    stages: tuple[tuple[RankLedger, ...], ...]

    @property
    def pools(self) -> tuple[float, ...]:
        """Pool of the tightest GPU of each stage."""
        return tuple(min(rank.pool for rank in stage) for stage in self.stages)


CopyKind = tuple[object, ...]
"""Layers by stage and kinds of GPUs: equal ones hold the same."""


def size_serving(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: ServeSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
    load: ServeLoad,
    policy: Policy,
) -> LayoutMemory:
    """Memory answer for one layout: every GPU's ledger, the pool in tokens, and the three answers.

    Raises ValueError for an unknown engine, a KV type that is not known, or stages that do not hold the layers.
    """
    profiles = profiles_for(settings.engine, settings.engine_version, settings.released or model.released)
    if not instances:
        nothing = Estimate.exact(0)
        return LayoutMemory("no", (), nothing, nothing, nothing, 0, 0.0, 0.0, message("memory.no_gpus"))
    length = settings.max_model_len or load.max_context_tokens or model.max_context_tokens
    holders = len(instances) * max(1, layout.data_parallel_attention)
    demand = Demand(
        users=None if load.users is None else math.ceil(load.users / holders),
        mean_tokens=load.context_tokens or length,
        longest_tokens=max(length, load.max_context_tokens or 0),
    )
    sized = _sized(model, weight_format, settings, layout, _kinds_of(instances, devices), devices, profiles, demand)
    answer = _combine(model, settings, layout, instances, devices, sized, load, policy, demand)
    newest = sized.newest
    if newest is None:
        return answer
    # Version not stated: the newest release is the optimistic end.
    kinds = _kind_of_each(newest, instances, devices)
    ranks = max(1, layout.data_parallel_attention)
    longest = answer.max_context_tokens
    if sized.reader is not None and answer.fit != "no":
        # An old release holds a request to what was asked; any newer one takes what the pool holds.
        reader = sized.reader.values()
        longest = max(longest, min(_holds(model, settings, ranks, copy, demand, 0.0).longest for copy in reader))
    return LayoutMemory(
        answer.fit,
        answer.per_gpu,
        _reach(answer.kv_cache_tokens, float(min(each.tokens for each in newest.values()))),
        _reach(answer.max_concurrency, float(min(each.concurrency for each in newest.values()))),
        _reach(answer.users_served, float(ranks * sum(math.floor(newest[kind].users) for kind in kinds))),
        longest,
        answer.weights_share,
        answer.headroom_share,
        answer.reason,
    )


@dataclass(frozen=True, slots=True)
class _Sized:
    """What does not depend on how many people ask: kept between edits of the load."""

    worst: Mapping[CopyKind, _Copy]
    """Copies by kind under the most demanding release."""
    low: Mapping[CopyKind, Capacity]
    high: Mapping[CopyKind, Capacity]
    newest: Mapping[CopyKind, Capacity] | None
    """The optimistic end under the newest release, when that is another one."""
    reader: Mapping[CopyKind, _Copy] | None = None
    """Copies under the newest release, where the most demanding one reads a prompt in one step."""


KEPT_SIZES = 2048
_sizes: OrderedDict[tuple[object, ...], tuple[ModelRecord, WeightFormat, _Sized]] = OrderedDict()


def _sized(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: ServeSettings,
    layout: LayoutLike,
    kinds: Mapping[CopyKind, InstanceLike],
    devices: Mapping[str, DeviceMemory],
    profiles: Sequence[EngineProfile],
    demand: Demand,
) -> _Sized:
    ranks = max(1, layout.data_parallel_attention)
    key = (
        (id(model), id(weight_format), settings, layout.expert_parallel, layout.data_parallel_attention),
        (demand.mean_tokens, demand.longest_tokens),
        tuple(kinds),
    )
    kept = _sizes.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        _sizes.move_to_end(key)
        return kept[2]
    ways = [
        {
            kind: _copy(model, weight_format, settings, layout, instance, devices, profile, demand)
            for kind, instance in kinds.items()
        }
        for profile in profiles
    ]
    worst = min(ways, key=lambda way: min(min(copy.pools) for copy in way.values()))
    anyone = Demand(None, demand.mean_tokens, demand.longest_tokens)

    def end(way: Mapping[CopyKind, _Copy], side: float) -> dict[CopyKind, Capacity]:
        return {
            kind: _holds(model, settings, ranks, copy, anyone, side * copy.profile.spread_bytes)
            for kind, copy in way.items()
        }

    newest = None if worst is ways[-1] else end(ways[-1], 1.0)
    whole = newest is not None and any(copy.profile.chunk == "unless_long" for copy in worst.values())
    made = _Sized(worst, end(worst, -1.0), end(worst, 1.0), newest, ways[-1] if whole else None)
    _sizes[key] = (model, weight_format, made)
    if len(_sizes) > KEPT_SIZES:
        _sizes.popitem(last=False)
    return made


def _reach(found: Estimate, high: float) -> Estimate:
    return Estimate(found.low, found.expected, max(found.high, high), found.unit, found.basis)


Kind = tuple[str, int, int, int, bool, bool, str]


def _kind(device: DeviceMemory) -> Kind:
    return (
        device.gpu,
        device.memory_bytes,
        device.visible_bytes,
        device.reserved_bytes,
        device.unified,
        device.small_batch_class,
        device.vendor,
    )


def _copy_kind(instance: InstanceLike, devices: Mapping[str, DeviceMemory]) -> CopyKind:
    return instance.layers_per_stage, tuple(tuple(_kind(devices[gpu]) for gpu in stage) for stage in instance.stages)


def _kinds_of(instances: Sequence[InstanceLike], devices: Mapping[str, DeviceMemory]) -> dict[CopyKind, InstanceLike]:
    """One instance of each kind."""
    if len(instances) == 1:
        return {_copy_kind(instances[0], devices): instances[0]}
    return {_copy_kind(instance, devices): instance for instance in instances}


def _kind_of_each(
    way: Mapping[CopyKind, object], instances: Sequence[InstanceLike], devices: Mapping[str, DeviceMemory]
) -> list[CopyKind]:
    if len(way) == 1:
        return list(way) * len(instances)
    return [_copy_kind(instance, devices) for instance in instances]


def _copy(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: ServeSettings,
    layout: LayoutLike,
    instance: InstanceLike,
    devices: Mapping[str, DeviceMemory],
    profile: EngineProfile,
    demand: Demand,
) -> _Copy:
    split = instance.layers_per_stage or stage_layers(model.layers, len(instance.stages))
    width = max(len(stage) for stage in instance.stages)
    weights = loaded_weights(
        model,
        weight_format,
        settings.engine,
        width,
        split,
        layout.expert_parallel,
        layout.data_parallel_attention,
        with_mtp=settings.speculative_tokens > 0 and model.parameters.mtp > 0,
    )
    group = sum(len(stage) for stage in instance.stages)
    smallest = min((devices[gpu] for stage in instance.stages for gpu in stage), key=lambda each: each.total_bytes)
    limits = batch_limits(
        profile,
        smallest,
        model,
        demand.longest_tokens,
        settings.max_num_batched_tokens,
        settings.max_num_seqs,
        chunked_prefill=settings.chunked_prefill,
    )
    stages: list[tuple[RankLedger, ...]] = []
    for number, stage in enumerate(instance.stages):
        last = number == len(instance.stages) - 1
        peak = working_memory(model, profile, limits, width, layout.expert_parallel, last=last)
        known: dict[Kind, RankLedger] = {}
        ranks: list[RankLedger] = []
        for gpu in stage:
            device = devices[gpu]
            kind = _kind(device)
            if kind not in known:
                known[kind] = rank_ledger(device, weights[number], peak, profile, settings, model, group, width)
            ranks.append(known[kind])
        stages.append(tuple(ranks))
    return _Copy(profile, split, width, limits, tuple(stages))


def _holds(
    model: ModelRecord, settings: ServeSettings, ways: int, copy: _Copy, demand: Demand, shift: float
) -> Capacity:
    """What one copy holds when its pools are ``shift`` bytes larger than expected."""
    pools = copy.pools if not shift else tuple(pool + shift for pool in copy.pools)
    return capacity(model, copy.profile, settings, pools, copy.split, max(1, copy.width // ways), copy.limits, demand)


def _combine(
    model: ModelRecord,
    settings: ServeSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
    sized: _Sized,
    load: ServeLoad,
    policy: Policy,
    demand: Demand,
) -> LayoutMemory:
    """Ledgers of all copies and the layout's answer: the weakest copy decides what every copy can do."""
    # Ranks with data-parallel attention hold requests of their own.
    ways = max(1, layout.data_parallel_attention)
    way = sized.worst
    held = {kind: _holds(model, settings, ways, copy, demand, 0.0) for kind, copy in way.items()}
    kinds = _kind_of_each(way, instances, devices)
    ledgers: list[GpuMemory] = []
    parts: dict[tuple[int, CopyKind], _Parts] = {}
    for instance, kind in zip(instances, kinds, strict=True):
        copy = way[kind]
        for names, stage, pool in zip(instance.stages, copy.stages, copy.pools, strict=True):
            for gpu_id, rank in zip(names, stage, strict=True):
                key = (id(rank), kind)
                if key not in parts:
                    parts[key] = _parts(rank, pool, held[kind])
                ledgers.append(GpuMemory(gpu_id, rank.device.gpu, *parts[key]))
    share = max(gpu.weights_bytes / max(1, gpu.memory_bytes) for gpu in ledgers)
    occupied = max(1 - (gpu.free_bytes - gpu.short_bytes) / max(1, gpu.memory_bytes) for gpu in ledgers)
    rows = [[side[kind] for kind in kinds] for side in (sized.low, held, sized.high)]
    people = [ways * sum(math.floor(each.users) for each in row) for row in rows]
    if people[1] >= len(kinds):
        # What starts holds a request in each copy: an answer that says it fits does not also say "0 users".
        people[0] = max(people[0], len(kinds))
    users = Estimate.spanning(_three(people))
    longest = min(each.longest for each in rows[1])
    fit, reason = _fit(ledgers, rows[1], users, longest, share, occupied, load, policy, demand)
    return LayoutMemory(
        fit=fit,
        per_gpu=tuple(ledgers),
        kv_cache_tokens=Estimate.spanning(_three([min(each.tokens for each in row) for row in rows]), "tokens"),
        max_concurrency=Estimate.spanning(_three([min(each.concurrency for each in row) for row in rows])),
        users_served=users,
        max_context_tokens=longest,
        weights_share=share,
        headroom_share=max(0.0, 1.0 - occupied),
        reason=reason,
    )


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])


def _fit(
    ledgers: list[GpuMemory],
    expected: list[Capacity],
    users: Estimate,
    longest: int,
    share: float,
    occupied: float,
    load: ServeLoad,
    policy: Policy,
    demand: Demand,
) -> tuple[Fit, Message | None]:
    """The three answers apart, and why the next one is not given (R22, R23)."""
    if not all(each.starts for each in expected):
        return "no", _why_not(ledgers, expected, demand)
    wanted = load.users or 1
    if users.expected < wanted or (load.users is not None and longest < demand.mean_tokens):
        return "starts", message("memory.load_too_large", users=wanted, users_served=int(users.expected))
    if load.users is not None:
        # A pool that the load nearly fills pushes requests out, whatever the engine leaves of the card (R23).
        occupied = max(occupied, *(each.needed_share for each in expected))
    if share > policy.weights_share_high or 1 - share < policy.headroom_low or occupied >= policy.occupied_stop:
        return "serves", message(
            "memory.no_reserve",
            weights_share=share,
            weights_limit_share=policy.weights_share_high,
            occupied_share=occupied,
            occupied_limit_share=policy.occupied_stop,
        )
    return "serves_with_reserve", None


_Parts = tuple[int, int, int, int, int, int, int, int]
"""memory, weights, KV of the load, activations, overhead, free, short, KV pool."""


def _parts(rank: RankLedger, pool: float, expected: Capacity) -> _Parts:
    """Parts that add up to the card; what is missing stands last but one."""
    memory = rank.device.memory_bytes
    weights = min(int(rank.weights), memory)
    activation = min(int(max(0.0, rank.activation)), memory - weights)
    overhead = min(int(max(0.0, rank.overhead)), memory - weights - activation)
    room = memory - weights - activation - overhead
    available = min(max(0, int(pool)), room)
    asked = pool * expected.needed_share if pool > 0 and math.isfinite(expected.needed_share) else 0.0
    kept = min(int(asked), available)
    short = 0
    if rank.pool < 0:
        short = int(-rank.pool)
    elif asked > available:
        short = int(asked - available)
    elif not expected.starts and math.isfinite(expected.request_share):
        short = max(0, int(pool * (expected.request_share - 1)))
    return memory, weights, kept, activation, overhead, room - kept, short, available


def _why_not(ledgers: list[GpuMemory], expected: list[Capacity], demand: Demand) -> Message:
    tightest = max(ledgers, key=lambda each: each.short_bytes)
    if tightest.weights_bytes >= tightest.memory_bytes:
        return message("memory.weights_too_large", gpu_id=tightest.gpu_id, short_bytes=tightest.short_bytes)
    if tightest.kv_pool_bytes <= 0:
        return message("memory.no_room_for_cache", gpu_id=tightest.gpu_id, short_bytes=tightest.short_bytes)
    return message(
        "memory.context_too_long",
        gpu_id=tightest.gpu_id,
        context_tokens=demand.longest_tokens,
        longest_tokens=min(each.longest for each in expected),
        short_bytes=tightest.short_bytes,
    )
