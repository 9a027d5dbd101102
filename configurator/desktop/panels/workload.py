"""What should run: model, precision, load, limits, goal. A field may stay "not known"; a change is one undo step."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from configurator.desktop.document import Document
from configurator.desktop.model_files import weights_with
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.panels.workload_fields import FIELDS, FieldSpec, choices, model_said
from configurator.desktop.panels.workload_parts import (
    LABEL_W,
    Empty,
    Head,
    brief_of,
    fill_models,
    grid_of,
    help_of,
    range_said,
)
from configurator.desktop.theme import DOUBLE, HALF, UNIT
from configurator.desktop.widgets.inputs import Choice, NumberField, Segmented
from configurator.desktop.widgets.model_picker import ModelButton
from configurator.desktop.widgets.texts import Page, Section, label
from configurator.plan.edits import add_workload, duplicate, remove, update
from configurator.plan.index import servers as plan_servers
from configurator.plan.model import Plan, Project, Workload
from configurator.plan.projects import active_plan
from configurator.wording import Wording

GOALS: tuple[str | None, ...] = ("one_fast_answer", "many_answers", None)
LEAST, LEAST_FOLDED = 96, 56
Editor = NumberField | Choice | QCheckBox | QLineEdit


class WorkloadPanel(QScrollArea):
    """Upper part of the right side: as high as its fields, scrolls when there is less room."""

    about = Signal(str)
    """Id of the glossary entry of the field that has the focus."""
    file_wanted = Signal()
    """A model is to be read from a file."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setMinimumHeight(LEAST)
        self._page = Page()
        self._document = document
        self._current = CurrentWorkload(document, self)
        self._gesture = 0
        self.editors: dict[str, Editor] = {}
        self.labels: dict[str, QLabel] = {}
        self._head = Head()
        self._empty = Empty()
        self.chooser, self.add_button, self.menu_button = (
            self._head.chooser,
            self._head.add_button,
            self._head.menu_button,
        )
        self.starter, self.later = self._empty.starter, self._empty.later
        self.chooser.chosen.connect(lambda workload_id: self._current.choose(str(workload_id)))
        self.add_button.clicked.connect(self.add)
        self._head.duplicate.triggered.connect(self.duplicate)
        self._head.remove.triggered.connect(self.remove)
        self.starter.picked.connect(self._start_with)
        self.later.clicked.connect(lambda: self._start_with(None))
        self.model = ModelButton()
        self.model.picked.connect(self._pick_model)
        for button in (self.model, self.starter):
            button.card.file_wanted.connect(self.file_wanted)
        self.model_note = label("note", wrap=True)
        self.goal = Segmented(GOALS)
        self.goal.chosen.connect(lambda value: self._change("What matters more?", goal=value))
        self.goal_label = label("muted", wrap=True)
        self.fault = label("note", wrap=True)
        self.fault.setProperty("meaning", "stop")
        self.fault.setVisible(False)
        self.more = Section(foldable=True, folded=True)
        self.servers = QToolButton()
        self.servers.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.servers.setProperty("role", "field")
        self.servers_label = label("muted", wrap=True)
        self.brief = label("note", wrap=True)
        self._form = QWidget()
        self._lay_out()
        self._head.folded.connect(lambda _folded: self.refresh())
        column = QVBoxLayout(self._page)
        column.setContentsMargins(DOUBLE, UNIT + HALF, DOUBLE, HALF)
        column.setSpacing(UNIT)
        column.addWidget(self._head)
        column.addWidget(self._empty)
        column.addWidget(self.brief)
        column.addWidget(self._form)
        column.addStretch(1)
        self.setWidget(self._page)
        self._page.installEventFilter(self)
        document.changed.connect(self._changed)
        document.wording_changed.connect(self.retranslate)
        self._current.changed.connect(self.refresh)
        self.retranslate()

    # -- room

    def _wanted(self) -> int:
        width = self.viewport().width()
        layout = self._page.layout()
        if layout is None:
            return 0
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def sizeHint(self) -> QSize:
        return QSize(320, self._wanted())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    # -- building

    def _lay_out(self) -> None:
        first, second = grid_of(), grid_of()
        first.addWidget(self.model, 0, 0, 1, 2)
        first.addWidget(self.model_note, 1, 0, 1, 2)
        row = {False: 2, True: 0}
        for spec in FIELDS:
            editor = self._make_editor(spec)
            self.editors[spec.name] = editor
            text = label("muted", wrap=True)
            text.setFixedWidth(LABEL_W)
            text.setBuddy(editor)
            self.labels[spec.name] = text
            grid = second if spec.advanced else first
            if spec.kind == "flag":
                grid.addWidget(editor, row[spec.advanced], 0, 1, 2)
                text.setVisible(False)
            else:
                grid.addWidget(text, row[spec.advanced], 0)
                grid.addWidget(editor, row[spec.advanced], 1)
            row[spec.advanced] += 1
        first.addWidget(self.goal_label, row[False], 0, 1, 2)
        first.addWidget(self.goal, row[False] + 1, 0, 1, 2)
        self.servers_label.setFixedWidth(LABEL_W)
        second.addWidget(self.servers_label, row[True], 0)
        second.addWidget(self.servers, row[True], 1)
        self.more.content.addLayout(second)
        column = QVBoxLayout(self._form)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        column.addWidget(self.fault)
        column.addLayout(first)
        column.addWidget(self.more)

    def _make_editor(self, spec: FieldSpec) -> Editor:
        if spec.kind == "number":
            number = NumberField(whole=spec.whole, least=spec.least, most=spec.most)
            number.committed.connect(partial(self._commit_number, spec, False))
            number.stepped.connect(partial(self._commit_number, spec, True))
            number.refused.connect(partial(self._refused, spec))
            return number
        if spec.kind == "choice":
            choice = Choice()
            choice.chosen.connect(lambda value: self._change(spec.label, **{spec.name: value}))
            return choice
        if spec.kind == "flag":
            flag = QCheckBox()
            flag.clicked.connect(lambda on: self._change(spec.label, **{spec.name: on}))
            return flag
        line = QLineEdit()
        line.editingFinished.connect(lambda: self._commit_text(spec, line))
        return line

    # -- showing

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    def retranslate(self) -> None:
        _ = self._wording.gettext
        self.setAccessibleName(_("Workload"))
        self._head.retranslate(self._wording)
        self._empty.retranslate(self._wording)
        self.goal_label.setText(_("What matters more?"))
        self.more.set_title(_("More about the load and its limits"))
        self.servers_label.setText(_("Servers it may use"))
        self.model.setAccessibleName(_("Model"))
        for spec in FIELDS:
            text = _(spec.label)
            tip = help_of(self._wording, spec.term)
            self.labels[spec.name].setText(text)
            self.labels[spec.name].setToolTip(tip)
            editor = self.editors[spec.name]
            editor.setAccessibleName(text)
            editor.setToolTip(tip)
            if isinstance(editor, NumberField):
                editor.help_text = tip
                editor.decimal = self._wording.decimal
                editor.wrong_text = _("This is not a number. Type digits, such as 8 192 or 8k, or leave it empty.")
                editor.range_text = range_said(spec, self._wording)
            if isinstance(editor, NumberField | QLineEdit):
                editor.setPlaceholderText(_(spec.empty) if spec.empty else "")
            if isinstance(editor, QCheckBox):
                editor.setText(text)
        fill_models((self.model, self.starter), self._document.catalogue, self._wording)
        self.refresh()

    def _changed(self, old: Project, new: Project) -> None:
        """Most edits are about hardware; then there is nothing to fill again."""
        before, after = active_plan(old), active_plan(new)
        same_servers = before.sites is after.sites or _servers(before) == _servers(after)
        # An edit of the hardware rebuilds the tuple around the same workloads.
        if before.workloads != after.workloads or not same_servers:
            self.refresh()

    def refresh(self) -> None:
        """Show the document's workload."""
        workload = self._current.workload
        workloads = self._document.plan.workloads
        self._empty.setVisible(workload is None)
        self._form.setVisible(workload is not None and self._head.open)
        self.brief.setVisible(workload is not None and not self._head.open)
        self.setMinimumHeight(LEAST if self._head.open else LEAST_FOLDED)
        self.menu_button.setVisible(workload is not None)
        self.add_button.setVisible(workload is not None)
        self.chooser.setVisible(len(workloads) > 1)
        if workload is None:
            return
        self.brief.setText(brief_of(workload, self._document.catalogue, self._wording))
        self.chooser.show_choices([(each.id, each.name, "") for each in workloads], workload.id)
        self._show_model(workload)
        for spec in FIELDS:
            shown = spec.shown_for(workload.task)
            self.editors[spec.name].setVisible(shown)
            self.labels[spec.name].setVisible(shown and spec.kind != "flag")
            if shown:
                self._show_field(spec, workload)
        self._show_goal(workload)
        self._show_servers(workload)

    def _show_model(self, workload: Workload) -> None:
        wording = self._wording
        model = self._document.catalogue.models.get(workload.model or "")
        if model is not None:
            self.model.show_model(model.id, model.name)
            self.model_note.setText(model_said(model, wording, short=True))
        else:
            self.model.show_model(None, workload.model or wording.gettext("Choose a model"))
            said = wording.gettext("Not in your catalogue: drop its config.json on the window.")
            said = said if workload.model else ""
            self.model_note.setText(said)
        self.model_note.setVisible(bool(self.model_note.text()))

    def _show_field(self, spec: FieldSpec, workload: Workload) -> None:
        editor = self.editors[spec.name]
        value = getattr(workload, spec.name)
        if isinstance(editor, NumberField):
            shown = None if value is None or (value == 0 and spec.least == 0) else value / spec.scale
            text = "" if shown is None else self._wording.number(shown, 6)
            editor.show_value(shown, text)
        elif isinstance(editor, Choice):
            editor.show_choices(choices(spec, workload, self._document.catalogue, self._wording), value)
        elif isinstance(editor, QCheckBox):
            editor.setChecked(bool(value))
        elif not editor.isModified() or editor.text() == value:
            editor.setText(str(value))
            editor.setModified(False)

    def _show_goal(self, workload: Workload) -> None:
        _ = self._wording.gettext
        serving = workload.task in {"chat", "batch"}
        self.goal.setVisible(serving)
        self.goal_label.setVisible(serving)
        self.goal.show_value(
            workload.goal,
            (_("one fast answer"), _("many answers"), _("not known")),
            (
                _("Each person waits as little as possible."),
                _("As many people as possible are served at the same time."),
                _("Both are shown; the layout may change with the answer."),
            ),
        )

    def _show_servers(self, workload: Workload) -> None:
        _ = self._wording.gettext
        machines = [server for _site, server in plan_servers(self._document.plan)]
        several = len(machines) > 1
        self.servers.setVisible(several)
        self.servers_label.setVisible(several)
        if not several:
            return
        names = [server.name for server in machines if server.id in workload.server_ids]
        self.servers.setText(", ".join(names) if names else _("all"))
        self.servers.setAccessibleName(_("Servers it may use"))
        menu = QMenu(self.servers)
        for server in machines:
            action = menu.addAction(server.name)
            action.setCheckable(True)
            action.setChecked(not workload.server_ids or server.id in workload.server_ids)
            action.toggled.connect(partial(self._use_server, server.id))
        old = self.servers.menu()
        self.servers.setMenu(menu)
        if old is not None:
            old.deleteLater()

    # -- edits

    def _change(self, what: str, gesture: str = "", **fields: object) -> bool:
        workload = self._current.workload
        if workload is None:
            return False
        _ = self._wording.gettext
        name = _("Change: {what}").format(what=_(what).lower())

        def edit(plan: Plan) -> Plan:
            return update(plan, workload.id, **fields)

        changed = self._document.edit(name, edit, gesture)
        if not changed:
            self.refresh()
        return changed

    def _commit_number(self, spec: FieldSpec, step: bool, value: float | None) -> None:
        workload = self._current.workload
        if workload is None:
            return
        stored: object = None
        if value is not None:
            stored = round(value * spec.scale) if spec.whole else value * spec.scale
        elif spec.least == 0:
            stored = 0.0
        self._gesture += 0 if step else 1
        gesture = f"step-{workload.id}-{spec.name}-{self._gesture}" if step else ""
        self._change(spec.label, gesture, **{spec.name: stored})

    def _refused(self, spec: FieldSpec, reason: str) -> None:
        """The reason stands in the panel until it is mended; the answer below still goes by the old value."""
        _ = self._wording.gettext
        kept = _("The answer goes on with the last value.")
        self.fault.setText(f"{_(spec.label)}: {reason} {kept}" if reason else "")
        self.fault.setVisible(bool(reason))

    def _commit_text(self, spec: FieldSpec, line: QLineEdit) -> None:
        if not line.isModified():
            return
        text = line.text().strip()
        line.setModified(False)
        if spec.name == "name" and not text:
            self.refresh()
            return
        self._change(spec.label, **{spec.name: text})

    def _pick_model(self, model_id: str | None) -> None:
        workload = self._current.workload
        weights = workload.weights if workload is not None else ""
        kept = weights_with(model_id, weights, self._document.catalogue)
        self._change("Model", model=model_id, **({} if kept == weights else {"weights": kept}))

    def _use_server(self, server_id: str, on: bool) -> None:
        workload = self._current.workload
        if workload is None:
            return
        machines = [server.id for _site, server in plan_servers(self._document.plan)]
        used = set(workload.server_ids or machines)
        used = used | {server_id} if on else used - {server_id}
        chosen = tuple(each for each in machines if each in used)
        # All of them, or none, is said as "all": a workload without a server cannot run.
        self._change("Servers it may use", server_ids=() if len(chosen) in {0, len(machines)} else chosen)

    def _start_with(self, model_id: str | None) -> None:
        _ = self._wording.gettext
        model = self._document.catalogue.models.get(model_id or "")
        name = model.name if model is not None else _("Workload")

        def make(plan: Plan) -> tuple[Plan, str]:
            return add_workload(plan, name, model=model_id)

        made = self._document.make(_("Add a workload"), make)
        if made is not None:
            self._current.choose(made)

    def add(self) -> None:
        """Another workload; the panel turns to it."""
        taken = {each.name for each in self._document.plan.workloads}
        stem = self._wording.gettext("Workload")
        name = next(f"{stem} {number}" for number in range(len(taken) + 1, 10_000) if f"{stem} {number}" not in taken)
        made = self._document.make(self._wording.gettext("Add a workload"), lambda plan: add_workload(plan, name))
        if made is not None:
            self._current.choose(made)

    def duplicate(self) -> None:
        """A copy of the workload."""
        workload = self._current.workload
        if workload is None:
            return
        name = self._wording.gettext("Duplicate the workload")
        made = self._document.make(name, lambda plan: duplicate(plan, (workload.id,)))
        if made:
            self._current.choose(made[0])

    def remove(self) -> None:
        """Take the workload away; undo brings it back."""
        workload = self._current.workload
        if workload is not None:
            name = self._wording.gettext("Remove the workload")
            self._document.edit(name, lambda plan: remove(plan, (workload.id,)))


def _servers(plan: Plan) -> list[tuple[str, str]]:
    return [(server.id, server.name) for _site, server in plan_servers(plan)]
