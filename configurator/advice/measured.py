"""R12: a number the owner measured stands before the estimate of the same quantity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from configurator.plan.model import Measurement
from configurator.scaling.results import ScoredLayout, Speed
from configurator.terms import Estimate

QUANTITIES: dict[str, Callable[[Speed, Estimate], Speed]] = {
    "output_tokens_per_s": lambda speed, value: replace(speed, output_tokens_per_s=value),
    "output_tokens_per_s_per_user": lambda speed, value: replace(speed, output_tokens_per_s_per_user=value),
    "time_to_first_token_s": lambda speed, value: replace(speed, time_to_first_token_s=value),
    "prefill_tokens_per_s": lambda speed, value: replace(speed, prefill_tokens_per_s=value),
}
"""Quantities of a running service that a measurement may replace; the subject is the id of the workload."""


def of_workload(measurements: tuple[Measurement, ...], workload_id: str) -> tuple[Measurement, ...]:
    """The owner's numbers for one workload, the newest of each quantity."""
    newest: dict[str, Measurement] = {}
    for each in sorted(measurements, key=lambda one: one.date):
        if each.subject == workload_id and each.quantity in QUANTITIES:
            newest[each.quantity] = each
    return tuple(newest.values())


def with_measurements(
    layouts: tuple[ScoredLayout, ...], measurements: tuple[Measurement, ...], workload_id: str
) -> tuple[ScoredLayout, ...]:
    """The same layouts; the recommended one with measured speeds in place of estimates."""
    known = of_workload(measurements, workload_id)
    if not known or not layouts or layouts[0].speed is None:
        return layouts
    speed = layouts[0].speed
    for each in known:
        old = getattr(speed, each.quantity)
        speed = QUANTITIES[each.quantity](speed, Estimate.exact(each.value, old.unit, "measured"))
    return (replace(layouts[0], speed=replace(speed, basis="measured", calibrated=True)), *layouts[1:])
