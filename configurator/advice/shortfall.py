"""Why nothing starts, in figures: engine or format refuse, the weights exceed the memory, or one card lacks room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.advice.situation import Situation, at_least, starts_shorter
from configurator.scaling.support import Gap, gap

ShortKind = Literal["refused", "weights", "context", "card", "rest", "state"]

OTHER_ENGINES = ("vllm", "sglang", "llama.cpp")
OTHER_FORMATS = ("gptq-int4", "awq-int4", "gptq-int8", "int8", "fp16", "bf16")
PLENTY_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What is missing. Bytes; ``short_bytes`` on the fullest card of the nearest layout, 0: not said."""

    kind: ShortKind
    weights_bytes: int
    memory_bytes: int
    """Usable memory of the largest server."""
    label_gb: float
    gpus: int
    short_bytes: int = 0
    lacking: Gap | None = None


def shortfall(s: Situation) -> Shortfall | None:
    """Why the model starts on no layout of the owner's cards; None where it does, or without model or cards."""
    if s.model is None or not s.shape.cards or at_least(s.fit, "starts"):
        return None
    boxes = [cards for _, cards in s.shape.boxes]
    largest = max(boxes, key=lambda cards: sum(card.record.memory_usable_bytes for card in cards))
    memory = sum(card.record.memory_usable_bytes for card in largest)
    label = sum(card.record.memory_label_gb for card in largest)
    weights = s.work.weights_bytes
    lacking = refused(s)
    if lacking is not None:
        return Shortfall("refused", weights, memory, label, len(largest), 0, lacking)
    if weights > memory:
        return Shortfall("weights", weights, memory, label, len(largest))
    if s.training:
        return Shortfall("state", weights, memory, label, len(largest))
    cause = s.chosen.memory.reason if s.chosen is not None else None
    short = cause.get("short_bytes") if cause is not None else None
    kind: ShortKind = "context" if starts_shorter(s.chosen) else "rest"
    if kind == "rest" and memory - weights >= PLENTY_SHARE * memory:
        # Enough is left in sum: how it falls on the cards is what fails.
        kind = "card"
    return Shortfall(kind, weights, memory, label, len(largest), short if isinstance(short, int) else 0)


def refused(s: Situation) -> Gap | None:
    """What engine or format lacks on every card of the plan; None while one card runs them, and in training."""
    weights = s.work.weight_format
    if weights is None or s.training:
        return None
    gaps = [gap(s.workload.engine, record, weights) for record in s.shape.kinds]
    return gaps[0] if gaps and all(each is not None for each in gaps) else None


def ways_to_run(s: Situation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(engines that run this format on every card, formats that this engine runs on every card), as ids."""
    weights, records = s.work.weight_format, s.shape.kinds
    if weights is None:
        return (), ()
    engines = tuple(each for each in OTHER_ENGINES if all(gap(each, record, weights) is None for record in records))
    formats = tuple(
        each
        for each in OTHER_FORMATS
        if all(gap(s.workload.engine, record, s.catalogue.weight_formats[each]) is None for record in records)
        and (not all(not record.native_bf16 for record in records) or each != "bf16")
    )
    return engines, formats
