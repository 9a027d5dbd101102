"""Short messages over the canvas that go away by themselves; after a delete they offer Undo."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QLabel, QPushButton, QWidget

from configurator.desktop.document import Document
from configurator.desktop.theme import colour

SHOWN_MS = 6_000
MARGIN = 20


class Toasts(QFrame):
    """One message at a time; a newer one takes the place."""

    def __init__(self, host: QWidget, document: Document) -> None:
        super().__init__(host)
        self._document = document
        self._act: Callable[[], None] | None = None
        self.setProperty("role", "card")
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        self.button.clicked.connect(self._clicked)
        self._close = QPushButton("×")
        self._close.setProperty("role", "quiet")
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.button)
        row.addWidget(self._close)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 4)
        shadow.setColor(colour("shadow", 60))
        self.setGraphicsEffect(shadow)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        host.installEventFilter(self)
        document.stack.indexChanged.connect(self._stepped)
        self._index = -1
        self.hide()

    def say(self, text: str, *, undo: bool = False) -> None:
        """Show a message; with ``undo`` a button takes the last step back."""
        gettext = self._document.gettext
        if undo:
            self._index = self._document.stack.index()
            self.offer(text, gettext("Undo"), self._document.stack.undo)
        else:
            self.offer(text, "", None)

    def offer(self, text: str, action: str, act: Callable[[], None] | None, *, stay: bool = False) -> None:
        """Show a message with a button of its own."""
        self._act = act
        self.words.setText(text)
        self.button.setText(action)
        self.button.setVisible(act is not None)
        self._close.setAccessibleName(self._document.gettext("Close the message"))
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        if stay:
            self._timer.stop()
        else:
            self._timer.start(SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _clicked(self) -> None:
        act, self._act = self._act, None
        self.hide()
        if act is not None:
            act()

    def _stepped(self, index: int) -> None:
        # After another step "Undo" would take back something else than the message says.
        if self._index >= 0 and index != self._index:
            self._index = -1
            self.hide()

    def _place(self) -> None:
        host = self.parentWidget()
        if host is None:
            return
        most = min(560, host.width() - 2 * MARGIN)
        self.words.setWordWrap(False)
        self.setMinimumWidth(0)
        self.setMaximumWidth(most)
        wanted = self.sizeHint().width()
        self.words.setWordWrap(wanted > most)
        self.setFixedWidth(min(most, wanted))
        self.adjustSize()
        self.move((host.width() - self.width()) // 2, host.height() - self.height() - MARGIN)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return bool(super().eventFilter(watched, event))
