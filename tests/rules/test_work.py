"""Money, batch work, demand, repair and hours of people: quotients with their numbers."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.operations.rates import SINGLE_HOURS
from configurator.plan.model import Plan
from configurator.terms import Estimate
from tests.rules.ask import EIGHT, H100, HOME, PRO, R3090, ask, codes, found, owned, plan_of, policy, told

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", "users": 16, "context_tokens": 8192}
BATCH: dict[str, Any] = {
    "model": "llama-3.3-70b",
    "weights": "fp8",
    "task": "batch",
    "input_tokens": 1500,
    "output_tokens": 250,
}


def test_hire_over_tokens_and_the_api_beside_it() -> None:
    answer = ask(owned(plan_of(("hgx-h100-8", H100, 8), **CHAT)))
    rent = next(each for each in answer.findings if each.code.startswith("cost.rent")).text
    full, tenth, hour, rate = (
        rent.get(name) for name in ("full_price", "tenth_price", "hour_price", "total_tokens_per_s")
    )
    assert isinstance(full, Estimate)
    assert isinstance(tenth, Estimate)
    assert isinstance(hour, Estimate)
    assert isinstance(rate, float)
    assert full.expected == pytest.approx(hour.expected / (rate * 3600) * 1e6)
    assert tenth.expected == pytest.approx(10 * full.expected)


def test_one_comparison_with_the_api_in_finding_and_estimate() -> None:
    answer = ask(owned(plan_of((EIGHT, PRO, 8), **CHAT)))
    text = next(each for each in answer.findings if each.code == "cost.compare").text
    kept = answer.cost.comparison
    assert kept is not None
    assert text.get("even_share") == kept.even_share
    month, price, even = text.get("month_price"), text.get("api_price"), text.get("even_million")
    assert isinstance(month, Estimate)
    assert isinstance(price, Estimate)
    assert isinstance(even, float)
    assert even == pytest.approx(month.expected / price.expected, rel=0.05)


def test_a_thriftier_card_pays_after_so_many_tokens() -> None:
    load: dict[str, Any] = {"model": "qwen3-14b", "weights": "awq-int4", "users": 1}
    answer = ask(plan_of((HOME, R3090, 1), (HOME, "nvidia-rtx-pro-4000-blackwell", 1), **load))
    text = told(answer, "cost.kinds.back").text
    saved, dearer, back = text.get("saved_kwh"), text.get("dearer_eur"), text.get("back_million")
    assert isinstance(saved, float)
    assert isinstance(dearer, float)
    assert isinstance(back, float)
    assert text.get("thrifty_gpu") == "nvidia-rtx-pro-4000-blackwell"
    hungry = text.get("hungry_kwh"), text.get("hungry_eur")
    assert isinstance(hungry[0], float)
    assert isinstance(hungry[1], float)
    assert back == pytest.approx(dearer / (saved * hungry[1] / hungry[0]), rel=0.1)
    assert found(ask(plan_of((HOME, R3090, 1), **load)), "cost.kinds.back") is None


def test_hours_of_people_are_derived_once() -> None:
    giant: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", "users": 1, "context_tokens": 4096}
    plan = owned(plan_of(("dgx-spark", "nvidia-gb10-dgx-spark", 1), ("dgx-spark", "nvidia-gb10-dgx-spark", 1),
                         link="eth-200g-roce", **{**giant, "model": "gpt-oss-120b", "weights": "bf16"}))  # fmt: skip
    answer = ask(plan)
    text = told(answer, "cost.people.cluster").text
    hours, factor = text.get("staff_hours"), told(answer, "operations.tax.engineering").text.get("effort_factor")
    assert isinstance(hours, Estimate)
    assert isinstance(factor, float)
    assert hours.expected == pytest.approx(SINGLE_HOURS[1] * factor)
    assert answer.cost.staff_hours_per_month.expected == hours.expected
    less = ask(plan, policy=policy(engineering_factor_per_added_node=1.0))
    assert less.cost.staff_hours_per_month.expected == pytest.approx(2 * SINGLE_HOURS[1])


def _batch(**fields: Any) -> Plan:
    return plan_of((EIGHT, PRO, 8), **BATCH, **fields)


def test_batch_work_has_a_finish_without_a_deadline_and_without_an_amount() -> None:
    given = told(ask(_batch(tokens_per_month=100e6)), "load.batch.finish").text
    assert given.get("work_requests") == 400_000
    finish, rate = given.get("finish_s"), given.get("total_tokens_per_s")
    assert isinstance(finish, Estimate)
    assert isinstance(rate, Estimate)
    assert finish.expected == pytest.approx(100e6 / rate.expected)
    open_ = told(ask(_batch()), "load.batch.each").text
    million = open_.get("million_s")
    assert isinstance(million, float)
    assert million > 0
    told(ask(_batch(tokens_per_month=100e6, deadline_h=72.0)), "load.batch.in_time")
    assert told(ask(_batch(tokens_per_month=100e6, deadline_h=1.0)), "load.batch.late").kind == "one_more_step"


def test_demand_is_set_against_what_is_made() -> None:
    small: dict[str, Any] = {**CHAT, "input_tokens": 2000, "output_tokens": 500, "requests_per_s": 0.2}
    carries = told(ask(plan_of((EIGHT, PRO, 8), **small)), "load.demand.carries").text
    assert carries.get("wanted_tokens_per_s") == pytest.approx(100)
    assert carries.get("day_tokens_million") == pytest.approx(0.2 * 2500 * 8 * 3600 / 1e6)
    large: dict[str, Any] = {**small, "requests_per_s": 900.0}
    assert told(ask(plan_of((EIGHT, PRO, 8), **large)), "load.demand.falls_short").kind == "one_more_step"
    people: dict[str, Any] = {**CHAT, "input_tokens": 2000, "output_tokens": 500, "users": 100}
    guess = next(each for each in ask(plan_of((EIGHT, PRO, 8), **people)).findings
                 if each.text.code.startswith("finding.load.demand.guess_")).text  # fmt: skip
    assert guess.get("wanted_tokens_per_s") == pytest.approx(100 / 30 * 500)


def test_memory_for_the_asked_people_before_there_is_hardware() -> None:
    text = told(
        ask(plan_of(model="llama-3.3-70b", weights="fp8", users=5, context_tokens=131_072)), "load.need.users"
    ).text
    assert text.get("each_gb") == 43
    assert text.get("need_gb") == pytest.approx(71 + 5 * 43, abs=3)
    assert text.get("half_gb") == pytest.approx(71 + 2.5 * 43, abs=3)
    assert found(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "load.need.users") is None


def test_a_broken_part_takes_days_and_a_spare_helps() -> None:
    giant: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", "users": 1, "context_tokens": 4096}
    whole = told(ask(plan_of((EIGHT, PRO, 8), **giant)), "failure.repair.none")
    assert whole.action is not None
    assert whole.action.get("card_gpu") == PRO
    small: dict[str, Any] = {**giant, "model": "llama-3.1-8b"}
    assert told(ask(plan_of((EIGHT, PRO, 2), **small)), "failure.repair.left_out").text.get("needed_cards") == 1
    apart: dict[str, Any] = {**small, "users": 200, "goal": "many_answers"}
    told(ask(plan_of((HOME, PRO, 1), (HOME, PRO, 1), link="eth-10g", **apart)), "failure.repair.copies")


def test_one_server_holds_weights_and_conversations_or_the_state_of_a_training() -> None:
    two = (("desktop-1gpu", R3090, 1), ("desktop-1gpu", R3090, 1))
    chat: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8"}
    few = told(ask(plan_of(*two, **chat, users=1, context_tokens=4096)), "node.larger.fits").text
    many = told(ask(plan_of(*two, **chat, users=5, context_tokens=131_072)), "node.larger.fits").text
    # 71 GB / 0.7 = 101 GB; 71 + 5 x 43 = 286 GB of 384 GB.
    assert (few.get("count"), many.get("count")) == (2, 4)
    assert many.get("taken_share") == pytest.approx(286 / 384, abs=0.02)
    full = ask(plan_of(*two, model="llama-3.1-8b", weights="bf16", task="full", sequence_tokens=4096))
    trains = told(full, "node.larger.trains").text
    assert trains.get("count") == 2
    assert trains.get("taken_share") == pytest.approx(18 * 8.03 / 192, abs=0.01)


def test_network_lists_and_saved_states_only_where_they_apply() -> None:
    sparks = (("dgx-spark", "nvidia-gb10-dgx-spark", 1),) * 2
    slow = codes(ask(plan_of(*sparks, link="eth-10g", model="llama-3.1-405b", weights="nvfp4", users=1)))
    assert "operations.tax.list" not in slow
    hgx: Any = (("hgx-h100-8", H100, 8),) * 2
    tune: dict[str, Any] = {"weights": "bf16", "sequence_tokens": 4096, "model": "llama-3.3-70b"}
    assert "operations.checkpoint.stall" in codes(ask(plan_of(*hgx, link="ib-ndr", task="full", **tune)))
    assert "operations.checkpoint.stall" not in codes(ask(plan_of(*hgx, link="ib-ndr", task="lora", **tune)))
