"""Memory, how many people it carries, and how fast: ranges with their basis."""

from __future__ import annotations

from reportlab.platypus import Flowable

from configurator.assess import WorkloadAssessment
from configurator.plan.model import Workload
from configurator.proposal.blocks import Cell, Grid, callout, gap, part, section, text, together
from configurator.proposal.charts import Fill, Legend, Range, Ranges, StackedBars
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH
from configurator.scaling.results import Speed, TrainingSpeed
from configurator.sizing.results import GpuMemory
from configurator.terms import Estimate

MOST_USE = 1.05
"""A card cannot be used by more than the whole: above this the smaller number of cards was the slow one."""
MISSING_SHARE = 0.4
"""Length of what is missing in a bar, at most this part of the card."""
EQUAL_BARS = 4
"""More cards than this are drawn as one bar per group of equal ones."""


def memory_fills(material: Material) -> dict[str, Fill]:
    """The parts of a card's memory with colour, hatching and word."""
    say = material.say
    return {
        "weights": Fill(say("weights"), "weights", "solid"),
        "kv": Fill(say("conversations (KV cache)"), "kv", "lines"),
        "working": Fill(say("working memory"), "working", "dots"),
        "overhead": Fill(say("engine and driver"), "unknown", "cross"),
        "free": Fill(say("free"), "free", "none"),
        "missing": Fill(say("missing"), "stop", "steep"),
    }


def capacity(material: Material) -> list[Flowable]:
    """A bar per card and what fits."""
    say = material.say
    story: list[Flowable] = section(say("Memory and capacity"), "capacity")
    if not material.workloads:
        return [*story, text(say("Nothing runs on these cards yet: choose a model to see what it takes."))]
    for workload, answer in material.workloads:
        named = f"{workload.name}: " if len(material.workloads) > 1 else ""
        story += part(f"{named}{material.model_name(workload)}", f"capacity-{workload.id}")
        story += _memory(material, answer)
        story += _numbers(material, workload, answer)
        story += _lengths(material, workload)
    return story


def _memory(material: Material, answer: WorkloadAssessment) -> list[Flowable]:
    if not answer.per_gpu:
        return [text(material.say("There is no card to put it on."))]
    fills = memory_fills(material)
    words = material.wording
    rows = []
    for label, memory, count in _bars(material, answer.per_gpu):
        parts: list[tuple[Fill, float]] = [
            (fills["weights"], memory.weights_bytes),
            (fills["kv"], memory.kv_cache_bytes),
            (fills["working"], memory.activation_bytes),
            (fills["overhead"], memory.overhead_bytes),
            (fills["free"], memory.free_bytes),
        ]
        short = memory.short_bytes
        # What is missing may be many times the card: the bar shows that it is missing, the figure how much.
        parts.append((fills["missing"], min(short, memory.memory_bytes * MISSING_SHARE)))
        figure = (
            material.say("{memory} short", memory=words.memory(short))
            if short
            else material.say("{memory} free", memory=words.memory(memory.free_bytes))
        )
        rows.append((f"{count}\u00a0×\u00a0{label}" if count > 1 else label, parts, figure))
    scale = max(sum(value for _, value in parts) for _, parts, _ in rows)
    bars = StackedBars(rows, scale=scale)
    drawn = {fill.word for _, parts, _ in rows for fill, value in parts if value > 0}
    legend = Legend(tuple(fill for fill in fills.values() if fill.word in drawn))
    story: list[Flowable] = [together(bars, legend)] if len(rows) <= EQUAL_BARS else [bars, legend]
    return [*story, _memory_table(material, answer.per_gpu)]


def _bars(material: Material, per_gpu: tuple[GpuMemory, ...]) -> list[tuple[str, GpuMemory, int]]:
    """(label, memory, count): every card, or one for each group of equal ones when there are many."""
    if len(per_gpu) <= EQUAL_BARS:
        return [(material.card_place(each.gpu_id), each, 1) for each in per_gpu]
    groups: dict[tuple[object, ...], tuple[GpuMemory, int]] = {}
    for each in per_gpu:
        key = (
            each.gpu,
            each.weights_bytes,
            each.kv_cache_bytes,
            each.activation_bytes,
            each.overhead_bytes,
            each.short_bytes,
        )
        first, count = groups.get(key, (each, 0))
        groups[key] = (first, count + 1)
    return [(material.gpu_name(each.gpu), each, count) for each, count in groups.values()]


def _memory_table(material: Material, per_gpu: tuple[GpuMemory, ...]) -> Flowable:
    say, words = material.say, material.wording

    def size(value: int) -> str:
        return words.memory(value) if value else DASH

    groups: dict[tuple[object, ...], tuple[GpuMemory, int]] = {}
    for each in per_gpu:
        key = (
            each.gpu,
            each.memory_bytes,
            each.weights_bytes,
            each.kv_cache_bytes,
            each.activation_bytes,
            each.overhead_bytes,
            each.free_bytes,
            each.short_bytes,
        )
        first, count = groups.get(key, (each, 0))
        groups[key] = (first, count + 1)
    rows: list[tuple[Cell, ...]] = [
        (
            f"{count}\u00a0×\u00a0{material.gpu_name(each.gpu)}",
            words.memory(each.memory_bytes),
            size(each.weights_bytes),
            size(each.kv_cache_bytes),
            size(each.activation_bytes),
            size(each.overhead_bytes),
            f"−{words.memory(each.short_bytes)}" if each.short_bytes else words.memory(each.free_bytes),
        )
        for each, count in groups.values()
    ]
    head = (
        say("Each card"),
        say("usable"),
        say("weights"),
        say("conversations"),
        say("working"),
        say("engine"),
        say("free"),
    )
    return Grid(head, rows, (22, 12, 12, 16, 12, 12, 14), align="lrrrrrr", padding=2.2).flowable()


def _numbers(material: Material, workload: Workload, answer: WorkloadAssessment) -> list[Flowable]:
    say, words = material.say, material.wording
    rows: list[tuple[str, str, str]] = [(say("Result"), material.fit_word(workload, answer.fit), say("calculated"))]

    def add(name: str, value: Estimate | None) -> None:
        if value is not None:
            rows.append((name, material.range(value), words.word(f"basis.{value.basis}")))

    if workload.task in {"chat", "batch"}:
        add(say("People at once that memory holds, at the asked length"), answer.users_served)
        add(say("Full-length requests at once, one copy"), answer.max_concurrency)
        add(say("Tokens of conversation one copy holds"), answer.kv_cache_tokens)
        if answer.max_context_tokens:
            longest = words.counted("tokens", answer.max_context_tokens)
            rows.append((say("Longest conversation for the asked people"), longest, say("calculated")))
    chosen = answer.chosen
    if chosen is not None:
        policy = material.project.policy
        band = material.share_range(policy.weights_share_low, policy.weights_share_high)
        share = say(
            "{share} (your threshold: at most {band})", share=words.share(chosen.memory.weights_share), band=band
        )
        rows.append((say("Weights on the tightest card"), share, say("calculated")))
        band = material.share_range(policy.headroom_low, policy.headroom_high)
        left = max(0.0, 1 - chosen.memory.weights_share)
        share = say("{share} (your threshold: at least {band})", share=words.share(left), band=band)
        rows.append((say("Left beside the weights for the work"), share, say("calculated")))
        free = words.share(chosen.memory.headroom_share)
        rows.append((say("Still free with the asked load, tightest card"), free, say("calculated")))
    # One basis for all lines is no column.
    same = len({basis for _, _, basis in rows}) == 1
    cells: list[tuple[Cell, ...]] = [row[:2] if same else row for row in rows]
    head = (say("Capacity ({basis})", basis=rows[0][2]), "") if same else (say("Capacity"), "", say("basis"))
    story: list[Flowable] = [gap(6), Grid(head, cells, (46, 54) if same else (38, 46, 16), padding=1.9).flowable()]
    if chosen is not None and chosen.memory.reason is not None:
        story += [
            gap(5),
            callout(
                _why(material, answer), material.text(chosen.memory.reason), "stop" if answer.fit == "no" else "step"
            ),
        ]
    return story


def _why(material: Material, answer: WorkloadAssessment) -> str:
    """What the reason of the memory explains."""
    say = material.say
    if answer.fit == "no":
        return say("Why it does not fit.")
    return say("Why it does not carry the load.") if answer.fit == "starts" else say("Why there is no reserve.")


def _lengths(material: Material, workload: Workload) -> list[Flowable]:
    """People at once against the length of their conversations."""
    lines = [each for each in material.by_context if each.workload_id == workload.id]
    if len(lines) < 2:
        return []
    say, words = material.say, material.wording
    rows = [
        (
            words.counted("tokens", each.context_tokens) + (f" ({say('asked')})" if each.asked else ""),
            material.range(each.users_served) if each.users_served is not None else say("none"),
            words.word(f"fit.{each.fit}"),
        )
        for each in lines
    ]
    asked = words.counted("users", workload.users) if workload.users else say("the load that was asked")
    head = (say("Length of a conversation"), say("people that memory holds"), say("with {people}", people=asked))
    grid = Grid(head, rows, (32, 26, 42), align="lrl", padding=2.2)
    return [together(*part(say("Shorter and longer conversations")), grid.flowable())]


def performance(material: Material) -> list[Flowable]:
    """Low, expected and high of the speeds, what limits them, and how well more cards are used."""
    say = material.say
    story: list[Flowable] = section(say("Performance to expect"), "performance")
    any_speed = False
    for workload, answer in material.workloads:
        chosen = answer.chosen
        if chosen is None or (chosen.speed is None and chosen.training is None):
            continue
        any_speed = True
        if len(material.workloads) > 1:
            story += part(workload.name)
        if chosen.speed is not None:
            story += _serving(material, workload, material.speed_of(workload, answer) or chosen.speed)
        if chosen.training is not None:
            story += _training(material, workload, chosen.training)
        story += _efficiency(material, answer)
    if not any_speed:
        story += [text(say("No speed is forecast: nothing runs in this plan."))]
    return story


def _range(material: Material, label: str, value: Estimate, target: float | None = None, word: str = "") -> Range:
    return Range(label, value.low, value.expected, value.high, material.around(value), target, word)


def _serving(material: Material, workload: Workload, speed: Speed) -> list[Flowable]:
    say, words = material.say, material.wording
    first = workload.time_to_first_token_limit_s
    each = workload.tokens_per_s_per_user_limit
    rows = [
        _range(material, say("Time to the first word"), speed.time_to_first_token_s, first, say("your limit")),
        _range(material, say("Speed for each person"), speed.output_tokens_per_s_per_user, each, say("your limit")),
    ]
    if workload.users not in (None, 1) or workload.task == "batch":
        rows.append(_range(material, say("Speed in all"), speed.output_tokens_per_s))
    rows.append(_range(material, say("Reading of questions"), speed.prefill_tokens_per_s))
    kind = words.word("basis.measured") if speed.basis == "measured" else words.word("basis.calculated")
    notes = [say("Basis: {basis}.", basis=kind)]
    if workload.users is None and workload.task == "chat":
        notes.insert(0, say("For one person alone: how many use it is not given."))
    if not speed.calibrated:
        notes.append(say("No measurement of such a machine is near; the range is widened."))
    if speed.saturated:
        notes.append(say("The asked load fills the machine: more people wait, or each one is slower."))
    return [
        Ranges(rows, figure_room=190),
        text(
            say("The bar spans low to high, the black mark is the expected figure; a dashed line is a limit you set."),
            "note",
        ),
        text(say("What limits it: {limit}", limit=material.text(speed.limited_by))),
        text(" ".join(notes), "note"),
    ]


def _training(material: Material, workload: Workload, speed: TrainingSpeed) -> list[Flowable]:
    say = material.say
    rows = [
        _range(material, say("Training speed"), speed.tokens_per_s),
        _range(material, say("One step"), speed.step_s),
    ]
    rows.append(_range(material, say("Use of the cards"), speed.model_flops_utilisation.scaled(1.0, "share")))
    if speed.time_to_finish_s is not None:
        limit = workload.deadline_h * 3600 if workload.deadline_h else None
        rows.append(_range(material, say("Time to finish"), speed.time_to_finish_s, limit, say("deadline")))
    notes = [say("What limits it: {limit}", limit=material.text(speed.limited_by))]
    if not speed.calibrated:
        notes.append(say("No measurement of such a machine is near; the range is widened."))
    return [Ranges(rows, figure_room=190), text(" ".join(notes))]


def _efficiency(material: Material, answer: WorkloadAssessment) -> list[Flowable]:
    curve = answer.efficiency
    if curve is None or len(curve.points) < 2:
        return []
    say, words = material.say, material.wording
    counts = sorted({point.gpus for point in curve.points})
    if len(counts) < 2:
        # One number of cards is no comparison.
        return []
    shown = [each for each in counts if each & (each - 1) == 0 or each == counts[-1]][-5:]
    modes = sorted(dict.fromkeys(point.mode for point in curve.points), key=lambda mode: mode == "best")
    rows, own_modes = [], ("best", _mode(answer))
    for mode in modes:
        points = {point.gpus: point for point in curve.points if point.mode == mode}
        if mode == "dp" and max(points) <= curve.baseline_gpus:
            # One copy is all there is: nothing to run independently.
            continue
        cells = []
        for count in shown:
            point = points.get(count)
            if point is None:
                cells.append(DASH)
                continue
            if mode in own_modes and count == _cards(answer) and (ours := _own_rate(answer)) is not None:
                # This is the plan's own layout: one speed for one thing.
                cells.append(words.estimate(Estimate(ours.low, ours.expected, ours.high)))
                continue
            rate = words.estimate(
                Estimate(point.tokens_per_s.low, point.tokens_per_s.expected, point.tokens_per_s.high)
            )
            used = point.efficiency.expected
            cells.append(f"{rate} · {words.share(round(used, 2))}" if used <= MOST_USE else rate)
        if any(cell != DASH for cell in cells):
            name = words.word(f"mode.{mode}")
            if mode == "dp" and curve.baseline_gpus > 1:
                name = say("{mode}, {gpus} each", mode=name, gpus=words.counted("gpus", curve.baseline_gpus))
            rows.append((name, *cells))
    head = (
        say("Tokens/s with reading of prompts, use of each card"),
        *(words.counted("gpus", count) for count in shown),
    )
    note = say(
        "Use of each card: its part of the expected speed, over the speed per card of {gpus}. Your floor is {floor}.",
        gpus=words.counted("gpus", curve.baseline_gpus),
        floor=words.share(material.project.policy.efficiency_floor),
    )
    if curve.fabric_needed_bytes_per_s is not None:
        need = words.bandwidth(curve.fabric_needed_bytes_per_s)
        note += " " + say("A connection of {rate} would reach it.", rate=need)
    widths = (28, *([72 / len(shown)] * len(shown)))
    grid = Grid(head, rows, widths, align="l" + "r" * len(shown), padding=2.2)
    return [together(*part(say("More cards, how much more speed")), grid.flowable(), gap(3), text(note, "note"))]


def _cards(answer: WorkloadAssessment) -> int:
    """Cards that the plan's own layout uses."""
    if answer.chosen is None:
        return 0
    return len({gpu for one in answer.chosen.instances for stage in one.stages for gpu in stage})


def _mode(answer: WorkloadAssessment) -> str:
    """The plan's own layout as one of the ways of the curve, "" where it mixes them."""
    if answer.chosen is None:
        return ""
    layout = answer.chosen.layout
    if layout.replicas > 1:
        return "dp" if layout.width == 1 else ""
    if layout.pipeline_parallel > 1:
        return "pp" if layout.tensor_parallel == 1 else ""
    return "tp"


def _own_rate(answer: WorkloadAssessment) -> Estimate | None:
    """What the plan's own layout gives in all."""
    if answer.chosen is None:
        return None
    if answer.chosen.training is not None:
        return answer.chosen.training.tokens_per_s
    return answer.chosen.speed.output_tokens_per_s if answer.chosen.speed is not None else None
