"""One answer per workload: code, light, headline, up to three reasons. The worst workload speaks for the plan."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.advice.flow import Decision
from configurator.advice.results import Verdict, VerdictCode
from configurator.advice.situation import GIANT_PARAMETERS, Situation, at_least, cards_of
from configurator.terms import Light, Message, message

MANY_BOXES = 4
"""More boxes than this for one copy, each with one card, is the worst shape whatever the wire."""

LIGHTS: tuple[Light, ...] = ("good", "unknown", "step", "stop")


@dataclass(frozen=True, slots=True)
class _Answer:
    code: VerdictCode
    light: Light
    headline: str
    secondary: tuple[VerdictCode, ...] = ()


def verdict(s: Situation, owned: Decision) -> Verdict:
    """The answer for one workload."""
    found = _answer(s, owned)
    texts = Message(found.headline, _headline_numbers(s))
    return Verdict(found.code, found.light, texts, reasons(s, found.code), found.secondary)


def _headline_numbers(s: Situation) -> tuple[tuple[str, int], ...]:
    return (
        ("copies", s.copies),
        ("gpus", len(s.copy_cards)),
        ("servers", len(s.copy_servers)),
        ("sites", len(s.shape.site_ids)),
        ("own_servers", len(s.shape.boxes)),
    )


def _answer(s: Situation, owned: Decision) -> _Answer:
    if not s.shape.cards:
        return _Answer("unknown-topology", "unknown", "headline.no_cards")
    if s.model is None:
        return _without_model(s)
    if not at_least(s.fit, "starts"):
        return _too_small(s)
    return _spanning(s) if s.spans else _inside(s, owned)


def _without_model(s: Situation) -> _Answer:
    """What can be said before a model is chosen (R06, R11)."""
    if len(s.shape.site_ids) > 1:
        return _Answer("replicas", "unknown", "headline.homes_no_model", ("change-fabric", "unknown-topology"))
    one_box = len(s.shape.boxes) == 1 and len(s.shape.cards) > 1
    if one_box and s.workload.goal != "many_answers" and s.shape.boxes[0][0].topology_known:
        return _Answer("single-node", "unknown", "headline.no_model_one_node", ("unknown-topology",))
    return _Answer("unknown-topology", "unknown", "headline.no_model", ("replicas",))


def _too_small(s: Situation) -> _Answer:
    """The model starts nowhere: apart in homes, over a line that is missing, or simply too large."""
    enough = s.shape.memory_bytes > s.work.weights_bytes * 1.05
    if len(s.shape.site_ids) > 1 and enough:
        return _Answer("replicas", "stop", "headline.homes", ("change-fabric",))
    if len(s.shape.boxes) > 1 and enough:
        fabric = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes))
        if fabric.kind == "unknown":
            return _Answer("unknown-topology", "unknown", "headline.link_decides", ("tp-inside-pp-across",))
        if fabric.kind in ("none", "slow"):
            return _Answer("change-fabric", "step", "headline.not_linked", ("does-not-fit",))
    return _Answer("does-not-fit", "stop", "headline.training_too_large" if s.training else "headline.too_large")


def _spanning(s: Situation) -> _Answer:
    """One copy needs several servers."""
    kind = s.fabric.kind
    boxes = len(s.copy_servers)
    single = all(len([g for g in s.copy_cards if s.shape.by_id[g].server.id == box]) == 1 for box in s.copy_servers)
    if kind in ("unknown", "none"):
        if single and boxes > MANY_BOXES:
            return _Answer("change-fabric", "step", "headline.worst_shape", ("cluster",))
        return _Answer("unknown-topology", "unknown", "headline.link_decides", ("tp-inside-pp-across",))
    if kind in ("internet", "slow"):
        return _Answer("change-fabric", "stop" if kind == "internet" else "step", f"headline.{kind}", ("replicas",))
    if s.training:
        return _training_across(s)
    if kind == "rdma":
        return _Answer("cluster", "good", "headline.cluster", ("tp-inside-pp-across",))
    light: Light = "good" if at_least(s.fit, "serves") else "step"
    return _Answer("tp-inside-pp-across", light, "headline.across", ("cluster",))


def _training_across(s: Situation) -> _Answer:
    """R41, R62: the projected efficiency decides."""
    curve = s.work.efficiency
    floor = s.policy.efficiency_floor
    across = [point for point in curve.points if point.nodes > 1 and point.mode != "tp_across"] if curve else []
    best = max((point.efficiency.expected for point in across), default=1.0)
    if best < floor:
        return _Answer("change-fabric", "step", "headline.inefficient", ("tp-inside-pp-across", "cluster"))
    return _Answer("cluster", "good", "headline.training_cluster", ("tp-inside-pp-across",))


def _inside(s: Situation, owned: Decision) -> _Answer:
    """Every copy stands inside one server."""
    many = s.workload.goal == "many_answers"
    survive = s.workload.must_survive != "nothing"
    boxes = len(s.shape.boxes)
    if s.training:
        light: Light = "good" if at_least(s.fit, "serves") else "step"
        return _Answer("single-node", light, "headline.training_one_node", ("fits",))
    if len(s.shape.site_ids) > 1:
        return _Answer("replicas", _load_light(s), "headline.copies_sites", ("single-node",))
    if s.copies > 1 and (many or (survive and boxes > 1)):
        return _Answer("replicas", _load_light(s), "headline.copies", ("single-node",))
    if survive and boxes > 1 and s.fits_one_box:
        return _Answer("replicas", _load_light(s), "headline.copies_survive", ("single-node",))
    if not at_least(s.fit, "serves_with_reserve"):
        if owned.outcome == 3 and many and boxes > 1:
            return _Answer("replicas", _load_light(s), "headline.copies", ("single-node",))
        headline = "headline.no_reserve" if at_least(s.fit, "serves") else "headline.starts_only"
        return _Answer("fits-but-no-headroom", "step", headline, ("fits",))
    idle = len(s.shape.cards) > len(s.copy_cards)
    if boxes > 1 or (idle and s.copies == 1):
        few = "headline.one_card" if len(s.copy_cards) == 1 else "headline.one_node"
        return _Answer("single-node", "good", few, ("replicas", "fits"))
    if s.copies > 1:
        return _Answer("single-node", "good", "headline.one_node", ("replicas", "fits"))
    return _Answer("fits", "good", "headline.fits", ("single-node",))


def _load_light(s: Situation) -> Light:
    return "good" if at_least(s.fit, "serves") else "step"


def reasons(s: Situation, code: VerdictCode) -> tuple[Message, ...]:
    """Up to three reasons, the deciding one first."""
    found: list[Message] = []
    if s.model is None or not s.shape.cards:
        found += [message("reason.no_model")] if s.model is None and s.shape.cards else []
        found += [message("reason.no_cards")] if not s.shape.cards else []
        return tuple(found)
    memory = s.chosen.memory if s.chosen else None
    if code == "does-not-fit" or (code == "replicas" and not at_least(s.fit, "starts")):
        found.append(_largest_group(s))
    if code == "change-fabric" or s.spans:
        found.append(
            message(
                "reason.link",
                servers=len(s.copy_servers) or len(s.shape.boxes),
                bandwidth_bytes_per_s=s.fabric.bandwidth_bytes_per_s,
                latency_s=s.fabric.latency_s,
            )
        )
    if memory is not None and at_least(s.fit, "starts"):
        found.append(
            message(
                "reason.weights",
                weights_bytes=s.work.weights_bytes,
                memory_bytes=s.group_memory_bytes,
                weights_share=memory.weights_share,
                gpus=len(s.copy_cards),
            )
        )
        if s.workload.users is not None and not s.training:
            found.append(message("reason.load", served_users=memory.users_served, asked_users=s.workload.users))
        speed = s.chosen.speed if s.chosen else None
        if speed is not None:
            found.append(
                message(
                    "reason.speed",
                    user_tokens_per_s=speed.output_tokens_per_s_per_user,
                    total_tokens_per_s=speed.output_tokens_per_s,
                )
            )
        elif s.chosen and s.chosen.training:
            found.append(message("reason.training", training_tokens_per_s=s.chosen.training.tokens_per_s))
    if s.parameters >= GIANT_PARAMETERS and code == "does-not-fit":
        found.append(message("reason.giant"))
    return tuple(found[:3])


def _largest_group(s: Situation) -> Message:
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    return message(
        "reason.short",
        weights_bytes=s.work.weights_bytes,
        memory_bytes=max(boxes, default=0),
        sum_bytes=s.shape.memory_bytes,
        servers=len(boxes),
    )


def plan_verdict(verdicts: tuple[Verdict, ...], has_cards: bool) -> Verdict:
    """The worst workload's answer; of the bare hardware when there is no workload."""
    if not verdicts:
        headline = message("headline.no_workload") if has_cards else message("headline.no_cards")
        return Verdict("unknown-topology", "unknown", headline, ())
    return max(verdicts, key=lambda each: LIGHTS.index(each.light))


def uses_one_card(s: Situation) -> bool:
    """The chosen copy is a single card."""
    return len(s.copy_cards) == 1


def copy_sizes(s: Situation) -> tuple[int, ...]:
    """Cards per copy of the chosen layout."""
    return tuple(len(cards_of(one)) for one in s.chosen.instances) if s.chosen else ()
