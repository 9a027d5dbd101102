"""What to buy, what it costs to own and run, what it draws."""

from __future__ import annotations

from collections.abc import Callable

from reportlab.platypus import Flowable

from configurator.operations import PowerCheck, gross, power_checks, tornado, unpriced, yearly_cost
from configurator.operations.results import ShoppingLine
from configurator.proposal.blocks import Cell, Grid, callout, gap, part, points, section, text, together
from configurator.proposal.charts import Fill, Legend, StackedBars, Swing, Tornado
from configurator.proposal.fonts import markup
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH
from configurator.terms import Estimate

BTU_PER_WATT_HOUR = 3.412
"""Heat in BTU/h for one watt. Source: 1 W = 3.412142 BTU/h (definition of the thermochemical BTU)."""

MOST_NAMES = 3
"""Machines that are named in one line."""


def equipment(material: Material) -> list[Flowable]:
    """The list with prices, their dates, and what is already there."""
    say, cost = material.say, material.assessment.cost
    story: list[Flowable] = [*section(say("What it costs"), "money"), *part(say("To buy"), "equipment")]
    if not cost.shopping:
        return [*story, text(say("The plan holds no equipment yet."))]
    notes = tuple(dict.fromkeys(_basis(material, line) for line in material.to_buy if _basis(material, line)))
    rows: list[tuple[Cell, ...]] = [_line(material, line, notes) for line in cost.shopping]
    head = (say("Item"), say("pieces"), say("each"), say("together"), say("price of"))
    if not material.to_buy:
        listed = ", ".join(f"{material.wording.count(line.quantity)}\u00a0×\u00a0{line.name}" for line in cost.shopping)
        return [*story, text(say("Nothing: all of it is there already ({listed}).", listed=listed))]
    total = material.range(material.sum_of_money(cost.purchase))
    rows.append((say("To buy in all, net"), "", "", total, ""))
    strong = [len(rows) - 1]
    if material.project.cost.show_gross:
        share = material.project.cost.vat_share
        taxed = material.range(gross(material.sum_of_money(cost.purchase), material.project))
        rows.append((say("With VAT of {share}", share=material.wording.share(share)), "", "", taxed, ""))
        strong.append(len(rows) - 1)
    grid = Grid(head, rows, (28, 10, 22, 24, 16), align="lrrrl", strong=strong)
    story.append(grid.flowable())
    missing = [line.name for line in unpriced(cost.shopping)]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        story += [
            gap(6),
            callout(say("No price known."), say("Ask for an offer: {names}. The sum is without it.", names=names)),
        ]
    story += [gap(4)]
    story += [text(f"{_raised(number)} {note}", "note") for number, note in enumerate(notes, 1)]
    story += [
        text(
            say(
                "Planning prices without VAT, freight and installation; a price is a range where offers differ. Ask for"
                " binding offers before you order."
            ),
            "note",
        ),
    ]
    return story


def _basis(material: Material, line: ShoppingLine) -> str:
    basis = line.price_basis
    return material.wording.word(basis) if basis.startswith("basis.") else material.wording.gettext(basis)


def _line(material: Material, line: ShoppingLine, notes: tuple[str, ...]) -> tuple[Cell, ...]:
    say = material.say
    count = material.wording.count(line.quantity)
    if line.owned:
        return (line.name, count, DASH, say("already there"), "")
    each = material.range(material.sum_of_money(line.unit_price)) if line.unit_price is not None else say("ask")
    total = material.range(material.sum_of_money(line.total)) if line.total is not None else say("not known")
    when = material.day_of(line.price_date) if line.price_date else DASH
    basis = _basis(material, line)
    return (line.name, count, each, total, f"{when}\u00a0{_raised(notes.index(basis) + 1)}" if basis in notes else when)


def _raised(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(figure)] for figure in str(number))


def running_costs(material: Material) -> list[Flowable]:
    """The year in parts, the cost of a million tokens, and what it rests on."""
    say, cost = material.say, material.assessment.cost
    fills = {
        "capital": Fill(say("money tied up"), "weights", "solid"),
        "energy": Fill(say("electricity"), "kv", "lines"),
        "maintenance": Fill(say("maintenance and spares"), "working", "dots"),
        "staff": Fill(say("people's time"), "sockets", "steep"),
        "network": Fill(say("network"), "network", "bars"),
        "failure": Fill(say("failures"), "stop", "cross"),
        "rent": Fill(say("rent of rack space"), "internet", "lines"),
        "other": Fill(say("other"), "unknown", "none"),
    }
    parts: list[tuple[str, Estimate]] = [
        ("capital", cost.capital_per_year),
        ("energy", cost.energy_per_year),
        ("maintenance", cost.maintenance_per_year),
        ("staff", cost.staff_per_year),
        ("network", cost.network_per_year),
        ("failure", cost.failure_per_year),
        ("rent", cost.rent_per_year),
        ("other", cost.other_per_year),
    ]
    parts = [(name, value) for name, value in parts if value.high > 0]
    story: list[Flowable] = part(say("Per year"), "costs")
    bars = []
    for name, pick in ((say("low"), "low"), (say("expected"), "expected"), (say("high"), "high")):
        values = [(fills[key], float(getattr(value, pick))) for key, value in parts]
        whole = sum(value for _, value in values)
        bars.append((name, values, _money(material, whole)))
    story = [
        together(
            *story,
            StackedBars(bars, label_room=62, figure_room=92, bar=13),
            Legend([fills[key] for key, _ in parts], indent=62),
        ),
        gap(4),
    ]
    rows: list[tuple[Cell, ...]] = [
        (fills[key].word, material.about_without_unit(value), _how(material, key)) for key, value in parts
    ]
    rows.append((say("One year, all in"), material.about_without_unit(cost.total_per_year), ""))
    strong = [len(rows) - 1]
    if cost.per_million_tokens is not None and cost.tokens_per_year is not None:
        millions = material.range(_bare(cost.tokens_per_year.scaled(1e-6)))
        made = say("for {millions} million tokens a year", millions=millions)
        rows.append((say("One million tokens"), material.about_without_unit(cost.per_million_tokens), made))
        strong.append(len(rows) - 1)
    head = (say("Part"), say("{currency} per year", currency=material.project.currency), say("from"))
    grid = Grid(head, rows, (26, 30, 44), align="lrl", strong=strong, padding=2.4)
    if not material.runs and material.workloads:
        idle = say("Nothing runs on this plan as it stands: these are the costs of the machines, as if they worked.")
        story.append(text(idle, "note"))
    return [*story, grid.flowable(), gap(3), *_years(material)]


def cost_details(material: Material) -> list[Flowable]:
    """What moves the cost of a million tokens, and what the sums rest on."""
    told = [*_sensitivity(material), *_assumptions(material)]
    return [*section(material.say("The sums in detail"), "cost-details"), *told] if told else []


def _sensitivity(material: Material) -> list[Flowable]:
    """What moves the cost of a million tokens most, each input on its own."""
    cost = material.assessment.cost
    if cost.inputs is None or not cost.ranges or cost.inputs.tokens_per_s <= 0:
        return []
    say, currency = material.say, material.project.currency
    base = yearly_cost(cost.inputs).per_million
    rows = tornado(cost.inputs, {name: (low, high) for name, low, high in cost.ranges})[:6]
    if base is None or not rows:
        return []
    names = _input_names(material)
    swings = []
    for row in rows:
        label, printed = names.get(row.name, (row.name, material.wording.number))
        swings.append(Swing(label, row.at_low, row.at_high, printed(row.input_low), printed(row.input_high)))
    middle = say("{money} per million tokens", money=material.wording.money(words_rounded(base), currency))
    note = say(
        "Each input alone between its low and its high figure (written at the ends); the longest bar matters most."
    )
    title = part(say("What moves the cost of a million tokens"), "costs-sensitivity")
    return [together(*title, text(note, "note"), Tornado(base, middle, swings))]


def _input_names(material: Material) -> dict[str, tuple[str, Callable[[float], str]]]:
    say, words = material.say, material.wording

    def money(value: float) -> str:
        return words.money(words_rounded(value), material.project.currency)

    def price(value: float) -> str:
        return words.money(value, material.project.currency)

    return {
        "busy_share": (say("part of the year it is busy"), words.share),
        "tokens_per_s": (say("speed when busy"), words.rate),
        "staff": (say("people's time, per year"), money),
        "purchase": (say("price"), money),
        "availability": (say("available"), words.share),
        "tariff_per_kwh": (say("electricity, per kWh"), price),
        "pue": (say("cooling factor"), words.number),
        "busy_w": (say("draw when busy"), words.power),
        "loaded_idle_w": (say("draw while waiting"), words.power),
        "idle_w": (say("draw when idle"), words.power),
        "rent": (say("rent of rack space, per year"), money),
        "other": (say("other, per year"), money),
        "failures": (say("failures, per year"), money),
        "residual_share": (say("worth at the end"), words.share),
        "life_years": (say("years of use"), words.years),
        "cost_of_capital": (say("cost of the money"), words.share),
        "maintenance_share": (say("maintenance"), words.share),
        "spares_share": (say("spares"), words.share),
        "network": (say("network, per year"), money),
        "loaded_idle_share": (say("waiting with a model loaded"), words.share),
    }


def words_rounded(value: float) -> float:
    """A forecast sum at two significant figures."""
    return float(f"{value:.2g}")


def _money(material: Material, value: float) -> str:
    return material.range(Estimate(value, value, value * 1.000001, material.project.currency))


def _how(material: Material, part_of_year: str) -> str:
    say, words, cost, settings = material.say, material.wording, material.assessment.cost, material.project.cost
    return {
        "capital": say(
            "price over {years}, {residual} left at the end, {rate} a year for the money",
            years=words.years(settings.life_years),
            residual=words.share(settings.residual_share),
            rate=words.share(settings.cost_of_capital),
        ),
        "energy": material.range(cost.energy_kwh_per_year),
        "maintenance": say(
            "{maintenance} of the price for maintenance, {spares} for spares",
            maintenance=words.share(settings.maintenance_share),
            spares=words.share(settings.spares_share),
        ),
        "staff": say("{hours} hours a month", hours=material.range(_bare(cost.staff_hours_per_month))),
        "failure": say("available {share} of the time", share=material.range(_shared(cost.availability))),
        "network": say("line, address, ports"),
        "rent": say("place and power kept ready in a data centre; electricity is counted apart"),
    }.get(part_of_year, "")


def _bare(value: Estimate) -> Estimate:
    return Estimate(value.low, value.expected, value.high)


def _shared(value: Estimate) -> Estimate:
    return Estimate(value.low, value.expected, value.high, "share")


def _years(material: Material) -> list[Flowable]:
    """Cash over one, three and five years: the purchase once, the rest each year."""
    say, cost = material.say, material.assessment.cost
    running = cost.running_per_year
    rows = []
    for years in sorted({1, 3, max(1, round(material.project.cost.life_years))}):
        spent = Estimate(
            cost.purchase.low + years * running.low,
            cost.purchase.expected + years * running.expected,
            cost.purchase.high + years * running.high,
            material.project.currency,
        )
        rows.append((material.wording.years(years), material.around(spent)))
    told = ", ".join(say("after {years} {money}", years=years, money=money) for years, money in rows)
    return [text(say("Spent in all, purchase and running, net: {told}.", told=told))]


def _assumptions(material: Material) -> list[Flowable]:
    lines = material.assessment.cost.assumptions
    if not lines:
        return []
    say = material.say
    title = part(say("What the sums rest on"), "costs-basis")
    return [*title, *points([markup(material.text(each)) for each in lines])]


def power(material: Material) -> list[Flowable]:
    """Watts and heat of each server, each place and the whole."""
    say = material.say
    story: list[Flowable] = section(say("Power and heat"), "power")
    rows: list[tuple[Cell, ...]] = []
    strong: list[int] = []
    for site in material.plan.sites:
        for server in site.servers:
            rows += _watts(material, server.id, server.name)
        if len(material.plan.sites) > 1 and len(site.servers) > 1:
            rows += _watts(material, site.id, site.name)
    whole = _watts(material, "plan", say("Everything")) if len(rows) != 1 else []
    strong += [len(rows)] if whole else []
    rows += whole
    if not rows:
        return [*story, text(say("Nothing draws power in this plan yet."))]
    head = ("", say("idle"), say("model loaded, waiting"), say("busy"), say("at most"), say("heat for the cooling"))
    story += [
        Grid(head, rows, (20, 14, 16, 15, 12, 23), align="lrrrrr", strong=strong, padding=3).flowable(),
        gap(3),
        text(say("At the plug, without cooling. The energy of a year stands under “What it costs”."), "note"),
    ]
    return story + _checks(material)


def _checks(material: Material) -> list[Flowable]:
    """Each limit against what stands behind it: place, fuse, supplies, the cards' budget."""
    say, words = material.say, material.wording
    names = {
        "site": say("connection of the place, nameplates together"),
        "breaker": say("fuse, load that lasts (80 %)"),
        "psu": say("power supplies, with a fifth in reserve"),
        "gpu_budget": say("what the machine gives its cards"),
        "transient": say("short peaks on the supplies"),
    }
    # Machines that are alike stand in one line.
    where: dict[tuple[str, str, str, str], list[str]] = {}
    for check in power_checks(material.plan, material.catalogue):
        key = (names[check.kind], words.power(check.load_w), words.power(check.limit_w), _judged(material, check))
        where.setdefault(key, []).append(dict(material.wording.names).get(check.subject_id, check.subject_id))
    rows: list[tuple[Cell, ...]] = [(_few(material, found), *key) for key, found in where.items()]
    if not rows:
        return []
    head = (say("Where"), say("Limit"), say("load"), say("limit"), "")
    grid = Grid(head, rows, (20, 36, 12, 12, 20), align="llrrl", padding=3)
    return [*part(say("Is there enough power?"), "power-checks"), grid.flowable()]


def _few(material: Material, names: list[str]) -> str:
    """Three names, then how many more."""
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES])
    return material.say("{names} and {count} more", names=shown, count=more) if more > 0 else shown


def _judged(material: Material, check: PowerCheck) -> str:
    say = material.say
    if not check.ok:
        # A guess of the catalogue refuses nothing: it is something to look up.
        return f"? {say('check')}" if check.assumed else f"✕ {say('too little')}"
    return f"! {say('exactly at the limit')}" if check.at_limit else f"✓ {say('enough')}"


def _watts(material: Material, subject_id: str, name: str) -> list[tuple[Cell, ...]]:
    drawn = material.power(subject_id)
    if drawn is None:
        return []
    heat = drawn.busy_w.scaled(BTU_PER_WATT_HOUR, "BTU/h")
    return [
        (
            name,
            material.range(drawn.idle_w),
            material.range(drawn.loaded_idle_w),
            material.range(drawn.busy_w),
            material.wording.power(drawn.peak_w),
            material.range(heat),
        )
    ]
