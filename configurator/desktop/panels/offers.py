"""Own, hired by the hour, or bought by the token: one small table, the same unit in every row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from configurator.catalogue import Catalogue
from configurator.desktop.theme import UNIT, font
from configurator.desktop.widgets.texts import Rows, Section, label, set_property
from configurator.diagram.tokens import SIZE_TEXT
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.operations.compare import Comparison


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to get the tokens. ``price``: of the unit, in the project's currency."""

    words: str
    price: float
    money: str
    cheaper: bool = False
    """Than the other one at the use that the plan counts with; only the plan and the API are compared so."""


def offers(found: Comparison, catalogue: Catalogue, wording: Wording, currency: str) -> tuple[Offer, ...]:
    """The rows that the proposal prints; marked, which of plan and API is cheaper at the use that is counted with."""
    _ = wording.gettext
    rows: list[tuple[str, float]] = []
    if found.own_now_per_million is not None:
        share = wording.share(found.now_share)
        words = _("This plan, at work {share} of the year").replace("{share}", share)
        rows.append((words, found.own_now_per_million))
    rows.append((_("This plan, at work all the time"), found.own_full_per_million))
    if found.hire is not None:
        record = catalogue.gpus.get(found.hire.gpu)
        hired = _("{cards} of {gpu} hired").replace("{cards}", wording.counted("cards", found.hire.cards))
        hired = hired.replace("{gpu}", record.short_name if record is not None else found.hire.gpu)
        rows.append((_("{hired}, a tenth of the time").replace("{hired}", hired), found.hire.tenth_per_million))
        rows.append((_("{hired}, all the time").replace("{hired}", hired), found.hire.full_per_million))
    if found.api is not None:
        sold = _("{model} by the token (API)").replace("{model}", wording.value("model", found.api.model))
        if not found.api.same:
            sold = _("{sold}, the nearest that has a price").replace("{sold}", sold)
        rows.append((sold, found.api.per_million))
    own, api = found.own_now_per_million, found.api.per_million if found.api is not None else None
    least = min(own, api) if own is not None and api is not None else None
    # Two significant figures: forecasts are no offers.
    return tuple(
        Offer(words, price, wording.money(float(f"{price:.2g}"), currency), price == least) for words, price in rows
    )


def unit_said(found: Comparison, wording: Wording) -> str:
    """What every price is for."""
    _ = wording.gettext
    ratio = wording.number(round(found.input_per_output, 1))
    words = _("A million tokens of answers, with {ratio} million of questions{assumed}").replace("{ratio}", ratio)
    return words.replace("{assumed}", "" if found.ratio_given else " " + _("(assumed)"))


def even_said(found: Comparison, wording: Wording) -> str:
    """From which volume owning pays; "" where nothing has a price to compare with."""
    if found.even_million_per_month is None:
        return ""
    _ = wording.gettext
    words = (
        _(
            "Against the API owning never pays: it would take {even} million tokens a month, the machines make at most"
            " {most} million."
        )
        if found.answer == "never"
        else _("Against the API owning pays from {even} million tokens of answers a month; they make {most} million.")
    )
    words = words.replace("{even}", wording.forecast(found.even_million_per_month))
    return words.replace("{most}", wording.forecast(found.most_million_per_month))


class OfferRow(QWidget):
    """Words on the left, the price on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.words: QLabel = label("", wrap=True)
        self.mark: QLabel = label("badge")
        set_property(self.mark, "meaning", "good")
        self.money: QLabel = label("")
        self.money.setFont(font(SIZE_TEXT, figures=True))
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 6, 3)
        row.setSpacing(UNIT)
        row.addWidget(self.words, 1)
        row.addWidget(self.mark)
        row.addWidget(self.money, 0, Qt.AlignmentFlag.AlignRight)

    def show_offer(self, offer: Offer, wording: Wording) -> None:
        self.words.setText(offer.words)
        self.money.setText(offer.money)
        self.mark.setText(wording.gettext("cheaper as planned"))
        self.mark.setVisible(offer.cheaper)
        said = f", {self.mark.text()}" if offer.cheaper else ""
        self.setAccessibleName(f"{offer.words}: {offer.money}{said}")


class Offers(Section):
    """The table of the cost tab; hidden where nothing else has a price."""

    def __init__(self) -> None:
        super().__init__()
        self._wording: Wording | None = None
        self.unit = label("note", wrap=True)
        self.rows: Rows[Offer, OfferRow] = Rows(OfferRow, self._fill, 0)
        self.even = label("note", wrap=True)
        for widget in (self.unit, self.rows, self.even):
            self.content.addWidget(widget)

    def _fill(self, row: OfferRow, offer: Offer) -> None:
        if self._wording is not None:
            row.show_offer(offer, self._wording)

    def show_comparison(self, found: Comparison | None, catalogue: Catalogue, wording: Wording, currency: str) -> bool:
        """Whether there is something to compare with."""
        self._wording = wording
        self.set_title(wording.gettext("Own, hire, or buy by the token"))
        if found is None or (found.api is None and found.hire is None):
            return False
        self.unit.setText(unit_said(found, wording))
        self.rows.show_items(offers(found, catalogue, wording, currency))
        self.even.setText(even_said(found, wording))
        self.even.setVisible(bool(self.even.text()))
        return True
