"""Options side by side: this plan, the project's other plans, and the neighbours that the assessment worked through."""

from __future__ import annotations

from dataclasses import dataclass

from reportlab.platypus import Flowable

from configurator.advice.results import Verdict
from configurator.assess import Assessment
from configurator.plan.index import gpus, servers
from configurator.plan.model import Plan
from configurator.proposal.blocks import SHAPES, Grid, part, section, text
from configurator.proposal.material import Material
from configurator.terms import Estimate
from configurator.wording import TEXTS

DASH = "—"
MOST_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Column:
    """One option. ``why`` says what it changes and what would come out."""

    code: str
    title: str
    verdict: Verdict | None
    users_served: Estimate | None
    tokens_per_s: Estimate | None
    if_part_fails: str
    purchase: Estimate | None
    total_per_year: Estimate | None
    hours_per_month: Estimate | None
    what_changes: str
    hardware: str


def columns(material: Material) -> list[Column]:
    """This plan first, then the other plans, then the neighbours in their rank."""
    found = [_of_plan(material, material.plan, material.assessment, material.say("This plan"))]
    found += [_of_plan(material, plan, assessment, "") for plan, assessment in material.others]
    for each in sorted(material.assessment.alternatives, key=lambda one: one.rank):
        found.append(
            Column(
                code=each.code,
                title=material.text(each.title),
                verdict=each.verdict,
                users_served=each.users_served,
                tokens_per_s=each.output_tokens_per_s,
                if_part_fails=material.text(each.failure_domain) or DASH,
                purchase=each.purchase,
                total_per_year=each.total_per_year,
                hours_per_month=None,
                what_changes=" ".join(material.text(change) for change in each.what_changes),
                hardware="",
            )
        )
    return found


def _of_plan(material: Material, plan: Plan, assessment: Assessment, prefix: str) -> Column:
    first = assessment.workloads[0] if assessment.workloads else None
    chosen = first.chosen if first is not None else None
    speed = None
    if chosen is not None and chosen.speed is not None:
        alone = plan.workloads[0].users == 1
        speed = chosen.speed.output_tokens_per_s_per_user if alone else chosen.speed.output_tokens_per_s
    if chosen is not None and chosen.training is not None:
        speed = chosen.training.tokens_per_s
    return Column(
        code="plan",
        title=f"{prefix}: {plan.name}" if prefix else plan.name,
        verdict=assessment.verdict,
        users_served=first.users_served if first is not None else None,
        tokens_per_s=speed,
        if_part_fails=failure_words(material, plan, assessment),
        purchase=assessment.cost.purchase,
        total_per_year=assessment.cost.total_per_year,
        hours_per_month=assessment.cost.staff_hours_per_month,
        what_changes="",
        hardware=hardware_words(material, plan),
    )


def hardware_words(material: Material, plan: Plan) -> str:
    """Such as "2 × 4 × RTX PRO 6000 Max-Q"."""
    counts: dict[tuple[str, int], int] = {}
    for _, server in servers(plan):
        cards: dict[str, int] = {}
        for slot in server.slots:
            if slot.gpu is not None:
                cards[slot.gpu.gpu] = cards.get(slot.gpu.gpu, 0) + 1
        for gpu, number in cards.items():
            counts[gpu, number] = counts.get((gpu, number), 0) + 1
    parts = []
    for (gpu, number), boxes in counts.items():
        name = f"{number}\u00a0×\u00a0{material.gpu_name(gpu)}"
        parts.append(f"{boxes}\u00a0×\u00a0{name}" if boxes > 1 else name)
    return ", ".join(parts) or DASH


def failure_words(material: Material, plan: Plan, assessment: Assessment) -> str:
    """What is left of the first workload when the worst card, or the worst server, fails."""
    if not assessment.workloads or not assessment.workloads[0].failures:
        return DASH
    say = material.say
    box_ids = {server.id for _, server in servers(plan)}
    card_ids = {gpu.id for _, _, _, gpu in gpus(plan)}
    words = []
    for word, ids in ((say("one card"), card_ids), (say("one server"), box_ids)):
        left = [each.capacity_left_share for each in assessment.workloads[0].failures if each.object_id in ids]
        if left:
            rest = min(left)
            effect = say("all stops") if rest <= 0 else say("{share} left", share=material.wording.share(rest))
            words.append(f"{word}: {effect}")
    return "; ".join(words) or DASH


def option_rows(material: Material, shown: list[Column], *, short: bool) -> list[tuple[str, ...]]:
    """The rows of the comparison; the short form is the summary's."""
    say, words = material.say, material.wording

    def one(value: Estimate | None) -> str:
        return material.range(value) if value is not None else DASH

    def money(value: Estimate | None) -> str:
        return material.sum_without_unit(value) if value is not None else DASH

    currency = material.project.currency

    def answer(verdict: Verdict | None) -> str:
        if verdict is None:
            return say("not assessed")
        mark = f"{SHAPES[verdict.light]} "
        return mark + words.word("light.stop" if verdict.light == "stop" else f"verdict.{verdict.code}")

    alone = material.main is not None and material.main[0].users == 1
    rows: list[tuple[str, ...]] = [
        (say("Answer"), *(answer(each.verdict) for each in shown)),
        (say("People at once"), *(one(each.users_served) for each in shown)),
        (say("Speed") if alone else say("Speed in all"), *(one(each.tokens_per_s) for each in shown)),
        (say("If a part fails"), *(each.if_part_fails for each in shown)),
        (say("To buy, {currency}", currency=currency), *(money(each.purchase) for each in shown)),
        (say("Per year, all in, {currency}", currency=currency), *(money(each.total_per_year) for each in shown)),
    ]
    if material.main is not None and material.main[0].task not in {"chat", "batch"}:
        # Nobody waits for answers of a training.
        rows = [row for row in rows if row[0] != say("People at once")]
        rows = [(say("Training speed"), *row[1:]) if row[0] == say("Speed in all") else row for row in rows]
    if not short:
        rows.insert(0, (say("What it is"), *(each.hardware or each.what_changes or DASH for each in shown)))
        rows.append((say("Upkeep, hours a month"), *(_hours(material, each) for each in shown)))
    return rows


def _hours(material: Material, column: Column) -> str:
    value = column.hours_per_month
    return material.range(Estimate(value.low, value.expected, value.high)) if value is not None else DASH


def side_by_side(shown: list[Column]) -> list[Column]:
    """This plan and the four others that come first; what is rented stays among them."""
    rented = [each for each in shown[MOST_COLUMNS:] if each.code.startswith("rent")][:1]
    return [*shown[: MOST_COLUMNS - len(rented)], *rented]


def options(material: Material) -> list[Flowable]:
    """The comparison in full, the reasons, and why not the others."""
    say = material.say
    shown = columns(material)
    story: list[Flowable] = section(say("Options compared"), "options")
    if len(shown) == 1:
        return [*story, text(say("No neighbour of this plan was worked through; it stands for itself."))]
    group = side_by_side(shown)
    rows = option_rows(material, group, short=False)
    head = ("", *(each.title for each in group))
    widths = (14, *([86 / len(group)] * len(group)))
    story += [Grid(head, rows, widths, chosen=1, muted_first=True, padding=3).flowable()]
    story += part(say("The reasons"), "options-why")
    story += [text(material.text(each)) for each in material.assessment.verdict.reasons]
    training = material.main is not None and material.main[0].task not in {"chat", "batch"}
    others = [
        each
        for each in shown[1:]
        if each not in group and each.verdict is not None and (each.what_changes or each.hardware)
    ]
    if others:
        told = [
            (
                each.title,
                each.what_changes or each.hardware,
                material.text(each.verdict.headline if each.verdict else None),
                _served(material, each, training),
                material.sum_without_unit(each.total_per_year) if each.total_per_year is not None else DASH,
            )
            for each in others
        ]
        per_year = say("{currency} per year", currency=material.project.currency)
        served = say("speed in all") if training else say("people at once")
        head = (say("Option"), say("What changes"), say("What comes out"), served, per_year)
        grid = Grid(head, told, (20, 29, 21, 13, 17), align="lllrr", padding=2.6)
        story += [*part(say("The others"), "options-others"), grid.flowable()]
    return story + switch_points(material)


def _served(material: Material, option: Column, training: bool) -> str:
    value = option.tokens_per_s if training else option.users_served
    return material.range(value) if value is not None else DASH


def _verdict_word(material: Material, code: str) -> str:
    return material.wording.word(f"verdict.{code}") if f"verdict.{code}" in TEXTS else DASH


def switch_points(material: Material) -> list[Flowable]:
    """Where the recommendation turns, computed for each quantity."""
    points = [each for _, answer in material.workloads for each in answer.switch_points]
    if not points:
        return []
    say = material.say
    rows = [
        (
            material.text(each.text),
            _verdict_word(material, each.from_code),
            _verdict_word(material, each.to_code),
        )
        for each in points
    ]
    grid = Grid((say("This changes if"), say("from"), say("to")), rows, (50, 25, 25), padding=2.6)
    return [*part(say("What would change the answer"), "options-switch"), grid.flowable()]
