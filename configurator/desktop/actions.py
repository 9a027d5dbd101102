"""Actions as data: one list feeds menus, toolbar, context menus, command palette and the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from configurator.desktop.icons import icon
from configurator.desktop.theme import theme

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk

Run = Callable[["Desk"], None]
Test = Callable[["Desk"], bool]
Say = Callable[["Desk"], str]


def N_(text: str) -> str:
    """Marks a text for translation; it is translated when it is shown."""
    return text


def always(_desk: Desk) -> bool:
    """Enabled at any time."""
    return True


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do."""

    id: str
    text: str
    run: Run
    tip: str = ""
    icon: str = ""
    shortcut: tuple[str, ...] = ()
    enabled: Test = always
    checked: Test | None = None
    say: Say | None = None
    """Text that depends on the moment ("Undo add site")."""
    scope: Literal["window", "canvas"] = "window"
    """Canvas: the shortcut works while the canvas has the keyboard."""
    palette: bool = True
    changes_plan: bool = False
    """The act is one undo step."""


class Actions(QObject):
    """The QActions of one window, made from the list and kept up to date."""

    def __init__(self, desk: Desk, actions: Iterable[Action]) -> None:
        super().__init__(desk.main)
        self.desk = desk
        self.table = {action.id: action for action in actions}
        self._made: dict[str, QAction] = {}
        self._said: dict[str, tuple[str, str]] = {}
        for action in self.table.values():
            self._made[action.id] = self._make(action)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh)
        theme().changed.connect(self._paint_icons)
        desk.document.wording_changed.connect(self.refresh)

    def _make(self, action: Action) -> QAction:
        owner: QWidget = self.desk.canvas if action.scope == "canvas" else self.desk.main
        made = QAction(owner)
        made.setObjectName(action.id)
        if action.shortcut:
            made.setShortcuts([QKeySequence(keys) for keys in action.shortcut])
            made.setShortcutContext(
                Qt.ShortcutContext.WidgetShortcut if action.scope == "canvas" else Qt.ShortcutContext.WindowShortcut
            )
        made.setCheckable(action.checked is not None)
        made.triggered.connect(lambda _checked=False, action=action: self.run(action.id))
        owner.addAction(made)
        return made

    def share(self, place: QWidget) -> None:
        """The keys of the canvas work in another place too."""
        for key, action in self.table.items():
            if action.scope == "canvas":
                place.addAction(self._made[key])

    def run(self, action_id: str) -> None:
        """Do it, when it can be done now."""
        action = self.table[action_id]
        if action.enabled(self.desk):
            action.run(self.desk)
        self.refresh()

    def get(self, action_id: str) -> QAction:
        """The QAction of an id, with its icon: drawn when somebody first shows it."""
        made, name = self._made[action_id], self.table[action_id].icon
        if name and made.icon().isNull():
            made.setIcon(icon(name))
        return made

    def text(self, action_id: str) -> str:
        """Its words now, without the dots of a dialog."""
        action = self.table[action_id]
        return action.say(self.desk) if action.say is not None else self.desk.document.gettext(action.text)

    def refresh_soon(self) -> None:
        """Bring texts and states up to date once, after everything that happens now."""
        self._soon.start()

    def refresh(self) -> None:
        """Texts, states and ticks of this moment."""
        self._soon.stop()
        gettext = self.desk.document.gettext
        for key, action in self.table.items():
            made = self._made[key]
            made.setEnabled(action.enabled(self.desk))
            if action.checked is not None:
                made.setChecked(action.checked(self.desk))
            text = self.text(key)
            tip = gettext(action.tip) if action.tip else text.rstrip("…")
            if (text, tip) == self._said.get(key):
                continue
            self._said[key] = (text, tip)
            made.setText(text)
            keys = made.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            made.setToolTip(f"{tip} ({keys})" if keys else tip)
            made.setStatusTip(tip)

    def _paint_icons(self) -> None:
        for key, action in self.table.items():
            if action.icon and not self._made[key].icon().isNull():
                self._made[key].setIcon(icon(action.icon))

    def draw(self) -> None:
        """Icons for all that has one: before a menu opens."""
        for key in self.table:
            self.get(key)

    def fill(self, menu: QMenu, entries: Iterable[str], drawn: bool = True) -> None:
        """Put actions into a menu; "-" is a line. Lines never stand first, last or twice.

        ``drawn``: with icons now; a menu that opens later gets them then.
        """
        line_wanted = False
        for entry in entries:
            if entry == "-":
                line_wanted = not menu.isEmpty()
                continue
            if line_wanted:
                menu.addSeparator()
                line_wanted = False
            menu.addAction(self.get(entry) if drawn else self._made[entry])

    def usable(self) -> list[Action]:
        """What the command palette offers now."""
        return [each for each in self.table.values() if each.palette and each.enabled(self.desk)]
