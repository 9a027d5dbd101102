"""How far the estimates are from published measurements: dev.py reality [DATA_DIR].

DATA_DIR, or the environment variable CONFIGURATOR_MEASUREMENTS, names a folder with throughput.json,
serving_datacentre.csv, training.json, interconnect.json and kv.json (fields as in the README beside them). Rows are
split by a fixed rule into calibration and check (reality_rows.py); nothing is fitted here.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from reality_cases import all_cases
from reality_model import Answer, answer
from reality_pairs import Pair, pairs_of, right
from reality_rows import Case
from reality_training import TrainCase, predicted_tokens_per_s, training_cases

from configurator.catalogue import Catalogue, load_catalogue
from configurator.scaling.calibration import covered, speed_table
from configurator.scaling.rates import gpu_class
from configurator.scaling.serving import UNCALIBRATED_FACTOR, UNCALIBRATED_LEAST

VARIABLE = "CONFIGURATOR_MEASUREMENTS"

PCIE_RIGS = ("rtx-3090", "rtx-4090", "rtx-5090", "l40s", "rtx-pro-6000")


@dataclass(frozen=True)
class Asked:
    """A case with its answer."""

    case: Case
    found: Answer


@dataclass(frozen=True)
class Score:
    """Relative errors of one quantity over some rows."""

    errors: tuple[float, ...]
    inside: int = 0
    """Rows within the stated range."""

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.errors)

    def line(self) -> str:
        """Mean, median, 90th percentile of the absolute error, and the median error with its sign."""
        size = sorted(abs(each) for each in self.errors)
        signed = sorted(self.errors)
        if not size:
            return "   0 rows"
        return (
            f"{len(size):4} rows  mean {sum(size) / len(size):6.1%}  median {_quantile(size, 0.5):6.1%}  "
            f"p90 {_quantile(size, 0.9):6.1%}  bias {_quantile(signed, 0.5):+6.1%}  "
            f"in range {self.inside / len(size):4.0%}"
        )


def _quantile(values: Sequence[float], share: float) -> float:
    place = share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def queued(case: Case) -> bool:
    """The first token waited for room: a queue, not a latency."""
    return bool(case.ttft_s and case.tpot_s and case.ttft_s > 0.3 * case.tpot_s * case.output_tokens)


Quantity = Callable[[Asked], tuple[float, float] | None]
"""Measured and predicted figure of a case, None when it does not have them."""


def token_time(asked: Asked) -> tuple[float, float] | None:
    """Time per output token."""
    case, found = asked.case, asked.found
    return (case.tpot_s, found.tpot_s) if case.tpot_s and found.tpot_s else None


def first_token(asked: Asked) -> tuple[float, float] | None:
    """Time to first token where neither side queues."""
    case, found = asked.case, asked.found
    if not case.ttft_s or not found.ttft_s or queued(case) or found.saturated:
        return None
    return case.ttft_s, found.ttft_s


def output_rate(asked: Asked) -> tuple[float, float] | None:
    """Output tokens per second of the whole deployment."""
    case, found = asked.case, asked.found
    return (case.output_rate, found.output_rate) if case.output_rate and found.output_rate else None


def prompt_rate(asked: Asked) -> tuple[float, float] | None:
    """Prompt tokens per second of a lone prompt."""
    case, found = asked.case, asked.found
    return (case.prefill_rate, found.prefill_rate) if case.prefill_rate and found.prefill_rate else None


QUANTITIES: tuple[tuple[str, str, Quantity], ...] = (
    ("time per output token", "time_per_output_token", token_time),
    ("time to first token, no queue", "time_to_first_token", first_token),
    ("output tokens/s", "output_rate", output_rate),
    ("prompt tokens/s", "time_to_first_token", prompt_rate),
)


def width_of(case: Case, quantity: str) -> float:
    """Half-width (log) of the range the product states for this case."""
    kind = "dense" if case.dense else "experts"
    width = float(speed_table()["spread"][f"{kind}.{quantity}"])
    if covered(case.gpu, case.model, case.weights, case.engine):
        return width
    return max(UNCALIBRATED_LEAST, width * UNCALIBRATED_FACTOR)


def score(rows: Iterable[Asked], name: str, quantity: Quantity) -> Score:
    """Errors of one quantity."""
    errors: list[float] = []
    inside = 0
    for asked in rows:
        both = quantity(asked)
        if both is None:
            continue
        measured, predicted = both
        errors.append(predicted / measured - 1.0)
        inside += abs(math.log(predicted / measured)) <= width_of(asked.case, name)
    return Score(tuple(errors), inside)


def ask_all(cases: Iterable[Case], catalogue: Catalogue) -> list[Asked]:
    """Every case with the model's answer."""
    table = speed_table()
    return [Asked(case, answer(case, catalogue, table)) for case in cases]


def serving_report(asked: Sequence[Asked]) -> list[str]:
    """Per class, then together, calibration and check apart."""
    lines: list[str] = []
    for title, name, quantity in QUANTITIES:
        lines += ["", f"== {title}"]
        groups: dict[tuple[str, ...], list[Asked]] = defaultdict(list)
        for each in asked:
            case = each.case
            layout = f"tp{case.tensor}" + (f" pp{case.pipeline}" if case.pipeline > 1 else "")
            layout += f" ep{case.experts}" if case.experts > 1 else ""
            layout += f" x{case.instances}" if case.instances > 1 else ""
            key = (case.split, gpu_class(case.gpu), case.gpu.id, case.engine, case.model.id, case.weights.id, layout)
            groups[key].append(each)
        for named in sorted(groups):
            one = score(groups[named], name, quantity)
            if one.rows:
                lines.append(f"{named[0]:11} {' '.join(named[1:]):88} {one.line()}")
        for split in ("calibration", "check"):
            for kind, dense in (("dense", True), ("mixture of experts", False)):
                rows = [each for each in asked if each.case.split == split and each.case.dense is dense]
                lines.append(f"ALL {split:11} {kind:20} {score(rows, name, quantity).line()}")
    return lines


def summary(asked: Sequence[Asked], training: Sequence[tuple[TrainCase, float]]) -> list[str]:
    """The check rows against the targets."""
    check = [each for each in asked if each.case.split == "check"]
    dense = [each for each in check if each.case.dense]
    experts = [each for each in check if not each.case.dense]
    lines = ["", "== check rows against the targets"]
    token = score(dense, "time_per_output_token", token_time)
    lines.append(_target("time per output token, dense: mean", _mean(token), 0.15))
    lines.append(_target("time per output token, dense: median", _median(token), 0.10))
    moe = score(experts, "time_per_output_token", token_time)
    lines.append(_target("time per output token, mixture of experts: median", _median(moe), 0.20))
    first = score(check, "time_to_first_token", first_token)
    lines.append(_target("time to first token below saturation: median", _median(first), 0.35))
    rigs = [each for each in check if any(name in each.case.gpu.id for name in PCIE_RIGS)]
    lines.append(
        _target("output tokens/s of PCIe rigs: median", _median(score(rigs, "output_rate", output_rate)), 0.20)
    )
    errors = [abs(rate / case.tokens_per_s - 1.0) for case, rate in training if case.split == "check"]
    if errors:
        lines.append(_target("training tokens/s: median", _quantile(sorted(errors), 0.5), 0.10))
    inside = rows = 0
    for _, name, quantity in QUANTITIES[:3]:
        one = score(check, name, quantity)
        inside, rows = inside + one.inside, rows + one.rows
    if rows:
        share = inside / rows
        lines.append(
            f"{'inside the stated range':58} {share:6.1%}  target 75-90 %  {'ok' if 0.75 <= share <= 0.90 else 'OUT'}"
        )
    truly = [each for each in check if queued(each.case) and each.case.ttft_s and each.case.users]
    told = sum(each.found.saturated for each in truly)
    calm = [each for each in check if not queued(each.case) and each.case.ttft_s and each.case.users]
    quiet = sum(not each.found.saturated for each in calm)
    lines.append(
        f"queueing runs called saturated {told} of {len(truly)}; calm runs not called so {quiet} of {len(calm)}"
    )
    return lines


def _mean(one: Score) -> float:
    return sum(abs(each) for each in one.errors) / max(1, one.rows)


def _median(one: Score) -> float:
    return _quantile(sorted(abs(each) for each in one.errors), 0.5) if one.errors else 0.0


def _target(what: str, value: float, most: float) -> str:
    return f"{what:58} {value:6.1%}  target {most:.0%}  {'ok' if value <= most else 'OUT'}"


def pair_report(asked: Sequence[Asked]) -> list[str]:
    """Where two layouts of the same model and load can be compared: the same winner as in reality?"""
    lines = ["", "== the same winner as in reality (differences under 5 % count as even and are left out)"]
    found = pairs_of([(each.case, each.found) for each in asked])
    for split in ("calibration", "check"):
        for question in ("one fast answer", "many answers on the same cards"):
            chosen = [each for each in found if each.split == split and each.question == question]
            if chosen:
                good = sum(right(each) for each in chosen)
                lines.append(f"{split:11} {question:32} {good} of {len(chosen)} ({good / len(chosen):.0%})")
        chosen = [each for each in found if each.split == split]
        wrong = [each for each in chosen if not right(each)]
        lines.extend(f"    wrong: {_pair_text(each)}" for each in wrong[:12])
    return lines


def _pair_text(pair: Pair) -> str:
    return (
        f"{pair.where}: {pair.first} against {pair.second}, "
        f"measured {pair.measured:.2f}, predicted {pair.predicted:.2f} (first over second)"
    )


def training_report(rows: Sequence[tuple[TrainCase, float]]) -> list[str]:
    """Per class and framework, then together."""
    lines = ["", "== training tokens/s"]
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    inside: dict[tuple[str, ...], int] = defaultdict(int)
    table = speed_table()["training"]
    for case, rate in rows:
        error = rate / case.tokens_per_s - 1.0
        plan = case.plan
        key = (case.split, gpu_class(case.gpu), case.group, plan.task, plan.precision, plan.framework)
        known = bool(table["classes"].get(gpu_class(case.gpu), {}).get("fitted_on"))
        width = table["spread"] if known else max(0.4, UNCALIBRATED_FACTOR * table["spread"])
        for each in (key, ("ALL", case.split)):
            groups[each].append(error)
            inside[each] += abs(math.log(1.0 + error)) <= width
    lines.extend(
        f"{' '.join(named):88} {Score(tuple(groups[named]), inside[named]).line()}" for named in sorted(groups)
    )
    return lines


def other_reports(folder: Path, catalogue: Catalogue) -> list[str]:
    """Memory and interconnect, by their own modules."""
    lines: list[str] = []
    for title, module, needs in (
        ("memory and KV capacity", "reality_kv", "kv.json"),
        ("interconnect", "reality_interconnect", "interconnect.json"),
    ):
        if (folder / needs).exists() and importlib.util.find_spec(module) is not None:
            report = importlib.import_module(module).report
            lines += ["", f"== {title}", *report(folder, catalogue)]
    return lines


def main(arguments: Sequence[str]) -> int:
    """Print everything. 2: no folder named; 0 otherwise."""
    text = arguments[0] if arguments else os.environ.get(VARIABLE, "")
    if not text or not Path(text).is_dir():
        sys.stderr.write(f"Name a folder with measurements: dev.py reality DATA_DIR, or set {VARIABLE}.\n")
        return 2
    folder = Path(text)
    catalogue = load_catalogue()
    cases, skipped = all_cases(folder, catalogue)
    flagged: dict[str, int] = defaultdict(int)
    for case in cases:
        for flag in case.flags:
            flagged[flag] += 1
    asked = ask_all((case for case in cases if not case.flags), catalogue)
    training = [(case, predicted_tokens_per_s(case, catalogue)) for case in training_cases(folder, catalogue, skipped)]
    lines = serving_report(asked)
    lines += pair_report(asked)
    lines += training_report(training)
    lines += other_reports(folder, catalogue)
    lines += ["", "== rows left out", *(f"{count:5} {why}" for why, count in sorted(skipped.items()))]
    lines += [f"{count:5} {why} (asked, not scored)" for why, count in sorted(flagged.items())]
    lines += summary(asked, training)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
