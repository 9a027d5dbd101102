"""The inside of one server as a graph (slots, switches, chipset, sockets, NVLink), and the route between two cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from configurator.catalogue.records import GpuRecord, LinkRecord, ServerRecord
from configurator.plan.model import Gpu, Server, Slot
from configurator.scaling.fabrics import Scenario, calibration, figure
from configurator.scaling.graph import Device, Edge, Node, PathType, Route
from configurator.sizing.devices import device_memory

CHIPSET_LANES = 4
"""A desktop chipset hangs on four lanes, shared by everything behind it (measured 6.5 GB/s, club-3090)."""

TUNNEL_SHARE = 0.72
"""PCIe payload of a Thunderbolt tunnel over the lanes it shows (32 of 40 Gb/s, less protocol)."""

SOCKET_FLOWS = 1.5
"""P2P flows a socket link carries at full pace: all-to-all of eight RTX PRO 6000 on two sockets, 16 MiB in 986 us."""

ATTACH_US = {"thunderbolt": 3.0, "usb_riser": 10.0, "chipset": 0.6, "oculink": 0.2}


@dataclass(frozen=True, slots=True)
class ServerGraph:
    """One server, one scenario. ``chains``: edges from each card up to its socket, nearest first."""

    server: Server
    devices: tuple[Device, ...]
    nodes: tuple[Node, ...]
    edges: Mapping[str, Edge]
    chains: Mapping[str, tuple[str, ...]]
    socket_of: Mapping[str, int]
    switch_of: Mapping[str, str]
    socket_edges: Mapping[tuple[int, int], str]
    peers: Mapping[tuple[str, str], str]
    """NVLink bridges and mesh links by ordered pair of GPU ids."""
    fabric: Mapping[str, str]
    """Edge of each GPU to the NVSwitch."""
    host_memory_bytes_per_s: float
    near: PathType
    """What two root ports of one socket are called."""
    kind_of: Mapping[str, str]
    """Catalogue id of each GPU."""
    direct: Mapping[tuple[str, str], bool]
    """Whether two kinds of cards copy to each other without host memory."""
    card_ids: tuple[str, ...]
    """GPU ids by seat."""
    known: bool
    shape: tuple[object, ...]
    """Equal for servers that differ in names and ids only."""

    def edge_rate(self, edge_id: str) -> float:
        """What one flow gets on an edge, bytes/s."""
        return self.edges[edge_id].bandwidth_bytes_per_s


def x16_bytes_per_s(generation: int, scenario: Scenario) -> float:
    """Practical rate of 16 lanes, one direction."""
    return figure(f"pcie.x16_gb_s.{max(1, min(7, generation))}", scenario) * 1e9


def lanes_bytes_per_s(generation: int, lanes: int, scenario: Scenario) -> float:
    """Practical rate of a PCIe link, one direction."""
    return x16_bytes_per_s(generation, scenario) * lanes / 16


def peer_copies(a: GpuRecord, b: GpuRecord, server: Server, scenario: Scenario) -> bool:
    """Whether two cards copy to each other directly over PCIe: card and driver decide, not the slot."""
    if server.p2p == "yes":
        return True
    if server.p2p == "no" or a.vendor != b.vendor or a.architecture != b.architecture:
        return False
    if scenario == "low" and (server.p2p == "unknown" or not server.topology_known):
        return False
    if server.p2p == "unknown" and scenario == "high":
        return True
    if server.host != "linux":
        return False
    states = {a.p2p_over_pcie, b.p2p_over_pcie}
    if "no_by_default" in states:
        return False
    return scenario == "high" if "unknown" in states else True


def shape_of(server: Server, failed: frozenset[str]) -> tuple[object, ...]:
    """Everything that decides memory, speed and wiring, without names and ids."""
    switches = {each.id: number for number, each in enumerate(server.switches)}
    slots = {each.id: number for number, each in enumerate(server.slots)}
    return (
        server.chassis,
        server.sockets,
        server.topology_known,
        server.p2p,
        server.host,
        server.ram_gb,
        tuple((each.socket, each.uplink_generation, each.uplink_lanes, each.id in failed) for each in server.switches),
        tuple(
            (
                each.form,
                each.pcie_generation,
                each.lanes,
                each.socket,
                switches.get(each.switch or ""),
                each.attach,
                None
                if each.gpu is None or each.gpu.id in failed or each.id in failed
                else (each.gpu.gpu, each.gpu.power_limit_w, each.gpu.drives_display),
            )
            for each in server.slots
        ),
        tuple((slots.get(a), slots.get(b)) for a, b in server.nvlink_pairs),
        tuple(
            (each.part, each.bandwidth_gbit_s, each.ports, each.rdma, each.gpudirect, each.socket, each.id in failed)
            for each in server.nics
        ),
    )


def server_graph(
    server: Server,
    site_id: str,
    gpus: Mapping[str, GpuRecord],
    chassis: ServerRecord | None,
    socket_link: LinkRecord | None,
    scenario: Scenario,
    failed: frozenset[str] = frozenset(),
) -> ServerGraph:
    """The graph of one server without GPUs whose id, slot or PCIe switch ``failed``, or that ``gpus`` does not know."""
    builder = _Builder(server, site_id, chassis, scenario)
    for slot in server.slots:
        gpu = slot.gpu
        if gpu is None or gpu.id in failed or slot.id in failed or (slot.switch or "") in failed:
            continue
        if gpu.gpu in gpus:
            builder.add_card(slot, gpu, gpus[gpu.gpu])
    builder.join_sockets(socket_link)
    builder.join_nvlink()
    return builder.finish(shape_of(server, failed))


class _Builder:
    def __init__(self, server: Server, site_id: str, chassis: ServerRecord | None, scenario: Scenario) -> None:
        self.server, self.site_id, self.chassis, self.scenario = server, site_id, chassis, scenario
        self.devices: list[Device] = []
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self.chains: dict[str, tuple[str, ...]] = {}
        self.socket_of: dict[str, int] = {}
        self.switch_of: dict[str, str] = {}
        self.socket_edges: dict[tuple[int, int], str] = {}
        self.peers: dict[tuple[str, str], str] = {}
        self.fabric: dict[str, str] = {}
        self.known = server.topology_known

    def socket(self, number: int) -> str:
        """Node id of a CPU socket, made when first used."""
        number = min(number, self.server.sockets - 1)
        node_id = f"{self.server.id}/socket-{number}"
        if node_id not in self.nodes:
            self.nodes[node_id] = Node(node_id, "socket", self.server.id, self.server.id, self.site_id, number)
        return node_id

    def add_card(self, slot: Slot, gpu: Gpu, record: GpuRecord) -> None:
        """A GPU with its chain of edges to the socket."""
        self.devices.append(
            Device(
                gpu.id,
                record,
                self.server.id,
                self.site_id,
                slot,
                min(gpu.power_limit_w or record.power_w.value, record.power_limit_max_w or float("inf")),
                device_memory(gpu.id, record, self.server.host, drives_display=gpu.drives_display),
            )
        )
        self.nodes[gpu.id] = Node(gpu.id, "gpu", gpu.id, self.server.id, self.site_id)
        chain = [slot.id]
        above = self._above(slot, chain)
        self.edges[slot.id] = self._slot_edge(slot, record, gpu.id, above)
        self.chains[gpu.id] = tuple(chain)
        self.socket_of[gpu.id] = min(slot.socket, self.server.sockets - 1)

    def _above(self, slot: Slot, chain: list[str]) -> str:
        switch = next((each for each in self.server.switches if each.id == slot.switch), None)
        if switch is not None:
            if switch.id not in self.nodes:
                self.nodes[switch.id] = Node(switch.id, "pcie_switch", switch.id, self.server.id, self.site_id)
                self._uplink(
                    f"{switch.id}/uplink",
                    switch.id,
                    switch.socket,
                    switch.uplink_generation,
                    switch.uplink_lanes,
                    switch.id,
                    figure("pcie.uplink_x16_share", self.scenario),
                )
            chain.append(f"{switch.id}/uplink")
            if slot.gpu is not None:
                self.switch_of[slot.gpu.id] = switch.id
            return switch.id
        if slot.attach == "chipset":
            node_id = f"{self.server.id}/chipset-{slot.socket}"
            if node_id not in self.nodes:
                self.nodes[node_id] = Node(node_id, "chipset", self.server.id, self.server.id, self.site_id)
                self._uplink(f"{node_id}/uplink", node_id, slot.socket, 4, CHIPSET_LANES, self.server.id, 1.0)
            chain.append(f"{node_id}/uplink")
            return node_id
        return self.socket(slot.socket)

    def _uplink(
        self,
        edge_id: str,
        node: str,
        socket: int,
        generation: int | None,
        lanes: int | None,
        subject: str,
        share: float,
    ) -> None:
        known = generation is not None and lanes is not None and self.server.topology_known
        self.known = self.known and known
        rate = lanes_bytes_per_s(generation or 4, lanes or (8 if self.scenario == "low" else 16), self.scenario)
        hop = figure("pcie.switch_hop_us", self.scenario) * 1e-6 / 2
        self.edges[edge_id] = Edge(
            edge_id, "pcie", node, self.socket(socket), rate * share, hop, known, "PCIe generation and lanes", subject
        )

    def _slot_edge(self, slot: Slot, record: GpuRecord, gpu_id: str, above: str) -> Edge:
        known = self.server.topology_known and slot.pcie_generation is not None and slot.lanes is not None
        if slot.form == "soc" or record.form == "soc":
            rate = record.memory_bandwidth.value
            return Edge(slot.id, "pcie", gpu_id, above, rate, 0.2e-6, True, "shared memory of the chip", slot.id)
        self.known = self.known and known
        card_lanes = record.pcie_lanes or 16
        generation = slot.pcie_generation or (min(3, record.pcie_generation) if self.scenario == "low" else 99)
        guess = {"low": 4, "expected": 8, "high": 16}[self.scenario]
        lanes = slot.lanes or guess
        if not self.server.topology_known and self.scenario == "low":
            lanes = min(lanes, 4)
        rate = lanes_bytes_per_s(min(generation, record.pcie_generation), min(lanes, card_lanes), self.scenario)
        if slot.attach == "thunderbolt":
            rate *= TUNNEL_SHARE
        hop = figure("pcie.hop_us", self.scenario) + ATTACH_US.get(slot.attach, 0.0)
        source = "PCIe generation and lanes" if known else "assumed, the slot is not known"
        return Edge(slot.id, "pcie" if known else "unknown", gpu_id, above, rate, hop * 1e-6, known, source, slot.id)

    def join_sockets(self, link: LinkRecord | None) -> None:
        """Edges between the sockets that hold cards."""
        used = sorted(set(self.socket_of.values()))
        for i, a in enumerate(used):
            for b in used[i + 1 :]:
                edge_id = f"{self.server.id}/sockets-{a}-{b}"
                if link is None:
                    low, value, high, latency, name = 20e9, 39e9, 50e9, 1.2e-6, "socket link not known"
                    nominal, known = 96e9, False
                else:
                    fact = link.bandwidth
                    low, value, high = fact.low, fact.value, fact.high
                    latency, name, nominal, known = link.latency.value, link.name, link.nominal_bytes_per_s, True
                rate = {"low": low, "expected": value, "high": high}[self.scenario]
                self.socket_edges[a, b] = edge_id
                self.edges[edge_id] = Edge(
                    edge_id,
                    "sockets",
                    self.socket(a),
                    self.socket(b),
                    rate,
                    latency,
                    known,
                    name,
                    self.server.id,
                    nominal,
                    max(rate, min(nominal * 0.7, rate * SOCKET_FLOWS)),
                )

    def join_nvlink(self) -> None:
        """Bridges from the plan's pairs; switch and mesh from the cards of the baseboard."""
        devices = {device.slot.id: device for device in self.devices}
        pairs = [(devices[a], devices[b]) for a, b in self.server.nvlink_pairs if a in devices and b in devices]
        degree: dict[str, int] = {}
        for pair in pairs:
            for each in pair:
                degree[each.id] = degree.get(each.id, 0) + 1
        for a, b in pairs:
            if a.record.id == b.record.id and a.record.link_kind == "bridge":
                rate = a.record.link_bandwidth_bytes_per_s / max(degree[a.id], degree[b.id])
                self._peer(a, b, rate, rate * figure("bridge_share", self.scenario))
        boards = [each for each in self.devices if each.slot.form in {"sxm", "oam"}]
        meshed = [each for each in boards if each.record.link_kind in {"mesh", "roce"}]
        for i, a in enumerate(meshed):
            for b in meshed[i + 1 :]:
                if a.record.id == b.record.id:
                    rate = a.record.link_bandwidth_bytes_per_s / max(1, a.record.link_max_group - 1)
                    self._peer(a, b, rate, rate * figure("mesh.pair_share", self.scenario))
        switched = [each for each in boards if each.record.link_kind == "switch"]
        if len(switched) > 1:
            node_id = f"{self.server.id}/nvswitch"
            self.nodes[node_id] = Node(node_id, "nvswitch", self.server.id, self.server.id, self.site_id)
            for each in switched:
                edge_id = f"{each.id}/nvlink"
                rate = each.record.link_bandwidth_bytes_per_s
                self.fabric[each.id] = edge_id
                self.edges[edge_id] = Edge(
                    edge_id, "nvlink", each.id, node_id, rate * 0.88, 1e-6, True, each.record.link_name, each.id, rate
                )

    def _peer(self, a: Device, b: Device, nominal: float, rate: float) -> None:
        edge_id = f"{a.id}/nvlink/{b.id}"
        self.peers[a.id, b.id] = self.peers[b.id, a.id] = edge_id
        self.edges[edge_id] = Edge(
            edge_id, "nvlink", a.id, b.id, rate, 1e-6, True, a.record.link_name, a.server_id, nominal
        )

    def finish(self, shape: tuple[object, ...]) -> ServerGraph:
        """The frozen graph."""
        kind = self.chassis.kind if self.chassis is not None else "default"
        memory = calibration()["host_memory_gb_s"]
        kinds = {device.record.id: device.record for device in self.devices}
        direct = {
            (a.id, b.id): peer_copies(a, b, self.server, self.scenario) for a in kinds.values() for b in kinds.values()
        }
        return ServerGraph(
            self.server,
            tuple(self.devices),
            tuple(self.nodes.values()),
            self.edges,
            self.chains,
            self.socket_of,
            self.switch_of,
            self.socket_edges,
            self.peers,
            self.fabric,
            float(memory.get(kind, memory["default"])) * 1e9,
            "PHB" if kind in {"desktop", "mining", "edge"} else "NODE",
            {device.id: device.record.id for device in self.devices},
            direct,
            tuple(device.id for device in self.devices),
            self.known,
            shape,
        )


def route(graph: ServerGraph, a: str, b: str, scenario: Scenario) -> Route:
    """The way from one card to another inside a server."""
    edges = graph.edges
    if a == b:
        return Route("LOC", (), float("inf"), 0.0, True, True, "")
    bridge = graph.peers.get((a, b))
    if bridge is not None:
        return _along(edges, "NVL", (bridge,), True)
    if a in graph.fabric and b in graph.fabric:
        return _along(edges, "NVL", (graph.fabric[a], graph.fabric[b]), True)
    up, down = graph.chains[a], graph.chains[b]
    same_switch = graph.switch_of.get(a) is not None and graph.switch_of.get(a) == graph.switch_of.get(b)
    sockets = tuple(sorted((graph.socket_of[a], graph.socket_of[b])))
    crossing: tuple[str, ...] = ()
    kind: PathType = "PIX" if same_switch else graph.near
    if sockets[0] != sockets[1]:
        kind, crossing = "SYS", (graph.socket_edges[sockets[0], sockets[1]],)
    elif not same_switch and graph.switch_of.get(a) and graph.switch_of.get(b):
        kind = "PXB"
    if graph.direct[graph.kind_of[a], graph.kind_of[b]]:
        way = (up[0], down[0]) if not crossing and up[1:] == down[1:] else (*up, *crossing, *reversed(down))
        return _along(edges, kind, way, True)
    staged = _along(edges, kind, (*up, *crossing, *reversed(down)), False)
    rate = min(staged.bandwidth_bytes_per_s * figure("pcie.staged_share", scenario), graph.host_memory_bytes_per_s / 2)
    return Route(
        kind, staged.edges, rate, figure("pcie.staged_us", scenario) * 1e-6, False, staged.known, staged.slowest
    )


def _along(edges: Mapping[str, Edge], kind: PathType, way: tuple[str, ...], direct: bool) -> Route:
    slowest = min(way, key=lambda each: edges[each].bandwidth_bytes_per_s)
    return Route(
        kind,
        way,
        edges[slowest].bandwidth_bytes_per_s,
        sum(edges[each].latency_s for each in way),
        direct,
        all(edges[each].known for each in way),
        slowest,
    )
