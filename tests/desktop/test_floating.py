"""What floats over the window: the line of the selection, messages, the sheet, the drawer; Escape puts them away."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from configurator.desktop.languages import languages
from configurator.desktop.window import MainWindow
from tests.desktop import looks
from tests.desktop.windows import no, open_window, server_room, yes


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path, server_room(cards=3, servers=2))


def test_a_selected_object_says_what_it_is_with_its_properties_one_click_away(room: MainWindow) -> None:
    bar, document = room.selection_bar, room.document
    document.select(())
    assert no(bar.isVisible())
    document.select(("gpu-1",))
    assert yes(bar.isVisible())
    assert "PRO 6000" in bar.title.text() and "GB" in bar.accessibleName()
    document.select(("gpu-1", "gpu-2"))
    assert bar.title.text().replace("\u00a0", " ") == "2 objects"
    bar.button.click()
    assert yes(room.desk.inspector.isVisible())
    assert no(bar.isVisible()), "the sheet says it all"
    room.desk.inspector.shut()
    assert yes(bar.isVisible())


def test_a_message_covers_neither_the_line_of_the_selection_nor_that_of_hints(room: MainWindow) -> None:
    room.document.select(("gpu-1",))
    room.desk.toasts.say("Saved")
    assert not room.desk.toasts.geometry().intersects(room.selection_bar.geometry())
    room.desk.toasts.say("A message that is rather long and would lie across everything that stands here, " * 2)
    assert not room.desk.toasts.geometry().intersects(room.selection_bar.geometry())
    room.document.select(())
    assert room.canvas.hint_covered()
    room.desk.toasts.hide()
    assert not room.canvas.hint_covered()


@pytest.mark.parametrize("place", ["canvas", "search", "verdict"])
def test_escape_closes_the_sheet_wherever_the_keyboard_is(room: MainWindow, place: str) -> None:
    room.document.select(("gpu-1",))
    room.actions_.run("edit.properties")
    widget = {"canvas": room.canvas, "search": room.catalogue.search, "verdict": room.verdict}[place]
    widget.setFocus()
    QTest.keyClick(widget, Qt.Key.Key_Escape)
    assert no(room.desk.inspector.isVisible())
    assert list(room.document.selection) == ["gpu-1"]
    QTest.keyClick(room.canvas, Qt.Key.Key_Escape)
    assert not room.document.selection


def test_escape_ends_the_presentation(room: MainWindow) -> None:
    room.toggle_presentation()
    assert yes(room.presenting)
    QTest.keyClick(room.canvas, Qt.Key.Key_Escape)
    assert no(room.presenting)


def test_the_drawer_is_called_by_what_is_in_it_and_closes_by_escape(room: MainWindow) -> None:
    room.resize(1100, 700)
    looks.settle()
    assert yes(room.toolbar.answer.isVisible())
    assert room.toolbar.answer.text().strip() == "Workload and answer"
    room.toolbar.answer.click()
    assert yes(room.right_open)
    QTest.keyClick(room.canvas, Qt.Key.Key_Escape)
    assert no(room.right_open)


def test_messages_that_stay_wait_for_each_other_and_come_back(room: MainWindow) -> None:
    toasts = room.desk.toasts
    brought: list[int] = []
    toasts.offer("The file is damaged.", "", None, stay=True)
    toasts.offer("Unsaved work was found.", "Bring it back", lambda: brought.append(1), stay=True)
    assert toasts.words.text() == "The file is damaged."
    toasts.say("Saved")
    assert toasts.words.text() == "Saved"
    toasts._timer.timeout.emit()
    assert toasts.words.text() == "The file is damaged."
    toasts._close.click()
    assert toasts.words.text() == "Unsaved work was found." and yes(toasts.isVisible())
    toasts.button.click()
    assert brought == [1] and no(toasts.isVisible())


def test_enter_opens_a_recent_file(room: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "mine.gpuplan"
    room.desk.settings.put(recent_files=[str(path)])
    room.document.stack.setClean()
    room.show_start()
    asked: list[Path] = []
    room.start.file_wanted.disconnect()
    room.start.file_wanted.connect(asked.append)
    button = next(each for each in room.start.findChildren(QPushButton) if "mine" in each.text())
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Return)
    assert asked == [path]


def test_only_languages_with_their_texts_are_offered(room: MainWindow) -> None:
    offered = [code for code, _name in languages()]
    assert offered[0] == "en"
    assert room.status.language.isHidden() == (len(offered) == 1)
    assert [each.text() for each in room.status.language.menu().actions()] == [name for _code, name in languages()]
