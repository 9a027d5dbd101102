"""Cover with the contents, and the one-page summary."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.platypus import Flowable, PageBreak

from configurator import __version__
from configurator.proposal.blocks import (
    Contents,
    Grid,
    Tiles,
    callout,
    gap,
    quote,
    text,
    verdict,
)
from configurator.proposal.document import Heading
from configurator.proposal.material import Material
from configurator.proposal.sections.options import MOST_CHANGES
from configurator.proposal.style import style

LONG_TITLE = 48
"""Letters of a title above which it is printed smaller."""


def cover(material: Material, owner: Sequence[tuple[str, str]], details: Sequence[tuple[str, str]]) -> list[Flowable]:
    """Title, question, client, author, dates, and what stands where."""
    say = material.say
    named = material.plan.name != material.title
    facts: list[tuple[str, str]] = [
        *([(say("For"), material.project.client)] if material.project.client else []),
        *([(say("Prepared by"), material.project.author)] if material.project.author else []),
        *([(say("Plan"), material.plan.name)] if named else []),
        (say("Date"), material.day(material.date)),
        (say("Valid until"), material.day(material.valid_until)),
    ]
    client = material.project.client
    closing = say("Confidential. For {client} only.", client=client) if client else say("Confidential.")
    look = "cover-title" if len(material.title) <= LONG_TITLE else "cover-title-long"
    return [
        gap(64),
        text(say("Proposal"), "cover-word"),
        gap(6),
        text(material.title, look),
        gap(14),
        *([quote(material.project.question), gap(8)] if _asked(material) else []),
        gap(10),
        Grid((), facts, (26, 74), muted_first=True, padding=3.6).flowable(),
        gap(26),
        Heading(say("Contents"), style("part"), "contents", 0),
        text(say("For the owner"), "cell-strong"),
        Contents(owner),
        gap(10),
        text(say("Details, for whoever buys, installs and runs it"), "cell-strong"),
        Contents(details),
        gap(16),
        text(
            say(
                "{closing} All sums are net of VAT unless a line says otherwise. The expected figure comes first, the"
                " range behind it in brackets; what is not known is named as such. GPU Configurator {version}.",
                closing=closing,
                version=__version__,
            ),
            "note",
        ),
        PageBreak(),
    ]


def _asked(material: Material) -> bool:
    """The owner's question says more than the title."""
    return bool(material.project.question) and material.project.question.strip() != material.title.strip()


def summary(material: Material) -> list[Flowable]:
    """The question, the answer, the first step, four figures, what changes it, what is not known."""
    say = material.say
    answer = material.assessment.verdict
    story: list[Flowable] = [Heading(say("Summary"), style("title"), "summary", 0), gap(6)]
    asked = material.project.question or material.title
    story += [
        quote(say("You asked: {question}", question=asked)),
        gap(9),
        verdict(
            answer.light,
            _light_word(material),
            material.text(answer.headline),
            [material.text(each) for each in answer.reasons],
        ),
        *_first_step(material),
        gap(10),
        Tiles(_figures(material)),
        gap(8),
    ]
    rows = [*_speed_rows(material), *_money_rows(material), *_changes(material), *_not_known(material)]
    story += [Grid((), rows, (21, 79), muted_first=True, padding=3.4).flowable()]
    return story


def _light_word(material: Material) -> str:
    """Fits in the words that keep "starts", "serves" and "serves with reserve" apart."""
    words = material.wording
    light = words.word(f"light.{material.assessment.verdict.light}")
    light = light[:1].upper() + light[1:]
    if material.main is None:
        return light
    workload, answer = material.main
    if workload.task == "chat" and workload.users is None and answer.fit.startswith("serves"):
        # Nobody said how many people: that the asked load is carried would be said of nothing.
        return light
    return f"{light} · {material.fit_word(workload, answer.fit)}"


def _first_step(material: Material) -> list[Flowable]:
    """What the owner does with this page: the first line of “Next steps”."""
    tasks = material.todo.tasks
    if not tasks:
        return []
    first = tasks[0]
    words = material.say("{what} ({who})", what=material.task(first), who=material.who(first.who))
    return [gap(7), callout(material.say("First step."), words, "unknown")]


def _figures(material: Material) -> list[tuple[str, str]]:
    say, cost = material.say, material.assessment.cost
    entries: list[tuple[str, str]] = []
    if material.main is not None:
        entries += _figures_of_use(material)
    currency = material.project.currency
    if cost.purchase.high > 0:
        day = material.price_date
        spread = material.sum_without_unit(cost.purchase)
        priced = say(
            "{currency} to buy ({range}), without VAT, prices of {day}", currency=currency, day=day, range=spread
        )
        bare = say("{currency} to buy ({range}), without VAT", currency=currency, range=spread)
        figure = material.bare_middle(cost.purchase)
        complete = figure if cost.purchase_complete else say("over {money}", money=figure)
        entries.append((complete, priced if day else bare))
    else:
        entries.append((say("nothing"), say("to buy: all is there")))
    monthly = material.per_month(cost.total_per_year)
    spread = material.sum_without_unit(monthly)
    words = say(
        "{currency} per month ({range}) to run: electricity, people's time, upkeep", currency=currency, range=spread
    )
    if cost.capital_per_year.high > 0:
        life = material.wording.years(material.project.cost.life_years)
        words = say(
            "{currency} per month ({range}) to own and run, the price spread over {years}",
            currency=currency,
            range=spread,
            years=life,
        )
    entries.append((material.bare_middle(monthly), words))
    return entries


def _figures_of_use(material: Material) -> list[tuple[str, str]]:
    """People and waiting, or the time of a training."""
    say = material.say
    if material.main is None:
        return []
    workload, answer = material.main
    entries: list[tuple[str, str]] = []
    chosen = answer.chosen
    if answer.users_served is not None and answer.fit != "no" and workload.task in {"chat", "batch"}:
        held, usable = material.range(answer.users_served), material.usable_users
        tokens = material.wording.count(workload.context_tokens or 0)
        each = say("{tokens} tokens each", tokens=tokens) if workload.context_tokens else say("usual length assumed")
        if usable is not None:
            words = say(
                "people at once at a usable speed ({each}); memory alone would hold {held}", each=each, held=held
            )
            entries.append((material.wording.count(usable), words))
        else:
            words = say("people at once that memory holds ({each}); how fast stands below", each=each)
            entries.append((held, words))
    speed = material.speed
    if speed is not None and answer.fit != "no" and workload.task == "chat":
        spread = material.range(speed.time_to_first_token_s)
        entries.append((material.middle(speed.time_to_first_token_s), say("to the first word ({range})", range=spread)))
    elif chosen is not None and chosen.training is not None:
        rate = chosen.training.tokens_per_s
        entries.append((material.middle(rate), say("training speed ({range})", range=material.range(rate))))
        finish = chosen.training.time_to_finish_s
        if finish is not None:
            tokens = material.wording.forecast(workload.training_tokens or 0)
            words = say("to train on {tokens} tokens ({range})", tokens=tokens, range=material.range(finish))
            entries.append((material.middle(finish), words))
    return entries


def _speed_rows(material: Material) -> list[tuple[str, str]]:
    """How fast it answers, in words per second too: a token is no unit of daily life."""
    say, speed = material.say, material.speed
    if material.main is None or speed is None or material.main[1].fit == "no":
        return []
    workload = material.main[0]
    if workload.task == "batch":
        return [(say("Speed"), say("{rate} in all", rate=material.around(speed.output_tokens_per_s)))]
    each = speed.output_tokens_per_s_per_user
    told = say(
        "{rate} for each person while an answer is written (a token is about three quarters of a word; people read"
        " about 5 to 8 tokens a second)",
        rate=material.around(each),
    )
    if workload.users is not None and workload.users > 1:
        told = say("with {people}: {told}", people=material.wording.counted("users", workload.users), told=told)
    elif workload.users is None:
        told = say("for one person alone: {told}", told=told)
    return [(say("Speed"), told)]


def _money_rows(material: Material) -> list[tuple[str, str]]:
    """Rent and price of an API beside owning, where they answer the same question."""
    say = material.say
    found = []
    for each in material.assessment.alternatives:
        if each.code == "rent" and each.total_per_year is not None and material.runs:
            month = material.around(material.per_month(each.total_per_year))
            words = say("{title}: {money} a month", title=material.text(each.title), money=month)
            found.append((say("Rent instead"), words))
            break
    compared = material.assessment.cost.comparison
    if compared is not None and compared.api is not None and compared.own_now_per_million is not None and material.runs:
        api, own = (
            material.wording.money(float(f"{each:.2g}"), material.project.currency)
            for each in (compared.api.per_million, compared.own_now_per_million)
        )
        told = say(
            "{api} per million tokens of answers with their questions, against {own} here at {share} of the year",
            api=api,
            own=own,
            share=material.wording.share(compared.now_share),
        )
        found.append((say("An API instead"), told))
    return found


def _changes(material: Material) -> list[tuple[str, str]]:
    points = [each for _, answer in material.workloads for each in answer.switch_points]
    points = [each for each in points if each.quantity not in {"utilisation", "tariff"}]
    if not points:
        return []
    lines = [material.text(each.text) for each in points[:MOST_CHANGES]]
    return [(material.say("What changes it"), " ".join(lines))]


def _not_known(material: Material) -> list[tuple[str, str]]:
    asked = [material.task(each) for each in material.todo.tasks if each.code == "ask"]
    unknowns = [each for _, answer in material.workloads for each in answer.unknowns]
    first = material.todo.tasks[0].topic if asked and material.todo.tasks[0].code == "ask" else None
    rest = [material.text(each.question) for each in unknowns if each.question != first]
    return [(material.say("Not known yet"), " ".join(rest[:3]))] if rest else []
