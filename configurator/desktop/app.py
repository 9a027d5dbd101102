"""The program: checks before Qt starts, application set-up, crash net, self-test."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from configurator.desktop.window import MainWindow

log = logging.getLogger(__name__)

APT_LINE = (
    "apt-get install -y libglib2.0-0 libgl1 libegl1 libdbus-1-3 libfontconfig1 libxkbcommon0 libxcb-cursor0 "
    "libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 libxkbcommon-x11-0"
)


def no_display() -> str:
    """Why no window can open here, "" when one can."""
    if sys.platform in {"win32", "darwin"} or os.environ.get("QT_QPA_PLATFORM"):
        return ""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return ""
    return (
        "There is no screen to open a window on (DISPLAY and WAYLAND_DISPLAY are not set). "
        "Start the program on a desktop, or use a command without a window: configurator assess PLAN"
    )


def run(argv: Sequence[str]) -> int:
    """Open the window; returns the exit code. ``argv`` without the program's name."""
    parser = argparse.ArgumentParser(prog="configurator", add_help=False)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("file", nargs="?", type=Path)
    options, _ = parser.parse_known_args(list(argv))
    if options.self_test and not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    problem = no_display()
    if problem:
        sys.stderr.write(problem + "\n")
        return 1
    try:
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        sys.stderr.write(f"Qt cannot start: {error}. On Debian or Ubuntu type: {APT_LINE}\n")
        return 1
    application = QApplication.instance() or QApplication([sys.argv[0]])
    if not isinstance(application, QApplication):
        return 1
    window = make_window(application)
    catch_crashes(window)
    window.show()
    if options.self_test:
        from configurator.desktop.self_test import self_test

        return self_test(application, window)
    from PySide6.QtCore import QTimer

    QTimer.singleShot(0, window, lambda: first_steps(window, options.file))
    return int(application.exec())


def make_window(application: QApplication) -> MainWindow:
    """The application's names, look and its one window."""
    from PySide6.QtCore import QLocale

    from configurator.catalogue import load_catalogue, user_catalogue_file
    from configurator.desktop import theme
    from configurator.desktop.calm import Tidy
    from configurator.desktop.settings import SettingsFile
    from configurator.desktop.window import MainWindow

    application.setApplicationName("gpu-configurator")
    application.setApplicationDisplayName("GPU Configurator")
    application.setDesktopFileName("gpu-configurator")
    # Numbers are written by our own wording; Qt's widgets must not add separators of their own.
    QLocale.setDefault(QLocale.c())
    settings = SettingsFile()
    theme.apply(application, settings.values.theme, settings.values.reduced_motion)
    catalogue = load_catalogue(user_catalogue_file())
    window = MainWindow(catalogue, settings)
    Tidy(window.document, window)
    for fault in catalogue.problems[:1]:
        window.desk.toasts.say(str(fault))
    return window


def first_steps(window: MainWindow, path: Path | None) -> None:
    """Unsaved work of a crash first, then the file that was asked for."""
    from configurator.desktop.commands.file import open_file
    from configurator.desktop.recovery import find_unsaved, forget
    from configurator.desktop.settings import state_folder

    if path is not None:
        open_file(window.desk, path)
    unsaved = find_unsaved(state_folder())
    if unsaved is None:
        return
    gettext = window.document.gettext
    name = unsaved.path.name if unsaved.path is not None else unsaved.project.title or gettext("untitled")

    def bring_back() -> None:
        window.document.replace(unsaved.project, unsaved.path, clean=False)
        window.desk.autosave.write()
        forget(unsaved.snapshot)
        window.show_work()

    text = gettext("The program ended without saving “{name}”.").replace("{name}", name)
    window.offer(text, gettext("Bring it back"), bring_back)


def catch_crashes(window: MainWindow) -> None:
    """An error in a slot or a paint event is told once per kind and never ends the program."""
    told: set[str] = set()

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.error("unexpected error", exc_info=(kind, error, trace))
        where = traceback.extract_tb(trace)[-1] if trace is not None else None
        key = f"{kind.__name__}:{where.filename if where else ''}:{where.lineno if where else 0}"
        if key in told:
            return
        told.add(key)
        from PySide6.QtCore import QTimer

        # Not now: a drag or a paint may be on its way.
        QTimer.singleShot(0, window, lambda: _tell(window, f"{kind.__name__}: {error}"))

    sys.excepthook = hook


def _tell(window: MainWindow, detail: str) -> None:
    window.desk.autosave.write()
    text = window.document.gettext("Something went wrong. Your work is kept; undo the last step and go on. ({detail})")
    window.offer(text.replace("{detail}", detail[:200]), "", None)
