"""Headline, reasons, steps and findings speak of the same cards, and say when a figure is that of all copies."""

from __future__ import annotations

import pytest

from configurator.assess import Assessment, assess
from configurator.plan.templates import TEMPLATES
from configurator.wording import Wording
from tests.rules.ask import CATALOGUE, EIGHT, PRO, ask, plan_of, step, told


def example(name: str) -> Assessment:
    return assess(next(each for each in TEMPLATES if each.id == name).build(CATALOGUE), CATALOGUE)


def test_a_step_with_reserve_stands_under_no_headline_without() -> None:
    answer = example("mixed-cards")
    assert step(answer, 1).answer == "yes"
    assert answer.verdict.headline.code == "headline.one_node"
    numbers = step(answer, 1).numbers
    assert numbers.code == "step.numbers.fit_copies"
    assert numbers.get("copies") == 2
    idle = told(answer, "split.idle.cards")
    assert idle.text.get("copies") == 2
    assert idle.action is not None
    assert "further copy" not in Wording().text(idle.action)


def test_people_of_all_copies_are_not_those_of_one_server() -> None:
    answer = example("sparks")
    load = next(each for each in answer.verdict.reasons if each.code.startswith("reason.load"))
    assert load.code == "reason.load_copies.usable"
    assert "Memory of 2 copies together" in Wording().text(load).replace("\u00a0", " ")
    assert step(answer, 1).numbers.code == "step.numbers.fit"


def test_a_training_speed_names_the_cards_it_needs() -> None:
    answer = example("training")
    run, weights, rate = answer.verdict.reasons[:3]
    assert (run.code, run.get("copies"), run.get("used_gpus")) == ("reason.run.job.copies", 4, 8)
    assert (weights.code, weights.get("gpus"), weights.get("copies")) == ("reason.weights_together", 2, 4)
    assert rate.get("gpus") == 8


@pytest.mark.parametrize("name", ["mixed-cards", "sparks"])
def test_the_speed_says_why_people_times_pace_is_not_the_total(name: str) -> None:
    speed = next(each for each in example(name).verdict.reasons if each.code == "reason.speed")
    assert "prompts" in Wording().text(speed)


def test_without_a_number_of_people_each_figure_says_for_how_many() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), model="llama-3.1-405b", weights="fp8", goal="one_fast_answer"))
    speed = next(each for each in answer.verdict.reasons if each.code.startswith("reason.speed"))
    assert speed.code == "reason.speed_open.some"
    assert "One person alone" in Wording().text(speed)
    assert "not given" in Wording().text(speed)
    assert "Counted for one person" in Wording().text(step(answer, 1).numbers)
    assert "for one person" not in Wording().text(speed)
    # No speed of a full memory is called the speed of one person.
    limit = next(each for each in answer.findings if each.text.code.startswith("finding.expectation.limit"))
    assert "One person alone gets" in Wording().text(limit.text)
