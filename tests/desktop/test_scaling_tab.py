from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.assess import assess
from configurator.desktop import theme
from configurator.desktop.document import Document, assess_with_engines
from configurator.desktop.scaling_tab import ScalingTab
from configurator.desktop.sweeps import Sweep, sweep
from configurator.desktop.widgets.chart import ticks
from configurator.plan import templates
from configurator.plan.edits import remove, update
from configurator.plan.index import gpus
from configurator.plan.model import Project
from configurator.plan.projects import active_plan, add_plan
from tests.desktop import looks, samples
from tests.helpers import there


def swept(project: Project) -> Sweep:
    return there(sweep(project, samples.catalogue(), project.active_plan_id))


@pytest.fixture(scope="module")
def one_node() -> Sweep:
    return swept(templates.one_node(samples.catalogue()))


def test_the_curve_goes_through_the_answer(one_node: Sweep) -> None:
    project = templates.one_node(samples.catalogue())
    speed = there(there(assess(project, samples.catalogue()).workloads[0].chosen).speed)
    users = there(one_node.here_users)
    assert there(there(one_node.tokens).at(users))[1] == pytest.approx(speed.output_tokens_per_s.expected, rel=1e-6)
    wait = there(there(one_node.first_word).at(users))
    assert wait[1] == pytest.approx(speed.time_to_first_token_s.expected, rel=1e-6)


def test_curves_have_bands_in_order_and_rising_x(one_node: Sweep) -> None:
    for curve in (one_node.tokens, one_node.first_word, one_node.memory, *one_node.efficiency):
        made = there(curve)
        assert list(made.x) == sorted(set(made.x))
        for low, expected, high in zip(made.low, made.expected, made.high, strict=True):
            assert low <= expected <= high


def test_more_people_never_make_the_service_slower_nor_the_wait_shorter(one_node: Sweep) -> None:
    rate, wait = there(one_node.tokens).expected, there(one_node.first_word).expected
    assert all(b >= a * 0.999 for a, b in pairwise(rate))
    assert all(b >= a * 0.999 for a, b in pairwise(wait))


def test_memory_grows_with_the_conversation_and_matches_the_answer(one_node: Sweep) -> None:
    memory = there(one_node.memory)
    assert all(b > a for a, b in pairwise(memory.expected))
    project = templates.one_node(samples.catalogue())
    first = there(assess(project, samples.catalogue()).workloads[0].chosen).memory.per_gpu[0]
    here = there(memory.at(there(one_node.here_context)))[1]
    assert here == pytest.approx(first.memory_bytes - first.free_bytes, rel=0.02)
    assert one_node.memory_limit_bytes == first.memory_bytes


def test_training_has_its_own_curves() -> None:
    found = swept(templates.training(samples.catalogue()))
    assert found.training and found.tokens is None and found.throughput


def test_a_model_that_does_not_fit_gives_no_curves() -> None:
    found = swept(templates.two_homes(samples.catalogue()))
    assert found.tokens is None and found.memory is None and found.here_gpus is None


def test_an_answer_about_another_plan_is_not_used() -> None:
    old = assess(templates.two_homes(samples.catalogue()), samples.catalogue())
    new = templates.one_node(samples.catalogue())
    assert old.plan_id == new.active_plan_id
    found = there(sweep(new, samples.catalogue(), new.active_plan_id, None, old))
    assert found == swept(new)


def test_the_end_of_the_memory_is_where_the_answer_says(one_node: Sweep) -> None:
    project = templates.one_node(samples.catalogue())
    chosen = there(assess(project, samples.catalogue()).workloads[0].chosen)
    assert there(one_node.most_users) == chosen.memory.users_served


def test_ticks_are_round_or_doublings() -> None:
    assert [text for _, text in ticks(0, 5, True, lambda v: f"{v:.0f}", 9)] == ["1", "2", "4", "8", "16", "32"]
    places = [place for place, _ in ticks(0.0, 97.0, False, str, 6)]
    assert places == pytest.approx([0, 20, 40, 60, 80])
    assert all(math.log2(float(text)) == place for place, text in ticks(3, 20, True, str, 4))


@pytest.fixture
def tab(qapp: QApplication, qtbot: QtBot) -> Iterator[ScalingTab]:
    theme.apply(qapp, "light", reduced_motion=True)
    subject = Document(samples.catalogue(), samples.project(), assess_with_engines, deep=False)
    subject.assess_now()
    made = ScalingTab(subject)
    qtbot.addWidget(made)
    made.resize(1044, 760)
    made.show()
    drawn(made, qtbot)
    yield made
    made.close_worker()
    subject.close()


def drawn(tab: ScalingTab, qtbot: QtBot, count: int = 1) -> None:
    qtbot.waitUntil(lambda: tab.settled and len(tab.sweeps) == count, timeout=20_000)
    looks.settle()


def test_four_charts_with_the_plan_marked(tab: ScalingTab) -> None:
    for chart in tab.charts:
        assert chart.isVisible() and chart.series
    assert tab.tokens.series[0].here == 32
    assert tab.memory.series[0].here == 8192
    assert "60" in tab.efficiency.legend.accessibleDescription()


def test_the_pointer_reads_values(tab: ScalingTab) -> None:
    chart = tab.tokens
    chart._hover(QPointF(chart.plot.width() / 2, chart.plot.height() / 2))
    assert chart.card.isVisible()
    assert chart.card.name.text().startswith("people at once")
    assert any(sign.isdigit() for sign in chart.card.facts.text())
    chart._hover(None)
    assert not chart.card.isVisible()


def test_the_pointer_says_units_and_the_chart_where_memory_ends(tab: ScalingTab) -> None:
    chart = tab.tokens
    chart._hover(QPointF(chart.plot.width() / 2, chart.plot.height() / 2))
    assert "tokens/s" in chart.card.facts.text()
    assert "memory for conversations is full" in chart.legend.accessibleDescription()


def test_the_wheel_over_a_chart_is_left_to_the_page(tab: ScalingTab) -> None:
    target = tab.efficiency.plot.viewport()
    at = QPointF(target.rect().center())
    event = QWheelEvent(
        at,
        QPointF(target.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(target, event)
    assert not event.isAccepted()


def test_a_single_size_is_said_in_words(tab: ScalingTab, qtbot: QtBot) -> None:
    subject = tab._document
    workload = subject.plan.workloads[0].id
    subject.edit("big", lambda plan: update(plan, workload, model="llama-3.1-405b", weights="fp8"))
    drawn(tab, qtbot)
    assert not tab.efficiency.series
    assert "no smaller group" in tab.efficiency.empty.text()


def test_curves_are_live(tab: ScalingTab, qtbot: QtBot) -> None:
    subject = tab._document
    workload = subject.plan.workloads[0].id
    subject.edit("users", lambda plan: update(plan, workload, users=64))
    qtbot.waitUntil(lambda: tab.settled and bool(tab.sweeps) and tab.sweeps[0].here_users == 64, timeout=20_000)
    assert tab.tokens.series[0].here == 64


def test_a_rename_asks_for_nothing(tab: ScalingTab) -> None:
    before = tab.sweeps
    subject = tab._document
    project = subject.project
    subject.edit_project("title", lambda old: old.model_copy(update={"title": "Other"}))
    assert subject.project is not project
    assert tab.settled and tab.sweeps is before


def test_other_plans_are_laid_over(tab: ScalingTab, qtbot: QtBot) -> None:
    subject = tab._document
    cards = [gpu.id for _, _, _, gpu in gpus(subject.plan)]
    subject.edit_project("half", lambda old: add_plan(old, remove(active_plan(old), cards[4:]), "Four cards")[0])
    drawn(tab, qtbot)
    assert tab.compare.isVisible()
    tab.compare_with("plan-1")
    drawn(tab, qtbot, 2)
    assert [each.name for each in tab.tokens.series] == ["Four cards", "One 8-GPU node"]
    assert tab.tokens.series[0].colour != tab.tokens.series[1].colour
    assert tab.tokens.series[0].dash != tab.tokens.series[1].dash


def test_without_a_workload_it_says_what_is_missing(tab: ScalingTab, qtbot: QtBot) -> None:
    subject = tab._document
    subject.edit("remove", lambda plan: remove(plan, (plan.workloads[0].id,)))
    qtbot.waitUntil(lambda: tab.settled, timeout=20_000)
    looks.settle()
    assert not tab.tokens.series
    assert "workload" in tab.tokens.empty.text()


@pytest.mark.parametrize("width", [560, 1044, 1800])
def test_nothing_is_clipped_or_nameless(tab: ScalingTab, width: int) -> None:
    tab.resize(width, 800)
    looks.settle()
    assert looks.clipped(tab) == []
    assert looks.nameless(tab) == []
