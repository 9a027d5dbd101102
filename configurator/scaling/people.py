"""Speed of a chosen layout for any number of people: for one of them, and for more than were asked for."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from configurator.plan.edits import rebuilt
from configurator.scaling.ask import ask_serving
from configurator.scaling.judge import Question
from configurator.scaling.layouts import SERVING
from configurator.scaling.results import Instance, ScoredLayout, Speed


def speed_for(question: Question, scored: ScoredLayout, users: float) -> Speed | None:
    """What each of ``users`` people gets who are spread evenly over the copies; None where nothing runs.

    Of unequal copies the slowest speaks, except for one person alone: the router sends them to the fastest. The totals
    of the answer are those of one copy.
    """
    workload = question.workload
    if scored.speed is None or not scored.instances or workload.task not in SERVING:
        return None
    devices = question.topology.devices
    kinds: dict[object, Instance] = {}
    for one in scored.instances:
        key = (one.layers_per_stage, tuple(tuple(devices[gpu].memory.gpu for gpu in stage) for stage in one.stages))
        kinds.setdefault(key, one)
    if workload.users is not None or workload.requests_per_s is not None:
        question = replace(question, workload=rebuilt(workload, users=None, requests_per_s=None))
    part = max(1.0, users / len(scored.instances))
    layout = scored.layout
    speeds = []
    for instance in kinds.values():
        tensor = len(instance.stages[0]) if layout.engine != "llama.cpp" else 1
        single = replace(layout, replicas=1, tensor_parallel=tensor, pipeline_parallel=len(instance.stages))
        answer = ask_serving(question, single, instance, float(ceil(part)), 1.0)
        if answer.speed is not None:
            speeds.append(answer.speed)
    best = max if users <= 1 else min
    return best(speeds, key=lambda each: each.output_tokens_per_s_per_user.expected, default=None)
