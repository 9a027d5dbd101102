"""R59-R64: the five questions, the first yes ends; the sixth outcome."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.assess import Assessment
from tests.rules.ask import EIGHT, LOAD, PRO, R5090, ask, plan_of, step

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
SEVENTY: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "bf16", "sequence_tokens": 4096, "micro_batch": 1}


def answers(answer: Assessment, scope: str = "owned") -> list[str]:
    return [step(answer, number, scope).answer for number in range(1, 7)]


def eight(gpu: str = PRO, **load: Any) -> Assessment:
    return ask(plan_of((EIGHT, gpu, 8), **load))


def test_R59_fits_one_node_in_eight_bits_with_reserve() -> None:
    answer = eight(**CHAT)
    assert answers(answer) == ["yes", *["not_asked"] * 5]
    assert step(answer, 1).rule == "R59"
    assert step(answer, 1).changes_if is not None
    wide = eight(**{**CHAT, "weights": "bf16"})
    assert step(wide, 1, "buy").numbers.get("precision_code") == "precision.fp8"


def test_R60_four_bits_for_inference_only() -> None:
    answer = eight(R5090, **{**CHAT, "model": "mixtral-8x22b", "weights": "bf16", "users": 4})
    assert answers(answer)[:2] == ["no", "yes"]
    assert step(answer, 2).rule == "R60"
    training = eight(**{**SEVENTY, "task": "full"})
    assert step(training, 2).answer == "no"
    assert step(training, 2).numbers.code == "step.2.training"


def test_R61_bound_by_people_not_by_size() -> None:
    answer = eight(**{**CHAT, "users": 5_000})
    assert answers(answer)[:3] == ["no", "no", "yes"]
    assert step(answer, 3).rule == "R61"
    nodes = step(answer, 3).numbers.get("nodes")
    assert isinstance(nodes, int)
    assert nodes >= 10


def test_R62_training_that_does_not_fit_one_node() -> None:
    answer = eight(**{**SEVENTY, "task": "full"})
    assert answers(answer)[:4] == ["no", "no", "no", "yes"]
    assert step(answer, 4).rule == "R62"


def test_R63_pre_training_of_70b() -> None:
    answer = eight(**{**SEVENTY, "task": "pretrain", "training_tokens": 1.5e12})
    assert answers(answer)[:5] == ["no", "no", "no", "no", "yes"]
    assert step(answer, 5).rule == "R63"


def test_R64_every_step_is_recorded_and_there_is_a_sixth_outcome() -> None:
    answer = eight(R5090, **{**CHAT, "model": "deepseek-v3", "users": 4})
    assert answers(answer) == ["no"] * 5 + ["yes"]
    assert step(answer, 6).numbers.code == "step.6.size"
    for number in range(1, 7):
        found = step(answer, number)
        assert found.question.code
        assert found.numbers.code
        assert found.rule.startswith("R")


def test_both_hardware_scopes_are_asked() -> None:
    answer = eight(R5090, **{**CHAT, "model": "llama-3.1-405b", "weights": "fp8", "users": 4})
    assert answers(answer)[0] == "no"
    assert answers(answer, "buy")[0] == "yes"


@pytest.mark.parametrize("load", [{}, {"users": 4}])
def test_an_unknown_model_ends_the_flow_as_not_known(load: dict[str, Any]) -> None:
    answer = eight(**{"goal": "many_answers", **load})
    assert answers(answer)[0] == "unknown"
    assert answer.verdict.light == "unknown"


def test_users_not_known_ends_the_third_question() -> None:
    load: dict[str, Any] = {
        "model": "llama-3.1-405b",
        "weights": "awq-int4",
        "context_tokens": 100_000,
        "goal": "many_answers",
    }
    answer = ask(plan_of((EIGHT, R5090, 8), **load))
    assert answers(answer)[2] in {"unknown", "no", "not_asked"}
