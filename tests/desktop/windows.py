"""A window to test on, and a hand that drags in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from configurator.assess import Assessment
from configurator.catalogue import Catalogue, load_catalogue
from configurator.desktop import theme
from configurator.desktop.document import Assessor, Document, assess_with_engines
from configurator.desktop.settings import SettingsFile
from configurator.desktop.window import MainWindow
from configurator.plan.edits import add_gpus, add_server, add_site
from configurator.plan.model import Plan, Project
from configurator.plan.projects import edit_plan, new_project
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from tests.desktop.samples import assessment

LEFT = Qt.MouseButton.LeftButton
Make = Callable[[Plan], Plan]


def plan_with(make: Make) -> Project:
    """A project whose plan is made by edits."""
    return edit_plan(new_project(), make)


def server_room(cards: int = 0, servers: int = 1) -> Project:
    """One server room with 8-slot machines; the first holds some cards."""

    def make(plan: Plan) -> Plan:
        plan, site_id = add_site(plan, "server_room", "Room")
        for number in range(servers):
            plan, server_id = add_server(plan, load_catalogue(), site_id, EIGHT_SLOTS)
            if cards and number == 0:
                plan, _ = add_gpus(plan, load_catalogue(), PRO_6000, server_id, cards)
        return plan

    return plan_with(make)


def by_hand(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
    """A hand-made answer, so that no engine is needed."""
    return assessment(project, deep=deep)


def document(project: Project | None = None) -> Document:
    """A document with hand-made answers."""
    return Document(load_catalogue(), project, by_hand, deep=False)


def yes(value: bool) -> bool:
    """The value now; a type checker must not remember it for the next line."""
    return value


def no(value: bool) -> bool:
    """The opposite of the value now."""
    return not value


def open_window(
    qtbot: QtBot, folder: Path, project: Project | None = None, *, engines: bool = False, deep: bool = False
) -> MainWindow:
    """A shown window on a project, motion off, settings in a folder of the test."""
    settings = SettingsFile(folder / "settings.json")
    settings.put(reduced_motion=True, theme="light")
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme.apply(application, "light", True)
    answer: Assessor = assess_with_engines if engines else by_hand
    window = MainWindow(load_catalogue(), settings, assessor=answer, deep=deep)
    # The offscreen platform has no menus on top of windows.
    window.menus.show = _not_shown
    qtbot.addWidget(window, before_close_func=lambda each: each.document.stack.setClean())
    window.resize(1280, 800)
    window.show()
    if project is not None:
        window.document.replace(project)
        window.show_work()
    qtbot.wait(20)
    return window


def _not_shown(menu: QMenu, at: QPoint) -> None:
    menu.deleteLater()


def at(window: MainWindow, object_id: str) -> QPoint:
    """Middle of an object on the canvas' viewport."""
    rect = window.canvas.plan_scene.rect_of(object_id)
    assert rect is not None, object_id
    return window.canvas.mapFromScene(rect.center())


def at_header(window: MainWindow, object_id: str) -> QPoint:
    """A point in the header of a server or site, where nothing else stands."""
    rect = window.canvas.plan_scene.rect_of(object_id)
    assert rect is not None, object_id
    return window.canvas.mapFromScene(rect.topLeft() + QPointF(rect.width() / 2, 14))


def pull(
    source: QWidget, start: QPoint, target: QWidget, end: QPoint, *, let_go: bool = True, copy: bool = False
) -> None:
    """Press, move in steps, release: the mouse stays with the widget of the press."""
    modifiers = Qt.KeyboardModifier.ControlModifier if copy else Qt.KeyboardModifier.NoModifier
    QTest.mousePress(source, LEFT, Qt.KeyboardModifier.NoModifier, start)
    finish = source.mapFromGlobal(target.mapToGlobal(end))
    for step in range(1, 7):
        way = QPoint((finish.x() - start.x()) * step // 6, (finish.y() - start.y()) * step // 6)
        QTest.mouseMove(source, start + way)
    QApplication.processEvents()
    if let_go:
        QTest.mouseRelease(source, LEFT, modifiers, finish)
        QApplication.processEvents()


def card_point(window: MainWindow, record: str) -> QPoint:
    """Where a card of the catalogue stands in the list, scrolled into sight."""
    dock = window.catalogue
    assert dock.choose(record), record
    index = dock.list.currentIndex()
    dock.list.scrollTo(index)
    QApplication.processEvents()
    return dock.list.visualRect(index).center()


def drag_card(window: MainWindow, record: str, end: QPoint, *, let_go: bool = True) -> None:
    """Pull a card out of the catalogue to a point of the canvas."""
    source = window.catalogue.list.viewport()
    pull(source, card_point(window, record), window.canvas.viewport(), end, let_go=let_go)


def server_ids(window: MainWindow) -> list[str]:
    return [server.id for site in window.document.plan.sites for server in site.servers]


def card_ids(window: MainWindow) -> list[str]:
    return [
        slot.gpu.id
        for site in window.document.plan.sites
        for server in site.servers
        for slot in server.slots
        if slot.gpu
    ]
