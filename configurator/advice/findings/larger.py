"""R41 b: the smallest single machine that holds it: of the owner's own kind, one card, or else a server of cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from configurator.advice.findings.common import NOTE, do, say
from configurator.advice.findings.operations import larger_node as larger_server
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.catalogue.records import GpuRecord

FILLED = 0.9
"""Weights and conversations together stay under this share of the memory."""
BRIM, KEPT_BYTES = 0.95, 1e9
"""What a card holds at the very most, and what the engine itself keeps of it."""
RECENT = "2020-09"
"""Cards that came out before are not proposed."""
USUAL_TOKENS = 8192


def larger_node(s: Situation) -> Iterator[Finding]:
    """One appliance or one card where that is enough; else the server with several cards; a training asks for those."""
    if s.model is None or s.training or not s.shape.cards or not (s.spans or not at_least(s.fit, "starts")):
        yield from larger_server(s)
        return
    tokens = s.workload.context_tokens or s.workload.max_context_tokens or USUAL_TOKENS
    weights = float(s.work.weights_bytes)
    beside = s.work.kv_bytes_per_token * tokens * (s.workload.users or 1)
    record = single_machine(s, weights, weights + beside)
    if record is None:
        yield from larger_server(s)
        return
    label = record.memory_label_gb
    least = least_card(s, weights + beside)
    smaller = least is not None and least.memory_label_gb < label and not record.unified_memory
    yield say(
        "node.holds.machine" if record.unified_memory else "node.holds.card_least" if smaller else "node.holds.card",
        NOTE,
        (s.workload.id,),
        do("node.larger" if len(s.shape.boxes) > 1 else "node.larger_alone"),
        rule="R41",
        node_gpu=record.id,
        memory_gb=label,
        weights_gb=_gb(weights),
        beside_gb=_gb(beside),
        filled_share=(weights + beside) / (label * 1e9),
        least_gb=least.memory_label_gb if least is not None else None,
        least_gpu=least.id if least is not None else None,
        least_share=(weights + beside) / (least.memory_label_gb * 1e9) if least is not None else None,
    )


def least_card(s: Situation, all_bytes: float) -> GpuRecord | None:
    """The card with the least memory that holds it at all, without the reserve; of equal ones the cheapest."""
    makers = {record.vendor for record in s.shape.kinds} & {"AMD", "Intel"} or {"NVIDIA"}
    most = s.catalogue.gpus[s.policy.buy_node_gpu].memory_label_gb
    fitting = [
        each
        for each in s.catalogue.gpus.values()
        if each.form == "pcie"
        and each.memory_label_gb <= most
        and each.vendor in makers
        and not each.unified_memory
        and each.launch_date >= RECENT
        and all_bytes + KEPT_BYTES <= BRIM * each.memory_label_gb * 1e9
        and each.price is not None
    ]
    return min(
        fitting, key=lambda each: (each.memory_label_gb, each.price.eur.value if each.price else 0.0), default=None
    )


def single_machine(s: Situation, weights_bytes: float, all_bytes: float) -> GpuRecord | None:
    """The cheapest card or appliance that holds it with the policy's reserve; None where none does."""
    high = s.policy.weights_share_high

    def holds(record: GpuRecord) -> bool:
        size = record.memory_label_gb * 1e9
        return record.launch_date >= RECENT and weights_bytes <= high * size and all_bytes <= FILLED * size

    vendors = {record.vendor for record in s.shape.kinds}
    have = max(sum(card.record.memory_label_gb for card in cards) for _, cards in s.shape.boxes)
    kinds = s.catalogue.gpus.values()
    if all(record.unified_memory for record in s.shape.kinds):
        # One appliance with more memory has no network in the path of a word.
        found = _least(each for each in kinds if each.unified_memory and each.vendor in vendors and holds(each))
        return found if found is not None and found.memory_label_gb > have else None
    makers = vendors & {"AMD", "Intel"} or {"NVIDIA"}
    cards = (each for each in kinds if each.form == "pcie" and not each.unified_memory and each.vendor in makers)
    most = s.catalogue.gpus[s.policy.buy_node_gpu].memory_label_gb
    found = _least(each for each in cards if each.memory_label_gb <= most and holds(each))
    return found if found is not None and found.memory_label_gb > have else None


def _least(kinds: Iterable[GpuRecord]) -> GpuRecord | None:
    """The cheapest of those that have a price; of equal ones the fastest."""
    priced = [(each.price.eur.value, -each.memory_bandwidth.value, each) for each in kinds if each.price is not None]
    return min(priced, key=lambda each: each[:2])[2] if priced else None


def _gb(size_bytes: float) -> float:
    size = size_bytes / 1e9
    return round(size) if size >= 10 else round(size, 1)
