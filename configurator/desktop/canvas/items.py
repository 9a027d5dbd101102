"""What stands on the canvas: an item per site, server, slot, network switch, NIC, kept by id and updated in place.

Items only draw; what happens on a press is decided by the gestures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from configurator.desktop.canvas import paint
from configurator.desktop.canvas.geometry import HEAD, SITE_HEAD, Rect, ServerBox
from configurator.desktop.canvas.look import Look
from configurator.desktop.facts import caption, part_name, server_facts, site_facts, slot_label
from configurator.desktop.theme import colour, current, theme
from configurator.diagram.tokens import mixed
from configurator.plan.index import line_id
from configurator.plan.model import NetworkSwitch, Nic, Server, Site, Slot

if TYPE_CHECKING:
    pass

FAR = 0.42
"""Below this zoom texts are left out."""
PORT_RADIUS = 7.0


def qrect(rect: Rect) -> QRectF:
    """The same rectangle for Qt."""
    return QRectF(rect.x, rect.y, rect.w, rect.h)


class BoxItem(QGraphicsItem):
    """Common part: id, size, level of detail."""

    shown_far = False
    """Its mark is drawn at any zoom."""

    def __init__(self, key: str, look: Look, parent: QGraphicsItem | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.look = look
        self.size = QRectF()
        self.hint = ""

    def resize(self, rect: Rect) -> None:
        """Place and size relative to the parent."""
        size = QRectF(0, 0, rect.w, rect.h)
        if size != self.size:
            self.prepareGeometryChange()
            self.size = size
        point = QPointF(rect.x, rect.y)
        if point != self.pos():
            self.setPos(point)

    def boundingRect(self) -> QRectF:
        return self.size.adjusted(-13, -13, 13, 16)

    def scale_of(self, painter: QPainter) -> float:
        transform = painter.worldTransform()
        return float((transform.m11() ** 2 + transform.m12() ** 2) ** 0.5)

    def marks(self, painter: QPainter, radius: float) -> None:
        """Rings of selection, keyboard and drop target; the badge; the port."""
        look = self.look
        if self.key in look.selected:
            paint.outline(painter, self.size, colour("accent"), radius)
        elif look.focused and self.key == look.current:
            paint.outline(painter, self.size, colour("accent", 150), radius, 1.5)
        if look.lit.get(self.key) == "target":
            paint.outline(painter, self.size, colour("accent"), radius, 2.0, 1.0)
        kind = look.badges.get(self.key)
        scale = self.scale_of(painter)
        if kind is not None and (scale >= FAR or self.shown_far):
            paint.badge(painter, QPointF(self.size.right() - 4, self.size.top() + 2), kind, scale)
        if self.key in look.ports or (self.key == look.hovered and self.has_port()):
            self._port(painter)

    def has_port(self) -> bool:
        return False

    def port_centre(self) -> QPointF:
        """Where a new link is drawn from, in item coordinates."""
        return QPointF(self.size.center().x(), self.size.bottom())

    def _port(self, painter: QPainter) -> None:
        centre = self.port_centre()
        painter.setPen(QPen(colour("network"), 1.6))
        painter.setBrush(colour("raised"))
        painter.drawEllipse(centre, PORT_RADIUS, PORT_RADIUS)
        painter.drawLine(centre - QPointF(3.2, 0), centre + QPointF(3.2, 0))
        painter.drawLine(centre - QPointF(0, 3.2), centre + QPointF(0, 3.2))


class SlotItem(BoxItem):
    """A slot: empty and dashed, or the card that stands in it."""

    def __init__(self, key: str, look: Look, parent: QGraphicsItem) -> None:
        super().__init__(key, look, parent)
        self.slot: Slot | None = None
        self.small = False
        self._settling = 1.0
        self._motion: QVariantAnimation | None = None

    @property
    def gpu_id(self) -> str:
        return self.slot.gpu.id if self.slot is not None and self.slot.gpu is not None else ""

    def show_slot(self, slot: Slot, small: bool) -> None:
        if slot is self.slot and small == self.small:
            return
        before, now = self.gpu_id, slot.gpu.id if slot.gpu is not None else ""
        arrived = self.slot is not None and now not in {"", before}
        self.slot, self.small = slot, small
        if arrived:
            self.settle()
        self.update()

    def settle(self) -> None:
        """The card comes to rest in its slot."""
        length = theme().motion_ms
        if not length or self.scene() is None:
            return
        motion = QVariantAnimation(None)
        motion.setDuration(length)
        motion.setStartValue(0.0)
        motion.setEndValue(1.0)
        motion.valueChanged.connect(self._settle_step)
        self._motion = motion
        motion.start()

    def _settle_step(self, value: float) -> None:
        self._settling = value
        if value >= 1.0:
            self._motion = None
        self._repaint_alone()

    def _repaint_alone(self) -> None:
        """Only this slot: an update of the item would paint the whole canvas, which a motion must not do each frame."""
        if self.scene() is None:
            return
        for view in self.scene().views():
            area = view.mapFromScene(self.mapRectToScene(self.boundingRect())).boundingRect()
            view.viewport().update(area.adjusted(-2, -2, 2, 2))

    def boundingRect(self) -> QRectF:
        return self.size.adjusted(-6, -14, 6, 6)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        slot, look = self.slot, self.look
        if slot is None:
            return
        lit = look.lit.get(self.key, "")
        far = self.scale_of(painter) < FAR
        if slot.gpu is None:
            if look.lit and lit == "no":
                painter.setOpacity(painter.opacity() * 0.45)
            words = ("", "") if far else slot_label(slot, look.wording)
            paint.empty_slot(painter, self.size, words, small=self.small, lit=lit)
        else:
            self._card(painter, slot, far)
        key = slot.gpu.id if slot.gpu is not None else slot.id
        chosen = key in look.selected or slot.id in look.selected
        if chosen:
            paint.outline(painter, self.size, colour("accent"), paint.CARD_RADIUS, 2.0, 1.0)
        elif look.focused and look.current in {slot.id, key}:
            paint.outline(painter, self.size, colour("accent", 150), paint.CARD_RADIUS, 1.5, 1.0)
        if lit == "preview":
            paint.outline(painter, self.size, colour("accent"), paint.CARD_RADIUS, 2.0, 1.0)
        kind = look.badges.get(key) if slot.gpu is not None and not far else None
        if kind is not None:
            paint.badge(painter, QPointF(self.size.right() - 5, self.size.top() + 1), kind, self.scale_of(painter))

    def _card(self, painter: QPainter, slot: Slot, far: bool) -> None:
        gpu, look = slot.gpu, self.look
        if gpu is None:
            return
        lines, label = ((), "") if far else look.words_of(gpu.gpu)
        painter.save()
        if gpu.id in look.moving:
            painter.setOpacity(0.35)
        where = self.size
        if self._settling < 1.0:
            lift = (1.0 - self._settling) ** 2
            painter.setOpacity(painter.opacity() * (0.35 + 0.65 * self._settling))
            where = where.translated(0, -8.0 * lift)
        failed = bool({gpu.id, slot.id} & look.failed)
        parts = paint.parts_of(look.memory.get(gpu.id))
        ratio = painter.device().devicePixelRatioF()
        picture = paint.card_picture(
            (where.width(), where.height()),
            lines,
            label,
            parts,
            (self.small, failed),
            theme().mode,
            round(self.scale_of(painter) * ratio, 4),
        )
        paint.draw_picture(painter, where.topLeft(), picture, ratio)
        painter.restore()


class ServerItem(BoxItem):
    """A machine: header with name and facts, slots, the lines of sockets and switches under them, network cards."""

    def __init__(self, key: str, look: Look, parent: QGraphicsItem) -> None:
        super().__init__(key, look, parent)
        self.server: Server | None = None
        self.box: ServerBox | None = None

    def show_server(self, server: Server, box: ServerBox) -> None:
        if server is not self.server or box != self.box:
            self.server, self.box = server, box
            self.update()

    def has_port(self) -> bool:
        return True

    def name_rect(self) -> QRectF:
        """Where the name stands, for renaming."""
        return QRectF(12, 0, min(220.0, self.size.width() - 24), HEAD)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        server, box, look = self.server, self.box, self.look
        if server is None or box is None:
            return
        dimmed = look.lit.get(self.key) == "no"
        painter.save()
        if self.key in look.moving:
            painter.setOpacity(0.35)
        shadow = colour("shadow", 12 if not theme().dark else 60)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(shadow)
        painter.drawRoundedRect(self.size.translated(0, 1.5), paint.BOX_RADIUS, paint.BOX_RADIUS)
        edge = colour("accent") if self.key == look.hovered else colour("line_strong")
        paint.box(painter, self.size, colour("panel"), edge, paint.BOX_RADIUS)
        painter.setPen(colour("line"))
        painter.drawLine(QPointF(1, HEAD), QPointF(self.size.width() - 1, HEAD))
        if self.scale_of(painter) >= FAR:
            self._words(painter, server, box)
        if dimmed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("panel", 120))
            painter.drawRoundedRect(self.size, paint.BOX_RADIUS, paint.BOX_RADIUS)
        if self.key in look.failed:
            paint.struck(painter, self.size)
        painter.restore()
        self.marks(painter, paint.BOX_RADIUS)

    def _words(self, painter: QPainter, server: Server, box: ServerBox) -> None:
        look = self.look
        facts = server_facts(server, look.catalogue, look.wording)
        head = QRectF(14, 0, self.size.width() - 28 - (10 if self.key in look.badges else 0), HEAD)
        taken = paint.text(painter, head, server.name, 13, colour("ink"), paint.LEFT, strong=True)
        rest = head.adjusted(taken + 12, 0, 0, 0)
        paint.text(painter, rest, paint.fitting(facts, rest.width(), 12), 12, colour("muted"), paint.RIGHT)
        for group in box.groups:
            painter.setPen(QPen(colour("line_strong"), 1.5))
            painter.drawLine(QPointF(group.x, group.y), QPointF(group.x + group.w, group.y))
            words = caption(server, group.socket, group.switch, look.wording)
            where = QRectF(group.x - 4, group.y + 2, group.w + 8, 17)
            paint.text(painter, where, words, 10 if box.small else 11, colour("muted"), paint.CENTRE)
        if not server.slots:
            where = QRectF(14, HEAD, self.size.width() - 28, self.size.height() - HEAD)
            paint.text(painter, where, look.wording.gettext("This machine has no slot for a GPU."), 12, colour("muted"))


class NicItem(BoxItem):
    """A network card of a server, as a small plate."""

    def __init__(self, key: str, look: Look, parent: QGraphicsItem) -> None:
        super().__init__(key, look, parent)
        self.nic: Nic | None = None

    def show_nic(self, nic: Nic) -> None:
        if nic is not self.nic:
            self.nic = nic
            self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        if self.nic is None:
            return
        paint.box(painter, self.size, colour("background"), colour("network"), 4.0)
        if self.scale_of(painter) >= FAR:
            paint.text(painter, self.size.adjusted(8, 0, -8, 0), self.nic.name, 11, colour("ink"), paint.CENTRE)
        if self.key in self.look.failed:
            paint.struck(painter, self.size)
        self.marks(painter, 4.0)


class SwitchItem(BoxItem):
    """A network switch at a site."""

    def __init__(self, key: str, look: Look, parent: QGraphicsItem) -> None:
        super().__init__(key, look, parent)
        self.switch: NetworkSwitch | None = None

    def show_switch(self, switch: NetworkSwitch) -> None:
        if switch is not self.switch:
            self.switch = switch
            self.update()

    def has_port(self) -> bool:
        return True

    def name_rect(self) -> QRectF:
        return QRectF(12, 0, self.size.width() - 24, HEAD)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        if self.switch is None:
            return
        edge = colour("accent") if self.key == self.look.hovered else colour("network")
        paint.box(painter, self.size, colour("panel"), edge, paint.BOX_RADIUS)
        if self.scale_of(painter) >= FAR:
            head = QRectF(14, 0, self.size.width() - 28, HEAD)
            paint.text(painter, head, self.switch.name, 13, colour("ink"), paint.LEFT, strong=True)
            words = part_name(self.switch.part, self.look.catalogue, self.look.wording)
            paint.text(painter, head.translated(0, 26), words, 12, colour("muted"))
        if self.key in self.look.failed:
            paint.struck(painter, self.size)
        self.marks(painter, paint.BOX_RADIUS)


class SiteItem(BoxItem):
    """A place: name, circuit, tariff, what it draws; its servers stand inside."""

    shown_far = True

    def __init__(self, key: str, look: Look) -> None:
        super().__init__(key, look)
        self.site: Site | None = None

    def show_site(self, site: Site) -> None:
        if site is not self.site:
            self.site = site
            self.update()

    def has_port(self) -> bool:
        return True

    def name_rect(self) -> QRectF:
        return QRectF(12, 2, min(260.0, self.size.width() - 24), SITE_HEAD - 4)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        del option, widget
        site, look = self.site, self.look
        if site is None:
            return
        lit = look.lit.get(self.key, "")
        edge = colour("accent") if self.key == look.hovered or lit in {"ok", "target"} else colour("line_strong")
        look_now = current()
        # Solid, since blending a large area costs most of a frame.
        fill = QColor(
            mixed(look_now.accent_soft, look_now.canvas, 0.4)
            if lit == "target"
            else mixed(look_now.panel, look_now.canvas, 0.67)
        )
        paint.box(painter, self.size, fill, edge, 12.0)
        if self.scale_of(painter) >= FAR:
            self._words(painter, site)
        else:
            paint.far_name(painter, self.size, site.name)
        if self.key in look.failed:
            paint.struck(painter, self.size)
        self.marks(painter, 12.0)

    def _words(self, painter: QPainter, site: Site) -> None:
        look = self.look
        head = QRectF(16, 2, self.size.width() - 32 - (10 if self.key in look.badges else 0), SITE_HEAD - 4)
        power, over = look.power.get(site.id, ("", False))
        right = paint.text(painter, head, power, 12, colour("stop_ink" if over else "muted"), paint.RIGHT, over)
        left = head.adjusted(0, 0, -right - 16, 0)
        taken = paint.text(painter, left, site.name, 13, colour("ink"), paint.LEFT, strong=True)
        rest = left.adjusted(taken + 10, 0, 0, 0)
        if line_id(site.id) in look.failed:
            words = paint.fitting(look.wording.gettext("internet line failed"), rest.width(), 12)
            rest.adjust(paint.text(painter, rest, words, 12, colour("stop_ink"), paint.LEFT, strong=True) + 10, 0, 0, 0)
        if rest.width() > 40:
            words = paint.fitting(site_facts(site, look.wording), rest.width(), 12)
            paint.text(painter, rest, words, 12, colour("muted"))
        if not site.servers and not site.switches:
            inside = self.size.adjusted(16, SITE_HEAD + 8, -16, -16)
            lit = look.lit.get(self.key, "")
            tint = colour("accent") if lit in {"ok", "target"} else colour("line_strong")
            paint.dashed(painter, inside, tint, paint.BOX_RADIUS)
            words = look.wording.gettext("Drop a server here, or double-click one in the list.")
            paint.text(painter, inside.adjusted(8, 0, -8, 0), words, 12, colour("muted"), paint.CENTRE)
