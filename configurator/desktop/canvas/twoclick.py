"""The ways that need no drag: choose a card in the list and click where it goes; click a port, then the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from configurator.desktop.placing import Answer, Payload
from configurator.desktop.theme import colour
from configurator.plan import edits
from configurator.plan.edits import can_connect

if TYPE_CHECKING:
    from configurator.desktop.canvas.view import CanvasView


class TwoClick:
    """What waits for the second click, if anything."""

    def __init__(self, view: CanvasView) -> None:
        self._view = view
        self.armed: Payload | None = None
        self.linking: tuple[str, str] | None = None
        """(id of the first end, kind)"""
        self._line: tuple[str, QPointF] | None = None

    @property
    def active(self) -> bool:
        return self.armed is not None or self.linking is not None

    # -- placing

    def arm(self, payload: Payload) -> None:
        """The next click on a fitting place puts this there."""
        self.cancel()
        view = self._view
        self.armed = payload
        view.hand.drag_begin(payload, copy=False)
        ghost = view.drag.ghost
        ghost.take(payload, view.document.catalogue, view.document.wording)
        if not view.viewport().underMouse():
            ghost.hide()

    def cancel(self) -> None:
        """Nothing waits any more."""
        if self.armed is not None:
            self.armed = None
            self._view.hand.drag_end()
            self._view.drag.ghost.drop()
        self.linking = None
        self.show_line("", QPointF(), "")

    def hover(self, at: QPointF) -> None:
        """The mouse moves while something waits."""
        view = self._view
        if self.linking is not None:
            self.show_line(self.linking[0], at, self.linking[1])
        elif self.armed is not None:
            ghost = view.drag.ghost
            ghost.show()
            ghost.tell(view.hand.drag_over(self.armed, at, copy=False))
            ghost.follow(view.viewport().mapTo(view.window(), at.toPoint()))

    def click(self, at: QPointF) -> bool:
        """The second click; False when it is an ordinary click after all."""
        if self.linking is not None:
            start, kind = self.linking
            self.cancel()
            target = self.link_target(at)
            if target and target != start:
                self.connect(start, target, kind)
            return True
        payload = self.armed
        if payload is None:
            return False
        view = self._view
        if not view.placer.answer(payload, view.hand.spot(payload, at)).ok:
            self.cancel()
            view.disarmed.emit()
            return False
        view.hand.drag_drop(payload, at, copy=False)
        if payload.kind == "gpu":
            # The next slot is likely to get the same card.
            view.hand.drag_begin(payload, copy=False)
            self.hover(at)
        else:
            self.cancel()
            view.disarmed.emit()
        return True

    # -- linking

    def start_link(self, start: str, kind: str = "unknown") -> None:
        """The next click chooses the other end."""
        self.cancel()
        self.linking = (start, kind)
        self._view.plan_scene.look.ports = frozenset((start,))
        self._view.setFocus()

    def link_target(self, at: QPointF) -> str:
        """Which box a link would end at."""
        hit = self._view.hit(at)
        if hit.kind in {"gpu", "slot", "nic"}:
            return hit.server
        return hit.key if hit.kind in {"port", "server", "switch", "site"} else ""

    def show_line(self, start: str, at: QPointF, kind: str) -> None:
        """Draw the link that is being made, and say what would happen; "" ends that."""
        del kind
        view = self._view
        scene, ghost = view.plan_scene, view.drag.ghost
        if not start:
            if self._line is not None:
                self._line = None
                scene.look.ports = frozenset()
                scene.light({})
                ghost.drop()
                view.viewport().update()
            return
        if self._line is None:
            title = view.document.gettext("Connection")
            ghost.take(Payload("link", title=title), view.document.catalogue, view.document.wording)
        self._line = (start, at)
        scene.look.ports = frozenset((start,))
        target = self.link_target(at)
        answer = self._answer(start, target)
        scene.light({target: "target"} if answer is not None and answer.ok else {})
        ghost.tell(answer)
        ghost.follow(view.viewport().mapTo(view.window(), at.toPoint()))
        view.viewport().update()

    def _answer(self, start: str, target: str) -> Answer | None:
        document = self._view.document
        if not target or target == start:
            return None
        refusal = can_connect(document.plan, start, target)
        if refusal is not None:
            return Answer(False, document.wording.text(refusal), target)
        words = document.gettext("{a} to {b}")
        return Answer(
            True, words.replace("{a}", self._view.title_of(start)).replace("{b}", self._view.title_of(target)), target
        )

    def connect(self, start: str, target: str, kind: str = "unknown") -> str:
        """Join two boxes; between two places the internet is meant until something else is said."""
        view, document = self._view, self._view.document
        if kind == "unknown" and view.home_of(start) != view.home_of(target):
            kind = "internet"
        made = document.make(document.gettext("Add connection"), lambda plan: edits.connect(plan, start, target, kind))
        if made:
            document.select((made,))
            view.link_made.emit(made)
        return made or ""

    def paint(self, painter: QPainter) -> None:
        """The line in the hand, in scene coordinates."""
        if self._line is None:
            return
        view = self._view
        item = view.plan_scene.box_item(self._line[0])
        if item is None:
            return
        start = item.mapToScene(item.port_centre())
        end = view.mapToScene(self._line[1].toPoint())
        pen = QPen(colour("network"), 2.0)
        pen.setDashPattern([3.0, 2.4])
        painter.setPen(pen)
        painter.drawLine(start, end)
        painter.setBrush(colour("network"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QRectF(end.x() - 4, end.y() - 4, 8, 8))
