"""What lines mean: samples with words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from configurator.desktop.theme import current, follow, font
from configurator.diagram.picture import Key
from configurator.diagram.tokens import SIZE_NOTE

SAMPLE, ROW_H = 24, 22


class Legend(QWidget):
    """Line samples with their words, in as many rows as they need."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[Key, ...] = ()
        self._rows = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        follow(self)

    def show_keys(self, keys: tuple[Key, ...]) -> None:
        self._keys = keys
        self.setAccessibleDescription(", ".join(key.text for key in keys))
        self._fit()
        self.update()

    def _placed(self) -> list[tuple[Key, float, int]]:
        """Each key with its x and row."""
        metrics = QFontMetricsF(font(SIZE_NOTE))
        placed: list[tuple[Key, float, int]] = []
        x, row = 0.0, 0
        for key in self._keys:
            wide = SAMPLE + 8 + metrics.horizontalAdvance(key.text)
            if x and x + wide > self.width():
                x, row = 0.0, row + 1
            placed.append((key, x, row))
            x += wide + 20
        return placed

    def _fit(self) -> None:
        rows = 1 + max((row for _key, _x, row in self._placed()), default=0)
        if rows != self._rows:
            self._rows = rows
            self.setFixedHeight(rows * ROW_H)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(120, self._rows * ROW_H)

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(SIZE_NOTE))
        for key, x, row in self._placed():
            top, middle = row * ROW_H, row * ROW_H + ROW_H / 2
            pen = QPen(QColor(getattr(look, key.colour)), min(key.width, 4))
            if key.dashed:
                pen.setDashPattern([2.2, 1.6])
            painter.setPen(pen)
            painter.drawLine(QPointF(x, middle), QPointF(x + SAMPLE, middle))
            painter.setPen(QColor(look.muted))
            area = QRectF(x + SAMPLE + 8, top, self.width(), ROW_H)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, key.text)
