"""KV-cache bytes per token and per sequence, for every attention kind.

Engine pools and page rounding are in engines/*.py; here is what the architecture needs.
"""

from __future__ import annotations

import math
from typing import Final

from configurator.catalogue.records import AttentionGroup, ModelRecord
from configurator.sizing.shape import LATENT, NO_CACHE, RECURRENT, extra

ELEMENT_BYTES: Final[dict[str, float]] = {
    "auto": 2.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "f16": 2.0,
    "half": 2.0,
    "bfloat16": 2.0,
    "float16": 2.0,
    "fp32": 4.0,
    "f32": 4.0,
    "fp8": 1.0,
    "fp8_e4m3": 1.0,
    "fp8_e5m2": 1.0,
    "int8": 1.0,
    "q8_0": 1.0625,
    "q5_1": 0.75,
    "q5_0": 0.6875,
    "q4_1": 0.625,
    "q4_0": 0.5625,
    "nvfp4": 0.5625,
    "int4": 0.5625,
}
"""Bytes per stored element, block scales included (ggml block sizes; vLLM, SGLang and TensorRT-LLM caches)."""

SPARSE_LATENT_FP8_BYTES: Final = 656
"""One token of one sparse-MLA layer in vLLM's fp8_ds_mla layout: 512 FP8 + 4 FP32 scales + 64 BF16."""

INDEXER_BYTES_PER_ELEMENT: Final = 132 / 128
"""Indexer keys as engines store them, whatever the cache type: 128 FP8 values and one FP32 scale.

SGLang prints 29.32 GiB for 314,304 tokens of GLM-5 in BF16, vLLM 19.12 GiB for 329,792 in FP8: both include it.
"""


def element_bytes(kv_dtype: str) -> float:
    """Bytes of one cached element. Raises ValueError for a name that is not known."""
    try:
        return ELEMENT_BYTES[kv_dtype.lower()]
    except KeyError:
        raise ValueError(f"unknown KV cache type {kv_dtype!r}; known: {', '.join(sorted(ELEMENT_BYTES))}") from None


def heads_on_rank(kv_heads: int, tensor_parallel: int) -> float:
    """KV heads one tensor rank stores: divided until there is one left, then replicated."""
    if tensor_parallel <= 1:
        return float(kv_heads)
    return float(max(1, math.ceil(kv_heads / tensor_parallel)))


def layer_token_bytes(group: AttentionGroup, kv_dtype: str = "auto", tensor_parallel: int = 1) -> float:
    """Bytes one token takes in one layer of this kind on one tensor rank, without indexer keys."""
    if group.kind in RECURRENT or group.kind in NO_CACHE:
        return 0.0
    width = element_bytes(kv_dtype)
    if group.kind in LATENT or group.kv_shared_across_tp:
        if group.kind == "mla_sparse_dsa" and width == 1.0 and group.kv_elements_per_token == 576:
            return float(SPARSE_LATENT_FP8_BYTES)
        return group.kv_elements_per_token * width
    if group.kv_heads <= 1 or tensor_parallel <= 1:
        return group.kv_elements_per_token * width
    return group.kv_elements_per_token / group.kv_heads * heads_on_rank(group.kv_heads, tensor_parallel) * width


def indexer_token_bytes(group: AttentionGroup, kv_dtype: str = "auto") -> float:
    """Bytes of indexer keys of one token in one layer of this kind, whole on every rank."""
    return group.indexer_elements_per_token * element_bytes(kv_dtype)


def indexer_page_bytes(group: AttentionGroup) -> float:
    """Bytes engines keep for indexer keys of one token in one layer of this kind."""
    return group.indexer_elements_per_token * INDEXER_BYTES_PER_ELEMENT


def kv_bytes_per_token(model: ModelRecord, kv_dtype: str = "auto", tensor_parallel: int = 1) -> float:
    """Bytes each further token costs on one GPU that holds all layers: layers without a window, and indexer keys."""
    total = 0.0
    for group in model.attention:
        if group.window_tokens is None or group.kind == "chunked_local":
            total += group.layers * layer_token_bytes(group, kv_dtype, tensor_parallel)
        total += group.layers * indexer_token_bytes(group, kv_dtype)
    return total


def recurrent_bytes(model: ModelRecord, kv_dtype: str = "auto", tensor_parallel: int = 1) -> float:
    """Bytes of recurrent and convolution state of one sequence on one GPU, independent of its length."""
    conv_width = max(2.0, element_bytes(kv_dtype)) if kv_dtype in ("fp32", "f32") else 2.0
    state_width = model.recurrent_state_bytes_per_element or conv_width
    total = sum(
        group.layers * (group.recurrent_state_elements * state_width + group.conv_state_elements * conv_width)
        for group in model.attention
    )
    return total / max(1, tensor_parallel)


def kv_bytes(
    model: ModelRecord,
    kv_dtype: str = "auto",
    context_tokens: int = 8192,
    tensor_parallel: int = 1,
    *,
    windows_kept: bool = True,
    with_state: bool = True,
) -> float:
    """Bytes one sequence of ``context_tokens`` needs on one GPU that holds all layers.

    ``windows_kept`` True: sliding layers keep only their window; False: an engine that keeps everything.
    ``with_state`` False leaves recurrent state out (it does not depend on the context).
    """
    total = 0.0
    for group in model.attention:
        per_layer = layer_token_bytes(group, kv_dtype, tensor_parallel)
        tokens = context_tokens
        if windows_kept and group.window_tokens is not None:
            tokens = min(context_tokens, group.window_tokens)
        total += group.layers * per_layer * tokens
        total += group.layers * indexer_token_bytes(group, kv_dtype) * context_tokens
        kept = extra(group, "sliding_window_state_tokens")
        if windows_kept and kept and group.kind != "sliding":
            total += group.layers * group.head_dim * element_bytes(kv_dtype) * min(kept, context_tokens)
    if with_state:
        total += recurrent_bytes(model, kv_dtype, tensor_parallel)
    return total
