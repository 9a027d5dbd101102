"""One server while it is being drawn: where its cards and parents stand, and how a connection becomes a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from configurator.catalogue import Catalogue
from configurator.diagram.picture import Box, Edge, State
from configurator.diagram.placement import Member, Placement
from configurator.diagram.said import figures, kind_name, link_facts, link_name
from configurator.diagram.sheet import Point, Sheet, line_width
from configurator.plan.model import Server, Slot
from configurator.scaling import graph as topo
from configurator.wording import Wording

CARD_W, CARD_H = 86.0, 64.0
BOX_W, BOX_H = 150.0, 42.0
PAD, SAME, APART, CLUSTER = 22.0, 12.0, 40.0, 44.0
BETWEEN_SOCKETS = 56.0
TINT = 13.0
HEADER = 42.0
ROW = 68.0
NIC_W, NIC_H = 136.0, 36.0


@dataclass(slots=True)
class Context:
    """What every part of the picture needs."""

    catalogue: Catalogue
    wording: Wording
    placement: Placement
    edges: Mapping[str, topo.Edge]
    states: Mapping[str, State]
    """State of plan objects other than normal."""
    nvlink: Mapping[str, tuple[topo.Edge, ...]]
    """NVLink connections by server."""

    def state(self, *object_ids: str) -> State:
        """The worst state of some objects, outer ones first."""
        found = [self.states[each] for each in object_ids if each in self.states]
        order: tuple[State, ...] = ("failed", "stopped", "unreached", "slowed", "idle")
        return next((each for each in order if each in found), "normal")


@dataclass(slots=True)
class Block:
    """A finished part: its sheet, its size and where links from outside end."""

    sheet: Sheet
    width: float
    height: float
    ports: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cards below one parent (a PCIe switch, the chipset or a socket)."""

    parent: str
    kind: str
    socket: int
    slots: tuple[Slot, ...]


def clusters(server: Server) -> tuple[Cluster, ...]:
    """Filled slots by socket and parent, in the order of the slots."""
    switches = {each.id for each in server.switches}
    order = {each.id: number for number, each in enumerate(server.slots)}

    def key(slot: Slot) -> tuple[int, int, str]:
        socket = min(slot.socket, server.sockets - 1)
        if slot.switch in switches:
            return socket, 0, str(slot.switch)
        return socket, (2 if slot.attach == "chipset" else 1), ""

    filled = sorted(
        (slot for slot in server.slots if slot.gpu is not None), key=lambda slot: (key(slot), order[slot.id])
    )
    found = []
    for (socket, rank, switch), slots in groupby(filled, key):
        kind = ("pcie_switch", "socket", "chipset")[rank]
        parent = switch if rank == 0 else f"{server.id}/{'socket' if rank == 1 else 'chipset'}-{socket}"
        found.append(Cluster(parent, kind, socket, tuple(slots)))
    return tuple(found)


class Drawing:
    """The state of one server's picture. ``card_x`` by slot id, ``centres`` by id of the parent."""

    def __init__(self, server: Server, context: Context) -> None:
        self.server = server
        self.context = context
        self.wording = context.wording
        self.placement = context.placement
        self.sheet = Sheet()
        self.clusters = clusters(server)
        self.chip = all(slot.form == "soc" for each in self.clusters for slot in each.slots)
        self.card_x: dict[str, float] = {}
        self.centres: dict[str, float] = {}
        self.inner = self._place_cards()
        ids = {slot.gpu.id for each in self.clusters for slot in each.slots if slot.gpu is not None}
        self.nvlink = [edge for edge in context.nvlink.get(server.id, ()) if edge.a in ids]

    def member(self, slot: Slot) -> Member | None:
        """Part of the card of a slot in the chosen layout."""
        return self.context.placement.members.get(slot.gpu.id) if slot.gpu is not None else None

    def _place_cards(self) -> float:
        """x of every card and centre of every parent; returns the right end."""
        x = PAD + TINT
        sockets: dict[int, list[float]] = {}
        last_socket = None
        for cluster in self.clusters:
            if last_socket is not None and cluster.socket != last_socket:
                x += BETWEEN_SOCKETS
            last_socket = cluster.socket
            start = x
            for number, slot in enumerate(cluster.slots):
                if number:
                    x += SAME if self._together(cluster.slots[number - 1], slot) else APART
                self.card_x[slot.id] = x
                x += CARD_W
            short = BOX_W - (x - start)
            if short > 0:
                for slot in cluster.slots:
                    self.card_x[slot.id] += short / 2
                x = start + BOX_W
            self.centres[cluster.parent] = (start + x) / 2
            sockets.setdefault(cluster.socket, []).extend((start, x))
            x += CLUSTER
        for number, ends in sockets.items():
            self.centres[f"{self.server.id}/socket-{number}"] = (min(ends) + max(ends)) / 2
        return x - CLUSTER + PAD + TINT if self.clusters else 0.0

    def _together(self, one: Slot, other: Slot) -> bool:
        a, b = self.member(one), self.member(other)
        return (a.group if a else None) == (b.group if b else None)

    def shift(self, dx: float) -> None:
        """Move everything placed so far sideways."""
        self.card_x = {key: value + dx for key, value in self.card_x.items()}
        self.centres = {key: value + dx for key, value in self.centres.items()}

    def found(self, edge_id: str) -> topo.Edge | None:
        """A connection of the topology."""
        return self.context.edges.get(edge_id)

    def figures(self, edge: topo.Edge) -> str:
        """What the pill of a connection says."""
        return figures(edge, self.wording, slowest=edge.id == self.placement.bottleneck)

    def box(self, box_id: str) -> Box | None:
        """A box drawn so far."""
        return next((each for each in self.sheet.boxes if each.id == box_id), None)

    def connect(
        self,
        edge_id: str,
        points: tuple[Point, ...],
        kind: str,
        as_edge: topo.Edge | None = None,
        *,
        broken: bool = False,
    ) -> None:
        """Draw a connection: class, width by bandwidth, dashed while unknown, marked when it is the slowest."""
        found = None if broken else as_edge or self.found(edge_id)
        self.sheet.line(drawn_edge(edge_id, found, points, kind, self.context))


def drawn_edge(edge_id: str, found: topo.Edge | None, points: tuple[Point, ...], kind: str, context: Context) -> Edge:
    """A connection as a line; one that the topology does not hold (its end has failed) is faint."""
    wording = context.wording
    if found is None:
        name = kind_name(kind, wording)
        return Edge(
            edge_id, kind, points, edge_id, name, colour="line_strong", width=1.5, dashed=True, layer=3, state="failed"
        )
    uses = context.placement.uses.get(edge_id, ())
    slowest = edge_id in context.placement.pacing
    return Edge(
        edge_id,
        found.kind,
        points,
        found.object_id,
        link_name(found, wording),
        link_facts(found, uses, wording, bottleneck=slowest),
        colour="step" if slowest else link_colour(found.kind),
        width=line_width(found.bandwidth_bytes_per_s) + (2 if slowest else 0),
        dashed=not found.known or found.kind == "internet",
        layer=3,
        bottleneck=slowest,
        used=bool(uses),
        ids=(edge_id,),
    )


def link_colour(kind: str) -> str:
    """Token of a class of connection."""
    return kind if kind in {"pcie", "sockets", "network", "nvlink"} else "internet"
