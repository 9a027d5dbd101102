"""Runs the engines over one plan: what assess() hands to advice, and what every neighbour of a plan needs.

Pure; what is expensive is kept by identity of the frozen inputs, so an edit recomputes what it touched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from configurator.advice.facts import LayoutsOf, PlanFacts, Precision, Scope, WorkloadFacts
from configurator.advice.measured import with_measurements
from configurator.advice.people import usable_users
from configurator.advice.situation import situation
from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.operations import cost, failure_effects, power_draw, shopping
from configurator.operations.failures import cut_off_sites
from configurator.operations.shopping import unpriced
from configurator.plan.edits import add_gpus, add_server, add_site, rebuilt
from configurator.plan.model import Plan, Policy, Project, Workload
from configurator.scaling.allotment import Allotment, allot
from configurator.scaling.efficiency import efficiency
from configurator.scaling.judge import Question, question_of
from configurator.scaling.layouts import SERVING, score_layouts
from configurator.scaling.offers import engine_refuses
from configurator.scaling.people import speed_for
from configurator.scaling.results import ScoredLayout, Speed
from configurator.scaling.topology import Topology, build_topology
from configurator.sizing import kv_bytes_per_token, weight_bytes
from configurator.terms import Estimate

Topologies = tuple[Topology, Topology, Topology]

EIGHT_BIT = {"llama.cpp": "q8_0"}
FOUR_BIT = {"llama.cpp": "q4_k_m"}
"""What "FP8" and "INT4" of the decision flow mean for engines that have their own formats; else fp8 and awq-int4."""

KEPT = 64


@dataclass(frozen=True, slots=True)
class _Hardware:
    """A plan's hardware in the three scenarios, kept while its boxes are the same objects."""

    key: tuple[object, ...]
    topologies: Topologies


_hardware: OrderedDict[tuple[int, ...], _Hardware] = OrderedDict()
_buy_plans: dict[tuple[Policy, int], tuple[Catalogue, Plan, Topologies]] = {}


_buy_prices: dict[tuple[Policy, str, int], tuple[Catalogue, Estimate | None]] = {}


def topologies_of(plan: Plan, catalogue: Catalogue) -> Topologies:
    """Low, expected and high topology of the plan; the same objects while the hardware is unchanged."""
    parts = (*plan.sites, *plan.links, plan.failed_ids, catalogue)
    key = (len(plan.sites), *(id(part) for part in (*plan.sites, *plan.links, catalogue)), hash(plan.failed_ids))
    kept = _hardware.get(key)
    if kept is not None and _same(kept.key, parts):
        _hardware.move_to_end(key)
        return kept.topologies
    topologies = (
        build_topology(plan, catalogue, "low"),
        build_topology(plan, catalogue, "expected"),
        build_topology(plan, catalogue, "high"),
    )
    _hardware[key] = _Hardware(parts, topologies)
    if len(_hardware) > KEPT:
        _hardware.popitem(last=False)
    return topologies


def _same(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    return len(a) == len(b) and all(x is y or (isinstance(x, tuple) and x == y) for x, y in zip(a, b, strict=True))


def buy_plan(policy: Policy, catalogue: Catalogue) -> tuple[Plan, Topologies]:
    """The node the owner could buy by policy (8 x 96 GB), alone in a server room."""
    key = (policy, id(catalogue))
    kept = _buy_plans.get(key)
    if kept is None or kept[0] is not catalogue:
        plan, site_id = add_site(Plan(id="buy", name="buy"), "server_room", "buy")
        plan, server_id = add_server(plan, catalogue, site_id, policy.buy_node_chassis, "buy")
        plan, _ = add_gpus(plan, catalogue, policy.buy_node_gpu, server_id, policy.buy_node_gpus)
        kept = (catalogue, plan, topologies_of(plan, catalogue))
        _buy_plans.clear()
        _buy_plans[key] = kept
    return kept[1], kept[2]


def at_precision(workload: Workload, precision: Precision, catalogue: Catalogue) -> str | None:
    """Weight format of the workload in that precision; None when the workload is already as narrow."""
    if precision == "asked":
        return workload.weights
    table, default = (EIGHT_BIT, "fp8") if precision == "fp8" else (FOUR_BIT, "awq-int4")
    wanted = catalogue.weight_formats[table.get(workload.engine, default)]
    asked = catalogue.weight_formats.get(workload.weights)
    return wanted.id if asked is None or asked.bits > wanted.bits + 0.6 else None


def largest_server(plan: Plan, workload: Workload, topology: Topology) -> tuple[str, ...] | None:
    """The server with most usable memory that the workload may use, as its server_ids; None without a card.

    A plan with one such server keeps the workload's own list, so that its layouts are those already known.
    """
    allowed = set(workload.server_ids)
    room: dict[str, int] = {}
    for device in topology.devices.values():
        if not allowed or device.server_id in allowed:
            room[device.server_id] = room.get(device.server_id, 0) + device.record.memory_usable_bytes
    if not room:
        return None
    if len(room) == 1 and sum(len(site.servers) for site in plan.sites) == 1:
        return workload.server_ids
    return (max(sorted(room), key=lambda server: room[server]),)


@dataclass(slots=True)
class _Layouts:
    """Scored layouts of one workload, worked out when asked for and kept."""

    project: Project
    plan: Plan
    workload: Workload
    model: ModelRecord
    catalogue: Catalogue
    topologies: Topologies
    made: dict[tuple[Scope, Precision], tuple[ScoredLayout, ...]] = field(default_factory=dict)

    def __call__(self, scope: Scope, precision: Precision) -> tuple[ScoredLayout, ...]:
        key = (scope, precision)
        if key not in self.made:
            self.made[key] = self._score(scope, precision)
        return self.made[key]

    def _score(self, scope: Scope, precision: Precision) -> tuple[ScoredLayout, ...]:
        weights = at_precision(self.workload, precision, self.catalogue)
        if weights is None:
            return ()
        workload = self.workload if weights == self.workload.weights else rebuilt(self.workload, weights=weights)
        plan, topologies = self.plan, self.topologies
        if scope == "box":
            box = largest_server(plan, workload, topologies[1])
            if box is None:
                return ()
            if box != workload.server_ids:
                workload = rebuilt(workload, server_ids=box, replicas=None)
        if scope == "buy":
            plan, topologies = buy_plan(self.project.policy, self.catalogue)
            # The wish for a layout and for servers belongs to the owner's own machines.
            workload = rebuilt(
                workload, server_ids=(), tensor_parallel=None, pipeline_parallel=None, replicas=None, layout_reason=""
            )
        scored = _scored(self.project.policy, plan, workload, self.model, topologies, self.catalogue)
        own = scope == "owned" and precision == "asked" and any(each is self.plan for each in self.project.plans)
        # A measurement belongs to the machine it was made on, not to neighbours of the plan.
        return with_measurements(scored, self.project.measurements, self.workload.id) if own else scored


_scores: OrderedDict[tuple[object, ...], tuple[tuple[object, ...], tuple[ScoredLayout, ...]]] = OrderedDict()


def _scored(
    policy: Policy, plan: Plan, workload: Workload, model: ModelRecord, topologies: Topologies, catalogue: Catalogue
) -> tuple[ScoredLayout, ...]:
    """score_layouts, kept while workload, policy and hardware stay the same."""
    key = (workload.model_dump_json(), policy, id(topologies[1]), id(catalogue))
    held = (topologies[1], catalogue)
    kept = _scores.get(key)
    if kept is not None and _same(kept[0], held):
        _scores.move_to_end(key)
        return kept[1]
    weight_format = catalogue.weight_formats[workload.weights]
    scored = score_layouts(plan, workload, model, weight_format, topologies, policy, catalogue)
    _scores[key] = (held, scored)
    if len(_scores) > 8 * KEPT:
        _scores.popitem(last=False)
    return scored


def evaluate(project: Project, plan: Plan, catalogue: Catalogue) -> PlanFacts:
    """Everything the engines say about one plan of the project."""
    topologies = topologies_of(plan, catalogue)
    shared = allot(plan, catalogue, project.policy, topologies_of)
    workloads = tuple(
        replace(
            _workload(project, plan, workload, catalogue, _reached(plan, workload, catalogue, topologies, shared)),
            left_to_others=shared.taken.get(workload.id, frozenset()),
            crowded=workload.id in shared.crowded,
        )
        for workload in plan.workloads
    )
    chosen = {facts.workload.id: facts.chosen for facts in workloads}
    power = power_draw(plan, catalogue)
    facts = PlanFacts(
        project=project,
        plan=plan,
        catalogue=catalogue,
        topologies=topologies,
        workloads=workloads,
        power=power,
        cost=cost(project, plan, catalogue, chosen, power=power),
        buy_purchase=buy_purchase(project, plan, catalogue),
    )
    full = _full_rate(facts)
    if not full:
        return facts
    return replace(facts, cost=cost(project, plan, catalogue, chosen, power=power, full_tokens_per_s=full))


def _full_rate(facts: PlanFacts) -> float:
    """Answers per second with as many people as are served at once, where only fewer were asked for; else 0."""
    if len(facts.workloads) != 1 or facts.cost.comparison is None or facts.workloads[0].workload.users is None:
        return 0.0
    s = situation(facts, facts.workloads[0])
    people, ask = usable_users(s), s.work.speed_for
    if not people or people <= (s.workload.users or 0) or ask is None or s.chosen is None:
        return 0.0
    speed = ask(float(people))
    return speed.output_tokens_per_s.expected * s.copies if speed is not None else 0.0


def _reached(
    plan: Plan, workload: Workload, catalogue: Catalogue, topologies: Topologies, shared: Allotment
) -> Topologies:
    """The hardware that serves the workload: without sites that nobody reaches, without cards of other models."""
    cut = cut_off_sites(plan, workload) | shared.taken.get(workload.id, frozenset())
    if not cut:
        return topologies
    return topologies_of(rebuilt(plan, failed_ids=tuple(sorted({*plan.failed_ids, *cut}))), catalogue)


def buy_purchase(project: Project, plan: Plan, catalogue: Catalogue) -> Estimate | None:
    """Price of the node to buy where the plan buys two servers or more; None elsewhere, or while a price is missing."""
    if sum(not server.owned for site in plan.sites for server in site.servers) < 2:
        return None
    key = (project.policy, project.currency, id(catalogue))
    kept = _buy_prices.get(key)
    if kept is None or kept[0] is not catalogue:
        node, _ = buy_plan(project.policy, catalogue)
        lines = shopping(node, catalogue, project.currency)
        totals = [line.total for line in lines if line.total is not None]
        price = None
        if totals and not unpriced(lines):
            price = Estimate(
                sum(each.low for each in totals),
                sum(each.expected for each in totals),
                sum(each.high for each in totals),
                project.currency,
                "vendor",
            )
        kept = (catalogue, price)
        _buy_prices.clear()
        _buy_prices[key] = kept
    return kept[1]


GGUF = ("q2_k", "q3_k_m", "q4_k_m", "q5_k_m", "q6_k", "q8_0")


REFUSALS = ("layout.engine_card", "layout.format_card")
"""The engine, or the engine with this format, does not run on the card: it is not the memory that says no."""


def _engine_refused(workload: Workload, weight_format: WeightFormat, topology: Topology) -> bool:
    """The asked engine runs on none of the cards, at least not with the asked format."""
    if workload.task not in SERVING or not topology.devices:
        return False
    records = {device.record.id: device.record for device in topology.devices.values()}
    told = (engine_refuses(workload.engine, record, weight_format) for record in records.values())
    return all(each is not None and each.code in REFUSALS for each in told)


def gguf_workload(workload: Workload, weight_format: WeightFormat, catalogue: Catalogue) -> Workload:
    """The same workload on llama.cpp, in the GGUF format nearest to its bits: it runs on nearly any card."""
    nearest = min(GGUF, key=lambda each: abs(catalogue.weight_formats[each].bits - weight_format.bits))
    wishes = {"tensor_parallel": None, "pipeline_parallel": None}
    return rebuilt(workload, engine="llama.cpp", weights=nearest, kv_cache="auto", **wishes)


def _workload(
    project: Project, plan: Plan, workload: Workload, catalogue: Catalogue, topologies: Topologies
) -> WorkloadFacts:
    model = catalogue.models.get(workload.model) if workload.model is not None else None
    weight_format = catalogue.weight_formats.get(workload.weights)
    if model is None or weight_format is None:
        # Weights that are not known here leave the answer as open as an unknown model does.
        return WorkloadFacts(
            workload=workload,
            model=None,
            weight_format=weight_format,
            weights_bytes=0,
            kv_bytes_per_token=0.0,
            layouts=_nothing,
            efficiency=None,
            failures=(),
        )
    layouts: LayoutsOf = _Layouts(project, plan, workload, model, catalogue, topologies)
    owned = layouts("owned", "asked")
    refused = ""
    if _engine_refused(workload, weight_format, topologies[1]):
        other = gguf_workload(workload, weight_format, catalogue)
        answer: LayoutsOf = _Layouts(project, plan, other, model, catalogue, topologies)
        if any(each.memory.fit != "no" for each in answer("owned", "asked")):
            refused, workload, layouts, owned = workload.engine, other, answer, answer("owned", "asked")
            weight_format = catalogue.weight_formats[other.weights]
    chosen = owned[0] if owned else None
    asked, formatted = workload, weight_format

    def question() -> Question:
        return question_of(asked, model, formatted, topologies, project.policy)

    def people(users: float) -> Speed | None:
        if chosen is None:
            return None
        return speed_for(question() if users <= 1 else question().quick, chosen, users)

    def speed_at(scored: ScoredLayout, users: float) -> Speed | None:
        return speed_for(question().quick, scored, users)

    return WorkloadFacts(
        workload=workload,
        model=model,
        weight_format=weight_format,
        weights_bytes=weight_bytes(model, weight_format),
        kv_bytes_per_token=float(kv_bytes_per_token(model, workload.kv_cache)),
        layouts=layouts,
        efficiency=efficiency(plan, workload, model, weight_format, topologies, project.policy, catalogue),
        failures=failure_effects(plan, workload, chosen, topologies[1]) if chosen is not None else (),
        speed_for=people,
        speed_of=speed_at,
        refused_engine=refused,
        kv_heads_full=model.kv_heads == model.attention_heads and not model.attention[0].kv_shared_across_tp,
        size_at=_sizes(model, catalogue),
    )


def _sizes(model: ModelRecord, catalogue: Catalogue) -> Callable[[str], int]:
    def size(weight_format: str) -> int:
        return weight_bytes(model, catalogue.weight_formats[weight_format])

    return size


def _nothing(scope: Scope, precision: Precision) -> tuple[ScoredLayout, ...]:  # noqa: ARG001 - signature of LayoutsOf
    return ()
