"""Moving over the canvas by keyboard: arrows between slots, between machines, between places."""

from __future__ import annotations

from typing import Literal

from configurator.desktop.canvas.geometry import Geometry, Rect
from configurator.plan.index import find
from configurator.plan.model import Gpu, Plan, Server, Site, Slot

Direction = Literal["left", "right", "up", "down"]


def slot_rects(geometry: Geometry) -> dict[str, Rect]:
    """All slots in canvas coordinates, by slot id."""
    rects: dict[str, Rect] = {}
    for server_id, corner in geometry.servers.items():
        for slot_id, rect in geometry.server_boxes[server_id].slots:
            rects[slot_id] = rect.moved(corner.x, corner.y)
    return rects


def step(plan: Plan, geometry: Geometry, current: str, direction: Direction) -> str:
    """The neighbour of the same kind in a direction; the current one when there is none."""
    found = find(plan, current)
    if found is None:
        return first(plan)
    node = found.node
    if isinstance(node, Gpu | Slot) and found.slot is not None:
        here = found.slot.id
        return shown(plan, _neighbour(slot_rects(geometry), here, direction) or here)
    if isinstance(node, Server):
        return _neighbour({**geometry.servers, **geometry.switches}, node.id, direction) or node.id
    if isinstance(node, Site):
        return _neighbour(geometry.sites, node.id, direction) or node.id
    if current in geometry.switches:
        return _neighbour({**geometry.servers, **geometry.switches}, current, direction) or current
    return current


def outwards(plan: Plan, current: str) -> str:
    """The box around the current object."""
    found = find(plan, current)
    if found is None:
        return first(plan)
    if isinstance(found.node, Gpu | Slot) and found.server is not None:
        return found.server.id
    return found.site.id if found.site is not None else current


def inwards(plan: Plan, current: str) -> str:
    """The first object inside the current one."""
    found = find(plan, current)
    if found is None:
        return first(plan)
    if isinstance(found.node, Site) and found.node.servers:
        return found.node.servers[0].id
    if isinstance(found.node, Server) and found.node.slots:
        return shown(plan, found.node.slots[0].id)
    return current


def shown(plan: Plan, slot_id: str) -> str:
    """Id of the card in a slot, or of the slot while it is empty."""
    found = find(plan, slot_id)
    if found is not None and found.slot is not None and found.slot.gpu is not None:
        return found.slot.gpu.id
    return slot_id


def first(plan: Plan) -> str:
    """Where the keyboard starts."""
    return plan.sites[0].id if plan.sites else ""


def _neighbour(rects: dict[str, Rect], here: str, direction: Direction) -> str:
    start = rects.get(here)
    if start is None:
        return ""
    x, y = start.centre
    best, chosen = float("inf"), ""
    for key, rect in rects.items():
        if key == here:
            continue
        dx, dy = rect.centre[0] - x, rect.centre[1] - y
        along, aside = {
            "left": (-dx, abs(dy)),
            "right": (dx, abs(dy)),
            "up": (-dy, abs(dx)),
            "down": (dy, abs(dx)),
        }[direction]
        if along <= 1:
            continue
        # What lies straight ahead wins over what is merely near.
        cost = along + 3 * aside
        if cost < best:
            best, chosen = cost, key
    return chosen
