"""A chart in a card: curves with bands, marks for where the plan stands, values under the pointer. pyqtgraph inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout

from configurator.desktop.graph_view import HoverCard
from configurator.desktop.theme import HALF, current, font, theme
from configurator.desktop.widgets.legend import Legend
from configurator.desktop.widgets.texts import label
from configurator.diagram.picture import Key
from configurator.diagram.tokens import SIZE_SMALL

LINES = ("low", "expected", "high")
Say = Callable[[float], str]
SERIES = ("accent", "network", "sockets", "nvlink", "kv", "step")
"""Tokens of the curves in their order; told apart by dashes as well."""
DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3), (1, 3), (10, 4))


@dataclass(frozen=True, slots=True)
class Series:
    """One curve with its range. ``here`` is the x where the plan stands."""

    name: str
    x: tuple[float, ...]
    low: tuple[float, ...]
    expected: tuple[float, ...]
    high: tuple[float, ...]
    colour: str = "accent"
    dash: int = 0
    here: float | None = None


@dataclass(frozen=True, slots=True)
class Axes:
    """Names and scales. Logarithmic axes double from tick to tick."""

    x_name: str
    y_name: str
    say_x: Say
    say_y: Say
    log_x: bool = False
    log_y: bool = False
    limit: float | None = None
    limit_name: str = ""
    most: float | None = None
    unit: str = ""
    """What the pointer says behind a value, where ``say_y`` does not."""
    full: tuple[float, float] | None = None
    """Range of x in which something is used up, marked across the chart."""
    full_name: str = ""


class Chart(QFrame):
    """Title, plot, legend. ``show_series`` replaces what is drawn; empty series show the reason instead."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setMinimumHeight(260)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.title = label("strong")
        self.note = label("note", wrap=True)
        self.plot = pg.PlotWidget()
        self.plot.setMenuEnabled(False)
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.setMinimumHeight(150)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(False, False)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setMouseTracking(True)
        self.plot.viewport().installEventFilter(self)
        self.legend = Legend()
        self.empty = label("muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.card = HoverCard(self)
        self._series: tuple[Series, ...] = ()
        self._axes: Axes | None = None
        self._why = ""
        self._cross: Any = None
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 14, 9)
        column.setSpacing(HALF)
        column.addWidget(self.title)
        column.addWidget(self.note)
        column.addWidget(self.plot, 1)
        column.addWidget(self.empty, 1)
        column.addWidget(self.legend)
        theme().changed.connect(self._draw)

    def show_series(self, title: str, note: str, series: Sequence[Series], axes: Axes, why_empty: str) -> None:
        """Draw curves; without any, say why there is none."""
        self.title.setText(title)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.empty.setText(why_empty)
        self._series, self._axes = tuple(series), axes
        self.setAccessibleName(title)
        self.setAccessibleDescription(self._said())
        self.plot.setAccessibleName(title)
        self._draw()

    @property
    def series(self) -> tuple[Series, ...]:
        return self._series

    def _said(self) -> str:
        """The curves in words: value where the plan stands."""
        axes = self._axes
        if axes is None:
            return ""
        parts = []
        for each in self._series:
            number = each.x.index(each.here) if each.here is not None and each.here in each.x else len(each.x) - 1
            parts.append(f"{each.name}: {axes.say_x(each.x[number])}, {axes.say_y(each.expected[number])}")
        return "; ".join(parts)

    # -- drawing

    def _x(self, value: float) -> float:
        return math.log2(value) if self._axes is not None and self._axes.log_x else value

    def _y(self, value: float) -> float:
        return math.log2(max(value, 1e-9)) if self._axes is not None and self._axes.log_y else value

    def _draw(self) -> None:
        look, axes = current(), self._axes
        item = self.plot.getPlotItem()
        item.clear()
        self._cross = None
        self.card.hide()
        self.plot.setVisible(bool(self._series))
        self.empty.setVisible(not self._series)
        self.legend.setVisible(bool(self._series))
        self.plot.setBackground(look.raised)
        if axes is None or not self._series:
            return
        self._axis("bottom", axes.x_name)
        self._axis("left", axes.y_name)
        for each in self._series:
            self._curve(item, each)
        if axes.limit is not None:
            pen = QPen(QColor(look.stop), 1.5, Qt.PenStyle.DashLine)
            pen.setCosmetic(True)
            item.addItem(pg.InfiniteLine(pos=self._y(axes.limit), angle=0, pen=pen))
        if axes.full is not None:
            self._full(item, axes.full)
        self._range(item, axes)
        keys = [Key(each.name, each.colour, dashed=each.dash > 0, width=2.5) for each in self._series if each.name]
        if axes.limit is not None and axes.limit_name:
            keys.append(Key(axes.limit_name, "stop", dashed=True, width=1.5))
        if axes.full is not None and axes.full_name:
            keys.append(Key(axes.full_name, "step", dashed=True, width=1.5))
        self.legend.show_keys(tuple(keys))
        self.legend.setVisible(len(keys) > 1 or axes.limit is not None or axes.full is not None)

    def _full(self, item: Any, between: tuple[float, float]) -> None:
        """Where something ends: two lines of the range with a tint between, or one."""
        look = current()
        pen = QPen(QColor(look.step), 1.5, Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        low, high = (self._x(each) for each in between)
        if high > low:
            tint = QColor(look.step)
            tint.setAlpha(30)
            region = pg.LinearRegionItem((low, high), brush=pg.mkBrush(tint), pen=pg.mkPen(None), movable=False)
            region.setZValue(-10)
            item.addItem(region)
        for place in sorted({low, high}):
            item.addItem(pg.InfiniteLine(pos=place, angle=90, pen=pen))

    def _curve(self, item: Any, each: Series) -> None:
        look = current()
        colour = QColor(getattr(look, each.colour))
        x = [self._x(value) for value in each.x]
        pen = QPen(colour, 2.2)
        pen.setCosmetic(True)
        if DASHES[each.dash % len(DASHES)]:
            pen.setDashPattern(list(DASHES[each.dash % len(DASHES)]))
        if any(high > low for low, high in zip(each.low, each.high, strict=True)):
            tint = QColor(colour)
            tint.setAlpha(38 if not theme().dark else 52)
            none = pg.mkPen(None)
            lower = pg.PlotDataItem(x, [self._y(value) for value in each.low], pen=none)
            upper = pg.PlotDataItem(x, [self._y(value) for value in each.high], pen=none)
            band = pg.FillBetweenItem(lower, upper, brush=pg.mkBrush(tint))
            for part in (lower, upper, band):
                item.addItem(part)
        item.addItem(pg.PlotDataItem(x, [self._y(value) for value in each.expected], pen=pen, antialias=True))
        if each.here is not None and each.here in each.x:
            number = each.x.index(each.here)
            spot = pg.ScatterPlotItem(
                [x[number]],
                [self._y(each.expected[number])],
                size=11,
                pen=pg.mkPen(look.raised, width=2),
                brush=pg.mkBrush(colour),
                antialias=True,
            )
            spot.setZValue(10)
            item.addItem(spot)

    def _axis(self, side: str, name: str) -> None:
        look = current()
        axis = self.plot.getPlotItem().getAxis(side)
        axis.setPen(pg.mkPen(look.line_strong))
        axis.setTextPen(pg.mkPen(look.muted))
        axis.setStyle(tickFont=font(SIZE_SMALL), tickLength=-4, tickTextOffset=6)
        axis.setLabel(name, **{"color": look.muted, "font-size": f"{SIZE_SMALL}px"})
        axis.enableAutoSIPrefix(False)
        axis.setGrid(28 if side == "left" else False)

    def _range(self, item: Any, axes: Axes) -> None:
        xs = [self._x(value) for each in self._series for value in each.x]
        tops = [value for each in self._series for value in each.high]
        lows = [value for each in self._series for value in each.low]
        top = max([*tops, *([axes.limit] if axes.limit is not None else [])])
        if axes.most is not None:
            top = min(top, axes.most)
        wide = max(max(xs) - min(xs), 0.5)
        left, right = min(xs) - wide * 0.03, max(xs) + wide * 0.03
        bottom = self._y(min(lows)) - 0.3 if axes.log_y else 0.0
        ceiling = self._y(top) + 0.3 if axes.log_y else top * 1.06
        item.vb.setRange(xRange=(left, right), yRange=(bottom, ceiling), padding=0, disableAutoRange=True)
        item.getAxis("bottom").setTicks([ticks(left, right, axes.log_x, axes.say_x, 9)])
        item.getAxis("left").setTicks([ticks(bottom, ceiling, axes.log_y, axes.say_y, 6)])

    def _between(self, each: Series, line: str, x: float) -> float:
        """The value of a curve at an x, along the line that is drawn."""
        values: tuple[float, ...] = getattr(each, line)
        places, heights = [self._x(value) for value in each.x], [self._y(value) for value in values]
        height = float(np.interp(self._x(x), places, heights))
        return 2.0**height if self._axes is not None and self._axes.log_y else height

    # -- pointer

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            # Nothing here scrolls: the wheel belongs to the page, and the plot would keep it.
            event.ignore()
            return True
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._hover(event.position())
        elif event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().eventFilter(watched, event)

    def _hover(self, at: QPointF | None) -> None:
        axes = self._axes
        item = self.plot.getPlotItem()
        if self._cross is not None:
            item.removeItem(self._cross)
            self._cross = None
        if at is None or axes is None or not self._series:
            self.card.hide()
            return
        here = item.vb.mapSceneToView(self.plot.mapToScene(at.toPoint()))
        all_x = sorted({value for each in self._series for value in each.x})
        nearest = min(all_x, key=lambda value: abs(self._x(value) - here.x()))
        pen = pg.mkPen(current().line_strong, style=Qt.PenStyle.DotLine)
        self._cross = pg.InfiniteLine(pos=self._x(nearest), angle=90, pen=pen)
        item.addItem(self._cross, ignoreBounds=True)
        facts = []
        for each in self._series:
            if each.x[0] <= nearest <= each.x[-1]:
                low, expected, high = (axes.say_y(self._between(each, line, nearest)) for line in LINES)
                said = expected if low == high else f"{expected} ({low} – {high})"
                said = f"{said} {axes.unit}".rstrip()
                facts.append(f"{each.name}: {said}" if each.name else said)
        point = self.plot.mapTo(self, at.toPoint())
        self.card.show_at(QPointF(point), f"{axes.x_name}: {axes.say_x(nearest)}", tuple(facts))


def ticks(low: float, high: float, log: bool, say: Say, most: int) -> list[tuple[float, str]]:
    """Positions and words of the ticks: round numbers, or doublings on a logarithmic axis."""
    if log:
        first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
        step = max(1, math.ceil((last - first + 1) / most))
        return [(float(power), say(2.0**power)) for power in range(first, last + 1, step)]
    raw = max(high - low, 1e-12) / most
    power = 10 ** math.floor(math.log10(raw))
    step_size = next(power * each for each in (1, 2, 5, 10) if power * each >= raw)
    start = math.ceil(low / step_size)
    found = []
    while start * step_size <= high:
        found.append((start * step_size, say(start * step_size)))
        start += 1
    return found


def spread_colours(index: int) -> tuple[str, int]:
    """Colour token and dash of the n-th curve."""
    return SERIES[index % len(SERIES)], index
