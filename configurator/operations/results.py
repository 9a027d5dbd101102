"""What operations answers."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.operations.compare import Comparison
from configurator.operations.formulas import CostInputs
from configurator.terms import Estimate, Message

_NOTHING = Estimate(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PowerDraw:
    """Watts at the plug without cooling, for one object or the whole plan."""

    subject_id: str
    idle_w: Estimate
    loaded_idle_w: Estimate
    busy_w: Estimate
    peak_w: float
    """Nameplate sum; breakers and supplies are checked against this."""


@dataclass(frozen=True, slots=True)
class ShoppingLine:
    """One line of the equipment list. Prices net, project currency."""

    item: str
    """Catalogue id."""
    name: str
    category: str
    quantity: int
    unit_price: Estimate | None
    total: Estimate | None
    price_date: str
    price_basis: str
    owned: bool
    subject_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Cost of owning and running, project currency per year, net. Formula: annuity + energy + operations."""

    currency: str
    purchase: Estimate
    capital_per_year: Estimate
    energy_kwh_per_year: Estimate
    energy_per_year: Estimate
    maintenance_per_year: Estimate
    staff_per_year: Estimate
    staff_hours_per_month: Estimate
    network_per_year: Estimate
    other_per_year: Estimate
    failure_per_year: Estimate
    total_per_year: Estimate
    tokens_per_year: Estimate | None
    per_million_tokens: Estimate | None
    busy_share: Estimate
    availability: Estimate
    shopping: tuple[ShoppingLine, ...]
    assumptions: tuple[Message, ...]
    """Each input that was not given by the owner, with value, source and date."""
    inputs: CostInputs | None = None
    """The expected figures behind this year, for sweeps and sensitivity."""
    ranges: tuple[tuple[str, float, float], ...] = ()
    """(field of the inputs, low, high) of every uncertain figure."""
    purchase_complete: bool = True
    """False: a line has no known price, the total is too low."""
    energy_by_site: tuple[tuple[str, Estimate, Estimate], ...] = ()
    """(site id, kWh per year, money per year)."""
    staff_class: str = "single"
    """single, replicas or cluster: which hours were taken."""
    carbon_kg_per_year: Estimate | None = None
    rent_per_year: Estimate = _NOTHING
    """Hire of rack space and committed power in a data centre; energy is counted apart."""
    comparison: Comparison | None = None
    """Own, hired or by the token, where one workload that answers has the plan to itself."""

    @property
    def running_per_year(self) -> Estimate:
        """Everything but the cost of capital: what is paid each year after the purchase."""
        total, capital = self.total_per_year, self.capital_per_year
        return Estimate(
            max(0.0, total.low - capital.low),
            max(0.0, total.expected - capital.expected),
            max(0.0, total.high - capital.high),
            total.unit,
            total.basis,
        )


@dataclass(frozen=True, slots=True)
class FailureEffect:
    """What the failure of one object does to one workload."""

    object_id: str
    workload_id: str
    stops: bool
    capacity_left_share: float
    requests_lost: Estimate | None
    recovery_s: Estimate | None
    """Where only programs stopped: noticed and loaded again. A broken part takes ``repair_s`` before that."""
    note: Message
    repair_s: Estimate | None = None
    """Until a broken part of that kind is replaced; None for lines and whole places."""
