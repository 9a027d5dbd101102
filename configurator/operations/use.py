"""How each workload uses the plan over a year: hours at work, tokens, availability."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.catalogue.records import ModelRecord
from configurator.operations import rates
from configurator.operations.formulas import SECONDS_PER_YEAR
from configurator.operations.ranges import multiplied
from configurator.operations.reliability import availability_chain
from configurator.operations.shopping import servers_of_gpus, spans_servers
from configurator.plan.model import Plan, Project, Workload
from configurator.scaling.results import ScoredLayout
from configurator.terms import Estimate

SERVING = frozenset({"chat", "batch"})


SIDE_WORDS = ("rerank", "embed")
"""In the name of a model that writes no answers."""


def writes(model: ModelRecord) -> bool:
    """The model writes answers; one that embeds or ranks texts gives numbers: no words, no chat, no tokens to sell."""
    names = f"{model.id} {model.name}".lower()
    return model.purpose == "generate" and not any(word in names for word in SIDE_WORDS)


@dataclass(frozen=True, slots=True)
class Use:
    """How one workload uses the plan over a year."""

    workload: Workload
    server_ids: frozenset[str]
    tokens_per_s: Estimate | None
    busy: Estimate
    nodes_per_copy: int
    availability: Estimate
    tokens_per_year: Estimate | None


def use_of(workload: Workload, plan: Plan, layout: ScoredLayout | None, node: Estimate, project: Project) -> Use:
    """How a workload with this layout uses the plan. ``node`` is the availability of one server (or the owner's)."""
    server_of = servers_of_gpus(plan)
    used = {
        server_of[gpu]
        for instance in (layout.instances if layout is not None else ())
        for stage in instance.stages
        for gpu in stage
        if gpu in server_of
    }
    server_ids = frozenset(used or workload.server_ids or server_of.values())
    nodes = max(1, spans_servers(layout, server_of))
    # The owner's figure is of the service; the product's is of one server, and a copy needs all of its servers.
    available = (
        node
        if project.cost.availability is not None
        else Estimate(
            availability_chain(node.low, nodes),
            availability_chain(node.expected, nodes),
            availability_chain(node.high, nodes),
            "",
            "assumed",
        )
    )
    speed = layout.speed.output_tokens_per_s if layout is not None and layout.speed is not None else None
    serving = workload.task in SERVING and speed is not None and speed.expected > 0
    busy = _busy(workload, plan, server_ids, speed if serving else None, available, project)
    tokens: Estimate | None = None
    if serving and speed is not None:
        most = multiplied(speed, available, Estimate.exact(SECONDS_PER_YEAR), unit="tokens/year")
        if workload.tokens_per_month is not None:
            demand = 12.0 * workload.tokens_per_month
            tokens = Estimate(min(demand, most.low), min(demand, most.expected), min(demand, most.high), "tokens/year")
        else:
            tokens = multiplied(speed, available, busy, Estimate.exact(SECONDS_PER_YEAR), unit="tokens/year")
    return Use(workload, server_ids, speed if serving else None, busy, nodes, available, tokens)


def _busy(
    workload: Workload,
    plan: Plan,
    server_ids: frozenset[str],
    speed: Estimate | None,
    available: Estimate,
    project: Project,
) -> Estimate:
    """Share of the year at work: the owner's, else what the monthly demand needs, else by kind of site and task."""
    if project.cost.busy_share is not None:
        return Estimate.exact(project.cost.busy_share, "", "policy")
    if workload.tokens_per_month is not None and speed is not None:
        demand_per_s = 12.0 * workload.tokens_per_month / SECONDS_PER_YEAR
        shares = [
            min(1.0, demand_per_s / (rate * share)) if rate * share > 0 else 1.0
            for rate, share in (
                (speed.high, available.high),
                (speed.expected, available.expected),
                (speed.low, available.low),
            )
        ]
        return Estimate(shares[0], shares[1], shares[2], "", "calculated")
    kinds = [site.kind for site in plan.sites if any(server.id in server_ids for server in site.servers)]
    return rates.busy_share(kinds[0] if kinds else "office", workload.task).value
