"""What forbids a green light although the model fits: a circuit or a supply that the load exceeds."""

from __future__ import annotations

from typing import Literal

from configurator.advice.situation import Situation
from configurator.operations import PowerCheck, power_checks
from configurator.terms import Message, message

LimitKind = Literal["power"]

TRIPS = ("site", "breaker", "psu", "gpu_budget")
"""Kinds of power checks that stop the machine; short peaks are a finding, not a verdict."""


def power_exceeded(s: Situation) -> PowerCheck | None:
    """The limit of a place or of a server of this workload that its load exceeds most; None when all hold."""
    subjects = {card.site.id for card in s.shape.cards} | {server.id for server, _ in s.shape.boxes}
    broken = [
        check
        for check in power_checks(s.facts.plan, s.catalogue)
        if not check.ok and check.kind in TRIPS and check.subject_id in subjects
    ]
    return max(broken, key=lambda each: each.load_share, default=None)


def exceeded(s: Situation) -> tuple[LimitKind, Message] | None:
    """The first limit that the plan exceeds, with the reason to tell; None when it keeps all of them."""
    check = power_exceeded(s)
    if check is not None:
        return "power", message(
            f"reason.power.{check.kind}", object_id=check.subject_id, load_w=check.load_w, limit_w=check.limit_w
        )
    return None
