"""Small plans for the scaling tests."""

from __future__ import annotations

from configurator.catalogue import Catalogue
from configurator.plan.build import server_from_chassis
from configurator.plan.model import Gpu, Link, NetworkSwitch, Plan, Server, Site, Workload

PRO_6000 = "nvidia-rtx-pro-6000-blackwell-server"
RTX_4090 = "nvidia-rtx-4090"
RTX_5090 = "nvidia-rtx-5090"
RTX_3090 = "nvidia-rtx-3090"
H100 = "nvidia-h100-sxm5-80gb"
SPARK = "nvidia-gb10-dgx-spark"

SWITCHED = "generic-4u5u-8gpu-switch"
ROOTS = "epyc-sp5-4u-8gpu-root"
WORKSTATION = "workstation-wrx90"


def box(catalogue: Catalogue, server_id: str, chassis: str, *gpus: str, **changes: object) -> Server:
    """A chassis with these cards in its first slots; an empty name leaves a slot free."""
    taken: set[str] = {server_id}
    server = server_from_chassis(catalogue.servers[chassis], server_id, server_id, taken, catalogue)
    renamed = {each.id: f"{server_id}-{each.id}" for each in (*server.slots, *server.switches)}
    slots = []
    for number, slot in enumerate(server.slots):
        gpu = gpus[number] if number < len(gpus) else ""
        slots.append(
            slot.model_copy(
                update={
                    "id": renamed[slot.id],
                    "switch": renamed.get(slot.switch or ""),
                    "gpu": Gpu(id=f"{server_id}-gpu-{number}", gpu=gpu) if gpu else None,
                }
            )
        )
    switches = tuple(each.model_copy(update={"id": renamed[each.id]}) for each in server.switches)
    return server.model_copy(update={"slots": tuple(slots), "switches": switches, **changes})


def plan_of(*sites: Site, links: tuple[Link, ...] = (), workloads: tuple[Workload, ...] = ()) -> Plan:
    """A plan of these sites."""
    return Plan(id="plan", name="Plan", sites=sites, links=links, workloads=workloads)


def site_of(*servers: Server, site_id: str = "site", switch: bool = False, **changes: object) -> Site:
    """An office with these servers, and a network switch when asked."""
    switches = (NetworkSwitch(id=f"{site_id}-switch", name="switch"),) if switch else ()
    return Site(id=site_id, name=site_id, servers=servers, switches=switches).model_copy(update=changes)


def one_box(catalogue: Catalogue, chassis: str, *gpus: str, **changes: object) -> Plan:
    """A plan with one server."""
    return plan_of(site_of(box(catalogue, "server", chassis, *gpus, **changes)))


def two_boxes(catalogue: Catalogue, kind: str | None, chassis: str, *gpus: str, **link: object) -> Plan:
    """Two equal servers at one site, joined by a link of ``kind`` when given."""
    links = (Link(id="link", a="a", b="b", kind=kind).model_copy(update=link),) if kind is not None else ()
    return plan_of(site_of(box(catalogue, "a", chassis, *gpus), box(catalogue, "b", chassis, *gpus)), links=links)
