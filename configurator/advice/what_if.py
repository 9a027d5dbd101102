"""What if something fails: the answer for what is left, and what the failure itself does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from configurator.advice.facts import Advice, PlanFacts
from configurator.advice.results import Finding, Verdict
from configurator.operations.failures import cut_off_sites
from configurator.plan.edits import set_failed
from configurator.plan.index import LINE
from configurator.plan.model import Plan
from configurator.terms import message

NOTHING_LEFT = ("headline.unreachable", "headline.stopped")
"""Headlines where no machine answers any more: all run but nobody reaches them, or none is left."""
REASONS = 3
"""So many reasons stand under a headline."""


def under_failure(advice: Advice, plan: Plan, healthy: PlanFacts) -> Advice:
    """The advice for a plan with failed objects, said as such (R15, R75).

    ``healthy`` is the same plan with nothing failed: its failure effects tell what stops, what is left and for how
    long. Each failed object becomes a finding whose fix lets it work again.
    """
    cut = {each.id for each in plan.workloads if cut_off_sites(plan, each)}
    answers = tuple(
        replace(each, verdict=_said(each.verdict, plan, each.workload_id in cut)) for each in advice.workloads
    )
    # The plan speaks by one of its workloads; without any it speaks of the hardware.
    spoken = next((n for n, each in enumerate(advice.workloads) if each.verdict is advice.verdict), None)
    verdict = _said(advice.verdict, plan, cut=False) if spoken is None else answers[spoken].verdict
    stopped = next((each.verdict for each in answers if each.verdict.headline.code in NOTHING_LEFT), None)
    return replace(
        advice,
        verdict=stopped or verdict,
        workloads=answers,
        findings=(*_findings(plan, healthy), *advice.findings),
    )


def _said(verdict: Verdict, plan: Plan, cut: bool) -> Verdict:
    what_if = message("reason.what_if", failed_ids=plan.failed_ids)
    if verdict.headline.code == "headline.no_cards" and any(
        slot.gpu for site in plan.sites for server in site.servers for slot in server.slots
    ):
        # There are cards, but none that stands or that anybody reaches.
        headline = NOTHING_LEFT[0] if cut else NOTHING_LEFT[1]
        return replace(verdict, code="does-not-fit", light="stop", headline=message(headline), reasons=(what_if,))
    return replace(verdict, reasons=(what_if, *verdict.reasons)[:REASONS])


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
                action=message(_action(object_id), object_id=object_id),
                basis="calculated",
                rule="R15",
                fix=_working(object_id),
            )


def _action(object_id: str) -> str:
    return "action.what_if_line" if object_id.endswith(LINE) else "action.what_if"


def _working(object_id: str) -> Callable[[Plan], Plan]:
    return partial(set_failed, object_ids=(object_id,), failed=False)
