"""Rules R33-R43 as arithmetic: published figures reproduced, slogans replaced by the condition they hold under."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.scaling.arithmetic import (
    REFERENCE_INSIDE_BYTES_PER_S,
    all_reduce_s,
    bandwidth_for,
    decode_tokens_per_s,
    efficiency_of,
    exposed_share,
    hand_over_bytes,
    pipeline_over_internet_tokens_per_s,
    prompt_exchange_bytes,
    split_pays,
    tensor_over_internet_s_per_token,
    tensor_training_efficiency,
)
from configurator.scaling.collectives import comm
from configurator.scaling.topology import build_topology
from tests.scaling.plans import PRO_6000, ROOTS, SPARK, two_boxes

CATALOGUE = load_catalogue()
WEIGHTS_70B_FP8_S = 70.6e9 / 1.792e12
"""RTX PRO 6000 reads a 70B model in FP8: 25 tokens/s alone."""


@pytest.mark.parametrize(
    ("between_gb_s", "efficiency"),
    [
        (None, 0.73),
        (46.0, 0.73),
        (25.0, 0.65),
        (23.0, 0.631),
        (20.2, 0.60),
        (11.5, 0.461),
        (2.9, 0.177),
        (1.15, 0.079),
        (0.11, 0.008),
    ],
)
def test_tensor_training_over_two_nodes_of_four(between_gb_s: float | None, efficiency: float) -> None:  # R39, A3b
    between = None if between_gb_s is None else between_gb_s * 1e9
    assert tensor_training_efficiency(between) == pytest.approx(efficiency, abs=0.002)


def test_the_60_percent_line_is_crossed_at_20_gb_s() -> None:  # R41
    assert bandwidth_for(0.60) == pytest.approx(20.2e9, rel=0.002)
    assert tensor_training_efficiency(bandwidth_for(0.60)) == pytest.approx(0.60)
    assert tensor_training_efficiency(11.5e9) < 0.60 < tensor_training_efficiency(23e9)


def test_splitting_over_two_nodes_is_never_better_than_inside_one() -> None:  # R39
    inside = tensor_training_efficiency(None)
    assert all(tensor_training_efficiency(rate * 1e9) <= inside for rate in (0.1, 1, 10, 36.4, 100))


def test_efficiency_is_one_over_one_plus_the_exposed_part() -> None:  # R38
    assert exposed_share(0.73) == pytest.approx(0.370, abs=0.001)
    assert efficiency_of(exposed_share(0.5)) == pytest.approx(0.5)


@pytest.mark.parametrize(("collective_s", "tokens_per_s"), [(10e-6, 47), (30e-6, 41), (100e-6, 28), (20e-3, 0.3)])
def test_tensor_parallel_of_two_by_the_collective(collective_s: float, tokens_per_s: float) -> None:  # R36
    found = decode_tokens_per_s(WEIGHTS_70B_FP8_S, 2, 80, collective_s)
    assert found == pytest.approx(tokens_per_s, rel=0.05)


def test_one_card_alone_reads_25_tokens_per_s() -> None:
    assert decode_tokens_per_s(WEIGHTS_70B_FP8_S, 1, 80, 1.0) == pytest.approx(25.4, abs=0.1)


def test_tensor_parallel_across_nodes_pays_on_slow_memory_and_microsecond_links() -> None:
    """Two DGX Sparks are the counter-example to "never across nodes": 40.6 GB read at 273 GB/s against 30 us."""
    weights_s = 40.6e9 / 273e9
    topology = build_topology(two_boxes(CATALOGUE, "eth-200g-roce", "dgx-spark", SPARK), CATALOGUE)
    pair = comm(topology, list(topology.devices))
    assert pair is not None
    small = pair.all_reduce_s(8192 * 2)
    assert split_pays(weights_s, 2, 80, small)
    gain = decode_tokens_per_s(weights_s, 2, 80, small) / decode_tokens_per_s(weights_s, 1, 80, 0.0)
    assert 1.2 <= gain <= 2.0  # measured 1.2-1.6 and 2.09


def test_tensor_parallel_across_nodes_does_not_pay_over_tcp_for_a_small_model() -> None:
    weights_s = 8e9 / 1.792e12
    topology = build_topology(two_boxes(CATALOGUE, "eth-25g", ROOTS, PRO_6000), CATALOGUE)
    pair = comm(topology, list(topology.devices))
    assert pair is not None
    assert not split_pays(weights_s, 2, 32, pair.all_reduce_s(4096 * 2))


def test_the_condition_and_the_speeds_agree() -> None:
    for weights_s in (1e-3, 1e-2, 1e-1):
        for collective_s in (1e-6, 3e-5, 1e-3):
            faster = decode_tokens_per_s(weights_s, 4, 60, collective_s) > decode_tokens_per_s(weights_s, 1, 60, 0.0)
            assert faster == split_pays(weights_s, 4, 60, collective_s)


def test_a_pipeline_hand_over_is_16_kib_per_token_of_a_70b_model() -> None:
    assert hand_over_bytes(8192) == 16 * 1024
    prompt = hand_over_bytes(8192, 8192)
    assert prompt / 0.112e9 == pytest.approx(1.2, abs=0.1)  # 1 GbE: about a second
    assert prompt / (40e6 / 8) == pytest.approx(26.8, abs=0.5)  # 40 Mb/s home uplink


def test_prompt_reading_exchanges_gigabytes() -> None:  # R37
    assert prompt_exchange_bytes(80, 8192, 8192) == pytest.approx(21.5e9, rel=0.01)


@pytest.mark.parametrize(
    ("stages", "round_trip_s", "compute_s", "accepted", "tokens_per_s"),
    [(6, 0.030, 0.046, 4.0, 17.7), (5, 0.019, 0.046, 4.5, 31.9), (1, 0.020, 0.040, 1.0, 16.7)],
)
def test_a_pipeline_over_the_internet_is_capped_by_its_round_trips(
    stages: int, round_trip_s: float, compute_s: float, accepted: float, tokens_per_s: float
) -> None:
    found = pipeline_over_internet_tokens_per_s(compute_s, round_trip_s, stages, accepted)
    assert found == pytest.approx(tokens_per_s, rel=0.01)


def test_tensor_parallel_over_the_internet_takes_seconds_per_token() -> None:
    assert tensor_over_internet_s_per_token(80, 0.020) == pytest.approx(3.2)


@pytest.mark.parametrize(
    ("bus_gb_s", "decode_ms", "batch_32_ms", "prompt_ms"),
    [(41.1, 0.0007, 0.0223, 5.7149), (23.0, 0.0012, 0.0399, 10.2122), (2.9, 0.0099, 0.3164, 80.9935)],
)
def test_all_reduce_times_of_a_70b_model(
    bus_gb_s: float, decode_ms: float, batch_32_ms: float, prompt_ms: float
) -> None:
    for tokens, milliseconds in ((1, decode_ms), (32, batch_32_ms), (8192, prompt_ms)):
        found = all_reduce_s(hand_over_bytes(8192, tokens), 8, bus_gb_s * 1e9) * 1e3
        assert found == pytest.approx(milliseconds, rel=0.02, abs=6e-5)


def test_links_against_pcie() -> None:  # R34
    pcie = 50.0
    links = {name: CATALOGUE.links[name].nominal_bytes_per_s / 1e9 for name in ("ib-hdr", "eth-100g-roce", "eth-25g")}
    assert pcie / links["ib-hdr"] == pytest.approx(2.0)
    assert 4 <= pcie / links["eth-100g-roce"] <= 5
    assert pcie / links["eth-25g"] == pytest.approx(16.0)


def test_rdma_is_microseconds_and_tcp_tens_of_them() -> None:  # R35 and its correction
    for name in ("eth-100g-roce", "eth-200g-roce", "ib-hdr", "ib-ndr"):
        assert CATALOGUE.links[name].latency.value <= 5e-6
    assert CATALOGUE.links["eth-25g"].latency.value >= 7e-6
    assert 22.2e9 <= REFERENCE_INSIDE_BYTES_PER_S <= 41.1e9  # inside what eight cards were measured at
