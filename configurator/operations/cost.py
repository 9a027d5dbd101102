"""Cost of owning and running a plan for a year, and of a million tokens at the expected load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from configurator.catalogue import Catalogue
from configurator.operations import rates
from configurator.operations.compare import Comparison, compare
from configurator.operations.energy import Energy, energy_of, noted
from configurator.operations.formulas import MILLION, CostInputs, annuity
from configurator.operations.power import power_draw
from configurator.operations.ranges import added, divided, mean, multiplied
from configurator.operations.rates import Assumed, StaffClass
from configurator.operations.results import CostEstimate, PowerDraw, ShoppingLine
from configurator.operations.shopping import interconnect_decided, per_eur, shopping, storage_needed, unpriced
from configurator.operations.use import Use, use_of, writes
from configurator.plan.model import Plan, Project
from configurator.scaling.results import ScoredLayout
from configurator.terms import Estimate, Message, message


def cost(
    project: Project,
    plan: Plan,
    catalogue: Catalogue,
    chosen: Mapping[str, ScoredLayout | None] | None = None,
    *,
    interconnect_allowed: bool | None = None,
    power: tuple[PowerDraw, ...] | None = None,
    full_tokens_per_s: float = 0.0,
) -> CostEstimate:
    """Yearly cost of a plan in the project's currency, net.

    ``chosen`` gives the layout of each workload by its id: its speed under the asked load makes the tokens, its
    copies decide staff and availability. ``interconnect_allowed`` None: decided by the layouts (R11).
    ``power`` saves computing the draw again. ``full_tokens_per_s``: see ``compare``.
    """
    layouts = chosen or {}
    settings, currency = project.cost, project.currency
    rate = per_eur(currency, catalogue)
    if interconnect_allowed is None:
        interconnect_allowed = interconnect_decided(plan, layouts)
    lines = shopping(
        plan,
        catalogue,
        currency,
        interconnect_allowed=interconnect_allowed,
        shared_storage=storage_needed(plan, layouts),
    )
    purchase = _purchase(lines, currency)
    draws = {draw.subject_id: draw for draw in (power if power is not None else power_draw(plan, catalogue))}
    node = _availability(project)
    uses = [use_of(workload, plan, layouts.get(workload.id), node, project) for workload in plan.workloads]
    notes: list[Message] = []
    if any(layout is None or layout.speed is None for layout in layouts.values()) or not plan.workloads:
        notes.append(message("assume.no_speed"))

    energy = energy_of(project, plan, catalogue, draws, uses, rate, notes)
    staff_class = _staff_class(uses)
    added_node = project.policy.engineering_factor_per_added_node
    hours = _given_or(
        settings.staff_hours_per_month, rates.staff_hours(staff_class, _server_count(plan), added_node), "h/month"
    )
    wage = _given_or(
        settings.staff_rate_per_h, rates.staff_rate(_country(plan), catalogue, rate, currency), f"{currency}/h"
    )
    staff = multiplied(hours.value, wage.value, Estimate.exact(12.0), unit=f"{currency}/year")
    failures = _failures(plan, catalogue, wage.value, currency)
    capital_factor = annuity(1.0, settings.residual_share, settings.life_years, settings.cost_of_capital)
    upkeep_share = settings.maintenance_share + settings.spares_share
    capital = purchase.scaled(capital_factor, f"{currency}/year")
    maintenance = purchase.scaled(upkeep_share, f"{currency}/year")
    network = Estimate.exact(settings.network_per_year, f"{currency}/year", "policy")
    rent = _colocation(plan, catalogue, draws, rate, currency, notes)
    other = Estimate.exact(settings.other_per_year, f"{currency}/year", "policy")
    owning = purchase.scaled(capital_factor + upkeep_share)
    total = added((owning, energy.money, staff, network, rent, other, failures), f"{currency}/year")
    tokens = _tokens(uses)
    availability = mean([use.availability for use in uses]) if uses else node
    busy = mean([use.busy for use in uses]) if uses else energy.busy
    notes += _notes(project, hours, wage, uses, node, staff_class)
    expected = CostInputs(
        purchase=purchase.expected,
        residual_share=settings.residual_share,
        life_years=settings.life_years,
        cost_of_capital=settings.cost_of_capital,
        busy_w=energy.busy_w.expected,
        loaded_idle_w=energy.loaded_w.expected,
        busy_share=busy.expected,
        pue=energy.pue.expected,
        tariff_per_kwh=energy.tariff.expected,
        maintenance_share=settings.maintenance_share,
        spares_share=settings.spares_share,
        staff=staff.expected,
        network=settings.network_per_year,
        other=other.expected,
        rent=rent.expected,
        availability=availability.expected,
        tokens_per_s=sum(use.tokens_per_s.expected for use in uses if use.tokens_per_s is not None),
        idle_w=energy.idle_w.expected,
        loaded_idle_share=settings.loaded_idle_share,
        failures=failures.expected,
    )
    return CostEstimate(
        currency=currency,
        purchase=purchase,
        capital_per_year=capital,
        energy_kwh_per_year=energy.kwh,
        energy_per_year=energy.money,
        maintenance_per_year=maintenance,
        staff_per_year=staff,
        staff_hours_per_month=hours.value,
        network_per_year=network,
        other_per_year=other,
        rent_per_year=rent,
        failure_per_year=failures,
        total_per_year=total,
        tokens_per_year=tokens,
        per_million_tokens=divided(total, tokens.scaled(1.0 / MILLION), f"{currency}/1M tokens")
        if tokens is not None
        else None,
        busy_share=busy,
        availability=availability,
        shopping=lines,
        assumptions=tuple(notes),
        inputs=expected,
        ranges=_input_ranges(expected, purchase, energy, staff, busy, availability, uses, rent, failures),
        purchase_complete=not unpriced(lines),
        energy_by_site=energy.by_site,
        staff_class=staff_class,
        carbon_kg_per_year=energy.carbon,
        comparison=_comparison(plan, layouts, expected, catalogue, rate, full_tokens_per_s),
    )


def _comparison(
    plan: Plan,
    layouts: Mapping[str, ScoredLayout | None],
    inputs: CostInputs,
    catalogue: Catalogue,
    rate: float,
    full_tokens_per_s: float,
) -> Comparison | None:
    """Only where one workload has the plan to itself: shared costs have no fair split."""
    if len(plan.workloads) != 1 or inputs.tokens_per_s <= 0:
        return None
    (workload,) = plan.workloads
    layout = layouts.get(workload.id)
    model = catalogue.models.get(workload.model) if workload.model is not None else None
    cards = {
        slot.gpu.id: slot.gpu.gpu
        for site in plan.sites
        for server in site.servers
        for slot in server.slots
        if slot.gpu is not None
    }
    instances = layout.instances if layout is not None else ()
    used = (gpu for instance in instances for stage in instance.stages for gpu in stage)
    if model is not None and not writes(model):
        return None
    kinds = (cards[gpu] for gpu in used if gpu in cards)
    return compare(workload, model, inputs, kinds, catalogue, rate, full_tokens_per_s)


def _purchase(lines: tuple[ShoppingLine, ...], currency: str) -> Estimate:
    return added((line.total for line in lines if line.total is not None), currency, "vendor")


def _given_or(value: float | None, otherwise: Assumed, unit: str) -> Assumed:
    return rates.given(value, unit) if value is not None else otherwise


def _availability(project: Project) -> Estimate:
    given = project.cost.availability
    return Estimate.exact(given, "", "policy") if given is not None else Estimate(*rates.AVAILABILITY, "", "assumed")


def _server_count(plan: Plan) -> int:
    return sum(len(site.servers) for site in plan.sites)


def _country(plan: Plan) -> str:
    """Country of the site with the most servers: that is where the work is paid."""
    sites = sorted(plan.sites, key=lambda site: -len(site.servers))
    return sites[0].country if sites else ""


def _staff_class(uses: list[Use]) -> StaffClass:
    if any(use.nodes_per_copy > 1 for use in uses):
        return "cluster"
    return "replicas" if any(len(use.server_ids) > 1 for use in uses) else "single"


def _failures(plan: Plan, catalogue: Catalogue, wage: Estimate, currency: str) -> Estimate:
    """Expected repairs of cards times the hours on each; the parts themselves are in the spares share."""
    cards = Counter(
        slot.gpu.gpu for site in plan.sites for server in site.servers for slot in server.slots if slot.gpu is not None
    )
    per_year = [0.0, 0.0, 0.0]
    for gpu, count in cards.items():
        record = catalogue.gpus.get(gpu)
        if record is not None:
            annual = rates.annual_failure_rate(record, catalogue)
            per_year = [have + count * more for have, more in zip(per_year, annual, strict=True)]
    return multiplied(
        Estimate(per_year[0], per_year[1], per_year[2]),
        Estimate(*rates.REPAIR_HOURS),
        wage,
        unit=f"{currency}/year",
        basis="assumed",
    )


def _colocation(
    plan: Plan,
    catalogue: Catalogue,
    draws: Mapping[str, PowerDraw],
    rate: float,
    currency: str,
    notes: list[Message],
) -> Estimate:
    """Hire of power in a data centre, per committed kW; energy is counted apart. Quotes differ four-fold: ask."""
    price = next((each for each in catalogue.colocation if each.unit == "eur_per_kw_month"), None)
    parts = []
    for site in plan.sites:
        if site.kind != "colocation" or price is None or not site.servers:
            continue
        # The sentence says "per kW and month".
        found = rates.from_fact(price.price, currency, rate)
        parts.append(found.value.scaled(12.0 * draws[site.id].busy_w.high / 1000.0))
        notes.append(noted("assume.colocation", found, site_id=site.id, committed_w=draws[site.id].busy_w.high))
    return added(parts, f"{currency}/year")


def _tokens(uses: list[Use]) -> Estimate | None:
    """Output tokens of a year; None where a workload has none (training, no speed yet)."""
    found = [use.tokens_per_year for use in uses]
    known = [tokens for tokens in found if tokens is not None]
    if not known or len(known) != len(found):
        return None
    return added(known, "tokens/year")


def _notes(
    project: Project, hours: Assumed, wage: Assumed, uses: list[Use], node: Estimate, staff_class: StaffClass
) -> list[Message]:
    """What was taken for granted besides energy."""
    notes = []
    if not hours.given and hours.value.high > 0:
        notes.append(noted("assume.staff_hours", hours, staff_class=staff_class))
    if not wage.given and hours.value.high > 0:
        notes.append(noted("assume.staff_rate", wage, currency=project.currency))
    if project.cost.availability is None:
        notes.append(message("assume.availability", value=node.scaled(1.0, "share")))
    if project.cost.busy_share is None:
        notes += [
            message(
                "assume.busy_share" if use.workload.tokens_per_month is None else "assume.busy_from_demand",
                workload_id=use.workload.id,
                value=use.busy.scaled(1.0, "share"),
            )
            for use in uses
        ]
    settings = project.cost
    notes.append(
        message(
            "assume.cost_settings",
            life_years=settings.life_years,
            cost_of_capital_share=settings.cost_of_capital,
            residual_share=settings.residual_share,
            maintenance_share=settings.maintenance_share,
            spares_share=settings.spares_share,
        )
    )
    notes.append(message("assume.not_counted"))
    return notes


def _input_ranges(
    expected: CostInputs,
    purchase: Estimate,
    energy: Energy,
    staff: Estimate,
    busy: Estimate,
    availability: Estimate,
    uses: list[Use],
    rent: Estimate,
    failures: Estimate,
) -> tuple[tuple[str, float, float], ...]:
    speeds = [use.tokens_per_s for use in uses if use.tokens_per_s is not None]
    found: dict[str, tuple[float, float]] = {
        "busy_share": (busy.low, busy.high),
        "tokens_per_s": (sum(each.low for each in speeds), sum(each.high for each in speeds)),
        "staff": (staff.low, staff.high),
        "purchase": (purchase.low, purchase.high),
        "availability": (availability.low, availability.high),
        "tariff_per_kwh": (energy.tariff.low, energy.tariff.high),
        "pue": (energy.pue.low, energy.pue.high),
        "busy_w": (energy.busy_w.low, energy.busy_w.high),
        "loaded_idle_w": (energy.loaded_w.low, energy.loaded_w.high),
        "rent": (rent.low, rent.high),
        "failures": (failures.low, failures.high),
    }
    for name, (low, high) in rates.COST_SETTING_RANGES.items():
        value = getattr(expected, name)
        found[name] = (min(low, value), max(high, value))
    return tuple((name, low, high) for name, (low, high) in found.items() if high > low)
