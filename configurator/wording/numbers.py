"""Numbers as people say them: "90–120 tokens/s", "1 200", "about 3 days". Pure, one locale passed in.

Thousands are set apart by U+202F (thin, no break), a number and its unit by U+00A0 (no break).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

THIN = "\u202f"
NBSP = "\u00a0"
DASH = "–"

KIB, MIB, GIB = 1024.0, 1024.0**2, 1024.0**3
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MONTH, YEAR = 30.4 * DAY, 365.25 * DAY


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with its size in the base unit; ``name`` is a message id."""

    size: float
    name: str


BANDWIDTH = (Unit(1e3, "kB/s"), Unit(1e6, "MB/s"), Unit(1e9, "GB/s"), Unit(1e12, "TB/s"))
BIT_RATE = (Unit(1e6, "Mbit/s"), Unit(1e9, "Gbit/s"))
MEMORY = (Unit(1.0, "B"), Unit(KIB, "KiB"), Unit(MIB, "MiB"), Unit(GIB, "GiB"))
LABEL = (Unit(1.0, "GB"), Unit(1e3, "TB"))
POWER = (Unit(1.0, "W"), Unit(1e3, "kW"), Unit(1e6, "MW"))
ENERGY = (Unit(1.0, "kWh"), Unit(1e3, "MWh"), Unit(1e6, "GWh"))
SHORT_TIME = (Unit(1e-6, "µs"), Unit(1e-3, "ms"), Unit(1.0, "s"))
LONG_TIME = (Unit(MINUTE, "min"), Unit(HOUR, "h"), Unit(DAY, "days"), Unit(MONTH, "months"), Unit(YEAR, "years"))


def rounded(value: float, figures: int) -> float:
    """``value`` at a number of significant figures."""
    if value == 0 or not math.isfinite(value):
        return value
    return round(value, figures - 1 - math.floor(math.log10(abs(value))))


def plain(value: float, decimal: str = ".") -> str:
    """A number with thin spaces in its thousands and no superfluous decimals."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    text = f"{value:,.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else f"{value:.2g}"
    whole, _, rest = text.partition(".")
    whole = whole.replace(",", THIN)
    if whole == "-0" and not rest:
        whole = "0"
    if not rest and value != 0 and whole in {"0", "-0"}:
        return f"{value:.1g}".replace(".", decimal)
    return f"{whole}{decimal}{rest}" if rest else whole


def scale(value: float, units: tuple[Unit, ...]) -> Unit:
    """The largest unit in which the value is at least one (after rounding to three figures)."""
    fitting = [unit for unit in units if rounded(abs(value) / unit.size, 3) >= 1]
    return fitting[-1] if fitting else units[0]


def long_time_unit(seconds: float) -> Unit:
    """Minutes under two hours, hours under two days, days under two months, months under two years."""
    for unit, limit in zip(LONG_TIME, (2 * HOUR, 2 * DAY, 2 * MONTH, 2 * YEAR), strict=False):
        if seconds < limit:
            return unit
    return LONG_TIME[-1]


def span(low: float, high: float, figures: int, decimal: str = ".") -> str:
    """Such as "90–120", or one number where both ends round to the same."""
    first, second = plain(rounded(low, figures), decimal), plain(rounded(high, figures), decimal)
    return first if first == second else f"{first}{DASH}{second}"


def share(value: float, decimal: str = ".") -> str:
    """A share as percent: "52 %", "0.5 %", "99.95 %"."""
    percent = value * 100
    if percent and abs(percent) < 1:
        percent = rounded(percent, 1)
    elif 99 < percent < 100:
        # Availabilities: as many nines as there are, and one figure more.
        digits = min(max(1, 1 - math.floor(math.log10(100 - percent))), 5)
        percent = math.floor(percent * 10**digits) / 10**digits
    else:
        percent = round(percent)
    return f"{plain(percent, decimal)}{NBSP}%"
