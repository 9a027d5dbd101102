"""One background thread at most, and only the newest request counts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

log = logging.getLogger(__name__)

Job = Callable[[], Any]
Deliver = Callable[[Any], None]


class LatestWins(QObject):
    """Runs jobs one after another off the main thread; a newer request replaces the one that waits.

    A result is delivered in the main thread, and only when nothing newer was asked meanwhile. Jobs must touch
    frozen values only.
    """

    _done = Signal(int, object, object)
    idle_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._ticket = 0
        self._running: tuple[int, Deliver, Deliver] | None = None
        self._waiting: tuple[int, Job, Deliver, Deliver] | None = None
        self._done.connect(self._finished, Qt.ConnectionType.QueuedConnection)

    @property
    def idle(self) -> bool:
        return self._running is None

    def submit(self, job: Job, deliver: Deliver, fail: Deliver) -> None:
        """Ask for ``job()``; ``deliver`` gets its result, ``fail`` its exception."""
        self._ticket += 1
        self._waiting = (self._ticket, job, deliver, fail)
        if self._running is None:
            self._start()

    def cancel(self) -> None:
        """Forget what waits and whatever is still being computed."""
        self._ticket += 1
        self._waiting = None

    def close(self) -> None:
        """Wait for the running job and deliver nothing more."""
        self.cancel()
        self._pool.clear()
        self._pool.waitForDone()

    def _start(self) -> None:
        if self._waiting is None:
            return
        ticket, job, deliver, fail = self._waiting
        self._waiting = None
        self._running = (ticket, deliver, fail)
        done = self._done

        def run() -> None:
            try:
                result, error = job(), None
            except Exception as problem:
                log.exception("background job failed")
                result, error = None, problem
            done.emit(ticket, result, error)

        self._pool.start(run)
        self.idle_changed.emit(False)

    def _finished(self, ticket: int, result: object, error: Exception | None) -> None:
        running, self._running = self._running, None
        if running is not None and running[0] == ticket == self._ticket:
            _, deliver, fail = running
            if error is not None:
                fail(error)
            else:
                deliver(result)
        self._start()
        if self._running is None:
            self.idle_changed.emit(True)
