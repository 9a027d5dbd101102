"""The property sheet: follows the selection, each change one undo step, an empty number means "not known"."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGraphicsDropShadowEffect,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from configurator.desktop.document import Document
from configurator.desktop.fields import Field, fields_of, parse_number
from configurator.desktop.icons import icon
from configurator.desktop.theme import colour, theme
from configurator.desktop.widgets.inputs import Choice
from configurator.desktop.widgets.texts import set_property
from configurator.plan import edits
from configurator.plan.index import Found, find
from configurator.plan.model import Frozen, Plan

WIDTH = 376
EDGE = 12


class Inspector(QFrame):
    """Floats over the right upper corner of the canvas."""

    closed = Signal()
    turned = Signal(bool)
    """It has come or gone."""

    def __init__(self, host: QWidget, document: Document, title_of: Callable[[str], str]) -> None:
        super().__init__(host)
        self._document = document
        self._title_of = title_of
        self._ids: tuple[str, ...] = ()
        self._shape: tuple[object, ...] = ()
        self._fields: dict[str, tuple[Field, QWidget]] = {}
        self._filling = False
        self._opened = False
        self._wrong: QLineEdit | None = None
        self.setProperty("role", "card")
        self.setFixedWidth(WIDTH)
        self.title = QLabel()
        self.title.setProperty("role", "title")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.close_button = QToolButton()
        self.close_button.setProperty("role", "quiet")
        self.close_button.setIcon(icon("close"))
        self.close_button.clicked.connect(self.shut)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 8, 0)
        head.addWidget(self.title, 1)
        head.addWidget(self.close_button)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setStyleSheet("QScrollArea { background: transparent; }")
        self._note = QLabel()
        self._note.setProperty("role", "note")
        self._note.setWordWrap(True)
        self._note.setContentsMargins(16, 0, 16, 10)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._area, 1)
        column.addWidget(self._note)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(28)
        shadow.setOffset(0, 4)
        shadow.setColor(colour("shadow", 50))
        self.setGraphicsEffect(shadow)
        host.installEventFilter(self)
        document.changed.connect(self._follow)
        document.selection_changed.connect(self._follow)
        document.wording_changed.connect(self._rebuild)
        theme().changed.connect(self._paint_icon)
        self.hide()

    def _paint_icon(self) -> None:
        self.close_button.setIcon(icon("close"))

    # -- open and close

    def open(self) -> None:
        """Show the sheet of the selection, the first field ready."""
        self._opened = True
        self._follow()
        first = next((widget for field, widget in self._fields.values() if field.kind != "fact"), None)
        if first is not None and self.isVisible():
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.turned.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.turned.emit(False)

    def shut(self) -> None:
        """Put it away."""
        self._opened = False
        self.hide()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.shut()
            return
        super().keyPressEvent(event)

    # -- following

    def _chosen(self) -> tuple[Found, ...]:
        """Selected objects of the kind of the first one."""
        plan = self._document.plan
        found = [each for key in self._document.selection if (each := find(plan, key)) is not None]
        return tuple(each for each in found if type(each.node) is type(found[0].node))

    def _follow(self) -> None:
        if not self._opened:
            return
        chosen = self._chosen()
        if not chosen:
            self.hide()
            return
        self._ids = tuple(each.node.id for each in chosen)
        fields = fields_of(chosen[0].node, self._document.catalogue, self._document.wording)
        if not fields:
            self.hide()
            return
        shape = (type(chosen[0].node), fields)
        if shape != self._shape:
            self._shape = shape
            self._build(fields)
        self._fill(chosen)
        self._place()
        self.show()
        self.raise_()

    def _rebuild(self) -> None:
        self._shape = ()
        self._follow()

    def _build(self, fields: tuple[Field, ...]) -> None:
        gettext = self._document.gettext
        self.close_button.setAccessibleName(gettext("Close"))
        self.close_button.setToolTip(gettext("Close (Esc)"))
        self._wrong = None
        self._note.setText(self._usual_note())
        set_property(self._note, "meaning", "")
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(16, 4, 16, 8)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnMinimumWidth(0, 112)
        grid.setColumnStretch(1, 1)
        self._fields = {}
        for row, field in enumerate(fields):
            widget = self._widget(field)
            widget.setAccessibleName(field.label)
            if field.help:
                widget.setToolTip(field.help)
            self._fields[field.name] = (field, widget)
            if field.kind == "flag":
                grid.addWidget(widget, row, 0, 1, 2)
                continue
            label = QLabel(field.label)
            label.setProperty("role", "note")
            label.setWordWrap(True)
            label.setFixedWidth(124)
            label.setBuddy(widget)
            label.setToolTip(field.help)
            grid.addWidget(label, row, 0)
            grid.addWidget(widget, row, 1)
        grid.setRowStretch(len(fields), 1)
        self._area.setWidget(page)
        page.setAutoFillBackground(False)

    def _widget(self, field: Field) -> QWidget:
        if field.kind == "choice":
            box = Choice()
            box.chosen.connect(lambda value, field=field: self._put(field, value))
            return box
        if field.kind == "flag":
            check = QCheckBox(field.label)
            check.toggled.connect(lambda on, field=field: self._put(field, on))
            return check
        if field.kind == "fact":
            fact = QLabel(field.fact)
            fact.setWordWrap(True)
            return fact
        line = QLineEdit()
        if field.kind == "number":
            line.setPlaceholderText(field.empty)
            if field.unit:
                self._unit(line, field.unit)
        line.editingFinished.connect(lambda field=field, line=line: self._typed(field, line))
        return line

    @staticmethod
    def _unit(line: QLineEdit, unit: str) -> None:
        mark = QLabel(unit, line)
        mark.setProperty("role", "small")
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 9, 0)
        row.addStretch(1)
        row.addWidget(mark)
        line.setTextMargins(0, 0, mark.sizeHint().width() + 6, 0)

    # -- values

    def _fill(self, chosen: tuple[Found, ...]) -> None:
        wording = self._document.wording
        node = chosen[0].node
        several = wording.ngettext("{n} object", "{n} objects", len(chosen)).replace("{n}", str(len(chosen)))
        name = self._title_of(node.id)
        self.title.setText(name if len(chosen) == 1 else f"{several} · {name}")
        self._filling = True
        for field, widget in self._fields.values():
            if field.kind == "fact":
                continue
            value = field.value(node)
            if isinstance(widget, Choice):
                choices = [(each, words, "") for each, words in field.choices]
                if all(each != value for each, _, _ in choices):
                    choices.append((value, str(value), ""))
                widget.show_choices(choices, value)
            elif isinstance(widget, QCheckBox):
                widget.setChecked(bool(value))
            elif isinstance(widget, QLineEdit) and not (widget.hasFocus() and widget.isModified()):
                widget.setText(self._shown(field, value))
                self._mark(widget, "")
            if isinstance(widget, QLineEdit) and field.name == "name":
                widget.setEnabled(len(chosen) == 1)
        self._filling = False

    def _shown(self, field: Field, value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, int | float):
            return self._document.wording.number(value / field.scale, 6)
        return str(value)

    def _typed(self, field: Field, line: QLineEdit) -> None:
        if self._filling or not line.isModified():
            return
        line.setModified(False)
        if field.kind == "text":
            if line.text().strip():
                self._put(field, line.text().strip())
            else:
                self._follow()
            return
        try:
            number = parse_number(line.text(), self._document.wording.decimal)
        except ValueError:
            self._mark(
                line, self._document.gettext("This is not a number. Write it like 12.5, or leave the field empty.")
            )
            return
        if number is not None and not 0 <= number <= field.most:
            wording = self._document.wording
            least = f"0 {field.unit}".strip()
            if field.most == float("inf"):
                reason = self._document.gettext("This must be {least} or more.").format(least=least)
            else:
                reason = self._document.gettext("This must lie between {least} and {most}.").format(
                    least=least, most=f"{wording.number(field.most)} {field.unit}".strip()
                )
            self._mark(line, reason)
            return
        if field.whole:
            value: object = max(1, round(number)) if number is not None else 1
        else:
            value = number * field.scale if number is not None else None
        accepted = self._put(field, value)
        self._mark(line, "" if accepted else self._document.gettext("This value is out of range."))

    def _mark(self, line: QLineEdit, reason: str) -> None:
        """A field with something wrong keeps what was typed and says what is wrong."""
        wrong = bool(reason)
        if bool(line.property("wrong")) != wrong:
            line.setProperty("wrong", wrong)
            line.style().unpolish(line)
            line.style().polish(line)
        field = next((field for field, widget in self._fields.values() if widget is line), None)
        line.setToolTip(reason or (field.help if field is not None else ""))
        # The reason stands in the sheet as well: a tooltip waits for the mouse, a toast goes away.
        if reason and field is not None:
            self._note.setText(f"{field.label}: {reason}")
            self._wrong = line
        elif self._wrong is line:
            self._note.setText(self._usual_note())
            self._wrong = None
        set_property(self._note, "meaning", "stop" if self._wrong is not None else "")
        if self._opened:
            self._place()

    def _usual_note(self) -> str:
        return self._document.gettext("Leave a field empty when you do not know: the answer then shows a range.")

    def _put(self, field: Field, value: object) -> bool:
        """Give the field this value on everything chosen, as one step. False when the value is refused."""
        if self._filling:
            return True
        document, ids = self._document, self._ids
        found = find(document.plan, ids[0]) if ids else None
        if found is None or (field.value(found.node) == value and len(ids) == 1):
            return True

        def change(plan: Plan) -> Plan:
            for key in ids:
                each = find(plan, key)
                if each is not None:
                    node: Frozen = each.node
                    plan = edits.update(plan, key, **field.changed(node, value))
            return plan

        text = document.gettext("Change {field} of {name}")
        name = text.replace("{field}", field.label).replace("{name}", self._title_of(ids[0]))
        return document.edit(name, change)

    # -- place

    def _place(self) -> None:
        host = self.parentWidget()
        if host is None:
            return
        note = self._note.heightForWidth(self.width())
        wanted = self._area.widget().sizeHint().height() + note + self.title.sizeHint().height() + 44
        self.setFixedHeight(min(wanted, host.height() - 2 * EDGE))
        self.move(host.width() - self.width() - EDGE, EDGE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return bool(super().eventFilter(watched, event))
