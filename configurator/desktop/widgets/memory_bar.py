"""How the memory of one card is used: weights, KV cache, working memory, free. Equal cards share one bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from configurator.desktop.theme import current, follow, font
from configurator.diagram.tokens import SIZE_NOTE, SIZE_TEXT

BAR_H, HEAD_H, LEGEND_H, SWATCH = 14, 22, 19, 9


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the bar; ``colour`` is a token, ``short`` draws it as missing."""

    name: str
    value: str
    share: float
    colour: str
    explanation: str = ""
    short: bool = False


class MemoryBar(QWidget):
    """Title and total, the bar, and a legend that wraps."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        self._total = ""
        self._parts: tuple[Part, ...] = ()
        self._said: Literal["values", "names", "none"] = "values"
        self._height = HEAD_H + BAR_H + LEGEND_H
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        follow(self)

    def show_parts(
        self, title: str, total: str, parts: tuple[Part, ...], legend: Literal["values", "names", "none"] = "values"
    ) -> None:
        """The bar of a card; ``legend`` says names with values, names only, or nothing."""
        self._title, self._total, self._parts, self._said = title, total, parts, legend
        self.setAccessibleName(f"{title}, {total}")
        self.setAccessibleDescription(", ".join(f"{part.name} {part.value}" for part in parts))
        self._fit()
        self.update()

    @property
    def parts(self) -> tuple[Part, ...]:
        return self._parts

    def sizeHint(self) -> QSize:
        return QSize(200, self._height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        rows = 1 + max((row for _, _, row in self._legend()), default=-1)
        height = HEAD_H + BAR_H + 4 + rows * LEGEND_H
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)

    def _legend(self) -> list[tuple[Part, float, int]]:
        """Each legend entry with its x and row."""
        metrics = QFontMetricsF(font(SIZE_NOTE))
        placed: list[tuple[Part, float, int]] = []
        x, row = 0.0, 0
        for part in self._parts if self._said != "none" else ():
            wide = SWATCH + 6 + metrics.horizontalAdvance(self._entry(part)) + 14
            if x and x + wide - 14 > self.width():
                x, row = 0.0, row + 1
            placed.append((part, x, row))
            x += wide
        return placed

    def _entry(self, part: Part) -> str:
        return f"{part.name} {part.value}" if self._said == "values" else part.name

    def _segments(self) -> list[tuple[Part, QRectF]]:
        found: list[tuple[Part, QRectF]] = []
        total = sum(part.share for part in self._parts) or 1.0
        x = 0.0
        for part in self._parts:
            wide = self.width() * part.share / max(total, 1.0)
            found.append((part, QRectF(x, HEAD_H, wide, BAR_H)))
            x += wide
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(SIZE_TEXT, strong=True))
        painter.setPen(QColor(look.ink))
        head = QRectF(0, 0, self.width(), HEAD_H - 4)
        total_width = QFontMetricsF(font(SIZE_NOTE)).horizontalAdvance(self._total) + 8
        title = QFontMetricsF(painter.font()).elidedText(
            self._title, Qt.TextElideMode.ElideRight, self.width() - total_width
        )
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        painter.setFont(font(SIZE_NOTE))
        painter.setPen(QColor(look.muted))
        painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._total)
        self._paint_bar(painter)
        painter.setFont(font(SIZE_NOTE))
        for part, x, row in self._legend():
            top = HEAD_H + BAR_H + 4 + row * LEGEND_H
            self._swatch(painter, part, QRectF(x, top + (LEGEND_H - SWATCH) / 2, SWATCH, SWATCH))
            painter.setPen(QColor(look.stop_ink if part.short else look.muted))
            area = QRectF(x + SWATCH + 6, top, self.width() - x, LEGEND_H)
            text = self._entry(part)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_bar(self, painter: QPainter) -> None:
        look = current()
        whole = QRectF(0, HEAD_H, self.width(), BAR_H)
        clip = QPainterPath()
        clip.addRoundedRect(whole, 4, 4)
        painter.save()
        painter.setClipPath(clip)
        painter.fillRect(whole, QColor(look.free))
        for part, area in self._segments():
            if part.short:
                painter.fillRect(area, QColor(look.stop_soft))
                painter.fillRect(area, Qt.BrushStyle.BDiagPattern)
                painter.setPen(QPen(QColor(look.stop), 1))
                painter.setBrush(Qt.BrushStyle.BDiagPattern)
                painter.drawRect(area)
            else:
                painter.fillRect(area, QColor(getattr(look, part.colour)))
        painter.restore()

    def _swatch(self, painter: QPainter, part: Part, area: QRectF) -> None:
        look = current()
        outlined = part.short or part.colour == "free"
        edge = QColor(look.stop if part.short else look.line_strong)
        painter.setPen(QPen(edge, 1) if outlined else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(QColor(look.stop_soft if part.short else getattr(look, part.colour)))
        painter.drawRoundedRect(area, 2, 2)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = event.pos()
            for part, area in self._segments():
                if area.adjusted(0, -3, 0, 3).contains(at.x(), at.y()):
                    text = f"{part.name}: {part.value}"
                    QToolTip.showText(event.globalPos(), text + (f"\n{part.explanation}" if part.explanation else ""))
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
