"""The desk: the parts of one window that commands work with. Commands get this and nothing global."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow

from configurator.desktop.canvas.view import CanvasView
from configurator.desktop.document import Document
from configurator.desktop.placing import Placer
from configurator.desktop.settings import SettingsFile

if TYPE_CHECKING:
    from configurator.desktop.catalogue_dock import CatalogueDock
    from configurator.desktop.inspector import Inspector
    from configurator.desktop.recovery import Autosave
    from configurator.desktop.toast import Toasts
    from configurator.desktop.window import MainWindow


@dataclass(slots=True)
class Desk:
    """Document, screens and settings of one window."""

    window: MainWindow
    document: Document
    settings: SettingsFile
    placer: Placer
    canvas: CanvasView
    catalogue: CatalogueDock
    inspector: Inspector
    toasts: Toasts
    autosave: Autosave
    on_refresh: list[Callable[[], None]] = field(default_factory=list)

    @property
    def main(self) -> QMainWindow:
        return self.window
