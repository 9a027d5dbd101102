"""Efficiency against the smallest copy: the floor, the fabric that would pass, replicas without a fabric, training."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from configurator.catalogue import load_catalogue
from configurator.plan.model import Plan, Policy, Workload
from configurator.scaling.efficiency import efficiency
from configurator.scaling.layouts import score_layouts
from configurator.scaling.results import Efficiency, EfficiencyPoint
from configurator.scaling.topology import build_topology
from tests.scaling.plans import PRO_6000, ROOTS, RTX_4090, SPARK, SWITCHED, WORKSTATION, one_box, two_boxes

CATALOGUE = load_catalogue()


def work(model: str, weights: str = "fp8", **fields: object) -> Workload:
    given_fields = {"users": 16, "context_tokens": 8192, "input_tokens": 2048, "output_tokens": 256, **fields}
    return Workload.model_validate({"id": "w", "name": "w", "model": model, "weights": weights, **given_fields})


def curve(plan: Plan, workload: Workload) -> Efficiency:
    topologies = (
        build_topology(plan, CATALOGUE, "low"),
        build_topology(plan, CATALOGUE, "expected"),
        build_topology(plan, CATALOGUE, "high"),
    )
    found = efficiency(
        plan,
        workload,
        CATALOGUE.models[workload.model or ""],
        CATALOGUE.weight_formats[workload.weights],
        topologies,
        Policy(),
        CATALOGUE,
    )
    assert found is not None
    return found


def points(found: Efficiency, mode: str) -> dict[int, EfficiencyPoint]:
    return {each.gpus: each for each in found.points if each.mode == mode}


def test_copies_scale_without_any_fabric() -> None:  # R04, R40
    found = curve(two_boxes(CATALOGUE, None, SWITCHED, *[PRO_6000] * 8), work("llama-3.1-8b"))
    copies = points(found, "dp")
    assert max(copies) == 16
    assert all(each.efficiency.expected == pytest.approx(1.0) for each in copies.values())
    assert copies[16].nodes == 2
    assert not points(found, "tp_across")


def test_tensor_parallel_of_a_small_model_on_pcie_falls_below_the_floor() -> None:  # R41
    found = curve(one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8), work("llama-3.1-8b", users=256))
    tensor = points(found, "tp")
    assert tensor[1].efficiency.expected == pytest.approx(1.0)
    assert tensor[8].efficiency.expected < Policy().efficiency_floor
    assert tensor[8].efficiency.low <= tensor[8].efficiency.expected <= tensor[8].efficiency.high
    assert points(found, "best")[8].tokens_per_s.expected >= points(found, "dp")[8].tokens_per_s.expected


def test_slow_ethernet_names_the_fabric_that_would_pass() -> None:  # R39, R41
    plan = two_boxes(CATALOGUE, "eth-10g", ROOTS, *[PRO_6000] * 4)
    found = curve(plan, work("llama-3.3-70b"))
    across = points(found, "tp_across")
    inside = points(found, "tp")
    assert across[8].efficiency.expected < 0.6
    assert across[4].tokens_per_s.expected < inside[4].tokens_per_s.expected
    assert found.fabric_needed_bytes_per_s is not None
    assert found.fabric_needed_bytes_per_s > CATALOGUE.links["eth-10g"].bandwidth.value


def test_splitting_the_same_cards_over_two_servers_is_never_better() -> None:  # R39
    for kind in ("eth-25g", "eth-200g-roce", "ib-ndr"):
        plan = two_boxes(CATALOGUE, kind, ROOTS, *[PRO_6000] * 4)
        found = curve(plan, work("llama-3.3-70b"))
        assert points(found, "tp_across")[4].tokens_per_s.expected <= points(found, "tp")[4].tokens_per_s.expected


def test_two_sparks_are_the_counter_example() -> None:
    """Slow memory, microsecond link, few users: one model over both beats a copy in each (measured 5-30 % ahead)."""
    plan = two_boxes(CATALOGUE, "eth-200g-roce", "dgx-spark", SPARK)
    found = curve(plan, work("gpt-oss-120b", "mxfp4", users=2))
    across = points(found, "tp_across")[2]
    copies = points(found, "dp")[2]
    assert across.efficiency.expected > 1.0
    assert across.tokens_per_s.expected > copies.tokens_per_s.expected
    assert found.fabric_needed_bytes_per_s is None


def test_a_model_of_several_servers_has_them_as_its_baseline() -> None:
    found = curve(two_boxes(CATALOGUE, "ib-ndr", SWITCHED, *[PRO_6000] * 8), work("llama-3.1-405b", "bf16", users=2))
    assert found.baseline_gpus == 16
    assert points(found, "dp")[16].nodes == 2


def test_data_parallel_training_scales_better_over_a_faster_fabric() -> None:  # R40
    shares = []
    for kind in ("eth-10g", "eth-100g-roce", "ib-ndr"):
        plan = two_boxes(CATALOGUE, kind, ROOTS, *[PRO_6000] * 4)
        job = work("llama-3.1-8b", "bf16", task="full", sequence_tokens=4096, micro_batch=1)
        shares.append(points(curve(plan, job), "dp")[8].efficiency.expected)
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]


def test_nothing_runs_no_curve() -> None:
    plan = one_box(CATALOGUE, WORKSTATION, RTX_4090)
    topology = build_topology(plan, CATALOGUE)
    model, bf16 = CATALOGUE.models["llama-3.1-405b"], CATALOGUE.weight_formats["bf16"]
    assert efficiency(plan, work("llama-3.1-405b", "bf16"), model, bf16, (topology,) * 3, Policy(), CATALOGUE) is None


@settings(max_examples=12, deadline=None)
@given(rate=st.floats(1e8, 4e10), factor=st.floats(1.0, 20.0), users=st.integers(1, 64))
def test_a_faster_link_never_lowers_throughput(rate: float, factor: float, users: int) -> None:
    best = []
    for each in (rate, rate * factor):
        plan = two_boxes(CATALOGUE, "eth-100g-roce", ROOTS, *[PRO_6000] * 4, bandwidth_bytes_per_s=each)
        workload = work("llama-3.1-405b", users=users)
        topologies = (build_topology(plan, CATALOGUE),) * 3
        model, fp8 = CATALOGUE.models["llama-3.1-405b"], CATALOGUE.weight_formats["fp8"]
        found = score_layouts(plan, workload, model, fp8, topologies, Policy(), CATALOGUE)
        speed = found[0].speed
        assert speed is not None
        best.append(speed.output_tokens_per_s.expected)
    # The steady state is found in a few rounds and is exact to a tenth of a percent.
    assert best[1] >= best[0] * (1 - 1e-3)
