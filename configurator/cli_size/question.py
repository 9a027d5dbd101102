"""What a case asks for, with every name resolved: model, weights, cards, settings, load."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from configurator.catalogue import ModelMatch, UnknownNameError, find_gpu, find_model
from configurator.catalogue.records import Checkpoint, GpuRecord, ModelRecord, WeightFormat
from configurator.cli_size.case import Case, CaseError
from configurator.cli_size.layouts import Ground
from configurator.sizing import (
    DeviceMemory,
    ServeLoad,
    ServeSettings,
    device_memory,
    element_bytes,
    upload_format,
    upload_model,
)
from configurator.sizing.devices import visible_memory
from configurator.sizing.kv import ELEMENT_BYTES
from configurator.sizing.profiles import GIB, variant_released, version_on
from configurator.terms import Message, message

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue

WEIGHT_NAMES = {
    "unquantised": "bf16",
    "unquantized": "bf16",
    "bfloat16": "bf16",
    "float16": "fp16",
    "half": "fp16",
    "float32": "fp32",
    "fp8_e4m3": "fp8",
    "fp8-block": "fp8",
    "fp8-dynamic": "fp8-channel",
    "w8a8": "int8",
    "8bit": "int8",
    "int4": "awq-int4",
    "4bit": "awq-int4",
    "awq": "awq-int4",
    "awq-4bit": "awq-int4",
    "gptq": "gptq-int4",
    "gptq-4bit": "gptq-int4",
    "compressed-tensors": "w4a16",
    "bnb": "nf4",
    "bnb-4bit": "nf4",
    "bitsandbytes": "nf4",
    "qlora": "nf4",
    "fp4": "nvfp4",
    "autoround": "w4a16",
    "auto-round": "w4a16",
    "int4-auto-round": "w4a16",
    "int4-autoround": "w4a16",
    "fp8+fp4-experts": "fp4-experts-fp8",
    "fp4-experts": "fp4-experts-fp8",
    "awq-4-bit": "awq-int4",
    "gptq-4-bit": "gptq-int4",
    "gptq-int4-128g": "gptq-int4",
    "bnb-int4": "nf4",
    "bnb-int8": "int8",
}
"""What people call number formats -> catalogue ids."""

GENERAL = {"int4": "int4", "4bit": "int4", "int8": "int8", "fp8": "fp8", "fp4": "fp4"}
"""Words that leave the details to the upload -> how its format begins."""

TRAINING = ("lora", "qlora", "full", "pretrain")


class Question:
    """One case with its names resolved. Raises CaseError or UnknownNameError."""

    def __init__(self, case: Case, catalogue: Catalogue) -> None:
        self.case = case
        self.catalogue = catalogue
        self.notes: list[Message] = []
        self.stored: WeightFormat | None = None
        self.model, checkpoint, named = self._model()
        self.weight_format = self._weights(checkpoint, named)
        self.engine = case.text("engine") or ("llama.cpp" if self.weight_format.family == "gguf" else "vllm")
        self.task = case.text("task") or "serve"
        self.training = self.task in TRAINING
        self.ground = self._ground()
        self.settings = self._settings()
        self.load = self._load()

    def _model(self) -> tuple[ModelRecord, Checkpoint | None, str | None]:
        config = self.case.model_config
        name = self.case.text("model")
        if config is not None:
            from configurator.imports import read_model

            found = read_model(config if isinstance(config, dict) else Path(str(config)))
            self.notes.extend(found.notes)
            self.stored = found.weight_format(self.catalogue)
            return found.model, None, found.weight_format_id
        if name is None:
            raise CaseError("The case names no model: give “model” or “model_config”.")
        match = _model(self.catalogue, name)
        return upload_model(match.model, match.checkpoint), match.checkpoint, match.weight_format_id

    def _weights(self, checkpoint: Checkpoint | None, named: str | None) -> WeightFormat:
        asked = _plain(self.case.text("weights"))
        formats = self.catalogue.weight_formats
        if self.stored is not None and asked is None and self.case.text("task") != "qlora":
            return self.stored
        own = next((each for each in self.model.checkpoints if each.hf_id == self.model.hf_id), None)
        if asked in (None, "", "auto", "native", "none"):
            chosen = named or (own.weight_format if own is not None else "bf16")
            if self.case.text("task") == "qlora":
                chosen, checkpoint = "nf4", None
            return upload_format(self.model, formats.get(chosen, formats["bf16"]), checkpoint or own)
        found = _format(formats, asked or "")
        if found is None:
            raise CaseError(
                f"There is no weight format “{self.case.text('weights')}”. Known: {', '.join(sorted(formats))}."
            )
        upload = checkpoint or own
        if upload is not None and (upload.weight_format == found.id or _general(asked or "", upload)):
            # "int4" of a model that is published in INT4 is that upload.
            return upload_format(self.model, formats[upload.weight_format], upload)
        return upload_format(self.model, found, None)

    def _ground(self) -> Ground:
        case = self.case
        devices: dict[str, DeviceMemory] = {}
        bandwidth: dict[str, float] = {}
        order: list[str] = []
        visible = case.values.get("gpu_memory_gib")
        for name, count in case.gpus:
            bare = re.sub(r"\s*\(?wsl2?\)?\s*$", "", name, flags=re.IGNORECASE)
            record, label_gib = _card(self.catalogue, bare)
            if label_gib is not None:
                self.notes.append(message("size.other_memory", card=record.name, memory_gib=label_gib))
                visible = visible or visible_memory(replace(record, id="")) / GIB
            template = device_memory(
                "",
                record,
                case.values.get("host", "linux" if bare == name else "wsl2"),
                drives_display=case.flag("drives_display"),
                visible_bytes=int(visible * GIB) if visible else None,
            )
            for _ in range(count):
                gpu_id = f"gpu{len(order)}"
                order.append(gpu_id)
                devices[gpu_id] = replace(template, gpu_id=gpu_id)
                bandwidth[gpu_id] = record.memory_bandwidth.value
        return Ground(self._servers(order, devices, bandwidth), devices, bandwidth)

    def _servers(
        self, order: list[str], devices: dict[str, DeviceMemory], bandwidth: dict[str, float]
    ) -> tuple[tuple[str, ...], ...]:
        """Cards spread evenly; ``count`` is the total, unless the asked layout needs that many in each server."""
        servers = self.case.number("servers") or 1
        if servers == 1:
            return (tuple(order),)
        needs = 1
        for name in ("tensor_parallel", "pipeline_parallel", "replicas"):
            needs *= self.case.number(name) or 1
        if needs > len(order) and needs <= len(order) * servers:
            for copy in range(1, servers):
                for gpu_id in list(order)[: len(order) // copy]:
                    twin = f"{gpu_id}s{copy}"
                    devices[twin] = replace(devices[gpu_id], gpu_id=twin)
                    bandwidth[twin] = bandwidth[gpu_id]
                    order.append(twin)
        if len(order) < servers:
            raise CaseError(f"{len(order)} GPUs cannot be spread over {servers} servers.")
        base, rest = divmod(len(order), servers)
        parts: list[tuple[str, ...]] = []
        start = 0
        for number in range(servers):
            size = base + (1 if number < rest else 0)
            parts.append(tuple(order[start : start + size]))
            start += size
        return tuple(parts)

    def _settings(self) -> ServeSettings:
        case = self.case
        kv = _cache_format(case.text("kv"))
        version = case.text("engine_version") or ""
        if not version and case.text("date"):
            version = version_on(self.engine, case.text("date") or "")
        return ServeSettings(
            engine=self.engine,
            engine_version=version,
            kv_cache=kv,
            gpu_memory_utilization=case.values.get("gpu_memory_utilization"),
            max_model_len=case.number("max_model_len"),
            max_num_seqs=case.number("max_num_seqs"),
            max_num_batched_tokens=case.number("max_num_batched_tokens"),
            enforce_eager=case.flag("enforce_eager"),
            chunked_prefill=case.values.get("chunked_prefill"),
            block_tokens=case.number("block_size"),
            decode_context_parallel=case.number("decode_context_parallel") or 1,
            speculative_tokens=case.number("speculative_tokens") or 0,
            released=variant_released(case.text("model") or ""),
        )

    def _asked_tokens(self) -> int | None:
        """Tokens a request holds at its end: prompt and answer."""
        if self.case.number("context_tokens") is not None:
            return self.case.number("context_tokens")
        asked = self.case.number("input_tokens"), self.case.number("output_tokens")
        total = sum(each or 0 for each in asked)
        return total or None

    def _load(self) -> ServeLoad:
        """Without a limit of its own the engine is started for requests as long as the asked ones."""
        tokens = self._asked_tokens()
        if self.case.number("max_model_len") is None and tokens is not None and not self.training:
            self.notes.append(message("size.length_taken", context_tokens=tokens))
            return ServeLoad(self.case.number("users"), tokens, tokens)
        return ServeLoad(self.case.number("users"), tokens, None)


@lru_cache(maxsize=4096)
def _model(catalogue: Catalogue, name: str) -> ModelMatch:
    return find_model(catalogue, name)


@lru_cache(maxsize=4096)
def _card(catalogue: Catalogue, name: str) -> tuple[GpuRecord, int | None]:
    """A card by name. A laptop or altered card is its catalogued sister with the memory the name states (in GiB)."""
    try:
        return find_gpu(catalogue, name), None
    except UnknownNameError:
        found = re.fullmatch(
            r"(.*?)\s*(?:laptop|mobile|max-q)?\s*(\d{1,3})\s*G(?:i)?B\s*(?:\(.*\))?", name, re.IGNORECASE
        )
        if found is None:
            raise
        try:
            record = find_gpu(catalogue, found.group(1))
        except UnknownNameError:
            record = None
        if record is None or record.unified_memory or not 2 <= int(found.group(2)) <= 512:
            raise
        label = int(found.group(2))
        return replace(record, memory_label_gb=float(label), memory_usable_bytes=label * GIB), label


def _plain(name: str | None) -> str | None:
    """A format as people write it: lower case, without remarks in brackets, with hyphens."""
    if name is None:
        return None
    text = re.sub(r"\(.*?\)", " ", name.lower()).removeprefix("gguf ").strip()
    return re.sub(r"\s*\+\s*", "+", text).replace(" ", "-")


def _format(formats: Mapping[str, WeightFormat], plain: str) -> WeightFormat | None:
    for written in (plain, plain.replace("_", "-"), plain.replace("-", "_")):
        found = formats.get(WEIGHT_NAMES.get(written, written))
        if found is not None:
            return found
    return None


def _general(asked: str, upload: Checkpoint) -> bool:
    return asked in GENERAL and upload.weight_format.startswith(GENERAL[asked])


def _cache_format(name: str | None) -> str:
    """A KV cache type as people and engines write it. Raises CaseError for one that is not known."""
    plain = _plain(name) or "auto"
    for beginning, known in (("fp8", "fp8"), ("int8", "int8"), ("auto", "auto"), ("none", "auto")):
        if plain.startswith(beginning):
            return known
    plain = plain.replace("-", "_")
    try:
        element_bytes(plain)
    except ValueError:
        known_names = ", ".join(sorted(ELEMENT_BYTES))
        raise CaseError(f"There is no KV cache format “{name}”. Known: {known_names}.") from None
    return plain
