"""The list on the left: shelves, search, what does not fit, every way of adding."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from configurator.catalogue import load_catalogue
from configurator.desktop.card_list import CARD, REASON, CardModel
from configurator.desktop.cards import SHELVES, Card, all_cards, matches
from configurator.desktop.placing import Placer
from configurator.desktop.window import MainWindow
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from configurator.wording import Wording
from tests.desktop.windows import card_ids, document, open_window, server_ids, server_room


@pytest.fixture
def room(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    return open_window(qtbot, tmp_path, server_room(cards=3, servers=2))


def rows(model: QAbstractItemModel) -> list[Card]:
    found = [model.index(row, 0).data(CARD) for row in range(model.rowCount())]
    return [card for card in found if isinstance(card, Card)]


def test_everything_of_the_catalogue_stands_on_a_shelf() -> None:
    catalogue = load_catalogue()
    cards = all_cards(catalogue, Wording())
    records = {card.record for card in cards}
    assert set(catalogue.gpus) <= records
    assert set(catalogue.servers) <= records
    assert {card.shelf for card in cards} == set(SHELVES)
    assert len({(card.kind, card.record) for card in cards}) == len(cards)
    for card in cards:
        assert card.title
        assert card.line
        assert card.tip


def test_prices_carry_their_date() -> None:
    priced = [card for card in all_cards(load_catalogue(), Wording()) if card.price]
    assert len(priced) > 60
    assert all("as of 20" in card.tip for card in priced)


@pytest.mark.parametrize(
    ("words", "record"),
    [
        ("4090", "nvidia-rtx-4090"),
        ("pro 6000 server", PRO_6000),
        ("h200 sxm", "nvidia-h200-sxm-141gb"),
        ("eight-gpu", EIGHT_SLOTS),
        ("supermicro 421", EIGHT_SLOTS),
    ],
)
def test_search_finds_by_the_words_people_use(words: str, record: str) -> None:
    found = [card.record for card in all_cards(load_catalogue(), Wording()) if matches(card, words)]
    assert record in found
    assert len(found) < 12


def test_the_model_keeps_qts_rules(qapp: object) -> None:
    doc = document(server_room(8))
    model = CardModel(doc, Placer(doc))
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for shelf in SHELVES:
        model.show(shelf, "")
        assert rows(model)
    model.show("gpus", "nothing like this")
    assert model.rowCount() == 0
    del tester


def test_what_does_not_fit_the_selection_is_greyed_with_the_reason_and_stays_in_the_list(room: MainWindow) -> None:
    model = room.catalogue.model
    row = model.row_of("nvidia-h200-sxm-141gb")
    assert row >= 0
    assert not model.index(row).data(REASON)
    room.document.select(("server-1",))
    assert model.index(row).data(REASON)
    assert model.index(row).data(REASON) in model.index(row).data(Qt.ItemDataRole.ToolTipRole)
    fits = model.row_of(PRO_6000)
    assert not model.index(fits).data(REASON)


def test_typing_searches_all_shelves_and_enter_adds_the_first(room: MainWindow) -> None:
    room.document.select(("server-2",))
    field = room.catalogue.search
    QTest.keyClicks(field, "pro 6000 server")
    assert [card.record for card in rows(room.catalogue.model)] == [PRO_6000]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert len(card_ids(room)) == 4
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""


def test_a_search_without_a_hit_says_what_to_try(room: MainWindow) -> None:
    room.catalogue.search.setText("zzzz")
    assert room.catalogue._nothing.isVisible()
    assert not room.catalogue.list.isVisible()
    room.catalogue.search.clear()
    assert room.catalogue.list.isVisible()


def test_enter_in_the_list_adds_as_many_as_chosen(room: MainWindow) -> None:
    room.document.select(("server-2",))
    room.catalogue.choose(PRO_6000, 8)
    QTest.keyClick(room.catalogue.list, Qt.Key.Key_Return)
    assert len(card_ids(room)) == 11
    assert room.document.stack.undoText().startswith("Add 8 ×")


def test_the_menu_of_a_card_adds_and_fills(room: MainWindow) -> None:
    room.document.select(("server-2",))
    room.catalogue.choose(PRO_6000)
    room.actions_.run("plan.fill")
    assert len(card_ids(room)) == 11
    room.document.stack.undo()
    room.catalogue.choose(EIGHT_SLOTS)
    room.actions_.run("plan.add_current")
    assert len(server_ids(room)) == 3
