"""One drag at a time: from the catalogue to the canvas, or inside the canvas. Esc always cancels.

The widget where the press happened keeps the mouse and reports to the controller; the controller asks the target,
moves the ghost and drops. No system drag is involved, so it behaves the same on every desktop.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from configurator.desktop.document import Document
from configurator.desktop.ghost import Ghost
from configurator.desktop.placing import Answer, Payload


class Target(Protocol):
    """Where things can be dropped: the canvas."""

    def drag_begin(self, payload: Payload, copy: bool) -> None: ...
    def drag_over(self, payload: Payload, at: QPointF, copy: bool) -> Answer: ...
    def drag_out(self) -> None: ...
    def drag_drop(self, payload: Payload, at: QPointF, copy: bool) -> bool: ...
    def drag_end(self) -> None: ...
    def drag_scroll(self, at: QPointF) -> bool: ...
    def surface(self) -> QWidget: ...


class DragController(QObject):
    """Carries a payload between widgets of one window."""

    ended = Signal(bool)
    """True when something was dropped."""

    def __init__(self, host: QWidget, document: Document, target: Target) -> None:
        super().__init__(host)
        self._host = host
        self._document = document
        self._target = target
        self.ghost = Ghost(host)
        self.payload: Payload | None = None
        self._at = QPoint()
        self._copy = False
        self._over = False
        self._been_inside = False
        """The hand has been away from the borders: only then does a border scroll (it may just have come in)."""
        self._scroll = QTimer(self)
        self._scroll.setInterval(30)
        self._scroll.timeout.connect(self._scroll_on)

    @property
    def active(self) -> bool:
        return self.payload is not None

    def start(self, payload: Payload, global_point: QPoint, copy: bool = False) -> None:
        """Take something into the hand; ``copy``: what it came from stays."""
        if self.active:
            self.cancel()
        self.payload = payload
        self._copy = copy
        self._over = False
        self._been_inside = False
        self.ghost.take(payload, self._document.catalogue, self._document.wording)
        self._target.drag_begin(payload, copy)
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)
        QGuiApplication.setOverrideCursor(QCursor(Qt.CursorShape.ClosedHandCursor))
        self.move(global_point, copy)

    def move(self, global_point: QPoint, copy: bool = False) -> None:
        """The hand is here now."""
        if self.payload is None:
            return
        if copy != self._copy:
            self._copy = copy
            self._target.drag_begin(self.payload, copy)
        self._at = global_point
        surface = self._target.surface()
        local = surface.mapFromGlobal(global_point)
        if surface.rect().contains(local):
            self._over = True
            self._been_inside = self._been_inside or surface.rect().adjusted(60, 60, -60, -60).contains(local)
            self.ghost.tell(self._target.drag_over(self.payload, QPointF(local), copy), copy)
            if not self._scroll.isActive():
                self._scroll.start()
        elif self._over:
            self._over = False
            self._scroll.stop()
            self._target.drag_out()
            self.ghost.tell(None)
        self.ghost.follow(self._host.mapFromGlobal(global_point))

    def release(self, global_point: QPoint, copy: bool = False) -> bool:
        """Let go; True when it was taken."""
        if self.payload is None:
            return False
        self.move(global_point, copy)
        payload, over = self.payload, self._over
        self._end()
        surface = self._target.surface()
        dropped = over and self._target.drag_drop(payload, QPointF(surface.mapFromGlobal(global_point)), copy)
        self.ended.emit(dropped)
        return dropped

    def cancel(self) -> None:
        """Put it back."""
        if self.payload is not None:
            self._end()
            self.ended.emit(False)

    def _end(self) -> None:
        self.payload = None
        self._scroll.stop()
        self.ghost.drop()
        self._target.drag_end()
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)
        QGuiApplication.restoreOverrideCursor()

    def _scroll_on(self) -> None:
        local = self._target.surface().mapFromGlobal(self._at)
        if self._been_inside and self._target.drag_scroll(QPointF(local)):
            self.move(self._at, self._copy)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.payload is not None and isinstance(event, QKeyEvent):
            if (
                event.type() in {QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride}
                and event.key() == Qt.Key.Key_Escape
            ):
                self.cancel()
                return True
            if event.key() == Qt.Key.Key_Control and not event.isAutoRepeat():
                self.move(self._at, event.type() == QEvent.Type.KeyPress)
        return super().eventFilter(watched, event)
