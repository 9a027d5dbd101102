"""The command palette: every action by a few letters of its name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from configurator.desktop import icons
from configurator.desktop.actions import Actions
from configurator.desktop.canvas import paint
from configurator.desktop.cards import Card, all_cards, matches
from configurator.desktop.desk import Desk
from configurator.desktop.theme import colour

CARDS_SHOWN = 8
ICON = Qt.ItemDataRole.UserRole + 1
KEYS = Qt.ItemDataRole.UserRole + 2


class _Line(QStyledItemDelegate):
    """Icon, words, keys at the right."""

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        del option, index
        return QSize(100, 34)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        del option
        where = QRectF(self._view.visualRect(index)).adjusted(2, 1, -2, -1)
        chosen = self._view.selectionModel().isSelected(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            paint.box(painter, where, colour("accent_soft"), colour("accent_soft"), 6.0)
        ink = colour("accent_ink" if chosen else "ink")
        name = str(index.data(ICON) or "")
        if name:
            spot = QRectF(where.x() + 10, where.center().y() - 8, 16, 16)
            icons.paint(painter, name, spot, ink)
        keys = str(index.data(KEYS) or "")
        taken = paint.text(painter, where.adjusted(0, 0, -12, 0), keys, 12, colour("muted"), paint.RIGHT)
        paint.text(painter, where.adjusted(38, 0, -taken - 24, 0), str(index.data()), 13, ink)
        painter.restore()


class CommandPalette(QDialog):
    """Type, choose with the arrows, Enter does it. Also finds cards and servers to add."""

    def __init__(self, desk: Desk, actions: Actions) -> None:
        super().__init__(desk.main)
        self._desk = desk
        self._actions = actions
        gettext = desk.document.gettext
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(gettext("Find a command"))
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.field = QLineEdit()
        self.field.setPlaceholderText(gettext("Type a command, a card or a server…"))
        self.field.setAccessibleName(gettext("Find a command"))
        self.list = QListWidget()
        self.list.setAccessibleName(gettext("Commands"))
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_Line(self.list))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setStyleSheet("QListView { border: 0; background: transparent; }")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.resize(520, 420)
        self._cards = all_cards(desk.document.catalogue, desk.document.wording)
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(lambda _item: self._run())
        self.list.itemClicked.connect(lambda _item: self._run())
        self._filter("")
        host = desk.main.geometry()
        self.move(host.x() + (host.width() - self.width()) // 2, host.y() + host.height() // 6)

    def _filter(self, words: str) -> None:
        self.list.clear()
        wanted = words.casefold().split()
        for action in self._actions.usable():
            text = self._actions.text(action.id).rstrip("…")
            if all(word in text.casefold() for word in wanted):
                keys = action.shortcut[0] if action.shortcut else ""
                self._entry(text, action.id, action.icon, keys)
        if wanted and self._desk.window.at_work:
            found = [card for card in self._cards if matches(card, words)][:CARDS_SHOWN]
            for card in found:
                self._entry(self._desk.document.gettext("Add {thing}").replace("{thing}", card.title), card, "add")
        self.list.setCurrentRow(0)

    def _entry(self, text: str, what: object, icon_name: str, keys: str = "") -> None:
        item = QListWidgetItem(text)
        item.setData(Qt.ItemDataRole.UserRole, what)
        item.setData(ICON, icon_name)
        item.setData(KEYS, QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText))
        self.list.addItem(item)

    def _run(self) -> None:
        row = self.list.currentRow()
        chosen = self.list.item(row).data(Qt.ItemDataRole.UserRole) if row >= 0 else None
        self.accept()
        if isinstance(chosen, str):
            self._actions.run(chosen)
        elif isinstance(chosen, Card):
            self._desk.placer.add(chosen.payload())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Up}:
                way = 1 if event.key() == Qt.Key.Key_Down else -1
                count = max(1, self.list.count())
                self.list.setCurrentRow((self.list.currentRow() + way) % count)
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._run()
                return True
        return bool(super().eventFilter(watched, event))
