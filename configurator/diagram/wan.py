"""Internet between sites: a line between two or three, one common box when there are more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from configurator.diagram.inside import Context, drawn_edge
from configurator.diagram.picture import Box, Edge, Label
from configurator.diagram.said import GAP, figures, kind_name
from configurator.diagram.sheet import Point, Sheet, along
from configurator.diagram.site_view import line_said
from configurator.diagram.tokens import SIZE_SMALL
from configurator.plan.model import Link, Site

GAP_X, GAP_Y = 236.0, 88.0
STAR_GAP_X, STAR_GAP_Y, STAR_TOP = 48.0, 72.0, 116.0
MOST_LINES = 3
CLOUD_W, CLOUD_H = 190.0, 40.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a site stands."""

    x: float
    y: float
    width: float
    height: float
    row: int

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def is_star(links: Sequence[Link]) -> bool:
    """Whether single lines would be too many."""
    return len(links) > MOST_LINES


def lines(links: Sequence[tuple[Link, str, str]], spots: Mapping[str, Spot], sheet: Sheet, context: Context) -> None:
    """One line per pair of sites with its figures: straight between neighbours, else around the rows."""
    channel = min((spot.x for spot in spots.values()), default=0.0) - 26
    joined: set[frozenset[str]] = set()
    for link, one, other in links:
        if frozenset((one, other)) in joined:
            continue
        joined.add(frozenset((one, other)))
        first, second = sorted((spots[one], spots[other]), key=lambda spot: (spot.row, spot.x))
        points = _way(first, second, channel - 12 * len(joined))
        edge = context.edges.get(link.id)
        sheet.line(replace(drawn_edge(link.id, edge, points, "internet", context), object_id=link.id))
        text = (
            figures(edge, context.wording, slowest=link.id == context.placement.bottleneck) if edge is not None else ""
        )
        label = Label(
            f"{kind_name('internet', context.wording)}{GAP}{text}" if text else context.wording.gettext("failed"),
            0,
            0,
            SIZE_SMALL,
            align="centre",
            pill=True,
            owner=link.id,
        )
        sheet.pill(label, *(along(points, share) for share in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)))


def _way(a: Spot, b: Spot, channel: float) -> tuple[Point, ...]:
    """From site ``a`` to site ``b`` (in reading order) without crossing another site."""
    if a.row == b.row and b.x - (a.x + a.width) <= GAP_X + 1:
        level = min(a.y + a.height, b.y + b.height, max(a.y, b.y) + 60)
        return (a.x + a.width, level), (b.x, level)
    if b.row == a.row + 1:
        left, right = max(a.x, b.x) + 30, min(a.x + a.width, b.x + b.width) - 30
        if left <= right:
            middle = (left + right) / 2
            return (middle, a.y + a.height), (middle, b.y)
        gap = b.y - GAP_Y / 2
        return (a.middle, a.y + a.height), (a.middle, gap), (b.middle, gap), (b.middle, b.y)
    below, above = a.y + a.height + 20, b.y - 20
    return (
        (a.middle, a.y + a.height),
        (a.middle, below),
        (channel, below),
        (channel, above),
        (b.middle, above),
        (b.middle, b.y),
    )


def star(
    sites: Mapping[str, Site],
    links: Sequence[tuple[Link, str, str]],
    spots: Mapping[str, Spot],
    sheet: Sheet,
    context: Context,
) -> None:
    """The internet as one box above the sites, one line to each of them with that site's own figures."""
    wording = context.wording
    centre = (min(s.x for s in spots.values()) + max(s.x + s.width for s in spots.values())) / 2
    name = wording.gettext("Internet")
    box = Box(
        id="internet",
        kind="internet",
        x=centre - CLOUD_W / 2,
        y=-STAR_TOP,
        width=CLOUD_W,
        height=CLOUD_H,
        name=name,
        stroke="internet",
        dashed=True,
        radius=CLOUD_H / 2,
        layer=4,
    )
    sheet.titled(box, name)
    bus = -STAR_TOP + CLOUD_H + 18
    columns = sorted({spot.x for spot in spots.values()})
    for site_id, spot in spots.items():
        own = [(link, other if one == site_id else one) for link, one, other in links if site_id in {one, other}]
        if not own:
            continue
        start, end = (centre, box.bottom), (spot.middle, spot.y)
        if spot.row == 0:
            points: tuple[Point, ...] = (start, (centre, bus), (spot.middle, bus), end)
        else:
            side = _free(spot, spots, columns[0])
            points = (start, (centre, bus), (side, bus), (side, spot.y - 52), (spot.middle, spot.y - 52), end)
        facts = [f"{sites[other].name}: {_figures(link, context)}" for link, other in own[:6]]
        if len(own) > 6:
            facts.append("…")
        ids = tuple(link.id for link, _ in own)
        failed = all(link.id not in context.edges for link, _ in own)
        sheet.line(
            Edge(
                id=f"internet/{site_id}",
                kind="internet",
                points=points,
                object_id=ids[0],
                name=f"{sites[site_id].name}{GAP}{kind_name('internet', wording)}",
                facts=tuple(facts),
                colour="internet",
                width=1.5,
                dashed=True,
                state="failed" if failed else "normal",
                used=any(link_id in context.placement.uses for link_id in ids),
                ids=ids,
            )
        )
        text = line_said(sites[site_id], context)
        label = Label(text, 0, 0, SIZE_SMALL, colour="muted", align="centre", pill=True, owner=f"internet/{site_id}")
        sheet.pill(label, (spot.middle, spot.y - 22))


def _free(spot: Spot, spots: Mapping[str, Spot], left: float) -> float:
    above = [each for each in spots.values() if each.row < spot.row]
    for x in (spot.x - STAR_GAP_X / 2, spot.x + spot.width + STAR_GAP_X / 2):
        if not any(each.x - 2 < x < each.x + each.width + 2 for each in above):
            return x
    return left - 24


def _figures(link: Link, context: Context) -> str:
    edge = context.edges.get(link.id)
    if edge is None:
        return context.wording.gettext("failed")
    return figures(edge, context.wording, slowest=link.id == context.placement.bottleneck)
