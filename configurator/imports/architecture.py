"""An architecture layer by layer -> exact parameter counts and a catalogue record.

Counts follow the tensors of the reference implementations (Hugging Face transformers, vLLM model files).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from configurator.catalogue.records import AttentionGroup, AttentionKind, ModelRecord, MoeRecord, ParameterCounts

QkNorm = Literal["", "head", "full"]


@dataclass(frozen=True, slots=True)
class Mixer:
    """The token-mixing half of a layer. ``matrices`` are projection elements, ``small`` norms, biases, convolutions."""

    kind: AttentionKind
    matrices: int
    small: int
    kv_elements: float = 0.0
    q_heads: int = 0
    kv_heads: int = 0
    head_dim: int = 0
    window: int | None = None
    state: int = 0
    conv_state: int = 0
    shared: bool = False
    indexer_matrices: int = 0
    compressor: int = 0
    indexer_elements: float = 0.0
    extras: tuple[tuple[str, float], ...] = ()

    @property
    def recurrent(self) -> bool:
        """Whether its state does not grow with the context."""
        return bool(self.state or self.conv_state)


@dataclass(frozen=True, slots=True)
class FeedForward:
    """The feed-forward half: dense, experts, or both. Elements by component."""

    dense: int = 0
    router: int = 0
    routed: int = 0
    shared: int = 0
    latent: int = 0
    small: int = 0
    routed_small: int = 0
    """Biases of the experts; of these only the chosen ones are read."""


@dataclass(frozen=True, slots=True)
class LayerSpec:
    """One layer."""

    mixer: Mixer | None
    feed_forward: FeedForward | None
    norms: int


@dataclass(frozen=True, slots=True)
class Experts:
    """Shape of the experts of a model."""

    routed: int
    per_token: int
    shared: int
    width: int
    shared_width: int
    first_dense: int
    matrices: int = 3
    latent: int = 0


@dataclass(slots=True)
class Architecture:
    """Everything that is counted."""

    hidden: int
    vocabulary: int
    tied: bool
    layers: list[LayerSpec]
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    positions: int
    outer_small: int
    experts: Experts | None = None
    embedding: int | None = None
    """Token and position embeddings; None: vocabulary x hidden."""
    head: int | None = None
    """Output head; None: vocabulary x hidden, or nothing when tied."""
    mtp: int = 0
    mtp_layers: int = 0
    vision: int = 0
    duplicates: int = 0
    state_bytes: float = 2.0
    generates: bool = True
    notes: list[tuple[str, dict[str, str]]] = field(default_factory=list)


def attention(
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    *,
    bias_qkv: bool = False,
    bias_o: bool = False,
    qk_norm: QkNorm = "",
    output_gate: bool = False,
    keys_are_values: bool = False,
    window: int | None = None,
    kind: AttentionKind | None = None,
    extra_small: int = 0,
) -> Mixer:
    """Multi-head, grouped or multi-query attention."""
    query = heads * head_dim
    pair = kv_heads * head_dim
    matrices = (
        hidden * query * (2 if output_gate else 1) + hidden * pair * (1 if keys_are_values else 2) + query * hidden
    )
    small = extra_small
    small += (query + 2 * pair) if bias_qkv else 0
    small += hidden if bias_o else 0
    small += {"": 0, "head": 2 * head_dim, "full": query + pair}[qk_norm]
    chosen: AttentionKind = kind or ("sliding" if window else "full")
    extras = (("k_eq_v", 1.0),) if keys_are_values else ()
    return Mixer(
        chosen, matrices, small, 0.0 if chosen == "encoder_bidirectional" else 2.0 * pair, heads, kv_heads, head_dim,
        window, extras=extras,
    )  # fmt: skip


def latent_attention(
    hidden: int,
    heads: int,
    q_rank: int,
    kv_rank: int,
    nope: int,
    rope: int,
    value: int,
    *,
    index_heads: int = 0,
    index_dim: int = 0,
    index_topk: int = 0,
    indexed: bool = True,
) -> Mixer:
    """DeepSeek's multi-head latent attention, with the sparse indexer when it has one."""
    matrices = hidden * (kv_rank + rope) + kv_rank * heads * (nope + value) + heads * value * hidden
    if q_rank:
        matrices += hidden * q_rank + q_rank * heads * (nope + rope)
    else:
        matrices += hidden * heads * (nope + rope)
    small = kv_rank + (q_rank or 0)
    extras: list[tuple[str, float]] = [
        ("kv_lora_rank", kv_rank),
        ("qk_rope_head_dim", rope),
        ("qk_nope_head_dim", nope),
        ("v_head_dim", value),
    ]
    if q_rank:
        extras.append(("q_lora_rank", q_rank))
    indexer = 0
    elements = 0.0
    if index_heads and indexed:
        indexer = (q_rank or hidden) * index_heads * index_dim + hidden * index_dim + hidden * index_heads
        small += 2 * index_dim
        elements = float(index_dim)
    if index_heads:
        extras += [("indexer_heads", index_heads), ("indexer_head_dim", index_dim), ("indexer_topk", index_topk)]
    return Mixer(
        "mla_sparse_dsa" if index_heads else "mla", matrices, small, float(kv_rank + rope), heads, heads, 0,
        shared=True, indexer_matrices=indexer, indexer_elements=elements,
        extras=tuple((name, float(size)) for name, size in extras),
    )  # fmt: skip


def gated_delta_net(hidden: int, key_heads: int, value_heads: int, key_dim: int, value_dim: int, kernel: int) -> Mixer:
    """Gated DeltaNet of Qwen3-Next and Qwen3.5."""
    keys, values = key_heads * key_dim, value_heads * value_dim
    matrices = hidden * (2 * keys + 2 * values) + hidden * 2 * value_heads + values * hidden
    channels = 2 * keys + values
    small = channels * kernel + 2 * value_heads + value_dim
    return Mixer(
        "linear_gated_delta_net", matrices, small, state=value_heads * key_dim * value_dim,
        conv_state=channels * (kernel - 1),
    )  # fmt: skip


def kimi_delta(hidden: int, heads: int, dim: int, kernel: int) -> Mixer:
    """Kimi Delta Attention of Kimi Linear."""
    wide = heads * dim
    matrices = 4 * hidden * wide + 2 * (hidden * dim + dim * wide) + hidden * heads
    small = 3 * wide * kernel + heads + wide + dim
    return Mixer("linear_gated_delta_net", matrices, small, state=heads * dim * dim, conv_state=3 * wide * (kernel - 1))


def mamba2(hidden: int, heads: int, dim: int, groups: int, state: int, kernel: int, *, biased: bool = True) -> Mixer:
    """Mamba 2 of Nemotron-H and Granite 4."""
    inner = heads * dim
    channels = inner + 2 * groups * state
    matrices = hidden * (inner + channels + heads) + inner * hidden
    small = channels * kernel + (channels if biased else 0) + 3 * heads + inner
    return Mixer("mamba2", matrices, small, state=heads * dim * state, conv_state=channels * (kernel - 1))


def mamba1(hidden: int, inner: int, rank: int, state: int, kernel: int, *, inner_norms: bool = False) -> Mixer:
    """Mamba 1 of Jamba and Falcon-Mamba."""
    matrices = hidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * hidden
    small = inner * kernel + inner + inner + inner * state + inner
    small += rank + 2 * state if inner_norms else 0
    return Mixer("mamba1", matrices, small, state=inner * state, conv_state=inner * (kernel - 1))


def dense(hidden: int, width: int, matrices: int = 3, *, biased: bool = False) -> FeedForward:
    """Feed-forward with two matrices, or three when gated."""
    small = (width * (matrices - 1) + hidden) if biased else 0
    return FeedForward(dense=matrices * hidden * width, small=small)


def experts(
    hidden: int, shape: Experts, *, router_bias: bool = False, expert_bias: bool = False, shared_gate: bool = False
) -> FeedForward:
    """Mixture of experts with shared ones."""
    inside = shape.latent or hidden
    biases = shape.routed * ((shape.matrices - 1) * shape.width + hidden) if expert_bias else 0
    return FeedForward(
        router=hidden * shape.routed + (hidden if shared_gate else 0) + (shape.routed if router_bias else 0),
        routed=shape.routed * shape.matrices * inside * shape.width,
        shared=shape.matrices * hidden * shape.shared_width if shape.shared else 0,
        latent=2 * hidden * shape.latent,
        routed_small=biases,
    )


def counts_of(arch: Architecture) -> ParameterCounts:
    """Elements by component."""
    embedding = arch.vocabulary * arch.hidden if arch.embedding is None else arch.embedding
    head = (0 if arch.tied else arch.vocabulary * arch.hidden) if arch.head is None else arch.head
    found = dict.fromkeys(
        ("attention", "linear", "indexer", "compressor", "dense", "router", "routed", "shared", "latent", "small"), 0
    )
    found["small"] = arch.outer_small
    active = 0
    for layer in arch.layers:
        found["small"] += layer.norms
        if layer.mixer is not None:
            mixer = layer.mixer
            found["linear" if mixer.recurrent else "attention"] += mixer.matrices
            found["small"] += mixer.small
            found["indexer"] += mixer.indexer_matrices
            found["compressor"] += mixer.compressor
        if layer.feed_forward is not None:
            part = layer.feed_forward
            for name in ("dense", "router", "routed", "shared", "latent", "small"):
                found[name] += getattr(part, name)
            found["small"] += part.routed_small
            if arch.experts is not None and part.routed:
                chosen = part.routed + part.routed_small
                active += chosen * arch.experts.per_token // arch.experts.routed - part.routed_small
    text = embedding + head + sum(found.values())
    active += text - found["routed"]
    return ParameterCounts(
        total=text + arch.mtp + arch.vision,
        text_without_mtp=text,
        active_per_token=active,
        read_per_token_batch1=active - (embedding if head or not arch.generates else 0),
        token_embedding=embedding,
        lm_head=head,
        attention=found["attention"],
        linear_or_ssm=found["linear"],
        indexer=found["indexer"],
        compressor=found["compressor"],
        dense_mlp=found["dense"],
        router=found["router"],
        routed_experts=found["routed"],
        shared_experts=found["shared"],
        latent_projections=found["latent"],
        mtp=arch.mtp,
        vision=arch.vision,
        small=found["small"],
        duplicates_on_disk=arch.duplicates,
    )


def record_of(arch: Architecture, model_id: str, family: str, dtype: str) -> ModelRecord:
    """A catalogue record of the counted architecture."""
    groups: list[AttentionGroup] = []
    letters: list[str] = []
    index_of: dict[tuple[object, ...], int] = {}
    indexed: dict[int, float] = {}
    for layer in arch.layers:
        mixer = layer.mixer
        letter = _letter(mixer)
        if layer.feed_forward is not None and layer.mixer is None:
            letter = "E" if layer.feed_forward.routed else "-"
        letters.append(letter)
        if mixer is None:
            continue
        key = (mixer.kind, mixer.q_heads, mixer.kv_heads, mixer.head_dim, mixer.window, mixer.kv_elements, mixer.state)
        if key not in index_of:
            index_of[key] = len(groups)
            groups.append(_group(mixer))
        number = index_of[key]
        groups[number] = _with_layers(groups[number], groups[number].layers + 1)
        indexed[number] = indexed.get(number, 0.0) + mixer.indexer_elements
    groups = [
        _with_indexer(group, indexed[number] / group.layers) if indexed[number] else group
        for number, group in enumerate(groups)
    ]
    shape = arch.experts
    moe = None
    if shape is not None:
        moe = MoeRecord(
            routed_experts=shape.routed,
            experts_per_token=shape.per_token,
            shared_experts=shape.shared,
            intermediate_size=shape.width,
            shared_intermediate_size=shape.shared_width,
            first_dense_layers=shape.first_dense,
            layers=sum(1 for each in arch.layers if each.feed_forward is not None and each.feed_forward.routed),
            matrices_per_expert=shape.matrices,
            latent_size=shape.latent,
        )
    return ModelRecord(
        id=model_id,
        name=model_id,
        hf_id=model_id,
        hf_variants=(),
        vendor="",
        family=family,
        kind="moe" if moe is not None else "dense",
        modality="text+vision" if arch.vision else "text",
        nominal_size="",
        layers=len(arch.layers),
        hidden_size=arch.hidden,
        intermediate_size=arch.intermediate,
        attention_heads=arch.heads,
        kv_heads=arch.kv_heads,
        head_dim=arch.head_dim,
        vocabulary=arch.vocabulary,
        tied_embeddings=arch.tied,
        max_context_tokens=arch.positions,
        attention=tuple(groups),
        layer_pattern=_packed(letters),
        moe=moe,
        mtp_layers=arch.mtp_layers,
        parameters=counts_of(arch),
        native_dtype=dtype,
        native_quantisation="",
        recurrent_state_bytes_per_element=arch.state_bytes,
        checkpoints=(),
        gguf=(),
        licence="",
        licence_class="",
        architecture_status="config",
        as_of="",
        sources=("the given file",),
        purpose="generate" if arch.generates else "embed",
    )


def _letter(mixer: Mixer | None) -> str:
    if mixer is None:
        return "-"
    names = {
        "sliding": "S",
        "chunked_local": "C",
        "linear_gated_delta_net": "L",
        "mamba1": "M",
        "mamba2": "M",
        "encoder_bidirectional": "E",
    }
    return names.get(mixer.kind, "F")


def _packed(letters: list[str]) -> str:
    if letters and len(set(letters)) == 1 and letters[0] != "-":
        return f"{letters[0]}x{len(letters)}"
    text = "".join(letters)
    return text.replace("F", "*") if "E" in text and "M" in text else text


def _group(mixer: Mixer) -> AttentionGroup:
    return AttentionGroup(
        kind=mixer.kind,
        layers=0,
        q_heads=mixer.q_heads,
        kv_heads=mixer.kv_heads,
        head_dim=mixer.head_dim,
        window_tokens=mixer.window,
        kv_elements_per_token=mixer.kv_elements,
        recurrent_state_elements=mixer.state,
        conv_state_elements=mixer.conv_state,
        kv_shared_across_tp=mixer.shared,
        indexer_elements_per_token=0.0,
        extras=mixer.extras,
    )


def _with_layers(group: AttentionGroup, layers: int) -> AttentionGroup:
    return replace(group, layers=layers)


def _with_indexer(group: AttentionGroup, elements: float) -> AttentionGroup:
    return replace(group, indexer_elements_per_token=elements)
