"""Reads published measurements (CSV and JSON in a data folder) into cases the speed model can be asked.

The files are not part of the product; their fields are described in the README that lies beside them.
Rules that turn a row into a case are here and apply to every row alike:

* InferenceX draws prompt and answer lengths evenly from 0.8 to 1.0 of the stated length (mean 0.9), starts all
  clients at once, sends ten requests per client, and runs with an FP8 KV cache and 8,192 prompt tokens per step.
* Where a row multiplied its degrees of parallelism (tp 4 x ep 4 written as 16), the run's name decides.
* A row whose degrees are no layout of one engine (tp 28, prefill and decode apart) is left out and counted.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from configurator.catalogue import Catalogue, UnknownName, find_gpu, find_model
from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat

INFERENCEX_LENGTH: Final = 0.9
INFERENCEX_WAVES: Final = 10.0
INFERENCEX_CHUNK: Final = 8192

CHECK_GPUS: Final = ("nvidia-h200-sxm-141gb", "nvidia-gb200", "nvidia-rtx-5090")
"""GPU classes that calibration never sees."""
CHECK_FAMILIES: Final = ("glm", "kimi")
"""Model families that calibration never sees."""
CHECK_EVERY: Final = 4
"""Of the other groups (GPU and model family) one in so many, by checksum of the name, is kept for checking."""

SAME_SHAPE: Final = {
    "deepseek-v3": "deepseek-v3",
    "deepseek-r1": "deepseek-v3",
    "deepseek-v3.1": "deepseek-v3",
    "kimi-k2": "kimi-k2",
    "kimi-k2.5": "kimi-k2",
    "kimi-k2-thinking": "kimi-k2",
    "llama-3-8b": "llama-8b",
    "llama-3.1-8b": "llama-8b",
    "llama-3-70b": "llama-70b",
    "llama-3.1-70b": "llama-70b",
    "llama-3.3-70b": "llama-70b",
    "glm-4.5": "glm-4.6",
    "glm-4.6": "glm-4.6",
    "glm-4.7": "glm-4.6",
}
"""Models with the same shape count as one, so that a run published under two names stays on one side."""


Lengths = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """One measurement with everything the model is asked."""

    id: str
    source: str
    gpu: GpuRecord
    gpus: int
    model: ModelRecord
    weights: WeightFormat
    kv: str
    engine: str
    version: str
    tensor: int
    pipeline: int
    experts: int
    data_attention: int
    instances: int
    input_tokens: float
    output_tokens: float
    users: float | None
    burst: int | None
    """All requests of the test sent at once."""
    waves: float
    chunk: int
    max_sequences: int
    max_model_len: int
    poll_steps: float
    accepted: float
    varied: bool
    """Answer lengths vary as in chats; False: all the same."""
    context_only: bool
    """Decode alone at a given context, prompts not counted."""
    power_limit_w: float | None
    interconnect: str
    split: str
    group: str
    quality: str
    strict: bool
    ttft_s: float | None = None
    tpot_s: float | None = None
    output_rate: float | None = None
    prefill_rate: float | None = None
    notes: str = ""
    flags: tuple[str, ...] = field(default=())

    @property
    def dense(self) -> bool:
        """No mixture of experts."""
        return self.model.moe is None


def family_of(model: ModelRecord) -> str:
    """Name under which models of one shape are grouped."""
    return SAME_SHAPE.get(model.id, model.id)


def group_of(gpu: GpuRecord, model: ModelRecord) -> str:
    """The unit of the split: GPU model and model shape."""
    return f"{gpu.id}|{family_of(model)}"


def split_of(gpu: GpuRecord, model: ModelRecord) -> str:
    """calibration or check, by a rule that looks at names only."""
    group = group_of(gpu, model)
    if gpu.id in CHECK_GPUS or any(model.id.startswith(name) for name in CHECK_FAMILIES):
        return "check"
    return "check" if zlib.crc32(f"reality|{group}".encode()) % CHECK_EVERY == 0 else "calibration"


def serving_cases(folder: Path, catalogue: Catalogue, skipped: dict[str, int]) -> Iterator[Case]:
    """Rows of serving_datacentre.csv, each run once."""
    path = folder / "serving_datacentre.csv"
    if not path.exists():
        return
    runs: dict[tuple[object, ...], list[Case]] = {}
    with path.open(newline="") as stream:
        for row in csv.DictReader(stream):
            case = _serving_case(row, catalogue, skipped)
            if case is None:
                continue
            degrees_of = (case.tensor, case.experts, case.data_attention)
            settings = (case.gpu.id, family_of(case.model), case.engine, case.weights.id, degrees_of)
            key = (*settings, case.users, case.input_tokens, case.output_tokens, case.ttft_s, case.tpot_s)
            runs.setdefault(key, []).append(case)
    curated = {(family_of(case.model), case.engine) for named in runs.values() for case in named if "cfg" in case.id}
    for named in runs.values():
        for _ in named[1:]:
            count_skipped(skipped, "the same run under another name")
        first = named[0]
        listed = any("cfg" in case.id for case in named)
        told = (family_of(first.model), first.engine) in curated
        if first.model.mtp_layers and told and not listed and _raw_name(first.id):
            first = replace(first, flags=(*first.flags, DRAFT_UNKNOWN))
        yield first


def _raw_name(name: str) -> bool:
    """InferenceX's own listing, which mixes runs with and without a draft."""
    return name.startswith(("20", "qwen3_5", "glm", "dsr1"))


DRAFT_UNKNOWN: Final = "draft not stated"
"""The model brings its own draft layer, the listing mixes runs with and without it and does not say which: the run
counts only where the curated listing (runs without a draft, names with cfg) holds it too."""


SHARED_PROMPT: Final = "one prompt for all clients"
"""Decode tests that give every client the same long prompt: the cache is shared and read once (128 clients with
32,768 tokens each ran where a cache of 60 such prompts fits)."""


def count_skipped(skipped: dict[str, int], why: str) -> None:
    """One more row left out for this reason."""
    skipped[why] = skipped.get(why, 0) + 1


WEIGHTS: Final = {
    "fp8": "fp8",
    "fp8_block": "fp8",
    "fp4": "nvfp4",
    "nvfp4": "nvfp4",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "fp16",
    "f16": "f16",
    "int4": "int4-g32",
    "int4_wo": "int4-g32",
    "awq-int4": "awq-int4",
    "gptq-int4": "gptq-int4",
    "mxfp4": "mxfp4",
    "w4a16_mxfp4": "mxfp4",
    "w4a8_mxfp4_mxfp8": "mxfp4",
    "": "bf16",
}


def _serving_case(row: dict[str, str], catalogue: Catalogue, skipped: dict[str, int]) -> Case | None:
    try:
        gpu = find_gpu(catalogue, row["gpu"])
        found = find_model(catalogue, row["model"])
    except UnknownName:
        count_skipped(skipped, f"not in the catalogue: {row['gpu']} or {row['model']}")
        return None
    text = row["weights"] or row["gemm_quant"] or ""
    name = WEIGHTS.get(text.lower())
    if name is None or name not in catalogue.weight_formats:
        count_skipped(skipped, f"weights {text}")
        return None
    users = number_of(row["concurrency"])
    if users is None:
        count_skipped(skipped, "no concurrency")
        return None
    layout = _degrees(row, gpu)
    if layout is None:
        count_skipped(skipped, "degrees that are no layout of one engine")
        return None
    tensor, experts, attention = layout
    engine = {"trtllm": "tensorrt-llm"}.get(row["engine"], row["engine"])
    public = "rc3" not in row["engine_version"] and not row["id"].startswith(("nvidia_", "qwen_", "meta_", "deepseek_"))
    scale = INFERENCEX_LENGTH if public else 1.0
    stated = (float(row["input_tokens"]), float(row["output_tokens"]))
    input_tokens, output_tokens = stated[0] * scale, stated[1] * scale
    batch = number_of(row["batch_size"])
    if (
        batch is not None
        and batch != users
        and (found.model.moe is None or not (public or row["attention_data_parallel"]))
    ):
        # Several copies together: the batch is what one of them held.
        users = batch
    return Case(
        id=row["id"],
        source="aiconfigurator-core 0.12.0 (Apache-2.0)",
        gpu=gpu,
        gpus=tensor,
        model=found.model,
        weights=catalogue.weight_formats[name],
        kv=infx_cache(engine, gpu) if public else "auto",
        engine=engine,
        version=row["engine_version"],
        tensor=tensor,
        pipeline=int(number_of(row["pipeline_parallel"]) or 1),
        experts=experts,
        data_attention=attention,
        instances=1,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        users=users,
        burst=None,
        waves=INFERENCEX_WAVES,
        chunk=32768 if engine == "sglang" else INFERENCEX_CHUNK,
        max_sequences=1024,
        max_model_len=int(float(row["input_tokens"]) + float(row["output_tokens"]) + 256),
        poll_steps=polls(engine, users, found.model, gpu, tensor, stated) if public else 0.0,
        accepted=1.0,
        varied=False,
        context_only=False,
        power_limit_w=None,
        interconnect="",
        split=split_of(gpu, found.model),
        group=group_of(gpu, found.model),
        quality="A",
        strict=True,
        ttft_s=float(row["time_to_first_token_ms"]) / 1e3,
        tpot_s=float(row["time_per_output_token_ms"]) / 1e3,
    )


def infx_cache(engine: str, gpu: GpuRecord) -> str:
    """InferenceX launch scripts set an FP8 cache; on H100 with vLLM its first runs saturate as with 16 bit."""
    return "auto" if engine == "vllm" and "hopper" in gpu.architecture.lower() else "fp8"


POLLED: Final = ("deepseek-v3", "qwen3.5-397b-a17b")


def polls(engine: str, users: float, model: ModelRecord, gpu: GpuRecord, tensor: int, lengths: Lengths) -> float:
    """Steps between two looks at the queue or two parts of an answer in InferenceX's launch scripts.

    SGLang sends its answers every 30 steps on Blackwell and every 10 on Hopper, and for some models also looks at
    its queue every 10 or 30 steps. TensorRT-LLM waits up to 20 steps to fill a batch for dense models at 1,024 in
    and 1,024 out below 8 GPUs (twice here: that wait is a whole one, the others are half a one on average).
    """
    if engine == "sglang":
        if "hopper" in gpu.architecture.lower():
            return 10.0
        look = (30.0 if users >= 16 else 10.0) if family_of(model) in POLLED else 0.0
        return look + 30.0
    if engine == "tensorrt-llm" and model.moe is None and tensor < 8 and lengths == (1024.0, 1024.0):
        return 40.0
    return 0.0


def number_of(text: Any) -> float | None:
    """A number, None for an empty cell or words."""
    if text is None or text == "":
        return None
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _degrees(row: dict[str, str], gpu: GpuRecord) -> tuple[int, int, int] | None:
    """(GPUs of the group, expert ranks, attention ranks with own requests) of a serving row."""
    tensor = int(number_of(row["tensor_parallel"]) or 1)
    data = int(number_of(row["attention_data_parallel"]) or 1)
    slices = int(number_of(row["moe_tensor_parallel"]) or 1)
    ranks = int(number_of(row["moe_expert_parallel"]) or 1)
    return degrees(row["id"], tensor, data, slices, ranks, gpu)


def degrees(name: str, tensor: int, data: int, slices: int, ranks: int, gpu: GpuRecord) -> tuple[int, int, int] | None:
    """Undo multiplied degrees: the name of the run says tpN_epM; without a name the columns are compared."""
    named = re.search(r"tp(\d+)(?:_\d+)?_ep(\d+|none)", name)
    if named:
        size = int(named.group(1))
    elif tensor == 1 and data > 1:
        size = ranks if slices == ranks and slices * ranks == data else data
    elif tensor > gpu.link_max_group or tensor > 8:
        size = slices if slices == ranks and slices * ranks == tensor else tensor
    else:
        size = tensor
    if size not in (1, 2, 4, 8):
        return None
    if named and named.group(2) != "none":
        experts = int(named.group(2))
    elif slices * ranks == size:
        experts = ranks
    else:
        experts = min(ranks, size)
    if experts < 1 or size % experts:
        return None
    attention = size if tensor == 1 and data > 1 and size > 1 else 1
    return size, experts, attention
