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
    """One of PRICE_BASES; the owner's own words for own prices."""
    includes: str = ""
    note: str = ""
    """What the figure was made of."""


PRICE_BASES = (
    "list price",
    "list price at launch",
    "list price of a maker",
    "simulated list price, not an offer",
    "offers and press",
    "used market",
    "sum of the parts",
    "estimate, no offer found",
)
"""How shipped prices were found, as message ids."""
