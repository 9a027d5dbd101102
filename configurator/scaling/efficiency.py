"""Throughput per GPU over the smallest copy that runs, for 1..N cards and servers, by way of splitting (R38-R43)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Link, Plan, Policy, Workload
from configurator.scaling.candidates import Candidate, Copies, Field, Pool, Rig, depths
from configurator.scaling.jobs import job
from configurator.scaling.judge import Question, Topologies, ask, question_of
from configurator.scaling.offers import offer
from configurator.scaling.results import Efficiency, EfficiencyPoint, Layout
from configurator.scaling.splits import divisors, split_layers, tensor_degrees
from configurator.scaling.topology import build_topology
from configurator.terms import Estimate

FABRICS = ("eth-25g-roce", "eth-100g-roce", "eth-200g-roce", "eth-400g-roce", "ib-xdr")
"""Links tried, slowest first, when the owner's own does not pass."""

PER_CARD = ("ib-hdr", "ib-ndr")
"""Then one of these for each card, as servers with NVSwitch have it."""

SERVING = frozenset({"chat", "batch"})

MAX_SERVERS = 8
"""A baseline over more linked servers is not looked for."""

MAX_POINTS = 16
"""Counts of servers shown at most; between them the curve is drawn straight."""


@dataclass(frozen=True, slots=True)
class _Ground:
    question: Question
    rig: Rig
    pool: Pool
    total: int
    """Equal cards on all equal servers."""


def efficiency(
    plan: Plan,
    workload: Workload,
    model: ModelRecord,
    weight_format: WeightFormat,
    topologies: Topologies,
    policy: Policy,
    catalogue: Catalogue,
) -> Efficiency | None:
    """The curve for the plan's largest set of equal cards, at equal load per card; None when nothing runs there.

    ``fabric_needed_bytes_per_s`` is the slowest usual link over which tensor parallel across two servers would reach
    the policy's floor; None when none does, when the plan has one server, or when the owner's link passes already.
    """
    question = question_of(workload, model, weight_format, topologies, policy)
    allowed = workload.server_ids or tuple(server.id for site in plan.sites for server in site.servers)
    rigs = offer(question.topology, allowed, model, weight_format, workload).ground.rigs
    if not rigs:
        return None
    rig = max(rigs, key=lambda each: (each.cards * len(each.server_ids), each.cards))
    pool = max(rig.pools, key=lambda each: len(each.seats))
    ground = _Ground(question, rig, pool, len(pool.seats) * len(rig.server_ids))
    base = _baseline(ground)
    if base is None and workload.task not in SERVING:
        base = _sharded_baseline(ground)
    if base is None:
        return None
    cards, rate = base
    points = _inside(ground, cards, rate)
    points += _copies(ground, cards, rate)
    over = _tensor_over(ground, cards, rate)
    points += over
    if workload.task in SERVING:
        points += _best_side_by_side(points, cards, rate)
    else:
        points += _best([*points, *_mixed(ground, cards, rate)])
    needed = None
    if workload.task in SERVING:
        if over and over[-1].efficiency.expected < policy.efficiency_floor:
            needed = _fabric(plan, ground, cards, rate, catalogue, _tensor_over)
    elif _widest(points) < policy.efficiency_floor:
        needed = _fabric(plan, ground, cards, rate, catalogue, _data_pairs)
    if workload.task not in SERVING:
        # A crowded first step (one row at a time) makes more cards look better than in step: room is no efficiency.
        points = [replace(each, efficiency=_capped(each.efficiency)) for each in points]
    return Efficiency(cards, tuple(points), needed)


def _capped(share: Estimate) -> Estimate:
    return replace(share, low=min(1.0, share.low), expected=min(1.0, share.expected), high=min(1.0, share.high))


def _users(ground: _Ground, cards: int) -> float | None:
    """The users that fall on so many cards."""
    users = ground.question.workload.users
    return None if users is None else users * cards / ground.total


def _rate(ground: _Ground, tensor: int, depth: int, hosts: Sequence[str], ranged: bool = False) -> Estimate | None:
    """Tokens/s of one copy with so many ranks and stages on the first cards of these servers.

    ``ranged``: in all three scenarios, where links decide; else the expected one, which the layouts asked already.
    """
    question, pool = ground.question if ranged else ground.question.quick, ground.pool
    each = tensor * depth // len(hosts)
    layers = split_layers(question.model, question.weight_format, tensor, [1.0] * depth, [1.0] * depth)
    seats = [(host, seat) for host in range(len(hosts)) for seat in pool.seats[:each]]
    pattern = tuple(tuple(seats[start : start + tensor]) for start in range(0, len(seats), tensor))
    copies = Copies((pattern,), (tuple(hosts),), layers)
    layout = Layout(
        question.workload.engine,
        1,
        depth,
        tensor,
        split="layer" if question.workload.engine == "llama.cpp" else "tensor",
    )
    _, answer = ask(question, Candidate(layout, (copies,)), _users(ground, tensor * depth))
    if answer.memory.fit == "no" or any(note.code == "layout.offload" for note in answer.notes):
        return None
    if answer.training is not None:
        return answer.training.tokens_per_s
    return answer.speed.output_tokens_per_s if answer.speed is not None else None


def _degrees(ground: _Ground) -> list[int]:
    if ground.question.workload.engine == "llama.cpp":
        return [1]
    return [each for each in tensor_degrees(ground.question.model) if each <= len(ground.pool.seats)]


def _baseline(ground: _Ground) -> tuple[int, Estimate] | None:
    """The fewest cards of one server that run the model, else the fewest linked servers, and their rate."""
    host = ground.rig.server_ids[:1]
    cards = len(ground.pool.seats)
    tensors = _degrees(ground)
    options = sorted(
        {(tensor * depth, -tensor) for tensor in tensors for depth in depths(cards // tensor)},
    )
    for count, negative in options:
        tensor = -negative
        if count // tensor > ground.question.model.layers:
            continue
        rate = _rate(ground, tensor, count // tensor, host)
        if rate is not None and rate.expected > 0:
            return count, rate
    for servers in range(2, min(len(ground.rig.server_ids), MAX_SERVERS) + 1):
        hosts = ground.rig.server_ids[:servers]
        wires = ground.question.topology.wires
        if not all(wires.lan_route(a, b) for a, b in pairwise(hosts)):
            break
        rate = _rate(ground, tensors[-1], servers * (cards // tensors[-1]), hosts)
        if rate is not None and rate.expected > 0:
            return servers * (cards // tensors[-1]) * tensors[-1], rate
    return None


def _sharded_baseline(ground: _Ground) -> tuple[int, Estimate] | None:
    """The smallest sharded job that runs, when no single copy does."""
    points = _data_ranks(ground, 1, Estimate.exact(1.0))
    first = min(points, key=lambda each: each.gpus, default=None)
    return None if first is None else (first.gpus, first.tokens_per_s)


def _point(mode: str, cards: int, nodes: int, rate: Estimate, base_cards: int, base: Estimate) -> EfficiencyPoint:
    scale = base_cards / cards
    shares = (
        rate.low / base.low * scale if base.low > 0 else 0.0,
        rate.expected / base.expected * scale,
        rate.high / base.high * scale if base.high > 0 else 0.0,
    )
    low, _, high = sorted(shares)
    return EfficiencyPoint(mode, cards, nodes, rate, Estimate(min(low, shares[1]), shares[1], max(high, shares[1])))


def _inside(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    host = ground.rig.server_ids[:1]
    points: list[EfficiencyPoint] = []
    for tensor in _degrees(ground):
        if tensor >= base_cards:
            rate = _rate(ground, tensor, 1, host, ranged=tensor == _degrees(ground)[-1])
            if rate is not None:
                points.append(_point("tp", tensor, 1, rate, base_cards, base))
    piped = ground.question.workload.task in {*SERVING, "pretrain"}
    for depth in depths(len(ground.pool.seats)) if piped else ():
        if base_cards <= depth <= ground.question.model.layers:
            rate = _rate(ground, 1, depth, host)
            if rate is not None:
                points.append(_point("pp", depth, 1, rate, base_cards, base))
    return points


def _copies(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """Copies side by side: each its own rate at the same load per card, no fabric between them (R40)."""
    per_server = len(ground.pool.seats) // base_cards
    servers = len(ground.rig.server_ids)
    if ground.question.workload.task not in SERVING:
        return _data_ranks(ground, base_cards, base)
    if not per_server:
        # One copy takes several servers.
        each = base_cards // len(ground.pool.seats)
        counts = [n for n in _spread(servers // each) if n]
        return [_point("dp", n * base_cards, n * each, base.scaled(n), base_cards, base) for n in counts]
    counts = sorted({*range(1, per_server + 1), *(per_server * n for n in _spread(servers))})
    return [
        _point("dp", n * base_cards, -(-n // per_server), base.scaled(n), base_cards, base)
        for n in counts
        if per_server
    ]


def _data_ranks(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """One training job over more and more cards, gradients or shards exchanged between them (R40)."""
    question, pool = ground.question.quick, ground.pool
    field = Field(question.topology, question.model, question.weight_format, question.workload.engine, (ground.rig,))
    wires = question.topology.wires
    linked = [ground.rig.server_ids[0]]
    for host in ground.rig.server_ids[1:]:
        if wires.lan_route(linked[-1], host) is None:
            break
        linked.append(host)
    cards = len(pool.seats)
    runs = [(n, 1) for n in divisors(cards)] + [(cards, n) for n in _spread(len(linked)) if n > 1]
    points: list[EfficiencyPoint] = []
    for each, servers in runs:
        _, answer = ask(question, job(field, pool, tuple(linked[:servers]), 1, 1, each))
        held = answer.training is not None and not any(note.code == "layout.offload" for note in answer.notes)
        if held and answer.training is not None and each * servers >= base_cards:
            rate = answer.training.tokens_per_s
            points.append(_point("dp", each * servers, servers, rate, base_cards, base))
    return points


def _spread(servers: int) -> list[int]:
    if servers <= MAX_POINTS:
        return list(range(1, servers + 1))
    found = {1, servers}
    while len(found) < MAX_POINTS and max(found - {servers}) * 2 < servers:
        found.add(max(found - {servers}) * 2)
    return sorted(found)


def _tensor_over(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """Tensor parallel over two linked servers, half of the cards in each (R39), and all of them."""
    hosts = _linked_pair(ground)
    if hosts is None or ground.question.workload.engine == "llama.cpp":
        return []
    cards = len(ground.pool.seats)
    degrees = tensor_degrees(ground.question.model)
    points: list[EfficiencyPoint] = []
    for tensor in sorted({cards, 2 * cards}):
        if tensor % 2 or tensor not in degrees or tensor < base_cards:
            continue
        rate = _rate(ground, tensor, 1, hosts, ranged=True)
        if rate is not None:
            points.append(_point("tp_across", tensor, 2, rate, base_cards, base))
    return points


def _widest(points: Sequence[EfficiencyPoint]) -> float:
    """The best efficiency over several servers; 1 without any such point."""
    return max((each.efficiency.expected for each in points if each.nodes > 1), default=1.0)


def _data_pairs(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """One training job over two servers."""
    return [each for each in _data_ranks(ground, base_cards, base) if each.nodes > 1]


def _linked_pair(ground: _Ground) -> tuple[str, str] | None:
    wires = ground.question.topology.wires
    first = ground.rig.server_ids[0]
    for other in ground.rig.server_ids[1:]:
        if wires.lan_route(first, other) is not None:
            return first, other
    return None


def _best(points: Sequence[EfficiencyPoint]) -> list[EfficiencyPoint]:
    """For every count of cards the mode that gives most."""
    by_cards: dict[int, EfficiencyPoint] = {}
    for each in points:
        held = by_cards.get(each.gpus)
        if held is None or each.tokens_per_s.expected > held.tokens_per_s.expected:
            by_cards[each.gpus] = each
    return [replace(each, mode="best") for _, each in sorted(by_cards.items())]


def _best_side_by_side(points: Sequence[EfficiencyPoint], base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """The best mix: copies need nothing of each other, so their rates add, whatever each copy looks like inside."""
    best = {each.gpus: each for each in _best(points)}
    for cards in sorted(best):
        for part in sorted(best):
            rest = best.get(cards - part)
            if rest is None or part > cards - part:
                continue
            rate = _together(best[part].tokens_per_s, rest.tokens_per_s)
            if rate.expected > best[cards].tokens_per_s.expected:
                best[cards] = _point("best", cards, best[cards].nodes, rate, base_cards, base)
    return list(best.values())


def _together(a: Estimate, b: Estimate) -> Estimate:
    return Estimate(a.low + b.low, a.expected + b.expected, a.high + b.high, a.unit, a.basis)


def _mixed(ground: _Ground, base_cards: int, base: Estimate) -> list[EfficiencyPoint]:
    """One training job of several tensor groups in one server: split inside the group, data ranks between them."""
    question, pool = ground.question.quick, ground.pool
    field = Field(question.topology, question.model, question.weight_format, question.workload.engine, (ground.rig,))
    points: list[EfficiencyPoint] = []
    for tensor in _degrees(ground):
        for cards in divisors(len(pool.seats)):
            if tensor < 2 or cards % tensor or cards <= tensor or cards < base_cards:
                continue
            _, answer = ask(question, job(field, pool, ground.rig.server_ids[:1], tensor, 1, cards))
            if answer.training is not None and not any(note.code == "layout.offload" for note in answer.notes):
                points.append(_point("best", cards, 1, answer.training.tokens_per_s, base_cards, base))
    return points


def _fabric(
    plan: Plan,
    ground: _Ground,
    base_cards: int,
    base: Estimate,
    catalogue: Catalogue,
    points_of: Callable[[_Ground, int, Estimate], list[EfficiencyPoint]],
) -> float | None:
    """The slowest usual link, or one network card per GPU, over which two servers reach the floor."""
    hosts = _linked_pair(ground)
    if hosts is None:
        return None
    home = next(site for site in plan.sites if any(server.id == hosts[0] for server in site.servers))
    pair = tuple(server for server in home.servers if server.id in hosts)
    site = home.model_copy(update={"servers": pair, "switches": ()})
    cards = len(ground.pool.seats)
    for name, count in (*((each, 1) for each in FABRICS), *((each, cards) for each in PER_CARD)):
        record = catalogue.links.get(name)
        if record is None:
            continue
        link = Link(id="tried", a=hosts[0], b=hosts[1], kind=name, count=count)
        tried = Plan(id="tried", name="tried", links=(link,))
        topology = build_topology(
            tried.model_copy(update={"sites": (site,), "failed_ids": plan.failed_ids}), catalogue, "expected"
        )
        question = replace(ground.question, topologies=(topology, topology, topology))
        points = points_of(replace(ground, question=question), base_cards, base)
        if points and points[-1].efficiency.expected >= ground.question.policy.efficiency_floor:
            return record.bandwidth.value * count
    return None
