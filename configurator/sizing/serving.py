"""Does a served model fit a layout, with how many tokens and people: the memory ledger of every GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


Holds = tuple[Capacity, Capacity, Capacity]
"""Low, expected, high."""


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
    kinds = _kinds_of(instances, devices)
    ways = [
        {
            kind: _copy(model, weight_format, settings, layout, instance, devices, profile, demand)
            for kind, instance in kinds.items()
        }
        for profile in profiles
    ]
    worst = min(ways, key=lambda way: min(min(copy.pools) for copy in way.values()))
    answer = _combine(model, settings, layout, instances, devices, worst, load, policy, demand)
    if worst is ways[-1]:
        return answer
    # Version not stated: the newest release is the optimistic end.
    newest = _combine(model, settings, layout, instances, devices, ways[-1], load, policy, demand)
    return replace(
        answer,
        kv_cache_tokens=_reach(answer.kv_cache_tokens, newest.kv_cache_tokens),
        max_concurrency=_reach(answer.max_concurrency, newest.max_concurrency),
        users_served=_reach(answer.users_served, newest.users_served),
    )


def _reach(low: Estimate, high: Estimate) -> Estimate:
    return replace(low, high=max(low.high, high.high))


def _kind(device: DeviceMemory) -> tuple[str, int, int, int]:
    return device.gpu, device.memory_bytes, device.visible_bytes, device.reserved_bytes


CopyKind = tuple[object, ...]
"""Layers by stage and kinds of GPUs: equal ones hold the same."""


def _copy_kind(instance: InstanceLike, devices: Mapping[str, DeviceMemory]) -> CopyKind:
    return instance.layers_per_stage, tuple(tuple(_kind(devices[gpu]) for gpu in stage) for stage in instance.stages)


def _kinds_of(instances: Sequence[InstanceLike], devices: Mapping[str, DeviceMemory]) -> dict[CopyKind, InstanceLike]:
    """One instance of each kind."""
    if len(instances) == 1:
        return {_copy_kind(instances[0], devices): instances[0]}
    return {_copy_kind(instance, devices): instance for instance in instances}


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
        known: dict[tuple[str, int, int, int], RankLedger] = {}
        for gpu in stage:
            device = devices[gpu]
            if _kind(device) not in known:
                known[_kind(device)] = rank_ledger(
                    device, weights[number], peak, profile, settings, model, group, width
                )
        stages.append(tuple(known[_kind(devices[gpu])] for gpu in stage))
    return _Copy(profile, split, width, limits, tuple(stages))


def _holds(model: ModelRecord, settings: ServeSettings, layout: LayoutLike, copy: _Copy, demand: Demand) -> Holds:
    ranks = max(1, copy.width // max(1, layout.data_parallel_attention))
    pools = copy.pools

    def shifted(shift: float) -> Capacity:
        moved = tuple(pool + shift for pool in pools)
        return capacity(model, copy.profile, settings, moved, copy.split, ranks, copy.limits, demand)

    spread = copy.profile.spread_bytes
    return shifted(-spread), shifted(0.0), shifted(spread)


def _combine(
    model: ModelRecord,
    settings: ServeSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
    way: Mapping[CopyKind, _Copy],
    load: ServeLoad,
    policy: Policy,
    demand: Demand,
) -> LayoutMemory:
    """Ledgers of all copies and the layout's answer: the weakest copy decides what every copy can do."""
    held = {kind: _holds(model, settings, layout, copy, demand) for kind, copy in way.items()}
    if len(way) == 1:
        kinds = [next(iter(way))] * len(instances)
    else:
        kinds = [_copy_kind(instance, devices) for instance in instances]
    ledgers: list[GpuMemory] = []
    parts: dict[tuple[int, CopyKind], _Parts] = {}
    for instance, kind in zip(instances, kinds, strict=True):
        copy = way[kind]
        for names, stage, pool in zip(instance.stages, copy.stages, copy.pools, strict=True):
            for gpu_id, rank in zip(names, stage, strict=True):
                key = (id(rank), kind)
                if key not in parts:
                    parts[key] = _parts(rank, pool, held[kind][1])
                ledgers.append(GpuMemory(gpu_id, rank.device.gpu, *parts[key]))
    share = max(gpu.weights_bytes / max(1, gpu.memory_bytes) for gpu in ledgers)
    occupied = max(1 - (gpu.free_bytes - gpu.short_bytes) / max(1, gpu.memory_bytes) for gpu in ledgers)
    rows = [[held[kind][index] for kind in kinds] for index in range(3)]
    # Ranks with data-parallel attention hold requests of their own.
    ways = max(1, layout.data_parallel_attention)
    users = Estimate.spanning(_three([ways * sum(math.floor(each.users) for each in row) for row in rows]))
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
