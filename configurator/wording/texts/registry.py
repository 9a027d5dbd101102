"""All texts by code."""

from __future__ import annotations

from collections.abc import Mapping

from configurator.wording.texts import verdicts
from configurator.wording.texts.text import Text

FAMILIES: Mapping[str, dict[str, Text]] = {
    "verdicts": verdicts.TEXTS,
}


def _merged() -> dict[str, Text]:
    texts: dict[str, Text] = {}
    for family, table in FAMILIES.items():
        twice = texts.keys() & table.keys()
        if twice:
            raise ValueError(f"{family}: text given twice for {', '.join(sorted(twice))}")
        texts.update(table)
    return texts


TEXTS: Mapping[str, Text] = _merged()
