"""What the figures rest on, the next steps, the words used, the sign-off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Table

from configurator import __version__
from configurator.diagram.tokens import LIGHT
from configurator.plan.index import gpus, servers
from configurator.proposal.blocks import Cell, Grid, Signature, gap, part, rich, section, text, together
from configurator.proposal.charts import Legend
from configurator.proposal.fonts import markup
from configurator.proposal.material import Material
from configurator.proposal.pictures import Drawing
from configurator.proposal.sections.options import DASH
from configurator.wording import Term

MOST_SOURCES = 2
MOST_ACTIONS = 8


def method(material: Material) -> list[Flowable]:
    """Thresholds, data with source and date, how it is calculated, what is left out."""
    say = material.say
    story: list[Flowable] = section(say("Assumptions and method"), "method")
    story += [
        text(
            say(
                "Memory is added up from the architecture of the model: weights in their format with scales,"
                " conversations by layer and kind of attention, working memory by the engine's steps, against what the"
                " driver reports of each card. Speed is the slowest of reading the weights, computing and exchanging,"
                " each with an efficiency taken from measurements, at the load that was asked. Ranges come from three"
                " runs with pessimistic, expected and optimistic figures for what is not known. Cost is the purchase"
                " spread over its years with interest, plus energy, upkeep, people and failures."
            )
        )
    ]
    story += [*part(say("Thresholds of this project"), "method-policy"), _policy(material)]
    records = _records(material)
    if records:
        head = (say("Data used"), say("as of"), say("source"))
        story += [
            *part(say("Data and their sources"), "method-data"),
            Grid(head, records, (28, 18, 54), padding=2).flowable(),
        ]
    if material.project.measurements:
        measured = [
            (
                each.quantity,
                f"{material.wording.number(each.value)}\u00a0{each.unit}",
                each.conditions,
                f"{each.source}, {material.day_of(each.date)}",
            )
            for each in material.project.measurements
        ]
        columns = (say("Measured by the owner"), say("value"), say("conditions"), say("source"))
        grid = Grid(columns, measured, (24, 16, 34, 26), padding=2.4)
        story += [*part(say("Measurements that replace estimates")), grid.flowable()]
    story += [
        gap(6),
        text(
            say("Made with GPU Configurator {version}.", version=__version__),
            "note",
        ),
    ]
    return story


def _policy(material: Material) -> Flowable:
    say, words, policy = material.say, material.wording, material.project.policy
    shares = material.share_range
    rows = [
        (say("Weights take at most"), shares(policy.weights_share_low, policy.weights_share_high), "R22"),
        (say("Memory to keep free"), shares(policy.headroom_low, policy.headroom_high), "R22"),
        (say("Stop when memory is occupied by"), words.share(policy.occupied_stop), "R23"),
        (say("Use of each card at least"), words.share(policy.efficiency_floor), "R41"),
        (
            say("Node to buy for comparison"),
            f"{policy.buy_node_gpus}\u00a0×\u00a0{material.gpu_name(policy.buy_node_gpu)}",
            "R59",
        ),
        (say("Engineering time for each added node"), words.factor(policy.engineering_factor_per_added_node), "R68"),
    ]
    return Grid((say("Threshold"), say("value"), say("rule")), rows, (58, 30, 12), padding=2.4).flowable()


def _records(material: Material) -> list[tuple[Cell, ...]]:
    """Catalogue records that the plan uses, with date and sources."""
    catalogue, plan = material.catalogue, material.plan
    used: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for _, _, _, gpu in gpus(plan):
        card = catalogue.gpus.get(gpu.gpu)
        if card is not None:
            used[card.id] = (card.name, card.as_of, card.sources)
            if card.price is not None and not gpu.owned:
                name = material.say("Price: {name}", name=card.name)
                used[card.id + " price"] = (name, card.price.as_of, card.price.eur.sources)
    for _, server in servers(plan):
        chassis = catalogue.servers.get(server.chassis)
        if chassis is not None:
            used[chassis.id] = (chassis.name, chassis.as_of, chassis.sources)
    for workload in plan.workloads:
        model = catalogue.models.get(workload.model or "")
        if model is not None:
            used[model.id] = (model.name, model.as_of, model.sources)
    for link in plan.links:
        kind = catalogue.links.get(link.kind)
        if kind is not None:
            used[kind.id] = (kind.name, kind.bandwidth.as_of, kind.sources)
    return [
        (name, material.day_of(as_of) or DASH, text(_sources(material, sources), "note"))
        for name, as_of, sources in used.values()
    ]


def _sources(material: Material, sources: Sequence[str]) -> str:
    shown = [_short(each) for each in sources[:MOST_SOURCES]]
    more = len(sources) - len(shown)
    if more > 0:
        shown.append(material.say("and {count} more", count=more))
    return "; ".join(shown) or DASH


def _short(source: str) -> str:
    """An address without what a reader does not need to find it."""
    return re.sub(r"^https?://(www\.)?", "", source).rstrip("/")


def next_steps(material: Material) -> list[Flowable]:
    """What to do, in order; who does it."""
    say = material.say
    rows: list[tuple[Cell, ...]] = []

    def step(what: str, who: str) -> None:
        rows.append((f"{len(rows) + 1}", what, who, ""))

    for _, answer in material.workloads:
        for each in answer.unknowns:
            who = material.wording.word(each.who) if each.who.startswith("who.") else each.who
            step(say("Find out: {question}", question=material.text(each.question)), who)
    urgent = [each for each in material.findings if each.kind in {"will_not_work", "one_more_step"}]
    actions = dict.fromkeys(material.text(each.action) for each in urgent if each.action is not None)
    for action in list(actions)[:MOST_ACTIONS]:
        step(action, "")
    if len(actions) > MOST_ACTIONS:
        step(say("Go through the other points of “Risks and findings”."), "")
    if material.assessment.verdict.light == "stop":
        step(say("Change the plan; then make a new proposal: this one is not meant to be ordered from."), say("owner"))
    else:
        for what, who in _to_the_pilot(material):
            step(what, who)
    head = ("", say("Step"), say("Who"), say("Done on"))
    return [*section(say("Next steps"), "next"), Grid(head, rows, (6, 66, 14, 14), padding=2.4).flowable()]


def _to_the_pilot(material: Material) -> list[tuple[str, str]]:
    say = material.say
    day = material.price_date or material.day(material.date)
    buying = [
        (say("Ask for binding offers; prices here are of {day}.", day=day), say("owner")),
        (say("Decide until {day}.", day=material.day(material.valid_until)), say("owner")),
    ]
    trying = [
        (
            say("Try it before relying on it: the agreed load, one card pulled, one night of full work."),
            say("operator"),
        ),
        (
            say("Put the measured figures into the project; the program then uses them instead of estimates."),
            say("operator"),
        ),
    ]
    return [*(buying if material.to_buy else []), *trying]


def glossary(material: Material, story: Iterable[Flowable]) -> list[Flowable]:
    """Terms that the pages before really use, one line each."""
    words = " ".join(_words(story))
    terms = [each for each in material.wording.glossary() if _used(each, words)]
    if not terms:
        return []
    lines = [rich(f'<font color="{LIGHT.ink}"><b>{markup(each.name)}</b></font> {markup(each.plain)}', "note")
             for each in terms]  # fmt: skip
    half = (len(lines) + 1) // 2
    right: list[Cell] = [*lines[half:], *([""] * (2 * half - len(lines)))]
    grid = Grid((), list(zip(lines[:half], right, strict=True)), (50, 50), padding=1)
    return [together(*section(material.say("Words used"), "glossary"), grid.flowable())]


def _used(term: Term, words: str) -> bool:
    return any(
        re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", words, re.IGNORECASE) is not None
        for name in re.sub(r"\(.*?\)", "", term.name).split(",")
        if len(name.strip()) > 1
    )


def _words(story: Iterable[object]) -> Iterable[str]:
    for each in story:
        if isinstance(each, str):
            yield each
        elif isinstance(each, Paragraph):
            yield each.getPlainText()
        elif isinstance(each, Table):
            cells: Any = each
            for row in cells._cellvalues:
                yield from _words(cell for cell in row if cell is not None)
        elif isinstance(each, Legend):
            yield from (fill.word for fill in each.fills)
        elif isinstance(each, Drawing):
            yield from (label.text for label in each.picture.labels)
        elif isinstance(each, KeepTogether):
            kept: Any = each
            yield from _words(kept._content)
        elif isinstance(each, list | tuple):
            yield from _words(each)


def sign_off(material: Material) -> list[Flowable]:
    """Names, dates, signatures."""
    say = material.say
    words = say(
        "The figures of this proposal are planning figures with the ranges and dates given in it. They hold"
        " until {day}.",
        day=material.day(material.valid_until),
    )
    lines = (say("name, role"), say("date"), say("signature"))
    return [
        together(
            *section(say("Sign-off"), "sign-off"),
            text(words),
            gap(4),
            text(say("For the owner"), "cell-strong"),
            Signature(lines),
            gap(10),
            text(say("Prepared by"), "cell-strong"),
            Signature(lines),
        )
    ]
