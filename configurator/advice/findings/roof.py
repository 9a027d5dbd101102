"""How near to the physical limit one person's forecast is, over the very cards that the forecast uses (R25)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, do, say
from configurator.advice.reasons import speed_of_full_memory
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least, offloaded
from configurator.scaling.results import Instance, ScoredLayout, Speed
from configurator.scaling.work import StageWork, stage_work

NEAR_LIMIT = 0.6
"""From this share of the memory limit on, the memory is what sets the speed."""


def one_person(s: Situation) -> Speed | None:
    """What one person alone gets: the layout's own speed where that is what was asked for."""
    if s.chosen is None:
        return None
    asked = s.workload.users in (None, 1) and s.workload.requests_per_s is None and not speed_of_full_memory(s)
    return s.chosen.speed if asked else s.alone


def _read_bytes(work: StageWork) -> float:
    """What one card of a stage reads from its memory for a token of one person."""
    read = sum(each.weight_bytes for each in work.matrices)
    read += work.head.weight_bytes if work.head is not None else 0.0
    if work.experts is not None:
        read += work.experts.layers * work.experts.per_token * work.experts.expert_bytes / work.experts.expert_ranks
    return read


def _stages(chosen: ScoredLayout, instance: Instance) -> list[tuple[tuple[str, ...], int]]:
    """(cards that read at once, layers of each) in the order in which a token passes them."""
    found = []
    for cards, layers in zip(instance.stages, instance.layers_per_stage, strict=True):
        together = chosen.layout.engine != "llama.cpp" or chosen.layout.split == "row" or len(cards) == 1
        if together:
            found.append((cards, layers))
            continue
        each, rest = divmod(layers, len(cards))
        found += [((card,), each + (place < rest)) for place, card in enumerate(cards)]
    return found


def floor_s(s: Situation, instance: Instance) -> float:
    """Seconds a token of one person takes at least: every stage reads its part at the speed of its slowest card."""
    if s.model is None or s.work.weight_format is None or s.chosen is None:
        return 0.0
    layout, first, seconds = s.chosen.layout, 0, 0.0
    for cards, layers in _stages(s.chosen, instance):
        rates = [s.shape.by_id[each].record.memory_bandwidth.value for each in cards if each in s.shape.by_id]
        if len(rates) < len(cards):
            return 0.0
        experts = layout.expert_parallel if layout.expert_parallel <= len(cards) else 1
        attention = layout.data_parallel_attention if layout.data_parallel_attention <= len(cards) else 1
        work = stage_work(s.model, s.work.weight_format, len(cards), experts, attention, first, layers)
        seconds += _read_bytes(work) / min(rates)
        first += layers
    return seconds


def expectation(s: Situation) -> Iterator[Finding]:
    """Forecast over limit, and what takes the rest; never a second expectation."""
    speed = one_person(s)
    if s.model is None or s.chosen is None or s.training or not s.writes or not at_least(s.fit, "starts"):
        return
    if speed is None or s.work.weight_format is None or offloaded(s.chosen):
        return
    read = _read_bytes(stage_work(s.model, s.work.weight_format))
    floors = [each for each in (floor_s(s, one) for one in s.chosen.instances) if each > 0]
    expected = speed.output_tokens_per_s_per_user.expected
    if not floors or expected <= 0:
        return
    # One person alone is sent to the fastest copy.
    ceiling = (s.workload.speculative_accepted_tokens or 1.0) / min(floors)
    reached = expected / ceiling
    if reached > 1.0:
        return
    fastest = min(s.chosen.instances, key=lambda one: floor_s(s, one) or float("inf"))
    stages = _stages(s.chosen, fastest)
    limit = speed.limited_by.code
    taken = "link" if limit == "limited.link" else "near" if reached >= NEAR_LIMIT else "launch"
    if taken == "launch" and max(len(cards) for cards, _ in stages) > 1:
        taken = "both"
    yield say(
        "expectation.limit.chain" if len(stages) > 1 else "expectation.limit.share",
        NOTE,
        (s.workload.id,),
        do("expectation.fewer_bits") if s.work.weight_format.bits > 9 else None,
        read_gb=round(read / 1e9, 1),
        parallel_gpus=max(len(cards) for cards, _ in stages),
        stages=len(stages),
        ceiling_tokens_per_s=ceiling,
        expected_tokens_per_s=speed.output_tokens_per_s_per_user,
        limit_share=reached,
        rest_code=f"rest.{taken}",
    )
    read_gb, weights_gb = round(read / 1e9, 1), round(s.work.weights_bytes / 1e9)
    if s.model.kind == "moe":
        yield say("expectation.sparse.reads", NOTE, (s.workload.id,), read_gb=read_gb, weights_gb=weights_gb)
    else:
        yield say("expectation.dense.reads", NOTE, (s.workload.id,), read_gb=read_gb)
