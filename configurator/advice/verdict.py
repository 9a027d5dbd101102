"""One answer per workload: code, light, headline, up to three reasons. The worst workload speaks for the plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from configurator.advice.flow import Decision
from configurator.advice.limits import exceeded
from configurator.advice.reasons import reasons, uneven_slots
from configurator.advice.results import Verdict, VerdictCode
from configurator.advice.shape import SMALL_CARD_SHARE, strange_cards
from configurator.advice.situation import Situation, at_least, brimful, cards_of, starts_shorter
from configurator.scaling.results import ScoredLayout
from configurator.sizing.results import FIT_ORDER, Fit
from configurator.terms import Light, Message, message

MANY_BOXES = 4
"""More boxes than this for one copy, each with one card, is the worst shape whatever the wire."""

PEAK_FACTOR = 1.5
"""Reserve in the cache for a peak: half as much again as was asked for."""
SMALL_SHARE = 0.5
"""A model that takes half of one card or less is small: one card per copy."""
CHAIN_FACTOR = 1.12
"""What a chain of machines needs beyond the weights: work and cache on each of them."""
HOUR_S = 3600.0
FOUR_BITS_STEP = 2
"""The question of the flow that is about four bits (R60)."""
SIMILAR_PRICE = 0.15
"""Two prices nearer than this are called about the same: list prices are not finer."""

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
    bought = one_to_buy(s)
    if bought is not None and found.code != "single-node":
        found = _Answer("single-node", "step", "headline.buy_one", (found.code,))
        texts = Message(found.headline, _headline_numbers(s))
        return Verdict(found.code, found.light, texts, _reasons_to_buy(s, bought), found.secondary)
    told = reasons(s, found.code)
    if s.spans and not s.training and owned.outcome == FOUR_BITS_STEP and owned.layout is not None:
        told = (*told[:1], message("reason.four_bits", four_bytes=_weights_of(owned.layout)), *told[1:3])
    limit = exceeded(s) if found.light in ("good", "step") else None
    if limit is not None:
        # The answer of the memory stays, the light and the sentence do not: nobody buys on green what cannot run.
        own = 1 if found.light == "step" else 0
        told = (*told[:own], limit[1], *told[own:2])
        if found.light == "good":
            found = replace(found, light="step", headline=f"headline.limit.{limit[0]}")
    texts = Message(found.headline, _headline_numbers(s))
    return Verdict(found.code, found.light, texts, told, found.secondary)


def one_to_buy(s: Situation) -> ScoredLayout | None:
    """Layout on the node to buy, where the plan would buy several servers for one copy and that node does it alone.

    R65, R67, R77: with reserve, in the asked precision, at a price that is lower or about the same.
    """
    price, servers = s.facts.buy_purchase, [server for server, _ in s.shape.boxes]
    if price is None or s.model is None or len(servers) < 2 or len(s.shape.site_ids) > 1:
        return None
    if any(server.owned for server in servers) or (at_least(s.fit, "starts") and not s.spans):
        return None
    if price.expected > s.facts.cost.purchase.expected * (1 + SIMILAR_PRICE):
        return None
    layouts = s.work.layouts("buy", "asked")
    # What the plan itself carries without reserve, the one server need not carry with more.
    enough: Fit = s.fit if at_least(s.fit, "serves") else "serves_with_reserve"
    return next((each for each in layouts if at_least(each.memory.fit, enough)), None)


def _reasons_to_buy(s: Situation, bought: ScoredLayout) -> tuple[Message, ...]:
    """The money, what the one server does against this plan, and what to do with several all the same."""
    ours, boxes = s.chosen if at_least(s.fit, "starts") else None, len(s.shape.boxes)
    cards, gpu = s.policy.buy_node_gpus, s.policy.buy_node_gpu
    prices = {"buy_money": s.facts.buy_purchase, "own_money": s.facts.cost.purchase}
    found = [message("reason.buy_money", buy_cards=cards, buy_gpu=gpu, **prices)]
    if bought.training is not None:
        if ours is not None and ours.training is not None:
            rates = {"buy_tokens_per_s": bought.training.tokens_per_s, "own_tokens_per_s": ours.training.tokens_per_s}
            found.append(message("reason.buy_training", own_servers=boxes, **rates))
    elif ours is None or ours.speed is None or bought.speed is None:
        found.append(message("reason.buy_open", buy_users=bought.memory.users_served))
    else:
        found.append(
            message(
                "reason.buy_speed",
                buy_users=bought.memory.users_served,
                buy_tokens_per_s=bought.speed.output_tokens_per_s_per_user,
                own_tokens_per_s=ours.speed.output_tokens_per_s_per_user,
                own_servers=boxes,
            )
        )
    return (*found, message("reason.buy_second", own_servers=boxes))


def _weights_of(layout: ScoredLayout) -> int:
    """Weights of one copy as they lie on its cards."""
    cards = set(cards_of(layout.instances[0]))
    return sum(row.weights_bytes for row in layout.memory.per_gpu if row.gpu_id in cards)


def _headline_numbers(s: Situation) -> tuple[tuple[str, int], ...]:
    return (
        ("copies", s.copies),
        ("gpus", len(s.copy_cards)),
        ("servers", len(s.copy_servers)),
        ("sites", len(s.shape.site_ids)),
        ("own_servers", len(s.shape.boxes)),
        ("buy_cards", s.policy.buy_node_gpus),
    )


def _answer(s: Situation, owned: Decision) -> _Answer:
    if not s.shape.cards:
        named = strange_cards(s.facts.plan, s.catalogue)
        return _Answer("unknown-topology", "unknown", "headline.strange_cards" if named else "headline.no_cards")
    if s.model is None:
        return _without_model(s)
    if not at_least(s.fit, "starts"):
        return _too_small(s)
    return _spanning(s, owned) if s.spans else _inside(s, owned)


def _without_model(s: Situation) -> _Answer:
    """What can be said before a model is chosen (R06, R11)."""
    if s.workload.model is not None:
        known = s.workload.model in s.catalogue.models
        return _Answer("unknown-topology", "unknown", "headline.strange_weights" if known else "headline.strange_model")
    if len(s.shape.site_ids) > 1:
        return _Answer("replicas", "unknown", "headline.homes_no_model", ("change-fabric", "unknown-topology"))
    one_box = len(s.shape.boxes) == 1 and len(s.shape.cards) > 1
    if one_box and s.shape.boxes[0][0].p2p == "unknown":
        # The owner says that the exchange between the cards is in doubt: that comes before any model.
        return _Answer("change-fabric", "unknown", "headline.p2p_first", ("single-node", "fits"))
    if one_box and s.workload.goal != "many_answers":
        return _Answer("single-node", "unknown", "headline.no_model_one_node", ("unknown-topology",))
    return _Answer("unknown-topology", "unknown", "headline.no_model", ("replicas",))


def _too_small(s: Situation) -> _Answer:
    """The model starts nowhere: apart in homes, over a line that is missing, or simply too large."""
    if not all(card.record.memory_known for card in s.shape.cards):
        return _Answer("unknown-topology", "unknown", "headline.memory_unknown", ("does-not-fit",))
    if s.only_offloaded:
        return _Answer("does-not-fit", "step", "headline.training_offload")
    if starts_shorter(s.chosen) and not s.spans:
        return _Answer("fits-but-no-headroom", "stop", "headline.context", ("does-not-fit",))
    enough = s.shape.memory_bytes > s.work.weights_bytes * 1.05
    if len(s.shape.site_ids) > 1 and enough:
        return _Answer("replicas", "stop", "headline.homes", ("change-fabric",))
    if len(s.shape.boxes) > 1 and enough and not _tried_over_unknown(s):
        fabric = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes))
        largest = max(sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes)
        lone = all(len(cards) == 1 for _, cards in s.shape.boxes)
        if fabric.kind in ("unknown", "none") and lone and s.work.weights_bytes > MANY_BOXES * largest:
            return _Answer("change-fabric", "step", "headline.worst_shape", ("cluster",))
        if fabric.kind == "unknown":
            return _Answer("unknown-topology", "unknown", "headline.link_decides", ("tp-inside-pp-across",))
        if fabric.kind in ("none", "slow"):
            return _Answer("change-fabric", "step", "headline.not_linked", ("does-not-fit",))
        if s.workload.engine == "llama.cpp" and s.shape.memory_bytes > s.work.weights_bytes * CHAIN_FACTOR:
            # The engine has no layout of its own over machines; its network protocol chains them.
            full = s.work.weights_bytes > s.policy.weights_share_high * s.shape.memory_bytes
            code: VerdictCode = "fits-but-no-headroom" if full else "tp-inside-pp-across"
            others: tuple[VerdictCode, ...] = ("tp-inside-pp-across", "change-fabric", "does-not-fit")
            return _Answer(code, "step", "headline.rpc_chain", others)
    return _Answer("does-not-fit", "stop", "headline.training_too_large" if s.training else "headline.too_large")


def _tried_over_unknown(s: Situation) -> bool:
    """Copies over servers on an unknown line were sized and do not start either: it is the memory, not the line."""
    if min(len(cards) for _, cards in s.shape.boxes) < 2:
        return False
    wide = [cards_of(each.instances[0]) for each in s.work.owned if each.instances and each.memory.fit == "no"]
    across = any(len(s.shape.servers_of(cards)) > 1 for cards in wide)
    return across and s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes)).kind == "unknown"


def _spanning(s: Situation, owned: Decision) -> _Answer:
    """One copy needs several servers."""
    kind = s.fabric.kind
    boxes = len(s.copy_servers)
    each = [len([g for g in s.copy_cards if s.shape.by_id[g].server.id == box]) for box in s.copy_servers]
    several = s.copies > 1 and s.workload.goal == "many_answers" and not s.training
    if kind in ("unknown", "none"):
        if max(each, default=1) == 1 and boxes > MANY_BOXES:
            return _Answer("change-fabric", "step", "headline.worst_shape", ("cluster",))
        if kind == "unknown" and min(each, default=1) > 1 and not s.training:
            # A chain hands over little: whichever usual network there is will do, and which one is asked (R10).
            code: VerdictCode = "replicas" if several else "tp-inside-pp-across"
            headline = "headline.copies_across_open" if several else "headline.across_open"
            if not several and not at_least(s.fit, "serves_with_reserve"):
                code, headline = "fits-but-no-headroom", "headline.across_full"
            return _Answer(code, "unknown", headline, ("cluster", "tp-inside-pp-across", "unknown-topology"))
        if kind == "unknown" and s.training and min(each, default=1) > 1:
            # No single server holds the job: that it takes a fast network is sure, which one there is is asked.
            return _Answer("cluster", "unknown", "headline.training_open", ("unknown-topology", "change-fabric"))
        if owned.outcome == FOUR_BITS_STEP:
            return _Answer("single-node", "unknown", "headline.four_bits", ("unknown-topology", "tp-inside-pp-across"))
        return _Answer("unknown-topology", "unknown", "headline.link_decides", ("tp-inside-pp-across",))
    if kind in ("internet", "slow"):
        return _Answer("change-fabric", "stop" if kind == "internet" else "step", f"headline.{kind}", ("replicas",))
    if s.training:
        return _training_across(s)
    light: Light = "good" if at_least(s.fit, "serves") else "step"
    if several:
        secondary: tuple[VerdictCode, ...] = ("cluster" if kind == "rdma" else "tp-inside-pp-across",)
        return _Answer("replicas", light, "headline.copies_across", secondary)
    if kind == "rdma" and not (s.workload.goal == "many_answers" and chained(s)):
        return _Answer("cluster", "good", "headline.cluster", ("tp-inside-pp-across",))
    return _Answer("tp-inside-pp-across", light, "headline.across", ("cluster",))


def chained(s: Situation) -> bool:
    """Every stage of every copy stands inside one server; only the chain crosses between them."""
    stages = [stage for one in (s.chosen.instances if s.chosen is not None else ()) for stage in one.stages]
    return bool(stages) and all(len(s.shape.servers_of(stage)) == 1 for stage in stages)


def _training_across(s: Situation) -> _Answer:
    """R41, R62: the projected efficiency decides."""
    curve = s.work.efficiency
    floor = s.policy.efficiency_floor
    across = [point for point in curve.points if point.nodes > 1 and point.mode != "tp_across"] if curve else []
    best = max((point.efficiency for point in across), key=lambda each: each.expected, default=None)
    if best is not None and best.high < floor:
        return _Answer("change-fabric", "step", "headline.inefficient", ("tp-inside-pp-across", "cluster"))
    if best is not None and best.expected < floor:
        # The forecast does not tell the two sides of the floor apart, and no single server holds the job.
        return _Answer("cluster", "step", "headline.training_cluster_near", ("change-fabric", "tp-inside-pp-across"))
    return _Answer("cluster", "good", "headline.training_cluster", ("tp-inside-pp-across",))


def _inside(s: Situation, owned: Decision) -> _Answer:
    """Every copy stands inside one server."""
    many = s.workload.goal == "many_answers"
    survive = s.workload.must_survive != "nothing"
    boxes = len(s.shape.boxes)
    if s.training:
        if not at_least(s.fit, "serves_with_reserve"):
            return _Answer("fits-but-no-headroom", "step", "headline.training_tight", ("single-node",))
        return _Answer("single-node", "good", "headline.training_one_node", ("fits",))
    if len(s.copy_cards) > 1 and not s.shape.by_id[s.copy_cards[0]].server.topology_known:
        return _Answer("unknown-topology", "unknown", "headline.one_case_decides", ("single-node", "replicas"))
    if len(s.shape.site_ids) > 1:
        return _Answer("replicas", _load_light(s), "headline.copies_sites", ("single-node",))
    if boxes > 1 and not survive and one_box_in_time(s):
        return _Answer("single-node", "good", _one(s), ("replicas", "fits"))
    if s.copies > 1 and (many or (survive and boxes > 1)):
        return _Answer("replicas", _load_light(s), "headline.copies", ("single-node",))
    if survive and boxes > 1:
        return _Answer("replicas", _load_light(s), "headline.copies_survive", ("single-node",))
    if uneven_slots(s):
        return _Answer("change-fabric", "step", "headline.slot", ("fits",))
    return _by_reserve(s, owned)


def _by_reserve(s: Situation, owned: Decision) -> _Answer:
    """One server is asked for: how well it carries the load, and which cards it takes."""
    if len(s.shape.boxes) > 1:
        reserve = at_least(s.one_box_fit, "serves_with_reserve")
        if not reserve and s.copies > 1 and at_least(s.fit, "serves_with_reserve") and (s.workload.users or 1) > 1:
            # One server alone is full to the brim; the copies that stand there anyway carry it with reserve.
            return _Answer("replicas", _load_light(s), "headline.copies", ("single-node", "tp-inside-pp-across"))
        if at_least(s.one_box_fit, "serves"):
            light: Light = "good" if reserve else "step"
            return _Answer("single-node", light, _one(s), ("replicas", "fits"))
        if s.copies > 1 and owned.outcome == 3:
            return _Answer("replicas", _load_light(s), "headline.copies", ("single-node",))
    if at_least(s.fit, "serves") and useless_cards(s):
        light = "good" if at_least(s.fit, "serves_with_reserve") else "step"
        return _Answer("single-node", light, "headline.leave_out", ("fits-but-no-headroom",))
    if _thin_for_one(s):
        return _Answer("single-node", "good", "headline.one_card_thin", ("fits-but-no-headroom", "fits"))
    if not at_least(s.fit, "serves_with_reserve") or tight(s):
        headline = "headline.no_reserve" if at_least(s.fit, "serves") else "headline.starts_only"
        if at_least(s.fit, "serves_with_reserve"):
            # Memory keeps the asked reserve; it is a peak that finds no room.
            headline = "headline.tight"
        return _Answer("fits-but-no-headroom", "step", headline, ("fits",))
    if len(s.shape.cards) == 1:
        # Whoever asks about many answers or one fast one asks for a shape; without a goal it is a question of room.
        lone: VerdictCode = "fits" if s.workload.goal is None else "single-node"
        return _Answer(lone, "good", "headline.one_card", ("fits", "single-node"))
    if s.copies > 1 or fewer_would_do(s) or len(s.shape.cards) > len(s.copy_cards):
        return _Answer("single-node", "good", _one(s), ("replicas", "fits"))
    return _Answer("fits", "good", "headline.fits", ("single-node",))


def _thin_for_one(s: Situation) -> bool:
    """One person is served by fewer cards that nearly fill up; the same server has room where more are used."""
    if s.workload.users != 1 or s.workload.goal != "one_fast_answer" or not at_least(s.fit, "serves"):
        return False
    if at_least(s.fit, "serves_with_reserve") or (s.chosen is not None and brimful(s.chosen)):
        return False
    return any(
        at_least(each.memory.fit, "serves_with_reserve") and len(cards_of(each.instances[0])) > len(s.copy_cards)
        for each in s.one_box
        if each.instances
    )


def one_box_in_time(s: Situation) -> bool:
    """R52: batch work that one server does before the deadline, or that has none, needs no second one."""
    load = s.workload
    if load.task != "batch" or not at_least(s.one_box_fit, "serves_with_reserve"):
        return False
    rates = [each.speed.output_tokens_per_s.expected for each in s.one_box if each.speed is not None]
    if load.tokens_per_s is not None:
        return max(rates, default=0.0) >= load.tokens_per_s
    if not load.tokens_per_month or not load.deadline_h:
        return load.requests_per_s is None
    return max(rates, default=0.0) * load.deadline_h * HOUR_S >= load.tokens_per_month


def _one(s: Situation) -> str:
    alone = s.cards_needed == 1 and len(s.used_cards) == s.copies
    return "headline.one_card" if alone else "headline.one_node"


def tight(s: Situation) -> bool:
    """No reserve for a peak or a longer request: the cache holds the asked load but not half as much again.

    Or layers of different size in the upper part of the allowed band: no split of them is even.
    """
    users = s.workload.users
    uneven = s.model is not None and any(group.kind == "none" for group in s.model.attention)
    if uneven and len(s.copy_cards) > 1 and s.weights_share > s.policy.weights_share_low:
        return True
    if s.chosen is None or s.training or users == 1 or s.chosen.memory.max_concurrency.expected <= 0:
        return False
    memory = s.chosen.memory
    held = memory.max_concurrency.expected * s.copies if users is None else memory.users_served.expected
    known = s.workload.max_context_tokens or s.workload.context_tokens
    return known is not None and held < PEAK_FACTOR * (users or 1)


def fewer_would_do(s: Situation) -> bool:
    """Fewer cards than the chosen copy uses would do, and those beyond are not worth their speed (R38, R41)."""
    wide = len(s.copy_cards)
    narrow = [
        each
        for each in s.one_box
        if at_least(each.memory.fit, "starts")
        and FIT_ORDER.index(each.memory.fit) >= FIT_ORDER.index(s.fit)
        and len(cards_of(each.instances[0])) < wide
    ]
    if not narrow:
        return False
    if s.workload.goal != "one_fast_answer" or s.chosen is None or s.chosen.speed is None:
        return True
    if any(len(cards_of(each.instances[0])) == 1 and each.memory.weights_share <= SMALL_SHARE for each in narrow):
        return True
    best = max(narrow, key=lambda each: per_user(each) * len(cards_of(each.instances[0])) ** -0.5)
    gain = per_user(s.chosen) / max(per_user(best), 1e-9)
    return gain * len(cards_of(best.instances[0])) / wide < s.policy.efficiency_floor


def per_user(layout: ScoredLayout) -> float:
    """Expected tokens/s of one person, 0 without a speed."""
    return layout.speed.output_tokens_per_s_per_user.expected if layout.speed else 0.0


def useless_cards(s: Situation) -> bool:
    """Some card is too small to take part; the others do the work."""
    largest = max(card.record.memory_usable_bytes for card in s.shape.cards)
    small = [card for card in s.shape.cards if card.record.memory_usable_bytes < SMALL_CARD_SHARE * largest]
    return bool(small) and not any(card.gpu.id in s.used_cards for card in small)


def _load_light(s: Situation) -> Light:
    return "good" if at_least(s.fit, "serves") else "step"


def plan_verdict(verdicts: tuple[Verdict, ...], has_cards: bool) -> Verdict:
    """The worst workload's answer; of the bare hardware when there is no workload."""
    if not verdicts:
        headline = message("headline.no_workload") if has_cards else message("headline.no_cards")
        return Verdict("unknown-topology", "unknown", headline, ())
    return max(verdicts, key=lambda each: LIGHTS.index(each.light))
