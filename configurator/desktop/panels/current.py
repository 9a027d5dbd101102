"""Which workload the panels talk about: the selected one, else the last one looked at, else the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from configurator.desktop.document import Document
from configurator.plan.model import Workload

if TYPE_CHECKING:
    from configurator.assess import Assessment, WorkloadAssessment


class CurrentWorkload(QObject):
    """Follows the document's selection; every panel has its own and they agree, since the selection is shared."""

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._id = document.last_workload
        document.selection_changed.connect(self._follow)

    @property
    def workload(self) -> Workload | None:
        """The workload as it stands in the plan; None while there is none."""
        workloads = self._document.plan.workloads
        found = next((each for each in workloads if each.id == self._id), None)
        return found or (workloads[0] if workloads else None)

    def answer(self, assessment: Assessment | None) -> WorkloadAssessment | None:
        """The part of an assessment about it."""
        workload = self.workload
        if assessment is None or workload is None:
            return None
        return next((each for each in assessment.workloads if each.workload_id == workload.id), None)

    def choose(self, workload_id: str) -> None:
        """Talk about this one, in every panel."""
        self._document.select((workload_id,))
        self._take(workload_id)

    def _follow(self) -> None:
        chosen = next((each.id for each in self._document.plan.workloads if each.id in self._document.selection), None)
        if chosen is not None:
            self._take(chosen)

    def _take(self, workload_id: str) -> None:
        if workload_id != self._id:
            self._id = self._document.last_workload = workload_id
            self.changed.emit()
