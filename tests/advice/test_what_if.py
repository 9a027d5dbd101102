"""What if something fails: the answer is for what is left, and says so."""

from __future__ import annotations

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan import edits
from configurator.plan.index import gpus, line_id, servers
from configurator.plan.model import Plan, Project
from configurator.plan.projects import edit_plan
from configurator.plan.templates import one_node, two_homes, two_nodes
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


def changed(project: Project, object_id: str, **fields: object) -> Project:
    return edit_plan(project, lambda plan: edits.update(plan, object_id, **fields))


def cut(project: Project, *site_ids: str) -> Project:
    def fail(plan: Plan) -> Plan:
        return edits.set_failed(plan, [line_id(each) for each in site_ids], failed=True)

    return edit_plan(project, fail)


def test_the_line_of_a_rented_rack_stops_the_service_for_all_who_use_it() -> None:
    project = changed(one_node(CATALOGUE), "site-1", kind="colocation")
    failed = cut(project, "site-1")
    hurt = assess(failed, CATALOGUE)
    assert (hurt.verdict.light, hurt.verdict.headline.code) == ("stop", "headline.unreachable")
    assert hurt.workloads[0].verdict == hurt.verdict
    assert hurt.workloads[0].users_served is None, "nobody is served"
    found = next(each for each in hurt.findings if each.code == "what-if.failed")
    assert found.text.code == "failure.unreachable"
    assert there(found.action).code == "action.what_if_line"
    assert there(found.fix)(failed.plans[0]).failed_ids == ()
    words = named(Wording(), failed.plans[0], CATALOGUE)
    assert "Nobody can reach" in words.text(hurt.verdict.headline)
    assert "internet" in words.text(hurt.verdict.reasons[0])
    # Work that nobody waits for outside goes on.
    batch = changed(failed, failed.plans[0].workloads[0].id, task="batch")
    assert assess(batch, CATALOGUE).verdict.headline.code != "headline.unreachable"


def test_people_beside_the_machine_go_on_without_the_line() -> None:
    project = one_node(CATALOGUE)
    healthy, hurt = assess(project, CATALOGUE), assess(cut(project, "site-1"), CATALOGUE)
    assert hurt.verdict.headline == healthy.verdict.headline
    assert hurt.verdict.reasons[0].code == "reason.what_if"
    found = next(each for each in hurt.findings if each.code == "what-if.failed")
    assert found.text.code == "failure.outside"


def test_one_of_two_homes_serves_while_the_other_is_cut_off() -> None:
    project = two_homes(CATALOGUE)
    project = changed(project, project.plans[0].workloads[0].id, model="llama-3.1-8b")
    healthy, hurt = assess(project, CATALOGUE), assess(cut(project, "site-1"), CATALOGUE)
    assert len(there(healthy.workloads[0].chosen).instances) == 2
    assert len(there(hurt.workloads[0].chosen).instances) == 1
    whole, left = (there(each.workloads[0].users_served).expected for each in (healthy, hurt))
    assert 0 < left < whole
    found = next(each for each in hurt.findings if each.code == "what-if.failed")
    assert found.text.code == "failure.apart", "the machines there run on"
    assert assess(cut(project, "site-1", "site-2"), CATALOGUE).verdict.headline.code == "headline.unreachable"


def test_without_any_machine_left_nobody_is_told_to_put_a_card_in() -> None:
    failed = edit_plan(one_node(CATALOGUE), lambda plan: edits.set_failed(plan, ["site-1"], failed=True))
    hurt = assess(failed, CATALOGUE)
    assert (hurt.verdict.light, hurt.verdict.headline.code) == ("stop", "headline.stopped")
