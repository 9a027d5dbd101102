"""Every panel in every language and for both readers: nothing clipped, nothing outside, nothing without a name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from configurator.desktop import theme
from configurator.desktop.document import Document
from configurator.desktop.graph import InterconnectTab
from configurator.desktop.panels.cost import CostTab
from configurator.desktop.panels.status import StatusBar
from configurator.desktop.panels.verdict import VerdictPanel
from configurator.desktop.panels.workload import WorkloadPanel
from configurator.desktop.widgets.texts import Section
from tests.desktop import looks, samples

LANGUAGES = pytest.mark.parametrize("language", ["en", "sk", "ru"])
PANELS = [(VerdictPanel, 348), (WorkloadPanel, 348), (CostTab, 900), (StatusBar, 1280)]
READERS = pytest.mark.parametrize("audience", ["owner", "operator"])


def checked(widget: QWidget, width: int) -> list[str]:
    widget.resize(width, 900)
    widget.show()
    for section in widget.findChildren(Section):
        section.unfold()
    looks.settle()
    page = widget.widget() if isinstance(widget, QScrollArea) else widget
    return looks.clipped(widget) + looks.outside(page) + looks.nameless(widget)


@LANGUAGES
@READERS
@pytest.mark.parametrize(("make", "width"), PANELS)
def test_panels_hold_their_texts(
    qapp: QApplication, qtbot: QtBot, make: Callable[[Document], QWidget], width: int, language: str, audience: str
) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    subject = samples.document()
    subject.set_language(language)
    subject.set_audience(audience)
    widget = make(subject)
    qtbot.addWidget(widget)
    assert checked(widget, width) == []


@LANGUAGES
def test_the_graph_holds_its_texts(qapp: QApplication, qtbot: QtBot, language: str) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    subject = samples.document()
    subject.set_language(language)
    tab = InterconnectTab(subject)
    qtbot.addWidget(tab)
    assert checked(tab, 900) == []


def test_a_switch_of_language_needs_no_new_window(qapp: QApplication, qtbot: QtBot) -> None:
    subject = samples.document()
    panel = VerdictPanel(subject)
    qtbot.addWidget(panel)
    before = panel.tiles.tiles[0].accessibleName()
    subject.set_audience("operator")
    assert panel.tiles.tiles[0].accessibleName() != before
    subject.set_audience("owner")
    assert panel.tiles.tiles[0].accessibleName() == before
