"""What is selected, in one line at the lower edge of the canvas, with its properties one click away."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from configurator.desktop.document import Document
from configurator.desktop.facts import DOT, describe
from configurator.desktop.widgets.texts import label
from configurator.plan.index import find
from configurator.plan.model import Slot, Workload

EDGE = 12
MOST_W = 640


class SelectionBar(QFrame):
    """Stands where the line of hints is while nothing is selected."""

    properties_wanted = Signal()
    moved = Signal()
    """It has come, gone or another width: what floats beside it makes room."""

    def __init__(self, host: QWidget, document: Document, title_of: Callable[[str], str]) -> None:
        super().__init__(host)
        self._document = document
        self._title_of = title_of
        self._covered = False
        self._facts = ""
        self.setProperty("role", "card")
        self.title = label("strong")
        self.facts = label("muted")
        self.facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self.properties_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(10)
        row.addWidget(self.title)
        row.addWidget(self.facts, 1)
        row.addWidget(self.button)
        host.installEventFilter(self)
        document.changed.connect(lambda _old, _new: self.refresh())
        document.selection_changed.connect(self.refresh)
        document.wording_changed.connect(self.refresh)
        self.refresh()

    def cover(self, covered: bool) -> None:
        """The sheet of properties is open and says it all, or the plan is being presented."""
        self._covered = covered
        self.refresh()

    def taken(self) -> QRect:
        """Where it stands; empty while it does not."""
        return QRect() if self.isHidden() else self.geometry()

    def refresh(self) -> None:
        """Follow the selection."""
        document, gettext = self._document, self._document.gettext
        found = [each for key in document.selection if (each := find(document.plan, key)) is not None]
        ids = [each.node.id for each in found if not isinstance(each.node, Workload)]
        shown = bool(ids) and not self._covered
        if not shown and self.isHidden():
            return
        if shown:
            wording = document.wording
            several = wording.ngettext("{n} object", "{n} objects", len(ids)).replace("{n}", str(len(ids)))
            one = found[0].node
            title = gettext("slot {name}").replace("{name}", one.name) if isinstance(one, Slot) else ""
            self.title.setText((title or self._title_of(ids[0])) if len(ids) == 1 else several)
            said = describe(document.plan, ids[0], document.catalogue, wording) if len(ids) == 1 else ""
            parts = [part for part in said.split(DOT) if part and not part.endswith(self.title.text())]
            self._facts = DOT.join(parts)
            self.button.setText(gettext("Properties…"))
            self.button.setToolTip(gettext("Everything that can be said about the selection") + " (Alt+Return)")
            self.setAccessibleName(DOT.join((self.title.text(), self._facts)))
            self._place()
        self.setVisible(shown)
        self.moved.emit()

    def _place(self) -> None:
        host = self.parentWidget()
        if host is None:
            return
        self.facts.setText(self._facts)
        spare = self.title.sizeHint().width() + self.button.sizeHint().width() + 42
        wanted = spare + self.facts.sizeHint().width() + 4
        self.resize(min(wanted, MOST_W, host.width() - 2 * EDGE), self.sizeHint().height())
        self.move(EDGE, host.height() - self.height() - EDGE)
        self._elide()

    def _elide(self) -> None:
        room = self.facts.width()
        self.facts.setText(self.facts.fontMetrics().elidedText(self._facts, Qt.TextElideMode.ElideRight, room))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return bool(super().eventFilter(watched, event))
