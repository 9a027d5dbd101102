"""Serving speed: floors from arithmetic, what limits it, ranges, power limits, one fast answer against many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from configurator.catalogue import load_catalogue
from configurator.plan.model import Plan, Policy, Workload
from configurator.scaling.calibration import covered, rates_of, speed_table
from configurator.scaling.judge import joined_speed
from configurator.scaling.rates import power_share
from configurator.scaling.results import Instance, Layout, Speed
from configurator.scaling.serving import (
    NEW_TOKENS,
    ServingLoad,
    estimate_serving,
    lengths_of,
    load_of,
    plain_engine,
    prefill_time_s,
    step_time_s,
)
from configurator.scaling.standard import standard_comm
from configurator.scaling.steady import Demand, run
from configurator.scaling.topology import build_topology
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad, ServeSettings
from configurator.sizing.shape import stage_layers
from configurator.wording import TEXTS
from tests.scaling.plans import H100, PRO_6000, ROOTS, RTX_4090, RTX_5090, SWITCHED, one_box

CATALOGUE = load_catalogue()
LLAMA: Final = CATALOGUE.models["llama-3.3-70b"]
FP8: Final = CATALOGUE.weight_formats["fp8"]
AWQ: Final = CATALOGUE.weight_formats["awq-int4"]
SCENARIOS: Final = ("low", "expected", "high")


def estimate(
    plan: Plan,
    model: str = "llama-3.3-70b",
    weights: str = "fp8",
    layout: Layout | None = None,
    users: float | None = 16.0,
    context: int = 4096,
    engine: str = "vllm",
    **load: Any,
) -> Speed:
    topologies = tuple(build_topology(plan, CATALOGUE, scenario) for scenario in SCENARIOS)
    assert len(topologies) == 3
    chosen = layout or Layout(engine, 1, 1, len(topologies[1].devices))
    shape, form = CATALOGUE.models[model], CATALOGUE.weight_formats[weights]
    ids = list(topologies[1].devices)
    per_copy = chosen.tensor_parallel * chosen.pipeline_parallel
    width = chosen.tensor_parallel
    copies = tuple(
        Instance(
            tuple(
                tuple(ids[copy * per_copy + stage * width : copy * per_copy + (stage + 1) * width])
                for stage in range(chosen.pipeline_parallel)
            ),
            tuple(stage_layers(shape.layers, chosen.pipeline_parallel)),
        )
        for copy in range(chosen.replicas)
    )
    memory = size_serving(
        shape,
        form,
        ServeSettings(engine=engine, max_model_len=context * 2),
        chosen,
        copies,
        {gpu: device.memory for gpu, device in topologies[1].devices.items()},
        ServeLoad(None if users is None else max(1, round(users)), context, context * 2),
        Policy(),
    )
    asked = ServingLoad(float(context), 256.0, users=users, **load)
    return estimate_serving(
        shape, form, "auto", engine, chosen, copies, (topologies[0], topologies[1], topologies[2]), asked, memory
    )


@pytest.mark.parametrize(
    ("model", "weights", "tuned_ms", "untuned_ms"),
    [
        ("llama-3.3-70b", "fp8", 5.23 + 3.92, 5.23 + 7.68),
        ("llama-3.3-70b", "awq-int4", 2.79 + 3.92, 2.79 + 7.68),
        ("llama-3.1-405b", "fp8", 27.9 + 6.17, 27.9 + 12.1),
    ],
)
def test_a_single_stream_stays_above_its_floor(model: str, weights: str, tuned_ms: float, untuned_ms: float) -> None:
    """Weights over bandwidth plus two all-reduces per layer on eight PRO 6000; measured runs took up to four times."""
    gpu = CATALOGUE.gpus[PRO_6000]
    found = 1e3 * step_time_s(
        CATALOGUE.models[model],
        CATALOGUE.weight_formats[weights],
        gpu,
        batch=1.0,
        context_tokens=128.0,
        tensor_parallel=8,
        links=standard_comm(gpu, 8),
    )
    assert tuned_ms < found < 4.0 * untuned_ms


def test_batching_spreads_the_fixed_cost() -> None:
    """R44: sixty-four people together get far more than sixty-four times nothing: the weights are read once."""
    gpu = CATALOGUE.gpus[PRO_6000]
    one = 1.0 / step_time_s(LLAMA, AWQ, gpu, batch=1.0, context_tokens=1024.0)
    many = 64.0 / step_time_s(LLAMA, AWQ, gpu, batch=64.0, context_tokens=1024.0)
    assert 10.0 < many / one <= 64.0


def test_a_full_node_passes_two_thousand_tokens_per_second() -> None:
    """R46: the text says 500 to 2,000 for 70B FP8 on eight cards; four RTX 5090 alone were measured at 1,223."""
    box = one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8)
    short = estimate(box, layout=Layout("vllm", 4, 1, 2), users=128.0, context=512)
    assert short.output_tokens_per_s.expected > 2000.0
    long = estimate(box, layout=Layout("vllm", 4, 1, 2), users=128.0, context=4096)
    assert long.output_tokens_per_s.expected > 500.0


def test_a_far_link_costs_tensor_parallelism_but_not_prompts() -> None:
    """R37: a tenth of a millisecond rounds away in a prompt of 8,192 tokens and counts twice per layer in a step."""

    class Late:
        def __init__(self, step_s: float) -> None:
            self.step_s = step_s

        def all_reduce_s(self, nbytes: float) -> float:
            return self.step_s + 2.0 * nbytes / 25e9

        all_gather_s = reduce_scatter_s = all_reduce_s

    gpu = CATALOGUE.gpus[PRO_6000]
    step = [
        step_time_s(LLAMA, FP8, gpu, batch=1.0, context_tokens=1024.0, tensor_parallel=2, links=Late(late))
        for late in (0.0, 1e-4)
    ]
    prompt = [
        prefill_time_s(LLAMA, FP8, gpu, prompt_tokens=8192.0, tensor_parallel=2, links=Late(late))
        for late in (0.0, 1e-4)
    ]
    assert step[1] / step[0] - 1.0 > 0.2
    assert prompt[1] / prompt[0] - 1.0 < 0.02


def test_half_the_power_keeps_more_than_half_the_speed() -> None:
    """A measured sweep of a 600 W card: 300 W keep about 55 % of a compute-bound job."""
    gpu = CATALOGUE.gpus[PRO_6000]
    share = power_share(speed_table(), gpu, 300.0)
    assert 0.45 < share < 0.65
    assert power_share(speed_table(), gpu, 600.0) == pytest.approx(1.0)
    full, half = rates_of(gpu, "vllm", 600.0), rates_of(gpu, "vllm", 300.0)
    assert dict(half.paths)["fp8"].flops_per_s < dict(full.paths)["fp8"].flops_per_s
    assert dict(half.paths)["fp8"].bytes_per_s >= 0.9 * dict(full.paths)["fp8"].bytes_per_s


def test_what_limits_the_speed_is_named() -> None:
    box = one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8)
    alone = Layout("vllm", 8, 1, 1)
    assert estimate(box, weights="awq-int4", layout=alone, users=8.0, context=1024).limited_by.code == (
        "limited.memory_bandwidth"
    )
    roots = one_box(CATALOGUE, ROOTS, *[RTX_4090] * 8)
    wide = estimate(roots, weights="awq-int4", users=32.0, context=2048)
    assert wide.limited_by.code == "limited.link"
    assert dict(wide.limited_by.params)["link_id"]
    reading = estimate(one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8), layout=alone, users=64.0, context=16_000)
    assert reading.limited_by.code in {"limited.compute", "limited.kv_capacity"}


def test_a_queue_in_front_is_called_saturated() -> None:
    box = one_box(CATALOGUE, SWITCHED, PRO_6000)
    calm = estimate(box, weights="awq-int4", users=4.0, context=8192)
    full = estimate(box, weights="awq-int4", users=400.0, context=8192)
    assert not calm.saturated
    assert full.saturated
    assert full.limited_by.code == "limited.kv_capacity"
    assert full.users_in_flight.expected < 400.0
    assert full.time_to_first_token_s.expected > 5.0 * calm.time_to_first_token_s.expected


def test_a_person_may_ask_for_a_least_rate() -> None:
    box = one_box(CATALOGUE, SWITCHED, PRO_6000)
    free = estimate(box, weights="awq-int4", users=64.0, context=2048)
    held = estimate(box, weights="awq-int4", users=64.0, context=2048, tokens_per_s_per_user_limit=20.0)
    assert free.output_tokens_per_s_per_user.expected < 20.0 <= held.output_tokens_per_s_per_user.expected * 1.001
    assert held.output_tokens_per_s.expected < free.output_tokens_per_s.expected
    assert held.limited_by.code == "limited.latency_target"
    assert held.saturated


def test_goodput_counts_answers_within_both_limits() -> None:
    box = one_box(CATALOGUE, SWITCHED, PRO_6000)
    free = estimate(box, weights="awq-int4", users=32.0, context=4096)
    assert free.goodput_tokens_per_s is None
    easy = estimate(box, weights="awq-int4", users=32.0, context=4096, time_to_first_token_limit_s=600.0)
    assert easy.goodput_tokens_per_s is not None
    assert easy.goodput_tokens_per_s.expected == pytest.approx(easy.output_tokens_per_s.expected)
    tight = estimate(box, weights="awq-int4", users=32.0, context=4096, time_to_first_token_limit_s=3.0)
    assert tight.goodput_tokens_per_s is not None
    assert 0.0 < tight.goodput_tokens_per_s.expected < 0.9 * tight.output_tokens_per_s.expected
    both = joined_speed([easy], [2]).goodput_tokens_per_s
    assert both is not None
    assert both.expected == pytest.approx(2 * easy.goodput_tokens_per_s.expected)
    never = estimate(box, weights="awq-int4", users=32.0, context=4096, time_to_first_token_limit_s=1e-3)
    assert never.goodput_tokens_per_s is not None
    assert never.goodput_tokens_per_s.expected == 0.0


def test_ranges_are_in_order_and_wider_outside_every_calibrated_class() -> None:
    known = estimate(one_box(CATALOGUE, SWITCHED, H100), weights="fp8", users=4.0)
    for each in (
        known.output_tokens_per_s,
        known.output_tokens_per_s_per_user,
        known.time_to_first_token_s,
        known.time_per_output_token_s,
        known.prefill_tokens_per_s,
        known.users_in_flight,
    ):
        assert each.low <= each.expected <= each.high
    assert known.calibrated
    odd = estimate(one_box(CATALOGUE, SWITCHED, "amd-mi210"), weights="fp16", model="llama-3.1-8b", users=4.0)
    assert not odd.calibrated
    widths = [each.time_per_output_token_s.high / each.time_per_output_token_s.low for each in (known, odd)]
    assert widths[1] > widths[0]


def test_the_slowest_card_of_a_group_sets_the_pace() -> None:
    mixed = estimate(one_box(CATALOGUE, ROOTS, RTX_4090, RTX_5090), weights="awq-int4", model="qwen3-32b", users=4.0)
    slow = estimate(one_box(CATALOGUE, ROOTS, RTX_4090, RTX_4090), weights="awq-int4", model="qwen3-32b", users=4.0)
    assert mixed.time_per_output_token_s.expected == pytest.approx(slow.time_per_output_token_s.expected, rel=0.1)


def test_four_cards_without_peer_access_do_better_as_a_pipeline() -> None:
    """Measured on four RTX 5090 with many requests: pipeline 2.0 times tensor parallelism; alone it is the reverse."""
    box = one_box(CATALOGUE, ROOTS, *[RTX_5090] * 4)
    many = {
        name: estimate(box, weights="awq-int4", layout=layout, users=64.0, context=1024)
        for name, layout in (("tp", Layout("vllm", 1, 1, 4)), ("pp", Layout("vllm", 1, 4, 1)))
    }
    assert many["pp"].output_tokens_per_s.expected > many["tp"].output_tokens_per_s.expected
    alone = {
        name: estimate(box, weights="awq-int4", layout=layout, users=1.0, context=1024)
        for name, layout in (("tp", Layout("vllm", 1, 1, 4)), ("pp", Layout("vllm", 1, 4, 1)))
    }
    assert alone["tp"].output_tokens_per_s.expected > alone["pp"].output_tokens_per_s.expected


def test_experts_are_read_as_far_as_the_batch_needs_them() -> None:
    gpu, model = CATALOGUE.gpus[H100], CATALOGUE.models["qwen3-30b-a3b"]
    alone = step_time_s(model, FP8, gpu, batch=1.0, context_tokens=512.0)
    full = step_time_s(model, FP8, gpu, batch=256.0, context_tokens=512.0)
    dense = step_time_s(CATALOGUE.models["qwen3-32b"], FP8, gpu, batch=1.0, context_tokens=512.0)
    assert alone < 0.5 * dense
    assert full > 1.5 * alone


def test_a_request_far_away_waits_for_the_network() -> None:
    box = one_box(CATALOGUE, SWITCHED, PRO_6000)
    near = estimate(box, weights="awq-int4", users=2.0)
    far = estimate(box, weights="awq-int4", users=2.0, network_s=0.05)
    assert far.time_to_first_token_s.expected - near.time_to_first_token_s.expected == pytest.approx(0.05)


def test_people_who_begin_together_wait_for_each_other() -> None:
    box = one_box(CATALOGUE, SWITCHED, PRO_6000)
    rush = estimate(box, weights="awq-int4", users=16.0, requests_per_user=1.0)
    usual = estimate(box, weights="awq-int4", users=16.0)
    spread = estimate(box, weights="awq-int4", users=16.0, requests_per_user=float("inf"))
    times = [each.time_to_first_token_s.expected for each in (spread, usual, rush)]
    assert times[0] < times[1] < times[2]
    assert rush.time_per_output_token_s.expected == pytest.approx(usual.time_per_output_token_s.expected, rel=0.3)


def test_prompt_and_answer_come_from_what_was_said() -> None:
    assert lengths_of(Workload(id="w", name="w", input_tokens=1000, output_tokens=300)) == (1000.0, 300.0)
    prompt, answer = lengths_of(Workload(id="w", name="w", context_tokens=8192))
    assert prompt + answer / 2.0 == pytest.approx(8192.0)
    load = load_of(Workload(id="w", name="w", context_tokens=8192, prefix_cache_hit_share=0.5), 3.0)
    assert load.users == 3.0
    # In a chat of unknown prompts the engine reads only what is new; a stated prompt and a batch are read whole.
    assert load.input_tokens * (1 - load.prefix_cache_hit_share) == pytest.approx(NEW_TOKENS)
    said = Workload(id="w", name="w", input_tokens=8000, output_tokens=300, prefix_cache_hit_share=0.5)
    assert load_of(said, 3.0).prefix_cache_hit_share == 0.5
    assert load_of(Workload(id="w", name="w", context_tokens=8192, task="batch"), 3.0).prefix_cache_hit_share == 0.0


def test_every_limit_has_words() -> None:
    for code in (
        "memory_bandwidth",
        "compute",
        "link",
        "launch",
        "kv_capacity",
        "max_num_seqs",
        "latency_target",
        "pipeline_bubble",
    ):
        assert f"limited.{code}" in TEXTS


def test_covered_tells_classes_and_engines_apart() -> None:
    assert covered(CATALOGUE.gpus[H100], LLAMA, FP8, "vllm")
    assert not covered(CATALOGUE.gpus[RTX_4090], LLAMA, FP8, "tensorrt-llm")
    assert not covered(CATALOGUE.gpus["amd-mi210"], LLAMA, FP8, "vllm")


def test_no_copy_is_an_error() -> None:
    topology = build_topology(one_box(CATALOGUE, SWITCHED, PRO_6000), CATALOGUE, "expected")
    memory = size_serving(
        LLAMA,
        AWQ,
        ServeSettings(max_model_len=4096),
        Layout("vllm", 1, 1, 1),
        (Instance((tuple(topology.devices),), (LLAMA.layers,)),),
        {gpu: device.memory for gpu, device in topology.devices.items()},
        ServeLoad(1, 4096, 4096),
        Policy(),
    )
    with pytest.raises(ValueError, match="no copy"):
        estimate_serving(
            LLAMA,
            AWQ,
            "auto",
            "vllm",
            Layout("vllm", 1, 1, 1),
            (),
            (topology, topology, topology),
            ServingLoad(1000.0, 100.0, users=1.0),
            memory,
        )


def test_a_queue_limit_of_the_engine_is_named() -> None:
    made = plain_engine(
        LLAMA, FP8, CATALOGUE.gpus[H100], tensor_parallel=4, links=standard_comm(CATALOGUE.gpus[H100], 4)
    )
    found = run(replace(made, max_sequences=8), Demand(512.0, 128.0, users=32.0))
    assert found.saturated
    assert found.limit == "max_num_seqs"
    assert found.waiting == pytest.approx(24.0)
