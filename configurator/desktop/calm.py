"""Keeps an edit smooth: sizes settle before the one painting, and Python tidies its memory while nobody waits."""

from __future__ import annotations

import gc
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QGraphicsScene, QWidget

from configurator.desktop.document import Document

PAUSE_MS = 400
"""Nothing was edited for so long: the person thinks."""
ROUND_MS = 5000
"""Background work leaves something to tidy, too."""
ROUNDS = 8
"""A size travels outwards by one box per round; deeper changes take the next turn of the event loop."""


def settle_sizes(widget: QWidget) -> None:
    """Lay out what has changed, inner boxes first, so that each outer box is laid out once and not once per level."""
    for child in widget.children():
        if isinstance(child, QWidget) and not child.isHidden():
            settle_sizes(child)
    layout = widget.layout()
    if layout is not None:
        layout.activate()


def settle_page(page: QWidget, changed: Iterable[QWidget] | None = None) -> None:
    """Sizes of a scrolled page and of its parts; ``changed``: only these parts have something new."""
    layout, around = page.layout(), page.parentWidget()
    if layout is None or around is None or not page.isVisible():
        return
    parts = page.children() if changed is None else changed
    for part in parts:
        if isinstance(part, QWidget) and not part.isHidden():
            settle_sizes(part)
    # Given its height first, a page places its parts once, not for the old height and then for the new one.
    page.resize(page.width(), max(layout.heightForWidth(page.width()), around.height()))
    layout.activate()


def settle(page: QWidget, scene: QGraphicsScene, changed: Iterable[QWidget] | None = None) -> None:
    """After an edit and its answer: all sizes, then the painting.

    A scene paints its whole window as soon as its turn comes, with whatever sizes there are then; without this, the
    window is painted once with the old sizes and once with the new ones.
    """
    settle_page(page, changed)
    for _round in range(ROUNDS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    QCoreApplication.sendPostedEvents(scene, QEvent.Type.MetaCall)


class Tidy(QObject):
    """Collects garbage in pauses instead of in the middle of an edit, and never in a thread of the background."""

    def __init__(self, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.collect)
        self._round = QTimer(self)
        self._round.setInterval(ROUND_MS)
        self._round.timeout.connect(self.collect)
        self._round.start()
        document.changed.connect(lambda _old, _new: self._pause.start())

    def collect(self) -> None:
        """As much as Python itself would have done by now."""
        for generation, (count, limit) in reversed(
            list(enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)))
        ):
            if count > limit:
                gc.collect(generation)
                return
