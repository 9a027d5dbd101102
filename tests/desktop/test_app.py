"""The program as a process: no display, self-test, crash net, unsaved work at the start."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from configurator.desktop.app import APT_LINE, catch_crashes, first_steps, no_display
from configurator.desktop.recovery import Autosave
from configurator.desktop.settings import state_folder
from configurator.plan import store
from configurator.plan.edits import rename
from tests.desktop.windows import document, no, open_window, server_room, yes

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, folder: Path, **values: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    environment.pop("QT_QPA_PLATFORM", None)
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        environment[name] = str(folder)
    environment.update(values)
    command = [sys.executable, "-m", "configurator", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=90)


def test_without_a_display_it_says_what_to_do(tmp_path: Path) -> None:
    done = run(folder=tmp_path)
    assert done.returncode == 1
    assert "no screen" in done.stderr
    assert "configurator assess" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_a_display_of_any_kind_is_enough(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for each in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(each, raising=False)
    if sys.platform not in {"win32", "darwin"}:
        assert no_display()
    monkeypatch.setenv(name, ":0")
    assert not no_display()
    assert "libxcb-cursor0" in APT_LINE


def test_the_self_test_passes_as_a_process(tmp_path: Path) -> None:
    done = run("--self-test", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "self-test passed" in done.stdout


def test_an_unexpected_error_is_told_once_and_the_work_is_kept(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    window = open_window(qtbot, tmp_path, server_room())
    window.document.edit("Rename", lambda plan: rename(plan, "site-1", "Kept"))
    catch_crashes(window)
    with caplog.at_level(logging.CRITICAL):
        for _ in range(3):
            try:
                raise ZeroDivisionError("by hand")
            except ZeroDivisionError as error:
                sys.excepthook(type(error), error, error.__traceback__)
    qtbot.wait(20)
    assert yes(window.desk.toasts.isVisible())
    assert "ZeroDivisionError" in window.desk.toasts.words.text()
    assert window.desk.autosave.snapshot.exists()
    assert window.document.plan.sites[0].name == "Kept"
    window.desk.toasts.hide()
    try:
        raise ZeroDivisionError("by hand")
    except ZeroDivisionError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    window.desk.autosave.discard()


def test_the_file_of_the_command_line_opens(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "given.gpuplan"
    store.save(server_room(2), path)
    window = open_window(qtbot, tmp_path)
    first_steps(window, path)
    assert window.at_work
    assert window.document.path == path


def test_unsaved_work_is_offered_and_comes_back_unsaved(qtbot: QtBot, tmp_path: Path) -> None:
    doc = document(server_room(3))
    lost = Autosave(doc, state_folder())
    doc.edit("Rename", lambda plan: rename(plan, "site-1", "Nearly lost"))
    lost.write()
    # As if the program had ended: its lock is gone, its snapshot is not.
    assert lost._lock is not None
    lost._lock.unlock()
    window = open_window(qtbot, tmp_path)
    first_steps(window, None)
    toasts = window._start_toasts
    assert yes(toasts.isVisible())
    toasts.button.click()
    assert window.at_work
    assert window.document.plan.sites[0].name == "Nearly lost"
    assert no(window.document.clean)
    assert not lost.snapshot.exists()
    window.desk.autosave.discard()
