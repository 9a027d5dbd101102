"""Own, hired by the hour, or bought by the token: the same unit on every side."""

from __future__ import annotations

from reportlab.platypus import Flowable

from configurator.proposal.blocks import Cell, Grid, gap, part, text, together
from configurator.proposal.material import Material


def offers(material: Material) -> list[Flowable]:
    """Own, hired or by the token: the same unit on every side."""
    found = material.assessment.cost.comparison
    if found is None or not material.runs or (found.api is None and found.hire is None):
        return []
    say, words, currency = material.say, material.wording, material.project.currency

    def money(value: float) -> str:
        return words.money(float(f"{value:.2g}"), currency)

    rows: list[tuple[Cell, ...]] = []
    if found.own_now_per_million is not None:
        rows.append(
            (
                say("This plan, at work {share} of the year", share=words.share(found.now_share)),
                money(found.own_now_per_million),
            )
        )
    rows.append((say("This plan, at work all the time"), money(found.own_full_per_million)))
    if found.hire is not None:
        hired = say("{cards} of {gpu} hired", cards=words.counted("cards", found.hire.cards),
                    gpu=material.gpu_name(found.hire.gpu))  # fmt: skip
        rows.append((say("{hired}, a tenth of the time", hired=hired), money(found.hire.tenth_per_million)))
        rows.append((say("{hired}, all the time", hired=hired), money(found.hire.full_per_million)))
    if found.api is not None:
        sold = say("{model} by the token (API)", model=words.value("model", found.api.model))
        near = sold if found.api.same else say("{sold}, the nearest that has a price", sold=sold)
        rows.append((near, money(found.api.per_million)))
    ratio = words.number(round(found.input_per_output, 1))
    asked = "" if found.ratio_given else " " + say("(assumed)")
    head = (
        say("A million tokens of answers, with {ratio} million of questions{assumed}", ratio=ratio, assumed=asked),
        say("costs"),
    )
    grid = Grid(head, rows, (76, 24), align="lr", padding=2)
    return [
        together(
            *part(say("Own, hire, or buy by the token"), "costs-offers"), grid.flowable(), gap(3), *_even(material)
        )
    ]


def _even(material: Material) -> list[Flowable]:
    """From which volume owning pays."""
    found, say, words = material.assessment.cost.comparison, material.say, material.wording
    if found is None or found.even_million_per_month is None:
        return []
    most, even = words.forecast(found.most_million_per_month), words.forecast(found.even_million_per_month)
    if found.answer == "never":
        told = say(
            "Against the API owning never pays: it would take {even} million tokens a month, the machines make at most"
            " {most} million.",
            even=even,
            most=most,
        )
    else:
        told = say(
            "Against the API owning pays from {even} million tokens of answers a month; they make {most} million.",
            even=even,
            most=most,
        )
    return [text(told)]
