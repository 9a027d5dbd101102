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


@pytest.mark.parametrize("name", ["one-node", "two-nodes", "mixed-cards", "sparks"])
def test_the_forecast_can_pass(name: str) -> None:
    pilot, speed, _ = tried(PROJECTS[name].plans[0])
    assert speed is not None
    pace = limit(pilot, "pace").get("limit_tokens_per_s")
    first = limit(pilot, "first_word").get("limit_s")
    assert isinstance(pace, float)
    assert isinstance(first, float)
    assert 0 < pace <= speed.output_tokens_per_s_per_user.low
    assert first >= speed.time_to_first_token_s.high
    # No more generous than it has to be.
    assert pace > 0.85 * min(USUAL_PACE_TOKENS_PER_S, speed.output_tokens_per_s_per_user.low)
    assert first < 1.15 * max(USUAL_FIRST_WORD_S, speed.time_to_first_token_s.high)


def test_which_limit_it_is_is_said() -> None:
    plan = PROJECTS["two-nodes"].plans[0]
    assert limit(tried(plan)[0], "pace").code == "pilot.limit.pace_forecast"
    agreed = update(plan, plan.workloads[0].id, tokens_per_s_per_user_limit=9.0, time_to_first_token_limit_s=3.0)
    pilot, _, _ = tried(agreed)
    assert limit(pilot, "pace") == Message("pilot.limit.pace_agreed", (("limit_tokens_per_s", 9.0),))
    assert limit(pilot, "first_word").code == "pilot.limit.first_word_agreed"
    assert limit(pilot, "first_word").get("limit_s") == 3.0


def test_the_load_of_the_scenarios_is_the_asked_one() -> None:
    pilot, _, _ = tried(PROJECTS["one-node"].plans[0])
    assert sum("--max-concurrency 32" in each for each in commands(pilot)) == 3


def test_a_training_is_tried_as_a_training() -> None:
    pilot, _, speed = tried(PROJECTS["training"].plans[0])
    assert speed is not None
    codes = {each.code for each in pilot.limits}
    assert not codes & {"pilot.limit.pace", "pilot.limit.first_word"}
    asked = limit(pilot, "training_speed").get("limit_tokens_per_s")
    assert isinstance(asked, float)
    assert 0.85 * speed.tokens_per_s.low < asked <= speed.tokens_per_s.low
    assert all("vllm" not in each for each in commands(pilot))
