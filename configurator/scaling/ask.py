"""The two questions to the engines: does it fit (sizing), how fast is it (serving, training)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from configurator.catalogue.records import ModelRecord
from configurator.plan.model import Workload
from configurator.scaling.judge import Answer, Question
from configurator.scaling.results import Instance, Layout
from configurator.scaling.serving import DEFAULT_CONTEXT_TOKENS, estimate_serving, load_of
from configurator.scaling.training import DEFAULT_SEQUENCE_TOKENS, LORA_RANK, estimate_training, training_load
from configurator.sizing.results import FIT_ORDER, LayoutMemory
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad, ServeSettings
from configurator.sizing.training import Sharding, TrainSettings, size_training
from configurator.terms import Estimate, Message, message


def longest_request(workload: Workload, model: ModelRecord) -> int:
    """Longest request the engine is started for; a usual length while the owner has not said one."""
    said = (workload.input_tokens or 0) + (workload.output_tokens or 0)
    return (
        workload.max_context_tokens
        or workload.context_tokens
        or said
        or min(DEFAULT_CONTEXT_TOKENS, model.max_context_tokens or DEFAULT_CONTEXT_TOKENS)
    )


def mean_request(workload: Workload, model: ModelRecord) -> int:
    """Tokens a request holds on average while it runs: its prompt and, as it grows, half of its answer."""
    if workload.context_tokens is not None:
        return workload.context_tokens
    if workload.input_tokens is not None and workload.output_tokens is not None:
        return workload.input_tokens + (workload.output_tokens + 1) // 2
    return longest_request(workload, model)


PLANNED_SINCE = "2025-06"
"""A plan is for machines that are still to be set up: with a release of the engine that is not older than this."""
FULL_CARD = 0.96
"""The most of a card that vLLM is given by hand where its own share is too little to start."""
NEARLY_SHARE = 0.12
"""A layout that misses by more than this share of a card does not start with any setting."""


def serve_settings(workload: Workload, model: ModelRecord) -> ServeSettings:
    """How the engine would be started for this workload."""
    return ServeSettings(
        engine=workload.engine,
        kv_cache=workload.kv_cache,
        max_model_len=longest_request(workload, model),
        released=max(model.released, PLANNED_SINCE),
    )


def serve_load(workload: Workload, model: ModelRecord, users: int | None) -> ServeLoad:
    """What is asked of one copy."""
    return ServeLoad(users, mean_request(workload, model), longest_request(workload, model))


def memory_of(question: Question, layout: Layout, instances: Sequence[Instance], users: int | None) -> LayoutMemory:
    """Sizing's answer for these copies."""
    devices = question.topology.devices
    cards = {gpu: devices[gpu].memory for each in instances for stage in each.stages for gpu in stage}
    settings, load = (
        serve_settings(question.workload, question.model),
        serve_load(question.workload, question.model, users),
    )

    def sized(with_settings: ServeSettings) -> LayoutMemory:
        return size_serving(
            question.model, question.weight_format, with_settings, layout, instances, cards, load, question.policy
        )

    memory = sized(settings)
    short = memory.reason.get("short_bytes") if memory.reason is not None else None
    smallest = min((each.total_bytes for each in cards.values()), default=0)
    if memory.fit != "no" or settings.engine != "vllm" or not isinstance(short, int):
        return memory
    if short > NEARLY_SHARE * smallest * len(cards):
        return memory
    # What the engine takes of a card is a setting: a model that starts with it turned up does not "not fit".
    full = sized(replace(settings, gpu_memory_utilization=FULL_CARD, enforce_eager=True))
    if full.fit == "no":
        return memory
    fit = min(full.fit, "serves", key=FIT_ORDER.index)
    return replace(full, fit=fit, reason=message("memory.full_card", full_share=FULL_CARD))


def ask_serving(
    question: Question,
    layout: Layout,
    instance: Instance,
    users: float | None,
    share: float,
    memory: LayoutMemory | None = None,
) -> Answer:
    """Memory and speed of one copy that serves ``users``, or ``share`` of the requests that arrive.

    ``memory``: sizing's answer where it is known already.
    """
    workload = question.workload
    if memory is None:
        memory = memory_of(question, layout, (instance,), None if users is None else max(1, ceil(users - 1e-9)))
        if layout.offload and memory.fit == "serves_with_reserve":
            memory = replace(memory, fit="serves", reason=message("layout.offload"))
    if memory.fit == "no":
        return Answer(memory, None)
    load = load_of(workload, users)
    if workload.users is None and workload.requests_per_s is not None:
        load = replace(load, requests_per_s=workload.requests_per_s * share)
    if layout.split == "row":
        layout, instance = _as_rows(layout, instance)
    speed = estimate_serving(
        question.model,
        question.weight_format,
        workload.kv_cache,
        workload.engine,
        layout,
        (instance,),
        question.topologies,
        load,
        memory if question.ranged else replace(memory, users_served=Estimate.exact(memory.users_served.expected)),
    )
    return Answer(memory, speed)


def _as_rows(layout: Layout, instance: Instance) -> tuple[Layout, Instance]:
    """Row split runs like a tensor group over all cards of the copy; its memory stays that of the layers."""
    cards = tuple(gpu for stage in instance.stages for gpu in stage)
    whole = Instance((cards,), (sum(instance.layers_per_stage),))
    return replace(layout, tensor_parallel=len(cards), pipeline_parallel=1), whole


def ask_training(question: Question, layout: Layout, instances: Sequence[Instance]) -> Answer:
    """Memory and speed of a training job; every instance is a data rank.

    The weights are kept whole on every rank while that leaves the reserve, else sharded over the ranks; what still
    does not fit is tried with host memory.
    """
    load = training_load(question.workload)
    devices = question.topology.devices
    cards = {gpu: devices[gpu].memory for each in instances for stage in each.stages for gpu in stage}
    best: tuple[LayoutMemory, Sharding, bool] | None = None
    ways: list[tuple[Sharding, bool]] = [("none", False)]
    if len(instances) > 1:
        ways.append(("fsdp", False))
    ways.append((ways[-1][0], True))
    for sharding, offload in ways:
        settings = TrainSettings(
            task=load.task,
            sequence_tokens=load.sequence_tokens or DEFAULT_SEQUENCE_TOKENS,
            micro_batch=load.micro_batch or 1,
            sharding=sharding,
            offload=offload,
            lora_rank=load.lora_rank or LORA_RANK,
            optimizer=question.workload.optimizer,
            precision="bf16" if question.workload.optimizer == "adamw_8bit" else "mixed",
        )
        memory = size_training(
            question.model, question.weight_format, settings, layout, instances, cards, question.policy
        )
        if offload and memory.fit != "no":
            # "Serves" is about the cards: what leans on system memory runs, no more.
            memory = replace(memory, fit="starts", reason=message("layout.offload"))
        if best is None or FIT_ORDER.index(memory.fit) > FIT_ORDER.index(best[0].fit):
            best = (memory, sharding, offload)
        if memory.fit == "serves_with_reserve":
            break
    if best is None:
        raise ValueError("no way to keep the weights was tried")
    memory, sharding, offload = best
    notes = _training_notes(sharding, offload, len(instances))
    if memory.fit == "no":
        return Answer(memory, None, None, notes)
    load = replace(load, zero_stage=3 if sharding == "fsdp" else 0, offload=offload)
    speed = estimate_training(question.model, question.weight_format, load, layout, instances, question.topologies)
    return Answer(memory, None, speed, notes)


def _training_notes(sharding: Sharding, offload: bool, ranks: int) -> tuple[Message, ...]:
    notes: list[Message] = []
    if ranks > 1:
        notes.append(message("layout.sharded" if sharding == "fsdp" else "layout.whole_on_each", ranks=ranks))
    if offload:
        notes.append(message("layout.offload"))
    return tuple(notes)
