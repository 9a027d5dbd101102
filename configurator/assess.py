"""assess(project, catalogue) -> Assessment: the one door. Pure and deterministic.

It is the only caller of sizing, scaling, operations and advice. The live answer holds everything but the neighbours
of the plan (alternatives, switch points, unknowns worked through); ``deep`` adds them.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any

from configurator.advice import Advice, PlanFacts, WorkloadAdvice, WorkloadFacts, advise, deepen
from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict
from configurator.advice.what_if import under_failure
from configurator.catalogue import Catalogue
from configurator.evaluate import evaluate
from configurator.operations.results import CostEstimate, FailureEffect, PowerDraw
from configurator.plan.edits import rebuilt
from configurator.plan.model import Plan, Project
from configurator.plan.projects import plan_by_id
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
    """People at once whom memory holds."""
    max_context_tokens: int | None
    steps: tuple[Step, ...]
    efficiency: Efficiency | None
    failures: tuple[FailureEffect, ...]
    switch_points: tuple[SwitchPoint, ...]
    unknowns: tuple[UnknownFact, ...]
    usable_users: int | None = None
    """People at once whom memory holds and who get answers fast enough for a chat; None where nobody chats."""


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
    facts: PlanFacts | None = dataclasses.field(default=None, compare=False, repr=False)
    """What the engines answered, for drawings and sweeps; not part of the JSON."""


def assess(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
    """The answer for one plan of the project (the active one by default).

    ``deep`` also works through neighbours of the plan: alternatives, switch points, answers to unknowns; that costs
    many evaluations and belongs in a worker on a screen. Raises EditError for an unknown plan id.
    """
    plan = plan_by_id(project, plan_id or project.active_plan_id)
    facts = evaluate(project, plan, catalogue)
    advice = advise(facts)
    if plan.failed_ids:
        healthy = evaluate(project, rebuilt(plan, failed_ids=()), catalogue)
        advice = under_failure(advice, plan, healthy)
    if deep:

        def neighbour(other: Plan) -> PlanFacts:
            return evaluate(project, other, catalogue)

        advice = deepen(facts, advice, neighbour)
    return _assessment(facts, advice)


def _assessment(facts: PlanFacts, advice: Advice) -> Assessment:
    answers = {answer.workload_id: answer for answer in advice.workloads}
    return Assessment(
        project_id=facts.project.id,
        plan_id=facts.plan.id,
        verdict=advice.verdict,
        workloads=tuple(_workload(each, answers[each.workload.id]) for each in facts.workloads),
        power=facts.power,
        cost=facts.cost,
        findings=advice.findings,
        alternatives=advice.alternatives,
        not_checked=advice.not_checked,
        facts=facts,
    )


def _workload(facts: WorkloadFacts, advice: WorkloadAdvice) -> WorkloadAssessment:
    chosen = facts.chosen
    memory = chosen.memory if chosen is not None else None
    return WorkloadAssessment(
        workload_id=facts.workload.id,
        fit=advice.fit,
        verdict=advice.verdict,
        chosen=chosen,
        layouts=facts.owned,
        per_gpu=memory.per_gpu if memory is not None else (),
        kv_cache_tokens=memory.kv_cache_tokens if memory is not None else None,
        max_concurrency=memory.max_concurrency if memory is not None else None,
        users_served=memory.users_served if memory is not None else None,
        usable_users=advice.usable_users,
        max_context_tokens=memory.max_context_tokens if memory is not None else None,
        steps=advice.steps,
        efficiency=facts.efficiency,
        failures=facts.failures,
        switch_points=advice.switch_points,
        unknowns=advice.unknowns,
    )


def plain(value: Any) -> Any:
    """Frozen results as JSON values: fields by name, functions and drawings' facts left out, no NaN or infinity."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: plain(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if field.name != "facts" and not callable(getattr(value, field.name))
        }
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def assessment_json(assessment: Assessment) -> str:
    """The same project gives the same bytes."""
    return json.dumps(plain(assessment), ensure_ascii=False, indent=1, allow_nan=False)
