"""Engines of the copies of a plan: work, rates and links of every stage, kept while the topology stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.scaling.calibration import rates_of, speed_table
from configurator.scaling.collectives import Comm, comm, send_s
from configurator.scaling.graph import Device
from configurator.scaling.results import Instance, Layout
from configurator.scaling.roofline import BoundStage, kept_stage
from configurator.scaling.steady import Engine
from configurator.scaling.topology import Topology
from configurator.scaling.work import cache_element_scale, stage_work
from configurator.sizing.weights import weight_bytes

Engines = tuple[tuple[Engine, int], ...]
"""Distinct copies, each with how many copies it stands for."""

GIB: Final = 2.0**30


def batch_defaults(engine: str, gpu: GpuRecord) -> tuple[int, int]:
    """(most sequences at once, prompt tokens per step) an engine starts with on this card.

    Sources: vLLM 0.33 arg_utils (160 and 70 GiB tiers, A100 excepted), SGLang 0.5.23 tiers, llama.cpp server slots.
    """
    memory = gpu.memory_usable_bytes / GIB
    if engine == "llama.cpp":
        return 64, 2048
    if engine == "sglang":
        return 512, 16384 if memory >= 160 else 8192 if memory >= 60 else 4096 if memory >= 30 else 2048
    if engine == "tensorrt-llm":
        return 2048, 8192
    if memory >= 160:
        return 1024, 16384
    if memory >= 70 and "a100" not in gpu.id and not gpu.unified_memory:
        return 1024, 8192
    return 256, 2048


KEPT_ENGINES: Final = 512


@dataclass(slots=True)
class _Kept:
    """Engines of one topology; they go with it."""

    made: dict[tuple[object, ...], tuple[ModelRecord, WeightFormat, Engines]] = field(default_factory=dict)


def kept_engines(
    model: ModelRecord,
    weight_format: WeightFormat,
    kv_dtype: str,
    engine: str,
    layout: Layout,
    instances: tuple[Instance, ...],
    topology: Topology,
    capacity: float,
    version: str,
    max_num_seqs: int | None,
    max_num_batched_tokens: int | None,
) -> Engines:
    """The engines of these copies; the load does not change them, so they are kept between its edits."""
    settings = (kv_dtype, engine, layout, capacity, version, max_num_seqs, max_num_batched_tokens)
    key = (id(model), id(weight_format), settings, instances)
    place = topology.kept.setdefault(_Kept, (_Kept(),))[0]
    known = place.made if isinstance(place, _Kept) else {}
    kept = known.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format:
        return kept[2]
    made = _engines(
        model,
        weight_format,
        kv_dtype,
        engine,
        layout,
        instances,
        topology,
        capacity,
        version,
        max_num_seqs,
        max_num_batched_tokens,
    )
    if len(known) >= KEPT_ENGINES:
        known.clear()
    known[key] = (model, weight_format, made)
    return made


def _engines(
    model: ModelRecord,
    weight_format: WeightFormat,
    kv_dtype: str,
    engine: str,
    layout: Layout,
    instances: Sequence[Instance],
    topology: Topology,
    capacity: float,
    version: str,
    max_num_seqs: int | None,
    max_num_batched_tokens: int | None,
) -> Engines:
    """One engine per distinct copy, with how many copies it stands for."""
    kinds: dict[tuple[object, ...], tuple[Engine, int]] = {}
    equal: dict[tuple[object, ...], Comm] = {}
    for instance in instances:
        slowest = [_slowest(stage, topology.devices) for stage in instance.stages]
        links = [_link(topology, stage, engine, equal) for stage in instance.stages]
        key = (
            instance.layers_per_stage,
            tuple(
                (id(device.record), device.power_limit_w, len(stage))
                for device, stage in zip(slowest, instance.stages, strict=True)
            ),
            tuple(id(link) for link in links),
        )
        kept = kinds.get(key)
        if kept is not None:
            kinds[key] = (kept[0], kept[1] + 1)
            continue
        sequences, chunk = batch_defaults(engine, slowest[0].record)
        made = _engine(
            model,
            weight_format,
            kv_dtype,
            engine,
            layout,
            instance,
            topology,
            slowest,
            links,
            capacity,
            version,
            max_num_seqs or sequences,
            max_num_batched_tokens or chunk,
        )
        kinds[key] = (made, 1)
    return tuple(kinds.values())


def _link(topology: Topology, stage: Sequence[str], engine: str, equal: dict[tuple[object, ...], Comm]) -> Comm | None:
    """Collectives of a tensor group; groups that are as fast as one seen before share its object."""
    if len(stage) < 2:
        return None
    made = comm(topology, stage, engine)
    if made is None:
        return None
    box = made.inbox
    custom = None if box.custom is None else box.custom.seconds
    return equal.setdefault((made.ranks, made.between, box.tables[0].seconds, custom), made)


def _slowest(stage: Sequence[str], devices: Mapping[str, Device]) -> Device:
    """The card that the others of a tensor group wait for."""
    return min(
        (devices[gpu] for gpu in stage), key=lambda each: (each.record.memory_bandwidth.value, each.power_limit_w)
    )


def _engine(
    model: ModelRecord,
    weight_format: WeightFormat,
    kv_dtype: str,
    engine: str,
    layout: Layout,
    instance: Instance,
    topology: Topology,
    slowest: Sequence[Device],
    links: Sequence[Comm | None],
    capacity: float,
    version: str,
    max_sequences: int,
    chunk_tokens: int,
) -> Engine:
    stages: list[BoundStage] = []
    first = 0
    layers = instance.layers_per_stage or (model.layers,)
    for device, stage, count in zip(slowest, instance.stages, layers, strict=True):
        experts = layout.expert_parallel if len(stage) % max(1, layout.expert_parallel) == 0 else 1
        work = stage_work(
            model, weight_format, len(stage), experts, min(layout.data_parallel_attention, len(stage)), first, count
        )
        rates = rates_of(device.record, engine, device.power_limit_w, version)
        stages.append(kept_stage(work, rates, weight_format, device.record))
        first += count

    def between(index: int, nbytes: float) -> float:
        return send_s(topology, instance.stages[index], instance.stages[index + 1], nbytes)

    return Engine(
        tuple(stages),
        tuple(links),
        between if len(stages) > 1 else None,
        cache_element_scale(kv_dtype),
        capacity,
        max_sequences,
        chunk_tokens,
        overlap=engine != "llama.cpp",
        host_bytes=_host_bytes(model, weight_format, instance, topology) if layout.offload else 0.0,
        host_bytes_per_s=speed_table()["host_memory_bytes_per_s"],
    )


def _host_bytes(model: ModelRecord, weight_format: WeightFormat, instance: Instance, topology: Topology) -> float:
    """Weight bytes per token that stay in the host's memory: what the cards cannot hold, as far as a token needs it."""
    whole = weight_bytes(model, weight_format)
    room = 0.9 * sum(topology.devices[gpu].memory_bytes for stage in instance.stages for gpu in stage)
    share = model.parameters.read_per_token_batch1 / max(1, model.parameters.text_without_mtp)
    return max(0.0, whole - room) * min(1.0, share)
