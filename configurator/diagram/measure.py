"""How wide a text stands, without a window: advance widths of Inter, in hundredths of its size."""

from __future__ import annotations

from functools import lru_cache

_REGULAR = {
    18: "\u202f", 24: "ijlíĺ", 26: "IÍ", 28: " !,.:·\u00a0", 30: "';", 32: "`t", 34: "|ľ", 36: "()/[\\]", 38: "frŕť",
    40: "1", 42: "{}", 44: "г²³", 46: '"-_т°', 48: "^", 50: "*з–", 52: "?sš", 54: "kxкх", 56: "7LavyzĹĽáäýžавуья",
    58: "JcečéГелнпсчэёµ", 60: "25EFhnouÉňóôúЕбийоцЁ", 62: "3689ZbdgpqŽЗУдр", 64: "#$&04PRSTŔŠŤБРТЬЯъ",
    66: "+<=>B~В×≥≤€", 68: "AKVXYÁÄÝАКХф", 70: "ďЧ", 72: "DĎЦ", 74: "CGHUČÚЛНПСЭы", 76: "NOQŇÓÔИЙО", 78: "м",
    82: "wДФЪжш", 84: "щю", 86: "…", 88: "mЫ✓", 90: "MМ", 96: "@ЖШ→←", 98: "%WЩ", 100: "—", 102: "Ю",
}  # fmt: skip
_STRONG = {
    16: "\u202f", 26: " ijlíĺ\u00a0", 28: "IÍ", 32: "!',.:;·", 36: "`t|", 38: "()/[\\]fľ", 40: "rŕ", 42: "1ť", 44: "г",
    46: "-_{}°²³", 48: "^", 50: "т–", 52: '"з', 54: "*?sš", 56: "LkxzĹĽžкхя", 58: "7FJacvyáäčýГавсуьэ",
    60: "EeoÉéóôЕбелопчЁё", 62: "25bdghnpquňúийнрµ", 64: "#3689PБЗРдц", 66: "$&04BRSTZŔŠŤŽВТЬЯъ", 68: "+<=>~У×≥≤€",
    70: "KКЧ", 72: "ADVXYÁÄĎÝАХ", 74: "CGHUČÚďЛНПСЭф", 76: "NOŇÓÔИЙОЦ", 78: "Qы", 80: "м", 82: "Ъ", 84: "wФжш",
    86: "Дю", 88: "щ✓", 90: "mЫ", 92: "MМ", 96: "…→←", 98: "Ш", 100: "%@Щ—", 102: "W", 104: "ЖЮ",
}  # fmt: skip

_WIDTHS = {
    False: {letter: width / 100 for width, letters in _REGULAR.items() for letter in letters},
    True: {letter: width / 100 for width, letters in _STRONG.items() for letter in letters},
}


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, strong: bool = False) -> float:
    """Width of one line in logical units; letters outside the table count as wide ones."""
    table = _WIDTHS[strong]
    return size * sum(table.get(letter, 0.8) for letter in text)


def fitted(text: str, width: float, size: float, strong: bool = False) -> str:
    """The text, or as much of it as stands in ``width`` with "…" at its end; "" when not even that fits."""
    if text_width(text, size, strong) <= width:
        return text
    kept = text
    while kept and text_width(kept.rstrip() + "…", size, strong) > width:
        kept = kept[:-1]
    return kept.rstrip() + "…" if kept.strip() else ""


def wrapped(text: str, width: float, size: float, strong: bool = False) -> tuple[str, ...]:
    """Lines no wider than ``width``, broken at spaces; a longer word stands alone."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and text_width(f"{lines[-1]} {word}", size, strong) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return tuple(lines)
