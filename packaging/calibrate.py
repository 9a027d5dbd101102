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
from reality_model import Answer, answer
from reality_rows import Case, all_cases
from reality_training import TrainCase, predicted_tokens_per_s, training_cases
from scipy.optimize import least_squares

from configurator.catalogue import Catalogue, load_catalogue
from configurator.scaling.calibration import speed_table
from configurator.scaling.rates import gpu_class, path_of
from configurator.sizing.formats import component_bits

TARGET: Final = Path(__file__).resolve().parents[1] / "resources" / "calibration" / "speed.json"

GEMM = "matmul tables of github.com/ai-dynamo/aiconfigurator@095f58a51 (Apache-2.0), least squares in log space"
MAMF = "largest matmul rates of github.com/stas00/ml-engineering@744d01e"
LLAMACPP = "github.com/XiongjieDai/GPU-Benchmarks-on-LLM-Inference, implied bandwidth"
SCALED = "scaled from the nearest measured class, not measured"

Entry = dict[str, Any]

POWER: Final = {
    "points": [
        [0.25, 0.23],
        [0.333, 0.362],
        [0.417, 0.462],
        [0.5, 0.552],
        [0.583, 0.645],
        [0.667, 0.727],
        [0.75, 0.802],
        [0.833, 0.871],
        [0.917, 0.939],
        [1.0, 1.0],
    ],
    "source": "RTX PRO 6000 power sweep, share of board power and of arithmetic rate: voipmonitor/rtx6kpro "
    "hardware/blackwell-power-limit-sweep.md; half the power costs 4 % at one user, 30 % at 64",
    "needed_w_per_tflops": {
        "hopper": 0.71,
        "blackwell_hbm": 0.56,
        "ampere_hbm": 1.28,
        "ada": 1.6,
        "ampere_gddr": 2.6,
        "blackwell_gddr": 1.2,
        "cdna": 0.77,
    },
    "needed_source": "board power over dense 16-bit rate of the card of each class that holds its clock under matrix "
    "work: H100 SXM, GB300, A100 SXM, PRO 6000, MI325X; Ada and Ampere between the GeForce and the professional cards "
    "(L40S reaches 0.59 of 362 TFLOP/s, RTX 4090 0.78 of 165)",
}


def _path(overhead_us: float, mbu: float, mfu: float, source: str) -> Entry:
    return {"overhead_us": overhead_us, "mbu": mbu, "mfu": mfu, "source": source}


HBM_ATTENTION: Final = {
    "overhead_us": 8.0,
    "mbu": 0.9,
    "decode_mfu": 0.35,
    "prefill_mfu": 0.65,
    "prefill_half_tokens": 1200.0,
    "source": "attention tables of github.com/ai-dynamo/aiconfigurator@095f58a51: H100, H200, B200, A100",
}
GDDR_ATTENTION: Final = {
    "overhead_us": 6.0,
    "mbu": 0.82,
    "decode_mfu": 0.4,
    "prefill_mfu": 0.65,
    "prefill_half_tokens": 800.0,
    "source": "attention tables of github.com/ai-dynamo/aiconfigurator@095f58a51: RTX PRO 6000, L40S",
}


def _kind(paths: dict[str, Entry], attention: Entry, copy_mbu: float = 0.75, clock: float = 1.0) -> Entry:
    return {
        "paths": paths,
        "attention": dict(attention),
        "copy_mbu": copy_mbu,
        "clock": clock,
        "expert_mbu_share": 1.0,
        "expert_mfu_share": 1.0,
    }


def start_values() -> Entry:
    """Constants before any serving run was looked at, with their sources."""
    marlin = "weight-only kernels use warp-level matrix instructions: about H100's rate on every later card"
    hopper = {
        "bf16": _path(3.9, 0.84, 0.77, GEMM),
        "fp8": _path(9.2, 0.78, 0.45, GEMM),
        "fp4": _path(9.0, 0.60, 0.40, SCALED),
        "int8": _path(9.0, 0.78, 0.45, SCALED),
        "wo4": _path(6.0, 0.65, 0.60, marlin),
        "wo8": _path(6.0, 0.70, 0.60, SCALED),
        "nf4": _path(12.0, 0.35, 0.40, SCALED),
        "gguf": _path(30.0, 0.60, 0.30, LLAMACPP),
    }
    blackwell = {
        "bf16": _path(3.9, 0.82, 0.70, GEMM),
        "fp8": _path(9.1, 0.75, 0.36, GEMM),
        "fp4": _path(8.8, 0.68, 0.36, GEMM),
        "int8": _path(9.0, 0.75, 0.36, SCALED),
        "wo4": _path(6.0, 0.60, 0.27, marlin),
        "wo8": _path(6.0, 0.65, 0.27, marlin),
        "nf4": _path(12.0, 0.30, 0.20, SCALED),
        "gguf": _path(30.0, 0.55, 0.20, SCALED),
    }
    ampere_hbm = {
        "bf16": _path(6.5, 0.78, 0.73, GEMM),
        "fp8": _path(8.0, 0.70, 0.60, SCALED),
        "fp4": _path(8.0, 0.60, 0.60, SCALED),
        "int8": _path(8.0, 0.70, 0.50, SCALED),
        "wo4": _path(7.0, 0.65, 0.60, SCALED),
        "wo8": _path(7.0, 0.70, 0.60, SCALED),
        "nf4": _path(12.0, 0.40, 0.40, SCALED),
        "gguf": _path(40.0, 0.55, 0.30, LLAMACPP),
    }
    ada = {
        "bf16": _path(2.0, 0.85, 0.60, GEMM),
        "fp8": _path(4.0, 0.72, 0.45, GEMM),
        "fp4": _path(6.0, 0.70, 0.50, SCALED),
        "int8": _path(4.0, 0.75, 0.50, SCALED),
        "wo4": _path(4.0, 0.75, 0.50, SCALED),
        "wo8": _path(4.0, 0.78, 0.50, SCALED),
        "nf4": _path(8.0, 0.50, 0.40, SCALED),
        "gguf": _path(20.0, 0.90, 0.35, LLAMACPP),
    }
    ampere_gddr = {
        "bf16": _path(2.5, 0.85, 0.65, SCALED),
        "fp8": _path(4.0, 0.70, 0.50, SCALED),
        "fp4": _path(6.0, 0.70, 0.50, SCALED),
        "int8": _path(4.0, 0.75, 0.50, SCALED),
        "wo4": _path(4.0, 0.75, 0.50, SCALED),
        "wo8": _path(4.0, 0.78, 0.50, SCALED),
        "nf4": _path(8.0, 0.50, 0.40, SCALED),
        "gguf": _path(22.0, 0.90, 0.35, LLAMACPP),
    }
    blackwell_gddr = {
        "bf16": _path(1.5, 0.80, 0.75, GEMM),
        "fp8": _path(7.0, 0.74, 0.58, GEMM),
        "fp4": _path(12.0, 0.62, 0.55, GEMM),
        "int8": _path(7.0, 0.74, 0.50, SCALED),
        "wo4": _path(4.0, 0.72, 0.50, SCALED),
        "wo8": _path(4.0, 0.75, 0.50, SCALED),
        "nf4": _path(8.0, 0.50, 0.40, SCALED),
        "gguf": _path(18.0, 0.88, 0.35, SCALED),
    }
    older = {
        "bf16": _path(6.0, 0.75, 0.50, SCALED),
        "fp8": _path(8.0, 0.60, 0.40, SCALED),
        "fp4": _path(8.0, 0.60, 0.40, SCALED),
        "int8": _path(8.0, 0.60, 0.40, SCALED),
        "wo4": _path(8.0, 0.60, 0.35, SCALED),
        "wo8": _path(8.0, 0.60, 0.35, SCALED),
        "nf4": _path(12.0, 0.40, 0.30, SCALED),
        "gguf": _path(25.0, 0.75, 0.30, SCALED),
    }
    unified = {
        "bf16": _path(5.0, 0.85, 0.60, SCALED),
        "fp8": _path(8.0, 0.80, 0.50, SCALED),
        "fp4": _path(12.0, 0.75, 0.40, SCALED),
        "int8": _path(8.0, 0.80, 0.50, SCALED),
        "wo4": _path(8.0, 0.78, 0.45, SCALED),
        "wo8": _path(8.0, 0.80, 0.45, SCALED),
        "nf4": _path(12.0, 0.50, 0.30, SCALED),
        "gguf": _path(25.0, 0.85, 0.30, SCALED),
    }
    cdna = {
        **{name: dict(entry, source=SCALED) for name, entry in hopper.items()},
        "bf16": _path(6.0, 0.70, 0.51, MAMF),
        "fp8": _path(10.0, 0.65, 0.40, SCALED),
    }
    launch = "AIC: 0.8 ms per layer of a vLLM prompt step outside graphs, taken as an upper bound"
    host = "prototype fit and BLIS: about 1 ms per step, 5-26 us per sequence"
    return {
        "classes": {
            "hopper": _kind(hopper, HBM_ATTENTION),
            "blackwell_hbm": _kind(blackwell, HBM_ATTENTION),
            "ampere_hbm": _kind(ampere_hbm, HBM_ATTENTION),
            "ada": _kind(ada, GDDR_ATTENTION),
            "ampere_gddr": _kind(ampere_gddr, GDDR_ATTENTION),
            "blackwell_gddr": _kind(blackwell_gddr, GDDR_ATTENTION),
            "older": _kind(older, GDDR_ATTENTION, 0.65, 1.4),
            "unified": _kind(unified, GDDR_ATTENTION, 0.7, 1.2),
            "cdna": _kind(cdna, HBM_ATTENTION, 0.65, 1.3),
            "rdna": _kind(copy.deepcopy(older), GDDR_ATTENTION, 0.7, 1.2),
            "other": _kind(copy.deepcopy(older), GDDR_ATTENTION, 0.65, 1.3),
        },
        "engines": {
            "vllm": _engine(0.75, 18.0, 25.0, 350.0, 25.0, f"{launch}; {host}", "0.16"),
            "sglang": _engine(0.75, 18.0, 25.0, 350.0, 25.0, f"{launch}; {host}", None),
            "tensorrt-llm": _engine(0.60, 12.0, 25.0, 350.0, 25.0, f"{launch}; {host}", "1.2"),
            "llama.cpp": {
                **_engine(1.0, 15.0, 15.0, 50.0, 5.0, LLAMACPP, None),
                "linear_layer_us": 15.0,
                "host_us": 200.0,
                "host_sequence_us": 50.0,
            },
        },
        "experts": {
            "spread": 0.92,
            "padding_rows": 16.0,
            "rank_skew": 1.25,
            "bandwidth_share": {"bf16": 0.9, "fp8": 0.85, "fp4": 0.8, "wo4": 0.8, "gguf": 0.9},
            "compute_share": {"bf16": 0.6, "fp8": 0.6, "fp4": 0.5, "wo4": 0.6, "gguf": 0.7},
            "source": "power-law expert load, exponent 1.01-1.2 (aiconfigurator docs); grouped kernels pad to 16-64",
        },
        "ridge": 3.0,
        "power": POWER,
    }


def _engine(
    share: float, layer: float, moe: float, launch: float, ingest: float, source: str, before: str | None
) -> Entry:
    entry: Entry = {
        "kernel_share": share,
        "layer_us": layer,
        "moe_layer_us": moe,
        "linear_layer_us": 25.0,
        "host_us": 800.0,
        "host_sequence_us": 10.0,
        "launch_layer_us": launch,
        "launch_moe_layer_us": 0.5 * launch,
        "ingest_ms": ingest,
        "source": source,
    }
    if before is not None:
        entry["older"] = {"before": before, "moe_layer_factor": 1.5, "layer_factor": 1.1}
    return entry


Parameter = tuple[str, float, float | None, float | None]
"""(path in the table, width of the prior in log space, lowest, highest)"""


def parameters() -> list[Parameter]:
    """What may move, and how far."""
    found: list[Parameter] = []
    for engine in ("vllm", "sglang", "tensorrt-llm"):
        place = f"engines/{engine}"
        found += [
            (f"{place}/kernel_share", 0.3, None, None),
            (f"{place}/layer_us", 0.4, None, None),
            (f"{place}/moe_layer_us", 0.5, None, None),
            (f"{place}/host_us", 0.5, None, None),
            (f"{place}/host_sequence_us", 0.7, None, None),
            (f"{place}/launch_layer_us", 0.6, None, None),
            (f"{place}/launch_moe_layer_us", 0.7, None, None),
            (f"{place}/ingest_ms", 0.7, None, None),
        ]
    for engine in ("vllm", "tensorrt-llm"):
        found.append((f"engines/{engine}/older/moe_layer_factor", 0.4, 1.0, None))
        found.append((f"engines/{engine}/older/layer_factor", 0.2, 1.0, None))
    found.append(("engines/sglang/linear_layer_us", 0.3, None, None))
    for kind, paths in (
        ("hopper", ("bf16", "fp8", "wo4")),
        ("blackwell_hbm", ("bf16", "fp8", "fp4", "wo4")),
        ("ampere_hbm", ("bf16", "wo4")),
        ("ada", ("wo4",)),
        ("blackwell_gddr", ("wo4", "fp4", "fp8", "bf16")),
    ):
        for path in paths:
            found.append((f"classes/{kind}/paths/{path}/mbu", 0.12, None, 0.95))
            found.append((f"classes/{kind}/paths/{path}/mfu", 0.25, None, 0.9))
            found.append((f"classes/{kind}/paths/{path}/overhead_us", 0.25, None, None))
    for kind in ("ampere_hbm", "ada", "ampere_gddr", "blackwell_gddr", "hopper"):
        found.append((f"classes/{kind}/paths/gguf/mbu", 0.15, None, 0.97))
        found.append((f"classes/{kind}/paths/gguf/overhead_us", 0.5, None, None))
        found.append((f"classes/{kind}/paths/gguf/mfu", 0.5, None, 0.9))
    for kind in ("hopper", "blackwell_hbm"):
        found.append((f"classes/{kind}/attention/overhead_us", 0.4, None, None))
        found.append((f"classes/{kind}/attention/mbu", 0.12, None, 0.97))
        found.append((f"classes/{kind}/attention/decode_mfu", 0.5, None, None))
        found.append((f"classes/{kind}/attention/prefill_mfu", 0.25, None, None))
    found.append(("classes/blackwell_gddr/attention/mbu", 0.12, None, 0.97))
    for kind in ("hopper", "ampere_hbm", "blackwell_gddr", "ada", "unified"):
        found.append((f"classes/{kind}/expert_mfu_share", 0.4, None, None))
        found.append((f"classes/{kind}/expert_mbu_share", 0.2, None, 1.2))
    for path in ("bf16", "fp8", "fp4", "wo4"):
        found.append((f"experts/bandwidth_share/{path}", 0.15, None, 1.1))
        found.append((f"experts/compute_share/{path}", 0.4, None, None))
    found += [
        ("classes/unified/paths/gguf/mbu", 0.15, None, 0.97),
        ("classes/unified/paths/gguf/mfu", 0.5, None, 0.9),
        ("classes/older/paths/gguf/mbu", 0.15, None, 0.95),
        ("classes/rdna/paths/gguf/mbu", 0.15, None, 0.95),
        ("classes/unified/paths/wo4/mbu", 0.15, None, 0.95),
        ("classes/unified/paths/fp4/mbu", 0.15, None, 0.95),
        ("experts/spread", 0.06, None, 1.0),
        ("experts/padding_rows", 0.7, None, None),
        ("experts/rank_skew", 0.15, 1.0, None),
        ("ridge", 0.3, 1.0, 12.0),
    ]
    return found


def start_training() -> Entry:
    """Training constants before any run was looked at."""

    def kind(bf16: float, fp8: float, fp4: float, attention: float) -> Entry:
        return {
            "mfu": {"bf16": bf16, "fp8": fp8, "fp4": fp4},
            "attention_mfu": attention,
            "copy_mbu": 0.75,
            "source": f"{MAMF}; {GEMM}",
        }

    return {
        "classes": {
            "hopper": kind(0.75, 0.55, 0.5, 0.40),
            "blackwell_hbm": kind(0.72, 0.6, 0.4, 0.40),
            "ampere_hbm": kind(0.80, 0.7, 0.6, 0.5),
            "ada": kind(0.78, 0.62, 0.5, 0.5),
            "ampere_gddr": kind(0.77, 0.5, 0.4, 0.5),
            "blackwell_gddr": kind(0.75, 0.58, 0.5, 0.45),
            "older": kind(0.5, 0.4, 0.3, 0.3),
            "unified": kind(0.6, 0.5, 0.4, 0.4),
            "cdna": kind(0.51, 0.4, 0.3, 0.3),
            "rdna": kind(0.4, 0.3, 0.3, 0.3),
            "other": kind(0.4, 0.3, 0.3, 0.3),
        },
        "frameworks": {
            "plain": {"mfu_share": 0.9, "moved_share": 2.0, "layer_s": 4e-4},
            "compiled": {"mfu_share": 0.95, "moved_share": 1.2, "layer_s": 2e-4},
            "megatron": {"mfu_share": 0.95, "moved_share": 1.0, "layer_s": 1e-4},
            "fused": {"mfu_share": 1.0, "moved_share": 0.8, "layer_s": 5e-5},
        },
        "overlap_exponent": 1.5,
        "tensor_exposed": 0.7,
        "bubble_share": 1.0,
        "host_link_share": 0.7,
    }


def training_parameters() -> list[Parameter]:
    """What may move in training."""
    found: list[Parameter] = []
    for kind, precisions in (
        ("hopper", ("bf16", "fp8")),
        ("blackwell_hbm", ("fp8", "fp4")),
        ("ampere_hbm", ("bf16",)),
        ("ada", ("bf16", "fp8")),
        ("ampere_gddr", ("bf16",)),
        ("blackwell_gddr", ("bf16", "fp8")),
    ):
        found += [(f"classes/{kind}/mfu/{each}", 0.12, None, 0.9) for each in precisions]
        found.append((f"classes/{kind}/attention_mfu", 0.3, None, 0.8))
    for name in ("plain", "compiled", "megatron", "fused"):
        found.append((f"frameworks/{name}/mfu_share", 0.08, None, 1.0))
        found.append((f"frameworks/{name}/moved_share", 0.4, None, None))
        found.append((f"frameworks/{name}/layer_s", 0.7, None, None))
    found += [
        ("overlap_exponent", 0.3, 1.0, 6.0),
        ("bubble_share", 0.3, 0.2, 1.0),
        ("host_link_share", 0.3, None, 0.9),
    ]
    return found


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
