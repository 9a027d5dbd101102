"""Pure edits: plan in, plan out. Everything the window can do to one plan.

Each edit rebuilds only the changed boxes by their constructors, so the new plan is validated and untouched
children stay the same objects. An edit that cannot be done raises EditError with a Message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from pydantic import BaseModel

from configurator.catalogue import Catalogue
from configurator.plan.build import server_from_chassis, site_defaults
from configurator.plan.index import all_ids, failable_ids, find, gpus, new_id
from configurator.plan.model import (
    Gpu,
    Link,
    NetworkSwitch,
    Nic,
    Plan,
    Position,
    Server,
    SetAside,
    Site,
    SiteKind,
    Slot,
    Workload,
)
from configurator.plan.place import can_place
from configurator.terms import Message, message

Model = TypeVar("Model", bound=BaseModel)


class EditError(Exception):
    """The edit cannot be done; ``message`` says what, where and how to mend it."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.code)
        self.message = reason


def rebuilt(node: Model, **changes: object) -> Model:
    """The same object with some fields changed, validated by its constructor."""
    fields = {name: getattr(node, name) for name in type(node).model_fields}
    unknown = set(changes) - set(fields)
    if unknown:
        raise TypeError(f"{type(node).__name__} has no field {sorted(unknown)}")
    return type(node)(**(fields | changes))


def _map(items: tuple[Model, ...], change: Callable[[Model], Model | None]) -> tuple[Model, ...]:
    """Each item changed or dropped; the same tuple when nothing moved."""
    changed = tuple(new for new in map(change, items) if new is not None)
    if len(changed) == len(items) and all(new is old for new, old in zip(changed, items, strict=True)):
        return items
    return changed


def _with_sites(plan: Plan, change: Callable[[Site], Site | None]) -> Plan:
    sites = _map(plan.sites, change)
    return plan if sites is plan.sites else rebuilt(plan, sites=sites)


def _with_servers(plan: Plan, change: Callable[[Server], Server | None]) -> Plan:
    def in_site(site: Site) -> Site:
        servers = _map(site.servers, change)
        return site if servers is site.servers else rebuilt(site, servers=servers)

    return _with_sites(plan, in_site)


def _with_slots(plan: Plan, change: Callable[[Slot], Slot | None]) -> Plan:
    def in_server(server: Server) -> Server:
        slots = _map(server.slots, change)
        return server if slots is server.slots else rebuilt(server, slots=slots)

    return _with_servers(plan, in_server)


def update(plan: Plan, object_id: str, **changes: object) -> Plan:
    """Change fields of any object: site, server, slot, GPU, NIC, switch, link, workload.

    Raises EditError for an unknown id and pydantic.ValidationError for a value out of range.
    """
    found = find(plan, object_id)
    if found is None:
        raise EditError(message("edit.no_object", object_id=object_id))

    def one(node: Model) -> Model:
        return rebuilt(node, **changes) if getattr(node, "id", None) == object_id else node

    node = found.node
    if isinstance(node, Site):
        return _with_sites(plan, one)
    if isinstance(node, Server):
        return _with_servers(plan, one)
    if isinstance(node, Slot):
        return _with_slots(plan, one)
    if isinstance(node, Gpu):
        return _with_slots(plan, lambda slot: rebuilt(slot, gpu=one(slot.gpu)) if slot.gpu is node else slot)
    if isinstance(node, Link):
        return rebuilt(plan, links=_map(plan.links, one))
    if isinstance(node, Workload):
        return rebuilt(plan, workloads=_map(plan.workloads, one))
    if isinstance(node, NetworkSwitch):
        return _with_sites(
            plan, lambda site: rebuilt(site, switches=_map(site.switches, one)) if site is found.site else site
        )
    field = "nics" if isinstance(node, Nic) else "switches"
    return _with_servers(
        plan,
        lambda server: (
            rebuilt(server, **{field: _map(getattr(server, field), one)}) if server is found.server else server
        ),
    )


def rename(plan: Plan, object_id: str, name: str) -> Plan:
    """Give a site, server, slot, NIC, switch or workload another name. Blank names are refused."""
    name = name.strip()
    if not name:
        raise EditError(message("edit.blank_name", object_id=object_id))
    found = find(plan, object_id)
    if found is not None and not hasattr(found.node, "name"):
        raise EditError(message("edit.no_name", object_id=object_id))
    return update(plan, object_id, name=name)


def add_site(plan: Plan, kind: SiteKind, name: str, country: str = "SK") -> tuple[Plan, str]:
    """A new empty site at the end; returns its id."""
    site_id = new_id(all_ids(plan), "site")
    site = site_defaults(site_id, kind, name, country)
    return rebuilt(plan, sites=(*plan.sites, site)), site_id


def add_server(plan: Plan, catalogue: Catalogue, site_id: str, chassis: str, name: str = "") -> tuple[Plan, str]:
    """A machine of a catalogue chassis in a site, with its slots; modules included in its price stand in them."""
    site = next((site for site in plan.sites if site.id == site_id), None)
    record = catalogue.servers.get(chassis)
    if site is None:
        raise EditError(message("edit.no_site", object_id=site_id))
    if record is None:
        raise EditError(message("edit.unknown_chassis", server=chassis))
    taken = all_ids(plan)
    server_id = new_id(taken, "server")
    names = {server.name for other in plan.sites for server in other.servers}
    server = server_from_chassis(record, server_id, name or new_id(names, "node"), taken | {server_id}, catalogue)
    return _with_sites(
        plan, lambda each: rebuilt(each, servers=(*each.servers, server)) if each is site else each
    ), server_id


def add_gpus(
    plan: Plan, catalogue: Catalogue, gpu: str, target_id: str, count: int = 1
) -> tuple[Plan, tuple[str, ...]]:
    """Put ``count`` cards into a slot, server or site; raises EditError with can_place's reason."""
    placing = can_place(plan, catalogue, gpu, target_id, count)
    if not placing.ok:
        raise EditError(placing.reason or message("place.not_a_place", target_id=target_id))
    taken = all_ids(plan)
    cards: dict[str, Gpu] = {}
    for slot_id in placing.slot_ids:
        gpu_id = new_id(taken, "gpu")
        taken.add(gpu_id)
        cards[slot_id] = Gpu(id=gpu_id, gpu=gpu)
    plan = _with_slots(plan, lambda slot: rebuilt(slot, gpu=cards[slot.id]) if slot.id in cards else slot)
    return plan, tuple(card.id for card in cards.values())


def fill_server(plan: Plan, catalogue: Catalogue, gpu: str, server_id: str) -> tuple[Plan, tuple[str, ...]]:
    """As many of the card as the server takes; raises EditError when it takes none."""
    found = find(plan, server_id)
    if found is None or found.server is None:
        raise EditError(message("edit.no_object", object_id=server_id))
    free = sum(slot.gpu is None for slot in found.server.slots)
    for count in range(max(free, 1), 0, -1):
        if can_place(plan, catalogue, gpu, found.server.id, count).ok:
            return add_gpus(plan, catalogue, gpu, found.server.id, count)
    return add_gpus(plan, catalogue, gpu, found.server.id)


def move_gpus(plan: Plan, catalogue: Catalogue, gpu_ids: tuple[str, ...], target_id: str) -> Plan:
    """Move cards to a slot, server or site; they keep their ids and settings. Equal cards only."""
    cards = [card for _, _, _, card in gpus(plan) if card.id in gpu_ids]
    if not cards or len(cards) != len(set(gpu_ids)):
        raise EditError(message("edit.no_object", object_id=", ".join(gpu_ids)))
    kinds = {card.gpu for card in cards}
    if len(kinds) > 1:
        raise EditError(message("edit.mixed_cards", gpus=tuple(sorted(kinds))))
    placing = can_place(plan, catalogue, cards[0].gpu, target_id, len(cards), tuple(gpu_ids))
    if not placing.ok:
        raise EditError(placing.reason or message("place.not_a_place", target_id=target_id))
    arriving = dict(zip(placing.slot_ids, cards, strict=True))
    leaving = set(gpu_ids)

    def settle(slot: Slot) -> Slot:
        if slot.id in arriving:
            return slot if slot.gpu is arriving[slot.id] else rebuilt(slot, gpu=arriving[slot.id])
        if slot.gpu is not None and slot.gpu.id in leaving:
            return rebuilt(slot, gpu=None)
        return slot

    return _with_slots(plan, settle)


def move_server(plan: Plan, server_id: str, site_id: str) -> Plan:
    """Carry a server to another site; its links go with it, those over a site border become unknown."""
    found = find(plan, server_id)
    if found is None or found.server is None or found.site is None:
        raise EditError(message("edit.no_object", object_id=server_id))
    if all(site.id != site_id for site in plan.sites):
        raise EditError(message("edit.no_site", object_id=site_id))
    if found.site.id == site_id:
        return plan
    server = found.server

    def carry(site: Site) -> Site:
        if site.id == site_id:
            return rebuilt(site, servers=(*site.servers, server))
        if site is found.site:
            return rebuilt(site, servers=tuple(each for each in site.servers if each is not server))
        return site

    plan = _with_sites(plan, carry)
    homes = {end.id: site.id for site in plan.sites for end in (*site.servers, *site.switches)}

    def cross(link: Link) -> Link:
        apart = server_id in {link.a, link.b} and homes.get(link.a, link.a) != homes.get(link.b, link.b)
        return rebuilt(link, kind="unknown", bandwidth_bytes_per_s=None, latency_s=None) if apart else link

    return rebuilt(plan, links=_map(plan.links, cross))


def remove(plan: Plan, object_ids: Iterable[str]) -> Plan:
    """Take objects away with all that stands in them, and links, references and positions that pointed at them."""
    gone = set(object_ids)

    def trim_slot(slot: Slot) -> Slot:
        return rebuilt(slot, gpu=None) if slot.gpu is not None and slot.gpu.id in gone else slot

    def trim_server(server: Server) -> Server | None:
        if server.id in gone:
            return None
        slots = _map(tuple(slot for slot in server.slots if slot.id not in gone), trim_slot)
        nics = tuple(nic for nic in server.nics if nic.id not in gone)
        pairs = tuple(pair for pair in server.nvlink_pairs if not gone & set(pair))
        if slots == server.slots and len(nics) == len(server.nics):
            return server
        return rebuilt(server, slots=slots, nics=nics, nvlink_pairs=pairs)

    def trim_site(site: Site) -> Site | None:
        if site.id in gone:
            return None
        servers = _map(site.servers, trim_server)
        switches = tuple(switch for switch in site.switches if switch.id not in gone)
        if servers is site.servers and len(switches) == len(site.switches):
            return site
        return rebuilt(site, servers=servers, switches=switches)

    links = tuple(link for link in plan.links if link.id not in gone)
    workloads = tuple(workload for workload in plan.workloads if workload.id not in gone)
    return _without_strays(rebuilt(_with_sites(plan, trim_site), links=links, workloads=workloads))


def _without_strays(plan: Plan) -> Plan:
    """Drop links, references, failures and positions of objects that are no longer there."""
    ids = all_ids(plan)
    may_fail = failable_ids(plan)
    servers = {server.id for site in plan.sites for server in site.servers}

    def keep_servers(workload: Workload) -> Workload:
        kept = tuple(server for server in workload.server_ids if server in servers)
        return workload if kept == workload.server_ids else rebuilt(workload, server_ids=kept)

    return rebuilt(
        plan,
        links=tuple(link for link in plan.links if link.a in ids and link.b in ids),
        workloads=_map(plan.workloads, keep_servers),
        failed_ids=tuple(each for each in plan.failed_ids if each in may_fail),
        positions=tuple(each for each in plan.positions if each.id in ids),
    )


def add_switch(plan: Plan, site_id: str, part: str | None, name: str) -> tuple[Plan, str]:
    """A network switch at a site."""
    if all(site.id != site_id for site in plan.sites):
        raise EditError(message("edit.no_site", object_id=site_id))
    switch_id = new_id(all_ids(plan), "switch")
    switch = NetworkSwitch(id=switch_id, name=name, part=part)
    return _with_sites(
        plan, lambda site: rebuilt(site, switches=(*site.switches, switch)) if site.id == site_id else site
    ), switch_id


def add_nic(plan: Plan, server_id: str, nic: Nic) -> tuple[Plan, str]:
    """A network card in a server; the id of ``nic`` is replaced by a free one."""
    if all(server.id != server_id for site in plan.sites for server in site.servers):
        raise EditError(message("edit.no_object", object_id=server_id))
    nic_id = new_id(all_ids(plan), "nic")
    card = rebuilt(nic, id=nic_id)
    return _with_servers(
        plan, lambda server: rebuilt(server, nics=(*server.nics, card)) if server.id == server_id else server
    ), nic_id


def can_connect(plan: Plan, a: str, b: str) -> Message | None:
    """Why these two may not be joined by a link, or None."""
    ends = {a, b}
    homes = {end.id: site.id for site in plan.sites for end in (site, *site.servers, *site.switches)}
    missing = next((end for end in (a, b) if end not in homes), None)
    if missing is not None:
        return message("link.no_end", object_id=missing)
    if a == b:
        return message("link.to_itself", object_id=a)
    if any({link.a, link.b} == ends for link in plan.links):
        return message("link.exists", a_id=a, b_id=b)
    sites = {site.id for site in plan.sites}
    if homes[a] == homes[b] and ends & sites:
        return message("link.inside_own_site", a_id=a, b_id=b)
    return None


def connect(plan: Plan, a: str, b: str, kind: str = "unknown") -> tuple[Plan, str]:
    """Join two of server, network switch, site by a link of a catalogue kind, "internet" or "unknown"."""
    refusal = can_connect(plan, a, b)
    if refusal is not None:
        raise EditError(refusal)
    link_id = new_id(all_ids(plan), "link")
    return rebuilt(plan, links=(*plan.links, Link(id=link_id, a=a, b=b, kind=kind))), link_id


def add_workload(plan: Plan, name: str, **fields: object) -> tuple[Plan, str]:
    """A new workload; fields as in Workload."""
    workload_id = new_id(all_ids(plan), "workload")
    workload = Workload.model_validate({"id": workload_id, "name": name, **fields})
    return rebuilt(plan, workloads=(*plan.workloads, workload)), workload_id


def duplicate(plan: Plan, object_ids: Iterable[str]) -> tuple[Plan, tuple[str, ...]]:
    """Copies of sites, servers and workloads beside the originals, with new ids throughout and inner links kept."""
    wanted = set(object_ids)
    taken = all_ids(plan)
    made: list[str] = []
    renamed: dict[str, str] = {}
    names = {server.name for site in plan.sites for server in site.servers}

    def fresh(old: str) -> str:
        renamed[old] = new_id(taken, old.rsplit("-", 1)[0] or "object")
        taken.add(renamed[old])
        return renamed[old]

    def copy_server(server: Server) -> Server:
        ids = {each.id: fresh(each.id) for each in (*server.switches, *server.nics, *server.slots)}
        slots = tuple(
            rebuilt(
                slot,
                id=ids[slot.id],
                switch=ids[slot.switch] if slot.switch else None,
                gpu=rebuilt(slot.gpu, id=fresh(slot.gpu.id)) if slot.gpu else None,
            )
            for slot in server.slots
        )
        new = fresh(server.id)
        made.append(new)
        name = _copy_name(server.name, names)
        names.add(name)
        return rebuilt(
            server,
            id=new,
            name=name,
            slots=slots,
            switches=tuple(rebuilt(each, id=ids[each.id]) for each in server.switches),
            nics=tuple(rebuilt(each, id=ids[each.id]) for each in server.nics),
            nvlink_pairs=tuple((ids[a], ids[b]) for a, b in server.nvlink_pairs),
        )

    sites: list[Site] = []
    for site in plan.sites:
        servers = [
            *site.servers,
            *(copy_server(server) for server in site.servers if server.id in wanted and site.id not in wanted),
        ]
        sites.append(rebuilt(site, servers=tuple(servers)) if len(servers) > len(site.servers) else site)
    for site in plan.sites:
        if site.id in wanted:
            new = fresh(site.id)
            copied = tuple(copy_server(server) for server in site.servers)
            switches = tuple(rebuilt(each, id=fresh(each.id)) for each in site.switches)
            name = _copy_name(site.name, {each.name for each in plan.sites})
            sites.append(rebuilt(site, id=new, name=name, servers=copied, switches=switches))
            made.append(new)
    workloads = list(plan.workloads)
    for workload in plan.workloads:
        if workload.id in wanted:
            name = _copy_name(workload.name, {each.name for each in plan.workloads})
            workloads.append(rebuilt(workload, id=fresh(workload.id), name=name))
            made.append(workloads[-1].id)
    inner = [link for link in plan.links if link.a in renamed and link.b in renamed]
    copies = tuple(rebuilt(link, id=fresh(link.id), a=renamed[link.a], b=renamed[link.b]) for link in inner)
    plan = rebuilt(plan, sites=tuple(sites), workloads=tuple(workloads), links=(*plan.links, *copies))
    return plan, tuple(made)


def _copy_name(name: str, names: set[str]) -> str:
    stem, _, number = name.rpartition("-")
    return new_id(names, stem) if stem and number.isdigit() else new_id(names, name)


def set_failed(plan: Plan, object_ids: Iterable[str], failed: bool) -> Plan:
    """What-if: take objects, or internet lines by ``line_id``, as failed, or as working again."""
    ids = set(object_ids)
    kept = tuple(each for each in plan.failed_ids if each not in ids)
    return rebuilt(plan, failed_ids=tuple(sorted({*kept, *ids})) if failed else kept)


def set_aside(plan: Plan, code: str, subject: str, remark: str | None) -> Plan:
    """Set a finding aside with a remark, or take it back with None."""
    kept = tuple(each for each in plan.set_aside if (each.code, each.subject) != (code, subject))
    added = () if remark is None else (SetAside(code=code, subject=subject, remark=remark),)
    return rebuilt(plan, set_aside=(*kept, *added))


def place_boxes(plan: Plan, positions: dict[str, tuple[float, float]]) -> Plan:
    """Where boxes stand on the canvas; never changes an answer."""
    kept = tuple(each for each in plan.positions if each.id not in positions)
    moved = tuple(Position(id=key, x=x, y=y) for key, (x, y) in positions.items())
    return rebuilt(plan, positions=tuple(sorted((*kept, *moved), key=lambda each: each.id)))
