"""Bars as vectors. Every meaning has a colour and a hatching, so that a print without colours keeps them apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

from configurator.diagram.tokens import LIGHT, mixed
from configurator.proposal import fonts
from configurator.proposal.document import draw_text
from configurator.proposal.style import NOTE, SMALL, colour

Hatch = Literal["solid", "lines", "dots", "cross", "steep", "bars", "none"]


@dataclass(frozen=True, slots=True)
class Fill:
    """How an area looks: token colour, hatching, its word."""

    word: str
    colour: str
    hatch: Hatch


def paint(canvas: Canvas, fill: Fill, x: float, y: float, width: float, height: float) -> None:
    """One filled rectangle; the hatching is white on the colour, or grey on the free part."""
    if width <= 0.05 or height <= 0:
        return
    canvas.saveState()
    canvas.setFillColor(colour(fill.colour))
    canvas.setStrokeColor(colour("panel"))
    canvas.rect(x, y, width, height, stroke=0, fill=1)
    path = canvas.beginPath()
    path.rect(x, y, width, height)
    canvas.clipPath(path, stroke=0, fill=0)
    _hatching(canvas, fill.hatch, x, y, width, height)
    canvas.restoreState()
    canvas.setStrokeColor(colour("panel"))
    canvas.setLineWidth(0.5)
    canvas.rect(x, y, width, height, stroke=1, fill=0)


def _hatching(canvas: Canvas, hatch: Hatch, x: float, y: float, width: float, height: float) -> None:
    canvas.setStrokeColor(colour("panel"))
    canvas.setFillColor(colour("panel"))
    canvas.setLineWidth(0.9)
    if hatch in {"lines", "cross"}:
        _slanted(canvas, x, y, width, height, 4.2, 1.0)
    if hatch in {"steep", "cross"}:
        _slanted(canvas, x, y, width, height, 4.2, -1.0)
    if hatch == "bars":
        step = 3.4
        canvas.lines([(x + i * step, y, x + i * step, y + height) for i in range(1, int(width / step) + 1)])
    if hatch == "dots":
        step = 3.4
        for row in range(int(height / step) + 1):
            for column in range(int(width / step) + 1):
                shift = step / 2 if row % 2 else 0
                canvas.circle(x + 1.7 + column * step + shift, y + 1.7 + row * step, 0.62, stroke=0, fill=1)


def _slanted(canvas: Canvas, x: float, y: float, width: float, height: float, step: float, slope: float) -> None:
    count = int((width + height) / step) + 2
    if slope > 0:
        lines = [(x - height + i * step, y, x + i * step, y + height) for i in range(count)]
    else:
        lines = [(x + i * step, y, x - height + i * step, y + height) for i in range(count)]
    canvas.lines(lines)


class StackedBars(Flowable):
    """One bar per row: a label, parts that add up to a total, a figure at the right."""

    def __init__(
        self,
        rows: Sequence[tuple[str, Sequence[tuple[Fill, float]], str]],
        *,
        scale: float | None = None,
        label_room: float = 118,
        figure_room: float = 96,
        bar: float = 13,
    ) -> None:
        super().__init__()
        self.rows, self.bar = rows, bar
        self.label_room, self.figure_room = label_room, figure_room
        self.scale = scale or max((sum(value for _, value in parts) for _, parts, _ in rows), default=1.0)

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        return width, len(self.rows) * (self.bar + 7)

    def split(self, width: float, height: float) -> list[Flowable]:
        """Parted between rows."""
        fitting = int(height // (self.bar + 7))
        if fitting < 2 or fitting >= len(self.rows):
            return []
        options = {"scale": self.scale, "label_room": self.label_room, "figure_room": self.figure_room, "bar": self.bar}
        del width
        return [StackedBars(self.rows[:fitting], **options), StackedBars(self.rows[fitting:], **options)]

    def draw(self) -> None:
        canvas = self.canv
        room = self.room - self.label_room - self.figure_room
        for number, (label, parts, figure) in enumerate(self.rows):
            y = (len(self.rows) - 1 - number) * (self.bar + 7) + 4
            middle = y + self.bar / 2 - 3
            draw_text(
                canvas, 0, middle, fonts.cut(label, fonts.TEXT, SMALL, self.label_room - 8), fonts.TEXT, SMALL, "ink"
            )
            x = self.label_room
            for fill, value in parts:
                width = room * value / self.scale if self.scale else 0
                paint(canvas, fill, x, y, width, self.bar)
                x += width
            canvas.setStrokeColor(colour("line_strong"))
            canvas.setLineWidth(0.6)
            canvas.rect(self.label_room, y, max(x - self.label_room, 0), self.bar, stroke=1, fill=0)
            draw_text(canvas, self.room, middle, figure, fonts.FIGURES, SMALL, "ink", "right")


class Legend(Flowable):
    """The words of the fills, in as many lines as they take."""

    def __init__(self, fills: Sequence[Fill], indent: float = 118) -> None:
        super().__init__()
        self.fills, self.indent = fills, indent

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.places: list[tuple[float, int, Fill]] = []
        whole = sum(26 + fonts.width(fill.word, fonts.TEXT, NOTE) for fill in self.fills) - 12
        start = min(self.indent, max(0.0, width - whole))
        x, line = start, 0
        for fill in self.fills:
            wide = 14 + fonts.width(fill.word, fonts.TEXT, NOTE) + 12
            if x + wide - 12 > width and x > start:
                x, line = start, line + 1
            self.places.append((x, line, fill))
            x += wide
        self.lines = line + 1
        return width, 12 * self.lines + 3

    def draw(self) -> None:
        for x, line, fill in self.places:
            y = (self.lines - 1 - line) * 12 + 3
            paint(self.canv, fill, x, y, 10, 7)
            draw_text(self.canv, x + 14, y + 0.6, fill.word, fonts.TEXT, NOTE, "muted")


@dataclass(frozen=True, slots=True)
class Range:
    """Low, expected and high of one quantity, with the words printed at both ends and at the middle."""

    label: str
    low: float
    expected: float
    high: float
    words: str
    target: float | None = None
    target_word: str = ""


class Ranges(Flowable):
    """One line per quantity, each on a scale of its own from nought: a bar from low to high, a mark at the expected."""

    ROW = 27.0

    def __init__(self, rows: Sequence[Range], label_room: float = 150, figure_room: float = 110) -> None:
        super().__init__()
        self.rows, self.label_room, self.figure_room = rows, label_room, figure_room

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        return width, self.ROW * len(self.rows) + 4

    def draw(self) -> None:
        canvas = self.canv
        left, right = self.label_room, self.room - self.figure_room - 10
        for number, row in enumerate(self.rows):
            y = (len(self.rows) - 1 - number) * self.ROW + 10
            top = max(row.high, row.target or 0) * 1.06 or 1.0
            place = {name: left + (right - left) * value / top for name, value in
                     (("low", row.low), ("mid", row.expected), ("high", row.high))}  # fmt: skip
            draw_text(canvas, 0, y + 1, fonts.cut(row.label, fonts.TEXT, SMALL, left - 8), fonts.TEXT, SMALL, "ink")
            canvas.setLineWidth(0.5)
            canvas.setStrokeColor(colour("line_strong"))
            canvas.line(left, y + 4, right, y + 4)
            canvas.line(left, y, left, y + 8)
            canvas.setFillColor(colour(mixed(LIGHT.accent, "#ffffff", 0.35)))
            canvas.setStrokeColor(colour("accent"))
            canvas.setLineWidth(0.8)
            canvas.rect(place["low"], y, max(place["high"] - place["low"], 1.2), 8, stroke=1, fill=1)
            canvas.setFillColor(colour("ink"))
            canvas.rect(place["mid"] - 0.9, y - 2.5, 1.8, 13, stroke=0, fill=1)
            if row.target is not None:
                self._target(row, left + (right - left) * row.target / top, y, right)
            draw_text(canvas, self.room, y + 1, row.words, fonts.FIGURES_STRONG, SMALL, "ink", "right")

    def _target(self, row: Range, x: float, y: float, right: float) -> None:
        canvas = self.canv
        canvas.saveState()
        canvas.setStrokeColor(colour("stop"))
        canvas.setDash(2, 1.6)
        canvas.setLineWidth(1)
        canvas.line(x, y - 4, x, y + 12)
        canvas.restoreState()
        wide = fonts.width(row.target_word, fonts.TEXT, 6.5)
        draw_text(canvas, min(x + 3, right - wide), y - 6.5, row.target_word, fonts.TEXT, 6.5, "stop_ink")


@dataclass(frozen=True, slots=True)
class Swing:
    """What one input does to the result: the result at its low and its high end, with both ends in words."""

    label: str
    at_low: float
    at_high: float
    low_word: str
    high_word: str


class Tornado(Flowable):
    """The inputs that move the result most, the strongest first, around the expected figure."""

    ROW = 20.0

    def __init__(self, base: float, base_word: str, swings: Sequence[Swing], label_room: float = 150) -> None:
        super().__init__()
        self.base, self.base_word, self.label_room = base, base_word, label_room
        self.swings = sorted(swings, key=lambda each: -abs(each.at_high - each.at_low))

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        return width, self.ROW * len(self.swings) + 18

    def draw(self) -> None:
        canvas = self.canv
        ends = [value for swing in self.swings for value in (swing.at_low, swing.at_high)] + [self.base]
        low, high = min(ends), max(ends)
        left, right = self.label_room + 62, self.room - 62
        reach = (right - left) / ((high - low) or 1.0)
        middle = left + (self.base - low) * reach
        tall = self.ROW * len(self.swings)
        draw_text(canvas, middle, tall + 6, self.base_word, fonts.FIGURES_STRONG, NOTE, "ink", "centre")
        for number, swing in enumerate(self.swings):
            y = (len(self.swings) - 1 - number) * self.ROW + 4
            draw_text(
                canvas,
                0,
                y + 3,
                fonts.cut(swing.label, fonts.TEXT, SMALL, self.label_room - 8),
                fonts.TEXT,
                SMALL,
                "ink",
            )
            for value, word, fill in (
                (swing.at_low, swing.low_word, Fill("", "accent", "solid")),
                (swing.at_high, swing.high_word, Fill("", "working", "lines")),
            ):
                x = left + (value - low) * reach
                paint(canvas, fill, min(x, middle), y, abs(x - middle), 11)
                other = swing.at_high if value == swing.at_low else swing.at_low
                to_left = value < self.base or (value == self.base and other > self.base)
                draw_text(
                    canvas,
                    x - 4 if to_left else x + 4,
                    y + 3,
                    word,
                    fonts.FIGURES,
                    6.8,
                    "muted",
                    "right" if to_left else "left",
                )
        canvas.setStrokeColor(colour("ink"))
        canvas.setLineWidth(0.9)
        canvas.line(middle, 0, middle, tall + 2)
