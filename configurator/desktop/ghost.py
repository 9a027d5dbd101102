"""What is in the hand: our own picture under the cursor, with the words of the answer below it.

The picture is drawn by the window itself, so it is there on every desktop, also where the system hides its own.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from configurator.catalogue import Catalogue
from configurator.desktop.canvas import paint
from configurator.desktop.canvas.geometry import SLOT_H, SLOT_W
from configurator.desktop.canvas.paint import wrapped
from configurator.desktop.facts import short_lines
from configurator.desktop.placing import Answer, Payload
from configurator.desktop.theme import colour
from configurator.wording import Wording

PAD = 10.0
WORDS_MAX = 340.0
TITLE_MAX = 220.0
CARD_SCALE = 0.72
"""The card in the hand is smaller than its slot, so that the place under it stays in sight."""


class Ghost(QWidget):
    """Floats over the window and lets every mouse event through."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("")
        self._payload: Payload | None = None
        self._answer: Answer | None = None
        self._lines: tuple[str, ...] = ()
        self._label = ""
        self._copy_word = ""
        self.hide()

    @property
    def words(self) -> str:
        """The sentence at the hand."""
        return self._answer.text if self._answer is not None else ""

    def take(self, payload: Payload, catalogue: Catalogue, wording: Wording) -> None:
        """Start to show something."""
        self._payload = payload
        self._answer = None
        record = catalogue.gpus.get(payload.record)
        self._lines = short_lines(record) if record is not None else ()
        self._label = wording.memory_label(record.memory_label_gb) if record is not None else ""
        self._copy_word = wording.gettext("copy")
        self._fit()
        self.raise_()
        self.show()

    def tell(self, answer: Answer | None, copy: bool = False) -> None:
        """The answer for where the hand is now; None while it is over nothing."""
        if copy and answer is not None and answer.ok:
            answer = Answer(True, f"{answer.text} · {self._copy_word}", answer.target_id, answer.slot_ids)
        if answer != self._answer:
            self._answer = answer
            self._fit()
            self.update()

    def follow(self, point: QPoint) -> None:
        """Move to a point of the host, staying inside it."""
        host = self.parentWidget()
        where = point + QPoint(14, 10)
        if host is not None:
            where.setX(max(0, min(where.x(), host.width() - self.width())))
            where.setY(max(0, min(where.y(), host.height() - self.height())))
        self.move(where)

    def drop(self) -> None:
        """Nothing is in the hand any more."""
        self._payload = None
        self.hide()

    # -- picture

    def _picture(self) -> QRectF:
        payload = self._payload
        if payload is None:
            return QRectF()
        if payload.kind in {"gpu", "gpus"}:
            spread = 4.0 * min(payload.count - 1, 3)
            return QRectF(PAD, PAD, SLOT_W * CARD_SCALE + spread, SLOT_H * CARD_SCALE + spread)
        lines = wrapped(payload.title, TITLE_MAX)
        width = max(110.0, min(TITLE_MAX, max(paint.width_of(line, 13, strong=True) for line in lines)) + 28)
        return QRectF(PAD, PAD, width, 22.0 + 18.0 * len(lines))

    def _words_rect(self) -> QRectF:
        picture = self._picture()
        words = self.words
        if not words:
            return QRectF()
        width = min(WORDS_MAX, paint.width_of(words, 12) + 40)
        lines = self._wrapped(words, width - 40)
        beside = self._payload is not None and self._payload.kind in {"gpu", "gpus"}
        x, y = (picture.right() + 8, PAD) if beside else (PAD, picture.bottom() + 8)
        return QRectF(x, y, width, 10 + 17.0 * len(lines))

    def _wrapped(self, words: str, width: float) -> list[str]:
        lines: list[str] = [""]
        for word in words.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and paint.width_of(longer, 12) > width + 1:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def _fit(self) -> None:
        area = self._picture().united(self._words_rect()).adjusted(0, 0, PAD, PAD)
        self.resize(QSize(int(area.right()) + 1, int(area.bottom()) + 1))

    def paintEvent(self, _event: QPaintEvent) -> None:
        payload = self._payload
        if payload is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        refused = self._answer is not None and not self._answer.ok and bool(self.words)
        picture = self._picture()
        painter.setOpacity(0.6 if refused else 0.95)
        self._shadow(painter, picture)
        if payload.kind in {"gpu", "gpus"}:
            self._cards(painter, picture, payload)
        else:
            paint.box(painter, picture, colour("raised"), colour("line_strong"), paint.BOX_RADIUS)
            for number, line in enumerate(wrapped(payload.title, TITLE_MAX)):
                row = QRectF(picture.x() + 14, picture.y() + 11 + 18 * number, picture.width() - 28, 18)
                paint.text(painter, row, line, 13, colour("ink"), strong=True)
        painter.setOpacity(1.0)
        self._speak(painter, refused)
        painter.end()

    def _cards(self, painter: QPainter, picture: QRectF, payload: Payload) -> None:
        behind = min(payload.count - 1, 3)
        for number in range(behind, -1, -1):
            painter.save()
            painter.translate(picture.x() + 4 * number, picture.y() + 4 * number)
            painter.scale(CARD_SCALE, CARD_SCALE)
            paint.card(painter, QRectF(0, 0, SLOT_W, SLOT_H), self._lines, self._label, None)
            painter.restore()
        if payload.count > 1:
            mark = QRectF(picture.x() + SLOT_W * CARD_SCALE - 22, picture.y() - 8, 32, 20)
            paint.box(painter, mark, colour("accent"), colour("accent"), 10)
            paint.text(painter, mark, f"×{payload.count}", 11, colour("on_accent"), paint.CENTRE, strong=True)

    def _shadow(self, painter: QPainter, picture: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for grow in (6, 4, 2):
            painter.setBrush(colour("shadow", 12))
            painter.drawRoundedRect(picture.adjusted(-grow, -grow + 2, grow, grow + 2), 10, 10)

    def _speak(self, painter: QPainter, refused: bool) -> None:
        where = self._words_rect()
        if where.isEmpty():
            return
        self._shadow(painter, where)
        fill, edge, ink = ("stop_soft", "stop", "stop_ink") if refused else ("raised", "accent", "ink")
        paint.box(painter, where, colour(fill), colour(edge), 8.0)
        mark = QPointF(where.x() + 16, where.y() + 13.5)
        painter.setPen(paint.mark_pen(colour("stop" if refused else "good")))
        if refused:
            painter.drawLine(mark + QPointF(-4, -4), mark + QPointF(4, 4))
            painter.drawLine(mark + QPointF(-4, 4), mark + QPointF(4, -4))
        else:
            painter.drawPolyline([mark + QPointF(-5, 0), mark + QPointF(-1.5, 4), mark + QPointF(5, -4)])
        for number, line in enumerate(self._wrapped(self.words, where.width() - 40)):
            row = QRectF(where.x() + 30, where.y() + 5 + number * 17.0, where.width() - 36, 17)
            paint.text(painter, row, line, 12, colour(ink))
