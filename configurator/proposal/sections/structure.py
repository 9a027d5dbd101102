"""How it works: the way of a question through the machines, the connections, what a failure does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportlab.platypus import Flowable, NextPageTemplate, PageBreak

from configurator.operations.results import FailureEffect
from configurator.plan.model import Workload
from configurator.proposal.blocks import Grid, gap, part, section, text, together
from configurator.proposal.material import Material
from configurator.proposal.pictures import Drawing
from configurator.proposal.sections.options import DASH
from configurator.proposal.style import WIDE_HEIGHT, WIDE_WIDTH, WIDTH
from configurator.scaling.results import ScoredLayout
from configurator.terms import Estimate, Message
from configurator.wording import TEXTS

if TYPE_CHECKING:
    from configurator.diagram.interconnect import View
    from configurator.diagram.picture import Picture

HIGHEST = 300.0
"""Most points of height for the connections on an upright page."""
SMALLEST_SCALE = 0.5
"""Points per unit of a drawing below which its text is too small on paper."""

VIEWS: tuple[View, ...] = ("auto", "servers", "groups")
PAGES = ((WIDTH, HIGHEST), (WIDE_WIDTH, WIDE_HEIGHT - 60))
"""Room for the connections: upright first, then on a page turned on its side."""


def structure(material: Material) -> list[Flowable]:
    """Drawings, the layout in words, the table of failures."""
    say = material.say
    opening = section(say("How it works"), "structure")
    for workload, answer in material.workloads:
        if answer.chosen is None or answer.fit == "no":
            opening += [text(_of(material, workload, say("Nothing runs on these machines as they are planned.")))]
        else:
            opening += [text(_of(material, workload, layout_words(material, answer.chosen)))]
    opening += _paths(material)
    graph = _graph(material)
    failures = _failures(material)
    if graph is None:
        return opening + failures
    if _upright(graph):
        title = part(say("How everything is connected"), "structure-graph")
        return [*opening, together(*title, Drawing(graph, HIGHEST), text(graph.summary, "note")), *failures]
    # A page turned on its side stands last: in the middle it would leave half-empty pages before and after it.
    return [*opening, text(say("The drawing of all connections stands on the last page.")), *failures]


def _of(material: Material, workload: Workload, words: str) -> str:
    """With the name of the use, where there are several."""
    return f"{workload.name}: {words}" if len(material.workloads) > 1 else words


def wide_drawing(material: Material) -> list[Flowable]:
    """The connections on a page turned on its side, when they are too wide for an upright one."""
    graph = _graph(material)
    if graph is None or _upright(graph):
        return []
    title = section(material.say("How everything is connected"), "structure-graph")
    drawing = [Drawing(graph, WIDE_HEIGHT - 60), text(graph.summary, "note")]
    return [NextPageTemplate("wide"), PageBreak(), *title, *drawing]


def _upright(graph: Picture) -> bool:
    return graph.width * SMALLEST_SCALE <= WIDTH and graph.height * SMALLEST_SCALE <= HIGHEST


def _paths(material: Material) -> list[Flowable]:
    """The way of a question through the machines, for each use."""
    from configurator.diagram.request_path import request_path

    say = material.say
    story: list[Flowable] = []
    for workload, _ in material.workloads:
        if workload.task not in {"chat", "batch"}:
            continue
        path = request_path(material.plan, material.assessment, material.catalogue, material.wording, workload.id)
        if not path.empty:
            name = [text(workload.name, "cell-strong"), gap(3)] if len(material.workloads) > 1 else []
            story += [together(*name, Drawing(path, 190), text(path.summary, "note"))]
    if not story:
        return []
    words = say(
        "Where the weights are loaded, where questions arrive, and which machines an answer needs: each of them stops"
        " the answer when it fails."
    )
    return [*part(say("The way of a question"), "structure-path"), text(words), *story]


def _graph(material: Material) -> Picture | None:
    """The connections, as much of them as can be read on a page turned on its side."""
    from configurator.diagram.interconnect import interconnect

    facts = material.assessment.facts
    if facts is None:
        return None
    graph = None
    by_detail = [(page, view) for view in VIEWS for page in PAGES]
    by_page = [(page, view) for page in PAGES for view in VIEWS]
    # A page of its own is for wiring that differs from slot to slot; alike cards on one module tell nothing more.
    for (wide, high), view in by_detail if _slotted(material) else by_page:
        graph = interconnect(
            material.plan, facts.topology, material.assessment, material.wording, view=view, aspect=wide / high
        )
        if graph.width * SMALLEST_SCALE <= wide and graph.height * SMALLEST_SCALE <= high:
            break
    return None if graph is None or graph.empty else graph


def _slotted(material: Material) -> bool:
    """Some server holds several cards in slots."""
    for server in material.servers.values():
        cards = [material.catalogue.gpus.get(slot.gpu.gpu) for slot in server.slots if slot.gpu is not None]
        if sum(card is not None and card.form == "pcie" for card in cards) > 1:
            return True
    return False


def layout_words(material: Material, scored: ScoredLayout) -> str:
    """The layout in words: copies, cards per copy, what is shared and what is chained, and what stays idle."""
    say, words, layout = material.say, material.wording, scored.layout
    cards = len({gpu for instance in scored.instances for stage in instance.stages for gpu in stage})
    # A layout that was refused before it had cards still says how many it asked for.
    cards = cards or layout.replicas * layout.pipeline_parallel * layout.tensor_parallel
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
        parts.append(say("Without work in this layout: {gpus}.", gpus=idle))
    return " ".join(parts)


def _failures(material: Material) -> list[Flowable]:
    say = material.say
    story: list[Flowable] = []
    for workload, answer in material.workloads:
        groups: dict[tuple[object, ...], list[FailureEffect]] = {}
        for each in answer.failures:
            kept = {"object_id", "object_kind"} | {name for name, _ in each.note.params if name.endswith("_s")}
            rest = tuple((name, value) for name, value in each.note.params if name not in kept)
            key = (each.stops, each.capacity_left_share, each.requests_lost, each.note.code, rest)
            groups.setdefault(key, []).append(each)
        if not groups:
            continue
        rows = [_effect(material, group) for group in groups.values()]
        head = (say("If this fails"), say("Service"), say("Answers lost"), say("Restart takes"), say("What happens"))
        named = say("When something breaks: {name}", name=workload.name)
        title = part(named if len(material.workloads) > 1 else say("When something breaks"))
        story += [*title, Grid(head, rows, (19, 12, 12, 15, 42), padding=2.2).flowable()]
    return story


def _effect(material: Material, group: list[FailureEffect]) -> tuple[str, ...]:
    """One line for all objects whose failure does the same; the time is that of the slowest way back."""
    say = material.say
    first = max(group, key=lambda each: each.recovery_s.high if each.recovery_s is not None else 0.0)
    kind = f"kind.{first.note.get('object_kind')}"
    note = first.note
    if len(group) > 1:
        any_one = say("any one of them")
        note = Message(note.code, tuple((n, any_one if n == "object_id" else v) for n, v in note.params))
    left = first.capacity_left_share
    service = say("all stops") if first.stops or left <= 0 else say("goes on")
    if 0 < left < 1 and not first.stops:
        service = say("{share} left", share=material.wording.share(left))
    harmless = not first.stops and left >= 1
    requests = first.requests_lost
    lost = DASH if requests is None or harmless else material.wording.counted_range("requests", requests)
    times = [each.recovery_s for each in group if each.recovery_s is not None]
    back = DASH
    if times and not harmless:
        low, high = min(each.low for each in times), max(each.high for each in times)
        back = material.range(Estimate(low, first.recovery_s.expected if first.recovery_s else high, high, "s"))
    # The first column has said what kind of thing it is.
    told = material.text(note).replace(f" ({material.wording.word(kind)})" if kind in TEXTS else "\0", "", 1)
    return (_named(material, group), service, lost, back, told)


def _named(material: Material, group: list[FailureEffect]) -> str:
    """Such as "16 × card; 2 × server; node 1 – node 2"."""
    names = dict(material.wording.names)
    kinds: dict[str, list[FailureEffect]] = {}
    for each in group:
        kinds.setdefault(f"kind.{each.note.get('object_kind')}", []).append(each)
    told = []
    for kind, members in kinds.items():
        word = material.wording.word(kind) if kind in TEXTS else material.say("part")
        if len(members) > 1:
            told.append(f"{len(members)}\u00a0×\u00a0{word}")
        else:
            name = names.get(members[0].object_id, word)
            told.append(name if name.casefold() == word.casefold() or word in name else f"{word} {name}")
    return "; ".join(told)
