"""New, open, save, export, quit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from configurator.desktop import dialogs
from configurator.desktop.actions import N_, Action
from configurator.desktop.file_claim import claim_of
from configurator.plan.projects import new_project
from configurator.plan.store import EXTENSION

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk


def name_of(desk: Desk) -> str:
    """What the project is called on the screen: its file, its title, or "untitled"."""
    document = desk.document
    if document.path is not None:
        return document.path.name
    return document.project.title or document.gettext("untitled")


def may_leave(desk: Desk) -> bool:
    """Ask about unsaved work; False when the person stays."""
    if desk.document.clean:
        return True
    answer = dialogs.save_changes(desk.main, desk.document.gettext, name_of(desk))
    if answer == "save":
        return save(desk)
    return answer == "discard"


def new(desk: Desk) -> None:
    """An empty project."""
    if may_leave(desk):
        gettext = desk.document.gettext
        desk.document.replace(new_project(plan_name=gettext("Plan")))
        desk.window.show_work()


def open_dialog(desk: Desk) -> None:
    """Ask for a file and open it."""
    if not may_leave(desk):
        return
    folder = desk.document.path.parent if desk.document.path else Path.home()
    path = dialogs.open_path(desk.main, desk.document.gettext, str(folder))
    if path is not None:
        open_file(desk, path, asked=True)


def open_file(desk: Desk, path: Path, *, asked: bool = False) -> bool:
    """Open a file; one that is gone leaves the list of recent files."""
    if not asked and not may_leave(desk):
        return False
    if not desk.document.open(path):
        if not path.exists():
            desk.settings.drop_recent(str(path))
        return False
    desk.settings.add_recent(path.absolute())
    desk.window.show_work()
    desk.window.model_files.tell_missing()
    if claim_of(desk.document).elsewhere:
        words = desk.document.gettext("“{file}” is open in another window too. Before saving, look which one is newer.")
        desk.toasts.say(words.replace("{file}", path.name))
    return True


def model_dialog(desk: Desk) -> None:
    """Ask for a model file and take its model."""
    folder = desk.document.path.parent if desk.document.path else Path.home()
    path = dialogs.model_path(desk.main, desk.document.gettext, str(folder))
    if path is not None:
        desk.window.model_files.take(path)


def take_file(desk: Desk, path: Path) -> None:
    """What was dropped on the window: a plan is opened, everything else is read as a model."""
    if path.suffix == EXTENSION:
        open_file(desk, path)
    else:
        desk.window.model_files.take(path)


def save(desk: Desk) -> bool:
    """Save to the known file, else ask for one."""
    path = desk.document.path
    if path is None:
        return save_as(desk)
    if desk.document.changed_on_disk:
        answer = dialogs.changed_outside(desk.main, desk.document.gettext, path.name)
        if answer != "overwrite":
            return answer == "copy" and save_as(desk, path.with_name(f"{path.stem}-2{path.suffix}"))
    return save_to(desk, path)


def save_as(desk: Desk, proposed: Path | None = None) -> bool:
    """Ask where, and save."""
    proposed = proposed or desk.document.path or Path.home() / f"{_file_stem(desk)}{EXTENSION}"
    path = dialogs.save_path(desk.main, desk.document.gettext, proposed, "plan")
    return path is not None and save_to(desk, path)


def save_to(desk: Desk, path: Path) -> bool:
    """Save to a file; told by a toast."""
    if not desk.document.save(path):
        return False
    claim_of(desk.document)
    desk.settings.add_recent(path.absolute())
    desk.toasts.say(desk.document.gettext("Saved to {file}").replace("{file}", path.name))
    return True


def _file_stem(desk: Desk) -> str:
    title = desk.document.project.title or desk.document.plan.name
    kept = "".join(sign if sign.isalnum() else "-" for sign in title.lower()).strip("-")
    return kept or "plan"


def export(desk: Desk) -> None:
    """Write the PDF proposal of the plan on the screen."""
    from configurator.desktop.exporting import export_proposal

    folder = desk.document.path.parent if desk.document.path else Path.home()
    stem = desk.document.path.stem if desk.document.path else _file_stem(desk)
    path = dialogs.save_path(desk.main, desk.document.gettext, folder / f"{stem}.pdf", "pdf")
    if path is not None:
        export_proposal(desk, path)


def _quit(desk: Desk) -> None:
    desk.main.close()


def _save(desk: Desk) -> None:
    save(desk)


def _save_as(desk: Desk) -> None:
    save_as(desk)


def _has_work(desk: Desk) -> bool:
    return desk.window.at_work


def _has_hardware(desk: Desk) -> bool:
    return desk.window.at_work and bool(desk.document.plan.sites)


def _can_save(desk: Desk) -> bool:
    return desk.window.at_work and (not desk.document.clean or desk.document.path is None)


ACTIONS = (
    Action("file.new", N_("New"), new, N_("New empty project"), "new", ("Ctrl+N",)),
    Action("file.open", N_("Open…"), open_dialog, N_("Open a plan file"), "open", ("Ctrl+O",)),
    Action(
        "file.model",
        N_("Model from a file…"),
        model_dialog,
        N_("Read a config.json, GGUF or safetensors file into your own catalogue"),
        "open",
    ),
    Action(
        "file.examples",
        N_("Start page"),
        lambda desk: desk.window.show_start(),
        N_("Examples and recent files"),
        "list",
    ),
    Action("file.save", N_("Save"), _save, N_("Save the project"), "save", ("Ctrl+S",), _can_save),
    Action("file.save_as", N_("Save as…"), _save_as, shortcut=("Ctrl+Shift+S",), enabled=_has_work),
    Action(
        "file.export",
        N_("Export proposal…"),
        export,
        N_("Write the proposal as PDF"),
        "export",
        ("Ctrl+E",),
        _has_hardware,
    ),
    Action("file.quit", N_("Quit"), _quit, shortcut=("Ctrl+Q",)),
)
