"""Several models on the same servers: which cards each of them gets, and who finds none."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STOP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least


def own_cards(s: Situation) -> Iterator[Finding]:
    """Each model is pinned to cards of its own: two engines on one card fight for its memory."""
    meets_others = bool(s.work.left_to_others) or s.work.crowded
    if not meets_others or s.model is None or s.training:
        return
    others = tuple(sorted(s.work.left_to_others))
    if s.work.crowded and not at_least(s.fit, "starts"):
        yield say(
            "together.cards.none",
            STOP,
            (s.workload.id,),
            do("together.more"),
            model=s.model.id,
            weights_bytes=s.work.weights_bytes,
            other_gpus=len(others),
        )
        return
    if s.chosen is None or not at_least(s.fit, "starts"):
        return
    cards = s.used_cards
    memory = sum(s.shape.by_id[each].record.memory_usable_bytes for each in s.copy_cards if each in s.shape.by_id)
    yield say(
        "together.cards.own",
        NOTE,
        (s.workload.id,),
        do("together.pin.nvidia" if s.shape.maker == "nvidia" else "together.pin.other"),
        model=s.model.id,
        gpu_ids=cards[:8],
        weights_bytes=s.work.weights_bytes,
        memory_bytes=memory,
        copies=s.copies,
    )
