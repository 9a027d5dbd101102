"""The moving surface under the canvas: zoom at the cursor, pan, fit, bring into view."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QNativeGestureEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsView

from configurator.desktop.canvas.scene import PlanScene

ZOOM_MIN, ZOOM_MAX = 0.08, 4.0
FIT_MAX_SMALL, FIT_MAX_LARGE, LARGE_FROM = 1.0, 1.35, 1500
"""Fit never draws larger than this; a large screen may."""
MARGIN = 28.0
FOOT = 58.0
EDGE, STEP = 36, 14
"""Pixels from the border where a drag scrolls, and how far at once."""


class Surface(QGraphicsView):
    """A view of the scene that pans and zooms; gestures come on top."""

    zoom_changed = Signal(float)

    def __init__(self, scene: PlanScene) -> None:
        super().__init__(scene)
        self.plan_scene = scene
        self.wheel_zooms = True
        self.fit_most = 0.0
        """Largest zoom of fit; 0: by the size of the screen."""
        self.own_zoom = False
        """The person chose the view; it is not fitted again by itself."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def set_zoom(self, zoom: float, at: QPointF | None = None) -> None:
        """Zoom so that the point under the cursor (or the middle) stays where it is."""
        zoom = min(max(zoom, ZOOM_MIN), ZOOM_MAX)
        at = at if at is not None else QRectF(self.viewport().rect()).center()
        before = self.mapToScene(at.toPoint())
        self.own_zoom = True
        self.resetTransform()
        self.scale(zoom, zoom)
        after = self.mapToScene(at.toPoint())
        self.pan(QPointF((after.x() - before.x()) * zoom, (after.y() - before.y()) * zoom))
        self.zoom_changed.emit(zoom)

    def zoom_by(self, factor: float, at: QPointF | None = None) -> None:
        self.set_zoom(self.zoom * factor, at)

    def pan(self, way: QPointF) -> None:
        """Move the canvas with the hand."""
        self.horizontalScrollBar().setValue(round(self.horizontalScrollBar().value() - way.x()))
        self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() - way.y()))

    def content(self) -> QRectF:
        rect = self.plan_scene.plan_geometry.bounds
        return QRectF(rect.x, rect.y, rect.w, rect.h)

    def content_in_view(self) -> bool:
        return self.mapToScene(self.viewport().rect()).boundingRect().adjusted(-4, -4, 4, 4).contains(self.content())

    def fit(self) -> None:
        """Everything in view, never larger than life by much; the content stands at the top."""
        content, area = self.content(), self.viewport().rect()
        if area.width() < 50 or area.height() < 50:
            return
        # The lower edge keeps room for the line of hints.
        room = area.height() - MARGIN - FOOT
        zoom = min((area.width() - 2 * MARGIN) / content.width(), room / content.height())
        usual = FIT_MAX_LARGE if area.width() > LARGE_FROM else FIT_MAX_SMALL
        zoom = min(max(zoom, ZOOM_MIN), self.fit_most or usual)
        self.resetTransform()
        self.scale(zoom, zoom)
        spare = area.width() - content.width() * zoom
        left = max(MARGIN, min(spare / 2, MARGIN + spare * 0.25))
        corner = self.mapFromScene(content.topLeft())
        self.pan(QPointF(left - corner.x(), MARGIN - corner.y()))
        self.own_zoom = False
        self.zoom_changed.emit(zoom)

    def actual_size(self) -> None:
        """100 %."""
        self.set_zoom(1.0)

    def reveal(self, ids: tuple[str, ...]) -> None:
        """Bring objects into view, without zooming in."""
        area = QRectF()
        for key in ids:
            rect = self.plan_scene.rect_of(key)
            area = area.united(rect) if rect is not None else area
        if not area.isNull() and not self.mapToScene(self.viewport().rect()).boundingRect().contains(area):
            self.ensureVisible(area, 60, 60)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.own_zoom:
            self.fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels = event.pixelDelta()
        smooth = not pixels.isNull() or event.phase() != Qt.ScrollPhase.NoScrollPhase
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        angle = event.angleDelta()
        if control or (self.wheel_zooms and not smooth and not event.modifiers()):
            turn = angle.y() or angle.x()
            self.zoom_by(1.0015**turn, event.position())
        else:
            way = QPointF(pixels) if not pixels.isNull() else QPointF(angle.x() / 2, angle.y() / 2)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and way.x() == 0:
                way = QPointF(way.y(), 0)
            self.own_zoom = True
            self.pan(way)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1.0 + event.value(), event.position())
            return True
        return super().viewportEvent(event)

    def drag_scroll(self, at: QPointF) -> bool:
        """Scroll when the hand is near the border; True when the canvas moved."""
        area = self.viewport().rect()
        dx = STEP if at.x() < EDGE else -STEP if at.x() > area.width() - EDGE else 0
        dy = STEP if at.y() < EDGE else -STEP if at.y() > area.height() - EDGE else 0
        reach = self.content().adjusted(-300, -300, 300, 300)
        seen = self.mapToScene(area).boundingRect()
        dx = 0 if (dx > 0 and seen.left() < reach.left()) or (dx < 0 and seen.right() > reach.right()) else dx
        dy = 0 if (dy > 0 and seen.top() < reach.top()) or (dy < 0 and seen.bottom() > reach.bottom()) else dy
        if dx or dy:
            self.own_zoom = True
            self.pan(QPointF(dx, dy))
        return bool(dx or dy)
