"""Training: state against memory, ways out, loading, time (R26-R32)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.ask import EIGHT, H100, PRO, R3090, R5090, ask, found, plan_of, told

HGX = "hgx-h100-8"
FULL: dict[str, Any] = {"weights": "bf16", "task": "full", "sequence_tokens": 4096}


def _billions(model: str, task: dict[str, Any], *boxes: tuple[str, str, int], link: str = "") -> Any:
    return ask(plan_of(*boxes, link=link, model=model, **task))


def test_state_is_told_as_a_share_and_what_is_left_for_rows() -> None:
    wide = told(_billions("llama-3.1-8b", FULL, (EIGHT, PRO, 8)), "load.training.state").text
    assert wide.get("low_gb") == pytest.approx(16 * 8.03, abs=1)
    assert wide.get("high_share") == pytest.approx(18 * 8.03 / 768, rel=0.01)
    small = _billions("llama-3.1-8b", FULL, (EIGHT, R5090, 5))
    assert told(small, "load.training.tight").kind == "one_more_step"
    assert found(small, "load.training.state") is None
    told(_billions("llama-3.1-8b", FULL, (EIGHT, R5090, 2)), "load.training.over")


def test_long_rows_fill_cards_that_the_state_does_not() -> None:
    long: dict[str, Any] = {**FULL, "sequence_tokens": 400_000}
    assert found(_billions("llama-3.1-8b", FULL, (EIGHT, PRO, 2)), "load.training.tight") is None
    told(_billions("llama-3.1-8b", long, (EIGHT, PRO, 2)), "load.training.tight")


def test_ways_out_have_numbers_and_places() -> None:
    ways = told(_billions("llama-3.3-70b", FULL, (HGX, H100, 8)), "load.training.ways").text
    assert ways.get("wanted_cards") == 23
    assert ways.get("qlora_code") == "fits.card"
    assert ways.get("lora_code") == "fits.server"
    assert ways.get("eight_code") == "fits.none"


def test_a_cluster_that_is_large_enough_is_asked_whether_it_is_needed() -> None:
    many = _billions("llama-3.3-70b", FULL, *[(HGX, H100, 8)] * 4, link="ib-ndr")
    assert told(many, "load.training.ways_enough").text.get("lora_code") == "fits.server"
    told(many, "load.training.state")


def test_a_base_that_nearly_fills_the_cards_trains_short_rows_only() -> None:
    tune: dict[str, Any] = {"weights": "nf4", "task": "qlora", "sequence_tokens": 512}
    tight = _billions("llama-3.3-70b", tune, ("epyc-sp3-7slot-openframe", R3090, 2))
    assert told(tight, "load.training.adapter_tight").kind == "one_more_step"
    assert told(tight, "load.training.loading").text.get("ranks") == 2
    roomy = _billions("llama-3.1-8b", tune, (EIGHT, PRO, 1))
    assert told(roomy, "load.training.adapter").text.get("place_code") == "fits.card"
    assert found(roomy, "load.training.loading") is None


def test_cards_without_bf16_scale_the_loss() -> None:
    old = _billions("llama-3.1-8b", FULL, ("dgx1-v100-8", "nvidia-v100-sxm2-32gb", 8))
    assert told(old, "load.training.halves").kind == "one_more_step"
    assert found(_billions("llama-3.1-8b", FULL, (EIGHT, PRO, 8)), "load.training.halves") is None


def test_pre_training_takes_days_by_arithmetic_with_and_without_tokens() -> None:
    task: dict[str, Any] = {"weights": "bf16", "task": "pretrain", "sequence_tokens": 4096}
    boxes = [(HGX, H100, 8)] * 8
    given = told(_billions("llama-3.3-70b", {**task, "training_tokens": 1.5e12}, *boxes, link="ib-ndr"),
                 "load.training.days.many").text  # fmt: skip
    # 6 x 70.6e9 x 1.5e12 / (64 x 0.4 x 990e12 x 86,400) = 290 days
    months = given.get("gpumonths")
    assert isinstance(months, float)
    assert months == pytest.approx(64 * 290 / 30.4, rel=0.05)
    assert given.get("node_years") == pytest.approx(290 * 8 / 365, rel=0.05)
    assert given.get("node_code") == "node.short"
    each = told(_billions("llama-3.3-70b", task, *boxes, link="ib-ndr"), "load.training.days_each.many").text
    assert each.get("asked_billion") == 100
    assert found(_billions("llama-3.1-8b", FULL, (EIGHT, PRO, 8)), "load.training.days_each.one") is None


def test_a_long_chain_over_small_cards_is_planned_at_a_quarter_of_the_peak() -> None:
    task: dict[str, Any] = {"weights": "bf16", "task": "pretrain", "sequence_tokens": 2048, "training_tokens": 4e11}
    small = _billions("llama-3.3-70b", task, *[(EIGHT, "nvidia-a100-pcie-40gb", 8)] * 4, link="ib-ndr")
    text = told(small, "load.training.days.many").text
    assert text.get("low_share") == 0.25
    # 6 x 70.6e9 x 4e11 / (0.25 x 312e12 x 86,400) = 25,100 GPU-days
    assert text.get("gpudays") == pytest.approx(25_100, rel=0.05)
    inverse = told(small, "load.training.inverse").text
    days, each = inverse.get("finish_days"), inverse.get("each_tflops")
    assert isinstance(days, int)
    assert each == pytest.approx(6 * 70.6e9 * 4e11 / (32 * days * 86_400) / 1e12, rel=0.02)
    # Adapters stand on a trained model: no way out for a training from scratch.
    ways = next(each for each in small.findings if each.text.code.startswith("finding.load.training.ways"))
    assert ways.text.code.endswith(".scratch")


def test_a_training_is_one_job_and_goes_on_only_where_its_state_fits() -> None:
    many = _billions("llama-3.3-70b", FULL, *[(HGX, H100, 8)] * 4, link="ib-ndr")
    runs = [each.code for each in many.verdict.reasons if each.code.startswith("reason.run")]
    assert all(each.startswith("reason.run.job.") for each in runs)
    repair = told(many, "failure.repair.shrinks").text.get("needed_cards")
    assert isinstance(repair, int)
    assert repair >= 16 * 70.6 / 80


def test_one_node_that_is_enough_gives_the_figures() -> None:
    box = ("epyc-sp3-7slot-openframe", R3090, 2)
    pair = _billions("llama-3.2-1b", FULL, box, box)
    run = next(each for each in pair.verdict.reasons if each.code.startswith("reason.run"))
    assert run.get("used_gpus") == 2
    assert told(pair, "load.training.state").text.get("gpus") == 2
