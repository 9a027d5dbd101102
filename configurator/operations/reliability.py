"""Failure rates, availability and checkpoints in plain numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

HOURS_PER_DAY = 24.0
DAYS_PER_YEAR = 365.0


@dataclass(frozen=True, slots=True)
class InterruptionRate:
    """GPU hours of work per interruption, with where it was seen."""

    gpu_h_per_interruption: float
    source: str


LLAMA3 = InterruptionRate(
    50_677.0,
    "Llama 3.1 405B run: 419 interruptions in 54 days on 16,384 H100 (kentino.com, failure handling in AI clusters)",
)
RESEARCH = InterruptionRate(
    8_090.0,
    "Research clusters: 7.9 h between failures at 1,024 GPUs"
    " (clockwork.io, fault-tolerant AI training selection framework)",
)


def mtbf_days(gpus: int, rate: InterruptionRate = LLAMA3) -> float:
    """Days between interruptions of a job on so many GPUs. The rate is linear in the count, so N nodes fail N times
    as often as one (R70)."""
    if gpus < 1:
        raise ValueError("there must be at least one GPU")
    return rate.gpu_h_per_interruption / HOURS_PER_DAY / gpus


def availability_chain(node: float, nodes: int) -> float:
    """A model split over ``nodes`` nodes works only while all do: a^k."""
    return float(node**nodes)


def availability_any(node: float, nodes: int) -> float:
    """Something answers while at least one of ``nodes`` copies works: 1-(1-a)^n."""
    return float(1.0 - (1.0 - node) ** nodes)


def days_down(availability: float) -> float:
    """Days per year without service."""
    return (1.0 - availability) * DAYS_PER_YEAR


def checkpoint_write_s(state_bytes: float, write_bytes_per_s: float) -> float:
    """How long a synchronous checkpoint stops training: state over write rate (R72)."""
    if write_bytes_per_s <= 0:
        raise ValueError("the write rate must be above nothing")
    return state_bytes / write_bytes_per_s


NFS_WRITE_BYTES_PER_S = (1e9, 2e9)
"""Ceiling of one NFS server (spheron.network, parallel file systems for AI)."""


def young_interval_s(write_s: float, mtbf_s: float) -> float:
    """Time between checkpoints that loses least, first order (Young): sqrt(2 x write time x MTBF)."""
    return math.sqrt(2.0 * write_s * mtbf_s)


def daly_interval_s(write_s: float, mtbf_s: float) -> float:
    """The same with Daly's higher terms; MTBF when writing takes more than twice that."""
    if write_s >= 2.0 * mtbf_s:
        return mtbf_s
    root = math.sqrt(2.0 * write_s * mtbf_s)
    return root * (1.0 + math.sqrt(write_s / (2.0 * mtbf_s)) / 3.0 + write_s / (18.0 * mtbf_s)) - write_s


def checkpoint_loss_share(write_s: float, interval_s: float, mtbf_s: float, restart_s: float = 0.0) -> float:
    """Share of the time lost to writing, to work done twice and to restarts."""
    if interval_s <= 0 or mtbf_s <= 0:
        raise ValueError("interval and MTBF must be above nothing")
    writing = write_s / (interval_s + write_s)
    again = (interval_s / 2.0 + restart_s) / mtbf_s
    return min(1.0, writing + again)


def expected_repairs(gpus: float, annual_rate: float) -> float:
    """Permanent failures to expect in a year."""
    return gpus * annual_rate
