"""Unsaved work survives the end of the program; a saved or given-up one leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from configurator.desktop.recovery import Autosave, find_unsaved, forget
from configurator.plan import store
from configurator.plan.edits import add_site, rename
from tests.desktop.windows import document, server_room

pytestmark = pytest.mark.usefixtures("qapp")
ROOT = Path(__file__).resolve().parents[2]

CRASH = """
import os, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
application = QApplication([])
from tests.desktop.windows import document, server_room
from configurator.desktop.recovery import Autosave
from configurator.plan.edits import rename
folder = Path(sys.argv[1])
doc = document(server_room())
if len(sys.argv) > 2:
    doc.save(Path(sys.argv[2]))
save = Autosave(doc, folder)
doc.edit("Rename", lambda plan: rename(plan, "site-1", "Not saved"))
save.write()
os._exit(9)
"""


def crash(folder: Path, *more: Path) -> None:
    """A program that dies with unsaved work."""
    values = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", CRASH, str(folder), *map(str, more)], cwd=ROOT, env=values, check=False
    )
    assert done.returncode == 9


def test_unsaved_work_of_a_dead_program_is_found(tmp_path: Path) -> None:
    crash(tmp_path)
    found = find_unsaved(tmp_path)
    assert found is not None
    assert found.project.plans[0].sites[0].name == "Not saved"
    assert found.path is None
    forget(found.snapshot)
    assert find_unsaved(tmp_path) is None
    assert not list(tmp_path.glob("*.gpuplan"))


def test_only_what_is_newer_than_its_file_is_offered(tmp_path: Path) -> None:
    path = tmp_path / "mine" / "room.gpuplan"
    path.parent.mkdir()
    state = tmp_path / "state"
    crash(state, path)
    found = find_unsaved(state)
    assert found is not None
    assert found.path == path
    time.sleep(0.02)
    store.save(found.project, path)
    assert find_unsaved(state) is None


def test_a_broken_snapshot_is_moved_aside_and_the_next_one_found(tmp_path: Path) -> None:
    crash(tmp_path)
    broken = tmp_path / "ffff.gpuplan"
    broken.write_text("{", encoding="utf-8")
    os.utime(broken, (time.time() + 60, time.time() + 60))
    assert find_unsaved(tmp_path) is not None
    assert (tmp_path / "broken" / "ffff.gpuplan").read_text("utf-8") == "{"


def test_work_of_a_living_window_is_not_offered(tmp_path: Path) -> None:
    doc = document(server_room())
    save = Autosave(doc, tmp_path)
    doc.edit("Rename", lambda plan: rename(plan, "site-1", "Busy"))
    save.write()
    assert save.snapshot.exists()
    # The lock is ours: asked from the same process it counts as taken.
    assert find_unsaved(tmp_path) is None
    save.discard()


def test_saving_and_giving_up_leave_nothing(tmp_path: Path) -> None:
    doc = document()
    save = Autosave(doc, tmp_path / "state")
    doc.edit("Add", lambda plan: add_site(plan, "home", "Home")[0])
    save.write()
    assert save.snapshot.exists()
    doc.save(tmp_path / "home.gpuplan")
    assert not list((tmp_path / "state").glob("*"))
    doc.edit("Add", lambda plan: add_site(plan, "home", "Home")[0])
    save.write()
    save.discard()
    assert not list((tmp_path / "state").glob("*"))


def test_the_snapshot_is_the_format_of_a_saved_file(tmp_path: Path) -> None:
    doc = document(server_room(2))
    save = Autosave(doc, tmp_path)
    doc.edit("Rename", lambda plan: rename(plan, "site-1", "Same"))
    save.write()
    assert save.snapshot.read_bytes() == store.to_bytes(doc.project)
    save.discard()
