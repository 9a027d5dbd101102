"""The smallest group of cards that holds the model, copies of it, and wider layouts at the same number of people (R05,
R22, R38, R40)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from configurator.advice.findings.common import NOTE, do, say, told
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least, brimful, cards_of, offloaded
from configurator.scaling.ask import longest_request
from configurator.scaling.results import ScoredLayout
from configurator.sizing.results import FIT_ORDER, Fit
from configurator.terms import Message, Value

PEOPLE = 16
"""So many people at once are taken for a comparison where nobody said how many."""
HALVED = 4
"""Servers with fewer cards are not sold in halves."""
ENGINE_SHARE = 0.9
"""What engines take of a card by default."""
MOST_PEOPLE = 256
EQUAL_SHARE = 0.08
"""Forecasts nearer than this are called equal."""
CROWDED_SHARE = 0.85
"""Weights above this share of their cards leave no room for conversations: it starts at best (R22)."""
STATE_SHARE = 0.9
"""The same for the whole state of a training."""
HALF_CARD = 0.5
"""Weights of at most this share of a card: one card per copy until a split is measured."""
LITTLE_GAIN = 1.15
"""Under this more cards are hardly faster for one person."""


@dataclass(frozen=True, slots=True)
class Group:
    """One width of copy with the best layout of that width."""

    cards: int
    layout: ScoredLayout

    @property
    def copies(self) -> int:
        """How many of them stand on the owner's cards."""
        return len(self.layout.instances)


def groups_of(s: Situation) -> tuple[Group, ...]:
    """Copies of every width that start, the narrowest first; of one width the best. Only copies of equal width."""
    found: dict[int, ScoredLayout] = {}
    for each in s.work.owned:
        widths = {len(cards_of(one)) for one in each.instances}
        if len(widths) != 1 or each.speed is None or offloaded(each) or each.layout.split == "row":
            continue
        if not at_least(each.memory.fit, "starts"):
            continue
        width = widths.pop()
        have = found.get(width)
        if have is None or (FIT_ORDER.index(each.memory.fit), _total(each)) > (
            FIT_ORDER.index(have.memory.fit),
            _total(have),
        ):
            found[width] = each
    if s.chosen is not None and s.chosen.instances and s.chosen in s.work.owned:
        widths = {len(cards_of(one)) for one in s.chosen.instances}
        if len(widths) == 1 and at_least(s.chosen.memory.fit, "starts") and s.chosen.speed is not None:
            found[widths.pop()] = s.chosen
    return tuple(Group(width, found[width]) for width in sorted(found))


def _total(layout: ScoredLayout) -> float:
    return layout.speed.output_tokens_per_s.expected if layout.speed else 0.0


def smallest_group(s: Situation, groups: tuple[Group, ...]) -> Group | None:
    """The narrowest copy that keeps the reserve; else the narrowest that starts without filling the cards."""
    floors: tuple[Fit, ...] = ("serves_with_reserve", "serves", "starts")
    roomy = [each for each in groups if not crowded(s, cards_of(each.layout.instances[0]))]
    for pool in (roomy, groups):
        for floor in floors:
            fitting = [g for g in pool if at_least(g.layout.memory.fit, floor) and not brimful(g.layout)]
            if fitting:
                return fitting[0]
    return groups[0] if groups else None


def crowded(s: Situation, cards: tuple[str, ...]) -> bool:
    """The weights fill these cards beyond ``CROWDED_SHARE`` of what their labels say."""
    return _label_share(s, cards) > CROWDED_SHARE


def _label_share(s: Situation, cards: tuple[str, ...]) -> float:
    label = sum(s.shape.by_id[each].record.memory_label_gb for each in cards if each in s.shape.by_id)
    return s.work.weights_bytes / (label * 1e9) if label else 0.0


def fewest_cards(s: Situation) -> int:
    """Fewest cards on which the service, or the whole state of a training, can go on; 0 where none start.

    Weights take at most ``CROWDED_SHARE`` of them. A training takes as many as hold its state, however it is shared.
    """
    if s.chosen is None or not s.chosen.instances:
        return 0
    if s.training:
        largest = max((card.record.memory_usable_bytes for card in s.shape.cards), default=0)
        rows = s.chosen.memory.per_gpu
        shared = any(note.code == "layout.sharded" for note in s.chosen.notes)
        mine = set(s.used_cards) if shared else set(cards_of(s.chosen.instances[0]))
        state = sum(row.memory_bytes - row.free_bytes + row.short_bytes for row in rows if row.gpu_id in mine)
        return max(1, ceil(state / (STATE_SHARE * largest))) if largest else 0
    starting = [
        cards_of(one)
        for each in s.work.owned
        if at_least(each.memory.fit, "starts") and not brimful(each) and not offloaded(each)
        for one in each.instances[:1]
    ]
    return min((len(cards) for cards in starting if not crowded(s, cards)), default=len(s.copy_cards))


def group(s: Situation) -> Iterator[Finding]:
    """Weights of one copy against its cards, how many copies, what is left, and the room for conversations of each."""
    if s.model is None or s.training or s.chosen is None or s.chosen.layout.offload or not at_least(s.fit, "starts"):
        return
    groups = groups_of(s)
    have = smallest_group(s, groups)
    taken = next((each for each in groups if each.layout is s.chosen), None)
    if have is not None and taken is not None and taken.cards < have.cards:
        have = taken
    if have is None or not s.work.kv_bytes_per_token:
        return
    first = [each for each in cards_of(have.layout.instances[0]) if each in s.shape.by_id]
    label = sum(s.shape.by_id[each].record.memory_label_gb for each in first)
    half = sum(s.shape.by_id[each].record.memory_label_gb for each in first[: have.cards // 2])
    weights = s.work.weights_bytes / 1e9
    tokens = have.layout.memory.kv_cache_tokens.expected
    free = len(s.shape.cards) - have.cards * have.copies
    context = s.workload.context_tokens or s.workload.max_context_tokens
    many = bool(context) and tokens >= 2 * (context or 0)
    window = max((each.window_tokens or 0 for each in s.model.attention), default=0)
    states = any(each.recurrent_state_elements for each in s.model.attention)
    asked = longest_request(s.workload, s.model)
    held = have.layout.memory.max_concurrency.expected
    room = ".window" if window else ".states" if states else ".requests" if many else ""
    yield say(
        f"split.group.{_kind(have, free, _one_machine(s, have) and weights > half > 0)}" + room,
        NOTE,
        (s.workload.id,),
        _rest(have, free),
        rule="R05",
        weights_gb=round(weights, 1) if weights < 20 else round(weights),
        label_gb=label,
        weights_share=weights / label if label else None,
        copy_gpus=have.cards,
        copies=have.copies,
        half_gpus=have.cards // 2,
        half_gb=half,
        room_tokens=int(round(tokens, -3 if tokens >= 10_000 else -2)),
        room_gb=round(tokens * s.work.kv_bytes_per_token / 1e9, 1),
        requests=int(held) if window or states else int(tokens // context) if context else None,
        context_tokens=asked if window or states else context,
        window_tokens=window or None,
    )
    if have.cards == 1 and len(s.shape.kinds) > 1 and not (window or states):
        yield from _by_card(s, weights)


def _by_card(s: Situation, weights_gb: float) -> Iterator[Finding]:
    """Different cards hold different lengths: the room of a copy on each kind."""
    rooms = []
    for record in s.shape.kinds:
        left = ENGINE_SHARE * record.memory_usable_bytes - weights_gb * 1e9
        if left > 0:
            tokens = int(round(left / s.work.kv_bytes_per_token, -3))
            rooms.append(f"{record.short_name or record.name} {tokens:,}".replace(",", "\u202f"))
    if len(rooms) > 1:
        yield say(
            "split.rooms.by_card", NOTE, (s.workload.id,), do("split.rooms"), rule="R24", rooms=tuple(rooms),
            token_bytes=s.work.kv_bytes_per_token,
        )  # fmt: skip


def _one_machine(s: Situation, have: Group) -> bool:
    """All cards of the copy stand in one server with an even number of them: half of it is a server people buy."""
    cards = cards_of(have.layout.instances[0])
    return have.cards >= HALVED and have.cards % 2 == 0 and len(s.shape.servers_of(cards)) == 1


def _kind(have: Group, free: int, half_short: bool) -> str:
    """Which sentence: one card or several per copy, several copies or one, cards left or none."""
    if have.copies > 1:
        return "one_card" if have.cards == 1 else "copies"
    if free:
        return "single"
    if have.cards == 1:
        return "only"
    return "all" if half_short else "whole"


def _rest(have: Group, free: int) -> Message | None:
    """What to do with the cards: those left over, or those of one copy fewer."""
    if have.cards == 1 and have.copies > 1:
        return do("split.small")
    if not free and have.copies > 2:
        return do("split.side", fewer_copies=have.copies - 1, copy_gpus=have.cards)
    return None


def compare(s: Situation) -> Iterator[Finding]:
    """Copies against one wider model, both with the same people, and one person alone (R38, R40)."""
    if s.model is None or s.training or s.work.speed_of is None or len(s.shape.cards) < 2:
        return
    groups = groups_of(s)
    narrow = smallest_group(s, groups)
    wide = groups[-1] if groups else None
    if narrow is None or wide is None or s.chosen is None:
        return
    if narrow.cards == wide.cards:
        narrow = groups[0]
    if narrow.cards == wide.cards:
        return
    one = s.workload.users == 1 or s.workload.goal == "one_fast_answer"
    yield from _alone(s, narrow, wide)
    if one or narrow.copies < 2:
        return
    yield from _together(s, narrow, wide)


def _alone(s: Situation, narrow: Group, wide: Group) -> Iterator[Finding]:
    small, large = _fastest(s, narrow.cards, 1), _fastest(s, wide.cards, 1)
    if small is None or large is None:
        return
    gain = large / max(small, 1e-9)
    full = crowded(s, cards_of(narrow.layout.instances[0]))
    unproven = gain >= LITTLE_GAIN and narrow.cards == 1 and _small_unproven(s, wide)
    code = "faster" if gain >= LITTLE_GAIN else "same" if gain > 1 - EQUAL_SHARE else "slower"
    yield say(
        f"split.alone.{code}" + ("_full" if full and code != "faster" else "_unproven" if unproven else ""),
        NOTE,
        (s.workload.id,),
        do("split.goal") if s.workload.goal is None else None,
        rule="R38",
        small_gpus=narrow.cards,
        wide_gpus=wide.cards,
        small_tokens_per_s=small,
        wide_tokens_per_s=large,
        gain_factor=gain,
        narrow_share=_label_share(s, cards_of(narrow.layout.instances[0])),
    )


def _small_unproven(s: Situation, wide: Group) -> bool:
    """At most half a card of weights, and nobody has shown that the cards of the split exchange directly."""
    cards = [s.shape.by_id[each] for each in cards_of(wide.layout.instances[0]) if each in s.shape.by_id]
    plain = all(card.record.form == "pcie" and card.server.p2p != "yes" for card in cards)
    bridged = all(any(card.slot.id in pair for pair in card.server.nvlink_pairs) for card in cards)
    smallest = min((card.record.memory_usable_bytes for card in cards), default=0)
    return plain and not (bridged and len(cards) == 2) and s.work.weights_bytes <= HALF_CARD * smallest


def _together(s: Situation, narrow: Group, wide: Group) -> Iterator[Finding]:
    asked = s.workload.users
    held = int(narrow.layout.memory.users_served.expected)
    few = asked or max(min(PEOPLE, held), 1)
    full = asked or max(few, min(held, MOST_PEOPLE))
    params: dict[str, Value] = {
        "copies": narrow.copies,
        "copy_gpus": narrow.cards,
        "split_gpus": wide.cards,
        "wide_code": "wide.split" if _plain_split(s, wide.cards) else "wide.chain",
        "people_users": few,
        "full_users": full,
        "held_users": held,
    }
    subjects = (s.workload.id,)
    if few > held:
        yield told("split.compare.room", NOTE, subjects, do("split.shorter"), rule="R40", params=params)
        return
    copies, split = _pace(s, narrow, few), _fastest(s, wide.cards, few)
    many_copies, many_split = copies, split
    if full > few:
        many_copies, many_split = _pace(s, narrow, full), _fastest(s, wide.cards, full)
    if copies is None or split is None or many_copies is None or many_split is None:
        return
    better, later = copies / max(split, 1e-9), many_copies / max(many_split, 1e-9)
    params |= {
        "copies_tokens_per_s": copies * few,
        "split_tokens_per_s": split * few,
        "full_copies_tokens_per_s": many_copies * full,
        "full_split_tokens_per_s": many_split * full,
        "better_factor": better if better >= 1 else 1 / better,
    }
    narrower = len(s.copy_cards) < wide.cards
    if abs(better - 1) < EQUAL_SHARE:
        code = "equal"
    elif better > 1:
        code = "copies"
    elif later > 1 - EQUAL_SHARE and full > few:
        code = "turns"
    else:
        code = "little" if narrower else "split"
    yield told(
        f"split.compare.{code}",
        NOTE,
        subjects,
        _advice(code, few) if narrower else None,
        rule="R40",
        params=params,
    )


def _advice(code: str, people: int) -> Message | None:
    """Copies where they are level or better; both where few people are faster on the wider layout."""
    if code == "turns":
        return do("split.turns", people_users=people)
    return do("split.copies") if code in ("copies", "equal") else None


def _plain_split(s: Situation, cards: int) -> bool:
    """One split over so many cards is valid and starts; else that width is a chain of splits."""
    return any(
        each.layout.tensor_parallel == cards and at_least(each.memory.fit, "starts")
        for each in s.work.owned
        if each.instances
    )


def _fastest(s: Situation, cards: int, people: int) -> float | None:
    """Tokens/s of each of so many people on the layout of that width that serves them best."""
    alike = [
        each
        for each in s.work.owned
        if each.speed is not None
        and not offloaded(each)
        and each.layout.split != "row"
        and each.instances
        and at_least(each.memory.fit, "starts")
        and {len(cards_of(one)) for one in each.instances} == {cards}
    ]
    # The best two by the asked load; the others of the width are slower whatever the load.
    alike.sort(key=lambda each: -each.score)
    paces = (_pace(s, Group(cards, each), people) for each in alike[:2])
    return max((pace for pace in paces if pace is not None), default=None)


def _pace(s: Situation, each: Group, people: int) -> float | None:
    """Tokens/s of each of so many people on that layout."""
    speed = s.work.speed_of(each.layout, float(people)) if s.work.speed_of is not None else None
    return speed.output_tokens_per_s_per_user.expected if speed is not None else None
