"""A link on the canvas: a line with bends and a label; dashed while its figures are not known or it is the internet."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from configurator.desktop.canvas import paint
from configurator.desktop.canvas.geometry import Route
from configurator.desktop.canvas.items import FAR
from configurator.desktop.canvas.look import Look
from configurator.desktop.theme import colour
from configurator.plan.model import Link

HIT = 14.0
"""Width of the strip around the line that answers to the mouse."""
BEND = 10.0


class LinkItem(QGraphicsItem):
    """One link between two boxes."""

    def __init__(self, key: str, look: Look) -> None:
        super().__init__()
        self.key = key
        self.look = look
        self.link: Link | None = None
        self.words = ""
        self.label_shown = True
        self.broken = False
        """Taken as failed, or an internet line it runs over is."""
        self._route: Route | None = None
        self._path = QPainterPath()
        self.setZValue(5)

    def show_link(self, link: Link, route: Route, words: str, label_shown: bool) -> None:
        if link is self.link and route == self._route and words == self.words and label_shown == self.label_shown:
            return
        self.prepareGeometryChange()
        self.link, self._route, self.words, self.label_shown = link, route, words, label_shown
        self._path = rounded_path(route.points)
        self.update()

    @property
    def label_rect(self) -> QRectF:
        if self._route is None:
            return QRectF()
        return paint.pill_rect(QPointF(*self._route.label), self.words)

    def boundingRect(self) -> QRectF:
        line = self._path.boundingRect().adjusted(-HIT, -HIT, HIT, HIT)
        return line.united(self.label_rect.adjusted(-14, -14, 14, 14))

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(HIT)
        area = stroker.createStroke(self._path)
        if self._labelled():
            area.addRect(self.label_rect)
        return area

    def _labelled(self) -> bool:
        return self.label_shown or self.key in self.look.selected or self.key == self.look.hovered

    def _tint(self, link: Link, chosen: bool) -> QColor:
        if chosen or link.id == self.look.hovered:
            return colour("accent")
        if self.broken:
            return colour("stop")
        return colour("internet" if link.kind in {"internet", "unknown"} else "network")

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        link, look = self.link, self.look
        if link is None or self._route is None:
            return
        loose = self.broken or link.kind in {"internet", "unknown"}
        chosen = link.id in look.selected
        pen = QPen(self._tint(link, chosen), 2.4 if chosen else 1.8)
        if loose:
            pen.setDashPattern([3.0, 2.4])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)

    def paint_label(self, painter: QPainter, scale: float) -> None:
        """The words of the link, over all lines."""
        link, look = self.link, self.look
        if link is None or self._route is None:
            return
        chosen = link.id in look.selected
        tint = self._tint(link, chosen)
        if self._labelled() and scale >= FAR:
            paint.pill(painter, QPointF(*self._route.label), self.words, edge=tint, selected=chosen)
        kind = look.badges.get(link.id)
        if kind is not None:
            paint.badge(painter, QPointF(self.label_rect.right() - 2, self.label_rect.top()), kind, scale)


def rounded_path(points: tuple[tuple[float, float], ...]) -> QPainterPath:
    """A polyline with small round bends."""
    path = QPainterPath()
    if not points:
        return path
    path.moveTo(*points[0])
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        first, second = _towards(corner, before), _towards(corner, after)
        path.lineTo(*first)
        path.quadTo(*corner, *second)
    path.lineTo(*points[-1])
    return path


def _towards(corner: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    dx, dy = end[0] - corner[0], end[1] - corner[1]
    length = (dx * dx + dy * dy) ** 0.5
    if length == 0:
        return corner
    step = min(BEND, length / 2)
    return corner[0] + dx / length * step, corner[1] + dy / length * step
