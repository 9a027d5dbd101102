"""A file that names what the catalogue does not know: the name is said, nothing is guessed."""

from __future__ import annotations

from configurator.plan.edits import rebuilt, update
from configurator.plan.model import Plan
from configurator.wording import Wording
from tests.rules.ask import EIGHT, LOAD, PRO, ask, plan_of, told

PLAN = plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8", **LOAD)


def with_card(plan: Plan, name: str, count: int) -> Plan:
    for slot in [each for each in plan.sites[0].servers[0].slots if each.gpu is not None][:count]:
        assert slot.gpu is not None
        plan = update(plan, slot.id, gpu=rebuilt(slot.gpu, gpu=name))
    return plan


def test_unknown_cards_are_named_where_they_stand() -> None:
    answer = ask(with_card(PLAN, "acme-x1", 8))
    assert answer.verdict.headline.code == "headline.strange_cards"
    assert "acme-x1" in Wording().text(answer.verdict.reasons[0])
    finding = told(answer, "unknown.hardware.card")
    assert len(finding.subjects) == 8
    assert "acme-x1" in Wording().text(finding.text)
    assert "There is no card" not in " ".join(Wording().text(each.numbers) for each in answer.workloads[0].steps)


def test_one_unknown_card_beside_known_ones_is_named_too() -> None:
    finding = told(ask(with_card(PLAN, "acme-x1", 1)), "unknown.hardware.card")
    assert "1 card in" in Wording().text(finding.text).replace("\u00a0", " ")


def test_unknown_models_and_precisions_are_named() -> None:
    load = PLAN.workloads[0].id
    model = ask(update(PLAN, load, model="acme-9b"))
    assert model.verdict.headline.code == "headline.strange_model"
    assert "acme-9b" in Wording().text(model.verdict.reasons[0])
    weights = ask(update(PLAN, load, weights="acme-3bit"))
    assert weights.verdict.headline.code == "headline.strange_weights"
    assert "acme-3bit" in Wording().text(weights.verdict.reasons[0])


def test_an_unknown_chassis_is_named() -> None:
    answer = ask(update(PLAN, PLAN.sites[0].servers[0].id, chassis="acme-box"))
    assert "acme-box" in Wording().text(told(answer, "unknown.hardware.chassis").text)
