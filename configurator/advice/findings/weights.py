"""How much a finding weighs for this plan: the order inside "good to know", and what may be folded."""

from __future__ import annotations

from collections.abc import Mapping

SHOWN_NOTES = 8
"""So many notes are read; those beyond are there for who asks."""

WEIGHTS: Mapping[str, int] = {
    # Would be a mistake to miss: what this plan cannot do although it looks so.
    "memory.pool": 95,
    "together.cards": 92,
    "site.apart": 90,
    "lab-trap": 88,
    "costly-mistake": 87,
    "fabric.tensor": 86,
    "fabric.lan": 85,
    "unknown.wiring": 85,
    # What the machine carries, and what lies idle.
    "memory.context": 84,
    "load.training.time": 84,
    "load.training.days": 85,
    "load.training.days_each": 85,
    "load.training.state": 83,
    "load.training.ways": 83,
    "load.training.ways_enough": 83,
    "load.training.adapter": 82,
    "load.training.loading": 70,
    "load.training.node": 80,
    "failure.repair": 66,
    "load.demand.carries": 82,
    "load.demand.guess": 53,
    "load.demand.guess_carries": 60,
    "load.demand.guess_falls_short": 60,
    "load.batch.finish": 86,
    "load.batch.in_time": 86,
    "split.idle": 82,
    "fabric.cache.open": 84,
    "fabric.proof": 84,
    "fabric.direct": 86,
    "p2p.mesh": 83,
    "fabric.gradient": 82,
    "fabric.stages": 82,
    "fabric.hops": 81,
    "fabric.healthy": 81,
    "p2p.bridge": 81,
    "slot.alone": 80,
    "copies.rest": 79,
    "copies.joined": 78,
    "node.no_card": 86,
    "fabric.lost": 79,
    "copies.test": 77,
    "fabric.handover": 77,
    "fabric.split_traffic": 77,
    "failure.spare": 68,
    "failure.detect": 65,
    "fabric.cache.model": 57,
    "slot.narrow": 80,
    "split.mixed": 80,
    "node.larger": 79,
    "node.holds": 79,
    "precision.card.old": 78,
    "load.batch": 77,
    "split.cut": 79,
    "split.group": 81,
    "split.compare": 76,
    "fabric.purchase": 75,
    "split.alone": 74,
    "cost.compare": 73,
    "cost.rent": 72,
    "cost.kinds": 74,
    "cost.people": 66,
    "nodes.several": 72,
    "p2p.off": 71,
    "engine.llama_cpp.rpc": 70,
    "memory.cache.full_heads": 70,
    "power.limit": 69,
    "power.step": 68,
    "power.cap": 56,
    "power.cap.set": 72,
    "failure.same_box": 68,
    "memory.group": 67,
    "memory.cache.sum": 66,
    "failure.domain": 66,
    "precision.quality": 65,
    "expectation.limit": 64,
    "failure.recovery": 63,
    "failure.availability": 61,
    "split.chain": 60,
    "precision": 60,
    "operations.tax": 59,
    # Arithmetic and usual care.
    "cost.energy.states": 47,
    "cost.energy.two": 47,
    "split.heads": 58,
    "split.odd": 58,
    "fabric.order": 57,
    "p2p.check": 57,
    "nodes.more": 56,
    "memory.usable": 56,
    "split.prompt": 55,
    "memory.layers": 55,
    "memory": 54,
    "fabric": 53,
    "load.demand": 52,
    "slot": 51,
    "failure.probe": 50,
    "load": 49,
    "nodes.one": 48,
    "cost": 46,
    "failure": 45,
    "p2p": 43,
    "memory.native": 42,
    "unknown.cost": 41,
    "memory.cache.token": 40,
    "split": 40,
    "site": 40,
    "unknown": 40,
    "pilot": 39,
    "engine": 38,
    "copies": 37,
    "operations": 36,
    "nodes": 35,
    "load.side": 32,
    "expectation": 30,
    # Where rules of thumb and measurements part.
    "thumb": 10,
}
"""By the start of the text code without "finding."; the longest that matches counts."""

MEMORY_CAUSE = 54
"""Reasons that sizing words itself."""


def weight_of(text_code: str) -> int:
    """Weight of a finding by the code of its text; 0 to 100."""
    code = text_code.removeprefix("finding.")
    parts = code.split(".")
    for length in range(len(parts), 0, -1):
        weight = WEIGHTS.get(".".join(parts[:length]))
        if weight is not None:
            return weight
    return MEMORY_CAUSE
