"""Failure rates (R70), availability, checkpoints (R72)."""

from __future__ import annotations

import pytest

from configurator.operations.reliability import (
    LLAMA3,
    RESEARCH,
    availability_any,
    availability_chain,
    checkpoint_loss_share,
    checkpoint_write_s,
    daly_interval_s,
    days_down,
    expected_repairs,
    mtbf_days,
    young_interval_s,
)


@pytest.mark.parametrize(("gpus", "days"), [(8, 264), (16, 132), (32, 66)])
def test_days_between_interruptions_from_the_llama_run(gpus: int, days: float) -> None:
    assert mtbf_days(gpus, LLAMA3) == pytest.approx(days, abs=0.5)


@pytest.mark.parametrize(("gpus", "days"), [(8, 42), (16, 21), (32, 10.5)])
def test_days_between_interruptions_on_research_clusters(gpus: int, days: float) -> None:
    assert mtbf_days(gpus, RESEARCH) == pytest.approx(days, abs=0.2)


def test_n_nodes_fail_n_times_as_often() -> None:
    assert mtbf_days(8) == pytest.approx(4 * mtbf_days(32))
    with pytest.raises(ValueError, match="at least one"):
        mtbf_days(0)


def test_a_split_model_is_down_longer_than_one_node_and_two_copies_hardly_ever() -> None:
    assert availability_chain(0.99, 2) == pytest.approx(0.980, abs=0.0005)
    assert days_down(availability_chain(0.99, 2)) == pytest.approx(7.3, abs=0.05)
    assert availability_any(0.99, 2) == pytest.approx(0.9999)
    assert availability_chain(0.99, 2) < 0.99 < availability_any(0.99, 2)


@pytest.mark.parametrize(("state_gb", "rate_gb_s", "seconds"), [(140, 1.0, 140), (140, 2.3, 61), (2_300, 57.5, 40)])
def test_checkpoint_stops_training_for_state_over_rate(state_gb: float, rate_gb_s: float, seconds: float) -> None:
    assert checkpoint_write_s(state_gb * 1e9, rate_gb_s * 1e9) == pytest.approx(seconds, abs=0.5)


def test_full_training_state_over_one_nfs_server_takes_most_of_an_hour() -> None:
    # 70B with Adam: 1.2-1.5 TB of state; 1-2 GB/s into one server.
    assert 600 <= checkpoint_write_s(1.2e12, 2e9) < checkpoint_write_s(1.5e12, 1e9) <= 1_500


def test_young_and_daly_agree_when_writing_is_quick() -> None:
    mtbf_s = mtbf_days(32) * 86_400
    assert young_interval_s(140, mtbf_s) == pytest.approx((2 * 140 * mtbf_s) ** 0.5)
    assert daly_interval_s(140, mtbf_s) == pytest.approx(young_interval_s(140, mtbf_s), rel=0.01)
    assert daly_interval_s(10, 4) == 4


def test_the_interval_of_young_loses_least() -> None:
    mtbf_s = 86_400.0
    best = young_interval_s(60, mtbf_s)
    losses = [checkpoint_loss_share(60, factor * best, mtbf_s) for factor in (0.5, 1.0, 2.0)]
    assert losses[1] < losses[0]
    assert losses[1] < losses[2]


def test_repairs_to_expect() -> None:
    assert expected_repairs(8, 0.04) == pytest.approx(0.32)
