"""The arithmetic of what crosses a connection: hand-overs, exchanges, caches, weights through a slot (R33-R37)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, say
from configurator.advice.results import Finding
from configurator.advice.shape import slot_rate
from configurator.advice.situation import Situation, at_least, cards_of

PROMPT_TOKENS = 8192
"""A long question, where none is given."""
NUMBER_BYTES = 2
"""Activations cross in 16 bits."""
LIMIT_SHARE = 0.5
"""From this share of a connection on it is called the limit."""
CACHE_70B = 327_680
"""Bytes of cache per token of a 70-billion model with 8 KV heads of 128 in 80 layers, 16 bits."""
NARROW_BYTES_PER_S = 13e9
LONG_PROMPT = 8192
MANY_HOPS = 4
SLOW_WORD_S = 2.0
MEASURED_SLOW, MEASURED_WIDE = 100.0, 250.0
"""Tokens/s of prompt reading: eight RTX 3090, tensor parallel, 123 billion, PCIe 3.0 x4 and 4.0 x8 (owner's report)."""
GIGABIT = 1e9 / 8


def prompt_of(s: Situation) -> int:
    """Tokens of a question: as asked, else of a usual long one, never more than a conversation."""
    held = s.workload.input_tokens or min(PROMPT_TOKENS, s.workload.context_tokens or PROMPT_TOKENS)
    return max(1, held)


def _total(s: Situation) -> float:
    speed = s.chosen.speed if s.chosen else None
    return speed.output_tokens_per_s.expected if speed else 0.0


def between(s: Situation) -> Iterator[Finding]:
    """What a copy over servers sends per token and per prompt, against its connection."""
    if not s.spans or s.chosen is None or s.model is None or s.training:
        return
    # Owners chain the machines they have, not the fewest that would do.
    every = s.shape.boxes if s.copies == 1 and len(s.shape.site_ids) == 1 else ()
    hops = max(len(s.copy_servers), len(every))
    if hops >= MANY_HOPS:
        yield say(
            "fabric.hops.sum",
            NOTE,
            s.copy_servers,
            rule="R37",
            servers=hops,
            added_s=0.001 * hops,
            hop_s=SLOW_WORD_S / hops,
        )
    hidden, prompt, fabric = s.model.hidden_size, prompt_of(s), s.fabric
    rate, bandwidth = _total(s), fabric.bandwidth_bytes_per_s
    piece = hidden * NUMBER_BYTES
    if any(len(s.shape.servers_of(stage)) > 1 for stage in s.chosen.instances[0].stages):
        exchanges = 2 * s.model.layers
        # Two ranks or groups: every server sends the whole buffer once.
        sent = piece * exchanges
        if bandwidth and rate:
            need = sent * rate / max(1, s.copies)
            yield say(
                "fabric.split_traffic.limit" if need > LIMIT_SHARE * bandwidth else "fabric.split_traffic.enough",
                NOTE,
                s.copy_servers,
                rule="R37",
                token_bytes=sent,
                exchanges=exchanges,
                hidden=hidden,
                total_tokens_per_s=rate / max(1, s.copies),
                needed_bytes_per_s=need,
                bandwidth_bytes_per_s=bandwidth,
                prompt_tokens=prompt,
                prompt_bytes=sent * prompt,
                prompt_s=sent * prompt / bandwidth,
            )
    if bandwidth and rate:
        need = piece * rate / max(1, s.copies)
        yield say(
            "fabric.handover.limit" if need > LIMIT_SHARE * bandwidth else "fabric.handover.enough",
            NOTE,
            s.copy_servers,
            rule="R37",
            token_bytes=piece,
            hidden=hidden,
            total_tokens_per_s=rate / max(1, s.copies),
            needed_bytes_per_s=need,
            bandwidth_bytes_per_s=bandwidth,
            prompt_tokens=prompt,
            prompt_bytes=piece * prompt,
            prompt_s=piece * prompt / bandwidth,
        )
    else:
        yield say(
            "fabric.handover.open",
            NOTE,
            s.copy_servers,
            rule="R37",
            token_bytes=piece,
            hidden=hidden,
            prompt_tokens=prompt,
            prompt_bytes=piece * prompt,
        )


def stages(s: Situation) -> Iterator[Finding]:
    """Servers beyond the smallest copy are further copies, not further stages."""
    if s.training or s.model is None or s.smallest is None or len(s.shape.site_ids) > 1:
        return
    nodes = len(s.shape.servers_of(cards_of(s.smallest.instances[0])))
    every = len(s.shape.boxes)
    if nodes < 2 or every <= nodes:
        return
    if every >= 2 * nodes:
        yield say(
            "fabric.stages.room",
            NOTE,
            (s.workload.id,),
            rule="R58",
            nodes=nodes,
            all_nodes=every,
            possible_copies=every // nodes,
        )
    else:
        yield say("fabric.stages.idle", NOTE, (s.workload.id,), rule="R58", nodes=nodes, all_nodes=every)


def cache(s: Situation) -> Iterator[Finding]:
    """The cache of a usual prompt over a connection: what copies never need."""
    if s.training or not s.shape.cards or len(s.shape.site_ids) > 1:
        return
    several = len(s.shape.boxes) > 1
    if s.model is None and (several or len(s.shape.cards) == 1):
        per_token = float(CACHE_70B)
    elif (
        several
        and s.model is not None
        and s.workload.goal == "many_answers"
        and not s.spans
        and at_least(s.fit, "starts")
    ):
        per_token = s.work.kv_bytes_per_token
    else:
        return
    prompt = prompt_of(s)
    size = per_token * prompt
    yield say(
        "fabric.cache.open" if s.model is None else "fabric.cache.model",
        NOTE,
        (s.workload.id,),
        rule="R40",
        cache_gb=round(size / 1e9, 1) if size >= 1e9 else round(size / 1e9, 2),
        prompt_tokens=prompt,
        one_s=size / GIGABIT,
        ten_s=size / GIGABIT / 10,
        hundred_s=size / GIGABIT / 100,
    )


def alone(s: Situation) -> Iterator[Finding]:
    """A whole model on a card in a narrow slot: loading, then nothing."""
    if s.model is None or s.training or s.cards_needed != 1:
        return
    slow = [(rate, card) for card in s.shape.cards if (rate := slot_rate(card)) is not None]
    slow = [(rate, card) for rate, card in slow if rate < NARROW_BYTES_PER_S and card.record.form == "pcie"]
    if slow:
        rate, card = min(slow, key=lambda pair: pair[0])
        real = real_slot(s, card.slot.id, card.server.id) or rate
        yield say(
            "slot.alone.card",
            NOTE,
            (card.gpu.id,),
            rule="R33",
            generation=card.slot.pcie_generation,
            lanes=card.slot.lanes,
            slot_bytes_per_s=real,
            loaded_bytes=s.work.weights_bytes,
            load_about_s=s.work.weights_bytes / real,
        )
    if slow and s.workload.engine == "llama.cpp" and len(s.shape.boxes) > 1 and s.shape.maker != "apple":
        yield say("slot.alone.rpc", NOTE, (s.workload.id,), basis="measured")


def real_slot(s: Situation, slot_id: str, server_id: str) -> float | None:
    """What the slot really carries, as drawn in the picture of the server; None where it is not known."""
    graph = s.facts.topology.servers.get(server_id)
    edge = graph.edges.get(slot_id) if graph is not None else None
    return edge.bandwidth_bytes_per_s if edge is not None and edge.known else None


def prompts(s: Situation) -> Iterator[Finding]:
    """A long prompt through narrow slots: what a split exchanges, and how long the reading takes."""
    if s.model is None or s.training or s.chosen is None or s.spans or len(s.copy_cards) < 2:
        return
    cards = [s.shape.by_id[each] for each in s.copy_cards if each in s.shape.by_id]
    rates = [rate for card in cards if card.record.form == "pcie" and (rate := slot_rate(card)) is not None]
    if not rates or min(rates) >= NARROW_BYTES_PER_S or prompt_of(s) < LONG_PROMPT:
        return
    prompt, ranks = prompt_of(s), len(s.copy_cards)
    stated = s.workload.input_tokens is not None
    sent = 2 * s.model.layers * s.model.hidden_size * NUMBER_BYTES * prompt
    worst = min(cards, key=lambda card: slot_rate(card) or float("inf"))
    bus = real_slot(s, worst.slot.id, worst.server.id) or min(rates)
    # A ring passes each byte on 2 (n-1)/n times.
    yield say(
        "slot.prompt.split",
        STEP if stated else NOTE,
        (worst.gpu.id,),
        rule="R37",
        prompt_tokens=prompt,
        prompt_bytes=sent,
        prompt_s=sent * 2 * (ranks - 1) / ranks / bus,
        bus_bytes_per_s=bus,
    )
    if stated and s.chosen.speed is not None and s.chosen.speed.prefill_tokens_per_s.expected > 0:
        prefill = s.chosen.speed.prefill_tokens_per_s
        yield say(
            "slot.prompt.time",
            STEP,
            (s.workload.id,),
            rule="R37",
            basis="measured",
            prompt_tokens=prompt,
            read_s=prompt / prefill.expected,
            slow_s=prompt / MEASURED_SLOW,
            wide_s=prompt / MEASURED_WIDE,
            prefill_tokens_per_s=prefill,
        )
