"""Machines that lack what others have: no slot, no second card, no model."""

from __future__ import annotations

import pytest

from tests.helpers import there
from tests.rules.ask import ask, plan_of, work

SPARK = ("dgx-spark", "nvidia-gb10-dgx-spark", 1)


@pytest.mark.parametrize("task", ["lora", "qlora", "full", "pretrain"])
def test_unified_memory_has_no_slot_to_wait_for(task: str) -> None:
    weights = "nf4" if task == "qlora" else "bf16"
    answer = ask(plan_of(SPARK, model="llama-3.1-8b", weights=weights, task=task, sequence_tokens=4096), deep=True)
    chosen = there(work(answer).chosen)
    assert chosen.memory.fit == "no" or there(chosen.training).tokens_per_s.expected > 0
