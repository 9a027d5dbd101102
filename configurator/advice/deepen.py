"""deepen() adds what costs many evaluations: alternatives, switch points, and the verdict per answer to an unknown."""

from __future__ import annotations

from dataclasses import replace

from configurator.advice.advise import situations_of
from configurator.advice.alternatives import alternatives
from configurator.advice.facts import Advice, Evaluate, PlanFacts
from configurator.advice.switches import switch_points
from configurator.advice.unknowns import unknowns


def deepen(facts: PlanFacts, advice: Advice, evaluate: Evaluate) -> Advice:
    """The same advice with its deep part. ``evaluate`` computes a neighbour of the plan in the same project."""
    situations = situations_of(facts)
    by_id = {s.workload.id: s for s in situations}
    workloads = tuple(
        replace(
            each,
            switch_points=switch_points(by_id[each.workload_id], evaluate),
            unknowns=unknowns(by_id[each.workload_id], evaluate),
        )
        for each in advice.workloads
    )
    return replace(advice, workloads=workloads, alternatives=alternatives(facts, situations, evaluate))
