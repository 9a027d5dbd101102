"""All texts by code."""

from __future__ import annotations

from collections.abc import Mapping

from configurator.wording.texts import (
    decisions,
    engines,
    findings_links,
    findings_load,
    findings_memory,
    findings_numbers,
    findings_service,
    findings_split,
    findings_together,
    findings_traffic,
    imports,
    neighbours,
    refusals,
    sizing,
    steps,
    verdicts,
    work,
)
from configurator.wording.texts.text import Text

FAMILIES: Mapping[str, dict[str, Text]] = {
    "verdicts": verdicts.TEXTS,
    "decisions": decisions.TEXTS,
    "steps": steps.TEXTS,
    "findings of memory": findings_memory.TEXTS,
    "findings of splits": findings_split.TEXTS,
    "findings of links": findings_links.TEXTS,
    "findings of traffic": findings_traffic.TEXTS,
    "findings of loads": findings_load.TEXTS,
    "findings of service": findings_service.TEXTS,
    "findings of arithmetic": findings_numbers.TEXTS,
    "findings of several models": findings_together.TEXTS,
    "engines": engines.TEXTS,
    "neighbours": neighbours.TEXTS,
    "work and pilot": work.TEXTS,
    "imports": imports.TEXTS,
    "refusals": refusals.TEXTS,
    "size command": sizing.TEXTS,
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
