"""All workloads of the plan with their lights, one line each; a click shows the answer of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from configurator.desktop import icons
from configurator.desktop.theme import current, follow, font
from configurator.desktop.widgets.marks import SHAPES
from configurator.desktop.widgets.texts import Rows
from configurator.diagram.measure import fitted
from configurator.diagram.tokens import RADIUS_CONTROL, SIZE_NOTE, SIZE_TEXT
from configurator.terms import Light
from configurator.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from configurator.assess import WorkloadAssessment
    from configurator.plan.model import Workload

HEIGHT = 30


@dataclass(frozen=True, slots=True)
class LoadLine:
    """One workload; ``said``: its light in words and the cards it has."""

    workload_id: str
    name: str
    said: str
    light: Light
    shown: bool


def load_lines(
    workloads: Sequence[Workload], answers: Sequence[WorkloadAssessment], shown_id: str, wording: Wording
) -> list[LoadLine]:
    """In the order of the plan; nothing for a single one."""
    if len(workloads) < 2:
        return []
    found = {each.workload_id: each for each in answers}
    lines = []
    for load in workloads:
        answer = found.get(load.id)
        light: Light = answer.verdict.light if answer is not None else "unknown"
        said = wording.word("light." + light)
        cards = _cards(answer)
        if cards:
            said = f"{said} · {wording.counted('cards', cards)}"
        name = f"{load.name} · {wording.value('model', load.model)}" if load.model else load.name
        lines.append(LoadLine(load.id, name, said, light, load.id == shown_id))
    return lines


def _cards(answer: WorkloadAssessment | None) -> int:
    """Cards that its copies stand on; 0 where it does not run."""
    chosen = answer.chosen if answer is not None else None
    if chosen is None or chosen.memory.fit == "no":
        return 0
    return len({gpu for copy in chosen.instances for stage in copy.stages for gpu in stage})


class LoadRow(QAbstractButton):
    """Shape, name, light and cards in one line."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.line: LoadLine | None = None
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._click)
        follow(self)

    def show_line(self, line: LoadLine) -> None:
        if line != self.line:
            self.line = line
            self.setAccessibleName(f"{line.name}: {line.said}")
            self.setToolTip(f"{line.name}: {line.said}")
            self.update()
        self.setChecked(line.shown)

    def _click(self) -> None:
        if self.line is not None:
            # The answer that follows says which one is shown.
            self.setChecked(self.line.shown)
            self.chosen.emit(self.line.workload_id)

    def sizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.line is None:
            return
        look, line = current(), self.line
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        edge = look.accent if self.hasFocus() or line.shown or self.underMouse() else look.line
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(look.accent_soft if line.shown else look.raised))
        painter.drawRoundedRect(area, RADIUS_CONTROL, RADIUS_CONTROL)
        ink = look.meaning(line.light)[2]
        icons.paint(painter, SHAPES[line.light], QRectF(9, (HEIGHT - 14) / 2, 14, 14), ink)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.setFont(font(SIZE_NOTE))
        painter.setPen(QColor(ink))
        inner = area.adjusted(30, 0, -9, 0)
        said = QFontMetricsF(painter.font()).horizontalAdvance(line.said)
        painter.drawText(inner, right, line.said)
        painter.setFont(font(SIZE_TEXT, strong=line.shown))
        painter.setPen(QColor(look.ink))
        name = fitted(line.name, max(20.0, inner.width() - said - 10), SIZE_TEXT, line.shown)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)


class Loads(Rows[LoadLine, LoadRow]):
    """The list over the verdict, there when the plan has several workloads."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(self._made, LoadRow.show_line, 4)

    def _made(self) -> LoadRow:
        row = LoadRow()
        row.chosen.connect(self.chosen)
        return row
