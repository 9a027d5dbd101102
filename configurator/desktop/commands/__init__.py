"""What the actions do, by family. ``ACTIONS`` is the whole list, ``MENUS`` its order in the menu bar."""

from __future__ import annotations

from configurator.desktop.actions import N_, Action
from configurator.desktop.commands import edit, file, plan, view

ACTIONS: tuple[Action, ...] = (*file.ACTIONS, *edit.ACTIONS, *plan.ACTIONS, *view.ACTIONS)

MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N_("&File"),
        (
            "file.new", "file.open", "@recent", "file.model", "file.examples", "-",
            "file.save", "file.save_as", "-",
            "file.export", "-",
            "file.quit",
        ),
    ),
    (
        N_("&Edit"),
        (
            "edit.undo", "edit.redo", "-",
            "edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.delete", "-",
            "edit.select_all", "edit.select_kind", "-",
            "edit.rename", "edit.properties", "-",
            "edit.fail", "edit.work", "edit.fail_line", "edit.work_line",
        ),
    ),
    (
        N_("&Plan"),
        (
            "plan.add_home", "plan.add_office", "plan.add_server_room", "plan.add_colocation", "-",
            "plan.add_current", "plan.fill", "plan.connect", "-",
            "plan.copy", "plan.empty", "plan.rename", "plan.delete", "plan.next", "plan.previous",
        ),
    ),
    (
        N_("&View"),
        (
            "view.zoom_in", "view.zoom_out", "view.actual", "view.fit", "-",
            "view.hardware", "view.interconnect", "view.scaling", "view.cost", "-",
            "view.outline", "view.search", "view.canvas", "-",
            "view.catalogue", "view.answer", "view.present", "-",
            "@theme", "@language", "@wording", "view.wheel", "view.motion",
        ),
    ),
    (N_("&Help"), ("help.palette", "help.shortcuts", "help.terms", "help.about")),
)  # fmt: skip
"""Title and entries; "@name" is a submenu the window fills, "-" a line."""

SITE_MENU = (
    "edit.properties", "edit.rename", "-", "plan.add_current", "plan.connect", "-",
    "edit.copy", "edit.paste", "edit.duplicate", "-",
    "edit.fail", "edit.work", "edit.fail_line", "edit.work_line", "-", "edit.delete",
)  # fmt: skip
SERVER_MENU = (
    "edit.properties", "edit.rename", "-", "plan.add_current", "plan.fill", "plan.connect", "-",
    "edit.copy", "edit.paste", "edit.duplicate", "edit.select_kind", "-",
    "edit.owned", "edit.to_buy", "-", "edit.fail", "edit.work", "-", "edit.delete",
)  # fmt: skip
SLOT_MENU = ("plan.add_current", "plan.fill", "edit.paste", "-", "edit.properties")
GPU_MENU = (
    "edit.properties", "-", "plan.fill", "edit.copy", "edit.paste", "edit.select_kind", "-",
    "edit.owned", "edit.to_buy", "-", "edit.fail", "edit.work", "-", "edit.delete",
)  # fmt: skip
LINK_MENU = ("@kind", "edit.properties", "-", "edit.fail", "edit.work", "@lines", "-", "edit.delete")
SWITCH_MENU = ("edit.properties", "edit.rename", "plan.connect", "-", "edit.fail", "edit.work", "-", "edit.delete")
CANVAS_MENU = (
    "plan.add_home", "plan.add_office", "plan.add_server_room", "plan.add_colocation", "-",
    "edit.paste", "edit.select_all", "-", "view.fit", "view.actual",
)  # fmt: skip
CONTEXT_MENUS: dict[str, tuple[str, ...]] = {
    "site": SITE_MENU,
    "server": SERVER_MENU,
    "slot": SLOT_MENU,
    "gpu": GPU_MENU,
    "link": LINK_MENU,
    "switch": SWITCH_MENU,
    "nic": ("edit.properties", "-", "edit.fail", "edit.work", "-", "edit.delete"),
    "": CANVAS_MENU,
}
"""Entries by what was clicked; the same actions as in the menu bar."""
