"""Which splits the model allows: query heads, KV heads, blocks of quantised weights, and the ways round (R06)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Literal

from configurator.advice.findings.common import NOTE, STOP, change, do, told
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.scaling.splits import cut_block, divisors, expert_degrees, plain_degrees, tensor_degrees
from configurator.terms import Message, Value

if TYPE_CHECKING:
    from configurator.catalogue.records import ModelRecord, WeightFormat

POWERS = (2, 4, 8)
"""Splits that people try first."""
MOST = 16
"""Wider splits are not worth a list."""
WEIGHTS_SHARE = 0.7
"""So much of a card a scheduler fills with weights when it counts the cards that a model needs."""

Cause = Literal["heads", "kv", "experts", "mlp"]
CAUSES: tuple[Cause, ...] = ("heads", "kv", "experts", "mlp")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A tensor degree that cannot be, and which of the numbers refuses it."""

    tensor: int
    cause: Cause
    width: int = 0
    block: int = 0


def refusal(model: ModelRecord, weight_format: WeightFormat, tensor: int) -> Refusal | None:
    """Why a plain split over so many cards is refused; None where it is valid."""
    if tensor < 2 or tensor in plain_degrees(model, weight_format):
        return None
    if model.attention_heads % tensor:
        return Refusal(tensor, "heads")
    if tensor not in tensor_degrees(model):
        return Refusal(tensor, "kv")
    cut = cut_block(model, weight_format, tensor)
    if cut is None:
        return None
    return Refusal(tensor, "experts" if cut[0] == "experts" else "mlp", cut[1], cut[2])


def fullest_box(s: Situation) -> int:
    """Cards of the fullest server."""
    return max((len(cards) for _, cards in s.shape.boxes), default=0)


def by_memory(s: Situation) -> int:
    """Cards that a scheduler would take that looks at memory alone."""
    label = min((card.record.memory_label_gb for card in s.shape.cards), default=1.0)
    return ceil(s.work.weights_bytes / (WEIGHTS_SHARE * label * 1e9))


def tried(s: Situation) -> list[int]:
    """Splits that suggest themselves, the most likely first: all cards of a server, the fewest that hold the weights,
    powers of two; with one card in each server, all of them."""
    box = fullest_box(s)
    # A count over half of the cards takes the whole server anyway.
    memory = by_memory(s) if by_memory(s) <= box // 2 else box
    return [each for each in dict.fromkeys((box, memory, *POWERS)) if 2 <= each <= box] or (
        [len(s.shape.cards)] if len(s.copy_cards) > 1 and len(s.shape.cards) <= MOST else []
    )


def divisibility(s: Situation) -> Iterator[Finding]:
    """Each number that refuses a split, told once, with what is valid instead."""
    model, weights, wish = s.model, s.work.weight_format, s.workload.tensor_parallel
    if model is None or weights is None or s.training:
        return
    if s.workload.engine == "llama.cpp" and wish is None:
        # It cuts by layers: nothing has to divide.
        return
    told_causes: set[Cause] = set()
    if wish is not None:
        wrong = refusal(model, weights, wish)
        if wrong is not None:
            told_causes.add(wrong.cause)
            yield _told(s, model, weights, wrong, stop=True)
    # Where one card holds it nothing has to be cut: only the split over all cards is worth a word.
    for tensor in tried(s) if s.cards_needed != 1 else tried(s)[:1]:
        wrong = refusal(model, weights, tensor)
        if wrong is None or wrong.cause in told_causes:
            continue
        told_causes.add(wrong.cause)
        yield _told(s, model, weights, wrong, stop=False)
    box = fullest_box(s)
    if box > 1 and box & (box - 1) and refusal(model, weights, box) is None:
        others: dict[str, Value] = {"tensor_count": box, "heads": model.attention_heads}
        yield told("split.cut.others", NOTE, (s.workload.id,), rule="R06", basis="vendor", params=others)
    tensor = s.chosen.layout.tensor_parallel if s.chosen else 1
    if tensor > model.kv_heads > 0:
        params: dict[str, Value] = {"tensor_count": tensor, "kv_count": model.kv_heads}
        yield told("split.heads.kv", NOTE, (s.workload.id,), basis="vendor", params=params)


def _told(s: Situation, model: ModelRecord, weights: WeightFormat, wrong: Refusal, stop: bool) -> Finding:
    most = max(fullest_box(s), 2)
    valid = tuple(each for each in plain_degrees(model, weights) if each <= most)
    code = f"split.cut.{wrong.cause}"
    if wrong.cause == "mlp" and (wrong.width // wrong.block) % 2:
        # An odd number of groups: no power of two will ever do.
        code = "split.cut.odd"
    asked = s.workload.tensor_parallel == wrong.tensor
    if wrong.cause in ("heads", "kv") and not asked and wrong.tensor not in (fullest_box(s), len(s.shape.cards)):
        # Nobody has so many cards in a box: the number comes from memory, or from habit.
        code += ".memory" if wrong.tensor == by_memory(s) else ""
    return told(
        code,
        STOP if stop else NOTE,
        (s.workload.id,),
        ways_round(s, model, weights, wrong),
        rule="R06",
        basis="vendor",
        fix=change(s.workload.id, tensor_parallel=None) if stop else None,
        params={
            "tensor_count": wrong.tensor,
            "box_gpus": fullest_box(s),
            "heads": model.attention_heads,
            "kv_count": model.kv_heads,
            "valid_counts": valid,
            "heads_counts": tuple(each for each in divisors(model.attention_heads) if each <= MOST),
            "width_count": wrong.width,
            "block_count": wrong.block,
            "slice_size": round(wrong.width / wrong.tensor, 1) if wrong.width else None,
            "groups_count": wrong.width // wrong.block if wrong.block else None,
            "weights": weights.name,
        },
    )


def ways_round(s: Situation, model: ModelRecord, weights: WeightFormat, wrong: Refusal) -> Message:
    """What is valid for these cards: a smaller split with stages, whole experts, padding, one more card."""
    cards = wrong.tensor
    plain = plain_degrees(model, weights)
    box = fullest_box(s)
    wider = next((each for each in sorted(plain) if cards < each <= box), None)
    if wider is not None and cards < box and s.workload.tensor_parallel is None:
        label = sum(sorted(card.record.memory_label_gb for card in s.shape.cards)[:wider])
        return do(
            "split.cut.next_copies" if box // wider > 1 else "split.cut.next",
            next_count=wider,
            next_share=s.work.weights_bytes / (label * 1e9) if label else None,
            copies=box // wider,
        )
    inside = max(each for each in plain if cards % each == 0)
    extra = ""
    if wrong.cause == "experts" and cards in expert_degrees(model, cards):
        extra = ".experts"
    elif wrong.cause == "mlp":
        extra = ".padded"
    elif cards + 1 in plain and s.workload.engine != "llama.cpp":
        extra = ".more"
    step = wrong.block * cards
    return do(
        f"split.cut.{'both' if inside > 1 else 'chain'}{extra}",
        inside_count=inside,
        chain_stages=cards // inside,
        depth_count=cards // inside,
        tensor_count=cards,
        more_count=cards + 1,
        padded_count=ceil(wrong.width / step) * step if step else None,
    )


def odd_counts(s: Situation) -> Iterator[Finding]:
    """Odd counts without a model: stages, or an even subset."""
    box = fullest_box(s)
    if s.model is None and box > 1 and box & (box - 1):
        yield told(
            "split.odd.count",
            NOTE,
            (s.shape.boxes[0][0].id,),
            do("split.odd"),
            rule="R06",
            basis="vendor",
            params={"gpus": box},
        )
