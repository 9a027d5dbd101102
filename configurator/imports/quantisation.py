"""How a configuration says its weights are stored -> a weight format of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PARTS = (
    ("attention", r"self_attn|self_attention|\battn\b|attention|q_proj|qkv"),
    ("shared_experts", r"shared_expert"),
    ("linear_or_ssm", r"linear_attn|mamba|mixer\.(in|out)_proj|\bssm\b"),
    ("indexer", r"indexer"),
    ("routed_experts", r"\bexperts\b"),
    ("dense_mlp", r"\bmlp\b|feed_forward|\bffn\b"),
)
"""Components and what their modules are called in lists of what stays unquantised."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Weight format id, parts left at 16 bits besides the format's own, and the method when it is not known."""

    weight_format_id: str
    plain_parts: frozenset[str] = frozenset()
    unknown_method: str = ""


def stored_as(raw: Mapping[str, Any], layers: int) -> Stored:
    """The weight format a configuration describes."""
    config = next(
        (
            found
            for place in (raw, raw.get("text_config"), raw.get("llm_config"), raw.get("language_config"))
            if isinstance(place, Mapping)
            for name in ("quantization_config", "compression_config", "quantization")
            if isinstance(found := place.get(name), Mapping) and found
        ),
        None,
    )
    if config is None:
        return Stored(_plain(raw))
    method = str(config.get("quant_method") or config.get("quant_algo") or "").lower()
    if not method and "bits" in config and "group_size" in config:
        return Stored(f"mlx-{config['bits']}bit" if config["bits"] in (3, 4, 5, 6, 8) else "bf16")
    name = _format(method, config, raw)
    if name is None:
        return Stored(_plain(raw), unknown_method=method or "?")
    return Stored(name, _left_alone(config, layers))


def _plain(raw: Mapping[str, Any]) -> str:
    dtype = str(raw.get("torch_dtype") or raw.get("dtype") or "")
    if not dtype:
        inner = raw.get("text_config")
        dtype = str(inner.get("torch_dtype") or inner.get("dtype") or "") if isinstance(inner, Mapping) else ""
    # Engines load 32-bit checkpoints as 16-bit ones.
    return "fp16" if "float16" in dtype and "b" not in dtype else "bf16"


def _format(method: str, config: Mapping[str, Any], raw: Mapping[str, Any]) -> str | None:
    bits = config.get("bits")
    if method in ("fp8", "fbgemm_fp8", "ptpc_fp8"):
        if "fp4" in str(raw.get("expert_dtype", "")).lower():
            return "fp4-experts-fp8"
        if method != "fp8":
            return "fp8-channel"
        return "fp8" if config.get("weight_block_size") else "fp8-tensor"
    if method in ("awq", "awq_marlin"):
        return "awq-int4"
    if method in ("gptq", "gptq_marlin", "auto-round", "auto_round", "intel/auto-round", "autoround"):
        return "gptq-int8" if bits == 8 else "gptq-int4"
    if method in ("bitsandbytes", "bitsandbytes_4bit"):
        if config.get("load_in_8bit"):
            return "int8"
        return "nf4-double" if config.get("bnb_4bit_use_double_quant") else "nf4"
    if method in ("mxfp4", "gpt_oss_mxfp4"):
        return "mxfp4"
    if method == "mxfp8":
        return "mxfp8"
    if method.startswith("modelopt") or method in ("nvfp4", "fp8_pb_wo"):
        algorithm = str(config.get("quant_algo") or method).upper()
        if "FP4" in algorithm:
            return "nvfp4"
        return "fp8" if "PB" in algorithm else "fp8-tensor"
    if method in ("compressed-tensors", "compressed_tensors", "quark"):
        return _compressed(config)
    return None


def _compressed(config: Mapping[str, Any]) -> str | None:
    groups = config.get("config_groups")
    if not isinstance(groups, Mapping):
        groups = {"all": config.get("global_quant_config")}
    found: list[str] = []
    for group in groups.values():
        weights = group.get("weights", group.get("weight")) if isinstance(group, Mapping) else None
        if not isinstance(weights, Mapping):
            continue
        bits, kind = weights.get("num_bits"), str(weights.get("type") or weights.get("dtype") or "int")
        size = weights.get("group_size")
        if "fp4" in kind or (bits == 4 and "float" in kind):
            found.append("mxfp4" if size == 32 or "mx" in str(config.get("format")) else "nvfp4")
        elif "fp8" in kind or (bits == 8 and "float" in kind):
            strategy = str(weights.get("strategy") or "channel")
            found.append({"tensor": "fp8-tensor", "block": "fp8"}.get(strategy, "fp8-channel"))
        elif bits == 8:
            found.append("int8")
        elif bits == 4:
            found.append("int4-g32" if size == 32 else "w4a16")
    # A mix of widths counts as its narrowest group, which holds the bulk.
    order = ("nvfp4", "mxfp4", "w4a16", "int4-g32", "int8", "fp8", "fp8-tensor", "fp8-channel")
    return next((name for name in order if name in found), None)


def _left_alone(config: Mapping[str, Any], layers: int) -> frozenset[str]:
    """Parts whose every layer stands in the list of what is not quantised."""
    names: list[str] = []
    for key in (
        "ignore",
        "ignored_layers",
        "modules_to_not_convert",
        "exclude_modules",
        "exclude",
        "llm_int8_skip_modules",
    ):
        value = config.get(key)
        if isinstance(value, list):
            names.extend(str(each)[:300] for each in value[:100_000])
    found: set[str] = set()
    for part, pattern in PARTS:
        numbers: set[str] = set()
        for name in names:
            if "gate" in name and "gate_proj" not in name and part != "attention":
                continue
            if part in ("dense_mlp", "routed_experts") and "shared_expert" in name:
                continue
            if part == "dense_mlp" and re.search(r"\bexperts\b", name):
                continue
            if part == "attention" and "linear_attn" in name:
                continue
            if "visual" in name or "vision" in name or not re.search(pattern, name):
                continue
            number = re.search(r"\.(\d+)\.", name)
            if number is None:
                found.add(part)
                break
            numbers.add(number.group(1))
        if layers and len(numbers) >= 0.9 * layers:
            found.add(part)
    return frozenset(found)
