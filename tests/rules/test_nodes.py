"""R48-R58: the cases for one node and for several, matched and named."""

from __future__ import annotations

from typing import Any

from configurator.advice.findings.nodes import go_to_several, stay_on_one
from tests.rules.ask import EIGHT, LOAD, PRO, ask, codes, plan_of, seen, told

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
SEVENTY: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "bf16", "sequence_tokens": 4096, "micro_batch": 1}


def matched(**load: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    situation = seen(plan_of((EIGHT, PRO, 8), **load))
    return stay_on_one(situation), go_to_several(situation)


def test_R48_inference_that_fits_with_its_load_stays_on_one_node() -> None:
    assert "R48" in matched(**CHAT)[0]
    assert "R48" not in matched(**{**CHAT, "users": 5_000})[0]
    assert told(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "nodes.one.r48").rule == "R48"


def test_R49_one_model_and_few_people_stay_on_one_node() -> None:
    assert "R49" in matched(**CHAT)[0]
    assert "R49" not in matched(**{**CHAT, "many_tenants": True})[0]
    assert told(ask(plan_of((EIGHT, PRO, 8), **CHAT)), "nodes.one.r49").rule == "R49"


def test_R50_research_on_7b_to_72b_stays_on_one_node() -> None:
    assert "R50" in matched(**{**CHAT, "model": "qwen2.5-72b"})[0]
    assert "R50" not in matched(**{**CHAT, "model": "llama-3.1-405b"})[0]


def test_R51_adapters_stay_on_one_node() -> None:
    for task, weights in (("lora", "bf16"), ("qlora", "nf4")):
        assert "R51" in matched(**{**SEVENTY, "task": task, "weights": weights})[0]
    answer = ask(plan_of((EIGHT, PRO, 8), **{**SEVENTY, "task": "lora"}))
    assert told(answer, "nodes.one.r51").rule == "R51"


def test_R52_batch_work_is_held_against_its_deadline() -> None:
    load: dict[str, Any] = {**CHAT, "task": "batch", "tokens_per_month": 5e9}
    late = ask(plan_of((EIGHT, PRO, 8), deadline_h=1.0, **load))
    assert told(late, "load.batch.late").rule == "R52"
    assert told(late, "nodes.one.r52").rule == "R52"
    fine = ask(plan_of((EIGHT, PRO, 8), deadline_h=1e6, **load))
    assert "load.batch.in_time" in codes(fine)


def test_R52_a_second_server_only_when_the_deadline_is_missed() -> None:
    boxes = ((EIGHT, PRO, 4), (EIGHT, PRO, 4))
    load: dict[str, Any] = {**CHAT, "task": "batch"}
    assert ask(plan_of(*boxes, link="eth-25g", **load)).verdict.code == "single-node"
    volume: dict[str, Any] = {**load, "tokens_per_month": 5e9}
    assert ask(plan_of(*boxes, link="eth-25g", deadline_h=1e6, **volume)).verdict.code == "single-node"
    assert ask(plan_of(*boxes, link="eth-25g", deadline_h=1.0, **volume)).verdict.code == "replicas"


def test_R53_the_prior_is_told() -> None:
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **CHAT))
    assert told(answer, "nodes.prior.one").rule == "R53"


def test_R54_training_70b_from_scratch_is_a_case_for_several() -> None:
    assert "R54" in matched(**{**SEVENTY, "task": "pretrain"})[1]
    assert "R54" not in matched(**{**SEVENTY, "model": "llama-3.1-8b", "task": "pretrain"})[1]
    answer = ask(plan_of((EIGHT, PRO, 8), **{**SEVENTY, "task": "pretrain"}))
    assert told(answer, "nodes.several.r54").rule == "R54"


def test_R55_full_tuning_of_70b_is_a_case_for_several() -> None:
    assert "R55" in matched(**{**SEVENTY, "task": "full"})[1]
    assert "R55" not in matched(**{**SEVENTY, "task": "lora"})[1]


def test_R56_405b_in_production_time_is_a_case_for_several() -> None:
    giant: dict[str, Any] = {**CHAT, "model": "llama-3.1-405b", "tokens_per_s_per_user_limit": 10.0}
    assert "R56" in matched(**giant)[1]
    assert "R56" not in matched(**CHAT)[1]


def test_R57_very_many_tenants_are_a_case_for_several() -> None:
    many: dict[str, Any] = {**CHAT, "many_tenants": True, "tokens_per_s": 200_000.0}
    assert "R57" in matched(**many)[1]
    assert "R57" not in matched(**{**many, "tokens_per_s": 2_000.0})[1]


def test_R58_anything_else_means_copies() -> None:
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **CHAT))
    finding = told(answer, "nodes.more.throughput")
    assert finding.rule == "R58"
    assert answer.verdict.code in {"replicas", "single-node"}
