import math
from itertools import combinations

import pytest

from configurator.diagram import tokens as table
from configurator.diagram.tokens import DARK, LIGHT, MARK_PAIRS, TEXT_PAIRS, Tokens, contrast, rgb

BOTH = pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])

# Full dichromacy in linear RGB. Source: Machado, Oliveira, Fernandes 2009, severity 1.0.
PROTAN = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTAN = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
BLINDNESS = pytest.mark.parametrize("matrix", [PROTAN, DEUTAN], ids=["protan", "deutan"])


def linear(colour: str) -> tuple[float, ...]:
    parts = (value / 255 for value in rgb(colour))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def lab(light: tuple[float, ...]) -> tuple[float, float, float]:
    red, green, blue = light
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (max(x, 0), max(y, 0), max(z, 0)))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str, matrix: tuple[tuple[float, ...], ...]) -> float:
    """CIE76 colour difference as a colour-blind eye sees it; 2.3 is just noticeable."""
    seen = []
    for colour in (one, other):
        light = linear(colour)
        seen.append(lab(tuple(sum(a * b for a, b in zip(row, light, strict=True)) for row in matrix)))
    return math.dist(*seen)


def test_known_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@BOTH
def test_text_contrast(look: Tokens) -> None:
    poor = {pair: contrast(getattr(look, pair[0]), getattr(look, pair[1])) for pair in TEXT_PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in poor.items() if ratio < 4.5} == {}


@BOTH
def test_marks_contrast(look: Tokens) -> None:
    poor = {pair: contrast(getattr(look, pair[0]), getattr(look, pair[1])) for pair in MARK_PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in poor.items() if ratio < 3} == {}


@BOTH
@BLINDNESS
def test_meanings_stay_apart_for_colour_blind_eyes(look: Tokens, matrix: tuple[tuple[float, ...], ...]) -> None:
    pairs = combinations(("good", "step", "stop"), 2)
    close = {pair: apart(getattr(look, pair[0]), getattr(look, pair[1]), matrix) for pair in pairs}
    assert {pair: round(gap) for pair, gap in close.items() if gap < 15} == {}


@BOTH
@BLINDNESS
def test_memory_parts_stay_apart_for_colour_blind_eyes(look: Tokens, matrix: tuple[tuple[float, ...], ...]) -> None:
    pairs = combinations(("weights", "kv", "working", "free"), 2)
    close = {pair: apart(getattr(look, pair[0]), getattr(look, pair[1]), matrix) for pair in pairs}
    assert {pair: round(gap) for pair, gap in close.items() if gap < 20} == {}


def test_both_modes_name_every_colour() -> None:
    for look in (LIGHT, DARK):
        for name in table.colour_names():
            value = getattr(look, name)
            assert len(value) == 7 and value[0] == "#" and all(0 <= part <= 255 for part in rgb(value)), name


def test_mixing() -> None:
    assert table.mixed("#000000", "#ffffff", 0.5) == "#808080"
    assert table.mixed("#123456", "#ffffff", 1) == "#123456"


def test_lights_and_groups_are_covered() -> None:
    assert {LIGHT.meaning(light)[0] for light in ("good", "step", "stop", "unknown")} == {
        LIGHT.good,
        LIGHT.step,
        LIGHT.stop,
        LIGHT.unknown,
    }
    assert len({LIGHT.group(number) for number in range(4)}) == 4
    assert LIGHT.group(5) == LIGHT.group(1)
    assert LIGHT.link("internet") == LIGHT.link("unknown") == LIGHT.internet
