"""Tariffs, cooling factors, rates and failure figures from their tables."""

from __future__ import annotations

from typing import Any

from configurator.catalogue.reading import Row, Sources, fact, known
from configurator.catalogue.records import (
    ColocationRate,
    Fact,
    FailureStudy,
    LabourRate,
    RentalRate,
    Tariff,
    TokenPrice,
)

PUE_SITE = {
    "home": "home, heating season (heat is useful)",
    "home_summer": "home, summer with room air conditioning",
    "office": "office room with split air conditioning",
    "server_room": "small server room (closet to 20 kW)",
    "colocation": "colocation / enterprise average",
    "new_facility": "new large facility",
    "hyperscale": "hyperscale cloud",
}
"""Kind of site (the first four as in a plan) -> row of the table."""


def exchange_rates(row: Row, sources: Sources) -> dict[str, Fact]:
    """Units of a currency per EUR."""
    as_of = row["as_of"]
    rates = {"EUR": Fact(1.0, 1.0, 1.0, "high", ("Definition",), as_of)}
    for code, value in row["rates"].items():
        rates[code] = Fact(float(value), float(value), float(value), "high", sources.text(row["src"]), as_of)
    for code, entry in row.get("not_in_ecb_list", {}).items():
        rates[code] = known(entry, sources, as_of=as_of)
    return rates


def tariff(row: Row, sources: Sources, rates: dict[str, Fact]) -> Tariff:
    """Electricity of a country in EUR per kWh."""
    per_eur = rates[row["currency"]].value

    def side(key: str) -> Fact | None:
        entry = row.get(key)
        return fact({**entry, "note": entry.get("basis", "")}, sources, 1.0 / per_eur) if entry else None

    def bands(key: str) -> tuple[tuple[str, float], ...]:
        return tuple((band, float(value)) for band, value in row.get(key, {}).get("bands", {}).items())

    return Tariff(
        country=row["country"],
        iso=row["iso"],
        household_eur_per_kwh=side("household"),
        business_eur_per_kwh=side("business"),
        household_bands=bands("household"),
        business_bands=bands("business"),
        note=row.get("note", ""),
    )


def cooling_factors(rows: list[dict[str, Any]], sources: Sources) -> dict[str, Fact]:
    """PUE by kind of site."""
    by_name = {row["site"]: known(row["pue"], sources) for row in rows}
    return {kind: by_name[name] for kind, name in PUE_SITE.items()}


def rental_rate(row: Row, sources: Sources) -> RentalRate:
    """Hire of one GPU per hour."""
    return RentalRate(row["gpu"], known(row["usd_per_gpu_hour"], sources), row["kind"])


def token_price(row: Row, sources: Sources) -> TokenPrice:
    """API price of a model."""
    return TokenPrice(
        model=row["model"],
        input_usd_per_million=known(row["input_usd_per_million"], sources),
        output_usd_per_million=known(row["output_usd_per_million"], sources),
        name=row["name"],
        providers=row.get("providers", 0),
    )


def labour_rate(row: Row, sources: Sources) -> LabourRate:
    """Cost of an hour of work."""
    return LabourRate(row["region"], known(row["eur_per_hour"], sources), row["basis"])


def colocation_rate(row: Row, sources: Sources) -> ColocationRate:
    """Hire of space or power."""
    unit = next(key for key in row if key != "what")
    return ColocationRate(row["what"], unit, known(row[unit], sources))


def failure_study(row: Row, sources: Sources) -> FailureStudy:
    """A published count of failures."""
    derived = row.get("derived", {})
    rate = next((known(entry, sources) for entry in derived.values()), None)
    finding = row.get("finding") or row.get("note", "")
    return FailureStudy(row["what"], finding, rate, sources.text(row["src"]))


def annual_rates(rows: list[dict[str, Any]], sources: Sources) -> dict[str, Fact]:
    """Planning rates of permanent failures per year by kind of part."""
    for row in rows:
        if "annual_rate" in row:
            return {name: known(entry, sources) for name, entry in row["annual_rate"].items()}
    return {}
