"""The pilot asks for what was agreed, else for no more than the proposal forecasts."""

from __future__ import annotations

import pytest

from configurator.advice.advise import situations_of
from configurator.advice.pilot import USUAL_FIRST_WORD_S, USUAL_PACE_TOKENS_PER_S, PilotPlan, pilot_plan
from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan.edits import update
from configurator.plan.model import Plan, Project
from configurator.plan.templates import TEMPLATES
from configurator.scaling.results import Speed, TrainingSpeed
from configurator.terms import Message

CATALOGUE = load_catalogue()
PROJECTS = {each.id: each.build(CATALOGUE) for each in TEMPLATES}


def tried(plan: Plan) -> tuple[PilotPlan, Speed | None, TrainingSpeed | None]:
    answer = assess(Project(id="project", plans=(plan,), active_plan_id=plan.id), CATALOGUE)
    assert answer.facts is not None
    situation = situations_of(answer.facts)[0]
    pilot = pilot_plan(situation)
    assert pilot is not None
    chosen = situation.chosen
    return pilot, chosen.speed if chosen else None, chosen.training if chosen else None


def limit(pilot: PilotPlan, start: str) -> Message:
    return next(each for each in pilot.limits if each.code.startswith(f"pilot.limit.{start}"))


def commands(pilot: PilotPlan) -> list[str]:
    return [each.command for each in pilot.scenarios] + [each.command for each in pilot.steps]


def rounded(value: float) -> float:
    return float(f"{value:.2g}")


@pytest.mark.parametrize("name", ["one-node", "two-nodes", "mixed-cards", "sparks"])
def test_the_forecast_can_pass_unless_it_is_of_no_use(name: str) -> None:
    plan = PROJECTS[name].plans[0]
    pilot, speed, _ = tried(plan)
    assert speed is not None
    policy = PROJECTS[name].policy
    pace = limit(pilot, "pace").get("limit_tokens_per_s")
    first = limit(pilot, "first_word").get("limit_s")
    assert isinstance(pace, float)
    assert isinstance(first, float)
    low, high = rounded(speed.output_tokens_per_s_per_user.low), rounded(speed.time_to_first_token_s.high)
    assert pace == max(policy.chat_tokens_per_s, min(USUAL_PACE_TOKENS_PER_S, low))
    assert first == min(policy.chat_first_word_s, max(USUAL_FIRST_WORD_S, high))


def test_which_limit_it_is_is_said() -> None:
    plan = PROJECTS["two-nodes"].plans[0]
    assert limit(tried(plan)[0], "pace").code in {"pilot.limit.pace_forecast", "pilot.limit.pace_usable"}
    agreed = update(plan, plan.workloads[0].id, tokens_per_s_per_user_limit=6.0, time_to_first_token_limit_s=8.0)
    pilot, _, _ = tried(agreed)
    assert limit(pilot, "pace") == Message("pilot.limit.pace_agreed", (("limit_tokens_per_s", 6.0),))
    assert limit(pilot, "first_word").code == "pilot.limit.first_word_agreed"
    assert limit(pilot, "first_word").get("limit_s") == 8.0


def test_what_misses_the_limits_is_changed_not_tried() -> None:
    plan = PROJECTS["one-node"].plans[0]
    hasty = update(plan, plan.workloads[0].id, tokens_per_s_per_user_limit=500.0)
    answer = assess(Project(id="project", plans=(hasty,), active_plan_id=hasty.id), CATALOGUE)
    assert answer.facts is not None
    assert pilot_plan(situations_of(answer.facts)[0]) is None


def test_scenarios_differ_and_start_the_plan_s_own_engine() -> None:
    for name in ("one-node", "two-nodes", "sparks"):
        pilot, _, _ = tried(PROJECTS[name].plans[0])
        starts = [each.command for each in pilot.scenarios]
        assert len(set(starts)) == len(starts) == 2
        assert all("serve" in each for each in starts)
    plan = PROJECTS["one-node"].plans[0]
    sglang = tried(update(plan, plan.workloads[0].id, engine="sglang"))[0]
    assert all("sglang" in each.command for each in sglang.scenarios)
    assert not any("vllm" in each for each in commands(sglang))
    assert any("--max-concurrency 32" in each for each in commands(sglang))


def test_nothing_is_tried_that_the_plan_does_not_have() -> None:
    sparks = tried(PROJECTS["sparks"].plans[0])[0]
    assert not any("pcie.link" in each for each in commands(sparks))
    assert "pilot.pass.inventory" not in {each.passes.code for each in sparks.steps if each.passes is not None}
    assert "network" not in {each.code for each in sparks.failures}
    one = tried(PROJECTS["one-node"].plans[0])[0]
    assert any("pcie.link" in each for each in commands(one))
    assert {each.text.code for each in one.failures if each.code == "server"} == {"pilot.failure.only_server"}


def test_the_load_of_the_scenarios_is_the_asked_one() -> None:
    pilot, _, _ = tried(PROJECTS["one-node"].plans[0])
    assert next(each.command for each in pilot.steps if each.code == "scenarios").count("--max-concurrency 32") == 1


def test_a_training_is_tried_as_a_training() -> None:
    pilot, _, speed = tried(PROJECTS["training"].plans[0])
    assert speed is not None
    codes = {each.code for each in pilot.limits}
    assert not codes & {"pilot.limit.pace", "pilot.limit.first_word"}
    asked = limit(pilot, "training_speed").get("limit_tokens_per_s")
    assert isinstance(asked, float)
    assert asked == rounded(speed.tokens_per_s.low)
    assert all("vllm" not in each for each in commands(pilot))
