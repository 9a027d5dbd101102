"""Parts of the verdict panel: the tinted card with the headline, tiles, and sentences about layouts and failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from configurator.desktop.panels.figures import Figure
from configurator.desktop.panels.rows import Bullet, texts
from configurator.desktop.theme import UNIT
from configurator.desktop.widgets.marks import LightRow
from configurator.desktop.widgets.texts import Rows, label, set_property
from configurator.desktop.widgets.tile import FigureTile
from configurator.terms import Light, Message
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.results import Verdict
    from configurator.operations.results import FailureEffect
    from configurator.scaling.results import Layout, ScoredLayout

PLAIN = frozenset({"fits", "does-not-fit", "fits-but-no-headroom", "unknown-topology"})
"""Verdicts that the light and the headline already say."""


class VerdictCard(QFrame):
    """The headline with its light and reasons, on the tint of the light."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "verdict")
        self.light = LightRow()
        self.headline = label("headline", wrap=True)
        self.reasons: Rows[str, Bullet] = Rows(Bullet, Bullet.show_text, 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 13)
        column.setSpacing(6)
        column.addWidget(self.light)
        column.addWidget(self.headline)
        column.addWidget(self.reasons)

    def show_verdict(self, verdict: Verdict, wording: Wording) -> None:
        word = wording.word("light." + verdict.light)
        name = wording.word("verdict." + verdict.code)
        self.light.show_light(verdict.light, word[:1].upper() + word[1:], "" if verdict.code in PLAIN else name)
        self.headline.setText(wording.text(verdict.headline))
        self.reasons.show_items(texts(wording, verdict.reasons))
        set_property(self, "meaning", verdict.light)
        self.setAccessibleName(f"{self.light.word.text()}. {self.headline.text()}")

    def show_waiting(self, text: str) -> None:
        """No answer yet."""
        self.light.show_light("unknown", "…")
        self.headline.setText(text)
        self.reasons.show_items([])
        set_property(self, "meaning", "unknown")


class Tiles(QWidget):
    """Figures in rows."""

    def __init__(self, columns: int = 2) -> None:
        super().__init__()
        self._columns = columns
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(UNIT)
        self.tiles: list[FigureTile] = []

    def show_figures(self, figures: Sequence[Figure]) -> None:
        while len(self.tiles) < len(figures):
            number = len(self.tiles)
            tile = FigureTile()
            self.tiles.append(tile)
            self._grid.addWidget(tile, number // self._columns, number % self._columns)
        for tile, figure in zip(self.tiles, figures, strict=False):
            tile.show_figure(figure.value, figure.caption, figure.change, figure.better, figure.explanation)
            tile.setVisible(True)
        for tile in self.tiles[len(figures) :]:
            tile.setVisible(False)
        self.setVisible(bool(figures))

    def set_columns(self, columns: int) -> None:
        """Place the tiles anew."""
        if columns != self._columns:
            self._columns = columns
            for number, tile in enumerate(self.tiles):
                self._grid.removeWidget(tile)
                self._grid.addWidget(tile, number // columns, number % columns)


def failure_lines(effects: Sequence[FailureEffect], wording: Wording) -> list[tuple[Light, str]]:
    """What each failure does; objects whose failure does the same are told once. The worst first."""
    groups: dict[tuple[object, ...], list[FailureEffect]] = {}
    for each in effects:
        rest = tuple((name, value) for name, value in each.note.params if name != "object_id")
        groups.setdefault((each.stops, each.capacity_left_share, each.note.code, rest), []).append(each)
    found: list[tuple[float, Light, str]] = []
    for group in groups.values():
        first = group[0]
        slower = first.capacity_left_share < 0.999 or first.note.code == "failure.outside"
        light: Light = "stop" if first.stops else "step" if slower else "good"
        note = first.note
        if len(group) > 1:
            one = wording.gettext("any one of {n}").format(n=len(group))
            note = Message(note.code, tuple((name, one if name == "object_id" else v) for name, v in note.params))
        said = wording.text(note)
        if first.repair_s is not None and not first.stops:
            # Loading takes minutes, the part days; the sentence about a stop says so itself.
            repair = wording.gettext("A broken part takes {time} to replace.")
            said = f"{said} {repair.replace('{time}', wording.estimate(first.repair_s))}"
        found.append((0.0 if first.stops else first.capacity_left_share, light, said))
    return [(light, text) for _left, light, text in sorted(found, key=lambda each: each[0])]


def lost_lines(layouts: Sequence[ScoredLayout], wording: Wording) -> list[str]:
    """Other layouts with the reason each of them lost."""
    return [
        f"{layout_name(each.layout, wording)}: {wording.text(each.lost_because)}"
        for each in layouts
        if each.lost_because is not None
    ]


def layout_name(layout: Layout, wording: Wording) -> str:
    """Such as "2 copies, each on 4 cards" or, for an operator, "DP2 × PP1 × TP4"."""
    if wording.audience == "operator":
        return f"DP{layout.replicas} × PP{layout.pipeline_parallel} × TP{layout.tensor_parallel}"
    _ = wording.gettext
    copies = wording.counted("copies", layout.replicas)
    cards = wording.counted("cards", layout.tensor_parallel)
    if layout.pipeline_parallel > 1:
        stages = wording.counted("stages", layout.pipeline_parallel)
        return _("{copies}, each in {stages} of {cards}").format(copies=copies, stages=stages, cards=cards)
    return _("{copies}, each on {cards}").format(copies=copies, cards=cards)
