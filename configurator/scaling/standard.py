"""Collectives without a plan: n cards in one standard server, or k such servers over a link.

A card whose own server was measured answers with that server's curve; others with the ring model of a usual box.
"""

from __future__ import annotations

from dataclasses import replace

from configurator.catalogue.records import Fact, GpuRecord, LinkRecord
from configurator.plan.model import Gpu, PcieSwitch, Server, Slot
from configurator.scaling.collectives import ALONE, Comm, Inbox, inbox_of
from configurator.scaling.crossing import Between, between
from configurator.scaling.fabrics import COLLECTIVES, MEASURED_SPREAD, Scenario, calibration, figure, table_from_rates
from configurator.scaling.inbox import server_graph
from configurator.scaling.wires import LanRoute

TURIN = LinkRecord(
    "xgmi-turin",
    "AMD socket link, Turin",
    "in-box",
    192e9,
    Fact(50.5e9, 50e9, 51e9, "high", ("voipmonitor/rtx6kpro hardware/topology.md",)),
    Fact(1.2e-6, 0.8e-6, 2e-6, "low", ("voipmonitor/rtx6kpro hardware/topology.md",)),
    False,
    "",
    ("voipmonitor/rtx6kpro hardware/topology.md",),
)
"""Socket link of the standard box: a current two-socket server."""

MEASURED_BOXES = {
    "nvidia-rtx-pro-6000-blackwell-server": "rtx_pro_6000_server",
    "nvidia-l40s": "l40s",
    "intel-arc-pro-b60": "b60",
}
"""Cards whose collectives were swept in one particular 8-GPU server."""


def standard_server(
    record: GpuRecord,
    gpus: int,
    *,
    switched: bool = False,
    lanes: int | None = None,
    bridged: bool = False,
    sockets: int | None = None,
    p2p: str = "auto",
) -> Server:
    """A usual box for ``gpus`` cards: modules on their baseboard, up to four cards on one socket, more on two."""
    count = sockets or (2 if record.form == "pcie" and gpus > 4 else 1)
    per_socket = -(-gpus // count)
    switches = tuple(
        PcieSwitch(id=f"switch-{n}", name=str(n), socket=n, uplink_generation=record.pcie_generation, uplink_lanes=16)
        for n in range(count)
        if switched
    )
    slots = tuple(
        Slot.model_validate(
            {
                "id": f"slot-{n}",
                "name": str(n + 1),
                "form": record.form,
                "pcie_generation": max(1, record.pcie_generation),
                "lanes": lanes or 16,
                "socket": n // per_socket,
                "switch": switches[n // per_socket].id if switches else None,
                "gpu": Gpu(id=f"gpu-{n}", gpu=record.id),
            }
        )
        for n in range(gpus)
    )
    pairs = tuple((f"slot-{n}", f"slot-{n + 1}") for n in range(0, gpus - 1, 2)) if bridged else ()
    return Server.model_validate(
        {
            "id": "server",
            "name": "standard",
            "chassis": "standard",
            "slots": slots,
            "switches": switches,
            "sockets": count,
            "p2p": p2p,
            "nvlink_pairs": pairs,
        }
    )


def standard_comm(
    record: GpuRecord,
    gpus: int,
    nodes: int = 1,
    link: LinkRecord | None = None,
    *,
    cables: int = 1,
    engine: str = "vllm",
    graphs: bool = True,
    tuned: bool = False,
    scenario: Scenario = "expected",
    measured: bool = True,
    server: Server | None = None,
    gpudirect: bool = True,
) -> Comm:
    """Collectives of ``nodes`` servers with ``gpus`` cards each, joined by ``cables`` links per server.

    ``measured`` False: the ring model also for cards that were swept. ``link`` None with several nodes: not known.
    """
    box = _inbox(record, gpus, engine, tuned, scenario, measured, server)
    ids = tuple(f"gpu-{n}" for n in range(gpus * nodes))
    outer: Between | None = None
    if nodes > 1:
        if link is None:
            rate, late = figure("network.unknown_gb_s", scenario) * 1e9, figure("network.unknown_us", scenario) * 1e-6
            way = LanRoute(("link",), rate * cables, late, False, False, "link")
        else:
            fact = link.bandwidth
            rate = {"low": fact.low, "expected": fact.value, "high": fact.high}[scenario]
            way = LanRoute((link.id,), rate * cables, link.latency.value, link.rdma, True, link.id)
        outer = between(way, nodes, gpus == 1, gpudirect, scenario)
    return Comm(ids, box if gpus > 1 else ALONE, outer, None, 0.0 if graphs else figure("eager_us", scenario) * 1e-6)


def _inbox(
    record: GpuRecord, gpus: int, engine: str, tuned: bool, scenario: Scenario, measured: bool, server: Server | None
) -> Inbox:
    if gpus < 2:
        return ALONE
    box = server or standard_server(record, gpus)
    graph = server_graph(box, "site", {record.id: record}, None, TURIN, scenario)
    inbox = inbox_of(graph, [device.id for device in graph.devices], scenario, engine, tuned)
    name = MEASURED_BOXES.get(record.id) if measured and server is None and not tuned else None
    if name is None:
        return inbox
    curves = calibration()["boxes"][name]
    tables = tuple(
        table_from_rates(curves[each][str(gpus)], each, gpus).faster(MEASURED_SPREAD[scenario])
        if str(gpus) in curves.get(each, {})
        else inbox.tables[number]
        for number, each in enumerate(COLLECTIVES)
    )
    return replace(inbox, tables=tables)
