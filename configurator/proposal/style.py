"""Sizes, colours and paragraph styles of the PDF: the tokens of the screen, on paper."""

from __future__ import annotations

from functools import cache
from typing import Any

from reportlab.lib.colors import Color
from reportlab.lib.enums import TA_CENTER, TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm

from configurator.diagram.tokens import LIGHT, rgb
from configurator.proposal import fonts

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN = 19 * mm
WIDTH = PAGE_WIDTH - 2 * MARGIN
FOOTER = 6 * mm
HEIGHT = PAGE_HEIGHT - 2 * MARGIN - FOOTER
WIDE_WIDTH, WIDE_HEIGHT = PAGE_HEIGHT - 2 * MARGIN, PAGE_WIDTH - 2 * MARGIN - FOOTER
"""Room on a page turned on its side, for drawings."""

BODY, SMALL, NOTE = 9.5, 8.5, 7.5
TITLE, SECTION, PART, FIGURE = 24.0, 14.0, 10.5, 13.0


@cache
def colour(name: str) -> Color:
    """A token, or "#rrggbb", as reportlab wants it."""
    red, green, blue = rgb(name if name.startswith("#") else str(getattr(LIGHT, name)))
    return Color(red / 255, green / 255, blue / 255)


def _style(name: str, size: float, leading: float, **more: Any) -> ParagraphStyle:
    values: dict[str, Any] = {
        "fontName": fonts.TEXT,
        "fontSize": size,
        "leading": leading,
        "textColor": colour("ink"),
        "bulletFontName": fonts.TEXT,
        "bulletFontSize": size,
        "splitLongWords": 1,
        # Lines are never squeezed beyond the margin.
        "spaceShrinkage": 0,
        "allowWidows": 0,
        "allowOrphans": 0,
    }
    return ParagraphStyle(name, **{**values, **more})


@cache
def style(name: str) -> ParagraphStyle:
    """A paragraph style by name; see the table below."""
    fonts.register()
    strong, muted = fonts.STRONG, colour("muted")
    table = {
        "title": _style("title", TITLE, 29, fontName=strong, spaceAfter=2),
        "section": _style("section", SECTION, 18, fontName=strong, spaceBefore=14, spaceAfter=5),
        "part": _style("part", PART, 14, fontName=strong, spaceBefore=10, spaceAfter=3),
        "lead": _style("lead", 10.5, 15.5, textColor=colour("#3c4a58")),
        "body": _style("body", BODY, 14, spaceAfter=5),
        "cell": _style("cell", SMALL, 11.5),
        "cell-strong": _style("cell-strong", SMALL, 11.5, fontName=strong),
        "cell-muted": _style("cell-muted", SMALL, 11.5, textColor=muted),
        "cell-right": _style("cell-right", SMALL, 11.5, alignment=TA_RIGHT, fontName=fonts.FIGURES),
        "cell-head": _style("cell-head", SMALL, 11.5, fontName=strong, textColor=muted),
        "cell-head-right": _style("cell-head-right", SMALL, 11.5, fontName=strong, textColor=muted, alignment=TA_RIGHT),
        "code": _style("code", 8, 11.5, textColor=colour("accent_ink")),
        "point": _style("point", 8, 10.8, leftIndent=9, bulletIndent=1, spaceAfter=2.2),
        "divide": _style("divide", SMALL + 0.5, 12, fontName=strong, textColor=colour("accent_ink")),
        "reason": _style("reason", BODY, 13.4, leftIndent=10, bulletIndent=1),
        "note": _style("note", NOTE, 10.5, textColor=muted, spaceAfter=3),
        "note-right": _style("note-right", NOTE, 10.5, textColor=muted, alignment=TA_RIGHT),
        "tile-figure": _style("tile-figure", FIGURE, 16, fontName=fonts.FIGURES_STRONG),
        "tile-word": _style("tile-word", NOTE + 0.3, 10.5, textColor=muted),
        "light": _style("light", SMALL + 0.5, 12, fontName=strong),
        "headline": _style("headline", 14, 18, fontName=strong, spaceAfter=3),
        "centre": _style("centre", NOTE, 10.5, alignment=TA_CENTER, textColor=muted),
        "cover-title": _style("cover-title", 34, 40, fontName=strong),
        "cover-title-long": _style("cover-title-long", 23, 29, fontName=strong),
        "cover-word": _style("cover-word", 11, 16, textColor=muted),
        "cover-client": _style("cover-client", 15, 20),
    }
    return table[name]
