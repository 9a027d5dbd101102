""" "How is this computed": formula, inputs and source of a number, in a card that opens beside it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from configurator.desktop.theme import UNIT
from configurator.desktop.widgets.texts import label

WIDTH = 340


@dataclass(frozen=True, slots=True)
class Explanation:
    """Texts in the reader's language. ``inputs`` are (name, value) pairs; ``source`` where constants come from."""

    title: str
    formula: str
    inputs: tuple[tuple[str, str], ...] = ()
    source: str = ""

    def plain(self) -> str:
        """All in one text, for tooltips and screen readers."""
        lines = [self.title, self.formula, *(f"{name}: {value}" for name, value in self.inputs), self.source]
        return "\n".join(line for line in lines if line)


class ExplainCard(QFrame):
    """The card itself; closes on a click elsewhere or Escape."""

    def __init__(self, parent: QWidget, said: Explanation) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFixedWidth(WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(UNIT)
        self._line(column, "title", said.title)
        self._line(column, "", said.formula)
        if said.inputs:
            grid = QGridLayout()
            grid.setHorizontalSpacing(UNIT * 2)
            grid.setVerticalSpacing(4)
            grid.setColumnStretch(0, 1)
            for row, (name, value) in enumerate(said.inputs):
                left = label("muted", name, wrap=True)
                left.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                grid.addWidget(left, row, 0)
                right = label("strong", value)
                right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
                grid.addWidget(right, row, 1)
            column.addLayout(grid)
        if said.source:
            self._line(column, "note", said.source)
        self.setAccessibleName(said.title)
        self.setAccessibleDescription(said.plain())

    def _line(self, column: QVBoxLayout, role: str, text: str) -> QLabel:
        made = label(role, text, wrap=True)
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(made)
        return made


def fit_height(card: ExplainCard) -> None:
    """As high as its wrapped lines: Qt's own adjustment takes them for far higher than they become."""
    layout = card.layout()
    if layout is not None:
        layout.activate()
        card.setFixedHeight(layout.totalHeightForWidth(WIDTH))


def show_explanation(beside: QWidget, said: Explanation) -> ExplainCard:
    """Open the card under a widget, kept on its screen."""
    card = ExplainCard(beside, said)
    fit_height(card)
    at = beside.mapToGlobal(QPoint(0, beside.height() + 4))
    screen = QGuiApplication.screenAt(at) or beside.screen()
    area = screen.availableGeometry()
    x = max(area.left() + 8, min(at.x(), area.right() - card.width() - 8))
    y = at.y()
    if y + card.height() > area.bottom() - 8:
        y = max(area.top() + 8, beside.mapToGlobal(QPoint(0, 0)).y() - card.height() - 4)
    card.move(x, y)
    card.show()
    return card
