"""Which layers a configuration describes: one builder per family of architectures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from configurator.imports.architecture import (
    Architecture,
    Experts,
    FeedForward,
    LayerSpec,
    Mixer,
    QkNorm,
    attention,
    dense,
    experts,
    gated_delta_net,
    kimi_delta,
    latent_attention,
)
from configurator.imports.fields import Fields, ModelFileError

MOST_LAYERS = 2048


@dataclass(frozen=True, slots=True)
class Traits:
    """How a family departs from a plain gated decoder with two norms per layer."""

    bias_qkv: bool = False
    bias_o: bool = False
    qk_norm: QkNorm = ""
    matrices: int = 3
    norms: int = 2
    norm_bias: bool = False
    mlp_bias: bool = False
    window_pattern: int = 0
    """Every n-th layer attends to everything, the others to the window; 0: as ``layer_types`` or the window say."""
    tied: bool = False
    shared_gate: bool = False
    router_bias: bool = False
    expert_bias: bool = False
    sinks: bool = False
    head_bias: bool = False


PLAIN = Traits()

TRAITS: dict[str, Traits] = {
    "llama": PLAIN,
    "mistral": PLAIN,
    "ministral3": PLAIN,
    "mistral3": PLAIN,
    "mixtral": PLAIN,
    "phi3": PLAIN,
    "phimoe": Traits(bias_qkv=True, bias_o=True, norm_bias=True, head_bias=True),
    "qwen2": Traits(bias_qkv=True),
    "qwen2_vl": Traits(bias_qkv=True),
    "qwen2_5_vl": Traits(bias_qkv=True),
    "qwen2_moe": Traits(bias_qkv=True, shared_gate=True),
    "qwen3": Traits(qk_norm="head"),
    "qwen3_vl": Traits(qk_norm="head"),
    "qwen3_moe": Traits(qk_norm="head"),
    "qwen3_vl_moe": Traits(qk_norm="head"),
    "gemma": Traits(tied=True),
    "gemma2": Traits(norms=4, tied=True, window_pattern=2),
    "gemma3": Traits(norms=4, tied=True, qk_norm="head", window_pattern=6),
    "gemma3_text": Traits(norms=4, tied=True, qk_norm="head", window_pattern=6),
    "cohere": Traits(norms=1, tied=True),
    "cohere2": Traits(norms=1, tied=True, window_pattern=4),
    "olmo": Traits(norms=0),
    "olmo2": Traits(qk_norm="full"),
    "olmo3": Traits(qk_norm="full"),
    "olmoe": Traits(qk_norm="full"),
    "starcoder2": Traits(bias_qkv=True, bias_o=True, matrices=2, norm_bias=True, mlp_bias=True, tied=True),
    "falcon": Traits(matrices=2, norm_bias=True, tied=True),
    "gpt_oss": Traits(bias_qkv=True, bias_o=True, router_bias=True, expert_bias=True, sinks=True, window_pattern=2),
    "glm": Traits(bias_qkv=True),
    "glm4": Traits(bias_qkv=True, norms=4),
    "glm4_moe": Traits(bias_qkv=True, router_bias=True),
    "glm4v_moe": Traits(bias_qkv=True, router_bias=True),
    "minimax_m2": Traits(qk_norm="full", router_bias=True),
    "granite": Traits(tied=True),
    "granitemoe": Traits(tied=True),
    "internlm2": PLAIN,
    "internlm3": PLAIN,
    "exaone": PLAIN,
    "exaone4": Traits(qk_norm="head"),
    "smollm3": Traits(tied=True),
    "seed_oss": Traits(bias_qkv=True),
    "baichuan": PLAIN,
    "yi": PLAIN,
    "stablelm": Traits(norm_bias=True),
    "nemotron": Traits(matrices=2, norm_bias=True),
    "ernie4_5": PLAIN,
    "ernie4_5_moe": Traits(router_bias=True),
    "hunyuan_v1_dense": Traits(qk_norm="head"),
    "hunyuan_v1_moe": Traits(qk_norm="head"),
    "mimo": Traits(bias_qkv=True),
    "dbrx": PLAIN,
}
"""By model_type. Source: the model files of transformers and vLLM."""

Builder = Callable[[Fields, "Traits"], Architecture]


def build(fields: Fields, model_type: str) -> Architecture:
    """The architecture of a configuration. Raises ModelFileError for one that cannot be counted."""
    special = SPECIAL.get(model_type)
    if special is not None:
        return special(fields, PLAIN)
    traits = TRAITS.get(model_type)
    if traits is None:
        # Fields that only mean something in a decoder we know how to count.
        if not fields.has("hidden_size", "n_embd", "d_model"):
            raise ModelFileError(
                f"The architecture “{model_type or 'without a name'}” is not known, and the configuration has no field"
                " “hidden_size” to estimate it from"
            )
        arch = decoder(fields, PLAIN)
        arch.notes.append(("import.generic", {"architecture": model_type or "?"}))
        return arch
    return decoder(fields, traits)


def known(model_type: str) -> bool:
    """Whether an architecture is counted in detail."""
    return bool(model_type) and (model_type in SPECIAL or model_type in TRAITS)


def layers_of(fields: Fields) -> int:
    """Number of layers."""
    return fields.whole("num_hidden_layers", "n_layer", "n_layers", "num_layers", least=1, most=MOST_LAYERS)


def frame(fields: Fields, specs: list[LayerSpec], traits: Traits, shape: Experts | None = None) -> Architecture:
    """Layers with embedding, head and final norm around them."""
    hidden = fields.whole("hidden_size", "n_embd", "d_model", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", "n_head", "n_heads", default=1, least=1, most=10**6)
    vocabulary = fields.whole("vocab_size", least=1, most=10**8)
    tied = fields.flag("tie_word_embeddings", default=traits.tied)
    head_dim = fields.whole("head_dim", "attention_head_dim", default=hidden // heads, least=1, most=65_536)
    outer = hidden * (2 if traits.norm_bias else 1)
    if traits.head_bias:
        outer += vocabulary
    return Architecture(
        hidden=hidden,
        vocabulary=vocabulary,
        tied=tied,
        layers=specs,
        heads=heads,
        kv_heads=kv_heads_of(fields, heads),
        head_dim=head_dim,
        intermediate=fields.whole("intermediate_size", "n_inner", "ffn_hidden_size", default=0),
        positions=fields.whole(
            "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", default=4096
        ),
        outer_small=outer,
        experts=shape,
    )


def kv_heads_of(fields: Fields, heads: int) -> int:
    """KV heads under their many names."""
    if fields.flag("multi_query") and not fields.flag("new_decoder_architecture"):
        return 1
    return fields.whole("num_key_value_heads", "num_kv_heads", "n_kv_heads", "multi_query_group_num", default=heads)


def experts_of(fields: Fields, matrices: int = 3, latent: int = 0) -> Experts | None:
    """Shape of the experts, or None for a dense model."""
    routed = fields.whole(
        "n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts", default=0, most=100_000
    )
    if routed <= 1:
        return None
    width = fields.whole("moe_intermediate_size", "intermediate_size_mlp", "expert_ffn_hidden_size", default=0)
    width = width or fields.whole("intermediate_size", least=1)
    shared = fields.whole("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", default=0)
    shared_width = fields.whole("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", default=0)
    if shared_width and not shared:
        shared = 1
    return Experts(
        routed=routed,
        per_token=fields.whole(
            "num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts", default=1, least=1
        ),
        shared=shared,
        width=width,
        shared_width=shared_width or shared * width,
        first_dense=fields.whole("first_k_dense_replace", default=0, most=MOST_LAYERS),
        matrices=matrices,
        latent=latent,
    )


def windows_of(fields: Fields, layers: int, traits: Traits) -> list[int | None]:
    """Window of every layer, None where a layer attends to everything."""
    window = fields.whole("sliding_window", default=0)
    if not window or (fields.has("use_sliding_window") and not fields.flag("use_sliding_window")):
        return [None] * layers
    kinds = fields.words("layer_types")
    if len(kinds) == layers:
        return [window if "sliding" in kind else None for kind in kinds]
    pattern = fields.whole("sliding_window_pattern", "_sliding_window_pattern", default=traits.window_pattern)
    if pattern > 1:
        return [None if (index + 1) % pattern == 0 else window for index in range(layers)]
    positions = fields.whole("max_position_embeddings", default=0)
    return [window if window < (positions or window + 1) else None] * layers


def next_token_layer(arch: Architecture, mixer: Mixer, feed: FeedForward, layers: int) -> None:
    """Add layers that predict further tokens: a whole layer, a projection of two widths, three norms."""
    hidden = arch.hidden
    one = mixer.matrices + mixer.small + mixer.indexer_matrices + mixer.compressor
    one += feed.dense + feed.router + feed.routed + feed.shared + feed.latent + feed.small + feed.routed_small
    arch.mtp = layers * (one + 2 * hidden + 2 * hidden * hidden + 3 * hidden)
    arch.mtp_layers = layers


def decoder(fields: Fields, traits: Traits) -> Architecture:
    """A decoder whose layers all hold attention and a feed-forward part."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", "n_embd", "d_model", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", "n_head", "n_heads", least=1, most=10**6)
    head_dim = fields.whole("head_dim", "attention_head_dim", default=hidden // heads, least=1, most=65_536)
    kv_heads = kv_heads_of(fields, heads)
    everywhere = fields.flag("attention_bias", "bias", default=False)
    bias_qkv = fields.flag("attention_bias", "qkv_bias", "use_bias", "add_qkv_bias", default=traits.bias_qkv)
    bias_o = traits.bias_o or (everywhere and not traits.bias_qkv) or fields.flag("use_bias", default=False)
    qk_norm: QkNorm = traits.qk_norm
    if fields.flag("use_qk_norm") and not qk_norm:
        # Cohere norms every head apart: one vector over all heads.
        qk_norm = "full" if fields.raw.get("model_type") == "cohere" else "head"
    width = fields.whole("intermediate_size", "n_inner", "ffn_hidden_size", default=4 * hidden, most=10**8)
    shape = experts_of(fields)
    norm = hidden * traits.norms * (2 if traits.norm_bias else 1)
    if fields.flag("new_decoder_architecture") and fields.whole("num_ln_in_parallel_attn", default=2) == 2:
        norm = 4 * hidden
    specs = []
    for index, window in enumerate(windows_of(fields, count, traits)):
        mixer = attention(
            hidden,
            heads,
            kv_heads,
            head_dim,
            bias_qkv=bias_qkv,
            bias_o=bias_o,
            qk_norm=qk_norm,
            window=window,
            extra_small=heads if traits.sinks else 0,
        )
        feed = _feed_forward(fields, traits, shape, index, hidden, width)
        specs.append(LayerSpec(mixer, feed, norm))
    arch = frame(fields, specs, traits, shape)
    extra = fields.whole("num_nextn_predict_layers", default=0, most=64)
    if extra and specs[-1].mixer is not None and specs[-1].feed_forward is not None:
        next_token_layer(arch, specs[-1].mixer, specs[-1].feed_forward, extra)
    return arch


def _feed_forward(
    fields: Fields, traits: Traits, shape: Experts | None, index: int, hidden: int, width: int
) -> FeedForward:
    if shape is not None and is_expert_layer(fields, shape, index):
        return experts(
            hidden,
            shape,
            router_bias=traits.router_bias,
            expert_bias=traits.expert_bias,
            shared_gate=traits.shared_gate,
        )
    biased = traits.mlp_bias or fields.flag("mlp_bias")
    return dense(hidden, width, traits.matrices, biased=biased)


def is_expert_layer(fields: Fields, shape: Experts, index: int) -> bool:
    """Whether a layer holds experts: after the first dense ones, at every step, unless listed as dense."""
    if index < shape.first_dense or index in fields.numbers("mlp_only_layers"):
        return False
    step = fields.whole("moe_layer_freq", "decoder_sparse_step", "moe_layer_interval", default=1) or 1
    listed = fields.numbers("moe_layers")
    if listed:
        return index in listed
    return step <= 1 or (index + 1) % step == 0


def _latent(fields: Fields, _: Traits) -> Architecture:
    """DeepSeek V2 to V3.2, Kimi K2, GLM-4.7-Flash, GLM-5, Mistral Large 3."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    shape = experts_of(fields)
    width = fields.whole("intermediate_size", default=0)
    bias = fields.any("topk_method") == "noaux_tc" or fields.any("scoring_func") == "sigmoid"
    index_heads = fields.whole("index_n_heads", default=0)
    kinds = fields.words("indexer_types")

    def mixer(index: int | None) -> Mixer:
        return latent_attention(
            hidden,
            heads,
            fields.whole("q_lora_rank", default=0),
            fields.whole("kv_lora_rank", least=1),
            fields.whole("qk_nope_head_dim", least=1),
            fields.whole("qk_rope_head_dim", least=0),
            fields.whole("v_head_dim", least=1),
            index_heads=index_heads,
            index_dim=fields.whole("index_head_dim", default=128),
            index_topk=fields.whole("index_topk", default=0),
            indexed=index is None or not (len(kinds) == count and kinds[index] == "shared"),
        )

    def feed(index: int) -> FeedForward:
        if shape is not None and is_expert_layer(fields, shape, index):
            return experts(hidden, shape, router_bias=bias)
        return dense(hidden, width)

    specs = [LayerSpec(mixer(index), feed(index), 2 * hidden) for index in range(count)]
    arch = frame(fields, specs, PLAIN, shape)
    arch.kv_heads = heads
    arch.head_dim = 0
    extra = fields.whole("num_nextn_predict_layers", default=0, most=64)
    if extra and shape is not None:
        next_token_layer(arch, mixer(None), experts(hidden, shape, router_bias=bias), extra)
    return arch


def _delta_hybrid(fields: Fields, _: Traits) -> Architecture:
    """Qwen3-Next, Qwen3.5 and later of the same shape."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    shape = experts_of(fields)
    width = fields.whole("intermediate_size", default=0)
    kinds = fields.words("layer_types")
    interval = fields.whole("full_attention_interval", default=4) or 4
    full = attention(
        hidden,
        fields.whole("num_attention_heads", least=1),
        fields.whole("num_key_value_heads", least=1),
        fields.whole("head_dim", default=256, least=1),
        qk_norm="head",
        output_gate=True,
    )
    linear = gated_delta_net(
        hidden,
        fields.whole("linear_num_key_heads", least=1),
        fields.whole("linear_num_value_heads", least=1),
        fields.whole("linear_key_head_dim", least=1),
        fields.whole("linear_value_head_dim", least=1),
        fields.whole("linear_conv_kernel_dim", default=4),
    )

    def feed(index: int) -> FeedForward:
        if shape is not None and is_expert_layer(fields, shape, index):
            return experts(hidden, shape, shared_gate=shape.shared > 0)
        return dense(hidden, width)

    def is_full(index: int) -> bool:
        if len(kinds) == count:
            return "full" in kinds[index]
        return (index + 1) % interval == 0

    specs = [LayerSpec(full if is_full(index) else linear, feed(index), 2 * hidden) for index in range(count)]
    arch = frame(fields, specs, PLAIN, shape)
    arch.state_bytes = 4.0 if "32" in str(fields.any("mamba_ssm_dtype") or "") else 2.0
    if fields.whole("mtp_num_hidden_layers", default=0, most=64):
        next_token_layer(arch, full, feed(count - 1), 1)
    return arch


def _kimi_linear(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    shape = experts_of(fields)
    linear = fields.part("linear_attn_config") or Fields({})
    full_layers = set(linear.numbers("full_attn_layers"))
    delta = kimi_delta(
        hidden,
        linear.whole("num_heads", default=heads),
        linear.whole("head_dim", default=128),
        linear.whole("short_conv_kernel_size", default=4),
    )
    latent = latent_attention(
        hidden,
        heads,
        fields.whole("q_lora_rank", default=0),
        fields.whole("kv_lora_rank", default=512),
        fields.whole("qk_nope_head_dim", default=128),
        fields.whole("qk_rope_head_dim", default=64),
        fields.whole("v_head_dim", default=128),
    )

    def feed(index: int) -> FeedForward:
        if shape is not None and is_expert_layer(fields, shape, index):
            return experts(hidden, shape, router_bias=True)
        return dense(hidden, fields.whole("intermediate_size", least=1))

    specs = [
        LayerSpec(latent if index + 1 in full_layers else delta, feed(index), 2 * hidden) for index in range(count)
    ]
    arch = frame(fields, specs, PLAIN, shape)
    arch.state_bytes = 4.0
    return arch


SPECIAL: dict[str, Builder] = {
    **dict.fromkeys(
        (
            "deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25", "glm4_moe_lite", "glm_moe_dsa",
            "mistral_large_3", "mistral4",
        ),
        _latent,
    ),
    **dict.fromkeys(
        ("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), _delta_hybrid
    ),
    "kimi_linear": _kimi_linear,
}  # fmt: skip
