"""What if the internet line of a place fails: by the menu of the place and of a connection between places."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from configurator.catalogue import load_catalogue
from configurator.desktop.canvas.scene import Hit
from configurator.desktop.facts import describe
from configurator.desktop.graph import InterconnectTab
from configurator.desktop.window import MainWindow
from configurator.plan.edits import update
from configurator.plan.templates import two_homes
from tests.desktop.windows import open_window
from tests.helpers import there


@pytest.fixture
def homes(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    window = open_window(qtbot, tmp_path, two_homes(load_catalogue()), engines=True)
    window.document.assess_now()
    return window


def entry(menu: QMenu, words: str) -> None:
    """Choose an entry of a menu by its words."""
    found = next(each for each in menu.actions() if words in each.text())
    assert found.isEnabled(), words
    found.trigger()


def test_a_site_loses_its_line_and_gets_it_back_by_its_menu(homes: MainWindow) -> None:
    document = homes.document
    site = document.plan.sites[0]
    document.select((site.id,))
    entry(homes.menus.context(Hit("site", site.id)), "internet line as failed")
    assert list(document.plan.failed_ids) == [f"{site.id}.internet"]
    assert document.stack.undoText() == f"Take as failed: {site.name} – internet"
    assert any(each.code == "what-if.failed" for each in there(document.assessment).findings)
    assert "internet line failed" in describe(document.plan, site.id, document.catalogue, document.wording)
    assert homes.canvas.plan_scene.links[document.plan.links[0].id].broken
    entry(homes.menus.context(Hit("site", site.id)), "works again")
    assert not document.plan.failed_ids
    assert not homes.canvas.plan_scene.links[document.plan.links[0].id].broken


def test_a_connection_between_places_offers_each_of_its_two_lines(homes: MainWindow) -> None:
    document = homes.document
    link, (first, second) = document.plan.links[0], document.plan.sites
    document.select((link.id,))
    entry(homes.menus.context(Hit("link", link.id)), f"{second.name} – internet as failed")
    assert list(document.plan.failed_ids) == [f"{second.id}.internet"]
    menu = homes.menus.context(Hit("link", link.id))
    said = [each.text() for each in menu.actions()]
    assert f"{second.name} – internet works again" in said
    assert f"Take {first.name} – internet as failed (what if)" in said


def test_the_trial_of_a_line_tells_who_is_cut_off_and_what_is_left(homes: MainWindow, qtbot: QtBot) -> None:
    document = homes.document
    document.edit("model", lambda plan: update(plan, plan.workloads[0].id, model="llama-3.1-8b"))
    homes.show_tab("interconnect")
    tab = homes.pages.page("interconnect")
    assert isinstance(tab, InterconnectTab)
    tab.set_failing((f"{document.plan.sites[0].id}.internet",))
    qtbot.waitUntil(lambda: tab.what_if.settled, timeout=5000)
    said = {caption.text(): value.text().replace("\u00a0", " ") for caption, value in tab.what_if.panel.cells}
    assert said["Stops"] == "1 of 2 copies"
    assert "→" in said["People at once"] and "…" not in said["People at once"]
    assert "nobody reaches the machines there" in tab.what_if.panel.accessibleName()
    assert not document.plan.failed_ids
