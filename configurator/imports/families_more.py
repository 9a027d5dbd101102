"""Further families: state-space hybrids, Gemma 4, Llama 4, MiniMax M3, DeepSeek V4, pruned models, encoders."""

from __future__ import annotations

from dataclasses import replace

from configurator.imports.architecture import (
    Architecture,
    FeedForward,
    LayerSpec,
    Mixer,
    attention,
    dense,
    experts,
    mamba1,
    mamba2,
)
from configurator.imports.families import (
    PLAIN,
    SPECIAL,
    Traits,
    decoder,
    experts_of,
    frame,
    is_expert_layer,
    kv_heads_of,
    layers_of,
    next_token_layer,
    windows_of,
)
from configurator.imports.fields import Fields, ModelFileError


def _head_dim(fields: Fields, hidden: int, heads: int) -> int:
    return fields.whole("head_dim", "attention_head_dim", default=hidden // heads, least=1, most=65_536)


def _nemotron_h(fields: Fields, _: Traits) -> Architecture:
    """Nemotron-H and Nemotron 3: a pattern of Mamba, attention, feed-forward and expert layers."""
    pattern = str(fields.any("hybrid_override_pattern") or "")
    if not pattern:
        raise ModelFileError("The configuration has no field “hybrid_override_pattern”, which orders the layers")
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    shape = experts_of(fields, 2, fields.whole("moe_latent_size", default=0))
    state = mamba2(
        hidden,
        fields.whole("mamba_num_heads", least=1),
        fields.whole("mamba_head_dim", least=1),
        fields.whole("n_groups", default=8),
        fields.whole("ssm_state_size", default=128),
        fields.whole("conv_kernel", default=4),
    )
    full = attention(hidden, heads, kv_heads_of(fields, heads), _head_dim(fields, hidden, heads))
    narrow = dense(hidden, fields.whole("intermediate_size", default=0), 2)
    specs = []
    for letter in pattern[:4096]:
        if letter == "M":
            specs.append(LayerSpec(state, None, hidden))
        elif letter == "*":
            specs.append(LayerSpec(full, None, hidden))
        elif letter == "E" and shape is not None:
            specs.append(LayerSpec(None, experts(hidden, shape, router_bias=True), hidden))
        elif letter == "-":
            specs.append(LayerSpec(None, narrow, hidden))
    arch = frame(fields, specs, PLAIN, shape)
    arch.state_bytes = 4.0 if "32" in str(fields.any("mamba_ssm_cache_dtype") or "32") else 2.0
    extra = fields.whole("num_nextn_predict_layers", default=0, most=64)
    if extra and shape is not None:
        # One attention and one expert layer.
        next_token_layer(arch, full, experts(hidden, shape, router_bias=True), extra)
    return arch


def _granite_hybrid(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    kinds = fields.words(
        "layer_types",
    ) or fields.words("layers_block_type")
    shared_width = fields.whole("shared_intermediate_size", default=0)
    shape = experts_of(fields)
    if shape is not None:
        shape = replace(shape, shared=1 if shared_width else 0, shared_width=shared_width)
    inner = fields.whole("mamba_n_heads", least=1)
    state = mamba2(
        hidden,
        inner,
        fields.whole("mamba_d_head", default=hidden * fields.whole("mamba_expand", default=2) // inner),
        fields.whole("mamba_n_groups", default=1),
        fields.whole("mamba_d_state", default=128),
        fields.whole("mamba_d_conv", default=4),
    )
    full = attention(hidden, heads, kv_heads_of(fields, heads), _head_dim(fields, hidden, heads))
    feed = experts(hidden, shape) if shape is not None else dense(hidden, shared_width)
    specs = [
        LayerSpec(full if index < len(kinds) and "attention" in kinds[index] else state, feed, 2 * hidden)
        for index in range(count)
    ]
    arch = frame(fields, specs, replace(PLAIN, tied=True), shape)
    if shape is None:
        arch.intermediate = shared_width
    return arch


def _jamba(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    shape = experts_of(fields)
    inner = hidden * fields.whole("mamba_expand", default=2)
    state = mamba1(
        hidden,
        inner,
        fields.whole("mamba_dt_rank", default=-(-hidden // 16)),
        fields.whole("mamba_d_state", default=16),
        fields.whole("mamba_d_conv", default=4),
        inner_norms=True,
    )
    full = attention(hidden, heads, kv_heads_of(fields, heads), _head_dim(fields, hidden, heads))
    wide = dense(hidden, fields.whole("intermediate_size", least=1))
    period, offset = fields.whole("attn_layer_period", default=8), fields.whole("attn_layer_offset", default=4)
    moe_period, moe_offset = (
        fields.whole("expert_layer_period", default=2),
        fields.whole("expert_layer_offset", default=1),
    )
    specs = []
    for index in range(count):
        mixer = full if period and index % period == offset else state
        sparse = shape is not None and moe_period and index % moe_period == moe_offset
        feed = experts(hidden, shape) if sparse and shape is not None else wide
        specs.append(LayerSpec(mixer, feed, 2 * hidden))
    return frame(fields, specs, PLAIN, shape)


def _mamba(fields: Fields, _: Traits) -> Architecture:
    """Mamba, Mamba 2 and Falcon-Mamba without attention."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", "d_model", least=1, most=10**7)
    width = fields.whole("intermediate_size", default=hidden * fields.whole("expand", default=2))
    kernel = fields.whole("conv_kernel", default=4)
    state = fields.whole("state_size", default=16)
    mixer: Mixer
    if fields.has("num_heads", "n_groups"):
        heads = fields.whole("num_heads", least=1)
        mixer = mamba2(
            hidden,
            heads,
            fields.whole("head_dim", default=width // heads),
            fields.whole("n_groups", default=1),
            state,
            kernel,
        )
    else:
        mixer = mamba1(hidden, width, fields.whole("time_step_rank", default=-(-hidden // 16)), state, kernel)
    arch = frame(fields, [LayerSpec(mixer, None, hidden)] * count, replace(PLAIN, tied=True))
    arch.heads, arch.kv_heads, arch.head_dim, arch.intermediate = 1, 0, 0, 0
    return arch


def _gemma4(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    head_dim = _head_dim(fields, hidden, heads)
    wide_dim = fields.whole("global_head_dim", default=head_dim)
    kv_heads = kv_heads_of(fields, heads)
    wide_kv = fields.whole("num_global_key_value_heads", default=kv_heads)
    shape = experts_of(fields) if fields.flag("enable_moe_block", default=fields.has("num_experts")) else None
    width = fields.whole("intermediate_size", least=1)
    specs = []
    for window in windows_of(fields, count, replace(PLAIN, window_pattern=6)):
        mixer = (
            attention(hidden, heads, kv_heads, head_dim, qk_norm="head", window=window)
            if window
            else attention(
                hidden, heads, wide_kv, wide_dim, qk_norm="head", keys_are_values=fields.flag("attention_k_eq_v")
            )
        )
        feed = dense(hidden, width)
        norms = 4 * hidden + 1
        if shape is not None:
            both = experts(hidden, shape)
            feed = FeedForward(feed.dense, both.router + hidden + shape.routed, both.routed)
            norms += 3 * hidden
        specs.append(LayerSpec(mixer, feed, norms))
    return frame(fields, specs, replace(PLAIN, tied=True), shape)


def _llama4(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    width = fields.whole("intermediate_size", least=1)
    shape = experts_of(Fields({**fields.raw, "moe_intermediate_size": width, "n_shared_experts": 1}))
    chunk = fields.whole("attention_chunk_size", default=8192)
    step = fields.whole("interleave_moe_layer_step", default=1) or 1
    every = fields.whole("no_rope_layer_interval", default=4) or 4
    wide = dense(hidden, fields.whole("intermediate_size_mlp", default=width))
    specs = []
    for index in range(count):
        local = (index + 1) % every != 0
        mixer = attention(
            hidden, heads, kv_heads_of(fields, heads), _head_dim(fields, hidden, heads),
            window=chunk if local else None, kind="chunked_local" if local else "full",
        )  # fmt: skip
        sparse = shape is not None and (index + 1) % step == 0
        specs.append(LayerSpec(mixer, experts(hidden, shape) if sparse and shape is not None else wide, 2 * hidden))
    arch = frame(fields, specs, PLAIN, shape)
    arch.intermediate = fields.whole("intermediate_size_mlp", default=width)
    return arch


def _minimax_m3(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    head_dim = _head_dim(fields, hidden, heads)
    kv_heads = kv_heads_of(fields, heads)
    shape = experts_of(fields)
    width = fields.whole("dense_intermediate_size", "intermediate_size", default=0)
    sparse = fields.part("sparse_attention_config") or Fields({})
    index_heads = sparse.whole("sparse_num_index_heads", default=kv_heads)
    index_dim = sparse.whole("sparse_index_dim", default=head_dim)
    first = shape.first_dense if shape is not None else 0
    plain = attention(hidden, heads, kv_heads, head_dim, qk_norm="head")
    indexed = replace(
        plain,
        kind="block_sparse",
        small=plain.small + 2 * index_dim,
        indexer_matrices=hidden * index_heads * index_dim + hidden * index_dim,
        indexer_elements=float(index_dim),
    )
    specs = []
    for index in range(count):
        feed = dense(hidden, width)
        if shape is not None and is_expert_layer(fields, shape, index):
            feed = experts(hidden, shape, router_bias=True)
        specs.append(LayerSpec(plain if index < first else indexed, feed, 2 * hidden))
    return frame(fields, specs, PLAIN, shape)


def _deepseek_v4(fields: Fields, _: Traits) -> Architecture:
    """One shared key-value vector per token, kept for every fourth or 128th token, beside a short window."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    head_dim = _head_dim(fields, hidden, heads)
    q_rank, o_rank = fields.whole("q_lora_rank", least=1), fields.whole("o_lora_rank", least=1)
    groups = fields.whole("o_groups", least=1)
    window = fields.whole("sliding_window", default=128)
    ratios = fields.numbers("compress_ratios")[:count] or [4] * count
    shape = experts_of(fields)
    matrices = hidden * q_rank + q_rank * heads * head_dim + hidden * head_dim
    matrices += heads * head_dim * o_rank + groups * o_rank * hidden
    index_heads, index_dim = fields.whole("index_n_heads", default=64), fields.whole("index_head_dim", default=128)
    streams = fields.whole("hc_mult", default=4, most=64)
    hashed = fields.whole("num_hash_layers", default=0)
    base = Mixer("sliding", matrices, q_rank + head_dim + heads, float(head_dim), heads, 1, head_dim, window)
    kept = ("sliding_window_state_tokens", float(window))
    topk = ("indexer_topk", float(fields.whole("index_topk", default=512)))
    fine = replace(
        base, kind="compressed_sparse_csa", window=None, kv_elements=head_dim / 4,
        compressor=_compressor(hidden, head_dim, 4),
        indexer_matrices=q_rank * index_heads * index_dim + hidden * index_heads + _compressor(hidden, index_dim, 4),
        indexer_elements=index_dim / 4, extras=(("compress_ratio", 4.0), kept, topk),
    )  # fmt: skip
    wires = 2 * ((2 + streams) * streams * (streams * hidden + 1) + 3)
    head_wires = streams * streams * hidden + streams + 1
    specs = []
    for index, ratio in enumerate(ratios):
        mixer = base
        if ratio == 4:
            mixer = fine
        elif ratio > 4:
            mixer = replace(
                base, kind="heavily_compressed_hca", window=None, kv_elements=head_dim / ratio,
                compressor=_compressor(hidden, head_dim, ratio), extras=(("compress_ratio", float(ratio)), kept),
            )  # fmt: skip
        feed = dense(hidden, 4 * hidden)
        if shape is not None:
            feed = experts(hidden, shape, router_bias=index >= hashed)
        specs.append(LayerSpec(mixer, feed, 2 * hidden + wires))
    arch = frame(fields, specs, PLAIN, shape)
    arch.outer_small += head_wires
    if shape is not None:
        # The first layers choose experts by a table of token numbers.
        arch.outer_small += hashed * arch.vocabulary * shape.per_token
    extra = fields.whole("num_nextn_predict_layers", default=0, most=64)
    if extra and shape is not None:
        next_token_layer(arch, base, experts(hidden, shape, router_bias=True), extra)
        arch.mtp += extra * (wires + head_wires)
    return arch


def _compressor(hidden: int, width: int, ratio: int) -> int:
    """Values and gates of compressed tokens; the finest ratio overlaps its neighbours and is twice as wide."""
    wide = 2 * width if ratio == 4 else width
    return 2 * hidden * wide + ratio * wide + width


def _pruned(fields: Fields, _: Traits) -> Architecture:
    """Nemotron NAS (DeciLM): each block its own attention and feed-forward."""
    blocks = fields.any("block_configs")
    if not isinstance(blocks, list) or not blocks or len(blocks) > 2048:
        raise ModelFileError("The configuration has no field “block_configs”, which describes the layers")
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    head_dim = _head_dim(fields, hidden, heads)
    specs = []
    widest = 0
    for block in blocks:
        part = Fields(block if isinstance(block, dict) else {})
        attn, ffn = part.part("attention") or Fields({}), part.part("ffn") or Fields({})
        mixer = None
        if not attn.flag("no_op") and not attn.flag("replace_with_linear"):
            group = attn.whole("n_heads_in_group", default=8, least=1)
            mixer = attention(hidden, heads, heads // group, head_dim)
        width = ffn.whole("intermediate_size", default=0)
        if not width and ffn.has("ffn_mult"):
            raw = int(2 * float(ffn.any("ffn_mult")) * hidden / 3)
            width = raw if raw % 256 == 0 else raw + 256 - raw % 256
        widest = max(widest, width)
        norms = hidden * (int(mixer is not None) + int(width > 0))
        specs.append(LayerSpec(mixer, dense(hidden, width) if width else None, norms))
    arch = frame(fields, specs, PLAIN)
    arch.intermediate = widest
    arch.kv_heads = max((each.mixer.kv_heads for each in specs if each.mixer is not None), default=heads)
    return arch


def _encoder(fields: Fields, _: Traits) -> Architecture:
    """BERT, RoBERTa, XLM-RoBERTa: no cache."""
    count = layers_of(fields)
    hidden = fields.whole("hidden_size", least=1, most=10**7)
    heads = fields.whole("num_attention_heads", least=1)
    mixer = attention(hidden, heads, heads, hidden // heads, bias_qkv=True, bias_o=True, kind="encoder_bidirectional")
    feed = dense(hidden, fields.whole("intermediate_size", least=1), 2, biased=True)
    arch = frame(fields, [LayerSpec(mixer, feed, 4 * hidden)] * count, replace(PLAIN, tied=True))
    arch.generates = False
    vocabulary = fields.whole("vocab_size", least=1)
    arch.embedding = vocabulary * hidden
    arch.head = 0
    arch.outer_small = (2 + arch.positions + fields.whole("type_vocab_size", default=1)) * hidden
    heads_named = fields.words("architectures")
    pooled = hidden * hidden + hidden
    arch.outer_small += pooled
    if any("SequenceClassification" in name for name in heads_named):
        arch.outer_small += hidden * fields.whole("num_labels", default=1) + fields.whole("num_labels", default=1)
    return arch


def _gpt2(fields: Fields, _: Traits) -> Architecture:
    count = layers_of(fields)
    hidden = fields.whole("n_embd", "hidden_size", least=1, most=10**7)
    heads = fields.whole("n_head", "num_attention_heads", least=1)
    mixer = attention(hidden, heads, heads, hidden // heads, bias_qkv=True, bias_o=True)
    feed = dense(hidden, fields.whole("n_inner", "intermediate_size", default=4 * hidden), 2, biased=True)
    traits = replace(PLAIN, tied=True, norm_bias=True)
    arch = frame(fields, [LayerSpec(mixer, feed, 4 * hidden)] * count, traits)
    arch.embedding = (arch.vocabulary + fields.whole("n_positions", "max_position_embeddings", default=1024)) * hidden
    return arch


def _dbrx(fields: Fields, _: Traits) -> Architecture:
    attn, ffn = fields.part("attn_config") or Fields({}), fields.part("ffn_config") or Fields({})
    raw = {
        **fields.raw,
        "hidden_size": fields.any("d_model"),
        "num_attention_heads": fields.any("n_heads"),
        "num_key_value_heads": attn.any("kv_n_heads"),
        "num_hidden_layers": fields.any("n_layers"),
        "num_local_experts": ffn.any("moe_num_experts"),
        "num_experts_per_tok": ffn.any("moe_top_k"),
        "intermediate_size": ffn.any("ffn_hidden_size"),
    }
    return decoder(Fields(raw), PLAIN)


MORE = {
    "nemotron_h": _nemotron_h,
    "granitemoehybrid": _granite_hybrid,
    "jamba": _jamba,
    "mamba": _mamba,
    "mamba2": _mamba,
    "falcon_mamba": _mamba,
    "gemma4": _gemma4,
    "gemma4_text": _gemma4,
    "llama4": _llama4,
    "llama4_text": _llama4,
    "minimax_m3": _minimax_m3,
    "minimax_m3_text": _minimax_m3,
    "deepseek_v4": _deepseek_v4,
    "nemotron-nas": _pruned,
    "deci": _pruned,
    "bert": _encoder,
    "roberta": _encoder,
    "xlm-roberta": _encoder,
    "gpt2": _gpt2,
    "gpt_bigcode": _gpt2,
    "dbrx": _dbrx,
}
SPECIAL.update(MORE)
