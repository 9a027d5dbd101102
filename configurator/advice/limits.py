"""What forbids a green light although the model fits: a circuit that gives way, answers too slow for a chat."""

from __future__ import annotations

from typing import Literal

from configurator.advice.people import limits_of
from configurator.advice.reasons import speed_of_full_memory
from configurator.advice.situation import Situation, at_least, cards_of
from configurator.operations import PowerCheck, power_checks
from configurator.scaling.results import Layout
from configurator.terms import Message, message

LimitKind = Literal["power", "wish", "survive", "speed"]

TRIPS = ("site", "breaker", "psu", "gpu_budget")
"""Kinds of power checks that stop the machine; short peaks are a finding, not a verdict."""


def power_exceeded(s: Situation) -> PowerCheck | None:
    """The limit of a place or of a server of this workload that its load exceeds most; None when all hold."""
    subjects = {card.site.id for card in s.shape.cards} | {server.id for server, _ in s.shape.boxes}
    broken = [
        check
        for check in power_checks(s.facts.plan, s.catalogue)
        if not check.ok and not check.assumed and check.kind in TRIPS and check.subject_id in subjects
    ]
    return max(broken, key=lambda each: each.load_share, default=None)


def wish_refused(s: Situation) -> Message | None:
    """Why the layout that the owner asked for does not run, where another one is shown instead; None otherwise."""
    load = s.workload
    wished = (load.replicas, load.pipeline_parallel, load.tensor_parallel)
    if s.chosen is None or not any(wished) or not at_least(s.fit, "starts"):
        return None

    def meets(layout: Layout) -> bool:
        have = (layout.replicas, layout.pipeline_parallel, layout.tensor_parallel)
        return all(wish is None or wish == value for wish, value in zip(wished, have, strict=True))

    if meets(s.chosen.layout):
        return None
    asked = next((each for each in s.work.owned if meets(each.layout)), None)
    told = (asked.lost_because or asked.memory.reason) if asked is not None else None
    return told or message("reason.wish")


def survives(s: Situation) -> bool:
    """Whether some copy goes on after any single failure of the kind that the owner named."""
    level = s.workload.must_survive
    if level == "nothing" or s.chosen is None or s.training or not at_least(s.fit, "starts"):
        return True
    used = [cards_of(one) for one in s.chosen.instances]
    if level == "gpu":
        return len(used) > 1
    places = [set(s.shape.servers_of(each) if level == "server" else s.shape.sites_of(each)) for each in used]
    return all(any(place not in each for each in places) for place in set().union(*places))


def exceeded(s: Situation) -> tuple[LimitKind, Message] | None:
    """The first limit that the plan exceeds, with the reason to tell; None when it keeps all of them."""
    check = power_exceeded(s)
    if check is not None:
        return "power", message(
            f"reason.power.{check.kind}", object_id=check.subject_id, load_w=check.load_w, limit_w=check.limit_w
        )
    refused = wish_refused(s)
    if refused is not None:
        return "wish", refused
    if not survives(s):
        level = s.workload.must_survive
        return "survive", message(f"reason.survive.{level}", servers=len(s.copy_servers))
    slow = too_slow(s)
    return ("speed", slow) if slow is not None else None


def too_slow(s: Situation) -> Message | None:
    """Why the expected speed is not a usable chat; None where it is, and for batch work and training.

    A limit that the owner stated counts; else the policy's, which is far below what people like.
    """
    speed, load = s.chosen.speed if s.chosen else None, s.workload
    if speed is None or load.task != "chat" or not s.writes or not at_least(s.fit, "starts"):
        return None
    if speed_of_full_memory(s):
        # Not the speed of anybody: with fewer people than memory holds each one is served faster. One of them counts.
        speed = s.alone or speed
    wait, pace = speed.time_to_first_token_s, speed.output_tokens_per_s_per_user
    most_s, least = limits_of(load, s.policy)
    late = wait.expected > most_s
    slow = pace.expected < least
    if not late and not slow:
        return None
    stated = (late and load.time_to_first_token_limit_s) or (slow and load.tokens_per_s_per_user_limit)
    code = "both" if late and slow else "wait" if late else "pace"
    return message(
        f"reason.slow.{code}",
        wait_s=wait,
        user_tokens_per_s=pace,
        most_s=most_s,
        least_tokens_per_s=least,
        help_code="help.one" if load.users in (None, 1) else "help.many",
        whose_code="limit.stated" if stated else "limit.policy",
    )
