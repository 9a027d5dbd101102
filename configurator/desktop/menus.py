"""Menus out of the list of actions: menu bar, context menus, kinds of a connection, recent files."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QMenuBar

from configurator.desktop.actions import Actions
from configurator.desktop.canvas.scene import Hit
from configurator.desktop.commands import CONTEXT_MENUS, MENUS, edit, file
from configurator.desktop.commands import plan as plan_commands
from configurator.desktop.desk import Desk
from configurator.desktop.facts import NOT_FOR_NETWORK
from configurator.desktop.icons import icon
from configurator.desktop.languages import languages
from configurator.plan.index import find
from configurator.plan.model import Link

SUBMENUS = {
    "theme": ("view.theme_light", "view.theme_dark", "view.theme_system"),
    "language": ("view.language_en", "view.language_sk", "view.language_ru"),
    "wording": ("view.wording_owner", "view.wording_operator"),
}


def open_at(menu: QMenu, at: QPoint) -> None:
    """Open a menu made for this moment; it goes away when it closes."""
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


class Menus:
    """Builds and fills the menus of one window."""

    def __init__(self, desk: Desk, actions: Actions) -> None:
        self._desk = desk
        self._actions = actions
        self.show = open_at

    def fill_bar(self, bar: QMenuBar) -> None:
        """The menu bar, made again when the language changes."""
        bar.clear()
        gettext = self._desk.document.gettext
        for title, entries in MENUS:
            menu = bar.addMenu(gettext(title))
            # Texts and states are those of the moment it opens.
            menu.aboutToShow.connect(self._opening)
            self._fill(menu, entries, drawn=False)

    def _opening(self) -> None:
        self._actions.draw()
        self._actions.refresh()

    def _fill(self, menu: QMenu, entries: tuple[str, ...], *, drawn: bool = True) -> None:
        plain: list[str] = []
        for entry in entries:
            if entry == "@language" and len(languages()) < 2:
                continue
            if entry == "@lines":
                self._actions.fill(menu, plain, drawn)
                plain = []
                self._lines(menu)
            elif entry.startswith("@"):
                self._actions.fill(menu, plain, drawn)
                plain = []
                self._submenu(menu, entry[1:])
            else:
                plain.append(entry)
        self._actions.fill(menu, plain, drawn)

    def _lines(self, menu: QMenu) -> None:
        """Each of the internet lines under a connection between sites fails, or works again, by itself."""
        desk = self._desk
        failed_now = desk.document.plan.failed_ids
        for line in edit.lines_of(desk, self._selected_link()):
            failed = line not in failed_now
            words = "Take {line} as failed (what if)" if failed else "{line} works again"
            text = desk.document.gettext(words).replace("{line}", desk.document.wording.value("object_id", line))
            act = menu.addAction(text, lambda line=line, failed=failed: edit.take_failed(desk, (line,), failed))
            act.setIcon(icon("unlink" if failed else "check"))

    def _submenu(self, menu: QMenu, name: str) -> None:
        gettext = self._desk.document.gettext
        titles = {
            "theme": gettext("Theme"),
            "language": gettext("Language"),
            "wording": gettext("Wording"),
            "recent": gettext("Recent files"),
            "kind": gettext("Kind of connection"),
        }
        sub = menu.addMenu(titles[name])
        if name == "recent":
            sub.aboutToShow.connect(lambda: self._recent(sub))
        elif name == "kind":
            link_id = self._selected_link()
            if link_id:
                self.fill_kinds(sub, link_id)
        else:
            known = {f"view.language_{code}" for code, _name in languages()}
            self._actions.fill(
                sub, (each for each in SUBMENUS[name] if name != "language" or each in known), drawn=False
            )

    def _recent(self, menu: QMenu) -> None:
        menu.clear()
        desk = self._desk
        for name in desk.settings.values.recent_files:
            path = Path(name)
            menu.addAction(path.name, lambda path=path: file.open_file(desk, path) and None).setToolTip(name)
        if menu.isEmpty():
            menu.addAction(desk.document.gettext("None yet")).setEnabled(False)

    def _selected_link(self) -> str:
        desk = self._desk
        for key in desk.document.selection:
            found = find(desk.document.plan, key)
            if found is not None and isinstance(found.node, Link):
                return key
        return ""

    def fill_kinds(self, menu: QMenu, link_id: str) -> None:
        """What a connection may be, in families."""
        desk = self._desk
        gettext = desk.document.gettext
        found = find(desk.document.plan, link_id)
        now = found.node.kind if found is not None and isinstance(found.node, Link) else ""

        def add(target: QMenu, kind: str, words: str) -> None:
            made = target.addAction(words, lambda: plan_commands.set_kind(desk, link_id, kind))
            made.setCheckable(True)
            made.setChecked(kind == now)

        add(menu, "unknown", gettext("Not known yet"))
        add(menu, "internet", gettext("Internet"))
        menu.addSeparator()
        families = {
            "ethernet-tcp": gettext("Ethernet"),
            "ethernet-rdma": gettext("Ethernet with RDMA"),
            "infiniband": "InfiniBand",
            "thunderbolt": "Thunderbolt",
            "wifi": "Wi-Fi",
        }
        links = [record for record in desk.document.catalogue.links.values() if record.kind != NOT_FOR_NETWORK]
        for family, records in groupby(links, key=lambda record: record.kind):
            sub = menu.addMenu(families.get(family, family))
            for record in records:
                add(sub, record.id, record.name)

    def context(self, hit: Hit) -> QMenu:
        """The menu of what was clicked."""
        self._actions.refresh()
        menu = QMenu(self._desk.main)
        self._fill(menu, CONTEXT_MENUS.get(hit.kind, CONTEXT_MENUS[""]))
        return menu

    def popup_context(self, hit: object, at: object) -> None:
        """Open it at a point of the screen."""
        if isinstance(hit, Hit) and isinstance(at, QPoint):
            self.show(self.context(hit), at)

    def popup_kinds(self, link_id: str, at: QPoint) -> None:
        """Ask what a new connection is; nothing chosen leaves it as it is."""
        menu = QMenu(self._desk.main)
        self.fill_kinds(menu, link_id)
        self.show(menu, at)

    def popup_plan(self, plan_id: str, at: QPoint) -> None:
        """The menu of a variant's tab; it is shown first."""
        self._desk.document.show_plan(plan_id)
        self._actions.refresh()
        menu = QMenu(self._desk.main)
        self._actions.fill(menu, ("plan.rename", "plan.copy", "-", "plan.delete"))
        self.show(menu, at)

    def popup_add_plan(self, at: QPoint) -> None:
        """What another variant may start from."""
        menu = QMenu(self._desk.main)
        self._actions.fill(menu, ("plan.copy", "plan.empty"))
        self.show(menu, at)

    def popup_card(self, at: QPoint) -> None:
        """The menu of a card in the catalogue."""
        self._actions.refresh()
        menu = QMenu(self._desk.main)
        self._actions.fill(menu, ("plan.add_current", "plan.fill"))
        self.show(menu, at)
