"""What to do next: the first things shown, the rest folded; each with who does it and the objects it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from configurator.desktop import icons
from configurator.desktop.theme import UNIT
from configurator.desktop.widgets.marks import NumberBadge
from configurator.desktop.widgets.texts import Rows, Section, breakable, label
from configurator.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from configurator.advice.results import Finding, UnknownFact
    from configurator.advice.todo import Task
    from configurator.assess import Assessment

FIRST_STEPS = 3
"""The others are folded."""
MOST_NAMES = 2
"""Objects named in a row; more of them are counted."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do, in words. ``subjects``: ids of the objects it is about."""

    number: int
    words: str
    who: str
    subjects: tuple[str, ...]
    objects: str


def next_steps(assessment: Assessment, wording: Wording) -> tuple[NextStep, ...]:
    """The list of the proposal, in its order; what waits for another answer is not in it."""
    # The engines load when the first answer is asked for.
    from configurator.advice.todo import todo

    if assessment.facts is None:
        return ()
    findings = [each for each in assessment.findings if each.set_aside_remark is None]
    unknowns = [each for answer in assessment.workloads for each in answer.unknowns]
    # The fields of a workload stand right above the list.
    loads = {each.workload_id for each in assessment.workloads}
    buying = any(not line.owned for line in assessment.cost.shopping)
    tasks = todo(assessment.facts, assessment.verdict, unknowns, findings, assessment.alternatives, buying).tasks
    made = []
    for number, task in enumerate(tasks, 1):
        subjects = tuple(each for each in _subjects(task, findings, unknowns) if each not in loads)
        made.append(NextStep(number, words_of(task, wording), _who(task, wording), subjects, named(subjects, wording)))
    return tuple(made)


def words_of(task: Task, wording: Wording) -> str:
    """A task as a sentence that stands on its own, as the proposal prints it."""
    words = wording.text(task.text)
    topic = wording.text(task.topic) if task.topic is not None else ""
    if task.code == "ask":
        return f"{words} {topic}"
    if task.code == "change" and topic:
        said = wording.gettext("Change the plan: {option}. {why}")
        return said.replace("{option}", topic).replace("{why}", words)
    return f"{topic}: {words}" if topic else words


def _who(task: Task, wording: Wording) -> str:
    who = wording.word(task.who)
    return who[:1].upper() + who[1:]


def _subjects(task: Task, findings: Sequence[Finding], unknowns: Sequence[UnknownFact]) -> tuple[str, ...]:
    """What the task is about: the objects of its finding or question, or those that its sentence names."""
    if task.code == "ask":
        return next(((each.subject_id,) for each in unknowns if each.question == task.topic and each.subject_id), ())
    behind = next((each for each in findings if each.action == task.text and each.subjects), None)
    if behind is not None:
        return behind.subjects
    told = dict(task.text.params).get("object_id")
    return (told,) if isinstance(told, str) else ()


def named(subjects: Sequence[str], wording: Wording) -> str:
    """Such as "node 1", "node 1, node 2" or "node 1 and 7 more"; ids without a name are left out."""
    names = [name for each in subjects if (name := wording.value("object_id", each)) != each]
    shown = ", ".join(names[:MOST_NAMES])
    if len(names) <= MOST_NAMES:
        return shown
    said = wording.gettext("{names} and {count} more")
    return said.replace("{names}", names[0]).replace("{count}", wording.count(len(names) - 1))


class NextStepRow(QWidget):
    """Number, what to do, who does it and to what; a click shows the objects."""

    chosen = Signal(object)
    """Ids of the objects."""

    def __init__(self) -> None:
        super().__init__()
        self._subjects: tuple[str, ...] = ()
        self.badge = NumberBadge()
        self.words: QLabel = label("", wrap=True)
        self.who: QLabel = label("note", wrap=True)
        self.show_button = QToolButton()
        self.show_button.setProperty("role", "mark")
        self.show_button.setCursor(Qt.CursorShape.PointingHandCursor)
        icons.bind(self.show_button, "search", "accent_ink")
        self.show_button.clicked.connect(lambda: self.chosen.emit(self._subjects))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(1)
        grid.addWidget(self.badge, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.words, 0, 1)
        grid.addWidget(self.show_button, 0, 2, 2, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.who, 1, 1)
        grid.setColumnStretch(1, 1)

    def show_step(self, step: NextStep, wording: Wording) -> None:
        self._subjects = step.subjects
        self.badge.show_number(step.number, None)
        self.words.setText(breakable(step.words))
        self.who.setText(f"{step.who} · {step.objects}" if step.objects else step.who)
        self.show_button.setVisible(bool(step.subjects))
        self.show_button.setToolTip(wording.gettext("Show"))
        self.show_button.setAccessibleName(f"{wording.gettext('Show')}: {step.objects} {step.words}")
        self.setAccessibleName(f"{step.number}. {step.words} {step.who}")


class NextSteps(Section):
    """The list under the verdict."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._wording: Wording | None = None
        self.first: Rows[NextStep, NextStepRow] = Rows(self._make, self._fill)
        self.rest = Section(foldable=True, folded=True)
        self.others: Rows[NextStep, NextStepRow] = Rows(self._make, self._fill)
        self.rest.content.addWidget(self.others)
        self.content.addWidget(self.first)
        self.content.addWidget(self.rest)

    def show_steps(self, steps: Sequence[NextStep], wording: Wording) -> None:
        self._wording = wording
        self.set_title(wording.gettext("Next steps"))
        self.first.show_items(steps[:FIRST_STEPS])
        later = steps[FIRST_STEPS:]
        self.rest.fill(lambda: self.others.show_items(later))
        self.rest.set_title(wording.gettext("Then ({n} more)").format(n=len(later)))
        self.rest.setVisible(bool(later))
        self.setVisible(bool(steps))

    def _make(self) -> NextStepRow:
        row = NextStepRow()
        row.chosen.connect(self.chosen)
        return row

    def _fill(self, row: NextStepRow, step: NextStep) -> None:
        if self._wording is not None:
            row.show_step(step, self._wording)
