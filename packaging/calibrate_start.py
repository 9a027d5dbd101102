"""Speed constants before any serving or training run was looked at, their sources, and how far each may move."""

from __future__ import annotations

import copy
from typing import Any, Final

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
