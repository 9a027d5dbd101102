"""What fails with an object, and which copies of the model stop with it."""

from __future__ import annotations

from collections.abc import Iterable

from configurator.diagram.picture import State
from configurator.diagram.placement import Placement
from configurator.operations.failures import reached_by_line
from configurator.plan.edits import set_failed
from configurator.plan.index import cut_links, line_id, walk
from configurator.plan.model import Plan, Workload


def failed_cards(plan: Plan, object_ids: Iterable[str]) -> frozenset[str]:
    """Cards that fail with these objects: themselves, and those in a failed slot, switch, server or site."""
    wanted = set(object_ids)
    found: set[str] = set()
    for each in walk(plan):
        slot = each.slot
        if slot is None or slot.gpu is None or each.node is not slot.gpu:
            continue
        around = {slot.gpu.id, slot.id, slot.switch or ""}
        around |= {each.server.id} if each.server is not None else set()
        around |= {each.site.id} if each.site is not None else set()
        if around & wanted:
            found.add(slot.gpu.id)
    return frozenset(found)


def cut_off_cards(plan: Plan, workload: Workload | None, object_ids: Iterable[str]) -> frozenset[str]:
    """Cards that run on, but that nobody reaches without these internet lines."""
    wanted = set(object_ids)
    if workload is None:
        return frozenset()
    return frozenset(
        slot.gpu.id
        for site in plan.sites
        if line_id(site.id) in wanted and reached_by_line(plan, workload, site)
        for server in site.servers
        for slot in server.slots
        if slot.gpu is not None
    )


def dead_links(plan: Plan, object_ids: Iterable[str] = ()) -> frozenset[str]:
    """Connections that carry nothing without these objects and what the plan holds as failed.

    A connection is dead with its end, with the place around it, with the last network card of its machine, and with
    the internet line it runs over.
    """
    wanted = {*plan.failed_ids, *object_ids}
    if not wanted:
        return frozenset()
    dark = set(wanted)
    for site in plan.sites:
        if site.id in wanted:
            dark |= {each.id for each in (*site.servers, *site.switches)}
        dark |= {each.id for each in site.servers if each.nics and all(nic.id in wanted for nic in each.nics)}
    cut = set(cut_links(set_failed(plan, wanted, failed=True)))
    return frozenset(cut | {link.id for link in plan.links if dark & {link.a, link.b}})


def stopped_copies(plan: Plan, placed: Placement, object_ids: Iterable[str]) -> frozenset[int]:
    """Copies that cannot answer without these objects: a card is gone, or a connection between their cards."""
    wanted = set(object_ids)
    cards = failed_cards(plan, wanted)
    stopped = {member.copy for gpu, member in placed.members.items() if gpu in cards}
    for edge in dead_links(plan, wanted):
        stopped |= {use.copy for use in placed.uses.get(edge, ())}
    return frozenset(stopped)


def copies_down(plan: Plan, placed: Placement, object_ids: Iterable[str], workload: Workload | None) -> frozenset[int]:
    """Copies that stop without these objects, and those that run on where nobody reaches them."""
    wanted = set(object_ids)
    away = cut_off_cards(plan, workload, wanted)
    return stopped_copies(plan, placed, wanted) | {placed.members[gpu].copy for gpu in away if gpu in placed.members}


def failure_states(
    plan: Plan, placed: Placement, failing: Iterable[str] = (), workload: Workload | None = None
) -> dict[str, State]:
    """State of every object that is not normal when what the plan holds as failed, and ``failing``, is broken.

    ``workload``: whose people may be cut off by an internet line.
    """
    wanted = {*plan.failed_ids, *failing}
    if not wanted:
        return {}
    states: dict[str, State] = dict.fromkeys(wanted, "failed")
    cards = failed_cards(plan, wanted)
    states.update(dict.fromkeys(cards, "failed"))
    states.update(dict.fromkeys(dead_links(plan, wanted), "failed"))
    states.update((gpu, "unreached") for gpu in cut_off_cards(plan, workload, wanted) if gpu not in cards)
    stopped = stopped_copies(plan, placed, wanted)
    for gpu, member in placed.members.items():
        if member.copy in stopped and gpu not in cards:
            states[gpu] = "stopped"
    return states
