"""The window: files, unsaved work, plans, panels, presenting, words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from configurator.desktop import dialogs
from configurator.desktop.commands.file import open_file
from configurator.desktop.palette import CommandPalette
from configurator.desktop.window import MainWindow
from configurator.plan import store
from configurator.plan.edits import add_site
from configurator.plan.projects import new_project
from configurator.plan.templates import TEMPLATES
from tests.desktop import looks
from tests.desktop.windows import no, open_window, server_room, yes


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path)


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path, server_room(cards=3, servers=2))


def answer(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> list[Any]:
    asked: list[Any] = []

    def say(*arguments: Any) -> object:
        asked.append(arguments)
        return value

    monkeypatch.setattr(dialogs, name, say)
    return asked


def change(window: MainWindow) -> None:
    window.document.edit("Add site", lambda plan: add_site(plan, "home", "Home")[0])


def test_the_start_page_offers_examples_with_pictures(window: MainWindow) -> None:
    assert no(window.at_work)
    cards = window.start.examples
    assert set(cards) == {template.id for template in TEMPLATES}
    assert len(cards) >= 4
    for card in cards.values():
        assert card.isVisible()
        assert card.picture.plan is not None
        assert card.title.text()
        assert card.line.text()


@pytest.mark.parametrize("template", [template.id for template in TEMPLATES])
def test_an_example_opens_by_click_and_by_key(window: MainWindow, template: str) -> None:
    QTest.mouseClick(window.start.examples[template], Qt.MouseButton.LeftButton)
    assert yes(window.at_work)
    assert window.document.plan.sites
    assert yes(window.document.clean)
    window.actions_.run("file.examples")
    assert no(window.at_work)
    QTest.keyClick(window.start.examples[template], Qt.Key.Key_Return)
    assert yes(window.at_work)


def test_save_marks_the_title_and_remembers_the_file(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "office.gpuplan"
    answer(monkeypatch, "save_path", path)
    window.actions_.run("file.new")
    change(window)
    assert yes(window.isWindowModified())
    assert "changed" in window._file.text()
    window.actions_.run("file.save")
    assert store.load(path) == window.document.project
    assert no(window.isWindowModified())
    assert "office.gpuplan" in window.windowTitle()
    assert "saved" in window._file.text()
    assert window.desk.settings.values.recent_files == (str(path),)


@pytest.mark.parametrize(("reply", "left"), [("cancel", False), ("discard", True), ("save", True)])
def test_leaving_unsaved_work_asks(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: str, left: bool
) -> None:
    path = tmp_path / "kept.gpuplan"
    asked = answer(monkeypatch, "save_changes", reply)
    answer(monkeypatch, "save_path", path)
    window.actions_.run("file.new")
    change(window)
    assert window.close() is left
    assert len(asked) == 1
    assert path.exists() is (reply == "save")
    window.document.stack.setClean()


@pytest.mark.parametrize("reply", ["overwrite", "copy", "cancel"])
def test_a_file_changed_by_somebody_else_is_not_lost_silently(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    path, copy = tmp_path / "shared.gpuplan", tmp_path / "mine.gpuplan"
    store.save(server_room(), path)
    asked = answer(monkeypatch, "changed_outside", reply)
    where = answer(monkeypatch, "save_path", copy)
    assert window.document.open(path)
    window.show_work()
    change(window)
    window.actions_.run("file.save")
    assert not asked, "nobody else wrote it"
    theirs = new_project("theirs")
    store.save(theirs, path)
    change(window)
    window.actions_.run("file.save")
    assert len(asked) == 1
    assert (store.load(path) == theirs) is (reply != "overwrite")
    assert copy.exists() is (reply == "copy")
    assert len(where) == (reply == "copy")
    assert window.document.clean is (reply != "cancel")
    window.document.stack.setClean()


def test_nothing_is_asked_when_nothing_changed(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(monkeypatch, "save_changes", "cancel")
    window.open_example("one-node")
    assert window.close()
    assert not asked


def test_a_plan_file_dropped_on_the_window_opens(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "dropped.gpuplan"
    store.save(server_room(2), path)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    at = QPointF(300, 300)
    enter = QDragEnterEvent(at.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(at, Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, drop)
    assert yes(window.at_work)
    assert window.document.path == path


def test_something_else_dropped_is_not_taken(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("hello")
    enter = QDragEnterEvent(
        QPointF(300, 300).toPoint(),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


def test_a_broken_file_tells_what_is_wrong_and_a_missing_one_leaves_the_list(
    window: MainWindow, tmp_path: Path
) -> None:
    from configurator.desktop.commands.file import open_file

    broken = tmp_path / "broken.gpuplan"
    broken.write_text('{"kind": "gpuplan", "format": 1}', encoding="utf-8")
    assert not open_file(window.desk, broken)
    assert yes(window._start_toasts.isVisible())
    assert window._start_toasts.words.text()
    gone = tmp_path / "gone.gpuplan"
    window.desk.settings.add_recent(gone)
    assert not open_file(window.desk, gone)
    assert window.desk.settings.values.recent_files == ()


def test_plans_are_tabs_that_can_be_added_renamed_and_deleted(
    room: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    tabs = room.toolbar.tabs
    room.actions_.run("plan.copy")
    assert tabs.bar.count() == 2
    assert tabs.bar.currentIndex() == 1
    answer(monkeypatch, "text", "Bigger")
    room.actions_.run("plan.rename")
    assert tabs.bar.tabText(1) == "Bigger"
    tabs.bar.setCurrentIndex(0)
    assert room.document.plan.id == "plan-1"
    tabs.bar.setCurrentIndex(1)
    room.actions_.run("plan.delete")
    assert tabs.bar.count() == 1
    room.desk.toasts.button.click()
    assert tabs.bar.tabText(1) == "Bigger"


def test_the_answer_becomes_a_drawer_in_a_narrow_window(room: MainWindow, qtbot: QtBot) -> None:
    assert yes(room.right_open)
    assert no(room.workspace.is_drawer)
    room.resize(1000, 700)
    qtbot.wait(20)
    assert yes(room.workspace.is_drawer)
    assert no(room.right_open)
    assert yes(room.toolbar.answer.isVisible())
    room.toolbar.answer.click()
    assert yes(room.right_open)
    assert room.right.geometry().right() == room.workspace.rect().right()
    QTest.mouseClick(room.workspace._shade, Qt.MouseButton.LeftButton)
    assert no(room.right_open)
    room.resize(1400, 800)
    qtbot.wait(20)
    assert yes(room.right_open)
    assert no(room.workspace.is_drawer)


def test_sides_fold_away_and_come_back(room: MainWindow) -> None:
    room.actions_.run("view.catalogue")
    assert no(room.left_open)
    room.actions_.run("view.catalogue")
    assert yes(room.left_open)
    room.actions_.run("view.answer")
    assert no(room.right_open)


def test_presenting_hides_the_editors_and_comes_back(room: MainWindow) -> None:
    room.actions_.run("view.present")
    assert no(room.left_open)
    assert no(room.workload.isVisible())
    assert yes(room.right_open)
    assert room.windowState() & Qt.WindowState.WindowFullScreen
    room.actions_.run("view.present")
    assert yes(room.left_open)
    assert yes(room.workload.isVisible())
    assert room.menuBar().isVisible()


def test_the_palette_runs_commands_and_adds_things(room: MainWindow) -> None:
    palette = CommandPalette(room.desk, room.actions_)
    palette.show()
    QTest.keyClicks(palette.field, "dark")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert room.desk.settings.values.theme == "dark"
    room.actions_.run("view.theme_light")
    room.document.select(("server-2",))
    palette = CommandPalette(room.desk, room.actions_)
    palette.show()
    QTest.keyClicks(palette.field, "pro 6000 server")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert sum(slot.gpu is not None for slot in room.document.plan.sites[0].servers[1].slots) == 1


def test_help_lists_every_shortcut_and_every_word(room: MainWindow) -> None:
    from PySide6.QtWidgets import QLabel

    from configurator.desktop.help import About, ShortcutList, TermList

    shortcuts = ShortcutList(room, room.document, room.actions_)
    said = {label.text() for label in shortcuts.findChildren(QLabel)}
    assert {"Undo", "Find a command", "Properties"} <= said
    terms = TermList(room, room.document)
    assert len(terms._entries) > 40
    terms.search.setText("kv cache")
    assert 0 < sum(not entry.isHidden() for _, entry in terms._entries) < 20
    about = About(room, room.document)
    for dialog in (shortcuts, terms, about):
        dialog.deleteLater()


def test_wording_switches_at_once(room: MainWindow) -> None:
    room.actions_.run("view.wording_operator")
    assert room.document.wording.audience == "operator"
    assert room.desk.settings.values.audience == "operator"


def test_the_window_remembers_its_sides(qtbot: QtBot, tmp_path: Path) -> None:
    first = open_window(qtbot, tmp_path, server_room())
    first.actions_.run("view.catalogue")
    first.close()
    second = open_window(qtbot, tmp_path, new_project())
    assert no(second.left_open)


def test_a_refused_command_says_why(room: MainWindow) -> None:
    room.catalogue.list.clearSelection()
    room.catalogue.list.setCurrentIndex(room.catalogue.model.index(-1))
    room.actions_.run("plan.add_current")
    assert yes(room.desk.toasts.isVisible())
    assert room.desk.toasts.words.text()


def test_a_whole_plan_by_keyboard_alone(window: MainWindow, qtbot: QtBot) -> None:
    def here() -> QWidget:
        return QApplication.focusWidget() or window

    def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QApplication.processEvents()
        QTest.keyClick(here(), key, modifiers)
        QApplication.processEvents()

    control = Qt.KeyboardModifier.ControlModifier
    window.activateWindow()
    press(Qt.Key.Key_N, control)
    palette = CommandPalette(window.desk, window.actions_)
    palette.show()
    QTest.keyClicks(palette.field, "add server room")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert [site.kind for site in window.document.plan.sites] == ["server_room"]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for words in ("eight-gpu server", "pro 6000 server"):
        press(Qt.Key.Key_F, control)
        assert QApplication.focusWidget() is window.catalogue.search
        QTest.keyClicks(here(), words)
        press(Qt.Key.Key_Return)
    servers = window.document.plan.sites[0].servers
    assert len(servers) == 1
    assert sum(slot.gpu is not None for slot in servers[0].slots) == 1
    press(Qt.Key.Key_F6)
    assert QApplication.focusWidget() is window.canvas
    press(Qt.Key.Key_F, control | Qt.KeyboardModifier.ShiftModifier)
    assert all(slot.gpu is not None for slot in window.document.plan.sites[0].servers[0].slots)
    press(Qt.Key.Key_Delete)
    press(Qt.Key.Key_Z, control)
    assert window.document.stack.count() == 5


def test_delete_in_a_field_of_the_sheet_deletes_no_hardware(room: MainWindow) -> None:
    room.document.select(("server-1",))
    room.actions_.run("edit.properties")
    for widget in room.desk.inspector.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible():
            widget.setFocus()
            QTest.keyClick(widget, Qt.Key.Key_Delete)
    assert room.canvas.plan_scene.exists("server-1")


def test_a_card_the_catalogue_lacks_is_named_when_the_file_opens(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "odd.gpuplan"
    text = store.to_bytes(server_room(cards=2)).decode()
    path.write_text(text.replace('"gpu": "nvidia-', '"gpu": "tomorrow-'), "utf-8")
    assert open_file(window.desk, path)
    assert "tomorrow-" in window.desk.toasts.words.text()
    assert "Did you mean" in window.desk.toasts.words.text()


def test_unfolded_fields_get_most_of_the_right_side(window: MainWindow) -> None:
    window.open_example("one-node")
    window.resize(1280, 800)
    looks.settle()
    folded = window.workload.height()
    window.workload.more.unfold()
    looks.settle()
    assert window.workload.height() > folded + 120
    assert window.verdict.height() >= 150
