"""What owning costs against an API and the nameplate: only sentences that are true of this machine."""

from __future__ import annotations

import pytest

from configurator.assess import assess
from configurator.plan.edits import update
from configurator.plan.model import Project
from configurator.terms import Estimate
from configurator.wording import Wording
from tests.advice.test_same_cards import example
from tests.helpers import there
from tests.rules.ask import (
    CATALOGUE,
    EIGHT,
    H100,
    HOME,
    PRO,
    R3090,
    ask,
    codes,
    found,
    owned,
    plan_of,
    told,
)

HGX = "hgx-h100-8"


def test_what_does_not_run_never_pays() -> None:
    answer = example("two-homes")
    assert answer.workloads[0].fit == "no"
    assert not [code for code in codes(answer) if code.startswith("cost.compare")]


def test_a_break_even_beyond_the_machine_is_called_never() -> None:
    answer = ask(plan_of((EIGHT, PRO, 1), model="llama-3.1-8b", weights="bf16", users=4, context_tokens=8000))
    finding = told(answer, "cost.compare.never")
    most, even = finding.text.get("most_million"), finding.text.get("even_million")
    assert isinstance(most, float)
    assert isinstance(even, float)
    chosen = answer.workloads[0].chosen
    assert chosen is not None
    assert chosen.speed is not None
    # Full use is that of as many people as are served at once, not that of the four who were asked for.
    assert most > chosen.speed.output_tokens_per_s.high * 31 * 86_400 / 1e6
    assert most < even
    assert "never pays against this API" in Wording().text(finding.text)


def test_the_nameplate_is_named_only_where_it_is_more() -> None:
    for name in ("two-homes", "sparks", "training", "one-node", "mixed-cards", "two-nodes"):
        answer = example(name)
        states = found(answer, "cost.energy.states")
        if states is not None:
            peak = states.text.get("peak_kwh")
            assert isinstance(peak, float)
            assert answer.cost.energy_kwh_per_year.high < peak
        else:
            assert found(answer, "cost.energy.two") is not None


def test_a_busy_machine_in_a_rack_has_no_sentence_of_the_nameplate() -> None:
    busy = plan_of((EIGHT, PRO, 8), kind="colocation", model="llama-3.1-405b", weights="fp8", users=32, task="batch")
    assert "cost.energy.two" in codes(ask(busy))


def test_full_use_counts_everybody_who_is_served_at_once() -> None:
    plan = plan_of((EIGHT, PRO, 2), model="llama-3.3-70b", weights="fp8", users=1, context_tokens=8192)
    few = there(ask(plan).cost.comparison)
    many = there(ask(update(plan, plan.workloads[0].id, users=None)).cost.comparison)
    assert few.most_million_per_month == pytest.approx(many.most_million_per_month, rel=0.35)
    assert few.now_share < 0.1 * many.now_share
    assert there(few.own_now_per_million) > 10 * few.own_full_per_million


def test_nobody_owns_hired_machines() -> None:
    plan = owned(plan_of((HGX, H100, 1), kind="colocation", model="llama-3.3-70b", weights="awq-int4", users=1))
    project = Project(id="p", question="70B on a rented H100 at 2.50 an hour", plans=(plan,), active_plan_id=plan.id)
    answer = assess(project, CATALOGUE)
    assert not [code for code in codes(answer) if code.startswith("cost.compare")]
    first = next(each for each in answer.findings if each.kind == "one_more_step")
    assert first.text.code == "finding.cost.asked.hour"
    full, tenth, rate = (first.text.get(name) for name in ("full_price", "tenth_price", "rate_tokens_per_s"))
    assert isinstance(full, Estimate)
    assert isinstance(tenth, Estimate)
    assert isinstance(rate, float)
    assert full.expected == pytest.approx(2.5 / (rate * 3600) * 1e6)
    assert tenth.expected == pytest.approx(10 * full.expected)
    assert "busy hours" in Wording().text(there(first.action))


def test_a_model_that_only_ranks_texts_has_no_answers_to_sell() -> None:
    ranker = next(each.id for each in CATALOGUE.models.values() if each.purpose == "rerank")
    answer = ask(plan_of((HOME, R3090, 1), model=ranker, weights="bf16", users=4, context_tokens=512))
    assert answer.cost.comparison is None
    assert not [code for code in codes(answer) if code.startswith(("expectation.", "load.demand", "cost.energy.mil"))]
    assert not [each for each in answer.verdict.reasons if each.code.startswith("reason.speed")]


def test_only_a_question_of_money_is_answered_with_the_tokens_per_month_first() -> None:
    plan = owned(plan_of((HOME, R3090, 1), model="llama-3.1-8b", weights="awq-int4", users=1, context_tokens=8192))

    def first(question: str) -> str:
        answer = assess(Project(id="p", question=question, plans=(plan,), active_plan_id=plan.id), CATALOGUE)
        return next(each.text.code for each in answer.findings if each.kind in ("one_more_step", "good_to_know"))

    assert first("Home lab bills its users 0.013 per million tokens") == "finding.cost.asked.volume"
    assert first("What does a power cap cost on this card?") != "finding.cost.asked.volume"
