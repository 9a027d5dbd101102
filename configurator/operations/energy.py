"""Energy of a year: every site with its own use, cooling and tariff."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from configurator.catalogue import Catalogue
from configurator.operations import rates
from configurator.operations.formulas import HOURS_PER_YEAR
from configurator.operations.ranges import added, mean, multiplied
from configurator.operations.rates import Assumed
from configurator.operations.results import PowerDraw
from configurator.operations.use import Use
from configurator.plan.model import Plan, Project, Site
from configurator.terms import Estimate, Message, message

NOTHING = Estimate.exact(0.0)


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy of a year, the means behind it (PUE and tariff weighted by energy), and its carbon where known."""

    kwh: Estimate
    money: Estimate
    by_site: tuple[tuple[str, Estimate, Estimate], ...]
    busy_w: Estimate
    loaded_w: Estimate
    idle_w: Estimate
    pue: Estimate
    tariff: Estimate
    busy: Estimate
    carbon: Estimate | None


def energy_of(
    project: Project,
    plan: Plan,
    catalogue: Catalogue,
    draws: Mapping[str, PowerDraw],
    uses: list[Use],
    rate: float,
    notes: list[Message],
) -> Energy:
    """Energy of every site with its own use, cooling and tariff; figures taken for granted go to ``notes``."""
    currency = project.currency
    by_site: list[tuple[str, Estimate, Estimate]] = []
    factors: list[tuple[Estimate, Estimate, Estimate]] = []
    carbon: list[Estimate] = []
    for site in plan.sites:
        watts, busy = _mean_w(site, draws, uses, project)
        cooling = rates.pue(site, catalogue)
        kwh = multiplied(watts, cooling.value, Estimate.exact(HOURS_PER_YEAR / 1000.0), unit="kWh/year")
        tariff = rates.tariff(site, catalogue, kwh.expected, rate, currency)
        money = multiplied(kwh, tariff.value, unit=f"{currency}/year")
        by_site.append((site.id, kwh, money))
        factors.append((cooling.value, tariff.value, busy))
        grid = catalogue.carbon_g_per_kwh.get(site.country)
        if grid is not None:
            carbon.append(
                multiplied(kwh, Estimate(grid.low / 1000, grid.value / 1000, grid.high / 1000), unit="kg/year")
            )
        if not cooling.given:
            notes.append(noted("assume.pue", cooling, site_id=site.id, site_kind=site.kind))
        if not tariff.given:
            notes.append(noted("assume.tariff", tariff, site_id=site.id, country=site.country, currency=currency))
    whole = draws["plan"]
    kwh = added((each[1] for each in by_site), "kWh/year")
    weights = [each[1].expected for each in by_site]
    return Energy(
        kwh=kwh,
        money=added((each[2] for each in by_site), f"{currency}/year"),
        by_site=tuple(by_site),
        busy_w=whole.busy_w,
        loaded_w=whole.loaded_idle_w,
        idle_w=whole.idle_w,
        pue=mean([each[0] for each in factors], weights),
        tariff=mean([each[1] for each in factors], weights),
        busy=mean([each[2] for each in factors], weights),
        carbon=added(carbon, "kg/year") if len(carbon) == len(plan.sites) and carbon else None,
    )


def _mean_w(site: Site, draws: Mapping[str, PowerDraw], uses: list[Use], project: Project) -> tuple[Estimate, Estimate]:
    """Mean watts of a site over the year, without cooling, and its busy share."""
    parts: list[Estimate] = []
    shares: list[Estimate] = []
    in_servers = [NOTHING, NOTHING, NOTHING]
    for server in site.servers:
        draw = draws[server.id]
        share = _share_of(site, server.id, uses, project)
        shares.append(share)
        parts.append(_state_mean_w(draw, share, project.cost.loaded_idle_share))
        in_servers = [
            Estimate(have.low + more.low, have.expected + more.expected, have.high + more.high)
            for have, more in zip(in_servers, (draw.idle_w, draw.loaded_idle_w, draw.busy_w), strict=True)
        ]
    whole = draws[site.id].busy_w
    # What the site draws beyond its servers are its network switches, on all year.
    parts.append(
        Estimate(
            max(0.0, whole.low - in_servers[2].low),
            max(0.0, whole.expected - in_servers[2].expected),
            max(0.0, whole.high - in_servers[2].high),
        )
    )
    return added(parts, "W"), mean(shares) if shares else rates.busy_share(site.kind, "chat").value


def _share_of(site: Site, server_id: str, uses: list[Use], project: Project) -> Estimate:
    """Busy share of one server: the workloads on it together, never above the whole year."""
    if project.cost.busy_share is not None:
        return Estimate.exact(project.cost.busy_share, "", "policy")
    mine = [use.busy for use in uses if server_id in use.server_ids]
    if not uses:
        return rates.busy_share(site.kind, "chat").value
    return Estimate(
        min(1.0, sum(each.low for each in mine)),
        min(1.0, sum(each.expected for each in mine)),
        min(1.0, sum(each.high for each in mine)),
        "",
        "assumed",
    )


def _state_mean_w(draw: PowerDraw, share: Estimate, loaded_share: float | None) -> Estimate:
    """Mean watts over busy, waiting with a model in memory, and idle."""

    def of_year(busy: float, loaded: float, idle: float, at_work: float) -> float:
        rest = 1.0 - at_work
        waits = rest if loaded_share is None else min(rest, loaded_share)
        return at_work * busy + waits * loaded + (rest - waits) * idle

    expected = of_year(draw.busy_w.expected, draw.loaded_idle_w.expected, draw.idle_w.expected, share.expected)
    low_w = of_year(draw.busy_w.low, draw.loaded_idle_w.low, draw.idle_w.low, share.expected)
    high_w = of_year(draw.busy_w.high, draw.loaded_idle_w.high, draw.idle_w.high, share.expected)
    less = of_year(draw.busy_w.expected, draw.loaded_idle_w.expected, draw.idle_w.expected, share.low)
    more = of_year(draw.busy_w.expected, draw.loaded_idle_w.expected, draw.idle_w.expected, share.high)
    return Estimate(
        expected - ((expected - low_w) ** 2 + (expected - less) ** 2) ** 0.5,
        expected,
        expected + ((high_w - expected) ** 2 + (more - expected) ** 2) ** 0.5,
        "W",
    )


def noted(code: str, value: Assumed, **more: str | float) -> Message:
    """An assumption as a message, with value, source and date."""
    return message(code, **more, value=value.value, source=value.source, as_of=value.as_of, note=value.note)
