"""Pulling a card out of the list."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from configurator.desktop.canvas.gestures import SLACK
from configurator.desktop.drag import DragController
from configurator.desktop.placing import Payload


class ListDrag:
    """From press to release over one list."""

    def __init__(self, source: QWidget, drag: DragController, payload: Callable[[], Payload | None]) -> None:
        self._source = source
        self._drag = drag
        self._payload = payload
        self._start: QPointF | None = None
        self._pulled = False

    def press(self, event: QMouseEvent) -> None:
        self._start = event.position()
        self._pulled = False

    def move(self, event: QMouseEvent) -> bool:
        """True while something is in the hand."""
        if self._start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return False
        at = event.globalPosition().toPoint()
        if self._pulled:
            self._drag.move(at)
            return True
        if (event.position() - self._start).manhattanLength() <= SLACK:
            return False
        payload = self._payload()
        if payload is None:
            return False
        self._pulled = True
        self._drag.start(payload, at)
        return True

    def release(self, event: QMouseEvent) -> bool:
        """True when this was a pull, dropped or not."""
        pulled = self._pulled
        self._start, self._pulled = None, False
        if pulled:
            self._drag.release(event.globalPosition().toPoint())
        return pulled
