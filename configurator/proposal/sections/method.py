"""What the figures rest on, the next steps, the words used, the sign-off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from reportlab.platypus import Flowable, KeepTogether, Paragraph, Table

from configurator.diagram.tokens import LIGHT
from configurator.plan.index import gpus, servers
from configurator.proposal.blocks import Cell, Grid, Signature, gap, part, points, rich, section, text, together
from configurator.proposal.charts import Legend
from configurator.proposal.fonts import markup
from configurator.proposal.material import Material
from configurator.proposal.pictures import Drawing
from configurator.proposal.sections.options import DASH

MOST_SOURCES = 1


def method(material: Material) -> list[Flowable]:
    """Thresholds, data with source and date, how it is calculated, what is left out."""
    say = material.say
    story: list[Flowable] = section(say("Assumptions and method"), "method")
    story += [
        text(
            say(
                "Memory is added up from the architecture of the model: weights in their format with scales,"
                " conversations by layer and kind of attention, working memory by the engine's steps, against what the"
                " driver reports of each card. Speed is the slowest of reading the weights, computing and exchanging,"
                " each with an efficiency taken from measurements, at the load that was asked. Ranges come from three"
                " runs with pessimistic, expected and optimistic figures for what is not known. Cost is the purchase"
                " spread over its years with interest, plus energy, upkeep, people and failures."
            )
        )
    ]
    story += [*part(say("Thresholds of this project"), "method-policy"), _policy(material)]
    records = _records(material)
    if records:
        told = [f"<b>{markup(name)}</b> {markup(f'({day}): {source}')}" for name, day, source in records]
        story += [*part(say("Data and their sources"), "method-data"), *points(told)]
    if material.project.measurements:
        measured = [
            (
                each.quantity,
                f"{material.wording.number(each.value)}\u00a0{each.unit}",
                each.conditions,
                f"{each.source}, {material.day_of(each.date)}",
            )
            for each in material.project.measurements
        ]
        columns = (say("Measured by the owner"), say("value"), say("conditions"), say("source"))
        grid = Grid(columns, measured, (24, 16, 34, 26), padding=2.4)
        story += [*part(say("Measurements that replace estimates")), grid.flowable()]
    return story


def _policy(material: Material) -> Flowable:
    say, words, policy = material.say, material.wording, material.project.policy
    shares = material.share_range
    rows = [
        (say("Weights take at most"), shares(policy.weights_share_low, policy.weights_share_high)),
        (say("Memory to keep free"), shares(policy.headroom_low, policy.headroom_high)),
        (say("Stop when memory is occupied by"), words.share(policy.occupied_stop)),
        (say("Use of each card at least"), words.share(policy.efficiency_floor)),
        (
            say("Node to buy for comparison"),
            f"{policy.buy_node_gpus}\u00a0×\u00a0{material.gpu_name(policy.buy_node_gpu)}",
        ),
        (say("Engineering time for each added node"), words.factor(policy.engineering_factor_per_added_node)),
    ]
    told = "; ".join(f"{name}: {value}" for name, value in rows)
    return text(f"{told}.", "note")


def _records(material: Material) -> list[tuple[str, str, str]]:
    """Catalogue records that the plan uses, with date and sources."""
    catalogue, plan = material.catalogue, material.plan
    used: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for _, _, _, gpu in gpus(plan):
        card = catalogue.gpus.get(gpu.gpu)
        if card is not None:
            used[card.id] = (card.name, card.as_of, card.sources)
            if card.price is not None and not gpu.owned:
                name = material.say("Price: {name}", name=card.name)
                used[card.id + " price"] = (name, card.price.as_of, card.price.eur.sources)
    for _, server in servers(plan):
        chassis = catalogue.servers.get(server.chassis)
        if chassis is not None:
            used[chassis.id] = (chassis.name, chassis.as_of, chassis.sources)
    for workload in plan.workloads:
        model = catalogue.models.get(workload.model or "")
        if model is not None:
            used[model.id] = (model.name, model.as_of, model.sources)
    for link in plan.links:
        kind = catalogue.links.get(link.kind)
        if kind is not None:
            used[kind.id] = (kind.name, kind.bandwidth.as_of, kind.sources)
    return [
        (name, material.day_of(as_of) or DASH, _sources(material, sources)) for name, as_of, sources in used.values()
    ]


def _sources(material: Material, sources: Sequence[str]) -> str:
    shown = [_short(each) for each in sources[:MOST_SOURCES]]
    more = len(sources) - len(shown)
    if more > 0:
        shown.append(material.say("and {count} more", count=more))
    return "; ".join(shown) or DASH


def _short(source: str) -> str:
    """An address without what a reader does not need to find it."""
    return re.sub(r"^https?://(www\.)?", "", source).rstrip("/")


def next_steps(material: Material) -> list[Flowable]:
    """What to do, in order; who does it. The first line is the box of the summary."""
    say = material.say
    tasks = material.todo.tasks
    if not tasks:
        return []
    rows: list[tuple[Cell, ...]] = [
        (f"{number}", material.task(each), material.who(each.who), "☐") for number, each in enumerate(tasks, 1)
    ]
    head = ("", say("Step"), say("Who"), say("Done"))
    return [*section(say("Next steps"), "next"), Grid(head, rows, (6, 66, 20, 8), padding=2.2).flowable()]


def glossary(material: Material, story: Iterable[Flowable]) -> list[Flowable]:
    """Words of the trade that the owner's pages really use, one line each."""
    words = " ".join(_words(story))
    used = [(name, plain) for name, pattern, plain in _terms(material) if re.search(pattern, words, re.IGNORECASE)]
    if not used:
        return []
    lines = [rich(f'<font color="{LIGHT.ink}"><b>{markup(name)}</b></font> {markup(plain)}', "note")
             for name, plain in used]  # fmt: skip
    half = (len(lines) + 1) // 2
    right: list[Cell] = [*lines[half:], *([""] * (2 * half - len(lines)))]
    grid = Grid((), list(zip(lines[:half], right, strict=True)), (50, 50), padding=1)
    return [together(*section(material.say("Words used"), "glossary"), grid.flowable())]


def _terms(material: Material) -> list[tuple[str, str, str]]:
    """(word, what shows that it is used, what it means)."""
    say = material.say
    return [
        (say("token"), r"token", say("A piece of a word; 100 tokens are about 75 words.")),
        (say("weights"), r"weights", say("The numbers that make up the model; they have to lie in the cards' memory.")),
        (
            say("4 bits, 8 bits, 16 bits"),
            r"\b(4|8|16)[ \u00a0-]bit|INT4|FP8|BF16|GGUF",
            say("How finely each number is kept: fewer bits take less memory and are faster, at some loss of quality."),
        ),
        (
            say("copy"),
            r"\bcop(y|ies)\b",
            say("A whole model that answers on its own; copies share the people."),
        ),
        (say("split"), r"\bsplit\b", say("Several cards work on every step together and exchange data all the time.")),
        (
            say("chain, stages"),
            r"\bchain|\bstages?\b",
            say("Each card or server holds a part of the model and hands its result to the next."),
        ),
        (say("reserve"), r"reserve|headroom", say("Memory left for conversations and peaks once the model is loaded.")),
        (say("cache"), r"cache", say("The notes the model keeps of each conversation; they grow with its length.")),
        (say("prompt"), r"prompt", say("The text that is given to the model.")),
        (say("node"), r"\bnodes?\b", say("Another word for a server with its cards.")),
        (say("cluster"), r"\bcluster\b", say("Servers that work as one over a fast network.")),
        (say("engine"), r"\bengines?\b", say("The program that runs the model, such as vLLM, SGLang or llama.cpp.")),
        (
            say("RDMA, RoCE, InfiniBand"),
            r"RDMA|RoCE|InfiniBand",
            say(
                "Networks over which servers reach each other's memory directly; ordinary Ethernet is slower to answer."
            ),
        ),
        (say("RPC"), r"\bRPC\b", say("How llama.cpp spreads a model over several machines; experimental.")),
        (
            say("PCIe, slot, lanes"),
            r"PCIe|\blanes?\b",
            say("How a card joins its server; more lanes carry more."),
        ),
        (
            say("TP, PP"),
            r"\b(TP|PP)=",
            say("Short for whoever runs it: split over so many cards, chain of so many stages."),
        ),
        (say("experts (MoE)"), r"\bexperts?\b|MoE", say("A model that uses only some of its parts for each word.")),
        (say("API"), r"\bAPI\b", say("The model as a service of a provider, paid by the token.")),
        (
            say("GiB"),
            r"GiB",
            say("What programs count memory in: 1 GiB is 1.07 GB, the unit on a card's box."),
        ),
        (
            say("KV heads"),
            r"KV heads",
            say("Parts of what the model notes of a conversation; a split divides them."),
        ),
        (
            say("watchdog"),
            r"watchdog",
            say("A small program that asks test questions and restarts what is silent."),
        ),
    ]


def _words(story: Iterable[object]) -> Iterable[str]:
    for each in story:
        if isinstance(each, str):
            yield each
        elif isinstance(each, Paragraph):
            yield each.getPlainText()
        elif isinstance(each, Table):
            cells: Any = each
            for row in cells._cellvalues:
                yield from _words(cell for cell in row if cell is not None)
        elif isinstance(each, Legend):
            yield from (fill.word for fill in each.fills)
        elif isinstance(each, Drawing):
            yield from (label.text for label in each.picture.labels)
        elif isinstance(each, KeepTogether):
            kept: Any = each
            yield from _words(kept._content)
        elif isinstance(each, list | tuple):
            yield from _words(each)


def sign_off(material: Material) -> list[Flowable]:
    """Names, dates, signatures; not under a plan that is to be changed first."""
    if not material.todo.ready:
        return []
    say = material.say
    words = say(
        "The figures of this proposal are planning figures with the ranges and dates given in it. They hold"
        " until {day}.",
        day=material.day(material.valid_until),
    )
    lines = (say("name, role"), say("date"), say("signature"))
    return [
        together(
            *section(say("Sign-off"), "sign-off"),
            text(words),
            gap(4),
            text(say("For the owner"), "cell-strong"),
            Signature(lines),
            gap(10),
            text(say("Prepared by"), "cell-strong"),
            Signature(lines),
        )
    ]
