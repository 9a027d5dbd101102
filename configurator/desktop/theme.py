"""The look of the window: palette, fonts and a small style sheet on Fusion, from the shared tokens.

Light and dark are our own palettes: Qt's own switch does nothing on a Linux desktop without a theme plugin.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from configurator.desktop.style import sheet
from configurator.diagram.tokens import (
    DARK,
    FAMILY,
    FIGURES_FAMILY,
    GRID,
    LIGHT,
    MOTION_MS,
    SIZE_TEXT,
    SYMBOLS_FAMILY,
    Mode,
    Tokens,
    tokens,
)
from configurator.paths import resource

ModeChoice = Literal["light", "dark", "system"]

HALF, UNIT, DOUBLE, TRIPLE = GRID // 2, GRID, GRID * 2, GRID * 3
"""Spacing in logical pixels: 4, 8, 16, 24."""

FONT_FILES = (
    "Inter-Regular.ttf",
    "Inter-SemiBold.ttf",
    "ConfiguratorFigures-Regular.ttf",
    "ConfiguratorFigures-SemiBold.ttf",
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
)


class Theme(QObject):
    """The one live theme of the program. ``changed`` fires after a switch; painters then repaint from ``tokens``."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.tokens: Tokens = LIGHT
        self.choice: ModeChoice = "light"
        self.reduced_motion = False

    @property
    def mode(self) -> Mode:
        """The mode on screen."""
        return self.tokens.mode

    @property
    def dark(self) -> bool:
        return self.tokens is DARK

    @property
    def motion_ms(self) -> int:
        """Length of an explaining motion; 0 when the owner wants none."""
        return 0 if self.reduced_motion else MOTION_MS


_theme: Theme | None = None


def theme() -> Theme:
    """The live theme (light until ``apply`` is called)."""
    global _theme
    if _theme is None:
        _theme = Theme()
    return _theme


def current() -> Tokens:
    """Tokens of the mode on screen."""
    return theme().tokens


def colour(name: str, alpha: int = 255) -> QColor:
    """A token of the mode on screen as a Qt colour."""
    made = QColor(getattr(current(), name))
    made.setAlpha(alpha)
    return made


def system_mode() -> Mode:
    """What the desktop asks for; light where it does not say."""
    return "dark" if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def apply(app: QApplication, mode: ModeChoice = "system", reduced_motion: bool | None = None) -> Tokens:
    """Put the theme on the whole program and return its tokens. Call again to switch; windows stay open."""
    live = theme()
    load_fonts()
    live.choice = mode
    live.tokens = tokens(system_mode() if mode == "system" else mode)
    if reduced_motion is not None:
        live.reduced_motion = reduced_motion
    if app.property("planner_style") != "Fusion":
        # A style sheet hides the name of the style below it, so the program keeps its own note.
        app.setProperty("planner_style", "Fusion")
        app.setStyle("Fusion")
    text = sheet(live.tokens)
    if app.styleSheet() != text:
        # Polishing every widget anew takes a while; only a real switch is worth it.
        app.setFont(font())
        app.setPalette(palette(live.tokens))
        app.setStyleSheet(text)
        live.changed.emit()
    return live.tokens


_fonts_loaded = False


def load_fonts() -> None:
    """Register the shipped faces once; without the files Qt falls back to the system's sans."""
    global _fonts_loaded
    if _fonts_loaded:
        return
    _fonts_loaded = True
    for name in FONT_FILES:
        path = resource("fonts", name)
        if path.is_file():
            QFontDatabase.addApplicationFont(str(path))


def font(size: int = SIZE_TEXT, strong: bool = False, figures: bool = False) -> QFont:
    """A face of the program at a size in logical pixels; ``figures``: digits of one width for columns."""
    made = QFont()
    made.setFamilies([FIGURES_FAMILY if figures else FAMILY, FAMILY, SYMBOLS_FAMILY, "sans-serif"])
    made.setPixelSize(size)
    made.setWeight(QFont.Weight.DemiBold if strong else QFont.Weight.Normal)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def palette(look: Tokens) -> QPalette:
    """The complete Qt palette of one mode, disabled texts included."""
    made = QPalette(QColor(look.raised), QColor(look.background))
    roles = {
        QPalette.ColorRole.Window: look.background,
        QPalette.ColorRole.WindowText: look.ink,
        QPalette.ColorRole.Base: look.panel,
        QPalette.ColorRole.AlternateBase: look.background,
        QPalette.ColorRole.Text: look.ink,
        QPalette.ColorRole.Button: look.raised,
        QPalette.ColorRole.ButtonText: look.ink,
        QPalette.ColorRole.BrightText: look.stop,
        QPalette.ColorRole.Highlight: look.accent,
        QPalette.ColorRole.HighlightedText: look.on_accent,
        QPalette.ColorRole.Accent: look.accent,
        QPalette.ColorRole.Link: look.accent_ink,
        QPalette.ColorRole.LinkVisited: look.accent_ink,
        QPalette.ColorRole.PlaceholderText: look.muted,
        QPalette.ColorRole.ToolTipBase: look.raised,
        QPalette.ColorRole.ToolTipText: look.ink,
        QPalette.ColorRole.Mid: look.line,
        QPalette.ColorRole.Midlight: look.line,
        QPalette.ColorRole.Dark: look.line_strong,
        QPalette.ColorRole.Light: look.panel,
        QPalette.ColorRole.Shadow: look.shadow,
    }
    for role, value in roles.items():
        made.setColor(role, QColor(value))
    faded = QColor(look.muted)
    faded.setAlpha(150)
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, role, faded)
    return made


def follow(widget: QWidget) -> None:
    """Repaint a widget that draws from tokens whenever the theme changes."""
    theme().changed.connect(widget.update)


def is_theme_change(event: QEvent) -> bool:
    """True for the events Qt sends when palette or style changed."""
    return event.type() in {QEvent.Type.PaletteChange, QEvent.Type.StyleChange}


__all__ = [
    "DOUBLE",
    "HALF",
    "TRIPLE",
    "UNIT",
    "ModeChoice",
    "Theme",
    "Tokens",
    "apply",
    "colour",
    "current",
    "follow",
    "font",
    "is_theme_change",
    "load_fonts",
    "palette",
    "system_mode",
    "theme",
]
