"""Pairs of measurements that differ in the layout alone: which one wins, in reality and in the model.

``one fast answer``: the same users on one copy, more or fewer cards; the shorter time per token wins.
``many answers on the same cards``: copies of the smaller layout against one of the larger, users spread over the
copies; the higher output rate wins. Differences under five percent are even and not counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from reality_model import Answer
from reality_rows import Case, family_of

EVEN = 0.05


@dataclass(frozen=True)
class Pair:
    """Two layouts of one model, load and engine on one kind of card."""

    split: str
    question: str
    where: str
    first: str
    second: str
    measured: float
    """First over second, higher is better for the first."""
    predicted: float


def right(pair: Pair) -> bool:
    """The model prefers the same one."""
    return (pair.measured > 1.0) == (pair.predicted > 1.0)


def _rate(case: Case) -> float | None:
    if case.output_rate:
        return case.output_rate
    if case.users and case.ttft_s and case.tpot_s:
        return case.users * case.output_tokens / (case.ttft_s + case.tpot_s * (case.output_tokens - 1.0))
    return None


def _cards(case: Case) -> int:
    return case.tensor * case.pipeline * case.instances


def _name(case: Case) -> str:
    text = f"{case.instances} x " if case.instances > 1 else ""
    text += f"TP{case.tensor}" + (f" PP{case.pipeline}" if case.pipeline > 1 else "")
    return text + (f" EP{case.experts}" if case.experts > 1 else "")


def pairs_of(rows: Sequence[tuple[Case, Answer]]) -> list[Pair]:
    """Every pair the rows allow."""
    groups: dict[tuple[object, ...], list[tuple[Case, Answer]]] = defaultdict(list)
    for case, found in rows:
        if case.users is None:
            continue
        key = (
            case.gpu.id,
            family_of(case.model),
            case.engine,
            case.weights.id,
            round(case.input_tokens),
            round(case.output_tokens),
            case.version,
            case.context_only,
        )
        groups[key].append((case, found))
    pairs: list[Pair] = []
    for named, members in groups.items():
        where = " ".join(str(part) for part in named[:6])
        for (a, fa), (b, fb) in combinations(members, 2):
            if _name(a) == _name(b):
                continue
            pairs += _fast(where, a, fa, b, fb)
            pairs += _many(where, a, fa, b, fb)
    return pairs


def _fast(where: str, a: Case, fa: Answer, b: Case, fb: Answer) -> list[Pair]:
    if a.users != b.users or a.instances != b.instances or not (a.tpot_s and b.tpot_s and fa.tpot_s and fb.tpot_s):
        single = a.users == b.users == 1 and a.output_rate and b.output_rate and fa.output_rate and fb.output_rate
        if not single or (a.tpot_s and b.tpot_s):
            return []
        measured = (a.output_rate or 1.0) / (b.output_rate or 1.0)
        predicted = (fa.output_rate or 1.0) / (fb.output_rate or 1.0)
    else:
        measured, predicted = b.tpot_s / a.tpot_s, fb.tpot_s / fa.tpot_s
    if abs(measured - 1.0) < EVEN:
        return []
    text = f"{where}, {a.users:.0f} users"
    return [Pair(a.split, "one fast answer", text, _name(a), _name(b), measured, predicted)]


def _many(where: str, a: Case, fa: Answer, b: Case, fb: Answer) -> list[Pair]:
    small, large = ((a, fa), (b, fb)) if _cards(a) <= _cards(b) else ((b, fb), (a, fa))
    copies = _cards(large[0]) / _cards(small[0])
    if copies != int(copies) or not small[0].users or not large[0].users:
        return []
    if small[0].users * copies != large[0].users:
        return []
    rates = _rate(small[0]), _rate(large[0])
    guesses = small[1].output_rate, large[1].output_rate
    if None in rates or None in guesses:
        return []
    measured = copies * (rates[0] or 0.0) / (rates[1] or 1.0)
    predicted = copies * (guesses[0] or 0.0) / (guesses[1] or 1.0)
    if abs(measured - 1.0) < EVEN:
        return []
    text = f"{where}, {large[0].users:.0f} users on {_cards(large[0])} cards"
    first = f"{int(copies)} x {_name(small[0])}" if copies > 1 else _name(small[0])
    question = "many answers on the same cards"
    return [Pair(large[0].split, question, text, first, _name(large[0]), measured, predicted)]
