"""Memory answers against what engines printed when they started."""

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
    path = HERE.parents[1] / "packaging" / "reality_kv.py"
    spec = importlib.util.spec_from_file_location("reality_kv", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


CHECK = _loaded()
EMPTY = (
    "engine_version", "max_model_len", "max_num_seqs", "max_num_batched_tokens", "block_size", "weight_quant",
    "kv_dtype", "tp", "pp", "dp", "ep", "dcp", "gpu_mem_gib", "enforce_eager", "spec_decode", "gpu_memory_utilization",
    "mem_fraction_static", "kv_gib_per_gpu", "kv_tokens", "notes",
)  # fmt: skip
ROWS: list[dict[str, Any]] = [
    {**dict.fromkeys(EMPTY), **row} for row in json.loads((HERE / "kv.json").read_text(encoding="utf-8"))["rows"]
]
ASKED, LEFT = CHECK.ask_all(ROWS, CATALOGUE)
STRICT = [each for each in ASKED if each.row["strict"]]


def errors(asked: list[Any]) -> list[float]:
    return sorted(abs(each.error) for each in asked if each.error is not None and each.row["result"] == "ok")


def percentile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))]


def test_every_row_can_be_asked() -> None:
    assert LEFT == []
    assert len(STRICT) >= 22


def test_started_or_refused() -> None:
    """Every row but one, which contradicts its own ledger."""
    right = sum(each.right for each in ASKED)
    assert right >= 0.96 * len(ASKED)
    assert all("why" in each.row for each in ASKED if not each.right)
    consistent = [each for each in ASKED if each.row["id"] != "kv-llmdplan-002"]
    assert all(each.right for each in consistent)


def test_cache_memory_of_strict_rows() -> None:
    found = errors([each for each in STRICT if each.right])
    assert len(found) >= 15
    assert percentile(found, 0.5) <= 0.03
    assert percentile(found, 0.9) <= 0.10


@pytest.mark.parametrize("checks", [False, True])
def test_both_halves_hold(checks: bool) -> None:
    """Rows that shaped the model and rows that did not, split by a hash of the id."""
    half = [each for each in STRICT if each.checks is checks and each.right]
    assert percentile(errors(half), 0.5) <= 0.03
    assert percentile(errors(half), 0.9) <= 0.10


def test_larger_misses_are_explained() -> None:
    """One line beside every row that is more than 3 % off."""
    for each in ASKED:
        if each.error is not None and abs(each.error) > 0.05 and each.row["result"] == "ok":
            assert each.row.get("why"), each.row["id"]


def test_a_report_names_every_row() -> None:
    lines = CHECK.summary("strict", STRICT)
    assert "verdict right" in lines
    assert "median" in lines


def test_rows_without_a_model_are_left_out() -> None:
    asked, left = CHECK.ask_all([{**ROWS[0], "model": None}, {**ROWS[0], "gpu_model": "card of tomorrow"}], CATALOGUE)
    assert asked == []
    assert [name for name, _ in left] == [ROWS[0]["id"]] * 2
