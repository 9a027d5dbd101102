"""The scene: keeps one item per object of the plan, updates those that changed, and says what lies under a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from configurator.desktop.canvas.geometry import Geometry, Rect, lay_out
from configurator.desktop.canvas.items import BoxItem, NicItem, ServerItem, SiteItem, SlotItem, SwitchItem, qrect
from configurator.desktop.canvas.link_item import LinkItem
from configurator.desktop.canvas.look import Look
from configurator.desktop.document import Document
from configurator.desktop.facts import DOT, link_label
from configurator.desktop.theme import theme
from configurator.diagram.failure import dead_links
from configurator.plan.index import find
from configurator.plan.model import Plan, Project
from configurator.terms import Message

if TYPE_CHECKING:
    from configurator.advice.results import Finding
    from configurator.assess import Assessment

HitKind = Literal["", "site", "server", "slot", "gpu", "nic", "switch", "link", "port"]
GRAVITY = ("will_not_work", "one_more_step", "good_to_know")
LABELS_UP_TO = 12
"""More links than this show their label only when pointed at or selected."""
PORT_CATCH = 14.0

Item = TypeVar("Item", bound=QGraphicsItem)
Child = TypeVar("Child", bound=BoxItem)
Child_co = TypeVar("Child_co", bound=BoxItem, covariant=True)


class Make(Protocol[Child_co]):
    """Makes an item inside another."""

    def __call__(self, key: str, look: Look, parent: QGraphicsItem) -> Child_co: ...


@dataclass(frozen=True, slots=True)
class Hit:
    """What lies under a point: the object and the boxes around it ("" where none)."""

    kind: HitKind = ""
    key: str = ""
    slot: str = ""
    server: str = ""
    site: str = ""


class PlanScene(QGraphicsScene):
    """Shows the document's plan."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.look = Look(document.catalogue, document.wording)
        self.plan_geometry: Geometry = lay_out(Plan(id="none", name="none"))
        self.sites: dict[str, SiteItem] = {}
        self.servers: dict[str, ServerItem] = {}
        self.slots: dict[str, SlotItem] = {}
        self.nics: dict[str, NicItem] = {}
        self.switches: dict[str, SwitchItem] = {}
        self.links: dict[str, LinkItem] = {}
        self._slot_of_gpu: dict[str, str] = {}
        self._shown: Plan | None = None
        self._answer: Assessment | None = None
        document.changed.connect(self._changed)
        document.assessed.connect(self.show_assessment)
        document.selection_changed.connect(self._selected)
        document.wording_changed.connect(self._reworded)
        theme().changed.connect(self.update)
        self.sync(document.plan)
        self.show_assessment(document.assessment)

    # -- plan to items

    def _changed(self, _old: Project, new: Project) -> None:
        del new
        self.sync(self.document.plan)

    def _reworded(self) -> None:
        self.look.wording = self.document.wording
        self.look.catalogue = self.document.catalogue
        self.look.card_words.clear()
        self.sync(self.document.plan, force=True)
        self.show_assessment(self.document.assessment)

    def sync(self, plan: Plan, held: frozenset[str] = frozenset(), *, force: bool = False) -> None:
        """Bring the items in line with a plan; ``held`` sites follow the hand."""
        if plan is self._shown and not force:
            return
        fresh = self._shown is None or self._shown.id != plan.id
        self._shown = plan
        look = self.look
        look.wording = self.document.wording
        look.failed = frozenset(plan.failed_ids)
        geometry = self.plan_geometry = lay_out(plan, held)
        if fresh:
            # Another plan: nothing moves over from the one before.
            self._drop_all()
        self._sync_sites(plan, geometry)
        seen = set()
        shown = len(plan.links) <= LABELS_UP_TO
        cut = dead_links(plan)
        for link in plan.links:
            route = geometry.routes.get(link.id)
            if route is None:
                continue
            seen.add(link.id)
            item = self.links.get(link.id)
            if item is None:
                item = self.links[link.id] = LinkItem(link.id, look)
                self.addItem(item)
            item.broken = link.id in cut
            words = link_label(link, plan, look.catalogue, look.wording)
            if item.broken:
                words = f"{look.wording.gettext('failed')}{DOT}{words}"
            item.show_link(link, route, words, shown)
        self._prune(self.links, seen)
        self.setSceneRect(qrect(geometry.bounds).adjusted(-1200, -900, 1200, 900))
        self.update()

    def _sync_sites(self, plan: Plan, geometry: Geometry) -> None:
        look = self.look
        slots: set[str] = set()
        nics: set[str] = set()
        self._slot_of_gpu = {}
        for site in plan.sites:
            site_item = self.sites.get(site.id)
            if site_item is None:
                site_item = self.sites[site.id] = SiteItem(site.id, look)
                self.addItem(site_item)
            site_item.resize(geometry.sites[site.id])
            site_item.show_site(site)
            places = dict(geometry.site_boxes[site.id].servers)
            for server in site.servers:
                item = self._child(self.servers, ServerItem, server.id, site_item)
                box = geometry.server_boxes[server.id]
                item.resize(places[server.id])
                item.show_server(server, box)
                spots = dict(box.slots)
                for slot in server.slots:
                    slot_item = self._child(self.slots, SlotItem, slot.id, item)
                    slot_item.resize(spots[slot.id])
                    slot_item.show_slot(slot, box.small)
                    slots.add(slot.id)
                    if slot.gpu is not None:
                        self._slot_of_gpu[slot.gpu.id] = slot.id
                plates = dict(box.nics)
                for nic in server.nics:
                    nic_item = self._child(self.nics, NicItem, nic.id, item)
                    nic_item.resize(plates[nic.id])
                    nic_item.show_nic(nic)
                    nics.add(nic.id)
            spots = dict(geometry.site_boxes[site.id].switches)
            for switch in site.switches:
                switch_item = self._child(self.switches, SwitchItem, switch.id, site_item)
                switch_item.resize(spots[switch.id])
                switch_item.show_switch(switch)
        self._prune(self.slots, slots)
        self._prune(self.nics, nics)
        self._prune(self.switches, set(geometry.switches))
        self._prune(self.servers, set(geometry.servers))
        self._prune(self.sites, set(geometry.sites))

    def _child(self, table: dict[str, Child], make: Make[Child], key: str, parent: BoxItem) -> Child:
        item = table.get(key)
        if item is None:
            item = table[key] = make(key, self.look, parent)
        elif item.parentItem() is not parent:
            item.setParentItem(parent)
        return item

    def _prune(self, table: dict[str, Item], seen: set[str]) -> None:
        for key in [key for key in table if key not in seen]:
            item = table.pop(key)
            if item.scene() is self:
                self.removeItem(item)

    def _drop_all(self) -> None:
        self._prune(self.links, set())
        self._prune(self.slots, set())
        self._prune(self.nics, set())
        self._prune(self.switches, set())
        self._prune(self.servers, set())
        self._prune(self.sites, set())

    # -- answer and selection

    def show_assessment(self, assessment: Assessment | None) -> None:
        """Memory bars, power and badges of an answer; quiet while there is none."""
        look = self.look
        look.memory, look.badges, look.power = {}, {}, {}
        if assessment is not None:
            for workload in assessment.workloads:
                for memory in workload.per_gpu:
                    look.memory.setdefault(memory.gpu_id, memory)
            for finding in assessment.findings:
                if finding.kind not in GRAVITY or finding.set_aside_remark is not None:
                    continue
                for subject in finding.subjects:
                    if subject in self._slot_of_gpu and self._marked_outside(subject, finding):
                        continue  # a mark on every card would say nothing
                    before = look.badges.get(subject)
                    if before is None or GRAVITY.index(finding.kind) < GRAVITY.index(before):
                        look.badges[subject] = finding.kind
            self._gather_badges()
            self._power_words(assessment)
        self.update()

    def _gather_badges(self) -> None:
        """What is said of every card of a server is said once, of the server."""
        badges = self.look.badges
        for site in self.document.plan.sites:
            for server in site.servers:
                cards = [slot.gpu.id for slot in server.slots if slot.gpu is not None]
                kinds = {badges.get(card) for card in cards}
                kind = next(iter(kinds)) if len(kinds) == 1 else None
                if kind is None:
                    continue
                for card in cards:
                    del badges[card]
                badges[server.id] = min(kind, badges.get(server.id, kind), key=GRAVITY.index)

    def _marked_outside(self, gpu_id: str, finding: Finding) -> bool:
        """Whether the box around a card carries the mark instead."""
        found = find(self.document.plan, gpu_id)
        around = {box.id for box in (found.server, found.site) if box is not None} if found is not None else set()
        return finding.kind == "good_to_know" or bool(around & set(finding.subjects))

    def _power_words(self, assessment: Assessment) -> None:
        draws = {draw.subject_id: draw for draw in assessment.power}
        wording = self.look.wording
        for site in self.document.plan.sites:
            draw = draws.get(site.id)
            if draw is None or not any(slot.gpu for server in site.servers for slot in server.slots):
                continue
            words = wording.power(two_figures(draw.busy_w.expected))
            over = False
            if site.power_limit_w is not None:
                over = draw.peak_w > site.power_limit_w
                words = wording.gettext("{draw} of {limit}").replace("{draw}", words)
                words = words.replace("{limit}", wording.power(site.power_limit_w))
            if over and site.id in self._guessed_places():
                # Watts that are a guess refuse nothing: they are to be looked up.
                words, over = wording.gettext("{watts} · check").replace("{watts}", words), False
            self.look.power[site.id] = (words, over)

    def _guessed_places(self) -> frozenset[str]:
        # The engines load with the first answer.
        from configurator.operations import power_checks

        checks = power_checks(self.document.plan, self.document.catalogue)
        return frozenset(each.subject_id for each in checks if each.kind == "site" and each.assumed)

    def _selected(self) -> None:
        self.look.selected = frozenset(self.document.selection)
        self.update()

    # -- what lies where

    def rect_of(self, object_id: str) -> QRectF | None:
        """Rectangle of any object in scene coordinates."""
        box = self.plan_geometry.box(object_id)
        if box is not None:
            return qrect(box)
        slot = self.slots.get(self._slot_of_gpu.get(object_id, object_id))
        if slot is not None:
            return slot.mapRectToScene(slot.size)
        nic = self.nics.get(object_id)
        if nic is not None:
            return nic.mapRectToScene(nic.size)
        link = self.links.get(object_id)
        return link.label_rect if link is not None else None

    def hit(self, point: QPointF) -> Hit:
        """The innermost object under a point of the scene."""
        port = self._port_at(point)
        if port is not None:
            return port
        inside = self._box_at(point)
        if inside.kind in {"", "site"}:
            for link in reversed(list(self.links.values())):
                if link.shape().contains(point):
                    return Hit("link", link.key, site=inside.site)
        return inside

    def _port_at(self, point: QPointF) -> Hit | None:
        for key in {self.look.hovered, *self.look.ports}:
            item = self.box_item(key)
            if item is None or not item.has_port():
                continue
            offset = item.mapToScene(item.port_centre()) - point
            if offset.x() ** 2 + offset.y() ** 2 <= PORT_CATCH**2:
                return Hit("port", key)
        return None

    def _box_at(self, point: QPointF) -> Hit:
        x, y = point.x(), point.y()
        geometry = self.plan_geometry
        for site in reversed(self.document.plan.sites):
            corner = geometry.sites.get(site.id)
            if corner is None or not _inside(corner, x, y):
                continue
            for switch_id, rect in geometry.site_boxes[site.id].switches:
                if _inside(rect.moved(corner.x, corner.y), x, y):
                    return Hit("switch", switch_id, site=site.id)
            for server_id, rect in geometry.site_boxes[site.id].servers:
                box = rect.moved(corner.x, corner.y)
                if _inside(box, x, y):
                    return self._in_server(server_id, site.id, x - box.x, y - box.y)
            return Hit("site", site.id, site=site.id)
        return Hit()

    def _in_server(self, server_id: str, site_id: str, x: float, y: float) -> Hit:
        box = self.plan_geometry.server_boxes[server_id]
        for slot_id, rect in box.slots:
            if _inside(rect, x, y):
                gpu = self.slots[slot_id].gpu_id
                return Hit("gpu" if gpu else "slot", gpu or slot_id, slot_id, server_id, site_id)
        for nic_id, rect in box.nics:
            if _inside(rect, x, y):
                return Hit("nic", nic_id, server=server_id, site=site_id)
        return Hit("server", server_id, server=server_id, site=site_id)

    def box_item(self, key: str) -> BoxItem | None:
        """Item of a site, server, switch, NIC or slot."""
        return (
            self.servers.get(key)
            or self.switches.get(key)
            or self.sites.get(key)
            or self.nics.get(key)
            or self.slots.get(self._slot_of_gpu.get(key, key))
        )

    def slot_of(self, gpu_id: str) -> str:
        """Id of the slot a GPU stands in, "" when it is not there."""
        return self._slot_of_gpu.get(gpu_id, "")

    def within(self, area: QRectF) -> tuple[str, ...]:
        """What a rubber band catches: whole servers inside it, else the cards it touches, else switches and links."""
        whole = [key for key, rect in self.plan_geometry.servers.items() if area.contains(qrect(rect))]
        sites = [key for key, rect in self.plan_geometry.sites.items() if area.contains(qrect(rect))]
        if sites:
            return tuple(sites)
        if whole:
            return tuple(whole)
        spots = {gpu: self.slots[slot] for gpu, slot in self._slot_of_gpu.items()}
        cards = [gpu for gpu, item in spots.items() if area.intersects(item.mapRectToScene(item.size))]
        if cards:
            return tuple(cards)
        loose = [key for key, rect in self.plan_geometry.switches.items() if area.intersects(qrect(rect))]
        return (*loose, *(link.key for link in self.links.values() if area.intersects(link.label_rect)))

    def nearest_server(self, point: QPointF, reach: float) -> str:
        """The server whose edge lies within ``reach`` of a point, "" when none does."""
        return _nearest(self.plan_geometry.servers, point, reach)

    def nearest_site(self, point: QPointF, reach: float) -> str:
        """The site whose edge lies within ``reach`` of a point, "" when none does."""
        return _nearest(self.plan_geometry.sites, point, reach)

    def finding_texts(self, object_id: str) -> tuple[Message, ...]:
        """What the answer says about one object, the gravest first."""
        assessment = self.document.assessment
        if assessment is None:
            return ()
        about = [each for each in assessment.findings if object_id in each.subjects and each.kind in GRAVITY]
        return tuple(each.text for each in sorted(about, key=lambda each: GRAVITY.index(each.kind)))

    def light(self, lights: dict[str, str]) -> None:
        """Show where what is in the hand may go."""
        if lights != self.look.lit:
            self.look.lit = lights
            self.update()

    def hover(self, key: str) -> None:
        """The box under the mouse."""
        if key != self.look.hovered:
            self.look.hovered = key
            self.update()

    def exists(self, object_id: str) -> bool:
        return find(self.document.plan, object_id) is not None


def two_figures(value: float) -> float:
    """A forecast as it is said."""
    return float(f"{value:.2g}")


def _inside(rect: Rect, x: float, y: float) -> bool:
    return rect.x <= x <= rect.right and rect.y <= y <= rect.bottom


def _nearest(rects: dict[str, Rect], point: QPointF, reach: float) -> str:
    best, nearest = reach, ""
    for key, rect in rects.items():
        dx = max(rect.x - point.x(), 0.0, point.x() - rect.right)
        dy = max(rect.y - point.y(), 0.0, point.y() - rect.bottom)
        distance = float((dx * dx + dy * dy) ** 0.5)
        if distance <= best:
            best, nearest = distance, key
    return nearest
