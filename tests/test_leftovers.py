"""The check for left-overs really fails tests that leave a window, a timer or a thread, and passes tidy ones."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

LEAVING = """
import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtWidgets import QWidget

kept = []


def test_window(qapp):
    kept.append(QWidget())
    kept[-1].show()


def test_timer(qapp):
    timer = QTimer()
    timer.start(100000)
    kept.append(timer)


def test_thread(qapp):
    thread = QThread()
    thread.start()
    kept.append(thread)


def test_tidy(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    timer = QTimer(widget)
    timer.start(100000)
    timer.stop()


@pytest.fixture(scope="session", autouse=True)
def end():
    yield
    for each in kept:
        if isinstance(each, QThread):
            each.quit()
            each.wait()
"""


def test_left_overs_fail_the_test_that_left_them(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    shutil.copy(Path(__file__).with_name("conftest.py"), tests)
    (tests / "test_leaving.py").write_text(LEAVING, "utf-8")
    (tmp_path / "resources").symlink_to(Path(__file__).resolve().parents[1] / "resources")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, "--rootdir", str(tmp_path), str(tests)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert re.search(r"4 passed.*3 errors", done.stdout), done.stdout[-2000:] + done.stderr[-1000:]
    assert re.search(r"windows left open: \[.*QWidget", done.stdout)
    assert "left running: ['QTimer']" in done.stdout
    assert re.search(r"left running: \[.*'QThread'", done.stdout)
