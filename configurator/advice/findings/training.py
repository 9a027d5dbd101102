"""Training: state against memory, ways out with numbers, loading peaks, and how long it takes (R26-R32, R51, R71)."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import Card
from configurator.advice.situation import GRADIENT, Situation, at_least

STATE_BYTES = (16, 18)
"""Per parameter: 16-bit weights, gradients in 16 or 32 bits, FP32 weights and two moments of Adam."""
EIGHT_BIT_BYTES = (10, 12)
"""The same with moments of 8 bits, pure 16-bit weights at the low end."""
LORA_BYTES = 2.2
"""Frozen 16-bit base with adapters and their state (17.6 GiB published for 8 billion)."""
QLORA_BYTES = 0.55
"""Frozen base in 4 bits with its scales."""
FULL_SHARE = 0.8
"""From this share of the memory on nothing useful is left for activations."""
ROOM_SHARE = 0.7
"""Of the memory, for state when cards are counted."""
HEALTHY = (0.35, 0.40, 0.45)
"""Use of the peak rate by well-run training over several servers: low, planned with, high."""
STRAINED = (0.25, 0.25, 0.45)
"""The same over many servers, or on cards that hold so little that long chains of stages wait for each other."""
MANY_SERVERS = 32
LITTLE_GB = 40.0
FLOPS_PER_PARAMETER = 6
DAY_S = 86_400.0
MONTH_DAYS = 30.4
YEAR_DAYS = 365.0
NODE_CARDS = 8
SHORT_TOKENS = 4096
UNIT_TOKENS = 100e9
"""Where the tokens are not given the time is told per so many."""


def state(s: Situation) -> Iterator[Finding]:
    """State of 16 to 18 bytes per parameter as a share of all cards; activations of the asked rows on top."""
    if not s.training or s.model is None or not s.shape.cards:
        return
    if s.workload.task in GRADIENT:
        yield from _full(s)
    else:
        yield from _adapter(s)
    if s.only_offloaded:
        yield say("load.training.offload", STEP, (s.workload.id,), do("training.offload"), rule="R28")


def box_cards(s: Situation) -> tuple[Card, ...]:
    """Cards of the server that has most memory."""
    return max(
        (tuple(cards) for _, cards in s.shape.boxes), key=lambda each: sum(c.record.memory_label_gb for c in each)
    )


def _memory_gb(s: Situation) -> float:
    return sum(card.record.memory_label_gb for card in s.shape.cards)


def _activations_gb(s: Situation, tokens: int) -> float:
    """Of one row on one card with checkpointing: the inputs of all layers, one whole layer, and the output layer."""
    model = s.model
    if model is None:
        return 0.0
    words = (model.parameters.lm_head or model.parameters.token_embedding) / model.hidden_size
    per_token = 2.0 * model.layers * model.hidden_size + 34.0 * model.hidden_size + 6.0 * words
    return per_token * tokens / 1e9


def _full(s: Situation) -> Iterator[Finding]:
    low, high = (each * s.parameters / 1e9 for each in STATE_BYTES)
    # Of the one server that is enough, where one is.
    box = box_cards(s)
    one = bool(s.one_box) and at_least(s.one_box[0].memory.fit, "serves")
    used = box if one else s.shape.cards
    memory, cards = sum(card.record.memory_label_gb for card in used), len(used)
    tokens = s.workload.sequence_tokens or SHORT_TOKENS
    rows = _activations_gb(s, tokens)
    filled = high / memory
    # With activations of one row on every card.
    tight = filled > FULL_SHARE or high + rows * cards > memory
    over = low > memory
    yield say(
        "load.training.over" if over else "load.training.tight" if tight else "load.training.state",
        STEP if tight else NOTE,
        (s.workload.id,),
        do("training.tight") if tight and not over else None,
        rule="R28",
        parameters_billion=round(s.parameters / 1e9, 1),
        low_gb=round(low),
        high_gb=round(high),
        gpus=cards,
        memory_gb=round(memory),
        low_share=low / memory,
        high_share=filled,
        row_tokens=tokens,
        row_gb=round(rows, 1) if rows < 10 else round(rows),
    )
    alone = max(sum(card.record.memory_label_gb for card in box) for _, box in s.shape.boxes)
    if tight or high > FULL_SHARE * alone:
        yield from _ways(s, high, alone)
    if s.shape.kinds and not any(record.native_bf16 for record in s.shape.kinds):
        yield say(
            "load.training.halves",
            STEP,
            (s.workload.id,),
            do("training.halves"),
            rule="R26",
            basis="vendor",
            card_gpu=s.shape.kinds[0].id,
        )


def _place(size_gb: float, card_gb: float, box_gb: float) -> str:
    """Key of the words for the smallest thing that holds it with reserve."""
    if size_gb <= ROOM_SHARE * card_gb:
        return "fits.card"
    if size_gb <= FULL_SHARE * box_gb:
        return "fits.server"
    return "fits.none"


def _ways(s: Situation, high: float, box_gb: float) -> Iterator[Finding]:
    """8-bit optimiser, adapters, or enough cards."""
    card = max(s.shape.cards, key=lambda each: each.record.memory_label_gb).record
    billions = s.parameters / 1e9
    large = s.catalogue.gpus[s.policy.buy_node_gpu]
    node = large.memory_label_gb * s.policy.buy_node_gpus
    lora, qlora = LORA_BYTES * billions, QLORA_BYTES * billions
    wanted = ceil(high / ROOM_SHARE / card.memory_label_gb)
    enough = len(s.shape.cards) >= wanted
    scratch = s.workload.task == "pretrain"
    # Adapters need a trained model to stand on: nothing for a training from scratch.
    yield say(
        ("load.training.ways_enough" if enough else "load.training.ways") + (".scratch" if scratch else ""),
        NOTE,
        (s.workload.id,),
        None if scratch else do("training.ways"),
        rule="R28",
        eight_low_gb=round(EIGHT_BIT_BYTES[0] * billions),
        eight_high_gb=round(EIGHT_BIT_BYTES[1] * billions),
        eight_code=_place(EIGHT_BIT_BYTES[0] * billions, card.memory_label_gb, box_gb),
        lora_gb=round(lora),
        lora_code=_place(lora, card.memory_label_gb, box_gb),
        qlora_gb=round(qlora),
        qlora_code=_place(qlora, card.memory_label_gb, box_gb),
        wanted_cards=wanted,
        card_gpu=card.id,
        box_gb=round(box_gb),
    )
    if not enough and high <= FULL_SHARE * node and node > box_gb:
        yield say(
            "load.training.node",
            NOTE,
            (s.workload.id,),
            rule="R29",
            node_cards=s.policy.buy_node_gpus,
            node_gpu=large.id,
            memory_gb=round(node),
            node_share=high / node,
        )


def _adapter(s: Situation) -> Iterator[Finding]:
    base, memory = s.work.weights_bytes / 1e9, _memory_gb(s)
    alone = max(sum(card.record.memory_label_gb for card in box) for _, box in s.shape.boxes)
    card = max(s.shape.cards, key=lambda each: each.record.memory_label_gb).record
    tight = base > ROOM_SHARE * alone or not at_least(s.fit, "serves_with_reserve")
    yield say(
        "load.training.adapter_tight" if tight else "load.training.adapter",
        STEP if tight else NOTE,
        (s.workload.id,),
        do("training.adapter_tight") if tight else None,
        rule="R51",
        base_gb=round(base),
        memory_gb=round(alone),
        base_share=base / alone,
        gpus=len(s.shape.cards),
        all_gb=round(memory),
        wanted_cards=ceil(base / 0.5 / card.memory_label_gb),
        card_gpu=card.id,
        place_code=_place(base, card.memory_label_gb, alone),
    )


def loading(s: Situation) -> Iterator[Finding]:
    """Every rank may read its own unsharded copy at the start: the peak that ends a training that would fit."""
    if not s.training or s.model is None or len(s.shape.cards) < 2:
        return
    ranks = max(len(cards) for _, cards in s.shape.boxes)
    size = 2.0 * s.parameters / 1e9 if s.workload.task in GRADIENT else s.work.weights_bytes / 1e9
    smallest = min(card.record.memory_label_gb for card in s.shape.cards)
    if size <= ROOM_SHARE * smallest:
        return
    yield say(
        "load.training.loading",
        NOTE,
        (s.workload.id,),
        do("training.loading"),
        rule="R28",
        basis="measured",
        ranks=ranks,
        copy_gb=round(size),
        all_copies_gb=round(size * ranks),
    )


def healthy_use(s: Situation) -> tuple[float, float, float]:
    """Use of the peak rate that this machine may reach when all is well: low, planned with, high."""
    little = bool(s.shape.kinds) and s.shape.kinds[0].memory_label_gb <= LITTLE_GB
    several = len(s.shape.cards) > NODE_CARDS
    return STRAINED if several and (little or len(s.shape.boxes) >= MANY_SERVERS) else HEALTHY


def time(s: Situation) -> Iterator[Finding]:
    """R32: 6 x P x T over what the cards give; days, GPU-days, months, and years on one server."""
    if not s.training or s.model is None or not s.shape.cards or s.workload.task not in GRADIENT:
        return
    record = s.shape.kinds[0]
    peak = record.flops_bf16 or record.flops_fp16
    active = float(s.model.parameters.active_per_token or s.parameters)
    tokens = s.workload.training_tokens
    one = len(s.shape.boxes) > 1 and bool(s.one_box) and at_least(s.one_box[0].memory.fit, "serves")
    run = s.one_box[0] if one else s.chosen
    speed = run.training if run else None
    if s.workload.task != "pretrain" and tokens is None:
        return
    if peak is None or peak.value <= 0 or not active:
        return
    cards = len(box_cards(s)) if one else len(s.shape.cards)
    asked = tokens or UNIT_TOKENS
    healthy = healthy_use(s)
    flops = FLOPS_PER_PARAMETER * active * asked
    slow, fast = (flops / (cards * use * peak.value * DAY_S) for use in (healthy[0], healthy[2]))
    middle = flops / (cards * healthy[1] * peak.value * DAY_S)
    held = STATE_BYTES[0] * s.parameters / 1e9 <= NODE_CARDS * record.memory_label_gb
    several = cards > NODE_CARDS
    yield say(
        ("load.training.days" if tokens else "load.training.days_each") + (".many" if several else ".one"),
        NOTE,
        (s.workload.id,),
        None if tokens else do("training.tokens"),
        rule="R32",
        parameters_billion=round(active / 1e9, 1),
        asked_billion=round(asked / 1e9),
        zetta_flop=float(f"{flops / 1e21:.2g}"),
        gpus=cards,
        peak_tflops=round(peak.value / 1e12),
        low_share=healthy[0],
        high_share=healthy[2],
        fast_s=fast * DAY_S,
        slow_s=slow * DAY_S,
        gpudays=float(f"{middle * cards:.2g}"),
        gpumonths=float(f"{middle * cards / MONTH_DAYS:.2g}"),
        node_years=float(f"{middle * cards / NODE_CARDS / YEAR_DAYS:.2g}"),
        node_code="node.holds" if held else "node.short",
    )
    if tokens and middle >= 1:
        days = round(float(f"{middle:.1g}"))
        each = flops / (cards * days * DAY_S)
        yield say(
            "load.training.inverse",
            NOTE,
            (s.workload.id,),
            rule="R32",
            gpus=cards,
            finish_days=days,
            each_tflops=round(each / 1e12),
            each_share=each / peak.value,
        )
    if speed is not None and speed.time_to_finish_s is not None:
        yield say(
            "load.training.time",
            NOTE,
            (s.workload.id,),
            rule="R32",
            finish_s=speed.time_to_finish_s,
            gpu_months=speed.gpu_months,
            use=speed.model_flops_utilisation.scaled(1.0, "share"),
        )
