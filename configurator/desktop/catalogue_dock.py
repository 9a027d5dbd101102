"""The list on the left: search, shelves, cards to drag, double-click, add by Enter or menu."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from configurator.desktop.card_list import CardList, CardModel
from configurator.desktop.cards import SHELVES, Shelf
from configurator.desktop.document import Document
from configurator.desktop.drag import DragController
from configurator.desktop.icons import icon
from configurator.desktop.list_drag import ListDrag
from configurator.desktop.placing import Payload, Placer
from configurator.desktop.theme import theme

Index = QModelIndex | QPersistentModelIndex
CARD = Qt.ItemDataRole.UserRole
REASON = Qt.ItemDataRole.UserRole + 1
COUNTS = (1, 2, 4, 8)


class CatalogueDock(QWidget):
    """Search field, shelves, list, count, date of prices."""

    armed = Signal(object)
    """A Payload was chosen by click: the next click on the canvas places it."""
    menu_wanted = Signal(QPoint)

    def __init__(self, document: Document, placer: Placer) -> None:
        super().__init__()
        self._document = document
        self._placer = placer
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(212)
        self.search = QLineEdit()
        self._clear = self.search.addAction(icon("close", "muted"), QLineEdit.ActionPosition.TrailingPosition)
        self._clear.triggered.connect(self.search.clear)
        self._clear.setVisible(False)
        self.shelves: dict[Shelf, QPushButton] = {}
        self.model = CardModel(document, placer)
        self.list = CardList(self.model)
        self.counts: dict[int, QPushButton] = {}
        self._count_label = QLabel()
        self._count_label.setProperty("role", "note")
        self._footer = QLabel()
        self._footer.setProperty("role", "small")
        self._footer.setWordWrap(True)
        self._nothing = QLabel()
        self._nothing.setProperty("role", "muted")
        self._nothing.setWordWrap(True)
        self._nothing.hide()
        self._build()
        self.search.textChanged.connect(self._refilter)
        self.search.installEventFilter(self)
        self.list.add_wanted.connect(self.add)
        self.list.chosen.connect(self._arm)
        self.list.menu_wanted.connect(self.menu_wanted)
        document.changed.connect(self._judge)
        document.selection_changed.connect(self._judge)
        document.wording_changed.connect(self.retranslate)
        theme().changed.connect(self._paint_icons)
        self.retranslate()

    def _build(self) -> None:
        shelves = QHBoxLayout()
        shelves.setSpacing(0)
        group = QButtonGroup(self)
        for number, shelf in enumerate(SHELVES):
            button = QPushButton()
            button.setCheckable(True)
            button.setProperty("role", "segment")
            if number in {0, len(SHELVES) - 1}:
                button.setProperty("end", "left" if number == 0 else "right")
            button.setChecked(number == 0)
            button.clicked.connect(lambda _=False, shelf=shelf: self.open_shelf(shelf))
            group.addButton(button)
            shelves.addWidget(button, 1)
            self.shelves[shelf] = button
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self._count_label, 1)
        counts = QButtonGroup(self)
        for count in COUNTS:
            button = QPushButton(f"×{count}")
            button.setCheckable(True)
            button.setProperty("role", "quiet")
            button.setChecked(count == 1)
            counts.addButton(button)
            row.addWidget(button)
            self.counts[count] = button
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 10)
        column.setSpacing(10)
        column.addWidget(self.search)
        column.addLayout(shelves)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing, 1, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        column.addWidget(self._footer)

    def attach(self, drag: DragController) -> None:
        """Let cards be pulled out of the list."""
        self.list.pull = ListDrag(self.list, drag, self.payload)

    def retranslate(self) -> None:
        gettext = self._document.gettext
        self.setAccessibleName(gettext("Catalogue"))
        self.search.setPlaceholderText(gettext("Search cards, servers…"))
        self.search.setAccessibleName(gettext("Search the catalogue"))
        self._clear.setToolTip(gettext("Clear the search"))
        self._clear.setText(gettext("Clear the search"))
        self.list.setAccessibleName(gettext("Cards to add"))
        names = {
            "gpus": gettext("GPUs"),
            "servers": gettext("Servers"),
            "network": gettext("Network"),
            "sites": gettext("Sites"),
        }
        for shelf, button in self.shelves.items():
            button.setText(names[shelf])
        self._count_label.setText(gettext("At once"))
        for count, button in self.counts.items():
            button.setAccessibleName(gettext("{n} at once").replace("{n}", str(count)))
            button.setToolTip(gettext("Add {n} at once").replace("{n}", str(count)))
        # Prices are of many days; the day of the catalogue would make them look newer than they are.
        self._footer.setText(gettext("Planning prices net of VAT, each as dated on its card"))
        self._nothing.setText(gettext("Nothing in the catalogue matches. Try a shorter word, such as “4090”."))
        self.model.reload()

    @property
    def shelf(self) -> Shelf:
        return next((shelf for shelf, button in self.shelves.items() if button.isChecked()), "gpus")

    @property
    def count(self) -> int:
        """How many are added at once."""
        return next((count for count, button in self.counts.items() if button.isChecked()), 1)

    def open_shelf(self, shelf: Shelf) -> None:
        """Show one shelf; a search ends."""
        self.shelves[shelf].setChecked(True)
        if self.search.text():
            self.search.clear()
        else:
            self._refilter()

    def choose(self, record: str, count: int = 1) -> bool:
        """Make a catalogue entry the current one; False when it is not there."""
        shelf = next((card.shelf for card in self.model._cards if card.record == record), None)
        if shelf is None:
            return False
        self.open_shelf(shelf)
        row = self.model.row_of(record)
        self.list.setCurrentIndex(self.model.index(row))
        if count in self.counts:
            self.counts[count].setChecked(True)
        return row >= 0

    def payload(self) -> Payload | None:
        """What is chosen, as something to place."""
        card = self.list.current_card()
        return card.payload(self.count) if card is not None else None

    def add(self) -> None:
        """Add what is chosen to the selection, or where it fits."""
        payload = self.payload()
        if payload is not None:
            self._placer.add(payload)

    def _arm(self) -> None:
        payload = self.payload()
        if payload is not None:
            self.armed.emit(payload)

    def disarm(self) -> None:
        """Nothing is chosen for the next click any more; the current card stays current."""
        self.list.clearSelection()

    def _judge(self) -> None:
        if self.model.judge():
            self.list.viewport().update()

    def _paint_icons(self) -> None:
        self._clear.setIcon(icon("close", "muted"))

    def _refilter(self) -> None:
        self._clear.setVisible(bool(self.search.text()))
        current = self.list.current_card()
        words = self.search.text()
        self.model.show(self.shelf, words)
        empty = self.model.rowCount() == 0
        self._nothing.setVisible(empty)
        self.list.setVisible(not empty)
        row = self.model.row_of(current.record) if current is not None else -1
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Down:
                self._to_list()
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.model.rowCount():
                self._to_list()
                self.add()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return bool(super().eventFilter(watched, event))

    def _to_list(self) -> None:
        if self.list.current_card() is None:
            first = next((row for row in range(self.model.rowCount()) if self.model.card(self.model.index(row))), -1)
            self.list.setCurrentIndex(self.model.index(first))
        self.list.setFocus()
