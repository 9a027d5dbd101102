"""Speed against published runs: a fixed set of rows, copied with their sources into measured/.

measured/serving_datacentre.csv: silicon columns of aiconfigurator 0.12.0 (github.com/ai-dynamo/aiconfigurator,
Apache-2.0), InferenceX runs among them. throughput.json and training.json name the source of every row. Rows were
chosen by checksum: one or two of every GPU, model shape and engine. The bounds lie a little above the errors on the
day they were set, so that a change that makes the estimates worse is seen.
"""

from __future__ import annotations

import importlib
import statistics
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from configurator.catalogue import load_catalogue
from configurator.scaling.calibration import speed_table
from configurator.scaling.rates import gpu_class

HERE: Final = Path(__file__).resolve().parent
MEASURED: Final = HERE / "measured"
CATALOGUE = load_catalogue()


def _module(name: str) -> Any:
    folder = str(HERE.parents[1] / "packaging")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


REALITY = _module("reality")
ROWS = _module("reality_rows")
CASES = _module("reality_cases")
TRAINING = _module("reality_training")
PAIRS = _module("reality_pairs")


@cache
def asked() -> tuple[Any, ...]:
    cases, _ = CASES.all_cases(MEASURED, CATALOGUE)
    return tuple(REALITY.ask_all(cases, CATALOGUE))


def errors(quantity: Any, split: str, dense: bool | None = None, rigs: bool = False) -> list[float]:
    found = []
    for each in asked():
        case = each.case
        if case.split != split or dense not in {None, case.dense}:
            continue
        if rigs and not any(name in case.gpu.id for name in REALITY.PCIE_RIGS):
            continue
        both = quantity(each)
        if both is not None:
            found.append(both[1] / both[0] - 1.0)
    return found


def median(values: list[float]) -> float:
    return statistics.median(abs(each) for each in values)


def test_every_row_is_read_and_answered() -> None:
    cases, _ = CASES.all_cases(MEASURED, CATALOGUE)
    assert len(cases) == len(asked())
    assert len(cases) >= ROWS_KEPT
    assert len({case.gpu.id for case in cases}) >= 20


ROWS_KEPT: Final = 140


@pytest.mark.parametrize(
    ("quantity", "split", "dense", "bound"),
    [
        ("token_time", "calibration", True, 0.07),
        ("token_time", "calibration", False, 0.14),
        ("token_time", "check", True, 0.08),
        ("token_time", "check", False, 0.25),
        ("first_token", "calibration", None, 0.30),
        ("first_token", "check", None, 0.40),
    ],
)
def test_serving_times(quantity: str, split: str, dense: bool | None, bound: float) -> None:
    found = errors(getattr(REALITY, quantity), split, dense)
    assert len(found) >= 5
    assert median(found) <= bound


def test_output_rate_of_pcie_rigs() -> None:
    found = errors(REALITY.output_rate, "check", rigs=True)
    assert len(found) >= 10
    assert median(found) <= 0.18


def test_queueing_runs_are_called_saturated() -> None:
    waiting = [
        each
        for each in asked()
        if each.case.users and each.case.ttft_s and each.case.tpot_s and REALITY.queued(each.case)
    ]
    assert sum(each.found.saturated for each in waiting) >= 0.5 * len(waiting)


def test_training_rates() -> None:
    cases = list(TRAINING.training_cases(MEASURED, CATALOGUE, {}))
    assert len(cases) >= 20
    found = [TRAINING.predicted_tokens_per_s(case, CATALOGUE) / case.tokens_per_s - 1.0 for case in cases]
    assert median(found) <= 0.13


def test_most_runs_lie_inside_the_stated_range() -> None:
    scores = [
        REALITY.score([each for each in asked() if each.case.split == "check"], name, quantity)
        for _, name, quantity in REALITY.QUANTITIES
    ]
    assert sum(each.inside for each in scores) >= 0.7 * sum(each.rows for each in scores)


def test_no_constant_was_fitted_on_a_row_that_checks() -> None:
    """The split is by name alone, so the written groups can be held against it."""
    table = speed_table()
    fitted = [
        entry
        for kind in (*table["classes"].values(), *table["training"]["classes"].values())
        for entry in (*kind.get("fitted_on", ()), *(e for p in kind.get("paths", {}).values() for e in p["fitted_on"]))
    ]
    assert len(fitted) > 30
    for entry in fitted:
        gpu = entry.split("|")[0]
        assert gpu in CATALOGUE.gpus, entry
        serving = entry in {e for k in table["classes"].values() for p in k["paths"].values() for e in p["fitted_on"]}
        assert gpu not in (ROWS.CHECK_GPUS if serving else TRAINING.CHECK_GPUS), entry
        assert not serving or not any(f"|{family}" in entry for family in ROWS.CHECK_FAMILIES), entry


def test_every_class_names_its_source() -> None:
    table = speed_table()
    kinds = {gpu_class(gpu) for gpu in CATALOGUE.gpus.values()}
    assert kinds <= set(table["classes"])
    for name, kind in table["classes"].items():
        for path, figures in kind["paths"].items():
            assert figures["source"], (name, path)
            assert 0.0 < figures["mbu"] <= 1.0, (name, path)
            assert 0.0 < figures["mfu"] <= 1.05, (name, path)
