"""Types of the catalogue. SI units, bytes, one direction for links; every uncertain figure is a Fact.

The shipped JSON keeps vendor units (GB, GB/s, TFLOP/s); loading converts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.catalogue.facts import Confidence, Fact, Price
from configurator.catalogue.money_records import (
    ColocationRate,
    FailureStudy,
    LabourRate,
    RentalRate,
    Tariff,
    TokenPrice,
)
from configurator.catalogue.software_records import (
    AttentionGroup,
    AttentionKind,
    Checkpoint,
    EngineVersion,
    KvFormat,
    ModelRecord,
    MoeRecord,
    ParameterCounts,
    WeightFormat,
)

__all__ = [
    "AttentionGroup",
    "AttentionKind",
    "Checkpoint",
    "ColocationRate",
    "Confidence",
    "EngineVersion",
    "Fact",
    "FailureStudy",
    "GpuRecord",
    "InternetProfile",
    "KvFormat",
    "LabourRate",
    "LinkRecord",
    "ModelRecord",
    "MoeRecord",
    "NetworkPart",
    "PlatformMeasurement",
    "ParameterCounts",
    "Price",
    "PriceObservation",
    "RentalRate",
    "ServerRecord",
    "SlotGroup",
    "SwitchGroup",
    "Tariff",
    "TokenPrice",
    "WeightFormat",
]


@dataclass(frozen=True, slots=True)
class PriceObservation:
    """A price somebody quoted: condition (new, used, list), range, currency, date."""

    condition: str
    low: float
    high: float
    currency: str
    as_of: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GpuRecord:
    """One GPU model. ``flops`` figures are dense rates with FP32 accumulation; None: not supported."""

    id: str
    name: str
    short_name: str
    vendor: str
    segment: str
    architecture: str
    compute_capability: str
    aliases: tuple[str, ...]
    memory_label_gb: float
    memory_usable_bytes: int
    """What the driver reports in total; planning starts here, never at the label."""
    memory_kind: str
    memory_bandwidth: Fact
    """bytes/s"""
    flops_bf16: Fact | None
    flops_fp16: Fact | None
    flops_fp8: Fact | None
    flops_fp4: Fact | None
    flops_int8: Fact | None
    native_bf16: bool
    native_fp8: bool
    native_fp4: bool
    native_int8: bool
    power_w: Fact
    power_limit_min_w: float | None
    power_limit_max_w: float | None
    idle_w: Fact
    pcie_generation: int
    pcie_lanes: int
    link_kind: Literal["none", "bridge", "switch", "mesh", "roce", "soc"]
    """GPU-to-GPU link other than PCIe."""
    link_name: str
    link_bandwidth_bytes_per_s: float
    link_max_group: int
    p2p_over_pcie: Literal["yes", "yes_nvlink", "no_by_default", "unknown"]
    p2p_note: str
    form: Literal["pcie", "sxm", "oam", "soc"]
    width_slots: int | None
    length_mm: float | None
    cooling: Literal["active", "passive", "module"]
    power_connector: str
    launch_date: str
    price: Price | None
    unified_memory: bool
    as_of: str
    sources: tuple[str, ...]
    chip: str = ""
    half_rate_fp32_accumulate: bool = False
    """GeForce: FP16 with FP32 accumulation runs at half the FP16-accumulate rate (already in ``flops``)."""
    flops_fp16_fp16_accumulate: Fact | None = None
    measured_flops_bf16: Fact | None = None
    """Best measured matrix multiplication, not a model-level figure."""
    measured_flops_fp8: Fact | None = None
    memory_known: bool = True
    """False: nobody has told which card it is; ``memory_label_gb`` is a guess."""
    transient_peak_w: Fact | None = None
    power_curve: tuple[tuple[float, float], ...] = ()
    """(power limit in W, share of the rate at the highest measured limit)."""
    price_observations: tuple[PriceObservation, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class SlotGroup:
    """``count`` equal places for a GPU (or NIC) in a chassis."""

    count: int
    form: Literal["pcie", "sxm", "oam", "soc"]
    pcie_generation: int
    lanes: int
    socket: int
    switch: int | None
    """Index of the PCIe switch in the chassis, None: on the CPU."""
    attach: str
    for_gpus: bool
    width_slots: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class SwitchGroup:
    """A PCIe switch of a chassis with its uplink."""

    name: str
    socket: int
    uplink_generation: int
    uplink_lanes: int


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """One chassis archetype. ``accepts`` restricts modules (GPU ids); empty: any card of the form."""

    id: str
    name: str
    kind: str
    examples: tuple[str, ...]
    slot_groups: tuple[SlotGroup, ...]
    switches: tuple[SwitchGroup, ...]
    sockets: int
    socket_link: str
    """Catalogue id of the link between sockets (xgmi-genoa, ...), "" for one socket."""
    max_gpus: int
    accepts: tuple[str, ...]
    includes_gpus: bool
    """The price includes the modules (HGX, DGX Spark, rack-scale)."""
    max_card_length_mm: float | None
    psu_w: float
    """All supplies together; 0: not established."""
    max_gpu_power_w: float | None
    idle_w: Fact
    """Whole machine without GPUs, idle (appliances: with)."""
    busy_w: Fact
    """Host under GPU load without the GPUs."""
    ram_max_gb: float | None
    rack_units: int | None
    noise: str
    cooling: str
    onboard_network: str
    topology_note: str
    price: Price | None
    measured: tuple[tuple[str, float, float], ...]
    """(name, low, high) of figures measured on such a machine, names as in the source, GB/s or W."""
    as_of: str
    sources: tuple[str, ...]
    form: str = ""
    power_includes_gpus: bool = False
    """``idle_w`` and ``busy_w`` are of the whole box (appliances): add nothing for the GPU."""
    topology_known: bool = True
    """False: how the slots hang on sockets and switches was not established."""
    psu_count: int | None = None
    psu_redundancy: str = ""
    power_note: str = ""
    free_nic_slots: str = ""
    traps: tuple[str, ...] = ()
    measured_note: str = ""


@dataclass(frozen=True, slots=True)
class PlatformMeasurement:
    """A figure measured on a whole machine, in the unit of its source ("GB/s" or "us")."""

    what: str
    value: float
    unit: str
    confidence: Confidence
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """A network or in-box link: what it carries in practice, one direction."""

    id: str
    name: str
    kind: str
    nominal_bytes_per_s: float
    bandwidth: Fact
    """bytes/s in practice"""
    latency: Fact
    """s, one way"""
    rdma: bool
    note: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InternetProfile:
    """A class of internet line."""

    id: str
    name: str
    down_bits_per_s: float
    up_bits_per_s: float
    rtt: Fact
    """s"""
    price_eur_per_month: Fact | None
    """With VAT."""
    sources: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class NetworkPart:
    """NIC, switch or cable that can be bought."""

    id: str
    name: str
    category: Literal["nic", "switch", "cable"]
    price: Price | None
    power_low_w: float
    power_high_w: float
    ports: tuple[tuple[int, float], ...]
    """(count, Gbit/s)"""
    as_of: str
    sources: tuple[str, ...]
    note: str = ""
