"""What a failure does, in words beside the drawing: what stops, what goes on, how slow, for how long, what is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout

from configurator.desktop import icons
from configurator.desktop.panels.rows import LightLine
from configurator.desktop.theme import DOUBLE, HALF, UNIT
from configurator.desktop.widgets.texts import Rows, label, set_property
from configurator.terms import Estimate, Light
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import WorkloadAssessment
    from configurator.operations.results import FailureEffect

MOST_SENTENCES = 3
FACTS, ROWS = 7, 4
ARROW = " → "


@dataclass(frozen=True, slots=True)
class Outage:
    """One what-if. ``copies`` and ``down`` count the copies of the model; 0 copies: no model runs."""

    object_ids: tuple[str, ...]
    effects: tuple[FailureEffect, ...]
    copies: int
    down: int
    healthy: WorkloadAssessment | None
    left: WorkloadAssessment | None = None
    """The answer for what is left; None while it is being worked out."""

    @property
    def light(self) -> Light:
        if self.copies and self.down >= self.copies:
            return "stop"
        outside = any(each.note.code == "failure.outside" for each in self.effects)
        return "step" if self.down or outside else "good"


def sentences(outage: Outage, wording: Wording) -> list[tuple[Light, str]]:
    """What each failed object does, as the findings say it."""
    _ = wording.gettext
    if not outage.copies:
        return [("unknown", _("No model runs here yet, so nothing stops."))]
    said: dict[str, Light] = {}
    for each in outage.effects:
        hit: Light = "stop" if each.stops else "step" if each.capacity_left_share < 0.999 else outage.light
        said.setdefault(wording.text(each.note), hit if len(outage.object_ids) > 1 else outage.light)
    if not said:
        said[_("No copy of a model needs it here.")] = outage.light
    return [(light, text) for text, light in said.items()][:MOST_SENTENCES]


def facts(outage: Outage, wording: Wording) -> list[tuple[str, str]]:
    """Caption and value, in reading order by columns."""
    _ = wording.gettext
    if not outage.copies:
        return []
    working = outage.copies - outage.down
    down = wording.counted("copies", outage.down)
    stops = _("{n} of {all}").format(n=outage.down, all=wording.counted("copies", outage.copies)) if working else down
    on = wording.counted("copies", working) if working else _("nothing")
    share = outage.effects[0].capacity_left_share if len(outage.effects) == 1 else None
    if share is not None and outage.down and working:
        on = _("{copies}, {share} of the capacity").format(copies=on, share=wording.share(share))
    before, after = outage.healthy, outage.left
    waiting = after is None
    return [
        (_("Stops"), stops if outage.down else _("nothing")),
        (_("Goes on"), on),
        (_("Restart"), _back(outage, wording)),
        (_("New part"), _repaired(outage, wording)),
        (_("People at once"), _change(_served(before), _served(after), waiting, wording)),
        (_("Speed for each"), _change(_speed(before), _speed(after), waiting, wording)),
        (_("Requests lost"), _lost(outage, wording)),
    ]


def _back(outage: Outage, wording: Wording) -> str:
    """Minutes: the program is noticed and loaded again, or the line is back."""
    _ = wording.gettext
    times = [each.recovery_s for each in outage.effects if each.recovery_s is not None]
    if not outage.down:
        return _("no break")
    if not times or all(each.note.code == "failure.unreachable" for each in outage.effects):
        return _("with the line, nothing to load")
    longest = wording.estimate(max(times, key=lambda each: each.high))
    if outage.down >= outage.copies:
        return _("again after {time}").format(time=longest)
    return _("after {time}, on what is left").format(time=longest)


def _repaired(outage: Outage, wording: Wording) -> str:
    """Days: nothing loads before the part is replaced."""
    _ = wording.gettext
    times = [each.repair_s for each in outage.effects if each.repair_s is not None]
    if not outage.down or not times:
        return _("no part is broken") if outage.down else _("no break")
    longest = wording.estimate(max(times, key=lambda each: each.high))
    return _("{time} until it is replaced").format(time=longest)


def _lost(outage: Outage, wording: Wording) -> str:
    _ = wording.gettext
    lost = [each.requests_lost for each in outage.effects]
    if len(lost) != 1 or lost[0] is None:
        return _("not known") if outage.down else _("none")
    return wording.counted_range("requests", lost[0]) if lost[0].high >= 0.5 else _("none")


def _served(answer: WorkloadAssessment | None) -> Estimate | None:
    """People at a usable speed, as the tile counts them; else those whom memory holds."""
    if answer is None:
        return None
    return answer.users_served if answer.usable_users is None else Estimate.exact(float(answer.usable_users))


def _speed(answer: WorkloadAssessment | None) -> Estimate | None:
    speed = answer.chosen.speed if answer is not None and answer.chosen is not None else None
    return speed.output_tokens_per_s_per_user if speed is not None else None


def _change(before: Estimate | None, after: Estimate | None, waiting: bool, wording: Wording) -> str:
    """Such as "200–210 → 100"; one value where nothing changes."""
    _ = wording.gettext
    old = wording.estimate(before) if before is not None else _("not known")
    if waiting:
        return f"{old}{ARROW}…"
    new = wording.estimate(after) if after is not None and after.high > 0 else _("none")
    return old if old == new else f"{old}{ARROW}{new}"


def _line() -> LightLine:
    made = LightLine()
    # On a tint, muted text would be too faint.
    made.text.setProperty("role", "said")
    return made


class FailurePanel(QFrame):
    """The what-if in words, with the one click that makes it part of the plan."""

    taken = Signal()
    """Take it as failed in the plan, or let it work again there."""
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "callout")
        self.title = label("strong", wrap=True)
        self.take = QPushButton()
        self.take.clicked.connect(self.taken)
        self.close_button = QToolButton()
        self.close_button.setProperty("role", "quiet")
        icons.bind(self.close_button, "close", "muted")
        self.close_button.clicked.connect(self.closed)
        self.lines: Rows[tuple[Light, str], LightLine] = Rows(_line, LightLine.show_line, HALF)
        self.cells = [(label("said"), label("strong")) for _number in range(FACTS)]
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        head.addWidget(self.title, 1)
        head.addWidget(self.take)
        head.addWidget(self.close_button)
        grid = QGridLayout()
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(HALF)
        for number, (caption, value) in enumerate(self.cells):
            row, column = number % ROWS, number // ROWS * 2
            grid.addWidget(caption, row, column)
            grid.addWidget(value, row, column + 1)
            grid.setColumnStretch(column + 1, 1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(DOUBLE, UNIT, UNIT, UNIT + 2)
        rows.setSpacing(UNIT)
        rows.addLayout(head)
        rows.addWidget(self.lines)
        rows.addLayout(grid)
        self.hide()

    def show_outage(self, outage: Outage, wording: Wording, *, in_plan: bool) -> None:
        """``in_plan``: the plan itself holds all of it as failed."""
        _ = wording.gettext
        names = ", ".join(wording.value("object_id", each) for each in outage.object_ids)
        self.title.setText(_("What if this fails: {what}").format(what=names))
        set_property(self, "meaning", outage.light)
        self.lines.show_items(sentences(outage, wording))
        found = facts(outage, wording)
        for number, (caption, value) in enumerate(self.cells):
            said = found[number] if number < len(found) else ("", "")
            for each, text in zip((caption, value), said, strict=True):
                each.setText(text)
                each.setVisible(bool(found))
        self.take.setText(_("Let it work again in the plan") if in_plan else _("Take as failed in the plan"))
        self.take.setToolTip(_("The whole answer, the costs and the proposal follow; one undo step"))
        self.close_button.setToolTip(_("End the what-if"))
        self.close_button.setAccessibleName(self.close_button.toolTip())
        spoken = [text for _light, text in sentences(outage, wording)] + [f"{a}: {b}" for a, b in found]
        self.setAccessibleName(f"{self.title.text()}. {' '.join(spoken)}")


def effects_of(answer: WorkloadAssessment | None, ids: Sequence[str]) -> tuple[FailureEffect, ...]:
    """What the answer says about these objects, in their order."""
    if answer is None:
        return ()
    known = {each.object_id: each for each in answer.failures}
    return tuple(known[each] for each in ids if each in known)
