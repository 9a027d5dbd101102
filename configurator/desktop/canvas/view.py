"""The canvas widget: gestures, keyboard, tooltips, menus. What may go where is decided by the placer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip

from configurator.desktop.canvas import navigate, paint
from configurator.desktop.canvas.empty import EmptyHint
from configurator.desktop.canvas.gestures import Band, Carry, Connect, Gesture, Pan
from configurator.desktop.canvas.hand import Hand
from configurator.desktop.canvas.rename import NameEditor
from configurator.desktop.canvas.scene import Hit, HitKind, PlanScene
from configurator.desktop.canvas.surface import Surface
from configurator.desktop.canvas.twoclick import TwoClick
from configurator.desktop.document import Document
from configurator.desktop.drag import DragController
from configurator.desktop.facts import describe, plan_summary
from configurator.desktop.placing import Payload, Placer
from configurator.desktop.theme import colour, theme
from configurator.plan.index import find, walk
from configurator.plan.model import Gpu, Project, Site
from configurator.plan.model import Slot as PlanSlot

DIRECTIONS: dict[int, navigate.Direction] = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}


class CanvasView(Surface):
    """Shows and edits the plan's hardware."""

    menu_requested = Signal(object, object)
    """(Hit, global point)"""
    add_requested = Signal()
    """Enter: the catalogue's current card goes to the selection."""
    properties_requested = Signal(str)
    palette_requested = Signal()
    link_made = Signal(str)
    disarmed = Signal()
    """What was chosen in the list waits no longer for a click."""

    drag: DragController

    def __init__(self, document: Document, placer: Placer) -> None:
        super().__init__(PlanScene(document))
        self.document = document
        self.placer = placer
        self.hand = Hand(self, placer)
        self.clicks = TwoClick(self)
        self.hint_shown = True
        self.hint_covered: Callable[[], bool] = lambda: False
        """Whether something stands over the line of hints now."""
        self.put_away: Callable[[], bool] = lambda: False
        """Closes what floats over the window, innermost first; False when nothing does."""
        self._gesture: Gesture | None = None
        self._space = False
        self._band: QRectF | None = None
        self._shown: tuple[str, str] = ("", "")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.editor = NameEditor(self)
        self.empty = EmptyHint(self.viewport(), document)
        document.changed.connect(self._changed)
        document.reveal_requested.connect(self.reveal)
        document.wording_changed.connect(self._describe)
        theme().changed.connect(self.viewport().update)
        self._describe()
        self._show_empty()

    def attach(self, drag: DragController) -> None:
        """The controller that carries things over this canvas."""
        self.drag = drag

    # -- following the document

    def _changed(self, _old: Project, new: Project) -> None:
        plan = self.document.plan
        if (new.id, plan.id) != self._shown:
            self._shown = (new.id, plan.id)
            self.clicks.cancel()
            self.fit()
        elif not self.own_zoom and not self.content_in_view():
            self.fit()
        self._describe()
        self._show_empty()

    def _describe(self) -> None:
        self.setAccessibleName(self.document.gettext("Hardware"))
        self.setAccessibleDescription(plan_summary(self.document.plan, self.document.wording))

    def _show_empty(self) -> None:
        self.empty.setVisible(not self.document.plan.sites)
        self.empty.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.empty.place()

    def title_of(self, object_id: str) -> str:
        """Short name of an object of the plan."""
        found = find(self.document.plan, object_id)
        if found is None:
            return object_id
        if isinstance(found.node, Gpu):
            return self.document.wording.value("gpu", found.node.gpu)
        return str(getattr(found.node, "name", object_id))

    def home_of(self, object_id: str) -> str:
        """Id of the site an object stands in (a site is its own)."""
        found = find(self.document.plan, object_id)
        return found.site.id if found is not None and found.site is not None else ""

    # -- mouse

    def hit(self, at: QPointF) -> Hit:
        """What lies under a point of the viewport."""
        return self.plan_scene.hit(self.mapToScene(at.toPoint()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.editor.finish()
        button = event.button()
        if self._gesture is not None:
            return
        if button == Qt.MouseButton.MiddleButton or (button == Qt.MouseButton.LeftButton and self._space):
            self._gesture = Pan(self, event)
        elif button == Qt.MouseButton.RightButton:
            self.clicks.cancel()
            self._gesture = Pan(self, event, menu=True)
        elif button == Qt.MouseButton.LeftButton and not self.clicks.click(event.position()):
            hit = self.hit(event.position())
            if hit.kind == "port":
                self._gesture = Connect(self, event, hit.key)
            elif hit.kind == "":
                self._gesture = Band(self, event)
            else:
                self._gesture = Carry(self, event, hit)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._gesture is not None:
            self._gesture.move(event)
        elif self.clicks.active:
            self.clicks.hover(event.position())
        else:
            hit = self.hit(event.position())
            self.plan_scene.hover(hit.server or hit.key)
            self.viewport().setCursor(self._cursor(hit))

    def _cursor(self, hit: Hit) -> Qt.CursorShape:
        if self._space:
            return Qt.CursorShape.OpenHandCursor
        if hit.kind == "port":
            return Qt.CursorShape.CrossCursor
        return Qt.CursorShape.PointingHandCursor if hit.kind not in {"", "site"} else Qt.CursorShape.ArrowCursor

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self.clicks.active:
            self.mousePressEvent(event)
            return
        hit = self.hit(event.position())
        if hit.kind == "":
            self.palette_requested.emit()
        elif hit.kind == "slot":
            self.document.select((hit.slot,))
            self.add_requested.emit()
        elif hit.kind != "port":
            self.properties_requested.emit(hit.key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # The right button is handled on release; this one comes from the keyboard.
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            key = self.document.selection[0] if self.document.selection else self.plan_scene.look.current
            rect = self.plan_scene.rect_of(key)
            at = self.mapFromScene(rect.center()) if rect is not None else self.viewport().rect().center()
            self.menu_requested.emit(self._hit_of(key), self.viewport().mapToGlobal(at))
        event.accept()

    def open_menu(self, at: QPoint, global_at: QPoint) -> None:
        """The menu of what lies under a point; it is selected first."""
        hit = self.hit(QPointF(at))
        if hit.kind == "port":
            hit = self._hit_of(hit.key)
        if hit.key and hit.key not in self.document.selection:
            self.document.select((hit.key,))
            self.stand_on(hit.key)
        self.menu_requested.emit(hit, global_at)

    def _hit_of(self, key: str) -> Hit:
        """The hit that means one object."""
        found = find(self.document.plan, key) if key else None
        if found is None:
            return Hit()
        site = found.site.id if found.site is not None else ""
        server = found.server.id if found.server is not None else ""
        slot = found.slot.id if found.slot is not None else ""
        scene = self.plan_scene
        kind: HitKind = (
            "gpu"
            if isinstance(found.node, Gpu)
            else "slot"
            if isinstance(found.node, PlanSlot)
            else "site"
            if isinstance(found.node, Site)
            else "server"
            if key in scene.servers
            else "switch"
            if key in scene.switches
            else "nic"
            if key in scene.nics
            else "link"
        )
        return Hit(kind, key, slot, server, site)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.plan_scene.hover("")
        if self.clicks.armed is not None:
            self.drag.ghost.hide()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tip(event)
            return True
        return super().viewportEvent(event)

    def _tip(self, event: QHelpEvent) -> None:
        key = self.hit(QPointF(event.pos())).key
        lines = [describe(self.document.plan, key, self.document.catalogue, self.document.wording)] if key else []
        lines += [f"• {self.document.wording.text(each)}" for each in self.plan_scene.finding_texts(key)[:3]]
        text = "\n".join(line for line in lines if line)
        if text:
            QToolTip.showText(event.globalPos(), text, self.viewport())
        else:
            QToolTip.hideText()

    # -- keyboard

    def stand_on(self, key: str) -> None:
        """The keyboard goes on from here."""
        self.plan_scene.look.current = key
        self.plan_scene.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            self._escape()
        elif key == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in DIRECTIONS:
            self._arrow(DIRECTIONS[key], event.modifiers())
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.modifiers():
            self.add_requested.emit()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.viewport().unsetCursor()
        super().keyReleaseEvent(event)

    def _escape(self) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        elif self.clicks.active:
            self.clicks.cancel()
            self.disarmed.emit()
        elif not self.put_away():
            self.document.select(())

    def _arrow(self, direction: navigate.Direction, modifiers: Qt.KeyboardModifier) -> None:
        plan, geometry = self.document.plan, self.plan_scene.plan_geometry
        current = self.plan_scene.look.current
        if not current or find(plan, current) is None:
            current = self.document.selection[0] if self.document.selection else ""
            target = current or navigate.first(plan)
        elif modifiers & Qt.KeyboardModifier.ControlModifier and direction in {"up", "down"}:
            target = navigate.outwards(plan, current) if direction == "up" else navigate.inwards(plan, current)
        else:
            target = navigate.step(plan, geometry, current, direction)
        if not target:
            return
        self.stand_on(target)
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.document.select((*self.document.selection, target), reveal=True)
        else:
            self.document.select((target,), reveal=True)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.plan_scene.look.focused = event.reason() in {
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        }
        if not self.plan_scene.look.current:
            self.stand_on(navigate.first(self.document.plan))
        self.plan_scene.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._space = False
        self.plan_scene.look.focused = False
        self.plan_scene.update()

    def select_range(self, hit: Hit) -> None:
        """Shift-click: everything of the same kind between the last object and this one."""
        order = [
            found.node.id
            for found in walk(self.document.plan)
            if isinstance(found.node, Gpu) == (hit.kind == "gpu")
            and isinstance(found.node, PlanSlot) == (hit.kind == "slot")
            and (hit.kind in {"gpu", "slot"} or found.node.id in self.plan_scene.servers or found.node.id == hit.key)
        ]
        last = self.plan_scene.look.current
        if last not in order or hit.key not in order:
            self.document.select((*self.document.selection, hit.key))
            return
        low, high = sorted((order.index(last), order.index(hit.key)))
        self.document.select((*self.document.selection, *order[low : high + 1]))

    # -- painting over and under

    def show_band(self, area: QRectF | None) -> None:
        """The rubber band, in scene coordinates."""
        self._band = area
        self.viewport().update()

    def drawBackground(self, painter: QPainter, rect: QRectF | object) -> None:
        del rect
        area = QRectF(self.viewport().rect())
        painter.save()
        painter.resetTransform()
        painter.fillRect(area, colour("canvas"))
        step = self.zoom * (16.0 if self.zoom >= 0.6 else 32.0)
        paint.dots(painter, area, QPointF(self.mapFromScene(QPointF(0, 0))), step)
        painter.restore()

    def drawForeground(self, painter: QPainter, rect: QRectF | object) -> None:
        del rect
        for link in self.plan_scene.links.values():
            link.paint_label(painter, self.zoom)
        self._hint(painter)
        self.clicks.paint(painter)
        if self._band is not None:
            painter.setPen(QPen(colour("accent"), 1.0 / self.zoom))
            painter.setBrush(colour("accent", 28))
            painter.drawRect(self._band)

    def _hint(self, painter: QPainter) -> None:
        """One quiet line at the lower edge: what the hand can do."""
        if not self.document.plan.sites or not self.hint_shown or self.hint_covered():
            return
        area = QRectF(self.viewport().rect()).adjusted(20, 0, -20, -10)
        area.setTop(area.bottom() - 20)
        gettext = self.document.gettext
        words = " · ".join(
            (
                gettext("Drag a card onto a slot"),
                gettext("double-click adds to the selection"),
                gettext("Del removes"),
                gettext("Ctrl+Z undoes"),
            )
        )
        painter.save()
        painter.resetTransform()
        paint.text(painter, area, paint.fitting(words, area.width(), 12), 12, colour("muted"))
        painter.restore()

    def arm(self, payload: Payload) -> None:
        """The next click on a fitting place puts this there."""
        self.clicks.arm(payload)
