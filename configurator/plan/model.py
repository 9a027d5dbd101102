"""Project > Plan > Site > Server > Slot > Gpu; Link; Workload. Frozen, tuples only, None means "not known".

Units are in the names. Ids are unique within a plan; a Link and a position point at ids.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 1
"""Number of the file format; raised with every change that an older program could not read."""

Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Id = Annotated[str, Field(min_length=1, max_length=120)]

SiteKind = Literal["home", "office", "server_room", "colocation"]
SlotForm = Literal["pcie", "sxm", "oam", "soc"]
Task = Literal["chat", "batch", "lora", "qlora", "full", "pretrain"]
Goal = Literal["one_fast_answer", "many_answers"]
EngineId = Literal["vllm", "sglang", "llama.cpp", "tensorrt-llm"]
Answer = Literal["yes", "no", "unknown"]
Lanes = Literal[1, 2, 4, 8, 16]
UplinkLanes = Literal[1, 2, 4, 8, 16, 32]
Attach = Literal["direct", "riser", "chipset", "oculink", "thunderbolt", "usb_riser", "baseboard", "soc"]


class Frozen(BaseModel):
    """Immutable, strict about unknown fields; never hold a list, dict or set."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Identified(Frozen):
    """Anything with an id that is unique within its plan."""

    id: Id


class Gpu(Identified):
    """One card (or module) in a slot. ``gpu`` is a catalogue id."""

    gpu: Id
    power_limit_w: Positive | None = None
    drives_display: bool = False
    owned: bool = False
    """Already there: not in the shopping list."""


class Slot(Identified):
    """A place for a GPU. Unknown generation or lanes (None) is a valid answer."""

    name: str
    form: SlotForm = "pcie"
    pcie_generation: Annotated[int, Field(ge=1, le=7)] | None = None
    lanes: Lanes | None = None
    """Electrical lanes of the slot or riser; for sxm/oam the host link."""
    socket: Annotated[int, Field(ge=0)] = 0
    switch: Id | None = None
    """Id of the PCIe switch of the server that the slot hangs on; None: on the CPU."""
    width_slots: Annotated[int, Field(ge=1, le=4)] = 2
    """How many slot widths a card may take here."""
    attach: Attach = "direct"
    gpu: Gpu | None = None


class PcieSwitch(Identified):
    """A PCIe switch chip inside a server with one uplink to a socket."""

    name: str
    socket: Annotated[int, Field(ge=0)] = 0
    uplink_generation: Annotated[int, Field(ge=1, le=7)] | None = None
    uplink_lanes: UplinkLanes | None = None


class Nic(Identified):
    """A network card; ``part`` is a catalogue id of network parts or None for an on-board port."""

    name: str
    part: Id | None = None
    bandwidth_gbit_s: Positive | None = None
    ports: Count = 1
    rdma: Answer = "unknown"
    gpudirect: Answer = "unknown"
    socket: Annotated[int, Field(ge=0)] = 0


class Server(Identified):
    """One machine. ``chassis`` is a catalogue id of servers."""

    name: str
    chassis: Id
    slots: tuple[Slot, ...] = ()
    switches: tuple[PcieSwitch, ...] = ()
    nics: tuple[Nic, ...] = ()
    sockets: Annotated[int, Field(ge=1, le=64)] = 1
    topology_known: bool = True
    """False: how the cards are wired is not known yet; results become provisional (R10)."""
    p2p: Literal["auto", "yes", "no", "unknown"] = "auto"
    """Peer-to-peer between the cards: auto follows card and driver (catalogue)."""
    nvlink_pairs: tuple[tuple[Id, Id], ...] = ()
    """Pairs of slot ids joined by an NVLink bridge."""
    host: Literal["linux", "wsl2", "windows", "macos"] = "linux"
    ram_gb: Positive | None = None
    psu_w: Positive | None = None
    max_gpu_power_w: Positive | None = None
    price: NotNegative | None = None
    """Owner's own price of the machine without GPUs, project currency, net; None: catalogue."""
    owned: bool = False


class NetworkSwitch(Identified):
    """A network switch at a site; ``part`` is a catalogue id or None."""

    name: str
    part: Id | None = None
    owned: bool = False


class InternetLine(Frozen):
    """The line of a site; each figure None while unknown. ``profile`` is a catalogue id."""

    profile: Id | None = None
    down_mbit_s: Positive | None = None
    up_mbit_s: Positive | None = None
    rtt_ms: Positive | None = None


class Site(Identified):
    """A place with power, a tariff, cooling and an internet line."""

    name: str
    kind: SiteKind = "office"
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] = "SK"
    power_limit_w: Positive | None = None
    tariff_per_kwh: NotNegative | None = None
    """Project currency per kWh; None: the catalogue's figure for the country, marked assumed."""
    pue: Annotated[float, Field(ge=1, le=3)] | None = None
    internet: InternetLine = InternetLine()
    servers: tuple[Server, ...] = ()
    switches: tuple[NetworkSwitch, ...] = ()


class Link(Identified):
    """A connection between two of: server, network switch, site. ``kind`` is a catalogue id of network
    links, or "unknown", or "internet" (figures come from the two sites' lines)."""

    a: Id
    b: Id
    kind: Id = "unknown"
    count: Count = 1
    bandwidth_bytes_per_s: Positive | None = None
    latency_s: Positive | None = None
    owned: bool = False


class Workload(Identified):
    """A model, its precision, a task, a load, limits, and the goal. ``model`` is a catalogue id."""

    name: str
    model: Id | None = None
    """None while the owner has not chosen: nothing is recommended then (R06, R11)."""
    weights: Id = "bf16"
    """Catalogue id of a weight format: bf16, fp8, int8, awq-int4, gptq-int4, nvfp4, mxfp4, q4_k_m, ..."""
    kv_cache: Literal["auto", "bf16", "fp8", "q8_0", "q4_0"] = "auto"
    engine: EngineId = "vllm"
    task: Task = "chat"
    goal: Goal | None = None
    users: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    """Requests in flight at the same time."""
    context_tokens: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    """Mean tokens held per request while it runs (prompt and answer)."""
    max_context_tokens: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    """Longest request the service must accept; None: the same as context_tokens."""
    input_tokens: Annotated[int, Field(ge=1)] | None = None
    output_tokens: Annotated[int, Field(ge=1)] | None = None
    requests_per_s: Positive | None = None
    tokens_per_s: Positive | None = None
    tokens_per_month: Positive | None = None
    deadline_h: Positive | None = None
    time_to_first_token_limit_s: Positive | None = None
    tokens_per_s_per_user_limit: Positive | None = None
    prefix_cache_hit_share: Share = 0.0
    speculative_accepted_tokens: Annotated[float, Field(ge=1, le=16)] | None = None
    training_tokens: Positive | None = None
    sequence_tokens: Annotated[int, Field(ge=1)] | None = None
    micro_batch: Count | None = None
    lora_rank: Count | None = None
    optimizer: Literal["adamw", "adamw_8bit"] = "adamw"
    """Of full training: Adam with FP32 moments and master copy, or 8-bit moments over pure BF16 weights."""
    many_tenants: bool = False
    data_must_stay: bool = False
    """Data may not leave the premises: rent and API are named but not ranked."""
    must_survive: Literal["nothing", "gpu", "server", "site"] = "nothing"
    tensor_parallel: Count | None = None
    pipeline_parallel: Count | None = None
    replicas: Count | None = None
    """Owner's own wish for a layout; None: the product chooses. A wish needs a reason (R05)."""
    layout_reason: str = ""
    server_ids: tuple[Id, ...] = ()
    """Servers this workload may use; empty: all."""


class Position(Identified):
    """Where a box stands on the canvas. Saved and undoable, never assessed."""

    x: float
    y: float


class SetAside(Frozen):
    """A finding the owner has set aside, with a remark the proposal lists."""

    code: str
    subject: str
    remark: str


class Plan(Identified):
    """One variant of the hardware and the workloads on it."""

    name: str
    sites: tuple[Site, ...] = ()
    links: tuple[Link, ...] = ()
    workloads: tuple[Workload, ...] = ()
    failed_ids: tuple[Id, ...] = ()
    """What-if: objects taken as failed; "<site id>.internet" is the internet line of a site."""
    set_aside: tuple[SetAside, ...] = ()
    positions: tuple[Position, ...] = ()


class Policy(Frozen):
    """Thresholds the owner may change. Defaults: R22, R23, R41, R59, R68."""

    weights_share_low: Share = 0.60
    weights_share_high: Share = 0.70
    headroom_low: Share = 0.30
    headroom_high: Share = 0.40
    occupied_stop: Share = 0.95
    efficiency_floor: Share = 0.60
    chat_first_word_s: Positive = 10.0
    """Longest expected wait for the first word that a chat without a stated limit may have."""
    chat_tokens_per_s: Positive = 5.0
    """Slowest expected pace of one person that a chat without a stated limit may have: about reading speed."""
    buy_node_gpu: Id = "nvidia-rtx-pro-6000-blackwell-server"
    buy_node_gpus: Count = 8
    buy_node_chassis: Id = "generic-4u5u-8gpu-switch"
    engineering_factor_per_added_node: Positive = 4.5


class CostSettings(Frozen):
    """Owner's figures for the yearly cost; None: the range of the product with its source."""

    life_years: Annotated[float, Field(gt=0, le=15)] = 4.0
    cost_of_capital: Share = 0.08
    residual_share: Share = 0.20
    maintenance_share: Share = 0.05
    spares_share: Share = 0.02
    staff_hours_per_month: NotNegative | None = None
    staff_rate_per_h: NotNegative | None = None
    network_per_year: NotNegative = 0.0
    other_per_year: NotNegative = 0.0
    availability: Annotated[float, Field(gt=0, le=1)] | None = None
    busy_share: Share | None = None
    """Share of the year the service works; None: by kind of site and task, marked assumed."""
    loaded_idle_share: Share | None = None
    vat_share: Share = 0.23
    show_gross: bool = False


class Measurement(Identified):
    """A number the owner measured, which overrides the estimate of the same quantity (R12)."""

    quantity: str
    value: Positive
    unit: str
    subject: str
    conditions: str
    source: str
    date: str


class Project(Frozen):
    """The file: client, currency, language, policy, one or more plans."""

    format: Literal[1] = 1
    id: Id
    title: str = ""
    client: str = ""
    author: str = ""
    question: str = ""
    """The owner's question in the owner's words, printed in the proposal."""
    currency: Literal["EUR", "USD", "GBP", "CZK", "PLN", "HUF", "CHF", "RUB"] = "EUR"
    language: Literal["en", "sk", "ru"] = "en"
    policy: Policy = Policy()
    cost: CostSettings = CostSettings()
    plans: Annotated[tuple[Plan, ...], Field(min_length=1)]
    active_plan_id: Id
    measurements: tuple[Measurement, ...] = ()
