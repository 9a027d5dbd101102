"""What every test gets: no display needed, settings of its own, shipped fonts, nothing left behind."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Before Qt is imported anywhere; journeys set their own platform on a display that packaging/dev.py starts.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import QApplication

FONTS = Path(__file__).resolve().parents[1] / "resources" / "fonts"
REAL_WINDOW = os.environ["QT_QPA_PLATFORM"] == "xcb"


def pytest_configure(config: pytest.Config) -> None:
    """Settings, caches and saved state of the person at this machine stay untouched."""
    folder = Path(os.environ.setdefault("CONFIGURATOR_TEST_HOME", str(config.rootpath / ".pytest_cache" / "home")))
    # Two processes may run the suite side by side; each has its own.
    folder /= os.environ.get("PYTEST_XDIST_WORKER", "main")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        place = folder / name.removeprefix("XDG_").removesuffix("_HOME").lower()
        place.mkdir(parents=True, exist_ok=True)
        os.environ[name] = str(place)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs Qt, leave real-window journeys to their own run, cheap tests first."""
    chosen: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "qapp" in fixtures:
            item.add_marker("gui")
        (chosen if (item.get_closest_marker("xvfb") is not None) == REAL_WINDOW else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    # Stable, so that the shuffled order inside each half stays.
    items[:] = sorted(chosen, key=lambda item: item.get_closest_marker("gui") is not None)


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The one application, with the shipped fonts and settings of its own."""
    from PySide6.QtCore import QStandardPaths
    from PySide6.QtGui import QFont, QFontDatabase

    QStandardPaths.setTestModeEnabled(True)
    qapp.setApplicationName("configurator-tests")
    qapp.setOrganizationName("configurator-tests")
    qapp.setQuitOnLastWindowClosed(False)
    for path in sorted(FONTS.glob("*.ttf")):
        assert QFontDatabase.addApplicationFont(str(path)) >= 0, path
    font = QFont("Inter")
    font.setPixelSize(13)
    qapp.setFont(font)
    return qapp


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a window, a running timer, thread, pool job or animation.

    Set up before the test's own widgets, so it looks after they are gone.
    """
    if "qapp" not in request.fixturenames:
        yield
        return
    from PySide6.QtCore import QThreadPool
    from PySide6.QtWidgets import QApplication

    application = request.getfixturevalue("qapp")
    windows_before = {id(window) for window in QApplication.topLevelWidgets()}
    # What is there already is set apart, so that only the test's own objects are looked through afterwards.
    gc.freeze()
    yield
    application.sendPostedEvents(None, 0)
    application.processEvents()
    jobs_done = QThreadPool.globalInstance().waitForDone(5000)
    left = [w for w in QApplication.topLevelWidgets() if id(w) not in windows_before and w.isVisible()]
    names = [f"{type(window).__name__} {window.objectName()!r}".strip() for window in left]
    for window in left:
        window.close()
        window.deleteLater()
    still = _running()
    gc.unfreeze()
    kinds = [type(each).__name__ for each in still]
    for each in still:
        # The next test shall not pay for this one.
        _stop(each)
    application.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    assert jobs_done, "a job of the thread pool is still running"
    assert not names, f"windows left open: {names}"
    assert not kinds, f"left running: {kinds}"


def _running() -> list[QObject]:
    """Timers, threads and animations at work."""
    from PySide6.QtCore import QAbstractAnimation, QThread, QTimer

    living = [each for each in gc.get_objects() if isinstance(each, QThread | QTimer | QAbstractAnimation)]
    return [each for each in living if _still_running(each)]


def _stop(thing: QObject) -> None:
    from PySide6.QtCore import QAbstractAnimation, QThread, QTimer

    if isinstance(thing, QThread):
        thing.quit()
        thing.wait(2000)
    elif isinstance(thing, QTimer | QAbstractAnimation):
        thing.stop()


def _still_running(thing: QObject) -> bool:
    from PySide6.QtCore import QAbstractAnimation, QThread, QTimer
    from shiboken6 import isValid

    if not isValid(thing):
        return False
    if isinstance(thing, QThread):
        # The thread that runs the tests counts as running too.
        return thing.isRunning() and thing is not QThread.currentThread()
    if isinstance(thing, QTimer):
        return thing.isActive()
    return isinstance(thing, QAbstractAnimation) and thing.state() == QAbstractAnimation.State.Running
