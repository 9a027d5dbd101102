"""The property sheet: every field can be read, changed, left open, and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from configurator.catalogue import load_catalogue
from configurator.desktop.fields import Field, fields_of, parse_number
from configurator.desktop.inspector import Inspector
from configurator.desktop.window import MainWindow
from configurator.operations.rates import tariff
from configurator.plan.edits import add_nic, add_switch, connect, rebuilt
from configurator.plan.index import find
from configurator.plan.model import Frozen, Nic
from configurator.plan.projects import edit_plan
from configurator.wording import Wording
from tests.desktop.windows import no, open_window, server_room, yes

IDS = ("site-1", "server-1", "gpu-1", "slot-4", "link-1", "nic-1", "switch-1")


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    project = edit_plan(
        server_room(cards=3, servers=2), lambda plan: connect(plan, "server-1", "server-2", "eth-25g")[0]
    )
    project = edit_plan(project, lambda plan: add_nic(plan, "server-1", Nic(id="x", name="100 Gbit/s"))[0])
    project = edit_plan(project, lambda plan: add_switch(plan, "site-1", "sw-crs305", "Switch")[0])
    return open_window(qtbot, tmp_path, project)


def sheet(room: MainWindow, key: str) -> Inspector:
    room.document.select((key,))
    room.actions_.run("edit.properties")
    assert yes(room.desk.inspector.isVisible())
    return room.desk.inspector


def node(room: MainWindow, key: str) -> Frozen:
    found = find(room.document.plan, key)
    assert found is not None
    return found.node


def put(inspector: Inspector, field: Field) -> None:
    """Change the field the way a person would."""
    widget = inspector._fields[field.name][1]
    if isinstance(widget, QComboBox):
        index = (widget.currentIndex() + 1) % widget.count()
        widget.setCurrentIndex(index)
        widget.activated.emit(index)
    elif isinstance(widget, QCheckBox):
        widget.toggle()
    elif isinstance(widget, QLineEdit):
        widget.setFocus()
        widget.selectAll()
        QTest.keyClicks(widget, "7" if field.kind == "number" else "New name")
        QTest.keyClick(widget, Qt.Key.Key_Return)


@pytest.mark.parametrize("key", IDS)
def test_every_field_is_one_undo_step(room: MainWindow, key: str) -> None:
    fields = fields_of(node(room, key), load_catalogue(), Wording())
    assert fields
    for field in fields:
        if field.kind == "fact":
            continue
        value = 1.2 if field.name == "pue" else None
        before, old = room.document.project, field.value(node(room, key))
        inspector = sheet(room, key)
        if value is not None:
            widget = inspector._fields[field.name][1]
            assert isinstance(widget, QLineEdit)
            QTest.keyClicks(widget, str(value))
            QTest.keyClick(widget, Qt.Key.Key_Return)
        else:
            put(inspector, field)
        assert field.value(node(room, key)) != old, field.name
        assert room.document.stack.count() == 1, field.name
        assert field.label in room.document.stack.undoText()
        room.document.stack.undo()
        assert room.document.project is before
        room.document.stack.clear()


def test_an_emptied_number_means_not_known(room: MainWindow) -> None:
    inspector = sheet(room, "site-1")
    line = inspector._fields["power_limit_w"][1]
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "11")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert node(room, "site-1").model_dump()["power_limit_w"] == 11_000.0
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert room.document.plan.sites[0].power_limit_w is None
    assert line.placeholderText()


@pytest.mark.parametrize("text", ["eleven", "-3", "999999999999", "0"])
def test_bad_input_stays_typed_and_says_what_is_wrong(room: MainWindow, text: str) -> None:
    inspector = sheet(room, "site-1")
    before = room.document.project
    line = inspector._fields["power_limit_w"][1]
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert room.document.project is before
    assert line.text() == text
    assert line.property("wrong") is True
    assert line.toolTip()
    assert line.toolTip() in inspector._note.text(), "the reason stands in the sheet"
    line.clear()
    line.setModified(True)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert line.property("wrong") is False
    assert "Leave a field empty" in inspector._note.text()


def test_several_of_a_kind_change_in_one_step(room: MainWindow) -> None:
    room.document.select(("gpu-1", "gpu-2", "gpu-3"))
    room.actions_.run("edit.properties")
    inspector = room.desk.inspector
    line = inspector._fields["power_limit_w"][1]
    assert isinstance(line, QLineEdit)
    QTest.keyClicks(line, "450")
    QTest.keyClick(line, Qt.Key.Key_Return)
    cards = [slot.gpu for slot in room.document.plan.sites[0].servers[0].slots if slot.gpu]
    assert [card.power_limit_w for card in cards] == [450.0] * 3
    assert room.document.stack.count() == 1


def test_the_sheet_follows_the_selection_and_escape_closes_it(room: MainWindow) -> None:
    inspector = sheet(room, "site-1")
    assert inspector.title.text() == "Room"
    room.document.select(("server-2",))
    assert inspector.title.text() == "node-2"
    room.document.select(())
    assert no(inspector.isVisible())
    room.document.select(("server-2",))
    assert yes(inspector.isVisible())
    QTest.keyClick(inspector, Qt.Key.Key_Escape)
    assert no(inspector.isVisible())


def test_topology_can_be_said_to_be_unknown(room: MainWindow) -> None:
    inspector = sheet(room, "server-1")
    put(inspector, inspector._fields["topology_known"][0])
    assert room.document.plan.sites[0].servers[0].topology_known is False


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [("", ".", None), ("12", ".", 12.0), ("1 250,5", ",", 1250.5), ("0.19", ".", 0.19), ("3,68", ".", 3.68)],
)
def test_numbers_as_people_type_them(text: str, decimal: str, value: float | None) -> None:
    assert parse_number(text, decimal) == value


@pytest.mark.parametrize("kind", ["home", "office"])
def test_the_assumed_tariff_is_the_one_the_cost_reckons_with(kind: str) -> None:
    catalogue, wording = load_catalogue(), Wording()
    site = rebuilt(server_room().plans[0].sites[0], kind=kind, tariff_per_kwh=None)
    field = next(each for each in fields_of(site, catalogue, wording) if each.name == "tariff_per_kwh")
    used = tariff(site, catalogue, 20_000.0, 1.0).value
    assert wording.estimate(used.scaled(1.0, "")) in field.empty
