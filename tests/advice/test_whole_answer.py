"""The answer holds together: jobs over servers, system memory, plans not bought yet, one number for one thing."""

from __future__ import annotations

from typing import Any

from configurator.scaling.results import ScoredLayout
from tests.rules.ask import EIGHT, PRO, ask, plan_of, step, work

FULL: dict[str, Any] = {"model": "llama-3.1-70b", "weights": "bf16", "task": "full", "sequence_tokens": 4096}


def leans(layout: ScoredLayout) -> bool:
    return layout.layout.offload or any(note.code == "layout.offload" for note in layout.notes)


def test_a_training_that_shares_its_state_over_two_servers_is_a_cluster() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="ib-ndr", **FULL))
    assert answer.verdict.code == "cluster"
    assert answer.verdict.light == "good"
    codes = [reason.code for reason in answer.verdict.reasons]
    assert codes[0] == "reason.link_training"
    weights = next(reason for reason in answer.verdict.reasons if reason.code == "reason.weights")
    assert weights.get("gpus") == 16
    assert step(answer, 4).numbers.code == "step.4.smallest"


def test_a_training_that_one_server_holds_stays_one_node_beside_a_second() -> None:
    small = {**FULL, "model": "llama-3.1-8b"}
    answer = ask(plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="ib-ndr", **small))
    assert (answer.verdict.code, answer.verdict.light) == ("single-node", "good")


def test_a_slow_network_is_no_cluster_for_that_training() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="eth-1g", **FULL))
    assert answer.verdict.code != "cluster" or answer.verdict.light != "good"


def test_system_memory_never_counts_as_fitting_the_cards() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), **FULL))
    chosen = work(answer).chosen
    assert chosen is not None
    assert leans(chosen)
    assert chosen.memory.fit == "starts"
    assert work(answer).fit == "no"
    assert answer.verdict.code == "does-not-fit"
    assert all(each.memory.fit in ("no", "starts") for each in work(answer).layouts if leans(each))
