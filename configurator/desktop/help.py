"""Help on the spot: all shortcuts, what the words mean, about."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from configurator import __version__
from configurator.desktop.actions import Actions
from configurator.desktop.document import Document

MOUSE = (
    ("Wheel", "zoom at the cursor; with Ctrl always, with Shift sideways"),
    ("Middle button, right button or Space and drag", "move the canvas"),
    ("Drag with Ctrl", "copy instead of move"),
    ("Shift-click", "select everything between"),
    ("Arrows", "go to the next slot, server or site; with Ctrl up and down into and out of a box"),
    ("Enter", "add what is chosen in the list to the selection"),
)


class _Sheet(QDialog):
    """A dialog with a scrolled page and a close button."""

    def __init__(self, parent: QWidget, document: Document, title: str, width: int, height: int) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.page = QWidget()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(self.page)
        area.setAccessibleName(title)
        close = QPushButton(document.gettext("Close"))
        close.clicked.connect(self.accept)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(12)
        head = QLabel(title)
        head.setProperty("role", "headline")
        self.column.addWidget(head)
        self.column.addWidget(area, 1)
        self.column.addWidget(close, alignment=Qt.AlignmentFlag.AlignRight)
        self.resize(width, height)


class ShortcutList(_Sheet):
    """Every shortcut, out of the list of actions."""

    def __init__(self, parent: QWidget, document: Document, actions: Actions) -> None:
        gettext = document.gettext
        super().__init__(parent, document, gettext("Shortcuts"), 560, 620)
        grid = QGridLayout(self.page)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        row = 0
        for action in actions.table.values():
            if not action.shortcut:
                continue
            keys = " · ".join(
                QKeySequence(each).toString(QKeySequence.SequenceFormat.NativeText) for each in action.shortcut
            )
            row = self._line(grid, row, keys, gettext(action.text).rstrip("…"))
        for keys, words in MOUSE:
            row = self._line(grid, row, gettext(keys), gettext(words))
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(row, 1)

    @staticmethod
    def _line(grid: QGridLayout, row: int, keys: str, words: str) -> int:
        left = QLabel(keys)
        left.setProperty("role", "strong")
        left.setWordWrap(True)
        left.setMaximumWidth(200)
        right = QLabel(words)
        right.setWordWrap(True)
        grid.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(right, row, 1)
        return row + 1


class TermList(_Sheet):
    """The words of the trade, each in one sentence, with a search."""

    def __init__(self, parent: QWidget, document: Document) -> None:
        gettext = document.gettext
        super().__init__(parent, document, gettext("What the words mean"), 620, 640)
        self.search = QLineEdit()
        self.search.setPlaceholderText(gettext("Search a word…"))
        self.search.setAccessibleName(gettext("Search a word"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.column.insertWidget(1, self.search)
        rows = QVBoxLayout(self.page)
        rows.setContentsMargins(0, 0, 12, 0)
        rows.setSpacing(10)
        self._entries: list[tuple[str, QLabel]] = []
        for term in document.wording.glossary():
            entry = QLabel(f"<b>{term.name}</b><br>{term.plain}")
            entry.setWordWrap(True)
            entry.setTextFormat(Qt.TextFormat.RichText)
            rows.addWidget(entry)
            self._entries.append((f"{term.name} {term.plain}".casefold(), entry))
        rows.addStretch(1)

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for text, entry in self._entries:
            entry.setVisible(all(word in text for word in wanted))


class About(_Sheet):
    """Version, what it is, what it does not do."""

    def __init__(self, parent: QWidget, document: Document) -> None:
        gettext = document.gettext
        super().__init__(parent, document, gettext("GPU Configurator"), 460, 300)
        rows = QVBoxLayout(self.page)
        rows.setContentsMargins(0, 0, 0, 0)
        lines = (
            gettext("Version {version}").replace("{version}", __version__),
            gettext(
                "Plans GPUs for AI models before buying: does it fit, how fast, at what cost, and is a cluster needed."
            ),
            gettext("Works without a network and sends nothing anywhere. Prices and tariffs are planning figures."),
            gettext("Catalogue of {date}").replace("{date}", document.catalogue.as_of),
        )
        for line in lines:
            entry = QLabel(line)
            entry.setWordWrap(True)
            rows.addWidget(entry)
        rows.addStretch(1)
