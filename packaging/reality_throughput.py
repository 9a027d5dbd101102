"""Rows of throughput.json as cases: published single measurements, each with its own layout and load."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reality_rows import (
    INFERENCEX_CHUNK,
    INFERENCEX_LENGTH,
    INFERENCEX_WAVES,
    SHARED_PROMPT,
    Case,
    Lengths,
    count_skipped,
    group_of,
    infx_cache,
    number_of,
    polls,
    split_of,
)

from configurator.catalogue import Catalogue, UnknownName, find_gpu, find_model
from configurator.catalogue.records import WeightFormat

GPU_NAMES: Final = {
    "rtx 4080 16gb": "nvidia-rtx-4080-super",
    "rtx 4070 ti 12gb": "nvidia-rtx-4070-ti-super",
}


def throughput_cases(folder: Path, catalogue: Catalogue, skipped: dict[str, int]) -> Iterator[Case]:
    """Rows of throughput.json that carry what a prediction needs."""
    path = folder / "throughput.json"
    if not path.exists():
        return
    loaded = json.loads(path.read_text())
    rows = loaded if isinstance(loaded, list) else loaded["rows"]
    for row in rows:
        case = _throughput_case(row, catalogue, skipped)
        if case is not None:
            yield case


def _row_weights(row: dict[str, Any], catalogue: Catalogue, found: str | None) -> WeightFormat | None:
    text = str(row["quant"] or "").lower()
    for pattern, name in (
        ("q4_k_m", "q4_k_m"),
        ("q5_k_m", "q5_k_m"),
        ("q6_k", "q6_k"),
        ("q8_0", "q8_0"),
        ("iq1_s", "iq1_s"),
        ("ollama default", "q4_k_m"),
        ("f16", "f16" if "llama.cpp" in str(row["engine"]) else "fp16"),
        ("awq", "awq-int4"),
        ("gptq", "gptq-int4"),
        ("autoround", "gptq-int4"),
        ("nvfp4", "nvfp4"),
        ("mxfp4", "mxfp4"),
        ("int4", "int4-g32"),
        ("fp8", "fp8"),
        ("fp4", "nvfp4"),
        ("bf16", "bf16"),
        ("fp16", "fp16"),
    ):
        if pattern in text and name in catalogue.weight_formats:
            return catalogue.weight_formats[name]
    if not text and found in catalogue.weight_formats:
        return catalogue.weight_formats[str(found)]
    return None


def _engine_of(row: dict[str, Any]) -> str | None:
    text = str(row["engine"] or "").lower()
    if "vulkan" in text:
        return None
    for pattern, name in (
        ("sglang", "sglang"),
        ("tensorrt", "tensorrt-llm"),
        ("vllm", "vllm"),
        ("llama.cpp", "llama.cpp"),
        ("ollama", "llama.cpp"),
    ):
        if pattern in text:
            return name
    return None


def _reason_against(row: dict[str, Any], engine: str | None) -> str | None:
    """Why a row of throughput.json is no measurement the model can be asked; None: it can."""
    notes = str(row["notes"] or "")
    infx = row["id"].startswith("tp-infx")
    reasons = (
        (row["result"] != "ok", "not a speed"),
        (row["quality"] == "C", "quality C"),
        (row["spec_decode"], "speculative decoding with an acceptance nobody printed"),
        (
            engine is None or not row["gpu_model"] or not row["model"],
            "no engine, GPU or model stated, or one that is not modelled",
        ),
        (not row["gpu_count"] or (row["nodes"] or 1) > 1, "several servers or number of GPUs not stated"),
        (infx and (row["quality"] != "A" or "disagg" in notes), "prefill and decode apart or degrees multiplied"),
        ("part of the layers on the CPU" in notes or "RPC" in notes, "layers on the CPU or over RPC"),
    )
    return next((why for applies, why in reasons if applies), None)


@dataclass(frozen=True)
class _Asked:
    """What a row of throughput.json asked for."""

    input_tokens: float
    output_tokens: float
    stated: Lengths
    context_only: bool
    users: float | None
    burst: int | None


def _asked(row: dict[str, Any], engine: str, scale: float) -> _Asked | str:
    """Lengths and load of a row, or why it has none."""
    context_only = row["context_len"] is not None and row["input_len"] is None
    output_tokens = float(row["output_len"] or (512 if context_only else 200)) * scale
    if context_only:
        input_tokens = float(row["context_len"] or 0.0)
    elif row["input_len"] is not None:
        input_tokens = float(row["input_len"]) * scale
    elif engine == "llama.cpp" or (row["concurrency"] or 0) == 1:
        input_tokens, context_only = 200.0, True
    else:
        return "prompt length not stated"
    users = number_of(row["concurrency"])
    burst = int(row["num_prompts"]) if users is None and row["num_prompts"] else None
    if users is None and burst is None:
        return "load not stated"
    if output_tokens < 16 and not context_only:
        return "answers of a few tokens"
    stated = (float(row["input_len"] or 0), float(row["output_len"] or 0))
    return _Asked(input_tokens, output_tokens, stated, context_only, users, burst)


def _throughput_case(row: dict[str, Any], catalogue: Catalogue, skipped: dict[str, int]) -> Case | None:
    engine = _engine_of(row)
    why = _reason_against(row, engine)
    if why is not None or engine is None:
        count_skipped(skipped, why or "no engine")
        return None
    gpu_text = str(row["gpu_model"])
    try:
        gpu = catalogue.gpus[GPU_NAMES[gpu_text.lower()]] if gpu_text.lower() in GPU_NAMES else None
        gpu = gpu or find_gpu(catalogue, gpu_text)
        found = find_model(catalogue, str(row["model"]))
    except UnknownName:
        count_skipped(skipped, "GPU or model not in the catalogue")
        return None
    weights = _row_weights(row, catalogue, found.weight_format_id)
    if weights is None:
        count_skipped(skipped, "weight format not stated")
        return None
    infx = row["id"].startswith("tp-infx")
    gpus = int(row["gpu_count"])
    instances = int(row["instances"] or 1)
    tensor, pipeline = int(row["tp"] or 1), int(row["pp"] or 1)
    if engine == "llama.cpp":
        tensor, pipeline = 1, gpus
    if tensor * pipeline * instances != gpus:
        count_skipped(skipped, "degrees do not give the number of GPUs")
        return None
    asked = _asked(row, engine, INFERENCEX_LENGTH if infx else 1.0)
    if isinstance(asked, str):
        count_skipped(skipped, asked)
        return None
    users, burst = asked.users, asked.burst
    notes = str(row["notes"] or "")
    flags: tuple[str, ...] = ()
    if row["context_len"] and (row["concurrency"] or 1) > 1 and row["input_len"] is None:
        flags = (SHARED_PROMPT,)
    ttft = row["ttft_ms_mean"]
    tpot = row["tpot_ms_mean"]
    prompts = row["num_prompts"]
    waves = INFERENCEX_WAVES if infx else (prompts / users if prompts and users else float("inf"))
    limit = re.search(r"max_model_len (\d+)", notes)
    sequences = re.search(r"--max-num-seqs (\d+)", notes) or re.search(r"mns (\d+)", notes)
    chunk = re.search(r"mnbt (\d+)", notes) or re.search(r"max[-_]num[-_](?:batched[-_])?tokens[= ](\d+)", notes)
    version = str(row["engine_version"] or "")
    return Case(
        id=row["id"],
        source=row["source"],
        gpu=gpu,
        gpus=gpus,
        model=found.model,
        weights=weights,
        kv=infx_cache(engine, gpu) if infx else _cache(row["kv_dtype"]),
        engine=engine,
        version=version,
        tensor=tensor,
        pipeline=pipeline,
        experts=int(row["ep"] or 1) if tensor % int(row["ep"] or 1) == 0 else 1,
        data_attention=1,
        instances=instances,
        input_tokens=asked.input_tokens,
        output_tokens=asked.output_tokens,
        users=users,
        burst=burst,
        waves=max(1.0, waves),
        chunk=int(chunk.group(1)) if chunk else (INFERENCEX_CHUNK if infx else 0),
        max_sequences=int(sequences.group(1)) if sequences else 0,
        max_model_len=int(limit.group(1)) if limit else 0,
        poll_steps=polls(engine, users or 0.0, found.model, gpu, tensor, asked.stated) if infx else 0.0,
        accepted=1.0,
        varied="sharegpt" in str(row["dataset"] or "").lower(),
        context_only=asked.context_only,
        power_limit_w=row["power_limit_w"],
        interconnect=str(row["interconnect"] or ""),
        split=split_of(gpu, found.model),
        group=group_of(gpu, found.model),
        quality=row["quality"],
        strict=bool(row["strict"]),
        ttft_s=ttft / 1e3 if ttft and burst is None else None,
        tpot_s=tpot / 1e3 if tpot and burst is None else None,
        output_rate=row["output_tok_s"],
        prefill_rate=row["prefill_tok_s"],
        notes=notes,
        flags=flags,
    )


def _cache(text: Any) -> str:
    name = str(text or "auto").lower()
    for known in ("fp8", "q8_0", "q4_0", "int8"):
        if known in name:
            return "fp8" if known == "int8" else known
    return "auto"
