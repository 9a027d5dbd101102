"""Adding and multiplying ranges.

Sums add low to low and high to high, so that a reader can add up the parts. Factors that vary on their own (watts,
hours, tariff, load) do not all go wrong together: in a product their spreads combine as the root of the sum of
squares of the ratios.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from configurator.terms import Basis, Estimate


def added(parts: Iterable[Estimate], unit: str = "", basis: Basis = "calculated") -> Estimate:
    """Sum of amounts."""
    low = expected = high = 0.0
    for part in parts:
        low, expected, high = low + part.low, expected + part.expected, high + part.high
    return Estimate(low, expected, high, unit, basis)


def multiplied(*parts: Estimate, unit: str = "", basis: Basis = "calculated") -> Estimate:
    """Product of independent, non-negative quantities."""
    expected = math.prod(part.expected for part in parts)
    if expected <= 0:
        return Estimate(
            0.0, max(expected, 0.0), max(expected, 0.0, math.prod(part.high for part in parts)), unit, basis
        )
    down = math.sqrt(sum(_log(part.expected, part.low) ** 2 for part in parts))
    up = math.sqrt(sum(_log(part.high, part.expected) ** 2 for part in parts))
    return Estimate(expected * math.exp(-down), expected, expected * math.exp(up), unit, basis)


def divided(amount: Estimate, by: Estimate, unit: str = "", basis: Basis = "calculated") -> Estimate | None:
    """Quotient of independent quantities; None when there is nothing to divide by."""
    if by.expected <= 0:
        return None
    low = by.low if by.low > 0 else by.expected * 1e-3
    return multiplied(amount, Estimate(1 / by.high, 1 / by.expected, 1 / low), unit=unit, basis=basis)


def _log(above: float, below: float) -> float:
    """Log ratio; a range that reaches nothing counts as a factor of a thousand."""
    return math.log(above / below) if below > 0 else math.log(1000.0)


def mean(values: list[Estimate], weights: list[float] | None = None) -> Estimate:
    """Weighted mean of ranges; equal weights where none are left."""
    weights = weights if weights is not None and sum(weights) > 0 else [1.0] * len(values)
    whole = sum(weights)
    if not values:
        return Estimate.exact(0.0)
    return Estimate(
        sum(each.low * weight for each, weight in zip(values, weights, strict=True)) / whole,
        sum(each.expected * weight for each, weight in zip(values, weights, strict=True)) / whole,
        sum(each.high * weight for each, weight in zip(values, weights, strict=True)) / whole,
        values[0].unit,
        values[0].basis,
    )
