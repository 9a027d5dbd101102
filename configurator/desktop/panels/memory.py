"""Memory of the cards as bars: equal cards are shown once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from configurator.catalogue import Catalogue
from configurator.desktop.widgets.memory_bar import Part
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.scaling.results import ScoredLayout
from configurator.sizing.results import GpuMemory

Legend = Literal["values", "names", "none"]
Bar = tuple[str, str, tuple[Part, ...], tuple[str, ...], Legend]
"""Title, total, parts, ids of the cards, what the legend says."""


ALIKE = 0.02
"""Stages of one copy differ by a little; less than this share of the card is not seen in a bar."""


def _parts(memory: GpuMemory) -> tuple[int, ...]:
    working = memory.activation_bytes + memory.overhead_bytes
    return memory.weights_bytes, memory.kv_cache_bytes, working, memory.short_bytes


def _alike(one: GpuMemory, other: GpuMemory) -> bool:
    if (one.gpu, one.memory_bytes) != (other.gpu, other.memory_bytes):
        return False
    room = one.memory_bytes * ALIKE
    return all(abs(a - b) <= room for a, b in zip(_parts(one), _parts(other), strict=True))


def grouped(per_gpu: Sequence[GpuMemory]) -> list[tuple[GpuMemory, tuple[str, ...]]]:
    """Cards with like figures together, in order of first appearance; the fullest of each speaks for it."""
    found: list[list[GpuMemory]] = []
    for each in per_gpu:
        group = next((group for group in found if _alike(group[0], each)), None)
        if group is None:
            found.append([each])
        else:
            group.append(each)
    return [(min(group, key=lambda each: each.free_bytes), tuple(each.gpu_id for each in group)) for group in found]


def bars(
    per_gpu: Sequence[GpuMemory], catalogue: Catalogue, wording: Wording, chosen: ScoredLayout | None = None
) -> list[Bar]:
    """What to draw, fullest cards first. Groups of the same card are told apart by their stage."""
    made = [_bar(memory, ids, catalogue, wording) for memory, ids in grouped(per_gpu)]
    titles = [bar[0] for bar in made]
    stage = _stages(chosen)
    for number, (title, total, parts, ids, legend) in enumerate(made):
        found = {stage.get(each) for each in ids}
        if titles.count(title) > 1 and len(found) == 1 and None not in found:
            said = wording.gettext("stage {n}").format(n=found.pop())
            made[number] = (f"{title} · {said}", total, parts, ids, legend)

    def place(number: int) -> tuple[float, ...]:
        """Stages of one copy in their order, everything else by how full it is."""
        steps = {stage.get(each, 0) for each in made[number][3]}
        fullest = max(_occupied(bar) for bar in made)
        return (-fullest, min(steps), number) if 0 not in steps else (-_occupied(made[number]), 0, number)

    order = sorted(range(len(made)), key=place)
    return [made[number] for number in order]


def _stages(chosen: ScoredLayout | None) -> dict[str, int]:
    """Stage of each card, from 1; empty while there is one stage only."""
    if chosen is None or all(len(each.stages) < 2 for each in chosen.instances):
        return {}
    return {gpu: stage for each in chosen.instances for stage, group in enumerate(each.stages, 1) for gpu in group}


def _occupied(bar: Bar) -> float:
    return sum(part.share for part in bar[2] if part.colour != "free")


def _bar(memory: GpuMemory, ids: tuple[str, ...], catalogue: Catalogue, wording: Wording) -> Bar:
    _ = wording.gettext
    record = catalogue.gpus.get(memory.gpu)
    name = record.short_name if record is not None else memory.gpu
    title = f"{len(ids)} × {name}" if len(ids) > 1 else name
    total = _("{memory} each").format(memory=wording.memory(memory.memory_bytes))
    if len(ids) == 1:
        total = wording.memory(memory.memory_bytes)
    operator = wording.audience == "operator"
    working = memory.activation_bytes + memory.overhead_bytes
    entries = [
        (
            _("weights") if operator else _("model"),
            memory.weights_bytes,
            "weights",
            _("Weights of the model on this card: parameters × bits of the format, split over the cards of the copy."),
        ),
        (
            _("KV cache") if operator else _("conversations"),
            memory.kv_cache_bytes,
            "kv",
            _("Memory of the running conversations (KV cache): bytes per token × tokens per request × requests."),
        ),
        (
            _("activations and runtime") if operator else _("working"),
            working,
            "working",
            _("Working memory of a step, CUDA graphs and what the engine and the driver take for themselves."),
        ),
        (_("free"), memory.free_bytes, "free", _("What is left after the load you asked for.")),
    ]
    parts = [
        Part(name, wording.memory(size), size / memory.memory_bytes, colour, said)
        for name, size, colour, said in entries
        if size > 0
    ]
    if memory.short_bytes:
        short = wording.memory(memory.short_bytes)
        said = _("This much more would be needed on the card.")
        parts.append(Part(_("missing"), short, memory.short_bytes / memory.memory_bytes, "stop", said, short=True))
    return title, total, tuple(parts), ids, "values"


def compact(shown: Sequence[Bar]) -> list[Bar]:
    """Many different cards: what is free (or missing) beside each bar, one legend of names below the last."""
    found: list[Bar] = []
    for number, (title, total, parts, ids, _legend) in enumerate(shown):
        last = parts[-1]
        # The size of the card would leave no room for its name; the bars show the shares.
        said = f"{last.name} {last.value}" if last.colour in {"free", "stop"} else total
        found.append((title, said, parts, ids, "names" if number == len(shown) - 1 else "none"))
    return found
