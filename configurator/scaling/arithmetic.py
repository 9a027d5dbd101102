"""The closed forms people decide by: when a split pays, what a hand-over costs, which fabric would pass.

Plain numbers in SI units. The live estimates use the whole model; these forms explain it and stand in tests.
"""

from __future__ import annotations

from math import inf

REFERENCE_EFFICIENCY = 0.73
"""Tensor-parallel training of a 70B model on eight PCIe cards of one node (kentino.com, single node or several)."""

REFERENCE_INSIDE_BYTES_PER_S = 36.4e9
"""All-reduce bus bandwidth inside that node which, with 0.65 over 25 GB/s, fits both published figures; eight cards
were measured at 22.2-41.1 GB/s (voipmonitor/rtx6kpro hardware/pcie-bandwidth.md)."""

ALL_REDUCES_PER_LAYER = 2
"""Tensor parallel: one after attention, one after the feed-forward, forward pass."""

ACTIVATION_BYTES = 2
"""Per element between layers and stages, 16 bit."""


def exposed_share(efficiency: float) -> float:
    """Communication that nothing hides, over compute, from an efficiency (R38: the serial share)."""
    return 1.0 / efficiency - 1.0


def efficiency_of(exposed: float) -> float:
    """Throughput per GPU over one GPU alone when communication of ``exposed`` x compute is not hidden."""
    return 1.0 / (1.0 + exposed)


def tensor_training_efficiency(
    between_bytes_per_s: float | None,
    inside_bytes_per_s: float = REFERENCE_INSIDE_BYTES_PER_S,
    exposed: float = exposed_share(REFERENCE_EFFICIENCY),
    exposed_at_bytes_per_s: float = REFERENCE_INSIDE_BYTES_PER_S,
) -> float:
    """Strong scaling of tensor-parallel training; ``between_bytes_per_s`` None: inside one node.

    Linear: the exposed part grows as the slowest collective bandwidth falls. No overlap, no latency term.
    """
    rules = inside_bytes_per_s if between_bytes_per_s is None else min(inside_bytes_per_s, between_bytes_per_s)
    return efficiency_of(exposed * exposed_at_bytes_per_s / rules)


def bandwidth_for(
    floor: float,
    exposed: float = exposed_share(REFERENCE_EFFICIENCY),
    exposed_at_bytes_per_s: float = REFERENCE_INSIDE_BYTES_PER_S,
) -> float:
    """Collective bandwidth at which the efficiency reaches ``floor`` (20.2 GB/s for 0.60 by the published figures)."""
    allowed = exposed_share(floor)
    return exposed * exposed_at_bytes_per_s / allowed if allowed > 0 else inf


def decode_tokens_per_s(weights_s: float, ranks: int, layers: int, collective_s: float) -> float:
    """One stream: the weights read by ``ranks`` cards at once, plus two collectives per layer."""
    exchange = ALL_REDUCES_PER_LAYER * layers * collective_s if ranks > 1 else 0.0
    return 1.0 / (weights_s / ranks + exchange)


def split_pays(weights_s: float, ranks: int, layers: int, collective_s: float) -> bool:
    """Whether tensor parallel over ``ranks`` answers one stream sooner than one card: what is saved against spent."""
    return weights_s * (1.0 - 1.0 / ranks) > ALL_REDUCES_PER_LAYER * layers * collective_s


def prompt_exchange_bytes(layers: int, tokens: int, hidden: int) -> float:
    """What tensor parallel exchanges while reading a prompt, per direction."""
    return float(ALL_REDUCES_PER_LAYER * layers * tokens * hidden * ACTIVATION_BYTES)


def hand_over_bytes(hidden: int, tokens: int = 1) -> float:
    """What one pipeline boundary carries."""
    return float(hidden * tokens * ACTIVATION_BYTES)


def pipeline_over_internet_tokens_per_s(
    compute_s: float, round_trip_s: float, hops: int = 1, accepted: float = 1.0
) -> float:
    """Cap of one stream whose stages sit at different sites: compute plus the round of the ring per accepted tokens."""
    return accepted / (compute_s + hops * round_trip_s)


def tensor_over_internet_s_per_token(layers: int, latency_s: float) -> float:
    """Waiting alone, no bytes: two collectives per layer, each one latency."""
    return ALL_REDUCES_PER_LAYER * layers * latency_s


def all_reduce_s(size_bytes: float, ranks: int, bus_bytes_per_s: float) -> float:
    """Bandwidth part of an all-reduce; below about 1 MB the fixed time rules instead."""
    return 2.0 * (ranks - 1) / ranks * size_bytes / bus_bytes_per_s
