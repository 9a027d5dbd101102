"""The plan as a tree of words: an equal way to see and edit what stands on the canvas, also for screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTreeWidget, QTreeWidgetItem

from configurator.desktop.canvas.scene import Hit, HitKind
from configurator.desktop.document import Document
from configurator.desktop.facts import (
    gpu_figures,
    link_label,
    part_name,
    pcie_text,
    server_facts,
    site_facts,
)
from configurator.plan import edits
from configurator.plan.index import find
from configurator.plan.model import Gpu, Link, NetworkSwitch, Nic, Plan, Server, Site, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable

KEY = Qt.ItemDataRole.UserRole
KINDS: tuple[tuple[type, HitKind], ...] = (
    (Site, "site"),
    (Server, "server"),
    (Gpu, "gpu"),
    (Slot, "slot"),
    (Nic, "nic"),
    (NetworkSwitch, "switch"),
    (Link, "link"),
)


class Outline(QTreeWidget):
    """Sites, servers, slots with their cards, network; the links at the end."""

    menu_requested = Signal(object, object)
    add_requested = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._items: dict[str, QTreeWidgetItem] = {}
        self._shown: Plan | None = None
        self._filling = False
        self.setColumnCount(2)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        document.changed.connect(self.refresh)
        document.selection_changed.connect(self._select)
        document.wording_changed.connect(self.retranslate)
        self.itemSelectionChanged.connect(self._chosen)
        self.itemChanged.connect(self._renamed)
        self.retranslate()

    def retranslate(self) -> None:
        gettext = self._document.gettext
        self.setAccessibleName(gettext("Hardware as a list"))
        self.setHeaderLabels([gettext("What"), gettext("Facts")])
        self._shown = None
        self.refresh()

    def refresh(self) -> None:
        """Bring the tree in line with the plan, keeping what is open and selected."""
        plan = self._document.plan
        if plan is self._shown or not self.isVisible():
            return
        self._shown = plan
        closed = {key for key, item in self._items.items() if not item.isExpanded() and item.childCount()}
        self._filling = True
        self.clear()
        self._items.clear()
        wording, catalogue = self._document.wording, self._document.catalogue
        for site in plan.sites:
            at_site = self._add(None, site.id, site.name, site_facts(site, wording), named=True)
            for server in site.servers:
                at_server = self._add(
                    at_site, server.id, server.name, server_facts(server, catalogue, wording), named=True
                )
                for slot in server.slots:
                    self._slot(at_server, slot)
                for nic in server.nics:
                    self._add(at_server, nic.id, nic.name, part_name(nic.part, catalogue, wording))
            for switch in site.switches:
                self._add(at_site, switch.id, switch.name, part_name(switch.part, catalogue, wording), named=True)
        for link in plan.links:
            ends = " – ".join(wording.value("id", end) for end in (link.a, link.b))
            self._add(None, link.id, ends, link_label(link, plan, catalogue, wording))
        for key, item in self._items.items():
            item.setExpanded(key not in closed)
        self._filling = False
        self.resizeColumnToContents(0)
        self._select()

    def _slot(self, parent: QTreeWidgetItem, slot: Slot) -> None:
        wording, catalogue = self._document.wording, self._document.catalogue
        place = wording.gettext("slot {name}").replace("{name}", slot.name)
        link = pcie_text(slot.pcie_generation, slot.lanes) if slot.form == "pcie" else slot.form.upper()
        if slot.gpu is None:
            self._add(parent, slot.id, f"{place}: {wording.gettext('free')}", link)
            return
        record = catalogue.gpus.get(slot.gpu.gpu)
        name = record.short_name if record is not None else slot.gpu.gpu
        facts = gpu_figures(record, catalogue, wording).line if record is not None else ""
        self._add(parent, slot.gpu.id, f"{place}: {name}", f"{facts} · {link}" if facts else link)

    def _add(
        self, parent: QTreeWidgetItem | None, key: str, name: str, facts: str, *, named: bool = False
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name, facts])
        item.setData(0, KEY, key)
        if named:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        if parent is None:
            self.addTopLevelItem(item)
        else:
            parent.addChild(item)
        self._items[key] = item
        return item

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self._select()

    # -- both ways

    def _select(self) -> None:
        if self._filling or not self.isVisible():
            return
        self._filling = True
        self.clearSelection()
        for key in self._document.selection:
            item = self._items.get(key)
            if item is not None:
                item.setSelected(True)
        first = self._items.get(next(iter(self._document.selection), ""))
        if first is not None:
            self.scrollToItem(first)
        self._filling = False

    def _chosen(self) -> None:
        if not self._filling:
            self._filling = True
            self._document.select(self._keys(self.selectedItems()))
            self._filling = False

    @staticmethod
    def _keys(items: Iterable[QTreeWidgetItem]) -> tuple[str, ...]:
        return tuple(str(item.data(0, KEY)) for item in items)

    def rename(self, key: str) -> bool:
        """Start to rename in place; False for what has no name of its own."""
        item = self._items.get(key)
        if item is None or not item.flags() & Qt.ItemFlag.ItemIsEditable:
            return False
        self.editItem(item, 0)
        return True

    def _renamed(self, item: QTreeWidgetItem, column: int) -> None:
        if self._filling or column:
            return
        key, name = str(item.data(0, KEY)), item.text(0).strip()
        found = find(self._document.plan, key)
        old = str(getattr(found.node, "name", "")) if found is not None else ""
        if not name or name == old:
            self._filling = True
            item.setText(0, old)
            self._filling = False
            return
        self._document.edit(self._document.gettext("Rename"), lambda plan: edits.rename(plan, key, name))

    # -- keys and menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.state() != self.State.EditingState:
            self.add_requested.emit()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        at = self.viewport().mapToGlobal(self.visualRect(index).center()) if by_key else event.globalPos()
        self.menu_requested.emit(self.hit_of(str(index.siblingAtColumn(0).data(KEY) or "")), at)

    def hit_of(self, key: str) -> Hit:
        """The hit that means one object."""
        found = find(self._document.plan, key) if key else None
        if found is None:
            return Hit()
        kind: HitKind = next((kind for each, kind in KINDS if isinstance(found.node, each)), "")
        site = found.site.id if found.site is not None else ""
        server = found.server.id if found.server is not None else ""
        slot = found.slot.id if found.slot is not None else ""
        return Hit(kind, key, slot, server, site)
