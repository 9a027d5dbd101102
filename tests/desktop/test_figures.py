"""The tiles: people at a usable speed, and whose speed a figure is."""

from __future__ import annotations

from dataclasses import replace

from configurator.advice.people import limits_of
from configurator.assess import Assessment, assess
from configurator.catalogue import load_catalogue
from configurator.desktop.panels.figures import Figure, serving_figures, speed_of
from configurator.plan.edits import update
from configurator.plan.model import Project, Workload
from configurator.plan.projects import edit_plan
from configurator.plan.templates import one_node
from configurator.wording import Wording
from tests.helpers import there

OWNER = Wording("en", "owner")


def asked(**fields: object) -> tuple[Workload, Assessment]:
    project: Project = one_node(load_catalogue())
    load = project.plans[0].workloads[0]
    project = edit_plan(project, lambda plan: update(plan, load.id, **fields))
    return project.plans[0].workloads[0], assess(project, load_catalogue())


def tiles(workload: Workload, assessment: Assessment, wording: Wording = OWNER) -> tuple[Figure, ...]:
    return serving_figures(wording, workload, assessment.workloads[0], None, assessment.facts)


def test_people_are_those_at_a_usable_speed() -> None:
    workload, assessment = asked(users=None, context_tokens=2048, tokens_per_s_per_user_limit=25.0)
    answer = assessment.workloads[0]
    held = there(answer.users_served)
    usable = there(answer.usable_users)
    assert usable < held.low, "memory alone would hold more"
    people = tiles(workload, assessment)[0]
    assert people.value == OWNER.count(usable)
    assert "usable speed" in people.caption
    assert OWNER.estimate(held) in people.caption
    named = dict(people.explanation.inputs)
    wait_s, pace = limits_of(workload, there(assessment.facts).project.policy)
    assert named["Usable: first word within"] == OWNER.duration(wait_s)
    assert named["Usable: at least"] == OWNER.rate(pace)


def test_where_memory_is_the_limit_it_is_not_said_twice() -> None:
    workload, assessment = asked(users=None, tokens_per_s_per_user_limit=0.01, time_to_first_token_limit_s=100_000.0)
    assert assessment.workloads[0].usable_users == int(there(assessment.workloads[0].users_served).expected)
    assert tiles(workload, assessment)[0].caption == "people at once at a usable speed"


def test_where_nobody_counted_the_people_memory_is_named() -> None:
    workload, assessment = asked(users=8)
    answer = replace(assessment.workloads[0], usable_users=None)
    people = serving_figures(OWNER, workload, answer, None, assessment.facts)[0]
    assert people.value == OWNER.estimate(there(answer.users_served))
    assert people.caption == "people at once that memory holds"


def test_without_a_number_of_people_the_speed_is_that_of_one() -> None:
    workload, assessment = asked(users=None)
    alone = there(there(assessment.facts).workloads[0].speed_for)(1.0)
    assert speed_of(workload, assessment.workloads[0], assessment.facts) is alone
    _, first, each, last = tiles(workload, assessment)
    assert first.caption.endswith("one person alone")
    assert each.caption.endswith("one person alone")
    assert each.value == OWNER.estimate(there(alone).output_tokens_per_s_per_user.scaled(1.0, ""))
    assert "reading" in last.caption


def test_with_people_the_speed_is_that_of_each() -> None:
    workload, assessment = asked(users=24)
    _, first, each, last = tiles(workload, assessment)
    assert first.caption.endswith("each of 24")
    assert each.caption.endswith("each of 24")
    assert "in all" in last.caption
    speed = there(there(assessment.workloads[0].chosen).speed)
    assert each.value == OWNER.estimate(speed.output_tokens_per_s_per_user.scaled(1.0, ""))


def test_speed_is_said_in_tokens_as_everywhere_and_in_words() -> None:
    workload, assessment = asked(users=1)
    each = tiles(workload, assessment)[2]
    speed = there(there(assessment.workloads[0].chosen).speed)
    assert OWNER.estimate(speed.output_tokens_per_s_per_user.scaled(0.75, "")) in each.caption
    operator = tiles(workload, assessment, Wording("en", "operator"))[2]
    assert "words" not in operator.caption
    assert operator.value == each.value
