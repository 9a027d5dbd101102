"""Fields where "not known" is a value: a number, a choice of a few, a choice of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from configurator.desktop.theme import font
from configurator.desktop.widgets.texts import set_property
from configurator.diagram.tokens import SIZE_SMALL

SUFFIXES = {"k": 1e3, "K": 1e3, "т": 1e3, "M": 1e6, "m": 1e6, "м": 1e6, "G": 1e9, "B": 1e9, "T": 1e12}
"""What people type after a number of tokens: 8k, 1.5M, 15T."""


def parse(text: str, decimal: str) -> float | None:
    """A number as people type it ("8 192", "128k", "1,5M"), None for nothing; ValueError for anything else."""
    cleaned = "".join(sign for sign in text if not sign.isspace())
    if not cleaned:
        return None
    factor = SUFFIXES.get(cleaned[-1], 1.0)
    if factor != 1.0:
        cleaned = cleaned[:-1]
    return float(cleaned.replace(decimal, ".").replace(",", ".")) * factor


class NumberField(QLineEdit):
    """A number or nothing. Enter or leaving commits; what cannot be read stays, marked, with the reason."""

    committed = Signal(object)
    """The new value (float or None); only when it differs."""
    stepped = Signal(object)
    """The same by an arrow key; steps that follow each other are one gesture."""
    refused = Signal(str)
    """Why what was typed cannot be used; "" once that is mended."""

    def __init__(self, *, whole: bool = True, least: float = 0.0, most: float = float("inf")) -> None:
        super().__init__()
        self._whole = whole
        self._least = least
        self._most = most
        self._value: float | None = None
        self._shown = ""
        self.decimal = "."
        self.wrong_text = ""
        self.range_text = ""
        self.help_text = ""
        self.setFont(font(figures=True))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.editingFinished.connect(self._finish)
        self.textEdited.connect(lambda _text: self._mark(""))

    @property
    def value(self) -> float | None:
        return self._value

    def show_value(self, value: float | None, text: str) -> None:
        """Show what the document holds, unless the owner is typing."""
        changed = value != self._value
        self._value = value
        if changed or not self.isModified():
            self._shown = text
            self.setText(text)
            self._mark("")

    def _mark(self, reason: str) -> None:
        was = self.property("wrong") == "true"
        set_property(self, "wrong", "true" if reason else "false")
        self.setToolTip(reason or self.help_text)
        if reason or was:
            self.refused.emit(reason)

    def read(self) -> tuple[float | None, str]:
        """(value, "") or (None, why it cannot be used)."""
        try:
            value = parse(self.text(), self.decimal)
        except ValueError:
            return None, self.wrong_text
        if value is None:
            return None, ""
        if self._whole:
            value = float(round(value))
        if not self._least <= value <= self._most:
            return None, self.range_text
        return value, ""

    def _finish(self) -> None:
        if not self.isModified() and self.text() == self._shown:
            return
        value, reason = self.read()
        if reason:
            self._mark(reason)
            return
        self.setModified(False)
        if value != self._value:
            self.committed.emit(value)
        else:
            self.setText(self._shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self._step(1 if event.key() == Qt.Key.Key_Up else -1)
            return
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
            self._mark("")
            self.setModified(False)
            return
        super().keyPressEvent(event)

    def _step(self, direction: int) -> None:
        value, reason = self.read()
        if reason:
            return
        if value is None:
            new = max(self._least, 1.0)
        elif self._whole and value < 256:
            new = value + direction
        else:
            # Lengths and rates are stepped by halves and doubles, as people think of them.
            new = value * (2.0 if direction > 0 else 0.5)
        new = max(self._least, min(new, self._most))
        self.setModified(False)
        self.stepped.emit(float(round(new)) if self._whole else new)


class Choice(QComboBox):
    """One of many; the wheel scrolls the page unless the field has the focus."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaxVisibleItems(MOST_ROWS)
        self.view().setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def showPopup(self) -> None:
        super().showPopup()
        hidden = self.view().verticalScrollBar().maximum()
        if self.count() <= MOST_ROWS and hidden:
            # The style's inner margin is not in Qt's sum: without this the last row has to be scrolled to.
            popup = self.view().window()
            popup.resize(popup.width(), popup.height() + hidden)

    def show_choices(self, choices: Sequence[tuple[object, str, str]], value: object) -> None:
        """(value, text, reason why it cannot be chosen now or ""); value HEADING: a title over what follows."""
        wanted = [(data, text, reason) for data, text, reason in choices]
        now = [(self.itemData(n), self.itemText(n), self.itemData(n, REASON) or "") for n in range(self.count())]
        if wanted != now:
            self.blockSignals(True)
            self.clear()
            for data, text, reason in wanted:
                self.addItem(text, data)
                index = self.count() - 1
                self.setItemData(index, reason, REASON)
                if data == HEADING:
                    self.setItemData(index, font(SIZE_SMALL, True), Qt.ItemDataRole.FontRole)
                    self.setItemData(index, 0, Qt.ItemDataRole.UserRole - 1)
                if reason:
                    self.setItemData(index, reason, Qt.ItemDataRole.ToolTipRole)
                    self.setItemData(index, 0, Qt.ItemDataRole.UserRole - 1)
            self.blockSignals(False)
        index = next((number for number, each in enumerate(wanted) if each[0] == value), -1)
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.width() - 34
        known: Any = option
        known.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


REASON = Qt.ItemDataRole.UserRole + 7
MOST_ROWS = 16
"""Rows of an open list before it scrolls."""
HEADING = "<heading>"
"""Value of a line in a choice that is a title."""


class Segmented(QWidget):
    """One of a few, side by side."""

    chosen = Signal(object)

    def __init__(self, values: Sequence[object]) -> None:
        super().__init__()
        self._values = tuple(values)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self.buttons: list[QPushButton] = []
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        for number in range(len(self._values)):
            button = QPushButton()
            button.setCheckable(True)
            button.setProperty("role", "segment")
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._group.addButton(button, number)
            self.buttons.append(button)
            self._row.addWidget(button)
        self._round("left", "middle", "right")
        self._group.idClicked.connect(lambda number: self.chosen.emit(self._values[number]))

    def show_value(self, value: object, texts: Sequence[str], tips: Sequence[str] = ()) -> None:
        for number, button in enumerate(self.buttons):
            button.setText(texts[number])
            button.setToolTip(tips[number] if tips else "")
            button.setAccessibleName(texts[number])
        if value in self._values:
            self.buttons[self._values.index(value)].setChecked(True)

        self._turn()

    def _round(self, first: str, middle: str, last: str) -> None:
        for number, button in enumerate(self.buttons):
            end = first if number == 0 else last if number == len(self.buttons) - 1 else middle
            set_property(button, "end", end)

    def _turn(self) -> None:
        """One below the other where they do not stand side by side."""
        side_by_side = sum(button.sizeHint().width() for button in self.buttons) <= self.width()
        wanted = QBoxLayout.Direction.LeftToRight if side_by_side else QBoxLayout.Direction.TopToBottom
        if self._row.direction() != wanted:
            self._row.setDirection(wanted)
            self._round(*(("left", "middle", "right") if side_by_side else ("top", "middle", "bottom")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def minimumSizeHint(self) -> QSize:
        return QSize(max(button.sizeHint().width() for button in self.buttons), super().minimumSizeHint().height())
