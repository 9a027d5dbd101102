"""The line at the bottom: power, purchase, cost per month and per million tokens; wording and language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QActionGroup, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QMenu, QSizePolicy, QToolButton

from configurator.desktop.document import Document
from configurator.desktop.languages import languages
from configurator.desktop.panels.money import (
    million_explained,
    power_explained,
    purchase_explained,
    total_explained,
)
from configurator.desktop.theme import DOUBLE, UNIT, current, follow, font, theme
from configurator.desktop.widgets.explain import Explanation, show_explanation
from configurator.desktop.widgets.tile import FLASH_MS
from configurator.diagram.tokens import RADIUS_CONTROL, SIZE_SMALL, SIZE_TEXT
from configurator.terms import Estimate
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import Assessment
    from configurator.operations.results import CostEstimate

HEIGHT = 40


class StatusFigure(QAbstractButton):
    """Caption, value, change, in one line. A click tells how it is computed."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[str, str, str, str] = ("", "–", "", "")
        self._better: bool | None = None
        self._glow = 0.0
        self._brief = False
        self._measured: tuple[object, QSize] = (None, QSize())
        self.explanation: Explanation | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._explain)
        self._flash = QVariantAnimation(self)
        self._flash.setStartValue(1.0)
        self._flash.setEndValue(0.0)
        self._flash.setDuration(FLASH_MS)
        self._flash.valueChanged.connect(self._fade)
        follow(self)

    def show_figure(
        self,
        caption: str,
        value: str,
        after: str = "",
        change: str = "",
        better: bool | None = None,
        explanation: Explanation | None = None,
    ) -> None:
        flash = self._parts[1] not in {value, "–"} and self.isVisible()
        self._parts = (caption, value, after, change)
        self._better = better
        self.explanation = explanation
        self.setAccessibleName(" ".join(part for part in self._parts if part))
        self.setToolTip(explanation.plain() if explanation is not None else "")
        if flash and theme().motion_ms:
            self._flash.stop()
            self._flash.start()
        self.updateGeometry()
        self.update()

    def set_brief(self, brief: bool) -> None:
        """Without the change, where there is little room."""
        if brief != self._brief:
            self._brief = brief
            self.updateGeometry()
            self.update()

    @property
    def value(self) -> str:
        return self._parts[1]

    @property
    def change(self) -> str:
        return self._parts[3]

    def _fade(self, value: float) -> None:
        self._glow = value
        self.update()

    def _explain(self) -> None:
        if self.explanation is not None:
            show_explanation(self, self.explanation)

    def _runs(self) -> list[tuple[str, int, bool, str]]:
        caption, value, after, change = self._parts
        tint = "muted" if self._better is None else "good_ink" if self._better else "stop_ink"
        return [
            (text, size, strong, colour)
            for text, size, strong, colour in (
                (caption, SIZE_TEXT, False, "muted"),
                (value, SIZE_TEXT, True, "ink"),
                (after, SIZE_TEXT, False, "muted"),
                ("" if self._brief else change, SIZE_SMALL, True, tint),
            )
            if text
        ]

    def sizeHint(self) -> QSize:
        said = (self._parts, self._brief)
        if said != self._measured[0]:
            wide = sum(QFontMetricsF(font(s, b)).horizontalAdvance(text) + 5 for text, s, b, _c in self._runs())
            self._measured = (said, QSize(round(wide) + 12, 26))
        return self._measured[1]

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._glow or self.underMouse() or self.hasFocus():
            ground = QColor(look.accent_soft)
            ground.setAlphaF(self._glow if self._glow and not self.underMouse() else 1.0)
            painter.setPen(QPen(QColor(look.accent), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(area, RADIUS_CONTROL, RADIUS_CONTROL)
        x = 6.0
        for text, size, strong, colour in self._runs():
            made = font(size, strong)
            painter.setFont(made)
            painter.setPen(QColor(getattr(look, colour)))
            wide = QFontMetricsF(made).horizontalAdvance(text)
            painter.drawText(QRectF(x, 0, wide + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, text)
            x += wide + 5


class StatusBar(QFrame):
    """Figures on the left, wording and language on the right; with little room first the changes go, then the last."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.setProperty("role", "bar")
        self.setFixedHeight(HEIGHT)
        self.power = StatusFigure()
        self.purchase = StatusFigure()
        self.month = StatusFigure()
        self.million = StatusFigure()
        self.figures = (self.power, self.purchase, self.month, self.million)
        self.audience = self._switch()
        self.language = self._switch()
        row = QHBoxLayout(self)
        row.setContentsMargins(UNIT, 0, UNIT, 0)
        row.setSpacing(DOUBLE)
        for figure in self.figures:
            row.addWidget(figure)
        row.addStretch(1)
        row.addWidget(self.audience)
        row.addWidget(self.language)
        document.assessed.connect(self._assessed)
        document.wording_changed.connect(self.retranslate)
        self.retranslate()

    def _switch(self) -> QToolButton:
        button = QToolButton()
        button.setProperty("role", "quiet")
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(QMenu(button))
        return button

    @property
    def _wording(self) -> Wording:
        return self._document.wording

    def retranslate(self) -> None:
        wording = self._wording
        _ = wording.gettext
        owner = wording.audience == "owner"
        self.audience.setText((_("Owner's wording") if owner else _("Operator's wording")) + " ▾")
        self.audience.setToolTip(_("Everyday words, or the terms of the trade"))
        self.audience.setAccessibleName(self.audience.text().removesuffix(" ▾"))
        self.language.setText(wording.language.upper() + " ▾")
        self.language.setToolTip(_("Language of the screen"))
        self.language.setAccessibleName(_("Language of the screen"))
        self._fill(
            self.audience.menu(),
            (
                ("owner", _("Owner's wording: everyday words")),
                ("operator", _("Operator's wording: terms of the trade")),
            ),
            wording.audience,
            self._document.set_audience,
        )
        offered = languages()
        self.language.setVisible(len(offered) > 1)
        self._fill(self.language.menu(), offered, wording.language, self._document.set_language)
        self._assessed(self._document.assessment)

    def _fill(
        self, menu: QMenu, entries: tuple[tuple[str, str], ...], chosen: str, choose: Callable[[str], None]
    ) -> None:
        menu.clear()
        group = QActionGroup(menu)
        for value, text in entries:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            action.triggered.connect(lambda _on=False, value=value: choose(value))
            group.addAction(action)

    def _assessed(self, answer: Assessment | None) -> None:
        wording = self._wording
        _ = wording.gettext
        settings = self._document.project.cost
        before = self._document.previous_assessment
        draw = next((each for each in answer.power if each.subject_id == "plan"), None) if answer is not None else None
        old = next((each for each in before.power if each.subject_id == "plan"), None) if before is not None else None
        none = "–"
        if answer is None or draw is None:
            for figure, caption in zip(
                self.figures, (_("Power"), _("To buy"), _("Per month"), _("Per million tokens")), strict=True
            ):
                figure.show_figure(caption, none)
            self._fit()
            return
        cost = answer.cost
        placed = bool(cost.shopping)
        was = before.cost if before is not None else None
        self.power.show_figure(
            _("Power"),
            wording.estimate(draw.busy_w) if placed else none,
            _("busy"),
            *self._change(old.busy_w if old is not None else None, draw.busy_w, power=True),
            power_explained(draw, wording) if placed else None,
        )
        self.purchase.show_figure(
            _("To buy"),
            wording.estimate(cost.purchase) if placed else none,
            "",
            *self._change(was.purchase if was is not None else None, cost.purchase),
            purchase_explained(cost, wording) if placed else None,
        )
        # The same range as on the cost tab and in the proposal, printed by the same words.
        month = cost.total_per_year.scaled(1 / 12, cost.currency)
        self.month.show_figure(
            _("Per month"),
            wording.estimate(month) if placed else none,
            "",
            *self._change(was.total_per_year.scaled(1 / 12, cost.currency) if was is not None else None, month),
            total_explained(cost, settings, wording) if placed else None,
        )
        million = _per_million(cost)
        self.million.show_figure(
            _("Per million tokens"),
            wording.estimate(million) if million is not None else none,
            "",
            *self._change(_per_million(was), million),
            million_explained(cost, wording) if million is not None else None,
        )
        self._fit()

    def _change(self, old: Estimate | None, new: Estimate | None, *, power: bool = False) -> tuple[str, bool | None]:
        """The difference of the expected figures; less is better for all of them."""
        if old is None or new is None or old.unit.partition("/")[0] != new.unit.partition("/")[0]:
            return "", None
        change = new.expected - old.expected
        scale = max(abs(old.expected), abs(new.expected))
        if not scale or abs(change) < 0.005 * scale:
            return "", None
        arrow = "▲" if change > 0 else "▼"
        size = self._wording.power(abs(change)) if power else self._wording.estimate(_about(abs(change), new.unit))
        return f"{arrow} {size}", change < 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        switches = [each for each in (self.audience, self.language) if not each.isHidden()]
        room = self.width() - sum(each.sizeHint().width() for each in switches) - 4 * DOUBLE
        for figure in self.figures:
            figure.set_brief(False)
        if sum(figure.sizeHint().width() + DOUBLE for figure in self.figures) > room:
            for figure in self.figures:
                figure.set_brief(True)
        for figure in self.figures:
            room -= figure.sizeHint().width() + DOUBLE
            figure.setVisible(room >= 0)


def _per_million(cost: CostEstimate | None) -> Estimate | None:
    """In the currency alone: the caption says per what."""
    if cost is None or cost.per_million_tokens is None:
        return None
    return cost.per_million_tokens.scaled(1.0, cost.currency)


def _about(amount: float, unit: str) -> Estimate:
    """A difference of forecasts: as rough as they are, in their currency."""
    return Estimate.exact(float(f"{amount:.2g}"), unit.partition("/")[0])
