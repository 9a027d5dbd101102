"""Why a layout lost, as a code with figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from configurator.scaling.judge import Question
from configurator.sizing import weight_bytes
from configurator.sizing.results import FIT_ORDER
from configurator.terms import Message, message

if TYPE_CHECKING:
    from configurator.scaling.layouts import Ranked

EQUAL_SHARE = 0.02
"""Layouts closer than this are called equal; the estimate is not finer."""


def lost_because(question: Question, lost: Ranked, best: Ranked, fastest: bool) -> Message:
    """The first thing that put ``lost`` behind ``best``."""
    workload = question.workload
    memory, better = lost.answer.memory, best.answer.memory
    fit, best_fit = FIT_ORDER.index(memory.fit), FIT_ORDER.index(better.fit)
    if memory.fit == "no":
        return memory.reason or message("layout.memory_short", short_bytes=0)
    if best.wished and not lost.wished:
        return message("layout.not_the_wish")
    if fit < 2 <= best_fit:
        return memory.reason or message(
            "memory.load_too_large", users=workload.users or 1, users_served=int(memory.users_served.expected)
        )
    if best.survives and not lost.survives:
        return message("layout.does_not_survive", level=workload.must_survive)
    if best.in_time and not lost.in_time:
        return _too_late(question, lost)
    if lost.candidate.layout.offload and not best.candidate.layout.offload:
        return message("layout.offload", **_slower(lost, best))
    if lost.rows and not best.rows:
        return message("layout.row_split")
    if lost.spans and not best.spans and lost.score > best.score * (1 - EQUAL_SHARE):
        faster = lost.score / best.score - 1.0 if best.score > 0 else 0.0
        return message("layout.needs_several_servers", faster_share=max(0.0, faster))
    if fit < best_fit:
        return memory.reason or message("layout.no_reserve")
    if fastest and workload.goal is None and lost.score < best.score * (1 - EQUAL_SHARE):
        return message("layout.better_for_one_answer", **_slower(lost, best))
    if workload.goal != "one_fast_answer" and not lost.spans and lost.score > best.score * (1 + EQUAL_SHARE):
        wide = lost.candidate.layout.width > best.candidate.layout.width
        faster = lost.score / best.score - 1.0 if best.score > 0 else 0.0
        return message("layout.wider" if wide else "layout.carries_less", faster_share=faster)
    return _slower_reason(lost, best)


def _slower_reason(lost: Ranked, best: Ranked) -> Message:
    """Both work: how much slower, and what holds it back."""
    slower = _slower(lost, best)
    if slower["slower_share"] < EQUAL_SHARE:
        more = lost.candidate.cards - best.candidate.cards
        return message("layout.more_cards", cards=more) if more > 0 else message("layout.equal")
    limit = lost.answer.speed.limited_by if lost.answer.speed is not None else None
    if limit is not None and limit.code == "limited.link":
        return message("layout.link_rules", link_id=limit.get("link_id"), **slower)
    idle = best.candidate.cards - lost.candidate.cards
    if idle > 0:
        return message("layout.unused", cards=idle, **slower)
    return message("layout.slower", **slower)


def _slower(lost: Ranked, best: Ranked) -> dict[str, float]:
    share = 1.0 - lost.score / best.score if best.score > 0 else 0.0
    return {"slower_share": max(0.0, share)}


def _too_late(question: Question, lost: Ranked) -> Message:
    workload, speed = question.workload, lost.answer.speed
    limit = workload.time_to_first_token_limit_s
    if speed is not None and limit is not None and speed.time_to_first_token_s.expected > limit:
        return message("layout.first_token_limit", time_s=speed.time_to_first_token_s, limit_s=limit)
    return message(
        "layout.user_speed_limit",
        speed_tokens_per_s=speed.output_tokens_per_s_per_user if speed is not None else None,
        limit_tokens_per_s=workload.tokens_per_s_per_user_limit,
    )


def apart_reason(question: Question, server_ids: Sequence[str]) -> Message | None:
    """When all cards together would hold the model but no linked group does: the total is no capacity (R01, R08)."""
    topology = question.topology
    groups: dict[str, int] = {}
    for key in server_ids:
        graph = topology.servers.get(key)
        if graph is not None and graph.devices:
            group = topology.group_of(key).id
            groups[group] = groups.get(group, 0) + sum(device.memory_bytes for device in graph.devices)
    if len(groups) < 2:
        return None
    need = weight_bytes(question.model, question.weight_format)
    total, largest = sum(groups.values()), max(groups.values())
    if total < need or largest >= need:
        return None
    sites = {topology.wires.home[key] for key in server_ids if key in topology.servers}
    code = "layout.sites_apart" if len(sites) > 1 else "layout.no_link"
    return message(code, total_bytes=total, largest_bytes=largest, weights_bytes=need)
