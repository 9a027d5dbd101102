"""How far the collectives are from published all-reduce measurements, calibration and check rows apart.

Rule of the split: a system whose figures went into resources/calibration/interconnect.json calibrates; every other
system checks. H200, GB200 and GB300 are held out wholly: their curves come from H100 and B200. Rows whose link speed is
not stated cannot be asked and are counted as left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configurator.catalogue import Catalogue
from configurator.catalogue.records import Fact, LinkRecord
from configurator.plan.model import Server
from configurator.scaling.fabrics import bus_factor
from configurator.scaling.standard import standard_comm, standard_server

GPUS = (
    ("RTX PRO 6000", "nvidia-rtx-pro-6000-blackwell-server"),
    ("L40S", "nvidia-l40s"),
    ("Arc Pro B60", "intel-arc-pro-b60"),
    ("RTX 5090", "nvidia-rtx-5090"),
    ("RTX 3090", "nvidia-rtx-3090"),
    ("A100 80GB PCIe", "nvidia-a100-pcie-80gb"),
    ("A100", "nvidia-a100-sxm4-80gb"),
    ("H100 NVL", "nvidia-h100-nvl-94gb"),
    ("H800", "nvidia-h100-sxm5-80gb"),
    ("H100", "nvidia-h100-sxm5-80gb"),
    ("GH200", "nvidia-h100-sxm5-80gb"),
    ("H200", "nvidia-h200-sxm-141gb"),
    ("GB200", "nvidia-gb200"),
    ("GB300", "nvidia-gb300"),
    ("B200", "nvidia-b200"),
    ("GB10", "nvidia-gb10-dgx-spark"),
    ("MI300X", "amd-mi300x"),
    ("V100", "nvidia-v100-sxm2-32gb"),
)

CALIBRATING = (
    ("ic-aic", ("A100", "H100", "B200 SXM", "RTX PRO 6000", "L40S", "Arc Pro B60")),
    ("ic-rtx6k", ("RTX PRO 6000",)),
    ("ic-vidur", ("pairwise",)),
    ("ic-issue", ("GH200", "V100", "GB10", "RTX 5090")),
    ("ic-stas", ("MI300X",)),
)
"""(prefix of the row's id, parts of the card's name) of the systems behind the calibration file."""

EAGER_TOOLS = ("nccl-tests", "torch", "all_reduce_bench", "rccl", "eager")
"""Tools that launch every call by itself; the others time calls inside CUDA graphs."""


@dataclass(frozen=True)
class Row:
    """One measurement that can be asked."""

    id: str
    system: str
    calibrates: bool
    gpu: str
    gpus: int
    nodes: int
    size_bytes: float
    bus_gb_s: float
    wire_gb_s: float
    rdma: bool
    gpudirect: bool
    graphs: bool
    tuned: bool
    custom: bool
    bridged: bool
    staged: bool
    switched: bool
    scale: float
    source: str


def rows(found: Iterable[Mapping[str, Any]]) -> tuple[list[Row], int]:
    """The all-reduce rows that state card, count and link; and how many were left out."""
    kept: list[Row] = []
    left = 0
    for each in found:
        if each["kind"] not in {"allreduce_time", "allreduce_busbw"} or each["quality"] == "C":
            continue
        row = _row(each)
        if row is None:
            left += 1
        else:
            kept.append(row)
    return kept, left


def _row(each: Mapping[str, Any]) -> Row | None:
    name, count, nodes = each["gpu_model"] or "", each["gpu_count"], each["nodes"] or 1
    gpu = next((card for part, card in GPUS if part in name), None)
    link = " ".join(str(each[key] or "") for key in ("link", "path", "tool", "notes"))
    if gpu is None or not count or "one-shot" in (each["path"] or ""):
        # One-shot kernels for four PCIe cards are in no stock engine.
        return None
    wire, rdma, gpudirect = 0.0, True, True
    if nodes > 1:
        speed = re.search(r"(?:(\d+)x )?(?:NDR)?(100|200|400) ?(?:Gb)", link) or re.search(r"(\d+)x NDR(400)", link)
        if speed is None:
            return None
        nics = int(speed.group(1) or 1)
        if count // nodes < nics and "EFA" not in link:
            nics = min(nics, max(1, count // nodes)) if "GH200" not in name else nics
        wire = nics * float(speed.group(2)) / 8
        rdma = "TCP" not in link
        gpudirect = "GDR off" not in link
    size = float(each["message_bytes"] or (8e9 if each["busbw_GBps"] else 0))
    bus = each["busbw_GBps"]
    if bus is None:
        bus = bus_factor("all_reduce", count) * size / (each["time_us"] * 1e-6) / 1e9
    tool = each["tool"] or ""
    calibrates = any(each["id"].startswith(prefix) and any(p in name for p in parts) for prefix, parts in CALIBRATING)
    return Row(
        each["id"],
        f"{each['id'].rsplit('-', 1)[0]} {name}",
        calibrates,
        gpu,
        count // nodes,
        nodes,
        size,
        bus,
        wire,
        rdma,
        gpudirect,
        not any(part in tool for part in EAGER_TOOLS) or "ic-rtx6k" in each["id"],
        "MIN_NCHANNELS" in link or "graph XML" in link or "P2P_LEVEL" in link,
        "custom" in tool,
        "pairwise" in name,
        each["p2p_enabled"] is False,
        "switch" in (each["path"] or ""),
        200 / 450 if "H800" in name else 1.0,
        each["source"],
    )


def predicted_bus_gb_s(row: Row, catalogue: Catalogue) -> float:
    """The model's bus bandwidth for a row."""
    record = catalogue.gpus[row.gpu]
    link = None
    if row.nodes > 1:
        rate = row.wire_gb_s * 1e9 * (0.95 if row.rdma else 0.9)
        fact = Fact(rate, rate, rate, "high", (row.source,))
        late = 2e-6 if row.rdma else 15e-6
        delay = Fact(late, late, late, "low", ())
        link = LinkRecord("link", "", "", row.wire_gb_s * 1e9, fact, delay, row.rdma, "", ())
    server: Server | None = None
    if row.bridged or row.switched or row.staged:
        sockets = 2 if row.gpus > 4 or row.staged else None
        server = standard_server(record, row.gpus, bridged=row.bridged, switched=row.switched, sockets=sockets)
    comm = standard_comm(
        record,
        row.gpus,
        row.nodes,
        link,
        engine="vllm" if row.custom else "nccl",
        graphs=row.graphs,
        tuned=row.tuned,
        server=server,
        gpudirect=row.gpudirect,
    )
    seconds = comm.all_reduce_s(row.size_bytes)
    return bus_factor("all_reduce", row.gpus * row.nodes) * row.size_bytes / seconds / 1e9 * row.scale


@dataclass(frozen=True)
class Score:
    """Share of rows within 20 %, and how many."""

    rows: int
    within_20: float
    median_error: float


def score(found: Iterable[Row], catalogue: Catalogue) -> Score:
    """Errors of the predictions for these rows."""
    errors = sorted(abs(predicted_bus_gb_s(row, catalogue) / row.bus_gb_s - 1) for row in found)
    if not errors:
        return Score(0, 0.0, 0.0)
    return Score(len(errors), sum(each <= 0.2 for each in errors) / len(errors), errors[len(errors) // 2])


def report(folder: Path, catalogue: Catalogue) -> list[str]:
    """Lines to print: per system, then calibration and check rows together."""
    found, left = rows(json.loads((folder / "interconnect.json").read_text(encoding="utf-8")))
    lines = [f"{'system':54} {'set':12} rows  within 20 %  median error"]
    systems = sorted({(row.calibrates, row.system) for row in found})
    for calibrates, system in systems:
        one = score([row for row in found if row.system == system], catalogue)
        kind = "calibration" if calibrates else "check"
        lines.append(f"{system:54} {kind:12} {one.rows:4}  {one.within_20:10.0%}  {one.median_error:11.0%}")
    for calibrates in (True, False):
        both = score([row for row in found if row.calibrates is calibrates], catalogue)
        kind = "calibration" if calibrates else "check"
        lines.append(f"{'all systems':54} {kind:12} {both.rows:4}  {both.within_20:10.0%}  {both.median_error:11.0%}")
    lines.append(f"left out, link or count not stated: {left}")
    return lines
