"""``--self-test``: open an example, edit, undo, export, end. Proves that a packaged program is whole."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from configurator.desktop.window import MainWindow
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000, TEMPLATES

WAIT_S = 30.0


def self_test(application: QApplication, window: MainWindow) -> int:
    """0 when everything worked, 1 with a sentence when not."""
    try:
        _steps(application, window)
    except (OSError, RuntimeError) as error:
        sys.stderr.write(f"self-test failed: {error}\n")
        return 1
    finally:
        window.document.stack.setClean()
        window.close()
    sys.stdout.write("self-test passed\n")
    return 0


def _steps(application: QApplication, window: MainWindow) -> None:
    window.open_example(TEMPLATES[0].id)
    _wait(application, lambda: window.document.assessment is not None, "no answer")
    before = window.document.project
    window.catalogue.choose(EIGHT_SLOTS)
    window.catalogue.add()
    window.catalogue.choose(PRO_6000)
    window.catalogue.add()
    _check(window.document.stack.index() == 2, "edits did not arrive")
    window.document.stack.undo()
    window.document.stack.undo()
    _check(window.document.project is before, "undo did not bring the plan back")
    window.show_tab("interconnect")
    window.show_tab("hardware")
    from configurator.desktop.exporting import export_proposal

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "self-test.pdf"
        export_proposal(window.desk, path)
        _wait(application, path.is_file, "no proposal")


def _check(fine: bool, what: str) -> None:
    if not fine:
        raise RuntimeError(what)


def _wait(application: QApplication, done: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + WAIT_S
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(what)
        application.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
