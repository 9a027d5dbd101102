"""The decision flow, findings, alternatives, switch points, pilot; asked once the engines have answered."""

from configurator.advice.advise import advise
from configurator.advice.deepen import deepen
from configurator.advice.facts import (
    Advice,
    Evaluate,
    LayoutsOf,
    PlanFacts,
    Precision,
    Scope,
    WorkloadAdvice,
    WorkloadFacts,
)
from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict

__all__ = [
    "Advice",
    "Alternative",
    "Evaluate",
    "Finding",
    "LayoutsOf",
    "PlanFacts",
    "Precision",
    "Scope",
    "Step",
    "SwitchPoint",
    "UnknownFact",
    "Verdict",
    "WorkloadAdvice",
    "WorkloadFacts",
    "advise",
    "deepen",
]
