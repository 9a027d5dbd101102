"""Adding hardware, connecting it, and the plan's variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from configurator.desktop import dialogs
from configurator.desktop.actions import N_, Action
from configurator.desktop.placing import Payload
from configurator.plan import edits, projects
from configurator.plan.index import find
from configurator.plan.model import Gpu, Link, Nic, Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from configurator.desktop.desk import Desk


def add_site(desk: Desk, kind: str) -> None:
    """A new place of a kind, beside what is there."""
    word = desk.document.wording.word(f"site.{kind}")
    desk.placer.add(Payload("site", kind, title=word[:1].upper() + word[1:]))


def _adding(kind: str) -> Callable[[Desk], None]:
    return lambda desk: add_site(desk, kind)


def add_current(desk: Desk) -> None:
    """What is chosen in the catalogue goes to the selection."""
    payload = desk.catalogue.payload()
    if payload is None:
        desk.document.told.emit(desk.document.gettext("Choose something in the list on the left first."))
        return
    desk.placer.add(payload)


def _add_text(desk: Desk) -> str:
    payload = desk.catalogue.payload()
    text = desk.document.gettext("Add {thing}")
    return text.replace("{thing}", payload.title if payload is not None else desk.document.gettext("from the list"))


def fill(desk: Desk) -> None:
    """Fill the selected server with its own kind of card, else with the catalogue's current one."""
    server_id, gpu = _filling(desk)
    if not server_id:
        return
    if not gpu:
        desk.document.told.emit(desk.document.gettext("Choose a card in the list on the left first."))
        return
    desk.placer.fill(gpu, server_id)


def _filling(desk: Desk) -> tuple[str, str]:
    plan = desk.document.plan
    found = next((each for key in desk.document.selection if (each := find(plan, key)) is not None), None)
    if found is None or found.server is None:
        return "", ""
    if isinstance(found.node, Gpu):
        return found.server.id, found.node.gpu
    payload = desk.catalogue.payload()
    if payload is not None and payload.kind == "gpu":
        return found.server.id, payload.record
    kinds = [slot.gpu.gpu for slot in found.server.slots if slot.gpu is not None]
    return found.server.id, kinds[0] if kinds else ""


def _fill_text(desk: Desk) -> str:
    _, gpu = _filling(desk)
    if not gpu:
        return desk.document.gettext("Fill all free slots")
    name = desk.document.wording.value("gpu", gpu)
    return desk.document.gettext("Fill all free slots with {card}").replace("{card}", name)


def _can_fill(desk: Desk) -> bool:
    plan = desk.document.plan
    found = next((each for key in desk.document.selection if (each := find(plan, key)) is not None), None)
    return found is not None and found.server is not None and any(slot.gpu is None for slot in found.server.slots)


def connect(desk: Desk) -> None:
    """Two selected boxes are joined at once; from one, the next click chooses the other end."""
    ends = _ends(desk)
    desk.window.show_tab("hardware")
    if len(ends) == 2:
        desk.canvas.clicks.connect(ends[0], ends[1])
    elif ends:
        desk.canvas.clicks.start_link(ends[0])
        text = desk.document.gettext("Click the other end: a server, a switch or a site. Esc stops.")
        desk.toasts.say(text)


def _ends(desk: Desk) -> list[str]:
    plan = desk.document.plan
    kept: list[str] = []
    for key in desk.document.selection:
        found = find(plan, key)
        if found is None or found.slot is not None or found.site is None:
            continue
        if not isinstance(found.node, Link | Nic):
            kept.append(key)
    return kept


def _can_connect(desk: Desk) -> bool:
    return len(_ends(desk)) in {1, 2}


def set_kind(desk: Desk, link_id: str, kind: str) -> None:
    """Say what a connection is."""
    document = desk.document
    document.edit(
        document.gettext("Change connection"),
        lambda plan: edits.update(plan, link_id, kind=kind, bandwidth_bytes_per_s=None, latency_s=None),
    )


def copy_plan(desk: Desk) -> None:
    """Another variant that starts as a copy of this one."""
    document = desk.document
    name = document.gettext("{plan}, copy").replace("{plan}", document.plan.name)
    _add(desk, document.gettext("Duplicate plan"), document.plan, name)


def empty_plan(desk: Desk) -> None:
    """Another variant with the same workloads and no hardware."""
    document = desk.document
    plan = Plan(id="new", name="new", workloads=document.plan.workloads)
    plan = edits.rebuilt(plan, workloads=tuple(edits.rebuilt(each, server_ids=()) for each in plan.workloads))
    number = len(document.project.plans) + 1
    _add(desk, document.gettext("Add plan"), plan, document.gettext("Plan {n}").replace("{n}", str(number)))


def _add(desk: Desk, step: str, plan: Plan, name: str) -> None:
    desk.document.edit_project(step, lambda project: projects.add_plan(project, plan, name)[0])


def rename_plan(desk: Desk, plan_id: str = "") -> None:
    """Ask for another name."""
    document = desk.document
    plan = projects.plan_by_id(document.project, plan_id or document.plan.id)
    gettext = document.gettext
    name = dialogs.text(desk.main, gettext, gettext("Rename plan"), gettext("Name"), plan.name)
    if name and name != plan.name:
        document.edit_project(gettext("Rename plan"), lambda project: projects.rename_plan(project, plan.id, name))


def delete_plan(desk: Desk, plan_id: str = "") -> None:
    """Take the variant away; the toast offers to bring it back."""
    document = desk.document
    plan = projects.plan_by_id(document.project, plan_id or document.plan.id)
    name = document.gettext("Delete plan {name}").replace("{name}", plan.name)
    if document.edit_project(name, lambda project: projects.remove_plan(project, plan.id)):
        desk.toasts.say(document.gettext("Deleted: {things}").replace("{things}", plan.name), undo=True)


def _several(desk: Desk) -> bool:
    return len(desk.document.project.plans) > 1


def turn(desk: Desk, way: int) -> None:
    """Show the next or previous variant."""
    plans = desk.document.project.plans
    here = next(number for number, plan in enumerate(plans) if plan.id == desk.document.plan.id)
    desk.document.show_plan(plans[(here + way) % len(plans)].id)


def _at_work(desk: Desk) -> bool:
    return desk.window.at_work


ACTIONS = (
    Action("plan.add_home", N_("Add home"), _adding("home"), icon="home", enabled=_at_work, changes_plan=True),
    Action("plan.add_office", N_("Add office"), _adding("office"), icon="office", enabled=_at_work, changes_plan=True),
    Action(
        "plan.add_server_room", N_("Add server room"), _adding("server_room"), icon="rack", enabled=_at_work,
        changes_plan=True,
    ),
    Action(
        "plan.add_colocation", N_("Add rented rack space"), _adding("colocation"), icon="site", enabled=_at_work,
        changes_plan=True,
    ),
    Action(
        "plan.add_current", N_("Add from the list"), add_current, N_("Add what is chosen in the list on the left"),
        "add", ("Ctrl+Return",), _at_work, say=_add_text, changes_plan=True,
    ),
    Action(
        "plan.fill", N_("Fill all free slots"), fill, icon="gpu", shortcut=("Ctrl+Shift+F",), enabled=_can_fill,
        say=_fill_text, changes_plan=True,
    ),
    Action(
        "plan.connect", N_("Connect to…"), connect, N_("Draw a connection from the selection"), "link", ("Ctrl+L",),
        _can_connect,
    ),
    Action("plan.copy", N_("Duplicate this plan"), copy_plan, icon="duplicate", enabled=_at_work, changes_plan=True),
    Action("plan.empty", N_("New empty plan"), empty_plan, icon="add", enabled=_at_work, changes_plan=True),
    Action("plan.rename", N_("Rename this plan…"), rename_plan, icon="rename", enabled=_at_work),
    Action("plan.delete", N_("Delete this plan"), delete_plan, icon="delete", enabled=_several, changes_plan=True),
    Action("plan.next", N_("Next plan"), lambda desk: turn(desk, 1), shortcut=("Ctrl+Tab",), enabled=_several),
    Action(
        "plan.previous", N_("Previous plan"), lambda desk: turn(desk, -1), shortcut=("Ctrl+Shift+Tab",),
        enabled=_several,
    ),
)  # fmt: skip
