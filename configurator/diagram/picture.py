"""What a picture is made of. Everything is decided here: a painter only draws rectangles, lines and texts.

Logical units, y grows downwards. Colours are names of tokens, so that one picture serves light, dark and paper.
Order of drawing: boxes and edges by ``layer``, boxes before edges within one; labels on top.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from configurator.diagram.measure import text_width

BoxKind = Literal[
    "site", "server", "servers", "group", "socket", "pcie_switch", "chipset", "nvswitch", "gpu", "nic",
    "network_switch", "internet", "slot", "segment", "person", "router", "copy", "stage", "storage", "note",
]  # fmt: skip
State = Literal["normal", "failed", "stopped", "unreached", "slowed", "idle"]
"""failed: taken as broken; stopped: works but cannot answer any more; unreached: runs where nobody
reaches it; slowed: carries less; idle: not used."""
Align = Literal["left", "centre", "right"]
Detail = Literal[0, 1, 2]
"""0: always drawn, 1: when there is room, 2: only near."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle. ``object_id``: the plan object a click selects, "" for none; hover says ``name`` and ``facts``."""

    id: str
    kind: BoxKind
    x: float
    y: float
    width: float
    height: float
    object_id: str = ""
    name: str = ""
    facts: tuple[str, ...] = ()
    fill: str = "panel"
    stroke: str = "line"
    stroke_width: float = 1.0
    dashed: bool = False
    radius: float = 8.0
    layer: int = 1
    state: State = "normal"
    members: tuple[str, ...] = ()
    """Plan objects that this box stands for besides its own."""

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Edge:
    """A line through ``points``. ``ids`` are the topology edges it stands for."""

    id: str
    kind: str
    """pcie | sockets | nvlink | network | internet | unknown | flow | load"""
    points: tuple[tuple[float, float], ...]
    object_id: str = ""
    name: str = ""
    facts: tuple[str, ...] = ()
    colour: str = "pcie"
    width: float = 3.0
    dashed: bool = False
    arrow: bool = False
    layer: int = 2
    state: State = "normal"
    bottleneck: bool = False
    used: bool = False
    """Carries traffic of the chosen layout."""
    ids: tuple[str, ...] = ()

    def moved(self, dx: float, dy: float) -> Edge:
        """The same line elsewhere."""
        return replace(self, points=tuple((x + dx, y + dy) for x, y in self.points))


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text. ``x`` is its left, middle or right by ``align``, ``y`` its middle. A pill has a ground."""

    text: str
    x: float
    y: float
    size: float = 12.0
    strong: bool = False
    colour: str = "ink"
    align: Align = "left"
    pill: bool = False
    ground: str = "panel"
    outline: str = "line_strong"
    owner: str = ""
    """Id of the box or edge it belongs to."""
    detail: Detail = 0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """(left, top, right, bottom) with the room of the pill."""
        pad_x, pad_y = (9.0, 5.0) if self.pill else (0.0, 0.0)
        width = text_width(self.text, self.size, self.strong)
        left = self.x - {"left": 0.0, "centre": width / 2, "right": width}[self.align]
        half = self.size * 0.55
        return left - pad_x, self.y - half - pad_y, left + width + pad_x, self.y + half + pad_y

    def moved(self, dx: float, dy: float) -> Label:
        """The same text elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of the legend: a line or a swatch, and its word."""

    text: str
    colour: str
    dashed: bool = False
    line: bool = True
    width: float = 3.0


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes, edges and labels in ``width`` x ``height``. ``summary`` says in words what is to be seen."""

    width: float
    height: float
    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    labels: tuple[Label, ...] = ()
    legend: tuple[Key, ...] = ()
    title: str = ""
    summary: str = ""

    @property
    def empty(self) -> bool:
        return not self.boxes

    def box(self, box_id: str) -> Box | None:
        """The box with that id, or None."""
        return next((each for each in self.boxes if each.id == box_id), None)

    def layers(self) -> tuple[int, ...]:
        """Layer numbers in drawing order."""
        return tuple(sorted({*(box.layer for box in self.boxes), *(edge.layer for edge in self.edges)}))


def overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float], gap: float = 0.0) -> bool:
    """Whether two rectangles (left, top, right, bottom) share ground or stand closer than ``gap``."""
    return one[0] < other[2] + gap and other[0] < one[2] + gap and one[1] < other[3] + gap and other[1] < one[3] + gap


def bounds(box: Box) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) of a box."""
    return box.x, box.y, box.right, box.bottom


__all__ = ["Align", "Box", "BoxKind", "Detail", "Edge", "Key", "Label", "Picture", "State", "bounds", "overlap"]
