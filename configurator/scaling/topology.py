"""The plan as a graph of cards, links, servers and sites; pure, one per scenario.

``build_topology(plan, catalogue, scenario)`` removes what failed and resolves what is not known to a low, an
expected or a high figure. Graphs of single servers are kept by identity, so an edit rebuilds one server only.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from configurator.catalogue import Catalogue
from configurator.plan.model import Plan, Server
from configurator.scaling.fabrics import Scenario
from configurator.scaling.graph import Device, Edge, LinkedGroup, Node, Route
from configurator.scaling.inbox import ServerGraph, route, server_graph
from configurator.scaling.wires import LanRoute, Wires

__all__ = ["Device", "Edge", "LanRoute", "LinkedGroup", "Node", "Route", "Topology", "build_topology"]

KEPT_GRAPHS = 4096
"""Server graphs kept between edits."""

_kept: OrderedDict[tuple[int, int, str, frozenset[str]], tuple[Server, Catalogue, ServerGraph]] = OrderedDict()


def _graph(
    server: Server, site_id: str, catalogue: Catalogue, scenario: Scenario, failed: frozenset[str]
) -> ServerGraph:
    own = failed & _ids_of(server) if failed else failed
    key = (id(server), id(catalogue), f"{scenario}@{site_id}", own)
    found = _kept.get(key)
    if found is not None and found[0] is server and found[1] is catalogue:
        return found[2]
    chassis = catalogue.servers.get(server.chassis)
    link = catalogue.links.get(chassis.socket_link) if chassis is not None else None
    graph = server_graph(server, site_id, catalogue.gpus, chassis, link, scenario, own)
    _kept[key] = (server, catalogue, graph)
    if len(_kept) > KEPT_GRAPHS:
        _kept.popitem(last=False)
    return graph


def _ids_of(server: Server) -> frozenset[str]:
    ids = {each.id for each in (*server.slots, *server.switches, *server.nics)}
    ids.update(slot.gpu.id for slot in server.slots if slot.gpu is not None)
    return frozenset(ids)


class Topology:
    """What works of a plan, and how it is joined. Treat as frozen."""

    def __init__(self, plan: Plan, catalogue: Catalogue, scenario: Scenario) -> None:
        failed = frozenset(plan.failed_ids)
        self.scenario: Scenario = scenario
        self.catalogue = catalogue
        self.wires = Wires(plan, catalogue, scenario, failed)
        self.servers: Mapping[str, ServerGraph] = {
            key: _graph(server, self.wires.home[key], catalogue, scenario, failed)
            for key, server in self.wires.servers.items()
        }
        self.devices: dict[str, Device] = {
            device.id: device for graph in self.servers.values() for device in graph.devices
        }
        self.linked_groups: tuple[LinkedGroup, ...] = self.wires.groups
        self._routes: dict[tuple[str, str], Route | None] = {}
        self.hand_overs: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[float, float]] = {}
        """Kept by collectives.send_s: fixed time and time per byte between two groups."""
        self.kept: dict[object, tuple[object, ...]] = {}
        """Answers of other rooms that depend on this topology alone and their key; see offers.offer."""

    @property
    def edges(self) -> dict[str, Edge]:
        """Every edge by id: inside the servers, LAN links, network cards, internet."""
        found: dict[str, Edge] = {}
        for graph in self.servers.values():
            found.update(graph.edges)
        found.update(self.wires.edges)
        return found

    @property
    def nodes(self) -> dict[str, Node]:
        """Every box by id. A LAN link ends at a server's id; sites stand for their gateways."""
        found: dict[str, Node] = {}
        for site in self.wires.sites.values():
            found[site.id] = Node(site.id, "gateway", site.id, None, site.id)
            for switch in site.switches:
                if switch.id in self.wires.home:
                    found[switch.id] = Node(switch.id, "network_switch", switch.id, None, site.id)
        for key, graph in self.servers.items():
            found.update((node.id, node) for node in graph.nodes)
            site_id = self.wires.home[key]
            found.update((nic.id, Node(nic.id, "nic", nic.id, key, site_id)) for nic in graph.server.nics)
        return found

    def edge(self, edge_id: str) -> Edge | None:
        """One edge by id."""
        if edge_id in self.wires.edges:
            return self.wires.edges[edge_id]
        return next((graph.edges[edge_id] for graph in self.servers.values() if edge_id in graph.edges), None)

    def group_of(self, server_id: str) -> LinkedGroup:
        """The linked group a server belongs to."""
        return self.wires.group_of[server_id]

    def p2p(self, a: str, b: str) -> Route | None:
        """The way between two cards: inside a server, over the LAN, else over the internet; None when there is none."""
        key = (a, b)
        if key not in self._routes:
            self._routes[key] = self._find(a, b)
        return self._routes[key]

    def _find(self, a: str, b: str) -> Route | None:
        first, second = self.devices[a], self.devices[b]
        if first.server_id == second.server_id:
            return route(self.servers[first.server_id], a, b, self.scenario)
        if first.site_id == second.site_id:
            way = self.wires.lan_route(first.server_id, second.server_id)
        else:
            way = self.wires.wan_route(first.site_id, second.site_id)
        if way is None:
            return None
        direct = way.rdma and self.gpudirect(first.server_id) and self.gpudirect(second.server_id)
        known = way.known and self.servers[first.server_id].known and self.servers[second.server_id].known
        inside = [self.servers[each.server_id].chains[each.id] for each in (first, second)]
        edges = (*inside[0], *way.edges, *reversed(inside[1]))
        rates = {way.slowest: way.bandwidth_bytes_per_s}
        for device, chain in zip((first, second), inside, strict=True):
            graph = self.servers[device.server_id]
            rates.update((each, graph.edges[each].bandwidth_bytes_per_s) for each in chain)
        slowest = min(rates, key=lambda each: rates[each])
        return Route("WAN" if way.wan else "NET", edges, rates[slowest], way.latency_s, direct, known, slowest)

    def gpudirect(self, server_id: str) -> bool:
        """Whether network cards read GPU memory directly: the owner's word, else by card and scenario."""
        graph = self.servers[server_id]
        answers = {nic.gpudirect for nic in graph.server.nics}
        if "yes" in answers:
            return True
        if answers and answers <= {"no"}:
            return False
        if any(device.record.form == "soc" for device in graph.devices):
            return True
        professional = all(device.record.p2p_over_pcie in {"yes", "yes_nvlink"} for device in graph.devices)
        return professional and self.scenario != "low"

    def servers_of(self, gpu_ids: Iterable[str]) -> tuple[str, ...]:
        """Servers of these cards, in order of first appearance."""
        return tuple(dict.fromkeys(self.devices[gpu].server_id for gpu in gpu_ids))


def build_topology(plan: Plan, catalogue: Catalogue, scenario: Scenario = "expected") -> Topology:
    """The graph of a plan for one scenario; failed objects and cards unknown to the catalogue are left out."""
    return Topology(plan, catalogue, scenario)
