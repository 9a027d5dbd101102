"""Rows of the verdict panel: a step of the decision, an alternative, a fact that is not known, a plain line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from configurator.desktop import icons
from configurator.desktop.theme import HALF, UNIT
from configurator.desktop.widgets.marks import LightRow, NumberBadge, Shape
from configurator.desktop.widgets.texts import Rows, breakable, label
from configurator.terms import Light, Message
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.results import Alternative, Step, UnknownFact


class StepRow(QWidget):
    """A question, its answer and the numbers behind it; what was not asked has no row."""

    def __init__(self) -> None:
        super().__init__()
        self.badge = NumberBadge()
        self.question = label("", wrap=True)
        self.numbers = label("note", wrap=True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.badge, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.question, 0, 1)
        grid.addWidget(self.numbers, 1, 1)
        grid.setColumnStretch(1, 1)

    def show_step(self, step: Step, wording: Wording) -> None:
        lights: dict[str, Light] = {"yes": "good", "no": "unknown", "unknown": "step"}
        self.badge.show_number(step.number, lights.get(step.answer))
        question = wording.text(step.question)
        answer = wording.word("answer." + step.answer)
        self.question.setText(f"{question} {answer[:1].upper()}{answer[1:]}.")
        self.numbers.setText(breakable(wording.text(step.numbers)))
        changes = wording.text(step.changes_if) if step.changes_if is not None else ""
        self.setToolTip("\n".join(part for part in (changes, step.rule) if part))
        self.setAccessibleName(self.question.text())


class AlternativeRow(QFrame):
    """A neighbour of the plan with its verdict and figures; opens as a plan of its own."""

    open_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._alternative: Alternative | None = None
        self.shape_ = Shape(15)
        self.title = label("strong", wrap=True)
        self.changes = label("note", wrap=True)
        self.figures = label("note", wrap=True)
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        icons.bind(self.button, "branch", "accent_ink")
        self.button.clicked.connect(lambda: self.open_wanted.emit(self._alternative))
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.shape_, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(11, 9, 11, 8)
        column.setSpacing(HALF)
        column.addLayout(head)
        column.addWidget(self.changes)
        column.addWidget(self.figures)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_alternative(self, alternative: Alternative, wording: Wording) -> None:
        _ = wording.gettext
        self._alternative = alternative
        verdict = alternative.verdict
        self.shape_.setVisible(verdict is not None)
        if verdict is not None:
            self.shape_.set_light(verdict.light)
            self.shape_.setToolTip(wording.text(verdict.headline))
        self.title.setText(wording.text(alternative.title))
        lines = [wording.text(each) for each in alternative.what_changes]
        if alternative.failure_domain is not None:
            lines.append(wording.text(alternative.failure_domain))
        self.changes.setText("\n".join(lines))
        self.changes.setVisible(bool(lines))
        carries, costs = [], []
        if alternative.users_served is not None:
            carries.append(wording.counted_range("users", alternative.users_served))
        if alternative.output_tokens_per_s is not None:
            carries.append(wording.estimate(alternative.output_tokens_per_s))
        if alternative.purchase is not None:
            costs.append(_("{money} to buy").format(money=wording.estimate(alternative.purchase)))
        if alternative.total_per_year is not None:
            costs.append(wording.estimate(alternative.total_per_year))
        lines = [" · ".join(parts) for parts in (carries, costs) if parts]
        self.figures.setText("\n".join(lines))
        self.figures.setVisible(bool(lines))
        self.button.setText(_("Open as a new plan"))
        self.button.setAccessibleName(f"{self.button.text()}: {self.title.text()}")
        self.button.setVisible(alternative.edit is not None)


class UnknownRow(QFrame):
    """A question that moves the verdict: who answers it, with which command, and what each answer gives."""

    chosen = Signal(str)
    answered = Signal(object, int)
    """(the fact, number of the answer that holds)."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "callout")
        self.setProperty("meaning", "step")
        self._subject = ""
        self._fact: UnknownFact | None = None
        self.question = label("strong", wrap=True)
        self.who = label("note", wrap=True)
        self.command = label("mono", wrap=True)
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.copy = QPushButton()
        self.copy.setProperty("role", "link")
        icons.bind(self.copy, "copy", "accent_ink")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self.show_button = QPushButton()
        self.show_button.setProperty("role", "link")
        icons.bind(self.show_button, "search", "accent_ink")
        self.show_button.clicked.connect(lambda: self.chosen.emit(self._subject))
        self.answers: Rows[PossibleAnswer, AnswerRow] = Rows(self._make_answer, AnswerRow.show_answer, 3)
        buttons = QHBoxLayout()
        buttons.setSpacing(HALF)
        buttons.addWidget(self.copy)
        buttons.addWidget(self.show_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(11, 9, 10, 7)
        column.setSpacing(HALF)
        for widget in (self.question, self.who, self.command):
            column.addWidget(widget)
        column.addWidget(self.answers)
        column.addLayout(buttons)

    def show_unknown(self, fact: UnknownFact, wording: Wording, *, on_canvas: bool = True) -> None:
        """``on_canvas``: the subject can be shown in the drawing."""
        _ = wording.gettext
        self._subject, self._fact = fact.subject_id, fact
        self.question.setText(wording.text(fact.question))
        who = wording.word(fact.who if "." in fact.who else "who." + fact.who)
        self.who.setText(_("Answered by: {who}").format(who=who))
        self.command.setText(fact.command)
        self.command.setVisible(bool(fact.command))
        self.copy.setText(_("Copy the command"))
        self.copy.setVisible(bool(fact.command))
        self.show_button.setText(_("Show"))
        self.show_button.setAccessibleName(f"{self.show_button.text()}: {self.question.text()}")
        self.show_button.setVisible(bool(fact.subject_id) and on_canvas)
        choose = _("It is so") if fact.apply is not None else ""
        self.answers.show_items(
            [
                PossibleAnswer(number, verdict.light, wording.text(answer), wording.text(verdict.headline), choose)
                for number, (answer, verdict) in enumerate(fact.answers)
            ]
        )

    def _make_answer(self) -> AnswerRow:
        row = AnswerRow()
        row.taken.connect(lambda number: self.answered.emit(self._fact, number))
        return row


@dataclass(frozen=True, slots=True)
class PossibleAnswer:
    """One answer to a question and the verdict that it gives; ``choose`` is the button's text, "" for none."""

    number: int
    light: Light
    answer: str
    verdict: str
    choose: str


class AnswerRow(QWidget):
    """An answer, what it would come to, and the click that takes it into the plan."""

    taken = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._number = 0
        self.shape_ = Shape(14)
        self.text = label("said", wrap=True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.button = QPushButton()
        self.button.setProperty("role", "answer")
        self.button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.button.clicked.connect(lambda: self.taken.emit(self._number))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.shape_, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    def show_answer(self, shown: PossibleAnswer) -> None:
        self._number = shown.number
        self.shape_.set_light(shown.light)
        self.text.setText(f"{shown.answer.rstrip('.')}: {shown.verdict}")
        self.button.setText(shown.choose)
        self.button.setVisible(bool(shown.choose))
        self.button.setAccessibleName(f"{shown.choose}: {shown.answer}")


class LightLine(QWidget):
    """A light's shape before a sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.shape_ = Shape(14)
        self.text = label("note", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.shape_, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)

    def show_line(self, line: tuple[Light, str]) -> None:
        self.shape_.set_light(line[0])
        self.text.setText(breakable(line[1]))


class Bullet(QWidget):
    """A dot and a sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.dot = label("", "•")
        self.text = label("", wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 0, 0)
        row.setSpacing(UNIT)
        row.addWidget(self.dot, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.text, 1)

    def show_text(self, text: str) -> None:
        self.text.setText(breakable(text))


def texts(wording: Wording, messages: tuple[Message, ...]) -> list[str]:
    """Sentences of some messages."""
    return [wording.text(each) for each in messages]


__all__ = ["AlternativeRow", "Bullet", "LightLine", "LightRow", "StepRow", "UnknownRow", "texts"]
