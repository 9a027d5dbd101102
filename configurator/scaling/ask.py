"""The two questions to the engines: does it fit (sizing), how fast is it (serving, training)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from configurator.catalogue.records import ModelRecord
from configurator.plan.model import Workload
from configurator.scaling.judge import Answer, Question
from configurator.scaling.results import Instance, Layout
from configurator.scaling.serving import DEFAULT_CONTEXT_TOKENS, estimate_serving, load_of
from configurator.sizing.results import LayoutMemory
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad, ServeSettings
from configurator.terms import Estimate


def longest_request(workload: Workload, model: ModelRecord) -> int:
    """Longest request the engine is started for; a usual length while the owner has not said one."""
    return (
        workload.max_context_tokens
        or workload.context_tokens
        or min(DEFAULT_CONTEXT_TOKENS, model.max_context_tokens or DEFAULT_CONTEXT_TOKENS)
    )


def serve_settings(workload: Workload, model: ModelRecord) -> ServeSettings:
    """How the engine would be started for this workload."""
    return ServeSettings(
        engine=workload.engine,
        kv_cache=workload.kv_cache,
        max_model_len=longest_request(workload, model),
    )


def serve_load(workload: Workload, model: ModelRecord, users: int | None) -> ServeLoad:
    """What is asked of one copy."""
    longest = longest_request(workload, model)
    return ServeLoad(users, workload.context_tokens or longest, longest)


def memory_of(question: Question, layout: Layout, instances: Sequence[Instance], users: int | None) -> LayoutMemory:
    """Sizing's answer for these copies."""
    devices = question.topology.devices
    cards = {gpu: devices[gpu].memory for each in instances for stage in each.stages for gpu in stage}
    return size_serving(
        question.model,
        question.weight_format,
        serve_settings(question.workload, question.model),
        layout,
        instances,
        cards,
        serve_load(question.workload, question.model, users),
        question.policy,
    )


def ask_serving(
    question: Question,
    layout: Layout,
    instance: Instance,
    users: int | None,
    share: float,
    memory: LayoutMemory | None = None,
) -> Answer:
    """Memory and speed of one copy that serves ``users``, or ``share`` of the requests that arrive.

    ``memory``: sizing's answer where it is known already.
    """
    workload = question.workload
    if memory is None:
        memory = memory_of(question, layout, (instance,), users)
    if memory.fit == "no":
        return Answer(memory, None)
    load = load_of(workload, users)
    if workload.users is None and workload.requests_per_s is not None:
        load = replace(load, requests_per_s=workload.requests_per_s * share)
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


def ask_training(question: Question, layout: Layout, instances: Sequence[Instance]) -> Answer:
    """Memory and speed of a training job over all its copies."""
    raise NotImplementedError
