"""R39 by arithmetic: where spreading would be faster, the note says by how much and does not claim it would lose."""

from __future__ import annotations

import re

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan import edits
from configurator.plan.projects import edit_plan
from configurator.plan.templates import sparks
from configurator.wording import Wording

CATALOGUE = load_catalogue()


def _codes(link: str) -> dict[str, str]:
    project = sparks(CATALOGUE)
    project = edit_plan(project, lambda plan: edits.update(plan, plan.links[0].id, kind=link))
    found = assess(project, CATALOGUE).findings
    return {each.text.code: Wording().text(each.text) for each in found if each.code == "fabric.order"}


def test_a_fast_cable_between_small_nodes_is_counted_not_dismissed() -> None:
    (code, text), *others = _codes("eth-200g-roce").items()
    assert not others
    assert code == "finding.fabric.order.close"
    assert re.search(r"1\.\d+\s×", text)


def test_a_slow_cable_only_loses() -> None:
    assert set(_codes("eth-1g")) == {"finding.fabric.order.single"}
