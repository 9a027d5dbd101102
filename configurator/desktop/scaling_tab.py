"""The scaling tab: how far the cards carry. Curves by the engines, in a worker, for this plan and others beside it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QMenu, QScrollArea, QToolButton, QVBoxLayout, QWidget

from configurator.desktop.document import Document, equally_assessed
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.sweeps import Curve, Sweep, sweep
from configurator.desktop.theme import DOUBLE, UNIT
from configurator.desktop.widgets.chart import Axes, Chart, Series, spread_colours
from configurator.desktop.widgets.inputs import Choice
from configurator.desktop.widgets.texts import Page, label
from configurator.desktop.worker import LatestWins
from configurator.plan.model import Project
from configurator.wording import Wording

NARROW = 820
"""Below this width the charts stand one below the other."""
MOST_PLANS = 4
GIB = 2.0**30
MODE_ORDER = ("best", "tp", "pp", "dp", "tp_across")


class ScalingTab(QWidget):
    """Four charts. Asks for curves only while it is on the screen; only the newest request counts."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setProperty("role", "canvas")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._document = document
        self._current = CurrentWorkload(document, self)
        self._worker = LatestWins(self)
        self._asked: tuple[Project, str, tuple[str, ...]] | None = None
        self._sweeps: tuple[Sweep, ...] = ()
        self._others: set[str] = set()
        self.workload = Choice()
        self.workload.chosen.connect(lambda workload_id: self._current.choose(str(workload_id)))
        self.compare = QToolButton()
        self.compare.setProperty("role", "quiet")
        self.compare.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.compare.setMenu(QMenu(self.compare))
        self.state = label("muted")
        self.efficiency, self.tokens, self.first_word, self.memory = Chart(), Chart(), Chart(), Chart()
        self.charts = (self.efficiency, self.tokens, self.first_word, self.memory)
        self._grid = QGridLayout()
        self._grid.setSpacing(DOUBLE)
        self._columns = 0
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        head.addWidget(self.workload)
        head.addWidget(self.compare)
        head.addStretch(1)
        head.addWidget(self.state)
        page = Page()
        page.setProperty("role", "canvas")
        column = QVBoxLayout(page)
        column.setContentsMargins(DOUBLE, UNIT, DOUBLE, DOUBLE)
        column.setSpacing(UNIT)
        column.addLayout(head)
        column.addLayout(self._grid, 1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._area)
        self._place(2)
        document.assessed.connect(lambda _answer: self.refresh())
        document.changed.connect(lambda _old, _new: self.refresh())
        document.wording_changed.connect(self.retranslate)
        self._current.changed.connect(self.refresh)
        self.retranslate()

    # -- room

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for chart in self.charts:
            self._grid.removeWidget(chart)
        for number, chart in enumerate(self.charts):
            self._grid.addWidget(chart, number // columns, number % columns)
        for index in range(2):
            self._grid.setColumnStretch(index, 1 if index < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(1 if self.width() < NARROW else 2)

    # -- asking

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # A child hears nothing of its window's end, and a running job must not outlive the tab.
        self.window().installEventFilter(self)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and watched is self.window():
            self.close_worker()
        return super().eventFilter(watched, event)

    def close_worker(self) -> None:
        """Wait for the running job; nothing is delivered any more."""
        self._worker.close()

    def retranslate(self) -> None:
        _ = self._wording.gettext
        self.setAccessibleName(_("Scaling"))
        self.workload.setAccessibleName(_("Workload"))
        self._show()
        self.refresh()

    def refresh(self) -> None:
        """Ask for the curves of what the document holds now, unless they are there or nobody looks."""
        if not self.isVisible():
            return
        self._fill_head()
        project = self._document.project
        workload = self._current.workload
        plans = self._plans(project)
        wanted = (project, workload.id if workload is not None else "", plans)
        if workload is None:
            self._worker.cancel()
            self._asked = wanted
            self._take(())
            return
        asked = self._asked
        if asked is not None and asked[1:] == wanted[1:] and self._same(asked[0], project, plans):
            return
        self._asked = wanted
        answer, catalogue = self._document.assessment, self._document.catalogue
        workload_id = workload.id
        if answer is None:
            self._asked = None
            return

        def job() -> tuple[Sweep, ...]:
            found = (sweep(project, catalogue, plan_id, workload_id, answer) for plan_id in plans)
            return tuple(each for each in found if each is not None)

        self.state.setText(self._wording.gettext("The curves are being drawn…"))
        self._worker.submit(job, self._take, self._failed)

    @staticmethod
    def _same(old: Project, new: Project, plans: tuple[str, ...]) -> bool:
        if not equally_assessed(old, new):
            return False
        before = {plan.id: plan for plan in old.plans}
        return all(before.get(plan.id) is plan for plan in new.plans if plan.id in plans[1:])

    def _plans(self, project: Project) -> tuple[str, ...]:
        """The plan on the screen first, then those chosen to compare."""
        known = {plan.id for plan in project.plans}
        self._others &= known
        others = [plan.id for plan in project.plans if plan.id in self._others and plan.id != project.active_plan_id]
        return (project.active_plan_id, *others[: MOST_PLANS - 1])

    def _take(self, sweeps: tuple[Sweep, ...]) -> None:
        self._sweeps = sweeps
        self.state.setText("")
        self._show()

    def _failed(self, _error: Exception) -> None:
        self._asked = None
        self._sweeps = ()
        self.state.setText(self._wording.gettext("The curves could not be drawn."))
        self._show()

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        """What is drawn."""
        return self._sweeps

    @property
    def settled(self) -> bool:
        """No curves are on their way."""
        return self._worker.idle

    def _fill_head(self) -> None:
        _ = self._wording.gettext
        workloads = self._document.plan.workloads
        chosen = self._current.workload
        self.workload.setVisible(len(workloads) > 1)
        self.workload.show_choices([(each.id, each.name, "") for each in workloads], chosen.id if chosen else None)
        project = self._document.project
        others = [plan for plan in project.plans if plan.id != project.active_plan_id]
        self.compare.setVisible(bool(others))
        self.compare.setText(_("Compare with other plans") + " ▾")
        self.compare.setAccessibleName(_("Compare with other plans"))
        menu = self.compare.menu()
        menu.clear()
        for plan in others:
            action = menu.addAction(plan.name)
            action.setCheckable(True)
            action.setChecked(plan.id in self._others)
            action.toggled.connect(partial(self.compare_with, plan.id))

    def compare_with(self, plan_id: str, on: bool = True) -> None:
        """Lay the curves of another plan over these, or take them away."""
        self._others = self._others | {plan_id} if on else self._others - {plan_id}
        self.refresh()

    # -- drawing

    def _show(self) -> None:
        first = self._sweeps[0] if self._sweeps else None
        training = first is not None and first.training
        self._show_efficiency(first)
        if training:
            self._show_training()
        else:
            self._show_tokens()
        self._show_first_word()
        self._show_memory()
        for chart in (self.first_word, self.memory):
            chart.setVisible(not training)

    def _why(self) -> str:
        _ = self._wording.gettext
        if self._current.workload is None:
            return _("Add a workload to see how it scales.")
        if self._current.workload.model is None:
            return _("Choose a model to see how it scales.")
        return _("The model does not run on these cards, so there is nothing to draw.")

    def _show_efficiency(self, first: Sweep | None) -> None:
        wording, _ = self._wording, self._wording.gettext
        series = self._by_mode("efficiency")
        sizes = {each for one in series for each in one.x}
        why = self._why()
        if len(sizes) == 1:
            # One dot at 100 % is no curve: say what it means.
            why = _("The model runs on all {cards} together only: there is no smaller group to compare with.").format(
                cards=wording.counted("cards", sizes.pop())
            )
            series = []
        self.efficiency.show_series(
            _("What each card still contributes"),
            _("Speed per card against the smallest group of cards that runs the model."),
            series,
            Axes(
                _("cards"),
                _("share of the speed"),
                wording.count,
                wording.share,
                limit=first.floor_share if first is not None else None,
                limit_name=_("your floor: {share}").format(share=wording.share(first.floor_share)) if first else "",
            ),
            why,
        )

    def _show_training(self) -> None:
        wording, _ = self._wording, self._wording.gettext
        self.tokens.show_series(
            _("Speed of the training"),
            _("Tokens per second of all cards together."),
            self._by_mode("throughput"),
            Axes(_("cards"), _("tokens per second"), wording.count, wording.forecast, unit=_("tokens/s")),
            self._why(),
        )

    def _by_mode(self, name: str) -> list[Series]:
        """One curve per way of splitting; with several plans only the best of each."""
        several = len(self._sweeps) > 1
        found: list[Series] = []
        for each in self._sweeps:
            curves: tuple[Curve, ...] = getattr(each, name)
            ordered = sorted(curves, key=lambda c: MODE_ORDER.index(c.mode) if c.mode in MODE_ORDER else 9)
            for made in ordered[:1] if several else ordered:
                title = each.plan_name if several else self._wording.word("mode." + made.mode)
                here = each.here_gpus if made.mode == ordered[0].mode else None
                found.append(_series(title, made, len(found), here))
        return found

    def _full(self) -> tuple[float, float] | None:
        """How many people the plan on the screen has memory for."""
        most = self._sweeps[0].most_users if self._sweeps else None
        return (most.low, most.high) if most is not None and most.low >= 1 else None

    def _show_tokens(self) -> None:
        wording, _ = self._wording, self._wording.gettext
        self.tokens.show_series(
            _("Speed of the whole service"),
            _("Tokens per second in all, on the layout chosen now."),
            [
                _series(each.plan_name, each.tokens, number, each.here_users)
                for number, each in enumerate(self._sweeps)
                if each.tokens is not None
            ],
            Axes(
                _("people at once"),
                _("tokens per second"),
                wording.count,
                wording.forecast,
                log_x=True,
                unit=_("tokens/s"),
                full=self._full(),
                full_name=_("memory for conversations is full"),
            ),
            self._why(),
        )

    def _show_first_word(self) -> None:
        wording, _ = self._wording, self._wording.gettext
        workload = self._current.workload
        limit = workload.time_to_first_token_limit_s if workload is not None else None
        self.first_word.show_series(
            _("Wait for the first word"),
            _("Rises steeply where the memory for conversations is full and people queue."),
            [
                _series(each.plan_name, each.first_word, number, each.here_users)
                for number, each in enumerate(self._sweeps)
                if each.first_word is not None
            ],
            Axes(
                _("people at once"),
                _("time"),
                wording.count,
                wording.duration,
                log_x=True,
                log_y=True,
                limit=limit,
                limit_name=_("your limit: {time}").format(time=wording.duration(limit)) if limit else "",
                full=self._full(),
                full_name=_("memory for conversations is full"),
            ),
            self._why(),
        )

    def _show_memory(self) -> None:
        wording, _ = self._wording, self._wording.gettext
        first = self._sweeps[0] if self._sweeps else None
        limit = first.memory_limit_bytes / GIB if first is not None and first.memory_limit_bytes else None
        self.memory.show_series(
            _("Memory of the fullest card"),
            _("For the people you asked for, by the length of their conversations."),
            [
                _series(each.plan_name, each.memory, number, each.here_context, 1 / GIB)
                for number, each in enumerate(self._sweeps)
                if each.memory is not None
            ],
            Axes(
                _("tokens per conversation"),
                _("memory"),
                wording.count,
                lambda size: wording.memory(size * GIB),
                log_x=True,
                limit=limit,
                limit_name=_("memory of the card: {size}").format(size=wording.memory(limit * GIB)) if limit else "",
                most=limit * 1.6 if limit else None,
            ),
            self._why(),
        )


def _series(name: str, curve: Curve, number: int, here: float | None, unit: float = 1.0) -> Series:
    colour, dash = spread_colours(number)
    low, expected, high = (tuple(value * unit for value in line) for line in (curve.low, curve.expected, curve.high))
    return Series(name, curve.x, low, expected, high, colour, dash, here)
