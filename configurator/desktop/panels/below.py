"""What lies below the fold waits: an edit fills and lays out what is in sight, the rest follows in the next pause."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

from configurator.desktop.calm import settle_page

MARGIN = 160
"""Pixels below the fold that count as in sight: parts above may become shorter."""
PAUSE_MS = 120
"""Nothing was edited for so long; shorter than a hand needs to the wheel."""

Fill = Callable[[], None]


class BelowFold(QObject):
    """Parts of a scrolled page, from the top down. Those below the fold keep what they show until the pause."""

    def __init__(self, area: QScrollArea, parts: Sequence[QWidget]) -> None:
        super().__init__(area)
        self._area = area
        self._place = {part: number for number, part in enumerate(parts)}
        self._parts = tuple(parts)
        self._waiting: dict[QWidget, Fill] = {}
        self._seen = len(parts)
        self.filled: list[QWidget] = []
        """Parts filled since ``begin``: only these have a new size."""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.finish)
        area.installEventFilter(self)
        area.verticalScrollBar().valueChanged.connect(lambda _value: self.finish())

    def begin(self) -> None:
        """Look at what is in sight; before every new answer."""
        self.filled = []
        self._seen = self._first_unseen()

    def _first_unseen(self) -> int:
        area = self._area
        if not area.isVisible():
            return len(self._parts)
        fold = area.verticalScrollBar().value() + area.viewport().height() + MARGIN
        for number, part in enumerate(self._parts):
            if not part.isHidden() and part.y() > fold:
                return number
        return len(self._parts)

    def fill(self, part: QWidget, fill: Fill) -> None:
        """Fill a part now, or in the pause when it is below the fold."""
        if self._place[part] < self._seen:
            self._waiting.pop(part, None)
            self.filled.append(part)
            fill()
            return
        self._waiting[part] = fill
        # Put off by the next edit: nobody looks there, and whoever scrolls there has it filled at once.
        self._pause.start()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Hide:
            self._pause.stop()
        elif event.type() == QEvent.Type.Show:
            self.finish()
        return False

    @property
    def settled(self) -> bool:
        """Nothing waits."""
        return not self._waiting

    def finish(self) -> None:
        """Fill what waits."""
        self._pause.stop()
        waiting, self._waiting = self._waiting, {}
        if not waiting:
            return
        self.filled = list(waiting)
        for fill in waiting.values():
            fill()
        page = self._area.widget()
        if page is not None:
            settle_page(page, self.filled)
