"""A person at the window: drags with the mouse, types, reads what stands on the screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from configurator.desktop.window import MainWindow
from tests.desktop.windows import at, at_header, drag_card, open_window

ROOT = Path(__file__).resolve().parents[2]
NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


class Person:
    """Hands and eyes."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.window: MainWindow = open_window(qtbot, folder, engines=True, deep=True)
        qtbot.waitExposed(self.window)
        self.window.activateWindow()

    # -- hands

    def click(self, widget: QWidget, point: QPoint | None = None) -> None:
        QTest.mouseClick(widget, LEFT, NONE, point or widget.rect().center())

    def drag(self, record: str, end: QPoint, *, let_go: bool = True) -> None:
        """Pull a card of the catalogue to a point of the canvas."""
        drag_card(self.window, record, end, let_go=let_go)

    def let_go(self, end: QPoint) -> None:
        source = self.window.catalogue.list.viewport()
        QTest.mouseRelease(source, LEFT, NONE, source.mapFromGlobal(self.window.canvas.viewport().mapToGlobal(end)))

    def choose_model(self, words: str) -> None:
        """Through the button and the search of the model picker."""
        panel = self.window.workload
        button = panel.model if panel.model.isVisible() else panel.starter
        self.click(button)
        card = button.card
        self.qtbot.waitUntil(card.isVisible)
        QTest.keyClicks(card.search, words)
        QTest.keyClick(card.search, Qt.Key.Key_Return)

    def type_into(self, field: QWidget, text: str) -> None:
        assert isinstance(field, QLineEdit)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.window, key, modifiers)
        self.settle()

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: self.window.document.settled, timeout=20_000)
        # What is below the fold follows in a pause; a person's eyes need longer to get there.
        self.qtbot.waitUntil(lambda: self.window.verdict.below.settled, timeout=5_000)
        self.qtbot.wait(30)

    def spot(self, object_id: str) -> QPoint:
        return at(self.window, object_id)

    def header(self, object_id: str) -> QPoint:
        return at_header(self.window, object_id)

    # -- eyes

    def read(self, place: QWidget | None = None) -> str:
        """Every text that can be seen in a part of the window."""
        labels = (place or self.window).findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def verdict(self) -> str:
        """The headline of the answer."""
        return self.window.verdict.card.headline.text()


def assess_json(path: Path) -> dict[str, Any]:
    """What the command line says about a file."""
    command = [sys.executable, "-m", "configurator", "assess", str(path), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def pdf_text(path: Path) -> str:
    """All words of a PDF, spaces made equal."""
    document = pypdfium2.PdfDocument(str(path))
    pages = [page.get_textpage().get_text_range() for page in document]
    document.close()
    return " ".join(" ".join(pages).split())


def wait_for(qtbot: QtBot, done: Callable[[], bool]) -> None:
    qtbot.waitUntil(done, timeout=30_000)
