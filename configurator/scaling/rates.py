"""What a GPU reaches in practice: bandwidth and arithmetic per precision, and what each kernel costs to start.

The figures come from resources/calibration/speed.json; here they are bound to one GPU and one engine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from configurator.catalogue.records import GpuRecord, WeightFormat

UNKNOWN_CLASS: Final = "other"
STUNTED_HALF: Final = "6.1"
"""Compute capability of the Pascal cards (P40, P4, GTX 10) that offer 16-bit arithmetic only for the sake of it."""
FULL_OVER_HALF: Final = 64.0
"""Their 32-bit over their 16-bit rate (CUDA programming guide, arithmetic throughput: 128 against 2 per clock)."""
DP4A_SHARE: Final = 0.5
"""Integer products are scaled to floats block by block, which takes about as many instructions again."""


@dataclass(frozen=True, slots=True)
class Rate:
    """One precision on one GPU: seconds to start a kernel, bytes/s and FLOP/s reached."""

    overhead_s: float
    bytes_per_s: float
    flops_per_s: float


@dataclass(frozen=True, slots=True)
class Rates:
    """Everything a step needs to know of one GPU under one engine."""

    gpu_class: str
    paths: tuple[tuple[str, Rate], ...]
    expert_paths: tuple[tuple[str, Rate], ...]
    attention_s: float
    attention_bytes_per_s: float
    attention_flops_per_s: float
    prefill_attention_flops_per_s: float
    prefill_half_tokens: float
    """Prompt length at which prompt attention reaches half of its best rate."""
    copy_bytes_per_s: float
    layer_s: float
    """Small kernels of one layer: norms, rotary, cache write, activation."""
    moe_layer_s: float
    """Router, sorting and combining of one layer with experts."""
    linear_layer_s: float
    host_s: float
    host_sequence_s: float
    launch_layer_s: float
    """Starting one layer without a captured graph (prompt steps)."""
    launch_moe_layer_s: float
    """What a layer with experts adds to that."""
    ingest_s: float
    ridge: float
    """Exponent that rounds the corner between memory- and compute-bound."""
    expert_spread: float
    """Exponent of the tokens that choose experts independently: below 1, popular experts are shared."""
    expert_rows: float
    """Rows an expert kernel pads to."""
    rank_skew: float
    """Load of the busiest expert group over the mean."""


_classes: dict[int, tuple[GpuRecord, str]] = {}


def gpu_class(gpu: GpuRecord) -> str:
    """The class whose measured figures stand for a GPU."""
    kept = _classes.get(id(gpu))
    if kept is not None and kept[0] is gpu:
        return kept[1]
    found = _class_of(gpu)
    _classes[id(gpu)] = (gpu, found)
    return found


def _class_of(gpu: GpuRecord) -> str:
    name = gpu.architecture.lower()
    stacked = "hbm" in gpu.memory_kind.lower()
    if gpu.unified_memory:
        return "unified"
    if "hopper" in name:
        return "hopper"
    if "blackwell" in name:
        return "blackwell_hbm" if stacked else "blackwell_gddr"
    if "ada" in name:
        return "ada"
    if "ampere" in name:
        return "ampere_hbm" if stacked else "ampere_gddr"
    if any(old in name for old in ("volta", "turing", "pascal")):
        return "older"
    if "cdna" in name:
        return "cdna"
    if "rdna" in name:
        return "rdna"
    return UNKNOWN_CLASS


def path_of(bits: float, weight_format: WeightFormat, gpu: GpuRecord) -> str:
    """Which kernels multiply matrices of this width: bf16, fp8, fp4, int8, wo4, wo8, nf4 or gguf.

    ``wo`` means weight-only: unpacked to 16 bit before every multiplication, because the card has no
    arithmetic of that width or the format does not use it.
    """
    if bits >= 15.9:
        return "bf16"
    family = weight_format.family
    if family == "gguf":
        return "gguf"
    if family == "nf4":
        return "nf4"
    if bits > 6.0:
        if family == "int8":
            return "int8" if gpu.native_int8 else "wo8"
        return "fp8" if gpu.native_fp8 else "wo8"
    if family == "fp4":
        return "fp4" if gpu.native_fp4 else "wo4"
    return "wo4"


def _peak(gpu: GpuRecord, path: str) -> float:
    half = gpu.flops_bf16 if gpu.flops_bf16 is not None else gpu.flops_fp16
    base = half.value if half is not None else 0.0
    if gpu.compute_capability == STUNTED_HALF:
        # llama.cpp multiplies quantised weights in 8-bit integers (DP4A) there, everything else in 32 bit.
        integers = gpu.flops_int8.value * DP4A_SHARE if path == "gguf" and gpu.flops_int8 is not None else 0.0
        return max(base * FULL_OVER_HALF, integers)
    if path == "fp8" and gpu.flops_fp8 is not None:
        return gpu.flops_fp8.value
    if path == "fp4" and gpu.flops_fp4 is not None:
        return gpu.flops_fp4.value
    if path == "int8" and gpu.flops_int8 is not None:
        return gpu.flops_int8.value
    # A card whose 16-bit rate is not known works at about its FP32 rate; memory then rules anyway.
    return base or gpu.memory_bandwidth.value * 30.0


def power_share(table: Mapping[str, Any], gpu: GpuRecord, power_limit_w: float | None = None) -> float:
    """Share of its arithmetic rate a card keeps on its power budget; memory keeps its clock.

    A chip needs some watts per TFLOP/s to hold its clock under matrix work: GeForce cards, at half rate with 32-bit
    sums, have them; professional cards of the same chip at lower power do not. The curve is the power sweep of an
    RTX PRO 6000 (half the power, 55 % of the rate).
    """
    half = gpu.flops_bf16 if gpu.flops_bf16 is not None else gpu.flops_fp16
    needed = table["power"]["needed_w_per_tflops"].get(gpu_class(gpu))
    board = gpu.power_w.value
    limit = board if power_limit_w is None else min(board, power_limit_w)
    if half is None or board <= 0:
        return 1.0
    if needed is None:
        return _swept(table, limit / board)
    return _swept(table, limit / (half.value / 1e12) / needed)


def _swept(table: Mapping[str, Any], wanted: float) -> float:
    x0 = y0 = 0.0
    for x1, y1 in table["power"]["points"]:
        if wanted <= x1:
            return float(y0 + (y1 - y0) * (wanted - x0) / (x1 - x0))
        x0, y0 = x1, y1
    return 1.0


PATHS: Final = ("bf16", "fp8", "fp4", "int8", "wo4", "wo8", "nf4", "gguf")


def before(version: str, limit: str) -> bool:
    """Whether a version number is older than ``limit``; a version without numbers counts as new."""
    numbers = re.findall(r"\d+", version.partition("(")[0])[:2]
    if len(numbers) < 2:
        return False
    return tuple(map(int, numbers)) < tuple(map(int, re.findall(r"\d+", limit)[:2]))


def bind(
    table: Mapping[str, Any], gpu: GpuRecord, engine: str, power_limit_w: float | None = None, version: str = ""
) -> Rates:
    """The figures of one GPU under one engine and power limit (None: the board's own)."""
    power = power_share(table, gpu, power_limit_w)
    kind = gpu_class(gpu)
    classes = table["classes"]
    own = classes.get(kind, classes[UNKNOWN_CLASS])
    engines = table["engines"]
    runner = engines.get(engine, engines["vllm"])
    moe = table["experts"]
    layer_factor = moe_factor = own.get("clock", 1.0)
    older = runner.get("older")
    if older is not None and version and before(version, older["before"]):
        layer_factor *= older["layer_factor"]
        moe_factor *= older["moe_layer_factor"]
    bandwidth = gpu.memory_bandwidth.value
    start = runner["kernel_share"]
    paths = []
    experts = []
    for path in PATHS:
        figures = own["paths"].get(path) or classes[UNKNOWN_CLASS]["paths"][path]
        peak = _peak(gpu, path) * power
        mfu = figures["mfu"]
        mbu = figures["mbu"]
        if engine == "llama.cpp":
            # Its own kernels also read 16-bit weights; on cards with stacked memory they reach far less than cuBLAS.
            mbu = min(mbu, own["paths"].get("gguf", figures)["mbu"])
        rate = Rate(
            figures["overhead_us"] * 1e-6 * start,
            mbu * bandwidth,
            mfu * peak,
        )
        paths.append((path, rate))
        experts.append(
            (
                path,
                Rate(
                    figures["overhead_us"] * 1e-6 * start,
                    mbu * moe["bandwidth_share"].get(path, 1.0) * own["expert_mbu_share"] * bandwidth,
                    mfu * moe["compute_share"].get(path, 1.0) * own["expert_mfu_share"] * peak,
                ),
            )
        )
    attention = own["attention"]
    half = _peak(gpu, "bf16") * power
    return Rates(
        gpu_class=kind,
        paths=tuple(paths),
        expert_paths=tuple(experts),
        attention_s=attention["overhead_us"] * 1e-6,
        attention_bytes_per_s=attention["mbu"] * bandwidth,
        attention_flops_per_s=attention["decode_mfu"] * half,
        prefill_attention_flops_per_s=attention["prefill_mfu"] * half,
        prefill_half_tokens=attention["prefill_half_tokens"],
        copy_bytes_per_s=own["copy_mbu"] * bandwidth,
        layer_s=runner["layer_us"] * 1e-6 * layer_factor,
        moe_layer_s=runner["moe_layer_us"] * 1e-6 * moe_factor,
        linear_layer_s=runner["linear_layer_us"] * 1e-6 * own.get("clock", 1.0),
        host_s=runner["host_us"] * 1e-6,
        host_sequence_s=runner["host_sequence_us"] * 1e-6,
        launch_layer_s=runner["launch_layer_us"] * 1e-6,
        launch_moe_layer_s=runner["launch_moe_layer_us"] * 1e-6,
        ingest_s=runner["ingest_ms"] * 1e-3,
        ridge=table["ridge"],
        expert_spread=moe["spread"],
        # Grouped kernels pad every expert's rows to a tile; llama.cpp multiplies row by row.
        expert_rows=0.0 if engine == "llama.cpp" else moe["padding_rows"],
        rank_skew=moe["rank_skew"],
    )
