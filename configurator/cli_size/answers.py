"""The answer to one case: layout chosen, memory sized, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from configurator.catalogue import UnknownNameError, find_link
from configurator.catalogue.records import LinkRecord
from configurator.cli_size.case import CaseError, read_case
from configurator.cli_size.layouts import Placed, choose
from configurator.cli_size.question import Question
from configurator.plan.model import Policy
from configurator.scaling.results import Instance, Layout
from configurator.scaling.splits import quantised_split, refuse_tensor, replicated_kv
from configurator.sizing import (
    GpuMemory,
    LayoutMemory,
    TrainSettings,
    kv_bytes_per_token,
    size_serving,
    size_training,
    stage_layers,
    weight_bytes,
)
from configurator.terms import Estimate, Message, message
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue

__all__ = ["CaseError", "Sizing", "answer"]

POLICY = Policy()

TRAINING_FIELDS = (
    "sequence_tokens", "micro_batch", "precision", "optimizer", "sharding", "checkpointing", "offload", "lora_rank",
    "lora_targets", "chunked_loss", "context_parallel",
)  # fmt: skip

SLOW_FABRIC_BYTES_PER_S = 4e9
"""Below this a copy over several servers waits for the wire: 25 GbE and slower (R34, R41)."""


def answer(raw: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """Answer a case. Raises CaseError for one that cannot be understood."""
    case = read_case(raw)
    try:
        return Sizing(case, catalogue).result()
    except UnknownNameError as error:
        raise CaseError(str(error)) from error
    except ValueError as error:
        raise CaseError(f"{error}.") from error


class Sizing(Question):
    """One case being answered."""

    def size(self, layout: Layout, instances: Sequence[Instance]) -> LayoutMemory:
        """Memory of one layout."""
        if self.training:
            return size_training(
                self.model, self.weight_format, self._train(), layout, instances, self.ground.devices, POLICY
            )
        load = self.load
        if load.users is not None and len(instances) < layout.replicas:
            load = replace(load, users=-(-load.users * len(instances) // layout.replicas))
        return size_serving(
            self.model, self.weight_format, self.settings, layout, instances, self.ground.devices, load, POLICY
        )

    def _train(self) -> TrainSettings:
        case = self.case
        given: dict[str, Any] = {name: case.values[name] for name in TRAINING_FIELDS if name in case.values}
        given.setdefault("sequence_tokens", case.number("input_tokens") or min(4096, self.model.max_context_tokens))
        return TrainSettings(**{"task": self.task, **given})

    def place(self) -> Placed:
        """The layout of the case with its memory."""
        if self.training and self.case.number("tensor_parallel") is None and self.case.number("replicas") is None:
            return self._sharded()
        placed = choose(self.case, self.ground, self.model, self.weight_format, self.engine, self.size)
        refused = None if self.training else self._refused(placed.layout)
        if refused is None:
            return placed
        # The engine stops before it loads anything.
        none = Estimate.exact(0)
        memory = replace(
            placed.memory, fit="no", reason=refused, kv_cache_tokens=none, max_concurrency=none, users_served=none,
            max_context_tokens=0,
        )  # fmt: skip
        return replace(placed, memory=memory)

    def _refused(self, layout: Layout) -> Message | None:
        """Why the engine does not take this many tensor ranks; llama.cpp cuts rows wherever it must."""
        if self.engine == "llama.cpp":
            return None
        return refuse_tensor(self.model, layout.tensor_parallel // layout.data_parallel_attention)

    def _sharded(self) -> Placed:
        """Training without a wish: every card a data-parallel rank, the state split over all."""
        stages = self.case.number("pipeline_parallel") or 1
        flat = [gpu for server in self.ground.servers for gpu in server]
        split = stage_layers(self.model.layers, stages)
        instances = tuple(
            Instance(tuple((gpu,) for gpu in flat[start : start + stages]), split)
            for start in range(0, len(flat) // stages * stages, stages)
        )
        layout = Layout(self.engine, len(instances), stages, 1)
        return Placed(layout, instances, self.size(layout, instances), len(flat) - len(instances) * stages)

    def result(self) -> dict[str, Any]:
        """The answer as plain data."""
        placed = self.place()
        memory = placed.memory
        layout = placed.layout
        found: dict[str, Any] = {} if self.case.id is None else {"id": self.case.id}
        spans = any(
            len({self.ground.server_of(gpu) for stage in each.stages for gpu in stage}) > 1
            for each in placed.instances[:1]
        )
        spans = spans or (self.training and len(self.ground.servers) > 1)
        fabric = self._fabric()
        found.update(
            verdict=_verdict(memory, layout, len(self.ground.servers), spans, fabric, self.training),
            fits=memory.fit,
            model=self.model.id,
            weights=self.weight_format.id,
            engine=self.engine,
            task=self.task,
            layout={
                "tensor_parallel": layout.tensor_parallel,
                "pipeline_parallel": layout.pipeline_parallel,
                "expert_parallel": layout.expert_parallel,
                "replicas": layout.replicas,
            },
            per_gpu=[_gpu_row(gpu) for gpu in memory.per_gpu],
            kv_cache_tokens=_range(memory.kv_cache_tokens, whole=True),
            max_concurrency=_range(memory.max_concurrency),
            users_served=_range(memory.users_served, whole=True),
            max_context_tokens=memory.max_context_tokens,
            weights_bytes=weight_bytes(self.model, self.weight_format),
            kv_bytes_per_token=round(kv_bytes_per_token(self.model, self.settings.kv_cache)),
            weights_share=round(memory.weights_share, 4),
            headroom_share=round(memory.headroom_share, 4),
            findings=[_finding(each) for each in self._findings(placed, spans, fabric)],
        )
        if self._wants_speed():
            from configurator.cli_size.speed import speed_fields

            found.update(speed_fields(self, placed))
        if self.case.flag("remedies") and memory.fit in ("no", "starts"):
            from configurator.cli_size.remedies import remedies

            found["remedies"] = remedies(self)
        return found

    def _wants_speed(self) -> bool:
        """Speed takes far longer than memory: worked out when asked for, or when the case states a whole load."""
        asked = self.case.values.get("speed")
        if asked is not None:
            return bool(asked)
        if self.training:
            return True
        return all(self.case.number(name) is not None for name in ("input_tokens", "output_tokens", "users"))

    def _fabric(self) -> LinkRecord | None:
        name = self.case.text("fabric")
        return find_link(self.catalogue, name) if name else None

    def _findings(self, placed: Placed, spans: bool, fabric: LinkRecord | None) -> list[Message]:
        notes = list(self.notes)
        memory, layout = placed.memory, placed.layout
        if memory.reason is not None:
            notes.append(memory.reason)
        if not self.training:
            notes.extend(
                each
                for each in (
                    replicated_kv(self.model, layout.tensor_parallel // layout.data_parallel_attention),
                    quantised_split(self.model, self.weight_format, layout.tensor_parallel, layout.expert_parallel),
                )
                if each is not None
            )
            if not self.settings.engine_version and self.engine == "vllm":
                notes.append(message("size.version_open"))
        if placed.idle:
            notes.append(message("size.idle", idle_cards=placed.idle))
        if spans and fabric is None:
            notes.append(message("size.fabric_unknown"))
        if self.case.ignored:
            notes.append(message("size.ignored", field_names=self.case.ignored))
        return notes


def _verdict(
    memory: LayoutMemory, layout: Layout, servers: int, spans: bool, fabric: LinkRecord | None, training: bool
) -> str:
    """One of the fixed verdicts (DESIGN: the words)."""
    if memory.fit == "no":
        return "does-not-fit"
    if spans:
        if fabric is None:
            return "unknown-topology"
        if fabric.bandwidth.value < SLOW_FABRIC_BYTES_PER_S:
            return "change-fabric"
        return "cluster" if training or layout.pipeline_parallel == 1 else "tp-inside-pp-across"
    if memory.fit in ("starts", "serves"):
        return "fits-but-no-headroom"
    if servers > 1:
        return "replicas" if layout.replicas > 1 else "single-node"
    return "fits"


def _gpu_row(gpu: GpuMemory) -> dict[str, Any]:
    """Parts that add up to the card: the cache row is the whole pool the engine reserves."""
    pool = gpu.kv_pool_bytes
    return {
        "gpu": gpu.gpu,
        "memory_bytes": gpu.memory_bytes,
        "weights_bytes": gpu.weights_bytes,
        "kv_cache_bytes": pool,
        "activation_bytes": gpu.activation_bytes,
        "overhead_bytes": gpu.overhead_bytes,
        "free_bytes": gpu.free_bytes + gpu.kv_cache_bytes - pool,
        "kv_cache_needed_bytes": gpu.kv_cache_bytes,
        "short_bytes": gpu.short_bytes,
    }


def _range(value: Estimate, *, whole: bool = False) -> dict[str, float]:
    low, expected, high = value.low, value.expected, value.high
    if whole:
        return {"low": int(low), "expected": int(expected), "high": int(high)}
    return {"low": round(low, 2), "expected": round(expected, 2), "high": round(high, 2)}


_WORDING = Wording()


def _finding(note: Message) -> dict[str, str]:
    return {"code": note.code, "text": _WORDING.text(note)}
