"""The document: the current project, its undo steps, its assessment and what is selected.

One signal per edit carries the old and the new project. Edits are computed and assessed first and pushed then; the
undo step only swaps two references.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from configurator.catalogue import Catalogue
from configurator.desktop.answers import AnswerBook, Assessor, assess_with_engines, equally_assessed
from configurator.desktop.worker import LatestWins
from configurator.plan import store
from configurator.plan.edits import EditError
from configurator.plan.faults import fault_messages
from configurator.plan.index import all_ids
from configurator.plan.model import Plan, Project
from configurator.plan.projects import activate, active_plan, edit_plan, new_project
from configurator.wording import Wording
from configurator.wording.names import catalogue_names, plan_names

if TYPE_CHECKING:
    from configurator.assess import Assessment

log = logging.getLogger(__name__)

UNDO_LIMIT = 200
INLINE_LIMIT_S = 0.030
"""Longer assessments leave the main thread."""
DEEP_DELAY_MS = 250
"""Pause after the last edit before alternatives and unknowns are worked out."""

Extra = TypeVar("Extra")
PlanEdit = Callable[[Plan], Plan]
PlanMaking = Callable[[Plan], tuple[Plan, Extra]]
ProjectEdit = Callable[[Project], Project]


class _Swap(QUndoCommand):
    """The only undo step: the project before and after."""

    def __init__(self, document: Document, old: Project, new: Project, name: str, gesture: str) -> None:
        super().__init__(name)
        self._document = document
        self.old, self.new, self.gesture = old, new, gesture

    def redo(self) -> None:
        self._document._show(self.new)

    def undo(self) -> None:
        self._document._show(self.old)

    def id(self) -> int:
        return 1 if self.gesture else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Swap) or other.gesture != self.gesture:
            return False
        self.new = other.new
        self.setText(other.text())
        if self.new == self.old:
            self.setObsolete(True)
        return True


class Document(QObject):
    """Everything the screens show. They get the new value by a signal, or ask for it; they never change it."""

    changed = Signal(object, object)
    """(old project, new project), once per edit, undo, redo, load or change of the shown plan."""
    assessed = Signal(object)
    """The Assessment of the plan on the screen, or None while there is none."""
    busy_changed = Signal(bool)
    """An answer is being worked out in the background."""
    selection_changed = Signal()
    reveal_requested = Signal(object)
    """Ids to bring into view."""
    clean_changed = Signal(bool)
    path_changed = Signal()
    failed = Signal(object)
    """A tuple of Messages: what could not be done, and why."""
    told = Signal(str)
    """A sentence for the person, already in words."""
    wording_changed = Signal()
    """Language, audience or currency has changed: texts are to be set again."""

    def __init__(
        self,
        catalogue: Catalogue,
        project: Project | None = None,
        assessor: Assessor = assess_with_engines,
        *,
        deep: bool = True,
    ) -> None:
        super().__init__()
        self.catalogue = catalogue
        self._project = project or new_project()
        self._assess = assessor
        self._deep = deep
        self.path: Path | None = None
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(UNDO_LIMIT)
        self.stack.cleanChanged.connect(self.clean_changed)
        self._selection: tuple[str, ...] = ()
        self._ids: tuple[Plan, frozenset[str]] | None = None
        self._wording = self._base_wording("en", "owner")
        self._named: tuple[Plan, Wording, Wording] | None = None
        self._assessment: Assessment | None = None
        self.previous_assessment: Assessment | None = None
        """The answer before the last edit, for differences."""
        self._book = AnswerBook()
        self._assessed_project: Project | None = None
        self._stamp = ""
        self._slow = False
        self.last_workload = ""
        """Id of the workload that was looked at last, for screens that are made later."""
        self.unanswered = False
        """The engines gave up on the plan on the screen."""
        self._live_worker = LatestWins(self)
        self._deep_worker = LatestWins(self)
        self._live_worker.idle_changed.connect(lambda idle: self.busy_changed.emit(not idle))
        self._deep_timer = QTimer(self)
        self._deep_timer.setSingleShot(True)
        self._deep_timer.setInterval(DEEP_DELAY_MS)
        self._deep_timer.timeout.connect(self._start_deep)

    # -- what is there

    @property
    def assessor(self) -> Assessor:
        """Who answers, for a screen that asks about another plan than this one."""
        return self._assess

    @property
    def project(self) -> Project:
        return self._project

    @property
    def plan(self) -> Plan:
        """The plan on the screen."""
        return active_plan(self._project)

    @property
    def assessment(self) -> Assessment | None:
        """Of the plan on the screen; None while it is being worked out for the first time."""
        return self._assessment

    @property
    def clean(self) -> bool:
        return self.stack.isClean()

    @property
    def gettext(self) -> Callable[[str], str]:
        """Translation of fixed texts."""
        return self._wording.gettext

    @property
    def wording(self) -> Wording:
        """Wording that knows the names of the plan's objects and of the catalogue."""
        plan = self.plan
        if self._named is None or self._named[0] is not plan or self._named[1] is not self._wording:
            self._named = (plan, self._wording, self._wording.with_names(plan_names(plan, self.catalogue)))
        return self._named[2]

    def set_language(self, language: str) -> None:
        """Language of the screen; the project file keeps its own for the proposal."""
        self._reword(language, self._wording.audience)

    def set_audience(self, audience: str) -> None:
        """ "owner" for everyday words, "operator" for the terms of the trade."""
        self._reword(self._wording.language, audience)

    def _base_wording(self, language: str, audience: str) -> Wording:
        plain = Wording(
            "sk" if language == "sk" else "ru" if language == "ru" else "en",
            "operator" if audience == "operator" else "owner",
            currency=self._project.currency,
        )
        return plain.with_names(catalogue_names(self.catalogue))

    def use_catalogue(self, catalogue: Catalogue) -> None:
        """Another catalogue from now on: every screen shows it and the answer is worked out again. No undo step."""
        self._live_worker.cancel()
        self.catalogue = catalogue
        self._book.clear()
        self._named = None
        self._wording = self._base_wording(self._wording.language, self._wording.audience)
        self.wording_changed.emit()
        if self._assessed_project is not None:
            self._answer()

    def _reword(self, language: str, audience: str) -> None:
        old = self._wording
        self._wording = self._base_wording(language, audience)
        new = self._wording
        if (old.language, old.audience, old.currency) != (new.language, new.audience, new.currency):
            self.wording_changed.emit()

    # -- edits

    def edit(self, name: str, edit: PlanEdit, gesture: str = "") -> bool:
        """Change the plan on the screen as one undo step called ``name``.

        Steps with the same non-empty ``gesture`` that follow each other become one. False when nothing changed or
        the edit was refused; the refusal is told by ``failed``.
        """
        return self.edit_project(name, lambda project: edit_plan(project, edit), gesture)

    def make(self, name: str, make: PlanMaking[Extra], gesture: str = "") -> Extra | None:
        """Like ``edit`` for edits that also return what they made (ids); None when refused."""
        made: list[Extra] = []

        def keep(plan: Plan) -> Plan:
            plan, extra = make(plan)
            made.append(extra)
            return plan

        return made[0] if self.edit(name, keep, gesture) and made else None

    def edit_project(self, name: str, edit: ProjectEdit, gesture: str = "") -> bool:
        """Change the project as one undo step."""
        old = self._project
        try:
            new = edit(old)
        except EditError as refusal:
            self.failed.emit((refusal.message,))
            return False
        except ValidationError as error:
            self.failed.emit(fault_messages(error, "edit.bad_value")[:1])
            return False
        if new is old:
            return False
        self._prepare(new)
        self.stack.push(_Swap(self, old, new, name, gesture))
        return True

    def show_plan(self, plan_id: str) -> None:
        """Another variant on the screen; no undo step."""
        self._show(activate(self._project, plan_id))

    def _show(self, project: Project) -> None:
        old = self._project
        if project is old:
            return
        self._project = project
        if project.currency != self._wording.currency:
            self._reword(self._wording.language, self._wording.audience)
        self.changed.emit(old, project)
        if old.active_plan_id != project.active_plan_id or self._shown_selection(old) != self.selection:
            self.selection_changed.emit()
        self._answer()

    # -- answers

    def _prepare(self, project: Project) -> None:
        """Work the answer out before the edit is shown, when that is quick."""
        if not self._slow and self._book.known(project) is None and self._assessed_project is not None:
            self._compute(project)

    def _compute(self, project: Project) -> Assessment | None:
        started = time.perf_counter()
        try:
            answer = self._assess(project, self.catalogue)
        except Exception:
            log.exception("assessment failed")
            self._tell_failure()
            return None
        self._slow = time.perf_counter() - started > INLINE_LIMIT_S and self._assessed_project is not None
        self._book.keep(project, answer, deep=False)
        return answer

    def assess_now(self) -> None:
        """Answer for what is on the screen (at the start, after a load)."""
        self._answer()

    def _answer(self) -> None:
        project = self._project
        self._deep_timer.stop()
        self._deep_worker.cancel()
        known = self._book.known(project)
        if known is not None:
            self._live_worker.cancel()
            self._deliver(project, known[0], deep=known[1])
        elif self._slow:
            started = time.perf_counter()

            def deliver(answer: Assessment) -> None:
                self._slow = time.perf_counter() - started > INLINE_LIMIT_S
                self._book.keep(project, answer, deep=False)
                self._deliver(project, answer, deep=False)

            self._live_worker.submit(lambda: self._assess(project, self.catalogue), deliver, self._assessment_failed)
        else:
            answer = self._compute(project)
            self._deliver(project, answer, deep=False)

    def _tell_failure(self) -> None:
        self.told.emit(
            self.gettext("The answer could not be worked out. Your plan is safe; undo the last step and go on.")
        )

    def _assessment_failed(self, _error: Exception) -> None:
        self._tell_failure()
        self._deliver(self._project, None, deep=True)

    def _deliver(self, project: Project, answer: Assessment | None, *, deep: bool) -> None:
        before = self._assessed_project
        self._assessed_project = project
        self.unanswered = answer is None
        if answer is not self._assessment or self.unanswered:
            if before is None or before.active_plan_id != project.active_plan_id:
                self.previous_assessment = None
            elif not equally_assessed(before, project):
                self.previous_assessment = self._assessment
            self._assessment = answer
            self.assessed.emit(answer)
        if not deep and self._deep and answer is not None:
            self._deep_timer.start()

    def _start_deep(self) -> None:
        project = self._project

        def deliver(answer: Assessment) -> None:
            self._book.keep(project, answer, deep=True)
            if equally_assessed(project, self._project):
                self._deliver(self._project, answer, deep=True)

        self._deep_worker.submit(lambda: self._assess(project, self.catalogue, deep=True), deliver, lambda _error: None)

    @property
    def settled(self) -> bool:
        """No answer is on its way."""
        return not self._deep_timer.isActive() and self._live_worker.idle and self._deep_worker.idle

    # -- selection

    def _plan_ids(self, plan: Plan) -> frozenset[str]:
        if self._ids is None or self._ids[0] is not plan:
            self._ids = (plan, frozenset(all_ids(plan)))
        return self._ids[1]

    def _shown_selection(self, project: Project) -> tuple[str, ...]:
        ids = all_ids(active_plan(project))
        return tuple(each for each in self._selection if each in ids)

    @property
    def selection(self) -> tuple[str, ...]:
        """Ids of the selected objects that exist now; an undo brings the others back selected."""
        ids = self._plan_ids(self.plan)
        return tuple(each for each in self._selection if each in ids)

    def select(self, ids: Iterable[str], *, reveal: bool = False) -> None:
        """Select objects by id; with ``reveal`` also bring them into view."""
        new = tuple(dict.fromkeys(ids))
        if new != self._selection:
            self._selection = new
            self.selection_changed.emit()
        if reveal and self.selection:
            self.reveal_requested.emit(self.selection)

    # -- files

    def replace(self, project: Project, path: Path | None = None, *, clean: bool = True) -> None:
        """Another project on the screen: new, loaded or recovered. The undo steps end here."""
        self._selection = ()
        self._book.clear()
        self.stack.clear()
        if not clean:
            self.stack.resetClean()
        self.path = path
        self._stamp = store.stamp(path) if path is not None else ""
        self.previous_assessment = None
        self._assessed_project = None
        self._slow = False
        self._show(project)
        self.selection_changed.emit()
        self.path_changed.emit()
        self.clean_changed.emit(self.clean)

    def open(self, path: Path) -> bool:
        """Load a file; False when it cannot be read, told by ``failed``."""
        try:
            project = store.load(path)
        except store.StoreError as error:
            self.failed.emit(error.messages)
            return False
        self.replace(project, path.absolute())
        return True

    def save(self, path: Path) -> bool:
        """Write to ``path``; False when that fails, told by ``failed``."""
        try:
            store.save(self._project, path)
        except store.StoreError as error:
            self.failed.emit(error.messages)
            return False
        self.path = path.absolute()
        self._stamp = store.stamp(path)
        self.stack.setClean()
        self.path_changed.emit()
        return True

    @property
    def changed_on_disk(self) -> bool:
        """Somebody else wrote the file since it was opened or saved here; a file that is gone is nobody's work."""
        now = store.stamp(self.path) if self.path is not None else ""
        return bool(now) and bool(self._stamp) and now != self._stamp

    def close(self) -> None:
        """End background work and let go of the undo steps before the screens die."""
        self._deep_timer.stop()
        self._live_worker.close()
        self._deep_worker.close()
        self.stack.blockSignals(True)
        self.stack.clear()


__all__ = ["Assessor", "Document", "assess_with_engines", "equally_assessed"]
