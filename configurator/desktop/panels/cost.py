"""The cost tab: what a year of owning and running costs, what is to be bought, on which figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from configurator.assess import Assessment
from configurator.desktop.document import Document
from configurator.desktop.panels.figures import Figure, relative_change
from configurator.desktop.panels.money import (
    CostLine,
    cost_lines,
    million_explained,
    purchase_explained,
    total_explained,
)
from configurator.desktop.panels.offers import Offers
from configurator.desktop.panels.rows import Bullet
from configurator.desktop.panels.shopping import ShoppingTable
from configurator.desktop.panels.verdict_parts import Tiles
from configurator.desktop.theme import DOUBLE, TRIPLE, UNIT, current, follow, font
from configurator.desktop.widgets.explain import Explanation, show_explanation
from configurator.desktop.widgets.inputs import NumberField
from configurator.desktop.widgets.texts import Page, Rows, Section, label
from configurator.diagram.tokens import SIZE_NOTE, SIZE_TEXT
from configurator.operations.results import CostEstimate
from configurator.plan.edits import rebuilt
from configurator.plan.model import Project
from configurator.terms import Estimate
from configurator.wording import Wording
from configurator.wording.numbers import NBSP

NARROW = 860


def N_(text: str) -> str:
    """Marks a message id."""
    return text


@dataclass(frozen=True, slots=True)
class CostInput:
    """A figure the owner may give; empty means the range of the product. ``scale``: model units per screen unit."""

    name: str
    label: str
    empty: str = ""
    scale: float = 1.0
    least: float = 0.0
    most: float = float("inf")
    money: bool = False
    """In the project's currency, which stands behind the label."""


INPUTS: tuple[CostInput, ...] = (
    CostInput("life_years", N_("Years of use"), least=0.25, most=15),
    CostInput("cost_of_capital", N_("Cost of the money, % a year"), scale=0.01, most=100),
    CostInput("residual_share", N_("Worth at the end, %"), scale=0.01, most=100),
    CostInput("maintenance_share", N_("Maintenance, % of the price a year"), scale=0.01, most=100),
    CostInput("spares_share", N_("Spare parts, % of the price a year"), scale=0.01, most=100),
    CostInput("staff_hours_per_month", N_("Hours of work a month"), N_("assumed")),
    CostInput("staff_rate_per_h", N_("Rate of an hour"), N_("assumed"), money=True),
    CostInput("network_per_year", N_("Network and internet a year"), money=True),
    CostInput("other_per_year", N_("Room and anything else a year"), money=True),
    CostInput("busy_share", N_("Time at work, % of the year"), N_("assumed"), 0.01, 0.0, 100),
    CostInput("loaded_idle_share", N_("Time waiting with the model loaded, %"), N_("assumed"), 0.01, 0.0, 100),
    CostInput("availability", N_("Wanted availability, %"), N_("assumed"), 0.01, 1, 100),
    CostInput("vat_share", N_("VAT, %"), scale=0.01, most=100),
)


class CostRow(QAbstractButton):
    """A part of the yearly cost: swatch, name, share, range. A click tells how it is computed."""

    def __init__(self) -> None:
        super().__init__()
        self._line: CostLine | None = None
        self._texts = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(self._explain)
        follow(self)

    def _explain(self) -> None:
        if self._line is not None:
            show_explanation(self, self._line.explanation)

    def show_line(self, line: CostLine, share: str, money: str) -> None:
        self._line = line
        self._texts = (line.name, share, money)
        self.setAccessibleName(f"{line.name}: {money}, {share}")
        self.setToolTip(line.explanation.plain())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._line is None:
            return
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(look.accent_soft))
            painter.drawRoundedRect(QRectF(self.rect()), 5, 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(look, self._line.colour)))
        painter.drawRoundedRect(QRectF(6, 9, 10, 10), 2, 2)
        name, share, money = self._texts
        area = QRectF(24, 0, self.width() - 30, self.height())
        painter.setFont(font(SIZE_TEXT))
        painter.setPen(QColor(look.ink))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.setFont(font(SIZE_TEXT, figures=True))
        painter.drawText(area, right, money)
        painter.setFont(font(SIZE_NOTE, figures=True))
        painter.setPen(QColor(look.muted))
        painter.drawText(area.adjusted(0, 0, -160, 0), right, share)


class CostBar(QWidget):
    """The parts of the expected year in one bar."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[CostLine, ...] = ()
        self.setFixedHeight(18)
        follow(self)

    def show_lines(self, lines: tuple[CostLine, ...]) -> None:
        self._lines = lines
        self.setAccessibleDescription(", ".join(line.name for line in lines))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), 5, 5)
        painter.setClipPath(clip)
        painter.fillRect(self.rect(), QColor(look.free))
        total = sum(line.per_year.expected for line in self._lines) or 1.0
        x = 0.0
        for line in self._lines:
            wide = self.width() * line.per_year.expected / total
            painter.fillRect(QRectF(x, 0, max(wide - 1, 0.5), self.height()), QColor(getattr(look, line.colour)))
            x += wide


class CostTab(QScrollArea):
    """Left: figures, parts, equipment. Right: the owner's figures and what was assumed."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._document = document
        self._gesture = 0
        self._total = 1.0
        self.fields: dict[str, NumberField] = {}
        self._names: dict[str, QLabel] = {}
        self.tiles = Tiles(columns=4)
        self.parts = Section()
        self.bar = CostBar()
        self.rows: Rows[CostLine, CostRow] = Rows(CostRow, self._fill_row, 0)
        self.parts.content.addWidget(self.bar)
        self.parts.content.addWidget(self.rows)
        self.offers = Offers()
        self.shopping = Section()
        self.table = ShoppingTable()
        self.table.chosen.connect(lambda ids: document.select(ids, reveal=True))
        self.shopping_note = label("note", wrap=True)
        self.shopping.content.addWidget(self.table)
        self.shopping.content.addWidget(self.shopping_note)
        self.inputs = Section()
        self.gross = QCheckBox()
        self.gross.clicked.connect(lambda on: self._set(N_("Prices with VAT"), "show_gross", on))
        self._lay_out_inputs()
        self.assumed = Section()
        self.assumptions: Rows[str, Bullet] = Rows(Bullet, Bullet.show_text, 4)
        self.assumed.content.addWidget(self.assumptions)
        self.empty = label("muted", wrap=True)
        self._page = Page()
        self._page.setProperty("role", "canvas")
        self._left, self._right = QVBoxLayout(), QVBoxLayout()
        self._offers_card = _carded(self.offers)
        left = (_carded(self.parts), self._offers_card, _carded(self.shopping), _carded(self.assumed))
        for column, cards in ((self._left, left), (self._right, (_carded(self.inputs),))):
            column.setSpacing(DOUBLE)
            for card in cards:
                column.addWidget(card)
            column.addStretch(1)
        self._halves = QHBoxLayout()
        self._halves.setSpacing(DOUBLE)
        self._halves.addLayout(self._left, 3)
        self._halves.addLayout(self._right, 2)
        whole = QVBoxLayout(self._page)
        whole.setContentsMargins(DOUBLE, UNIT, DOUBLE, TRIPLE)
        whole.setSpacing(DOUBLE)
        whole.addWidget(self.empty)
        whole.addWidget(self.tiles)
        whole.addLayout(self._halves, 1)
        self.setWidget(self._page)
        document.assessed.connect(lambda _answer: self.refresh())
        document.changed.connect(self._changed)
        document.wording_changed.connect(self.retranslate)
        self.retranslate()

    def _lay_out_inputs(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(UNIT)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        for row, each in enumerate(INPUTS):
            field = NumberField(whole=False, least=each.least, most=each.most)
            field.setMinimumWidth(84)
            field.committed.connect(partial(self._commit, each, False))
            field.stepped.connect(partial(self._commit, each, True))
            name = label("muted", wrap=True)
            name.setBuddy(field)
            self.fields[each.name] = field
            self._names[each.name] = name
            grid.addWidget(name, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self.gross, len(INPUTS), 0, 1, 2)
        self.inputs.content.addLayout(grid)

    # -- showing

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.viewport().width() >= NARROW
        direction = QHBoxLayout.Direction.LeftToRight if wide else QHBoxLayout.Direction.TopToBottom
        if self._halves.direction() != direction:
            self._halves.setDirection(direction)
        self.tiles.set_columns(4 if self.viewport().width() >= 760 else 2)

    def retranslate(self) -> None:
        _ = self._wording.gettext
        self.setAccessibleName(_("Cost"))
        self.parts.set_title(_("Cost of a year"))
        self.shopping.set_title(_("To buy"))
        self.inputs.set_title(_("Your figures"))
        self.assumed.set_title(_("Assumed until you say otherwise"))
        self.gross.setText(_("Prices with VAT"))
        self.empty.setText(_("There is nothing to pay for yet. Add a server and cards on the hardware tab."))
        self.bar.setAccessibleName(_("Cost of a year"))
        for each in INPUTS:
            text = f"{_(each.label)}, {self._document.project.currency}" if each.money else _(each.label)
            self._names[each.name].setText(text)
            field = self.fields[each.name]
            field.setAccessibleName(text)
            field.decimal = self._wording.decimal
            field.setPlaceholderText(_(each.empty) if each.empty else "")
            field.wrong_text = _("This is not a number. Type digits, or leave it empty.")
            field.range_text = _("This must lie between {least} and {most}.").format(
                least=self._wording.number(each.least),
                most="∞" if each.most == float("inf") else self._wording.number(each.most),
            )
        self._fill_inputs()
        self.refresh()

    def _changed(self, old: Project, new: Project) -> None:
        if old.currency != new.currency:
            self.retranslate()
        elif old.cost is not new.cost:
            self._fill_inputs()

    def _fill_inputs(self) -> None:
        settings = self._document.project.cost
        for each in INPUTS:
            value = getattr(settings, each.name)
            shown = None if value is None else value / each.scale
            self.fields[each.name].show_value(shown, "" if shown is None else self._wording.number(shown, 6))
        self.gross.setChecked(settings.show_gross)

    def refresh(self) -> None:
        """Show the document's answer."""
        answer = self._document.assessment
        wording = self._wording
        cost = answer.cost if answer is not None else None
        nothing = cost is None or not cost.shopping
        self.empty.setVisible(nothing)
        self.tiles.setVisible(not nothing)
        if cost is None or answer is None:
            return
        self._say_assumed(cost)
        lines = cost_lines(cost, self._document.project.cost, wording)
        self._total = sum(line.per_year.expected for line in lines) or 1.0
        self.bar.show_lines(lines)
        self.rows.show_items(lines)
        self.tiles.show_figures(() if nothing else self._figures(answer, cost))
        runs = any(each.fit != "no" for each in answer.workloads)
        compared = cost.comparison if runs else None
        self._offers_card.setVisible(
            self.offers.show_comparison(compared, self._document.catalogue, wording, self._document.project.currency)
        )
        vat = self._document.project.cost
        self.table.show_lines(
            cost.shopping, self._document.catalogue, wording, 1 + vat.vat_share if vat.show_gross else 1
        )
        _ = wording.gettext
        self.shopping_note.setText(
            _("With VAT. Planning prices, no offer; each with its date.")
            if vat.show_gross
            else _("Without VAT. Planning prices, no offer; each with its date.")
        )
        self.assumptions.show_items([wording.text(each) for each in cost.assumptions])

    def _say_assumed(self, cost: CostEstimate) -> None:
        """An empty field says the figure that is taken instead."""
        wording = self._wording
        for name, value in (
            ("staff_hours_per_month", cost.staff_hours_per_month),
            ("busy_share", cost.busy_share),
            ("availability", cost.availability),
        ):
            # An availability of 99.5 % must not be rounded to two figures: it is printed as a share.
            share = name != "staff_hours_per_month"
            said = wording.estimate(value.scaled(1.0, "share" if share else "")).replace(f"{NBSP}%", "")
            self.fields[name].setPlaceholderText(wording.gettext("{range} assumed").format(range=said))

    def _fill_row(self, row: CostRow, line: CostLine) -> None:
        row.show_line(
            line,
            self._wording.share(line.per_year.expected / self._total),
            self._wording.estimate(_bare(line.per_year)),
        )

    def _figures(self, answer: Assessment, cost: CostEstimate) -> tuple[Figure, ...]:
        wording, _ = self._wording, self._wording.gettext
        settings = self._document.project.cost
        before = self._document.previous_assessment
        old = before.cost if before is not None and before.plan_id == answer.plan_id else None

        def figure(now: Estimate | None, then: Estimate | None, caption: str, said: Explanation) -> Figure:
            change, better = relative_change(wording, then, now, more_is_better=False)
            return Figure(wording.estimate(now) if now is not None else "–", caption, change, better, said)

        total = total_explained(cost, settings, wording)
        year, was_year = _bare(cost.total_per_year), _bare(old.total_per_year) if old else None
        month, was_month = year.scaled(1 / 12), was_year.scaled(1 / 12) if was_year else None
        million = _bare(cost.per_million_tokens) if cost.per_million_tokens else None
        was_million = _bare(old.per_million_tokens) if old and old.per_million_tokens else None
        bought, was_bought = _bare(cost.purchase), _bare(old.purchase) if old else None
        return (
            figure(bought, was_bought, _("to buy, without VAT"), purchase_explained(cost, wording)),
            figure(year, was_year, _("a year, owned and run"), total),
            figure(month, was_month, _("a month"), total),
            figure(million, was_million, _("for a million tokens"), million_explained(cost, wording)),
        )

    # -- edits

    def _commit(self, each: CostInput, step: bool, value: float | None) -> None:
        self._gesture += 0 if step else 1
        optional = each.empty != ""
        if value is None and not optional:
            # A figure of the cost model cannot be empty: show again what it was.
            self._fill_inputs()
            return
        stored = None if value is None else value * each.scale
        self._set(each.label, each.name, stored, f"cost-{each.name}-{self._gesture}" if step else "")

    def _set(self, what: str, name: str, value: object, gesture: str = "") -> None:
        _ = self._wording.gettext

        def edit(project: Project) -> Project:
            return rebuilt(project, cost=rebuilt(project.cost, **{name: value}))

        title = _("Change: {what}").format(what=_(what).lower())
        if not self._document.edit_project(title, edit, gesture):
            self._fill_inputs()


def _bare(value: Estimate) -> Estimate:
    """In the currency alone; the caption says per what."""
    return value.scaled(1.0, value.unit.partition("/")[0])


def _carded(section: Section) -> QFrame:
    card = QFrame()
    card.setProperty("role", "card")
    column = QVBoxLayout(card)
    column.setContentsMargins(DOUBLE, 12, DOUBLE, 14)
    column.addWidget(section)
    return card
