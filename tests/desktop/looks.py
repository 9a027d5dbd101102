"""Walks a widget as a reader's software and a careful eye would: names, clipped texts, overlapping fields."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

INTERACTIVE = (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView)
INNER = ("qt_scrollarea", "qt_spinbox", "ScrollLeft", "ScrollRight")


def settle() -> None:
    """Let layouts and paints happen."""
    for _ in range(4):
        QApplication.processEvents()


def shown(root: QWidget) -> list[QWidget]:
    """All visible widgets below."""
    return [each for each in root.findChildren(QWidget) if each.isVisibleTo(root)]


def nameless(root: QWidget) -> list[str]:
    """Interactive widgets that a screen reader could not name."""
    found = []
    for each in shown(root):
        if not isinstance(each, INTERACTIVE) or each.objectName().startswith(INNER):
            continue
        if isinstance(each.parentWidget(), QComboBox | QLineEdit):
            continue
        name = QAccessible.queryAccessibleInterface(each).text(QAccessible.Text.Name)
        if not name.strip():
            found.append(f"{type(each).__name__} in {type(each.parentWidget()).__name__}")
    return found


def clipped(root: QWidget) -> list[str]:
    """Texts that do not stand whole in their widget."""
    found = []
    for each in shown(root):
        if isinstance(each, QLabel) and each.text():
            if each.wordWrap():
                need = each.heightForWidth(each.width())
                if need > each.height() + 2:
                    found.append(f"label {each.text()!r}: {each.height()} of {need} high")
                widest = max(
                    (
                        QFontMetricsF(each.font()).horizontalAdvance(word)
                        for word in each.text().replace("\u200b", " ").split()
                    ),
                    default=0,
                )
                if widest > each.width() + 2:
                    found.append(f"label {each.text()!r}: a word is wider than {each.width()}")
            elif each.sizeHint().width() > each.width() + 1:
                found.append(f"label {each.text()!r}: {each.width()} of {each.sizeHint().width()} wide")
        elif isinstance(each, QPushButton | QToolButton) and each.text() and each.property("role") != "field":
            room = each.width() + 1
            if each.sizeHint().width() > room:
                found.append(f"button {each.text()!r}: {each.width()} of {each.sizeHint().width()} wide")
    return found


def outside(page: QWidget) -> list[str]:
    """Widgets that stick out of the page they stand on."""
    found = []
    for each in shown(page):
        if each.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents) or each.isWindow():
            continue
        at = each.mapTo(page, each.rect().topLeft())
        if at.x() < -1 or at.x() + each.width() > page.width() + 1:
            found.append(
                f"{type(each).__name__} {each.accessibleName()!r} reaches {at.x() + each.width()} of {page.width()}"
            )
    return found
