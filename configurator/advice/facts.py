"""What assess() hands to advice: everything the engines answered about one plan. Frozen, no language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict
from configurator.operations.results import CostEstimate, FailureEffect, PowerDraw
from configurator.plan.model import Plan, Project, Workload
from configurator.scaling.results import Efficiency, ScoredLayout, Speed
from configurator.sizing.results import Fit
from configurator.terms import Estimate

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue
    from configurator.catalogue.records import ModelRecord, WeightFormat
    from configurator.scaling.topology import Topology

Scope = Literal["owned", "box", "buy"]
"""The owner's own hardware, its largest single server alone, or the node they could buy (policy: 8 x 96 GB)."""

Precision = Literal["asked", "fp8", "int4"]
"""The workload's own weight format, or the same workload in eight or four bits."""

LayoutsOf = Callable[[Scope, Precision], tuple[ScoredLayout, ...]]
"""Scored layouts, best first, of the workload on that hardware in that precision; () where it makes no sense
(no model, no cards, precision already narrower than asked for). Memoised by the caller: the decision flow asks
only for what it needs, so a plan that ends at the first question never pays for the rest."""


@dataclass(frozen=True, slots=True)
class WorkloadFacts:
    """One workload. ``model`` and ``weight_format`` are None while the owner has not chosen."""

    workload: Workload
    model: ModelRecord | None
    weight_format: WeightFormat | None
    weights_bytes: int
    """Whole model in the asked precision, one copy; 0 while no model is chosen."""
    kv_bytes_per_token: float
    """Growth of one sequence per token, whole model, in the asked KV precision."""
    layouts: LayoutsOf
    efficiency: Efficiency | None
    failures: tuple[FailureEffect, ...]
    kv_heads_full: bool = False
    """True: as many KV heads as query heads (no grouping), the expensive kind of cache."""
    size_at: Callable[[str], int] | None = None
    """Weight bytes of the model in another catalogue weight format."""
    speed_for: Callable[[float], Speed | None] | None = None
    """What each of so many people gets from the chosen layout (see ``scaling.people``)."""
    speed_of: Callable[[ScoredLayout, float], Speed | None] | None = None
    """The same for any layout of ``owned``: layouts are compared at the same number of people."""
    left_to_others: frozenset[str] = frozenset()
    """GPU ids that other models of the plan need for themselves."""
    crowded: bool = False
    """True: the other models left no cards on which this one starts."""
    refused_engine: str = ""
    """The engine that was asked for where it does not run on these cards; the answer is then that of ``workload``'s."""

    @property
    def owned(self) -> tuple[ScoredLayout, ...]:
        """Layouts on the owner's hardware in the asked precision, best first."""
        return self.layouts("owned", "asked")

    @property
    def chosen(self) -> ScoredLayout | None:
        """The recommended layout; the best failing one when nothing fits; None without model or cards."""
        return self.owned[0] if self.owned else None


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """One plan, fully computed. ``topologies`` are low, expected, high; ``topology`` is the expected one."""

    project: Project
    plan: Plan
    catalogue: Catalogue
    topologies: tuple[Topology, Topology, Topology]
    workloads: tuple[WorkloadFacts, ...]
    power: tuple[PowerDraw, ...]
    """Per server, per site and "plan"."""
    cost: CostEstimate
    buy_purchase: Estimate | None = None
    """What the node to buy (policy) costs, where this plan buys several servers; None elsewhere."""

    @property
    def topology(self) -> Topology:
        """The expected scenario."""
        return self.topologies[1]


Evaluate = Callable[[Plan], PlanFacts]
"""The same project with another plan, fully computed (the caller's cache makes neighbours cheap)."""


@dataclass(frozen=True, slots=True)
class WorkloadAdvice:
    """Answer for one workload; the last two are filled by ``deepen``."""

    workload_id: str
    verdict: Verdict
    steps: tuple[Step, ...]
    fit: Fit = "no"
    """The answer of the cards; "no" where only system memory holds it."""
    switch_points: tuple[SwitchPoint, ...] = ()
    unknowns: tuple[UnknownFact, ...] = ()
    usable_users: int | None = None
    """People at once who are held in memory and served fast enough for a chat; None where nobody chats."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Answer for the plan. ``alternatives`` are filled by ``deepen``."""

    verdict: Verdict
    workloads: tuple[WorkloadAdvice, ...]
    findings: tuple[Finding, ...]
    not_checked: tuple[str, ...]
    alternatives: tuple[Alternative, ...] = ()
