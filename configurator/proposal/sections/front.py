"""Cover, contents and the one-page summary."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.platypus import Flowable, PageBreak

from configurator.proposal.blocks import (
    Contents,
    Grid,
    Tiles,
    callout,
    gap,
    part,
    quote,
    text,
    together,
    verdict,
)
from configurator.proposal.document import Heading
from configurator.proposal.material import Material
from configurator.proposal.sections.options import columns, option_rows, side_by_side
from configurator.proposal.style import style

SUMMARY_COLUMNS = 4


def cover(material: Material) -> list[Flowable]:
    """Title, question, client, author, dates."""
    say = material.say
    facts: list[tuple[str, str]] = [
        *([(say("For"), material.project.client)] if material.project.client else []),
        *([(say("Prepared by"), material.project.author)] if material.project.author else []),
        (say("Plan"), material.plan.name),
        (say("Date"), material.day(material.date)),
        (say("Valid until"), material.day(material.valid_until)),
    ]
    client = material.project.client
    closing = say("Confidential. For {client} only.", client=client) if client else say("Confidential.")
    return [
        gap(150),
        text(say("Proposal"), "cover-word"),
        gap(6),
        text(material.title, "cover-title"),
        gap(16),
        *([quote(material.project.question), gap(10)] if material.project.question else []),
        gap(40),
        Grid((), facts, (26, 74), muted_first=True, padding=5).flowable(),
        gap(24),
        text(closing, "note"),
        text(
            say(
                "All sums are net of VAT unless a line says otherwise. Forecasts are given as ranges; what is not known"
                " is named as such."
            ),
            "note",
        ),
        PageBreak(),
    ]


def summary(material: Material) -> list[Flowable]:
    """The question, the answer, four figures, the options, what changes it, what is not known."""
    say = material.say
    answer = material.assessment.verdict
    under = say("{plan} · valid until {day}", plan=material.plan.name, day=material.day(material.valid_until))
    story: list[Flowable] = [*_titled(say("Summary"), "summary"), text(under, "cover-word"), gap(9)]
    if material.project.question:
        story += [quote(say("You asked: {question}", question=material.project.question)), gap(9)]
    story += [
        verdict(
            answer.light,
            _light_word(material),
            material.text(answer.headline),
            [material.text(each) for each in answer.reasons],
        ),
        gap(10),
        Tiles(_figures(material)),
    ]
    shown = side_by_side(columns(material))
    # What is rented is the last one, and what owners ask about.
    shown = [*shown[:3], shown[-1]] if len(shown) > SUMMARY_COLUMNS else shown
    if len(shown) > 1:
        rows = option_rows(material, shown, short=True)
        grid = Grid(("", *(each.title for each in shown)), rows, _widths(len(shown)), chosen=1, padding=3)
        story += [together(*part(say("Options compared")), grid.flowable())]
    story += [*_changes(material), *_not_known(material), *_first_step(material), PageBreak()]
    return story


def contents(material: Material, entries: Sequence[tuple[str, str]]) -> list[Flowable]:
    """The sections with their pages; what the reader finds where."""
    say = material.say
    return [
        *_titled(say("Contents"), "contents"),
        text(
            say(
                "Pages up to “Why this answer” are for the owner. The rest is for whoever buys, installs and runs it;"
                " the figures are the same."
            ),
            "note",
        ),
        gap(4),
        Contents(entries),
        gap(10),
    ]


def _titled(title: str, key: str) -> list[Flowable]:
    return [Heading(title, style("title"), key, 0)]


def _light_word(material: Material) -> str:
    """Fits in the words that keep "starts", "serves" and "serves with reserve" apart."""
    words = material.wording
    light = words.word(f"light.{material.assessment.verdict.light}")
    if material.main is None:
        return light[:1].upper() + light[1:]
    fit = words.word(f"fit.{material.main[1].fit}")
    return f"{light[:1].upper()}{light[1:]} · {fit}"


def _figures(material: Material) -> list[tuple[str, str]]:
    say, cost = material.say, material.assessment.cost
    entries: list[tuple[str, str]] = []
    if material.main is not None:
        workload, answer = material.main
        chosen = answer.chosen
        if answer.users_served is not None and workload.task in {"chat", "batch"}:
            words = say("people served at once by memory, at a usual length of conversation")
            if workload.context_tokens is not None:
                context = material.wording.count(workload.context_tokens)
                words = say("people served at once by memory, {tokens} tokens each", tokens=context)
            entries.append((material.range(answer.users_served), words))
        if chosen is not None and chosen.speed is not None:
            entries.append((material.range(chosen.speed.time_to_first_token_s), say("to the first word")))
        elif chosen is not None and chosen.training is not None:
            entries.append((material.range(chosen.training.tokens_per_s), say("training speed")))
            if chosen.training.time_to_finish_s is not None:
                tokens = material.wording.forecast(workload.training_tokens or 0)
                finish = say("to train on {tokens} tokens", tokens=tokens)
                entries.append((material.range(chosen.training.time_to_finish_s), finish))
    currency = material.project.currency
    if cost.purchase.high > 0:
        day = material.price_date
        priced = say("{currency} to buy, without VAT, prices of {day}", currency=currency, day=day)
        bare = say("{currency} to buy, without VAT", currency=currency)
        figure = material.sum_without_unit(cost.purchase)
        complete = figure if cost.purchase_complete else say("over {money}", money=figure)
        entries.append((complete, priced if day else bare))
    else:
        entries.append((say("nothing"), say("to buy: all is there")))
    life = material.wording.years(material.project.cost.life_years)
    monthly = material.sum_without_unit(material.per_month(cost.total_per_year))
    words = say("{currency} per month to own and run, over {years}", currency=currency, years=life)
    entries.append((monthly, words))
    return entries


def _widths(options: int) -> tuple[float, ...]:
    return (18, *([82 / options] * options))


def _changes(material: Material) -> list[Flowable]:
    points = [each for _, answer in material.workloads for each in answer.switch_points]
    if not points:
        return []
    lines = [material.text(each.text).rstrip(".") for each in points[:4]]
    return [together(*part(material.say("This changes if")), text(" · ".join(lines) + "."))]


def _not_known(material: Material) -> list[Flowable]:
    unknowns = [each for _, answer in material.workloads for each in answer.unknowns]
    if not unknowns:
        return []
    say = material.say
    questions = " ".join(material.text(each.question) for each in unknowns[:3])
    words = say("{questions} See “Open questions”.", questions=questions)
    return [gap(6), callout(say("Not known yet."), words)]


def _first_step(material: Material) -> list[Flowable]:
    """What the owner does with this page."""
    say = material.say
    urgent = [each for each in material.findings if each.kind == "will_not_work" and each.action is not None]
    if urgent and material.assessment.verdict.light == "stop":
        words = material.text(urgent[0].action)
    elif material.to_buy and material.assessment.verdict.light == "step":
        words = say(
            "Settle the point above first and make the proposal anew if the plan changes; then decide until {day}, ask"
            " for binding offers and try it as “Pilot and acceptance” describes.",
            day=material.day(material.valid_until),
        )
    elif material.to_buy:
        words = say(
            "Decide until {day}; then ask for binding offers and try it as “Pilot and acceptance” describes.",
            day=material.day(material.valid_until),
        )
    elif material.workloads:
        words = say("Nothing has to be bought: try it as “Pilot and acceptance” describes.")
    else:
        words = say("Choose what should run on these machines.")
    return [gap(6), callout(say("Next step."), words, "unknown")]
