"""assess(project, catalogue) -> Assessment: the one door. Pure and deterministic."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict
from configurator.operations.results import CostEstimate, FailureEffect, PowerDraw
from configurator.scaling.results import Efficiency, ScoredLayout
from configurator.sizing.results import Fit, GpuMemory
from configurator.terms import Estimate


@dataclass(frozen=True, slots=True)
class WorkloadAssessment:
    """The answer for one workload."""

    workload_id: str
    fit: Fit
    verdict: Verdict
    chosen: ScoredLayout | None
    """The layout the product recommends on the owner's hardware; the best failing one when nothing fits."""
    layouts: tuple[ScoredLayout, ...]
    """All scored, best first."""
    per_gpu: tuple[GpuMemory, ...]
    kv_cache_tokens: Estimate | None
    max_concurrency: Estimate | None
    users_served: Estimate | None
    max_context_tokens: int | None
    steps: tuple[Step, ...]
    efficiency: Efficiency | None
    failures: tuple[FailureEffect, ...]
    switch_points: tuple[SwitchPoint, ...]
    unknowns: tuple[UnknownFact, ...]


@dataclass(frozen=True, slots=True)
class Assessment:
    """Everything the screens, the proposal and the command line show about one plan."""

    project_id: str
    plan_id: str
    verdict: Verdict
    """Of the whole plan: the worst workload's, or that of the hardware when there is none."""
    workloads: tuple[WorkloadAssessment, ...]
    power: tuple[PowerDraw, ...]
    """Per server, per site, and "plan" for the total."""
    cost: CostEstimate
    findings: tuple[Finding, ...]
    alternatives: tuple[Alternative, ...]
    not_checked: tuple[str, ...]
