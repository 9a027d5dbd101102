"""What a collective costs among a group of cards: measured curves, contention-aware rings, hierarchies over servers.

Inside a server the ring is ordered, every use of every edge is counted, and the slowest shared edge rules. Over
servers the phases inside and between overlap. Sizes are bytes of the full buffer, answers are seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, log2

from configurator.catalogue.records import GpuRecord
from configurator.scaling.crossing import Between, between, slot_limit
from configurator.scaling.fabrics import (
    COLLECTIVES,
    MEASURED_SPREAD,
    Collective,
    Scenario,
    Table,
    affine,
    bus_factor,
    by_ranks,
    calibration,
    custom_table,
    figure,
    nvlink_class,
    nvswitch_table,
)
from configurator.scaling.graph import PathType
from configurator.scaling.inbox import ServerGraph
from configurator.scaling.rings import all_to_all_s_per_byte, best_ring
from configurator.scaling.topology import Topology

CUSTOM_ENGINES = frozenset({"vllm", "sglang", "tensorrt-llm"})
"""Engines with a one-shot all-reduce of their own for small messages."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """Collectives among the cards of one server that take part."""

    ranks: int
    tables: tuple[Table, ...]
    """In the order of COLLECTIVES."""
    custom: Table | None
    custom_limit_bytes: float
    slowest: str
    kind: PathType
    """The worst path between neighbours of the ring."""
    staged: bool
    known: bool
    fabric: str
    """nvlink3, nvlink4, nvlink5, mesh, pcie, staged, none."""
    longer_ring: float = 1.0
    """Rate when the cards are part of a longer ring, over their own: two PCIe cards alone do better than in a chain."""

    def at(self, collective: Collective, size_bytes: float) -> float:
        """Seconds of one collective, the engine's own all-reduce where it is faster."""
        if self.ranks < 2:
            return 0.0
        seconds = self.tables[COLLECTIVES.index(collective)].at(size_bytes)
        if collective == "all_reduce" and self.custom is not None and size_bytes <= self.custom_limit_bytes:
            seconds = min(seconds, self.custom.at(size_bytes))
        return seconds


WIRE_SHARE, SLOT_SHARE = 0.92, 0.85
"""A point-to-point copy against the practical rate of a network and of a PCIe path (92 % of the wire, stas00)."""

KEPT_INBOXES = 20_000
"""Collectives of groups kept between edits, by the shape of the server and the seats of the cards."""

_kept: dict[tuple[object, ...], tuple[tuple[GpuRecord, ...], Inbox, int]] = {}

_NOTHING = Table((0.0, 1.0), (0.0, 0.0))

ALONE = Inbox(1, (_NOTHING,) * len(COLLECTIVES), None, 0.0, "", "LOC", False, True, "none")


@dataclass(frozen=True, slots=True)
class Comm:
    """Collectives of a group of cards. ``slowest_edge`` names the edge that rules; ``known`` is False when assumed."""

    gpu_ids: tuple[str, ...]
    inbox: Inbox
    between: Between | None
    topology: Topology | None = None
    launch_s: float = 0.0
    """Added to every call outside CUDA graphs."""

    @property
    def ranks(self) -> int:
        """Cards in the group."""
        return len(self.gpu_ids)

    @property
    def servers(self) -> int:
        """Servers the group spans."""
        return self.between.servers if self.between is not None else 1

    @property
    def slowest_edge(self) -> str:
        """Id of the edge that rules the collectives; "" for one card."""
        return self.between.slowest if self.between is not None else self.inbox.slowest

    @property
    def known(self) -> bool:
        """Whether every edge on the way has known figures."""
        return self.inbox.known and (self.between is None or self.between.known)

    def all_reduce_s(self, size_bytes: float) -> float:
        """Sum over all ranks, result everywhere."""
        return self._collective("all_reduce", size_bytes)

    def all_gather_s(self, size_bytes: float) -> float:
        """Every rank ends with the whole buffer of ``size_bytes``."""
        return self._collective("all_gather", size_bytes)

    def reduce_scatter_s(self, size_bytes: float) -> float:
        """Every rank ends with its part of the sum."""
        return self._collective("reduce_scatter", size_bytes)

    def all_to_all_s(self, size_bytes: float) -> float:
        """Every rank sends another part of its buffer of ``size_bytes`` to every other."""
        if self.ranks < 2:
            return 0.0
        inside = self.inbox.at("all_to_all", size_bytes) + self.launch_s
        if self.between is None:
            return inside
        servers, local = self.between.servers, max(1, self.ranks // self.between.servers)
        leaving = size_bytes * local * (servers - 1) / servers
        return self.between.step_s + max(inside, leaving / self.between.bytes_per_s)

    def send_s(self, source: Sequence[str], target: Sequence[str], size_bytes: float) -> float:
        """Hand ``size_bytes`` over from one pipeline stage to the next, each a group of GPU ids."""
        if self.topology is None:
            step = self.between.step_s if self.between is not None else figure("network.hand_over_us") * 1e-6
            rate = self.between.bytes_per_s if self.between is not None else self.bus_bytes_per_s
            return step + size_bytes / rate
        return send_s(self.topology, source, target, size_bytes)

    def _collective(self, collective: Collective, size_bytes: float) -> float:
        if self.ranks < 2:
            return 0.0
        inside = self.inbox.at(collective, size_bytes)
        between = self.between
        if between is None:
            return inside + self.launch_s
        wire = between.wire_bytes(collective, self.ranks, size_bytes) / between.bytes_per_s
        steps = (2 if collective == "all_reduce" else 1) * ceil(log2(between.servers)) * between.step_s
        fixed = self.inbox.at(collective, 0.0)
        copied = inside - fixed
        if between.flat and self.inbox.ranks > 1:
            # One ring through all servers: every card passes on as much as in a ring of all of them.
            local = bus_factor(collective, self.inbox.ranks)
            copied *= bus_factor(collective, self.ranks) / local / self.inbox.longer_ring
        # The phases inside and between are cut into chunks and overlap; the slower one rules.
        return self.launch_s + fixed + steps + max(copied, wire)

    @property
    def bus_bytes_per_s(self) -> float:
        """All-reduce bus bandwidth of a 1 GB message."""
        size = 1e9
        seconds = self.all_reduce_s(size)
        return bus_factor("all_reduce", self.ranks) * size / seconds if seconds > 0 else float("inf")

    @property
    def small_message_s(self) -> float:
        """Time of a tiny all-reduce."""
        return self.all_reduce_s(1.0)


def comm(
    topology: Topology, gpu_ids: Sequence[str], engine: str = "vllm", graphs: bool = True, tuned: bool = False
) -> Comm | None:
    """Collectives among these cards; None when some of them are not linked at all."""
    ids = tuple(gpu_ids)
    servers = topology.servers_of(ids)
    boxes = [
        inbox_of(
            topology.servers[key],
            [gpu for gpu in ids if topology.devices[gpu].server_id == key],
            topology.scenario,
            engine,
            tuned,
        )
        for key in servers
    ]
    slowest = max(boxes, key=lambda each: (each.at("all_reduce", 1e8), each.ranks))
    launch = 0.0 if graphs else figure("eager_us", topology.scenario) * 1e-6
    if engine == "llama.cpp":
        # Row split copies through streams and events, not through a collective library.
        bridged = all(each.kind == "NVL" for each in boxes)
        launch = figure("llama_row_nvlink_us" if bridged else "llama_row_us", topology.scenario) * 1e-6
    if len(servers) == 1:
        return Comm(ids, slowest, None, topology, launch)
    sites = {topology.devices[gpu].site_id for gpu in ids}
    if len(sites) > 1:
        ways = [topology.wires.wan_route(first, second) for first, second in pairwise(sorted(sites))]
        way = None if None in ways else ways[0]
    else:
        way = topology.wires.passing(servers)
    if way is None:
        return None
    single = all(box.ranks == 1 for box in boxes)
    gpudirect = all(topology.gpudirect(key) for key in servers)
    outer = between(way, len(servers), single, gpudirect, topology.scenario)
    slot = slot_limit(topology, ids)
    if slot is not None and slot[0] < outer.bytes_per_s:
        outer = replace(outer, bytes_per_s=slot[0], slowest=slot[1])
    return Comm(ids, slowest, outer, topology, launch)


def inbox_of(
    graph: ServerGraph, ids: Sequence[str], scenario: Scenario, engine: str = "vllm", tuned: bool = False
) -> Inbox:
    """Collectives among cards of one server; equal servers and equal seats are computed once."""
    if len(ids) < 2:
        return ALONE
    seats = {device.id: seat for seat, device in enumerate(graph.devices)}
    own = engine in CUSTOM_ENGINES
    gpus = tuple(device.record for device in graph.devices)
    # The shape says what the owner built; these figures come from the chassis record.
    chassis = (graph.host_memory_bytes_per_s, graph.near, *map(graph.edge_rate, graph.socket_edges.values()))
    key = (graph.shape, chassis, tuple(sorted(seats[gpu] for gpu in ids)), scenario, own, tuned)
    found = _kept.get(key)
    if found is None or any(a is not b for a, b in zip(found[0], gpus, strict=True)):
        inbox = _inbox(graph, sorted(ids, key=lambda gpu: seats[gpu]), scenario, own, tuned)
        if len(_kept) >= KEPT_INBOXES:
            _kept.clear()
        _kept[key] = (gpus, inbox, tuple(graph.edges).index(inbox.slowest))
        return inbox
    return replace(found[1], slowest=tuple(graph.edges)[found[2]])


def _inbox(graph: ServerGraph, ids: Sequence[str], scenario: Scenario, engine_custom: bool, tuned: bool) -> Inbox:
    records = {device.id: device.record for device in graph.devices}
    first = records[ids[0]]
    spread = MEASURED_SPREAD[scenario]
    if all(gpu in graph.fabric for gpu in ids):
        name, scale = nvlink_class(first.link_name, first.link_bandwidth_bytes_per_s)
        return _measured(ids, name, scale * spread, graph.fabric[ids[0]], engine_custom)
    peers = [graph.peers.get((a, b)) for i, a in enumerate(ids) for b in ids[i + 1 :]]
    if all(peers) and first.link_kind in {"mesh", "roce"}:
        return _mesh(graph, ids, scenario)
    if all(peers):
        name, scale = nvlink_class(first.link_name, first.link_bandwidth_bytes_per_s)
        return _measured(ids, name, scale * spread, str(peers[0]), engine_custom)
    return _ring(graph, ids, scenario, engine_custom, tuned)


def _measured(ids: Sequence[str], name: str, scale: float, edge: str, engine_custom: bool) -> Inbox:
    ranks = len(ids)
    tables = tuple(nvswitch_table(name, each, ranks).faster(scale) for each in COLLECTIVES)
    custom = custom_table(name, ranks) if engine_custom else None
    return Inbox(
        ranks,
        tables,
        custom[0].faster(scale) if custom else None,
        custom[1] if custom else 0.0,
        edge,
        "NVL",
        False,
        True,
        name,
    )


def _mesh(graph: ServerGraph, ids: Sequence[str], scenario: Scenario) -> Inbox:
    ranks = len(ids)
    edge = graph.peers[ids[0], ids[1]]
    pair = graph.edges[edge].bandwidth_bytes_per_s
    share = figure("mesh.all_reduce_share", scenario) if ranks > 2 else 1.0
    bus = pair * (ranks - 1) * share
    fixed = by_ranks(calibration()["mesh"]["call_us"], ranks) * 1e-6
    tables = tuple(affine(fixed, bus_factor(each, ranks) / bus) for each in COLLECTIVES)
    return Inbox(ranks, tables, None, 0.0, edge, "NVL", False, True, "mesh")


def _ring(graph: ServerGraph, ids: Sequence[str], scenario: Scenario, engine_custom: bool, tuned: bool) -> Inbox:
    ranks = len(ids)
    ring = best_ring(graph, ids, scenario)
    share = figure(f"pcie.ring_share.{ring.share_key}", scenario)
    if tuned and not ring.staged:
        share = max(share, figure("pcie.tuned_share", scenario))
    # Out of the box too few channels are opened for the slots; a narrower edge behind them is used as when tuned.
    behind = ring.flow_bytes_per_s * max(share, figure("pcie.tuned_share", scenario))
    bus = min(ring.slot_bytes_per_s * share, behind, ring.memory_bytes_per_s)
    longer = 1.0
    if ring.share_key == "pair":
        longer = min(1.0, figure(f"pcie.ring_share.{ring.kind}", scenario) / share)
    calls = calibration()["pcie"]["staged_call_us" if ring.staged else "call_us"]["points"]
    fixed = by_ranks(calls, ranks) * 1e-6
    if ring.staged:
        fixed *= figure("pcie.staged_us", scenario) / figure("pcie.staged_us")
    # Narrow or tunnelled slots add their own delay to every step.
    fixed += sum(max(0.0, graph.edges[graph.chains[gpu][0]].latency_s - 1e-6) for gpu in ids)
    gather = bus * figure("pcie.all_gather_share", scenario)
    tables = (
        affine(fixed, bus_factor("all_reduce", ranks) / bus),
        affine(fixed * 0.7, bus_factor("all_gather", ranks) / gather),
        affine(fixed * 0.7, bus_factor("reduce_scatter", ranks) / gather),
        affine(fixed * 0.6, all_to_all_s_per_byte(graph, ids, scenario, ring.staged)),
    )
    custom = custom_table("pcie", ranks) if engine_custom and not ring.staged and ranks == 2 else None
    table = None
    if custom is not None:
        table = custom[0].faster(bus / (figure("pcie.x16_gb_s.5") * figure("pcie.ring_share.pair") * 1e9))
    return Inbox(
        ranks,
        tables,
        table,
        custom[1] if custom else 0.0,
        ring.slowest,
        ring.kind,
        ring.staged,
        ring.known,
        "staged" if ring.staged else "pcie",
        longer,
    )


def send_s(topology: Topology, source: Sequence[str], target: Sequence[str], size_bytes: float) -> float:
    """Seconds to hand ``size_bytes`` (the whole activation) from one stage to the next; infinity without a way.

    Each tensor rank sends its part to its partner; over a network the parts share the cable.
    """
    key = (tuple(source), tuple(target))
    found = topology.hand_overs.get(key)
    if found is None:
        found = topology.hand_overs[key] = _hand_over(topology, *key)
    return found[0] + size_bytes * found[1]


def _hand_over(topology: Topology, source: tuple[str, ...], target: tuple[str, ...]) -> tuple[float, float]:
    """(fixed seconds, seconds per byte) between two stages."""
    pairs = list(zip(source, target, strict=False))
    ways = [topology.p2p(a, b) for a, b in pairs]
    found = [way for way in ways if way is not None]
    if not found or len(found) < len(ways):
        return float("inf"), 0.0
    fixed = figure("network.hand_over_us", topology.scenario) * 1e-6 + max(way.latency_s for way in found)
    slow = min(way.bandwidth_bytes_per_s for way in found)
    if any(way.type in {"NET", "WAN"} for way in found):
        if not all(way.direct for way in found):
            fixed += figure("network.tcp_step_us", topology.scenario) * 1e-6
        return fixed, 1 / (slow * WIRE_SHARE)
    return fixed, 1 / (len(pairs) * slow * SLOT_SHARE)
