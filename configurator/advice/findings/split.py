"""How the model may be cut over the cards: divisibility, odd counts, unequal cards, idle cards (R05, R31, R36, R39)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import SMALL_CARD_SHARE
from configurator.advice.situation import Situation, at_least
from configurator.scaling.ask import longest_request
from configurator.sizing.kv import element_bytes

SHORT_CHAIN = 4
"""Stages whose layers are told one by one."""
LESS_CACHE = 0.8
"""A narrower cache is told where it takes less than this share of the asked one."""
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
    if s.chosen is None or s.model is None or s.training or not s.chosen.instances:
        return
    layout = s.chosen.layout
    one = s.workload.goal == "one_fast_answer" or s.workload.users == 1
    if layout.pipeline_parallel > 1:
        unlike = len({s.shape.by_id[each].record.id for each in s.copy_cards if each in s.shape.by_id}) > 1
        if unlike and not layout.offload and at_least(s.fit, "starts"):
            yield _unlike_layers(s)
        else:
            yield say(
                "split.chain.single",
                NOTE,
                (s.workload.id,),
                rule="R36",
                basis="measured",
                stages=layout.pipeline_parallel,
                cut=runs(s.chosen.instances[0].layers_per_stage),
            )
    elif one and layout.tensor_parallel > 1 and not s.spans and _no_fast_link(s):
        yield _chain_roof(s)
    if len(s.copy_cards) > 1 and s.workload.goal == "one_fast_answer" and not s.spans and _no_fast_link(s):
        yield say("split.prompt.slow", NOTE, (s.workload.id,), do("split.prompt"), rule="R36", basis="measured")


def runs(layers: Sequence[int]) -> str:
    """Layers of the stages in order, equal neighbours together: "27 + 27 + 26", "5 × 13 + 12"."""
    if len(layers) <= SHORT_CHAIN:
        return " + ".join(str(each) for each in layers)
    parts = [(len(list(group)), count) for count, group in groupby(layers)]
    return " + ".join(f"{times} × {count}" if times > 1 else str(count) for times, count in parts)


def _unlike_layers(s: Situation) -> Finding:
    """Layers of each unlike card, and weights with the asked cache against the sum of their memory (R06)."""
    chosen, model = s.chosen, s.model
    if chosen is None or model is None:
        raise ValueError("a layout of a model is asked for")
    one = chosen.instances[0]
    shares = []
    for stage, count in zip(one.stages, one.layers_per_stage, strict=True):
        record = s.shape.by_id[stage[0]].record
        shares.append(f"{record.short_name or record.name} {count}")
    label = sum(s.shape.by_id[each].record.memory_label_gb for each in s.copy_cards if each in s.shape.by_id)
    tokens = longest_request(s.workload, model) * max(1, s.workload.users or 1)
    kept = s.workload.kv_cache
    cache = s.work.kv_bytes_per_token * tokens
    eight = "q8_0" if s.workload.engine == "llama.cpp" else "fp8"
    narrow = cache * element_bytes(eight) / element_bytes(kept)
    less = narrow < LESS_CACHE * cache
    return say(
        "split.mixed.layers_eight" if less else "split.mixed.layers",
        NOTE,
        s.copy_cards,
        rule="R06",
        shares=tuple(shares),
        layers=model.layers,
        stages=len(one.stages),
        sum_gb=round((s.work.weights_bytes + cache) / 1e9, 1),
        weights_gb=round(s.work.weights_bytes / 1e9, 1),
        cache_gb=round(cache / 1e9, 1),
        eight_gb=round((s.work.weights_bytes + narrow) / 1e9, 1),
        label_gb=label,
        context_tokens=longest_request(s.workload, model),
    )


def _chain_roof(s: Situation) -> Finding:
    """Layers in turn on cards without a fast link: the roof of one card, not of all (R36)."""
    record = min((s.shape.by_id[each].record for each in s.copy_cards), key=lambda each: each.memory_bandwidth.value)
    parameters = s.model.parameters if s.model is not None else None
    share = parameters.read_per_token_batch1 / max(1, parameters.total) if parameters is not None else 1.0
    read = s.work.weights_bytes * share
    return say(
        "split.chain.roof",
        NOTE,
        (s.workload.id,),
        do("split.chain.both"),
        rule="R36",
        gpus=len(s.copy_cards),
        tensor_count=s.chosen.layout.tensor_parallel if s.chosen is not None else 1,
        card_bytes_per_s=record.memory_bandwidth.value,
        read_gb=round(read / 1e9, 1),
        roof_tokens_per_s=record.memory_bandwidth.value / max(1.0, read),
    )


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
