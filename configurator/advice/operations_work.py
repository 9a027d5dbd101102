"""Work that several servers bring (R66, R71-R75), and what engineering it takes (R68, R69). Data for screen and PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.advice.advise import situations_of
from configurator.advice.facts import PlanFacts
from configurator.advice.pilot_commands import makers
from configurator.advice.situation import Situation
from configurator.terms import Estimate, Message, message

When = Literal["before", "regular", "drill"]


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One entry of the work list. ``hours`` once ("before", "drill") or per month ("regular"); None: not estimated."""

    code: str
    when: When
    text: Message
    rule: str
    hours: Estimate | None = None


NETWORK = ("flow_control", "pfc", "ecn", "jumbo", "transport", "topology_file", "ring_or_tree")
"""R73: settings of network cards and NCCL, in the order they are done."""
ROCE_ONLY = ("flow_control", "pfc", "ecn")
NCCL_ONLY = ("transport", "topology_file", "ring_or_tree", "nccl_traces")
NCCL_ENGINES = ("vllm", "sglang", "tensorrt-llm")
NCCL_MAKERS = {"NVIDIA", "AMD"}
"""AMD's library of the same interface reads the same settings."""
MONITORING = ("dcgm", "prometheus", "nccl_traces")
"""R74."""
DRILLS = ("node_drop", "nic_reset", "switch_port")
"""R75."""
DOUBLED = ("bmc", "nic_tuning", "drivers", "failure_domains")
"""R66: what each further node brings again."""


def _hours(low: float, high: float) -> Estimate:
    return Estimate(low, (low + high) / 2, high, "h", "assumed")


def work_list(facts: PlanFacts) -> tuple[WorkItem, ...]:
    """The list for this plan: nothing for one server, upkeep for copies, all of it for one model over several."""
    situations = situations_of(facts)
    boxes = max((len(s.shape.boxes) for s in situations), default=0)
    if boxes < 2:
        return ()
    joined = any(s.spans or s.training for s in situations)
    items = [
        # Their hours are those of the cost estimate, in one sum.
        WorkItem(f"doubled.{each}", "regular", message(f"work.{each}", nodes=boxes), "R66")
        for each in DOUBLED
    ]
    if any(s.copies > 1 and not s.training for s in situations):
        items.append(WorkItem("router", "before", message("work.router"), "R61", _hours(4, 16)))
    items.append(WorkItem("probe", "before", message("work.probe"), "R75", _hours(2, 8)))
    if joined:
        items += [
            WorkItem(f"network.{each}", "before", message(f"work.{each}", nodes=boxes), "R73", _hours(2, 8))
            for each in NETWORK
            if _applies(each, facts, situations)
        ]
        items.append(WorkItem("storage", "before", message("work.storage"), "R71", _hours(8, 24)))
        items.append(WorkItem("storage_vlan", "before", message("work.storage_vlan"), "R71", _hours(2, 6)))
    if any(s.training for s in situations) and joined:
        items.append(WorkItem("checkpoints", "before", message("work.checkpoints"), "R72", _hours(8, 24)))
    items += [
        WorkItem(f"monitoring.{each}", "before", message(f"work.{each}", nodes=boxes), "R74", _hours(2, 6))
        for each in (MONITORING if joined else MONITORING[:2])
        if _applies(each, facts, situations)
    ]
    items += [
        WorkItem(f"drill.{each}", "drill", message(f"work.{each}", nodes=boxes), "R75", _hours(1, 3)) for each in DRILLS
    ]
    return tuple(items)


def _applies(item: str, facts: PlanFacts, situations: tuple[Situation, ...]) -> bool:
    """Whether the plan has what an entry sets up: RoCE, a plain network, NCCL, cards of that maker."""
    kinds = {link.kind for link in facts.plan.links}
    by_nccl = any(
        (s.training or (s.chosen is not None and s.chosen.layout.engine in NCCL_ENGINES))
        and set(makers(s)) & NCCL_MAKERS
        for s in situations
    )
    if item in ROCE_ONLY:
        return any("roce" in kind for kind in kinds)
    if item == "jumbo":
        return any(kind.startswith("eth") for kind in kinds)
    if item == "dcgm":
        return any("NVIDIA" in makers(s) for s in situations)
    return by_nccl if item in NCCL_ONLY else True


def engineering_factor(facts: PlanFacts, nodes: int) -> float:
    """R68: effort against one node, linear in the added nodes: 1 + k (n - 1)."""
    return 1 + facts.project.policy.engineering_factor_per_added_node * (nodes - 1)


def lost_capacity_months(months: float = 6.0, share: float = 0.5) -> float:
    """R69: instead of the engineering, months at half capacity; full months of the machine that are lost."""
    return months * share


@dataclass(frozen=True, slots=True)
class RequestPath:
    """R16: where weights load, where requests arrive, what an answer needs. Ids of plan objects."""

    workload_id: str
    arrives_at: str
    """Site or server that takes the request: a router's place with several copies, else the copy's first server."""
    router: bool
    copies: tuple[tuple[str, ...], ...]
    """Per copy the GPUs an answer needs; a failure of one of them stops the copy."""
    servers: tuple[tuple[str, ...], ...]
    """Per copy the servers."""
    weights_on: tuple[str, ...]
    """GPUs that load weights."""
    links: tuple[str, ...]
    """Links an answer crosses."""
    shared: tuple[str, ...]
    """Objects whose failure stops every copy."""


def request_path(s: Situation) -> RequestPath | None:
    """The path of one request through the chosen layout; None while nothing runs."""
    if s.chosen is None or not s.chosen.instances or s.fit == "no":
        return None
    copies = tuple(tuple(g for stage in one.stages for g in stage) for one in s.chosen.instances)
    servers = tuple(s.shape.servers_of(copy) for copy in copies)
    sites = s.shape.sites_of(g for copy in copies for g in copy)
    router = len(copies) > 1
    common = set(servers[0]).intersection(*servers[1:])
    arrives = sites[0] if router else servers[0][0]
    return RequestPath(
        workload_id=s.workload.id,
        arrives_at=arrives,
        router=router,
        copies=copies,
        servers=servers,
        weights_on=tuple(g for copy in copies for g in copy),
        links=s.fabric.link_ids if s.spans else (),
        shared=tuple(sorted(common)) + (sites if len(sites) == 1 else ()),
    )


PROPOSAL_ORDER: tuple[str, ...] = ("workload", "fit", "efficiency", "decision")
"""R76: first what is to run, then the arithmetic of memory, then the projected efficiency, last the hardware.
Never the largest set that a budget tolerates."""
