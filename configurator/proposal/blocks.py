"""The parts pages are made of: headings, paragraphs, callouts, figures in frames, tables with hairlines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reportlab.platypus import CondPageBreak, Flowable, KeepTogether, Paragraph, Spacer, Table, TableStyle

from configurator.diagram.tokens import LIGHT
from configurator.proposal import fonts
from configurator.proposal.document import Heading, draw_text
from configurator.proposal.style import BODY, NOTE, SMALL, WIDTH, colour, style
from configurator.terms import Light

Align = Literal["left", "right"]
Cell = str | Flowable
SHORT_ROWS, SHORT = 6, 105.0
"""A table of so few rows and points of height is never divided."""
SHAPES: dict[Light, str] = {"good": "✓", "step": "▲", "stop": "✕", "unknown": "?"}
"""A shape beside the colour, so that a print without colours says the same."""


def text(words: str, name: str = "body") -> Paragraph:
    """A paragraph of plain words."""
    look = style(name)
    return Paragraph(fonts.markup(words, look.fontName), look)


def rich(parts: str, name: str = "body") -> Paragraph:
    """A paragraph of ready markup (made by ``fonts.markup``)."""
    return Paragraph(parts, style(name))


def gap(points: float) -> Spacer:
    """Empty room."""
    return Spacer(1, points)


def section(title: str, key: str) -> list[Flowable]:
    """A heading of the first level: outline, contents, link target."""
    return [CondPageBreak(0), Heading(title, style("section"), key, 0)]


def part(title: str, key: str = "") -> list[Flowable]:
    """A heading of the second level; with a key it stands in the outline."""
    return [CondPageBreak(0), Heading(title, style("part"), key, 1) if key else text(title, "part")]


class Divider(Table):
    """A bar that announces what comes next, as a heading does."""


def divide(words: str) -> list[Flowable]:
    """A bar across the page, with what begins below it."""
    commands = [
        ("BACKGROUND", (0, 0), (-1, -1), colour("accent_soft")),
        ("LEFTPADDING", (0, 0), (-1, -1), 11),
        ("TOPPADDING", (0, 0), (-1, -1), 4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
    ]
    return [CondPageBreak(0), gap(16), _styled(Divider([[text(words, "divide")]], colWidths=[WIDTH]), commands)]


def together(*flowables: Flowable) -> KeepTogether:
    """Never parted by the end of a page."""
    return KeepTogether([each for each in flowables if not isinstance(each, CondPageBreak)])


def _styled(table: Table, commands: Sequence[tuple[Any, ...]]) -> Table:
    """The table in our own face: reportlab's default would bring a Helvetica that is not embedded."""
    table.setStyle(TableStyle([("FONT", (0, 0), (-1, -1), fonts.TEXT, SMALL), *commands]))
    return table


def quote(words: str) -> Table:
    """The owner's own words, with a bar at the left."""
    commands = [
        ("LINEBEFORE", (0, 0), (0, -1), 2.2, colour("accent")),
        ("LEFTPADDING", (0, 0), (-1, -1), 11),
        ("TOPPADDING", (0, 0), (-1, -1), 1),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
    ]
    return _styled(Table([[text(words, "lead")]], colWidths=[WIDTH]), commands)


def _tinted(rows: list[list[Flowable]], ground: str, bar: str | None, radius: float, padding: float) -> Table:
    table = Table(rows, colWidths=[WIDTH])
    commands: list[tuple[Any, ...]] = [
        ("BACKGROUND", (0, 0), (-1, -1), colour(ground)),
        ("LEFTPADDING", (0, 0), (-1, -1), padding),
        ("RIGHTPADDING", (0, 0), (-1, -1), padding),
        ("TOPPADDING", (0, 0), (-1, -1), 1),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
        ("TOPPADDING", (0, 0), (-1, 0), padding * 0.75),
        ("BOTTOMPADDING", (0, -1), (-1, -1), padding * 0.8),
    ]
    if bar:
        commands.append(("LINEBEFORE", (0, 0), (0, -1), 2.4, colour(bar)))
    if radius:
        commands.append(("ROUNDEDCORNERS", [radius] * 4))
    return _styled(table, commands)


def verdict(light: Light, word: str, headline: str, reasons: Sequence[str]) -> Table:
    """The answer: traffic light as word and shape, the headline, the reasons."""
    mark, ground, ink = LIGHT.meaning(light)
    del mark
    head = rich(f'<font color="{ink}">{fonts.markup(f"{SHAPES[light]} {word}", fonts.STRONG)}</font>', "light")
    rows: list[list[Flowable]] = [[head], [text(headline, "headline")]]
    rows += [[Paragraph(f"<bullet>·</bullet>{fonts.markup(each)}", style("reason"))] for each in reasons]
    return _tinted(rows, ground, None, 8, 13)


def points(lines: Sequence[str]) -> list[Flowable]:
    """A compact list: ready markup, small, a dot before each line."""
    return [Paragraph(f"<bullet>·</bullet>{line}", style("point")) for line in lines]


class WhatFits(Flowable):
    """A title and as many of its paragraphs as the page still has room for; nothing where that is none."""

    def __init__(self, title: Paragraph, lines: Sequence[Flowable]) -> None:
        super().__init__()
        self.title, self.lines = title, lines
        self.shown: list[tuple[Any, float]] = []

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        taken = self.title.wrap(width, height)[1] + self.title.style.spaceBefore + self.title.style.spaceAfter
        self.shown = [(self.title, taken - self.title.style.spaceAfter)]
        used = taken
        for each in self.lines:
            line: Any = each
            tall = line.wrap(width, height)[1] + line.style.spaceAfter
            if used + tall > height - 2:
                break
            self.shown.append((line, used + tall - line.style.spaceAfter))
            used += tall
        if len(self.shown) == 1:
            self.shown, used = [], 0.0
        self.height = used
        return width, used

    def draw(self) -> None:
        for each, down in self.shown:
            each.drawOn(self.canv, 0, self.height - down)


def callout(lead: str, words: str, light: Light = "step") -> Table:
    """One style for what is not known yet, what is missing, what to mind."""
    bar, ground, _ = LIGHT.meaning(light)
    return _tinted([[rich(f"<b>{fonts.markup(lead)}</b> {fonts.markup(words)}")]], ground, bar, 0, 11)


class Tiles(Flowable):
    """Large figures with a word below, each in a thin frame, side by side and of one height."""

    BETWEEN = 9.0

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.entries = [(figure, text(word, "tile-word")) for figure, word in entries]

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.room = (width - self.BETWEEN * (len(self.entries) - 1)) / len(self.entries)
        self.words_height = [word.wrap(self.room - 18, height)[1] for _, word in self.entries]
        self.height = max(52.0, 31 + max(self.words_height) + 9)
        sizes = [
            13.0 * min(1.0, (self.room - 17) / fonts.width(f, fonts.FIGURES_STRONG, 13.0)) for f, _ in self.entries
        ]
        # Figures of unequal size would say that one matters more.
        self.size = max(min(sizes), 7.5)
        return width, self.height

    def draw(self) -> None:
        canvas = self.canv
        for number, (figure, word) in enumerate(self.entries):
            x = number * (self.room + self.BETWEEN)
            canvas.setStrokeColor(colour("line"))
            canvas.setLineWidth(0.8)
            canvas.roundRect(x, 0, self.room, self.height, 5, stroke=1, fill=0)
            draw_text(canvas, x + 9, self.height - 21, figure, fonts.FIGURES_STRONG, self.size, "ink")
            word.drawOn(canvas, x + 9, self.height - 28 - self.words_height[number])


@dataclass
class Grid:
    """A table with hairlines. The head repeats on each page; ``chosen`` tints a column; ``strong`` sets rows apart.

    ``align`` is one letter per column: l or r. ``extra``: table commands of reportlab.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    widths: Sequence[float]
    align: str = ""
    chosen: int | None = None
    strong: Sequence[int] = ()
    muted_first: bool = False
    padding: float = 3.6
    extra: list[tuple[Any, ...]] = field(default_factory=list)

    def flowable(self) -> Table:
        """The table, as wide as the page whatever the widths add up to."""
        factor = WIDTH / sum(self.widths)
        widths = [width * factor for width in self.widths]
        align: list[Align] = ["right" if each == "r" else "left" for each in self.align.ljust(len(widths), "l")]
        head = [[self._cell(words, align[i], "cell-head", widths[i]) for i, words in enumerate(self.head)]]
        head = head if self.head else []
        body = [
            [self._cell(cell, align[i], self._look(i, align[i], number), widths[i]) for i, cell in enumerate(row)]
            for number, row in enumerate(self.rows)
        ]
        table = Table(head + body, colWidths=widths, repeatRows=len(head))
        styled = _styled(table, self._commands(len(head)))
        if 1 < len(body) <= SHORT_ROWS and table.wrap(WIDTH, 10 * WIDTH)[1] <= SHORT:
            styled.setStyle(TableStyle([("NOSPLIT", (0, 0), (0, -1))]))
        return styled

    def _look(self, column: int, align: Align, row: int) -> str:
        if row in self.strong:
            return "cell-strong"
        if align == "right":
            return "cell-right"
        return "cell-muted" if self.muted_first and column == 0 else "cell"

    @staticmethod
    def _cell(cell: Cell, align: Align, look: str, room: float) -> Cell:
        if not isinstance(cell, str):
            return cell
        cell = _breakable(cell, look, room - 12)
        if look == "cell-head":
            return text(cell, "cell-head-right" if align == "right" else "cell-head")
        if look == "cell-strong" and align == "right":
            return rich(
                f'<para alignment="right"><font name="{fonts.FIGURES_STRONG}">{fonts.markup(cell)}</font></para>', look
            )
        return text(cell, look)

    def _commands(self, heads: int) -> list[tuple[Any, ...]]:
        commands: list[tuple[Any, ...]] = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 6),
            ("RIGHTPADDING", (0, 0), (-1, -1), 6),
            ("TOPPADDING", (0, 0), (-1, -1), self.padding),
            ("BOTTOMPADDING", (0, 0), (-1, -1), self.padding + 1),
            ("LINEBELOW", (0, heads), (-1, -1), 0.5, colour("line")),
        ]
        last = heads + len(self.rows) - 1
        # No page begins with a table's last line, none ends with its first.
        if last - heads >= 3:
            commands += [("NOSPLIT", (0, 0), (0, heads)), ("NOSPLIT", (0, last - 1), (0, last))]
        if heads:
            commands.append(("LINEBELOW", (0, 0), (-1, 0), 0.8, colour("line_strong")))
        if self.chosen is not None:
            tint = colour("accent_soft")
            commands.append(("BACKGROUND", (self.chosen, 0), (self.chosen, -1), tint))
            # In a print without colours the chosen column still has its two lines.
            whole = (self.chosen, 0), (self.chosen, -1)
            commands += [(side, *whole, 0.8, colour("accent")) for side in ("LINEBEFORE", "LINEAFTER")]
        rule = colour("line_strong")
        commands += [("LINEABOVE", (0, row + heads), (-1, row + heads), 0.8, rule) for row in self.strong]
        return [*commands, *self.extra]


def _breakable(words: str, look: str, room: float) -> str:
    """Where a figure and its unit are wider than the column, the unit may stand on a line of its own."""
    words = fonts.printable(words)
    if "\u00a0" not in words:
        return words
    face, size = style(look).fontName, style(look).fontSize
    face = {fonts.STRONG: fonts.FIGURES_STRONG}.get(face, face)
    parts = []
    for word in words.split(" "):
        if fonts.width(word, face, size) > room:
            figure, _, unit = word.rpartition("\u00a0")
            if not figure or unit[:1].isdigit():
                # The last part is thousands, not a unit.
                figure, unit = word, ""
            if fonts.width(figure, face, size) > room:
                # A range that is still too wide goes on after its dash.
                figure = figure.replace("–", "– ", 1)
            word = f"{figure} {unit}" if unit else figure
        parts.append(word)
    return " ".join(parts)


class Dot(Flowable):
    """Known, assumed, unknown: a full, a half and an empty circle, with the word beside it."""

    def __init__(self, kind: Literal["known", "assumed", "unknown"], word: str) -> None:
        super().__init__()
        self.kind, self.word = kind, word

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del width, height
        return 11 + fonts.width(self.word, fonts.TEXT, SMALL), 11.5

    def draw(self) -> None:
        canvas = self.canv
        ink = {"known": "good", "assumed": "step", "unknown": "stop"}[self.kind]
        canvas.setStrokeColor(colour(ink))
        canvas.setFillColor(colour(ink))
        canvas.setLineWidth(0.9)
        canvas.circle(4, 5.2, 3.1, stroke=1, fill=1 if self.kind == "known" else 0)
        if self.kind == "assumed":
            path = canvas.beginPath()
            path.moveTo(4, 2.1)
            path.arcTo(0.9, 2.1, 7.1, 8.3, startAng=90, extent=180)
            path.close()
            canvas.drawPath(path, stroke=0, fill=1)
        draw_text(canvas, 11, 2.6, self.word, fonts.TEXT, SMALL, "ink")


class Contents(Flowable):
    """The list of sections with links and page numbers."""

    ROW = 14.0

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.entries = entries

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        return width, self.ROW * len(self.entries)

    def draw(self) -> None:
        canvas = self.canv
        late: Any = canvas
        for number, (key, title) in enumerate(self.entries):
            y = self.ROW * (len(self.entries) - 1 - number)
            draw_text(canvas, 0, y + 4, title, fonts.TEXT, BODY, "ink")
            late.late_text(key, self.room, y + 4, BODY, "muted", right=True)
            canvas.setStrokeColor(colour("line"))
            canvas.setLineWidth(0.5)
            canvas.line(0, y, self.room, y)
            canvas.linkRect("", key, (0, y, self.room, y + self.ROW), relative=1, Border="[0 0 0]")


class Signature(Flowable):
    """A line to sign on, with what to write below it."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self.words = words

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        return width, 50

    def draw(self) -> None:
        canvas = self.canv
        count = len(self.words)
        between = 18.0
        room = (self.room - between * (count - 1)) / count
        canvas.setStrokeColor(colour("line_strong"))
        canvas.setLineWidth(0.7)
        for number, word in enumerate(self.words):
            x = number * (room + between)
            canvas.line(x, 16, x + room, 16)
            draw_text(canvas, x, 5, word, fonts.TEXT, NOTE, "muted")
