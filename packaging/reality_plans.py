"""Puts the cards of a measurement into a server of the catalogue, as the owner would, and asks its links."""

from __future__ import annotations

from functools import cache

from configurator.catalogue import Catalogue
from configurator.plan.edits import EditError, add_gpus, add_server, add_site
from configurator.plan.model import Plan, Site, Slot
from configurator.scaling.standard import standard_server
from configurator.scaling.topology import Topology, build_topology

CHASSIS = {
    "nvidia-a100-sxm4-80gb": "hgx-a100-8",
    "nvidia-a100-sxm4-40gb": "hgx-a100-8",
    "nvidia-h100-sxm5-80gb": "hgx-h100-8",
    "nvidia-h200-sxm-141gb": "hgx-h200-8",
    "nvidia-b200": "hgx-b200-8",
    "nvidia-b300": "hgx-b300-8",
    "nvidia-gb200": "gb200-nvl72",
    "nvidia-gb300": "gb300-nvl72",
    "nvidia-gb10-dgx-spark": "dgx-spark",
    "amd-mi300x": "mi300x-8",
    "amd-mi325x": "mi300x-8",
}
"""Machines in which these modules come; other cards go into an 8-slot PCIe server."""

PCIE_CHASSIS = ("generic-4u5u-8gpu-switch", "supermicro-3u-20slot", "epyc-sp3-7slot-openframe", "workstation-wrx90")


@cache
def topology_of(catalogue: Catalogue, gpu_id: str, count: int) -> tuple[Topology, tuple[str, ...]]:
    """The expected topology of ``count`` cards in one usual server, and the ids of the cards."""
    names = (CHASSIS[gpu_id],) if gpu_id in CHASSIS else PCIE_CHASSIS
    for chassis in names:
        try:
            plan, site = add_site(Plan(id="reality", name="reality"), "server_room", "room")
            plan, server = add_server(plan, catalogue, site, chassis, "server")
            found = [slot.gpu.id for slot in _slots(plan) if slot.gpu is not None]
            if len(found) < count:
                plan, _ = add_gpus(plan, catalogue, gpu_id, server, count - len(found))
                found = [slot.gpu.id for slot in _slots(plan) if slot.gpu is not None]
        except (EditError, ValueError):
            continue
        if len(found) >= count:
            return build_topology(plan, catalogue, "expected"), tuple(found[:count])
    # Machines around one chip, and rigs on risers.
    box = standard_server(catalogue.gpus[gpu_id], count)
    room = Site(id="room", name="room", servers=(box,))
    topology = build_topology(Plan(id="reality", name="reality", sites=(room,)), catalogue, "expected")
    return topology, tuple(topology.devices)


def _slots(plan: Plan) -> tuple[Slot, ...]:
    return tuple(slot for site in plan.sites for server in site.servers for slot in server.slots)
