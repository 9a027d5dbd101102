"""The whole catalogue as one frozen value, read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from configurator.catalogue import hardware, money, software
from configurator.catalogue.files import model_tables, table
from configurator.catalogue.problems import CatalogueProblem
from configurator.catalogue.reading import Sources, known
from configurator.catalogue.records import (
    ColocationRate,
    EngineVersion,
    Fact,
    FailureStudy,
    GpuRecord,
    InternetProfile,
    KvFormat,
    LabourRate,
    LinkRecord,
    ModelRecord,
    NetworkPart,
    PlatformMeasurement,
    RentalRate,
    ServerRecord,
    Tariff,
    TokenPrice,
    WeightFormat,
)

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Catalogue:
    """What can be bought and run. Compare by identity: a catalogue is loaded once."""

    gpus: Mapping[str, GpuRecord]
    servers: Mapping[str, ServerRecord]
    links: Mapping[str, LinkRecord]
    """Network links and in-box links (kind "in-box")."""
    platform_measurements: tuple[PlatformMeasurement, ...]
    internet: Mapping[str, InternetProfile]
    parts: Mapping[str, NetworkPart]
    models: Mapping[str, ModelRecord]
    weight_formats: Mapping[str, WeightFormat]
    kv_formats: Mapping[str, KvFormat]
    engines: Mapping[str, EngineVersion]
    """By "engine-version"; of one engine the newest first."""
    tariffs: Mapping[str, Tariff]
    """By ISO code of the country."""
    pue: Mapping[str, Fact]
    """By kind of site: home, home_summer, office, server_room, colocation, new_facility, hyperscale."""
    rentals: Mapping[str, RentalRate]
    """By GPU id."""
    token_prices: Mapping[str, TokenPrice]
    """By model id; one sold name per model, the catalogue's own first."""
    fx: Mapping[str, Fact]
    """Units of a currency per EUR."""
    labour: tuple[LabourRate, ...]
    colocation: tuple[ColocationRate, ...]
    failure_studies: tuple[FailureStudy, ...]
    annual_failure_rates: Mapping[str, Fact]
    """Permanent failures per year by kind of part."""
    depreciation_years: Fact
    carbon_g_per_kwh: Mapping[str, Fact]
    """By ISO code of the country."""
    as_of: str
    problems: tuple[CatalogueProblem, ...] = ()
    """Rows of the owner's own file that could not be used."""
    user_ids: frozenset[str] = field(default_factory=frozenset)
    """Ids that come from, or were changed by, the owner's own file."""


def load_catalogue(user_file: Path | None = None) -> Catalogue:
    """The shipped catalogue, overlaid with the owner's own file when there is one. Cached.

    Never raises for the owner's file: what cannot be used is named in ``problems``.
    """
    if user_file is None:
        return _shipped()
    try:
        known_by = user_file.stat()
        stamp = (known_by.st_mtime_ns, known_by.st_size, known_by.st_ino)
    except OSError:
        stamp = (-1, -1, -1)
    return _overlaid(user_file, stamp)


@lru_cache(maxsize=4)
def _overlaid(user_file: Path, _changed: tuple[int, int, int]) -> Catalogue:
    from configurator.catalogue.user import overlay

    return overlay(_shipped(), user_file)


@lru_cache(maxsize=1)
def _shipped() -> Catalogue:
    gpus, servers, networks = _Table("gpus.json"), _Table("servers.json"), _Table("networks.json")
    electricity, costs, rental, carbon = (
        _Table("electricity.json"),
        _Table("costs.json"),
        _Table("rental.json"),
        _Table("carbon.json"),
    )
    formats, engines = table("weight_formats.json"), table("engines.json")
    curves = hardware.power_curves(gpus.content)
    rates = money.exchange_rates(costs.content["fx"], costs.sources)
    failures = costs.content["failure_rates"]
    return Catalogue(
        gpus=_frozen(
            {row["id"]: hardware.gpu_record(row, gpus.sources, curves.get(row["id"], ())) for row in gpus.rows("gpus")}
        ),
        servers=_frozen({row["id"]: hardware.server_record(row, servers.sources) for row in servers.rows("servers")}),
        links=_frozen(
            {
                row["id"]: hardware.link_record(row, networks.sources)
                for name in ("links", "in_box_links")
                for row in networks.rows(name)
            }
        ),
        platform_measurements=tuple(
            hardware.platform_measurement(row, servers.sources) for row in servers.rows("platform_measurements")
        ),
        internet=_frozen(
            {row["id"]: hardware.internet_profile(row, networks.sources) for row in networks.rows("internet")}
        ),
        parts=_frozen({row["id"]: hardware.network_part(row, networks.sources) for row in networks.rows("parts")}),
        models=_frozen(_models()),
        weight_formats=_frozen({row["id"]: software.weight_format(row) for row in formats["formats"]}),
        kv_formats=_frozen({row["id"]: software.kv_format(row) for row in formats["kv_formats"]}),
        engines=_frozen({made.id: made for made in map(software.engine_version, engines["engines"])}),
        tariffs=_frozen(
            {row["iso"]: money.tariff(row, electricity.sources, rates) for row in electricity.rows("countries")}
        ),
        pue=_frozen(money.cooling_factors(costs.rows("pue"), costs.sources)),
        rentals=_frozen({row["gpu"]: money.rental_rate(row, rental.sources) for row in rental.rows("gpu_hours")}),
        token_prices=_frozen(_token_prices(rental)),
        fx=_frozen(rates),
        labour=tuple(money.labour_rate(row, costs.sources) for row in costs.rows("labour")),
        colocation=tuple(money.colocation_rate(row, costs.sources) for row in costs.rows("colocation")),
        failure_studies=tuple(money.failure_study(row, costs.sources) for row in failures if "annual_rate" not in row),
        annual_failure_rates=_frozen(money.annual_rates(failures, costs.sources)),
        depreciation_years=known(costs.content["depreciation"]["planning_years"], costs.sources),
        carbon_g_per_kwh=_frozen(
            {row["iso"]: known(row["g_per_kwh"], carbon.sources) for row in carbon.rows("countries")}
        ),
        as_of=gpus.content["as_of"],
    )


class _Table:
    """A shipped table with its source list."""

    def __init__(self, name: str) -> None:
        self.content = table(name)
        self.sources = Sources(self.content.get("sources", {}), self.content["as_of"])

    def rows(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.content[name]
        return rows


def _frozen(records: dict[str, T]) -> Mapping[str, T]:
    return MappingProxyType(records)


def _models() -> dict[str, ModelRecord]:
    models: dict[str, ModelRecord] = {}
    for name in model_tables():
        content = table(name)
        models.update((row["id"], software.model_record(row, content["as_of"])) for row in content["models"])
    return models


def _token_prices(rental: _Table) -> dict[str, TokenPrice]:
    prices: dict[str, TokenPrice] = {}
    for row in rental.rows("api_tokens"):
        price = money.token_price(row, rental.sources)
        if price.model not in prices or price.name == price.model:
            prices[price.model] = price
    return prices
