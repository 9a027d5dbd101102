"""Eighty public questions: the verdict, and what has to be said, against what the program answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from tests.reality.cases.printed import printed
from tests.reality.cases.translate import project_of

FOLDER = Path(__file__).parent
CASES: list[dict[str, Any]] = json.loads((FOLDER / "public.json").read_text(encoding="utf-8"))["cases"]
MISSES: dict[str, dict[str, str]] = json.loads((FOLDER / "misses.json").read_text(encoding="utf-8"))
VERDICT_SHARE = 0.90
SAID_SHARE = 0.85


@dataclass(frozen=True)
class Outcome:
    verdict: str
    right: bool
    lacking: tuple[str, ...]
    forbidden: tuple[str, ...]


@cache
def outcome(case_id: str) -> Outcome:
    case = next(each for each in CASES if each["id"] == case_id)
    project, catalogue = project_of(case, load_catalogue())
    plan = project.plans[0]
    answer = assess(project, catalogue)
    text = printed(answer, plan, catalogue)
    expected = case["expected"]
    return Outcome(
        answer.verdict.code,
        answer.verdict.code in expected["verdicts"],
        tuple(pattern for pattern in expected["says"] if not re.search(pattern, text)),
        tuple(pattern for pattern in expected["never"] if re.search(pattern, text)),
    )


def test_nine_of_ten_verdicts_are_right() -> None:
    wrong = [case["id"] for case in CASES if not outcome(case["id"]).right]
    assert len(wrong) <= (1 - VERDICT_SHARE) * len(CASES) + 1e-9, wrong


def test_what_must_be_said_is_said() -> None:
    silent = [case["id"] for case in CASES if outcome(case["id"]).lacking or outcome(case["id"]).forbidden]
    assert len(silent) <= (1 - SAID_SHARE) * len(CASES) + 1e-9, silent


@pytest.mark.parametrize("case_id", [case["id"] for case in CASES])
def test_case(case_id: str) -> None:
    """Right, or a miss that is written down with its reason."""
    found = outcome(case_id)
    known = MISSES.get(case_id, {})
    if not found.right:
        assert "verdict" in known, f"{case_id}: {found.verdict}"
    if found.lacking or found.forbidden:
        assert "said" in known, f"{case_id}: lacks {found.lacking}, says {found.forbidden}"


def test_no_miss_is_written_down_for_nothing() -> None:
    for case_id, known in MISSES.items():
        found = outcome(case_id)
        assert ("verdict" in known) == (not found.right), case_id
        assert ("said" in known) == bool(found.lacking or found.forbidden), case_id


def test_every_case_names_its_source() -> None:
    for case in CASES:
        assert case["source"]["url"] or case["source"]["title"], case["id"]
