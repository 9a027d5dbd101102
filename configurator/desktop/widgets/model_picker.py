"""Choosing a model: a button with the chosen one, and a card with a search over all models of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from configurator.desktop.theme import UNIT, current, font
from configurator.desktop.widgets.texts import label
from configurator.diagram.tokens import RADIUS_CONTROL, SIZE_NOTE, SIZE_TEXT

Index = QModelIndex | QPersistentModelIndex
ENTRY = Qt.ItemDataRole.UserRole + 1
ROW_H = 46


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: ``words`` is what the search looks at, in lower case."""

    id: str | None
    name: str
    line: str
    words: str
    size: str = ""


class Entries(QAbstractListModel):
    """The models whose words hold every part of the search."""

    def __init__(self) -> None:
        super().__init__()
        self._all: tuple[Entry, ...] = ()
        self._shown: list[Entry] = []

    def set_entries(self, entries: tuple[Entry, ...]) -> None:
        self._all = entries
        self.search("")

    def search(self, text: str) -> None:
        parts = text.casefold().split()
        self.beginResetModel()
        self._shown = [entry for entry in self._all if all(part in entry.words for part in parts)]
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_of(self, model_id: str | None) -> int:
        return next((row for row, entry in enumerate(self._shown) if entry.id == model_id), -1)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == ENTRY:
            return entry
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            return f"{entry.name}, {entry.line}" if entry.line else entry.name
        return None


class _Line(QStyledItemDelegate):
    """Name and size in the first line, facts in the second."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        del option, index
        return QSize(120, ROW_H)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(ENTRY)
        if not isinstance(entry, Entry):
            return
        look = current()
        known: Any = option
        area = QRectF(known.rect)
        chosen = bool(known.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_soft))
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), RADIUS_CONTROL, RADIUS_CONTROL)
        inner = area.adjusted(10, 5, -10, -5)
        size_width = QFontMetricsF(font(SIZE_NOTE)).horizontalAdvance(entry.size) + 8
        first = QRectF(inner.left(), inner.top(), inner.width(), 18)
        made = font(SIZE_TEXT, strong=True)
        painter.setFont(made)
        painter.setPen(QColor(look.ink))
        elide = Qt.TextElideMode.ElideRight
        name = QFontMetricsF(made).elidedText(entry.name, elide, inner.width() - size_width)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(first, left, name)
        painter.setFont(font(SIZE_NOTE))
        painter.setPen(QColor(look.muted))
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, entry.size)
        second = QRectF(inner.left(), inner.top() + 18, inner.width(), 17)
        line = QFontMetricsF(font(SIZE_NOTE)).elidedText(entry.line, elide, inner.width())
        painter.drawText(second, left, line)
        painter.restore()


class PickerCard(QFrame):
    """The card with search and list."""

    picked = Signal(object)
    file_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.entries = Entries()
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.list = QListView()
        self.list.setModel(self.entries)
        self.list.setItemDelegate(_Line(self.list))
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.empty = label("muted", wrap=True)
        self.empty.setVisible(False)
        self.file = QPushButton()
        self.file.setProperty("role", "link")
        self.file.clicked.connect(self._ask_file)
        column = QVBoxLayout(self)
        column.setContentsMargins(UNIT, UNIT, UNIT, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self.empty)
        column.addWidget(self.file, 0, Qt.AlignmentFlag.AlignLeft)
        self.search.textChanged.connect(self._search)
        self.list.clicked.connect(lambda index: self._pick(index.row()))
        self.list.activated.connect(lambda index: self._pick(index.row()))

    def open_at(self, beside: QWidget, chosen: str | None) -> None:
        width = max(beside.width(), 470)
        self.resize(width, 420)
        self.search.clear()
        row = self.entries.row_of(chosen)
        if row >= 0:
            self.list.setCurrentIndex(self.entries.index(row))
            self.list.scrollTo(self.entries.index(row), QListView.ScrollHint.PositionAtCenter)
        screen = beside.screen().availableGeometry()
        at = beside.mapToGlobal(QPoint(beside.width() - width, beside.height() + 4))
        x = max(screen.left() + 8, min(at.x(), screen.right() - width - 8))
        y = min(at.y(), screen.bottom() - self.height() - 8)
        self.move(x, y)
        self.show()
        self.search.setFocus()

    def _ask_file(self) -> None:
        self.hide()
        self.file_wanted.emit()

    def _search(self, text: str) -> None:
        self.entries.search(text)
        found = self.entries.rowCount() > 0
        self.empty.setVisible(not found)
        if found:
            self.list.setCurrentIndex(self.entries.index(0))

    def _pick(self, row: int) -> None:
        entry = self.entries.entry(row)
        if entry is not None:
            self.hide()
            self.picked.emit(entry.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.list.currentIndex().row()
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._pick(max(row, 0))
        elif event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Up}:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            new = max(0, min(row + step, self.entries.rowCount() - 1))
            self.list.setCurrentIndex(self.entries.index(new))
        else:
            super().keyPressEvent(event)


class ModelButton(QPushButton):
    """Shows the chosen model; a click, Enter or Space opens the card."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "field")
        self.card = PickerCard(self)
        self.card.picked.connect(self.picked)
        self.clicked.connect(self.open)
        self._chosen: str | None = None
        self._full = ""

    def show_model(self, model_id: str | None, text: str) -> None:
        self._chosen = model_id
        self._full = text
        self._elide()

    def _elide(self) -> None:
        room = self.width() - 34
        self.setText(QFontMetricsF(self.font()).elidedText(self._full, Qt.TextElideMode.ElideRight, max(room, 60)))
        self.setToolTip(self._full)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def sizeHint(self) -> QSize:
        return QSize(160, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(90, super().minimumSizeHint().height())

    def open(self) -> None:
        self.card.open_at(self, self._chosen)
