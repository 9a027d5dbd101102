"""The list of the catalogue: headings and cards, drawn by us, pulled by the hand."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QContextMenuEvent, QCursor, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from configurator.desktop.canvas import paint
from configurator.desktop.cards import Card, Shelf, all_cards, matches
from configurator.desktop.document import Document
from configurator.desktop.list_drag import ListDrag
from configurator.desktop.placing import Placer
from configurator.desktop.theme import colour

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
REASON = Qt.ItemDataRole.UserRole + 1
COUNTS = (1, 2, 4, 8)
ASKED_AGAIN = 40
"""Cards asked again at every edit; with more drawn so far the list is rather drawn again."""


class CardModel(QAbstractListModel):
    """Headings and cards of the shelf, or of a search over all shelves."""

    def __init__(self, document: Document, placer: Placer) -> None:
        super().__init__()
        self._document = document
        self._placer = placer
        self._cards: tuple[Card, ...] = ()
        self._rows: list[Card | str] = []
        self._reasons: dict[str, str] = {}
        self._shelf: Shelf = "gpus"
        self._words = ""
        self.reload()

    def reload(self) -> None:
        """Cards in the language and currency of now."""
        self._cards = all_cards(self._document.catalogue, self._document.wording)
        self.show(self._shelf, self._words)

    def show(self, shelf: Shelf, words: str) -> None:
        """One shelf, or what a search finds on all of them."""
        self.beginResetModel()
        self._shelf, self._words = shelf, words
        self._reasons.clear()
        chosen = [card for card in self._cards if (matches(card, words) if words.strip() else card.shelf == shelf)]
        self._rows = []
        group = ""
        for card in chosen:
            if card.group != group:
                group = card.group
                self._rows.append(group)
            self._rows.append(card)
        self.endResetModel()

    def judge(self) -> bool:
        """Plan or selection has changed: ask again what fits. False when every card drawn so far keeps its answer."""
        before, self._reasons = self._reasons, {}
        if len(before) > ASKED_AGAIN:
            return True
        drawn = [row for row in self._rows if isinstance(row, Card) and row.record in before]
        return any(self.reason(card) != before[card.record] for card in drawn)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def card(self, index: Index) -> Card | None:
        """The card of a row, None for a heading."""
        row = self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None
        return row if isinstance(row, Card) else None

    def row_of(self, record: str) -> int:
        """Row of a catalogue id, -1 when it is not shown."""
        return next((n for n, row in enumerate(self._rows) if isinstance(row, Card) and row.record == record), -1)

    def reason(self, card: Card) -> str:
        """Why the card does not fit where it would go, "" when it does."""
        if card.kind != "gpu":
            return ""
        if card.record not in self._reasons:
            self._reasons[card.record] = self._placer.refusal(card.payload())
        return self._reasons[card.record]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if isinstance(row, str):
            return row if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole} else None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == CARD:
            return row
        if role == REASON:
            return self.reason(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            reason = self.reason(row)
            return f"{reason}\n\n{row.tip}" if reason else row.tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(each for each in (row.title, row.line, row.price, row.date, self.reason(row)) if each)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.card(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class CardDelegate(QStyledItemDelegate):
    """Draws headings and cards of one list."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        del option
        card = index.data(CARD)
        if not isinstance(card, Card):
            return QSize(100, 32 if index.row() else 24)
        lines = len(self._title(card, float(self._view.viewport().width() - 26)))
        return QSize(100, 38 + 17 * lines + (16 if self._price_below(card) else 0))

    @staticmethod
    def _price_below(card: Card) -> bool:
        """Long names need the whole width: their price stands in a line of its own."""
        return bool(card.price) and card.kind != "gpu"

    def _title(self, card: Card, width: float) -> tuple[str, ...]:
        """The title, beside the price where that stands in the first line."""
        beside = card.price and not self._price_below(card)
        return paint.wrapped(card.title, width - (paint.width_of(card.price, 12) + 10 if beside else 0.0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        del option
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = index.data(CARD)
        where = QRectF(self._view.visualRect(index)).adjusted(1, 0, -1, 0)
        if not isinstance(card, Card):
            place = where.adjusted(2, where.height() - 22, 0, 0)
            paint.text(painter, place, str(index.data()), 11, colour("muted"), strong=True)
            painter.restore()
            return
        reason = str(index.data(REASON) or "")
        body = where.adjusted(0, 2, 0, -4)
        under = self._view.viewport().mapFromGlobal(QCursor.pos())
        hover = self._view.underMouse() and self._view.visualRect(index).contains(under)
        chosen = self._view.selectionModel().isSelected(index)
        fill = colour("accent_soft") if chosen else colour("background") if reason else colour("raised")
        edge = colour("accent") if chosen or hover else colour("line")
        paint.box(painter, body, fill, edge, 8.0, 1.5 if chosen else 1.0)
        ink = colour("muted" if reason else "ink")
        inner = body.adjusted(11, 7, -11, -7)
        head = QRectF(inner.x(), inner.y(), inner.width(), 17)
        foot = inner.adjusted(0, inner.height() - 16, 0, 0)
        below = self._price_below(card)
        at = foot if below else head
        align = paint.LEFT if below else paint.RIGHT
        taken = paint.text(painter, at, card.price, 12, colour("muted"), align) if card.price else 0.0
        taken = 0.0 if below else taken
        for number, line in enumerate(self._title(card, inner.width())):
            row = head.translated(0, 17 * number).adjusted(0, 0, -taken - 10 if taken else 0, 0)
            paint.text(painter, row, line, 13, ink, strong=True)
        date = card.date if card.price and (below or not reason) else ""
        taken = paint.text(painter, foot, date, 11, colour("muted"), paint.RIGHT) if date else 0.0
        facts = foot.translated(0, -16) if below else foot
        room = facts.adjusted(0, 0, -taken - 8 if taken and not below else 0, 0)
        line = reason or paint.fitting(card.line, room.width(), 12)
        paint.text(painter, room, line, 12, colour("muted"))
        painter.restore()


class CardList(QListView):
    """The list itself: a press and a pull takes a card into the hand, a click chooses it for the next click."""

    add_wanted = Signal()
    chosen = Signal()
    menu_wanted = Signal(QPoint)

    def __init__(self, model: CardModel) -> None:
        super().__init__()
        self.cards = model
        self.setModel(model)
        self.setItemDelegate(CardDelegate(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setMouseTracking(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setStyleSheet("QListView { border: 0; background: transparent; } QListView::item { padding: 0; }")
        self.pull: ListDrag | None = None

    def current_card(self) -> Card | None:
        return self.cards.card(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        card = self.cards.card(self.indexAt(event.position().toPoint()))
        if self.pull is not None and card is not None and event.button() == Qt.MouseButton.LeftButton:
            self.pull.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.pull is not None and self.pull.move(event):
            return
        if not event.buttons():
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pulled = self.pull is not None and self.pull.release(event)
        super().mouseReleaseEvent(event)
        if not pulled and event.button() == Qt.MouseButton.LeftButton and self.current_card() is not None:
            self.chosen.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.cards.card(self.indexAt(event.position().toPoint())) is not None:
            self.add_wanted.emit()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.current_card() is not None:
            self.add_wanted.emit()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keyboard = event.reason() == QContextMenuEvent.Reason.Keyboard
        at = self.visualRect(self.currentIndex()).center() if keyboard else event.pos()
        if self.cards.card(self.indexAt(at)) is not None:
            self.setCurrentIndex(self.indexAt(at))
            self.menu_wanted.emit(self.viewport().mapToGlobal(at))
