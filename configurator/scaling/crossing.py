"""The part of a collective that crosses servers: what one server sends and receives, and the time of a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from configurator.scaling.fabrics import Collective, Scenario, bus_factor, figure
from configurator.scaling.topology import Topology
from configurator.scaling.wires import LanRoute


@dataclass(frozen=True, slots=True)
class Between:
    """The part of a collective that crosses servers. ``bytes_per_s`` is what one server sends and receives."""

    servers: int
    bytes_per_s: float
    step_s: float
    slowest: str
    known: bool
    wan: bool
    flat: bool = False
    """A flat ring over all cards crosses the network, not a tree over servers (optimistic)."""

    def wire_bytes(self, collective: Collective, ranks: int, size_bytes: float) -> float:
        """Bytes each server sends. All-reduce: the flat ring that NCCL forms by default (4 x 8 B200, 12 x 8 H100, two
        A100 or H100 servers), else a tree, once for two servers and twice for more (AWS p4de); others: what leaves."""
        if collective == "all_reduce" and self.flat:
            return bus_factor(collective, ranks) * size_bytes
        if collective == "all_reduce":
            return size_bytes * (1.0 if self.servers == 2 else 2.0)
        return size_bytes * (self.servers - 1) / self.servers


def slot_limit(topology: Topology, ids: Sequence[str]) -> tuple[float, str] | None:
    """What the narrowest slot hands to a network card, and its id: no more than two cards pass to each other."""
    rates: dict[str, float] = {}
    for gpu in ids:
        device = topology.devices[gpu]
        if device.record.form == "pcie":
            edge = topology.servers[device.server_id].edges[device.slot.id]
            rates[edge.id] = edge.bandwidth_bytes_per_s
    if not rates:
        return None
    narrow = min(rates, key=lambda each: rates[each])
    return rates[narrow] * figure("pcie.ring_share.pair", topology.scenario), narrow


def between(way: LanRoute, servers: int, single: bool, gpudirect: bool, scenario: Scenario) -> Between:
    """Rate and step time of the network part; ``single``: one card per server takes part."""
    rate, late = way.bandwidth_bytes_per_s, way.latency_s
    if way.wan:
        step = figure("network.wan_step_us", scenario)
        return Between(servers, rate * 0.9, late + step * 1e-6, way.slowest, way.known, True)
    if not way.rdma:
        rate = min(rate * 0.95, figure("network.tcp_cap_gb_s", scenario) * 1e9)
        step = figure("network.tcp_step_us", scenario)
    else:
        rate *= figure("network.single_share" if single else "network.multi_share", scenario)
        step = figure("network.rdma_step_us", scenario)
        if not gpudirect:
            rate *= figure("network.no_gpudirect_share", scenario)
            step += figure("network.no_gpudirect_us", scenario)
    return Between(servers, rate, late + step * 1e-6, way.slowest, way.known, False, scenario != "high")
