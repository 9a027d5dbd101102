"""Putting things somewhere: one set of answers and edits behind drag, click, double-click, Enter and menus.

``answer`` says before anything happens whether it may go there, and why not; ``put`` does it as one undo step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from configurator.desktop.document import Document
from configurator.plan import edits
from configurator.plan.edits import EditError
from configurator.plan.index import find, gpus, new_id
from configurator.plan.model import Nic, Plan, Server, Site, SiteKind
from configurator.plan.place import can_place, slot_refusal
from configurator.terms import Message, message

Kind = Literal["gpu", "server", "site", "switch", "nic", "link", "gpus", "servers"]


@dataclass(frozen=True, slots=True)
class Payload:
    """What is in the hand: a new thing of the catalogue (``record``) or things of the plan (``ids``)."""

    kind: Kind
    record: str = ""
    ids: tuple[str, ...] = ()
    count: int = 1
    title: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the hand is: the innermost object and the boxes around it, and the point on the canvas."""

    slot: str = ""
    server: str = ""
    switch: str = ""
    site: str = ""
    x: float = 0.0
    y: float = 0.0

    @property
    def innermost(self) -> str:
        return self.slot or self.server or self.switch or self.site


@dataclass(frozen=True, slots=True)
class Answer:
    """May it go there? ``text`` stands at the hand; ``target_id`` and ``slot_ids`` are lit."""

    ok: bool
    text: str
    target_id: str = ""
    slot_ids: tuple[str, ...] = ()


class Placer:
    """Answers and edits for one document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    # -- before

    def lights(self, payload: Payload, copy: bool = False) -> dict[str, str]:
        """Id -> "ok" or "no" for everything that could be a target, as soon as the drag starts."""
        plan, catalogue = self.document.plan, self.document.catalogue
        if payload.kind in {"server", "switch", "servers"}:
            return {site.id: "ok" for site in plan.sites}
        if payload.kind == "nic":
            return {server.id: "ok" for site in plan.sites for server in site.servers}
        if payload.kind not in {"gpu", "gpus"}:
            return {}
        lights: dict[str, str] = {}
        gpu, moving = self._gpu(payload, copy)
        record = catalogue.gpus.get(gpu)
        for site in plan.sites:
            for server in site.servers:
                roomy = record is not None and can_place(plan, catalogue, gpu, server.id, payload.count, moving).ok
                lights[server.id] = "ok" if roomy else "no"
                for slot in server.slots:
                    if slot.gpu is None:
                        fits = roomy and record is not None and slot_refusal(server, slot, catalogue, record) is None
                        lights[slot.id] = "ok" if fits else "no"
        return lights

    def _gpu(self, payload: Payload, copy: bool) -> tuple[str, tuple[str, ...]]:
        """Catalogue id of the card in the hand, and the ids of cards that would leave their slots."""
        if payload.kind == "gpu":
            return payload.record, ()
        card = next((card for _, _, _, card in gpus(self.document.plan) if card.id in payload.ids), None)
        return (card.gpu if card is not None else ""), (() if copy else payload.ids)

    def answer(self, payload: Payload, spot: Spot, copy: bool = False) -> Answer:
        """Whether it may go there, with the words for the hand."""
        gettext = self.document.gettext
        if payload.kind in {"gpu", "gpus"}:
            return self._gpu_answer(payload, spot, copy)
        if payload.kind == "site":
            return Answer(True, gettext("New place: {name}").replace("{name}", payload.title))
        if payload.kind in {"server", "servers"}:
            return self._server_answer(payload, spot, copy)
        if payload.kind == "switch":
            if spot.site:
                return Answer(True, self._into(spot.site), spot.site)
            return Answer(False, gettext("A network switch stands at a site: drop it on one."))
        if payload.kind == "nic":
            if spot.server:
                return Answer(True, self._into(spot.server), spot.server)
            return Answer(False, gettext("A network card goes into a server: drop it on one."))
        end = spot.server or spot.switch or spot.site
        if end:
            return Answer(True, gettext("From {name} to …").replace("{name}", self._name(end)), end)
        return Answer(False, gettext("A connection starts at a server, a switch or a site."))

    def _gpu_answer(self, payload: Payload, spot: Spot, copy: bool) -> Answer:
        plan, catalogue, gettext = self.document.plan, self.document.catalogue, self.document.gettext
        target = spot.slot or spot.server or spot.site
        if not target:
            if not any(site.servers for site in plan.sites):
                return Answer(False, gettext("A card needs a server. Put a server on the canvas first."))
            return Answer(False, gettext("Drop the card on a server."))
        gpu, moving = self._gpu(payload, copy)
        if payload.kind == "gpus" and not copy and self._at_home(payload, spot):
            return Answer(False, "", spot.server)
        if payload.kind == "gpus" and self._mixed(payload.ids):
            return self._mixed_answer(payload, spot, copy)
        placing = can_place(plan, catalogue, gpu, target, payload.count, moving)
        if not placing.ok and spot.slot and spot.server:
            # A taken slot is no obstacle while its server has another.
            wider = can_place(plan, catalogue, gpu, spot.server, payload.count, moving)
            placing = wider if wider.ok else placing
            if not wider.ok and wider.reason is not None and wider.reason.code != "place.slot_taken":
                placing = wider
        if not placing.ok:
            return Answer(False, self._reason(placing.reason), spot.server or target)
        found = find(plan, placing.slot_ids[0])
        server = found.server if found is not None else None
        where = server.id if server is not None else target
        return Answer(True, self._slots_text(server, placing.slot_ids), where, placing.slot_ids)

    def _at_home(self, payload: Payload, spot: Spot) -> bool:
        """The hand has come back to a card's own slot."""
        found = find(self.document.plan, spot.slot) if spot.slot else None
        return bool(found and found.slot and found.slot.gpu and found.slot.gpu.id in payload.ids)

    def _mixed(self, ids: tuple[str, ...]) -> bool:
        return len({card.gpu for _, _, _, card in gpus(self.document.plan) if card.id in ids}) > 1

    def _mixed_answer(self, payload: Payload, spot: Spot, copy: bool) -> Answer:
        target = spot.server or spot.site
        try:
            self._place_cards(self.document.plan, payload, target, copy)
        except EditError as refusal:
            return Answer(False, self._reason(refusal.message), target)
        return Answer(True, self._into(target), target)

    def _slots_text(self, server: Server | None, slot_ids: tuple[str, ...]) -> str:
        gettext = self.document.gettext
        names = [slot.name for slot in server.slots if slot.id in slot_ids] if server is not None else []
        if len(names) == 1 and server is not None:
            return gettext("{server}, slot {slot}").replace("{server}", server.name).replace("{slot}", names[0])
        text = gettext("{server}, {slots}").replace("{server}", server.name if server is not None else "")
        from configurator.desktop.facts import slots_text

        return text.replace("{slots}", slots_text(self.document.wording, len(slot_ids)))

    def _server_answer(self, payload: Payload, spot: Spot, copy: bool) -> Answer:
        gettext = self.document.gettext
        if spot.site:
            if payload.kind == "servers" and not copy and all(self._home(key) == spot.site for key in payload.ids):
                return Answer(False, "", spot.site)
            return Answer(True, self._into(spot.site), spot.site)
        if payload.kind == "server":
            return Answer(True, gettext("New office with this server"))
        return Answer(False, gettext("A server stands at a site: drop it on one."))

    def _home(self, server_id: str) -> str:
        found = find(self.document.plan, server_id)
        return found.site.id if found is not None and found.site is not None else ""

    def _name(self, object_id: str) -> str:
        found = find(self.document.plan, object_id)
        return str(getattr(found.node, "name", object_id)) if found is not None else object_id

    def _into(self, object_id: str) -> str:
        return self.document.gettext("Into {name}").replace("{name}", self._name(object_id))

    def _reason(self, reason: Message | None) -> str:
        return self.document.wording.text(reason or message("place.not_a_place", target_id=""))

    # -- doing it

    def put(self, payload: Payload, spot: Spot, copy: bool = False) -> tuple[str, ...]:
        """Do it as one undo step; the ids to select then, empty when it was refused (told by ``failed``)."""
        document, gettext = self.document, self.document.gettext
        if payload.kind == "site":
            return self._made(gettext("Add site"), lambda plan: self._new_site(plan, payload, spot))
        if payload.kind == "server":
            return self._made(gettext("Add server"), lambda plan: self._new_server(plan, payload, spot))
        if payload.kind == "switch":
            return self._made(gettext("Add network switch"), lambda plan: _one(self._new_switch(plan, payload, spot)))
        if payload.kind == "nic":
            return self._made(gettext("Add network card"), lambda plan: _one(self._new_nic(plan, payload, spot.server)))
        if payload.kind == "servers":
            name = gettext("Copy server") if copy else gettext("Move server")
            return self._made(name, lambda plan: self._carry(plan, payload.ids, spot.site, copy))
        if payload.kind in {"gpu", "gpus"}:
            answer = self._gpu_answer(payload, spot, copy)
            target = spot.slot or spot.server or spot.site
            if answer.slot_ids and payload.count == 1:
                target = answer.slot_ids[0]
            elif answer.slot_ids and spot.slot not in answer.slot_ids:
                # Several cards on a taken slot go into the free ones, as the answer under the hand said.
                target = answer.target_id
            if payload.kind == "gpus":
                name = gettext("Copy cards") if copy else gettext("Move cards")
                return self._made(name, lambda plan: self._place_cards(plan, payload, target, copy))
            name = self._add_name(payload)
            return self._made(
                name, lambda plan: edits.add_gpus(plan, document.catalogue, payload.record, target, payload.count)
            )
        return ()

    def _made(self, name: str, make: Callable[[Plan], tuple[Plan, tuple[str, ...]]]) -> tuple[str, ...]:
        ids = self.document.make(name, make) or ()
        if ids:
            self.document.select(ids)
        return ids

    def _add_name(self, payload: Payload) -> str:
        gettext = self.document.gettext
        title = payload.title or self.document.wording.value("gpu", payload.record)
        if payload.count == 1:
            return gettext("Add {card}").replace("{card}", title)
        return gettext("Add {n} × {card}").replace("{n}", str(payload.count)).replace("{card}", title)

    def _new_site(self, plan: Plan, payload: Payload, spot: Spot) -> tuple[Plan, tuple[str, ...]]:
        kind = _site_kind(payload.record)
        names = {site.name for site in plan.sites}
        name = payload.title if payload.title not in names else new_id(names, payload.title).replace("-", " ")
        plan, site_id = edits.add_site(plan, kind, name)
        if (spot.x, spot.y) != (0.0, 0.0) and len(plan.sites) > 1:
            from configurator.desktop.canvas.geometry import lay_out, snapped

            # Where the others stand now is kept, so that nothing jumps.
            stand = {key: (rect.x, rect.y) for key, rect in lay_out(plan).sites.items() if key != site_id}
            plan = edits.place_boxes(plan, {**stand, site_id: (snapped(spot.x), snapped(spot.y))})
        return plan, (site_id,)

    def _new_server(self, plan: Plan, payload: Payload, spot: Spot) -> tuple[Plan, tuple[str, ...]]:
        site_id = spot.site
        if not site_id:
            plan, made = self._new_site(plan, Payload("site", "office", title=self.document.gettext("Office")), spot)
            site_id = made[0]
        ids: list[str] = []
        for _ in range(payload.count):
            plan, server_id = edits.add_server(plan, self.document.catalogue, site_id, payload.record)
            ids.append(server_id)
        return plan, tuple(ids)

    def _new_switch(self, plan: Plan, payload: Payload, spot: Spot) -> tuple[Plan, str]:
        names = {switch.name for site in plan.sites for switch in site.switches}
        return edits.add_switch(plan, spot.site, payload.record or None, new_id(names, self.document.gettext("switch")))

    def _new_nic(self, plan: Plan, payload: Payload, server_id: str) -> tuple[Plan, str]:
        part = self.document.catalogue.parts.get(payload.record)
        speed = max((speed for _, speed in part.ports), default=None) if part is not None else None
        ports = sum(count for count, _ in part.ports) if part is not None else 1
        nic = Nic(
            id="nic",
            name=self.document.wording.gigabits(speed) if speed else self.document.gettext("Network card"),
            part=payload.record or None,
            bandwidth_gbit_s=speed,
            ports=max(1, ports),
        )
        return edits.add_nic(plan, server_id, nic)

    def _carry(self, plan: Plan, ids: tuple[str, ...], site_id: str, copy: bool) -> tuple[Plan, tuple[str, ...]]:
        if copy:
            plan, ids = edits.duplicate(plan, ids)
        for server_id in ids:
            plan = edits.move_server(plan, server_id, site_id)
        return plan, ids

    def _place_cards(self, plan: Plan, payload: Payload, target: str, copy: bool) -> tuple[Plan, tuple[str, ...]]:
        """Move or copy cards, one kind after another."""
        kinds: dict[str, list[str]] = {}
        for _, _, _, card in gpus(plan):
            if card.id in payload.ids:
                kinds.setdefault(card.gpu, []).append(card.id)
        made: list[str] = []
        for gpu, ids in kinds.items():
            if copy:
                plan, added = edits.add_gpus(plan, self.document.catalogue, gpu, target, len(ids))
                made += added
            else:
                plan = edits.move_gpus(plan, self.document.catalogue, tuple(ids), target)
                made += ids
        return plan, tuple(made)

    # -- where a double-click, Enter or a menu adds to

    def spot_for(self, payload: Payload) -> Spot:
        """The place that is meant when nothing is pointed at: the selection, else the first that can take it."""
        plan = self.document.plan
        chosen = next((found for key in self.document.selection if (found := find(plan, key)) is not None), None)
        site = chosen.site.id if chosen is not None and chosen.site is not None else ""
        server = chosen.server.id if chosen is not None and chosen.server is not None else ""
        slot = chosen.slot if chosen is not None else None
        if payload.kind in {"server", "switch"}:
            return Spot(site=site or (plan.sites[-1].id if plan.sites else ""))
        if payload.kind == "nic":
            return Spot(server=server or self._first_server(site), site=site)
        if payload.kind != "gpu":
            return Spot()
        if slot is not None and slot.gpu is None:
            return Spot(slot=slot.id, server=server, site=site)
        if server:
            return Spot(server=server, site=site)
        places = [each for each in plan.sites if not site or each.id == site]
        for each in places:
            for machine in each.servers:
                if can_place(plan, self.document.catalogue, payload.record, machine.id, payload.count).ok:
                    return Spot(server=machine.id, site=each.id)
        return Spot(server=self._first_server(site), site=site)

    def _first_server(self, site_id: str) -> str:
        for site in self.document.plan.sites:
            if site.servers and (not site_id or site.id == site_id):
                return site.servers[0].id
        return ""

    def add(self, payload: Payload) -> tuple[str, ...]:
        """Add to the selection, or where it fits; a refusal is told by ``failed``."""
        spot = self.spot_for(payload)
        answer = self.answer(payload, spot)
        if not answer.ok:
            self.document.told.emit(answer.text)
            return ()
        ids = self.put(payload, spot)
        if ids:
            self.document.select(ids, reveal=True)
        return ids

    def refusal(self, payload: Payload) -> str:
        """Why the thing would not go into the selection, "" when it would or nothing is selected."""
        if not self.document.selection:
            return ""
        spot = self.spot_for(payload)
        if payload.kind == "gpu" and not spot.server:
            return ""
        answer = self.answer(payload, spot)
        return "" if answer.ok else answer.text

    def fill(self, gpu: str, server_id: str) -> tuple[str, ...]:
        """As many cards as the server takes."""
        title = self.document.wording.value("gpu", gpu)
        name = self.document.gettext("Fill with {card}").replace("{card}", title)
        return self._made(name, lambda plan: edits.fill_server(plan, self.document.catalogue, gpu, server_id))


def with_count(payload: Payload, count: int) -> Payload:
    """The same thing several times."""
    return replace(payload, count=count)


def _one(made: tuple[Plan, str]) -> tuple[Plan, tuple[str, ...]]:
    return made[0], (made[1],)


def _site_kind(text: str) -> SiteKind:
    kinds: tuple[SiteKind, ...] = ("home", "office", "server_room", "colocation")
    return next((kind for kind in kinds if kind == text), "office")


def owner_site(plan: Plan, object_id: str) -> Site | None:
    """The site an object stands in."""
    found = find(plan, object_id)
    return found.site if found is not None else None
