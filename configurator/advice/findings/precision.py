"""What the number format means for cards, quality and training (R19, R21)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, change, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.catalogue.records import GpuRecord
from configurator.scaling.support import gap

VERY_FEW_BITS = 3.6


def training_weights(s: Situation) -> Iterator[Finding]:
    """R21: four bits carry no gradient; adapters may stand on them."""
    weights = s.work.weight_format
    if weights is None or not s.training:
        return
    if s.workload.task in ("full", "pretrain") and not weights.trainable:
        yield say(
            "precision.training.blocked",
            STOP,
            (s.workload.id,),
            do("precision.training"),
            rule="R21",
            weights=weights.name,
            fix=change(s.workload.id, weights="bf16"),
        )
    elif s.workload.task == "lora" and not weights.trainable and weights.bits < 9:
        yield say(
            "precision.training.adapter",
            STEP,
            (s.workload.id,),
            do("precision.adapter"),
            rule="R21",
            weights=weights.name,
        )


def arithmetic(s: Situation) -> Iterator[Finding]:
    """Formats that a card stores but does not calculate in; formats that it does not know at all."""
    weights = s.work.weight_format
    subjects = tuple(card.gpu.id for card in s.shape.cards)
    old = [record for record in s.shape.kinds if record.vendor == "NVIDIA" and not record.native_bf16]
    for record in old:
        yield say(
            "precision.card.old",
            STEP if weights is not None and weights.id == "bf16" else NOTE,
            tuple(card.gpu.id for card in s.shape.cards if card.record is record),
            do("precision.card"),
            basis="vendor",
            card_gpu=record.id,
        )
    if weights is None:
        return
    lacking = [
        record
        for record in s.shape.kinds
        if (weights.family == "fp8" and not record.native_fp8) or (weights.family == "fp4" and not record.native_fp4)
    ]
    if lacking:
        yield say(
            "precision.card.unpacked",
            NOTE,
            subjects,
            basis="vendor",
            weights=weights.name,
            card_gpu=lacking[0].id,
        )


def quality(s: Situation) -> Iterator[Finding]:
    """Fewer bits cost quality, much below four bits."""
    weights = s.work.weight_format
    if weights is None or s.training or weights.bits > 5:
        return
    if weights.bits < VERY_FEW_BITS:
        yield say(
            "precision.quality.low",
            STEP,
            (s.workload.id,),
            do("precision.quality"),
            basis="measured",
            weights=weights.name,
        )
    else:
        yield say(
            "precision.quality.four",
            NOTE,
            (s.workload.id,),
            do("precision.quality"),
            basis="measured",
            weights=weights.name,
        )


CUDA_NEWEST = 7.5
"""Compute capability that the vLLM releases of late 2026 ask for (installation page, 0.31 on)."""


def capability(record: GpuRecord) -> float:
    """Compute capability as a number (12.0 is more than 7.5); 0 where the record has none."""
    major, _, minor = record.compute_capability.partition(".")
    return int(major) + int(minor or 0) / 10 if major.isdigit() else 0.0


def support(s: Situation) -> Iterator[Finding]:
    """The asked engine that does not run on these cards, with what it needs; cards that its newest releases leave."""
    if s.model is None or s.training or not s.shape.cards:
        return
    subjects = tuple(card.gpu.id for card in s.shape.cards)
    asked, weights = s.work.refused_engine, s.catalogue.weight_formats["fp16"]
    lacking = gap(asked, s.shape.kinds[0], weights) if asked else None
    if lacking is not None:
        yield say(
            "engine.card.refused_numbers" if lacking.need else "engine.card.refused",
            NOTE,
            subjects,
            do("engine.card"),
            rule="R06",
            basis="vendor",
            asked_engine=asked,
            engine=s.workload.engine,
            card_gpu=lacking.card,
            needed=f"{lacking.need:.1f}",
            have=f"{lacking.have:.1f}",
        )
    elif s.workload.engine == "vllm":
        old = [each for each in s.shape.kinds if each.vendor == "NVIDIA" and 0 < capability(each) < CUDA_NEWEST]
        if old:
            yield say(
                "engine.card.last", NOTE, subjects, do("engine.pin"), basis="vendor",
                card_gpu=old[0].id, have=old[0].compute_capability, needed=f"{CUDA_NEWEST}",
            )  # fmt: skip


def engine(s: Situation) -> Iterator[Finding]:
    """Whether the engine reads the format; what the engine is known for."""
    weights = s.work.weight_format
    if weights is not None and weights.engines and s.workload.engine not in weights.engines and not s.training:
        yield say(
            "engine.format.unread",
            STOP,
            (s.workload.id,),
            do("engine.format", engines=weights.engines),
            rule="R06",
            basis="vendor",
            engine=s.workload.engine,
            weights=weights.name,
            fix=change(s.workload.id, engine=weights.engines[0]),
        )
    if s.workload.engine != "llama.cpp" or s.training:
        return
    if (s.workload.users or 1) > 1 or s.workload.goal == "many_answers":
        yield _slots(s)
    if s.spans or len(s.shape.boxes) > 1:
        yield say(
            "engine.llama_cpp.rpc",
            STEP if s.spans else NOTE,
            (s.workload.id,),
            do("engine.rpc"),
            basis="vendor",
        )
    else:
        yield say("engine.llama_cpp.version", NOTE, (s.workload.id,), basis="measured")


def _slots(s: Situation) -> Finding:
    """Few requests at once, and the way out that these cards and this file allow."""
    plain = s.catalogue.weight_formats["fp16"]
    other = all(gap("vllm", record, plain) is None for record in s.shape.kinds)
    if not other:
        return say("engine.llama_cpp.slots", STEP, (s.workload.id,), do("engine.slots"), basis="measured")
    weights = s.work.weight_format
    action = do("engine.batching_file") if weights is not None and weights.family == "gguf" else do("engine.batching")
    return say("engine.llama_cpp.batching", STEP, (s.workload.id,), action, basis="measured")


def experimental(s: Situation) -> Iterator[Finding]:
    """Cards outside NVIDIA, and appliances chained over Thunderbolt or Ethernet: engine support decides."""
    other = [record for record in s.shape.kinds if record.vendor not in ("NVIDIA", "AMD", "Intel")]
    if other:
        yield say(
            "engine.support.other",
            STEP,
            tuple(card.gpu.id for card in s.shape.cards if card.record in other),
            do("engine.support"),
            basis="measured",
            card_gpu=other[0].id,
        )
    if s.spans and s.fabric.kind != "rdma":
        yield say("engine.support.chain", STEP, (s.workload.id,), do("engine.watchdog"), basis="measured")
