"""A case of ``configurator size``: its fields, their types and limits, and what they may be called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TASKS = ("serve", "batch", "lora", "qlora", "full", "pretrain")
ENGINES = ("vllm", "sglang", "llama.cpp", "tensorrt-llm")
HOSTS = ("linux", "wsl2", "windows", "macos")
MOST_GPUS = 65_536
MOST_TOKENS = 100_000_000


class CaseError(Exception):
    """A case that cannot be understood; the text is one sentence for a person."""


SYNONYMS = {
    "tp": "tensor_parallel",
    "tensor_parallel_size": "tensor_parallel",
    "pp": "pipeline_parallel",
    "pipeline_parallel_size": "pipeline_parallel",
    "ep": "expert_parallel",
    "dp": "data_parallel",
    "data_parallel_size": "data_parallel",
    "dcp": "decode_context_parallel",
    "decode_context_parallel_size": "decode_context_parallel",
    "kv_quant": "kv",
    "quantization": "weights",
    "weight_format": "weights",
    "weight_quant": "weights",
    "max_seq_len": "max_model_len",
    "context_length": "max_model_len",
    "ctx_size": "max_model_len",
    "concurrency": "users",
    "mem_fraction_static": "gpu_memory_utilization",
    "kv_cache": "kv",
    "kv_dtype": "kv",
    "kv_cache_dtype": "kv",
    "gpu_count": "count",
    "block_tokens": "block_size",
}

COUNTS = {
    "count": MOST_GPUS,
    "servers": MOST_GPUS,
    "tensor_parallel": MOST_GPUS,
    "pipeline_parallel": MOST_GPUS,
    "replicas": MOST_GPUS,
    "data_parallel": MOST_GPUS,
    "decode_context_parallel": 1024,
    "data_parallel_attention": 1024,
    "max_model_len": MOST_TOKENS,
    "max_num_seqs": 10_000_000,
    "max_num_batched_tokens": MOST_TOKENS,
    "block_size": 65_536,
    "input_tokens": MOST_TOKENS,
    "output_tokens": MOST_TOKENS,
    "context_tokens": MOST_TOKENS,
    "users": 10_000_000,
    "sequence_tokens": MOST_TOKENS,
    "micro_batch": 1_000_000,
    "lora_rank": 65_536,
    "context_parallel": 65_536,
}
"""Whole numbers from 1, with the largest that makes sense."""

CHOICES = {
    "engine": ENGINES,
    "task": TASKS,
    "host": HOSTS,
    "optimizer": ("adamw", "adamw_8bit", "sgd"),
    "sharding": ("none", "zero1", "zero2", "zero3", "fsdp"),
    "checkpointing": ("none", "selective", "full"),
    "precision": ("mixed", "bf16"),
    "lora_targets": ("attention", "all_linear"),
}

TEXTS = ("gpu", "model", "weights", "kv", "fabric", "engine_version", "date")
FLAGS = ("enforce_eager", "chunked_prefill", "drives_display", "offload", "chunked_loss", "remedies", "speed")


@dataclass(frozen=True, slots=True)
class Case:
    """A checked case. ``values`` holds what was given; anything else has the engine's default."""

    gpus: tuple[tuple[str, int], ...]
    values: Mapping[str, Any]
    model_config: Any
    ignored: tuple[str, ...]
    id: Any = None

    def number(self, name: str) -> int | None:
        """A whole number, or None when it was not given."""
        value: int | None = self.values.get(name)
        return value

    def text(self, name: str) -> str | None:
        """A text, or None when it was not given."""
        value: str | None = self.values.get(name)
        return value

    def flag(self, name: str) -> bool:
        """A switch; off when it was not given."""
        return bool(self.values.get(name))


def read_case(raw: Mapping[str, Any]) -> Case:
    """Check a case. Raises CaseError with what is wrong, where, and what would be right."""
    values: dict[str, Any] = {}
    ignored: list[str] = []
    config: Any = None
    gpus: Any = None
    for given, value in raw.items():
        name = SYNONYMS.get(given, given).replace("-", "_")
        if value is None or name == "id":
            continue
        if name == "gpus":
            gpus = value
        elif name == "model_config":
            config = value
        elif name in COUNTS:
            values[name] = _count(name, value)
        elif name in CHOICES:
            values[name] = _choice(name, value)
        elif name in TEXTS:
            values[name] = _text(name, value)
        elif name in FLAGS:
            values[name] = _flag(name, value)
        elif name == "gpu_memory_utilization":
            values[name] = _share(name, value)
        elif name == "gpu_memory_gib":
            values[name] = _positive(name, value)
        elif name == "speculative_tokens":
            values[name] = 0 if value in (0, False) else _whole(name, value, 0, 64)
        elif name == "expert_parallel":
            values[name] = value if isinstance(value, bool) else _whole(name, value, 1, MOST_GPUS)
        else:
            ignored.append(str(given)[:60])
    return Case(_gpus(gpus, values), values, config, tuple(ignored), raw.get("id"))


def _gpus(gpus: Any, values: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    if gpus:
        if not isinstance(gpus, list):
            raise CaseError("“gpus” is a list of objects with “gpu” and “count”.")
        found = []
        for each in gpus:
            if not isinstance(each, dict) or "gpu" not in each:
                raise CaseError("Each entry of “gpus” is an object with “gpu” and “count”.")
            found.append((_text("gpu", each["gpu"]), _count("count", each.get("count", 1))))
        total = sum(count for _, count in found)
        if total > MOST_GPUS:
            raise CaseError(f"{total} GPUs are more than this command sizes ({MOST_GPUS}).")
        return tuple(found)
    if "gpu" not in values:
        raise CaseError("The case names no GPU: give “gpu” and “count”, or “gpus”.")
    count = values.get("count")
    if count is None:
        count = (values.get("tensor_parallel") or 1) * (values.get("pipeline_parallel") or 1)
        count *= values.get("replicas") or 1
    return ((values["gpu"], min(count, MOST_GPUS)),)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    number = not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)
    if not number or value != int(value):
        raise CaseError(f"“{name}” is a whole number, not {_shown(value)}.")
    if not least <= value <= most:
        raise CaseError(f"“{name}” lies between {least} and {most}, not {_shown(value)}.")
    return int(value)


def _count(name: str, value: Any) -> int:
    return _whole(name, value, 1, COUNTS[name])


def _share(name: str, value: Any) -> float:
    number = _positive(name, value)
    if number > 1:
        raise CaseError(f"“{name}” is a share between 0 and 1, not {_shown(value)}.")
    return number


def _positive(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise CaseError(f"“{name}” is a number above 0, not {_shown(value)}.")
    return float(value)


def _choice(name: str, value: Any) -> str:
    text = _text(name, value).lower().replace("_", "-") if name == "engine" else _text(name, value).lower()
    text = {"llamacpp": "llama.cpp", "llama-cpp": "llama.cpp", "trt-llm": "tensorrt-llm", "trtllm": "tensorrt-llm"}.get(
        text, text
    )
    if text not in CHOICES[name]:
        raise CaseError(f"“{name}” is one of {', '.join(CHOICES[name])}, not {_shown(value)}.")
    return text


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 400:
        raise CaseError(f"“{name}” is a text, not {_shown(value)}.")
    return value.strip()


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool) and value not in (0, 1):
        raise CaseError(f"“{name}” is true or false, not {_shown(value)}.")
    return bool(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
