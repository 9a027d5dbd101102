"""A figure with its caption: the value large, what it is below, the change since the last edit beside it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from configurator.desktop.theme import current, follow, font, theme
from configurator.desktop.widgets.explain import Explanation, show_explanation
from configurator.diagram.measure import fitted
from configurator.diagram.tokens import RADIUS_CARD, SIZE_FIGURE, SIZE_NOTE, SIZE_SMALL, SIZE_TEXT, SIZE_TITLE, mixed

FLASH_MS = 900
PAD = 11


class FigureTile(QAbstractButton):
    """A click tells how the figure is computed."""

    def __init__(self) -> None:
        super().__init__()
        self._value = "–"
        self._caption = ""
        self._change = ""
        self._better: bool | None = None
        self._glow = 0.0
        self.explanation: Explanation | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.clicked.connect(self._explain)
        self._flash = QVariantAnimation(self)
        self._flash.setStartValue(1.0)
        self._flash.setEndValue(0.0)
        self._flash.valueChanged.connect(self._fade)
        follow(self)

    def show_figure(
        self,
        value: str,
        caption: str,
        change: str = "",
        better: bool | None = None,
        explanation: Explanation | None = None,
    ) -> None:
        """``change`` is the signed difference as text; ``better`` None when it is neither good nor bad."""
        flash = self._value not in {value, "–"} and value != "–" and self.isVisible()
        self._value, self._caption, self._change, self._better = value, caption, change, better
        self.explanation = explanation
        self.setAccessibleName(f"{caption}: {value}" + (f", {change}" if change else ""))
        self.setToolTip(explanation.plain() if explanation is not None else "")
        self._fit()
        if flash and theme().motion_ms:
            self._flash.stop()
            self._flash.setDuration(FLASH_MS)
            self._flash.start()
        self.update()

    @property
    def value(self) -> str:
        return self._value

    @property
    def change(self) -> str:
        return self._change

    def _explain(self) -> None:
        if self.explanation is not None:
            show_explanation(self, self.explanation)

    def _fade(self, value: float) -> None:
        self._glow = value
        self.update()

    def _lines(self) -> list[str]:
        """Caption in at most three lines of the tile's width."""
        metrics = QFontMetricsF(font(SIZE_NOTE))
        room = max(self.width(), 80) - 2 * PAD
        lines: list[str] = []
        for word in self._caption.split(" "):
            if lines and metrics.horizontalAdvance(f"{lines[-1]} {word}") <= room:
                lines[-1] = f"{lines[-1]} {word}"
            else:
                lines.append(word)
        return lines[:3]

    def _fit(self) -> None:
        # Tiles of one row stay equally high: the layout stretches the lower ones.
        self.setMinimumHeight(2 * PAD + 24 + 16 * max(1, len(self._lines())))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(140, self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(96, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        ground = mixed(look.accent_soft, look.raised, self._glow) if self._glow else look.raised
        edge = look.accent if self.hasFocus() or self.underMouse() else look.line
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(area, RADIUS_CARD, RADIUS_CARD)
        inner = area.adjusted(PAD, PAD - 2, -PAD, -PAD + 2)
        room = inner.width()
        size = next(
            (
                each
                for each in (SIZE_FIGURE, SIZE_TITLE, SIZE_TEXT, SIZE_NOTE)
                if QFontMetricsF(font(each, strong=True)).horizontalAdvance(self._value) <= room
            ),
            SIZE_NOTE,
        )
        painter.setFont(font(size, strong=True))
        painter.setPen(QColor(look.ink))
        top = QRectF(inner.left(), inner.top(), room, 24)
        value = self._value
        if QFontMetricsF(painter.font()).horizontalAdvance(value) > room:
            value = fitted(value, room, size, True)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, value)
        used = QFontMetricsF(painter.font()).horizontalAdvance(value) + 8
        self._paint_change(painter, QRectF(inner.left() + used, inner.top(), room - used, 24))
        painter.setFont(font(SIZE_NOTE))
        painter.setPen(QColor(look.muted))
        for number, line in enumerate(self._lines()):
            row = QRectF(inner.left(), inner.top() + 25 + 16 * number, room, 16)
            painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)

    def _paint_change(self, painter: QPainter, area: QRectF) -> None:
        if not self._change:
            return
        look = current()
        made = font(SIZE_SMALL, strong=True)
        if QFontMetricsF(made).horizontalAdvance(self._change) > area.width():
            return
        painter.setFont(made)
        ink = look.muted if self._better is None else look.good_ink if self._better else look.stop_ink
        painter.setPen(QColor(ink))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._change)
