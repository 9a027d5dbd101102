"""The main window: builds the parts, connects them, and nothing more."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QCursor, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from configurator.catalogue import Catalogue
from configurator.desktop import theme
from configurator.desktop.actions import N_, Actions
from configurator.desktop.calm import settle
from configurator.desktop.canvas.view import CanvasView
from configurator.desktop.catalogue_dock import CatalogueDock
from configurator.desktop.commands import ACTIONS, file
from configurator.desktop.commands import plan as plan_commands
from configurator.desktop.desk import Desk
from configurator.desktop.dialogs import dropped_file
from configurator.desktop.document import Assessor, Document, assess_with_engines
from configurator.desktop.drag import DragController
from configurator.desktop.inspector import Inspector
from configurator.desktop.menus import Menus
from configurator.desktop.model_files import ModelFiles
from configurator.desktop.outline import Outline
from configurator.desktop.panels.status import StatusBar
from configurator.desktop.panels.verdict import VerdictPanel
from configurator.desktop.panels.workload import WorkloadPanel
from configurator.desktop.placing import Payload, Placer
from configurator.desktop.presentation import present
from configurator.desktop.qt_words import speak
from configurator.desktop.recovery import Autosave
from configurator.desktop.selection_bar import SelectionBar
from configurator.desktop.settings import SettingsFile, state_folder
from configurator.desktop.start import StartPage
from configurator.desktop.toast import Toasts
from configurator.desktop.toolbar import ToolBar
from configurator.desktop.widgets.texts import rule
from configurator.desktop.workspace import Hardware, Pages, Workspace
from configurator.plan.model import Project
from configurator.plan.projects import new_project
from configurator.plan.templates import TEMPLATES
from configurator.terms import Message


class MainWindow(QMainWindow):
    """One project on the screen."""

    def __init__(
        self,
        catalogue: Catalogue,
        settings: SettingsFile,
        project: Project | None = None,
        assessor: Assessor = assess_with_engines,
        *,
        deep: bool = True,
    ) -> None:
        super().__init__()
        self.at_work: bool = False
        self.presenting: bool = False
        self.document = Document(catalogue, project or new_project(), assessor, deep=deep)
        self.document.set_language(settings.values.language)
        self.document.set_audience(settings.values.audience)
        placer = Placer(self.document)
        self.canvas = CanvasView(self.document, placer)
        self.canvas.wheel_zooms = settings.values.wheel == "zoom"
        self.catalogue = CatalogueDock(self.document, placer)
        self.desk = Desk(
            self,
            self.document,
            settings,
            placer,
            self.canvas,
            self.catalogue,
            Inspector(self.canvas.viewport(), self.document, self.canvas.title_of),
            Toasts(self.canvas.viewport(), self.document),
            Autosave(self.document, state_folder(), self),
        )
        self.model_files = ModelFiles(self.desk)
        self.actions_ = Actions(self.desk, ACTIONS)
        self.menus = Menus(self.desk, self.actions_)
        self.selection_bar = SelectionBar(self.canvas.viewport(), self.document, self.canvas.title_of)
        self.drag = DragController(self, self.document, self.canvas.hand)
        self.canvas.attach(self.drag)
        self.catalogue.attach(self.drag)
        self._build()
        self._connect()
        self.setAcceptDrops(True)
        # The canvas would take the file and do nothing with it.
        self.canvas.viewport().setAcceptDrops(False)
        self.resize(1280, 800)
        self._restore()
        self.show_start()
        self._retranslate()

    # -- building

    def _build(self) -> None:
        settings, document = self.desk.settings, self.document
        self.toolbar = ToolBar(document, self.actions_)
        self.pages = Pages(document)
        self.outline = Outline(document)
        self.hardware = Hardware(self.canvas, self.outline)
        self.pages.add("hardware", N_("Hardware"), lambda: self.hardware)
        self.pages.add("interconnect", N_("Interconnect"), self._make_interconnect)
        self.pages.add("scaling", N_("Scaling"), self._make_scaling)
        self.pages.add("cost", N_("Cost"), self._make_cost)
        for name in ("view.outline", "view.zoom_out", "view.zoom_in", "view.fit"):
            self.pages.add_tool(self.actions_.get(name))
        self.workload = WorkloadPanel(document)
        self.verdict = VerdictPanel(document)
        self.right = QWidget()
        self.right.setProperty("role", "panel")
        self.right.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.right.setMinimumWidth(300)
        column = QVBoxLayout(self.right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.workload)
        column.addWidget(self.verdict, 1)
        self.workspace = Workspace(self.catalogue, self.pages, self.right)
        self.start = StartPage(document, settings)
        self._start_toasts = Toasts(self.start.viewport(), document)
        self.centre = QStackedWidget()
        self.centre.addWidget(self.start)
        self.centre.addWidget(self.workspace)
        self.status = StatusBar(document)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.toolbar)
        rows.addWidget(rule())
        rows.addWidget(self.centre, 1)
        rows.addWidget(self.status)
        self.setCentralWidget(whole)
        self.setMinimumSize(760, 520)
        self._brand = QLabel()
        self._brand.setProperty("role", "strong")
        self._brand.setContentsMargins(12, 0, 8, 0)
        self._file = QLabel()
        self._file.setProperty("role", "muted")
        self._file.setContentsMargins(8, 7, 14, 5)
        self.menuBar().setCornerWidget(self._brand, Qt.Corner.TopLeftCorner)
        self.menuBar().setCornerWidget(self._file, Qt.Corner.TopRightCorner)

    def _make_interconnect(self) -> QWidget:
        # pyqtgraph takes half a second to load: not before somebody looks.
        from configurator.desktop.graph import InterconnectTab

        tab = InterconnectTab(self.document)
        tab.view.put_away = self.put_away
        return tab

    def _make_scaling(self) -> QWidget:
        from configurator.desktop.scaling_tab import ScalingTab

        return ScalingTab(self.document)

    def _make_cost(self) -> QWidget:
        from configurator.desktop.panels.cost import CostTab

        return CostTab(self.document)

    def _connect(self) -> None:
        document, canvas, desk = self.document, self.canvas, self.desk
        document.changed.connect(self._changed)
        document.selection_changed.connect(self.actions_.refresh_soon)
        document.clean_changed.connect(self._named)
        document.path_changed.connect(self._named)
        document.wording_changed.connect(self._retranslate)
        document.failed.connect(self._failed)
        document.told.connect(desk.toasts.say)
        document.stack.indexChanged.connect(self.actions_.refresh_soon)
        # Last of all that follow an answer: one painting shows what they have made of it.
        document.assessed.connect(lambda _answer: self._settle())
        for place in (canvas, self.outline):
            place.menu_requested.connect(self.menus.popup_context)
            place.add_requested.connect(lambda: self.actions_.run("plan.add_current"))
        self.actions_.share(self.outline)
        canvas.properties_requested.connect(self._properties)
        canvas.put_away = self.put_away
        canvas.hint_covered = lambda: self.selection_bar.isVisible() or desk.toasts.isVisible()
        self.selection_bar.properties_wanted.connect(lambda: self.actions_.run("edit.properties"))
        self.selection_bar.moved.connect(self._float)
        desk.toasts.clear_of = self.selection_bar.taken
        desk.toasts.turned.connect(canvas.viewport().update)
        desk.inspector.turned.connect(self.selection_bar.cover)
        canvas.palette_requested.connect(self.show_palette)
        canvas.link_made.connect(self._link_made)
        canvas.disarmed.connect(self.catalogue.disarm)
        canvas.zoom_changed.connect(self._zoomed)
        canvas.empty.site_wanted.connect(lambda kind: plan_commands.add_site(desk, kind))
        canvas.empty.examples_wanted.connect(self.show_start)
        self.workload.file_wanted.connect(lambda: self.actions_.run("file.model"))
        self.catalogue.armed.connect(self._arm)
        self.catalogue.menu_wanted.connect(self.menus.popup_card)
        self.start.example_wanted.connect(self.open_example)
        self.start.file_wanted.connect(lambda path: file.open_file(desk, path))
        self.start.open_wanted.connect(lambda: self.actions_.run("file.open"))
        self.start.new_wanted.connect(lambda: self.actions_.run("file.new"))
        tabs = self.toolbar.tabs
        tabs.rename_wanted.connect(lambda plan_id: plan_commands.rename_plan(desk, plan_id))
        tabs.menu_wanted.connect(self.menus.popup_plan)
        tabs.add_wanted.connect(self.menus.popup_add_plan)
        self.pages.shown.connect(self._page_shown)
        self.workspace.sides_changed.connect(self._sides_changed)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.applicationStateChanged.connect(self._state_changed)

    def _settle(self) -> None:
        settle(self.verdict.page, self.canvas.plan_scene, self.verdict.below.filled)

    def _restore(self) -> None:
        values = self.desk.settings.values
        if values.geometry:
            self.restoreGeometry(QByteArray.fromBase64(values.geometry.encode()))
        self.workspace.set_left(values.left_open)
        self.workspace.set_right(values.right_open)
        QTimer.singleShot(0, self, lambda: self.workspace.set_sizes(values.left_width, values.right_width))

    # -- following

    def _changed(self, _old: object, _new: object) -> None:
        self._named()

    def _named(self, _clean: bool = True) -> None:
        gettext = self.document.gettext
        name = file.name_of(self.desk)
        state = gettext("saved") if self.document.clean and self.document.path else gettext("not saved yet")
        if not self.document.clean:
            state = gettext("changed")
        self.setWindowTitle(f"{name}[*] – {gettext('GPU Configurator')}")
        self.setWindowModified(not self.document.clean)
        text = f"{name} — {state}" if self.at_work else ""
        if text != self._file.text():
            self._file.setText(text)
            # The menu bar gives the corner its width only when the corner is set.
            self.menuBar().setCornerWidget(self._file, Qt.Corner.TopRightCorner)
            self._file.show()
        self.actions_.refresh_soon()

    def _retranslate(self) -> None:
        gettext = self.document.gettext
        speak(self.document.wording.language)
        self._brand.setText(gettext("GPU Configurator"))
        self.menus.fill_bar(self.menuBar())
        self.pages.retranslate()
        self._zoomed(self.canvas.zoom)
        self._named()

    def _failed(self, messages: tuple[Message, ...]) -> None:
        text = "\n".join(self.document.wording.text(each) for each in messages)
        toasts = self.desk.toasts if self.at_work else self._start_toasts
        # On the start page nothing else tells that the file was not opened.
        toasts.offer(text, "", None, stay=len(messages) > 1 or not self.at_work)

    def offer(self, text: str, action: str, act: Callable[[], None] | None) -> None:
        """A message that stays until it is answered; over the start page too."""
        toasts = self.desk.toasts if self.at_work else self._start_toasts
        toasts.offer(text, action, act, stay=True)

    def _zoomed(self, zoom: float) -> None:
        self.pages.zoom.setText(f"{round(zoom * 100)} %")

    def _arm(self, payload: Payload) -> None:
        if self.pages.current == "hardware":
            self.canvas.arm(payload)

    def _properties(self, key: str) -> None:
        if key not in self.document.selection:
            self.document.select((key,))
        self.actions_.run("edit.properties")

    def _link_made(self, link_id: str) -> None:
        self.menus.popup_kinds(link_id, QCursor.pos())

    def _page_shown(self, name: str) -> None:
        self.pages.show_tools(name == "hardware")
        self.actions_.refresh()

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state != Qt.ApplicationState.ApplicationActive:
            self.desk.autosave.write()

    # -- what is shown

    def show_start(self) -> None:
        """Examples and recent files."""
        self.at_work = False
        self.start.refresh_recent()
        self.centre.setCurrentWidget(self.start)
        self.toolbar.show_work(False)
        self.start.setFocus()
        self.status.hide()
        self._named()

    def show_work(self) -> None:
        """The plan."""
        self.at_work = True
        self.centre.setCurrentWidget(self.workspace)
        self.toolbar.show_work(True)
        self.status.show()
        self.pages.show_page("hardware")
        self.pages.stack.setCurrentWidget(self.pages.page("hardware"))
        self._named()
        self.hardware.show_list(False)
        QTimer.singleShot(0, self, self._fit_and_assess)

    def _fit_and_assess(self) -> None:
        self.canvas.fit()
        if self.document.assessment is None:
            self.document.assess_now()

    def open_example(self, template_id: str) -> None:
        """Start from an example."""
        template = next((each for each in TEMPLATES if each.id == template_id), None)
        if template is not None and file.may_leave(self.desk):
            self.document.replace(template.build(self.document.catalogue))
            self.show_work()

    def show_tab(self, name: str) -> None:
        """Bring a view to the front."""
        self.pages.show_page(name)

    @property
    def left_open(self) -> bool:
        return self.workspace.left_open

    @property
    def right_open(self) -> bool:
        return self.workspace.right_open

    @property
    def as_list(self) -> bool:
        return self.hardware.as_list

    def toggle_list(self) -> None:
        self.show_tab("hardware")
        self.hardware.show_list(not self.as_list)

    def search(self) -> None:
        """The keyboard goes to the search of the list."""
        self.workspace.set_left(True)
        self.catalogue.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.catalogue.search.selectAll()

    def go_to_canvas(self) -> None:
        """The keyboard goes to the canvas."""
        self.show_tab("hardware")
        self.hardware.currentWidget().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_left(self) -> None:
        self.workspace.set_left(not self.left_open)

    def toggle_right(self) -> None:
        self.workspace.set_right(not self.right_open)

    def _sides_changed(self) -> None:
        self.toolbar.show_drawer_button(self.workspace.is_drawer or not self.right_open)
        self.actions_.refresh()

    def put_away(self) -> bool:
        """Close what floats over the window, innermost first; False when nothing does."""
        if self.desk.inspector.isVisible():
            self.desk.inspector.shut()
        elif self.workspace.is_drawer and self.right_open:
            self.workspace.set_right(False)
        elif self.presenting:
            self.toggle_presentation()
        else:
            return False
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Nobody below had a use for it.
        if event.key() == Qt.Key.Key_Escape and self.at_work and self.put_away():
            return
        super().keyPressEvent(event)

    def _float(self) -> None:
        """Messages stand beside the line of the selection, or above it."""
        self.desk.toasts.settle()
        self.canvas.viewport().update()

    def toggle_presentation(self) -> None:
        """The whole screen, large type, no editors; once more goes back."""
        self.presenting = not self.presenting
        present(self, self.presenting)

    def apply_theme(self) -> None:
        """The chosen theme on the whole program."""
        application = QApplication.instance()
        values = self.desk.settings.values
        if isinstance(application, QApplication):
            theme.apply(application, values.theme, values.reduced_motion)

    # -- help

    def show_palette(self) -> None:
        from configurator.desktop.palette import CommandPalette

        CommandPalette(self.desk, self.actions_).open()

    # -- files dropped, closing

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            file.take_file(self.desk, path)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.drag.cancel()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.drag.cancel()

    def closeEvent(self, event: QCloseEvent) -> None:
        if not file.may_leave(self.desk):
            event.ignore()
            return
        left, right = self.workspace.sizes()
        geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        if not self.presenting:
            self.desk.settings.put(
                geometry=geometry,
                left_width=left,
                right_width=right,
                left_open=self.left_open,
                right_open=self.right_open or self.workspace.is_drawer,
            )
        self.desk.autosave.discard()
        self.model_files.close()
        self.document.close()
        event.accept()
