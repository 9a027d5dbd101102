"""A picture while it is being drawn: collects boxes, lines and texts, and finds room for the pills."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from configurator.diagram.measure import fitted
from configurator.diagram.picture import Box, Edge, Key, Label, Picture, bounds, overlap
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL

Point = tuple[float, float]
CONTAINERS = frozenset({"site", "server", "group"})


class Sheet:
    """Mutable only while one picture is made."""

    def __init__(self) -> None:
        self.boxes: list[Box] = []
        self.edges: list[Edge] = []
        self.labels: list[Label] = []

    def add(self, box: Box) -> Box:
        """Put a box down."""
        self.boxes.append(box)
        return box

    def line(self, edge: Edge) -> Edge:
        """Put a line down."""
        self.edges.append(edge)
        return edge

    def text(self, label: Label) -> None:
        """Put a text down as it is."""
        if label.text:
            self.labels.append(label)

    def titled(self, box: Box, title: str, subtitle: str = "", colour: str = "ink", muted: str = "muted") -> Box:
        """A box with a centred title and, below it, a smaller line; both cut to its width."""
        self.add(box)
        x, y = box.centre
        room = box.width - 10
        if subtitle:
            self.text(
                Label(fitted(title, room, SIZE_NOTE, True), x, y - 8, SIZE_NOTE, True, colour, "centre", owner=box.id)
            )
            self.text(
                Label(
                    fitted(subtitle, room, SIZE_SMALL),
                    x,
                    y + 9,
                    SIZE_SMALL,
                    False,
                    muted,
                    "centre",
                    owner=box.id,
                    detail=1,
                )
            )
        else:
            self.text(
                Label(fitted(title, room, SIZE_NOTE, True), x, y, SIZE_NOTE, True, colour, "centre", owner=box.id)
            )
        return box

    def pill(self, label: Label, *places: Point) -> bool:
        """Put a pill at the first of ``places`` where it covers no text and no box; False when none is free."""
        solid = [bounds(box) for box in self.boxes if box.kind not in CONTAINERS]
        taken = [each.box for each in self.labels]
        for x, y in places:
            placed = replace(label, x=x, y=y)
            if not any(overlap(placed.box, other, 2) for other in taken) and not any(
                overlap(placed.box, other, 1) for other in solid
            ):
                self.labels.append(placed)
                return True
        return False

    def take(self, other: Sheet, dx: float, dy: float) -> None:
        """Everything of another sheet, moved."""
        self.boxes += [box.moved(dx, dy) for box in other.boxes]
        self.edges += [edge.moved(dx, dy) for edge in other.edges]
        self.labels += [label.moved(dx, dy) for label in other.labels]

    def picture(self, margin: float, title: str = "", summary: str = "", legend: tuple[Key, ...] = ()) -> Picture:
        """The finished picture, moved to begin at the margin."""
        areas = [bounds(box) for box in self.boxes] + [label.box for label in self.labels]
        areas += [(x, y, x, y) for edge in self.edges for x, y in edge.points]
        if not areas:
            return Picture(0, 0, title=title, summary=summary)
        left, top = min(each[0] for each in areas), min(each[1] for each in areas)
        right, bottom = max(each[2] for each in areas), max(each[3] for each in areas)
        dx, dy = margin - left, margin - top
        return Picture(
            math.ceil(right - left + 2 * margin),
            math.ceil(bottom - top + 2 * margin),
            tuple(box.moved(dx, dy) for box in self.boxes),
            tuple(edge.moved(dx, dy) for edge in self.edges),
            tuple(label.moved(dx, dy) for label in self.labels),
            legend,
            title,
            summary,
        )


def along(points: tuple[Point, ...], share: float) -> Point:
    """The point at a share of the way along a line."""
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    rest = share * sum(lengths)
    for (a, b), length in zip(pairwise(points), lengths, strict=True):
        if length and rest <= length:
            return a[0] + (b[0] - a[0]) * rest / length, a[1] + (b[1] - a[1]) * rest / length
        rest -= length
    return points[-1]


def line_width(bytes_per_s: float) -> float:
    """Thicker for more: 1.5 at 1 GB/s and below, one unit more for each fourfold, 6 at most."""
    return max(1.5, min(6.0, 1.5 + math.log2(max(bytes_per_s, 1.0) / 1e9) / 2))
