"""Collectives against published all-reduce measurements; systems in the check set never shaped the constants."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from configurator.catalogue import load_catalogue

HERE = Path(__file__).resolve().parent
CATALOGUE = load_catalogue()


def _loaded() -> ModuleType:
    path = HERE.parents[1] / "packaging" / "reality_interconnect.py"
    spec = importlib.util.spec_from_file_location("reality_interconnect", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CHECK = _loaded()


def rows() -> tuple[list[Any], int]:
    found = json.loads((HERE / "interconnect.json").read_text(encoding="utf-8"))["rows"]
    kept: list[Any]
    kept, left = CHECK.rows(found)
    return kept, left


def test_check_rows_are_within_20_percent_for_four_of_five() -> None:
    kept, _ = rows()
    check = [row for row in kept if not row.calibrates]
    score = CHECK.score(check, CATALOGUE)
    assert score.rows >= 90
    assert score.within_20 >= 0.80
    assert score.median_error <= 0.10


def test_systems_held_out_wholly_follow_their_generation() -> None:
    kept, _ = rows()
    for gpu in ("nvidia-h200-sxm-141gb", "nvidia-gb200", "nvidia-gb300"):
        held = [row for row in kept if row.gpu == gpu]
        assert held
        assert not any(row.calibrates for row in held)
        assert CHECK.score(held, CATALOGUE).within_20 >= 0.80


def test_no_system_is_in_both_sets_and_few_rows_cannot_be_asked() -> None:
    kept, left = rows()
    systems = {kind: {row.system for row in kept if row.calibrates is kind} for kind in (True, False)}
    assert not systems[True] & systems[False]
    assert left < 0.2 * (len(kept) + left)


@pytest.mark.parametrize(
    ("part", "least", "most"),
    [("L40S", 0.6, 1.0), ("RTX PRO 6000 Blackwell Server", 0.9, 1.0), ("p4de", 0.0, 0.5)],
)
def test_what_each_class_reaches_is_written_down(part: str, least: float, most: float) -> None:
    """EFA clusters are the class the model does not cover: tree all-reduce and slow small messages of their own."""
    kept, _ = rows()
    share = CHECK.score([row for row in kept if part in row.system], CATALOGUE).within_20
    assert least <= share <= most
