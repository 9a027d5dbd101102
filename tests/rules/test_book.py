"""The rule book is complete: every rule has its test."""

from __future__ import annotations

import re
from pathlib import Path

RULES = range(1, 78)


def test_every_rule_has_a_test_named_by_it() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py")))
    named = {int(number) for number in re.findall(r"def test_R(\d\d)_", text)}
    assert named == set(RULES)
