"""The start page: examples with a small picture, recent files, an empty project."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from configurator.desktop.canvas import paint
from configurator.desktop.canvas.geometry import Geometry, Rect, lay_out
from configurator.desktop.canvas.items import qrect
from configurator.desktop.canvas.link_item import rounded_path
from configurator.desktop.document import Document
from configurator.desktop.settings import SettingsFile
from configurator.desktop.theme import colour, theme
from configurator.plan.model import Plan
from configurator.plan.projects import active_plan
from configurator.plan.templates import TEMPLATES, Template

PICTURE_H = 108
CARD_W = 272
COLUMN_W = 1160


class Picture(QWidget):
    """A plan in miniature: places, machines, cards."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(PICTURE_H)
        self.plan: Plan | None = None
        self._geometry: Geometry | None = None
        theme().changed.connect(self.update)

    def show_plan(self, plan: Plan) -> None:
        self.plan = plan
        self._geometry = lay_out(plan)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint.box(painter, QRectF(self.rect()), colour("background"), colour("background"), 6.0)
        plan, geometry = self.plan, self._geometry
        if plan is None or geometry is None:
            return
        bounds = geometry.bounds
        scale = min((self.width() - 24) / bounds.w, (self.height() - 20) / bounds.h, 0.36)
        painter.translate((self.width() - bounds.w * scale) / 2, (self.height() - bounds.h * scale) / 2)
        painter.scale(scale, scale)
        painter.translate(-bounds.x, -bounds.y)
        self._draw(painter, plan, geometry)

    def _draw(self, painter: QPainter, plan: Plan, geometry: Geometry) -> None:
        width = 2.0 / max(0.1, painter.worldTransform().m11())
        for rect in geometry.sites.values():
            paint.box(painter, qrect(rect), colour("panel"), colour("line_strong"), 14.0, width * 0.6)
        for link in plan.links:
            route = geometry.routes.get(link.id)
            if route is not None:
                loose = link.kind in {"internet", "unknown"}
                pen = paint.mark_pen(colour("internet" if loose else "network"))
                pen.setWidthF(width)
                if loose:
                    pen.setDashPattern([2.0, 2.0])
                painter.setPen(pen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(rounded_path(route.points))
        for site in plan.sites:
            for server in site.servers:
                corner = geometry.servers[server.id]
                paint.box(painter, qrect(corner), colour("raised"), colour("line_strong"), 10.0, width * 0.6)
                spots = dict(geometry.server_boxes[server.id].slots)
                for slot in server.slots:
                    self._slot(painter, spots[slot.id].moved(corner.x, corner.y), slot.gpu is not None, width)

    @staticmethod
    def _slot(painter: QPainter, rect: Rect, full: bool, width: float) -> None:
        where = qrect(rect)
        if full:
            paint.box(painter, where, colour("card"), colour("card"), 5.0)
            band = QRectF(where.x() + 6, where.bottom() - 56, where.width() - 12, 30)
            painter.fillRect(band, colour("card_inner"))
            painter.fillRect(QRectF(band.x(), band.bottom() - 12, band.width(), 12), colour("weights"))
            painter.fillRect(QRectF(band.x(), band.bottom() - 24, band.width(), 12), colour("kv"))
        else:
            pen = paint.mark_pen(colour("line_strong"))
            pen.setWidthF(width * 0.6)
            pen.setDashPattern([2.0, 2.0])
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(where, 5.0, 5.0)


class ExampleCard(QFrame):
    """One example: picture, title, one line; opens by click, Enter or Space."""

    opened = Signal(str)

    def __init__(self, template_id: str) -> None:
        super().__init__()
        self.template_id = template_id
        self.setProperty("role", "card")
        self.setProperty("clickable", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.picture = Picture()
        self.title = QLabel()
        self.title.setProperty("role", "title")
        self.line = QLabel()
        self.line.setProperty("role", "muted")
        self.line.setWordWrap(True)
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(6)
        column.addWidget(self.picture)
        column.addSpacing(4)
        column.addWidget(self.title)
        column.addWidget(self.line)
        column.addStretch(1)

    def say(self, title: str, line: str) -> None:
        self.title.setText(title)
        self.line.setText(line)
        self.setAccessibleName(title)
        self.setAccessibleDescription(line)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit(self.template_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.opened.emit(self.template_id)
        else:
            super().keyPressEvent(event)


class StartPage(QScrollArea):
    """What the program shows first."""

    example_wanted = Signal(str)
    file_wanted = Signal(Path)
    open_wanted = Signal()
    new_wanted = Signal()

    def __init__(self, document: Document, settings: SettingsFile) -> None:
        super().__init__()
        self._document = document
        self._settings = settings
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._page = QWidget()
        self._page.setObjectName("start")
        self._page.setProperty("role", "canvas")
        self._headline = QLabel()
        self._headline.setProperty("role", "headline-large")
        self._line = QLabel()
        self._line.setProperty("role", "muted")
        self._line.setWordWrap(True)
        self._line.setMaximumWidth(720)
        self.new = QPushButton()
        self.new.setProperty("role", "primary")
        self.new.clicked.connect(self.new_wanted)
        self.open = QPushButton()
        self.new.setAutoDefault(True)
        self.open.setAutoDefault(True)
        self.open.clicked.connect(self.open_wanted)
        self._examples_title = QLabel()
        self._examples_title.setProperty("role", "section")
        self._recent_title = QLabel()
        self._recent_title.setProperty("role", "section")
        self.examples: dict[str, ExampleCard] = {}
        self._grid = QGridLayout()
        self._grid.setSpacing(16)
        for template in TEMPLATES:
            card = ExampleCard(template.id)
            card.opened.connect(self.example_wanted)
            self.examples[template.id] = card
        self._recent = QVBoxLayout()
        self._recent.setSpacing(4)
        self._columns = 0
        self._build()
        document.wording_changed.connect(self.retranslate)
        self.retranslate()
        self.refresh_recent()
        # Pictures are made after the window is on the screen.
        QTimer.singleShot(0, self, self._draw_examples)

    def _build(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.new)
        buttons.addWidget(self.open)
        buttons.addStretch(1)
        inner = QWidget()
        inner.setMaximumWidth(COLUMN_W)
        column = QVBoxLayout(inner)
        column.setContentsMargins(40, 44, 40, 40)
        column.setSpacing(10)
        column.addWidget(self._headline)
        column.addWidget(self._line)
        column.addSpacing(6)
        column.addLayout(buttons)
        column.addSpacing(22)
        column.addWidget(self._examples_title)
        column.addLayout(self._grid)
        column.addSpacing(22)
        column.addWidget(self._recent_title)
        column.addLayout(self._recent)
        column.addStretch(1)
        row = QHBoxLayout(self._page)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(inner, 1000)
        row.addStretch(1)
        self.setWidget(self._page)

    def retranslate(self) -> None:
        gettext = self._document.gettext
        self._headline.setText(gettext("What will your GPUs run?"))
        self._line.setText(
            gettext(
                "Put your cards into servers and places, choose a model, and see at once whether it fits, how many "
                "people it serves and what it costs. Start from an example, or from an empty project."
            )
        )
        self.new.setText(gettext("Empty project"))
        self.open.setText(gettext("Open a file…"))
        self._examples_title.setText(gettext("EXAMPLES"))
        self._recent_title.setText(gettext("RECENT FILES"))
        for template in TEMPLATES:
            self.examples[template.id].say(gettext(template.title), gettext(template.line))

    def _draw_examples(self) -> None:
        for template in TEMPLATES:
            self._draw_example(template)

    def _draw_example(self, template: Template) -> None:
        self.examples[template.id].picture.show_plan(active_plan(template.build(self._document.catalogue)))

    def refresh_recent(self) -> None:
        """The list of recent files, newest first."""
        while self._recent.count():
            gone = self._recent.takeAt(0).widget()
            gone.hide()
            gone.deleteLater()
        names = self._settings.values.recent_files[:6]
        self._recent_title.setVisible(bool(names))
        for name in names:
            path = Path(name)
            button = QPushButton(f"{path.name}   ·   {path.parent}")
            button.setProperty("role", "link")
            button.setToolTip(name)
            # Outside of a dialog, Enter presses only such a button.
            button.setAutoDefault(True)
            button.clicked.connect(lambda _=False, path=path: self.file_wanted.emit(path))
            self._recent.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = min(self.viewport().width(), COLUMN_W) - 80
        columns = max(1, min(4, (room + 16) // (CARD_W - 24)))
        columns = min(3, columns)
        if columns != self._columns:
            self._columns = columns
            for number, card in enumerate(self.examples.values()):
                self._grid.addWidget(card, number // columns, number % columns)
            for index in range(4):
                self._grid.setColumnStretch(index, 1 if index < columns else 0)

    def sizeHint(self) -> QSize:
        return QSize(1100, 700)
