"""A site as a picture: network switches above, servers in rows below, LAN links between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from configurator.diagram.inside import Block, Context, drawn_edge
from configurator.diagram.measure import fitted, text_width
from configurator.diagram.picture import Box, Label
from configurator.diagram.said import GAP, figures, place_said
from configurator.diagram.sheet import Point, Sheet, along
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL, SIZE_TEXT
from configurator.plan.index import line_id
from configurator.plan.model import Link, NetworkSwitch, Site

PAD, HEADER = 20.0, 46.0
GAP_X, GAP_Y = 34.0, 46.0
SWITCH_W, SWITCH_H, SWITCH_GAP = 176.0, 44.0, 40.0
FAN = 76.0
TRACK = 34.0


@dataclass(slots=True)
class _Placed:
    """A block on its site."""

    block: Block
    x: float
    y: float
    row: int

    def port(self, object_id: str) -> Point | None:
        found = self.block.ports.get(object_id)
        return None if found is None else (self.x + found[0], self.y + found[1])


def shelf(blocks: Sequence[Block], limit: float, gap_x: float, gap_y: float) -> list[_Placed]:
    """Blocks in rows no wider than ``limit``, from the left, in their order."""
    placed: list[_Placed] = []
    x = y = tallest = 0.0
    row = 0
    for block in blocks:
        if x and x + block.width > limit:
            x, y, tallest, row = 0.0, y + tallest + gap_y, 0.0, row + 1
        placed.append(_Placed(block, x, y, row))
        x += block.width + gap_x
        tallest = max(tallest, block.height)
    return placed


def site_block(site: Site, blocks: Sequence[Block], links: Sequence[Link], context: Context, limit: float) -> Block:
    """The picture of one site around the pictures of its servers."""
    sheet = Sheet()
    placed = shelf(blocks, limit, GAP_X, GAP_Y)
    switch_ids = {each.id for each in site.switches}
    lanes = sum(
        not {each.a, each.b} & switch_ids and not _stacked(_holder(placed, each.a), _holder(placed, each.b))
        for each in links
    )
    inner = max((each.x + each.block.width for each in placed), default=0.0)
    row = len(site.switches) * (SWITCH_W + SWITCH_GAP) - SWITCH_GAP
    title = _title(site, context)
    width = max(inner, row, 190.0, min(640.0, text_width(title, SIZE_TEXT, True) + 12)) + 2 * PAD
    top = HEADER + (SWITCH_H + FAN if site.switches else 0) + TRACK * min(lanes, 6)
    if len({each.row for each in placed}) == 1:
        centre_rows(placed, width - 2 * PAD)
    for each in placed:
        each.x += PAD
        each.y += top
        sheet.take(each.block.sheet, each.x, each.y)
    switches = _switches(site.switches, sheet, context, (width - row) / 2, HEADER + 2)
    bottom = max((each.y + each.block.height for each in placed), default=top)
    if not placed:
        none = context.wording.gettext("no servers yet")
        sheet.text(Label(none, width / 2, top + 8, SIZE_NOTE, colour="muted", align="centre"))
        bottom = top + 24
    _wires(links, placed, switches, sheet, context, top)
    height = bottom + PAD
    _frame(site, sheet, context, width, height)
    return Block(sheet, width, height, {site.id: (width / 2, height)})


def centre_rows(placed: Sequence[_Placed], width: float) -> None:
    """Move every row to the middle."""
    for row in {each.row for each in placed}:
        members = [each for each in placed if each.row == row]
        end = max(each.x + each.block.width for each in members)
        for each in members:
            each.x += (width - end) / 2


def _title(site: Site, context: Context) -> str:
    return f"{site.name}   {place_said(site, context.wording)}".rstrip()


def _frame(site: Site, sheet: Sheet, context: Context, width: float, height: float) -> None:
    state = context.state(site.id)
    wording = context.wording
    kind = place_said(site, wording)
    box = Box(
        id=f"box-{site.id}",
        kind="site",
        x=0,
        y=0,
        width=width,
        height=height,
        object_id=site.id,
        name=site.name,
        facts=tuple(each for each in (kind, line_said(site, context)) if each),
        stroke="stop" if state == "failed" else "line",
        fill="panel",
        dashed=state == "failed",
        radius=12,
        layer=0,
        state=state,
    )
    sheet.boxes.insert(0, box)
    name = fitted(site.name, width - 2 * PAD, SIZE_TEXT, True)
    sheet.text(Label(name, PAD - 4, 23, SIZE_TEXT, True, owner=box.id))
    x = PAD - 4 + text_width(name, SIZE_TEXT, True) + 12
    line = line_said(site, context)
    off_line = context.state(line_id(site.id)) == "failed"
    # What has failed comes before what kind of place it is: there may be room for one only.
    note = wording.gettext("failed") if state == "failed" else line if off_line else kind
    if note and x + text_width(note, SIZE_NOTE) <= width - PAD:
        colour = "stop_ink" if state == "failed" or off_line else "muted"
        sheet.text(Label(note, x, 23, SIZE_NOTE, colour=colour, owner=box.id, detail=1))
        x += text_width(note, SIZE_NOTE) + 16
    if not off_line and x + text_width(line, SIZE_SMALL) <= width - PAD:
        sheet.text(Label(line, width - PAD + 4, 23, SIZE_SMALL, False, "muted", "right", owner=box.id, detail=1))


def line_said(site: Site, context: Context) -> str:
    """The internet line of a site: "internet 300 Mbit/s up · 9 ms"."""
    wording, line = context.wording, site.internet
    if context.state(line_id(site.id)) == "failed":
        return wording.gettext("internet line failed")
    profile = context.catalogue.internet.get(line.profile or "")
    up = line.up_mbit_s * 1e6 if line.up_mbit_s is not None else profile.up_bits_per_s if profile is not None else None
    trip = line.rtt_ms * 1e-3 if line.rtt_ms is not None else profile.rtt.value if profile is not None else None
    if up is None or trip is None:
        return wording.gettext("internet line not known")
    said = wording.gettext("internet {rate} up").format(rate=wording.bit_rate(up))
    return f"{said}{GAP}{wording.duration(trip)}"


def _switches(switches: Sequence[NetworkSwitch], sheet: Sheet, context: Context, x: float, y: float) -> dict[str, Box]:
    found: dict[str, Box] = {}
    for number, switch in enumerate(switches):
        part = context.catalogue.parts.get(switch.part or "")
        said = part.name if part is not None else context.wording.gettext("not chosen yet")
        state = context.state(switch.id)
        box = Box(
            id=switch.id,
            kind="network_switch",
            x=x + number * (SWITCH_W + SWITCH_GAP),
            y=y,
            width=SWITCH_W,
            height=SWITCH_H,
            object_id=switch.id,
            name=switch.name,
            facts=(said,),
            stroke="stop" if state == "failed" else "network",
            dashed=state == "failed",
            radius=6,
            layer=4,
            state=state,
        )
        found[switch.id] = sheet.titled(box, switch.name, said)
    return found


def _wires(
    links: Sequence[Link],
    placed: Sequence[_Placed],
    switches: dict[str, Box],
    sheet: Sheet,
    context: Context,
    top: float,
) -> None:
    """LAN links: a fan from each switch, a bracket between two servers, a line between two switches."""
    said: set[tuple[str, str]] = set()
    drawn: set[tuple[str, ...]] = set()
    tracks = 0
    for link in links:
        ends = sorted((link.a, link.b), key=lambda each: each not in switches)
        first, second = (_holder(placed, end) for end in ends)
        key = (
            ends[0] if first is None else f"at{id(first)}",
            ends[1] if second is None else f"at{id(second)}",
            link.kind,
        )
        if key in drawn or (first is not None and first is second):
            # Links of equal servers in one stack lie on each other.
            continue
        drawn.add(key)
        a, b = (switches.get(end) for end in ends)
        points: tuple[Point, ...]
        if a is not None and b is not None:
            points = _between_switches(a, b)
        elif a is not None and second is not None:
            points = _fan(a, second, ends[1], top, placed)
        elif first is not None and second is not None:
            points = _bracket(first, second, ends, top - 14 - TRACK * (tracks % 6), placed)
            tracks += not _stacked(first, second)
        else:
            continue
        edge = context.edges.get(link.id)
        line = replace(drawn_edge(link.id, edge, points, "network", context), object_id=link.id, layer=5)
        sheet.line(line)
        slowest = link.id == context.placement.bottleneck
        text = (
            figures(edge, context.wording, slowest=slowest) if edge is not None else context.wording.gettext("failed")
        )
        owner = ends[0] if a is not None else link.id
        if (owner, text) in said:
            continue
        said.add((owner, text))
        label = Label(text, 0, 0, SIZE_SMALL, align="centre", pill=True, owner=link.id)
        sheet.pill(label, *(along(points, share) for share in (0.5, 0.38, 0.62, 0.28, 0.72, 0.18)))


def _between_switches(a: Box, b: Box) -> tuple[Point, ...]:
    left, right = sorted((a, b), key=lambda each: each.x)
    if right.x - left.right <= SWITCH_GAP + 1:
        return (left.right, left.centre[1]), (right.x, right.centre[1])
    return (
        (left.centre[0], left.y),
        (left.centre[0], left.y - 10),
        (right.centre[0], right.y - 10),
        (right.centre[0], right.y),
    )


def _holder(placed: Sequence[_Placed], object_id: str) -> _Placed | None:
    """The block that holds an end of a link."""
    return next((each for each in placed if object_id in each.block.ports), None)


def _stacked(one: _Placed | None, other: _Placed | None) -> bool:
    """Whether a straight line joins them: one stands right below the other."""
    if one is None or other is None or abs(one.row - other.row) != 1:
        return False
    upper, lower = sorted((one, other), key=lambda each: each.row)
    middle = lower.x + lower.block.width / 2
    return upper.x + 20 < middle < upper.x + upper.block.width - 20


def gutter(target: _Placed, placed: Sequence[_Placed]) -> float:
    """An x beside a block, from which the way up crosses no block of the rows above it."""
    above = [each for each in placed if each.row < target.row]
    for x in (target.x - GAP_X / 2, target.x + target.block.width + GAP_X / 2):
        if not any(each.x - 2 < x < each.x + each.block.width + 2 for each in above):
            return x
    return min(each.x for each in placed) - PAD / 2


def _fan(switch: Box, server: _Placed, end: str, top: float, placed: Sequence[_Placed]) -> tuple[Point, ...]:
    """From a switch down to a server: slanting when there is one row, else along a bus and the gaps between blocks."""
    x, y = server.port(end) or (server.x, server.y)
    start = (switch.centre[0], switch.bottom)
    if placed[-1].row == 0:
        return start, (x, server.y - 8), (x, y)
    bus = top - 26
    if server.row == 0:
        return start, (start[0], bus), (x, bus), (x, y)
    side = gutter(server, placed)
    return start, (start[0], bus), (side, bus), (side, server.y - 16), (x, server.y - 16), (x, y)


def _bracket(
    first: _Placed, second: _Placed, ends: Sequence[str], track: float, placed: Sequence[_Placed]
) -> tuple[Point, ...]:
    a, b = first.port(ends[0]) or (first.x, first.y), second.port(ends[1]) or (second.x, second.y)
    if first.row == second.row:
        level = track if first.row == 0 else first.y - 16
        return a, (a[0], level), (b[0], level), b
    (upper, up), (lower, low) = sorted(((first, a), (second, b)), key=lambda each: each[0].row)
    if _stacked(upper, lower):
        return (low[0], upper.y + upper.block.height), low
    side = gutter(lower, placed)
    high = track if upper.row == 0 else upper.y - 16
    return up, (up[0], high), (side, high), (side, lower.y - 16), (low[0], lower.y - 16), low
