"""Figures the owner did not give: tariff, cooling, hours, wages, use, availability; each with range and origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.catalogue import Catalogue
from configurator.catalogue.records import Fact, GpuRecord
from configurator.plan.model import Site, Task
from configurator.terms import Basis, Estimate

EU = "EU27"
ESTIMATED = "2026-11"
"""Date of the planning estimates."""

StaffClass = Literal["single", "replicas", "cluster"]
"""One box; several that work on their own; copies that span servers."""

SINGLE_HOURS = (2.0, 3.0, 4.0)
ROUTER_HOURS = (2.0, 3.0, 4.0)
"""Hours of upkeep per month: 2-4 for each box, as much again for the address in front of copies, which gives 8-20 for
three or four servers of replicas. Planning estimates."""

FACTOR_SPREAD = (-0.5, 0.0, 0.5)
"""Engineering time of a cluster: base x (1 + k x (N-1)) with k 4-5 (R68, taken as an increment, not a power)."""

BUSY_SHARES: dict[str, tuple[float, float, float]] = {
    "team": (0.03, 0.08, 0.15),
    "office": (0.10, 0.20, 0.30),
    "service": (0.40, 0.55, 0.70),
}
"""Share of the year at work: small team 3-15 %, office 10-30 %, service 40-70 % (published break-even claims span
55-80 %; over half of operators have no goal)."""

AVAILABILITY = (0.97, 0.985, 0.995)
"""Of one server, planned stops included. Assumption; the owner's own figure replaces it."""

COST_SETTING_RANGES: dict[str, tuple[float, float]] = {
    "life_years": (2.0, 5.0),
    "residual_share": (0.0, 0.35),
    "cost_of_capital": (0.03, 0.15),
    "maintenance_share": (0.02, 0.10),
}
"""Low and high of the owner's cost settings, for the sensitivity picture."""

REPAIR_HOURS = (4.0, 8.0, 16.0)
"""Work on one failed part: find, send in, refit, test. Assumption."""

LABOUR_REGIONS: dict[str, str] = {
    "SK": "Slovakia / Czechia, infrastructure engineer",
    "CZ": "Slovakia / Czechia, infrastructure engineer",
    "PL": "Poland, infrastructure engineer",
    "DE": "Germany/Austria/Switzerland, IT freelancer",
    "AT": "Germany/Austria/Switzerland, IT freelancer",
    "CH": "Germany/Austria/Switzerland, IT freelancer",
    "US": "USA, DevOps / ML infrastructure",
    "GB": "United Kingdom",
    "SE": "Nordics",
    "NO": "Nordics",
    "DK": "Nordics",
    "FI": "Nordics",
    "IS": "Nordics",
    "UA": "Ukraine / Kazakhstan / Russia",
    "KZ": "Ukraine / Kazakhstan / Russia",
    "RU": "Ukraine / Kazakhstan / Russia",
    "IN": "India",
    "CN": "China",
    "FR": "France, employer cost",
    "HU": "Hungary, employer cost",
    "RO": "Romania, employer cost",
    "BG": "Bulgaria, employer cost",
    "LU": "Luxembourg, employer cost",
    "BE": "Belgium, employer cost",
}
LABOUR_ELSEWHERE = "EU average, all sectors labour cost"

AFR_CLASS = {"consumer": "consumer card new", "workstation": "workstation card", "datacenter": "data-centre PCIe card"}
AFR_MODULE = "SXM/OAM accelerator under training load"
AFR_FALLBACK = (0.025, 0.04, 0.06)
"""Permanent failures of a card per year where its class is not known: 2.5-6 % (148 faults on 16,384 GPUs in 54 days
give 6.1 %, under training load)."""

HOUSEHOLD_BANDS = ((5_000.0, "DC"), (15_000.0, "DD"), (float("inf"), "DE"))
BUSINESS_BANDS = ((500_000.0, "IB"), (2_000_000.0, "IC"), (float("inf"), "ID"))
"""(below so many kWh a year, Eurostat band). The machine is not all that a business uses, so the band of the smallest
(IA, below 20 MWh) is left out: two cards fewer must not cost more."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """A figure with its range, where it comes from and its date; ``given`` when the owner said it."""

    value: Estimate
    given: bool
    source: str = ""
    as_of: str = ""
    note: str = ""


def given(value: float, unit: str = "") -> Assumed:
    """The owner's own figure."""
    return Assumed(Estimate.exact(value, unit, "policy"), True)


def from_fact(fact: Fact, unit: str, scale: float = 1.0, basis: Basis = "assumed") -> Assumed:
    """A catalogue figure."""
    return Assumed(
        Estimate(fact.low * scale, fact.value * scale, fact.high * scale, unit, basis),
        False,
        "; ".join(fact.sources),
        fact.as_of,
        fact.note,
    )


def assumed(three: tuple[float, float, float], unit: str, source: str = "") -> Assumed:
    """A range of the product."""
    return Assumed(
        Estimate(*three, unit, "assumed"), False, f"planning estimate, no published document ({source})", ESTIMATED
    )


def tariff(site: Site, catalogue: Catalogue, kwh_per_year: float, per_eur: float, currency: str = "EUR") -> Assumed:
    """Electricity per kWh in the project's currency: the owner's, else the country's.

    Homes pay the household price (with VAT), other places the business price (without). Of the country's figures the
    band of the yearly use is the expected one. An unknown country gets the EU average.
    """
    if site.tariff_per_kwh is not None:
        return given(site.tariff_per_kwh, f"{currency}/kWh")
    home = site.kind == "home"
    found = catalogue.tariffs.get(site.country)
    fact = None
    if found is not None:
        fact = found.household_eur_per_kwh if home else found.business_eur_per_kwh
    if found is None or fact is None:
        found = catalogue.tariffs[EU]
        fact = found.household_eur_per_kwh if home else found.business_eur_per_kwh
    if fact is None:
        raise LookupError("the catalogue has no average tariff")
    bands = dict(found.household_bands if home else found.business_bands)
    limits, middle = (HOUSEHOLD_BANDS, "DC") if home else (BUSINESS_BANDS, "IB")
    band = next(name for below, name in limits if kwh_per_year < below)
    expected, note = fact.value, fact.note
    if bands.get(band) and bands.get(middle):
        # Bands are of one half-year, the headline figure may be newer: keep its level and the bands' shape.
        expected, note = fact.value * bands[band] / bands[middle], f"band {band}"
    return Assumed(
        Estimate(
            min(fact.low, expected) * per_eur,
            expected * per_eur,
            max(fact.high, expected) * per_eur,
            f"{currency}/kWh",
            "assumed",
        ),
        False,
        f"{found.country}: {'; '.join(fact.sources)}",
        fact.as_of,
        note,
    )


def pue(site: Site, catalogue: Catalogue) -> Assumed:
    """Cooling and losses over the watts of the machines: the owner's, else by kind of site."""
    if site.pue is not None:
        return given(site.pue)
    return from_fact(catalogue.pue[site.kind], "")


def busy_share(kind: str, task: Task) -> Assumed:
    """Share of the year at work by kind of site and task."""
    if task in {"batch", "lora", "qlora", "full", "pretrain"} or kind == "colocation":
        name = "service"
    else:
        name = "team" if kind == "home" else "office"
    return assumed(BUSY_SHARES[name], "", f"typical of a {name}")


def staff_hours(kind: StaffClass, servers: int, per_added_node: float = 4.5) -> Assumed:
    """Hours of upkeep per month. Servers that share nothing need the hours of one each; no server, no hours.

    Copies that span servers: the hours of one server times the engineering factor of so many (R68), nothing else, so
    that the factor, the list of work and the bill say the same.
    """
    if kind == "single" or servers <= 1:
        low, expected, high = (each * servers for each in SINGLE_HOURS)
        return assumed((low, expected, high), "h/month", "servers that share nothing")
    if kind == "replicas":
        low, expected, high = (one * servers + front for one, front in zip(SINGLE_HOURS, ROUTER_HOURS, strict=True))
        return assumed((low, expected, high), "h/month", "servers on their own behind one address")
    low, expected, high = (
        base * engineering_factor(servers, max(0.0, per_added_node + spread))
        for base, spread in zip(SINGLE_HOURS, FACTOR_SPREAD, strict=True)
    )
    return assumed((low, expected, high), "h/month", "copies span servers: hours of one server x its factor (R68)")


def engineering_factor(nodes: int, per_added_node: float) -> float:
    """Engineering time over that of one node (R68)."""
    return 1.0 + per_added_node * (nodes - 1)


def staff_rate(country: str, catalogue: Catalogue, per_eur: float, currency: str = "EUR") -> Assumed:
    """Cost of an hour of work in the project's currency."""
    region = LABOUR_REGIONS.get(country, LABOUR_ELSEWHERE)
    rates = {rate.region: rate for rate in catalogue.labour}
    rate = rates.get(region) or rates[LABOUR_ELSEWHERE]
    found = from_fact(rate.eur_per_h, f"{currency}/h", per_eur)
    return Assumed(found.value, False, f"{rate.region}: {found.source}", found.as_of, found.note)


def annual_failure_rate(record: GpuRecord, catalogue: Catalogue) -> tuple[float, float, float]:
    """Permanent failures of such a card per year, low, expected, high."""
    name = AFR_MODULE if record.form in {"sxm", "oam"} else AFR_CLASS.get(record.segment)
    fact = catalogue.annual_failure_rates.get(name) if name is not None else None
    return (fact.low, fact.value, fact.high) if fact is not None else AFR_FALLBACK
