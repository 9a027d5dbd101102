"""The style sheet: cards, badges, fields, buttons and tabs out of the tokens. Roles are dynamic properties.

``widget.setProperty("role", "card")`` and so on; see the selectors. Everything else is Fusion with our palette.
"""

from __future__ import annotations

from string import Template

from configurator.diagram.tokens import RADIUS_CARD, RADIUS_CONTROL, Tokens, colour_names
from configurator.paths import resource

_SHEET = Template("""
QWidget { color: $ink; }
QMainWindow, QDialog { background: $background; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: $accent; }
QToolTip { background: $raised; color: $ink; border: 1px solid $line_strong; padding: 6px 8px; }
QStatusBar { background: $panel; border-top: 1px solid $line; }
QStatusBar::item { border: 0; }
QMenuBar { background: $panel; border-bottom: 1px solid $line; padding: 2px 4px; }
QMenuBar::item { padding: 5px 9px; border-radius: 4px; background: transparent; color: $ink; }
QMenuBar::item:selected { background: $accent_soft; color: $accent_ink; }
QMenu { background: $raised; border: 1px solid $line_strong; padding: 5px; }
QMenu::item { padding: 6px 26px 6px 26px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $accent_ink; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: 5px 6px; }
QMenu::icon { padding-left: 8px; }
QToolBar { background: $panel; border: 0; border-bottom: 1px solid $line; spacing: 4px; padding: 6px 10px; }
QToolBar::separator { background: $line; width: 1px; margin: 4px 6px; }
QDockWidget { color: $muted; }
QDockWidget::title { background: $panel; padding: 6px 12px; }

QPushButton, QToolButton { background: $raised; color: $ink; border: 1px solid $line_strong; border-radius:
  ${control}px;
  padding: 5px 12px; min-height: 18px; }
QPushButton:hover, QToolButton:hover { border-color: $accent; }
QPushButton:pressed, QToolButton:pressed { background: $accent_soft; }
QPushButton:focus, QToolButton:focus { border: 2px solid $accent; padding: 4px 11px; }
QPushButton:disabled, QToolButton:disabled { color: $faded; border-color: $line; background: $background; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: $accent_hover; border-color: $accent_hover; }
QPushButton[role="primary"]:focus { border: 2px solid $ink; }
QPushButton[role="primary"]:disabled { background: $line; border-color: $line; color: $muted; }
QPushButton[role="quiet"], QToolButton[role="quiet"] { background: transparent; border: 1px solid transparent;
  padding: 4px 8px; }
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover { background: $accent_soft; color: $accent_ink; }
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus { border: 1px solid $accent; }
QPushButton[role="quiet"]:checked, QToolButton[role="quiet"]:checked { background: $accent_soft; color: $accent_ink; }
QPushButton[role="link"], QToolButton[role="link"] { background: transparent; border: 1px solid transparent; color:
  $accent_ink;
  padding: 1px 3px; min-height: 0; text-align: left; }
QPushButton[role="link"]:hover, QToolButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus, QToolButton[role="link"]:focus { border: 1px solid $accent; }
QPushButton[role="answer"] { background: transparent; border: 1px solid transparent; border-radius: 4px;
  color: $accent_ink; font-size: 12px; padding: 0 4px; min-height: 15px; }
QPushButton[role="answer"]:hover { text-decoration: underline; }
QPushButton[role="answer"]:focus { border: 1px solid $accent; padding: 0 4px; }
QPushButton[role="field"] { text-align: left; padding: 4px 8px; font-weight: 600; }
QPushButton[role="field"]:focus { padding: 3px 7px; }
QPushButton[role="segment"] { background: $raised; border: 1px solid $line_strong; border-radius: 0; padding: 5px 5px;
  color: $muted; font-size: 12px; }
QPushButton[role="segment"]:checked { background: $accent_soft; color: $accent_ink; border-color: $accent;
  font-weight: 600; }
QPushButton[role="segment"]:focus { border: 2px solid $accent; padding: 4px 4px; }
QPushButton[end="left"] { border-top-left-radius: ${control}px; border-bottom-left-radius: ${control}px; }
QPushButton[end="right"] { border-top-right-radius: ${control}px; border-bottom-right-radius: ${control}px; }
QPushButton[end="top"] { border-top-left-radius: ${control}px; border-top-right-radius: ${control}px; }
QPushButton[end="bottom"] { border-bottom-left-radius: ${control}px; border-bottom-right-radius: ${control}px; }
QToolButton[role="field"] { text-align: left; padding: 4px 8px; }
QFileDialog QToolButton { padding: 3px; min-height: 16px; border-color: transparent; background: transparent; }
QFileDialog QToolButton:focus { padding: 2px; }
QFileDialog QToolButton:checked { background: $accent_soft; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolButton::menu-indicator { image: none; width: 0; }

QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox, QDoubleSpinBox { background: $raised; color: $ink;
  border: 1px solid $line_strong; border-radius: ${control}px; padding: 4px 8px; min-height: 18px;
  selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:hover, QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover, QPlainTextEdit:hover { border-color: $muted; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QPlainTextEdit:focus, QTextEdit:focus {
  border: 2px solid $accent; padding: 3px 7px; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { color: $faded; background:
  $background;
  border-color: $line; }
QLineEdit[wrong="true"] { border: 2px solid $stop; padding: 3px 7px; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url("$chevron"); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line_strong; outline: 0; padding: 4px;
  selection-background-color: $accent_soft; selection-color: $accent_ink; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button { width: 0;
  border: 0; }
QCheckBox, QRadioButton { spacing: 8px; color: $ink; background: transparent; padding: 2px; }
QCheckBox:focus, QRadioButton:focus { border: 1px solid $accent; border-radius: 4px; padding: 1px; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid $line_strong; border-radius: 4px; background:
  $raised; }
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$check"); }
QCheckBox::indicator:disabled { background: $background; border-color: $line; }

QTabWidget::pane { border: 0; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $muted; padding: 6px 12px; margin: 6px 2px; border-radius: ${control}px;
  border: 1px solid transparent; }
QTabBar::tab:hover { color: $ink; }
QTabBar::tab:selected { background: $accent_soft; color: $accent_ink; }
QTabBar::tab:focus { border: 1px solid $accent; }

QScrollArea, QScrollArea > QWidget > QWidget[role="page"] { background: $panel; border: 0; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line_strong; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QListView, QTreeView, QTableView { background: $panel; alternate-background-color: $background; border: 1px solid $line;
  border-radius: ${control}px; outline: 0; gridline-color: $line; }
QListView::item, QTreeView::item { padding: 5px 8px; border-radius: 4px; }
QListView::item:hover, QTreeView::item:hover, QTableView::item:hover { background: $accent_soft; color: $ink; }
QListView::item:selected, QTreeView::item:selected, QTableView::item:selected { background: $accent_soft; color:
  $accent_ink; }
QTableView[role="plain"] { background: transparent; border: 0; }
QTableView::item { padding: 0 8px; border: 0; }
QHeaderView { background: $panel; }
QHeaderView::section { background: $panel; color: $muted; border: 0; border-bottom: 1px solid $line; padding: 6px 8px;
  font-weight: 600; }
QTableView QTableCornerButton::section { background: $panel; border: 0; }
QTableView[role="plain"] QHeaderView, QTableView[role="plain"] QHeaderView::section { background: $raised; }
QProgressBar { background: $free; border: 0; border-radius: 4px; min-height: 8px; max-height: 8px; }
QProgressBar::chunk { background: $accent; border-radius: 4px; }
QSlider::groove:horizontal { height: 4px; background: $line_strong; border-radius: 2px; }
QSlider::handle:horizontal { background: $accent; width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; }
QSplitter::handle { background: $line; }

QFrame[role="panel"], QWidget[role="panel"] { background: $panel; border: 0; }
QFrame[role="page"], QWidget[role="page"] { background: $panel; }
QFrame[role="canvas"], QWidget[role="canvas"] { background: $canvas; }
QFrame[role="bar"] { background: $panel; border: 0; border-top: 1px solid $line; }
QFrame[role="card"] { background: $raised; border: 1px solid $line; border-radius: ${card_radius}px; }
QFrame[role="card"][clickable="true"]:hover { border-color: $accent; }
QFrame[role="card"][clickable="true"]:focus { border: 2px solid $accent; }
QFrame[role="popup"] { background: $raised; border: 1px solid $line_strong; border-radius: ${card_radius}px; }
QToolButton[role="fold"] { background: transparent; border: 1px solid transparent; border-radius: 4px; color: $muted;
  font-size: 11px; font-weight: 600; padding: 2px 4px 2px 0; margin-left: -3px; text-align: left; }
QToolButton[role="fold"]:hover { color: $ink; }
QToolButton[role="fold"]:focus { border: 1px solid $accent; }
QToolButton[role="mark"] { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px;
  min-height: 16px; }
QToolButton[role="mark"]:hover { background: $accent_soft; }
QToolButton[role="mark"]:focus { border: 1px solid $accent; padding: 1px; }
QFrame[role="rule"] { background: $line; border: 0; max-height: 1px; min-height: 1px; }
$meanings
QLabel { background: transparent; }
QLabel[role="section"] { color: $muted; font-size: 11px; font-weight: 600; }
QLabel[role="headline"] { color: $ink; font-size: 18px; font-weight: 600; }
QLabel[role="headline-large"] { color: $ink; font-size: 24px; font-weight: 600; }
QLabel[role="title"] { color: $ink; font-size: 15px; font-weight: 600; }
QLabel[role="strong"] { color: $ink; font-weight: 600; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="note"] { color: $muted; font-size: 12px; }
QLabel[role="note"][meaning="stop"] { color: $stop_ink; }
QLabel[role="said"] { color: $ink; font-size: 12px; }
QLabel[role="small"] { color: $muted; font-size: 11px; }
QLabel[role="figure"] { color: $ink; font-size: 18px; font-weight: 600; }
QLabel[role="mono"] { color: $ink; font-family: "DejaVu Sans Mono", monospace; font-size: 12px; }
QLabel:disabled { color: $faded; }
""")

_MEANING = Template("""
QFrame[role="callout"][meaning="$name"] { background: $soft; border: 0; border-left: 3px solid $mark;
  border-top-right-radius: ${control}px; border-bottom-right-radius: ${control}px; }
QFrame[role="verdict"][meaning="$name"] { background: $soft; border: 0; border-radius: ${card_radius}px; }
QLabel[role="light"][meaning="$name"] { color: $ink; font-size: 12px; font-weight: 600; }
QLabel[role="badge"][meaning="$name"] { color: $ink; background: $soft; border-radius: 9px; font-size: 11px;
  font-weight: 600; padding: 1px 6px; }
""")


def sheet(look: Tokens) -> str:
    """The style sheet of one mode."""
    meanings = "".join(
        _MEANING.substitute(name=name, mark=mark, soft=soft, ink=ink, control=RADIUS_CONTROL, card_radius=RADIUS_CARD)
        for name, (mark, soft, ink) in {
            **{light: look.meaning(light) for light in ("good", "step", "stop", "unknown")},
            "accent": (look.accent, look.accent_soft, look.accent_ink),
        }.items()
    )
    values = {name: getattr(look, name) for name in colour_names()}
    return _SHEET.substitute(
        **values,
        control=RADIUS_CONTROL,
        card_radius=RADIUS_CARD,
        faded=look.line_strong if look.mode == "light" else look.muted,
        meanings=meanings,
        chevron=resource("icons", f"style-chevron-{look.mode}.svg").as_posix(),
        check=resource("icons", f"style-check-{look.mode}.svg").as_posix(),
    )
