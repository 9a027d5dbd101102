"""Speed of a chosen layout for any number of people: for one of them, and for more than were asked for."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from math import ceil

from configurator.plan.edits import rebuilt
from configurator.scaling.ask import ask_serving, memory_of
from configurator.scaling.judge import Question
from configurator.scaling.layouts import SERVING
from configurator.scaling.results import Instance, Layout, ScoredLayout, Speed
from configurator.sizing.results import LayoutMemory

KEPT = 512
_speeds: OrderedDict[tuple[object, ...], tuple[object, object, Speed | None]] = OrderedDict()
_sized: OrderedDict[tuple[object, ...], tuple[object, LayoutMemory]] = OrderedDict()


def _speed(question: Question, layout: Layout, instance: Instance, users: float) -> Speed | None:
    """Speed of one copy for so many people, kept: other numbers of asked people do not change it."""
    topology = question.topology
    key = (*question.key, question.ranged, layout, instance, users)
    kept = _speeds.get(key)
    if kept is not None and kept[0] is question.model and kept[1] is topology:
        return kept[2]
    speed = ask_serving(question, layout, instance, users, 1.0, _memory(question, layout, instance)).speed
    _speeds[key] = (question.model, topology, speed)
    if len(_speeds) > KEPT:
        _speeds.popitem(last=False)
    return speed


def _memory(question: Question, layout: Layout, instance: Instance) -> LayoutMemory:
    """Memory of one copy for whoever asks: it does not depend on how many people a speed is wanted for."""
    devices = question.topology.devices
    cards = tuple(tuple(devices[gpu].memory for gpu in stage) for stage in instance.stages)
    key = (*question.key, layout, instance.layers_per_stage, cards)
    kept = _sized.get(key)
    if kept is not None and kept[0] is question.model:
        return kept[1]
    memory = memory_of(question, layout, (instance,), None)
    _sized[key] = (question.model, memory)
    if len(_sized) > KEPT:
        _sized.popitem(last=False)
    return memory


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
        speed = _speed(question, single, instance, float(ceil(part)))
        if speed is not None:
            speeds.append(speed)
    best = max if users <= 1 else min
    return best(speeds, key=lambda each: each.output_tokens_per_s_per_user.expected, default=None)
