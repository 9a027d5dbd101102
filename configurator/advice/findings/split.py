"""How the model may be cut over the cards: divisibility, odd counts, unequal cards, idle cards (R05, R31, R36, R39)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, change, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import SMALL_CARD_SHARE
from configurator.advice.situation import Situation, at_least, cards_of
from configurator.scaling.results import ScoredLayout

EQUAL_SHARE = 0.08
"""Forecasts nearer than this are called equal."""
SLOW_CARD_SHARE = 0.6
"""A card with less than this share of the fastest card's memory bandwidth slows a shared model."""


def divisors(heads: int, limit: int = 16) -> tuple[int, ...]:
    """Tensor-parallel counts that divide the query heads."""
    return tuple(n for n in range(1, min(heads, limit) + 1) if heads % n == 0)


def most_cards_in_a_box(s: Situation) -> int:
    """Cards of the fullest server."""
    return max((len(cards) for _, cards in s.shape.boxes), default=0)


def divisibility(s: Situation) -> Iterator[Finding]:
    """Tensor parallel must divide the heads; head count is necessary, not sufficient."""
    if s.model is None or s.training:
        return
    heads, kv_heads = s.model.attention_heads, s.model.kv_heads
    wish = s.workload.tensor_parallel
    cards = len(s.shape.cards)
    box = most_cards_in_a_box(s)
    valid = divisors(heads)
    subjects = (s.workload.id,)
    if wish is not None and heads % wish:
        yield say(
            "split.heads.wish",
            STOP,
            subjects,
            do("split.heads", valid_counts=valid, stages=box),
            rule="R06",
            basis="vendor",
            tensor_count=wish,
            heads=heads,
            valid_counts=valid,
            fix=change(s.workload.id, tensor_parallel=None),
        )
    elif box > 1 and heads % box:
        yield say(
            "split.heads.cards",
            STEP if len(s.copy_cards) > 1 else NOTE,
            subjects,
            do("split.heads", valid_counts=valid, stages=box),
            rule="R06",
            basis="vendor",
            tensor_count=box,
            heads=heads,
            valid_counts=valid,
        )
    elif cards > box and cards > 1 and heads % cards and len(s.copy_cards) > 1:
        yield say(
            "split.heads.cards",
            NOTE,
            subjects,
            do("split.heads", valid_counts=valid, stages=cards),
            rule="R06",
            basis="vendor",
            tensor_count=cards,
            heads=heads,
            valid_counts=valid,
        )
    elif box > 1 and box & (box - 1):
        yield say(
            "split.heads.others",
            NOTE,
            subjects,
            do("split.heads", valid_counts=valid, stages=box),
            rule="R06",
            basis="vendor",
            tensor_count=box,
            heads=heads,
        )
    tensor = s.chosen.layout.tensor_parallel if s.chosen else 1
    if tensor > kv_heads > 0:
        yield say(
            "split.heads.kv",
            NOTE,
            subjects,
            basis="vendor",
            tensor_count=tensor,
            kv_count=kv_heads,
        )


def odd_counts(s: Situation) -> Iterator[Finding]:
    """Odd counts without a model: stages, or an even subset."""
    box = most_cards_in_a_box(s)
    if s.model is None and box > 1 and box & (box - 1):
        yield say(
            "split.odd.count",
            NOTE,
            (s.shape.boxes[0][0].id,),
            do("split.odd"),
            rule="R06",
            basis="vendor",
            gpus=box,
        )


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


def _per_user(layout: ScoredLayout) -> float:
    return layout.speed.output_tokens_per_s_per_user.expected if layout.speed else 0.0


def _total(layout: ScoredLayout) -> float:
    return layout.speed.output_tokens_per_s.expected if layout.speed else 0.0


def _best(layouts: list[ScoredLayout], many: bool) -> ScoredLayout | None:
    return max(layouts, key=_total if many else _per_user, default=None)


def more_cards(s: Situation) -> Iterator[Finding]:
    """Splitting wider than needed against copies: numbers of both, for the owner's goal."""
    if s.model is None or s.training or len(s.shape.cards) < 2:
        return
    running = [each for each in s.work.owned if each.speed is not None and at_least(each.memory.fit, "starts")]
    needed = s.cards_needed
    if not needed or not running:
        return
    cards = len(s.shape.cards)
    subjects = (s.workload.id,)
    small = _best([each for each in running if len(cards_of(each.instances[0])) == needed], False)
    wide = _best([each for each in running if len(cards_of(each.instances[0])) > needed], False)
    if wide is not None and small is not None:
        gain = _per_user(wide) / max(_per_user(small), 1e-9)
        yield say(
            "split.wider.one" if gain >= 1 else "split.wider.slower",
            NOTE,
            subjects,
            do("split.goal") if s.workload.goal is None else None,
            rule="R38",
            small_gpus=needed,
            wide_gpus=len(cards_of(wide.instances[0])),
            small_tokens_per_s=_per_user(small),
            wide_tokens_per_s=_per_user(wide),
            gain_factor=gain,
        )
    copies = _best([each for each in running if len(each.instances) > 1], True)
    single = _best([each for each in running if len(each.instances) == 1], True)
    crowd = s.workload.users != 1 or s.workload.goal == "many_answers"
    if copies is not None and single is not None and needed * 2 <= cards and crowd:
        better = _total(copies) / max(_total(single), 1e-9)
        code = "split.copies.faster" if better >= 1 else "split.copies.slower"
        yield say(
            "split.copies.equal" if abs(better - 1) < EQUAL_SHARE else code,
            NOTE,
            subjects,
            do("split.copies") if better >= 1 and s.workload.goal == "many_answers" else None,
            rule="R40",
            copies=len(copies.instances),
            copy_gpus=len(cards_of(copies.instances[0])),
            copies_tokens_per_s=_total(copies),
            split_gpus=len(cards_of(single.instances[0])),
            split_tokens_per_s=_total(single),
            better_factor=better,
        )
    if needed == 1 and cards > 1:
        yield say("split.small.one_card", NOTE, subjects, do("split.small"), rule="R05", cards=cards)


def stages(s: Situation) -> Iterator[Finding]:
    """A chain adds room and total speed, not speed for one person; TP speeds answers yet may slow long prompts."""
    if s.chosen is None or s.model is None or s.training:
        return
    layout = s.chosen.layout
    box = most_cards_in_a_box(s)
    if layout.pipeline_parallel > 1 or (s.cards_needed > 1 and s.model.attention_heads % box):
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
