"""The bar under the menus: file and undo buttons, the plan's variants, presenting and the proposal."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from configurator.desktop.actions import Actions
from configurator.desktop.document import Document
from configurator.desktop.icons import icon
from configurator.desktop.plan_tabs import PlanTabs
from configurator.desktop.theme import theme
from configurator.desktop.widgets.texts import set_property

BUTTONS = ("file.new", "file.open", "file.save", "", "edit.undo", "edit.redo")


class ToolBar(QFrame):
    """One row; everything in it is also in a menu."""

    def __init__(self, document: Document, actions: Actions) -> None:
        super().__init__()
        self._document = document
        self._actions = actions
        self._drawer = False
        self._at_work = False
        self.setProperty("role", "panel")
        self.tabs = PlanTabs(document)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 12, 6)
        row.setSpacing(2)
        self._edits: list[QWidget] = []
        for name in BUTTONS:
            self._edits.append(self._small(name) if name else _bar())
            row.addWidget(self._edits[-1])
        self._line = _bar()
        row.addWidget(self._line)
        row.addWidget(self.tabs, 1)
        row.addStretch(0)
        self.answer = self._plain("view.answer")
        self.present = self._plain("view.present")
        self.export = self._plain("file.export")
        set_property(self.export, "role", "primary")
        for button in (self.answer, self.present, self.export):
            row.addSpacing(6)
            row.addWidget(button)
        document.wording_changed.connect(self.retranslate)
        document.assessed.connect(self._show_light)
        theme().changed.connect(self._show_light)
        self.retranslate()

    def _small(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(self._actions.get(name))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(18, 18))
        button.setProperty("role", "quiet")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        action = self._actions.get(name)
        action.changed.connect(lambda: button.setAccessibleName(action.text()))
        return button

    def _plain(self, name: str) -> QPushButton:
        action = self._actions.get(name)
        button = QPushButton()
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.clicked.connect(action.trigger)
        action.changed.connect(lambda: self._follow(button, name))
        return button

    def _follow(self, button: QPushButton, name: str) -> None:
        action = self._actions.get(name)
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.toolTip())
        button.setAccessibleName(action.text().rstrip("…"))

    def retranslate(self) -> None:
        gettext = self._document.gettext
        self._show_light()
        self.present.setText(f"{gettext('Present')}  F11")
        self.export.setText(gettext("Export proposal"))

    def _show_light(self) -> None:
        """While workload and answer are put away, their button shows the light."""
        assessment, wording = self._document.assessment, self._document.wording
        self.answer.setText(f" {wording.gettext('Workload and answer')}")
        if assessment is None:
            self.answer.setIcon(QIcon())
            return
        light = assessment.verdict.light
        self.answer.setIcon(icon(light, f"{light}_ink"))

    def show_drawer_button(self, wanted: bool) -> None:
        """The answer's own button, while the answer is a drawer or folded away."""
        self._drawer = wanted
        self.answer.setVisible(wanted and self._at_work)

    def show_presenting(self, presenting: bool) -> None:
        """While presenting only the plans and the way back stand here."""
        for widget in (*self._edits, self._line, self.export, self.tabs.add):
            widget.setVisible(not presenting)
        gettext = self._document.gettext
        self.present.setText(f"{gettext('End') if presenting else gettext('Present')}  F11")

    def show_work(self, at_work: bool) -> None:
        """Plans and what is done with them, only while there is a plan on the screen."""
        self._at_work = at_work
        for widget in (self.tabs, self._line, self.present, self.export):
            widget.setVisible(at_work)
        self.answer.setVisible(at_work and self._drawer)


def _bar() -> QWidget:
    line = QFrame()
    line.setFixedSize(1, 22)
    line.setStyleSheet("background: palette(mid);")
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(6, 0, 6, 0)
    layout.addWidget(line)
    return holder
