"""Reads published training runs into cases and asks the training model."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reality_rows import CHECK_EVERY

from configurator.catalogue import Catalogue, UnknownName, find_gpu, find_model
from configurator.catalogue.records import GpuRecord
from configurator.scaling.standard import standard_comm, standard_server
from configurator.scaling.training import KEPT_SHARE, StepTime, Task, TrainPlan, TrainShape, step_time, train_shape

CHECK_GPUS: Final = ("nvidia-h200-sxm-141gb", "nvidia-rtx-5090")
"""GPU models whose training runs calibration never sees."""

MPT: Final = {
    "7b": (32, 4096),
    "13b": (40, 5120),
    "30b": (48, 7168),
    "70b": (80, 8192),
    "3b": (32, 2560),
    "1b": (24, 2048),
}
"""MPT models (layers, hidden size): multi-head attention, feed-forward four times the hidden size, tied head."""

GPU_NAMES: Final = {
    "h100 96gb hbm2e 500w": "nvidia-h100-sxm5-80gb",
    "a100": "nvidia-a100-sxm4-80gb",
    "a100 40gb sxm": "nvidia-a100-sxm4-40gb",
    "a100 40gb": "nvidia-a100-sxm4-40gb",
    "a100 80gb": "nvidia-a100-sxm4-80gb",
    "h100 80gb": "nvidia-h100-sxm5-80gb",
    "dgx-gb300": "nvidia-gb300",
    "dgx-gb200": "nvidia-gb200",
    "dgx-h100": "nvidia-h100-sxm5-80gb",
    "a5000 24gb": "nvidia-rtx-a5000",
    "rtx pro 6000 96gb": "nvidia-rtx-pro-6000-blackwell-ws",
}

FRAMEWORKS: Final = (
    ("llmq", "fused"),
    ("megatron", "megatron"),
    ("torchtitan", "compiled"),
    ("torchtune", "compiled"),
    ("automodel", "compiled"),
    ("foundry", "plain"),
    ("fsdp_qlora", "plain"),
    ("litgpt", "plain"),
)


@dataclass(frozen=True)
class TrainCase:
    """One training run."""

    id: str
    source: str
    gpu: GpuRecord
    gpus: int
    nodes: int
    shape: TrainShape
    plan: TrainPlan
    tokens_per_s: float
    power_limit_w: float | None
    lanes: int | None
    """Slot lanes where the source speaks of slow ones."""
    split: str
    group: str
    strict: bool


def mpt_shape(size: str, elements: float) -> TrainShape | None:
    """The training view of an MPT model."""
    if size not in MPT:
        return None
    layers, hidden = MPT[size]
    head = 50432.0 * hidden
    return TrainShape(
        active_matrix_elements=12.0 * layers * hidden * hidden,
        head_elements=head,
        held_elements=elements,
        layers=layers,
        hidden=hidden,
        attention_width=float(hidden * layers),
        window_width=0.0,
        moved_widths=14.0 * hidden + 8.0 * hidden,
    )


def training_cases(folder: Path, catalogue: Catalogue, skipped: dict[str, int]) -> Iterator[TrainCase]:
    """Rows of training.json with a speed and a layout."""
    path = folder / "training.json"
    if not path.exists():
        return
    loaded = json.loads(path.read_text())
    for row in loaded if isinstance(loaded, list) else loaded["rows"]:
        case = _case(row, catalogue, skipped)
        if case is not None:
            yield case


def _skip(skipped: dict[str, int], why: str) -> TrainCase | None:
    skipped[f"training: {why}"] = skipped.get(f"training: {why}", 0) + 1
    return None


def _case(row: dict[str, Any], catalogue: Catalogue, skipped: dict[str, int]) -> TrainCase | None:
    if not row["fits"] or row["tokens_per_s"] is None or row["seq_len"] is None or row["micro_batch"] is None:
        return _skip(skipped, "no speed, sequence or micro-batch")
    if "baseline" in str(row["notes"]) and "ladder" in str(row["notes"]):
        return _skip(skipped, "padded sequences, padding not counted")
    if not row["strict"] or row["ep"] or (row["cp"] or 1) > 1:
        return _skip(skipped, "not strict, or parallel over experts or context")
    name = str(row["model"])
    try:
        text = str(row["gpu_model"] or "")
        gpu = catalogue.gpus[GPU_NAMES[text.lower()]] if text.lower() in GPU_NAMES else find_gpu(catalogue, text)
    except UnknownName:
        return _skip(skipped, "GPU not in the catalogue")
    if name.startswith("MPT"):
        shape = mpt_shape(name.rsplit("-", maxsplit=1)[-1].lower(), float(row["params_b"]) * 1e9)
        family = "mpt"
    else:
        try:
            found = find_model(catalogue, name)
        except UnknownName:
            return _skip(skipped, "model not in the catalogue")
        if found.model.moe is not None:
            return _skip(skipped, "mixture of experts")
        shape, family = train_shape(found.model), found.model.family
    if shape is None:
        return _skip(skipped, "model shape")
    plan = _plan(row, str(row["framework"]).lower(), shape, gpu)
    if plan is None:
        return _skip(skipped, "layout")
    group = f"{gpu.id}|{family}"
    check = gpu.id in CHECK_GPUS or zlib.crc32(f"reality|{group}".encode()) % CHECK_EVERY == 0
    nodes = int(row["nodes"] or 1)
    if row["nodes"] is None and gpu.link_max_group < row["gpu_count"]:
        nodes = max(1, row["gpu_count"] // max(1, gpu.link_max_group))
    return TrainCase(
        id=row["id"],
        source=row["source"],
        gpu=gpu,
        gpus=int(row["gpu_count"]),
        nodes=nodes,
        shape=shape,
        plan=plan,
        tokens_per_s=float(row["tokens_per_s"]),
        power_limit_w=500.0 if "500W" in str(row["gpu_model"]) else None,
        lanes=4 if "slow pcie" in str(row["interconnect"] or "").lower() else None,
        split="check" if check else "calibration",
        group=group,
        strict=bool(row["strict"]),
    )


def _plan(row: dict[str, Any], framework: str, shape: TrainShape, gpu: GpuRecord) -> TrainPlan | None:
    method = str(row["method"]).lower()
    task: Task = (
        "qlora" if "qlora" in method else "lora" if "lora" in method else "pretrain" if "pretrain" in method else "full"
    )
    text = str(row["precision"] or "bf16").lower()
    precision = "fp4" if "fp4" in text and "nf4" not in text else "fp8" if "fp8" in text or "float8" in text else "bf16"
    tensor, pipeline = int(row["tp"] or 1), int(row["pp"] or 1)
    gpus = int(row["gpu_count"])
    if gpus % (tensor * pipeline):
        return None
    ranks = gpus // (tensor * pipeline)
    checkpoint = row["activation_checkpointing"]
    again = 1.0 if checkpoint in (True, "full") else 0.3 if checkpoint == "selective" else 0.0
    if checkpoint is None and "llmq" in framework:
        again = 0.0
    sharding = str(row["sharding"] or "").lower()
    zero = 3 if "fsdp" in sharding and "ddp" not in sharding else 0 if "ddp" in sharding else 1 if ranks > 1 else 0
    width = 0.5 if task == "qlora" else 1.0 if precision == "fp8" and "llmq" in framework else 2.0
    if "llmq" in framework and ranks > 1 and (width + 2.0) * shape.held_elements > KEPT_SHARE * gpu.memory_usable_bytes:
        # Weights and gradients do not fit one card: llmq shards them.
        zero = 3
    batch = row["global_batch"]
    micro = int(row["micro_batch"])
    steps = int(row["grad_accum"] or 0) or (max(1, round(batch / (micro * ranks))) if batch else 1)
    kind = next((value for key, value in FRAMEWORKS if key in framework), "compiled")
    if kind == "compiled" and "compile" not in str(row["notes"]) and "torchtitan" in framework:
        kind = "plain"
    return TrainPlan(
        task=task,
        precision=precision,
        sequence_tokens=int(row["seq_len"]),
        micro_batch=micro,
        micro_steps=steps,
        data_ranks=ranks,
        tensor=tensor,
        pipeline=pipeline,
        recompute=again,
        zero_stage=zero,
        base_bytes=width,
        offload=bool(row["cpu_offload"]),
        framework=kind,
    )


def training_answer(case: TrainCase, catalogue: Catalogue) -> StepTime:
    """One step of the run as the model sees it."""
    link = catalogue.links.get("ib-400g") or next(
        (each for name, each in catalogue.links.items() if "400" in name), None
    )
    per_node = case.gpus // case.nodes
    ranks = case.plan.data_ranks
    data = None
    if ranks > 1:
        inner = max(1, min(ranks, per_node // (case.plan.tensor * case.plan.pipeline) or 1))
        outer = max(1, ranks // inner)
        server = standard_server(case.gpu, inner, lanes=case.lanes) if case.lanes is not None else None
        data = standard_comm(case.gpu, inner, outer, link, cables=max(1, per_node), graphs=False, server=server)
    inside = standard_comm(case.gpu, case.plan.tensor, graphs=False) if case.plan.tensor > 1 else None
    return step_time(case.shape, case.plan, case.gpu, data, inside, 0.0, case.power_limit_w)


def predicted_tokens_per_s(case: TrainCase, catalogue: Catalogue) -> float:
    """Tokens per second of the whole job."""
    found = training_answer(case, catalogue)
    plan = case.plan
    return plan.micro_batch * plan.sequence_tokens * plan.micro_steps * plan.data_ranks / found.total_s
