from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from configurator.desktop import theme
from configurator.desktop.panels.workload import WorkloadPanel
from configurator.desktop.panels.workload_fields import FIELDS, choices, format_choices
from configurator.desktop.widgets.inputs import HEADING, Choice, NumberField, parse
from configurator.plan import templates
from configurator.plan.edits import remove
from configurator.plan.model import Workload
from configurator.wording import Wording
from tests.desktop import looks, samples

ENTER = Qt.Key.Key_Return


document = samples.document


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot) -> WorkloadPanel:
    theme.apply(qapp, "light", reduced_motion=True)
    made = WorkloadPanel(document())
    qtbot.addWidget(made)
    made.resize(348, 900)
    made.show()
    looks.settle()
    return made


def workload(panel: WorkloadPanel) -> Workload:
    return panel._document.plan.workloads[0]


def number(panel: WorkloadPanel, name: str) -> NumberField:
    field = panel.editors[name]
    assert isinstance(field, NumberField)
    return field


def type_into(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text) if text else QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, ENTER)


@pytest.mark.parametrize(
    ("text", "value"),
    [("32", 32), ("8 192", 8192), ("8k", 8000), ("1,5M", 1.5e6), ("15T", 15e12), ("0.25", 0.25), ("", None)],
)
def test_numbers_are_read_as_people_type_them(text: str, value: float | None) -> None:
    assert parse(text, ".") == value


@pytest.mark.parametrize("text", ["many", "3..4", "k", "12 people"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        parse(text, ".")


def test_a_number_edits_the_plan_as_one_named_step(panel: WorkloadPanel) -> None:
    type_into(number(panel, "users"), "64")
    assert workload(panel).users == 64
    assert panel._document.stack.undoText() == "Change: people at once"
    panel._document.stack.undo()
    assert workload(panel).users == 32
    assert number(panel, "users").text() == "32"


def test_an_empty_number_means_not_known(panel: WorkloadPanel) -> None:
    field = number(panel, "users")
    type_into(field, "")
    assert workload(panel).users is None
    assert field.placeholderText() == "not known"


def test_a_wrong_entry_stays_and_says_why(panel: WorkloadPanel) -> None:
    field = number(panel, "context_tokens")
    type_into(field, "lots")
    assert field.text() == "lots"
    assert field.property("wrong") == "true"
    assert "not a number" in field.toolTip()
    assert workload(panel).context_tokens == 8192
    assert panel._document.stack.count() == 0


@pytest.mark.parametrize("text", ["0", "-4", "many", "99999999999"])
def test_the_reason_stands_in_the_panel_until_it_is_mended(panel: WorkloadPanel, text: str) -> None:
    field = number(panel, "users")
    type_into(field, text)
    assert panel.fault.isVisible()
    assert panel.fault.text().startswith("People at once: ")
    assert "last value" in panel.fault.text()
    assert workload(panel).users == 32
    looks.settle()
    assert looks.clipped(panel) == []
    type_into(field, "33")
    assert not panel.fault.isVisible()
    assert workload(panel).users == 33


def test_a_number_out_of_range_is_explained(panel: WorkloadPanel) -> None:
    panel.more.unfold()
    field = number(panel, "prefix_cache_hit_share")
    type_into(field, "140")
    assert "between 0 and 100" in field.toolTip()
    type_into(field, "40")
    assert workload(panel).prefix_cache_hit_share == pytest.approx(0.4)


def test_escape_gives_the_old_number_back(panel: WorkloadPanel) -> None:
    field = number(panel, "users")
    field.setFocus()
    QTest.keyClicks(field, "99")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "32"
    QTest.keyClick(field, ENTER)
    assert panel._document.stack.count() == 0


def test_arrow_keys_step_and_merge_into_one_undo_step(panel: WorkloadPanel) -> None:
    field = number(panel, "users")
    field.setFocus()
    for _ in range(3):
        QTest.keyClick(field, Qt.Key.Key_Up)
    assert workload(panel).users == 35
    assert panel._document.stack.count() == 1
    panel._document.stack.undo()
    assert workload(panel).users == 32


def test_lengths_are_stepped_by_doubling(panel: WorkloadPanel) -> None:
    field = number(panel, "context_tokens")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert workload(panel).context_tokens == 16384
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert workload(panel).context_tokens == 8192


def test_goal_is_asked_and_may_stay_open(panel: WorkloadPanel) -> None:
    assert panel.goal.buttons[1].isChecked()
    QTest.mouseClick(panel.goal.buttons[0], Qt.MouseButton.LeftButton)
    assert workload(panel).goal == "one_fast_answer"
    QTest.mouseClick(panel.goal.buttons[2], Qt.MouseButton.LeftButton)
    assert workload(panel).goal is None


def test_every_field_of_the_form_edits_its_own_value(panel: WorkloadPanel) -> None:
    panel.more.unfold()
    for spec in FIELDS:
        if not spec.shown_for("chat"):
            continue
        editor = panel.editors[spec.name]
        before = getattr(workload(panel), spec.name)
        if isinstance(editor, NumberField):
            type_into(editor, "7")
        elif isinstance(editor, Choice):
            free = [
                value
                for value, _, reason in choices(spec, workload(panel), samples.catalogue(), Wording())
                if not reason
            ]
            other = next(value for value in free if value != before)
            editor.setCurrentIndex(editor.findData(other))
            editor.activated.emit(editor.currentIndex())
        elif isinstance(editor, QCheckBox):
            editor.click()
        else:
            type_into(editor, "words")
        assert getattr(workload(panel), spec.name) != before, spec.name
        panel._document.stack.undo()
        assert getattr(workload(panel), spec.name) == before, spec.name


def test_precisions_show_the_size_and_what_the_engine_cannot_load(panel: WorkloadPanel) -> None:
    rows = format_choices(workload(panel), samples.catalogue(), Wording())
    found = {value: (text, reason) for value, text, reason in rows}
    assert found["fp8"][0].startswith("FP8 · 67.7")
    assert found["fp8"][1] == ""
    assert "vLLM does not load" in found["q4_k_m"][1]


def test_precisions_come_in_parts_the_usual_ones_first(panel: WorkloadPanel) -> None:
    rows = format_choices(workload(panel), samples.catalogue(), Wording())
    titles = [text for value, text, _reason in rows if value == HEADING]
    assert titles == ["More formats", "Not with vLLM"]
    usual = [value for value, _text, _reason in rows[: [value for value, _t, _r in rows].index(HEADING)]]
    assert usual[:2] == ["bf16", "fp8"] and "fp32" not in usual
    ids = [value for value, _text, _reason in rows]
    assert "iq2_xxs" not in ids, "what this engine never loads is left out but for the well-known ones"
    assert "int4-g32" not in ids, "experts only, and this model has none"
    assert all(reason for _value, _text, reason in rows[ids.index("q4_k_m") :])
    choice = panel.editors["weights"]
    assert isinstance(choice, Choice)
    for row in range(choice.count()):
        model = choice.model()
        enabled = bool(model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsEnabled)
        assert enabled == (choice.itemData(row) != HEADING and not rows[row][2])


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_an_open_list_shows_its_last_row(panel: WorkloadPanel) -> None:
    choice = panel.editors["task"]
    assert isinstance(choice, Choice)
    choice.showPopup()
    looks.settle()
    assert choice.view().verticalScrollBar().maximum() == 0
    choice.hidePopup()


def test_training_asks_other_questions(qapp: QApplication, qtbot: QtBot) -> None:
    panel = WorkloadPanel(document(templates.training(samples.catalogue())))
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.editors["training_tokens"].isHidden()
    assert panel.editors["users"].isHidden()
    assert panel.goal.isHidden()


def test_any_model_of_the_catalogue_can_be_found_and_chosen(panel: WorkloadPanel) -> None:
    card = panel.model.card
    assert card.entries.rowCount() == len(samples.catalogue().models) + 1
    card.search.setText("qwen3 32b")
    entry = card.entries.entry(0)
    assert entry is not None and entry.id == "qwen3-32b"
    assert "licence" in entry.line and "tokens" in entry.line
    card._pick(0)
    assert workload(panel).model == "qwen3-32b"
    assert "Qwen3 32B" in panel.model.toolTip()


def test_a_search_that_finds_nothing_says_so(panel: WorkloadPanel) -> None:
    card = panel.model.card
    card.search.setText("no such model")
    assert card.entries.rowCount() == 0
    assert not card.empty.isHidden()


def test_without_a_workload_it_says_what_to_do(qapp: QApplication, qtbot: QtBot) -> None:
    subject = document()
    subject.edit("remove", lambda plan: remove(plan, (plan.workloads[0].id,)))
    panel = WorkloadPanel(subject)
    qtbot.addWidget(panel)
    panel.show()
    assert panel._empty.isVisible()
    QTest.mouseClick(panel.later, Qt.MouseButton.LeftButton)
    assert [each.model for each in subject.plan.workloads] == [None]
    assert panel._form.isVisible()


def test_the_first_model_makes_the_workload(qapp: QApplication, qtbot: QtBot) -> None:
    subject = document()
    subject.edit("remove", lambda plan: remove(plan, (plan.workloads[0].id,)))
    panel = WorkloadPanel(subject)
    qtbot.addWidget(panel)
    panel.starter.picked.emit("llama-3.1-8b")
    assert subject.plan.workloads[0].model == "llama-3.1-8b"


def test_workloads_are_added_copied_and_removed(panel: WorkloadPanel) -> None:
    subject = panel._document
    QTest.mouseClick(panel.add_button, Qt.MouseButton.LeftButton)
    counts = [len(subject.plan.workloads)]
    assert panel.chooser.isVisible() and panel.chooser.currentData() == subject.plan.workloads[1].id
    panel.duplicate()
    counts.append(len(subject.plan.workloads))
    for _ in range(2):
        panel.remove()
        counts.append(len(subject.plan.workloads))
    assert counts == [2, 3, 2, 1]
    for _ in range(4):
        subject.stack.undo()
    assert [each.name for each in subject.plan.workloads] == ["Office assistant"]


def test_servers_can_be_chosen_when_there_are_several(qapp: QApplication, qtbot: QtBot) -> None:
    subject = document(templates.two_nodes(samples.catalogue()))
    panel = WorkloadPanel(subject)
    qtbot.addWidget(panel)
    panel.show()
    panel.more.unfold()
    assert panel.servers.text() == "all"
    panel.servers.menu().actions()[0].trigger()
    second = subject.plan.sites[0].servers[1]
    assert list(subject.plan.workloads[0].server_ids) == [second.id]
    assert panel.servers.text() == second.name
    panel.servers.menu().actions()[0].trigger()
    assert not subject.plan.workloads[0].server_ids


@pytest.mark.parametrize("width", [300, 348, 520])
@pytest.mark.parametrize("task", ["chat", "lora"])
def test_nothing_is_clipped_or_nameless(panel: WorkloadPanel, width: int, task: str) -> None:
    panel._change("Used for", task=task)
    panel.resize(width, 1400)
    panel.more.unfold()
    looks.settle()
    assert looks.clipped(panel) == []
    assert looks.outside(panel._page) == []
    assert looks.nameless(panel) == []


def test_it_is_as_high_as_its_fields(panel: WorkloadPanel) -> None:
    before = panel.sizeHint().height()
    panel.more.unfold()
    looks.settle()
    assert panel.sizeHint().height() > before + 200


def test_the_fields_fold_to_one_line(panel: WorkloadPanel) -> None:
    before = panel.sizeHint().height()
    panel._head.title.click()
    looks.settle()
    assert not panel.model.isVisible() and panel.brief.isVisible()
    workload = panel._document.plan.workloads[0]
    said = panel.brief.text().replace("\u00a0", " ")
    assert "Llama 3.3 70B" in said and f"{workload.users} users" in said
    assert panel.sizeHint().height() < before / 3
    assert looks.clipped(panel) == [] and looks.nameless(panel) == []
    panel._head.title.click()
    looks.settle()
    assert panel.model.isVisible() and not panel.brief.isVisible()
