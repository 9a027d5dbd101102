"""Where a rule of thumb of a published guide and measurements part, both are told (table of disagreements)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, say
from configurator.advice.results import Finding
from configurator.advice.situation import GIANT_PARAMETERS, LARGE_PARAMETERS, Situation

EIGHT = 8
LARGE_CARD_GB = 96
SEVENTY_TOP = 80e9


def seventy(s: Situation) -> bool:
    """A model of the 70-billion class."""
    return LARGE_PARAMETERS <= s.parameters < SEVENTY_TOP


def _eight_large(s: Situation) -> bool:
    return any(
        len(cards) == EIGHT and all(card.record.memory_label_gb == LARGE_CARD_GB for card in cards)
        for _, cards in s.shape.boxes
    )


def memory(s: Situation) -> Iterator[Finding]:
    """405B in eight bits on eight large cards; 70B on one card; the cache of a 70B."""
    weights = s.work.weight_format
    if s.model is None or weights is None or not s.shape.cards or s.training:
        return
    subjects = (s.workload.id,)
    if _eight_large(s) and s.parameters >= GIANT_PARAMETERS and 7 < weights.bits < 9:
        yield say(
            "thumb.giant.comfort",
            NOTE,
            subjects,
            rule="R24",
            weights_share=s.work.weights_bytes / s.group_memory_bytes if s.group_memory_bytes else None,
            low_share=s.policy.weights_share_low,
            high_share=s.policy.weights_share_high,
        )
    big = max(card.record.memory_label_gb for card in s.shape.cards)
    if big >= LARGE_CARD_GB and seventy(s):
        yield say("thumb.one_card.seventy", NOTE, subjects, rule="R20", basis="measured")
    if seventy(s) and s.model.kv_heads == EIGHT and s.workload.context_tokens == 8192:
        yield say(
            "thumb.cache.seventy",
            NOTE,
            subjects,
            rule="R24",
            stream_gb=round(s.work.kv_bytes_per_token * 8192 / 1e9, 2),
        )


def speed(s: Situation) -> Iterator[Finding]:
    """An 8-GPU node at 70B; a split against a chain inside a box; what PCIe really carries."""
    if s.model is None or not s.shape.cards:
        return
    subjects = (s.workload.id,)
    expected = s.chosen.speed if s.chosen else None
    if _eight_large(s) and seventy(s) and expected is not None:
        yield say("thumb.speed.range", NOTE, subjects, rule="R46", total_tokens_per_s=expected.output_tokens_per_s)
    if len(s.copy_cards) > 1 and not s.spans and not s.training:
        yield say("thumb.tp.chain", NOTE, subjects, rule="R36", basis="measured")
    fifth = [card for card in s.shape.cards if card.slot.pcie_generation == 5 and card.record.pcie_generation == 5]
    if len(s.copy_cards) > 1 and len(fifth) > 1:
        yield say("thumb.pcie.rate", NOTE, (fifth[0].server.id,), rule="R33", basis="measured")


def fabric(s: Situation) -> Iterator[Finding]:
    """Several nodes without InfiniBand; delay and rate of remote memory access."""
    if not s.spans or s.model is None:
        return
    if s.fabric.kind == "ethernet":
        yield say("thumb.ethernet.possible", NOTE, s.copy_servers, rule="R40", basis="measured")
    if s.fabric.kind == "rdma":
        yield say("thumb.latency.rdma", NOTE, s.copy_servers, rule="R35", basis="measured")


def training(s: Situation) -> Iterator[Finding]:
    """State of the optimiser; months of pre-training."""
    if s.model is None or s.workload.task not in ("full", "pretrain"):
        return
    yield say(
        "thumb.adam.state",
        NOTE,
        (s.workload.id,),
        rule="R28",
        basis="vendor",
        adam_gb=round(s.parameters * 8 / 1e9),
        weights_gb=round(s.parameters * 2 / 1e9),
    )
    if s.workload.task == "pretrain" and s.parameters >= LARGE_PARAMETERS:
        yield say("thumb.pretrain.months", NOTE, (s.workload.id,), rule="R32", basis="measured")
