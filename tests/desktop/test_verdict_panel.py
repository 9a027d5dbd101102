from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from configurator.advice.results import Finding
from configurator.assess import Assessment
from configurator.desktop import theme
from configurator.desktop.document import Document
from configurator.desktop.panels.memory import bars, grouped
from configurator.desktop.panels.verdict import VerdictPanel
from configurator.desktop.widgets.explain import ExplainCard, Explanation, fit_height
from configurator.plan.edits import add_workload, update
from configurator.plan.index import gpus
from configurator.plan.model import Project
from configurator.scaling.results import Instance
from configurator.terms import message
from tests.desktop import looks, samples
from tests.helpers import there

document = samples.document


@pytest.fixture
def panel(qapp: QApplication, qtbot: QtBot) -> VerdictPanel:
    theme.apply(qapp, "light", reduced_motion=True)
    made = VerdictPanel(document())
    qtbot.addWidget(made)
    made.resize(348, 900)
    made.show()
    looks.settle()
    return made


def test_one_answer_then_why(panel: VerdictPanel) -> None:
    card = panel.card
    assert card.headline.text() == "One node is enough."
    assert card.light.word.text() == "Works"
    assert card.light.form.text() == "one node"
    assert card.property("meaning") == "good"
    assert len(card.reasons.rows()) == 3


def test_the_headline_is_the_largest_text(panel: VerdictPanel) -> None:
    sizes = {each.text(): each.font().pixelSize() for each in panel.findChildren(type(panel.card.headline))}
    assert sizes["One node is enough."] == max(sizes.values())


def test_each_light_has_its_own_shape_and_word(qapp: QApplication, qtbot: QtBot) -> None:
    words = set()
    for light in ("good", "step", "stop", "unknown"):
        verdict = replace(samples.GOOD, light=light)
        panel = VerdictPanel(document(None, partial(samples.assessment, verdict=verdict)))
        qtbot.addWidget(panel)
        words.add(panel.card.light.word.text())
        assert panel.card.property("meaning") == light
    assert len(words) == 4


def test_equal_cards_share_one_bar(panel: VerdictPanel) -> None:
    bars = panel.memory_bars.rows()
    assert len(bars) == 1
    assert "8 × PRO 6000" in bars[0].accessibleName()
    assert sum(part.share for part in bars[0].parts) == pytest.approx(1.0, abs=0.01)
    assert [part.colour for part in bars[0].parts] == ["weights", "kv", "working", "free"]


def test_figures_are_ranges_and_explain_themselves(panel: VerdictPanel) -> None:
    values = [tile.value for tile in panel.tiles.tiles]
    assert values[0] == "90–120"
    assert values[1].replace("\u00a0", " ") == "0.6–1.1 s"
    for tile in panel.tiles.tiles:
        assert tile.explanation is not None and tile.explanation.formula
        assert tile.explanation.title in tile.toolTip()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_click_on_a_figure_opens_its_formula(panel: VerdictPanel, qtbot: QtBot) -> None:
    tile = panel.tiles.tiles[0]
    QTest.mouseClick(tile, Qt.MouseButton.LeftButton)
    card = QApplication.activePopupWidget()
    assert card is not None
    assert "÷" in card.accessibleDescription()
    QTest.keyClick(card, Qt.Key.Key_Escape)
    card.close()


def test_operators_read_other_words(panel: VerdictPanel) -> None:
    before = panel.tiles.tiles[1].accessibleName()
    panel._document.set_audience("operator")
    after = panel.tiles.tiles[1].accessibleName()
    assert "first word" in before and "time to first token" in after


def test_the_question_that_ended_the_talk_is_in_sight_and_the_rest_folded(panel: VerdictPanel) -> None:
    decision = panel.decision
    rows = decision.last.rows()
    assert len(rows) == 1
    assert rows[0].question.text().endswith("Yes.")
    assert "18" in rows[0].numbers.text()
    assert decision.before.isHidden()
    assert decision.not_asked.folded
    decision.not_asked.unfold()
    assert len(decision.not_asked_rows.rows()) == 4


def test_findings_stand_in_their_classes(panel: VerdictPanel) -> None:
    panel.findings["good_to_know"].unfold()
    for kind in ("will_not_work", "one_more_step", "good_to_know"):
        cards = panel.finding_rows[kind].rows()
        assert len(cards) == 1
        found = cards[0].finding
        assert found is not None and found.kind == kind


def test_a_click_on_a_finding_selects_its_objects(panel: VerdictPanel, qtbot: QtBot) -> None:
    card = panel.finding_rows["one_more_step"].rows()[0]
    with qtbot.waitSignal(panel._document.reveal_requested, timeout=1000):
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert panel._document.selection == (panel._document.plan.sites[0].servers[0].id,)


def test_the_show_button_does_the_same(panel: VerdictPanel, qtbot: QtBot) -> None:
    card = panel.finding_rows["will_not_work"].rows()[0]
    QTest.mouseClick(card.show_button, Qt.MouseButton.LeftButton)
    assert panel._document.selection == (panel._document.plan.sites[0].id,)


def test_fix_it_is_one_undo_step(panel: VerdictPanel, qtbot: QtBot) -> None:
    document = panel._document
    before = document.project
    card = panel.finding_rows["will_not_work"].rows()[0]
    QTest.mouseClick(card.fix_button, Qt.MouseButton.LeftButton)
    first = next(gpu for _, _, _, gpu in gpus(document.plan))
    assert first.power_limit_w == 300.0
    assert document.stack.count() == 1
    document.stack.undo()
    assert document.project is before


def test_setting_aside_asks_for_a_remark(panel: VerdictPanel, qtbot: QtBot) -> None:
    document = panel._document
    card = panel.finding_rows["will_not_work"].rows()[0]
    assert card.field.isHidden()
    QTest.mouseClick(card.aside_button, Qt.MouseButton.LeftButton)
    assert not card.field.isHidden()
    QTest.keyClicks(card.field, "second circuit is ordered")
    QTest.keyClick(card.field, Qt.Key.Key_Return)
    assert [each.remark for each in document.plan.set_aside] == ["second circuit is ordered"]
    document.stack.undo()
    assert document.plan.set_aside == ()


def test_what_is_set_aside_can_be_taken_back(qapp: QApplication, qtbot: QtBot) -> None:
    def make(project: Project) -> Assessment:
        answer = samples.assessment(project)
        aside = {(each.code, each.subject): each.remark for each in project.plans[0].set_aside}
        findings = tuple(
            replace(each, set_aside_remark=aside.get((each.code, each.subjects[0]))) for each in answer.findings
        )
        return replace(answer, findings=findings)

    subject = document(None, make)
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    panel._set_aside(there(subject.assessment).findings[0], "known")
    assert panel.finding_rows["will_not_work"].rows() == []
    panel.aside.unfold()
    card = panel.aside_rows.rows()[0]
    assert "known" in card.remark.text()
    QTest.mouseClick(card.aside_button, Qt.MouseButton.LeftButton)
    assert subject.plan.set_aside == ()
    assert len(panel.finding_rows["will_not_work"].rows()) == 1


def test_an_alternative_opens_as_a_new_plan(panel: VerdictPanel, qtbot: QtBot) -> None:
    document = panel._document
    row = panel.alternative_rows.rows()[0]
    assert "104" in row.figures.text()
    QTest.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert [plan.name for plan in document.project.plans] == ["One 8-GPU node", "Two servers with four cards each"]
    assert document.plan.name == "Two servers with four cards each"
    document.stack.undo()
    assert len(document.project.plans) == 1


def test_an_unknown_names_the_command_and_what_each_answer_gives(panel: VerdictPanel, qtbot: QtBot) -> None:
    row = panel.unknown_rows.rows()[0]
    assert row.command.text() == "nvidia-smi topo -m"
    assert len(row.answers.rows()) == 2
    QTest.mouseClick(row.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "nvidia-smi topo -m"


def test_a_change_is_shown_beside_the_figure(qapp: QApplication, qtbot: QtBot) -> None:
    def make(project: Project) -> Assessment:
        return samples.assessment(project, factor=1.5 if project.plans[0].workloads[0].users == 64 else 1.0)

    subject = document(None, make)
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    assert panel.tiles.tiles[0].change == ""
    workload = subject.plan.workloads[0].id
    subject.edit("users", lambda plan: update(plan, workload, users=64))
    assert panel.tiles.tiles[0].change.replace("\u00a0", " ") == "▲ 50 %"


def test_two_workloads_stand_above_and_one_answer_is_told(qapp: QApplication, qtbot: QtBot) -> None:
    subject = document()
    subject.edit("add", lambda plan: add_workload(plan, "Second")[0])
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    panel.show()
    first, second = panel.loads.rows()
    assert first.isChecked() and not second.isChecked()
    assert first.accessibleName().endswith("works · 8\u00a0cards")
    subject.select((subject.plan.workloads[1].id,))
    assert second.isChecked() and not first.isChecked()
    QTest.mouseClick(first, Qt.MouseButton.LeftButton)
    assert first.isChecked() and not second.isChecked()
    subject.stack.undo()
    assert panel.loads.rows() == [], "a single one needs no list"


def test_rows_are_kept_between_answers(panel: VerdictPanel) -> None:
    before = [id(card) for card in panel.finding_rows["will_not_work"].rows()]
    panel.refresh()
    assert [id(card) for card in panel.finding_rows["will_not_work"].rows()] == before


def test_while_there_is_no_answer_it_says_so(qapp: QApplication, qtbot: QtBot) -> None:
    panel = VerdictPanel(Document(samples.catalogue(), samples.project(), deep=False))
    qtbot.addWidget(panel)
    assert "worked out" in panel.card.headline.text()
    assert panel.tiles.isHidden()


def test_when_the_engines_give_up_it_says_so_and_recovers(qapp: QApplication, qtbot: QtBot) -> None:
    broken = True

    def make(project: Project) -> Assessment:
        if broken:
            raise ValueError("for the test")
        return samples.assessment(project)

    subject = document(None, make)
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    assert "could not be worked out" in panel.card.headline.text()
    broken = False
    subject.edit("users", lambda plan: update(plan, plan.workloads[0].id, users=64))
    assert panel.card.headline.text() == "One node is enough."


def test_a_finding_without_objects_has_no_buttons_that_do_nothing(qapp: QApplication, qtbot: QtBot) -> None:
    lonely = Finding("x", "good_to_know", (), message("A fact."), None, "calculated", "")

    def make(project: Project) -> Assessment:
        return replace(samples.assessment(project), findings=(lonely,))

    panel = VerdictPanel(document(None, make))
    qtbot.addWidget(panel)
    panel.findings["good_to_know"].unfold()
    card = panel.finding_rows["good_to_know"].rows()[0]
    assert card.show_button.isHidden() and card.fix_button.isHidden() and card.aside_button.isHidden()


@pytest.mark.parametrize("width", [300, 348, 520])
def test_nothing_is_clipped_or_nameless(panel: VerdictPanel, width: int) -> None:
    panel.resize(width, 900)
    for section in (panel.layouts, panel.failures, panel.not_checked, panel.findings["good_to_know"]):
        section.unfold()
    looks.settle()
    assert looks.clipped(panel) == []
    assert looks.outside(panel._page) == []
    assert looks.nameless(panel) == []


def test_a_long_form_gives_way_to_the_headline(qapp: QApplication, qtbot: QtBot) -> None:
    verdict = replace(samples.GOOD, code="tp-inside-pp-across", headline=message("headline.across", servers=2))
    panel = VerdictPanel(document(None, partial(samples.assessment, verdict=verdict)))
    qtbot.addWidget(panel)
    panel.resize(348, 900)
    panel.show()
    looks.settle()
    assert panel.card.light.form.isHidden()
    assert looks.outside(panel._page) == []


def test_nearly_equal_cards_share_one_bar() -> None:
    first = samples.gpu_memory(samples.document().plan)
    near = tuple(replace(each, weights_bytes=each.weights_bytes + 1_000_000 * n) for n, each in enumerate(first))
    far = (*near[1:], replace(first[0], kv_cache_bytes=first[0].kv_cache_bytes * 2))
    assert [len(ids) for _, ids in grouped(near)] == [8]
    assert [len(ids) for _, ids in grouped(far)] == [7, 1]


def test_stages_of_the_same_card_are_told_apart() -> None:
    subject = samples.document()
    plan = subject.plan
    cards = samples.gpu_memory(plan)
    ids = [each.gpu_id for each in cards]
    uneven = (*cards[:4], *(replace(each, activation_bytes=each.activation_bytes * 4) for each in cards[4:]))
    one = samples.scored(plan, 1)
    chain = replace(one, instances=(Instance((tuple(ids[:4]), tuple(ids[4:])), (40, 40)),))
    titles = [bar[0] for bar in bars(uneven, subject.catalogue, subject.wording, chain)]
    assert [title.rpartition(" · ")[2] for title in titles] == ["stage 1", "stage 2"]


def test_an_explanation_is_as_high_as_its_lines(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    said = Explanation(
        "How many", "Memory for conversations ÷ memory of one. " * 3, (("Copies", "1"), ("Each", "8 GiB"))
    )
    host = QWidget()
    qtbot.addWidget(host)
    card = ExplainCard(host, said)
    fit_height(card)
    assert 80 < card.height() < 240
    card.deleteLater()


def test_an_answer_to_a_question_is_taken_as_one_undo_step(qapp: QApplication, qtbot: QtBot) -> None:
    def make(project: Project) -> Assessment:
        answer = samples.assessment(project)
        server = project.plans[0].sites[0].servers[0].id
        fact = replace(
            there(answer.workloads[0].unknowns)[0],
            apply=lambda plan, number: update(plan, server, topology_known=number == 0),
        )
        return replace(answer, workloads=(replace(answer.workloads[0], unknowns=(fact,)),))

    subject = document(None, make)
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    before = subject.project
    rows = panel.unknown_rows.rows()[0].answers.rows()
    assert [row.button.text() for row in rows] == ["It is so", "It is so"]
    QTest.mouseClick(rows[1].button, Qt.MouseButton.LeftButton)
    assert not subject.plan.sites[0].servers[0].topology_known
    assert subject.stack.count() == 1
    assert subject.stack.undoText().startswith("Answer: ")
    subject.stack.undo()
    assert subject.project is before


def test_of_many_notes_the_weightiest_are_in_sight(qapp: QApplication, qtbot: QtBot) -> None:
    notes = tuple(
        Finding(f"n{number}", "good_to_know", (), message(f"Note {number}."), None, "calculated", "")
        for number in range(8)
    )

    def make(project: Project) -> Assessment:
        return replace(samples.assessment(project), findings=notes)

    panel = VerdictPanel(document(None, make))
    qtbot.addWidget(panel)
    shown = panel.finding_rows["good_to_know"].rows()
    assert [card.text.text() for card in shown] == ["Note 0.", "Note 1.", "Note 2."]
    assert panel.more_notes.folded
    panel.more_notes.unfold()
    assert [card.text.text() for card in panel.more_note_rows.rows()] == [f"Note {n}." for n in range(3, 8)]


def test_what_is_below_the_fold_follows_in_the_pause(qapp: QApplication, qtbot: QtBot) -> None:
    answers = iter((1.0, 1.5))

    def make(project: Project) -> Assessment:
        answer = samples.assessment(project, factor=next(answers))
        late = answer.alternatives[0]
        title = message("More people") if project.plans[0].workloads[0].users == 64 else late.title
        return replace(answer, alternatives=(replace(late, title=title),))

    theme.apply(qapp, "light", reduced_motion=True)
    subject = document(None, make)
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    panel.resize(348, 300)
    panel.show()
    looks.settle()
    title = panel.alternative_rows.rows()[0].title
    before = title.text()
    workload = subject.plan.workloads[0].id
    subject.edit("users", lambda plan: update(plan, workload, users=64))
    assert panel.tiles.tiles[0].change, "what is in sight is new at once"
    assert title.text() == before, "what is far below waits"
    assert not panel.below.settled
    qtbot.waitUntil(lambda: title.text() == "More people", timeout=2000)
    assert panel.below.settled


def test_scrolling_down_shows_the_new_answer(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    subject = document()
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    panel.resize(348, 300)
    panel.show()
    looks.settle()
    workload = subject.plan.workloads[0].id
    subject.edit("users", lambda plan: update(plan, workload, users=64))
    assert not panel.below.settled
    panel.verticalScrollBar().setValue(200)
    assert panel.below.settled


def test_a_screen_made_later_talks_about_the_same_workload(qapp: QApplication, qtbot: QtBot) -> None:
    subject = document()
    subject.edit("add", lambda plan: add_workload(plan, "Second")[0])
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    second = subject.plan.workloads[1].id
    subject.select((second,))
    subject.select(())
    later = VerdictPanel(subject)
    qtbot.addWidget(later)
    assert [row.isChecked() for row in later.loads.rows()] == [False, True]
