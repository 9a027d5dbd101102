"""score_layouts: every layout worth sizing, best first, the losers with the reason they lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Plan, Policy, Workload
from configurator.scaling.candidates import Candidate
from configurator.scaling.groups import narrowest_first, narrowest_for_one
from configurator.scaling.judge import (
    Answer,
    Question,
    Topologies,
    ask,
    ask_memory,
    expanded,
    nothing_fits,
    question_of,
)
from configurator.scaling.offers import Offer, offer
from configurator.scaling.reasons import apart_reason, lost_because
from configurator.scaling.results import Instance, Layout, ScoredLayout
from configurator.scaling.topology import Topology
from configurator.sizing.results import FIT_ORDER

TOGETHER_SHARE = 0.15
"""A copy that stays in one server may give up this much speed: less to fail, and the estimate is not finer (R05)."""

TOGETHER_FAST_SHARE = 0.05
"""The same when one fast answer is the goal: then speed is what the owner asked for."""

SERVES = FIT_ORDER.index("serves")

SERVING = frozenset({"chat", "batch"})

SHOWN_COPIES = 16
"""A loser with more copies shows the first ones only; the chosen layout shows all."""

FULL_RANGES = 2
"""So many of the best are asked in all three scenarios; the others in the expected one, with the model's own spread."""

SHOWN_SHORT = 6
"""Layouts whose weights do not fit are listed up to here, the nearest first."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its answer and its place."""

    candidate: Candidate
    answer: Answer
    survives: bool
    wished: bool
    in_time: bool
    score: float

    @property
    def fit(self) -> int:
        """Place of the memory answer in FIT_ORDER."""
        return FIT_ORDER.index(self.answer.memory.fit)

    @property
    def spans(self) -> bool:
        """A copy stands on several servers."""
        return any(len(set(hosts)) > 1 for each in self.candidate.copies for hosts in each.hosts[:1])

    @property
    def rows(self) -> bool:
        """The row split of llama.cpp: deprecated by its makers (ggml-org/llama.cpp pull 22729), never recommended."""
        return self.candidate.layout.split == "row"

    @property
    def longest_tokens(self) -> int:
        """Longest request of a layout that starts only with shorter ones than asked: the nearest miss comes first."""
        reason = self.answer.memory.reason if self.fit == 0 else None
        longest = reason.get("longest_tokens") if reason is not None else None
        return longest if isinstance(longest, int) else 0

    @property
    def servers(self) -> int:
        """Servers of the widest copy."""
        return max((len(set(hosts)) for each in self.candidate.copies for hosts in each.hosts[:1]), default=1)

    def order(self, inside: int, together_share: float, floor: float = 0.0, lone: bool = False) -> tuple[float, ...]:
        """Smaller is better: it starts, the owner's wish, serves, survives, in time, keeps the reserve, goal.

        ``inside``: the best fit of copies in one server. Once those serve, copies over several are not preferred for
        their reserve, only for speed that is clearly more (R05, R39, R48). ``lone``: one person wants one fast answer;
        nobody else comes, so a card that holds it beats more cards that only add room.
        """
        reserve = min(self.fit, inside) if self.spans and inside >= SERVES else self.fit
        if lone:
            reserve = min(reserve, SERVES)
        return (
            -min(self.fit, 1),
            -float(self.wished),
            -min(self.fit, SERVES),
            -float(self.survives),
            -float(self.in_time),
            float(self.candidate.layout.offload),
            float(self.rows),
            -reserve,
            -self.longest_tokens,
            -self.score * (min(1.0 - together_share, self._worth(inside, floor)) if self.spans else 1.0),
            self.candidate.cards,
        )

    def _worth(self, inside: int, floor: float) -> float:
        """What a copy over several servers counts where one server serves: each must bring its part (R41)."""
        return 1.0 / max(1.0, floor * self.servers) if inside >= SERVES else 1.0


def score_layouts(
    plan: Plan,
    workload: Workload,
    model: ModelRecord,
    weight_format: WeightFormat,
    topologies: Topologies,
    policy: Policy,
    catalogue: Catalogue,  # noqa: ARG001 - part of the agreed signature; the engines read it through the topologies
) -> tuple[ScoredLayout, ...]:
    """All layouts of a workload on the plan's cards, the recommended one first; () without working cards.

    ``topologies`` are low, expected, high. ``lost_because`` is None for the first only. When nothing fits, the first
    is the one that comes nearest.
    """
    expected = topologies[1]
    allowed = workload.server_ids or tuple(server.id for site in plan.sites for server in site.servers)
    question = question_of(workload, model, weight_format, topologies, policy)
    offered = offer(expected, allowed, model, weight_format, workload)
    if not offered.ground.rigs:
        return ()
    quick = question.quick
    answered = [_rank(quick, each) for each in offered.candidates if each.copies and not each.short_bytes]
    inside = max((each.fit for each in answered if not each.spans), default=0)
    share = TOGETHER_FAST_SHARE if workload.goal == "one_fast_answer" else TOGETHER_SHARE
    if workload.task not in SERVING:
        share = 0.0
    floor = policy.efficiency_floor if workload.task in SERVING else 0.0
    lone = workload.goal == "one_fast_answer" and workload.users == 1
    ranked = sorted(answered, key=lambda each: each.order(inside, share, floor, lone))
    if workload.task in SERVING and workload.users == 1 and workload.goal != "many_answers":
        ranked = narrowest_for_one(quick, ranked, lambda each: each.order(inside, share, floor, True)[:-GOAL_PARTS])
    elif workload.task in SERVING and workload.goal != "one_fast_answer":
        ranked = narrowest_first(quick, ranked, lambda each: each.order(inside, share, floor)[:-GOAL_PARTS])
    # What is not known widens the figures of the layouts that matter; the order is by the expected ones.
    ranked[:FULL_RANGES] = [_rank(question, each.candidate) for each in ranked[:FULL_RANGES]]
    return _told(question, offered, ranked, allowed)


GOAL_PARTS = 2
"""The last parts of the order: the speed for the goal, then the number of cards."""


def _rank(question: Question, candidate: Candidate) -> Ranked:
    candidate, answer = ask(question, candidate)
    workload = question.workload
    layout = candidate.layout
    wished = all(
        wish is None or wish == have
        for wish, have in (
            (workload.tensor_parallel, layout.tensor_parallel),
            (workload.pipeline_parallel, layout.pipeline_parallel),
            (workload.replicas, layout.replicas),
        )
    )
    return Ranked(
        candidate,
        answer,
        survives(candidate, workload, question.topology),
        wished,
        in_time(answer, workload),
        goal_score(answer, workload),
    )


def survives(candidate: Candidate, workload: Workload, topology: Topology) -> bool:
    """Whether something still answers after the failure the owner named."""
    level = workload.must_survive
    if level == "nothing":
        return True
    copies = sum(each.count for each in candidate.copies)
    if level == "gpu":
        return copies > 1
    homes: set[tuple[str, ...]] = set()
    for each in candidate.copies:
        for hosts in each.hosts:
            places = {topology.wires.home[host] for host in hosts} if level == "site" else set(hosts)
            homes.add(tuple(sorted(places)))
    # A place may fail only if some copy does not touch it.
    every = {place for home in homes for place in home}
    return all(any(place not in home for home in homes) for place in every)


def in_time(answer: Answer, workload: Workload) -> bool:
    """Whether the expected figures keep the owner's limits."""
    speed = answer.speed
    if speed is None:
        return True
    first, rate = workload.time_to_first_token_limit_s, workload.tokens_per_s_per_user_limit
    if first is not None and speed.time_to_first_token_s.expected > first:
        return False
    return rate is None or speed.output_tokens_per_s_per_user.expected >= rate


def goal_score(answer: Answer, workload: Workload) -> float:
    """Tokens/s of the whole service for many answers (also while the goal is open), of one answer for a fast one."""
    if answer.training is not None:
        return answer.training.tokens_per_s.expected
    if answer.speed is None:
        return answer.memory.users_served.expected
    if workload.goal == "one_fast_answer":
        return fast_score(answer, workload)
    return answer.speed.output_tokens_per_s.expected


def fast_score(answer: Answer, workload: Workload) -> float:
    """Output tokens per second of one request from sending to its last token."""
    speed = answer.speed
    if speed is None:
        return 0.0
    tokens = workload.output_tokens or 256
    wait = speed.time_to_first_token_s.expected + tokens * speed.time_per_output_token_s.expected
    return tokens / wait if wait > 0 else 0.0


def _told(
    question: Question, offered: Offer, ranked: Sequence[Ranked], allowed: Sequence[str]
) -> tuple[ScoredLayout, ...]:
    topology = question.topology
    cards = sum(len(topology.servers[key].devices) for key in allowed if key in topology.servers)
    told: list[ScoredLayout] = []
    best = ranked[0] if ranked else None
    fast = max(ranked, key=lambda each: (min(each.fit, 1), fast_score(each.answer, question.workload)), default=None)
    for place, each in enumerate(ranked):
        whole = place == 0
        instances = _instances(each.candidate, topology, None if whole else SHOWN_COPIES)
        memory = each.answer.memory
        if whole and each.answer.training is None and question.workload.task in SERVING:
            memory = expanded(memory, each.candidate, topology)
        reason = None
        if best is not None and not whole:
            reason = lost_because(question, each, best, fastest=each is fast)
        told.append(
            ScoredLayout(
                each.candidate.layout,
                instances,
                _idle(each.candidate, topology, allowed, cards),
                memory,
                each.answer.speed,
                each.answer.training,
                each.score,
                reason,
                (*each.candidate.notes, *each.answer.notes),
            )
        )
    short = [each for each in offered.candidates if each.short_bytes]
    for place, each_short in enumerate(short[:SHOWN_SHORT]):
        nearest = place == 0 and (best is None or best.answer.memory.fit == "no")
        told.append(_unfit(question, each_short, allowed, cards, nearest, chosen=not told))
    told += [_unfit(question, each, allowed, cards, nearest=False, chosen=False) for each in offered.refused]
    fits = best is not None and best.answer.memory.fit != "no"
    apart = None if fits else apart_reason(question, allowed)
    if apart is not None:
        layout = Layout(question.workload.engine, 1, max(2, len(allowed)), 1)
        told.append(ScoredLayout(layout, (), (), nothing_fits(0, apart), None, None, 0.0, apart))
    return tuple(told)


def _unfit(
    question: Question, candidate: Candidate, allowed: Sequence[str], cards: int, nearest: bool, chosen: bool
) -> ScoredLayout:
    """A layout whose weights do not fit, or that was refused; the nearest one with the ledger of its cards."""
    topology = question.topology
    memory = nothing_fits(candidate.short_bytes, candidate.problem)
    if nearest and candidate.copies:
        memory = ask_memory(question, candidate)
    return ScoredLayout(
        candidate.layout,
        _instances(candidate, topology, SHOWN_COPIES),
        _idle(candidate, topology, allowed, cards),
        memory,
        None,
        None,
        0.0,
        None if chosen else memory.reason,
        candidate.notes,
    )


def _instances(candidate: Candidate, topology: Topology, limit: int | None) -> tuple[Instance, ...]:
    found: list[Instance] = []
    for copies in candidate.copies:
        left = None if limit is None else limit - len(found)
        if left is not None and left <= 0:
            break
        found.extend(copies.instances(topology, left))
    return tuple(found)


def _idle(candidate: Candidate, topology: Topology, allowed: Sequence[str], cards: int) -> tuple[str, ...]:
    if candidate.cards == cards:
        return ()
    idle: list[str] = []
    taken: dict[str, set[int]] = {}
    for copies in candidate.copies:
        # Equal copies take the same seats on every host of theirs.
        seats: dict[int, set[int]] = {}
        for host, seat in (each for pattern in copies.patterns for stage in pattern for each in stage):
            seats.setdefault(host, set()).add(seat)
        for hosts in copies.hosts:
            for place, each in seats.items():
                held = taken.get(hosts[place])
                taken[hosts[place]] = each if held is None else held | each
    for key in allowed:
        graph = topology.servers.get(key)
        if graph is not None:
            left = taken.get(key, ())
            if len(left) < len(graph.card_ids):
                idle += [card for seat, card in enumerate(graph.card_ids) if seat not in left]
    return tuple(idle)
