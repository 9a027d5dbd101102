"""The reasons of a verdict, the deciding one first; how to run it; slots that pace a whole copy."""

from __future__ import annotations

from configurator.advice.results import VerdictCode
from configurator.advice.shape import slot_rate, strange_cards
from configurator.advice.shortfall import shortfall
from configurator.advice.situation import GIANT_PARAMETERS, Situation, at_least, cards_of, starts_shorter
from configurator.scaling.results import ScoredLayout, Speed
from configurator.terms import Estimate, Message, Value, message

ALL_SHARE = 0.95
"""People at a usable speed are "all that memory holds" from here."""
MOST = 4
"""Reasons that are read: how to run it, and up to three why."""

UNEVEN_FACTOR = 4.0
"""A slot this many times slower than the usual one of the same copy is a fault, not a choice."""


def uneven_slots(s: Situation) -> bool:
    """One card of a copy sits in a slot several times slower than the others: a free repair comes first."""
    rates = slot_rates(s)
    return len(rates) > 2 and rates[0] * UNEVEN_FACTOR <= rates[len(rates) // 2]


def slot_rates(s: Situation) -> list[float]:
    """Line rates of the slots of one copy in bytes/s, slowest first; unknown ones left out."""
    return sorted(
        rate for rate in (slot_rate(s.shape.by_id[each]) for each in s.copy_cards if each in s.shape.by_id) if rate
    )


GIANT_CARDS = 8
"""Cards in the servers that models of the 405B class are built for."""


def reasons(s: Situation, code: VerdictCode) -> tuple[Message, ...]:
    """Up to four reasons, the deciding one first."""
    found: list[Message] = []
    if s.model is None or not s.shape.cards:
        if not s.shape.cards:
            names = strange_cards(s.facts.plan, s.catalogue)
            return tuple(message("reason.strange_card", name=each) for each in names)[:3] or (
                message("reason.no_cards"),
            )
        found.append(nameless_model(s))
        return tuple(found)
    if s.work.refused_engine:
        found.append(
            message(
                "reason.other_engine",
                asked_engine=s.work.refused_engine,
                engine=s.workload.engine,
                card_gpu=s.shape.cards[0].record.id,
                format=s.workload.weights,
            )
        )
    if starts_shorter(s.chosen):
        found.append(
            message(
                "reason.context",
                weights_bytes=s.work.weights_bytes,
                memory_bytes=s.group_memory_bytes,
                asked_tokens=s.workload.max_context_tokens or s.workload.context_tokens,
            )
        )
    if not all(card.record.memory_known for card in s.shape.cards) and not at_least(s.fit, "starts"):
        need = int(s.work.weights_bytes / s.policy.weights_share_high)
        found.append(message("reason.memory_unknown", weights_bytes=s.work.weights_bytes, needed_bytes=need))
    if code == "does-not-fit" or (code == "replicas" and not at_least(s.fit, "starts")):
        found.append(_largest_group(s))
    if code == "change-fabric" and not s.spans and uneven_slots(s):
        rates = slot_rates(s)
        found.append(message("reason.slot", slot_bytes_per_s=rates[0], other_bytes_per_s=rates[len(rates) // 2]))
    elif code == "change-fabric" or s.spans:
        found.append(_link(s))
    if s.chosen is not None and at_least(s.fit, "starts"):
        found += _running(s, s.chosen, code)
    most_cards = max((len(cards) for _, cards in s.shape.boxes), default=0)
    if s.parameters >= GIANT_PARAMETERS and code == "does-not-fit" and most_cards < GIANT_CARDS:
        found.append(message("reason.giant"))
    return tuple(found[:MOST])


def _link(s: Situation) -> Message:
    """The connection a copy depends on, and whether it is enough."""
    servers = len(s.copy_servers) or len(s.shape.boxes)
    if s.fabric.bandwidth_bytes_per_s is None:
        return message("reason.link_unknown", servers=servers)
    code = "reason.link_training" if s.training else "reason.link"
    chained = s.chosen is not None and all(
        len(s.shape.servers_of(stage)) == 1 for one in s.chosen.instances for stage in one.stages
    )
    if not s.training and s.fabric.kind in ("rdma", "ethernet") and s.spans and s.model is not None:
        code = "reason.link.chain" if chained else "reason.link.split"
    return message(
        code,
        servers=servers,
        bandwidth_bytes_per_s=s.fabric.bandwidth_bytes_per_s,
        latency_s=s.fabric.latency_s,
        # A chain hands over one row of numbers per token, in 16 bits.
        handed_bytes=2 * s.model.hidden_size if s.model is not None else None,
    )


def _running(s: Situation, chosen: ScoredLayout, code: VerdictCode) -> list[Message]:
    """How to run it, what it takes, how many it holds, how fast it is."""
    several = len(s.shape.servers_of(s.used_cards)) > 1
    if s.training and several and code in ONE_NODE and s.one_box and at_least(s.one_box[0].memory.fit, "serves"):
        return _on_one_node(s, s.one_box[0])
    found = [how_to_run(s, chosen)] if code != "change-fabric" else []
    memory, copies = chosen.memory, 1 if _lone(s) else s.copies
    found.append(
        message(
            _weights_code(s, copies),
            weights_bytes=s.work.weights_bytes,
            memory_bytes=s.group_memory_bytes,
            weights_share=memory.weights_share,
            gpus=len(s.copy_cards),
            copies=copies,
        )
    )
    if s.workload.users is not None and not s.training:
        held = memory.users_served if copies == s.copies else _divided(memory.users_served, s.copies)
        few = s.usable_users is not None and s.usable_users < held.low
        found.append(
            message(
                f"reason.load{'_copies' if copies > 1 else ''}{'.usable' if few else ''}",
                served_users=held,
                usable_users=s.usable_users,
                asked_users=s.workload.users,
                copies=copies,
            )
        )
    if chosen.speed is not None and s.writes:
        found.append(_speed(s, chosen.speed))
    elif chosen.training is not None:
        rate = chosen.training.tokens_per_s
        found.append(message("reason.training", training_tokens_per_s=rate, gpus=len(s.used_cards)))
    return found


ONE_NODE: tuple[VerdictCode, ...] = ("single-node", "fits", "fits-but-no-headroom")


def _on_one_node(s: Situation, chosen: ScoredLayout) -> list[Message]:
    """The same of the one server that is recommended for a training, where the plan has more of them."""
    used = [gpu for one in chosen.instances for gpu in cards_of(one)]
    memory = sum(s.shape.by_id[each].record.memory_usable_bytes for each in used if each in s.shape.by_id)
    found = [
        how_to_run(s, chosen),
        message("reason.weights", weights_bytes=s.work.weights_bytes, memory_bytes=memory,
                weights_share=chosen.memory.weights_share, gpus=len(used), copies=1),
    ]  # fmt: skip
    if chosen.training is not None:
        found.append(message("reason.training", training_tokens_per_s=chosen.training.tokens_per_s, gpus=len(used)))
    return found


def _speed(s: Situation, speed: Speed) -> Message:
    """How fast it is, for the people who were asked for; for one person while nobody said how many."""
    numbers: dict[str, Value] = {
        "running_users": speed.users_in_flight,
        "user_tokens_per_s": speed.output_tokens_per_s_per_user,
        "total_tokens_per_s": speed.output_tokens_per_s,
    }
    if s.workload.users == 1:
        # One person's own speed is all there is.
        return message("reason.speed_one", **numbers)
    if not speed_of_full_memory(s):
        return message("reason.speed", **numbers)
    if s.alone is None or s.usable_users is None:
        return message("reason.speed_full", **numbers)
    numbers |= {"alone_tokens_per_s": s.alone.output_tokens_per_s_per_user, "usable_users": s.usable_users}
    most = speed.users_in_flight.expected
    code = "none" if s.usable_users < 1 else "all" if s.usable_users >= most * ALL_SHARE else "some"
    return message(f"reason.speed_open.{code}", **numbers)


def _lone(s: Situation) -> bool:
    """One person needs one copy, however many the cards would hold."""
    return s.workload.users == 1 and s.copies > 1 and s.workload.must_survive == "nothing" and not s.training


def _divided(value: Estimate, by: int) -> Estimate:
    low, expected, high = (float(each // by) for each in (value.low, value.expected, value.high))
    return Estimate(low, expected, high, value.unit, value.basis)


def speed_of_full_memory(s: Situation) -> bool:
    """Nobody said how many people there are: the speed is that of as many as memory holds, not of one."""
    load, speed = s.workload, s.chosen.speed if s.chosen else None
    return load.users is None and load.requests_per_s is None and speed is not None and speed.users_in_flight.high > 1


def how_to_run(s: Situation, chosen: ScoredLayout) -> Message:
    """The chosen layout in a sentence: copies, what is split, what is chained, which cards stay free."""
    if s.training:
        sharded = any(note.code == "layout.sharded" for note in chosen.notes)
        used = sum(len(cards_of(one)) for one in chosen.instances)
        ranks = len(chosen.instances)
        code = "alone" if used == 1 else "sharded" if sharded else "copies" if ranks > 1 else "whole"
        width = len(cards_of(chosen.instances[0]))
        return message(f"reason.run.job.{code}", used_gpus=used, copies=ranks, gpus=width)
    stages = chosen.instances[0].stages
    tensor, alike = len(stages[0]), {tuple(map(len, one.stages)) for one in chosen.instances}
    if len(alike) > 1 or len({len(stage) for stage in stages}) > 1:
        shape = "mixed"
    elif s.workload.engine == "llama.cpp" and len(s.copy_cards) > 1:
        shape = "chain"
    elif len(stages) > 1:
        shape = "both" if tensor > 1 else "chain"
    else:
        shape = "split" if tensor > 1 else "card"
    idle = len(chosen.idle_gpu_ids)
    ending = ".more" if _lone(s) else (".copies" if s.copies > 1 else "") + (".free" if idle else "")
    return message(
        f"reason.run.{shape}{ending}",
        copies=s.copies,
        gpus=len(cards_of(chosen.instances[0])),
        split_gpus=tensor,
        stages=len(stages),
        used_gpus=len(s.used_cards),
        free_gpus=idle,
    )


def _weights_code(s: Situation, copies: int) -> str:
    """One copy's cards are not all cards: with several copies the sentence says so."""
    if copies < 2 or s.joint:
        return "reason.weights"
    return "reason.weights_together" if s.training else "reason.weights_copies"


def nameless_model(s: Situation) -> Message:
    """Why there is no model to count with: none chosen, or one or a precision that the catalogue does not know."""
    load = s.workload
    if load.model is None:
        return message("reason.no_model")
    if load.model in s.catalogue.models:
        return message("reason.strange_weights", name=load.weights, model=load.model)
    return message("reason.strange_model", name=load.model)


def _largest_group(s: Situation) -> Message:
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    largest, weights = max(boxes, default=0), s.work.weights_bytes
    lack = shortfall(s)
    code = "reason.short"
    if weights <= largest:
        # The weights alone would go in: what is missing is the room beside them, or a card that the engine runs on.
        code = "reason.short_state" if s.training else "reason.short_rest"
    if lack is not None and lack.lacking is not None:
        code = "reason.short_refused"
    elif lack is not None and lack.kind == "card" and lack.short_bytes:
        code = "reason.short_card"
    return message(
        code,
        weights_bytes=weights,
        memory_bytes=largest,
        left_bytes=max(0, largest - weights),
        sum_bytes=s.shape.memory_bytes,
        servers=len(boxes),
        short_bytes=lack.short_bytes if lack is not None else 0,
        copy_gpus=len(s.copy_cards),
        engine=s.workload.engine,
        card_gpu=lack.lacking.card if lack is not None and lack.lacking is not None else None,
        weights=s.work.weight_format.name if s.work.weight_format is not None else None,
    )
