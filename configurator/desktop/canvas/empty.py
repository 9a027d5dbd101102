"""What an empty canvas says: the first step, with buttons that do it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from configurator.desktop.document import Document


class EmptyHint(QFrame):
    """Stands in the middle of the canvas until there is a site."""

    site_wanted = Signal(str)
    examples_wanted = Signal()

    def __init__(self, parent: QWidget, document: Document) -> None:
        super().__init__(parent)
        self._document = document
        self.setProperty("role", "card")
        self._title = QLabel()
        self._title.setProperty("role", "headline")
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._line = QLabel()
        self._line.setProperty("role", "muted")
        self._line.setWordWrap(True)
        self._line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._buttons: list[tuple[str, QPushButton]] = []
        for kind in ("home", "office", "server_room", "colocation"):
            button = QPushButton()
            button.clicked.connect(lambda _=False, kind=kind: self.site_wanted.emit(kind))
            row.addWidget(button)
            self._buttons.append((kind, button))
        self._example = QPushButton()
        self._example.setProperty("role", "link")
        self._example.clicked.connect(self.examples_wanted)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 28, 32, 24)
        column.setSpacing(12)
        column.addWidget(self._title)
        column.addWidget(self._line)
        column.addSpacing(4)
        column.addLayout(row)
        column.addWidget(self._example, alignment=Qt.AlignmentFlag.AlignHCenter)
        document.wording_changed.connect(self.retranslate)
        self.retranslate()

    def retranslate(self) -> None:
        gettext, wording = self._document.gettext, self._document.wording
        self._title.setText(gettext("Start with a place"))
        self._line.setText(
            gettext(
                "Drag a site from the list or choose one here. Then put a server into it, and cards into its slots."
            )
        )
        for kind, button in self._buttons:
            word = wording.word(f"site.{kind}")
            button.setText(word[:1].upper() + word[1:])
        self._example.setText(gettext("Or look at an example"))
        self.place()

    def place(self) -> None:
        """In the middle of the canvas."""
        parent = self.parentWidget()
        if parent is None:
            return
        width = min(560, max(300, parent.width() - 48))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((parent.width() - self.width()) // 2, max(24, (parent.height() - self.height()) * 2 // 5))
