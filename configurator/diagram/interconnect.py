"""The interconnect graph: sites, servers, sockets, switches, cards and everything that joins them, laid out once.

The layout follows the hardware, so owners recognise it: sites in rows, network switches above servers, in each server
sockets above PCIe switches above cards. Deterministic; no two texts overlap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from configurator.diagram.compact import cards_said, compact_block, server_cards, stack_block
from configurator.diagram.failure import failure_states
from configurator.diagram.inside import Block, Context
from configurator.diagram.picture import Key, Picture
from configurator.diagram.placement import Placement, placement, workload_of
from configurator.diagram.said import kind_name
from configurator.diagram.server_view import server_block
from configurator.diagram.sheet import Sheet
from configurator.diagram.site_view import centre_rows, shelf, site_block
from configurator.diagram.wan import GAP_X, GAP_Y, STAR_GAP_X, STAR_GAP_Y, Spot, is_star, lines, star
from configurator.plan.index import servers as plan_servers
from configurator.plan.model import Link, Plan, Server, Site
from configurator.scaling import graph as topo
from configurator.scaling.topology import Topology
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import Assessment

View = Literal["auto", "cards", "servers", "groups"]
"""cards: every card; servers: one box per server; groups: equal servers as one stack; auto: by size."""

MOST_CARDS, MOST_SERVERS, MOST_IN_FULL, MOST_BOXES = 72, 8, 20, 24
"""Cards and servers up to which all is drawn in full, cards of one server, servers up to which each has a box."""
SITE_GAP, SHORT_ROW = 40.0, 1240.0
SERVER_GAP_X, SERVER_GAP_Y = 34.0, 46.0
MOST_IN_ROW, ROOM = 24, 60.0


def interconnect(
    plan: Plan,
    topology: Topology,
    assessment: Assessment | None,
    wording: Wording,
    *,
    workload_id: str | None = None,
    view: View = "auto",
    failing: Sequence[str] = (),
    aspect: float | None = None,
) -> Picture:
    """The picture of a plan. ``topology`` is its expected graph; ``failing``: what if these objects failed as well.

    ``aspect``: width over height of the place it is shown in; rows are then broken so that it is seen largest.
    """
    answer = workload_of(assessment, workload_id)
    placed = placement(answer.chosen if answer is not None else None, topology)
    workload = next((each for each in plan.workloads if answer is None or each.id == answer.workload_id), None)
    states = failure_states(plan, placed, failing, workload)
    edges = topology.edges
    if states:
        edges = {key: edge for key, edge in edges.items() if states.get(key) != "failed"}
    nvlink: dict[str, list[topo.Edge]] = {}
    for server_id, graph in topology.servers.items():
        nvlink[server_id] = [edge for edge in graph.edges.values() if edge.kind == "nvlink"]
    context = Context(
        topology.catalogue,
        wording,
        placed,
        edges,
        states,
        {key: tuple(value) for key, value in nvlink.items()},
    )
    return _Plan(plan, context, chosen_view(plan, view), aspect).picture()


def chosen_view(plan: Plan, view: View = "auto") -> View:
    """What "auto" means for a plan."""
    if view != "auto":
        return view
    machines = [server for _, server in plan_servers(plan)]
    total = sum(len(server_cards(each)) for each in machines)
    if len(machines) <= MOST_SERVERS and total <= MOST_CARDS:
        return "cards"
    return "servers" if len(machines) <= MOST_BOXES else "groups"


class _Plan:
    def __init__(self, plan: Plan, context: Context, view: View, aspect: float | None) -> None:
        self.plan = plan
        self.aspect = aspect
        self.context = context
        self.view = view
        self.home: dict[str, str] = {}
        for site in plan.sites:
            self.home.update((each.id, site.id) for each in (site, *site.servers, *site.switches))
        self.inside: dict[str, list[Link]] = {}
        self.across: list[Link] = []
        for link in plan.links:
            ends = {self.home.get(link.a, ""), self.home.get(link.b, "")}
            if len(ends) == 1:
                self.inside.setdefault(ends.pop(), []).append(link)
            elif ends <= {site.id for site in plan.sites}:
                self.across.append(link)

    def picture(self) -> Picture:
        """Sites in rows and the internet between them."""
        sheet = Sheet()
        several = is_star(self.across)
        blocks = [self._site(site) for site in self.plan.sites]
        gap_x, gap_y = (GAP_X, GAP_Y) if self.across else (SITE_GAP, SITE_GAP)
        if several:
            gap_x, gap_y = STAR_GAP_X, STAR_GAP_Y
        placed = shelf(blocks, row_limit(blocks, gap_x, gap_y, self.aspect), gap_x, gap_y)
        if len({each.row for each in placed}) == 1 or not several:
            centre_rows(placed, max((each.x + each.block.width for each in placed), default=0.0))
        for each in placed:
            sheet.take(each.block.sheet, each.x, each.y)
        spots = {
            site.id: Spot(each.x, each.y, each.block.width, each.block.height, each.row)
            for site, each in zip(self.plan.sites, placed, strict=True)
        }
        links = [(link, self.home[link.a], self.home[link.b]) for link in self.across]
        if several:
            star({site.id: site for site in self.plan.sites}, links, spots, sheet, self.context)
        else:
            lines(links, spots, sheet, self.context)
        return sheet.picture(24, self.context.wording.gettext("Interconnect"), self._summary(), self._legend(sheet))

    def _site(self, site: Site) -> Block:
        blocks = self._servers(site)
        # One of several places has less room than the picture; then the usual shape serves best.
        aspect = self.aspect if len(self.plan.sites) == 1 else None
        limit = row_limit(blocks, SERVER_GAP_X, SERVER_GAP_Y, aspect)
        return site_block(site, blocks, self.inside.get(site.id, ()), self.context, limit)

    def _servers(self, site: Site) -> list[Block]:
        if self.view == "groups":
            return [
                stack_block(group, self.context) if len(group) > 1 else compact_block(group[0], self.context)
                for group in equal_servers(site, self.inside.get(site.id, ()), self.context)
            ]
        return [
            server_block(server, self.context)
            if self.view == "cards" and len(server_cards(server)) <= MOST_IN_FULL
            else compact_block(server, self.context)
            for server in site.servers
        ]

    def _legend(self, sheet: Sheet) -> tuple[Key, ...]:
        wording = self.context.wording
        kinds = {edge.kind for edge in sheet.edges}
        keys = [
            Key(kind_name(kind, wording), kind) for kind in ("pcie", "sockets", "nvlink", "network") if kind in kinds
        ]
        if any(edge.dashed and edge.state == "normal" for edge in sheet.edges):
            keys.append(Key(wording.gettext("internet or not known"), "internet", dashed=True))
        if any(edge.bottleneck for edge in sheet.edges):
            keys.append(Key(wording.gettext("sets the pace"), "step", width=5))
        if any(box.state in {"failed", "stopped", "unreached"} for box in sheet.boxes):
            keys.append(Key(wording.gettext("failed or stopped"), "stop", dashed=True, width=1.5))
        return tuple(keys)

    def _summary(self) -> str:
        wording = self.context.wording
        machines = [server for _, server in plan_servers(self.plan)]
        total = sum(len(server_cards(each)) for each in machines)
        parts = [
            wording.counted("sites", len(self.plan.sites)),
            wording.counted("servers", len(machines)),
            wording.counted("gpus", total),
        ]
        if self.context.placement.copies:
            parts.append(wording.counted("copies", self.context.placement.copies))
        return ", ".join(parts)


def row_limit(blocks: Sequence[Block], gap_x: float, gap_y: float, aspect: float | None) -> float:
    """Width of rows: such that the whole is seen largest at ``aspect``, else about 1.7 times as wide as high."""
    widest = max((block.width for block in blocks), default=0.0)
    if aspect is None:
        area = sum((block.width + gap_x) * (block.height + gap_x) for block in blocks)
        return max(SHORT_ROW, math.sqrt(area * 1.7), widest)
    best, chosen = 0.0, widest
    reach = 0.0
    for block in blocks[:MOST_IN_ROW]:
        reach += block.width + gap_x
        limit = max(reach, widest)
        placed = shelf(blocks, limit, gap_x, gap_y)
        width = max(each.x + each.block.width for each in placed)
        height = max(each.y + each.block.height for each in placed)
        scale = min(aspect / (width + ROOM), 1.0 / (height + 2 * ROOM))
        if scale > best * 1.02:
            best, chosen = scale, limit
    return chosen


def equal_servers(site: Site, links: Sequence[Link], context: Context) -> list[tuple[Server, ...]]:
    """Servers of a site that look, stand and are joined alike, in order of first appearance."""
    joined: dict[str, list[tuple[str, str]]] = {}
    machines = {each.id for each in site.servers}
    for link in links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            joined.setdefault(end, []).append((link.kind, "server" if other in machines else other))
    groups: dict[tuple[object, ...], list[Server]] = {}
    for server in site.servers:
        states = (context.state(server.id), *sorted(context.state(gpu.id) for gpu in server_cards(server)))
        key = (
            server.chassis,
            cards_said(server, context.catalogue),
            states,
            tuple(sorted(joined.get(server.id, ()))),
            server.topology_known,
            _parts(server, context.placement),
        )
        groups.setdefault(key, []).append(server)
    return [tuple(group) for group in groups.values()]


def _parts(server: Server, placed: Placement) -> tuple[object, ...]:
    """How the cards take part, without which copy they belong to."""
    members = [placed.members.get(gpu.id) for gpu in server_cards(server)]
    return tuple(None if each is None else (each.stages, each.group_size) for each in members)
