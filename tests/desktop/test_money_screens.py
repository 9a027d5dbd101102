from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.assess import Assessment
from configurator.desktop import theme
from configurator.desktop.languages import LANGUAGES
from configurator.desktop.panels import status
from configurator.desktop.panels.cost import INPUTS, CostTab
from configurator.desktop.panels.money import cost_lines
from configurator.desktop.panels.status import StatusBar
from configurator.plan.edits import update
from configurator.plan.model import Project
from configurator.terms import Estimate
from configurator.wording import Wording
from tests.desktop import looks, samples
from tests.helpers import there

NBSP = "\u00a0"


def plain(text: str) -> str:
    return text.replace(NBSP, " ").replace("\u202f", " ")


def dearer_with_more_users(project: Project) -> Assessment:
    users = project.plans[0].workloads[0].users
    return samples.assessment(project, factor=1.2 if users == 64 else 1.0)


@pytest.fixture
def bar(qapp: QApplication, qtbot: QtBot) -> StatusBar:
    theme.apply(qapp, "light", reduced_motion=True)
    made = StatusBar(samples.document(None, dearer_with_more_users))
    qtbot.addWidget(made)
    made.resize(1280, 40)
    made.show()
    looks.settle()
    return made


@pytest.fixture
def tab(qapp: QApplication, qtbot: QtBot) -> CostTab:
    theme.apply(qapp, "light", reduced_motion=True)
    made = CostTab(samples.document(None, dearer_with_more_users))
    qtbot.addWidget(made)
    made.resize(1044, 760)
    made.show()
    looks.settle()
    return made


def test_power_purchase_and_cost_are_in_sight(bar: StatusBar) -> None:
    assert [plain(figure.value) for figure in bar.figures] == [
        "4.8–5.9 kW",
        "89 000–110 000 EUR",
        "1 200–1 600 EUR",
        "1.9–2.6 EUR",
    ]
    for figure in bar.figures:
        assert figure.explanation is not None and figure.explanation.formula
        assert figure.accessibleName()


def test_the_bar_and_the_cost_tab_say_the_same(bar: StatusBar, tab: CostTab) -> None:
    bought, _year, month, million = (tile.value for tile in tab.tiles.tiles[:4])
    assert (bar.purchase.value, bar.month.value, bar.million.value) == (bought, month, million)


def test_nothing_placed_has_no_price(qapp: QApplication, qtbot: QtBot) -> None:
    def nothing(project: Project) -> Assessment:
        answer = samples.assessment(project)
        return replace(answer, cost=replace(answer.cost, shopping=(), per_million_tokens=None))

    bar = StatusBar(samples.document(None, nothing))
    qtbot.addWidget(bar)
    assert [figure.value for figure in bar.figures] == ["–"] * 4


def test_an_edit_shows_what_it_changed(bar: StatusBar) -> None:
    subject = bar._document
    workload = subject.plan.workloads[0].id
    subject.edit("users", lambda plan: update(plan, workload, users=64))
    assert plain(bar.purchase.change) == "▲ 20 000 EUR"
    assert plain(bar.month.change) == "▲ 280 EUR"
    assert bar.power.change == ""
    subject.stack.undo()
    assert plain(bar.purchase.change) == "▼ 20 000 EUR"


def test_wording_and_language_are_switched_from_here(bar: StatusBar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "languages", lambda: LANGUAGES)
    bar.retranslate()
    bar.audience.menu().actions()[1].trigger()
    assert bar._document.wording.audience == "operator"
    assert "Operator" in bar.audience.text()
    bar.language.menu().actions()[1].trigger()
    assert bar._document.wording.language == "sk"
    assert bar.language.text().startswith("SK")


def test_a_narrow_window_keeps_the_first_figures(bar: StatusBar) -> None:
    bar.resize(520, 40)
    looks.settle()
    assert bar.power.isVisible() and not bar.million.isVisible()
    assert looks.clipped(bar) == []


def test_the_bar_names_everything(bar: StatusBar) -> None:
    assert looks.nameless(bar) == []
    assert looks.clipped(bar) == []


def test_parts_of_the_year_add_up_and_explain_themselves(tab: CostTab) -> None:
    cost = samples.cost(tab._document.plan)
    lines = cost_lines(cost, tab._document.project.cost, Wording())
    assert sum(line.per_year.expected for line in lines) == pytest.approx(cost.total_per_year.expected, rel=0.01)
    assert len({line.colour for line in lines}) == len(lines)
    assert all(line.explanation.formula for line in lines)
    assert [row.accessibleName().split(":")[0] for row in tab.rows.rows()] == [line.name for line in lines]


def test_the_equipment_list_has_dates_and_selects(tab: CostTab) -> None:
    table = tab.table
    assert [plain(there(table.item(0, column)).text()) for column in range(5)] == [
        "RTX PRO 6000 Blackwell Server Edition",
        "8",
        "8 900–11 000",
        "71 000–87 000",
        "2026-11-28",
    ]
    table.cellClicked.emit(1, 0)
    assert tab._document.selection == (tab._document.plan.sites[0].servers[0].id,)


def test_vat_is_added_on_demand_only(tab: CostTab) -> None:
    tab.gross.click()
    assert tab._document.project.cost.show_gross
    assert plain(there(tab.table.item(1, 3)).text()) == "22 000–30 000"
    assert "With VAT" in tab.shopping_note.text()


@pytest.mark.parametrize("name", [each.name for each in INPUTS])
def test_each_figure_of_the_owner_edits_the_project(tab: CostTab, name: str) -> None:
    spec = next(each for each in INPUTS if each.name == name)
    field = tab.fields[name]
    before = getattr(tab._document.project.cost, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert getattr(tab._document.project.cost, name) == pytest.approx(3 * spec.scale)
    tab._document.stack.undo()
    assert getattr(tab._document.project.cost, name) == before


def test_a_needed_figure_cannot_be_emptied(tab: CostTab) -> None:
    field = tab.fields["life_years"]
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "4"
    assert tab._document.stack.count() == 0


def test_an_empty_plan_says_what_to_do(qapp: QApplication, qtbot: QtBot) -> None:
    def nothing(project: Project) -> Assessment:
        answer = samples.assessment(project)
        free = replace(answer.cost, shopping=(), purchase=Estimate.exact(0.0, "EUR"))
        return replace(answer, cost=free)

    tab = CostTab(samples.document(None, nothing))
    qtbot.addWidget(tab)
    assert not tab.empty.isHidden() and tab.tiles.isHidden()


@pytest.mark.parametrize("width", [640, 1044, 1800])
def test_nothing_is_clipped_or_nameless(tab: CostTab, width: int) -> None:
    tab.resize(width, 900)
    looks.settle()
    assert looks.clipped(tab) == []
    assert looks.outside(tab._page) == []
    assert looks.nameless(tab) == []


def test_an_empty_figure_says_what_is_taken_and_money_its_currency(tab: CostTab) -> None:
    assert tab.fields["busy_share"].placeholderText().endswith("assumed")
    assert any(sign.isdigit() for sign in tab.fields["busy_share"].placeholderText())
    available = samples.cost(tab._document.plan).availability
    said = Wording().estimate(available.scaled(1.0, "share")).replace(f"{NBSP}%", "")
    assert tab.fields["availability"].placeholderText().startswith(said)
    for each in INPUTS:
        assert tab._names[each.name].text().endswith(", EUR") == each.money
