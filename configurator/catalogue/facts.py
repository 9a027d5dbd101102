"""A figure with range and origin, and a price: what every record is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure with its range and origin; ``sources`` are readable titles or addresses, not codes."""

    value: float
    low: float
    high: float
    confidence: Confidence
    sources: tuple[str, ...]
    as_of: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """A planning price, net of VAT, in EUR and USD, with its date."""

    eur: Fact
    usd: Fact
    as_of: str
    basis: str
    includes: str = ""
