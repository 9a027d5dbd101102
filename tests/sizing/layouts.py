"""Short ways to ask sizing in tests."""

from __future__ import annotations

from dataclasses import replace

from configurator.catalogue import find_gpu, find_model, load_catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.plan.model import Policy
from configurator.scaling.results import Instance, Layout
from configurator.sizing import (
    DeviceMemory,
    LayoutMemory,
    ServeLoad,
    ServeSettings,
    TrainSettings,
    device_memory,
    size_serving,
    size_training,
    stage_layers,
    upload_format,
)

CATALOGUE = load_catalogue()


def model(name: str) -> ModelRecord:
    """A model by any of its names."""
    return find_model(CATALOGUE, name).model


def weights(name: str, weight_format: str) -> WeightFormat:
    """A format as the model's uploads use it."""
    return upload_format(model(name), CATALOGUE.weight_formats[weight_format], None)


def devices(gpu: str, count: int, memory_bytes: int | None = None) -> dict[str, DeviceMemory]:
    """Cards of one kind; ``memory_bytes`` replaces what the catalogue says."""
    template = device_memory("", find_gpu(CATALOGUE, gpu))
    if memory_bytes is not None:
        template = replace(template, memory_bytes=memory_bytes, visible_bytes=memory_bytes)
    return {f"gpu{number}": replace(template, gpu_id=f"gpu{number}") for number in range(count)}


def instances(layers: int, tensor: int, stages: int = 1, copies: int = 1) -> tuple[Instance, ...]:
    """Copies over gpu0, gpu1, ... in order."""
    made = []
    for copy in range(copies):
        first = copy * tensor * stages
        groups = tuple(
            tuple(f"gpu{first + stage * tensor + rank}" for rank in range(tensor)) for stage in range(stages)
        )
        made.append(Instance(groups, stage_layers(layers, stages)))
    return tuple(made)


def serve(
    name: str,
    weight_format: str,
    gpu: str,
    tensor: int = 1,
    *,
    stages: int = 1,
    copies: int = 1,
    experts: int = 1,
    settings: ServeSettings | None = None,
    load: ServeLoad | None = None,
    memory_bytes: int | None = None,
) -> LayoutMemory:
    """Memory of a served model."""
    record = model(name)
    asked = settings or ServeSettings(engine_version="0.11.0", max_model_len=8192)
    layout = Layout(asked.engine, copies, stages, tensor, experts)
    return size_serving(
        record, weights(name, weight_format), asked, layout, instances(record.layers, tensor, stages, copies),
        devices(gpu, tensor * stages * copies, memory_bytes), load or ServeLoad(), Policy(),
    )  # fmt: skip


def train(name: str, weight_format: str, gpu: str, count: int, settings: TrainSettings) -> LayoutMemory:
    """Memory of a training job over all cards."""
    record = model(name)
    layout = Layout("torch", count, 1, 1)
    return size_training(
        record, weights(name, weight_format), settings, layout, instances(record.layers, 1, 1, count),
        devices(gpu, count), Policy(),
    )  # fmt: skip
