"""The working area: catalogue on the left, tabs in the middle, workload and answer on the right.

Below a certain width the right side becomes a drawer over the canvas.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from configurator.desktop.document import Document
from configurator.diagram.tokens import DRAWER_BELOW, LEFT_DOCK, RIGHT_DOCK


class Hardware(QStackedWidget):
    """The hardware as a drawing or as a list."""

    def __init__(self, drawing: QWidget, outline: QWidget) -> None:
        super().__init__()
        self._outline = outline
        self._drawing = drawing
        self.addWidget(drawing)
        self.addWidget(outline)

    @property
    def as_list(self) -> bool:
        return self.currentWidget() is self._outline

    def show_list(self, wanted: bool) -> None:
        """Switch; the keyboard follows."""
        self.setCurrentWidget(self._outline if wanted else self._drawing)
        self.currentWidget().setFocus()


MakePage = Callable[[], QWidget]


class Pages(QWidget):
    """The tabs of the middle; a page is made when it is first shown."""

    shown = Signal(str)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._names: list[str] = []
        self._titles: dict[str, str] = {}
        self._makers: dict[str, MakePage] = {}
        self._made: dict[str, QWidget] = {}
        self.setProperty("role", "canvas")
        self.bar = QTabBar()
        self.bar.setExpanding(False)
        self.bar.setDrawBase(False)
        self.zoom = QLabel()
        self.zoom.setProperty("role", "muted")
        self.tools = QHBoxLayout()
        self.tools.setSpacing(0)
        self.stack = QStackedWidget()
        head = QHBoxLayout()
        head.setContentsMargins(10, 0, 10, 0)
        head.addWidget(self.bar)
        head.addStretch(1)
        head.addWidget(self.zoom)
        head.addSpacing(4)
        head.addLayout(self.tools)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        self.bar.currentChanged.connect(self._chosen)
        document.wording_changed.connect(self.retranslate)

    def add(self, name: str, title: str, make: MakePage) -> None:
        """Another tab; ``title`` is a message id."""
        self._names.append(name)
        self._titles[name] = title
        self._makers[name] = make
        self.bar.addTab(self._document.gettext(title))

    def retranslate(self) -> None:
        self.bar.setAccessibleName(self._document.gettext("Views"))
        for number, name in enumerate(self._names):
            self.bar.setTabText(number, self._document.gettext(self._titles[name]))

    @property
    def current(self) -> str:
        index = self.bar.currentIndex()
        return self._names[index] if 0 <= index < len(self._names) else ""

    def show_page(self, name: str) -> None:
        """Bring a tab to the front."""
        if name in self._names:
            self.bar.setCurrentIndex(self._names.index(name))

    def page(self, name: str) -> QWidget:
        """The page of a tab, made when needed."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
            self.stack.addWidget(self._made[name])
        return self._made[name]

    def _chosen(self, index: int) -> None:
        if 0 <= index < len(self._names):
            self.stack.setCurrentWidget(self.page(self._names[index]))
            self.shown.emit(self._names[index])

    def show_tools(self, wanted: bool) -> None:
        """Zoom and its buttons belong to the canvas."""
        self.zoom.setVisible(wanted)
        for number in range(self.tools.count()):
            self.tools.itemAt(number).widget().setVisible(wanted)

    def add_tool(self, action: QAction) -> QToolButton:
        """A small button at the right end."""
        button = QToolButton()
        button.setDefaultAction(action)
        button.setProperty("role", "quiet")
        button.setAutoRaise(True)
        self.tools.addWidget(button)
        return button


class Workspace(QWidget):
    """Left, middle, right; both sides fold away."""

    sides_changed = Signal()

    def __init__(self, left: QWidget, middle: QWidget, right: QWidget) -> None:
        super().__init__()
        self.left, self.middle, self.right = left, middle, right
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        for side in (left, middle, right):
            self.splitter.addWidget(side)
        for number, stretch in enumerate((0, 1, 0)):
            self.splitter.setStretchFactor(number, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.splitter)
        self._wide_sizes = [LEFT_DOCK, 800, RIGHT_DOCK]
        self.splitter.setSizes(self._wide_sizes)
        self._right_wanted = True
        self.sides_before = (True, True)
        self._drawer = False
        self._drawer_width = RIGHT_DOCK
        self._shade = QFrame(self)
        self._shade.setStyleSheet("background: rgba(20, 28, 36, 70);")
        self._shade.installEventFilter(self)
        self._shade.hide()

    @property
    def is_drawer(self) -> bool:
        """The right side lies over the canvas."""
        return self._drawer

    @property
    def left_open(self) -> bool:
        return not self.left.isHidden()

    @property
    def right_open(self) -> bool:
        return not self.right.isHidden()

    def remember_sides(self) -> None:
        """Keep which sides are open, for coming back."""
        self.sides_before = (self.left_open, self.right_open)

    def set_sizes(self, left: int, right: int) -> None:
        """Widths from the last time."""
        self._drawer_width = max(300, min(right, 520))
        self.splitter.setSizes([left, max(300, self.width() - left - right), right])

    def sizes(self) -> tuple[int, int]:
        """Widths of the sides, to remember."""
        left = self.left.width() if self.left_open else LEFT_DOCK
        return left, self.right.width() if self.right_open else self._drawer_width

    def set_left(self, open_: bool) -> None:
        self.left.setVisible(open_)
        self.sides_changed.emit()

    def set_right(self, open_: bool) -> None:
        """Open or fold the right side; as a drawer it slides over the canvas."""
        if not self._drawer:
            self._right_wanted = open_
        self.right.setVisible(open_)
        self._shade.setVisible(open_ and self._drawer)
        self._place_drawer()
        self.sides_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < DRAWER_BELOW
        if narrow != self._drawer:
            self._drawer = narrow
            if narrow:
                self._drawer_width = max(300, self.right.width() or RIGHT_DOCK)
                self.right.setParent(self)
                self.right.hide()
                self._shade.hide()
            else:
                self._shade.hide()
                self.splitter.addWidget(self.right)
                self.splitter.setStretchFactor(2, 0)
                left = self.left.width() if self.left_open else LEFT_DOCK
                self.splitter.setSizes([left, event.size().width() - left - self._drawer_width, self._drawer_width])
                self.right.setVisible(self._right_wanted)
            self.sides_changed.emit()
        self._place_drawer()

    def _place_drawer(self) -> None:
        if not self._drawer:
            return
        width = min(self._drawer_width, self.width() - 40)
        self._shade.setGeometry(self.rect())
        self._shade.raise_()
        self.right.setGeometry(self.width() - width, 0, width, self.height())
        self.right.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._shade and event.type() == QEvent.Type.MouseButtonPress:
            self.set_right(False)
            return True
        return bool(super().eventFilter(watched, event))
