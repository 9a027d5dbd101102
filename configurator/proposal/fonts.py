"""The faces of the PDF: Inter for text, its even-digit sister for tables, DejaVu Sans for what both lack.

Every face is embedded as a subset. reportlab's own Helvetica is never used: it prints ■ for č ľ ť and Cyrillic.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.sax.saxutils import escape

from reportlab.lib.fonts import addMapping
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from configurator.paths import resource

TEXT, STRONG = "Inter-Regular", "Inter-SemiBold"
FIGURES, FIGURES_STRONG = "ConfiguratorFigures-Regular", "ConfiguratorFigures-SemiBold"
SYMBOLS = "DejaVuSans"
ALL = (TEXT, STRONG, FIGURES, FIGURES_STRONG, SYMBOLS)

THIN, NBSP = 0x202F, 0x00A0
UNPRINTABLE = "\ufffd"


@cache
def register() -> None:
    """Load the faces once per process."""
    for name in ALL:
        font = TTFont(name, str(resource("fonts", f"{name}.ttf")))
        # reportlab breaks lines at the thin no-break space but not at the common one, so text comes with the
        # common one (see ``printable``), and the common one is as narrow as the thin one.
        face: Any = vars(font)["face"]
        face.charToGlyph[NBSP] = face.charToGlyph[THIN]
        face.charWidths[NBSP] = face.charWidths[THIN]
        pdfmetrics.registerFont(font)
    for family, regular, strong in ((TEXT, TEXT, STRONG), (FIGURES, FIGURES, FIGURES_STRONG)):
        for bold in (0, 1):
            for italic in (0, 1):
                addMapping(family, bold, italic, strong if bold else regular)


@cache
def letters(name: str) -> frozenset[str]:
    """Characters a face can print."""
    register()
    font: Any = pdfmetrics.getFont(name)
    return frozenset(map(chr, font.face.charToGlyph))


def printable(text: str) -> str:
    """The text with spaces that reportlab keeps, and "\ufffd" for what no face can print."""
    text = text.replace(chr(THIN), chr(NBSP)).replace("\t", " ")
    odd = set(text) - letters(TEXT) - letters(SYMBOLS) - {"\n"}
    for letter in odd:
        text = text.replace(letter, UNPRINTABLE)
    return text


def runs(text: str, font: str) -> tuple[tuple[str, str], ...]:
    """The text cut into (face, part), with the symbol face where the asked one has no glyph."""
    text = printable(text)
    known = letters(font)
    if known.issuperset(text):
        return ((font, text),) if text else ()
    parts: list[tuple[str, str]] = []
    for letter in text:
        face = font if letter in known else SYMBOLS
        if parts and parts[-1][0] == face:
            parts[-1] = (face, parts[-1][1] + letter)
        else:
            parts.append((face, letter))
    return tuple(parts)


def markup(text: str, font: str = TEXT) -> str:
    """The text for a paragraph: escaped, symbols in the face that has them."""
    return "".join(
        escape(part) if face == font else f'<font name="{face}">{escape(part)}</font>'
        for face, part in runs(text, font)
    )


def width(text: str, font: str, size: float) -> float:
    """How wide a line stands, in points."""
    return float(sum(pdfmetrics.stringWidth(part, face, size) for face, part in runs(text, font)))


def cut(text: str, font: str, size: float, room: float) -> str:
    """The text, or as much as stands in ``room`` points with "…" at its end."""
    if width(text, font, size) <= room:
        return text
    while text and width(text.rstrip() + "…", font, size) > room:
        text = text[:-1]
    return text.rstrip() + "…"
