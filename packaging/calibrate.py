"""Fits the speed constants to the calibration rows of a data folder: python packaging/calibrate.py DATA_DIR.

Starts from operator measurements (matmul tables, bandwidth tests, launch times; sources below), moves each constant
only as far as the rows insist (a prior holds it), and writes resources/calibration/speed.json with the source of
every start value and the groups of rows behind every fitted one. Check rows are never read here.
Needs scipy, which the product does not.
"""

from __future__ import annotations

import copy
import json
import math
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from calibrate_start import Entry, Parameter, parameters, start_training, start_values, training_parameters
from reality_cases import all_cases
from reality_model import Answer, answer
from reality_rows import Case
from reality_training import TrainCase, predicted_tokens_per_s, training_cases
from scipy.optimize import least_squares

from configurator.catalogue import Catalogue, load_catalogue
from configurator.scaling.calibration import speed_table
from configurator.scaling.rates import gpu_class, path_of
from configurator.sizing.formats import component_bits

TARGET: Final = Path(__file__).resolve().parents[1] / "resources" / "calibration" / "speed.json"


def fit_training(cases: list[TrainCase], catalogue: Catalogue) -> Entry:
    """The same for training runs: one residual per run, the log of tokens per second."""
    base = start_training()
    names = training_parameters()
    start = np.array([math.log(_get(base, path)) for path, *_ in names])
    widths = np.array([width for _, width, *_ in names])
    sizes = Counter((case.group, case.plan.precision, case.plan.framework) for case in cases)

    def errors(logs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        speed_table()["training"] = with_values(base, names, logs)
        found = []
        for case in cases:
            size = sizes[(case.group, case.plan.precision, case.plan.framework)]
            weight = math.sqrt(min(size, 6) / size)
            found.append(weight * math.log(predicted_tokens_per_s(case, catalogue) / case.tokens_per_s))
        values = np.array(found)
        soft = 0.08
        values = np.sign(values) * soft * np.sqrt(2 * (np.sqrt(1 + (values / soft) ** 2) - 1))
        return np.concatenate([values, (logs - start) / widths * 0.15])

    best = least_squares(errors, start, method="trf", diff_step=1e-3, max_nfev=25)
    table = with_values(base, names, best.x)
    speed_table()["training"] = table
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        groups[gpu_class(case.gpu)][case.group] += 1
    for kind, entry in table["classes"].items():
        entry["fitted_on"] = sorted(f"{name} ({count})" for name, count in groups.get(kind, Counter()).items())
    return table


def training_spread(cases: list[TrainCase], catalogue: Catalogue) -> float:
    """The same as spread_of for training runs."""
    halves: tuple[list[TrainCase], list[TrainCase]] = ([], [])
    for case in cases:
        halves[zlib.crc32(f"spread|{case.group}".encode()) % 2].append(case)
    found: dict[str, list[float]] = defaultdict(list)
    for seen, unseen in (halves, halves[::-1]):
        fit_training(seen, catalogue)
        for case in unseen:
            error = abs(math.log(predicted_tokens_per_s(case, catalogue) / case.tokens_per_s))
            found[f"{case.group} {case.plan.precision}"].append(error)
    return round(grouped_quantile(found.values(), HELD), 3)


def _get(table: Entry, path: str) -> float:
    node: Any = table
    for part in path.split("/"):
        node = node[part]
    return float(node)


def _put(table: Entry, path: str, value: float) -> None:
    *parts, last = path.split("/")
    node: Any = table
    for part in parts:
        node = node[part]
    node[last] = value


def with_values(base: Entry, names: list[Parameter], logs: Iterable[float]) -> Entry:
    """The table with the parameters set."""
    table = copy.deepcopy(base)
    for (path, _, low, high), log in zip(names, logs, strict=True):
        value = math.exp(log)
        if low is not None:
            value = max(low, value)
        if high is not None:
            value = min(high, value)
        _put(table, path, value)
    return table


def queued(case: Case) -> bool:
    """A run whose first token waited for room: its time to first token is a queue, not a speed."""
    return bool(case.ttft_s and case.tpot_s and case.ttft_s > 0.3 * case.tpot_s * case.output_tokens)


HARNESS_QUEUE: Final = ("llama-3.1-8b", "tensorrt-llm")
"""Runs whose first token always waited for one request in front, whatever the load: no time to first token here."""


def residuals(case: Case, found: Answer) -> list[tuple[float, float]]:
    """(weight, log of predicted over measured) of one case."""
    rows: list[tuple[float, float]] = []
    if case.tpot_s and found.tpot_s and not (queued(case) and case.output_rate):
        rows.append((1.0, math.log(found.tpot_s / case.tpot_s)))
    steady = not queued(case) and not found.saturated and (case.model.id, case.engine) != HARNESS_QUEUE
    if case.ttft_s and found.ttft_s and steady:
        rows.append((0.35, max(-1.5, min(1.5, math.log(found.ttft_s / case.ttft_s)))))
    if case.output_rate and found.output_rate:
        rows.append((0.4 if case.burst else 1.2, math.log(found.output_rate / case.output_rate)))
    if case.prefill_rate and found.prefill_rate:
        rows.append((0.3, math.log(found.prefill_rate / case.prefill_rate)))
    return rows


MOST_ROWS: Final = 60
"""Rows of one group that take part in a fit; of more, evenly spaced ones."""


def _thinned(cases: list[Case]) -> list[Case]:
    groups: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in cases:
        groups[(case.group, case.engine, case.weights.id)].append(case)
    kept: list[Case] = []
    for members in groups.values():
        step = max(1.0, len(members) / MOST_ROWS)
        kept += [members[int(index * step)] for index in range(min(len(members), MOST_ROWS))]
    return kept


def fit(every: list[Case], catalogue: Catalogue, rounds: int = 12) -> Entry:
    """Least squares in log space, soft in the tails, every group of rows with about the same say."""
    cases = _thinned(every)
    base = start_values()
    names = parameters()
    start = np.array([math.log(_get(base, path)) for path, *_ in names])
    widths = np.array([width for _, width, *_ in names])
    sizes = Counter((case.group, case.engine, case.weights.id) for case in cases)

    def errors(logs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        table = with_values(base, names, logs)
        found: list[float] = []
        for case in cases:
            size = sizes[(case.group, case.engine, case.weights.id)]
            weight = math.sqrt(min(size, 40) / size)
            given = answer(case, catalogue, table)
            found += [weight * share * each for share, each in residuals(case, given)]
        values = np.array(found)
        soft = 0.08
        values = np.sign(values) * soft * np.sqrt(2 * (np.sqrt(1 + (values / soft) ** 2) - 1))
        return np.concatenate([values, (logs - start) / widths * 0.25])

    best = least_squares(errors, start, method="trf", diff_step=1e-3, max_nfev=rounds)
    return with_values(base, names, best.x)


def _used(cases: list[Case]) -> dict[tuple[str, str], Counter[str]]:
    """Groups of rows behind each class and path."""
    used: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case in cases:
        kind = gpu_class(case.gpu)
        widths = {bits for bits in component_bits(case.model, case.weights).values() if bits}
        for path in {path_of(bits, case.weights, case.gpu) for bits in widths}:
            used[(kind, path)][case.group] += 1
    return used


Errors = dict[str, dict[tuple[str, ...], list[float]]]


def errors_of(table: Entry, cases: list[Case], catalogue: Catalogue) -> Errors:
    """Absolute log errors by kind of model and quantity, and by group of rows."""
    found: Errors = defaultdict(lambda: defaultdict(list))
    for case in cases:
        given = answer(case, catalogue, table)
        kind = "dense" if case.dense else "experts"
        group = (case.group, case.engine, case.weights.id)
        if case.tpot_s and given.tpot_s and not queued(case):
            error = abs(math.log(given.tpot_s / case.tpot_s))
            found[f"{kind}.time_per_output_token"][group].append(error)
        if case.ttft_s and given.ttft_s and not queued(case) and (case.model.id, case.engine) != HARNESS_QUEUE:
            error = abs(math.log(given.ttft_s / case.ttft_s))
            found[f"{kind}.time_to_first_token"][group].append(error)
        if case.output_rate and given.output_rate and case.burst is None:
            error = abs(math.log(given.output_rate / case.output_rate))
            found[f"{kind}.output_rate"][group].append(error)
    return found


def spread_of(cases: list[Case], catalogue: Catalogue) -> Entry:
    """Half-width in log space that holds three quarters of what an unseen group of rows shows; the plan's own unknowns
    widen the range further.

    Two halves of the calibration groups predict each other: a card or model the fit has not seen errs more than one
    it has. Every group has about the same say, however many rows it has.
    """
    halves: tuple[list[Case], list[Case]] = ([], [])
    for case in cases:
        halves[zlib.crc32(f"spread|{case.group}".encode()) % 2].append(case)
    together: Errors = defaultdict(dict)
    for seen, unseen in (halves, halves[::-1]):
        for name, groups in errors_of(fit(seen, catalogue, 8), unseen, catalogue).items():
            together[name].update(groups)
    return {name: round(grouped_quantile(groups.values(), HELD), 3) for name, groups in sorted(together.items())}


HELD: Final = 0.75
"""Share of unseen runs the range of one quantity should hold."""


def grouped_quantile(groups: Iterable[list[float]], share: float) -> float:
    """Weighted quantile where a group of n rows weighs as much as min(n, 6) rows."""
    pairs = sorted((value, min(len(group), 6) / len(group)) for group in groups for value in group)
    wanted = share * sum(weight for _, weight in pairs)
    reached = 0.0
    for value, weight in pairs:
        reached += weight
        if reached >= wanted:
            return value
    return pairs[-1][0]


def main(arguments: list[str]) -> int:
    """Fit and write."""
    if len(arguments) != 1:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    folder = Path(arguments[0])
    catalogue = load_catalogue()
    everything, _ = all_cases(folder, catalogue)
    cases = [case for case in everything if case.split == "calibration" and not case.flags]
    runs = [case for case in training_cases(folder, catalogue, {}) if case.split == "calibration"]
    table = fit(cases, catalogue)
    used = _used(cases)
    for kind, entry in table["classes"].items():
        for path, figures in entry["paths"].items():
            groups = used.get((kind, path))
            figures["fitted_on"] = sorted(f"{name} ({count})" for name, count in groups.items()) if groups else []
    table = _rounded(table)
    engines: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        engines[case.engine].add(gpu_class(case.gpu))
    written = {
        "note": "Speed constants. overhead_us: one kernel outside graphs; mbu, mfu: share of data-sheet bandwidth and "
        "of the dense peak of that precision; fitted_on: groups of calibration rows (GPU, model shape, number of "
        "rows), empty: start value from its source. Written by packaging/calibrate.py.",
        "calibrated_engines": {name: sorted(kinds) for name, kinds in sorted(engines.items())},
        "host_memory_bytes_per_s": 5.5e10,
        "host_memory_source": "Llama 70B 4-bit half in host memory of a Ryzen 9 7900X: 3.1 tokens/s "
        "(geerlingguy/ai-benchmarks)",
        "spread": spread_of(cases, catalogue),
        **table,
        "training": {"spread": training_spread(runs, catalogue), **_rounded(fit_training(runs, catalogue))},
    }
    TARGET.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(cases)} rows, written to {TARGET}\n")
    return 0


def _rounded(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _rounded(value) for key, value in node.items()}
    if isinstance(node, float):
        return float(f"{node:.4g}")
    return node


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
