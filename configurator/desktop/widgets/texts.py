"""Labels with a role, thin rules, and containers that keep their rows between answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from configurator.desktop import icons
from configurator.desktop.theme import HALF, UNIT, theme

LONG_WORD = 30
_LONG = re.compile(rf"\S{{{LONG_WORD},}}")
_MARKS = re.compile(r"[,=/]")

Row = TypeVar("Row", bound=QWidget)
Item = TypeVar("Item")


def label(role: str = "", text: str = "", *, wrap: bool = False) -> QLabel:
    """A label with a role of the style sheet. Wrapped ones can be selected and copied."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    if wrap:
        made.setWordWrap(True)
        made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.MinimumExpanding)
        made.setMinimumWidth(40)
    return made


def breakable(text: str) -> str:
    """The same text; a word too long for a narrow panel (a command, an address) may break after its marks."""
    if max(map(len, text.split(" ")), default=0) <= LONG_WORD:
        return text
    return _LONG.sub(lambda found: _MARKS.sub("\\g<0>\u200b", found[0]), text)


def rule() -> QFrame:
    """A hairline."""
    made = QFrame()
    made.setProperty("role", "rule")
    made.setFixedHeight(1)
    return made


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at, and have the look follow."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def column(*widgets: QWidget, spacing: int = HALF, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QWidget:
    """Widgets one below the other."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for widget in widgets:
        layout.addWidget(widget)
    return made


class Page(QWidget):
    """What a scroll area shows: as wide as the area, as high as its content at that width.

    Qt would ask the whole content for its size at other widths, too, at every change, and take the height of the
    narrowest case as the least one, which leaves empty room below wrapped texts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def sizeHint(self) -> QSize:
        return QSize(240, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class Section(QWidget):
    """A small heading with content below; can be folded when ``foldable``."""

    def __init__(self, *, foldable: bool = False, folded: bool = False) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(UNIT)
        self._head: QLabel | QToolButton
        self._waiting: Callable[[], None] | None = None
        self.body = QWidget()
        self.content = QVBoxLayout(self.body)
        self.content.setContentsMargins(0, 0, 0, 0)
        self.content.setSpacing(UNIT)
        if foldable:
            button = QToolButton()
            button.setProperty("role", "fold")
            button.setCheckable(True)
            button.setChecked(not folded)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.toggled.connect(self._fold)
            self._head = button
            self.body.setVisible(not folded)
            self._arrow()
            theme().changed.connect(self._arrow)
        else:
            self._head = label("section")
        self._layout.addWidget(self._head)
        self._layout.addWidget(self.body)

    def set_title(self, text: str) -> None:
        """The heading, in capitals as all small headings."""
        shown = text.upper()
        if self._head.text() != shown:
            self._head.setText(shown)
            self._head.setAccessibleName(text)

    def fill(self, fill: Callable[[], None]) -> None:
        """Fill the content now, or when it is unfolded: what nobody sees costs nothing."""
        if self.folded:
            self._waiting = fill
        else:
            self._waiting = None
            fill()

    @property
    def folded(self) -> bool:
        return isinstance(self._head, QToolButton) and not self._head.isChecked()

    def unfold(self) -> None:
        """Open a folded section."""
        if isinstance(self._head, QToolButton):
            self._head.setChecked(True)

    def _fold(self, open_: bool) -> None:
        if open_ and self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            waiting()
        self.body.setVisible(open_)
        self._arrow()

    def _arrow(self) -> None:
        if isinstance(self._head, QToolButton):
            self._head.setIcon(icons.icon("chevron-down" if self._head.isChecked() else "chevron-right", "muted"))


class Rows(QWidget, Generic[Item, Row]):
    """A list of rows that are kept and filled again at each answer, so that an edit builds no widgets."""

    def __init__(self, make: Callable[[], Row], fill: Callable[[Row, Item], None], spacing: int = UNIT) -> None:
        super().__init__()
        self._make = make
        self._fill = fill
        self._rows: list[Row] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(spacing)

    def show_items(self, items: Sequence[Item]) -> None:
        """Fill one row per item, hide the others."""
        while len(self._rows) < len(items):
            row = self._make()
            self._rows.append(row)
            self._column.addWidget(row)
        for row, item in zip(self._rows, items, strict=False):
            self._fill(row, item)
            row.setVisible(True)
        for row in self._rows[len(items) :]:
            row.setVisible(False)
        self.setVisible(bool(items))

    def rows(self) -> list[Row]:
        """Rows on screen."""
        return [row for row in self._rows if not row.isHidden()]
