"""Training speed: published arithmetic, laws, and what slows a job down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from configurator.catalogue import load_catalogue
from configurator.plan.model import Plan, Workload
from configurator.scaling.results import Instance, Layout, TrainingSpeed
from configurator.scaling.standard import standard_comm
from configurator.scaling.topology import build_topology
from configurator.scaling.training import (
    MONTH_S,
    TrainingLoad,
    TrainPlan,
    estimate_training,
    model_flops_per_token,
    passes,
    step_time,
    train_shape,
    training_load,
)
from configurator.sizing.shape import stage_layers
from tests.scaling.plans import H100, PRO_6000, ROOTS, RTX_4090, SWITCHED, one_box, two_boxes

CATALOGUE = load_catalogue()
LLAMA: Final = CATALOGUE.models["llama-3.1-70b"]
SMALL: Final = CATALOGUE.models["llama-3.1-8b"]
BF16: Final = CATALOGUE.weight_formats["bf16"]
PLAN: Final = TrainPlan("full", "bf16", 4096, 1, 8, 8, 1, 1, 1.0, 3, 2.0)


@dataclass(frozen=True)
class Line:
    bytes_per_s: float

    def all_reduce_s(self, size_bytes: float) -> float:
        return 2e-5 + 2.0 * size_bytes / self.bytes_per_s

    def all_gather_s(self, size_bytes: float) -> float:
        return 2e-5 + size_bytes / self.bytes_per_s

    def reduce_scatter_s(self, size_bytes: float) -> float:
        return 2e-5 + size_bytes / self.bytes_per_s


def estimate(plan: Plan, model: str, weights: str, copies: int, tensor: int = 1, **fields: Any) -> TrainingSpeed:
    topologies = (
        build_topology(plan, CATALOGUE, "low"),
        build_topology(plan, CATALOGUE, "expected"),
        build_topology(plan, CATALOGUE, "high"),
    )
    shape = CATALOGUE.models[model]
    ids = list(topologies[1].devices)
    instances = [
        Instance((tuple(ids[copy * tensor : (copy + 1) * tensor]),), tuple(stage_layers(shape.layers, 1)))
        for copy in range(copies)
    ]
    load = TrainingLoad(**{"task": "full", "sequence_tokens": 4096, "micro_batch": 1, **fields})
    return estimate_training(
        shape, CATALOGUE.weight_formats[weights], load, Layout("trainer", copies, 1, tensor), instances, topologies
    )


@pytest.mark.parametrize(("tokens", "months"), [(1.5e12, 604.0), (15e12, 6045.0)])
def test_gpu_months_of_a_70b_from_scratch(tokens: float, months: float) -> None:
    """R32: 6 P T over 400 TFLOP/s; about 15 T tokens were published as 9,589 GPU-months (7.0 million hours)."""
    simple = 6.0 * 70.6e9 * tokens / 400e12 / MONTH_S
    assert simple == pytest.approx(months, rel=0.01)
    ours = model_flops_per_token(train_shape(LLAMA), 8192) * tokens / 400e12 / MONTH_S
    assert months < ours < 1.25 * months
    assert pytest.approx(9589.0, rel=0.001) == 7.0e6 * 3600.0 / MONTH_S


def test_pre_training_on_eight_h100_comes_out_between_computed_and_published() -> None:
    """At 15 T tokens the arithmetic says 6,045 GPU-months and the makers used 9,589."""
    found = estimate(
        one_box(CATALOGUE, "hgx-h100-8", *[H100] * 8), "llama-3.1-70b", "bf16", 8, task="pretrain", tokens=15e12
    )
    assert found.gpu_months is not None
    assert found.gpu_months.low < 9589.0
    assert 6045.0 * 0.8 < found.gpu_months.expected < 9589.0 * 1.2
    assert found.time_to_finish_s is not None
    assert found.time_to_finish_s.expected * 8 / MONTH_S == pytest.approx(found.gpu_months.expected)


def test_passes_follow_the_task() -> None:
    assert passes(PLAN) == 4.0
    assert passes(replace(PLAN, recompute=0.0)) == 3.0
    assert passes(replace(PLAN, task="lora")) == 3.0


def test_adapters_train_faster_than_everything_and_packed_weights_cost_unpacking() -> None:
    gpu = CATALOGUE.gpus[PRO_6000]
    shape = train_shape(SMALL)
    alone = replace(PLAN, data_ranks=1, zero_stage=0)
    full = step_time(shape, alone, gpu, None).total_s
    lora = step_time(shape, replace(alone, task="lora"), gpu, None).total_s
    packed = step_time(shape, replace(alone, task="qlora", base_bytes=0.5), gpu, None).total_s
    assert lora < packed < full


@given(
    st.sampled_from(sorted(CATALOGUE.gpus)),
    st.sampled_from(("full", "lora", "qlora", "pretrain")),
    st.integers(1, 16),
    st.sampled_from((1, 2, 4)),
    st.sampled_from((0, 1, 3)),
    st.floats(1e9, 4e11),
    st.floats(1.0, 20.0),
)
@settings(max_examples=100, deadline=None)
def test_a_faster_link_never_slows_a_job(
    card: str, task: str, ranks: int, tensor: int, stage: int, rate: float, factor: float
) -> None:
    gpu, shape = CATALOGUE.gpus[card], train_shape(SMALL)
    plan = TrainPlan(
        "full" if task == "full" else "lora" if task == "lora" else "qlora" if task == "qlora" else "pretrain",
        "bf16",
        2048,
        1,
        8,
        ranks,
        tensor,
        1,
        1.0,
        stage,
        2.0,
    )
    slow, fast = Line(rate), Line(rate * factor)
    assert step_time(shape, plan, gpu, fast, fast).total_s <= step_time(shape, plan, gpu, slow, slow).total_s * 1.0001


@given(st.sampled_from(sorted(CATALOGUE.gpus)), st.floats(0.3, 1.0))
@settings(max_examples=60, deadline=None)
def test_less_power_never_speeds_a_job_up(card: str, share: float) -> None:
    gpu, shape = CATALOGUE.gpus[card], train_shape(SMALL)
    alone = replace(PLAN, data_ranks=1, zero_stage=0)
    full = step_time(shape, alone, gpu, None).total_s
    held = step_time(shape, alone, gpu, None, power_limit_w=gpu.power_w.value * share).total_s
    assert held >= full * 0.9999


def test_data_parallel_crosses_100_gbit_ethernet_far_better_than_tensor_parallel() -> None:
    """R40, on two boxes: data ranks meet once per step, tensor ranks in every layer."""
    gpu = CATALOGUE.gpus[PRO_6000]
    link = CATALOGUE.links["eth-100g-roce"]
    shape = train_shape(SMALL)
    one = step_time(shape, replace(PLAN, zero_stage=1), gpu, standard_comm(gpu, 8, graphs=False))
    two = step_time(
        shape, replace(PLAN, data_ranks=16, zero_stage=1), gpu, standard_comm(gpu, 8, 2, link, graphs=False)
    )
    assert one.total_s / two.total_s > 0.8
    wide = replace(PLAN, data_ranks=1, zero_stage=0, tensor=16)
    narrow = replace(wide, tensor=8)
    far = step_time(shape, wide, gpu, None, standard_comm(gpu, 8, 2, link, graphs=False))
    near = step_time(shape, narrow, gpu, None, standard_comm(gpu, 8, graphs=False))
    assert near.total_s / (2.0 * far.total_s) < 0.4


def test_pcie_cards_pay_little_for_adapters_and_much_for_tensor_parallel_training() -> None:
    """R43: of the same arithmetic, the PCIe link costs little in a fine-tune of a fixed model and 2-3 times with TP."""
    gpu = CATALOGUE.gpus[PRO_6000]
    fast, slow = Line(4e11), standard_comm(gpu, 8, graphs=False)
    shape = train_shape(SMALL)
    tune = replace(PLAN, task="lora", zero_stage=0)
    assert step_time(shape, tune, gpu, slow).total_s / step_time(shape, tune, gpu, fast).total_s < 1.4
    wide = replace(PLAN, data_ranks=1, zero_stage=0, tensor=8, task="pretrain")
    big = train_shape(LLAMA)
    ratio = step_time(big, wide, gpu, None, slow).total_s / step_time(big, wide, gpu, None, fast).total_s
    assert 1.6 < ratio < 4.0


def test_more_micro_batches_thin_out_the_bubble() -> None:
    gpu, shape = CATALOGUE.gpus[H100], train_shape(LLAMA)
    piped = replace(PLAN, data_ranks=1, zero_stage=0, pipeline=4)
    few = step_time(shape, replace(piped, micro_steps=4), gpu, None)
    many = step_time(shape, replace(piped, micro_steps=64), gpu, None)
    assert few.bubble_s / few.total_s > 3.0 * many.bubble_s / many.total_s


def test_weights_in_host_memory_slow_a_job_down() -> None:
    box = one_box(CATALOGUE, ROOTS, RTX_4090)
    inside = estimate(box, "llama-3.1-8b", "nf4", 1, task="qlora")
    outside = estimate(box, "llama-3.1-8b", "nf4", 1, task="qlora", offload=True)
    assert outside.tokens_per_s.expected < inside.tokens_per_s.expected


def test_ranges_finish_times_and_utilisation_agree() -> None:
    found = estimate(one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8), "llama-3.1-8b", "bf16", 8, tokens=1e9)
    assert found.tokens_per_s.low < found.tokens_per_s.expected < found.tokens_per_s.high
    assert found.time_to_finish_s is not None
    assert found.time_to_finish_s.expected == pytest.approx(1e9 / found.tokens_per_s.expected)
    assert found.time_to_finish_s.low == pytest.approx(1e9 / found.tokens_per_s.high)
    assert 0.1 < found.model_flops_utilisation.expected < 0.8
    assert found.limited_by.code.startswith("limited.")


def test_copies_without_a_link_do_not_train_together() -> None:
    apart = two_boxes(CATALOGUE, None, SWITCHED, PRO_6000)
    assert estimate(apart, "llama-3.1-8b", "bf16", 2).tokens_per_s.expected < 1.0


def test_a_chat_is_no_training_load() -> None:
    with pytest.raises(ValueError, match="not a training task"):
        training_load(Workload(id="w", name="w", task="chat"))
    topology = build_topology(one_box(CATALOGUE, SWITCHED, PRO_6000), CATALOGUE, "expected")
    nobody = Layout("trainer", 1, 1, 1)
    with pytest.raises(ValueError, match="no copy"):
        estimate_training(SMALL, BF16, TrainingLoad("full"), nobody, (), (topology, topology, topology))
