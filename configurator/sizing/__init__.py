"""Does it fit: weights, KV cache, activations, engine overhead, training state, headroom."""

from configurator.sizing.devices import DeviceMemory, device_memory
from configurator.sizing.formats import leaves_out_mtp, upload_format, upload_model
from configurator.sizing.kv import element_bytes, kv_bytes, kv_bytes_per_token, recurrent_bytes
from configurator.sizing.results import FIT_ORDER, Fit, GpuMemory, LayoutMemory
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad, ServeSettings
from configurator.sizing.shape import shape_of, stage_layers
from configurator.sizing.training import TrainSettings, adapter_parameters, size_training, training_state_bytes
from configurator.sizing.weights import checkpoint_bytes, rank_weights, weight_bytes

__all__ = [
    "FIT_ORDER",
    "DeviceMemory",
    "Fit",
    "GpuMemory",
    "LayoutMemory",
    "ServeLoad",
    "ServeSettings",
    "TrainSettings",
    "adapter_parameters",
    "checkpoint_bytes",
    "device_memory",
    "element_bytes",
    "kv_bytes",
    "kv_bytes_per_token",
    "leaves_out_mtp",
    "rank_weights",
    "recurrent_bytes",
    "shape_of",
    "size_serving",
    "size_training",
    "stage_layers",
    "training_state_bytes",
    "upload_format",
    "upload_model",
    "weight_bytes",
]
