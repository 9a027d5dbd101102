"""Which layout a case means: the one that was asked for, or the smallest copy that serves, filled up with copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.cli_size.case import Case, CaseError
from configurator.scaling.results import Instance, Layout
from configurator.scaling.splits import split_layers, tensor_degrees
from configurator.sizing import FIT_ORDER, DeviceMemory, LayoutMemory, weight_bytes


@dataclass(frozen=True)
class Ground:
    """The cards of a case, server by server, equal cards together."""

    servers: tuple[tuple[str, ...], ...]
    devices: dict[str, DeviceMemory]
    bandwidth: dict[str, float]

    @property
    def gpus(self) -> int:
        """All cards."""
        return sum(len(server) for server in self.servers)

    @cached_property
    def equal(self) -> bool:
        """Whether all cards are the same."""
        return len({(device.gpu, device.total_bytes) for device in self.devices.values()}) == 1

    @property
    def largest(self) -> int:
        """Cards of the largest server."""
        return max(len(server) for server in self.servers)

    def server_of(self, gpu_id: str) -> int:
        """Number of the server a card sits in."""
        return next(number for number, server in enumerate(self.servers) if gpu_id in server)


@dataclass(frozen=True, slots=True)
class Placed:
    """A layout on particular cards, with its memory."""

    layout: Layout
    instances: tuple[Instance, ...]
    memory: LayoutMemory
    idle: int


Sizer = Callable[[Layout, Sequence[Instance]], LayoutMemory]
"""Memory of a layout from all its copies, or from one of them when all are equal."""


def choose(
    case: Case, ground: Ground, model: ModelRecord, weight_format: WeightFormat, engine: str, size: Sizer
) -> Placed:
    """The asked layout, or the best of the simple ones. Raises CaseError when it cannot stand on the cards."""
    best: Placed | None = None
    wanted = list(_degrees(case, ground, model, engine))
    if len(wanted) > 1 and case.text("task") in (None, "serve", "batch"):
        largest = max(device.memory_bytes for device in ground.devices.values())
        whole = weight_bytes(model, weight_format)
        # Groups that do not even hold an even share of the weights need no closer look.
        wanted = [each for each in wanted if whole <= each[0] * each[1] * largest] or wanted[-1:]
    for tensor, stages, copies in wanted:
        experts = _experts(case, model, tensor)
        attention = case.number("data_parallel_attention") or 1
        if model.moe is not None:
            attention = max(attention, case.number("data_parallel") or 1)
        instances = _instances(ground, model, weight_format, tensor, stages, copies)
        split = "layer" if engine == "llama.cpp" else "tensor"
        layout = Layout(engine, len(instances), stages, tensor, experts, attention, split)
        idle = ground.gpus - len(instances) * tensor * stages
        # Equal copies hold the same: one is enough to choose by.
        placed = Placed(layout, instances, size(layout, instances[:1] if ground.equal else instances), idle)
        if best is None or _better(placed, best):
            best = placed
        if best.memory.fit == "serves_with_reserve":
            break
    if best is None:
        raise CaseError("No layout can stand on these cards.")
    if ground.equal and len(best.instances) > 1:
        return replace(best, memory=size(best.layout, best.instances))
    return best


def _better(a: Placed, b: Placed) -> bool:
    rank_a, rank_b = FIT_ORDER.index(a.memory.fit), FIT_ORDER.index(b.memory.fit)
    if rank_a != rank_b:
        return rank_a > rank_b
    if a.memory.fit == "no":
        return _short(a.memory) < _short(b.memory)
    return False


def _short(memory: LayoutMemory) -> int:
    return max((gpu.short_bytes for gpu in memory.per_gpu), default=0)


def _experts(case: Case, model: ModelRecord, tensor: int) -> int:
    asked = case.values.get("expert_parallel")
    if model.moe is None or asked is None or asked is False:
        return 1
    return tensor if asked is True else int(asked)


def _degrees(case: Case, ground: Ground, model: ModelRecord, engine: str) -> Iterator[tuple[int, int, int]]:
    """(tensor, stages, copies), smallest copies first."""
    tensor, stages, copies = (case.number(name) for name in ("tensor_parallel", "pipeline_parallel", "replicas"))
    total = ground.gpus
    data = case.number("data_parallel")
    if data is not None and model.moe is None:
        copies = (copies or 1) * data
    elif data is not None and engine != "sglang" and tensor is not None:
        # vLLM: the experts form one group over all data-parallel ranks.
        tensor *= data
    elif data is not None and tensor is None:
        tensor = min(total, max(data, total // max(1, (stages or 1) * (copies or 1))))
    if tensor is not None or stages is not None:
        tensor = tensor or 1
        stages = stages or 1
        group = tensor * stages
        if group * (copies or 1) > total:
            raise CaseError(
                f"{copies or 1} x {stages} x {tensor} (copies, stages, tensor ranks) needs {group * (copies or 1)}"
                f" GPUs, there are {total}."
            )
        if stages > model.layers:
            raise CaseError(f"{model.layers} layers cannot be cut into {stages} stages.")
        yield tensor, stages, copies or total // group
        return
    most = total // copies if copies else total
    if most < 1:
        raise CaseError(f"{copies} copies need at least {copies} GPUs, there are {total}.")
    seen = False
    for tensor, stages in _sizes(ground, model, engine, most):
        seen = True
        yield tensor, stages, copies or total // (tensor * stages)
    if not seen:
        yield 1, 1, copies or total


def _sizes(ground: Ground, model: ModelRecord, engine: str, most: int) -> Iterator[tuple[int, int]]:
    """Tensor ranks inside a server, then stages; for llama.cpp layers over all cards."""
    if engine == "llama.cpp":
        for stages in range(1, min(most, model.layers) + 1):
            yield 1, stages
        return
    inside = min(ground.largest, most)
    degrees = [degree for degree in tensor_degrees(model) if degree <= inside and (ground.equal or degree == 1)]
    for degree in degrees:
        yield degree, 1
    for degree in reversed(degrees):
        for stages in range(2, min(most // degree, model.layers) + 1):
            if stages * degree <= most and (degree == degrees[-1] or stages * degree == most):
                yield degree, stages


def _instances(
    ground: Ground, model: ModelRecord, weight_format: WeightFormat, tensor: int, stages: int, copies: int
) -> tuple[Instance, ...]:
    """Copies cut from the cards in order: tensor ranks side by side, stages one after the other."""
    order: list[tuple[str, ...]] = []
    spare: list[str] = []
    for server in ground.servers:
        whole = len(server) // tensor * tensor
        order.extend(tuple(server[start : start + tensor]) for start in range(0, whole, tensor))
        spare.extend(server[whole:])
    order.extend(tuple(spare[start : start + tensor]) for start in range(0, len(spare) // tensor * tensor, tensor))
    made: list[Instance] = []
    splits: dict[tuple[tuple[float, float], ...], tuple[int, ...]] = {}
    for copy in range(min(copies, len(order) // stages)):
        part = order[copy * stages : (copy + 1) * stages]
        key = tuple(
            (
                min(ground.bandwidth[gpu] for gpu in stage),
                float(min(ground.devices[gpu].free_bytes for gpu in stage)),
            )
            for stage in part
        )
        if key not in splits:
            splits[key] = split_layers(
                model, weight_format, tensor, [speed for speed, _ in key], [room for _, room in key]
            )
        made.append(Instance(tuple(part), splits[key]))
    return tuple(made)
