"""Memory and speed of a candidate: equal copies are asked once and multiplied, answers are kept between edits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count as numbers_from
from itertools import pairwise
from operator import attrgetter

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Policy, Workload
from configurator.scaling.candidates import Candidate, Copies
from configurator.scaling.collectives import comm
from configurator.scaling.results import Instance, Layout, Speed, TrainingSpeed
from configurator.scaling.topology import Topology
from configurator.sizing.results import FIT_ORDER, Fit, GpuMemory, LayoutMemory
from configurator.terms import Estimate, Message, Value, message

Topologies = tuple[Topology, Topology, Topology]

KEPT_ANSWERS = 4096


@dataclass(frozen=True, slots=True)
class Answer:
    """What the engines answered for one candidate, all copies together."""

    memory: LayoutMemory
    speed: Speed | None
    training: TrainingSpeed | None = None
    notes: tuple[Message, ...] = ()
    """What the engines add to the candidate's own notes."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every candidate. Frozen; the engines see nothing else of the plan."""

    workload: Workload
    model: ModelRecord
    weight_format: WeightFormat
    topologies: Topologies
    policy: Policy
    key: tuple[object, ...]
    """What besides the copy itself decides its answer."""
    ranged: bool = True
    """False: the expected scenario only."""
    speed_only: bool = False
    """True: memory is sized once for a copy, however many people are asked about."""

    @property
    def topology(self) -> Topology:
        """The expected scenario."""
        return self.topologies[1]

    @property
    def quick(self) -> Question:
        """The same in the expected scenario only: enough to rank by, a third of the work."""
        one = self.topologies[1]
        return replace(self, topologies=(one, one, one), ranged=False)


def question_of(
    workload: Workload, model: ModelRecord, weight_format: WeightFormat, topologies: Topologies, policy: Policy
) -> Question:
    """The question with its key."""
    load = tuple(value for name, value in workload if name not in _NOT_ASKED)
    number = _number_of((id(model), id(weight_format), load, hash(policy)))
    return Question(workload, model, weight_format, topologies, policy, (number,))


_NOT_ASKED = frozenset(
    {"id", "name", "tensor_parallel", "pipeline_parallel", "replicas", "layout_reason", "server_ids", "users"}
    | {"must_survive", "many_tenants", "data_must_stay", "goal"}
)

KEPT_JOBS = 256

KEPT_NUMBERS = 8192
_given: dict[tuple[object, ...], int] = {}
_numbers = numbers_from(1)


def _number_of(key: tuple[object, ...]) -> int:
    """A number for a long key, never given twice: what is kept is then looked up by a short one."""
    number = _given.get(key)
    if number is None:
        if len(_given) >= KEPT_NUMBERS:
            _given.clear()
        number = _given[key] = next(_numbers)
    return number


_jobs: OrderedDict[tuple[object, ...], tuple[tuple[object, ...], Answer]] = OrderedDict()
_kept: OrderedDict[tuple[object, ...], tuple[tuple[object, ...], Instance, Answer]] = OrderedDict()


def copy_key(copies: Copies, topologies: Topologies) -> int:
    """Equal for copies on equal seats of equal servers with equal links between them, in every scenario asked."""
    hosts = copies.hosts[0]
    graphs = [topologies[1].servers[host] for host in hosts]
    ways: tuple[object, ...] = ()
    if len(hosts) > 1:
        scenarios = topologies if topologies[0] is not topologies[1] else topologies[:1]
        found = [each.wires.lan_route(a, b) for each in scenarios for a, b in pairwise(hosts)]
        ways = tuple(
            None if way is None else (way.bandwidth_bytes_per_s, way.latency_s, way.rdma, way.known) for way in found
        )
    return _number_of((copies.patterns[0], copies.layers, tuple(graph.shape for graph in graphs), ways))


def ask_copy(question: Question, layout: Layout, copies: Copies, users: float | None, share: float = 1.0) -> Answer:
    """Memory and speed of one copy that serves ``users``, of an open load ``share``; it stands for its equals."""
    one = _single(layout)
    topology = question.topology
    plain = (
        *question.key,
        one,
        users,
        share if question.workload.users is None else 1.0,
        copy_key(copies, question.topologies),
    )
    any_users = question.speed_only and users is not None
    key = (*plain, question.ranged, any_users)
    held = (question.model, question.weight_format, topology.catalogue)
    instance = next(copies.instances(topology, 1))
    found = _kept.get(key)
    if found is not None and all(a is b for a, b in zip(found[0], held, strict=True)):
        _kept.move_to_end(key)
        return _renamed(found[2], found[1], instance, topology)
    # Memory does not know scenarios: it is asked once.
    sized = _kept.get((*plain, not question.ranged, any_users))
    memory = ask_copy(question, layout, copies, None, share).memory if any_users else None
    if memory is None and sized is not None and all(a is b for a, b in zip(sized[0], held, strict=True)):
        memory = _renamed(sized[2], sized[1], instance, topology).memory
    answer = _ask(question, one, instance, users, share, memory)
    _kept[key] = (held, instance, answer)
    if len(_kept) > KEPT_ANSWERS:
        _kept.popitem(last=False)
    return answer


def _single(layout: Layout) -> Layout:
    """The layout of one copy alone."""
    if layout.replicas == 1:
        return layout
    return Layout(
        layout.engine,
        1,
        layout.pipeline_parallel,
        layout.tensor_parallel,
        layout.expert_parallel,
        layout.data_parallel_attention,
        layout.split,
        layout.offload,
    )


def _ask(
    question: Question,
    layout: Layout,
    instance: Instance,
    users: float | None,
    share: float,
    memory: LayoutMemory | None,
) -> Answer:
    from configurator.scaling.ask import ask_serving

    return ask_serving(question, layout, instance, users, share, memory)


def _renamed(answer: Answer, asked: Instance, instance: Instance, topology: Topology) -> Answer:
    """The kept answer with the ids of another, equal copy."""
    if asked is instance or asked.stages == instance.stages:
        return answer
    names = {
        old: new
        for old_stage, new_stage in zip(asked.stages, instance.stages, strict=True)
        for old, new in zip(old_stage, new_stage, strict=True)
    }
    memory = answer.memory
    memory = replace(
        memory,
        per_gpu=tuple(replace(row, gpu_id=names.get(row.gpu_id, row.gpu_id)) for row in memory.per_gpu),
        reason=_told_of(memory.reason, names, instance, topology) if memory.reason is not None else None,
    )
    speed = answer.speed
    if speed is not None:
        speed = replace(speed, limited_by=_told_of(speed.limited_by, names, instance, topology))
    return replace(answer, memory=memory, speed=speed)


def _told_of(text: Message, names: Mapping[str, str], instance: Instance, topology: Topology) -> Message:
    params: list[tuple[str, Value]] = []
    for name, value in text.params:
        if name == "gpu_id" and isinstance(value, str):
            params.append((name, names.get(value, value)))
        elif name == "link_id" and value:
            links = (comm(topology, stage) for stage in instance.stages if len(stage) > 1)
            params.append((name, next((link.slowest_edge for link in links if link is not None), value)))
        else:
            params.append((name, value))
    return Message(text.code, tuple(params))


def added(parts: Sequence[Estimate]) -> Estimate:
    """The sum of independent copies."""
    if len(parts) == 1:
        return parts[0]
    return Estimate(
        sum(each.low for each in parts),
        sum(each.expected for each in parts),
        sum(each.high for each in parts),
        parts[0].unit,
        parts[0].basis,
    )


def smallest(parts: Sequence[Estimate]) -> Estimate:
    """The smallest of the parts, figure by figure."""
    if len(parts) == 1:
        return parts[0]
    return Estimate(
        min(each.low for each in parts),
        min(each.expected for each in parts),
        min(each.high for each in parts),
        parts[0].unit,
        parts[0].basis,
    )


def mean(parts: Sequence[Estimate], weights: Sequence[float]) -> Estimate:
    """The mean weighted by how much work each part does."""
    total = sum(weights) or 1.0
    shares = [each / total for each in weights]
    return Estimate(
        sum(each.low * share for each, share in zip(parts, shares, strict=True)),
        sum(each.expected * share for each, share in zip(parts, shares, strict=True)),
        sum(each.high * share for each, share in zip(parts, shares, strict=True)),
        parts[0].unit,
        parts[0].basis,
    )


def joined_memory(parts: Sequence[LayoutMemory], counts: Sequence[int], users: float | None) -> LayoutMemory:
    """Several copies as one service: users add, the tightest card speaks for the shares."""
    if len(parts) == 1 and counts[0] == 1:
        return parts[0]
    served = added([each.users_served.scaled(n) for each, n in zip(parts, counts, strict=True)])
    tight = min(parts, key=lambda each: each.headroom_share)
    fit: Fit = min((each.fit for each in parts), key=FIT_ORDER.index)
    reason = next((each.reason for each in parts if each.reason is not None), None)
    if fit == "starts" and users is not None and served.expected >= users:
        # Unequal copies share the load by what each holds.
        fit = "serves"
    return LayoutMemory(
        fit=fit,
        per_gpu=tuple(gpu for each in parts for gpu in each.per_gpu),
        kv_cache_tokens=smallest([each.kv_cache_tokens for each in parts]),
        max_concurrency=smallest([each.max_concurrency for each in parts]),
        users_served=served,
        max_context_tokens=min(each.max_context_tokens for each in parts),
        weights_share=max(each.weights_share for each in parts),
        headroom_share=tight.headroom_share,
        reason=None if fit == "serves_with_reserve" else reason,
    )


def joined_speed(parts: Sequence[Speed], counts: Sequence[int]) -> Speed:
    """Several copies under routing by their rate: rates add, times are the mean a request sees."""
    if len(parts) == 1 and counts[0] == 1:
        return parts[0]
    rates = [each.output_tokens_per_s.expected * n for each, n in zip(parts, counts, strict=True)]
    busiest = parts[max(range(len(parts)), key=lambda n: rates[n])]

    def total(name: str) -> Estimate:
        return added([getattr(each, name).scaled(n) for each, n in zip(parts, counts, strict=True)])

    def per_request(name: str) -> Estimate:
        found: list[Estimate] = [getattr(each, name) for each in parts]
        return found[0] if len(found) == 1 else mean(found, rates)

    timely = all(each.goodput_tokens_per_s is not None for each in parts)
    return replace(
        busiest,
        output_tokens_per_s=total("output_tokens_per_s"),
        goodput_tokens_per_s=total("goodput_tokens_per_s") if timely else None,
        prefill_tokens_per_s=total("prefill_tokens_per_s"),
        users_in_flight=total("users_in_flight"),
        output_tokens_per_s_per_user=per_request("output_tokens_per_s_per_user"),
        time_to_first_token_s=per_request("time_to_first_token_s"),
        time_per_output_token_s=per_request("time_per_output_token_s"),
        saturated=all(each.saturated for each in parts),
        calibrated=all(each.calibrated for each in parts),
    )


def nothing_fits(short_bytes: int, reason: Message | None = None) -> LayoutMemory:
    """The memory answer of a layout whose weights alone do not fit, or that was refused before sizing."""
    return LayoutMemory(
        fit="no",
        per_gpu=(),
        kv_cache_tokens=Estimate.exact(0.0, "tokens"),
        max_concurrency=Estimate.exact(0.0),
        users_served=Estimate.exact(0.0),
        max_context_tokens=0,
        weights_share=1.0 if short_bytes else 0.0,
        headroom_share=0.0,
        reason=reason or message("layout.memory_short", short_bytes=short_bytes),
    )


def shared_users(
    counts: Sequence[int], users: float | None, rates: Sequence[float], rooms: Sequence[float]
) -> list[float | None]:
    """Users of one copy of each kind: by rate, but no copy gets more than it holds while others have room."""
    if users is None:
        return [None] * len(counts)
    given = [0.0] * len(counts)
    open_kinds = set(range(len(counts)))
    left = users
    while left > 1e-9 and open_kinds:
        total = sum(rates[n] * counts[n] for n in open_kinds) or 1.0
        full = [n for n in open_kinds if given[n] + left * rates[n] / total >= rooms[n]]
        if not full:
            for n in open_kinds:
                given[n] += left * rates[n] / total
            left = 0.0
            break
        for n in full:
            left -= max(0.0, rooms[n] - given[n]) * counts[n]
            given[n] = rooms[n]
            open_kinds.remove(n)
    if left > 1e-9:
        # More than all of them hold: the rest waits in front of everyone, by rate.
        total = sum(rate * count for rate, count in zip(rates, counts, strict=True)) or 1.0
        given = [each + left * rate / total for each, rate in zip(given, rates, strict=True)]
    return list(given)


def ask(question: Question, candidate: Candidate, users: float | None = None) -> tuple[Candidate, Answer]:
    """Memory and speed of a whole candidate; kinds of copies that do not start are left idle while others do.

    ``users``: in flight at once over all copies, instead of the workload's. A copy may get a part of a user: it is
    idle for the rest of the time.
    """
    if question.workload.task not in {"chat", "batch"}:
        return candidate, _ask_training(question, candidate)
    if users is None and question.workload.users is not None:
        users = float(question.workload.users)
    if len(candidate.copies) == 1:
        count = candidate.copies[0].count
        each = None if users is None else users / count
        one = ask_copy(question, candidate.layout, candidate.copies[0], each, 1 / count)
        return candidate, _joined([one], [count], users)
    # First what each kind does alone, then the load by that.
    first = [ask_copy(question, _layout_of(candidate.layout, each), each, 1) for each in candidate.copies]
    starting = [place for place, each in enumerate(first) if each.memory.fit != "no"]
    if starting and len(starting) < len(first):
        kept = tuple(candidate.copies[place] for place in starting)
        layout = replace(
            _layout_of(candidate.layout, kept[0]) if len(kept) == 1 else candidate.layout,
            replicas=sum(each.count for each in kept),
        )
        return ask(question, replace(candidate, copies=kept, layout=layout), users)
    weights = [
        each.speed.output_tokens_per_s.expected if each.speed else each.memory.users_served.expected for each in first
    ]
    counts = [each.count for each in candidate.copies]
    parts = shared_users(counts, users, weights, [each.memory.users_served.expected for each in first])
    total = sum(w * each.count for w, each in zip(weights, candidate.copies, strict=True)) or 1.0
    answers = [
        ask_copy(question, _layout_of(candidate.layout, each), each, part, weight / total)
        for each, part, weight in zip(candidate.copies, parts, weights, strict=True)
    ]
    return candidate, _joined(answers, counts, users)


def _joined(answers: Sequence[Answer], counts: Sequence[int], users: float | None) -> Answer:
    memory = joined_memory([each.memory for each in answers], counts, users)
    speeds = [each.speed for each in answers if each.speed is not None]
    return Answer(memory, joined_speed(speeds, counts) if len(speeds) == len(answers) else None)


def ask_memory(question: Question, candidate: Candidate) -> LayoutMemory:
    """Memory alone, of the first copy: for the layout that comes nearest when nothing fits."""
    from configurator.scaling.ask import memory_of

    copies = candidate.copies[0]
    instance = next(copies.instances(question.topology, 1))
    return memory_of(question, _single(candidate.layout), (instance,), question.workload.users)


def _layout_of(layout: Layout, copies: Copies) -> Layout:
    """A layout of unequal copies, as one kind of copy runs it."""
    stages = copies.patterns[0]
    tensor = len(stages[0]) if layout.engine != "llama.cpp" else 1
    if (tensor, len(stages)) == (layout.tensor_parallel, layout.pipeline_parallel):
        return layout
    return replace(layout, tensor_parallel=tensor, pipeline_parallel=len(stages))


def _ask_training(question: Question, candidate: Candidate) -> Answer:
    from configurator.scaling.ask import ask_training

    key = (*question.key, candidate.layout, candidate.copies, question.ranged)
    held = (question.topology, question.model)
    found = _jobs.get(key)
    if found is not None and all(a is b for a, b in zip(found[0], held, strict=True)):
        return found[1]
    instances = tuple(each for copies in candidate.copies for each in copies.instances(question.topology))
    answer = ask_training(question, candidate.layout, instances)
    _jobs[key] = (held, answer)
    if len(_jobs) > KEPT_JOBS:
        _jobs.popitem(last=False)
    return answer


_ROW = tuple(field.name for field in fields(GpuMemory) if field.name != "gpu_id")
_row_values = attrgetter(*_ROW)


def _row(gpu_id: str, row: GpuMemory) -> GpuMemory:
    """The same ledger for another card; many of them are made for a large plan."""
    return GpuMemory(gpu_id, *_row_values(row))


def expanded(memory: LayoutMemory, candidate: Candidate, topology: Topology) -> LayoutMemory:
    """Per-GPU rows of every copy, from the rows of the first of each kind."""
    by_id: Mapping[str, GpuMemory] = {row.gpu_id: row for row in memory.per_gpu}
    rows: list[GpuMemory] = []
    for copies in candidate.copies:
        every = [[gpu for stage in each.stages for gpu in stage] for each in copies.instances(topology)]
        first = [by_id.get(gpu) for gpu in every[0]]
        for ids in every:
            rows += [
                row if row.gpu_id == gpu else _row(gpu, row)
                for row, gpu in zip(first, ids, strict=True)
                if row is not None
            ]
    return replace(memory, per_gpu=tuple(rows))
