"""Presentation: the whole screen, large type, nothing to edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from configurator.desktop.window import MainWindow

LARGE = """
QLabel { font-size: 16px; }
QLabel[role="headline"], QLabel[role="headline-large"] { font-size: 28px; }
QLabel[role="title"] { font-size: 20px; }
QLabel[role="figure"] { font-size: 26px; }
QLabel[role="note"], QLabel[role="muted"], QLabel[role="light"] { font-size: 15px; }
QLabel[role="small"], QLabel[role="section"], QLabel[role="badge"] { font-size: 13px; }
"""
"""Laid over the style of the answer while presenting."""

FIT_MOST = 1.6
"""The plan is drawn this large at most."""
RIGHT_WIDTH = 520
"""Pixels of the answer while presenting."""


def present(window: MainWindow, on: bool) -> None:
    """Put everything away that edits, or bring it back as it was."""
    workspace, canvas = window.workspace, window.canvas
    if on:
        workspace.remember_sides()
        window.desk.inspector.shut()
    canvas.hint_shown = not on
    window.selection_bar.cover(on)
    canvas.fit_most = FIT_MOST if on else 0.0
    window.toolbar.show_presenting(on)
    window.menuBar().setVisible(not on)
    window.workload.setVisible(not on)
    window.right.setStyleSheet(LARGE if on else "")
    left, right = workspace.sides_before
    workspace.set_left(left and not on)
    workspace.set_right(right or on)
    if on:
        window.showFullScreen()
        widths = (0, RIGHT_WIDTH)
    else:
        window.showNormal()
        values = window.desk.settings.values
        widths = (values.left_width, values.right_width)
    QTimer.singleShot(0, window, lambda: workspace.set_sizes(*widths))
    QTimer.singleShot(0, window, canvas.fit)
