"""Short messages over the canvas that go away by themselves; after a delete they offer Undo."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QLabel, QPushButton, QWidget

from configurator.desktop.document import Document
from configurator.desktop.theme import colour

SHOWN_MS = 6_000
MARGIN = 12
Offer = tuple[str, str, Callable[[], None] | None]
"""Words, words of the button, what it does."""


class Toasts(QFrame):
    """One message at a time; a newer one takes the place."""

    turned = Signal()
    """It has come or gone."""

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
        self._close.clicked.connect(self._answered)
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
        self._timer.timeout.connect(self._gone)
        host.installEventFilter(self)
        document.stack.indexChanged.connect(self._stepped)
        self._index = -1
        self.clear_of: Callable[[], QRect] = QRect
        """Where something else stands at the lower edge; an empty rectangle where nothing does."""
        self._staying: list[Offer] = []
        self.hide()

    def settle(self) -> None:
        """What stands at the lower edge has changed."""
        if self.isVisible():
            self._place()

    def say(self, text: str, *, undo: bool = False) -> None:
        """Show a message; with ``undo`` a button takes the last step back."""
        gettext = self._document.gettext
        if undo:
            self._index = self._document.stack.index()
            self.offer(text, gettext("Undo"), self._document.stack.undo)
        else:
            self.offer(text, "", None)

    def offer(self, text: str, action: str, act: Callable[[], None] | None, *, stay: bool = False) -> None:
        """Show a message with a button of its own.

        ``stay``: until it is answered. Those wait for each other, and come back after a passing message.
        """
        if stay:
            self._staying = [each for each in self._staying if each[0] != text] + [(text, action, act)]
            text, action, act = self._staying[0]
        self._show(text, action, act, stay=stay)

    def _show(self, text: str, action: str, act: Callable[[], None] | None, *, stay: bool) -> None:
        self._act = act
        self.words.setText(text)
        self.button.setText(action)
        self.button.setVisible(act is not None)
        self._close.setAccessibleName(self._document.gettext("Close the message"))
        self.setAccessibleName(text)
        self._place()
        self.show()
        self.raise_()
        self.turned.emit()
        if stay:
            self._timer.stop()
        else:
            self._timer.start(SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def _clicked(self) -> None:
        act, self._act = self._act, None
        self._answered()
        if act is not None:
            act()

    def _answered(self) -> None:
        """The message on the screen is done with."""
        if not self._timer.isActive():
            self._staying = self._staying[1:]
        self._gone()

    def _gone(self) -> None:
        self.hide()
        if self._staying:
            self._show(*self._staying[0], stay=True)

    def _stepped(self, index: int) -> None:
        # After another step "Undo" would take back something else than the message says.
        if self._index >= 0 and index != self._index:
            self._index = -1
            self._gone()

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
        taken = self.clear_of()
        x, y = (host.width() - self.width()) // 2, host.height() - self.height() - MARGIN
        if not taken.isEmpty():
            beside = host.width() - self.width() - MARGIN
            if beside > taken.right() + MARGIN:
                x = beside
            else:
                y = taken.top() - self.height() - MARGIN // 2
        self.move(x, y)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)
        self.turned.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return bool(super().eventFilter(watched, event))
