"""Which engine runs which weight format on which card, with what it needs and what the card has.

Sources: vLLM installation pages (compute capability 7.0, releases of late 2026: 7.5; ROCm: gfx90a, gfx942, gfx950,
gfx1100/1101, gfx1200/1201, gfx1150/1151; Apple only through a community plugin), vLLM table "Supported Hardware" of
quantisation (0.9 to 0.15: GPTQ from Volta, AWQ and INT8 from Turing, bitsandbytes from Volta), vLLM FP8 page (0.32:
arithmetic from 8.9, weight-only with Marlin from 7.5; AMD only where the card has FP8), SGLang platform pages (NVIDIA
from 7.5, AMD Instinct MI300 and later), TensorRT-LLM support matrix (NVIDIA from 8.0), llama.cpp build notes (CUDA from
5.0; Metal, ROCm, Vulkan, SYCL for the others).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.catalogue.records import GpuRecord, WeightFormat
from configurator.terms import Message, message

CUDA_NEEDS = {"vllm": 7.0, "sglang": 7.5, "tensorrt-llm": 8.0, "llama.cpp": 5.0}
"""Compute capability an engine asks for on NVIDIA cards."""
CUDA_FORMAT_NEEDS = {"gptq-int4": 7.0, "gptq-int8": 7.0, "mxfp4": 8.0}
"""Compute capability of the kernels for a format, by its id, where it differs from its family's."""
GPTQ_NEEDS = 7.0
"""Any format that calls itself GPTQ."""
CUDA_FAMILY_NEEDS = {"int4": 7.5, "int8": 7.5, "fp8": 7.5, "fp4": 7.5, "nf4": 7.0}
FP8_ARITHMETIC = 8.9
"""Below it FP8 weights are unpacked for every step: room is saved, computing is not faster."""

ROCM = {
    "vllm": ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1200", "gfx1201", "gfx1150", "gfx1151"),
    "sglang": ("gfx942", "gfx950"),
}
"""AMD chips an engine names, by engine; cards whose chip is not recorded are known by ``OLD_AMD``."""
OLD_AMD = ("GCN", "CDNA 1")
"""Architectures before the first that vLLM builds for (MI50: gfx906, MI100: gfx908)."""
NVIDIA_ONLY = frozenset({"tensorrt-llm"})
NOT_ON_APPLE = frozenset({"vllm", "sglang", "tensorrt-llm"})

GapKind = Literal["engine_reads", "engine_card", "format_card"]


@dataclass(frozen=True, slots=True)
class Gap:
    """Why an engine does not run a format on a card. ``need`` and ``have`` are compute capabilities, 0: not that."""

    kind: GapKind
    engine: str
    card: str
    weights: str
    need: float = 0.0
    have: float = 0.0

    @property
    def told(self) -> Message:
        """As the reason of a refused layout."""
        if self.kind == "engine_reads":
            return message("layout.format_engine", engine=self.engine, format=self.weights)
        if self.kind == "format_card":
            return message("layout.format_card", format=self.weights, card_gpu=self.card)
        return message("layout.engine_card", engine=self.engine, card_gpu=self.card)


def gap(engine: str, record: GpuRecord, weight_format: WeightFormat) -> Gap | None:
    """What is missing for this engine to run this format on this card; None when it runs."""
    if engine not in weight_format.engines:
        return Gap("engine_reads", engine, record.id, weight_format.id)
    vendor = record.vendor.lower()
    if vendor == "nvidia":
        return _on_nvidia(engine, record, weight_format)
    card = Gap("engine_card", engine, record.id, weight_format.id)
    if engine in NVIDIA_ONLY or (vendor == "apple" and engine in NOT_ON_APPLE):
        return card
    if vendor == "amd":
        return _on_amd(engine, record, weight_format, card)
    return None


def _on_nvidia(engine: str, record: GpuRecord, weight_format: WeightFormat) -> Gap | None:
    try:
        have = float(record.compute_capability)
    except ValueError:
        return None
    need = CUDA_NEEDS.get(engine, 0.0)
    if have < need:
        return Gap("engine_card", engine, record.id, weight_format.id, need, have)
    need = CUDA_FAMILY_NEEDS.get(weight_format.family, 0.0)
    if weight_format.base_id in CUDA_FORMAT_NEEDS or "gptq" in weight_format.name.lower():
        need = CUDA_FORMAT_NEEDS.get(weight_format.base_id, GPTQ_NEEDS)
    if engine != "llama.cpp" and have < need:
        return Gap("format_card", engine, record.id, weight_format.id, need, have)
    return None


def _on_amd(engine: str, record: GpuRecord, weight_format: WeightFormat, card: Gap) -> Gap | None:
    chips = ROCM.get(engine)
    if chips is None:
        return None
    chip = record.compute_capability
    if (chip and chip not in chips) or (not chip and record.architecture.startswith(OLD_AMD)):
        return card
    if (weight_format.family == "fp8" and not record.native_fp8) or weight_format.family == "nf4":
        return Gap("format_card", engine, record.id, weight_format.id)
    return None
