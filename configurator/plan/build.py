"""New boxes from catalogue records: a site with sensible unknowns, a server with the slots of its chassis."""

from __future__ import annotations

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ServerRecord
from configurator.plan.index import new_id
from configurator.plan.model import (
    Attach,
    Gpu,
    InternetLine,
    Lanes,
    PcieSwitch,
    Server,
    Site,
    SiteKind,
    Slot,
    UplinkLanes,
)

POWER_LIMIT_W: dict[str, float | None] = {"home": 3_680.0, "office": 7_360.0, "server_room": None, "colocation": None}
"""One 16 A circuit at 230 V for a home, two for an office; larger places must say. Owner's to change."""

PROFILE: dict[str, str | None] = {
    "home": "home-ftth-1g",
    "office": "office-fibre",
    "server_room": "office-fibre",
    "colocation": "colo-1g",
}

LANES: dict[int, Lanes] = {1: 1, 2: 2, 4: 4, 8: 8, 16: 16}
UPLINK_LANES: dict[int, UplinkLanes] = {**LANES, 32: 32}
"""A width that no slot has is taken as not known."""

ATTACH: dict[str, Attach] = {
    "chipset": "chipset",
    "SoC": "soc",
    "Grace C2C": "baseboard",
    "cpu (OCuLink)": "oculink",
    "Thunderbolt tunnel": "thunderbolt",
}


def site_defaults(site_id: str, kind: SiteKind, name: str, country: str) -> Site:
    """A new place: circuit limit and line by its kind, tariff and cooling not known yet."""
    return Site(
        id=site_id,
        name=name,
        kind=kind,
        country=country,
        power_limit_w=POWER_LIMIT_W[kind],
        internet=InternetLine(profile=PROFILE[kind]),
    )


def server_from_chassis(
    record: ServerRecord, server_id: str, name: str, taken: set[str], catalogue: Catalogue
) -> Server:
    """A server with the GPU slots and PCIe switches of its chassis. ``taken`` ids are avoided and extended."""

    def fresh(prefix: str) -> str:
        made = new_id(taken, prefix)
        taken.add(made)
        return made

    switches = tuple(
        PcieSwitch(
            id=fresh("pcie"),
            name=chr(ord("A") + number),
            socket=switch.socket,
            uplink_generation=switch.uplink_generation or None,
            uplink_lanes=UPLINK_LANES.get(switch.uplink_lanes),
        )
        for number, switch in enumerate(record.switches)
    )
    module = record.accepts[0] if record.includes_gpus and record.accepts else ""
    slots: list[Slot] = []
    for group in record.slot_groups:
        if not group.for_gpus:
            continue
        for _ in range(group.count):
            if len(slots) >= record.max_gpus:
                break
            gpu = Gpu(id=fresh("gpu"), gpu=module) if module in catalogue.gpus else None
            slots.append(
                Slot(
                    id=fresh("slot"),
                    name=str(len(slots) + 1),
                    form=group.form,
                    pcie_generation=group.pcie_generation or None,
                    lanes=LANES.get(group.lanes),
                    socket=group.socket,
                    switch=switches[group.switch].id
                    if group.switch is not None and group.switch < len(switches)
                    else None,
                    width_slots=group.width_slots,
                    attach=_attach(group.attach, group.form, record.kind),
                    gpu=gpu,
                )
            )
    return Server(
        id=server_id,
        name=name,
        chassis=record.id,
        slots=tuple(slots),
        switches=switches,
        sockets=max(1, record.sockets),
        topology_known=record.topology_known,
        ram_gb=None,
    )


def _attach(attach: str, form: str, kind: str) -> Attach:
    if form in {"sxm", "oam"}:
        return "baseboard"
    if attach in ATTACH:
        return ATTACH[attach]
    if kind == "mining":
        return "usb_riser" if attach == "cpu or chipset" else "riser"
    return "direct"
