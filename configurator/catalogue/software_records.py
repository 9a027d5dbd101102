"""Types of models, weight formats and engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    kv_cache_factor: float = 1.0
    """2: the upload stores every KV head twice, so its KV cache is twice the model's."""


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
    model_id: str = ""
    """Only for this model: counted in its own file."""

    @property
    def base_id(self) -> str:
        """Id of the general format it is a case of."""
        return self.id.removeprefix(f"{self.model_id}.") if self.model_id else self.id


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
