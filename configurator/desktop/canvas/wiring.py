"""Links inside a site: the space between two rows of boxes is a band with lanes, as a cable tray under a rack.

A link leaves its box at the bottom (or enters at the top of the row below) and runs along a lane of the band. Links to
one network switch share a lane; a link that passes over a row goes round at the right edge of the site. Numbers are
relative to the site.
"""

from __future__ import annotations

from dataclasses import dataclass

from configurator.plan.model import Link

LANE = 32.0
"""Height of a lane with labels."""
BUS = 16.0
"""Height of a lane without labels."""
LABEL_W = 200.0
CHANNEL = 18.0


@dataclass(frozen=True, slots=True)
class Box:
    """A server or network switch in its row; x and w relative to the site."""

    key: str
    row: int
    x: float
    w: float
    is_switch: bool


@dataclass(frozen=True, slots=True)
class Wire:
    """A link with its lanes: in the band under ``row``, and in the band above ``other`` when it goes round."""

    link: str
    first: Box
    second: Box
    x1: float
    x2: float
    band: int
    far_band: int
    """Same as ``band`` unless the link goes round at the right edge."""
    channel: int
    """Number of the track at the right edge, -1 when it does not go round."""


@dataclass(frozen=True, slots=True)
class Tray:
    """All wires of a site and the height of each band."""

    wires: tuple[Wire, ...]
    label_lane: dict[str, int]
    bus_lane: dict[tuple[str, int], int]
    """(link or switch, band) -> lane below the labels."""
    labels: dict[int, int]
    """Band -> number of label lanes."""
    buses: dict[int, int]
    channels: int

    def height(self, band: int) -> float:
        """Room the band under a row needs."""
        labels, buses = self.labels.get(band, 0), self.buses.get(band, 0)
        return labels * LANE + buses * BUS + (6.0 if labels or buses else 0.0)


def plan_wires(boxes: dict[str, Box], links: tuple[Link, ...]) -> Tray:
    """Give every link between two of the boxes its lanes, deterministically."""
    mine = [link for link in links if link.a in boxes and link.b in boxes]
    ports = _ports(boxes, mine)
    wires: list[Wire] = []
    channels = 0
    for link in mine:
        first, second = sorted((boxes[link.a], boxes[link.b]), key=lambda box: (box.row, box.x))
        band = first.row
        around = second.row - first.row > 1
        far_band = second.row - 1 if around else band
        wires.append(
            Wire(
                link.id,
                first,
                second,
                ports[link.id, first.key],
                ports[link.id, second.key],
                band,
                far_band,
                channels if around else -1,
            )
        )
        channels += around
    label_lane, labels = _label_lanes(wires)
    bus_lane, buses = _bus_lanes(wires)
    return Tray(tuple(wires), label_lane, bus_lane, labels, buses, channels)


def _ports(boxes: dict[str, Box], links: list[Link]) -> dict[tuple[str, str], float]:
    """Where each link meets the edge of each box: side by side, in the order of the other ends."""
    ends: dict[str, list[tuple[float, str]]] = {}
    for link in links:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            other = boxes[there]
            ends.setdefault(here, []).append((other.row * 10_000 + other.x, link.id))
    found: dict[tuple[str, str], float] = {}
    for key, met in ends.items():
        box = boxes[key]
        for number, (_, link_id) in enumerate(sorted(met)):
            found[link_id, key] = box.x + box.w * (number + 1) / (len(met) + 1)
    return found


def _is_direct(wire: Wire) -> bool:
    """Between two boxes of one row, neither a switch: the label lies on the line."""
    return wire.first.row == wire.second.row and not (wire.first.is_switch or wire.second.is_switch)


def _free(rows: list[list[tuple[float, float]]], low: float, high: float) -> int:
    """The first lane where an interval meets no other."""
    for number, row in enumerate(rows):
        if all(high <= a or low >= b for a, b in row):
            row.append((low, high))
            return number
    rows.append([(low, high)])
    return len(rows) - 1


def label_x(wire: Wire) -> float:
    """Middle of the label: on the line of a direct link, else under the box it comes from."""
    if _is_direct(wire):
        return (wire.x1 + wire.x2) / 2
    return wire.x2 if wire.first.is_switch and not wire.second.is_switch and wire.far_band == wire.band else wire.x1


def _label_lanes(wires: list[Wire]) -> tuple[dict[str, int], dict[int, int]]:
    lanes: dict[str, int] = {}
    rows: dict[int, list[list[tuple[float, float]]]] = {}
    for wire in wires:
        middle = label_x(wire)
        low, high = middle - LABEL_W / 2, middle + LABEL_W / 2
        if _is_direct(wire):
            low, high = min(low, wire.x1, wire.x2), max(high, wire.x1, wire.x2)
        lanes[wire.link] = _free(rows.setdefault(wire.band, []), low, high)
    return lanes, {band: len(found) for band, found in rows.items()}


def _bus_lanes(wires: list[Wire]) -> tuple[dict[tuple[str, int], int], dict[int, int]]:
    lanes: dict[tuple[str, int], int] = {}
    counts: dict[int, int] = {}
    for wire in wires:
        if _is_direct(wire):
            continue
        for band in dict.fromkeys((wire.band, wire.far_band)):
            key = (bus_of(wire), band)
            if key not in lanes:
                lanes[key] = counts.get(band, 0)
                counts[band] = lanes[key] + 1
    return lanes, counts


def bus_of(wire: Wire) -> str:
    """Which lane a link shares: that of its network switch, else its own."""
    if wire.second.is_switch:
        return wire.second.key
    return wire.first.key if wire.first.is_switch else wire.link


Point = tuple[float, float]


def path(
    wire: Wire, tray: Tray, bottoms: dict[int, float], edges: dict[str, tuple[float, float]], right: float
) -> tuple[tuple[Point, ...], Point]:
    """Corners of a wire and the middle of its label.

    ``bottoms``: upper edge of each band; ``edges``: top and bottom of each box; ``right``: where the tracks round the
    rows begin.
    """

    def lane_y(band: int) -> float:
        if _is_direct(wire):
            return label_y
        offset = tray.labels.get(band, 0) * LANE + (tray.bus_lane[bus_of(wire), band] + 0.5) * BUS
        return bottoms[band] + offset

    label_y = bottoms[wire.band] + (tray.label_lane[wire.link] + 0.5) * LANE
    start: Point = (wire.x1, edges[wire.first.key][1])
    y = lane_y(wire.band)
    label: Point = (label_x(wire), label_y)
    if wire.channel < 0:
        down = wire.second.row > wire.first.row
        end: Point = (wire.x2, edges[wire.second.key][0 if down else 1])
        return ((start, (wire.x1, y), (wire.x2, y), end), label)
    far = lane_y(wire.far_band)
    track = right + (wire.channel + 0.5) * CHANNEL
    end = (wire.x2, edges[wire.second.key][0])
    return ((start, (wire.x1, y), (track, y), (track, far), (wire.x2, far), end), label)
