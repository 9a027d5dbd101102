"""Fewer bits on the same cards: what they take and the room that they leave (R22)."""

from __future__ import annotations

from configurator.advice.findings.common import do
from configurator.advice.situation import Situation
from configurator.scaling.support import gap
from configurator.terms import Message, Value

LESS_SHARE = 0.9
"""Four bits are advised where they take less than this share of what the weights take now."""
FOUR_BITS = "awq-int4"
FOUR_BITS_GGUF = "q4_k_m"


def same_cards(s: Situation) -> Message | None:
    """Fewer bits on the very same cards: what they take, and the room that they leave; None where no format runs."""
    weights, cards = s.work.weight_format, [s.shape.by_id[each] for each in s.copy_cards if each in s.shape.by_id]
    if s.chosen is None or weights is None or s.work.size_at is None or not cards:
        return None
    label = sum(card.record.memory_label_gb for card in cards)
    copy = {card.gpu.id for card in cards}
    pool = sum(row.kv_pool_bytes for row in s.chosen.memory.per_gpu if row.gpu_id in copy)
    tokens = s.chosen.memory.kv_cache_tokens.expected
    found: list[tuple[str, int, int]] = []
    gguf = s.workload.engine == "llama.cpp"
    eight, four = (("q8_0",), ("q4_k_m",)) if gguf else (("fp8", "int8"), (FOUR_BITS, "gptq-int4"))
    for bits, names in (("reserve.eight", eight), ("reserve.four", four)):
        for name in names:
            record = s.catalogue.weight_formats.get(name)
            if record is None or record.bits > LESS_SHARE * weights.bits:
                continue
            size = s.work.size_at(name)
            runs = all(gap(s.workload.engine, card.record, record) is None for card in cards)
            if runs and size <= LESS_SHARE * s.work.weights_bytes:
                # What the weights no longer take goes to the pool, token by token as it is counted now.
                saved = s.work.weights_bytes - size
                found.append((bits, size, int(tokens * (pool + saved) / pool) if pool > 0 else 0))
                break
    if not found:
        return None
    params: dict[str, Value] = {}
    for place, (name, size, room) in zip(("wide", "narrow"), found, strict=False):
        params |= {
            f"{place}_code": name,
            f"{place}_gb": gigabytes(size),
            f"{place}_share": size / 1e9 / label,
            f"{place}_room_tokens": round_tokens(max(0, room)),
        }
    # The widest that keeps to the usual share of the cards is the one to take.
    fitting = [name for name, size, _ in found if size / 1e9 <= s.policy.weights_share_high * label]
    params["best_code"] = fitting[0] if fitting else found[-1][0]
    return do("memory.reserve.two" if len(found) > 1 else "memory.reserve.one", gpus=len(cards), **params)


def round_tokens(tokens: float) -> int:
    """Tokens as a room is told: thousands, hundreds of few."""
    return int(round(tokens, -3 if tokens >= 10_000 else -2))


def gigabytes(size_bytes: float) -> float:
    """Whole gigabytes; what is less than ten keeps two figures, so that little is not told as nothing."""
    size = size_bytes / 1e9
    return round(size) if size >= 10 else float(f"{size:.2g}")
