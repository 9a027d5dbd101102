"""The words of the topology graph: devices, nodes, edges and what lies between two cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.catalogue.records import GpuRecord
from configurator.plan.model import Slot
from configurator.sizing.devices import DeviceMemory

EdgeKind = Literal["pcie", "sockets", "nvlink", "network", "internet", "unknown"]
NodeKind = Literal["gpu", "pcie_switch", "chipset", "socket", "nvswitch", "nic", "network_switch", "gateway"]
PathType = Literal["LOC", "NVL", "PIX", "PXB", "PHB", "NODE", "SYS", "NET", "WAN"]
"""As nvidia-smi names them; NET: another server of the same group, WAN: over the internet."""

PATH_ORDER: tuple[PathType, ...] = ("LOC", "NVL", "PIX", "PXB", "PHB", "NODE", "SYS", "NET", "WAN")


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU that works, where it stands and what it has."""

    id: str
    record: GpuRecord
    server_id: str
    site_id: str
    slot: Slot
    power_limit_w: float
    memory: DeviceMemory
    """The memory view sizing works with: desktop and host system taken off."""

    @property
    def memory_bytes(self) -> int:
        """What the engine finds free before it starts."""
        return max(0, self.memory.free_bytes)

    @property
    def gpu(self) -> str:
        """Catalogue id."""
        return self.record.id


@dataclass(frozen=True, slots=True)
class Node:
    """A box of the graph. ``object_id`` is the plan object a click selects."""

    id: str
    kind: NodeKind
    object_id: str
    server_id: str | None
    site_id: str
    index: int = 0


@dataclass(frozen=True, slots=True)
class Edge:
    """A connection, one figure per direction (full duplex). ``id`` is a plan object's id where there is one."""

    id: str
    kind: EdgeKind
    a: str
    b: str
    bandwidth_bytes_per_s: float
    """What one flow gets in practice."""
    latency_s: float
    known: bool
    source: str
    object_id: str = ""
    nominal_bytes_per_s: float = 0.0
    shared_bytes_per_s: float = 0.0
    """What all flows together get; 0: the same as one flow."""
    rdma: bool = False

    @property
    def capacity_bytes_per_s(self) -> float:
        """All flows of one direction together."""
        return self.shared_bytes_per_s or self.bandwidth_bytes_per_s


@dataclass(frozen=True, slots=True)
class Route:
    """The way between two cards. ``direct`` False: copies pass through host memory."""

    type: PathType
    edges: tuple[str, ...]
    bandwidth_bytes_per_s: float
    latency_s: float
    direct: bool
    known: bool
    slowest: str
    """Id of the edge that rules."""


@dataclass(frozen=True, slots=True)
class LinkedGroup:
    """Servers of one site joined by LAN links. Servers without a link stand alone; sites never join (R01, R08)."""

    id: str
    site_id: str
    server_ids: tuple[str, ...]
    known: bool
    """False: a link inside the group has unknown figures."""
