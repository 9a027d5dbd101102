"""One finding: what, where, what to do; a click selects the objects, "fix it" mends them, a remark sets it aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from configurator.desktop import icons
from configurator.desktop.theme import HALF
from configurator.desktop.widgets.texts import breakable, label, set_property
from configurator.terms import Light
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.results import Finding, FindingClass

LIGHT_OF: dict[FindingClass, Light] = {
    "will_not_work": "stop",
    "one_more_step": "step",
    "good_to_know": "good",
    "not_checked": "unknown",
}
"""Light of each class; "good to know" is painted in the accent, it is neither good nor bad."""


def meaning_of(kind: FindingClass) -> str:
    """Name of the tint in the style sheet."""
    return "accent" if kind == "good_to_know" else LIGHT_OF[kind]


class FindingCard(QFrame):
    """Kept and filled again at each answer."""

    chosen = Signal(object)
    """The finding whose objects are to be shown."""
    fix_wanted = Signal(object)
    set_aside = Signal(object, object)
    """(finding, remark), the remark None to take it back."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "callout")
        self._finding: Finding | None = None
        self.text = label("", wrap=True)
        self.action = label("note", wrap=True)
        self.remark = label("note", wrap=True)
        self.show_button = self._button("search")
        self.fix_button = self._button("fix")
        self.aside_button = self._button("set-aside")
        self.show_button.clicked.connect(lambda: self.chosen.emit(self._finding))
        self.fix_button.clicked.connect(lambda: self.fix_wanted.emit(self._finding))
        self.aside_button.clicked.connect(self._aside)
        self.field = QLineEdit()
        self.field.returnPressed.connect(self._remarked)
        self.field.setVisible(False)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        for button in (self.show_button, self.fix_button, self.aside_button):
            row.addWidget(button)
        row.addStretch(1)
        self.buttons = QWidget()
        self.buttons.setLayout(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(11, 8, 10, 6)
        column.setSpacing(HALF)
        for widget in (self.text, self.action, self.remark, self.buttons, self.field):
            column.addWidget(widget)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def _button(self, name: str) -> QPushButton:
        button = QPushButton()
        button.setProperty("role", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        icons.bind(button, name, "accent_ink")
        return button

    @property
    def finding(self) -> Finding | None:
        return self._finding

    def show_finding(self, finding: Finding, wording: Wording) -> None:
        _ = wording.gettext
        if finding is not self._finding:
            self.field.setVisible(False)
        self._finding = finding
        text = wording.text(finding.text)
        self.text.setText(breakable(text))
        self.action.setText(breakable(wording.text(finding.action)) if finding.action is not None else "")
        self.action.setVisible(finding.action is not None)
        aside = finding.set_aside_remark is not None
        self.remark.setText(_("Set aside: {remark}").format(remark=finding.set_aside_remark or "–") if aside else "")
        self.remark.setVisible(aside)
        set_property(self, "meaning", "unknown" if aside else meaning_of(finding.kind))
        self.show_button.setText(_("Show"))
        self.show_button.setVisible(bool(finding.subjects))
        self.fix_button.setText(_("Fix it"))
        self.fix_button.setVisible(finding.fix is not None and not aside)
        self.aside_button.setText(_("Take back") if aside else _("Set aside"))
        self.aside_button.setVisible(bool(finding.subjects))
        self.field.setPlaceholderText(_("Why? The proposal prints your remark."))
        for button in (self.show_button, self.fix_button, self.aside_button):
            button.setAccessibleName(f"{button.text()}: {text}")
        self.field.setAccessibleName(_("Remark"))
        self.buttons.setVisible(bool(finding.subjects) or finding.fix is not None)
        basis = wording.word("basis." + finding.basis) if finding.basis else ""
        self.setToolTip(" · ".join(part for part in (basis, finding.rule) if part))

    def _aside(self) -> None:
        if self._finding is not None and self._finding.set_aside_remark is not None:
            self.set_aside.emit(self._finding, None)
            return
        self.field.clear()
        self.field.setVisible(self.field.isHidden())
        if not self.field.isHidden():
            self.field.setFocus()

    def _remarked(self) -> None:
        if self._finding is not None:
            self.field.setVisible(False)
            self.set_aside.emit(self._finding, self.field.text().strip())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        inside = self.rect().contains(event.position().toPoint())
        if (
            inside
            and event.button() == Qt.MouseButton.LeftButton
            and self._finding is not None
            and self._finding.subjects
        ):
            self.chosen.emit(self._finding)
