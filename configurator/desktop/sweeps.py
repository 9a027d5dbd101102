"""Curves of the scaling tab, by the same engines as the answer: pure, made in a worker, no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from configurator.assess import Assessment, assess
from configurator.catalogue import Catalogue
from configurator.plan.edits import rebuilt
from configurator.plan.model import Project, Workload
from configurator.plan.projects import plan_by_id
from configurator.scaling.ask import memory_of
from configurator.scaling.judge import question_of
from configurator.scaling.layouts import score_layouts
from configurator.scaling.results import Efficiency, ScoredLayout
from configurator.terms import Estimate

USERS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096)
CONTEXTS = (1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576)
BEYOND = 2.0
"""The curves reach this far beyond what memory holds, so that the bend is seen."""
MOST_POINTS = 12
SERVING = frozenset({"chat", "batch"})


@dataclass(frozen=True, slots=True)
class Curve:
    """Points with their range, x rising. ``mode`` names the way of splitting or is ""."""

    mode: str
    x: tuple[float, ...]
    low: tuple[float, ...]
    expected: tuple[float, ...]
    high: tuple[float, ...]

    def at(self, x: float) -> tuple[float, float, float] | None:
        """(low, expected, high) at one of the points."""
        return next(((self.low[n], self.expected[n], self.high[n]) for n, each in enumerate(self.x) if each == x), None)


@dataclass(frozen=True, slots=True)
class Sweep:
    """All curves of one plan for one workload. ``here_*`` mark where the plan stands today."""

    plan_id: str
    plan_name: str
    workload_id: str
    training: bool
    efficiency: tuple[Curve, ...]
    throughput: tuple[Curve, ...]
    """Tokens per second by cards."""
    tokens: Curve | None
    """Tokens per second by people at once."""
    first_word: Curve | None
    memory: Curve | None
    """Bytes used on the fullest card by tokens per conversation."""
    memory_limit_bytes: float
    here_gpus: float | None
    here_users: float | None
    here_context: float | None
    floor_share: float
    most_users: Estimate | None = None
    """People whose conversations the memory holds at once; beyond them some wait."""


def curve(mode: str, points: Sequence[tuple[float, Estimate]]) -> Curve:
    """A curve from points; equal x keep the first."""
    unique: dict[float, Estimate] = {}
    for x, value in points:
        unique.setdefault(x, value)
    ordered = sorted(unique.items())
    return Curve(
        mode,
        tuple(x for x, _ in ordered),
        tuple(value.low for _, value in ordered),
        tuple(value.expected for _, value in ordered),
        tuple(value.high for _, value in ordered),
    )


def sweep(
    project: Project,
    catalogue: Catalogue,
    plan_id: str,
    workload_id: str | None = None,
    answer: Assessment | None = None,
) -> Sweep | None:
    """The curves of one plan; None when it has no workload. ``answer`` saves the assessment where there is one."""
    plan = plan_by_id(project, plan_id)
    workload = next((each for each in plan.workloads if workload_id is None or each.id == workload_id), None)
    if workload is None:
        # Another variant names its workloads anew: compare the one that is as far down the list.
        workload = plan.workloads[0] if plan.workloads else None
    if workload is None:
        return None
    # While the next answer is on its way the last one is about another plan, be its id the same.
    same = answer is not None and answer.facts is not None and answer.facts.plan is plan
    found = answer if answer is not None and same else assess(project, catalogue, plan_id)
    each = next((one for one in found.workloads if one.workload_id == workload.id), None)
    facts = found.facts
    chosen = each.chosen if each is not None else None
    training = workload.task not in SERVING
    tokens = first_word = memory = None
    limit = 0.0
    if facts is not None and chosen is not None and chosen.memory.fit != "no" and not training:
        tokens, first_word = _by_users(project, catalogue, found, workload, chosen)
        memory, limit = _by_context(project, catalogue, found, workload, chosen)
    curves = each.efficiency if each is not None else None
    return Sweep(
        plan_id=plan.id,
        plan_name=plan.name,
        workload_id=workload.id,
        training=training,
        efficiency=_efficiency(curves, share=True),
        throughput=_efficiency(curves, share=False),
        tokens=tokens,
        first_word=first_word,
        memory=memory,
        memory_limit_bytes=limit,
        here_gpus=_used_cards(chosen),
        here_users=float(workload.users) if workload.users else None,
        here_context=float(workload.context_tokens) if workload.context_tokens else None,
        floor_share=project.policy.efficiency_floor,
        most_users=chosen.memory.users_served if tokens is not None and chosen is not None else None,
    )


def _used_cards(chosen: ScoredLayout | None) -> float | None:
    if chosen is None or chosen.memory.fit == "no":
        return None
    return float(len({gpu for each in chosen.instances for stage in each.stages for gpu in stage}))


def _efficiency(found: Efficiency | None, *, share: bool) -> tuple[Curve, ...]:
    if found is None:
        return ()
    modes = list(dict.fromkeys(point.mode for point in found.points))
    return tuple(
        curve(
            mode,
            [
                (float(point.gpus), point.efficiency if share else point.tokens_per_s)
                for point in found.points
                if point.mode == mode
            ],
        )
        for mode in modes
    )


def _grid(values: Sequence[int], here: int | None, most: float) -> list[int]:
    """Some of the values up to ``most``, with where the plan stands; evenly thinned."""
    kept = [value for value in values if value <= most]
    if len(kept) > MOST_POINTS:
        step = (len(kept) - 1) / (MOST_POINTS - 1)
        kept = [kept[round(number * step)] for number in range(MOST_POINTS)]
    return sorted({*kept, *([here] if here is not None else [])})


def _by_users(
    project: Project, catalogue: Catalogue, found: Assessment, workload: Workload, chosen: ScoredLayout
) -> tuple[Curve | None, Curve | None]:
    """Speed and first word for more and more people on the layout that is chosen now."""
    facts = found.facts
    model, weights = catalogue.models.get(workload.model or ""), catalogue.weight_formats.get(workload.weights)
    if facts is None or model is None or weights is None:
        return None, None
    most = max(BEYOND * chosen.memory.users_served.high, 2.0 * (workload.users or 1), 4.0)
    rate: list[tuple[float, Estimate]] = []
    wait: list[tuple[float, Estimate]] = []
    for users in _grid(USERS, workload.users, most):
        asked = rebuilt(
            workload,
            users=users,
            requests_per_s=None,
            tensor_parallel=chosen.layout.tensor_parallel,
            pipeline_parallel=chosen.layout.pipeline_parallel,
            replicas=chosen.layout.replicas,
            layout_reason=workload.layout_reason or "-",
        )
        ranked = score_layouts(facts.plan, asked, model, weights, facts.topologies, project.policy, catalogue)
        same = next((each for each in ranked if _alike(each, chosen) and each.speed is not None), None)
        if same is None or same.speed is None:
            continue
        rate.append((float(users), same.speed.output_tokens_per_s))
        wait.append((float(users), same.speed.time_to_first_token_s))
    return (curve("", rate), curve("", wait)) if len(rate) > 1 else (None, None)


def _alike(one: ScoredLayout, other: ScoredLayout) -> bool:
    a, b = one.layout, other.layout
    return (a.replicas, a.pipeline_parallel, a.tensor_parallel) == (b.replicas, b.pipeline_parallel, b.tensor_parallel)


def _by_context(
    project: Project, catalogue: Catalogue, found: Assessment, workload: Workload, chosen: ScoredLayout
) -> tuple[Curve | None, float]:
    """Memory of the fullest card of the first copy for longer and longer conversations."""
    facts = found.facts
    model, weights = catalogue.models.get(workload.model or ""), catalogue.weight_formats.get(workload.weights)
    if facts is None or model is None or weights is None:
        return None, 0.0
    copies = max(1, len(chosen.instances))
    users = -(-(workload.users or 1) // copies)
    points: list[tuple[float, Estimate]] = []
    limit = 0.0
    most = max(model.max_context_tokens, workload.context_tokens or 0)
    for tokens in _grid(CONTEXTS, workload.context_tokens, most):
        asked = rebuilt(
            workload, context_tokens=tokens, max_context_tokens=max(tokens, workload.max_context_tokens or 0)
        )
        question = question_of(asked, model, weights, facts.topologies, project.policy)
        memory = memory_of(question, chosen.layout, chosen.instances[:1], users)
        used = [(each.memory_bytes - each.free_bytes + each.short_bytes, each.memory_bytes) for each in memory.per_gpu]
        if not used:
            continue
        fullest = max(used, key=lambda each: each[0] / each[1])
        limit = float(fullest[1])
        points.append((float(tokens), Estimate.exact(float(fullest[0]), "bytes")))
    return (curve("", points), limit) if len(points) > 1 else (None, limit)
