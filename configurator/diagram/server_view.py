"""One server as a picture: in full (sockets, PCIe switches, cards, NVLink, network cards), or as one box."""

from __future__ import annotations

from itertools import pairwise

from configurator.diagram.inside import BOX_H, BOX_W, HEADER, NIC_H, NIC_W, PAD, ROW, Block, Cluster, Context, Drawing
from configurator.diagram.measure import fitted, text_width
from configurator.diagram.picture import Box, Edge, Label
from configurator.diagram.said import GAP, rate
from configurator.diagram.server_cards import cards
from configurator.diagram.sheet import Point, along
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL, SIZE_TEXT
from configurator.plan.model import Nic, Server

UPLINK_ROW = 60.0


def server_block(server: Server, context: Context) -> Block:
    """The inside of a server, drawn in full."""
    at = Drawing(server, context)
    width = max(at.inner, 190.0, text_width(server.name, SIZE_TEXT, True) + 2 * PAD + 20)
    at.shift((width - at.inner) / 2)
    ports, y = _nics(at, width)
    if not at.clusters:
        none = context.wording.gettext("no cards yet")
        at.sheet.text(Label(none, width / 2, y + 12, SIZE_NOTE, colour="muted", align="centre"))
        y += 40
    else:
        y = cards(at, y + 10 if at.chip else _sockets(at, y))
    height = y + PAD - 4
    _frame(at, width, height)
    ports.setdefault(server.id, (width / 2, 0.0))
    return Block(at.sheet, width, height, ports)


def _frame(at: Drawing, width: float, height: float) -> None:
    server, _ = at.server, at.wording.gettext
    failed = at.context.state(server.id) == "failed"
    chassis = at.context.catalogue.servers.get(server.chassis)
    facts = [chassis.name] if chassis is not None else []
    note = ""
    if not server.topology_known:
        facts.append(_("How the cards are wired is not known yet"))
        note = _("wiring not known")
    if failed:
        note = _("failed")
    box = Box(
        id=f"box-{server.id}",
        kind="server",
        x=0,
        y=0,
        width=width,
        height=height,
        object_id=server.id,
        name=server.name,
        facts=tuple(facts),
        stroke="stop" if failed else "line_strong",
        dashed=failed or not server.topology_known,
        radius=10,
        state=at.context.state(server.id),
    )
    at.sheet.boxes.insert(0, box)
    name = fitted(server.name, width - 32, SIZE_TEXT, True)
    at.sheet.text(Label(name, 16, 21, SIZE_TEXT, True, owner=box.id))
    if text_width(note, SIZE_SMALL) <= width - 48 - text_width(name, SIZE_TEXT, True):
        colour = "stop_ink" if failed else "step_ink"
        at.sheet.text(Label(note, width - 16, 21, SIZE_SMALL, False, colour, "right", owner=box.id))


def _nics(at: Drawing, width: float) -> tuple[dict[str, Point], float]:
    """Network cards in a row at the top; links from outside end on them. Also the y below them."""
    nics = at.server.nics
    ports: dict[str, Point] = {}
    if not nics:
        return ports, HEADER
    step = NIC_W + 14
    x = max(PAD, (width - len(nics) * step + 14) / 2)
    for number, nic in enumerate(nics):
        middle = x + number * step + NIC_W / 2
        _nic(at, nic, middle)
        ports[nic.id] = (middle, HEADER + 4)
        ports.setdefault(at.server.id, ports[nic.id])
    return ports, HEADER + NIC_H + 28


def _nic(at: Drawing, nic: Nic, middle: float) -> None:
    rate = nic.bandwidth_gbit_s
    part = at.context.catalogue.parts.get(nic.part or "")
    if rate is None and part is not None and part.ports:
        rate = max(speed for _, speed in part.ports)
    figure = at.wording.gigabits(rate) if rate else at.wording.gettext("speed not known")
    box = Box(
        id=nic.id,
        kind="nic",
        x=middle - NIC_W / 2,
        y=HEADER + 4,
        width=NIC_W,
        height=NIC_H,
        object_id=nic.id,
        name=nic.name,
        facts=(figure,),
        stroke="network",
        radius=6,
        layer=4,
        dashed=rate is None,
        state=at.context.state(at.server.id, nic.id),
    )
    at.sheet.titled(box, nic.name, figure)
    centre = at.centres.get(f"{at.server.id}/socket-{min(nic.socket, at.server.sockets - 1)}")
    if centre is not None and not at.chip:
        points = ((middle, box.bottom), (centre, HEADER + NIC_H + 34))
        at.sheet.line(Edge(f"{nic.id}/pcie", "pcie", points, nic.id, "PCIe", width=2, layer=3))


def _sockets(at: Drawing, y: float) -> float:
    """The processors, what joins them, and below them PCIe switches and chipsets; returns the y for the cards."""
    server, _ = at.server, at.wording.gettext
    used = sorted({each.socket for each in at.clusters})
    y += 6
    several = server.sockets > 1
    for number in used:
        node = f"{server.id}/socket-{number}"
        title = _("socket {n}").format(n=number) if several else _("processor")
        box = _parent_box(at, node, "socket", at.centres[node], y, server.id, title)
        at.sheet.titled(box, title, f"NUMA {number}" if several else "")
    for a, b in pairwise(used):
        _between(at, a, b, y + BOX_H / 2)
    below = y + BOX_H
    middles = [each for each in at.clusters if each.kind != "socket"]
    for cluster in middles:
        _middle(at, cluster, below, below + UPLINK_ROW)
    return below + ROW + (UPLINK_ROW + BOX_H if middles else 0)


def _between(at: Drawing, a: int, b: int, y: float) -> None:
    """The line between two sockets with its figures above it."""
    edge_id = f"{at.server.id}/sockets-{a}-{b}"
    start = at.centres[f"{at.server.id}/socket-{a}"] + BOX_W / 2
    end = at.centres[f"{at.server.id}/socket-{b}"] - BOX_W / 2
    at.connect(edge_id, ((start, y), (end, y)), "sockets")
    found = at.found(edge_id)
    if found is None:
        return
    short = rate(found, at.wording)
    unused = at.placement.members and edge_id not in at.placement.uses
    texts = [f"{short}{GAP}{at.wording.gettext('not used here')}"] if unused else [at.figures(found)]
    text = next((each for each in (*texts, short) if text_width(each, SIZE_SMALL) <= end - start - 12), "")
    at.sheet.text(Label(text, (start + end) / 2, y - 13, SIZE_SMALL, colour="muted", align="centre", owner=edge_id))


def _middle(at: Drawing, cluster: Cluster, below: float, top: float) -> None:
    """A PCIe switch or the chipset with its uplink."""
    server, _ = at.server, at.wording.gettext
    switch = next((each for each in server.switches if each.id == cluster.parent), None)
    if switch is None:
        title, subtitle = _("chipset"), "×4"
    else:
        known = switch.uplink_generation is not None and switch.uplink_lanes is not None
        title = _("PCIe switch {name}").format(name=switch.name)
        subtitle = f"PCIe {switch.uplink_generation}.0 ×{switch.uplink_lanes}" if known else _("uplink not known")
    kind = "chipset" if switch is None else "pcie_switch"
    object_id = server.id if switch is None else switch.id
    box = _parent_box(at, cluster.parent, kind, at.centres[cluster.parent], top, object_id, title)
    at.sheet.titled(box, title, subtitle)
    edge_id = f"{cluster.parent}/uplink"
    points = ((at.centres[f"{server.id}/socket-{cluster.socket}"], below), (box.centre[0], top))
    at.connect(edge_id, points, "pcie")
    found = at.found(edge_id)
    if found is not None:
        text = at.figures(found)
        x, y = along(points, 0.5)
        left = x - 16 - text_width(text, SIZE_SMALL)
        label = Label(text, x, y, SIZE_SMALL, colour="muted", pill=True, owner=edge_id, detail=1)
        at.sheet.pill(label, (x + 16, y), (x + 16, y - 12), (left, y), (x + 16, y + 10))


def _parent_box(at: Drawing, node: str, kind: str, centre: float, y: float, object_id: str, name: str) -> Box:
    return Box(
        id=node,
        kind="socket" if kind == "socket" else "chipset" if kind == "chipset" else "pcie_switch",
        x=centre - BOX_W / 2,
        y=y,
        width=BOX_W,
        height=BOX_H,
        object_id=object_id,
        name=name,
        stroke="line_strong",
        radius=6,
        layer=4,
        state=at.context.state(at.server.id, object_id),
    )
