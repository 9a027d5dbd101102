"""Advice as a whole: subjects exist, edits work, order is stable, the live answer stays shallow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from configurator.advice import advise, deepen
from configurator.advice.facts import PlanFacts
from configurator.advice.findings.common import CLASSES, NOTE
from configurator.advice.findings.weights import SHOWN_NOTES, WEIGHTS, weight_of
from configurator.assess import assess, assessment_json
from configurator.catalogue import Catalogue
from configurator.evaluate import evaluate
from configurator.plan.index import all_ids, plan_problems
from configurator.plan.model import Plan, Project
from configurator.plan.templates import TEMPLATES
from configurator.wording import TEXTS
from tests.rules.ask import CATALOGUE, EIGHT, HOME, LOAD, PRO, R3090, ask, codes, plan_of, project_of

BUILDS: list[Callable[[Catalogue], Project]] = [each.build for each in TEMPLATES]
IDS = [each.id for each in TEMPLATES]


@pytest.mark.parametrize("build", BUILDS, ids=IDS)
def test_findings_point_at_objects_and_have_words(build: Callable[[Catalogue], Project]) -> None:
    project = build(CATALOGUE)
    for plan in project.plans:
        answer = assess(project, CATALOGUE, plan.id)
        ids = all_ids(plan) | {plan.id}
        for finding in answer.findings:
            assert set(finding.subjects) <= ids, finding.code
            assert finding.text.code in TEXTS
            assert finding.action is None or finding.action.code in TEXTS
        kinds = [CLASSES.index(finding.kind) for finding in answer.findings]
        assert kinds == sorted(kinds)
        told = [(finding.text.code, finding.subjects) for finding in answer.findings]
        assert len(told) == len(set(told))


@pytest.mark.parametrize("build", BUILDS, ids=IDS)
def test_fixes_give_valid_plans(build: Callable[[Catalogue], Project]) -> None:
    project = build(CATALOGUE)
    plan = project.plans[0]
    for finding in assess(project, CATALOGUE).findings:
        if finding.fix is not None:
            mended = finding.fix(plan)
            assert mended is not plan
            assert plan_problems(mended) == ()


@pytest.mark.parametrize("build", BUILDS, ids=IDS)
def test_the_same_project_gives_the_same_bytes(build: Callable[[Catalogue], Project]) -> None:
    project = build(CATALOGUE)
    assert assessment_json(assess(project, CATALOGUE, deep=True)) == assessment_json(
        assess(project, CATALOGUE, deep=True)
    )


@pytest.mark.parametrize("build", BUILDS, ids=IDS)
def test_alternatives_open_as_valid_plans_and_are_ranked(build: Callable[[Catalogue], Project]) -> None:
    project = build(CATALOGUE)
    plan = project.plans[0]
    answer = assess(project, CATALOGUE, deep=True)
    assert answer.alternatives
    assert [each.rank for each in answer.alternatives] == list(range(1, len(answer.alternatives) + 1))
    assert len(answer.alternatives) <= 10
    for each in answer.alternatives:
        assert each.title.code in TEXTS
        assert each.what_changes
        if each.edit is not None:
            opened = each.edit(plan)
            assert opened is not plan
            assert plan_problems(opened) == ()
            assert each.verdict is not None


def test_the_live_answer_evaluates_no_neighbour() -> None:
    plan = plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8", **LOAD)
    facts = evaluate(project_of(plan), plan, CATALOGUE)
    advice = advise(facts)
    assert advice.alternatives == ()
    assert all(each.switch_points == () and each.unknowns == () for each in advice.workloads)
    calls: list[Plan] = []

    def neighbour(other: Plan) -> PlanFacts:
        calls.append(other)
        return evaluate(project_of(plan), other, CATALOGUE)

    deep = deepen(facts, advice, neighbour)
    assert calls
    assert deep.findings is advice.findings
    assert deep.verdict is advice.verdict


def test_rent_and_api_are_last_where_data_must_stay() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", "tokens_per_month": 1e9, **LOAD}
    free = ask(plan_of((EIGHT, PRO, 8), **load), deep=True).alternatives
    kept = ask(plan_of((EIGHT, PRO, 8), data_must_stay=True, **load), deep=True).alternatives
    assert {"rent", "api"} <= {each.code for each in free}
    assert {each.code for each in kept[-2:]} == {"rent", "api"}


def test_a_faster_plan_ranks_by_the_goal_of_the_owner() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "bf16", "users": 1, "context_tokens": 4096}
    fast = ask(plan_of((EIGHT, PRO, 4), goal="one_fast_answer", **load), deep=True).alternatives
    known = {each.code for each in fast}
    assert {"eight_bits", "four_bits"} <= known
    ranks = {each.code: each.rank for each in fast}
    assert ranks["four_bits"] < ranks.get("power_cap", 99)


def test_nothing_to_say_about_an_empty_plan() -> None:
    answer = ask(Plan(id="plan", name="Empty"))
    assert answer.verdict.headline.code == "headline.no_cards"
    assert answer.findings == ()


def test_bare_cards_ask_for_a_workload() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8)))
    assert answer.verdict.headline.code == "headline.no_workload"
    assert answer.verdict.light == "unknown"


def test_failed_cards_are_left_out() -> None:
    plan = plan_of((EIGHT, PRO, 8), model="llama-3.1-405b", weights="fp8", **LOAD)
    gone = tuple(slot.gpu.id for slot in plan.sites[0].servers[0].slots if slot.gpu)[:4]
    broken = Plan(**{name: getattr(plan, name) for name in Plan.model_fields} | {"failed_ids": gone})
    assert ask(plan).verdict.code != "does-not-fit"
    assert ask(broken).verdict.code == "does-not-fit"


def test_must_survive_a_server_needs_two() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", "must_survive": "server", **LOAD}
    assert "failure.survive.no" in codes(ask(plan_of((EIGHT, PRO, 8), **load)))
    two = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-10g", **load))
    assert "failure.survive.no" not in codes(two)
    assert two.verdict.code == "replicas"


@pytest.mark.parametrize("build", BUILDS, ids=IDS)
def test_notes_are_ranked_by_weight_and_the_tail_is_folded(build: Callable[[Catalogue], Project]) -> None:
    findings = assess(build(CATALOGUE), CATALOGUE).findings
    assert [each.rank for each in findings] == list(range(1, len(findings) + 1))
    notes = [each for each in findings if each.kind == NOTE]
    weights = [weight_of(each.text.code) for each in notes]
    assert weights == sorted(weights, reverse=True)
    assert [each.folded for each in notes] == [place >= SHOWN_NOTES for place in range(len(notes))]
    assert not any(each.folded for each in findings if each.kind != NOTE)


def test_every_note_has_its_weight() -> None:
    families = {code.removeprefix("finding.").split(".")[0] for code in TEXTS if code.startswith("finding.")}
    assert families <= {each.split(".")[0] for each in WEIGHTS} | {"failure"}
    assert weight_of("finding.thumb.tp.chain") < weight_of("finding.memory.context.longest")
    assert weight_of("finding.memory.cache.token") < weight_of("finding.memory.cache.sum")


def test_what_does_not_apply_is_not_told() -> None:
    fits = ask(plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8", users=1, context_tokens=8192))
    assert not {each for each in codes(fits) if each.startswith(("copies.router", "split.copies", "cost.energy.off"))}
    tight = ask(plan_of((EIGHT, PRO, 8), model="llama-3.1-405b", weights="bf16", **LOAD))
    assert tight.verdict.code == "does-not-fit"
    assert not {each for each in codes(tight) if each.startswith("cost.energy.off")}
    large = ask(plan_of((HOME, R3090, 1), model="llama-3.3-70b", weights="bf16", **LOAD))
    assert {each for each in codes(large) if each.startswith("cost.energy.off")}
