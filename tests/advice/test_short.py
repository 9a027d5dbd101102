"""What does not fit says why in figures that can be compared, and nothing runs that does not start."""

from __future__ import annotations

import re

import pytest

from configurator.assess import Assessment
from configurator.wording import Wording
from tests.rules.ask import EIGHT, PRO, ask, codes, plan_of, told


def sentences(answer: Assessment) -> str:
    words = Wording()
    texts = [answer.verdict.headline, *answer.verdict.reasons, *(each.text for each in answer.findings)]
    texts += [step.numbers for work in answer.workloads for step in work.steps]
    return "\n".join(words.text(each) for each in texts).replace("\u00a0", " ").replace("\u202f", " ")


def test_a_training_that_leans_on_system_memory_is_not_said_not_to_start() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="bf16", task="pretrain"))
    assert answer.verdict.headline.code == "headline.training_offload"
    said = sentences(answer)
    assert "does not start" not in said
    assert "answers come slowly" not in said
    assert "not known of cards" not in said
    assert not [code for code in codes(answer) if code.startswith("memory.short")]
    assert answer.verdict.reasons[0].code == "reason.short_state"


def test_weights_that_go_in_but_leave_no_room_say_what_is_left() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), model="llama-3.1-405b", weights="bf16", users=1, context_tokens=4096))
    assert answer.verdict.code == "does-not-fit"
    reason = answer.verdict.reasons[0]
    assert reason.code == "reason.short_rest"
    weights, memory, left = (reason.get(name) for name in ("weights_bytes", "memory_bytes", "left_bytes"))
    assert isinstance(weights, int)
    assert isinstance(memory, int)
    assert left == memory - weights
    # It is a server with eight large cards.
    assert "eight large cards or more" not in Wording().text(answer.verdict.reasons[-1])


@pytest.mark.parametrize("cards", [4, 8])
def test_no_sentence_puts_more_gigabytes_into_fewer(cards: int) -> None:
    weights = "fp8" if cards == 4 else "bf16"
    answer = ask(plan_of((EIGHT, PRO, cards), model="llama-3.1-405b", weights=weights, users=1, context_tokens=4096))
    text = Wording().text(told(answer, "memory.short.rest").text).replace("\u00a0", " ")
    # The label's decimal gigabytes are told as such, and never set against the weights.
    assert not re.search(r"[\d.]+ GB(?! by the label)", text)
    assert text.count("GiB") >= 2
