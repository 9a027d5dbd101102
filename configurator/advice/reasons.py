"""Up to three reasons of a verdict, the deciding one first; slots that pace a whole copy."""

from __future__ import annotations

from configurator.advice.results import VerdictCode
from configurator.advice.shape import slot_rate, strange_cards
from configurator.advice.situation import GIANT_PARAMETERS, Situation, at_least, starts_shorter
from configurator.terms import Message, message

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
    """Up to three reasons, the deciding one first."""
    found: list[Message] = []
    if s.model is None or not s.shape.cards:
        if not s.shape.cards:
            names = strange_cards(s.facts.plan, s.catalogue)
            return tuple(message("reason.strange_card", name=each) for each in names)[:3] or (
                message("reason.no_cards"),
            )
        found.append(nameless_model(s))
        return tuple(found)
    memory = s.chosen.memory if s.chosen else None
    if starts_shorter(s):
        found.append(
            message(
                "reason.context",
                weights_bytes=s.work.weights_bytes,
                memory_bytes=s.group_memory_bytes,
                asked_tokens=s.workload.max_context_tokens or s.workload.context_tokens,
            )
        )
    if code == "does-not-fit" or (code == "replicas" and not at_least(s.fit, "starts")):
        found.append(_largest_group(s))
    if code == "change-fabric" and not s.spans and uneven_slots(s):
        rates = slot_rates(s)
        found.append(message("reason.slot", slot_bytes_per_s=rates[0], other_bytes_per_s=rates[len(rates) // 2]))
    elif code == "change-fabric" or s.spans:
        if s.fabric.bandwidth_bytes_per_s is None:
            found.append(message("reason.link_unknown", servers=len(s.copy_servers) or len(s.shape.boxes)))
        else:
            found.append(
                message(
                    "reason.link_training" if s.training else "reason.link",
                    servers=len(s.copy_servers) or len(s.shape.boxes),
                    bandwidth_bytes_per_s=s.fabric.bandwidth_bytes_per_s,
                    latency_s=s.fabric.latency_s,
                )
            )
    if memory is not None and at_least(s.fit, "starts"):
        found.append(
            message(
                _weights_code(s),
                weights_bytes=s.work.weights_bytes,
                memory_bytes=s.group_memory_bytes,
                weights_share=memory.weights_share,
                gpus=len(s.copy_cards),
                copies=s.copies,
            )
        )
        if s.workload.users is not None and not s.training:
            found.append(
                message(
                    "reason.load_copies" if s.copies > 1 else "reason.load",
                    served_users=memory.users_served,
                    asked_users=s.workload.users,
                    copies=s.copies,
                )
            )
        speed = s.chosen.speed if s.chosen else None
        if speed is not None:
            found.append(
                message(
                    # One person's own speed is all there is.
                    "reason.speed_one"
                    if s.workload.users == 1
                    else "reason.speed_full"
                    if speed_of_full_memory(s)
                    else "reason.speed",
                    running_users=speed.users_in_flight,
                    user_tokens_per_s=speed.output_tokens_per_s_per_user,
                    total_tokens_per_s=speed.output_tokens_per_s,
                )
            )
        elif s.chosen and s.chosen.training:
            rate = s.chosen.training.tokens_per_s
            found.append(message("reason.training", training_tokens_per_s=rate, gpus=len(s.used_cards)))
    most_cards = max((len(cards) for _, cards in s.shape.boxes), default=0)
    if s.parameters >= GIANT_PARAMETERS and code == "does-not-fit" and most_cards < GIANT_CARDS:
        found.append(message("reason.giant"))
    return tuple(found[:3])


def speed_of_full_memory(s: Situation) -> bool:
    """Nobody said how many people there are: the speed is that of as many as memory holds, not of one."""
    load, speed = s.workload, s.chosen.speed if s.chosen else None
    return load.users is None and load.requests_per_s is None and speed is not None and speed.users_in_flight.high > 1


def _weights_code(s: Situation) -> str:
    """One copy's cards are not all cards: with several copies the sentence says so."""
    if s.copies < 2 or s.joint:
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
    code = "reason.short"
    if weights <= largest:
        # The weights alone would go in: what is missing is the room beside them.
        code = "reason.short_state" if s.training else "reason.short_rest"
    return message(
        code,
        weights_bytes=weights,
        memory_bytes=largest,
        left_bytes=max(0, largest - weights),
        sum_bytes=s.shape.memory_bytes,
        servers=len(boxes),
    )
