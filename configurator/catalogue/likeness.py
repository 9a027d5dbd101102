"""Comparing names as people write them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping


def plain(text: str) -> str:
    """Lower-case words with single spaces; "24 GB" and "24GB" become the same."""
    spaced = re.sub(r"[^a-z0-9.]+", " ", text.lower())
    return " ".join(re.sub(r"(\d) (gi?b)\b", r"\1\2", spaced).split())


def nearest(text: str, names: Mapping[str, str], count: int = 4) -> tuple[str, ...]:
    """Ids whose id or name looks most like the text, best first; never fewer than three.

    The same number in both counts most.
    """
    wanted = plain(text)
    numbers = set(re.findall(r"\d+", wanted))
    scored = []
    for record_id, name in names.items():
        score = _likeness(wanted, (record_id, name))
        if numbers:
            score += 0.3 * len(numbers & set(re.findall(r"\d+", plain(name)))) / len(numbers)
        scored.append((-score, record_id))
    best = sorted(scored)[:count]
    return tuple(record_id for rank, (score, record_id) in enumerate(best) if score < -0.4 or rank < 3)


def _likeness(wanted: str, names: Iterable[str]) -> float:
    return max(difflib.SequenceMatcher(None, wanted, plain(name)).ratio() for name in names)
