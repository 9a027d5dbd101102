"""Renaming where the name stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from configurator.desktop.canvas.items import ServerItem, SiteItem, SwitchItem
from configurator.desktop.theme import font
from configurator.plan import edits
from configurator.plan.index import find

if TYPE_CHECKING:
    from configurator.desktop.canvas.view import CanvasView


class NameEditor(QLineEdit):
    """A field over the header of a box: Enter takes the name, Esc leaves it."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view.viewport())
        self._view = view
        self._key = ""
        self.setMaxLength(80)
        self.hide()

    def open(self, object_id: str) -> bool:
        """Start to rename; False for things without a name on the canvas."""
        view = self._view
        item = view.plan_scene.box_item(object_id)
        found = find(view.document.plan, object_id)
        if found is None or not isinstance(item, ServerItem | SiteItem | SwitchItem):
            return False
        self._key = object_id
        area = view.mapFromScene(item.mapRectToScene(item.name_rect())).boundingRect()
        height = max(28, area.height())
        self.setGeometry(area.x(), area.y() + (area.height() - height) // 2, max(180, area.width()), height)
        self.setFont(font(13, strong=True))
        self.setText(str(getattr(found.node, "name", "")))
        self.setAccessibleName(view.document.gettext("New name"))
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def finish(self, take: bool = True) -> None:
        """Take the name, or leave the old one; an empty name changes nothing."""
        if not self._key:
            return
        key, self._key = self._key, ""
        text = self.text().strip()
        self.hide()
        document = self._view.document
        found = find(document.plan, key)
        if take and text and found is not None and text != getattr(found.node, "name", ""):
            document.edit(document.gettext("Rename"), lambda plan: edits.rename(plan, key, text))
        self._view.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.finish()
        elif event.key() == Qt.Key.Key_Escape:
            self.finish(take=False)
        else:
            super().keyPressEvent(event)
        event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.finish()
