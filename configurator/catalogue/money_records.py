"""Types of tariffs, hire, API prices, wages and failure studies."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.catalogue.facts import Fact


@dataclass(frozen=True, slots=True)
class Tariff:
    """Electricity of a country, local figure already in EUR per kWh."""

    country: str
    iso: str
    household_eur_per_kwh: Fact | None
    """With taxes and VAT."""
    business_eur_per_kwh: Fact | None
    """Without VAT."""
    household_bands: tuple[tuple[str, float], ...] = ()
    """(Eurostat band DA-DE, EUR per kWh): DD and DE fit a machine that runs all year."""
    business_bands: tuple[tuple[str, float], ...] = ()
    """(Eurostat band IA-ID, EUR per kWh)."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class RentalRate:
    """Hire of one GPU."""

    gpu: str
    usd_per_gpu_hour: Fact
    kind: str


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """API price of a model."""

    model: str
    input_usd_per_million: Fact
    output_usd_per_million: Fact
    name: str = ""
    """Name as the provider sells it; several may point at one catalogue model."""
    providers: int = 0


@dataclass(frozen=True, slots=True)
class LabourRate:
    """Cost of an hour of work in a region."""

    region: str
    eur_per_h: Fact
    basis: str


@dataclass(frozen=True, slots=True)
class ColocationRate:
    """Hire of space or power; ``unit`` says what a unit is."""

    what: str
    unit: str
    price: Fact


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """A published count of failures with the rate it gives, or None."""

    what: str
    finding: str
    per_gpu_year: Fact | None
    sources: tuple[str, ...]
