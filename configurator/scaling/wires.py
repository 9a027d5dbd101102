"""Between servers and sites: LAN links as a graph, linked groups, and the internet lines of sites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from configurator.catalogue import Catalogue
from configurator.catalogue.records import LinkRecord
from configurator.plan.index import line_id
from configurator.plan.model import Link, Nic, Plan, Server, Site
from configurator.scaling.fabrics import Scenario, figure
from configurator.scaling.graph import Edge, LinkedGroup

INTERNET = "internet"
UNKNOWN = "unknown"

UNKNOWN_LINE: dict[Scenario, tuple[float, float]] = {
    "low": (10e6, 60e-3),
    "expected": (50e6, 25e-3),
    "high": (500e6, 8e-3),
}
"""Uplink in bit/s and round trip of a line nobody described: between ADSL and business fibre."""

SWITCH_HOP_S = 0.5e-6
"""A cut-through Ethernet switch (kentino.com, switchless topologies: 0.4-0.6 us)."""


@dataclass(frozen=True, slots=True)
class LanRoute:
    """Between two servers of one linked group, or two sites: the narrowest edge rules."""

    edges: tuple[str, ...]
    bandwidth_bytes_per_s: float
    latency_s: float
    rdma: bool
    known: bool
    slowest: str
    wan: bool = False


def link_edge(link: Link, record: LinkRecord | None, scenario: Scenario) -> Edge:
    """The edge of a LAN link from the owner's figures, else its catalogue record, else what is assumed."""
    if record is None or link.kind == UNKNOWN:
        known = link.bandwidth_bytes_per_s is not None and link.latency_s is not None
        rate = link.bandwidth_bytes_per_s or figure("network.unknown_gb_s", scenario) * 1e9
        latency = link.latency_s if link.latency_s is not None else figure("network.unknown_us", scenario) * 1e-6
        kind, source = ("network", "owner's figures") if known else ("unknown", "not known")
        edge = Edge(link.id, "network", link.a, link.b, rate * link.count, latency, known, source, link.id)
        return edge if kind == "network" else replace(edge, kind="unknown")
    rate = {"low": record.bandwidth.low, "expected": record.bandwidth.value, "high": record.bandwidth.high}[scenario]
    late = {"low": record.latency.high, "expected": record.latency.value, "high": record.latency.low}[scenario]
    return Edge(
        link.id,
        "network",
        link.a,
        link.b,
        (link.bandwidth_bytes_per_s or rate) * link.count,
        link.latency_s if link.latency_s is not None else late,
        True,
        record.name,
        link.id,
        record.nominal_bytes_per_s * link.count,
        0.0,
        record.rdma,
    )


def nic_limit_bytes_per_s(server: Server, catalogue: Catalogue, failed: frozenset[str], cables: int = 1) -> float:
    """What the working network cards carry over so many cables, the fastest first; infinity when none is described."""
    if not server.nics:
        return float("inf")
    working = [_nic_bytes_per_s(each, catalogue) for each in server.nics if each.id not in failed]
    return sum(sorted(working, reverse=True)[:cables])


def _nic_bytes_per_s(nic: Nic, catalogue: Catalogue) -> float:
    if nic.bandwidth_gbit_s is not None:
        return nic.bandwidth_gbit_s * nic.ports / 8 * 1e9 * 0.96
    part = catalogue.parts.get(nic.part or "")
    if part is None or not part.ports:
        return float("inf")
    return max(count * speed for count, speed in part.ports) / 8 * 1e9 * 0.96


def line_of(site: Site, catalogue: Catalogue, scenario: Scenario) -> tuple[float, float, float, bool]:
    """(down bytes/s, up bytes/s, round trip s, known) of a site's internet line; the owner's figures first."""
    line = site.internet
    profile = catalogue.internet.get(line.profile or "")
    up_bits, rtt = UNKNOWN_LINE[scenario]
    down_bits = up_bits * 4
    known = line.up_mbit_s is not None and line.rtt_ms is not None
    if profile is not None:
        known = True
        down_bits, up_bits = profile.down_bits_per_s, profile.up_bits_per_s
        rtt = {"low": profile.rtt.high, "expected": profile.rtt.value, "high": profile.rtt.low}[scenario]
    if line.down_mbit_s is not None:
        down_bits = line.down_mbit_s * 1e6
    if line.up_mbit_s is not None:
        up_bits = line.up_mbit_s * 1e6
    if line.rtt_ms is not None:
        rtt = line.rtt_ms * 1e-3
    return down_bits / 8, up_bits / 8, rtt, known


def internet_edge(link_id: str, a: Site, b: Site, catalogue: Catalogue, scenario: Scenario) -> Edge:
    """Two sites over their lines: the slower uplink rules both ways, round trips add (each is to the exchange)."""
    down_a, up_a, rtt_a, known_a = line_of(a, catalogue, scenario)
    down_b, up_b, rtt_b, known_b = line_of(b, catalogue, scenario)
    rate = min(up_a, up_b, down_a, down_b)
    return Edge(
        link_id, "internet", a.id, b.id, rate, (rtt_a + rtt_b) / 2, known_a and known_b, "internet lines", link_id
    )


class Wires:
    """Every link of a plan for one scenario, without the failed ones."""

    def __init__(self, plan: Plan, catalogue: Catalogue, scenario: Scenario, failed: frozenset[str]) -> None:
        self.catalogue, self.scenario = catalogue, scenario
        self.off_line = {site.id for site in plan.sites if line_id(site.id) in failed} if failed else set()
        self.sites = {site.id: site for site in plan.sites if site.id not in failed}
        self.servers: dict[str, Server] = {}
        self.home: dict[str, str] = {}
        for site in self.sites.values():
            for server in site.servers:
                if server.id not in failed:
                    self.home[server.id] = site.id
                    self.servers[server.id] = server
            self.home.update((switch.id, site.id) for switch in site.switches if switch.id not in failed)
        self.edges: dict[str, Edge] = {}
        self.lan: dict[str, list[str]] = {}
        self.wan: dict[frozenset[str], Edge] = {}
        self.failed = failed
        for link in plan.links:
            if link.id not in failed:
                self._add(link)
        self.groups = self._linked_groups()
        self.group_of = {server: group for group in self.groups for server in group.server_ids}
        self._routes: dict[tuple[str, str], LanRoute | None] = {}

    def _limit(self, end: str, cables: int) -> float:
        server = self.servers.get(end)
        return float("inf") if server is None else nic_limit_bytes_per_s(server, self.catalogue, self.failed, cables)

    def _add(self, link: Link) -> None:
        ends = (self.home.get(link.a, link.a), self.home.get(link.b, link.b))
        if not all(end in self.sites for end in ends):
            return
        if ends[0] != ends[1]:
            if self.off_line & set(ends):
                return
            # Whatever the cable is called, two sites meet over their internet lines only.
            edge = internet_edge(link.id, self.sites[ends[0]], self.sites[ends[1]], self.catalogue, self.scenario)
            self.edges[link.id] = edge
            self.wan[frozenset(ends)] = edge
            return
        if link.a not in self.home or link.b not in self.home or link.kind == INTERNET:
            return
        edge = link_edge(link, self.catalogue.links.get(link.kind), self.scenario)
        limit = min(self._limit(link.a, link.count), self._limit(link.b, link.count))
        if limit <= 0:
            return
        rdma = edge.rdma and all(_may_rdma(self.servers.get(end)) for end in (link.a, link.b))
        edge = replace(edge, bandwidth_bytes_per_s=min(edge.bandwidth_bytes_per_s, limit), rdma=rdma)
        self.edges[link.id] = edge
        self.lan.setdefault(link.a, []).append(link.id)
        self.lan.setdefault(link.b, []).append(link.id)

    def _linked_groups(self) -> tuple[LinkedGroup, ...]:
        seen: set[str] = set()
        groups: list[LinkedGroup] = []
        for start in self.servers:
            if start in seen:
                continue
            reached, known = {start: None}, True
            todo = [start]
            while todo:
                here = todo.pop()
                for link_id in self.lan.get(here, ()):
                    edge = self.edges[link_id]
                    known = known and edge.known
                    other = edge.b if edge.a == here else edge.a
                    if other not in reached:
                        reached[other] = None
                        todo.append(other)
            members = (start,) if len(reached) == 1 else tuple(each for each in self.servers if each in reached)
            seen.update(members)
            groups.append(LinkedGroup(f"group-{len(groups) + 1}", self.home[start], members, known))
        return tuple(groups)

    def lan_route(self, a: str, b: str) -> LanRoute | None:
        """The widest way over LAN links between two servers of one site, None without one."""
        key = (a, b) if a < b else (b, a)
        if key not in self._routes:
            self._routes[key] = self._widest(*key)
        return self._routes[key]

    def _widest(self, a: str, b: str) -> LanRoute | None:
        group = self.group_of.get(a)
        if group is None or b not in group.server_ids:
            return None
        best: dict[str, tuple[float, tuple[str, ...]]] = {a: (float("inf"), ())}
        todo = [a]
        while todo:
            here = max(todo, key=lambda each: best[each][0])
            todo.remove(here)
            if here == b:
                break
            if here != a and here in self.servers:
                # A server is no switch: it does not pass traffic of others on.
                continue
            for link_id in self.lan.get(here, ()):
                edge = self.edges[link_id]
                other = edge.b if edge.a == here else edge.a
                width = min(best[here][0], edge.bandwidth_bytes_per_s)
                if other not in best or width > best[other][0]:
                    best[other] = (width, (*best[here][1], link_id))
                    if other not in todo:
                        todo.append(other)
        if b not in best:
            return None
        return self._route(best[b][1], wan=False)

    def _route(self, way: tuple[str, ...], wan: bool) -> LanRoute:
        edges = [self.edges[each] for each in way]
        slowest = min(edges, key=lambda each: each.bandwidth_bytes_per_s)
        hops = SWITCH_HOP_S * max(0, len(way) - 1)
        return LanRoute(
            way,
            slowest.bandwidth_bytes_per_s,
            max(each.latency_s for each in edges) + hops,
            all(each.rdma for each in edges),
            all(each.known for each in edges),
            slowest.id,
            wan,
        )

    def wan_route(self, site_a: str, site_b: str) -> LanRoute | None:
        """Over the internet between two sites; also without a drawn link, since each site has a line."""
        if site_a not in self.sites or site_b not in self.sites or site_a == site_b:
            return None
        if self.off_line & {site_a, site_b}:
            return None
        edge = self.wan.get(frozenset((site_a, site_b)))
        if edge is None:
            edge = internet_edge(
                f"{site_a}/internet/{site_b}", self.sites[site_a], self.sites[site_b], self.catalogue, self.scenario
            )
            self.wan[frozenset((site_a, site_b))] = edge
            self.edges.setdefault(edge.id, edge)
        return self._route((edge.id,), wan=True)

    def passing(self, servers: Iterable[str]) -> LanRoute | None:
        """The narrowest of the routes a ring over these servers takes, in order; None when one is missing.

        Servers in a row without a closing link carry the ring twice: there and back.
        """
        ring = list(servers)
        if len(ring) < 2:
            return None
        routes = [self.lan_route(a, b) for a, b in pairwise(ring)]
        found = [route for route in routes if route is not None]
        if len(found) < len(routes):
            return None
        closing = self.lan_route(ring[-1], ring[0]) if len(ring) > 2 else found[0]
        if closing is not None:
            found.append(closing)
        narrow = min(found, key=lambda each: each.bandwidth_bytes_per_s)
        return replace(
            narrow,
            bandwidth_bytes_per_s=narrow.bandwidth_bytes_per_s * (1.0 if closing is not None else 0.5),
            latency_s=max(each.latency_s for each in found),
            rdma=all(each.rdma for each in found),
            known=all(each.known for each in found),
        )


def _may_rdma(server: Server | None) -> bool:
    """False only when the owner said that no network card of the server does RDMA."""
    return server is None or not server.nics or any(nic.rdma != "no" for nic in server.nics)
