"""Paint a picture of the diagram room as vectors. Kinds of line differ in colour, width and dashes."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable

from configurator.diagram.picture import Box, Edge, Key, Label, Picture
from configurator.proposal import fonts
from configurator.proposal.document import draw_text
from configurator.proposal.style import NOTE, colour

DASHES: dict[str, tuple[float, ...]] = {"sockets": (7, 2), "network": (7, 2.5, 1.5, 2.5), "nvlink": (1.5, 1.5)}
"""PCIe is whole, what is not known is dashed; the others have their own rhythm for prints without colours."""
UNKNOWN_DASH = (3.0, 2.6)
LEGEND_ROW = 13.0


class Drawing(Flowable):
    """A picture as wide as the column, or smaller when it would grow higher than ``highest``."""

    def __init__(self, picture: Picture, highest: float, largest_scale: float = 0.82) -> None:
        super().__init__()
        self.picture, self.highest, self.largest = picture, highest, largest_scale

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        del height
        self.room = width
        self.legend = _legend_places(self.picture.legend, width)
        below = (max(line for _, line, _ in self.legend) + 1) * LEGEND_ROW + 4 if self.legend else 0
        self.below = below
        self.scale = min(width / self.picture.width, (self.highest - below) / self.picture.height, self.largest)
        return width, self.picture.height * self.scale + below

    def draw(self) -> None:
        canvas = self.canv
        canvas.saveState()
        canvas.translate((self.room - self.picture.width * self.scale) / 2, self.below)
        canvas.scale(self.scale, self.scale)
        paint(canvas, self.picture)
        canvas.restoreState()
        for x, line, key in self.legend:
            _key(canvas, key, x, self.below - 4 - (line + 1) * LEGEND_ROW + 4)


def paint(canvas: Canvas, picture: Picture) -> None:
    """The picture in its own units, its lower left corner at the origin."""
    for layer in picture.layers():
        for box in picture.boxes:
            if box.layer == layer:
                _box(canvas, box, picture.height)
        for edge in picture.edges:
            if edge.layer == layer:
                _edge(canvas, edge, picture.height)
    for label in picture.labels:
        _label(canvas, label, picture.height)


def _box(canvas: Canvas, box: Box, tall: float) -> None:
    canvas.saveState()
    if box.fill:
        canvas.setFillColor(colour(box.fill))
    canvas.setLineWidth(box.stroke_width)
    if box.stroke:
        canvas.setStrokeColor(colour(box.stroke))
    if box.dashed:
        canvas.setDash(4, 3)
    radius = min(box.radius, box.width / 2, box.height / 2)
    canvas.roundRect(
        box.x,
        tall - box.bottom,
        box.width,
        box.height,
        radius,
        stroke=1 if box.stroke else 0,
        fill=1 if box.fill else 0,
    )
    canvas.restoreState()


def _edge(canvas: Canvas, edge: Edge, tall: float) -> None:
    canvas.saveState()
    canvas.setStrokeColor(colour(edge.colour))
    canvas.setFillColor(colour(edge.colour))
    canvas.setLineWidth(edge.width)
    canvas.setLineJoin(1)
    dash = UNKNOWN_DASH if edge.dashed else DASHES.get(edge.kind)
    if dash:
        canvas.setDash([each * max(1.0, edge.width / 2) for each in dash])
    path = canvas.beginPath()
    points = [(x, tall - y) for x, y in edge.points]
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)
    canvas.drawPath(path, stroke=1, fill=0)
    canvas.setDash()
    if edge.arrow and len(points) > 1:
        _arrow(canvas, points[-2], points[-1], edge.width)
    canvas.restoreState()


def _arrow(canvas: Canvas, start: tuple[float, float], end: tuple[float, float], thick: float) -> None:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    size = 4 + thick * 1.4
    path = canvas.beginPath()
    path.moveTo(end[0] + ux, end[1] + uy)
    path.lineTo(end[0] - ux * size - uy * size * 0.55, end[1] - uy * size + ux * size * 0.55)
    path.lineTo(end[0] - ux * size + uy * size * 0.55, end[1] - uy * size - ux * size * 0.55)
    path.close()
    canvas.drawPath(path, stroke=0, fill=1)


def _label(canvas: Canvas, label: Label, tall: float) -> None:
    font = fonts.STRONG if label.strong else fonts.TEXT
    if label.pill:
        left, top, right, bottom = label.box
        canvas.saveState()
        canvas.setFillColor(colour(label.ground))
        canvas.setStrokeColor(colour(label.outline))
        canvas.setLineWidth(1)
        canvas.roundRect(left, tall - bottom, right - left, bottom - top, (bottom - top) / 2, stroke=1, fill=1)
        canvas.restoreState()
    anchor = {"left": "left", "centre": "centre", "right": "right"}[label.align]
    draw_text(canvas, label.x, tall - label.y - label.size * 0.355, label.text, font, label.size, label.colour, anchor)


def _legend_places(legend: tuple[Key, ...], room: float) -> list[tuple[float, int, Key]]:
    places: list[tuple[float, int, Key]] = []
    x, line = 0.0, 0
    for key in legend:
        wide = 26 + fonts.width(key.text, fonts.TEXT, NOTE) + 14
        if x and x + wide > room:
            x, line = 0.0, line + 1
        places.append((x, line, key))
        x += wide
    return places


def _key(canvas: Canvas, key: Key, x: float, y: float) -> None:
    canvas.saveState()
    canvas.setStrokeColor(colour(key.colour))
    canvas.setFillColor(colour(key.colour))
    if key.line:
        canvas.setLineWidth(min(key.width, 2.4))
        dash = UNKNOWN_DASH if key.dashed else DASHES.get(key.colour)
        if dash:
            canvas.setDash(list(dash))
        canvas.line(x, y + 3, x + 20, y + 3)
    else:
        canvas.rect(x + 4, y - 0.5, 12, 7, stroke=0, fill=1)
    canvas.restoreState()
    draw_text(canvas, x + 25, y + 0.4, key.text, fonts.TEXT, NOTE, "muted")
