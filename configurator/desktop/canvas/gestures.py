"""One object per gesture on the canvas: pan, rubber band, carrying objects, drawing a link. Each can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent

from configurator.desktop.canvas.geometry import snapped
from configurator.desktop.canvas.scene import Hit
from configurator.desktop.placing import Payload
from configurator.plan import edits
from configurator.plan.index import find, gpus
from configurator.plan.model import Gpu, Plan, Server, Site

if TYPE_CHECKING:
    from configurator.desktop.canvas.view import CanvasView

SLACK = 6
"""Pixels the hand may tremble before a press becomes a drag."""


def copies(event: QMouseEvent) -> bool:
    """Whether Ctrl asks for a copy."""
    return bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


class Gesture:
    """From press to release."""

    def __init__(self, view: CanvasView, event: QMouseEvent) -> None:
        self.view = view
        self.start = event.position()

    def moved(self, event: QMouseEvent) -> bool:
        """Whether the hand has left the place of the press."""
        return (event.position() - self.start).manhattanLength() > SLACK

    def move(self, event: QMouseEvent) -> None: ...

    def release(self, event: QMouseEvent) -> None: ...

    def cancel(self) -> None: ...


class Pan(Gesture):
    """The canvas follows the hand."""

    def __init__(self, view: CanvasView, event: QMouseEvent, menu: bool = False) -> None:
        super().__init__(view, event)
        self._last = event.position()
        self._menu = menu
        """A right press that does not move opens the menu."""
        self._moved = False
        if not menu:
            view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, event: QMouseEvent) -> None:
        if not self._moved and not self.moved(event):
            return
        self._moved = True
        self.view.own_zoom = True
        self.view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self.view.pan(event.position() - self._last)
        self._last = event.position()

    def release(self, event: QMouseEvent) -> None:
        self.cancel()
        if self._menu and not self._moved:
            self.view.open_menu(event.position().toPoint(), event.globalPosition().toPoint())

    def cancel(self) -> None:
        self.view.viewport().unsetCursor()


class Band(Gesture):
    """A rubber band over empty canvas; a mere click clears the selection."""

    def __init__(self, view: CanvasView, event: QMouseEvent) -> None:
        super().__init__(view, event)
        self._keep = view.document.selection if event.modifiers() & _ADDING else ()
        self._from = view.mapToScene(event.position().toPoint())
        self._open = False

    def move(self, event: QMouseEvent) -> None:
        if not self._open and not self.moved(event):
            return
        self._open = True
        area = QRectF(self._from, self.view.mapToScene(event.position().toPoint())).normalized()
        self.view.show_band(area)
        self.view.document.select((*self._keep, *self.view.plan_scene.within(area)))

    def release(self, event: QMouseEvent) -> None:
        del event
        self.view.show_band(None)
        if not self._open and not self._keep:
            self.view.document.select(())

    def cancel(self) -> None:
        self.view.show_band(None)
        self.view.document.select(self._keep)


_ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class Carry(Gesture):
    """Press on an object: a click selects it, a drag carries the selection."""

    def __init__(self, view: CanvasView, event: QMouseEvent, hit: Hit) -> None:
        super().__init__(view, event)
        self._hit = hit
        self._carrying = False
        self._sites: Sites | None = None
        self._adding = bool(event.modifiers() & _ADDING)
        self._was_selected = hit.key in view.document.selection
        if self._adding and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            view.select_range(hit)
        elif not self._adding and not self._was_selected:
            view.document.select((hit.key,))
        view.stand_on(hit.key)

    def move(self, event: QMouseEvent) -> None:
        if self._sites is not None:
            self._sites.move(event)
        elif self._carrying:
            self.view.drag.move(event.globalPosition().toPoint(), copies(event))
        elif self.moved(event):
            self._begin(event)

    def _begin(self, event: QMouseEvent) -> None:
        view = self.view
        if self._hit.key not in view.document.selection:
            view.document.select((*view.document.selection, self._hit.key) if self._adding else (self._hit.key,))
        if self._hit.kind == "site":
            self._sites = Sites(view, self.start, copies(event))
            self._sites.move(event)
            return
        payload = payload_of(view.document.plan, view.document.selection, view.title_of)
        if payload is None:
            return
        self._carrying = True
        view.drag.start(payload, event.globalPosition().toPoint(), copies(event))

    def release(self, event: QMouseEvent) -> None:
        view = self.view
        if self._sites is not None:
            self._sites.release(event)
        elif self._carrying:
            view.drag.release(event.globalPosition().toPoint(), copies(event))
        elif self._adding and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            chosen = view.document.selection
            left = tuple(key for key in chosen if key != self._hit.key)
            view.document.select(left if self._was_selected else (*chosen, self._hit.key))
        elif not self._adding and self._was_selected:
            view.document.select((self._hit.key,))

    def cancel(self) -> None:
        if self._sites is not None:
            self._sites.cancel()
        elif self._carrying:
            self.view.drag.cancel()


class Sites:
    """Sites follow the hand; where they are let go is saved as one step."""

    def __init__(self, view: CanvasView, start: QPointF, copy: bool) -> None:
        self._view = view
        self._copy = copy
        scene = view.plan_scene
        self._start = view.mapToScene(start.toPoint())
        rects = scene.plan_geometry.sites
        self._stand = {key: (rect.x, rect.y) for key, rect in rects.items()}
        self._held = frozenset(key for key in view.document.selection if key in rects)
        self._now: dict[str, tuple[float, float]] = {}

    def move(self, event: QMouseEvent) -> None:
        view = self._view
        way = view.mapToScene(event.position().toPoint()) - self._start
        self._copy = copies(event)
        free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        grid = (lambda value: value) if free else snapped
        self._now = {
            key: (grid(x + way.x()), grid(y + way.y())) for key, (x, y) in self._stand.items() if key in self._held
        }
        plan = edits.place_boxes(view.document.plan, {**self._stand, **self._now})
        view.plan_scene.sync(plan, self._held)
        view.drag_scroll(event.position())

    def release(self, event: QMouseEvent) -> None:
        del event
        view, document = self._view, self._view.document
        now, stand, copy = self._now, self._stand, self._copy
        view.plan_scene.sync(document.plan)
        if not now:
            return
        if copy:
            self._duplicate(now, stand)
            return
        name = document.wording.ngettext("Move site", "Move sites", len(now))
        document.edit(name, lambda plan: edits.place_boxes(plan, {**stand, **now}))

    def _duplicate(self, now: dict[str, tuple[float, float]], stand: dict[str, tuple[float, float]]) -> None:
        document = self._view.document

        def make(plan: Plan) -> tuple[Plan, tuple[str, ...]]:
            plan, made = edits.duplicate(plan, now)
            copied = [key for key in made if (found := find(plan, key)) is not None and isinstance(found.node, Site)]
            return edits.place_boxes(plan, {**stand, **dict(zip(copied, now.values(), strict=False))}), tuple(copied)

        made = document.make(document.gettext("Copy site"), make)
        if made:
            document.select(made)

    def cancel(self) -> None:
        self._view.plan_scene.sync(self._view.document.plan)


class Connect(Gesture):
    """From the port of a box to another box."""

    def __init__(self, view: CanvasView, event: QMouseEvent, from_id: str, kind: str = "unknown") -> None:
        super().__init__(view, event)
        self._from = from_id
        self._kind = kind

    def move(self, event: QMouseEvent) -> None:
        self.view.clicks.show_line(self._from, event.position(), self._kind)

    def release(self, event: QMouseEvent) -> None:
        target = self.view.clicks.link_target(event.position())
        self.cancel()
        if not self.moved(event) and target == self._from:
            # A click on the port: the second click chooses the other end.
            self.view.clicks.start_link(self._from, self._kind)
        elif target and target != self._from:
            self.view.clicks.connect(self._from, target, self._kind)

    def cancel(self) -> None:
        self.view.clicks.show_line("", QPointF(), "")


def payload_of(plan: Plan, selection: tuple[str, ...], title: Callable[[str], str]) -> Payload | None:
    """The selection as something to carry: servers when any is chosen, else cards."""
    found = [each for key in selection if (each := find(plan, key)) is not None]
    servers = tuple(each.node.id for each in found if isinstance(each.node, Server))
    if servers:
        return Payload("servers", ids=servers, count=len(servers), title=title(servers[0]))
    cards = [each.node for each in found if isinstance(each.node, Gpu)]
    if not cards:
        return None
    order = {card.id: number for number, (_, _, _, card) in enumerate(gpus(plan))}
    cards.sort(key=lambda card: order[card.id])
    return Payload("gpus", cards[0].gpu, tuple(card.id for card in cards), len(cards), title(cards[0].id))
