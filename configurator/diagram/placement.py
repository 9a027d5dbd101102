"""Which copy and stage each card belongs to, which connections carry its traffic, and which one is the slowest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from configurator.scaling.results import Instance, ScoredLayout
from configurator.scaling.topology import Topology

if TYPE_CHECKING:
    from configurator.assess import Assessment, WorkloadAssessment


@dataclass(frozen=True, slots=True)
class Member:
    """A card's part in the chosen layout; numbers count from 0."""

    copy: int
    stage: int
    stages: int
    group_size: int
    colour: int

    @property
    def group(self) -> tuple[int, int]:
        """Cards of one tensor group share this."""
        return self.copy, self.stage


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a connection: ``how`` is "tensor" inside a group or "pipeline" between stages."""

    copy: int
    how: str


@dataclass(frozen=True, slots=True)
class Placement:
    """The chosen layout bound to cards and connections. Empty while nothing is chosen."""

    members: Mapping[str, Member]
    uses: Mapping[str, tuple[Use, ...]]
    bottleneck: str
    idle: frozenset[str]
    copies: int
    pacing: frozenset[str] = frozenset()
    """The bottleneck and the connections that are exactly like it: none of them is slower than the others."""


EMPTY = Placement({}, {}, "", frozenset(), 0)


def workload_of(assessment: Assessment | None, workload_id: str | None) -> WorkloadAssessment | None:
    """The answer for one workload; for the first one without an id."""
    if assessment is None:
        return None
    found = (each for each in assessment.workloads if workload_id is None or each.workload_id == workload_id)
    return next(found, None)


def placement(chosen: ScoredLayout | None, topology: Topology) -> Placement:
    """Bind a layout to the graph; one that does not even start is not shown as if it worked."""
    if chosen is None or chosen.memory.fit == "no":
        return EMPTY
    members: dict[str, Member] = {}
    copies = len(chosen.instances)
    for copy, instance in enumerate(chosen.instances):
        stages = len(instance.stages)
        for stage, group in enumerate(instance.stages):
            colour = copy if copies > 1 else stage
            for gpu in group:
                members[gpu] = Member(copy, stage, stages, len(group), colour)
    uses, bottleneck = _uses(chosen.instances, topology), _bottleneck(chosen)
    idle = frozenset(chosen.idle_gpu_ids)
    return Placement(members, uses, bottleneck, idle, copies, _pacing(bottleneck, uses, topology))


def _uses(instances: tuple[Instance, ...], topology: Topology) -> dict[str, tuple[Use, ...]]:
    found: dict[str, dict[Use, None]] = {}

    def note(a: str, b: str, use: Use) -> None:
        if a in topology.devices and b in topology.devices and a != b:
            way = topology.p2p(a, b)
            for edge in way.edges if way is not None else ():
                found.setdefault(edge, {})[use] = None

    for copy, instance in enumerate(instances):
        for group in instance.stages:
            for a, b in zip(group, (*group[1:], group[0]), strict=True):
                note(a, b, Use(copy, "tensor"))
        for sender, receiver in zip(instance.stages, instance.stages[1:], strict=False):
            note(sender[-1], receiver[0], Use(copy, "pipeline"))
    return {edge: tuple(uses) for edge, uses in found.items()}


def _pacing(bottleneck: str, uses: Mapping[str, tuple[Use, ...]], topology: Topology) -> frozenset[str]:
    first = topology.edges.get(bottleneck)
    if first is None:
        return frozenset({bottleneck} if bottleneck else ())
    ways = {use.how for use in uses.get(bottleneck, ())}
    alike = {
        each
        for each, users in uses.items()
        if (found := topology.edges.get(each)) is not None
        and (found.kind, found.bandwidth_bytes_per_s) == (first.kind, first.bandwidth_bytes_per_s)
        and ways & {use.how for use in users}
    }
    return frozenset({bottleneck, *alike})


def _bottleneck(chosen: ScoredLayout) -> str:
    limited = chosen.speed.limited_by if chosen.speed is not None else None
    if limited is None and chosen.training is not None:
        limited = chosen.training.limited_by
    if limited is None or limited.code != "limited.link":
        return ""
    return next((str(value) for name, value in limited.params if name in {"link_id", "edge_id"}), "")
