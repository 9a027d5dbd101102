"""Zoom, panels, theme, language, presentation, help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from configurator.desktop.actions import N_, Action
from configurator.desktop.languages import languages

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk

STEP = 1.2


def _at_work(desk: Desk) -> bool:
    return desk.window.at_work


def set_wheel(desk: Desk) -> None:
    """Wheel zooms or scrolls."""
    wheel = "scroll" if desk.settings.values.wheel == "zoom" else "zoom"
    desk.settings.put(wheel=wheel)
    desk.canvas.wheel_zooms = wheel == "zoom"


def set_motion(desk: Desk) -> None:
    """Animations on or off."""
    from configurator.desktop.theme import theme

    desk.settings.put(reduced_motion=not desk.settings.values.reduced_motion)
    theme().reduced_motion = desk.settings.values.reduced_motion


def set_theme(desk: Desk, mode: str) -> None:
    """Light, dark, or what the system says."""
    desk.settings.put(theme=mode)
    desk.window.apply_theme()


def set_language(desk: Desk, language: str) -> None:
    """Language of the screen."""
    desk.settings.put(language=language)
    desk.document.set_language(language)


def set_audience(desk: Desk, audience: str) -> None:
    """Everyday words, or the terms of the trade."""
    desk.settings.put(audience=audience)
    desk.document.set_audience(audience)


def show_shortcuts(desk: Desk) -> None:
    """All keys."""
    from configurator.desktop.help import ShortcutList

    ShortcutList(desk.main, desk.document, desk.window.actions_).open()


def show_terms(desk: Desk) -> None:
    """The words of the trade."""
    from configurator.desktop.help import TermList

    TermList(desk.main, desk.document).open()


def show_about(desk: Desk) -> None:
    """What this program is."""
    from configurator.desktop.help import About

    About(desk.main, desk.document).open()


def _tab(name: str) -> Callable[[Desk], None]:
    return lambda desk: desk.window.show_tab(name)


def _theme(mode: str, text: str, icon: str) -> Action:
    return Action(
        f"view.theme_{mode}", text, lambda desk: set_theme(desk, mode), icon=icon,
        checked=lambda desk: desk.settings.values.theme == mode,
    )  # fmt: skip


def _language(code: str, name: str) -> Action:
    # A language is called by its own name in every language.
    return Action(
        f"view.language_{code}", name, lambda desk: set_language(desk, code),
        enabled=lambda _desk: any(code == each for each, _name in languages()),
        checked=lambda desk: desk.document.wording.language == code,
    )  # fmt: skip


def _audience(code: str, text: str) -> Action:
    return Action(
        f"view.wording_{code}", text, lambda desk: set_audience(desk, code),
        checked=lambda desk: desk.document.wording.audience == code,
    )  # fmt: skip


ACTIONS = (
    Action(
        "view.zoom_in", N_("Zoom in"), lambda desk: desk.canvas.zoom_by(STEP), icon="zoom-in",
        shortcut=("Ctrl++", "Ctrl+="), enabled=_at_work,
    ),
    Action(
        "view.zoom_out", N_("Zoom out"), lambda desk: desk.canvas.zoom_by(1 / STEP), icon="zoom-out",
        shortcut=("Ctrl+-",), enabled=_at_work,
    ),
    Action(
        "view.actual", N_("Actual size"), lambda desk: desk.canvas.actual_size(), shortcut=("Ctrl+1",), enabled=_at_work
    ),
    Action(
        "view.fit", N_("Fit everything"), lambda desk: desk.canvas.fit(), icon="fit", shortcut=("Ctrl+0",),
        enabled=_at_work,
    ),
    Action(
        "view.hardware", N_("Show hardware"), _tab("hardware"), icon="server", shortcut=("Alt+1",), enabled=_at_work
    ),
    Action(
        "view.interconnect", N_("Show interconnect"), _tab("interconnect"), icon="network", shortcut=("Alt+2",),
        enabled=_at_work,
    ),
    Action("view.scaling", N_("Show scaling"), _tab("scaling"), icon="speed", shortcut=("Alt+3",), enabled=_at_work),
    Action("view.cost", N_("Show cost"), _tab("cost"), icon="money", shortcut=("Alt+4",), enabled=_at_work),
    Action(
        "view.outline", N_("Hardware as a list"), lambda desk: desk.window.toggle_list(), icon="tree",
        shortcut=("Ctrl+Shift+L",), enabled=_at_work, checked=lambda desk: desk.window.as_list,
    ),
    Action(
        "view.search", N_("Search the catalogue"), lambda desk: desk.window.search(), icon="search",
        shortcut=("Ctrl+F",), enabled=_at_work,
    ),
    Action(
        "view.canvas", N_("Go to the canvas"), lambda desk: desk.window.go_to_canvas(), shortcut=("F6",),
        enabled=_at_work,
    ),
    Action(
        "view.catalogue", N_("Catalogue"), lambda desk: desk.window.toggle_left(), icon="list", shortcut=("F7",),
        enabled=_at_work, checked=lambda desk: desk.window.left_open,
    ),
    Action(
        "view.answer", N_("Workload and answer"), lambda desk: desk.window.toggle_right(), shortcut=("F8",),
        enabled=_at_work, checked=lambda desk: desk.window.right_open,
    ),
    Action(
        "view.present", N_("Present"), lambda desk: desk.window.toggle_presentation(),
        N_("Large type, nothing to edit"), "present", ("F11",), _at_work,
        checked=lambda desk: desk.window.presenting,
    ),
    _theme("light", N_("Light"), "sun"),
    _theme("dark", N_("Dark"), "moon"),
    _theme("system", N_("As the system"), ""),
    _language("en", "English"),
    _language("sk", "Slovenčina"),
    _language("ru", "Русский"),
    _audience("owner", N_("Everyday words")),
    _audience("operator", N_("Terms of the trade")),
    Action(
        "view.wheel", N_("Mouse wheel zooms"), set_wheel, checked=lambda desk: desk.settings.values.wheel == "zoom"
    ),
    Action(
        "view.motion", N_("Reduce motion"), set_motion, checked=lambda desk: desk.settings.values.reduced_motion
    ),
    Action(
        "help.palette", N_("Find a command…"), lambda desk: desk.window.show_palette(), icon="search",
        shortcut=("Ctrl+K", "F3"), palette=False,
    ),
    Action(
        "help.shortcuts", N_("Shortcuts…"), show_shortcuts, icon="keyboard",
        shortcut=("Ctrl+F1",),
    ),
    Action(
        "help.terms", N_("What the words mean…"), show_terms, icon="help", shortcut=("F1",)
    ),
    Action("help.about", N_("About"), show_about, icon="info"),
)  # fmt: skip
