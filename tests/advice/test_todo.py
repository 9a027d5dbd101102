"""One list of next steps: what the verdict asks for first, then facts, findings, and a pilot only where it fits."""

from __future__ import annotations

from configurator.advice.todo import Todo, todo, way_out
from configurator.assess import Assessment, assess
from configurator.catalogue import load_catalogue
from configurator.plan.edits import update
from configurator.plan.model import Plan, Project
from configurator.plan.templates import TEMPLATES

CATALOGUE = load_catalogue()
PROJECTS = {each.id: each.build(CATALOGUE) for each in TEMPLATES}


def listed(project: Project) -> tuple[Todo, Assessment]:
    answer = assess(project, CATALOGUE, deep=True)
    assert answer.facts is not None
    unknowns = [each for work in answer.workloads for each in work.unknowns]
    buying = any(not line.owned for line in answer.cost.shopping)
    found = todo(answer.facts, answer.verdict, unknowns, answer.findings, answer.alternatives, buying)
    return found, answer


def codes(found: Todo) -> list[str]:
    return [each.code for each in found.tasks]


def of(plan: Plan) -> Project:
    return Project(id="project", plans=(plan,), active_plan_id=plan.id)


def test_what_is_good_and_still_to_be_bought_is_offered_decided_and_tried() -> None:
    found, answer = listed(PROJECTS["one-node"])
    assert answer.verdict.light == "good"
    assert found.ready
    order = [each for each in codes(found) if each in {"offers", "decide", "pilot", "measured"}]
    assert order == ["offers", "decide", "pilot", "measured"]


def test_what_does_not_run_is_changed_first_and_neither_bought_nor_tried() -> None:
    found, answer = listed(PROJECTS["two-homes"])
    assert answer.verdict.light == "stop"
    assert not found.ready
    assert codes(found)[0] == "change"
    assert codes(found)[-1] == "renew"
    assert not {"offers", "decide", "pilot"} & set(codes(found))


def test_too_slow_means_change_with_the_price_of_the_way_out() -> None:
    plan = PROJECTS["one-node"].plans[0]
    found, answer = listed(of(update(plan, plan.workloads[0].id, tokens_per_s_per_user_limit=500.0)))
    assert answer.verdict.headline.code == "headline.limit.speed"
    assert not found.ready
    first = found.tasks[0]
    assert first.code == "change"
    way = way_out(answer.alternatives)
    if way is not None:
        assert first.topic == way.title
        assert first.text.get("price_money") == way.purchase


def test_a_server_to_buy_instead_is_asked_for_by_name() -> None:
    found, answer = listed(PROJECTS["two-nodes"])
    if answer.verdict.headline.code == "headline.buy_one":
        assert found.tasks[0].code == "buy_one"
        assert not found.ready
        assert "pilot" not in codes(found)


def test_nothing_is_said_twice() -> None:
    for project in PROJECTS.values():
        found, _ = listed(project)
        told = [(each.text, each.topic) for each in found.tasks]
        assert len(told) == len(set(told))
        assert len({each.text for each in found.tasks if each.code != "ask"}) == len(
            [each for each in found.tasks if each.code != "ask"]
        )


def test_no_plan_without_cards_is_sent_to_a_pilot() -> None:
    found, _ = listed(of(Plan(id="empty", name="empty")))
    assert found.tasks[0].code == "choose"
    assert not found.ready
