"""How things on the canvas are drawn: cards with their memory, empty slots, badges, texts. Colours from tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from configurator.desktop.icons import pixmap
from configurator.desktop.theme import colour, current, font

if TYPE_CHECKING:
    from configurator.sizing.results import GpuMemory

CARD_RADIUS, BOX_RADIUS = 5.0, 10.0
LEFT, RIGHT, CENTRE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
MIDDLE = Qt.AlignmentFlag.AlignVCenter


@lru_cache(maxsize=32)
def face(size: int, strong: bool = False) -> QFont:
    """A font of the theme, made once."""
    return font(size, strong)


@lru_cache(maxsize=32)
def metrics(size: int, strong: bool = False) -> QFontMetricsF:
    """Its measures."""
    return QFontMetricsF(face(size, strong))


@lru_cache(maxsize=4096)
def width_of(text: str, size: int, strong: bool = False) -> float:
    """How wide a text is."""
    return metrics(size, strong).horizontalAdvance(text)


def text(
    painter: QPainter,
    where: QRectF,
    words: str,
    size: int,
    tint: QColor,
    align: Qt.AlignmentFlag = LEFT,
    strong: bool = False,
) -> float:
    """One line, shortened with … when it does not fit; returns the width it took."""
    width = width_of(words, size, strong)
    if width > where.width():
        words = metrics(size, strong).elidedText(words, Qt.TextElideMode.ElideRight, where.width())
        width = width_of(words, size, strong)
    painter.setFont(face(size, strong))
    painter.setPen(tint)
    painter.drawText(where, align | MIDDLE, words)
    return width


TITLE_LINES = 2


@lru_cache(maxsize=1024)
def wrapped(title: str, width: float) -> tuple[str, ...]:
    """A title in at most two lines; the last one is shortened when it is drawn."""
    lines = [""]
    for word in title.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, 13, strong=True) > width and len(lines) < TITLE_LINES:
            lines.append(word)
        else:
            lines[-1] = longer
    return tuple(lines)


def fitting(words: str, width: float, size: int) -> str:
    """As many of the parts of "a · b · c" as fit, from the front; the first is kept in any case."""
    parts = words.split(" · ")
    while len(parts) > 1 and width_of(" · ".join(parts), size) > width:
        parts.pop()
    return " · ".join(parts)


def box(painter: QPainter, where: QRectF, fill: QColor, edge: QColor, radius: float, width: float = 1.0) -> None:
    """A rounded box with a hairline that stays inside its rectangle."""
    painter.setBrush(fill)
    painter.setPen(QPen(edge, width))
    inset = width / 2
    painter.drawRoundedRect(where.adjusted(inset, inset, -inset, -inset), radius, radius)


def outline(
    painter: QPainter, where: QRectF, tint: QColor, radius: float, width: float = 2.0, gap: float = 2.0
) -> None:
    """A ring around something selected or lit."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(tint, width))
    grow = gap + width / 2
    painter.drawRoundedRect(where.adjusted(-grow, -grow, grow, grow), radius + gap, radius + gap)


def dashed(painter: QPainter, where: QRectF, tint: QColor, radius: float, fill: QColor | None = None) -> None:
    """A place where something may go."""
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    pen = QPen(tint, 1.0)
    pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.drawRoundedRect(where.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def card(
    painter: QPainter,
    where: QRectF,
    lines: Sequence[str],
    label: str,
    parts: Parts | None,
    *,
    small: bool = False,
    failed: bool = False,
) -> None:
    """A GPU: dark body, name, its own memory bar, size."""
    body = colour("card")
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(body)
    painter.drawRoundedRect(where, CARD_RADIUS, CARD_RADIUS)
    pad = 4.0 if small else 6.0
    size = 9 if small else 11
    line_h = 11.0 if small else 13.0
    inner = where.adjusted(pad, pad + 1, -pad, -pad + 1)
    shown = lines[:2] if small else lines[:3]
    for number, words in enumerate(shown):
        row = QRectF(inner.x(), inner.y() + number * line_h, inner.width(), line_h)
        first = number < 2
        tint = colour("on_card" if first else "on_card_muted")
        text(painter, row, words, size if first else size - 1, tint, LEFT, first)
    label_h = 12.0 if small else 16.0
    text(
        painter,
        QRectF(inner.x(), inner.bottom() - label_h, inner.width(), label_h),
        label,
        size,
        colour("on_card_muted"),
    )
    top = inner.y() + (2 if small else 3) * line_h + 3.0
    bar = QRectF(inner.x(), top, inner.width(), inner.bottom() - label_h - 3.0 - top)
    memory_bar(painter, bar, parts)
    if failed:
        struck(painter, where)


Parts = tuple[int, int, int, int, int]
"""Bytes of weights, KV cache, working memory, the card, and what is short."""


def parts_of(memory: GpuMemory | None) -> Parts | None:
    """What of a memory answer is drawn."""
    if memory is None:
        return None
    working = memory.activation_bytes + memory.overhead_bytes
    return memory.weights_bytes, memory.kv_cache_bytes, working, memory.memory_bytes, memory.short_bytes


@lru_cache(maxsize=512)
def card_picture(
    size: tuple[float, float],
    lines: tuple[str, ...],
    label: str,
    parts: Parts | None,
    flags: tuple[bool, bool],
    mode: str,
    scale: float,
) -> QPixmap:
    """A card as a picture for one zoom: equal cards are drawn once. ``flags``: small, failed."""
    del mode  # part of the key only: another mode has other colours
    picture = QPixmap(round(size[0] * scale) + 2, round(size[1] * scale) + 2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    card(painter, QRectF(0, 0, *size), lines, label, parts, small=flags[0], failed=flags[1])
    painter.end()
    return picture


def draw_picture(painter: QPainter, corner: QPointF, picture: QPixmap, ratio: float) -> None:
    """Put a picture on whole pixels of the screen, so that it is as sharp as if it were drawn there."""
    at = painter.worldTransform().map(corner)
    painter.save()
    painter.resetTransform()
    if picture.devicePixelRatio() != ratio:
        picture.setDevicePixelRatio(ratio)
    painter.drawPixmap(QPointF(round(at.x() * ratio) / ratio, round(at.y() * ratio) / ratio), picture)
    painter.restore()


def memory_bar(painter: QPainter, where: QRectF, parts: Parts | None) -> None:
    """Weights, KV cache and working memory from below, the rest free; what is short stands hatched above the line."""
    clip = QPainterPath()
    clip.addRoundedRect(where, 2.0, 2.0)
    painter.save()
    painter.setClipPath(clip, Qt.ClipOperation.IntersectClip)
    painter.fillRect(where, colour("card_inner"))
    weights, kv, working, size, short = parts or (0, 0, 0, 0, 0)
    if size > 0:
        scale = where.height() / (size + short)
        bottom = where.bottom()
        for part, name in ((weights, "weights"), (kv, "kv"), (working, "working")):
            height = part * scale
            if height > 0:
                # A sliver is still drawn: something is there.
                height = max(height, 1.0)
                painter.fillRect(QRectF(where.x(), bottom - height, where.width(), height), colour(name))
                bottom -= height
        if short > 0:
            limit = where.bottom() - size * scale
            over = QRectF(where.x(), where.y(), where.width(), limit - where.y())
            painter.fillRect(over, QBrush(colour("stop"), Qt.BrushStyle.BDiagPattern))
            painter.fillRect(QRectF(where.x(), limit - 1.0, where.width(), 2.0), colour("stop"))
    painter.restore()


def struck(painter: QPainter, where: QRectF) -> None:
    """Something taken as failed."""
    veil = colour("panel", 150)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(veil)
    painter.drawRoundedRect(where, CARD_RADIUS, CARD_RADIUS)
    painter.setBrush(QBrush(colour("stop", 150), Qt.BrushStyle.BDiagPattern))
    painter.drawRoundedRect(where, CARD_RADIUS, CARD_RADIUS)


def empty_slot(painter: QPainter, where: QRectF, words: tuple[str, str], *, small: bool, lit: str) -> None:
    """A free slot: dashed, its link and "free"; lit while something that fits is in the hand."""
    if lit in {"ok", "preview"}:
        fill = colour("accent_soft") if lit == "preview" else colour("accent_soft", 130)
        dashed(painter, where, colour("accent"), CARD_RADIUS, fill)
    else:
        dashed(painter, where, colour("line_strong"), CARD_RADIUS)
    tint = colour("accent_ink") if lit in {"ok", "preview"} else colour("muted")
    size = 9 if small else 11
    line_h = 12.0 if small else 15.0
    y = where.bottom() - 2 * line_h - (4.0 if small else 6.0)
    for number, line in enumerate(words):
        row = QRectF(where.x() + 2, y + number * line_h, where.width() - 4, line_h)
        text(painter, row, line, size, tint, CENTRE)


def pill(painter: QPainter, centre: QPointF, words: str, *, edge: QColor, selected: bool, size: int = 11) -> None:
    """A label on a link."""
    where = pill_rect(centre, words, size)
    box(painter, where, colour("raised"), colour("accent") if selected else edge, where.height() / 2)
    text(painter, where, words, size, colour("ink"), CENTRE)


def pill_rect(centre: QPointF, words: str, size: int = 11) -> QRectF:
    """Where that label stands."""
    width = width_of(words, size) + 26.0
    return QRectF(centre.x() - width / 2, centre.y() - 12.0, width, 24.0)


def mark_pen(tint: QColor) -> QPen:
    """The pen of small ticks and crosses."""
    return QPen(tint, 2.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


ICONS = {"will_not_work": ("stop", "stop"), "one_more_step": ("step", "step"), "good_to_know": ("info", "accent")}


@lru_cache(maxsize=64)
def _badge(kind: str, mode: str, ratio: float) -> QPixmap:
    del mode  # part of the key only: another mode has other colours
    name, tint = ICONS.get(kind, ("unknown", "unknown"))
    return pixmap(name, 16, tint, ratio)


def far_name(painter: QPainter, where: QRectF, name: str) -> None:
    """The name of a box that is too small for words, above it in the size of the screen."""
    transform = painter.worldTransform()
    area = transform.mapRect(where)
    painter.save()
    painter.resetTransform()
    text(painter, QRectF(area.x(), area.y() - 17, area.width(), 16), name, 12, colour("ink"), LEFT, strong=True)
    painter.restore()


def badge(painter: QPainter, centre: QPointF, kind: str, scale: float) -> None:
    """A finding on an object: shape and colour say its class. Never smaller than the eye needs."""
    if scale < 0.6:
        painter.save()
        painter.translate(centre)
        painter.scale(0.6 / scale, 0.6 / scale)
        badge(painter, QPointF(0, 0), kind, 0.6)
        painter.restore()
        return
    ground = QRectF(centre.x() - 11, centre.y() - 11, 22, 22)
    painter.setPen(QPen(colour("line"), 1.0))
    painter.setBrush(colour("raised"))
    painter.drawEllipse(ground)
    sharp = scale * painter.device().devicePixelRatioF()
    ratio = 1.0 if sharp <= 1.0 else 2.0 if sharp <= 2.0 else 4.0
    painter.drawPixmap(ground.adjusted(3, 3, -3, -3).topLeft(), _badge(kind, current().mode, ratio))


@lru_cache(maxsize=16)
def _dot_tile(step: int, tint: str, ratio: float) -> QPixmap:
    times = max(1, 256 // step)
    tile = QPixmap(round(step * times * ratio), round(step * times * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tint))
    for row in range(times):
        for column in range(times):
            painter.drawEllipse(QPointF((column + 0.5) * step, (row + 0.5) * step), 0.9, 0.9)
    painter.end()
    return tile


def dots(painter: QPainter, area: QRectF, origin: QPointF, step: float) -> None:
    """The quiet grid behind everything, in pixels of the viewport; ``origin`` is where the canvas' corner lies."""
    whole = max(8, round(step))
    tile = _dot_tile(whole, current().line, painter.device().devicePixelRatioF())
    painter.drawTiledPixmap(area, tile, QPointF(-origin.x() % whole, -origin.y() % whole))
