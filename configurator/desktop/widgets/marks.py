"""The traffic light as shape, colour and word; round badges with a number."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from configurator.desktop import icons
from configurator.desktop.theme import HALF, current, follow, font
from configurator.desktop.widgets.texts import label, set_property
from configurator.diagram.tokens import SIZE_SMALL
from configurator.terms import Light

SHAPES: dict[Light, str] = {"good": "good", "step": "step", "stop": "stop", "unknown": "unknown"}
"""Circle with a tick, triangle, octagon, circle with a question mark: told apart without colour."""


class Shape(QWidget):
    """The shape of a light in its colour."""

    def __init__(self, size: int = 16) -> None:
        super().__init__()
        self._light: Light = "unknown"
        self.setFixedSize(size, size)
        follow(self)

    def set_light(self, light: Light) -> None:
        self._light = light
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        icons.paint(painter, SHAPES[self._light], QRectF(self.rect()), current().meaning(self._light)[2])


class LightRow(QWidget):
    """Shape and word of a light in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.shape_ = Shape()
        self.word: QLabel = label("light")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF + 2)
        row.addWidget(self.shape_)
        self.form: QLabel = label("light")
        row.addWidget(self.word, 1)
        row.addWidget(self.form)

    def show_light(self, light: Light, word: str, form: str = "") -> None:
        """``form`` is what the advice comes to in a word or two, at the right."""
        self.shape_.set_light(light)
        self.word.setText(word)
        self.form.setText(form)
        self.form.setToolTip(form)
        for each in (self.word, self.form):
            set_property(each, "meaning", light)
        self._fit()

    def _fit(self) -> None:
        """Leave the form out where it does not stand beside the word: the headline says it in full."""
        room = self.width() - self.shape_.width() - self.word.sizeHint().width() - 3 * HALF
        self.form.setVisible(bool(self.form.text()) and self.form.sizeHint().width() <= room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, super().minimumSizeHint().height())


class NumberBadge(QWidget):
    """A number in a circle; tinted when its question was answered."""

    def __init__(self) -> None:
        super().__init__()
        self._number = ""
        self._light: Light | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        follow(self)

    def sizeHint(self) -> QSize:
        return QSize(20, 20)

    def show_number(self, number: int, light: Light | None) -> None:
        """``light`` None: not asked."""
        self._number = str(number)
        self._light = light
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        look = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._light is None:
            ground, ink = look.unknown_soft, look.muted
        else:
            _, ground, ink = look.meaning(self._light)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ground))
        painter.drawEllipse(area)
        painter.setPen(QColor(ink))
        painter.setFont(font(SIZE_SMALL, strong=True))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self._number)
