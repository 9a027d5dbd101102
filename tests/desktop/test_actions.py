"""The list of actions: complete, named, reachable, and undoable where it changes the plan."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QMenu, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from configurator.desktop import dialogs
from configurator.desktop.canvas.scene import Hit, HitKind
from configurator.desktop.commands import ACTIONS, CONTEXT_MENUS, MENUS
from configurator.desktop.commands.edit import copy
from configurator.desktop.window import MainWindow
from configurator.plan.index import plan_problems
from configurator.plan.templates import PRO_6000, TEMPLATES
from tests.desktop.windows import open_window, server_room

CHANGING = sorted(action.id for action in ACTIONS if action.changes_plan)
REACHED_ELSEWHERE = {"@recent", "@theme", "@language", "@wording", "@kind", "@lines", "-"}


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(dialogs, "text", lambda *_: "Another name")
    return open_window(qtbot, tmp_path, server_room(cards=3, servers=2))


@pytest.mark.parametrize("action_id", CHANGING)
def test_every_act_on_the_plan_is_one_undo_step(room: MainWindow, action_id: str) -> None:
    if action_id == "plan.delete":
        room.actions_.run("plan.copy")
    room.catalogue.choose(PRO_6000)
    room.document.select(("gpu-1",))
    copy(room.desk)
    room.document.select(("server-1",) if action_id == "plan.fill" else ("gpu-1",))
    if action_id in ("edit.fail_line", "edit.work_line"):
        room.document.select((room.document.plan.sites[0].id,))
    if action_id.startswith("edit.work"):
        room.actions_.run(action_id.replace("work", "fail"))
    before, steps = room.document.project, room.document.stack.count()
    room.actions_.run(action_id)
    after = room.document.project
    assert after is not before, action_id
    assert room.document.stack.count() == steps + 1
    assert room.document.stack.undoText()
    assert all(not plan_problems(plan) for plan in after.plans)
    room.document.stack.undo()
    assert room.document.project is before
    room.document.stack.redo()
    assert room.document.project is after


def test_every_action_is_found_in_a_menu_or_the_palette() -> None:
    in_menus = {entry for _, entries in MENUS for entry in entries} | {
        entry for entries in CONTEXT_MENUS.values() for entry in entries
    }
    known = {action.id for action in ACTIONS}
    assert in_menus - known <= REACHED_ELSEWHERE
    for action in ACTIONS:
        assert action.palette or action.id in in_menus, action.id
        assert action.text.strip()


def test_no_two_actions_share_a_shortcut() -> None:
    taken: dict[str, str] = {}
    for action in ACTIONS:
        for keys in action.shortcut:
            assert not QKeySequence(keys).isEmpty(), keys
            text = QKeySequence(keys).toString()
            assert text not in taken, f"{action.id} and {taken.get(text)}: {text}"
            taken[text] = action.id


def test_menus_are_made_from_the_list_and_lines_never_stand_alone(room: MainWindow) -> None:
    bar = room.menuBar()
    titles = [action.text().replace("&", "") for action in bar.actions()]
    assert titles == ["File", "Edit", "Plan", "View", "Help"]
    for head in bar.actions():
        menu = head.menu()
        assert isinstance(menu, QMenu)
        shown = menu.actions()
        assert shown
        assert not shown[0].isSeparator()
        assert not shown[-1].isSeparator()
        assert all(not (a.isSeparator() and b.isSeparator()) for a, b in pairwise(shown))


@pytest.mark.parametrize("kind", sorted(CONTEXT_MENUS))
def test_every_kind_of_object_has_a_menu(room: MainWindow, kind: HitKind) -> None:
    keys = {"site": "site-1", "server": "server-1", "gpu": "gpu-1"}
    room.document.select((keys[kind],) if kind in keys else ())
    menu = room.menus.context(Hit(kind, keys.get(kind, "")))
    assert [action.text() for action in menu.actions() if not action.isSeparator()]
    menu.deleteLater()


def test_tooltips_name_the_shortcut(room: MainWindow) -> None:
    room.actions_.refresh()
    assert "Ctrl+S" in room.actions_.get("file.save").toolTip()
    for action in ACTIONS:
        assert room.actions_.get(action.id).toolTip()


def test_the_undo_entry_says_what_it_undoes(room: MainWindow) -> None:
    room.document.select(("gpu-1",))
    room.actions_.run("edit.delete")
    room.actions_.refresh()
    assert "Delete" in room.actions_.get("edit.undo").text()


def _interactive(window: QWidget) -> list[QWidget]:
    kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView, QTabBar)
    found = [widget for kind in kinds for widget in window.findChildren(kind)]
    own = [each for each in found if each.objectName() not in INNER and not each.objectName().startswith("qt_")]
    return [each for each in own if each.isVisible()]


INNER = {"ScrollLeftButton", "ScrollRightButton", "_q_qlineeditclearbutton"}


@pytest.mark.parametrize("place", ["start", "work"])
def test_every_control_has_an_accessible_name(qtbot: QtBot, tmp_path: Path, place: str) -> None:
    window = open_window(qtbot, tmp_path)
    if place == "work":
        window.open_example(TEMPLATES[0].id)
        window.document.select(("server-1",))
        window.actions_.run("edit.properties")
        qtbot.wait(30)
    nameless = []
    for widget in _interactive(window):
        if not QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name):
            parent = widget.parentWidget()
            nameless.append(f"{type(widget).__name__} in {type(parent).__name__} {widget.objectName()}")
    assert not nameless
