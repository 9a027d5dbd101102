"""What the fabrics do in practice: measured curves and constants from resources/calibration/interconnect.json.

Bytes, seconds, bytes/s. A measured curve stands before a two-number fit; between its points time is linear in bytes.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log2
from typing import Any, Literal

from configurator.catalogue.files import resource_folder

Scenario = Literal["low", "expected", "high"]
"""low: pessimistic, expected: likely, high: optimistic."""

Collective = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
COLLECTIVES: tuple[Collective, ...] = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")

CALIBRATION = resource_folder() / "calibration" / "interconnect.json"

MEASURED_SPREAD: dict[Scenario, float] = {"low": 0.88, "expected": 1.0, "high": 1.06}
"""Rate against the measured curve: how far equal systems of other owners were from it (H200, B300, clouds)."""


@cache
def calibration() -> dict[str, Any]:
    """The calibration file, read once."""
    loaded: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return loaded


def pick(fact: dict[str, Any], scenario: Scenario) -> float:
    """The figure of a scenario; ``low`` in the file is the pessimistic one."""
    return float(fact["value" if scenario == "expected" else scenario])


@cache
def figure(path: str, scenario: Scenario = "expected") -> float:
    """A scalar of the calibration file by dotted path, for a scenario."""
    node: Any = calibration()
    for part in path.split("."):
        node = node[part]
    return pick(node, scenario) if isinstance(node, dict) else float(node)


def bus_factor(collective: Collective, ranks: int) -> float:
    """Bytes over bus bandwidth times this is the time (nccl-tests definition)."""
    return (2.0 if collective == "all_reduce" else 1.0) * (ranks - 1) / ranks


SMALLEST_BYTES, SMALLEST_SHARE = 512.0, 0.93
"""A 512-byte call takes this share of a 16 KiB one (same sweeps: A100 1.02, B200 0.94, RTX PRO 6000 0.86-0.90)."""


@dataclass(frozen=True, slots=True)
class Table:
    """Seconds of one collective by bytes: piecewise linear, flat below the first point, the last slope beyond."""

    sizes: tuple[float, ...]
    seconds: tuple[float, ...]

    def at(self, size_bytes: float) -> float:
        """Seconds for a buffer of ``size_bytes``."""
        sizes, seconds = self.sizes, self.seconds
        if size_bytes <= sizes[0]:
            return seconds[0]
        upper = min(bisect_right(sizes, size_bytes), len(sizes) - 1)
        lower = upper - 1
        slope = (seconds[upper] - seconds[lower]) / (sizes[upper] - sizes[lower])
        return seconds[lower] + (size_bytes - sizes[lower]) * slope

    def faster(self, rate: float) -> Table:
        """The same with the part above the fixed time ``rate`` times as fast."""
        fixed = self.seconds[0]
        return Table(self.sizes, tuple(fixed + (each - fixed) / rate for each in self.seconds))

    def later(self, seconds: float) -> Table:
        """The same with a longer fixed time."""
        return Table(self.sizes, tuple(each + seconds for each in self.seconds))


def table_from_rates(points: list[list[float]], collective: Collective, ranks: int) -> Table:
    """A table from (bytes, bus bandwidth in GB/s) pairs; times never fall with size."""
    factor = bus_factor(collective, ranks)
    sizes, seconds = [SMALLEST_BYTES], [0.0]
    for size, rate in points:
        sizes.append(size)
        seconds.append(max(factor * size / (rate * 1e9), seconds[-1]))
    seconds[0] = seconds[1] * SMALLEST_SHARE
    return Table(tuple(sizes), tuple(seconds))


def affine(fixed_s: float, seconds_per_byte: float) -> Table:
    """Fixed time plus bytes over a rate, with the small-message ramp of the measured PCIe curve."""
    sizes, seconds = [0.0], [fixed_s]
    for size, share in calibration()["pcie"]["utilisation"]["points"]:
        sizes.append(float(size))
        seconds.append(max(fixed_s + size * seconds_per_byte / share, seconds[-1]))
    # Beyond the last measured point the rate is the full one.
    sizes.append(sizes[-1] * 64)
    seconds.append(fixed_s + sizes[-1] * seconds_per_byte)
    return Table(tuple(sizes), tuple(seconds))


def by_ranks(points: dict[str, float], ranks: int) -> float:
    """A figure given for 2, 4, 8 (16) ranks, linear between them and beyond the last."""
    known = sorted((int(key), value) for key, value in points.items())
    if ranks <= known[0][0]:
        return known[0][1]
    for (n0, v0), (n1, v1) in pairwise(known):
        if ranks <= n1:
            return v0 + (v1 - v0) * (ranks - n0) / (n1 - n0)
    (n0, v0), (n1, v1) = known[-2:]
    return v1 + (v1 - v0) * (ranks - n1) / (n1 - n0)


def nvlink_class(link_name: str, link_bandwidth_bytes_per_s: float) -> tuple[str, float]:
    """The measured NVLink generation nearest to a card's link and its rate over the measured one."""
    classes: dict[str, Any] = calibration()["nvswitch"]
    for number in ("3", "4", "5"):
        if number in link_name and "NVLink" in link_name:
            name = f"nvlink{number}"
            break
    else:
        name = min(classes, key=lambda key: abs(classes[key]["gpu_link_gb_s"] * 1e9 - link_bandwidth_bytes_per_s))
    return name, link_bandwidth_bytes_per_s / (classes[name]["gpu_link_gb_s"] * 1e9)


@cache
def nvswitch_table(name: str, collective: Collective, ranks: int) -> Table:
    """The measured curve of an NVLink generation; counts between the measured ones lie between them."""
    curves: dict[str, list[list[float]]] = calibration()["nvswitch"][name][collective]
    counts = sorted(int(key) for key in curves)
    if str(ranks) in curves:
        return table_from_rates(curves[str(ranks)], collective, ranks)
    below = max((n for n in counts if n < ranks), default=counts[0])
    above = min((n for n in counts if n > ranks), default=counts[-1])
    low, high = curves[str(below)], curves[str(above)]
    share = 0.0 if above == below else (ranks - below) / (above - below)
    rates = [[size, a + (b - a) * share] for (size, a), (_, b) in zip(low, high, strict=True)]
    table = table_from_rates(rates, collective, ranks)
    if ranks > counts[-1]:
        # Larger NVLink domains keep the rate; the fixed time grows with the steps of a tree.
        return table.later(table.seconds[0] * 0.25 * log2(ranks / counts[-1]))
    return table


def custom_table(name: str, ranks: int) -> tuple[Table, float] | None:
    """One-shot all-reduce of the serving engine: its table and its size limit in bytes; None where it is off."""
    entry = calibration()["custom_all_reduce"].get(name)
    limits = calibration()["custom_limit_mib"].get(name, {})
    if entry is None or str(ranks) not in entry["points_us"]:
        return None
    points = entry["points_us"][str(ranks)]
    limit = float(limits.get(str(ranks), calibration()["custom_limit_mib"]["generic"])) * 2**20
    return Table(tuple(float(b) for b, _ in points), tuple(us * 1e-6 for _, us in points)), limit
