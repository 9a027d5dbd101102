"""Memory and speed of a candidate: equal copies are asked once and multiplied, answers are kept between edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from configurator.scaling.candidates import Candidate, Copies
from configurator.scaling.results import Speed, TrainingSpeed
from configurator.sizing.results import FIT_ORDER, GpuMemory, LayoutMemory
from configurator.terms import Estimate, Message, message


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engines answered for one candidate."""

    memory: LayoutMemory
    speed: Speed | None
    training: TrainingSpeed | None = None


def added(parts: Sequence[Estimate]) -> Estimate:
    """The sum of independent copies."""
    return Estimate(
        sum(each.low for each in parts),
        sum(each.expected for each in parts),
        sum(each.high for each in parts),
        parts[0].unit,
        parts[0].basis,
    )


def smallest(parts: Sequence[Estimate]) -> Estimate:
    """The smallest of the parts, figure by figure."""
    return replace(
        parts[0],
        low=min(each.low for each in parts),
        expected=min(each.expected for each in parts),
        high=min(each.high for each in parts),
    )


def mean(parts: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """The mean weighted by how much work each part does."""
    total = sum(weights) or 1.0
    return replace(
        parts[0],
        low=sum(each.low * w for each, w in zip(parts, weights, strict=True)) / total,
        expected=sum(each.expected * w for each, w in zip(parts, weights, strict=True)) / total,
        high=sum(each.high * w for each, w in zip(parts, weights, strict=True)) / total,
    )


def joined_memory(parts: Sequence[LayoutMemory], counts: Sequence[int]) -> LayoutMemory:
    """Several kinds of copies as one service: users add, the tightest card speaks for the shares."""
    if len(parts) == 1 and counts[0] == 1:
        return parts[0]
    tight = min(parts, key=lambda each: each.headroom_share)
    return LayoutMemory(
        fit=min((each.fit for each in parts), key=FIT_ORDER.index),
        per_gpu=tuple(gpu for each in parts for gpu in each.per_gpu),
        kv_cache_tokens=smallest([each.kv_cache_tokens for each in parts]),
        max_concurrency=smallest([each.max_concurrency for each in parts]),
        users_served=added([each.users_served.scaled(n) for each, n in zip(parts, counts, strict=True)]),
        max_context_tokens=min(each.max_context_tokens for each in parts),
        weights_share=max(each.weights_share for each in parts),
        headroom_share=tight.headroom_share,
        reason=next((each.reason for each in parts if each.reason is not None), None),
    )


def joined_speed(parts: Sequence[Speed], counts: Sequence[int]) -> Speed:
    """Several kinds of copies under routing by their rate: rates add, times are the mean a request sees."""
    if len(parts) == 1:
        one, n = parts[0], counts[0]
        if n == 1:
            return one
        return replace(
            one,
            output_tokens_per_s=one.output_tokens_per_s.scaled(n),
            prefill_tokens_per_s=one.prefill_tokens_per_s.scaled(n),
            users_in_flight=one.users_in_flight.scaled(n),
        )
    rates = [each.output_tokens_per_s.expected * n for each, n in zip(parts, counts, strict=True)]
    worst = parts[max(range(len(parts)), key=lambda n: rates[n])]
    return replace(
        worst,
        output_tokens_per_s=added([each.output_tokens_per_s.scaled(n) for each, n in zip(parts, counts, strict=True)]),
        prefill_tokens_per_s=added(
            [each.prefill_tokens_per_s.scaled(n) for each, n in zip(parts, counts, strict=True)]
        ),
        users_in_flight=added([each.users_in_flight.scaled(n) for each, n in zip(parts, counts, strict=True)]),
        output_tokens_per_s_per_user=mean([each.output_tokens_per_s_per_user for each in parts], rates),
        time_to_first_token_s=mean([each.time_to_first_token_s for each in parts], rates),
        time_per_output_token_s=mean([each.time_per_output_token_s for each in parts], rates),
        saturated=all(each.saturated for each in parts),
        calibrated=all(each.calibrated for each in parts),
    )


def nothing_fits(short_bytes: int, gpus: Sequence[tuple[str, str, int]], reason: Message | None = None) -> LayoutMemory:
    """The memory answer of a layout whose weights alone do not fit, or that was refused before sizing."""
    zero = Estimate.exact(0.0, "tokens")
    return LayoutMemory(
        fit="no",
        per_gpu=tuple(GpuMemory(card, gpu, memory, memory, 0, 0, 0, 0, short_bytes) for card, gpu, memory in gpus),
        kv_cache_tokens=zero,
        max_concurrency=Estimate.exact(0.0),
        users_served=Estimate.exact(0.0),
        max_context_tokens=0,
        weights_share=1.0 if short_bytes else 0.0,
        headroom_share=0.0,
        reason=reason or message("layout.memory_short", short_bytes=short_bytes),
    )


def users_by_copy(candidate: Candidate, users: int | None, weights: Sequence[float]) -> list[int | None]:
    """Users of one copy of each kind when requests are routed by ``weights`` (rate of one copy of each kind)."""
    if users is None:
        return [None] * len(candidate.copies)
    total = sum(w * each.count for w, each in zip(weights, candidate.copies, strict=True)) or 1.0
    return [max(1, -(-round(users * w / total * 1000) // 1000)) for w in weights]


def expand_memory(
    memory: LayoutMemory, candidate: Candidate, cards: dict[Copies, Sequence[Sequence[str]]]
) -> LayoutMemory:
    """Per-GPU rows of every copy from the rows of the first of each kind."""
    rows: list[GpuMemory] = []
    by_id = {row.gpu_id: row for row in memory.per_gpu}
    for copies in candidate.copies:
        every = cards[copies]
        first = [by_id[gpu] for gpu in every[0] if gpu in by_id]
        for ids in every:
            rows += [
                row if row.gpu_id == gpu else replace(row, gpu_id=gpu) for row, gpu in zip(first, ids, strict=False)
            ]
    return replace(memory, per_gpu=tuple(rows))
