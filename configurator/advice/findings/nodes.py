"""The five cases for one node (R48-R52) and the four for several (R54-R57), matched and named; R53 and R58 beside."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import GIANT_PARAMETERS, GRADIENT, LARGE_PARAMETERS, Situation, at_least

RESEARCH_LOW, RESEARCH_HIGH = 6e9, 75e9
HUGE_TOKENS_PER_S = 1e5
"""The text's "100,000 QPS" read as tokens per second: see the table of disagreements."""
MODERATE_USERS = 64


def stay_on_one(s: Situation) -> tuple[str, ...]:
    """Rules among R48-R52 that speak for one node."""
    load = s.workload
    if s.model is None:
        return ()
    matched = []
    inference = not s.training
    if inference and at_least(s.one_box_fit, "serves"):
        matched.append("R48")
    if inference and not load.many_tenants and (load.users or 1) <= MODERATE_USERS and s.fits_one_box:
        matched.append("R49")
    if RESEARCH_LOW <= s.parameters <= RESEARCH_HIGH and load.task not in GRADIENT and s.fits_one_box:
        matched.append("R50")
    if load.task in ("lora", "qlora"):
        matched.append("R51")
    if load.task == "batch":
        matched.append("R52")
    return tuple(matched)


def go_to_several(s: Situation) -> tuple[str, ...]:
    """Rules among R54-R57 that speak for several nodes."""
    load = s.workload
    if s.model is None:
        return ()
    matched = []
    if load.task == "pretrain" and s.parameters >= LARGE_PARAMETERS:
        matched.append("R54")
    if load.task == "full" and s.parameters >= LARGE_PARAMETERS:
        matched.append("R55")
    interactive = load.task == "chat" and (load.tokens_per_s_per_user_limit or load.time_to_first_token_limit_s)
    giant = s.parameters >= GIANT_PARAMETERS
    if giant and (interactive or load.goal == "one_fast_answer" or (load.users or 0) > 1) and not s.training:
        matched.append("R56")
    if load.many_tenants and max(load.tokens_per_s or 0, load.requests_per_s or 0) >= HUGE_TOKENS_PER_S:
        matched.append("R57")
    return tuple(matched)


def named(s: Situation) -> Iterator[Finding]:
    """Every matched case, and the prior (R53) or the fallback (R58)."""
    if s.model is None:
        return
    stay, go = stay_on_one(s), go_to_several(s)
    held = at_least(s.one_box_fit, "serves")
    for rule in go:
        if rule == "R56" and held and len(s.shape.boxes) == 1:
            # One node holds it: the case for several does not apply here.
            continue
        yield say(f"nodes.several.{rule.lower()}", NOTE, (s.workload.id,), rule=rule, basis="assumed")
    if go:
        return
    apart = s.copies > 1 and len(s.shape.servers_of(s.used_cards)) > 1
    for rule in stay:
        if rule in ("R48", "R49") and (s.spans or apart):
            # The answer is another one than a single node.
            continue
        yield say(f"nodes.one.{rule.lower()}", NOTE, (s.workload.id,), rule=rule, basis="assumed")
    if len(s.shape.boxes) > 1 and not s.spans and not s.training:
        yield say("nodes.more.throughput", NOTE, (s.workload.id,), do("nodes.copies"), rule="R58", basis="assumed")
    if len(s.shape.boxes) > 1:
        yield say("nodes.prior.one", NOTE, (s.workload.id,), rule="R53", basis="assumed")
