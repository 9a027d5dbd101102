"""Weights that spill into system memory: what each token reads there, and what that allows (llama.cpp and its kin)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, told
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.terms import Value

READ_SHARE = 0.8
"""Share of the peak rate of a memory that reading weights reaches."""
FILLED = 0.9
"""So much of the cards the weights may fill; the rest is for the work."""
FAST_TOKENS_PER_S = 20.0
"""A roof of reading above this says nothing: something else is slower."""
HOST_BYTES_PER_S = READ_SHARE * 2 * 8 * 5.6e9
"""What a desktop reads from its memory: two channels of DDR5-5600 (JEDEC: channels x 8 bytes x transfers)."""
TWO_CHANNELS, EIGHT_CHANNELS, TWELVE_CHANNELS = 2 * 8 * 5.6e9, 8 * 8 * 3.2e9, 12 * 8 * 4.8e9
"""Peak bytes/s: desktop DDR5-5600 with two channels, server DDR4-3200 with eight, server DDR5-4800 with twelve
(JEDEC: channels x 8 bytes x transfers per second)."""
SYSTEM_BYTES = 8e9
"""What the system itself keeps."""
USABLE_TOKENS_PER_S = 5.0
"""A chat that is asked for nothing else wants this much."""


def spilled_bytes(s: Situation) -> float:
    """What of the weights the cards of the largest server do not hold, a tenth of them kept for the work."""
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    return max(0.0, s.work.weights_bytes - FILLED * max(boxes, default=0.0))


def offload_rate(s: Situation, host_bytes_per_s: float = HOST_BYTES_PER_S) -> float | None:
    """Most tokens/s of one stream when what the cards lack is read from system memory; None without model or cards.

    1 / (active (1 - s) / card bandwidth + active s / host bandwidth), s the share of the weights in system memory.
    """
    if s.model is None or not s.shape.cards:
        return None
    active = s.work.weights_bytes * s.model.parameters.read_per_token_batch1 / max(1, s.model.parameters.total)
    share = spilled_bytes(s) / max(1, s.work.weights_bytes)
    card = READ_SHARE * min(record.memory_bandwidth.value for record in s.shape.kinds)
    return 1 / (active * (1 - share) / card + active * share / host_bytes_per_s)


def offload(s: Situation) -> Iterator[Finding]:
    """Bytes that a token reads from system memory against the rate of that memory; only for engines that do it."""
    if s.model is None or s.training or not s.shape.cards or s.workload.engine != "llama.cpp":
        return
    spills = s.chosen is not None and s.chosen.layout.offload
    if at_least(s.fit, "starts") and not spills:
        return
    weights = s.work.weights_bytes
    missing = spilled_bytes(s)
    if missing <= 0:
        return
    share = s.model.parameters.read_per_token_batch1 / max(1, s.model.parameters.total)
    active = weights * share
    read = active * missing / weights
    wanted = s.workload.tokens_per_s_per_user_limit or USABLE_TOKENS_PER_S
    card = max(card.record.memory_usable_bytes for card in s.shape.cards)
    memory = max((server.ram_gb or 0.0 for server, _ in s.shape.boxes), default=0.0)
    params: dict[str, Value] = {
        "missing_gb": _gb(missing),
        "ram_gb": memory or None,
        "need_gb": round((missing + SYSTEM_BYTES) / 1e9),
        "active_gb": _gb(active),
        "read_gb": _gb(read),
        "desktop_tokens_per_s": offload_rate(s, TWO_CHANNELS * READ_SHARE),
        "desktop_bytes_per_s": TWO_CHANNELS * READ_SHARE,
        "server_tokens_per_s": offload_rate(s, EIGHT_CHANNELS * READ_SHARE),
        "server_bytes_per_s": EIGHT_CHANNELS * READ_SHARE,
        "large_tokens_per_s": offload_rate(s, TWELVE_CHANNELS * READ_SHARE),
        "large_bytes_per_s": TWELVE_CHANNELS * READ_SHARE,
        "wanted_tokens_per_s": wanted,
        "wanted_bytes_per_s": wanted * read,
        "spilled_share": missing / weights,
        "card_share": min(1.0, card / weights),
    }
    known = memory > 0
    if known and memory * 1e9 < missing + SYSTEM_BYTES:
        yield told("memory.host.short", STEP, (s.workload.id,), do("memory.host.less"), params=params)
        return
    if (offload_rate(s) or 0.0) > FAST_TOKENS_PER_S:
        # Little is read there: what the processor computes, not the rate of the memory, sets the pace.
        yield told(
            "memory.host.little", STEP if spills else NOTE, (s.workload.id,), do("memory.host.test"), params=params
        )
        return
    yield told(
        "memory.host.roof" if known else "memory.host.ask",
        STEP if spills else NOTE,
        (s.workload.id,),
        do("memory.host.channels"),
        basis="calculated",
        params=params,
    )


def _gb(size_bytes: float) -> float:
    size = size_bytes / 1e9
    return round(size) if size >= 20 else round(size, 1)
