"""Pictures of every state of the window, for eyes: ``python -m tests.journeys.screens FOLDER [size ...]``.

Needs no display. Each state in light and dark, at 1280x800 and 2560x1440 unless sizes are given.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from configurator.catalogue import load_catalogue
from configurator.desktop import theme
from configurator.desktop.palette import CommandPalette
from configurator.desktop.settings import SettingsFile
from configurator.desktop.window import MainWindow
from configurator.plan.projects import new_project
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from tests.desktop.windows import at, at_header

State = Callable[[MainWindow], None]
SIZES = ("1280x800", "2560x1440")


def example(name: str) -> State:
    return lambda window: window.open_example(name)


def empty(window: MainWindow) -> None:
    window.document.replace(new_project())
    window.show_work()


def carry(window: MainWindow, record: str, point: QPoint, count: int = 1) -> None:
    window.catalogue.choose(record, count)
    payload = window.catalogue.payload()
    assert payload is not None
    window.drag.start(payload, window.mapToGlobal(QPoint(120, 300)))
    window.drag.move(window.canvas.viewport().mapToGlobal(point))


def welcome_drop(window: MainWindow) -> None:
    window.open_example("mixed-cards")
    settle(window)
    free = next(slot for slot in window.document.plan.sites[0].servers[0].slots if slot.gpu is None)
    carry(window, "nvidia-rtx-4090", at(window, free.id))


def refused_drop(window: MainWindow) -> None:
    window.open_example("one-node")
    settle(window)
    carry(window, PRO_6000, at_header(window, "server-1"), 4)


def server_drop(window: MainWindow) -> None:
    window.open_example("two-homes")
    settle(window)
    carry(window, EIGHT_SLOTS, at_header(window, "site-2"))


def several(window: MainWindow) -> None:
    window.open_example("one-node")
    settle(window)
    window.document.select(("gpu-2", "gpu-3", "gpu-4"))
    window.actions_.run("edit.delete")


def sheet(window: MainWindow) -> None:
    window.open_example("one-node")
    settle(window)
    window.document.select(("site-1",))
    window.actions_.run("edit.properties")


def wired(window: MainWindow) -> None:
    window.open_example("two-nodes")
    for part in ("sw-crs812", "nic-100g-used"):
        window.document.select(("server-1",))
        window.catalogue.choose(part)
        window.catalogue.add()
    window.document.select(("server-1",))
    window.actions_.run("edit.duplicate")
    for server in ("server-1", "server-2", "server-3"):
        window.canvas.clicks.connect(server, "switch-1", "eth-100g-roce")
    window.canvas.fit()


def palette(window: MainWindow) -> None:
    window.open_example("one-node")
    settle(window)
    made = CommandPalette(window.desk, window.actions_)
    made.field.setText("add")
    made.setParent(window)
    made.move(380, 140)
    made.show()


def interconnect(window: MainWindow) -> None:
    window.open_example("one-node")
    settle(window)
    window.show_tab("interconnect")


def search(window: MainWindow) -> None:
    window.open_example("one-node")
    window.catalogue.search.setText("pro 6000")


def presenting(window: MainWindow) -> None:
    window.open_example("two-nodes")
    settle(window)
    window.actions_.run("view.present")


def outline(window: MainWindow) -> None:
    window.open_example("two-nodes")
    settle(window)
    window.actions_.run("view.outline")
    window.document.select(("server-2",))


STATES: dict[str, State] = {
    "start": lambda window: window.show_start(),
    "empty": empty,
    "one-node": example("one-node"),
    "two-nodes": example("two-nodes"),
    "two-homes": example("two-homes"),
    "mixed-cards": example("mixed-cards"),
    "sparks": example("sparks"),
    "training": example("training"),
    "wired": wired,
    "drop": welcome_drop,
    "refused": refused_drop,
    "server-drop": server_drop,
    "toast": several,
    "sheet": sheet,
    "search": search,
    "palette": palette,
    "interconnect": interconnect,
    "outline": outline,
    "presenting": presenting,
}


def settle(window: MainWindow) -> None:
    """Until every answer is there."""
    application = QApplication.instance()
    assert application is not None
    end = time.monotonic() + 30
    for _ in range(6):
        application.processEvents()
    while not (window.document.settled and window.verdict.below.settled) and time.monotonic() < end:
        application.processEvents()
        time.sleep(0.01)
    for _ in range(6):
        application.processEvents()


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [each for each in arguments[1:] if each[0].isdigit()] or list(SIZES)
    wanted = [each for each in arguments[1:] if each in STATES] or list(STATES)
    modes = [each for each in arguments[1:] if each in {"light", "dark"}] or ["light", "dark"]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")
    home = tempfile.mkdtemp()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        os.environ[name] = home
    application = QApplication([])
    for mode in modes:
        settings = SettingsFile(folder / "settings.json")
        settings.put(theme=mode, reduced_motion=True, recent_files=("/home/jana/plans/office-llm.gpuplan",))
        theme.apply(application, "dark" if mode == "dark" else "light", True)
        for size in sizes:
            width, height = map(int, size.split("x"))
            for name in wanted:
                window = MainWindow(load_catalogue(), settings)
                window.menus.show = lambda menu, at: menu.deleteLater()
                window.resize(width, height)
                window.show()
                settle(window)
                STATES[name](window)
                settle(window)
                window.grab().save(str(folder / f"{name}-{mode}-{size}.png"))
                window.drag.cancel()
                window.document.stack.setClean()
                window.presenting = True  # leave the settings alone
                window.close()
                window.deleteLater()
                application.processEvents()
                sys.stdout.write(f"{name}-{mode}-{size}\n")
                sys.stdout.flush()
    (folder / "settings.json").unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
