"""Own, hire, or by the token: the same rows as in the proposal, and which is cheaper as planned."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.desktop import theme
from configurator.desktop.document import Document
from configurator.desktop.panels.cost import CostTab
from configurator.desktop.panels.offers import even_said, offers
from configurator.operations.compare import Comparison
from configurator.plan.model import Project
from configurator.plan.templates import one_node
from configurator.proposal.sections.offers import offers as printed_offers
from configurator.proposal.write import gather
from configurator.wording import Wording
from tests.desktop import looks, samples
from tests.helpers import there

OWNER = Wording("en", "owner")


@pytest.fixture(scope="module")
def project() -> Project:
    return one_node(load_catalogue())


@pytest.fixture(scope="module")
def found(project: Project) -> Comparison:
    return there(assess(project, load_catalogue()).cost.comparison)


def words_of(part: object) -> str:
    """All that a part of the proposal says."""
    if isinstance(part, str):
        return re.sub(r"<[^>]+>", "", part)
    if isinstance(part, list | tuple):
        return "\n".join(words_of(each) for each in part)
    inside = (getattr(part, name, "") for name in ("text", "_cellvalues", "_content"))
    return "\n".join(words_of(each) for each in inside if each)


def test_the_rows_are_those_of_the_proposal(project: Project, found: Comparison) -> None:
    material = gather(project, load_catalogue(), None, dt.date(2026, 11, 30))
    told = words_of(printed_offers(material))
    rows = offers(found, load_catalogue(), material.wording, "EUR")
    assert len(rows) >= 3
    for row in rows:
        assert row.words in told
        assert row.money.replace("\u202f", "\u00a0") in told
    # The face of the proposal has no thin space.
    assert even_said(found, material.wording).replace("\u202f", "\u00a0") in told


def test_the_cheaper_of_plan_and_api_is_marked(found: Comparison) -> None:
    own, api = there(found.own_now_per_million), there(found.api)
    assert own > api.per_million
    rows = offers(found, load_catalogue(), OWNER, "EUR")
    assert [row.price for row in rows if row.cheaper] == [api.per_million]
    dear = replace(found, api=replace(api, per_million=own * 2))
    rows = offers(dear, load_catalogue(), OWNER, "EUR")
    assert [row.price for row in rows if row.cheaper] == [own]
    alone = replace(found, api=None)
    assert not any(row.cheaper for row in offers(alone, load_catalogue(), OWNER, "EUR"))


def test_the_cost_tab_shows_the_table_only_where_there_is_something_to_compare(
    qapp: QApplication, qtbot: QtBot, project: Project
) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    document = Document(load_catalogue(), project, deep=False)
    document.assess_now()
    tab = CostTab(document)
    qtbot.addWidget(tab)
    tab.resize(680, 760)
    tab.show()
    looks.settle()
    assert tab.offers.isVisible()
    assert len(tab.offers.rows.rows()) >= 3
    assert looks.clipped(tab.offers) == []
    bare = CostTab(samples.document())
    qtbot.addWidget(bare)
    bare.show()
    assert not bare.offers.isVisible()
