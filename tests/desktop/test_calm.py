"""One painting per edit, and no garbage collection in the middle of one."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from configurator.desktop.calm import Tidy
from configurator.desktop.window import MainWindow
from configurator.plan import edits
from tests.desktop.windows import document, open_window, server_room


class Paints(QObject):
    """Counts the paintings of some widgets."""

    def __init__(self, *watched: QWidget) -> None:
        super().__init__()
        self.counts = dict.fromkeys(watched, 0)
        for each in watched:
            each.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.counts[watched] += 1
        return False


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    made = open_window(qtbot, tmp_path, server_room(cards=3, servers=2))
    made.document.assess_now()
    qtbot.wait(50)
    return made


def test_one_edit_is_painted_once(window: MainWindow) -> None:
    watched = (window.canvas.viewport(), window.verdict.page, window.verdict.card, window.status)
    counts = []
    for card in ("gpu-1", "gpu-2"):
        paints = Paints(*watched)
        window.document.edit("remove", partial(edits.remove, object_ids=[card]))
        for _ in range(4):
            QApplication.processEvents()
        counts = list(paints.counts.values())
    assert counts[:3] == [1, 1, 1]
    assert counts[3] <= 1, "the status bar may have nothing new to say"


@pytest.fixture
def collecting() -> Iterator[None]:
    yield
    gc.enable()


@pytest.mark.usefixtures("collecting")
def test_garbage_waits_for_a_pause(qtbot: QtBot) -> None:
    doc = document()
    parent = QObject()
    tidy = Tidy(doc, parent)
    assert not gc.isenabled()
    gc.collect()
    for _ in range(gc.get_threshold()[0] + 500):
        loop: list[object] = []
        loop.append(loop)
    before = gc.get_count()[0]
    doc.edit("site", lambda plan: edits.add_site(plan, "home", "Home")[0])
    assert gc.get_count()[0] >= before, "not during the edit"
    qtbot.waitUntil(lambda: gc.get_count()[0] < before, timeout=3000)
    assert tidy.parent() is parent
