"""Questions that need a dialog, each one function, so that a test can answer instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from configurator.plan.store import EXTENSION

Gettext = Callable[[str], str]


def open_path(parent: QWidget, gettext: Gettext, folder: str) -> Path | None:
    """Which plan file to open."""
    kinds = f"{gettext('Plans')} (*{EXTENSION});;{gettext('All files')} (*)"
    name, _ = QFileDialog.getOpenFileName(parent, gettext("Open plan"), folder, kinds)
    return Path(name) if name else None


def save_path(parent: QWidget, gettext: Gettext, proposed: Path, kind: Literal["plan", "pdf"]) -> Path | None:
    """Where to write; the extension is added when it is missing."""
    suffix = EXTENSION if kind == "plan" else ".pdf"
    label = gettext("Plans") if kind == "plan" else gettext("PDF documents")
    title = gettext("Save plan") if kind == "plan" else gettext("Export proposal")
    name, _ = QFileDialog.getSaveFileName(parent, title, str(proposed), f"{label} (*{suffix})")
    if not name:
        return None
    path = Path(name)
    return path if path.suffix == suffix else path.with_name(path.name + suffix)


def save_changes(parent: QWidget, gettext: Gettext, name: str) -> Literal["save", "discard", "cancel"]:
    """What to do with unsaved work."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(gettext("Unsaved changes"))
    box.setText(gettext("Save the changes to “{name}”?").replace("{name}", name))
    box.setInformativeText(gettext("Without saving, everything since the last save is lost."))
    save = box.addButton(gettext("Save"), QMessageBox.ButtonRole.AcceptRole)
    discard = box.addButton(gettext("Do not save"), QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(gettext("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(save)
    save.setProperty("role", "primary")
    box.exec()
    if box.clickedButton() is save:
        return "save"
    return "discard" if box.clickedButton() is discard else "cancel"


def changed_outside(parent: QWidget, gettext: Gettext, name: str) -> Literal["copy", "overwrite", "cancel"]:
    """What to do with a file that somebody else has changed meanwhile."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle(gettext("Changed by somebody else"))
    box.setText(gettext("“{name}” was changed outside this window since you opened it.").replace("{name}", name))
    box.setInformativeText(
        gettext("Overwriting it puts your plan in place of the other changes. Saving a copy keeps both.")
    )
    copy = box.addButton(gettext("Save a copy…"), QMessageBox.ButtonRole.AcceptRole)
    overwrite = box.addButton(gettext("Overwrite"), QMessageBox.ButtonRole.DestructiveRole)
    box.addButton(gettext("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(copy)
    copy.setProperty("role", "primary")
    box.exec()
    if box.clickedButton() is copy:
        return "copy"
    return "overwrite" if box.clickedButton() is overwrite else "cancel"


def text(parent: QWidget, gettext: Gettext, title: str, label: str, value: str) -> str | None:
    """A short text; None when given up."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(value)
    dialog.setOkButtonText(gettext("OK"))
    dialog.setCancelButtonText(gettext("Cancel"))
    dialog.resize(380, dialog.sizeHint().height())
    return dialog.textValue().strip() if dialog.exec() else None


def model_path(parent: QWidget, gettext: Gettext, folder: str) -> Path | None:
    """Which model file to read."""
    kinds = f"{gettext('Model files')} (*.json *.gguf *.safetensors);;{gettext('All files')} (*)"
    name, _ = QFileDialog.getOpenFileName(parent, gettext("Model from a file"), folder, kinds)
    return Path(name) if name else None


def dropped_file(event: QDropEvent) -> Path | None:
    """The file or folder somebody drops on the window: a plan when there is one, else what comes first."""
    data = event.mimeData()
    if not data.hasUrls():
        return None
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return next((path for path in paths if path.suffix == EXTENSION), paths[0] if paths else None)
