"""The what-if of the interconnect tab: what is taken as failed on trial, its answer, and the step into the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from configurator.desktop.document import Document
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.panels.failure import FailurePanel, Outage, effects_of
from configurator.desktop.worker import LatestWins
from configurator.diagram.failure import copies_down
from configurator.diagram.placement import placement
from configurator.plan.edits import set_failed
from configurator.plan.index import failable_ids, has_line, line_id
from configurator.plan.model import Plan, Project
from configurator.plan.projects import edit_plan
from configurator.scaling.topology import Topology

if TYPE_CHECKING:
    from configurator.assess import Assessment

MOST_OFFERED = 40


class WhatIf(QObject):
    """Keeps the ids on trial and their answer; the plan changes only by ``take``."""

    changed = Signal()
    """Other objects are on trial."""

    def __init__(self, document: Document, current: CurrentWorkload, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._current = current
        self._worker = LatestWins(self)
        self._asked: tuple[Project, tuple[str, ...]] | None = None
        self._left: Assessment | None = None
        self._topology: Topology | None = None
        self.ids: tuple[str, ...] = ()
        self.panel = FailurePanel()
        self.panel.taken.connect(self.take)
        self.panel.closed.connect(lambda: self.set(()))

    def set(self, ids: tuple[str, ...]) -> None:
        """What if these failed; nothing in the plan changes."""
        self.ids = ids
        self.changed.emit()

    def take(self) -> None:
        """Make it part of the plan, or let all of it work again there: one undo step, and the trial ends."""
        document, ids = self._document, self.ids
        failed = not self._in_plan
        word = document.gettext("Take as failed: {things}" if failed else "Working again: {things}")
        names = document.wording.value("object_ids", ids)
        self.ids = ()
        document.edit(word.replace("{things}", names), lambda plan: set_failed(plan, ids, failed))
        self.changed.emit()

    @property
    def _in_plan(self) -> bool:
        return set(self.ids) <= set(self._document.plan.failed_ids)

    def refresh(self, topology: Topology) -> None:
        """Follow the plan and its answer; the panel is there while something is on trial."""
        plan = self._document.plan
        known = failable_ids(plan)
        self.ids = tuple(each for each in self.ids if each in known)
        self._topology = topology
        if self.ids:
            self._ask()
            self._show()
        else:
            self._worker.cancel()
            self._asked, self._left = None, None
        self.panel.setVisible(bool(self.ids))

    def _ask(self) -> None:
        """The answer for what would be left, in the background."""
        project, ids, catalogue = self._document.project, self.ids, self._document.catalogue
        if self._asked is not None and self._asked[0] is project and self._asked[1] == ids:
            return
        self._asked, self._left = (project, ids), None
        trial = edit_plan(project, lambda plan: set_failed(plan, ids, True))
        assess = self._document.assessor
        self._worker.submit(lambda: assess(trial, catalogue), self._take, lambda _error: None)

    def _take(self, left: Assessment) -> None:
        self._left = left
        if self.ids:
            self._show()

    def _show(self) -> None:
        document = self._document
        answer = self._current.answer(document.assessment)
        chosen = answer.chosen if answer is not None else None
        runs = chosen is not None and chosen.memory.fit != "no"
        down = 0
        if runs and self._topology is not None:
            placed = placement(chosen, self._topology)
            down = len(copies_down(document.plan, placed, self.ids, self._current.workload))
        outage = Outage(
            self.ids,
            effects_of(answer, self.ids),
            len(chosen.instances) if chosen is not None and runs else 0,
            down,
            answer,
            self._current.answer(self._left),
        )
        self.panel.show_outage(outage, document.wording, in_plan=self._in_plan)

    @property
    def settled(self) -> bool:
        """No answer is on its way."""
        return self._worker.idle

    def close(self) -> None:
        """Wait for the running job; nothing is delivered any more."""
        self._worker.close()


def offered(plan: Plan) -> list[str]:
    """Objects offered in the menu: places with their lines, servers, switches, connections, cards while few."""
    ids: list[str] = []
    cards: list[str] = []
    for site in plan.sites:
        ids.append(site.id)
        if has_line(plan, site):
            ids.append(line_id(site.id))
        ids += [switch.id for switch in site.switches]
        for server in site.servers:
            ids.append(server.id)
            cards += [slot.gpu.id for slot in server.slots if slot.gpu is not None]
    ids += [link.id for link in plan.links]
    return [*ids, *cards][:MOST_OFFERED]
