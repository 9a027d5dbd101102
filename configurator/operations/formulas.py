"""Yearly cost in plain numbers: annuity, energy of states, unit cost, break-even, sensitivity.

Money is in one currency, net of VAT. Nothing here knows plans or catalogues.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

HOURS_PER_YEAR = 8760.0
SECONDS_PER_YEAR = 31_536_000.0
MILLION = 1e6


@dataclass(frozen=True, slots=True)
class CostInputs:
    """Everything the yearly cost depends on. Shares are 0-1, money per year unless said otherwise."""

    purchase: float
    residual_share: float
    life_years: float
    cost_of_capital: float
    busy_w: float
    loaded_idle_w: float
    busy_share: float
    pue: float
    tariff_per_kwh: float
    maintenance_share: float
    spares_share: float
    staff: float
    network: float
    other: float
    availability: float
    tokens_per_s: float
    """Output tokens per second while busy, whole service."""
    idle_w: float = 0.0
    """Switched on, nothing loaded."""
    loaded_idle_share: float | None = None
    """Share of the year a model waits in memory; None: all the time the service does not work."""
    failures: float = 0.0
    rent: float = 0.0
    """Hire of rack space and power in a data centre."""


@dataclass(frozen=True, slots=True)
class YearlyCost:
    """The parts of one year, and what a million tokens costs (None without tokens)."""

    capital: float
    energy_kwh: float
    energy: float
    maintenance: float
    staff: float
    network: float
    other: float
    failures: float
    tokens: float
    rent: float = 0.0

    @property
    def operations(self) -> float:
        """Everything but capital and energy."""
        return self.maintenance + self.staff + self.network + self.rent + self.other + self.failures

    @property
    def total(self) -> float:
        """Per year."""
        return self.capital + self.energy + self.operations

    @property
    def per_million(self) -> float | None:
        """Per million output tokens."""
        return self.total / (self.tokens / MILLION) if self.tokens > 0 else None


def annuity(purchase: float, residual: float, years: float, rate: float) -> float:
    """Equal yearly payments that pay for the purchase, less what it still brings at the end.

    A = (P - R/(1+r)^n) * r / (1-(1+r)^-n); without interest (P-R)/n.
    """
    if years <= 0:
        raise ValueError("the life must be longer than nothing")
    if rate == 0:
        return (purchase - residual) / years
    growth: float = (1.0 + rate) ** years
    return (purchase - residual / growth) * rate / (1.0 - 1.0 / growth)


def energy_kwh(inputs: CostInputs) -> float:
    """Energy of one year: PUE times the hours of each state times its watts."""
    busy = inputs.busy_share
    rest = max(0.0, 1.0 - busy)
    loaded = rest if inputs.loaded_idle_share is None else min(rest, inputs.loaded_idle_share)
    mean_w = busy * inputs.busy_w + loaded * inputs.loaded_idle_w + (rest - loaded) * inputs.idle_w
    return inputs.pue * HOURS_PER_YEAR * mean_w / 1000.0


def tokens_per_year(inputs: CostInputs) -> float:
    """Output tokens of a year: seconds times the share at work, times availability, times the rate at work."""
    return SECONDS_PER_YEAR * inputs.busy_share * inputs.availability * inputs.tokens_per_s


def yearly_cost(inputs: CostInputs) -> YearlyCost:
    """One year of owning and running."""
    kwh = energy_kwh(inputs)
    return YearlyCost(
        capital=annuity(
            inputs.purchase, inputs.purchase * inputs.residual_share, inputs.life_years, inputs.cost_of_capital
        ),
        energy_kwh=kwh,
        energy=kwh * inputs.tariff_per_kwh,
        maintenance=inputs.purchase * (inputs.maintenance_share + inputs.spares_share),
        staff=inputs.staff,
        network=inputs.network,
        other=inputs.other,
        failures=inputs.failures,
        tokens=tokens_per_year(inputs),
        rent=inputs.rent,
    )


def energy_per_million_kwh(power_w: float, tokens_per_s: float) -> float:
    """kWh for a million tokens at that power and rate: W / (tokens/s) / 3.6."""
    if tokens_per_s <= 0:
        raise ValueError("the rate must be above nothing")
    return power_w / tokens_per_s / 3.6


def daily_tokens(requests_per_s: float, tokens_per_request: float, hours_per_day: float) -> float:
    """Tokens of a working day at a steady rate of requests."""
    return requests_per_s * tokens_per_request * hours_per_day * 3600.0


def over_years(cost: YearlyCost, purchase: float, years: float) -> float:
    """Money out of the pocket after so many years: the purchase and the running cost, no residual value."""
    return purchase + years * (cost.total - cost.capital)


def break_even_volume(cost_per_year: float, price_per_million: float) -> float:
    """Tokens per year above which owning is cheaper than a price per million, at an unchanged yearly cost."""
    if price_per_million <= 0:
        return float("inf")
    return cost_per_year / price_per_million * MILLION


def break_even_utilisation(cost_per_year: float, price_per_million: float, tokens_per_s: float) -> float | None:
    """Share of the year at the full rate that reaches the break-even volume; None: never (above 1)."""
    share = break_even_volume(cost_per_year, price_per_million) / (SECONDS_PER_YEAR * tokens_per_s)
    return share if share <= 1.0 else None


def break_even_busy_share(inputs: CostInputs, price_per_million: float) -> float | None:
    """Busy share at which a million own tokens cost the given price, energy and availability counted.

    Both sides are linear in the share. None: never, even at work all the time.
    """
    resting = yearly_cost(replace(inputs, busy_share=0.0)).total
    working = yearly_cost(replace(inputs, busy_share=1.0))
    gain = price_per_million * working.tokens / MILLION - (working.total - resting)
    if gain <= 0:
        return None
    share = resting / gain
    return share if share <= 1.0 else None


def break_even_rental_hours(cost_per_year: float, price_per_gpu_h: float, gpus: float) -> float | None:
    """Hours of hire per year that cost as much as owning; None: hire is cheaper all year round."""
    if price_per_gpu_h <= 0 or gpus <= 0:
        return None
    hours = cost_per_year / (price_per_gpu_h * gpus)
    return hours if hours <= HOURS_PER_YEAR else None


def payback_years(purchase: float, avoided_per_year: float, running_per_year: float) -> float | None:
    """Years until the avoided spending has paid the purchase; None: never.

    ``avoided_per_year`` is the demand there is, not what the machine could produce.
    """
    gain = avoided_per_year - running_per_year
    return purchase / gain if gain > 0 else None


def half_capacity_cost(cost_per_year: float, months: float = 6.0, lost_share: float = 0.5) -> float:
    """What months at part of the capacity cost (R69: six months at half)."""
    return cost_per_year * months / 12.0 * lost_share


@dataclass(frozen=True, slots=True)
class TornadoRow:
    """Cost of a million tokens with one input at its low and its high figure, all else unchanged."""

    name: str
    input_low: float
    input_high: float
    at_low: float
    at_high: float

    @property
    def span(self) -> float:
        """Length of the bar."""
        return abs(self.at_high - self.at_low)


def tornado(inputs: CostInputs, ranges: Mapping[str, tuple[float, float]]) -> tuple[TornadoRow, ...]:
    """One-at-a-time sensitivity, longest bar first. Keys are field names of CostInputs."""
    rows = []
    for name, (low, high) in ranges.items():
        at = [yearly_cost(replace(inputs, **{name: value})).per_million for value in (low, high)]
        if at[0] is not None and at[1] is not None:
            rows.append(TornadoRow(name, low, high, at[0], at[1]))
    return tuple(sorted(rows, key=lambda row: (-row.span, row.name)))


def switch_value(inputs: CostInputs, name: str, price_per_million: float, low: float, high: float) -> float | None:
    """Value of one input between ``low`` and ``high`` at which a million tokens costs the given price; None: none does.

    The unit cost moves one way in every input, so halving the interval finds it.
    """

    def above(value: float) -> bool:
        cost = yearly_cost(replace(inputs, **{name: value})).per_million
        return cost is None or cost > price_per_million

    at_low = above(low)
    if at_low == above(high):
        return None
    for _ in range(60):
        middle = (low + high) / 2.0
        if above(middle) == at_low:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0
