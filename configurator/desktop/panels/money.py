"""Cost as lines with their formula, inputs and source: for the status bar and the cost tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from configurator.desktop.widgets.explain import Explanation
from configurator.plan.model import CostSettings
from configurator.terms import Estimate
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.operations.results import CostEstimate, PowerDraw


@dataclass(frozen=True, slots=True)
class CostLine:
    """One part of the yearly cost; ``colour`` is a token for its piece of the bar."""

    name: str
    per_year: Estimate
    colour: str
    explanation: Explanation


def cost_lines(cost: CostEstimate, settings: CostSettings, wording: Wording) -> tuple[CostLine, ...]:
    """Parts that are not nothing, largest kinds first as in the cost model."""
    _ = wording.gettext
    years = wording.years(settings.life_years)
    capital = Explanation(
        _("Equipment per year"),
        _("Purchase less what it is worth at the end, spread over its life with the cost of the money (annuity)."),
        (
            (_("Purchase, without VAT"), wording.estimate(cost.purchase)),
            (_("Life"), years),
            (_("Cost of the money"), wording.share(settings.cost_of_capital)),
            (_("Worth at the end"), wording.share(settings.residual_share)),
        ),
        _("Prices and their dates stand in the equipment list."),
    )
    energy = Explanation(
        _("Electricity per year"),
        _("Power at the plug by state × hours in that state × cooling factor × tariff."),
        (
            (_("Energy with cooling"), wording.estimate(cost.energy_kwh_per_year)),
            (_("Share of the year it works"), wording.estimate(cost.busy_share)),
        ),
        _("Tariff and cooling factor of each place; assumed ones are listed below."),
    )
    staff = Explanation(
        _("Looking after it"),
        _("Hours per month × 12 × rate per hour; more servers take more hours."),
        ((_("Hours per month"), wording.estimate(cost.staff_hours_per_month)),),
        "",
    )
    keep = Explanation(
        _("Maintenance and spare parts"),
        _("Shares of the purchase price per year."),
        (
            (_("Maintenance"), wording.share(settings.maintenance_share)),
            (_("Spare parts"), wording.share(settings.spares_share)),
        ),
        "",
    )
    network = Explanation(_("Network and internet"), _("As entered, per year."), (), "")
    rent = Explanation(
        _("Rent of rack space"),
        _("Power the place keeps ready × price per kW and month × 12. Electricity is counted apart."),
        (),
        _("Offers differ up to four times; the range is listed below. Ask the data centre."),
    )
    other = Explanation(_("Room and other"), _("As entered, per year."), (), "")
    failure = Explanation(
        _("Failures"),
        _("Expected failures per year × (hours to mend × rate + what the standstill costs)."),
        ((_("Works this share of the time"), wording.estimate(cost.availability)),),
        _("Failure rates from published fleets."),
    )
    lines = (
        CostLine(_("Equipment"), cost.capital_per_year, "weights", capital),
        CostLine(_("Electricity"), cost.energy_per_year, "working", energy),
        CostLine(_("People"), cost.staff_per_year, "kv", staff),
        CostLine(_("Maintenance"), cost.maintenance_per_year, "sockets", keep),
        CostLine(_("Failures"), cost.failure_per_year, "stop", failure),
        CostLine(_("Network"), cost.network_per_year, "network", network),
        CostLine(_("Rack rent"), cost.rent_per_year, "step", rent),
        CostLine(_("Other"), cost.other_per_year, "internet", other),
    )
    return tuple(line for line in lines if line.per_year.high > 0)


def power_explained(draw: PowerDraw, wording: Wording) -> Explanation:
    """Power of the whole plan in each state."""
    _ = wording.gettext
    return Explanation(
        _("Power at the plug"),
        _("Cards at their measured share of the limit + machine + losses of the supply, without cooling."),
        (
            (_("idle"), wording.estimate(draw.idle_w)),
            (_("model loaded, waiting"), wording.estimate(draw.loaded_idle_w)),
            (_("busy"), wording.estimate(draw.busy_w)),
            (_("most that can be drawn"), wording.power(draw.peak_w)),
        ),
        _("Breakers and supplies are checked against the most that can be drawn."),
    )


def total_explained(cost: CostEstimate, settings: CostSettings, wording: Wording) -> Explanation:
    """What the yearly sum is made of."""
    lines = tuple((line.name, wording.estimate(line.per_year)) for line in cost_lines(cost, settings, wording))
    _ = wording.gettext
    return Explanation(
        _("Cost of owning and running"), _("Sum of the parts per year, without VAT; a month is a twelfth."), lines, ""
    )


def purchase_explained(cost: CostEstimate, wording: Wording) -> Explanation:
    """What is to be bought, with dates of the prices."""
    _ = wording.gettext
    lines = tuple(
        (f"{line.quantity} × {line.name}", wording.estimate(line.total) if line.total is not None else _("not known"))
        for line in cost.shopping
        if not line.owned
    )
    dates = sorted({line.price_date for line in cost.shopping if line.price_date and not line.owned})
    said = (
        _("Prices of {date}").format(date=dates[0] if len(dates) == 1 else f"{dates[0]} – {dates[-1]}") if dates else ""
    )
    return Explanation(
        _("To buy, without VAT"), _("Planning prices × quantities; what you own is left out."), lines, said
    )


def million_explained(cost: CostEstimate, wording: Wording) -> Explanation:
    """Cost of a million tokens."""
    _ = wording.gettext
    inputs = [(_("Cost per year"), wording.estimate(cost.total_per_year))]
    if cost.tokens_per_year is not None:
        inputs.append((_("Tokens per year"), wording.estimate(cost.tokens_per_year)))
    inputs.append((_("Share of the year it works"), wording.estimate(cost.busy_share)))
    return Explanation(
        _("Cost of a million tokens"),
        _("Cost per year ÷ millions of tokens per year. An idle machine makes every token dearer."),
        tuple(inputs),
        "",
    )
