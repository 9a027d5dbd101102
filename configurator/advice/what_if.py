"""What if something fails: the answer for what is left, and what the failure itself does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from configurator.advice.facts import Advice, PlanFacts
from configurator.advice.results import Finding, Verdict
from configurator.plan.edits import set_failed
from configurator.plan.model import Plan
from configurator.terms import message

REASONS = 3
"""So many reasons stand under a headline."""


def under_failure(advice: Advice, plan: Plan, healthy: PlanFacts) -> Advice:
    """The advice for a plan with failed objects, said as such (R15, R75).

    ``healthy`` is the same plan with nothing failed: its failure effects tell what stops, what is left and for how
    long. Each failed object becomes a finding whose fix lets it work again.
    """
    return replace(
        advice,
        verdict=_said(advice.verdict, plan),
        workloads=tuple(replace(each, verdict=_said(each.verdict, plan)) for each in advice.workloads),
        findings=(*_findings(plan, healthy), *advice.findings),
    )


def _said(verdict: Verdict, plan: Plan) -> Verdict:
    reasons = (message("reason.what_if", failed_ids=plan.failed_ids), *verdict.reasons)
    return replace(verdict, reasons=reasons[:REASONS])


def _findings(plan: Plan, healthy: PlanFacts) -> Iterator[Finding]:
    for object_id in plan.failed_ids:
        effects = [each for work in healthy.workloads for each in work.failures if each.object_id == object_id]
        texts = tuple(dict.fromkeys(each.note for each in effects)) or (message("failure.taken", object_id=object_id),)
        for text in texts:
            yield Finding(
                code="what-if.failed",
                kind="one_more_step",
                subjects=(object_id,),
                text=text,
                action=message("action.what_if", object_id=object_id),
                basis="calculated",
                rule="R15",
                fix=_working(object_id),
            )


def _working(object_id: str) -> Callable[[Plan], Plan]:
    return partial(set_failed, object_ids=(object_id,), failed=False)
