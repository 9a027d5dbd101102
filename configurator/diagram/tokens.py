"""Colours, sizes and spacing of every surface: Qt, pyqtgraph and the PDF read this one table. No Qt here.

Two modes, light and dark; the PDF is always light. A colour is "#rrggbb".
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from configurator.terms import Light

Mode = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """One mode. ``x_soft`` is the tint behind text of meaning x, ``x_ink`` the text on that tint."""

    mode: Mode
    background: str
    canvas: str
    """Behind hardware and graphs, a shade off the background."""
    panel: str
    raised: str
    """Fields, buttons and what floats."""
    line: str
    line_strong: str
    """Borders of controls, dashed outlines."""
    ink: str
    muted: str
    accent: str
    accent_hover: str
    accent_soft: str
    accent_ink: str
    on_accent: str
    good: str
    good_soft: str
    good_ink: str
    step: str
    step_soft: str
    step_ink: str
    stop: str
    stop_soft: str
    stop_ink: str
    unknown: str
    unknown_soft: str
    unknown_ink: str
    weights: str
    kv: str
    working: str
    free: str
    pcie: str
    sockets: str
    network: str
    internet: str
    nvlink: str
    card: str
    card_inner: str
    """Empty memory inside a card."""
    on_card: str
    on_card_muted: str
    group_a: str
    group_a_soft: str
    group_a_ink: str
    group_b: str
    group_b_soft: str
    group_b_ink: str
    group_c: str
    group_c_soft: str
    group_c_ink: str
    group_d: str
    group_d_soft: str
    group_d_ink: str
    shadow: str

    def meaning(self, light: Light) -> tuple[str, str, str]:
        """(mark, tint, text on the tint) of a traffic light."""
        return {
            "good": (self.good, self.good_soft, self.good_ink),
            "step": (self.step, self.step_soft, self.step_ink),
            "stop": (self.stop, self.stop_soft, self.stop_ink),
            "unknown": (self.unknown, self.unknown_soft, self.unknown_ink),
        }[light]

    def group(self, number: int) -> tuple[str, str, str]:
        """(outline, tint, text) of the n-th tensor group or copy; repeats after four."""
        return (
            (self.group_a, self.group_a_soft, self.group_a_ink),
            (self.group_b, self.group_b_soft, self.group_b_ink),
            (self.group_c, self.group_c_soft, self.group_c_ink),
            (self.group_d, self.group_d_soft, self.group_d_ink),
        )[number % 4]

    def link(self, kind: str) -> str:
        """Colour of a class of link: pcie, sockets, network, internet, nvlink, unknown."""
        return {
            "pcie": self.pcie,
            "sockets": self.sockets,
            "network": self.network,
            "nvlink": self.nvlink,
        }.get(kind, self.internet)


LIGHT = Tokens(
    mode="light",
    background="#f4f6f8",
    canvas="#fafbfc",
    panel="#ffffff",
    raised="#ffffff",
    line="#dde3ea",
    line_strong="#bcc7d2",
    ink="#1b2733",
    muted="#586878",
    accent="#1f6feb",
    accent_hover="#185fd0",
    accent_soft="#e8f0fe",
    accent_ink="#185fd0",
    on_accent="#ffffff",
    good="#1a7f4b",
    good_soft="#e3f5ea",
    good_ink="#177545",
    step="#b27600",
    step_soft="#fff3d6",
    step_ink="#8a5c00",
    stop="#b3261e",
    stop_soft="#fde8e6",
    stop_ink="#a8221b",
    unknown="#5f6f7f",
    unknown_soft="#e9eef3",
    unknown_ink="#4b5b6b",
    weights="#4456c7",
    kv="#0d9aa6",
    working="#d98e04",
    free="#dfe5eb",
    pcie="#2b7bba",
    sockets="#8a5fbf",
    network="#c2571a",
    internet="#8a97a5",
    nvlink="#2f8f5b",
    card="#263445",
    card_inner="#3d4b5c",
    on_card="#f2f6fa",
    on_card_muted="#b3c0cd",
    group_a="#a9c5f3",
    group_a_soft="#edf3fe",
    group_a_ink="#1b5cc4",
    group_b="#9fd9d0",
    group_b_soft="#e9f7f4",
    group_b_ink="#0b6b62",
    group_c="#d3bfec",
    group_c_soft="#f5effc",
    group_c_ink="#6b42a0",
    group_d="#e8cf9c",
    group_d_soft="#fdf6e6",
    group_d_ink="#805600",
    shadow="#1b2733",
)

DARK = Tokens(
    mode="dark",
    background="#12181f",
    canvas="#151c24",
    panel="#1a222b",
    raised="#212b36",
    line="#2c3742",
    line_strong="#4a5866",
    ink="#e6edf3",
    muted="#9dacbb",
    accent="#6ea8ff",
    accent_hover="#8dbbff",
    accent_soft="#1b2f4d",
    accent_ink="#8dbbff",
    on_accent="#0f1c2e",
    good="#66dd9b",
    good_soft="#16301f",
    good_ink="#74d99f",
    step="#e3b341",
    step_soft="#332a12",
    step_ink="#e9c05c",
    stop="#ff7168",
    stop_soft="#3a1a18",
    stop_ink="#ff9d94",
    unknown="#97a6b5",
    unknown_soft="#26313c",
    unknown_ink="#b4c1cd",
    weights="#7d8ff0",
    kv="#35bcc7",
    working="#f0ae3a",
    free="#33404d",
    pcie="#5aa5dd",
    sockets="#b08ae0",
    network="#e5834a",
    internet="#93a1b0",
    nvlink="#58b983",
    card="#33465b",
    card_inner="#4a5d72",
    on_card="#f2f6fa",
    on_card_muted="#c3ced9",
    group_a="#375a8d",
    group_a_soft="#1a2a42",
    group_a_ink="#8dbbff",
    group_b="#2c6b63",
    group_b_soft="#15302e",
    group_b_ink="#6fd1c4",
    group_c="#5c4580",
    group_c_soft="#2a2139",
    group_c_ink="#c5a6ee",
    group_d="#6d5726",
    group_d_soft="#2f2715",
    group_d_ink="#e9c05c",
    shadow="#000000",
)


def tokens(mode: Mode) -> Tokens:
    """The table of one mode."""
    return DARK if mode == "dark" else LIGHT


def colour_names() -> tuple[str, ...]:
    """Names of all colours of a table."""
    return tuple(field.name for field in fields(Tokens) if field.name != "mode")


GRID = 8
"""Everything stands on this grid, in logical pixels."""
RADIUS_CONTROL, RADIUS_CARD, RADIUS_BOX = 6, 8, 11
SIZE_SMALL, SIZE_NOTE, SIZE_TEXT, SIZE_TITLE, SIZE_FIGURE, SIZE_HEADLINE = 11, 12, 13, 15, 18, 24
"""Type sizes in logical pixels."""
WEIGHT_TEXT, WEIGHT_STRONG = 400, 600
MOTION_MS = 150
LEFT_DOCK, RIGHT_DOCK, DRAWER_BELOW = 248, 348, 1180
FAMILY, FIGURES_FAMILY, SYMBOLS_FAMILY = "Inter", "Configurator Figures", "DejaVu Sans"

TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    *((ink, ground) for ink in ("ink", "muted") for ground in ("background", "canvas", "panel", "raised")),
    ("ink", "accent_soft"),
    ("ink", "good_soft"),
    ("ink", "step_soft"),
    ("ink", "stop_soft"),
    ("ink", "unknown_soft"),
    ("muted", "good_soft"),
    ("muted", "step_soft"),
    ("muted", "stop_soft"),
    ("muted", "unknown_soft"),
    ("accent", "panel"),
    ("accent_ink", "accent_soft"),
    ("accent_ink", "panel"),
    ("accent_ink", "background"),
    ("accent_ink", "good_soft"),
    ("accent_ink", "step_soft"),
    ("accent_ink", "stop_soft"),
    ("accent_ink", "unknown_soft"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    *((f"{meaning}_ink", f"{meaning}_soft") for meaning in ("good", "step", "stop", "unknown")),
    *((f"{meaning}_ink", "panel") for meaning in ("good", "step", "stop", "unknown")),
    *((f"{meaning}_ink", "background") for meaning in ("good", "step", "stop", "unknown")),
    ("on_card", "card"),
    ("on_card_muted", "card"),
    *((f"group_{letter}_ink", f"group_{letter}_soft") for letter in "abcd"),
)
"""(text, ground) pairs in use at text sizes; each reaches 4.5 : 1."""

MARK_PAIRS: tuple[tuple[str, str], ...] = (
    *((mark, "panel") for mark in ("good", "step", "stop", "unknown", "accent")),
    *((f"{mark}", f"{mark}_soft") for mark in ("good", "step", "stop", "unknown")),
    *((mark, "canvas") for mark in ("pcie", "sockets", "network", "nvlink")),
    *((mark, "panel") for mark in ("weights", "kv")),
)
"""(mark, ground) pairs of shapes and lines; each reaches 3 : 1."""


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0-255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(front: str, back: str, share: float) -> str:
    """``front`` laid over ``back`` with an opacity, as one solid colour."""
    pairs = zip(rgb(front), rgb(back), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """Relative luminance. Source: WCAG 2.2, definition of relative luminance."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in rgb(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio, 1 to 21. Source: WCAG 2.2, definition of contrast ratio."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
