"""Draws a picture of ``configurator.diagram`` with QPainter in the colours of the mode on screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from configurator.desktop.theme import font
from configurator.diagram.picture import Box, Edge, Label, Picture
from configurator.diagram.tokens import Tokens

SMALLEST_TEXT = 6.5
"""Texts that would stand smaller than this on screen are left out."""


def paint_picture(painter: QPainter, picture: Picture, look: Tokens, scale: float = 1.0) -> None:
    """The whole picture at the painter's origin, ``scale`` being pixels per unit (for the level of detail)."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for layer in picture.layers():
        paint_boxes(painter, (box for box in picture.boxes if box.layer == layer), look)
        paint_edges(painter, (edge for edge in picture.edges if edge.layer == layer), look)
    paint_labels(painter, picture.labels, look, scale)


def paint_boxes(
    painter: QPainter, boxes: Iterable[Box], look: Tokens, dimmed: Collection[str] = (), lit: Collection[str] = ()
) -> None:
    """Rounded rectangles. ``dimmed`` ids are drawn faint, ``lit`` ones with an accent outline."""
    for box in boxes:
        painter.setOpacity(0.35 if box.id in dimmed else 1.0)
        bright = box.id in lit
        pen = QPen(
            QColor(look.accent if bright else getattr(look, box.stroke)), box.stroke_width + (1.5 if bright else 0)
        )
        if box.dashed:
            pen.setStyle(Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(QColor(getattr(look, box.fill)))
        painter.drawRoundedRect(QRectF(box.x, box.y, box.width, box.height), box.radius, box.radius)
    painter.setOpacity(1.0)


def edge_path(edge: Edge) -> QPainterPath:
    """The line with its corners rounded."""
    points = [QPointF(x, y) for x, y in edge.points]
    path = QPainterPath(points[0])
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        path.lineTo(_towards(corner, before, 7))
        path.quadTo(corner, _towards(corner, after, 7))
    path.lineTo(points[-1])
    return path


def _towards(start: QPointF, end: QPointF, reach: float) -> QPointF:
    way = end - start
    length = (way.x() ** 2 + way.y() ** 2) ** 0.5
    return start + way * (min(reach, length / 2) / length) if length else start


def edge_pen(edge: Edge, look: Tokens) -> QPen:
    """Colour by class, width by bandwidth, dashed while unknown."""
    pen = QPen(QColor(getattr(look, edge.colour)), edge.width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if edge.dashed:
        pen.setStyle(Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([5 / max(edge.width, 1) * 1.6, 4 / max(edge.width, 1) * 1.6])
    return pen


def paint_edges(painter: QPainter, edges: Iterable[Edge], look: Tokens) -> None:
    """Lines, those of one pen together."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for edge in sorted(edges, key=lambda each: (each.bottleneck, each.colour, each.dashed, each.width)):
        painter.setPen(edge_pen(edge, look))
        painter.drawPath(edge_path(edge))
        if edge.arrow:
            _arrow(painter, edge, look)


def _arrow(painter: QPainter, edge: Edge, look: Tokens) -> None:
    tip, before = QPointF(*edge.points[-1]), QPointF(*edge.points[-2])
    back = _towards(tip, before, 9)
    way = tip - back
    side = QPointF(-way.y(), way.x()) * 0.5
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(getattr(look, edge.colour)))
    painter.drawPolygon(QPolygonF([tip, back + side, back - side]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_labels(
    painter: QPainter, labels: Iterable[Label], look: Tokens, scale: float = 1.0, dimmed: Collection[str] = ()
) -> None:
    """Texts, pills on their own ground; details only where they can be read."""
    for label in labels:
        if label.size * scale < SMALLEST_TEXT or (label.detail and scale < 0.4 + 0.2 * label.detail):
            continue
        painter.setOpacity(0.35 if label.owner in dimmed else 1.0)
        left, top, right, bottom = label.box
        area = QRectF(left, top, right - left, bottom - top)
        if label.pill:
            painter.setPen(QPen(QColor(getattr(look, label.outline)), 1))
            painter.setBrush(QColor(getattr(look, label.ground)))
            painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        painter.setFont(font(round(label.size), label.strong))
        painter.setPen(QColor(getattr(look, label.colour)))
        wide = area.adjusted(-40, -4, 40, 4) if label.align == "centre" or label.pill else area.adjusted(0, -4, 80, 4)
        align = Qt.AlignmentFlag.AlignHCenter if label.align == "centre" or label.pill else Qt.AlignmentFlag.AlignLeft
        if label.align == "right" and not label.pill:
            wide, align = area.adjusted(-80, -4, 0, 4), Qt.AlignmentFlag.AlignRight
        painter.drawText(wide, align | Qt.AlignmentFlag.AlignVCenter, label.text)
    painter.setOpacity(1.0)
