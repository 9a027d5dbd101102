from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.desktop import theme
from configurator.desktop.graph import InterconnectTab
from configurator.desktop.graph_view import distance, ids_of
from configurator.desktop.panels.failure import Outage, facts
from configurator.desktop.panels.verdict_parts import failure_lines
from configurator.diagram.picture import Box, Edge
from configurator.plan import templates
from configurator.plan.edits import add_gpus, remove, set_failed, update
from configurator.plan.index import find, gpus
from configurator.plan.projects import new_project
from configurator.terms import Estimate
from tests.desktop import looks, samples
from tests.diagram.plans import farm
from tests.helpers import there


@pytest.fixture
def tab(qapp: QApplication, qtbot: QtBot) -> InterconnectTab:
    theme.apply(qapp, "light", reduced_motion=True)
    made = InterconnectTab(samples.document())
    qtbot.addWidget(made)
    made.resize(1044, 700)
    made.show()
    looks.settle()
    return made


def middle(tab: InterconnectTab, found: Box) -> QPoint:
    """Where a box stands in the view."""
    return tab.view.mapFromScene(tab.view.box.mapViewToScene(QPointF(*found.centre)))


def box_of(tab: InterconnectTab, object_id: str) -> Box:
    return next(box for box in tab.picture.boxes if box.object_id == object_id and box.kind == "gpu")


def first_card(tab: InterconnectTab) -> str:
    return next(gpu.id for _, _, _, gpu in gpus(tab._document.plan))


def test_the_whole_picture_is_in_sight(tab: InterconnectTab) -> None:
    seen = tab.view.box.viewRect()
    assert seen.left() <= 0 and seen.top() <= 0
    assert seen.right() >= tab.picture.width and seen.bottom() >= tab.picture.height


def test_a_click_selects_the_object(tab: InterconnectTab) -> None:
    card = first_card(tab)
    QTest.mouseClick(tab.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(tab, box_of(tab, card)))
    assert list(tab._document.selection) == [card]
    QTest.mouseClick(tab.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not tab._document.selection


def test_the_selection_is_lit(tab: InterconnectTab) -> None:
    card = first_card(tab)
    tab._document.select((card,))
    assert f"box-{card}" in tab.view._lit


def test_a_line_tells_its_figures_source_and_user(tab: InterconnectTab) -> None:
    line = next(edge for edge in tab.picture.edges if edge.kind == "pcie" and edge.used)
    (ax, ay), (bx, by) = line.points[0], line.points[-1]
    at = tab.view.mapFromScene(tab.view.box.mapViewToScene(QPointF(ax + (bx - ax) * 0.8, ay + (by - ay) * 0.8)))
    found = tab.view.target(QPointF(at))
    assert isinstance(found, Edge)
    tab.view._hover(found, QPointF(at))
    said = tab.view.card.facts.text()
    assert tab.view.card.isVisible()
    assert "GB/s in each direction" in said.replace("\u00a0", " ")
    assert "delay" in said and "Source" in said and "copy 1" in said


def test_an_edit_redraws(tab: InterconnectTab) -> None:
    card = first_card(tab)
    tab._document.edit("remove", lambda plan: remove(plan, (card,)))
    assert all(box.object_id != card for box in tab.picture.boxes)
    tab._document.stack.undo()
    looks.settle()
    assert any(box.object_id == card for box in tab.picture.boxes)


def test_what_failed_is_shown_as_failed(tab: InterconnectTab) -> None:
    card = first_card(tab)
    tab._document.edit("fail", lambda plan: set_failed(plan, (card,), True))
    assert box_of(tab, card).state == "failed"


def test_what_if_something_fails_leaves_the_plan_alone(tab: InterconnectTab) -> None:
    before = tab._document.project
    card = first_card(tab)
    tab.set_failing((card,))
    states = [box.state for box in tab.picture.boxes if box.kind == "gpu"]
    assert states.count("failed") == 1 and states.count("stopped") == 3
    assert tab._document.project is before
    tab.set_failing(())
    assert {box.state for box in tab.picture.boxes if box.kind == "gpu"} == {"normal"}


def test_the_what_if_is_told_in_words_and_taken_into_the_plan_by_one_click(tab: InterconnectTab) -> None:
    panel, document = tab.what_if.panel, tab._document
    assert not panel.isVisible()
    card = first_card(tab)
    tab.set_failing((card,))
    assert panel.isVisible()
    said = {caption.text(): value.text().replace("\u00a0", " ") for caption, value in panel.cells}
    assert said["Stops"] == "1 of 2 copies" and said["Goes on"].startswith("1 copy")
    times = {"Restart", "New part"}
    assert set(said) == {"Stops", "Goes on", "People at once", "Speed for each", "Requests lost"} | times
    assert all(said.values())
    assert document.wording.value("object_id", card) in panel.title.text()
    steps = document.stack.count()
    panel.take.click()
    assert document.plan.failed_ids == (card,) and document.stack.count() == steps + 1
    assert not panel.isVisible(), "the plan says it now"
    tab.set_failing((card,))
    assert "work again" in panel.take.text()
    panel.take.click()
    assert not document.plan.failed_ids


def test_a_program_is_back_in_minutes_and_a_part_in_days(tab: InterconnectTab) -> None:
    effect = there(tab._document.assessment).workloads[0].failures[0]
    program, part = Estimate(60.0, 120.0, 240.0, "s"), Estimate(86_400.0, 604_800.0, 1_728_000.0, "s")
    stops = replace(effect, stops=True, recovery_s=program, repair_s=part)
    wording = tab._document.wording

    def said(outage: Outage) -> dict[str, str]:
        return {caption: value.replace("\u00a0", " ") for caption, value in facts(outage, wording)}

    broken = said(Outage((effect.object_id,), (stops,), 1, 1, None))
    assert broken["Restart"] == "again after 1–4 min"
    assert broken["New part"] == "1–20 days until it is replaced"
    line = said(Outage((effect.object_id,), (replace(stops, repair_s=None),), 1, 1, None))
    assert line["New part"] == "no part is broken"
    lines = dict.fromkeys(text for _light, text in failure_lines((replace(stops, stops=False),), wording))
    assert any("1–20\u00a0days" in text for text in lines)


def test_the_what_if_ends_by_its_cross_and_with_its_object(tab: InterconnectTab) -> None:
    card = first_card(tab)
    tab.set_failing((card,))
    tab.what_if.panel.close_button.click()
    assert not tab.what_if.panel.isVisible() and not tab.what_if.ids
    tab.set_failing((card,))
    tab._document.edit("remove", lambda plan: remove(plan, (card,)))
    looks.settle()
    assert not tab.what_if.panel.isVisible()


def test_names_of_large_boxes_stay_readable_far_away(tab: InterconnectTab) -> None:
    server = next(box for box in tab.picture.boxes if box.kind == "server")

    def ink() -> int:
        """Dark points in the head of the server."""
        view = tab.view
        corner = view.mapFromScene(view.box.mapViewToScene(QPointF(server.x, server.y)))
        shown = view.grab().toImage()
        area = ((corner.x() + x, corner.y() + y) for x in range(3, 50) for y in range(3, 18))
        return sum(shown.pixelColor(x, y).lightness() < 110 for x, y in area)

    tab.view.zoom_by(0.4 / tab.view.scale_px)
    looks.settle()
    assert tab.view.scale_px < 0.45
    assert ink() > 20


def test_only_what_the_layout_uses_stays_bright(tab: InterconnectTab) -> None:
    tab.traffic.click()
    unused = {edge.id for edge in tab.picture.edges if not edge.used}
    assert unused and unused <= tab.view._faint


def test_unknown_wiring_is_dashed(tab: InterconnectTab) -> None:
    server = tab._document.plan.sites[0].servers[0].id
    tab._document.edit("unknown", lambda plan: update(plan, server, topology_known=False))
    assert any(edge.dashed for edge in tab.picture.edges)
    assert any(key.dashed for key in tab.picture.legend)


def test_zoom_by_keys_and_back(tab: InterconnectTab) -> None:
    before = tab.view.scale_px
    QTest.keyClick(tab.view, Qt.Key.Key_Plus)
    assert tab.view.scale_px == pytest.approx(before * 1.2, rel=0.02)
    QTest.keyClick(tab.view, Qt.Key.Key_0)
    assert tab.view.scale_px == pytest.approx(before, rel=0.02)
    tab.actual_size()
    assert tab.zoom.text() == "100 %"


def test_the_owners_zoom_survives_an_edit(tab: InterconnectTab) -> None:
    tab.zoom_by(1.7)
    before = tab.view.scale_px
    server = tab._document.plan.sites[0].servers[0].id
    tab._document.edit("rename", lambda plan: update(plan, server, name="renamed"))
    assert tab.view.scale_px == pytest.approx(before, rel=0.01)


def test_arrow_keys_walk_from_box_to_box(tab: InterconnectTab) -> None:
    QTest.keyClick(tab.view, Qt.Key.Key_Down)
    first = tab._document.selection
    assert first
    seen = {first}
    for _ in range(5):
        QTest.keyClick(tab.view, Qt.Key.Key_Down)
        seen.add(tab._document.selection)
    assert len(seen) >= 3


def test_nothing_is_drawn_while_nobody_looks(qapp: QApplication, qtbot: QtBot) -> None:
    tab = InterconnectTab(samples.document())
    qtbot.addWidget(tab)
    assert tab.picture.empty
    tab.show()
    looks.settle()
    assert not tab.picture.empty


def test_an_empty_plan_says_what_to_do(qapp: QApplication, qtbot: QtBot) -> None:
    tab = InterconnectTab(samples.document(templates.one_node(samples.catalogue())))
    qtbot.addWidget(tab)
    tab.show()
    tab._document.replace(new_project())
    looks.settle()
    assert tab.empty.isVisible() and not tab.view.isVisible()


def test_many_cards_are_drawn_as_stacks_and_one_click_selects_them_all(qapp: QApplication, qtbot: QtBot) -> None:
    subject = samples.document()
    plan = farm(64, nic=False)
    subject.edit("farm", lambda old: plan.model_copy(update={"id": old.id}))
    tab = InterconnectTab(subject)
    qtbot.addWidget(tab)
    tab.resize(1000, 700)
    tab.show()
    looks.settle()
    stack = next(box for box in tab.picture.boxes if box.kind == "servers")
    QTest.mouseClick(tab.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(tab, stack))
    assert len(tab._document.selection) == 64 * 9
    tab.set_detail("servers")
    assert len([box for box in tab.picture.boxes if box.kind == "server"]) == 64


def test_colours_follow_the_theme(tab: InterconnectTab, qapp: QApplication) -> None:
    light = tab.grab().toImage().pixelColor(4, 300)
    theme.apply(qapp, "dark")
    looks.settle()
    dark = tab.grab().toImage().pixelColor(4, 300)
    theme.apply(qapp, "light")
    assert light.lightness() > 200 > 60 > dark.lightness()


def test_distance_to_a_bent_line() -> None:
    bent = Edge("e", "pcie", ((0, 0), (10, 0), (10, 10)))
    assert distance(bent, QPointF(5, 3)) == pytest.approx(3)
    assert distance(bent, QPointF(13, 5)) == pytest.approx(3)
    assert ids_of(bent) == ()


def test_everything_has_a_name_and_the_picture_is_said_in_words(tab: InterconnectTab) -> None:
    assert looks.nameless(tab) == []
    assert looks.clipped(tab) == []
    assert "8 GPUs" in tab.view.accessibleDescription().replace("\u00a0", " ")


def test_cards_added_elsewhere_appear(tab: InterconnectTab) -> None:
    subject = tab._document
    card = first_card(tab)
    subject.edit("remove", lambda plan: remove(plan, (card,)))
    server = subject.plan.sites[0].servers[0].id
    known = samples.catalogue()
    subject.edit("add", lambda plan: add_gpus(plan, known, "nvidia-rtx-5090", server, 1)[0])
    names = [label.text for label in tab.picture.labels]
    assert "RTX 5090" in names
    assert there(tab.picture.box(f"box-{server}")).kind == "server"


def test_the_way_of_a_question_is_drawn_on_the_same_surface(tab: InterconnectTab) -> None:
    wires = tab.picture
    tab.path.setChecked(True)
    drawn = tab.picture
    assert drawn is not wires
    assert drawn.boxes
    assert not tab.detail.isEnabled()
    stages = [box.object_id for box in drawn.boxes if box.kind == "stage"]
    answer = there(tab._document.assessment).workloads[0]
    assert len(stages) == sum(len(instance.stages) for instance in there(answer.chosen).instances)
    assert {find(tab._document.plan, each) is not None for each in stages} == {True}
    tab.path.setChecked(False)
    assert {box.id for box in tab.picture.boxes} == {box.id for box in wires.boxes}
