"""Where everything stands on the canvas: plan in, rectangles out. No Qt; logical pixels, y grows downwards.

Sites lie in rows until the owner moves them; servers and slots inside a site are always laid out for the owner.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from configurator.desktop.canvas.wiring import CHANNEL, Box, Tray, path, plan_wires
from configurator.plan.model import Link, Plan, Server, Site, Slot

SLOT_W, SLOT_H, SLOT_GAP, GROUP_GAP = 58.0, 128.0, 6.0, 16.0
SMALL_W, SMALL_H = 44.0, 76.0
SMALL_FROM = 17
"""Servers with this many slots draw them small."""
ROW_W = 640.0
"""Width after which slots start another row."""
HEAD = 34.0
SERVER_PAD = 14.0
CAPTION = 24.0
NIC_H, NIC_GAP, NIC_W = 22.0, 6.0, 128.0
SERVER_MIN_W = 244.0
SITE_HEAD = 40.0
SITE_PAD = 16.0
SITE_GAP_X, SITE_GAP_Y = 72.0, 88.0
SITE_LINKED_GAP_X = 240.0
"""Room for the label of a link between two places side by side."""
SITE_MIN_W, SITE_MIN_H = 400.0, 168.0
SITE_ROW_W = 900.0
"""Width of a site after which its servers start another row."""
PLAN_ROW_W = 960.0
ASPECT = 1.6
"""Breadth over height of many boxes."""
SWITCH_W, SWITCH_H = 184.0, 70.0
GRID = 8.0


@dataclass(frozen=True, slots=True)
class Rect:
    """x, y is the upper left corner."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.w / 2, self.y + self.h / 2

    def moved(self, dx: float, dy: float) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def overlaps(self, other: Rect, margin: float = 0.0) -> bool:
        return (
            self.x < other.right + margin
            and other.x < self.right + margin
            and self.y < other.bottom + margin
            and other.y < self.bottom + margin
        )

    def united(self, other: Rect) -> Rect:
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Rect(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)


@dataclass(frozen=True, slots=True)
class SlotGroup:
    """Neighbouring slots on one socket and switch, with the line under them. Relative to the server."""

    socket: int
    switch: str
    x: float
    w: float
    y: float


@dataclass(frozen=True, slots=True)
class ServerBox:
    """A server's own picture; slots and NICs relative to its corner."""

    w: float
    h: float
    slots: tuple[tuple[str, Rect], ...]
    groups: tuple[SlotGroup, ...]
    nics: tuple[tuple[str, Rect], ...]
    small: bool


@dataclass(frozen=True, slots=True)
class SiteBox:
    """A site's own picture; servers and switches relative to its corner."""

    w: float
    h: float
    servers: tuple[tuple[str, Rect], ...]
    switches: tuple[tuple[str, Rect], ...]
    tray: Tray
    bands: tuple[float, ...]
    """Upper edge of the band of lanes under each row."""
    tracks_x: float
    """Where links that go round the rows begin."""


@dataclass(frozen=True, slots=True)
class Route:
    """A polyline of a link with the point its label sits on; canvas coordinates."""

    points: tuple[tuple[float, float], ...]
    label: tuple[float, float]
    inner: bool


@dataclass(frozen=True, slots=True)
class Geometry:
    """All boxes of a plan in canvas coordinates, by id."""

    sites: dict[str, Rect]
    servers: dict[str, Rect]
    switches: dict[str, Rect]
    server_boxes: dict[str, ServerBox]
    site_boxes: dict[str, SiteBox]
    routes: dict[str, Route]
    bounds: Rect

    def box(self, object_id: str) -> Rect | None:
        """Rectangle of a site, server or network switch."""
        return self.servers.get(object_id) or self.switches.get(object_id) or self.sites.get(object_id)


def server_box(server: Server) -> ServerBox:
    """Slots in rows, neighbours of one socket and switch together."""
    small = len(server.slots) >= SMALL_FROM
    slot_w, slot_h = (SMALL_W, SMALL_H) if small else (SLOT_W, SLOT_H)
    captions = _has_captions(server)
    row_h = slot_h + (CAPTION if captions else 0.0) + 10.0
    x, y = SERVER_PAD, HEAD + 12.0
    slots: list[tuple[str, Rect]] = []
    groups: list[SlotGroup] = []
    right = 0.0
    for (socket, switch), members in _slot_groups(server):
        width = len(members) * (slot_w + SLOT_GAP) - SLOT_GAP
        if x > SERVER_PAD and x + width > ROW_W:
            x, y = SERVER_PAD, y + row_h
        left = x
        for slot in members:
            if x > SERVER_PAD and x + slot_w > ROW_W:
                groups.append(SlotGroup(socket, switch, left, x - SLOT_GAP - left, y + slot_h + 6.0))
                x, y = SERVER_PAD, y + row_h
                left = x
            slots.append((slot.id, Rect(x, y, slot_w, slot_h)))
            x += slot_w + SLOT_GAP
        groups.append(SlotGroup(socket, switch, left, x - SLOT_GAP - left, y + slot_h + 6.0))
        right = max(right, x - SLOT_GAP, *(rect.right for _, rect in slots))
        x += GROUP_GAP - SLOT_GAP
    width = max(SERVER_MIN_W, right + SERVER_PAD)
    bottom = y + row_h if server.slots else HEAD + 44.0
    nics: list[tuple[str, Rect]] = []
    nic_x = SERVER_PAD
    for nic in server.nics:
        if nic_x > SERVER_PAD and nic_x + NIC_W > width - SERVER_PAD:
            nic_x, bottom = SERVER_PAD, bottom + NIC_H + NIC_GAP
        nics.append((nic.id, Rect(nic_x, bottom, NIC_W, NIC_H)))
        nic_x += NIC_W + NIC_GAP
    if nics:
        bottom += NIC_H + 8.0
    return ServerBox(width, bottom + 4.0, tuple(slots), tuple(groups) if captions else (), tuple(nics), small)


def _slot_groups(server: Server) -> Iterator[tuple[tuple[int, str], list[Slot]]]:
    ordered = sorted(server.slots, key=lambda slot: (slot.socket, slot.switch or ""))
    for key, members in groupby(ordered, key=lambda slot: (slot.socket, slot.switch or "")):
        yield key, list(members)


def _has_captions(server: Server) -> bool:
    """A line under the slots says something when sockets or switches differ, or nothing is known."""
    return not server.topology_known or len({(slot.socket, slot.switch) for slot in server.slots}) > 1


def site_box(site: Site, boxes: dict[str, ServerBox], links: tuple[Link, ...] = ()) -> SiteBox:
    """Servers side by side until the row is full, network switches in a row of their own, links in bands between."""
    rows: list[list[tuple[str, float, float, float]]] = []
    row_w = _row_width(SITE_ROW_W, [(boxes[server.id].w, boxes[server.id].h) for server in site.servers])
    x = SITE_PAD
    for server in site.servers:
        box = boxes[server.id]
        if not rows or x + box.w > row_w:
            rows.append([])
            x = SITE_PAD
        rows[-1].append((server.id, x, box.w, box.h))
        x += box.w + SITE_PAD
    fresh = True
    for switch in site.switches:
        if fresh or x + SWITCH_W > row_w:
            rows.append([])
            x = SITE_PAD
            fresh = False
        rows[-1].append((switch.id, x, SWITCH_W, SWITCH_H))
        x += SWITCH_W + SITE_PAD
    switch_ids = {switch.id for switch in site.switches}
    ends = {
        key: Box(key, number, left, width, key in switch_ids)
        for number, row in enumerate(rows)
        for key, left, width, _ in row
    }
    tray = plan_wires(ends, links)
    y = SITE_HEAD + 8.0
    placed: dict[str, Rect] = {}
    bands: list[float] = []
    for number, row in enumerate(rows):
        for key, left, width, height in row:
            placed[key] = Rect(left, y, width, height)
        y += max(height for _, _, _, height in row)
        bands.append(y)
        y += max(SITE_PAD, tray.height(number) + (8.0 if tray.height(number) else 0.0))
    right = max((rect.right for rect in placed.values()), default=0.0) + SITE_PAD
    width = max(SITE_MIN_W, right + tray.channels * CHANNEL)
    return SiteBox(
        width,
        max(SITE_MIN_H, y),
        tuple((server.id, placed[server.id]) for server in site.servers),
        tuple((switch.id, placed[switch.id]) for switch in site.switches),
        tray,
        tuple(bands),
        right - SITE_PAD / 2,
    )


def _row_width(least: float, sizes: list[tuple[float, float]]) -> float:
    """Many boxes make a rectangle as broad as a screen, not a tower."""
    area = sum((w + SITE_PAD) * (h + 2 * SITE_PAD) for w, h in sizes)
    return max(least, math.sqrt(area * ASPECT))


def lay_out(plan: Plan, held: frozenset[str] = frozenset()) -> Geometry:
    """The whole plan. Saved positions win; sites that would overlap are pushed apart on the screen only.

    Sites in ``held`` are in the hand: they stay where their position says and push nothing.
    """
    boxes = {server.id: server_box(server) for site in plan.sites for server in site.servers}
    homes = {end.id: site.id for site in plan.sites for end in (site, *site.servers, *site.switches)}
    inner: dict[str, list[Link]] = {}
    for link in plan.links:
        home = homes.get(link.a, "")
        if home and home == homes.get(link.b) and home not in {link.a, link.b}:
            inner.setdefault(home, []).append(link)
    site_boxes = {site.id: site_box(site, boxes, tuple(inner.get(site.id, ()))) for site in plan.sites}
    sites = _place_sites(plan, site_boxes, homes, held)
    servers: dict[str, Rect] = {}
    switches: dict[str, Rect] = {}
    routes: dict[str, Route] = {}
    for site in plan.sites:
        corner = sites[site.id]
        box = site_boxes[site.id]
        servers.update({key: rect.moved(corner.x, corner.y) for key, rect in box.servers})
        switches.update({key: rect.moved(corner.x, corner.y) for key, rect in box.switches})
        routes.update(_inner_routes(box, corner))
    everything = {**sites, **servers, **switches}
    for link in plan.links:
        if link.id not in routes and link.a in everything and link.b in everything:
            routes[link.id] = _between(everything[link.a], everything[link.b])
    bounds = Rect(0.0, 0.0, SITE_MIN_W, SITE_MIN_H)
    rectangles = list(sites.values())
    if rectangles:
        bounds = rectangles[0]
        for rect in rectangles[1:]:
            bounds = bounds.united(rect)
    return Geometry(sites, servers, switches, boxes, site_boxes, routes, bounds)


def _inner_routes(box: SiteBox, corner: Rect) -> dict[str, Route]:
    edges = {key: (rect.y, rect.bottom) for key, rect in (*box.servers, *box.switches)}
    bottoms = dict(enumerate(box.bands))
    routes: dict[str, Route] = {}
    for wire in box.tray.wires:
        points, label = path(wire, box.tray, bottoms, edges, box.tracks_x)
        moved = tuple((x + corner.x, y + corner.y) for x, y in points)
        routes[wire.link] = Route(moved, (label[0] + corner.x, label[1] + corner.y), inner=True)
    return routes


def _place_sites(plan: Plan, boxes: dict[str, SiteBox], homes: dict[str, str], held: frozenset[str]) -> dict[str, Rect]:
    saved = {position.id: position for position in plan.positions}
    placed: dict[str, Rect] = {}
    for site in plan.sites:
        if site.id in saved:
            placed[site.id] = Rect(saved[site.id].x, saved[site.id].y, boxes[site.id].w, boxes[site.id].h)
    fixed = [rect for key, rect in placed.items() if key not in held]
    linked = {
        frozenset((homes[link.a], homes[link.b]))
        for link in plan.links
        if link.a in homes and link.b in homes and homes[link.a] != homes[link.b]
    }
    loose_sizes = [(boxes[site.id].w, boxes[site.id].h) for site in plan.sites if site.id not in saved]
    row_w = _row_width(PLAN_ROW_W, loose_sizes)
    x, y, row_h = 0.0, 0.0, 0.0
    if fixed:
        y = max(rect.bottom for rect in fixed) + SITE_GAP_Y
        x = min(rect.x for rect in fixed)
    left = x
    before = ""
    for site in plan.sites:
        if site.id in saved:
            continue
        box = boxes[site.id]
        if before:
            x += SITE_LINKED_GAP_X if frozenset((before, site.id)) in linked else SITE_GAP_X
        if before and x + box.w > left + row_w:
            x, y, row_h = left, y + row_h + SITE_GAP_Y, 0.0
        placed[site.id] = Rect(x, y, box.w, box.h)
        x += box.w
        row_h = max(row_h, box.h)
        before = site.id
    loose = {key: rect for key, rect in placed.items() if key in held}
    settled = _apart({key: rect for key, rect in placed.items() if key not in held})
    return {site.id: loose.get(site.id) or settled[site.id] for site in plan.sites}


def _apart(placed: dict[str, Rect]) -> dict[str, Rect]:
    """Push sites that overlap down or to the right, whichever is the shorter way."""
    done: dict[str, Rect] = {}
    for key, rect in sorted(placed.items(), key=lambda item: (item[1].y, item[1].x)):
        for _ in range(len(placed)):
            hit = next((other for other in done.values() if rect.overlaps(other, 24.0)), None)
            if hit is None:
                break
            down, right = hit.bottom + 24.0 - rect.y, hit.right + 24.0 - rect.x
            rect = rect.moved(0.0, down) if down <= right else rect.moved(right, 0.0)
        done[key] = rect
    return {key: done[key] for key in placed}


def _between(a: Rect, b: Rect) -> Route:
    """From edge to edge with one bend in the middle."""
    (ax, ay), (bx, by) = a.centre, b.centre
    if a.right <= b.x or b.right <= a.x:
        first, second = (a, b) if a.right <= b.x else (b, a)
        top, bottom = max(first.y, second.y), min(first.bottom, second.bottom)
        start, end = (first.right, first.centre[1]), (second.x, second.centre[1])
        if bottom - top > 24.0:
            level = (top + bottom) / 2
            return Route(((start[0], level), (end[0], level)), ((start[0] + end[0]) / 2, level), inner=False)
        middle = (start[0] + end[0]) / 2
        points = (start, (middle, start[1]), (middle, end[1]), end)
        return Route(points, (middle, (start[1] + end[1]) / 2), inner=False)
    first, second = (a, b) if ay <= by else (b, a)
    start, end = (first.centre[0], first.bottom), (second.centre[0], second.y)
    left, right = max(first.x, second.x), min(first.right, second.right)
    if right - left > 24.0:
        level = min(max(start[0], left + 12.0), right - 12.0)
        level = min(max(end[0], left + 12.0), right - 12.0) if abs(ax - bx) > abs(right - left) else level
        return Route(((level, start[1]), (level, end[1])), (level, (start[1] + end[1]) / 2), inner=False)
    middle = (start[1] + end[1]) / 2
    points = (start, (start[0], middle), (end[0], middle), end)
    return Route(points, ((start[0] + end[0]) / 2, middle), inner=False)


def snapped(value: float) -> float:
    """On the grid."""
    return round(value / GRID) * GRID


def free_spot(geometry: Geometry, w: float = SITE_MIN_W) -> tuple[float, float]:
    """A place for a new site beside or below what is there."""
    if not geometry.sites:
        return 0.0, 0.0
    bounds = geometry.bounds
    if bounds.w + SITE_GAP_X + w <= PLAN_ROW_W:
        return snapped(bounds.right + SITE_GAP_X), snapped(bounds.y)
    return snapped(bounds.x), snapped(bounds.bottom + SITE_GAP_Y)
