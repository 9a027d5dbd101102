"""Types of the catalogue. SI units, bytes, one direction for links; every uncertain figure is a Fact.

The shipped JSON keeps vendor units (GB, GB/s, TFLOP/s); loading converts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure with its range and origin; ``sources`` are readable titles or addresses, not codes."""

    value: float
    low: float
    high: float
    confidence: Confidence
    sources: tuple[str, ...]
    as_of: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """A planning price, net of VAT, in EUR and USD, with its date."""

    eur: Fact
    usd: Fact
    as_of: str
    basis: str
    includes: str = ""


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


AttentionKind = Literal[
    "full",
    "sliding",
    "chunked_local",
    "mla",
    "mla_sparse_dsa",
    "block_sparse",
    "compressed_sparse_csa",
    "heavily_compressed_hca",
    "linear_gated_delta_net",
    "mamba1",
    "mamba2",
    "encoder_bidirectional",
    "none",
]


@dataclass(frozen=True, slots=True)
class AttentionGroup:
    """``layers`` layers of one attention kind. Element counts are per layer."""

    kind: AttentionKind
    layers: int
    q_heads: int
    kv_heads: int
    head_dim: int
    window_tokens: int | None
    kv_elements_per_token: float
    """Per token and layer over all KV heads; 0 for recurrent kinds."""
    recurrent_state_elements: int
    """Per sequence and layer."""
    conv_state_elements: int
    kv_shared_across_tp: bool
    """MLA: every tensor rank holds the whole latent."""
    indexer_elements_per_token: float
    extras: tuple[tuple[str, float], ...] = ()
    """Further integer fields of the architecture as published (kv_lora_rank, indexer topk, ...)."""


@dataclass(frozen=True, slots=True)
class MoeRecord:
    """Experts of a mixture-of-experts model."""

    routed_experts: int
    experts_per_token: int
    shared_experts: int
    intermediate_size: int
    shared_intermediate_size: int
    first_dense_layers: int
    layers: int
    matrices_per_expert: int
    latent_size: int = 0
    """Width the experts work in when it is narrower than the model (Nemotron 3), 0: the model's."""


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Tensor elements by component; ``total`` counts every distinct tensor."""

    total: int
    text_without_mtp: int
    active_per_token: int
    read_per_token_batch1: int
    token_embedding: int
    lm_head: int
    attention: int
    linear_or_ssm: int
    indexer: int
    compressor: int
    dense_mlp: int
    router: int
    routed_experts: int
    shared_experts: int
    latent_projections: int
    mtp: int
    vision: int
    small: int
    duplicates_on_disk: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """An upload of the model with a known or derived size.

    ``quantised_parts`` use the names of ParameterCounts, besides "attention_output",
    "dense_mlp_124_of_126_layers" and "other_matrices"; empty: nothing, or not established.
    """

    hf_id: str
    format: str
    quantised_parts: tuple[str, ...]
    size_bytes: int | None
    basis: str
    weight_format: str = ""
    """Catalogue id of the weight format."""


@dataclass(frozen=True, slots=True)
class ModelRecord:
    """One model: everything sizing and speed need, from its published configuration."""

    id: str
    name: str
    hf_id: str
    hf_variants: tuple[str, ...]
    vendor: str
    family: str
    kind: Literal["dense", "moe"]
    modality: str
    nominal_size: str
    layers: int
    hidden_size: int
    intermediate_size: int
    attention_heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    tied_embeddings: bool
    max_context_tokens: int
    attention: tuple[AttentionGroup, ...]
    layer_pattern: str
    moe: MoeRecord | None
    mtp_layers: int
    parameters: ParameterCounts
    native_dtype: str
    native_quantisation: str
    recurrent_state_bytes_per_element: float
    checkpoints: tuple[Checkpoint, ...]
    gguf: tuple[tuple[str, float], ...]
    """(recipe, GiB) of published files."""
    licence: str
    licence_class: str
    architecture_status: str
    as_of: str
    sources: tuple[str, ...]
    purpose: Literal["generate", "embed", "rerank"] = "generate"
    released: str = ""
    active_published_billion: float | None = None
    context_note: str = ""
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WeightFormat:
    """A way to store weights. ``bits`` is the effective width of quantised matrices with scales."""

    id: str
    name: str
    bits: float
    family: Literal["float", "fp8", "int8", "int4", "fp4", "gguf", "nf4"]
    engines: tuple[str, ...]
    quantised_parts: tuple[str, ...]
    """Which components are quantised by default; the rest stays 16-bit. GGUF recipes: whole file."""
    trainable: bool
    """False: good for inference, not for a gradient path (R21)."""
    whole_file: bool
    """True: ``bits`` is an average over the whole file (GGUF recipes)."""
    sources: tuple[str, ...]
    bits_low: float = 0.0
    bits_high: float = 0.0
    """Range seen in published files; equal to ``bits`` for exact formats."""
    adapter_base: bool = False
    """May be the frozen base of LoRA or QLoRA."""
    other_bits: tuple[tuple[str, float], ...] = ()
    """Components stored at another quantised width (mixed formats)."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class KvFormat:
    """A number format of the KV cache; scales included."""

    id: str
    name: str
    bytes_per_element: float
    engines: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """Defaults of an inference engine that decide memory. Figures and sources as published by the engine."""

    engine: str
    version: str
    date: str
    gpu_memory_utilization: float
    block_tokens: int
    graphs_in_budget: bool
    """The estimate of CUDA graphs counts inside the memory share."""
    sources: tuple[str, ...]
    id: str = ""
    """engine-version"""
    batched_tokens_by_memory_gib: tuple[tuple[float, int], ...] = ()
    """(from this much device memory, prefill chunk in tokens), largest first."""
    batched_tokens_a100: int = 0
    max_num_seqs_large: int = 0
    """Sequence cap on the large memory classes (from 70 GiB)."""
    max_num_seqs_small: int = 0
    free_margin_bytes: int = 0
    """llama.cpp: what stays free on each device."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tariff:
    """Electricity of a country, local figure already in EUR per kWh."""

    country: str
    iso: str
    household_eur_per_kwh: Fact | None
    """With taxes and VAT."""
    business_eur_per_kwh: Fact | None
    """Without VAT."""
    household_bands: tuple[tuple[str, float], ...] = ()
    """(Eurostat band DA-DE, EUR per kWh): DD and DE fit a machine that runs all year."""
    business_bands: tuple[tuple[str, float], ...] = ()
    """(Eurostat band IA-ID, EUR per kWh)."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class RentalRate:
    """Hire of one GPU."""

    gpu: str
    usd_per_gpu_hour: Fact
    kind: str


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """API price of a model."""

    model: str
    input_usd_per_million: Fact
    output_usd_per_million: Fact
    name: str = ""
    """Name as the provider sells it; several may point at one catalogue model."""
    providers: int = 0


@dataclass(frozen=True, slots=True)
class LabourRate:
    """Cost of an hour of work in a region."""

    region: str
    eur_per_h: Fact
    basis: str


@dataclass(frozen=True, slots=True)
class ColocationRate:
    """Hire of space or power; ``unit`` says what a unit is."""

    what: str
    unit: str
    price: Fact


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """A published count of failures with the rate it gives, or None."""

    what: str
    finding: str
    per_gpu_year: Fact | None
    sources: tuple[str, ...]
