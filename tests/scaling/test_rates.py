"""Work of a stage and the rates it meets: counts that can be checked by hand."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from configurator.catalogue import load_catalogue
from configurator.scaling.calibration import rates_of, speed_table
from configurator.scaling.rates import before, gpu_class, path_of, power_share
from configurator.scaling.roofline import bind_stage, distinct_experts, kept_stage, stage_step
from configurator.scaling.work import cache_element_scale, stage_work
from tests.scaling.plans import H100, PRO_6000, RTX_3090, RTX_4090, SPARK

CATALOGUE = load_catalogue()
FORMATS = CATALOGUE.weight_formats


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        (H100, "hopper"),
        (PRO_6000, "blackwell_gddr"),
        (RTX_4090, "ada"),
        (RTX_3090, "ampere_gddr"),
        (SPARK, "unified"),
        ("nvidia-b200", "blackwell_hbm"),
        ("nvidia-a100-sxm4-80gb", "ampere_hbm"),
        ("amd-mi300x", "cdna"),
    ],
)
def test_cards_fall_into_classes(card: str, kind: str) -> None:
    assert gpu_class(CATALOGUE.gpus[card]) == kind


def test_eight_bit_floats_run_natively_or_as_packed_weights() -> None:
    assert path_of(8.0, FORMATS["fp8"], CATALOGUE.gpus[H100]) == "fp8"
    assert path_of(8.0, FORMATS["fp8"], CATALOGUE.gpus[RTX_3090]) == "wo8"
    assert path_of(4.5, FORMATS["nvfp4"], CATALOGUE.gpus[PRO_6000]) == "fp4"
    assert path_of(4.5, FORMATS["nvfp4"], CATALOGUE.gpus[H100]) == "wo4"
    assert path_of(16.0, FORMATS["fp8"], CATALOGUE.gpus[H100]) == "bf16"


def test_weights_of_all_ranks_and_stages_add_up() -> None:
    model, form = CATALOGUE.models["llama-3.3-70b"], FORMATS["fp8"]
    whole = stage_work(model, form)
    held = sum(each.weight_bytes for each in whole.matrices) + (whole.head.weight_bytes if whole.head else 0.0)
    assert held == pytest.approx(70.6e9, rel=0.05)
    sliced = stage_work(model, form, 4)
    assert sum(each.weight_bytes for each in sliced.matrices) == pytest.approx(
        sum(each.weight_bytes for each in whole.matrices) / 4, rel=0.02
    )
    first, second = stage_work(model, form, 1, 1, 1, 0, 40), stage_work(model, form, 1, 1, 1, 40, 40)
    assert first.head is None
    assert second.head is not None
    assert sum(each.weight_bytes for part in (first, second) for each in part.matrices) == pytest.approx(
        sum(each.weight_bytes for each in whole.matrices)
    )


def test_equal_stages_are_one_object() -> None:
    model, form = CATALOGUE.models["llama-3.3-70b"], FORMATS["fp8"]
    gpu = CATALOGUE.gpus[H100]
    early, late = stage_work(model, form, 2, 1, 1, 0, 20), stage_work(model, form, 2, 1, 1, 20, 20)
    assert early is late
    rates = rates_of(gpu, "vllm")
    assert kept_stage(early, rates, form, gpu) is kept_stage(late, rates, form, gpu)
    assert bind_stage(early, rates, form, gpu) == kept_stage(early, rates, form, gpu)


@given(st.integers(8, 512), st.integers(1, 16), st.floats(0.0, 4096.0), st.floats(0.0, 4096.0))
def test_more_tokens_never_touch_fewer_experts(routed: int, chosen: int, few: float, more: float) -> None:
    per_token = min(chosen, routed)
    low, high = sorted((few, more))
    a, b = (distinct_experts(routed, per_token, each, 0.95) for each in (low, high))
    assert a <= b * (1 + 1e-9)
    assert b <= routed * (1 + 1e-9)
    assert distinct_experts(routed, per_token, 1.0, 0.95) == per_token


def test_attention_over_a_window_stops_at_the_window() -> None:
    model, gpu = CATALOGUE.models["gpt-oss-20b"], CATALOGUE.gpus[H100]
    form = FORMATS["mxfp4"]
    stage = bind_stage(stage_work(model, form), rates_of(gpu, "vllm"), form, gpu)

    def spent(context: float) -> float:
        return stage_step(stage, None, 64.0, context, 1.0).total_s

    growth = (spent(65536.0) - spent(32768.0)) / (spent(32768.0) - spent(1024.0))
    assert growth == pytest.approx(32768 / 31744, rel=0.1)
    windowed = sum(group.layers for group in stage.work.attention if group.window_tokens)
    assert windowed == model.layers // 2


def test_cache_precision_scales_what_is_read() -> None:
    assert cache_element_scale("auto") == 1.0
    assert cache_element_scale("fp8") == 0.5


def test_versions_compare_by_number() -> None:
    assert before("0.11.0", "0.16")
    assert not before("0.16.2", "0.16")
    assert not before("1.3.0rc5", "1.2")
    assert before("1.0.0", "1.2")
    assert not before("latest", "0.16")


@given(st.sampled_from(sorted(CATALOGUE.gpus)), st.floats(0.2, 1.0), st.floats(0.2, 1.0))
def test_more_power_never_slows_a_card(card: str, a: float, b: float) -> None:
    gpu = CATALOGUE.gpus[card]
    low, high = sorted((a, b))
    shares = [power_share(speed_table(), gpu, gpu.power_w.value * each) for each in (low, high)]
    assert 0.0 < shares[0] <= shares[1] <= 1.0
