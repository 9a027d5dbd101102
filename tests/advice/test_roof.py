"""The physical limit is that of the cards the forecast uses, and models without answers have no speed."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.advice.findings.roof import floor_s
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import EIGHT, PRO, R3090, ask, codes, plan_of, seen, work

OPEN = "epyc-sp3-7slot-openframe"


def test_a_chain_reads_one_after_the_other_and_a_split_at_once() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", "users": 1, "context_tokens": 4096}
    split = seen(plan_of((EIGHT, PRO, 4), tensor_parallel=4, pipeline_parallel=1, replicas=1, **load))
    chain = seen(plan_of((EIGHT, PRO, 4), tensor_parallel=1, pipeline_parallel=4, replicas=1, **load))
    at_once, in_turn = (floor_s(each, there(each.chosen).instances[0]) for each in (split, chain))
    assert in_turn == pytest.approx(4 * at_once, rel=0.1)


def test_the_forecast_of_one_person_never_beats_its_own_limit() -> None:
    for users in (1, 16, None):
        answer = ask(plan_of((EIGHT, PRO, 8), model="llama-3.3-70b", weights="fp8", users=users, context_tokens=8192))
        limit = next(each for each in answer.findings if each.text.code.startswith("finding.expectation.limit"))
        share = limit.text.get("limit_share")
        assert isinstance(share, float)
        assert 0.05 < share <= 1.0
        assert "physical limit" in Wording().text(limit.text)


def test_a_model_that_ranks_texts_has_no_speed_of_a_chat() -> None:
    answer = ask(plan_of((OPEN, R3090, 1), model="qwen3-embedding-8b", weights="bf16", users=4, context_tokens=2048))
    if work(answer).chosen is not None:
        assert not {each for each in codes(answer) if each.startswith(("expectation.", "load.demand"))}
