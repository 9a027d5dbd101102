"""The smallest group of cards that holds the model with its reserve, the rest as copies (R05, R58): which wider layout
is worth more, compared at the same number of people and never each at its own full memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from configurator.plan.edits import rebuilt
from configurator.scaling.judge import Question, ask
from configurator.sizing import weight_bytes
from configurator.sizing.results import FIT_ORDER

if TYPE_CHECKING:
    from configurator.scaling.layouts import Ranked

WORTH = 1.5
"""A wider copy must bring so much at the same load: it exchanges more, fails together, and forecasts are no finer."""
ROOM_WORTH = 2.0
"""Or it must carry so much more when both are full, where the length of conversations is known."""
FIXED_WORTH = 2.0
"""The same for one answer where reading the weights is under ``READING`` of a step: more cards shorten only that part.
Measured: gpt-oss-120b at 90 tokens/s on one A100, 77 on two or four of them (vLLM issue tracker)."""
READING = 0.4
SMALL_SHARE = 0.5
"""A model under this share of one card is split for one person only over links that are proven."""
FEW_PEOPLE = 16.0
SAME_SPEED = 0.15
"""One person gets about the same: a forecast is no finer, and every further card is one more that can fail."""
SAME_CAPACITY = 0.15
"""Copies of one width that carry nearly the same when full: the faster one under the asked load is taken."""

SERVES = FIT_ORDER.index("serves")


def narrowest_first(
    question: Question, ranked: list[Ranked], standing: Callable[[Ranked], tuple[float, ...]]
) -> list[Ranked]:
    """For many answers, layouts that stand equal in all but speed: the narrowest copy comes first.

    A wider one passes it when it gives ``WORTH`` as much to the people whom the narrowest copies hold together, or
    carries ``ROOM_WORTH`` as much when full. With few people wide copies always look faster, because each answer has
    more cards to itself; that is another goal (R44).
    """
    if not ranked or ranked[0].fit < SERVES:
        return ranked
    best = standing(ranked[0])
    peers = [each for each in ranked if standing(each) == best]
    if len(peers) < 2:
        return ranked
    workload = question.workload
    anyone = replace(question, speed_only=True)
    if workload.users is not None:
        anyone = replace(anyone, workload=rebuilt(workload, users=None))
    first = _first(anyone, peers, workload.users)
    others = [each for each in ranked if not any(each is peer for peer in peers)]
    before = [each for each in others if standing(each) < best]
    after = [each for each in others if standing(each) >= best]
    return [*before, first, *(each for each in peers if each is not first), *after]


def _first(anyone: Question, peers: list[Ranked], asked: int | None) -> Ranked:
    narrow = min(each.candidate.layout.width for each in peers)
    slim = [each for each in peers if each.candidate.layout.width == narrow]
    full = {id(each): _speed(anyone, each, None) for each in slim}
    here = _best(full, slim)
    people, rate = full[id(here)]
    if people <= 0 or rate <= 0:
        return here
    known = anyone.workload.context_tokens is not None or anyone.workload.input_tokens is not None

    few = min(people, FEW_PEOPLE)

    def rate_of_few() -> float:
        return max(_speed(anyone, each, few)[1] for each in slim)

    room = here.answer.memory.users_served.expected

    def worth(each: Ranked) -> bool:
        # Where it could not be worth it, nothing is asked: the gain of a wide copy shrinks with the load, and a full
        # one gives no more per person than a narrow one.
        small_gain = asked is not None and asked <= people and each.score < WORTH * here.score
        if small_gain and each.answer.memory.users_served.expected < ROOM_WORTH * room:
            return False
        if known and _speed(anyone, each, None)[1] >= ROOM_WORTH * rate:
            return True
        if _speed(anyone, each, people)[1] < WORTH * rate:
            return False
        # Over several servers it must be so for few people, too: a chain that only fills better is no gain.
        return not each.spans or here.spans or _speed(anyone, each, few)[1] >= WORTH * rate_of_few()

    for width in sorted({each.candidate.layout.width for each in peers} - {narrow}):
        worthy = [each for each in peers if each.candidate.layout.width == width and worth(each)]
        if worthy:
            return _best({id(each): _speed(anyone, each, None) for each in worthy}, worthy)
    return here


def _best(full: dict[int, tuple[float, float]], alike: list[Ranked]) -> Ranked:
    """Of copies of one width: what carries most, or nearly so and is faster under the asked load."""
    most = max(full[id(each)][1] for each in alike)
    near = [each for each in alike if full[id(each)][1] >= (1 - SAME_CAPACITY) * most]
    return max(near, key=lambda each: each.score)


def _speed(anyone: Question, each: Ranked, people: float | None) -> tuple[float, float]:
    """(people at once, tokens/s in all) with so many people, or with as many as memory holds."""
    speed = ask(anyone, each.candidate, people)[1].speed
    if speed is None:
        return 0.0, 0.0
    return speed.users_in_flight.expected, speed.output_tokens_per_s.expected


def narrowest_for_one(
    question: Question, ranked: list[Ranked], standing: Callable[[Ranked], tuple[float, ...]]
) -> list[Ranked]:
    """For one person: fewer cards first, unless more of them make the answer clearly faster.

    Where one fast answer is the goal the wider copy must be ``WORTH`` as fast (``FIXED_WORTH`` where reading is not
    what takes the time); where no goal was told, a wider copy that is no faster gives way although it would leave more
    room.
    """
    if not ranked or ranked[0].spans or ranked[0].fit < SERVES:
        return ranked
    aim = question.workload.goal == "one_fast_answer"
    best = standing(ranked[0])
    peers = [each for each in ranked if not each.spans and standing(each) == best]
    if aim:
        # Speed for room is their trade; a reserve that the fastest keeps is not given up for fewer cards.
        peers = [each for each in peers if each.fit >= ranked[0].fit]
    narrow = min(each.candidate.layout.width for each in peers)
    here = max((each for each in peers if each.candidate.layout.width == narrow), key=lambda each: each.score)
    if aim and here.candidate.layout.width == 1 and _small(here) and not _proven(question, here):
        # Measured: a 7B split over two A6000 took 12 s where one card took 5.
        return [here, *(each for each in ranked if each is not here)]
    gain = (WORTH if _reading(question, here) >= READING else FIXED_WORTH) if aim else 1.0 + SAME_SPEED
    if here is ranked[0] or ranked[0].score >= gain * here.score:
        return ranked
    return [here, *(each for each in ranked if each is not here)]


def _small(each: Ranked) -> bool:
    return each.answer.memory.weights_share <= SMALL_SHARE


def _proven(question: Question, each: Ranked) -> bool:
    """The cards of its server have NVLink, or are known to copy to each other directly."""
    graph = question.topology.servers[each.candidate.copies[0].hosts[0][0]]
    if graph.fabric or graph.peers:
        return True
    return graph.known and all(graph.direct.values())


def _reading(question: Question, each: Ranked) -> float:
    """Share of a step of one answer that goes into reading the weights of a token."""
    speed, model = each.answer.speed, question.model
    copies = each.candidate.copies[0]
    devices = question.topology.servers[copies.hosts[0][0]].devices
    slowest = min(device.record.memory_bandwidth.value for device in devices)
    share = model.parameters.read_per_token_batch1 / max(1, model.parameters.total)
    read_s = weight_bytes(model, question.weight_format) * share / slowest / each.candidate.layout.tensor_parallel
    step_s = speed.time_per_output_token_s.expected if speed is not None else 0.0
    return read_s / step_s if step_s > 0 else 1.0
