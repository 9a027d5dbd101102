"""What the pools of one copy hold: tokens, full-length requests, people, and the longest context."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from configurator.catalogue.records import ModelRecord
from configurator.sizing.activations import BatchLimits
from configurator.sizing.pools import PagePlan, TokenCost, base_block, page_plan, token_cost
from configurator.sizing.profiles import EngineProfile
from configurator.sizing.settings import ServeSettings


@dataclass(frozen=True, slots=True)
class Demand:
    """What one copy is asked to hold."""

    users: int | None
    mean_tokens: int
    longest_tokens: int
    """Longest request the engine must be able to take when it starts."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What the pools of one copy hold. ``needed_share`` and ``request_share``: of the pool, what the asked load and
    one longest request take; above 1 they do not fit."""

    starts: bool
    tokens: int
    concurrency: float
    users: float
    longest: int
    needed_share: float
    request_share: float


def capacity(
    model: ModelRecord,
    profile: EngineProfile,
    settings: ServeSettings,
    stage_bytes: tuple[float, ...],
    split: tuple[int, ...],
    attention_ranks: int,
    limits: BatchLimits,
    demand: Demand,
) -> Capacity:
    """Capacity of one copy whose stages have ``stage_bytes`` of pool on their tightest GPU."""
    draft = 1 if settings.speculative_tokens > 0 and model.parameters.mtp > 0 else 0
    if profile.engine == "vllm":
        plan = page_plan(
            model,
            profile,
            settings.kv_cache,
            attention_ranks,
            split,
            block=settings.block_tokens,
            speculative_tokens=settings.speculative_tokens,
            draft_layers=draft,
        )
        return _paged(model, profile, settings, stage_bytes, limits, demand, plan)
    cost = token_cost(model, profile, settings.kv_cache, attention_ranks, split, draft)
    return _plain(model, profile, settings, stage_bytes, demand, cost)


def _paged(
    model: ModelRecord,
    profile: EngineProfile,
    settings: ServeSettings,
    stage_bytes: tuple[float, ...],
    limits: BatchLimits,
    demand: Demand,
    plan: PagePlan,
) -> Capacity:
    enough = all(have > 0 for have in stage_bytes)
    if not plan.groups:
        many = float(limits.sequences)
        return Capacity(enough, 0, many, many, demand.longest_tokens, 0.0, 0.0)
    sharded = max(1, settings.decode_context_parallel)
    blocks = plan.blocks(stage_bytes)
    in_flight = min(limits.tokens, demand.longest_tokens)

    def request(tokens: int, flight: int) -> int:
        return plan.request_blocks(math.ceil(tokens / sharded), flight)

    full = request(demand.longest_tokens, in_flight)
    concurrency = blocks / full
    tokens = plan.printed_tokens(blocks) * sharded
    if profile.tokens_by_concurrency:
        tokens = int(concurrency * demand.longest_tokens)
    starts = enough and blocks >= full
    if settings.max_num_seqs is not None and plan.has_states and not settings.enforce_eager:
        # Graphs are captured for every sequence slot, and each slot needs a page for its state.
        starts = starts and blocks >= settings.max_num_seqs
    # While answering, a window holds one token in flight; few requests are in their prompt at a time.
    per_user = request(demand.mean_tokens, 1)
    held = blocks / per_user
    if settings.max_num_seqs is not None:
        held = min(held, settings.max_num_seqs)
    count = max(demand.users or 1, 1)
    each = blocks // count

    def held_by_all(size: int) -> bool:
        # One of the people is in the prompt, the others in their answers.
        return request(size, min(limits.tokens, size)) + (count - 1) * request(size, 1) <= blocks

    # Where every layer grows with the request, its blocks say how long it may be.
    only = plan.groups[0] if len(plan.groups) == 1 and plan.groups[0].growth == "full" else None
    most = each * only.block * sharded if only is not None else None
    return Capacity(
        starts,
        tokens,
        concurrency,
        held,
        _longest(held_by_all, model, demand, whole_prompts=profile.chunk == "unless_long", most=most),
        _share(count * per_user, blocks),
        _share(full, blocks),
    )


def _share(asked: float, have: float) -> float:
    return asked / have if have else math.inf


def _plain(
    model: ModelRecord,
    profile: EngineProfile,
    settings: ServeSettings,
    stage_bytes: tuple[float, ...],
    demand: Demand,
    cost: TokenCost,
) -> Capacity:
    sharded = max(1, settings.decode_context_parallel)
    enough = all(size > 0 for size in stage_bytes)
    room = tuple(max(0.0, size) for size in stage_bytes)
    states = math.inf
    if profile.state_share and any(cost.state_bytes):
        # SGLang cuts the pool in two: recurrent states and cached tokens.
        part = profile.state_share / (1 + profile.state_share)
        states = min(size * part // state for size, state in zip(room, cost.state_bytes, strict=True) if state)
        room = tuple(size * (1 - part) if state else size for size, state in zip(room, cost.state_bytes, strict=True))
    per_token = [
        full + window * profile.window_share for full, window in zip(cost.full_bytes, cost.window_bytes, strict=True)
    ]
    page = base_block(model, profile) if profile.engine == "sglang" else profile.block
    held_tokens = min((size // need for size, need in zip(room, per_token, strict=True) if need), default=0.0)
    total = int(held_tokens) // page * page * sharded

    def request_bytes(size: int) -> tuple[float, ...]:
        rows = math.ceil(size / page) * page / sharded
        kept = min(rows, cost.window + 512) if cost.window else rows
        return tuple(
            rows * full + kept * window + (0.0 if profile.state_share else state)
            for full, window, state in zip(cost.full_bytes, cost.window_bytes, cost.state_bytes, strict=True)
        )

    def requests(size: int) -> float:
        return min(
            (have / need for have, need in zip(room, request_bytes(size), strict=True) if need > 0), default=math.inf
        )

    full_length = min(requests(demand.longest_tokens), states)
    starts = enough and states >= 1 and (total > 0 or not any(per_token))
    if profile.engine != "sglang":
        starts = starts and full_length >= 1
    mean = requests(demand.mean_tokens)
    held = min(mean, states, settings.max_num_seqs or math.inf)
    count = max(demand.users or 1, 1)
    return Capacity(
        starts,
        total,
        full_length if math.isfinite(full_length) else 0.0,
        held if math.isfinite(held) else 0.0,
        _longest(lambda size: requests(size) >= count and states >= count, model, demand),
        _share(count, mean),
        _share(1.0, requests(demand.longest_tokens)),
    )


def _longest(
    fits: Callable[[int], bool],
    model: ModelRecord,
    demand: Demand,
    *,
    whole_prompts: bool = False,
    most: int | None = None,
) -> int:
    """Largest context that fits, by halving; at most the model's own limit, whatever was asked.

    ``whole_prompts``: the engine reads a prompt in one step, so a longer one would take working memory that these
    pools do not leave: the asked length is the limit. ``most``: the largest that fits, where it is known.
    """
    low, high = 0, model.max_context_tokens or demand.longest_tokens
    if whole_prompts:
        high = min(high, demand.longest_tokens)
    if most is not None:
        return min(high, most)
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low
