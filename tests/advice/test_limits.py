"""What takes the green light away although the model fits."""

from __future__ import annotations

from configurator.plan.edits import update
from configurator.plan.model import Plan
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import EIGHT, LOAD, PRO, ask, plan_of, policy, work

CALM = {**LOAD, "users": 4, "model": "llama-3.3-70b", "weights": "fp8"}


HEAVY = {
    **LOAD,
    "users": 32,
    "context_tokens": 8000,
    "input_tokens": 7500,
    "output_tokens": 500,
    "model": "llama-3.1-405b",
    "weights": "fp8",
}


def test_a_chat_far_below_a_usable_speed_is_never_green() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), **HEAVY))
    speed = there(there(work(answer).chosen).speed)
    assert speed.output_tokens_per_s_per_user.expected < 5 or speed.time_to_first_token_s.expected > 10
    assert (answer.verdict.light, answer.verdict.headline.code) == ("step", "headline.limit.speed")
    assert work(answer).fit == "serves_with_reserve"
    said = Wording().text(answer.verdict.reasons[0])
    assert "a usable chat needs" in said
    assert "help." in said


def test_the_limit_is_the_owners_to_change_and_to_state() -> None:
    plan = plan_of((EIGHT, PRO, 8), **HEAVY)
    patient = policy(chat_first_word_s=600.0, chat_tokens_per_s=0.1)
    assert ask(plan, policy=patient).verdict.light == "good"
    stated = update(plan, plan.workloads[0].id, time_to_first_token_limit_s=600.0, tokens_per_s_per_user_limit=0.1)
    assert ask(stated).verdict.light == "good"
    batch = update(plan, plan.workloads[0].id, task="batch")
    assert not ask(batch).verdict.headline.code.startswith("headline.limit")


def limited(watts: float) -> Plan:
    plan = plan_of((EIGHT, PRO, 8), **CALM)
    return update(plan, plan.sites[0].id, power_limit_w=watts)


def test_a_circuit_that_would_trip_is_never_green() -> None:
    free, bound = ask(limited(50_000.0)), ask(limited(3_500.0))
    assert free.verdict.light == "good"
    assert bound.verdict.light == work(bound).verdict.light == "step"
    assert bound.verdict.headline.code == "headline.limit.power"
    assert bound.verdict.reasons[0].code.startswith("reason.power.")
    # The memory's answer stays what it is.
    assert (work(bound).fit, bound.verdict.code) == (work(free).fit, free.verdict.code)
    said = Wording().text(bound.verdict.headline) + Wording().text(bound.verdict.reasons[0])
    assert "power" in said
    assert "breaker" in said


def test_a_supply_that_is_too_small_is_never_green() -> None:
    plan = plan_of((EIGHT, PRO, 8), **CALM)
    weak = update(plan, plan.sites[0].servers[0].id, psu_w=2_000.0)
    answer = ask(weak)
    assert answer.verdict.light == "step"
    assert answer.verdict.reasons[0].code == "reason.power.psu"


def test_green_alternatives_keep_the_limit_of_the_place() -> None:
    answer = ask(limited(3_500.0), deep=True)
    opened = [each.verdict for each in answer.alternatives if each.verdict is not None]
    assert opened
    assert all(each.light != "good" for each in opened)


def test_a_limit_nobody_knows_is_an_open_question_where_it_matters() -> None:
    plan = plan_of((EIGHT, PRO, 8), **CALM)
    asked = {each.subject_id: each for each in work(ask(plan, deep=True)).unknowns}
    question = asked[plan.sites[0].id]
    assert question.question.code == "question.power"
    assert [verdict.light for _, verdict in question.answers] == ["step", "good"]
    small = plan_of(("desktop-1gpu", "nvidia-rtx-3090", 1), model="llama-3.1-8b", weights="fp8", users=1)
    assert all(each.question.code != "question.power" for each in work(ask(small, deep=True)).unknowns)
