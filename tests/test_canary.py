"""Traps of the libraries below us that would end the program without a word."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot


def _count_of_none() -> int:
    return sys.getrefcount(None)


def test_calls_that_return_nothing_keep_none_alive(qtbot: QtBot) -> None:
    """PySide6 6.12 on Python 3.11 takes one reference from None at each void call; about 5,000 end the interpreter.

    From Python 3.12 on None is immortal and its count never moves.
    """
    widget = QWidget()
    qtbot.addWidget(widget)
    before = _count_of_none()
    for number in range(1000):
        widget.setObjectName(str(number))
    assert _count_of_none() > before - 200


def test_an_object_that_qt_deleted_is_seen(qtbot: QtBot) -> None:
    from shiboken6 import delete, isValid

    thing = QObject()
    delete(thing)
    assert not isValid(thing)
