"""The verdict: one answer, then why, then details. Filled again at every answer; nothing is computed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from configurator.desktop.document import Document
from configurator.desktop.panels.below import BelowFold
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.panels.decision import Decision
from configurator.desktop.panels.figures import TRAINING, serving_figures, training_figures
from configurator.desktop.panels.finding_card import FindingCard
from configurator.desktop.panels.loads import Loads, load_lines
from configurator.desktop.panels.memory import Bar, bars, compact
from configurator.desktop.panels.next_steps import NextSteps, next_steps
from configurator.desktop.panels.rows import AlternativeRow, Bullet, LightLine, UnknownRow
from configurator.desktop.panels.verdict_parts import Tiles, VerdictCard, failure_lines, lost_lines
from configurator.desktop.theme import DOUBLE, UNIT
from configurator.desktop.widgets.memory_bar import MemoryBar
from configurator.desktop.widgets.texts import Item, Page, Row, Rows, Section, label
from configurator.plan.edits import set_aside
from configurator.plan.model import Plan, Project
from configurator.plan.projects import active_plan, add_plan
from configurator.terms import Light
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.results import Alternative, Finding, FindingClass, SwitchPoint, UnknownFact
    from configurator.assess import Assessment, WorkloadAssessment

CLASSES: tuple[FindingClass, ...] = ("will_not_work", "one_more_step", "good_to_know", "not_checked")
SCROLL_BAR = 10
QUIET: FindingClass = "not_checked"
"""Folded until somebody asks for it."""
FIRST_ALTERNATIVES = 4
FIRST_NOTES = 3
"""The others are folded."""
MOST_BARS = 6
FULL_BARS = 2
"""More different cards than this share one legend."""


class VerdictPanel(QScrollArea):
    """Right-hand panel. A click on a finding selects its objects; fixes and alternatives are single undo steps."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The light and the headline; the fields above need the rest while they are unfolded.
        self.setMinimumHeight(150)
        self._document = document
        self._current = CurrentWorkload(document, self)
        self._page = Page()
        column = QVBoxLayout(self._page)
        # The scroll bar always has its room, so that both panels end at the same line.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        column.setContentsMargins(DOUBLE, UNIT, DOUBLE - SCROLL_BAR, DOUBLE)
        column.setSpacing(DOUBLE)
        self.loads = Loads()
        self.loads.chosen.connect(self._current.choose)
        self.card = VerdictCard()
        self.memory = Section()
        self.memory_bars: Rows[Bar, MemoryBar] = Rows(MemoryBar, _fill_bar)
        self.memory_more = label("note", wrap=True)
        self.memory.content.addWidget(self.memory_bars)
        self.memory.content.addWidget(self.memory_more)
        self.tiles = Tiles()
        self.next = NextSteps()
        self.next.chosen.connect(lambda ids: document.select(ids, reveal=True))
        self.decision = Decision()
        self.findings = {kind: Section(foldable=kind == QUIET, folded=kind == QUIET) for kind in CLASSES}
        self.finding_rows: dict[FindingClass, Rows[Finding, FindingCard]] = {}
        for kind, section in self.findings.items():
            self.finding_rows[kind] = Rows(self._make_finding, self._fill_finding)
            section.content.addWidget(self.finding_rows[kind])
        self.more_notes = Section(foldable=True, folded=True)
        self.more_note_rows: Rows[Finding, FindingCard] = Rows(self._make_finding, self._fill_finding)
        self.more_notes.content.addWidget(self.more_note_rows)
        self.findings["good_to_know"].content.addWidget(self.more_notes)
        self.aside = Section(foldable=True, folded=True)
        self.aside_rows: Rows[Finding, FindingCard] = Rows(self._make_finding, self._fill_finding)
        self.aside.content.addWidget(self.aside_rows)
        self.unknown = Section()
        self.unknown_rows: Rows[UnknownFact, UnknownRow] = Rows(self._make_unknown, self._fill_unknown)
        self.unknown.content.addWidget(self.unknown_rows)
        self.switches = Section()
        self.switch_rows: Rows[str, Bullet] = Rows(Bullet, Bullet.show_text, 4)
        self.switches.content.addWidget(self.switch_rows)
        self.alternatives = Section()
        self.alternative_rows: Rows[Alternative, AlternativeRow] = Rows(self._make_alternative, self._fill_alternative)
        self.others = Section(foldable=True, folded=True)
        self.other_rows: Rows[Alternative, AlternativeRow] = Rows(self._make_alternative, self._fill_alternative)
        self.others.content.addWidget(self.other_rows)
        self.alternatives.content.addWidget(self.alternative_rows)
        self.alternatives.content.addWidget(self.others)
        self.layouts = Section(foldable=True, folded=True)
        self.layout_rows: Rows[str, Bullet] = Rows(Bullet, Bullet.show_text, 6)
        self.layouts.content.addWidget(self.layout_rows)
        self.failures = Section(foldable=True, folded=True)
        self.failure_rows: Rows[tuple[Light, str], LightLine] = Rows(LightLine, LightLine.show_line, 6)
        self.failures.content.addWidget(self.failure_rows)
        self.not_checked = Section(foldable=True, folded=True)
        self.not_checked_rows: Rows[str, Bullet] = Rows(Bullet, Bullet.show_text, 4)
        self.not_checked.content.addWidget(self.not_checked_rows)
        stop, step, note, open_ = (self.findings[kind] for kind in CLASSES)
        order: tuple[QWidget, ...] = (self.loads, self.card, self.next, self.tiles, self.memory, stop, step, note)
        order += (open_, self.unknown, self.alternatives, self.switches, self.decision)
        order += (self.layouts, self.failures, self.aside, self.not_checked)
        for part in order:
            column.addWidget(part)
        self.below = BelowFold(self, order)
        column.addStretch(1)
        self.setWidget(self._page)
        document.changed.connect(self._changed)
        document.assessed.connect(self._assessed)
        document.wording_changed.connect(self.refresh)
        self._current.changed.connect(self.refresh)
        self.refresh()

    # -- filling

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    @property
    def page(self) -> QWidget:
        """What scrolls."""
        return self._page

    def _changed(self, old: Project, new: Project) -> None:
        if old.active_plan_id != new.active_plan_id:
            # Of another plan the answer comes first, not the place where the last one was left.
            self.verticalScrollBar().setValue(0)

    def _assessed(self, _assessment: Assessment | None) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Show the document's answer."""
        assessment = self._document.assessment
        wording = self._wording
        _ = wording.gettext
        self.below.begin()
        self._titles()
        self.setAccessibleName(_("Verdict"))
        answer = self._current.answer(assessment)
        self._fill_loads(assessment)
        if assessment is None:
            waiting = _("The answer is being worked out…")
            failed = _("The answer could not be worked out. Undo the last step and go on.")
            self.card.show_waiting(failed if self._document.unanswered else waiting)
        else:
            self.card.show_verdict(answer.verdict if answer is not None else assessment.verdict, wording)
        self.below.filled += [self.loads, self.card]
        fill = self.below.fill
        fill(self.next, partial(self._fill_next, assessment))
        fill(self.tiles, partial(self._fill_figures, assessment, answer))
        fill(self.memory, partial(self._fill_memory, answer))
        self._fill_findings(assessment)
        fill(self.decision, partial(self._fill_steps, answer))
        self._fill_rest(assessment, answer)

    def finish(self) -> None:
        """Fill what is below the fold now, without waiting for the pause."""
        self.below.finish()

    def _fill_next(self, assessment: Assessment | None) -> None:
        steps = next_steps(assessment, self._wording) if assessment is not None else ()
        self.next.show_steps(steps, self._wording)

    def _titles(self) -> None:
        _ = self._wording.gettext
        for section, title in (
            (self.memory, _("Memory per card")),
            (self.unknown, _("Not known yet")),
            (self.switches, _("This changes if")),
            (self.alternatives, _("What else you could do")),
            (self.layouts, _("Other ways to place the model")),
            (self.failures, _("If something fails")),
            (self.not_checked, _("What this program never checks")),
        ):
            section.set_title(title)

    def _fill_loads(self, assessment: Assessment | None) -> None:
        answers = assessment.workloads if assessment is not None else ()
        shown = self._current.workload
        lines = load_lines(self._document.plan.workloads, answers, shown.id if shown is not None else "", self._wording)
        self.loads.show_items(lines)

    def _fill_memory(self, answer: WorkloadAssessment | None) -> None:
        shown: list[Bar] = []
        if answer is not None:
            shown = bars(answer.per_gpu, self._document.catalogue, self._wording, answer.chosen)
        self.memory_bars.show_items(shown[:MOST_BARS] if len(shown) <= FULL_BARS else compact(shown[:MOST_BARS]))
        more = sum(len(bar[3]) for bar in shown[MOST_BARS:])
        self.memory_more.setText(
            self._wording.gettext("and {cards} more").format(cards=self._wording.counted("cards", more))
        )
        self.memory_more.setVisible(bool(more))
        self.memory.setVisible(bool(shown))

    def _fill_figures(self, assessment: Assessment | None, answer: WorkloadAssessment | None) -> None:
        workload = self._current.workload
        chosen = answer.chosen if answer is not None else None
        if answer is None or workload is None or chosen is None or (chosen.speed is None and chosen.training is None):
            self.tiles.show_figures(())
            return
        earlier = self._document.previous_assessment
        before = self._current.answer(earlier)
        if workload.task in TRAINING:
            self.tiles.show_figures(training_figures(self._wording, answer, before))
            return
        facts = assessment.facts if assessment is not None else None
        old_facts = earlier.facts if earlier is not None else None
        self.tiles.show_figures(serving_figures(self._wording, workload, answer, before, facts, old_facts))

    def _fill_steps(self, answer: WorkloadAssessment | None) -> None:
        self.decision.show_steps(answer.steps if answer is not None else (), self._wording)

    def _fill_findings(self, assessment: Assessment | None) -> None:
        findings = assessment.findings if assessment is not None else ()
        open_ = [each for each in findings if each.set_aside_remark is None]
        for kind in CLASSES:
            shown = [each for each in open_ if each.kind == kind]
            self.below.fill(self.findings[kind], partial(self._fill_class, kind, shown))
        aside = [each for each in findings if each.set_aside_remark is not None]
        self.below.fill(self.aside, partial(self._fill_aside, aside))

    def _fill_class(self, kind: FindingClass, shown: list[Finding]) -> None:
        first, rest = shown, []
        if kind == "good_to_know":
            # In the order of their weight for this plan.
            first, rest = shown[:FIRST_NOTES], shown[FIRST_NOTES:]
            self.more_notes.fill(partial(self.more_note_rows.show_items, rest))
            said = self._wording.gettext("More that is good to know ({n})")
            self.more_notes.set_title(said.replace("{n}", self._wording.count(len(rest))))
            self.more_notes.setVisible(bool(rest))
        section = self.findings[kind]
        section.fill(partial(self.finding_rows[kind].show_items, first))
        section.set_title(self._wording.word("class." + kind) + (f" ({len(shown)})" if kind == QUIET else ""))
        section.setVisible(bool(shown))

    def _fill_aside(self, aside: list[Finding]) -> None:
        self.aside.fill(partial(self.aside_rows.show_items, aside))
        self.aside.set_title(self._wording.gettext("Set aside ({n})").replace("{n}", self._wording.count(len(aside))))
        self.aside.setVisible(bool(aside))

    def _fill_rest(self, assessment: Assessment | None, answer: WorkloadAssessment | None) -> None:
        wording, fill = self._wording, self.below.fill
        unknowns = answer.unknowns if answer is not None else ()
        fill(self.unknown, lambda: _listed(self.unknown, self.unknown_rows, unknowns))
        switches: tuple[SwitchPoint, ...] = answer.switch_points if answer is not None else ()
        said = [wording.text(each.text) for each in switches]
        fill(self.switches, lambda: _listed(self.switches, self.switch_rows, said))
        alternatives = sorted(assessment.alternatives, key=lambda each: each.rank) if assessment is not None else []
        fill(self.alternatives, partial(self._fill_alternatives, alternatives))
        lost = [each for each in (answer.layouts if answer is not None else ()) if each.lost_because is not None][:8]
        fill(self.layouts, lambda: _folded(self.layouts, self.layout_rows, lost, partial(lost_lines, lost, wording)))
        failures = answer.failures if answer is not None else ()
        lines = partial(failure_lines, failures, wording)
        fill(self.failures, lambda: _folded(self.failures, self.failure_rows, failures, lines))
        missing = assessment.not_checked if assessment is not None else ()
        words = partial(_words, missing, wording)
        fill(self.not_checked, lambda: _folded(self.not_checked, self.not_checked_rows, missing, words))

    def _fill_alternatives(self, alternatives: list[Alternative]) -> None:
        self.alternative_rows.show_items(alternatives[:FIRST_ALTERNATIVES])
        rest = alternatives[FIRST_ALTERNATIVES:]
        self.others.fill(partial(self.other_rows.show_items, rest))
        said = self._wording.gettext("More possibilities ({n})")
        self.others.set_title(said.replace("{n}", self._wording.count(len(rest))))
        self.others.setVisible(bool(rest))
        self.alternatives.setVisible(bool(alternatives))

    # -- rows that act

    def _make_finding(self) -> FindingCard:
        card = FindingCard()
        card.chosen.connect(self._reveal)
        card.fix_wanted.connect(self._fix)
        card.set_aside.connect(self._set_aside)
        return card

    def _fill_finding(self, card: FindingCard, finding: Finding) -> None:
        card.show_finding(finding, self._wording)

    def _make_unknown(self) -> UnknownRow:
        row = UnknownRow()
        row.chosen.connect(lambda subject: self._document.select((subject,), reveal=True))
        row.answered.connect(self._answered)
        return row

    def _fill_unknown(self, row: UnknownRow, fact: UnknownFact) -> None:
        loads = {each.id for each in self._document.plan.workloads}
        row.show_unknown(fact, self._wording, on_canvas=fact.subject_id not in loads)

    def _answered(self, fact: UnknownFact, number: int) -> None:
        """Take one of the answers into the plan: one undo step."""
        apply = fact.apply
        if apply is not None:
            name = self._wording.gettext("Answer: {question}").replace("{question}", self._wording.text(fact.question))
            self._document.edit(name, lambda plan: apply(plan, number))

    def _make_alternative(self) -> AlternativeRow:
        row = AlternativeRow()
        row.open_wanted.connect(self._open)
        return row

    def _fill_alternative(self, row: AlternativeRow, alternative: Alternative) -> None:
        row.show_alternative(alternative, self._wording)

    def _reveal(self, finding: Finding) -> None:
        if finding.subjects:
            self._document.select(finding.subjects, reveal=True)

    def _fix(self, finding: Finding) -> None:
        if finding.fix is not None:
            self._document.edit(self._wording.gettext("Fix a finding"), finding.fix)

    def _set_aside(self, finding: Finding, remark: str | None) -> None:
        name = (
            self._wording.gettext("Set a finding aside")
            if remark is not None
            else self._wording.gettext("Take a finding back")
        )
        # Taking back undoes every subject, since the remark may sit on any of them.
        subjects = finding.subjects[:1] if remark is not None else finding.subjects

        def edit(plan: Plan) -> Plan:
            for subject in subjects:
                plan = set_aside(plan, finding.code, subject, remark)
            return plan

        if self._document.edit(name, edit) and remark is not None:
            self._document.told.emit(
                self._wording.gettext("Set aside. It stands at the end of the list; the proposal prints your remark.")
            )

    def _open(self, alternative: Alternative) -> None:
        change = alternative.edit
        if change is None:
            return
        title = self._wording.text(alternative.title).rstrip(".")

        def edit(project: Project) -> Project:
            return add_plan(project, change(active_plan(project)), title)[0]

        self._document.edit_project(self._wording.gettext("Open an alternative as a new plan"), edit)


def _listed(section: Section, rows: Rows[Item, Row], items: Sequence[Item]) -> None:
    rows.show_items(items)
    section.setVisible(bool(items))


def _folded(
    section: Section, rows: Rows[Item, Row], given: Sequence[object], made: Callable[[], Sequence[Item]]
) -> None:
    """A folded part makes its lines when it is opened."""
    section.fill(lambda: rows.show_items(made()))
    section.setVisible(bool(given))


def _words(codes: Sequence[str], wording: Wording) -> list[str]:
    return [wording.word(each) for each in codes]


def _fill_bar(bar: MemoryBar, shown: Bar) -> None:
    bar.show_parts(*shown[:3], legend=shown[4])
