"""Plans of many shapes for drawing, and layouts bound to their cards."""

from __future__ import annotations

from collections.abc import Sequence

from configurator.catalogue import Catalogue, load_catalogue
from configurator.plan import templates
from configurator.plan.edits import add_gpus, add_nic, add_server, add_site, add_switch, connect, duplicate, update
from configurator.plan.index import gpus
from configurator.plan.model import Nic, Plan
from configurator.plan.projects import active_plan
from configurator.scaling.results import Instance, Layout, ScoredLayout, Speed
from configurator.sizing.results import LayoutMemory
from configurator.terms import Estimate, Message, message

PRO_6000 = "nvidia-rtx-pro-6000-blackwell-server"
EIGHT_SLOTS = "generic-4u5u-8gpu-switch"


def catalogue() -> Catalogue:
    return load_catalogue()


def cards(plan: Plan) -> list[str]:
    return [gpu.id for _, _, _, gpu in gpus(plan)]


def farm(count: int, sites: int = 1, *, nic: bool = True) -> Plan:
    """``sites`` halls with ``count`` 8-GPU nodes on one switch each; the first hall joined to the others."""
    known = catalogue()
    plan, hall = add_site(Plan(id="plan-1", name="Farm"), "server_room", "Hall")
    plan, switch = add_switch(plan, hall, None, "Core switch")
    for number in range(count):
        plan, server = add_server(plan, known, hall, EIGHT_SLOTS, f"node-{number + 1}")
        plan, _ = add_gpus(plan, known, PRO_6000, server, 8)
        if nic:
            plan, _ = add_nic(plan, server, Nic(id="nic", name="ConnectX", bandwidth_gbit_s=100))
        plan, _ = connect(plan, server, switch, "eth-100g-roce")
    while len(plan.sites) < sites:
        plan, _ = duplicate(plan, [site.id for site in plan.sites[: sites - len(plan.sites)]])
    for other in plan.sites[1:]:
        plan, _ = connect(plan, plan.sites[0].id, other.id, "internet")
    return plan


def bridged() -> Plan:
    """Four RTX 3090 with two NVLink bridges."""
    known = catalogue()
    plan, site = add_site(Plan(id="plan-1", name="Bridged"), "home", "Workshop")
    plan, server = add_server(plan, known, site, "epyc-sp3-7slot-openframe", "rig")
    plan, _ = add_gpus(plan, known, "nvidia-rtx-3090", server, 4)
    slots = plan.sites[0].servers[0].slots
    return update(plan, server, nvlink_pairs=((slots[0].id, slots[1].id), (slots[2].id, slots[3].id)))


def hgx() -> Plan:
    """One HGX H100 node, modules included."""
    known = catalogue()
    plan, site = add_site(Plan(id="plan-1", name="HGX"), "colocation", "Rack")
    plan, _ = add_server(plan, known, site, "hgx-h100-8", "hgx")
    return plan


def examples() -> dict[str, Plan]:
    """Every shape once."""
    known = catalogue()
    named = ("one_node", "two_nodes", "two_homes", "mixed_cards", "sparks", "training")
    found = {name: active_plan(getattr(templates, name)(known)) for name in named}
    return {
        **found,
        "hgx": hgx(),
        "bridged": bridged(),
        "three_nodes": farm(3),
        "fourteen_nodes": farm(14),
        "sixty_four_nodes": farm(64, nic=False),
        "nine_halls": farm(1, 9),
        "empty": Plan(id="plan-1", name="Empty"),
    }


def layout(*copies: Sequence[Sequence[str]], limited: Message | None = None, idle: Sequence[str] = ()) -> ScoredLayout:
    """A chosen layout on given cards: copies of stages of cards."""
    one = Estimate.exact(1.0)
    stages = len(copies[0])
    size = len(copies[0][0])
    speed = Speed(one, one, one, one, one, one, False, limited or message("limited.memory_bandwidth"), True)
    return ScoredLayout(
        Layout("vllm", len(copies), stages, size),
        tuple(Instance(tuple(tuple(stage) for stage in copy), (40,) * stages) for copy in copies),
        tuple(idle),
        LayoutMemory("serves_with_reserve", (), one, one, one, 8192, 0.3, 0.4),
        speed,
        None,
        1.0,
        None,
    )
