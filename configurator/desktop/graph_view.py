"""The drawing surface of the interconnect graph: a pyqtgraph view with our own items, hover, click and keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QCursor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPicture, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from configurator.desktop.theme import current, font, theme
from configurator.desktop.widgets.painting import edge_path, edge_pen, paint_boxes, paint_edges, paint_labels
from configurator.desktop.widgets.texts import label
from configurator.diagram.picture import Box, Edge, Label, Picture

LARGEST_FIT = 1.25
"""A small picture is not blown up further than this."""
ZOOM_STEP = 1.2
LEAST_SCALE, MOST_SCALE = 0.02, 4.0
REACH_PX = 6.0
"""How near to a line the pointer counts as on it."""

FAR = 0.6
"""Below this many pixels per unit, the names of larger boxes keep a size that can be read."""
FAR_NAME_PX = 10
CUT_NAMES = frozenset({"site", "server", "servers"})
"""Boxes whose name is worth having in part."""
NAMED = CUT_NAMES | {"socket", "network_switch", "internet"}

EMPTY = Picture(0, 0)


class _Drawing(pg.GraphicsObject):
    """Boxes and lines, recorded once per picture and state, then played at any zoom."""

    def __init__(self) -> None:
        super().__init__()
        self._picture = EMPTY
        self._record = QPicture()

    def display(self, picture: Picture, lit: Collection[str], faint: Collection[str], hovered: Edge | None) -> None:
        look = current()
        if (picture.width, picture.height) != (self._picture.width, self._picture.height):
            self.prepareGeometryChange()
        self._picture = picture
        self._record = QPicture()
        painter = QPainter(self._record)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for layer in picture.layers():
            paint_boxes(painter, (box for box in picture.boxes if box.layer == layer), look, faint, lit)
            edges = [edge for edge in picture.edges if edge.layer == layer]
            painter.setOpacity(0.25)
            paint_edges(painter, (edge for edge in edges if edge.id in faint), look)
            painter.setOpacity(1.0)
            for edge in edges:
                if edge.id in lit or edge is hovered:
                    pen = edge_pen(edge, look)
                    pen.setColor(QColor(look.accent))
                    pen.setWidthF(edge.width + 5)
                    pen.setStyle(Qt.PenStyle.SolidLine)
                    painter.setOpacity(0.35)
                    painter.setPen(pen)
                    painter.drawPath(edge_path(edge))
                    painter.setOpacity(1.0)
            paint_edges(painter, (edge for edge in edges if edge.id not in faint), look)
        painter.end()
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(-20, -20, self._picture.width + 40, self._picture.height + 40)

    def paint(self, painter: QPainter, _option: Any, _widget: QWidget | None = None) -> None:
        painter.drawPicture(0, 0, self._record)


class _Texts(pg.GraphicsObject):
    """All labels in one item; details only where they can be read."""

    def __init__(self) -> None:
        super().__init__()
        self._picture = EMPTY
        self._faint: Collection[str] = ()
        self._names: list[tuple[Label, Box]] = []
        self._others: list[Label] = []
        self.scale_px = 1.0

    def display(self, picture: Picture, faint: Collection[str]) -> None:
        if (picture.width, picture.height) != (self._picture.width, self._picture.height):
            self.prepareGeometryChange()
        if picture is not self._picture:
            named = {box.id: box for box in picture.boxes if box.kind in NAMED}
            self._names, self._others = [], []
            for each in picture.labels:
                box = named.pop(each.owner, None) if each.strong and not each.pill else None
                if box is None:
                    self._others.append(each)
                else:
                    self._names.append((each, box))
        self._picture = picture
        self._faint = faint
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(-20, -20, self._picture.width + 40, self._picture.height + 40)

    def paint(self, painter: QPainter, _option: Any, _widget: QWidget | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.scale_px >= FAR:
            paint_labels(painter, self._picture.labels, current(), self.scale_px, self._faint)
            return
        paint_labels(painter, self._others, current(), self.scale_px, self._faint)
        for each, box in self._names:
            self._far_name(painter, each, box)

    def _far_name(self, painter: QPainter, name: Label, box: Box) -> None:
        """A name that stays as large as can be read, cut to its box; what is too small for any has its hover card."""
        size = FAR_NAME_PX / self.scale_px
        room = box.width - (name.x - box.x) - 6 if name.align == "left" else box.width - 8
        if size > box.height or room < 3 * size:
            return
        written = font(round(size), True)
        painter.setOpacity(0.35 if name.owner in self._faint else 1.0)
        painter.setFont(written)
        painter.setPen(QColor(getattr(current(), name.colour)))
        text = QFontMetricsF(written).elidedText(name.text, Qt.TextElideMode.ElideRight, room)
        if text != name.text and box.kind not in CUT_NAMES:
            return
        left = name.x if name.align == "left" else box.x + 4
        align = Qt.AlignmentFlag.AlignLeft if name.align == "left" else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(QRectF(left, name.y - size, room, 2 * size), align | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setOpacity(1.0)


class HoverCard(QFrame):
    """Name and facts of what the pointer is on."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setProperty("role", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.name = label("strong")
        self.facts = label("note")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 9)
        column.setSpacing(2)
        column.addWidget(self.name)
        column.addWidget(self.facts)
        self.hide()

    def show_at(self, at: QPointF, name: str, facts: tuple[str, ...]) -> None:
        self.name.setText(name)
        self.facts.setText("\n".join(facts))
        self.facts.setVisible(bool(facts))
        self.adjustSize()
        x = min(at.x() + 16, self._host.width() - self.width() - 8)
        y = at.y() + 18
        if y + self.height() > self._host.height() - 8:
            y = at.y() - self.height() - 12
        self.move(round(max(8, x)), round(max(8, y)))
        self.show()
        self.raise_()


class GraphView(pg.GraphicsView):
    """Pan by dragging, zoom by wheel, click selects, arrows walk from box to box."""

    picked = Signal(object)
    """Ids of plan objects under a click, () for the ground."""
    zoomed = Signal(float)
    picture = EMPTY
    # pyqtgraph resizes the view while it is being made.
    _moved_by_hand = True

    def __init__(self) -> None:
        super().__init__()
        self.box = pg.ViewBox(lockAspect=True, enableMenu=False, defaultPadding=0.0)
        self.box.invertY(True)
        self.setCentralItem(self.box)
        self.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents, False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._drawing, self._texts = _Drawing(), _Texts()
        for item in (self._drawing, self._texts):
            self.box.addItem(item, ignoreBounds=True)
        self._lit: frozenset[str] = frozenset()
        self._faint: frozenset[str] = frozenset()
        self._hovered: Box | Edge | None = None
        self._moved_by_hand = False
        self._pressed: QPointF | None = None
        self._cursor_box = ""
        self.put_away: Callable[[], bool] = lambda: False
        """Closes what floats over the window; False when nothing does."""
        self.card = HoverCard(self)
        self.box.sigRangeChanged.connect(lambda *_: self._scaled())
        self.box.sigRangeChangedManually.connect(lambda *_: self._by_hand())
        theme().changed.connect(self._recolour)
        self._recolour()

    # -- showing

    def show_picture(self, picture: Picture, lit: Collection[str], faint: Collection[str]) -> None:
        """Put a picture on the surface; the zoom stays unless the owner never touched it or nothing is in sight."""
        before = self.picture
        self.picture = picture
        self._lit, self._faint = frozenset(lit), frozenset(faint)
        self._hovered = None
        self.card.hide()
        self._paint()
        apart = not self.box.viewRect().intersects(QRectF(0, 0, max(picture.width, 1), max(picture.height, 1)))
        if not self._moved_by_hand or before.empty or apart:
            self.fit()

    def _paint(self) -> None:
        hovered = self._hovered if isinstance(self._hovered, Edge) else None
        self._drawing.display(self.picture, self._lit, self._faint, hovered)
        self._texts.display(self.picture, self._faint)

    def _recolour(self) -> None:
        self.setBackground(current().canvas)
        self._paint()

    # -- zoom

    @property
    def scale_px(self) -> float:
        """Pixels per unit."""
        unit = self.box.viewPixelSize()[0]
        return 1.0 / unit if unit else 1.0

    def _scaled(self) -> None:
        self._texts.scale_px = self.scale_px
        self._texts.update()
        self.zoomed.emit(self.scale_px)

    def _by_hand(self) -> None:
        self._moved_by_hand = True
        self.card.hide()

    def fit(self) -> None:
        """The whole picture, centred."""
        self._moved_by_hand = False
        if not self.picture.empty:
            room = min(self.width() / self.picture.width, self.height() / self.picture.height)
            self._centre(min(room, LARGEST_FIT), QPointF(self.picture.width / 2, self.picture.height / 2))

    def actual_size(self) -> None:
        """One unit is one pixel."""
        self._by_hand()
        self._centre(1.0, self.box.viewRect().center())

    def zoom_by(self, factor: float) -> None:
        """Around the middle of the view."""
        self._by_hand()
        scale = max(LEAST_SCALE, min(self.scale_px * factor, MOST_SCALE))
        self._centre(scale, self.box.viewRect().center())

    def _centre(self, scale: float, at: QPointF) -> None:
        wide, high = max(self.width(), 10) / scale, max(self.height(), 10) / scale
        self.box.setRange(QRectF(at.x() - wide / 2, at.y() - high / 2, wide, high), padding=0, disableAutoRange=True)

    def show_box(self, box: Box) -> None:
        """Bring a box into sight."""
        area = QRectF(box.x, box.y, box.width, box.height)
        if not self.box.viewRect().contains(area):
            self._by_hand()
            self._centre(max(self.scale_px, 0.7), area.center())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._moved_by_hand:
            self.fit()

    # -- pointer

    def _at(self, position: QPointF) -> QPointF:
        return self.box.mapSceneToView(self.mapToScene(position.toPoint()))

    def target(self, position: QPointF) -> Box | Edge | None:
        """The innermost box under the pointer, else a line near it, else the box around."""
        at = self._at(position)
        inside = [box for box in self.picture.boxes if QRectF(box.x, box.y, box.width, box.height).contains(at)]
        inside.sort(key=lambda box: (box.layer, -box.width * box.height))
        top = inside[-1] if inside else None
        if top is not None and top.layer >= 4 and top.kind != "note":
            return top
        reach = REACH_PX / self.scale_px
        near = [(distance(edge, at), edge) for edge in self.picture.edges]
        best = min(near, key=lambda each: each[0], default=None)
        if best is not None and best[0] <= reach + best[1].width / 2:
            return best[1]
        return top

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons():
            self.card.hide()
            return
        self._hover(self.target(event.position()), event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        pressed, self._pressed = self._pressed, None
        near = pressed is not None and (event.position() - pressed).manhattanLength() < 5
        if near and event.button() == Qt.MouseButton.LeftButton:
            found = self.target(event.position())
            self.picked.emit(ids_of(found) if found is not None else ())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None, QPointF())

    def _hover(self, found: Box | Edge | None, at: QPointF) -> None:
        if found is not self._hovered:
            edges = isinstance(found, Edge) or isinstance(self._hovered, Edge)
            self._hovered = found
            pointing = found is not None and bool(ids_of(found))
            shape = Qt.CursorShape.PointingHandCursor if pointing else Qt.CursorShape.ArrowCursor
            self.viewport().setCursor(QCursor(shape))
            if edges:
                self._paint()
        if found is None or not found.name:
            self.card.hide()
        else:
            self.card.show_at(at, found.name, found.facts)

    # -- keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrows = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        key = Qt.Key(event.key())
        if key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
            self.zoom_by(ZOOM_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom_by(1 / ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_Escape:
            if not self.put_away():
                self.picked.emit(())
        elif key in arrows:
            self._walk(*arrows[key])
        else:
            super().keyPressEvent(event)

    def _walk(self, dx: int, dy: int) -> None:
        """To the next box in a direction."""
        boxes = [box for box in self.picture.boxes if box.object_id and box.layer >= 4 and box.kind != "segment"]
        here = next((box for box in boxes if box.id == self._cursor_box), None)
        here = here or next((box for box in boxes if box.id in self._lit), None)
        if here is None:
            found = min(boxes, key=lambda box: (box.y, box.x), default=None)
        else:
            found = min(
                (box for box in boxes if _ahead(here, box, dx, dy)),
                key=lambda box: _far(here, box, dx, dy),
                default=None,
            )
        if found is not None:
            self._cursor_box = found.id
            self.picked.emit(ids_of(found))
            self.show_box(found)


def ids_of(found: Box | Edge) -> tuple[str, ...]:
    """Plan objects to select: a stack stands for all its servers, a group for its cards."""
    if isinstance(found, Box) and found.kind in {"servers", "group"}:
        return found.members
    return (found.object_id,) if found.object_id else ()


def distance(edge: Edge, at: QPointF) -> float:
    """From a point to a line."""
    best = float("inf")
    for (ax, ay), (bx, by) in zip(edge.points, edge.points[1:], strict=False):
        wide, high = bx - ax, by - ay
        long = wide * wide + high * high
        share = max(0.0, min(1.0, ((at.x() - ax) * wide + (at.y() - ay) * high) / long)) if long else 0.0
        best = min(best, math.hypot(at.x() - ax - share * wide, at.y() - ay - share * high))
    return best


def _ahead(here: Box, box: Box, dx: int, dy: int) -> bool:
    (x, y), (a, b) = here.centre, box.centre
    return (a - x) * dx > 4 or (b - y) * dy > 4


def _far(here: Box, box: Box, dx: int, dy: int) -> float:
    (x, y), (a, b) = here.centre, box.centre
    along, across = abs((a - x) * dx + (b - y) * dy), abs((a - x) * dy) + abs((b - y) * dx)
    return along + 2.5 * across
