"""The canvas as a place to drop things: lights targets, answers before release, drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from configurator.desktop.canvas.scene import Hit
from configurator.desktop.placing import Answer, Payload, Placer, Spot

if TYPE_CHECKING:
    from configurator.desktop.canvas.view import CanvasView

CATCH = 28.0
"""Pixels beyond an edge that still count as the box."""


class Hand:
    """Target of the drag controller, for one view."""

    def __init__(self, view: CanvasView, placer: Placer) -> None:
        self._view = view
        self._placer = placer
        self._base: dict[str, str] = {}

    def surface(self) -> QWidget:
        return self._view.viewport()

    def drag_begin(self, payload: Payload, copy: bool) -> None:
        scene = self._view.plan_scene
        self._base = self._placer.lights(payload, copy)
        scene.look.moving = frozenset() if copy else frozenset(payload.ids)
        scene.light(self._base)
        scene.update()

    def drag_over(self, payload: Payload, at: QPointF, copy: bool) -> Answer:
        spot = self.spot(payload, at)
        answer = self._placer.answer(payload, spot, copy)
        lights = dict(self._base)
        lights.update(dict.fromkeys(answer.slot_ids, "preview"))
        if answer.ok and answer.target_id and payload.kind not in {"gpu", "gpus"}:
            lights[answer.target_id] = "target"
        self._view.plan_scene.light(lights)
        return answer

    def drag_out(self) -> None:
        self._view.plan_scene.light(self._base)

    def drag_drop(self, payload: Payload, at: QPointF, copy: bool) -> bool:
        spot = self.spot(payload, at)
        if payload.kind == "link":
            return self._start_link(payload, spot)
        answer = self._placer.answer(payload, spot, copy)
        if not answer.ok:
            if answer.text:
                self._view.document.told.emit(answer.text)
            return False
        made = self._placer.put(payload, spot, copy)
        if made:
            self._view.setFocus()
            self._view.stand_on(made[0])
        return bool(made)

    def _start_link(self, payload: Payload, spot: Spot) -> bool:
        end = spot.server or spot.switch or spot.site
        if not end:
            self._view.document.told.emit(self._placer.answer(payload, spot).text)
            return False
        self._view.clicks.start_link(end, payload.record)
        return True

    def drag_end(self) -> None:
        scene = self._view.plan_scene
        scene.look.moving = frozenset()
        self._base = {}
        scene.light({})
        scene.update()

    def drag_scroll(self, at: QPointF) -> bool:
        return self._view.drag_scroll(at)

    def spot(self, payload: Payload, at: QPointF) -> Spot:
        """What is meant at a point of the viewport: what lies there, or what lies a little beside it."""
        view = self._view
        point = view.mapToScene(at.toPoint())
        hit = view.plan_scene.hit(point)
        x, y = point.x(), point.y()
        if hit.kind == "port":
            hit = Hit("server", hit.key, server=hit.key) if hit.key in view.plan_scene.servers else Hit()
        near = payload.kind in {"gpu", "gpus", "nic"} and not hit.server
        server = hit.server or (view.plan_scene.nearest_server(point, CATCH / view.zoom) if near else "")
        site = hit.site
        if not site and payload.kind != "site":
            site = view.plan_scene.nearest_site(point, CATCH / view.zoom)
        if near and server and not hit.server:
            return Spot(server=server, site=site, x=x, y=y)
        return Spot(hit.slot, server, hit.key if hit.kind == "switch" else "", site, x, y)
