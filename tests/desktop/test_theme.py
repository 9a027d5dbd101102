from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from configurator.desktop import icons, theme
from configurator.desktop.style import sheet
from configurator.diagram.tokens import DARK, LIGHT


@pytest.fixture(autouse=True)
def light_again(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light", reduced_motion=False)


def test_apply_switches_palette_and_tokens(qapp: QApplication) -> None:
    assert theme.apply(qapp, "dark") is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.background
    assert theme.theme().dark
    assert theme.apply(qapp, "light") is LIGHT
    assert qapp.palette().color(QPalette.ColorRole.WindowText).name() == LIGHT.ink
    assert qapp.property("planner_style") == "Fusion"


def test_disabled_text_is_fainter(qapp: QApplication) -> None:
    made = theme.palette(LIGHT)
    disabled = made.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert disabled != made.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text)


def test_system_mode_is_one_of_the_two(qapp: QApplication) -> None:
    assert theme.system_mode() in {"light", "dark"}


def test_reduced_motion_takes_all_motion_away(qapp: QApplication) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    assert theme.theme().motion_ms == 0
    theme.apply(qapp, "light", reduced_motion=False)
    assert 120 <= theme.theme().motion_ms <= 180


def test_change_is_announced(qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.theme().changed, timeout=1000):
        theme.apply(qapp, "dark")


def test_fonts_are_the_shipped_ones(qapp: QApplication) -> None:
    theme.load_fonts()
    assert theme.font(13).families()[0] == "Inter"
    assert theme.font(13, figures=True).families()[0] == "Configurator Figures"
    assert theme.font(18, strong=True).pixelSize() == 18


def test_style_sheet_has_no_holes() -> None:
    for look in (LIGHT, DARK):
        text = sheet(look)
        assert "$" not in text
        assert text.count("{") == text.count("}")


@pytest.mark.parametrize("name", icons.names())
def test_icon_draws_something_in_the_tint(qapp: QApplication, name: str) -> None:
    theme.apply(qapp, "light")
    image = icons.pixmap(name, 32).toImage()
    seen = {image.pixelColor(x, y).name() for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 200}
    assert LIGHT.ink in seen


def test_icon_follows_the_theme(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light")
    button = QPushButton()
    qtbot.addWidget(button)
    icons.bind(button, "add")

    def middle() -> str:
        image = button.icon().pixmap(32, 32).toImage()
        return image.pixelColor(image.width() // 2, image.height() // 2).name()

    assert middle() == LIGHT.ink
    theme.apply(qapp, "dark")
    assert middle() == DARK.ink


def test_the_buttons_of_the_file_dialog_show_their_icons(qapp: QApplication, qtbot: QtBot) -> None:
    theme.apply(qapp, "light", reduced_motion=True)
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    dialog.show()
    button = dialog.findChild(QToolButton, "newFolderButton")
    assert isinstance(button, QToolButton)
    picture = button.grab().toImage()
    ground = picture.pixelColor(5, 5)
    inner = [(x, y) for x in range(5, picture.width() - 5) for y in range(5, picture.height() - 5)]
    drawn = sum(picture.pixelColor(x, y) != ground for x, y in inner)
    assert drawn > 60, "with the padding of a wide button only a dot is left"
