"""The command palette: every action by a few letters of its name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout

from configurator.desktop.actions import Actions
from configurator.desktop.cards import Card, all_cards, matches
from configurator.desktop.desk import Desk

CARDS_SHOWN = 8


class CommandPalette(QDialog):
    """Type, choose with the arrows, Enter does it. Also finds cards and servers to add."""

    def __init__(self, desk: Desk, actions: Actions) -> None:
        super().__init__(desk.main)
        self._desk = desk
        self._actions = actions
        gettext = desk.document.gettext
        self.setWindowTitle(gettext("Find a command"))
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.field = QLineEdit()
        self.field.setPlaceholderText(gettext("Type a command, a card or a server…"))
        self.field.setAccessibleName(gettext("Find a command"))
        self.list = QListWidget()
        self.list.setAccessibleName(gettext("Commands"))
        self.list.setUniformItemSizes(True)
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
                keys = (
                    QKeySequence(action.shortcut[0]).toString(QKeySequence.SequenceFormat.NativeText)
                    if action.shortcut
                    else ""
                )
                item = QListWidgetItem(f"{text}    {keys}" if keys else text)
                item.setData(Qt.ItemDataRole.UserRole, action.id)
                item.setIcon(self._actions.get(action.id).icon())
                self.list.addItem(item)
        if wanted and self._desk.window.at_work:
            found = [card for card in self._cards if matches(card, words)][:CARDS_SHOWN]
            for card in found:
                item = QListWidgetItem(self._desk.document.gettext("Add {thing}").replace("{thing}", card.title))
                item.setData(Qt.ItemDataRole.UserRole, card)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

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
