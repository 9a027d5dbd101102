"""Does it fit: weights, KV cache, activations, engine overhead, training state, headroom."""

from configurator.sizing.kv import element_bytes, kv_bytes, kv_bytes_per_token, recurrent_bytes
from configurator.sizing.results import FIT_ORDER, Fit, GpuMemory, LayoutMemory
from configurator.sizing.shape import shape_of, stage_layers
from configurator.sizing.weights import checkpoint_bytes, rank_weights, weight_bytes

__all__ = [
    "FIT_ORDER",
    "Fit",
    "GpuMemory",
    "LayoutMemory",
    "checkpoint_bytes",
    "element_bytes",
    "kv_bytes",
    "kv_bytes_per_token",
    "rank_weights",
    "recurrent_bytes",
    "shape_of",
    "stage_layers",
    "weight_bytes",
]
