"""How it works: the way of a question through the machines, the connections, what a failure does."""

from __future__ import annotations

from reportlab.platypus import Flowable

from configurator.plan.index import find
from configurator.proposal.blocks import Grid, callout, part, section, text, together
from configurator.proposal.material import Material
from configurator.proposal.pictures import Drawing
from configurator.proposal.sections.options import DASH
from configurator.scaling.results import ScoredLayout


def structure(material: Material) -> list[Flowable]:
    """Drawings, the layout in words, the table of failures."""
    say = material.say
    story: list[Flowable] = section(say("How it works"), "structure")
    for workload, answer in material.workloads:
        if answer.chosen is not None:
            story += [text(say("{name}: {layout}", name=workload.name, layout=layout_words(material, answer.chosen)))]
    story += _drawings(material)
    story += _failures(material)
    return story


def layout_words(material: Material, scored: ScoredLayout) -> str:
    """The layout in words: copies, cards per copy, what is shared and what is chained, and what stays idle."""
    say, words, layout = material.say, material.wording, scored.layout
    cards = len({gpu for instance in scored.instances for stage in instance.stages for gpu in stage})
    parts = [
        say(
            "{copies} of the model on {gpus}.",
            copies=words.counted("copies", layout.replicas),
            gpus=words.counted("gpus", cards),
        )
    ]
    if layout.tensor_parallel > 1:
        shared = words.counted("gpus", layout.tensor_parallel)
        parts.append(say("Each layer is shared by {gpus} that work on it together.", gpus=shared))
    if layout.pipeline_parallel > 1:
        stages = words.counted("stages", layout.pipeline_parallel)
        parts.append(say("The layers are chained in {stages}, one after the other.", stages=stages))
    if layout.expert_parallel > 1:
        spread = words.counted("gpus", layout.expert_parallel)
        parts.append(say("The experts are spread over {gpus}.", gpus=spread))
    if layout.offload:
        parts.append(say("Part of the weights stays in the memory of the machine, which is slow."))
    if scored.idle_gpu_ids:
        idle = words.counted("gpus", len(scored.idle_gpu_ids))
        parts.append(say("{gpus} stay without work in this layout.", gpus=idle))
    return " ".join(parts)


def _drawings(material: Material) -> list[Flowable]:
    from configurator.diagram.interconnect import interconnect

    say = material.say
    story: list[Flowable] = []
    facts = material.assessment.facts
    if facts is None:
        return [callout(say("No drawing."), say("This answer came without its connections."), "unknown")]
    graph = interconnect(material.plan, facts.topology, material.assessment, material.wording)
    if not graph.empty:
        title = part(say("How everything is connected"), "structure-graph")
        story += [together(*title, Drawing(graph, 470), text(graph.summary, "note"))]
    return story


def _failures(material: Material) -> list[Flowable]:
    say, words = material.say, material.wording
    story: list[Flowable] = []
    for workload, answer in material.workloads:
        groups: dict[tuple[str, ...], int] = {}
        for each in answer.failures:
            found = find(material.plan, each.object_id)
            kind = type(found.node).__name__ if found is not None else ""
            effect = (
                say("all stops")
                if each.stops or each.capacity_left_share <= 0
                else say("{share} left", share=words.share(each.capacity_left_share))
            )
            lost = material.range(each.requests_lost) if each.requests_lost is not None else DASH
            back = material.range(each.recovery_s) if each.recovery_s is not None else DASH
            key = (_kind(material, kind), effect, lost, back, material.text(each.note))
            groups[key] = groups.get(key, 0) + 1
        if not groups:
            continue
        rows = [(f"{count}\u00a0×\u00a0{key[0]}" if count > 1 else key[0], *key[1:]) for key, count in groups.items()]
        head = (say("If this fails"), say("Service"), say("Answers lost"), say("Back after"), say("What happens"))
        title = part(say("When something breaks: {name}", name=workload.name))
        story += [*title, Grid(head, rows, (18, 14, 14, 14, 40), padding=3).flowable()]
    return story


def _kind(material: Material, name: str) -> str:
    say = material.say
    return {
        "Gpu": say("card"),
        "Server": say("server"),
        "Site": say("place"),
        "Link": say("connection"),
        "NetworkSwitch": say("network switch"),
        "Nic": say("network card"),
        "PcieSwitch": say("PCIe switch"),
    }.get(name, say("part"))
