"""The interconnect tab: the picture of all connections, live, with what the layout uses and what a failure stops."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from configurator.desktop import icons
from configurator.desktop.document import Document
from configurator.desktop.graph_view import ZOOM_STEP, GraphView
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.theme import DOUBLE, HALF, UNIT
from configurator.desktop.what_if import WhatIf, offered
from configurator.desktop.widgets.inputs import Choice
from configurator.desktop.widgets.legend import Legend
from configurator.desktop.widgets.texts import label
from configurator.diagram.interconnect import View, interconnect
from configurator.diagram.picture import Picture
from configurator.diagram.request_path import request_path
from configurator.scaling.topology import Topology, build_topology
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import Assessment

PARTS = frozenset({"group", "socket", "chipset", "nvswitch"})
INNER = frozenset({"sockets", "nvlink"})
"""Parts that stand for their whole server; only its own outline lights up with it."""
NARROW = 760
"""Below this width the strip above the picture says less."""
VIEWS: tuple[View, ...] = ("auto", "cards", "servers", "groups")


class InterconnectTab(QWidget):
    """Redraws when the plan or its answer changes, and only while it is on the screen."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setProperty("role", "canvas")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._document = document
        self._current = CurrentWorkload(document, self)
        self._dirty = True
        self.what_if = WhatIf(document, self._current, self)
        self._view: View = "auto"
        self._topology: tuple[object, Topology] | None = None
        self.view = GraphView()
        self.view.picked.connect(document.select)
        self.legend = Legend()
        self.empty = label("muted", wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.workload = Choice()
        self.workload.chosen.connect(lambda workload_id: self._current.choose(str(workload_id)))
        self.detail = self._menu_button()
        self.failure = self._menu_button()
        self.traffic = QCheckBox()
        self.traffic.toggled.connect(lambda _on: self.refresh())
        self.path = QCheckBox()
        self.path.toggled.connect(lambda _on: self.refresh())
        self.zoom = label("muted")
        self.view.zoomed.connect(lambda scale: self.zoom.setText(f"{round(scale * 100)} %"))
        self.zoom_out = self._tool("zoom-out", lambda: self.view.zoom_by(1 / ZOOM_STEP))
        self.zoom_in = self._tool("zoom-in", lambda: self.view.zoom_by(ZOOM_STEP))
        self.fit_button = self._tool("fit", self.view.fit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._top())
        column.addWidget(self.view, 1)
        column.addWidget(self.empty, 1)
        column.addWidget(self.what_if.panel)
        column.addLayout(self._bottom())
        document.changed.connect(lambda _old, _new: self._later())
        document.assessed.connect(lambda _answer: self.refresh())
        document.selection_changed.connect(self.refresh)
        document.reveal_requested.connect(self._reveal)
        document.wording_changed.connect(self.retranslate)
        self._current.changed.connect(self.refresh)
        self.what_if.changed.connect(self.refresh)
        self.retranslate()

    # -- building

    def _menu_button(self) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "quiet")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(QMenu(button))
        return button

    def _tool(self, name: str, act: object) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "quiet")
        icons.bind(button, name, "muted")
        if callable(act):
            button.clicked.connect(lambda _on=False: act())
        return button

    def _top(self) -> QWidget:
        strip = QWidget()
        # The strip gives way to the tab, not the tab to the strip: texts get shorter instead.
        strip.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(strip)
        row.setContentsMargins(DOUBLE, HALF, DOUBLE, HALF)
        row.setSpacing(UNIT)
        row.addWidget(self.workload)
        row.addWidget(self.detail)
        row.addWidget(self.failure)
        row.addWidget(self.traffic)
        row.addWidget(self.path)
        row.addStretch(1)
        row.addWidget(self.zoom)
        row.addWidget(self.zoom_out)
        row.addWidget(self.zoom_in)
        row.addWidget(self.fit_button)
        return strip

    def _bottom(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(DOUBLE + HALF, UNIT, DOUBLE, UNIT + HALF)
        row.addWidget(self.legend, 1)
        return row

    # -- showing

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    @property
    def picture(self) -> Picture:
        """What is on the surface, for export."""
        return self.view.picture

    def retranslate(self) -> None:
        _ = self._wording.gettext
        self.setAccessibleName(_("Interconnect"))
        self.view.setAccessibleName(_("How everything is connected"))
        self.legend.setAccessibleName(_("Legend"))
        self.workload.setAccessibleName(_("Workload"))
        self.traffic.setToolTip(_("only what the layout uses"))
        self.path.setToolTip(_("Where weights load, where questions arrive, and which machines an answer needs"))
        for button, text in (
            (self.zoom_in, _("Zoom in")),
            (self.zoom_out, _("Zoom out")),
            (self.fit_button, _("Fit everything")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # A child hears nothing of its window's end, and a running job must not outlive the tab.
        self.window().installEventFilter(self)
        if self._dirty:
            self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self.window():
            self.what_if.close()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (event.oldSize().width() < NARROW) != (event.size().width() < NARROW):
            self._fill_menus()
        self._later()

    def _later(self) -> None:
        """An answer mostly follows an edit at once; then one drawing is enough."""
        if not self._dirty:
            self._dirty = True
            QTimer.singleShot(0, self, self._if_dirty)

    def _if_dirty(self) -> None:
        if self._dirty and self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Draw what the document holds now; later when the tab is not on the screen."""
        if not self.isVisible():
            self._dirty = True
            return
        self._dirty = False
        plan = self._document.plan
        workloads = plan.workloads
        self.workload.setVisible(len(workloads) > 1)
        chosen = self._current.workload
        self.workload.show_choices([(each.id, each.name, "") for each in workloads], chosen.id if chosen else None)
        on_path = self.path.isChecked()
        if on_path:
            self.what_if.ids = ()
        self.what_if.refresh(self._graph())
        self._fill_menus()
        for tool in (self.detail, self.failure, self.traffic):
            tool.setEnabled(not on_path)
        picture = self._path_picture() if on_path else self._wires_picture()
        self.empty.setText(
            self._wording.gettext("A question has no way yet: no model runs on these cards.")
            if on_path
            else self._wording.gettext("Nothing to connect yet. Add a place, a server and cards on the hardware tab.")
        )
        self.view.setVisible(not picture.empty)
        self.empty.setVisible(picture.empty)
        self.legend.show_keys(picture.legend)
        self.view.setAccessibleDescription(picture.summary)
        self.view.show_picture(picture, self._lit(picture), self._faint(picture))

    def _answer(self) -> Assessment | None:
        plan, assessment = self._document.plan, self._document.assessment
        return assessment if assessment is not None and assessment.plan_id == plan.id else None

    def _wires_picture(self) -> Picture:
        chosen = self._current.workload
        return interconnect(
            self._document.plan,
            self._graph(),
            self._answer(),
            self._wording,
            workload_id=chosen.id if chosen is not None else None,
            view=self._view,
            failing=self.what_if.ids,
            aspect=self._aspect(),
        )

    def _path_picture(self) -> Picture:
        """Where weights load, where questions arrive, which machines an answer needs (R16)."""
        chosen, document = self._current.workload, self._document
        return request_path(
            document.plan, self._answer(), document.catalogue, self._wording, chosen.id if chosen is not None else None
        )

    def _aspect(self) -> float:
        """Shape of the surface in coarse steps, so that a small move of an edge breaks no row anew."""
        return max(0.5, round(self.view.width() / max(self.view.height(), 1) * 4) / 4)

    def _graph(self) -> Topology:
        """The expected topology, from the answer where it is about this very plan."""
        plan, assessment = self._document.plan, self._document.assessment
        facts = assessment.facts if assessment is not None else None
        if facts is not None and facts.plan is plan:
            return facts.topology
        key = (plan.sites, plan.links, plan.failed_ids)
        if self._topology is None or self._topology[0] != key:
            self._topology = (key, build_topology(plan, self._document.catalogue))
        return self._topology[1]

    def _lit(self, picture: Picture) -> set[str]:
        selected = set(self._document.selection)
        if not selected:
            return set()
        lit = {box.id for box in picture.boxes if box.object_id in selected or selected & set(box.members)}
        lit -= {box.id for box in picture.boxes if box.kind in PARTS}
        return lit | {edge.id for edge in picture.edges if edge.object_id in selected and edge.kind not in INNER}

    def _faint(self, picture: Picture) -> set[str]:
        if not self.traffic.isChecked():
            return set()
        faint = {edge.id for edge in picture.edges if not edge.used}
        return faint | {box.id for box in picture.boxes if box.state == "idle"}

    def _reveal(self, ids: tuple[str, ...]) -> None:
        if not self.isVisible():
            return
        wanted = set(ids)
        found = next((box for box in self.picture.boxes if box.object_id in wanted or wanted & set(box.members)), None)
        if found is not None:
            self.view.show_box(found)

    # -- menus

    def _fill_menus(self) -> None:
        _ = self._wording.gettext
        names = {
            "auto": _("by size"),
            "cards": _("every card"),
            "servers": _("servers"),
            "groups": _("equal servers as one"),
        }
        short = self.width() < NARROW
        detail = _("Detail: {what}").format(what=names[self._view])
        self.detail.setText((names[self._view] if short else detail) + " ▾")
        self.detail.setToolTip(detail)
        menu = self.detail.menu()
        menu.clear()
        for view in VIEWS:
            action = menu.addAction(names[view])
            action.setCheckable(True)
            action.setChecked(view == self._view)
            action.triggered.connect(partial(self.set_detail, view))
        nothing = _("nothing")
        failing = self.what_if.ids
        said = ", ".join(self._wording.value("object_id", each) for each in failing) or nothing
        what_if = _("What if this fails: {what}").format(what=said)
        self.failure.setText((_("What if…") if failing or short else what_if) + " ▾")
        self.failure.setToolTip(what_if)
        self.traffic.setText(_("used only") if short else _("only what the layout uses"))
        # Beside the choice of a workload there is no room for more.
        self.path.setText(_("a question") if short and not self.workload.isHidden() else _("way of a question"))
        self.path.setToolTip(_("way of a question"))
        self.path.setAccessibleName(self.path.toolTip())
        self.zoom.setVisible(not short)
        menu = self.failure.menu()
        menu.clear()
        menu.addAction(nothing).triggered.connect(partial(self.set_failing, ()))
        selected = self._document.selection
        if selected:
            menu.addAction(_("What is selected")).triggered.connect(partial(self.set_failing, selected))
        menu.addSeparator()
        for object_id in offered(self._document.plan):
            menu.addAction(self._wording.value("object_id", object_id)).triggered.connect(
                partial(self.set_failing, (object_id,))
            )
        for button in (self.detail, self.failure):
            button.setAccessibleName(button.toolTip())

    def set_detail(self, view: View, _on: bool = True) -> None:
        """How much is drawn."""
        self._view = view
        self.refresh()

    def set_failing(self, ids: tuple[str, ...], _on: bool = True) -> None:
        """What if these failed; nothing in the plan changes."""
        self.what_if.set(ids)

    # -- zoom, as the window's actions call it

    def zoom_by(self, factor: float) -> None:
        self.view.zoom_by(factor)

    def actual_size(self) -> None:
        self.view.actual_size()

    def fit(self) -> None:
        self.view.fit()
