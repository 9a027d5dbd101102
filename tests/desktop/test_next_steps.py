"""The list of next steps: the same as the proposal's, with the objects each is about."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import cache

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.assess import Assessment, assess
from configurator.catalogue import load_catalogue
from configurator.desktop import theme
from configurator.desktop.document import Document
from configurator.desktop.panels.next_steps import FIRST_STEPS, NextSteps, named, next_steps
from configurator.desktop.widgets.texts import breakable
from configurator.plan.model import Project
from configurator.plan.templates import TEMPLATES
from configurator.proposal.write import gather
from configurator.wording import Wording
from tests.desktop import looks

PLANS = {each.id: each for each in TEMPLATES}


@cache
def answered(template: str) -> tuple[Project, Assessment, Wording]:
    project = PLANS[template].build(load_catalogue())
    return (
        project,
        assess(project, load_catalogue(), deep=True),
        Document(load_catalogue(), project, deep=False).wording,
    )


@pytest.mark.parametrize("template", ["two-homes", "mixed-cards", "one-node"])
def test_the_window_lists_what_the_proposal_lists(template: str) -> None:
    project, assessment, wording = answered(template)
    material = gather(project, load_catalogue(), None, dt.date(2026, 11, 30))
    printed = [material.task(each) for each in material.todo.tasks]
    steps = next_steps(assessment, wording)
    assert printed
    assert [each.words for each in steps] == printed
    assert [each.who.casefold() for each in steps] == [
        material.who(each.who).casefold() for each in material.todo.tasks
    ]


def test_a_step_knows_the_objects_of_its_finding() -> None:
    _, assessment, wording = answered("two-homes")
    known = {each.subjects for each in assessment.findings} | {
        (each.subject_id,) for work in assessment.workloads for each in work.unknowns
    }
    steps = [each for each in next_steps(assessment, wording) if each.subjects]
    assert steps
    for each in steps:
        assert each.subjects in known
        assert each.objects


def test_what_is_set_aside_is_no_step() -> None:
    _, assessment, wording = answered("two-homes")
    urgent = next(each for each in assessment.findings if each.action is not None and each.kind == "will_not_work")
    assert urgent.action is not None
    words = wording.text(urgent.action)
    assert any(words in each.words for each in next_steps(assessment, wording))
    aside = tuple(
        replace(each, set_aside_remark="known") if each.action == urgent.action else each
        for each in assessment.findings
    )
    left = next_steps(replace(assessment, findings=aside), wording)
    assert all(words not in each.words for each in left)


def test_many_objects_are_counted() -> None:
    wording = Wording("en", "owner").with_names({"a": "card 1", "b": "card 2", "c": "card 3", "d": "card 4"})
    assert named(("a", "b"), wording) == "card 1, card 2"
    assert named(("a", "b", "c", "d"), wording) == "card 1 and 3 more"
    assert named(("nobody",), wording) == ""


def test_the_first_are_in_sight_and_the_rest_folded(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    _, assessment, wording = answered("two-homes")
    steps = next_steps(assessment, wording)
    assert len(steps) > FIRST_STEPS
    shown = NextSteps()
    qtbot.addWidget(shown)
    shown.show_steps(steps, wording)
    shown.resize(316, 600)
    shown.show()
    looks.settle()
    assert [row.words.text() for row in shown.first.rows()] == [each.words for each in steps[:FIRST_STEPS]]
    assert shown.rest.folded and shown.others.rows() == []
    shown.rest.unfold()
    looks.settle()
    assert [row.words.text() for row in shown.others.rows()] == [each.words for each in steps[FIRST_STEPS:]]
    assert looks.clipped(shown) == []
    assert looks.nameless(shown) == []


def test_the_mark_of_a_step_shows_its_objects(qapp: QApplication, qtbot: QtBot) -> None:
    _, assessment, wording = answered("two-homes")
    shown = NextSteps()
    qtbot.addWidget(shown)
    shown.show_steps(next_steps(assessment, wording), wording)
    shown.rest.unfold()
    shown.show()
    row = next(each for each in [*shown.first.rows(), *shown.others.rows()] if not each.show_button.isHidden())
    with qtbot.waitSignal(shown.chosen, timeout=1000) as caught:
        QTest.mouseClick(row.show_button, Qt.MouseButton.LeftButton)
    assert caught.args is not None and caught.args[0]


def test_a_long_command_may_break_and_other_words_may_not() -> None:
    command = "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv"
    told = breakable(f"Run {command} under load, before buying.")
    assert told.replace("\u200b", "") == f"Run {command} under load, before buying."
    assert "current,\u200bpcie" in told
    assert told.count("\u200b") == 2
    assert breakable("16 000 tokens/s, or 1,5 GB/s") == "16 000 tokens/s, or 1,5 GB/s"
