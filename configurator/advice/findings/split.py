"""How the model may be cut over the cards: divisibility, odd counts, unequal cards, idle cards (R05, R31, R36, R39)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import SMALL_CARD_SHARE
from configurator.advice.situation import Situation, at_least

SLOW_CARD_SHARE = 0.6
"""A card with less than this share of the fastest card's memory bandwidth slows a shared model."""


def idle(s: Situation) -> Iterator[Finding]:
    """Cards that the recommended layout does not use."""
    if s.chosen is None or s.model is None or not at_least(s.fit, "starts"):
        return
    used = set(s.used_cards)
    left = [card for card in s.shape.cards if card.gpu.id not in used]
    if not left:
        return
    more = len(s.copy_cards)
    yield say(
        "split.idle.cards",
        NOTE,
        tuple(card.gpu.id for card in left),
        do("split.idle", copy_gpus=more) if more > len(left) else do("split.idle_small"),
        rule="R04",
        idle_cards=len(left),
        used_gpus=len(s.used_cards),
        copies=s.copies,
        tensor_count=s.chosen.layout.tensor_parallel,
    )


def wish(s: Situation) -> Iterator[Finding]:
    """R05: a distribution that memory does not ask for needs a reason."""
    load = s.workload
    split = (load.tensor_parallel or 1) * (load.pipeline_parallel or 1)
    if split <= 1 or s.model is None:
        return
    if s.cards_needed and s.cards_needed < split and not load.layout_reason:
        yield say(
            "split.reason.missing",
            STEP,
            (load.id,),
            do("split.reason", needed_gpus=s.cards_needed),
            rule="R05",
            asked_gpus=split,
            needed_gpus=s.cards_needed,
        )
    if (load.pipeline_parallel or 1) > max(1, load.users or 1):
        yield say(
            "split.stages.idle",
            STEP,
            (load.id,),
            do("split.stages"),
            stages=load.pipeline_parallel or 1,
            requests=load.users or 1,
        )


def unequal(s: Situation) -> Iterator[Finding]:
    """Mixed cards: the smallest rules a tensor group, the slowest paces a chain."""
    records = s.shape.kinds
    if len(records) < 2:
        return
    largest, smallest = records[0], records[-1]
    fastest = max(records, key=lambda each: each.memory_bandwidth.value)
    slowest = min(records, key=lambda each: each.memory_bandwidth.value)
    cards = tuple(card.gpu.id for card in s.shape.cards)
    same_box = any(len({card.record.id for card in group}) > 1 for _, group in s.shape.boxes)
    if smallest.memory_usable_bytes < SMALL_CARD_SHARE * largest.memory_usable_bytes:
        yield say(
            "split.mixed.tiny",
            STEP,
            tuple(card.gpu.id for card in s.shape.cards if card.record is smallest),
            do("split.leave_out", left_gpu=smallest.id),
            small_gpu=smallest.id,
            small_gb=smallest.memory_label_gb,
            large_gb=largest.memory_label_gb,
        )
    if same_box:
        yield say(
            "split.mixed.smallest",
            STEP,
            cards,
            do("split.mixed"),
            rule="R06",
            gpus=len(cards),
            small_gb=smallest.memory_label_gb,
            tensor_gb=smallest.memory_label_gb * len(cards),
            all_gb=sum(card.record.memory_label_gb for card in s.shape.cards),
        )
        yield say("split.mixed.llama_cpp", NOTE, cards, basis="measured", engine=s.workload.engine)
    if slowest.memory_bandwidth.value < SLOW_CARD_SHARE * fastest.memory_bandwidth.value:
        yield say(
            "split.mixed.slowest",
            STEP if len(s.copy_cards) > 1 else NOTE,
            tuple(card.gpu.id for card in s.shape.cards if card.record is slowest),
            do("split.leave_out", left_gpu=slowest.id),
            slow_gpu=slowest.id,
            slow_bytes_per_s=slowest.memory_bandwidth.value,
            fast_gpu=fastest.id,
            fast_bytes_per_s=fastest.memory_bandwidth.value,
        )


def stages(s: Situation) -> Iterator[Finding]:
    """A chain adds room and total speed, not speed for one person; TP speeds answers yet may slow long prompts."""
    if s.chosen is None or s.model is None or s.training:
        return
    layout = s.chosen.layout
    if layout.pipeline_parallel > 1:
        yield say(
            "split.chain.single", NOTE, (s.workload.id,), rule="R36", basis="measured", stages=layout.pipeline_parallel
        )
    if len(s.copy_cards) > 1 and s.workload.goal == "one_fast_answer" and not s.spans and _no_fast_link(s):
        yield say("split.prompt.slow", NOTE, (s.workload.id,), do("split.prompt"), rule="R36", basis="measured")


def _no_fast_link(s: Situation) -> bool:
    return any(s.shape.by_id[each].record.link_kind == "none" for each in s.copy_cards if each in s.shape.by_id) or any(
        s.shape.by_id[each].record.link_kind == "bridge" for each in s.copy_cards if each in s.shape.by_id
    )


def small_active(s: Situation) -> Iterator[Finding]:
    """Sparse models read little per token, so the exchange between cards weighs more."""
    if s.model is None or s.model.kind != "moe" or len(s.shape.cards) < 2 or s.training:
        return
    share = s.model.parameters.active_per_token / max(1, s.model.parameters.total)
    yield say(
        "split.sparse.exchange",
        NOTE,
        (s.workload.id,),
        basis="measured",
        active_share=share,
        active_billion=round(s.model.parameters.active_per_token / 1e9, 1),
    )
