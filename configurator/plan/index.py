"""Walking a plan: find objects by id, list ids, and the invariants every plan keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from configurator.plan.model import (
    Gpu,
    Link,
    NetworkSwitch,
    Nic,
    PcieSwitch,
    Plan,
    Project,
    Server,
    Site,
    Slot,
    Workload,
)
from configurator.terms import Message, message

Node = Site | Server | Slot | Gpu | PcieSwitch | Nic | NetworkSwitch | Link | Workload


@dataclass(frozen=True, slots=True)
class Found:
    """An object with the boxes it stands in (None where it has none)."""

    node: Node
    site: Site | None = None
    server: Server | None = None
    slot: Slot | None = None


def walk(plan: Plan) -> Iterator[Found]:
    """Every object of the plan, outer boxes before inner ones."""
    for site in plan.sites:
        yield Found(site, site)
        for server in site.servers:
            yield Found(server, site, server)
            for pcie_switch in server.switches:
                yield Found(pcie_switch, site, server)
            for nic in server.nics:
                yield Found(nic, site, server)
            for slot in server.slots:
                yield Found(slot, site, server, slot)
                if slot.gpu is not None:
                    yield Found(slot.gpu, site, server, slot)
        for switch in site.switches:
            yield Found(switch, site)
    for link in plan.links:
        yield Found(link)
    for workload in plan.workloads:
        yield Found(workload)


def find(plan: Plan, object_id: str) -> Found | None:
    """The object with that id, or None."""
    return next((found for found in walk(plan) if found.node.id == object_id), None)


def all_ids(plan: Plan) -> set[str]:
    """Ids of every object of the plan."""
    return {found.node.id for found in walk(plan)}


LINE = ".internet"


def line_id(site_id: str) -> str:
    """Id of the internet line of a site: a line has no object of its own, but it can fail."""
    return f"{site_id}{LINE}"


def has_line(plan: Plan, site: Site) -> bool:
    """Whether a line of its own stands for the site: described, rented with the rack, or the way to other sites."""
    described = site.internet.profile is not None or site.internet.down_mbit_s is not None
    return described or site.kind == "colocation" or len(plan.sites) > 1


def failable_ids(plan: Plan) -> set[str]:
    """Ids of everything that can be taken as failed: every object, and the internet line of every site."""
    return all_ids(plan) | {line_id(site.id) for site in plan.sites}


def cut_links(plan: Plan) -> set[str]:
    """Ids of links that are taken as failed, or run over an internet line that is."""
    failed = set(plan.failed_ids)
    if not failed:
        return set()
    homes = {end.id: site.id for site in plan.sites for end in (site, *site.servers, *site.switches)}
    cut = set()
    for link in plan.links:
        sites = {homes.get(link.a, link.a), homes.get(link.b, link.b)}
        if link.id in failed or (len(sites) > 1 and any(line_id(each) in failed for each in sites)):
            cut.add(link.id)
    return cut


def servers(plan: Plan) -> Iterator[tuple[Site, Server]]:
    """Every server with its site."""
    for site in plan.sites:
        for server in site.servers:
            yield site, server


def gpus(plan: Plan) -> Iterator[tuple[Site, Server, Slot, Gpu]]:
    """Every GPU with its slot, server and site."""
    for site, server in servers(plan):
        for slot in server.slots:
            if slot.gpu is not None:
                yield site, server, slot, slot.gpu


def endpoints(plan: Plan) -> set[str]:
    """Ids a link may join: servers, network switches and sites."""
    ids: set[str] = set()
    for site in plan.sites:
        ids.add(site.id)
        ids.update(server.id for server in site.servers)
        ids.update(switch.id for switch in site.switches)
    return ids


def new_id(taken: set[str], prefix: str) -> str:
    """The first free of prefix-1, prefix-2, ...; deterministic, so equal edits give equal plans."""
    number = 1
    while f"{prefix}-{number}" in taken:
        number += 1
    return f"{prefix}-{number}"


def plan_problems(plan: Plan) -> tuple[Message, ...]:
    """What breaks the plan's invariants: unique ids, links and references that point at existing objects."""
    problems: list[Message] = []
    seen: set[str] = set()
    for found in walk(plan):
        if found.node.id in seen:
            problems.append(message("plan.duplicate_id", object_id=found.node.id))
        seen.add(found.node.id)
    ends = endpoints(plan)
    for link in plan.links:
        problems += [
            message("plan.dangling_link", link_id=link.id, object_id=end) for end in (link.a, link.b) if end not in ends
        ]
        if link.a == link.b:
            problems.append(message("plan.link_to_itself", link_id=link.id))
    server_ids = {server.id for _, server in servers(plan)}
    for workload in plan.workloads:
        problems += [
            message("plan.unknown_reference", object_id=server_id, subject_id=workload.id)
            for server_id in workload.server_ids
            if server_id not in server_ids
        ]
    for _, server in servers(plan):
        switch_ids = {switch.id for switch in server.switches}
        slot_ids = {slot.id for slot in server.slots}
        problems += [
            message("plan.unknown_reference", object_id=slot.switch, subject_id=slot.id)
            for slot in server.slots
            if slot.switch is not None and slot.switch not in switch_ids
        ]
        problems += [
            message("plan.unknown_reference", object_id=end, subject_id=server.id)
            for pair in server.nvlink_pairs
            for end in pair
            if end not in slot_ids
        ]
    lines = {line_id(site.id) for site in plan.sites}
    problems += [
        message("plan.unknown_reference", object_id=other, subject_id=plan.id)
        for other in (
            *(each for each in plan.failed_ids if each not in lines),
            *(position.id for position in plan.positions),
        )
        if other not in seen
    ]
    return tuple(problems)


def project_problems(project: Project) -> tuple[Message, ...]:
    """Invariants of a whole project: those of each plan, unique plan ids, an active plan that exists."""
    problems: list[Message] = []
    plan_ids = [plan.id for plan in project.plans]
    problems += [
        message("plan.duplicate_id", object_id=plan_id)
        for plan_id in sorted(set(plan_ids))
        if plan_ids.count(plan_id) > 1
    ]
    if project.active_plan_id not in plan_ids:
        problems.append(message("plan.no_active_plan", object_id=project.active_plan_id))
    for plan in project.plans:
        problems.extend(plan_problems(plan))
    return tuple(problems)
