"""What if something fails: the answer is for what is left, and says so."""

from __future__ import annotations

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan import edits
from configurator.plan.index import gpus, servers
from configurator.plan.projects import edit_plan
from configurator.plan.templates import one_node, two_nodes
from configurator.wording import Wording
from configurator.wording.names import named
from tests.helpers import there

CATALOGUE = load_catalogue()


def test_one_card_less_is_said_with_what_stops_and_how_to_go_back() -> None:
    project = one_node(CATALOGUE)
    card = next(card.id for _, _, _, card in gpus(project.plans[0]))
    failed = edit_plan(project, lambda plan: edits.set_failed(plan, [card], failed=True))
    healthy, hurt = assess(project, CATALOGUE), assess(failed, CATALOGUE)
    found = [each for each in hurt.findings if each.code == "what-if.failed"]
    assert [each.subjects for each in found] == [(card,)]
    assert all(each.code != "what-if.failed" for each in healthy.findings)
    words = named(Wording(), failed.plans[0], CATALOGUE)
    assert "What if" in words.text(hurt.verdict.reasons[0])
    assert "failure." in found[0].text.code
    mended = there(found[0].fix)(failed.plans[0])
    assert mended.failed_ids == ()
    whole, left = (there(each.workloads[0].users_served).expected for each in (healthy, hurt))
    assert left < whole


def test_a_server_that_one_copy_needs_stops_the_service() -> None:
    project = two_nodes(CATALOGUE)
    server = next(servers(project.plans[0]))[1].id
    failed = edit_plan(project, lambda plan: edits.set_failed(plan, [server], failed=True))
    hurt = assess(failed, CATALOGUE)
    assert hurt.workloads[0].fit == "no"
    found = next(each for each in hurt.findings if each.code == "what-if.failed")
    assert found.text.code == "failure.stops"
