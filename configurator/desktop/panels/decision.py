"""The questions of the decision: the one that ended the talk in sight, those before it and those not asked folded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from configurator.desktop.panels.rows import StepRow
from configurator.desktop.widgets.texts import Rows, Section
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.results import Step


class Decision(Section):
    """For what is planned, and folded for a server that could be bought."""

    def __init__(self) -> None:
        super().__init__()
        self._wording: Wording | None = None
        self.last: Rows[Step, StepRow] = Rows(StepRow, self._fill)
        self.before, self.before_rows = self._folded()
        self.not_asked, self.not_asked_rows = self._folded()
        self.buy, self.buy_rows = self._folded()
        for widget in (self.last, self.before, self.not_asked, self.buy):
            self.content.addWidget(widget)

    def _folded(self) -> tuple[Section, Rows[Step, StepRow]]:
        section = Section(foldable=True, folded=True)
        rows: Rows[Step, StepRow] = Rows(StepRow, self._fill)
        section.content.addWidget(rows)
        return section, rows

    def _fill(self, row: StepRow, step: Step) -> None:
        if self._wording is not None:
            row.show_step(step, self._wording)

    def show_steps(self, steps: Sequence[Step], wording: Wording) -> None:
        self._wording = wording
        _ = wording.gettext
        self.set_title(_("Decision"))
        asked = [step for step in steps if step.scope == "owned" and step.answer != "not_asked"]
        left = [step for step in steps if step.scope == "owned" and step.answer == "not_asked"]
        bought = [step for step in steps if step.scope == "buy" and step.answer != "not_asked"]
        self.last.show_items(asked[-1:])
        for section, rows, shown, title in (
            (self.before, self.before_rows, asked[:-1], _("Asked before ({n})")),
            (self.not_asked, self.not_asked_rows, left, _("Not asked, no longer needed ({n})")),
            (self.buy, self.buy_rows, bought, _("The same for a server you could buy")),
        ):
            section.fill(partial(rows.show_items, shown))
            section.set_title(title.replace("{n}", wording.count(len(shown))))
            section.setVisible(bool(shown))
        self.setVisible(bool(steps))
