"""The plan as a list of words: the same objects, the same selection, the same edits as on the canvas."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.desktop.outline import KEY, Outline
from configurator.desktop.window import MainWindow
from configurator.plan.index import walk
from configurator.plan.model import PcieSwitch, Slot, Workload
from configurator.plan.templates import PRO_6000
from tests.desktop.windows import card_ids, open_window, server_room


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    window = open_window(qtbot, tmp_path, server_room(cards=3, servers=2))
    window.canvas.clicks.connect("server-1", "server-2", "eth-25g")
    window.actions_.run("view.outline")
    return window


def keys(outline: Outline) -> list[str]:
    items = outline.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
    return [str(item.data(0, KEY)) for item in items]


def test_everything_on_the_canvas_is_in_the_list(room: MainWindow) -> None:
    full = {found.slot.id for found in walk(room.document.plan) if found.slot is not None and found.slot.gpu}
    expected = {
        found.node.id
        for found in walk(room.document.plan)
        if not isinstance(found.node, PcieSwitch | Workload)
        and not (isinstance(found.node, Slot) and found.node.id in full)
    }
    assert set(keys(room.outline)) == expected


def test_the_list_follows_edits_and_keeps_what_is_folded(room: MainWindow) -> None:
    outline = room.outline
    outline._items["server-2"].setExpanded(False)
    room.document.select(("gpu-1",))
    room.actions_.run("edit.delete")
    assert "gpu-1" not in keys(outline)
    assert not outline._items["server-2"].isExpanded()
    room.document.stack.undo()
    assert "gpu-1" in keys(outline)


def test_selection_goes_both_ways(room: MainWindow) -> None:
    room.document.select(("gpu-2", "gpu-3"))
    assert set(room.outline._keys(room.outline.selectedItems())) == {"gpu-2", "gpu-3"}
    room.outline.clearSelection()
    room.outline._items["server-2"].setSelected(True)
    assert list(room.document.selection) == ["server-2"]


def test_keys_add_delete_and_rename(room: MainWindow) -> None:
    outline = room.outline
    room.catalogue.choose(PRO_6000)
    room.document.select(("server-2",))
    outline.setFocus()
    QTest.keyClick(outline, Qt.Key.Key_Return)
    assert len(card_ids(room)) == 4
    room.document.select(("gpu-1",))
    QApplication.processEvents()
    QTest.keyClick(outline, Qt.Key.Key_Delete)
    assert "gpu-1" not in card_ids(room)
    assert outline.rename("server-1")
    outline._items["server-1"].setText(0, "big box")
    assert room.document.plan.sites[0].servers[0].name == "big box"
    outline._items["server-1"].setText(0, "  ")
    assert outline._items["server-1"].text(0) == "big box"


def test_every_line_has_a_menu_of_its_kind(room: MainWindow) -> None:
    kinds = {key: room.outline.hit_of(key).kind for key in keys(room.outline)}
    assert kinds["site-1"] == "site"
    assert kinds["server-1"] == "server"
    assert kinds["gpu-1"] == "gpu"
    assert kinds["slot-4"] == "slot"
    assert kinds["link-1"] == "link"


def test_back_to_the_drawing(room: MainWindow) -> None:
    room.actions_.run("view.outline")
    assert room.canvas.isVisible()
    assert room.outline.isHidden()
