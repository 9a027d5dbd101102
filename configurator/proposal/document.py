"""The file around the pages: contents, outline, page numbers, metadata. One pass, the same bytes for the same input.

Numbers that are only known at the end (pages in all, the page of a section) stand in small drawings that the pages
refer to and that are filled when the last page is done.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import IO, Any
from xml.sax.saxutils import escape

from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import TimeStamp
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph

from configurator.proposal import fonts
from configurator.proposal.style import (
    FOOTER,
    HEIGHT,
    MARGIN,
    NOTE,
    PAGE_HEIGHT,
    PAGE_WIDTH,
    WIDE_HEIGHT,
    WIDE_WIDTH,
    WIDTH,
    colour,
)

PRODUCER = "GPU Configurator"
LATE_WIDTH = 24.0


class LateCanvas(Canvas):
    """A canvas with texts that are filled in last."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._late: dict[str, tuple[str, float, str, bool]] = {}
        self.pages_of: dict[str, int] = {}

    def late_text(self, key: str, x: float, y: float, size: float, ink: str = "muted", right: bool = False) -> None:
        """Leave room for the page number of ``key`` ("" is the last page) at a base line."""
        name = f"late-{key or 'last'}-{'right' if right else 'left'}-{size:g}"
        self._late[name] = (key, size, ink, right)
        self.saveState()
        self.translate(x - LATE_WIDTH if right else x, y)
        self.doForm(name)
        self.restoreState()

    def save(self) -> None:
        """Fill the late texts, then write."""
        inside: Any = self
        # Nothing drawn on it yet: the page that was begun last will not be written.
        last = self.getPageNumber() - (0 if inside._code else 1)
        for name, (key, size, ink, right) in self._late.items():
            text = str(self.pages_of.get(key, last) if key else last)
            inside.beginForm(name, 0, -size, LATE_WIDTH, size)
            self.setFont(fonts.FIGURES, size)
            self.setFillColor(colour(ink))
            if right:
                self.drawRightString(LATE_WIDTH, 0, text)
            else:
                self.drawString(0, 0, text)
            self.endForm()
        super().save()


class Heading(Paragraph):
    """A heading that stands in the outline (level 0 or 1) and that links lead to."""

    def __init__(self, title: str, look: ParagraphStyle, key: str, level: int) -> None:
        super().__init__(fonts.markup(title, look.fontName), look)
        self.key, self.title, self.level = key, title, level

    def split(self, availWidth: float, availHeight: float) -> list[Flowable]:
        """Never parted."""
        del availWidth, availHeight
        return []

    def draw(self) -> None:
        canvas: Any = self.canv
        x, y = canvas.absolutePosition(0, self.height)
        canvas.bookmarkHorizontalAbsolute(self.key, y + 6, left=x)
        canvas.addOutlineEntry(self.title, self.key, level=self.level, closed=self.level == 0)
        canvas.pages_of[self.key] = canvas.getPageNumber()
        super().draw()


class Proposal(BaseDocTemplate):
    """A4 with a cover and body pages."""

    def __init__(
        self,
        target: IO[bytes],
        *,
        title: str,
        author: str,
        subject: str,
        keywords: Sequence[str],
        language: str,
        date: dt.date,
        footer: str,
        page_word: str,
        of_word: str,
    ) -> None:
        super().__init__(
            target,
            pagesize=(PAGE_WIDTH, PAGE_HEIGHT),
            leftMargin=MARGIN,
            rightMargin=MARGIN,
            topMargin=MARGIN,
            bottomMargin=MARGIN,
            title=title,
            author=author,
            subject=subject,
            keywords=list(keywords),
            creator=PRODUCER,
            producer=PRODUCER,
            lang=language,
            invariant=1,
            displayDocTitle=True,
            initialFontName=fonts.TEXT,
            initialFontSize=NOTE,
        )
        self._date, self._language, self._words = date, language, (footer, page_word, of_word)
        frame = Frame(MARGIN, MARGIN + FOOTER, WIDTH, HEIGHT, 0, 0, 0, 0, id="body")
        wide = Frame(MARGIN, MARGIN + FOOTER, WIDE_WIDTH, WIDE_HEIGHT, 0, 0, 0, 0, id="wide")
        cover = Frame(MARGIN, MARGIN, WIDTH, PAGE_HEIGHT - 2 * MARGIN, 0, 0, 0, 0, id="cover")
        self.addPageTemplates([
            PageTemplate("cover", [cover], onPage=self._cover_page, autoNextPageTemplate="body"),
            PageTemplate("body", [frame], onPage=self._body_page),
            PageTemplate("wide", [wide], onPage=self._body_page, pagesize=(PAGE_HEIGHT, PAGE_WIDTH)),
        ])  # fmt: skip

    def write(self, story: list[Flowable]) -> None:
        """Lay out the story and write the file."""
        self.build(story, canvasmaker=LateCanvas)

    def handle_documentBegin(self) -> None:
        """Before the first page: dates, metadata, outline."""
        canvas: Any = self.canv
        stamp: Any = TimeStamp(invariant=1)
        moment = dt.datetime.combine(self._date, dt.time(), dt.UTC)
        stamp.t, stamp.lt = moment.timestamp(), tuple(moment.timetuple())
        stamp.YMDhms = stamp.lt[:6]
        canvas._doc._timeStamp = stamp
        canvas._doc.Catalog.Metadata = pdfdoc.XMP(creator=lambda _: self._packet().encode("utf-8"))
        canvas.showOutline()
        super().handle_documentBegin()

    def _packet(self) -> str:
        """The metadata once more, as XMP (ISO 16684-1)."""
        when = f"{self._date.isoformat()}T00:00:00Z"
        title, author, subject = (escape(str(each or "")) for each in (self.title, self.author, self.subject))
        words = escape(", ".join(self.keywords))
        return (
            '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
            '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
            '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
            'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">\n'
            f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>\n'
            f"<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>\n"
            f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>\n'
            f"<dc:language><rdf:Bag><rdf:li>{escape(self._language)}</rdf:li></rdf:Bag></dc:language>\n"
            f"<pdf:Keywords>{words}</pdf:Keywords><pdf:Producer>{PRODUCER}</pdf:Producer>\n"
            f"<xmp:CreatorTool>{PRODUCER}</xmp:CreatorTool><xmp:CreateDate>{when}</xmp:CreateDate>"
            f"<xmp:ModifyDate>{when}</xmp:ModifyDate>\n"
            '</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>'
        )

    def _cover_page(self, canvas: Canvas, document: BaseDocTemplate) -> None:
        del document
        canvas.setFillColor(colour("accent"))
        canvas.rect(0, 0, 7, PAGE_HEIGHT, stroke=0, fill=1)

    def _body_page(self, canvas: Any, document: BaseDocTemplate) -> None:
        del document
        footer, page_word, of_word = self._words
        base = MARGIN - 4
        canvas.setStrokeColor(colour("line"))
        canvas.setLineWidth(0.6)
        right = float(canvas._pagesize[0]) - MARGIN
        canvas.line(MARGIN, base + 12, right, base + 12)
        draw_text(canvas, MARGIN, base, fonts.cut(footer, fonts.TEXT, NOTE, WIDTH - 90), fonts.TEXT, NOTE, "muted")
        before = f"{page_word} {canvas.getPageNumber()} {of_word} "
        # Two digits are what a proposal has; the number itself is filled in last.
        total = pdfmetrics.stringWidth("00", fonts.FIGURES, NOTE)
        draw_text(
            canvas, right - total - fonts.width(before, fonts.FIGURES, NOTE), base, before, fonts.FIGURES, NOTE, "muted"
        )
        canvas.late_text("", right - total, base, NOTE)


def draw_text(
    canvas: Canvas, x: float, y: float, text: str, font: str, size: float, ink: str, anchor: str = "left"
) -> None:
    """One line at a base line; symbols come from the face that has them."""
    if anchor != "left":
        wide = fonts.width(text, font, size)
        x -= wide if anchor == "right" else wide / 2
    canvas.setFillColor(colour(ink))
    for face, part in fonts.runs(text, font):
        canvas.setFont(face, size)
        canvas.drawString(x, y, part)
        x += pdfmetrics.stringWidth(part, face, size)
