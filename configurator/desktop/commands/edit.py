"""Undo, clipboard, delete, select, rename, properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from configurator.desktop.actions import N_, Action
from configurator.desktop.clipboard import MIME, from_bytes, paste_into, plain_text, to_bytes
from configurator.desktop.facts import link_label
from configurator.plan import edits
from configurator.plan.edits import rebuilt
from configurator.plan.index import LINE, find, has_line, line_id, walk
from configurator.plan.model import Gpu, Link, Nic, Plan, Server, Site, Slot, Workload

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk

DELETABLE = (Site, Server, Gpu, Link, Nic)


def deletable(desk: Desk) -> tuple[str, ...]:
    """What of the selection can be deleted."""
    plan = desk.document.plan
    kept = []
    for key in desk.document.selection:
        found = find(plan, key)
        if found is not None and not isinstance(found.node, Slot | Workload):
            kept.append(key)
    return tuple(kept)


def delete(desk: Desk) -> None:
    """Take the selection away; the toast offers to bring it back."""
    document = desk.document
    ids = deletable(desk)
    if not ids:
        return
    name = delete_name(desk, ids)
    emptied = {key: desk.canvas.plan_scene.slot_of(key) for key in ids}
    gone = deleted_text(desk, ids)
    if document.edit(name, lambda plan: edits.remove(plan, ids)):
        document.select(tuple(slot for slot in emptied.values() if slot) if len(ids) == 1 else ())
        desk.toasts.say(gone, undo=True)


def delete_name(desk: Desk, ids: tuple[str, ...]) -> str:
    """Name of the step: what goes."""
    return desk.document.gettext("Delete {things}").replace("{things}", _things(desk, ids))


def deleted_text(desk: Desk, ids: tuple[str, ...]) -> str:
    """What the message says after it is gone."""
    return desk.document.gettext("Deleted: {things}").replace("{things}", _things(desk, ids))


def _things(desk: Desk, ids: tuple[str, ...]) -> str:
    document = desk.document
    if len(ids) == 1 and ids[0].endswith(LINE):
        return document.wording.value("object_id", ids[0])
    found = [each for key in ids if (each := find(document.plan, key)) is not None]
    if len(found) == 1 and isinstance(found[0].node, Link):
        return link_label(found[0].node, document.plan, document.catalogue, document.wording).split(" · ")[0]
    if len(ids) == 1:
        return desk.canvas.title_of(ids[0])
    if all(isinstance(each.node, Gpu) for each in found):
        return document.wording.counted("cards", len(ids))
    return document.wording.ngettext("{n} object", "{n} objects", len(ids)).replace("{n}", str(len(ids)))


def failable(desk: Desk, failed: bool) -> tuple[str, ...]:
    """What of the selection can be taken as failed, or let work again."""
    plan = desk.document.plan
    now = set(plan.failed_ids)
    found = (find(plan, key) for key in desk.document.selection)
    ids = (each.node.id for each in found if each is not None and not isinstance(each.node, Slot | Workload))
    return tuple(key for key in ids if (key in now) != failed)


def failable_lines(desk: Desk, failed: bool) -> tuple[str, ...]:
    """Internet lines of the selected sites that can be taken as failed, or let work again."""
    plan = desk.document.plan
    now, chosen = set(plan.failed_ids), set(desk.document.selection)
    lines = (line_id(site.id) for site in plan.sites if site.id in chosen and has_line(plan, site))
    return tuple(key for key in lines if (key in now) != failed)


def lines_of(desk: Desk, link_id: str) -> tuple[str, ...]:
    """The internet lines that a connection between sites runs over; () for one inside a site."""
    plan = desk.document.plan
    link = next((each for each in plan.links if each.id == link_id), None)
    if link is None:
        return ()
    homes = {end.id: site.id for site in plan.sites for end in (site, *site.servers, *site.switches)}
    sites = tuple(dict.fromkeys(homes[end] for end in (link.a, link.b) if end in homes))
    return tuple(line_id(site_id) for site_id in sites) if len(sites) > 1 else ()


def fail(desk: Desk, failed: bool) -> None:
    """What if the selection failed: the whole answer follows, until it works again."""
    take_failed(desk, failable(desk, failed), failed)


def take_failed(desk: Desk, ids: tuple[str, ...], failed: bool) -> None:
    """Take objects or internet lines as failed, or as working again, as one undo step."""
    if ids:
        word = desk.document.gettext("Take as failed: {things}" if failed else "Working again: {things}")
        desk.document.edit(
            word.replace("{things}", _things(desk, ids)), lambda plan: edits.set_failed(plan, ids, failed)
        )


def copy(desk: Desk) -> None:
    """Selection to the clipboard: as plan data and as words."""
    data = QMimeData()
    data.setData(MIME, to_bytes(desk.document.plan, desk.document.selection))
    data.setText(plain_text(desk.document, desk.document.selection))
    QGuiApplication.clipboard().setMimeData(data)


def cut(desk: Desk) -> None:
    """Copy, then delete."""
    copy(desk)
    delete(desk)


def clipboard_data() -> QMimeData | None:
    """What the clipboard holds; some systems answer nothing at all."""
    return QGuiApplication.clipboard().mimeData()


def paste(desk: Desk) -> None:
    """What was copied, into the selected site or server."""
    data = clipboard_data()
    piece = from_bytes(bytes(data.data(MIME).data())) if data is not None and data.hasFormat(MIME) else None
    document = desk.document
    if piece is None:
        document.told.emit(document.gettext("There is nothing to paste. Copy servers, cards or sites first."))
        return
    made = document.make(
        document.gettext("Paste"), lambda plan: paste_into(plan, document.catalogue, piece, document.selection)
    )
    if made:
        document.select(made, reveal=True)


def _can_paste(desk: Desk) -> bool:
    data = clipboard_data()
    return desk.window.at_work and data is not None and data.hasFormat(MIME)


def duplicate(desk: Desk) -> None:
    """Copies of the selected servers and sites beside them; cards go to free slots of their server."""
    document = desk.document
    cards = [key for key in document.selection if _is(desk, key, Gpu)]
    if cards and len(cards) == len(document.selection):
        found = find(document.plan, cards[0])
        if found is not None and found.server is not None and isinstance(found.node, Gpu):
            gpu, server_id = found.node.gpu, found.server.id
            made = document.make(
                document.gettext("Duplicate cards"),
                lambda plan: edits.add_gpus(plan, document.catalogue, gpu, server_id, len(cards)),
            )
            document.select(made or document.selection)
        return
    made = document.make(document.gettext("Duplicate"), lambda plan: _beside(plan, document.selection))
    if made:
        document.select(made, reveal=True)


def _beside(plan: Plan, ids: tuple[str, ...]) -> tuple[Plan, tuple[str, ...]]:
    plan, made = edits.duplicate(plan, ids)
    # A copied site brings its servers along; the sites are what was asked for.
    sites = tuple(key for key in made if any(site.id == key for site in plan.sites))
    return plan, sites or made


def _is(desk: Desk, key: str, *kinds: type) -> bool:
    found = find(desk.document.plan, key)
    return found is not None and isinstance(found.node, kinds)


def select_all(desk: Desk) -> None:
    """All servers, or all sites when there is no server."""
    plan = desk.document.plan
    servers = tuple(server.id for site in plan.sites for server in site.servers)
    desk.document.select(servers or tuple(site.id for site in plan.sites))


def select_kind(desk: Desk) -> None:
    """Everything like the selected object: the same card, the same chassis, all sites, all links."""
    plan = desk.document.plan
    first = next((found for key in desk.document.selection if (found := find(plan, key)) is not None), None)
    if first is None:
        return
    like = first.node

    def alike(node: object) -> bool:
        if isinstance(like, Gpu):
            return isinstance(node, Gpu) and node.gpu == like.gpu
        if isinstance(like, Server):
            return isinstance(node, Server) and node.chassis == like.chassis
        if isinstance(like, Slot):
            return isinstance(node, Slot) and node.gpu is None
        return type(node) is type(like)

    desk.document.select(found.node.id for found in walk(plan) if alike(found.node))


def rename(desk: Desk) -> None:
    """Rename the selected object where its name stands."""
    key = next(iter(desk.document.selection), "")
    begun = desk.window.outline.rename(key) if desk.window.as_list else desk.canvas.editor.open(key)
    if key and not begun:
        properties(desk)


def properties(desk: Desk) -> None:
    """Open the sheet with everything that can be said about the selection."""
    desk.inspector.open()


def set_owned(desk: Desk, owned: bool) -> None:
    """Mark the selection as already there, so that it is not in the shopping list."""
    document = desk.document
    ids = tuple(key for key in document.selection if _is(desk, key, Gpu, Server, Link))
    name = document.gettext("Mark as owned") if owned else document.gettext("Mark as to buy")

    def mark(plan: Plan) -> Plan:
        for key in ids:
            plan = edits.update(plan, key, owned=owned)
            found = find(plan, key)
            if found is not None and isinstance(found.node, Server):
                for slot in found.node.slots:
                    if slot.gpu is not None:
                        plan = edits.update(plan, slot.gpu.id, owned=owned)
        return plan

    document.edit(name, mark)


def _any(desk: Desk) -> bool:
    return bool(desk.document.selection)


def _named(desk: Desk) -> bool:
    return len(desk.document.selection) == 1 and not _is(desk, desk.document.selection[0], Slot)


def _copyable(desk: Desk) -> bool:
    return any(_is(desk, key, Site, Server, Gpu) for key in desk.document.selection)


def _can_delete(desk: Desk) -> bool:
    return bool(deletable(desk))


def _undo_text(desk: Desk) -> str:
    name = desk.document.stack.undoText()
    text = desk.document.gettext("Undo")
    return f"{text}: {name}" if name else text


def _redo_text(desk: Desk) -> str:
    name = desk.document.stack.redoText()
    text = desk.document.gettext("Redo")
    return f"{text}: {name}" if name else text


ACTIONS = (
    Action(
        "edit.undo", N_("Undo"), lambda desk: desk.document.stack.undo(), icon="undo", shortcut=("Ctrl+Z",),
        enabled=lambda desk: desk.document.stack.canUndo(), say=_undo_text,
    ),
    Action(
        "edit.redo", N_("Redo"), lambda desk: desk.document.stack.redo(), icon="redo",
        shortcut=("Ctrl+Shift+Z", "Ctrl+Y"), enabled=lambda desk: desk.document.stack.canRedo(), say=_redo_text,
    ),
    Action(
        "edit.cut", N_("Cut"), cut, shortcut=("Ctrl+X",), enabled=_copyable, scope="canvas", changes_plan=True
    ),
    Action("edit.copy", N_("Copy"), copy, icon="copy", shortcut=("Ctrl+C",), enabled=_copyable, scope="canvas"),
    Action(
        "edit.paste", N_("Paste"), paste, icon="paste", shortcut=("Ctrl+V",), enabled=_can_paste, scope="canvas",
        changes_plan=True,
    ),
    Action(
        "edit.duplicate", N_("Duplicate"), duplicate, N_("Copy the selection beside itself"), "duplicate", ("Ctrl+D",),
        _copyable, changes_plan=True,
    ),
    Action(
        "edit.delete", N_("Delete"), delete, N_("Delete the selection"), "delete", ("Del", "Backspace"), _can_delete,
        scope="canvas", changes_plan=True,
    ),
    Action("edit.select_all", N_("Select all"), select_all, shortcut=("Ctrl+A",), scope="canvas"),
    Action(
        "edit.select_kind", N_("Select all of this kind"), select_kind, shortcut=("Ctrl+Shift+A",), enabled=_any,
        scope="canvas",
    ),
    Action("edit.rename", N_("Rename"), rename, icon="rename", shortcut=("F2",), enabled=_named, scope="canvas"),
    Action(
        "edit.properties", N_("Properties…"), properties, N_("Everything that can be said about the selection"),
        "settings", ("Alt+Return", "F4"), _any,
    ),
    Action(
        "edit.fail", N_("Take as failed (what if)"), lambda desk: fail(desk, True),
        N_("Shows what stops, what is left and for how long"), "unlink",
        enabled=lambda desk: bool(failable(desk, True)), changes_plan=True,
    ),
    Action(
        "edit.work", N_("Working again"), lambda desk: fail(desk, False), N_("Ends the what-if of a failure"), "check",
        enabled=lambda desk: bool(failable(desk, False)), changes_plan=True,
    ),
    Action(
        "edit.fail_line", N_("Take its internet line as failed (what if)"),
        lambda desk: take_failed(desk, failable_lines(desk, True), True),
        N_("Shows who is cut off, what is left and for how long"), "unlink",
        enabled=lambda desk: bool(failable_lines(desk, True)), changes_plan=True,
    ),
    Action(
        "edit.work_line", N_("Its internet line works again"),
        lambda desk: take_failed(desk, failable_lines(desk, False), False),
        N_("Ends the what-if of a failure"), "check",
        enabled=lambda desk: bool(failable_lines(desk, False)), changes_plan=True,
    ),
    Action(
        "edit.owned", N_("Mark as already owned"), lambda desk: set_owned(desk, True),
        N_("Not in the shopping list"), "check", enabled=_copyable, changes_plan=True,
    ),
    Action(
        "edit.to_buy", N_("Mark as to buy"), lambda desk: set_owned(desk, False), N_("In the shopping list"),
        "shopping", enabled=_copyable, changes_plan=True,
    ),
)  # fmt: skip

__all__ = ["ACTIONS", "deletable", "delete", "rebuilt"]
