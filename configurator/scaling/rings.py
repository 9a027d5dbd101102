"""Rings among the cards of one server: every use of every edge is counted, the slowest shared edge rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from configurator.scaling.fabrics import Scenario, figure
from configurator.scaling.graph import PATH_ORDER, Edge, PathType
from configurator.scaling.inbox import ServerGraph, route


def ring_orders(graph: ServerGraph, ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Rings worth trying: along the tree of sockets and switches, and with bridged cards side by side."""
    place = {gpu: number for number, gpu in enumerate(ids)}
    pair_of: dict[str, int] = {}
    for a, b in graph.peers:
        if a in place and b in place and a not in pair_of and b not in pair_of:
            pair_of[a] = pair_of[b] = min(place[a], place[b])

    def along_tree(gpu: str) -> tuple[object, ...]:
        return (graph.socket_of[gpu], graph.switch_of.get(gpu, ""), pair_of.get(gpu, place[gpu]), place[gpu])

    def by_pair(gpu: str) -> tuple[object, ...]:
        partner = pair_of.get(gpu, place[gpu])
        return (graph.socket_of[ids[partner]], partner, place[gpu])

    orders = [tuple(sorted(ids, key=along_tree))]
    if pair_of:
        orders.append(tuple(sorted(ids, key=by_pair)))
    return orders


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring and what its slowest shared edge lets through."""

    order: tuple[str, ...]
    flow_bytes_per_s: float
    slot_bytes_per_s: float
    """The narrowest slot of the ring, contention counted."""
    slowest: str
    kind: PathType
    staged: bool
    known: bool
    share_key: str
    uses: Mapping[tuple[str, str], int]
    memory_bytes_per_s: float
    """What host memory lets through per hop; infinity when nothing is staged."""


def best_ring(graph: ServerGraph, ids: Sequence[str], scenario: Scenario) -> Ring:
    """The ring that lets most through, with every use of every edge counted by direction."""
    return max((_count(graph, order, scenario) for order in ring_orders(graph, ids)), key=lambda r: r.flow_bytes_per_s)


def _count(graph: ServerGraph, order: tuple[str, ...], scenario: Scenario) -> Ring:
    uses: dict[tuple[str, str], int] = {}
    worst: PathType = "LOC"
    staged, known = False, True
    nvlink_hops = 0
    hops = list(zip(order, (*order[1:], order[0]), strict=True))
    memory_flows = 0
    for a, b in hops:
        way = route(graph, a, b, scenario)
        known = known and way.known
        if way.type == "NVL":
            nvlink_hops += 1
        if PATH_ORDER.index(way.type) > PATH_ORDER.index(worst):
            worst = way.type
        if not way.direct:
            staged = True
            memory_flows += 1
        for edge, direction in directed(graph, a, b, way.edges):
            uses[edge, direction] = uses.get((edge, direction), 0) + 1
    limits: dict[str, float] = {}
    for (edge_id, _), count in uses.items():
        limits[edge_id] = min(limits.get(edge_id, float("inf")), _flow(graph.edges[edge_id], count))
    slowest = min(limits, key=lambda each: limits[each])
    slots = [limits[graph.chains[gpu][0]] for gpu in order if graph.chains[gpu][0] in limits]
    if staged:
        key = "staged"
    elif nvlink_hops:
        key = "one_way"
    elif len(order) == 2:
        key = "pair"
    else:
        key = worst
    sockets = len({graph.socket_of[gpu] for gpu in order})
    memory = graph.host_memory_bytes_per_s * sockets / 2 / memory_flows if memory_flows else float("inf")
    return Ring(
        order, limits[slowest], min(slots, default=limits[slowest]), slowest, worst, staged, known, key, uses, memory
    )


def directed(graph: ServerGraph, a: str, b: str, edges: Sequence[str]) -> list[tuple[str, str]]:
    """The edges of the way from a to b, each with the direction it is used in."""
    up, down = graph.chains[a], graph.chains[b]
    forward = graph.socket_of[a] < graph.socket_of[b] or (graph.socket_of[a] == graph.socket_of[b] and a < b)
    found: list[tuple[str, str]] = []
    for place, edge in enumerate(edges):
        if place < len(up) and up[place] == edge:
            found.append((edge, "up"))
        elif edge in down:
            found.append((edge, "down"))
        else:
            found.append((edge, "up" if forward else "down"))
    return found


def _flow(edge: Edge, count: int) -> float:
    return min(edge.bandwidth_bytes_per_s, edge.capacity_bytes_per_s / count)


def all_to_all_s_per_byte(graph: ServerGraph, ids: Sequence[str], scenario: Scenario, staged: bool) -> float:
    """Every ordered pair at once; the edge with most bytes per second of capacity rules."""
    uses: dict[tuple[str, str], float] = {}
    part = 1 / len(ids)
    for a in ids:
        for b in ids:
            if a != b:
                for key in directed(graph, a, b, route(graph, a, b, scenario).edges):
                    uses[key] = uses.get(key, 0.0) + part
    share = figure("pcie.all_to_all_share", scenario) * (figure("pcie.staged_share", scenario) if staged else 1.0)
    return max(count / graph.edges[edge].capacity_bytes_per_s for (edge, _), count in uses.items()) / share
