"""Does a served model fit a layout, with how many tokens and people: the memory ledger of every GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Policy
from configurator.sizing.activations import batch_limits
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
    """One copy of the model: its GPUs' ledgers, stage by stage, and what it holds (low, expected, high)."""

    stages: tuple[tuple[RankLedger, ...], ...]
    holds: tuple[Capacity, Capacity, Capacity]


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
    worst: tuple[float, LayoutMemory] | None = None
    newest: LayoutMemory | None = None
    for profile in profiles_for(settings.engine, settings.engine_version, settings.released or model.released):
        pool, answer = _size(model, weight_format, settings, layout, instances, devices, load, policy, profile)
        if worst is None or pool < worst[0]:
            worst = (pool, answer)
        newest = answer
    if worst is None or newest is None:
        raise ValueError(f"no memory profile for engine {settings.engine!r}")
    if worst[1] is newest:
        return newest
    # Version not stated: the newest release is the optimistic end.
    return replace(
        worst[1],
        kv_cache_tokens=_reach(worst[1].kv_cache_tokens, newest.kv_cache_tokens),
        max_concurrency=_reach(worst[1].max_concurrency, newest.max_concurrency),
        users_served=_reach(worst[1].users_served, newest.users_served),
    )


def _reach(low: Estimate, high: Estimate) -> Estimate:
    return replace(low, high=max(low.high, high.high))


def _size(
    model: ModelRecord,
    weight_format: WeightFormat,
    settings: ServeSettings,
    layout: LayoutLike,
    instances: Sequence[InstanceLike],
    devices: Mapping[str, DeviceMemory],
    load: ServeLoad,
    policy: Policy,
    profile: EngineProfile,
) -> tuple[float, LayoutMemory]:
    """The tightest pool in bytes, and the answer, under one engine profile."""
    if not instances:
        nothing = Estimate.exact(0)
        return 0.0, LayoutMemory("no", (), nothing, nothing, nothing, 0, 0.0, 0.0, message("memory.no_gpus"))
    length = settings.max_model_len or load.max_context_tokens or model.max_context_tokens
    demand = Demand(
        users=None if load.users is None else math.ceil(load.users / len(instances)),
        mean_tokens=load.context_tokens or length,
        longest_tokens=max(length, load.max_context_tokens or 0),
    )
    done: dict[tuple[object, ...], _Copy] = {}
    copies: list[_Copy] = []
    for instance in instances:
        key = (
            instance.layers_per_stage,
            tuple(tuple(_kind(devices[gpu]) for gpu in stage) for stage in instance.stages),
        )
        if key not in done:
            done[key] = _copy(model, weight_format, settings, layout, instance, devices, profile, demand)
        copies.append(done[key])
    tightest = min(rank.pool for copy in copies for stage in copy.stages for rank in stage)
    return tightest, _combine(instances, copies, load, policy, demand)


def _kind(device: DeviceMemory) -> tuple[str, int, int, int]:
    return device.gpu, device.memory_bytes, device.visible_bytes, device.reserved_bytes


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
        stages.append(
            tuple(
                rank_ledger(devices[gpu], weights[number], peak, profile, settings, model, group, width)
                for gpu in stage
            )
        )
    pools = tuple(min(rank.pool for rank in stage) for stage in stages)
    ranks = max(1, width // max(1, layout.data_parallel_attention))

    def holds(shift: float) -> Capacity:
        moved = tuple(pool + shift for pool in pools)
        return capacity(model, profile, settings, moved, split, ranks, limits, demand)

    return _Copy(tuple(stages), (holds(-profile.spread_bytes), holds(0.0), holds(profile.spread_bytes)))


def _combine(
    instances: Sequence[InstanceLike], copies: list[_Copy], load: ServeLoad, policy: Policy, demand: Demand
) -> LayoutMemory:
    """Ledgers of all copies and the layout's answer: the weakest copy decides what every copy can do."""
    ledgers: list[GpuMemory] = []
    for instance, copy in zip(instances, copies, strict=True):
        for names, stage in zip(instance.stages, copy.stages, strict=True):
            pool = min(rank.pool for rank in stage)
            ledgers.extend(
                _ledger(rank, gpu_id, pool, copy.holds[1]) for gpu_id, rank in zip(names, stage, strict=True)
            )
    share = max(gpu.weights_bytes / max(1, gpu.memory_bytes) for gpu in ledgers)
    occupied = max(1 - (gpu.free_bytes - gpu.short_bytes) / max(1, gpu.memory_bytes) for gpu in ledgers)
    expected = [copy.holds[1] for copy in copies]
    users = Estimate.spanning(_three([sum(math.floor(each.users) for each in row) for row in _rows(copies)]))
    longest = min(each.longest for each in expected)
    fit, reason = _fit(ledgers, expected, users, longest, share, occupied, load, policy, demand)
    return LayoutMemory(
        fit=fit,
        per_gpu=tuple(ledgers),
        kv_cache_tokens=Estimate.spanning(
            _three([min(each.tokens for each in row) for row in _rows(copies)]), "tokens"
        ),
        max_concurrency=Estimate.spanning(_three([min(each.concurrency for each in row) for row in _rows(copies)])),
        users_served=users,
        max_context_tokens=longest,
        weights_share=share,
        headroom_share=max(0.0, 1.0 - occupied),
        reason=reason,
    )


def _rows(copies: list[_Copy]) -> list[list[Capacity]]:
    """Capacities of all copies: low, expected, high."""
    return [[copy.holds[index] for copy in copies] for index in range(3)]


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
    if share > policy.weights_share_high or 1 - share < policy.headroom_low or occupied >= policy.occupied_stop:
        return "serves", message(
            "memory.no_reserve",
            weights_share=share,
            weights_limit_share=policy.weights_share_high,
            occupied_share=occupied,
            occupied_limit_share=policy.occupied_stop,
        )
    return "serves_with_reserve", None


def _ledger(rank: RankLedger, gpu_id: str, pool: float, expected: Capacity) -> GpuMemory:
    """Parts that add up to the card; what is missing stands in ``short_bytes``."""
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
    return GpuMemory(
        gpu_id=gpu_id,
        gpu=rank.device.gpu,
        memory_bytes=memory,
        weights_bytes=weights,
        kv_cache_bytes=kept,
        activation_bytes=activation,
        overhead_bytes=overhead,
        free_bytes=room - kept,
        short_bytes=short,
        kv_pool_bytes=available,
    )


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
