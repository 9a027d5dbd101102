"""Presentation: the whole screen, large type, nothing to edit."""

from __future__ import annotations

LARGE = """
QLabel { font-size: 16px; }
QLabel[role="headline"], QLabel[role="headline-large"] { font-size: 28px; }
QLabel[role="title"] { font-size: 20px; }
QLabel[role="figure"] { font-size: 26px; }
QLabel[role="note"], QLabel[role="muted"], QLabel[role="light"] { font-size: 15px; }
QLabel[role="small"], QLabel[role="section"], QLabel[role="badge"] { font-size: 13px; }
"""
"""Laid over the style of the answer while presenting."""

RIGHT_WIDTH = 520
"""Pixels of the answer while presenting."""
