"""The document: one signal per edit, undo, merging, selection, answers, files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from configurator.assess import Assessment
from configurator.catalogue import Catalogue, load_catalogue
from configurator.desktop.document import UNDO_LIMIT, Document, equally_assessed
from configurator.plan import edits, projects, store
from configurator.plan.edits import EditError, add_site, update
from configurator.plan.model import Plan, Project
from configurator.plan.templates import two_homes
from configurator.terms import message
from tests.desktop.samples import assessment
from tests.desktop.windows import document, no, server_room, yes

pytestmark = pytest.mark.usefixtures("qapp")


def adding(name: str = "Home") -> Any:
    return lambda plan: add_site(plan, "home", name)[0]


def changing(**changes: object) -> Any:
    return lambda plan: update(plan, "site-1", **changes)


def chosen(doc: Document) -> list[str]:
    return list(doc.selection)


def answered(doc: Document) -> Assessment | None:
    return doc.assessment


def test_an_edit_is_one_signal_with_the_old_and_the_new_project() -> None:
    doc = document()
    seen: list[tuple[Project, Project]] = []
    doc.changed.connect(lambda old, new: seen.append((old, new)))
    before = doc.project
    assert doc.edit("Add site", adding())
    assert seen == [(before, doc.project)]
    assert doc.stack.undoText() == "Add site"


def test_undo_and_redo_bring_back_the_very_same_objects() -> None:
    doc = document()
    states = [doc.project]
    for number in range(5):
        doc.edit("Add site", adding(f"Home {number}"))
        states.append(doc.project)
    for state in reversed(states[:-1]):
        doc.stack.undo()
        assert doc.project is state
    for state in states[1:]:
        doc.stack.redo()
        assert doc.project is state


def test_steps_of_one_gesture_become_one() -> None:
    doc = document(server_room())
    for watts in (1000.0, 2000.0, 3000.0):
        doc.edit("Change limit", changing(power_limit_w=watts), gesture="drag-1")
    assert doc.stack.count() == 1
    doc.edit("Change limit", lambda plan: update(plan, "site-1", power_limit_w=4000.0), gesture="drag-2")
    assert doc.stack.count() == 2
    doc.stack.undo()
    assert doc.plan.sites[0].power_limit_w == 3000.0
    doc.stack.undo()
    assert doc.plan.sites[0].power_limit_w is None


def test_a_gesture_that_ends_where_it_began_leaves_no_step() -> None:
    doc = document(server_room())
    for watts in (1000.0, 2000.0, None):
        doc.edit("Change limit", changing(power_limit_w=watts), gesture="drag-1")
    assert doc.stack.count() == 0
    assert doc.plan.sites[0].power_limit_w is None


def test_an_edit_that_changes_nothing_leaves_no_step() -> None:
    doc = document()
    assert not doc.edit("Nothing", lambda plan: plan)
    assert doc.stack.count() == 0


def test_a_refused_edit_changes_nothing_and_tells_the_reason() -> None:
    doc = document()
    told: list[Any] = []
    doc.failed.connect(told.append)

    def refuse(_plan: Plan) -> Plan:
        raise EditError(message("edit.no_site", object_id="x"))

    before = doc.project
    assert not doc.edit("Add", refuse)
    assert doc.project is before
    assert doc.stack.count() == 0
    assert [each.code for each in told[0]] == ["edit.no_site"]


def test_a_value_out_of_range_changes_nothing_and_tells_the_reason() -> None:
    doc = document(server_room())
    told: list[Any] = []
    doc.failed.connect(told.append)
    assert not doc.edit("Change", lambda plan: update(plan, "site-1", power_limit_w=-5.0))
    assert told[0][0].code == "edit.bad_value.above"
    assert doc.plan.sites[0].power_limit_w is None


def test_the_undo_stack_has_a_limit() -> None:
    doc = document(server_room())
    for number in range(UNDO_LIMIT + 20):
        doc.edit("Rename", changing(name=f"Room {number}"))
    assert doc.stack.count() == UNDO_LIMIT


def test_selection_is_kept_by_id_through_undo() -> None:
    doc = document()
    doc.edit("Add site", adding())
    doc.select(("site-1",))
    doc.stack.undo()
    assert chosen(doc) == []
    doc.stack.redo()
    assert chosen(doc) == ["site-1"]


def test_moving_a_box_asks_for_no_answer() -> None:
    asked: list[Project] = []

    def count(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        asked.append(project)
        return assessment(project)

    doc = Document(load_catalogue(), server_room(), count, deep=False)
    doc.assess_now()
    first = doc.assessment
    doc.edit("Move", lambda plan: edits.place_boxes(plan, {"site-1": (100.0, 50.0)}))
    assert len(asked) == 1
    assert doc.assessment is first
    doc.edit("Change", lambda plan: update(plan, "site-1", pue=1.2))
    assert len(asked) == 2


def test_undo_shows_the_answer_it_already_knew() -> None:
    asked: list[Project] = []

    def count(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        asked.append(project)
        return assessment(project)

    doc = Document(load_catalogue(), server_room(), count, deep=False)
    doc.assess_now()
    first = doc.assessment
    doc.edit("Change", lambda plan: update(plan, "site-1", pue=1.2))
    doc.stack.undo()
    assert doc.assessment is first
    assert len(asked) == 2


def test_the_answer_before_is_kept_for_differences_and_not_across_plans() -> None:
    doc = document(server_room())
    doc.assess_now()
    first = doc.assessment
    doc.edit("Change", lambda plan: update(plan, "site-1", pue=1.2))
    assert doc.previous_assessment is first
    doc.edit_project("Duplicate plan", lambda project: projects.add_plan(project, doc.plan, "Copy")[0])
    assert doc.previous_assessment is None


def test_showing_another_plan_is_no_step() -> None:
    doc = document(server_room())
    doc.edit_project("Duplicate plan", lambda project: projects.add_plan(project, doc.plan, "Copy")[0])
    count = doc.stack.count()
    doc.show_plan("plan-1")
    assert doc.plan.id == "plan-1"
    assert doc.stack.count() == count


def test_slow_answers_come_from_a_worker_and_only_the_newest_counts(qtbot: QtBot) -> None:
    def slow(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        time.sleep(0.05)
        return assessment(project)

    doc = Document(load_catalogue(), server_room(), slow, deep=False)
    doc.assess_now()
    doc.edit("Change", lambda plan: update(plan, "site-1", pue=1.01))
    answers: list[Any] = []
    doc.assessed.connect(answers.append)
    for number in range(8):
        began = time.perf_counter()
        doc.edit("Change", changing(pue=1.1 + number / 100))
        assert time.perf_counter() - began < 0.04, "the window must not wait for a slow answer"
    qtbot.waitUntil(lambda: doc.settled, timeout=3000)
    assert len(answers) < 8
    assert doc.assessment is answers[-1]
    doc.close()


def test_a_failing_engine_leaves_the_edit_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    def broken(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        raise ZeroDivisionError

    doc = Document(load_catalogue(), server_room(), broken, deep=False)
    told: list[str] = []
    doc.told.connect(told.append)
    doc.assess_now()
    assert doc.edit("Change", lambda plan: update(plan, "site-1", pue=1.2))
    assert doc.plan.sites[0].pue == 1.2
    assert doc.assessment is None
    assert "could not be worked out" in told[0]


def test_the_deeper_answer_follows_and_replaces_the_quick_one(qtbot: QtBot) -> None:
    def two(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        return assessment(project, deep=deep)

    doc = Document(load_catalogue(), server_room(8), two)
    doc.assess_now()
    assert doc.assessment is not None
    quick = doc.assessment
    assert not quick.alternatives
    qtbot.waitUntil(lambda: doc.settled, timeout=3000)
    deeper = answered(doc)
    assert deeper is not None
    assert deeper.alternatives
    doc.close()


def test_saved_file_is_what_is_on_the_screen_and_marks_it_clean(tmp_path: Path) -> None:
    doc = document()
    doc.edit("Add site", adding())
    assert no(doc.clean)
    path = tmp_path / "home.gpuplan"
    assert doc.save(path)
    assert yes(doc.clean)
    assert doc.path == path
    assert store.load(path) == doc.project
    doc.stack.undo()
    assert no(doc.clean)


def test_a_file_that_cannot_be_read_leaves_the_work_alone(tmp_path: Path) -> None:
    doc = document(server_room())
    told: list[Any] = []
    doc.failed.connect(told.append)
    path = tmp_path / "broken.gpuplan"
    path.write_text("{", encoding="utf-8")
    before = doc.project
    assert not doc.open(path)
    assert doc.project is before
    assert told[0][0].code == "store.not_json"


def test_equally_assessed_compares_what_the_answer_reads() -> None:
    one = two_homes(load_catalogue())
    renamed = projects.edit_plan(one, lambda plan: edits.rebuilt(plan, name="Another name"))
    moved = projects.edit_plan(one, lambda plan: edits.place_boxes(plan, {"site-1": (1.0, 2.0)}))
    changed = projects.edit_plan(one, lambda plan: update(plan, "site-1", pue=1.5))
    assert equally_assessed(one, renamed)
    assert equally_assessed(one, moved)
    assert not equally_assessed(one, changed)
