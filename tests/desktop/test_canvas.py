"""The canvas under a hand: drags, clicks, keys. Everything ends in one undo step, or in a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.catalogue import load_catalogue
from configurator.desktop.placing import Payload
from configurator.desktop.window import MainWindow
from configurator.plan.edits import add_gpus, add_server, add_site, update
from configurator.plan.model import Plan
from configurator.plan.projects import new_project
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from tests.desktop.windows import (
    LEFT,
    at,
    at_header,
    card_ids,
    drag_card,
    no,
    open_window,
    plan_with,
    pull,
    server_ids,
    server_room,
    yes,
)

NONE = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def empty(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path, new_project())


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path, server_room(cards=3, servers=2))


def click(window: MainWindow, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(window.canvas.viewport(), LEFT, modifiers, point)


def test_a_plan_grows_by_dragging_from_the_list(empty: MainWindow) -> None:
    empty.catalogue.open_shelf("sites")
    drag_card(empty, "server_room", QPoint(120, 120))
    assert [site.kind for site in empty.document.plan.sites] == ["server_room"]
    drag_card(empty, EIGHT_SLOTS, at(empty, "site-1"))
    assert len(server_ids(empty)) == 1
    slot = empty.document.plan.sites[0].servers[0].slots[2]
    drag_card(empty, PRO_6000, at(empty, slot.id))
    assert empty.document.plan.sites[0].servers[0].slots[2].gpu is not None
    assert empty.document.stack.count() == 3
    assert empty.document.selection == ("gpu-1",)


def test_valid_targets_are_lit_from_the_start_of_the_drag(room: MainWindow) -> None:
    drag_card(room, PRO_6000, QPoint(5, 5), let_go=False)
    lit = room.canvas.plan_scene.look.lit
    free = [slot.id for site in room.document.plan.sites for s in site.servers for slot in s.slots if slot.gpu is None]
    assert all(lit[key] == "ok" for key in (*server_ids(room), *free))
    room.drag.cancel()
    assert room.canvas.plan_scene.look.lit == {}


def test_a_refusal_is_told_at_the_hand_before_release_and_changes_nothing(room: MainWindow) -> None:
    before = room.document.project
    drag_card(room, "nvidia-h200-sxm-141gb", at_header(room, "server-2"), let_go=False)
    ghost = room.drag.ghost
    assert ghost.isVisible()
    assert ghost.words
    assert room.canvas.plan_scene.look.lit["server-2"] == "no"
    told: list[str] = []
    room.document.told.connect(told.append)
    room.drag.release(room.canvas.viewport().mapToGlobal(at_header(room, "server-2")))
    assert room.document.project is before
    assert told
    assert not ghost.isVisible()


def test_the_target_catches_a_hand_that_misses_it_a_little(room: MainWindow) -> None:
    rect = room.canvas.plan_scene.rect_of("server-2")
    assert rect is not None
    beside = room.canvas.mapFromScene(rect.bottomRight()) + QPoint(0, 24)
    drag_card(room, PRO_6000, beside)
    assert len(card_ids(room)) == 4
    assert sum(slot.gpu is not None for slot in room.document.plan.sites[0].servers[1].slots) == 1


def test_a_taken_slot_gives_the_next_free_one_of_its_server(room: MainWindow) -> None:
    drag_card(room, PRO_6000, at(room, "gpu-1"))
    assert sum(slot.gpu is not None for slot in room.document.plan.sites[0].servers[0].slots) == 4


def test_escape_puts_it_back(room: MainWindow) -> None:
    before = room.document.project
    drag_card(room, PRO_6000, at_header(room, "server-2"), let_go=False)
    QTest.keyClick(room, Qt.Key.Key_Escape)
    assert not room.drag.active
    QTest.mouseRelease(room.catalogue.list.viewport(), LEFT, NONE, QPoint(400, 200))
    assert room.document.project is before


def test_a_card_moves_to_another_server_and_keeps_its_id(room: MainWindow) -> None:
    slot = room.document.plan.sites[0].servers[1].slots[0]
    view = room.canvas.viewport()
    pull(view, at(room, "gpu-1"), view, at(room, slot.id))
    assert room.document.plan.sites[0].servers[1].slots[0].gpu is not None
    assert sorted(card_ids(room)) == ["gpu-1", "gpu-2", "gpu-3"]
    assert room.document.stack.count() == 1


def test_control_copies_instead(room: MainWindow) -> None:
    slot = room.document.plan.sites[0].servers[1].slots[0]
    view = room.canvas.viewport()
    pull(view, at(room, "gpu-1"), view, at(room, slot.id), copy=True)
    assert len(card_ids(room)) == 4


def test_several_cards_move_in_one_step(room: MainWindow) -> None:
    click(room, at(room, "gpu-1"))
    click(room, at(room, "gpu-3"), SHIFT)
    assert room.document.selection == ("gpu-1", "gpu-2", "gpu-3")
    view = room.canvas.viewport()
    pull(view, at(room, "gpu-2"), view, at_header(room, "server-2"))
    assert sum(slot.gpu is not None for slot in room.document.plan.sites[0].servers[1].slots) == 3
    assert room.document.stack.count() == 1


def test_control_click_adds_and_takes_away(room: MainWindow) -> None:
    click(room, at(room, "gpu-1"))
    click(room, at(room, "gpu-2"), CONTROL)
    assert list(room.document.selection) == ["gpu-1", "gpu-2"]
    click(room, at(room, "gpu-1"), CONTROL)
    assert list(room.document.selection) == ["gpu-2"]


def test_a_rubber_band_catches_what_it_touches(room: MainWindow) -> None:
    rect = room.canvas.plan_scene.rect_of("site-1")
    assert rect is not None
    view = room.canvas.viewport()
    outside = room.canvas.mapFromScene(rect.bottomRight()) + QPoint(40, 60)
    assert room.canvas.hit(outside.toPointF()).kind == ""
    corner = room.canvas.mapFromScene(rect.topLeft()) - QPoint(6, 6)
    pull(view, outside, view, corner)
    assert set(room.document.selection) == {"site-1"}
    click(room, outside)
    assert room.document.selection == ()


def test_sites_move_freely_and_the_place_is_one_undo_step(room: MainWindow) -> None:
    view = room.canvas.viewport()
    start = at_header(room, "site-1")
    first = room.canvas.plan_scene.plan_geometry.sites["site-1"]
    pull(view, start, view, start + QPoint(0, 64))
    moved = room.canvas.plan_scene.plan_geometry.sites["site-1"]
    assert moved.y > first.y
    assert room.document.stack.count() == 1
    room.document.stack.undo()
    assert room.canvas.plan_scene.plan_geometry.sites["site-1"] == first


def test_items_are_kept_and_updated_not_rebuilt(room: MainWindow) -> None:
    scene = room.canvas.plan_scene
    kept = {**scene.servers, **scene.slots, **scene.sites}
    drag_card(room, PRO_6000, at_header(room, "server-2"))
    room.document.stack.undo()
    room.document.stack.redo()
    assert all(item is kept[key] for key, item in {**scene.servers, **scene.slots, **scene.sites}.items())


def test_delete_removes_any_selected_kind_and_offers_undo(room: MainWindow) -> None:
    made = room.canvas.clicks.connect("server-1", "server-2", "eth-25g")
    for key in ("gpu-1", made, "server-2", "site-1"):
        before = room.document.project
        room.document.select((key,))
        room.canvas.setFocus()
        QApplication.processEvents()
        QTest.keyClick(room.canvas, Qt.Key.Key_Delete)
        assert not room.canvas.plan_scene.exists(key)
        assert yes(room.desk.toasts.button.isVisible())
        room.desk.toasts.button.click()
        assert room.document.project is before


def test_rename_in_place(room: MainWindow) -> None:
    room.document.select(("server-1",))
    room.actions_.run("edit.rename")
    editor = room.canvas.editor
    assert yes(editor.isVisible())
    editor.setText("big box")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert room.document.plan.sites[0].servers[0].name == "big box"
    assert room.document.stack.undoText() == "Rename"
    room.actions_.run("edit.rename")
    editor.setText("never mind")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert room.document.plan.sites[0].servers[0].name == "big box"


def test_arrows_walk_over_slots_and_out_to_the_boxes(room: MainWindow) -> None:
    click(room, at(room, "gpu-1"))
    for key, expected in ((Qt.Key.Key_Right, "gpu-2"), (Qt.Key.Key_Right, "gpu-3"), (Qt.Key.Key_Left, "gpu-2")):
        QTest.keyClick(room.canvas, key)
        assert room.document.selection == (expected,)
    QTest.keyClick(room.canvas, Qt.Key.Key_Up, CONTROL)
    assert room.document.selection == ("server-1",)
    QTest.keyClick(room.canvas, Qt.Key.Key_Down)
    assert room.document.selection == ("server-2",)
    QTest.keyClick(room.canvas, Qt.Key.Key_Up, CONTROL)
    assert room.document.selection == ("site-1",)


def test_enter_adds_what_is_chosen_in_the_list(room: MainWindow) -> None:
    room.catalogue.choose(PRO_6000)
    slot = room.document.plan.sites[0].servers[1].slots[4]
    room.document.select((slot.id,))
    QTest.keyClick(room.canvas, Qt.Key.Key_Return)
    assert room.document.plan.sites[0].servers[1].slots[4].gpu is not None


def test_choose_in_the_list_then_click_the_slot(room: MainWindow) -> None:
    list_ = room.catalogue.list
    room.catalogue.choose(PRO_6000)
    QTest.mouseClick(list_.viewport(), LEFT, NONE, list_.visualRect(list_.currentIndex()).center())
    for number in (3, 5):
        slot = room.document.plan.sites[0].servers[1].slots[number]
        QTest.mouseMove(room.canvas.viewport(), at(room, slot.id))
        click(room, at(room, slot.id))
        assert room.document.plan.sites[0].servers[1].slots[number].gpu is not None
    QTest.keyClick(room.canvas, Qt.Key.Key_Escape)
    assert not room.canvas.clicks.active
    assert no(room.drag.ghost.isVisible())


def test_a_link_is_drawn_from_port_to_box_and_says_why_not(room: MainWindow) -> None:
    view = room.canvas.viewport()
    QTest.mouseMove(view, at_header(room, "server-1"))
    item = room.canvas.plan_scene.servers["server-1"]
    port = room.canvas.mapFromScene(item.mapToScene(item.port_centre()))
    pull(view, port, view, at_header(room, "server-2"))
    assert [(link.a, link.b, link.kind) for link in room.document.plan.links] == [("server-1", "server-2", "unknown")]
    QTest.mouseMove(view, at_header(room, "server-1"))
    pull(view, port, view, at_header(room, "server-2"))
    assert len(room.document.plan.links) == 1


def test_a_link_by_two_clicks_from_the_menu(room: MainWindow) -> None:
    room.document.select(("server-1",))
    room.actions_.run("plan.connect")
    QTest.mouseMove(room.canvas.viewport(), at_header(room, "server-2"))
    assert room.drag.ghost.words
    click(room, at_header(room, "server-2"))
    assert len(room.document.plan.links) == 1
    assert room.document.selection == ("link-1",)


def test_links_between_places_are_the_internet_until_said_otherwise(qtbot: QtBot, tmp_path: Path) -> None:
    from configurator.plan.edits import add_site

    window = open_window(
        qtbot, tmp_path, plan_with(lambda plan: add_site(add_site(plan, "home", "A")[0], "home", "B")[0])
    )
    window.document.select(("site-1", "site-2"))
    window.actions_.run("plan.connect")
    assert [link.kind for link in window.document.plan.links] == ["internet"]


def test_the_wheel_zooms_at_the_cursor_and_fit_brings_everything_back(room: MainWindow) -> None:
    canvas = room.canvas
    point = at(room, "gpu-2")
    scene_point = canvas.mapToScene(point)
    canvas.zoom_by(2.0, point.toPointF())
    assert (canvas.mapToScene(point) - scene_point).manhattanLength() < 2.0
    assert canvas.zoom > 1.5
    canvas.fit()
    assert canvas.content_in_view()


def test_panning_moves_the_canvas_and_space_does_not_select(room: MainWindow) -> None:
    view = room.canvas.viewport()
    before = room.canvas.mapToScene(QPoint(0, 0))
    QTest.keyPress(room.canvas, Qt.Key.Key_Space)
    pull(view, at(room, "gpu-1"), view, at(room, "gpu-1") + QPoint(60, 40))
    QTest.keyRelease(room.canvas, Qt.Key.Key_Space)
    after = room.canvas.mapToScene(QPoint(0, 0))
    assert round(before.x() - after.x()) == round(60 / room.canvas.zoom)
    assert room.document.selection == ()
    assert room.document.stack.count() == 0


def test_every_way_of_adding_ends_in_the_same_plan(qtbot: QtBot, tmp_path: Path) -> None:
    plans = []
    for way in range(4):
        window = open_window(qtbot, tmp_path, server_room())
        slot = window.document.plan.sites[0].servers[0].slots[0].id
        if way == 0:
            drag_card(window, PRO_6000, at(window, slot))
        elif way == 1:
            window.catalogue.choose(PRO_6000)
            window.document.select((slot,))
            QTest.mouseDClick(
                window.catalogue.list.viewport(),
                LEFT,
                NONE,
                window.catalogue.list.visualRect(window.catalogue.list.currentIndex()).center(),
            )
        elif way == 2:
            window.catalogue.choose(PRO_6000)
            window.document.select((slot,))
            window.actions_.run("plan.add_current")
        else:
            window.canvas.arm(Payload("gpu", PRO_6000))
            click(window, at(window, slot))
        plans.append(window.document.plan)
        window.canvas.clicks.cancel()
    assert all(plan == plans[0] for plan in plans)
    assert plans[0].sites[0].servers[0].slots[0].gpu is not None


def test_an_empty_canvas_tells_the_next_step(empty: MainWindow) -> None:
    hint = empty.canvas.empty
    assert yes(hint.isVisible())
    hint.site_wanted.emit("home")
    assert no(hint.isVisible())
    assert [site.kind for site in empty.document.plan.sites] == ["home"]
    empty.document.stack.undo()
    assert yes(hint.isVisible())


def test_the_canvas_describes_itself(room: MainWindow) -> None:
    assert "node-1" in room.canvas.accessibleDescription()
    assert room.canvas.accessibleName()


@pytest.mark.parametrize(("card", "red"), [(PRO_6000, True), ("nvidia-v100-pcie-32gb", False)])
def test_watts_that_are_a_guess_are_to_be_checked_and_not_red(
    qtbot: QtBot, tmp_path: Path, card: str, red: bool
) -> None:
    def make(plan: Plan) -> Plan:
        plan, site_id = add_site(plan, "server_room", "Room")
        plan, server_id = add_server(plan, load_catalogue(), site_id, EIGHT_SLOTS)
        plan, _ = add_gpus(plan, load_catalogue(), card, server_id, 4)
        return update(plan, site_id, power_limit_w=500.0)

    window = open_window(qtbot, tmp_path, plan_with(make), engines=True)
    window.document.assess_now()
    words, over = window.canvas.plan_scene.look.power["site-1"]
    assert over is red
    assert ("check" in words) is not red
