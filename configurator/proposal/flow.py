"""Where pages may end: a heading stays with what it heads, however tall that begins."""

from __future__ import annotations

from typing import Any

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, Paragraph, Spacer, Table

from configurator.proposal.blocks import SHORT, SHORT_ROWS, Divider
from configurator.proposal.style import HEIGHT, WIDTH

LEADS = frozenset({"title", "section", "part", "note", "cell-strong"})
"""Styles of lines that announce what comes next."""
FIRST_ROWS = 34.0
"""Points of a table, in whole rows, that stand below its head before the page may end."""
ENOUGH = HEIGHT - 12


def keep_headings(story: list[Flowable]) -> list[Flowable]:
    """The same story; each possible page break before a heading asks for the room that the beginning really takes."""
    return [CondPageBreak(_room(story, at)) if isinstance(each, CondPageBreak) else each
            for at, each in enumerate(story)]  # fmt: skip


def _room(story: list[Flowable], at: int) -> float:
    """Points from the heading after a possible page break to the end of the first thing it heads."""
    taken = 0.0
    for each in story[at + 1 :]:
        if isinstance(each, CondPageBreak):
            continue
        height, last = _beginning(each)
        if taken + height > ENOUGH:
            break
        taken += height
        if last:
            break
    return taken + 2


def _beginning(each: Flowable) -> tuple[float, bool]:
    """(height of its first part that is not divided, whether that is enough below a heading)."""
    if isinstance(each, Spacer):
        return float(each.height), False
    if isinstance(each, Paragraph):
        look = each.style
        tall = each.wrap(WIDTH, HEIGHT)[1] + look.spaceBefore + look.spaceAfter
        return tall, look.name not in LEADS
    if isinstance(each, Divider):
        return float(each.wrap(WIDTH, HEIGHT)[1]), False
    if isinstance(each, Table):
        table: Any = each
        table.wrap(WIDTH, 100 * HEIGHT)
        rows = list(table._rowHeights)
        if len(rows) <= table.repeatRows + SHORT_ROWS and sum(rows) <= SHORT:
            return float(sum(rows)), True
        tall = float(sum(rows[: table.repeatRows]))
        body = 0.0
        for row in rows[table.repeatRows :]:
            body += row
            if body >= FIRST_ROWS:
                break
        return tall + body, True
    if isinstance(each, KeepTogether):
        kept: Any = each
        return sum(_whole(one) for one in kept._content), True
    return each.wrap(WIDTH, HEIGHT)[1], True


def _whole(each: Flowable) -> float:
    tall = float(each.wrap(WIDTH, 100 * HEIGHT)[1])
    return tall + (each.style.spaceBefore + each.style.spaceAfter if isinstance(each, Paragraph) else 0)
