"""Line icons of the program, tinted from the tokens. One SVG file each in resources/icons."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton

from configurator.desktop.theme import current, theme
from configurator.paths import resource

SIZES = (16, 20, 24, 32, 48, 64)
"""Pixels drawn in advance; a screen at 2x takes the double one, so nothing is ever blurred."""


@lru_cache(maxsize=128)
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """All icons there are, without the two the style sheet uses."""
    files = sorted(path.stem for path in resource("icons").glob("*.svg"))
    return tuple(name for name in files if not name.startswith("style-"))


def paint(painter: QPainter, name: str, target: QRectF, tint: str | QColor) -> None:
    """Draw an icon into a rectangle as vectors, in a colour."""
    wanted = tint.name() if isinstance(tint, QColor) else tint
    data = QByteArray(_source(name).replace("currentColor", wanted).encode())
    QSvgRenderer(data).render(painter, target)


def pixmap(name: str, size: int = 16, tint: str = "ink", ratio: float = 1.0) -> QPixmap:
    """An icon as a picture of ``size`` logical pixels, in the token's colour of the mode on screen."""
    made = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint(painter, name, QRectF(0, 0, made.width(), made.height()), getattr(current(), tint))
    painter.end()
    made.setDevicePixelRatio(ratio)
    return made


def icon(name: str, tint: str = "ink") -> QIcon:
    """An icon in the colours of the mode on screen: normal, disabled, and accent while checked."""
    return QIcon(_icon(name, tint, theme().mode))


@lru_cache(maxsize=256)
def _icon(name: str, tint: str, mode: str) -> QIcon:
    """Drawn once per mode: a list of findings asks for the same few icons again and again."""
    del mode
    made = QIcon()
    for size in SIZES:
        made.addPixmap(pixmap(name, size, tint), QIcon.Mode.Normal, QIcon.State.Off)
        made.addPixmap(pixmap(name, size, "accent_ink"), QIcon.Mode.Normal, QIcon.State.On)
        made.addPixmap(pixmap(name, size, "line_strong"), QIcon.Mode.Disabled, QIcon.State.Off)
    return made


class _Tint(QObject):
    """Lives and dies with its button or action."""

    def __init__(self, target: QAbstractButton | QAction, name: str, tint: str) -> None:
        super().__init__(target)
        self._target = target
        self._name = name
        self._tint = tint
        self.again()
        theme().changed.connect(self.again)

    def again(self) -> None:
        self._target.setIcon(icon(self._name, self._tint))


def bind(target: QAbstractButton | QAction, name: str, tint: str = "ink") -> None:
    """Give a button or an action an icon that follows the theme for as long as the target lives."""
    _Tint(target, name, tint)
