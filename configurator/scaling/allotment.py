"""Several models on the same servers: each gets cards of its own, the largest model first.

Memory of a card is not shared out by itself: two engines on one card fight for it. So every workload is answered on the
cards that no other one needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from configurator.catalogue import Catalogue
from configurator.plan.edits import rebuilt
from configurator.plan.model import Plan, Policy, Workload
from configurator.scaling.layouts import SERVING, score_layouts
from configurator.scaling.results import Instance, ScoredLayout
from configurator.scaling.topology import Topology
from configurator.sizing import weight_bytes
from configurator.sizing.results import FIT_ORDER

Topologies = tuple[Topology, Topology, Topology]


@dataclass(frozen=True, slots=True)
class Allotment:
    """Cards that each workload must leave to the others, by workload id; those that found no card of their own."""

    taken: Mapping[str, frozenset[str]]
    crowded: tuple[str, ...]


ALONE = Allotment({}, ())


def sharing(plan: Plan, catalogue: Catalogue) -> tuple[Workload, ...]:
    """Serving workloads of known models that may use the same servers as another one."""
    every = {server.id for site in plan.sites for server in site.servers}
    found = []
    for load in plan.workloads:
        known = load.model in catalogue.models and load.weights in catalogue.weight_formats
        if known and load.task in SERVING:
            found.append((load, set(load.server_ids) or every))
    return tuple(load for load, mine in found if any(other is not load and mine & theirs for other, theirs in found))


def allot(
    plan: Plan, catalogue: Catalogue, policy: Policy, topologies_of: Callable[[Plan, Catalogue], Topologies]
) -> Allotment:
    """Who gets which cards; ``ALONE`` where no two workloads meet."""
    loads = sharing(plan, catalogue)
    if len(loads) < 2:
        return ALONE
    loads = tuple(sorted(loads, key=lambda each: -_weights(each, catalogue)))
    own: dict[str, frozenset[str]] = {}
    crowded: list[str] = []
    for load in loads:
        gone = frozenset().union(*own.values())
        one = _smallest(plan, load, catalogue, policy, topologies_of(_without(plan, gone), catalogue))
        if one is None:
            crowded.append(load.id)
        else:
            own[load.id] = frozenset(gpu for stage in one.stages for gpu in stage)
    if not own:
        return ALONE
    # Whatever nobody needs goes to the first, the largest model.
    first = next(load for load in loads if load.id in own)
    held = {load.id: own.get(load.id, frozenset()) for load in loads}
    taken = {}
    for load in loads:
        others = frozenset().union(*(cards for other, cards in held.items() if other != load.id))
        if load is first or load.id in crowded:
            taken[load.id] = others
        else:
            free = {gpu for gpu in topologies_of(plan, catalogue)[1].devices if gpu not in held[load.id]}
            taken[load.id] = frozenset(free)
    return Allotment(taken, tuple(crowded))


def _weights(load: Workload, catalogue: Catalogue) -> int:
    return weight_bytes(catalogue.models[load.model or ""], catalogue.weight_formats[load.weights])


def _without(plan: Plan, gone: frozenset[str]) -> Plan:
    return rebuilt(plan, failed_ids=tuple(sorted({*plan.failed_ids, *gone}))) if gone else plan


def _smallest(
    plan: Plan, load: Workload, catalogue: Catalogue, policy: Policy, topologies: Topologies
) -> Instance | None:
    """The copy with the fewest and smallest cards that carries the load as well as any; None where none starts."""
    model, weights = catalogue.models[load.model or ""], catalogue.weight_formats[load.weights]
    layouts = [
        each
        for each in score_layouts(plan, load, model, weights, topologies, policy, catalogue)
        if each.memory.fit != "no" and each.instances
    ]
    if not layouts:
        return None
    best = max(min(FIT_ORDER.index(each.memory.fit), FIT_ORDER.index("serves_with_reserve")) for each in layouts)
    good = [each for each in layouts if FIT_ORDER.index(each.memory.fit) >= best]
    devices = topologies[1].devices

    def size(pair: tuple[ScoredLayout, Instance]) -> tuple[int, int]:
        cards = [gpu for stage in pair[1].stages for gpu in stage]
        return len(cards), sum(devices[gpu].record.memory_usable_bytes for gpu in cards)

    return min(((each, one) for each in good for one in each.instances), key=size)[1]
