"""Plans next to the owner's: other precision, other counts, one box for two, copies, splits, fabrics, caps, cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from pydantic import ValidationError

from configurator.advice.findings.memory import four_bit_format, suggestions
from configurator.advice.situation import Situation, at_least
from configurator.plan.edits import EditError, add_gpus, add_server, connect, fill_server, rebuilt, remove, update
from configurator.plan.index import gpus
from configurator.plan.model import Plan
from configurator.terms import Message, message

Edit = Callable[[Plan], Plan]

CAP_SHARE = 0.7
FABRICS = ("eth-25g-roce", "eth-100g-roce", "eth-200g-roce", "ib-ndr")
EIGHT = 8
BOXES = ("epyc-sp5-4u-8gpu-root", "epyc-sp3-7slot-openframe", "workstation-wrx90")
"""Chassis tried, after the policy's own, for cards that move together."""
ROOM_SHARE = 0.9
"""Of the limit for weights: room for the cache of a model that replaces a larger one."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A way to change the plan; ``edit`` may raise EditError where it cannot be done."""

    code: str
    title: Message
    changes: tuple[Message, ...]
    edit: Edit


def apply(neighbour: Neighbour, plan: Plan) -> Plan | None:
    """The changed plan, or None where the edit cannot be done or changes nothing."""
    try:
        made = neighbour.edit(plan)
    except (EditError, ValidationError):
        return None
    return None if made is plan else made


def neighbours(s: Situation) -> Iterator[Neighbour]:
    """All neighbours that make sense for a workload, in a fixed order."""
    for make in (_precision, _smaller_model, _cards, _one_box, _layouts, _fabrics, _caps, _other_cards):
        yield from make(s)


def _set(object_id: str, **fields: object) -> Edit:
    return lambda plan: update(plan, object_id, **fields)


def _precision(s: Situation) -> Iterator[Neighbour]:
    asked = s.work.weight_format
    if asked is None or s.model is None:
        return
    if s.training:
        if s.workload.task in ("full", "pretrain") and s.workload.optimizer == "adamw":
            yield Neighbour(
                "small_optimizer",
                message("alternative.small_optimizer"),
                (message("change.small_optimizer"),),
                _set(s.workload.id, optimizer="adamw_8bit"),
            )
        if s.workload.task in ("full", "lora"):
            yield _qlora(s)
        return
    eight = "q8_0" if s.workload.engine == "llama.cpp" else "fp8"
    four = four_bit_format(s)
    for code, weights in (("eight_bits", eight), ("four_bits", four)):
        record = s.catalogue.weight_formats.get(weights)
        if record is not None and record.bits < asked.bits - 0.6:
            size = s.work.size_at(weights) if s.work.size_at else None
            yield Neighbour(
                code,
                message(f"alternative.{code}"),
                (message("change.weights", weights=weights, weights_bytes=size),),
                _set(s.workload.id, weights=weights),
            )
    if s.workload.kv_cache in ("auto", "bf16") and s.workload.engine != "llama.cpp":
        yield Neighbour(
            "small_cache",
            message("alternative.small_cache"),
            (message("change.cache"),),
            _set(s.workload.id, kv_cache="fp8"),
        )


def _qlora(s: Situation) -> Neighbour:
    return Neighbour(
        "qlora",
        message("alternative.qlora"),
        (message("change.task_qlora"),),
        _set(s.workload.id, task="qlora", weights="nf4"),
    )


def _cards(s: Situation) -> Iterator[Neighbour]:
    boxes = s.shape.boxes
    if not boxes:
        return
    used = set(s.used_cards)
    idle = tuple(card.gpu.id for card in s.shape.cards if card.gpu.id not in used)
    if idle and used and at_least(s.fit, "serves"):
        yield Neighbour(
            "fewer_cards",
            message("alternative.fewer_cards"),
            (message("change.fewer_cards", cards=len(idle)),),
            lambda plan: remove(plan, idle),
        )
    server, cards = max(boxes, key=lambda each: len(each[1]))
    kinds = {card.record.id for card in cards}
    if len(kinds) == 1 and any(slot.gpu is None for slot in server.slots):
        gpu = next(iter(kinds))
        free = sum(slot.gpu is None for slot in server.slots)
        yield Neighbour(
            "one_more_card",
            message("alternative.one_more_card"),
            (message("change.more_cards", cards=1, gpu=gpu),),
            lambda plan: add_gpus(plan, s.catalogue, gpu, server.id, 1)[0],
        )
        if free > 1:
            yield Neighbour(
                "full_server",
                message("alternative.full_server"),
                (message("change.full_server", gpu=gpu),),
                lambda plan: fill_server(plan, s.catalogue, gpu, server.id)[0],
            )
    if len(kinds) == 1 and not cards[0].record.unified_memory and len(boxes) == 1:
        gpu = next(iter(kinds))
        yield Neighbour(
            "second_server",
            message("alternative.second_server"),
            (message("change.second_server", cards=len(cards), gpu=gpu),),
            lambda plan: _second(plan, s, gpu, len(cards)),
        )


def _second(plan: Plan, s: Situation, gpu: str, count: int) -> Plan:
    server = s.shape.boxes[0][0]
    plan, other = add_server(plan, s.catalogue, s.shape.boxes[0][1][0].site.id, server.chassis)
    have = sum(1 for _, each, _, _ in gpus(plan) if each.id == other)
    if have < count:
        plan, _ = add_gpus(plan, s.catalogue, gpu, other, count - have)
    plan, _ = connect(plan, server.id, other, "eth-10g")
    return plan


def _one_box(s: Situation) -> Iterator[Neighbour]:
    """R08, R65, R67: cards of several boxes, or of several places, in one box."""
    boxes = s.shape.boxes
    count = len(s.shape.cards)
    if len(boxes) < 2 or count > EIGHT or any(card.record.form != "pcie" for card in s.shape.cards):
        return
    apart = len(s.shape.site_ids) > 1
    cards = tuple(card.record.id for card in s.shape.cards)
    for chassis in dict.fromkeys((s.policy.buy_node_chassis, *BOXES)):
        try:
            gathered(s.facts.plan, s, chassis, cards)
        except (EditError, ValidationError):
            continue
        yield Neighbour(
            "one_place" if apart else "one_box",
            message("alternative.one_place" if apart else "alternative.one_box"),
            (message("change.one_box", servers=len(boxes), cards=count, server=chassis),),
            _gathering(s, chassis, cards),
        )
        return


def _gathering(s: Situation, chassis: str, cards: tuple[str, ...]) -> Edit:
    return lambda plan: gathered(plan, s, chassis, cards)


def gathered(plan: Plan, s: Situation, chassis: str, cards: tuple[str, ...]) -> Plan:
    """These cards in one new server at the first place, in place of the plan's servers."""
    site_id = s.shape.cards[0].site.id
    plan = remove(plan, tuple(server.id for server, _ in s.shape.boxes))
    plan, server_id = add_server(plan, s.catalogue, site_id, chassis)
    for gpu in dict.fromkeys(cards):
        plan, _ = add_gpus(plan, s.catalogue, gpu, server_id, cards.count(gpu))
    return rebuilt(plan, workloads=tuple(rebuilt(each, server_ids=()) for each in plan.workloads))


def _smaller_model(s: Situation) -> Iterator[Neighbour]:
    """Where the model starts nowhere: the largest of the catalogue that keeps its share of one server."""
    if s.model is None or s.training or at_least(s.fit, "starts"):
        return
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    limit = int(s.policy.weights_share_high * max(boxes, default=0) * ROOM_SHARE)
    for name in suggestions(s.catalogue, s.workload.weights, limit, 1):
        yield Neighbour(
            "smaller_model",
            message("alternative.smaller_model", model=name),
            (message("change.smaller_model", model=name),),
            _set(s.workload.id, model=name),
        )


def _layouts(s: Situation) -> Iterator[Neighbour]:
    """The shapes that the chosen layout is not: copies, one wide split, a chain over servers."""
    if s.model is None or s.chosen is None or s.training:
        return
    layout = s.chosen.layout
    cards = len(s.shape.cards)
    if s.cards_needed and s.cards_needed * 2 <= cards and s.copies < 2:
        yield Neighbour(
            "copies",
            message("alternative.copies"),
            (message("change.copies", copies=cards // s.cards_needed, gpus=s.cards_needed),),
            _set(
                s.workload.id,
                goal="many_answers",
                tensor_parallel=None,
                pipeline_parallel=None,
                replicas=cards // s.cards_needed,
                layout_reason="compared",
            ),
        )
    box = max((len(group) for _, group in s.shape.boxes), default=0)
    if s.copies > 1 and box > len(s.copy_cards) and s.model.attention_heads % box == 0:
        yield Neighbour(
            "one_split",
            message("alternative.one_split"),
            (message("change.one_split", gpus=box),),
            _set(s.workload.id, tensor_parallel=box, pipeline_parallel=1, replicas=1, layout_reason="compared"),
        )
    equal = len({len(group) for _, group in s.shape.boxes}) == 1
    boxes = len(s.shape.boxes)
    inside = layout.tensor_parallel == box and layout.pipeline_parallel == boxes
    if boxes > 1 and equal and not inside and s.model.attention_heads % box == 0 and len(s.shape.site_ids) == 1:
        yield Neighbour(
            "inside_across",
            message("alternative.inside_across"),
            (message("change.inside_across", gpus=box, servers=boxes),),
            _set(s.workload.id, tensor_parallel=box, pipeline_parallel=boxes, replicas=1, layout_reason="compared"),
        )


def _fabrics(s: Situation) -> Iterator[Neighbour]:
    """Another connection, only where a copy spans servers or cannot start without (R11)."""
    if len(s.shape.boxes) < 2 or len(s.shape.site_ids) > 1 or s.model is None:
        return
    if not s.spans and at_least(s.fit, "starts") and not s.training:
        return
    now = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes)).bandwidth_bytes_per_s or 0.0
    for kind in FABRICS:
        record = s.catalogue.links.get(kind)
        if record is None or record.bandwidth.value < now * 1.5:
            continue
        yield Neighbour(
            f"fabric-{kind}",
            message("alternative.fabric", link=kind),
            (message("change.fabric", link=kind),),
            _linking(s, kind),
        )


def _linking(s: Situation, kind: str) -> Edit:
    return lambda plan: linked(plan, s, kind)


def _swapping(gpu: str) -> Edit:
    return lambda plan: swapped(plan, gpu)


def linked(plan: Plan, s: Situation, kind: str) -> Plan:
    """Every connection between servers of one kind; missing ones are added in a chain."""
    ids = [server.id for server, _ in s.shape.boxes]
    links = tuple(
        rebuilt(link, kind=kind, bandwidth_bytes_per_s=None, latency_s=None, owned=False)
        if s.shape.link_fabric(link).kind != "internet"
        else link
        for link in plan.links
    )
    if plan.links:
        return rebuilt(plan, links=links)
    for a, b in pairwise(ids):
        plan, _ = connect(plan, a, b, kind)
    return plan


def _caps(s: Situation) -> Iterator[Neighbour]:
    capped: dict[str, float] = {}
    for card in s.shape.cards:
        now = card.gpu.power_limit_w or card.record.power_w.value
        floor = card.record.power_limit_min_w
        wanted = round(card.record.power_w.value * CAP_SHARE / 5) * 5.0
        if floor is not None and floor <= wanted < now:
            capped[card.gpu.id] = wanted
    if not capped:
        return

    def edit(plan: Plan) -> Plan:
        for gpu_id, watts in capped.items():
            plan = update(plan, gpu_id, power_limit_w=watts)
        return plan

    yield Neighbour(
        "power_cap",
        message("alternative.power_cap"),
        (message("change.power_cap", cards=len(capped), cap_w=min(capped.values())),),
        edit,
    )


def _other_cards(s: Situation) -> Iterator[Neighbour]:
    """The node the owner could buy, and the next larger cards in the same slots."""
    if not s.shape.cards:
        return
    policy = s.policy
    chassis, gpu, count = policy.buy_node_chassis, policy.buy_node_gpu, policy.buy_node_gpus
    same = len(s.shape.boxes) == 1 and len(s.shape.cards) == count and s.shape.cards[0].record.id == gpu
    if not same and len(s.shape.site_ids) == 1:
        yield Neighbour(
            "buy_node",
            message("alternative.buy_node", buy_cards=count, gpu=gpu),
            (message("change.buy_node", buy_cards=count, gpu=gpu, server=chassis),),
            _gathering(s, chassis, (gpu,) * count),
        )
    kinds = {card.record.id: card.record for card in s.shape.cards}
    if len(kinds) != 1:
        return
    record = next(iter(kinds.values()))
    if record.form != "pcie":
        return
    better = sorted(
        (
            each
            for each in s.catalogue.gpus.values()
            if each.form == "pcie"
            and each.price is not None
            and each.vendor == record.vendor
            and each.id != record.id
            and each.memory_usable_bytes >= record.memory_usable_bytes
            and each.memory_bandwidth.value >= record.memory_bandwidth.value
            and (each.width_slots or 2) <= (record.width_slots or 2)
            and each.native_bf16
        ),
        key=lambda each: each.price.eur.value / each.memory_bandwidth.value if each.price else 0.0,
    )
    for other in better[:2]:
        yield Neighbour(
            f"card-{other.id}",
            message("alternative.card", gpu=other.id),
            (message("change.card", cards=len(s.shape.cards), gpu=other.id),),
            _swapping(other.id),
        )


def swapped(plan: Plan, gpu: str) -> Plan:
    """Every card replaced by another model, as new purchases."""
    for _, _, _, card in gpus(plan):
        plan = update(plan, card.id, gpu=gpu, power_limit_w=None, owned=False)
    return plan
