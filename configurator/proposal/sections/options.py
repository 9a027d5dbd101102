"""Options side by side: this plan, the project's other plans, and the neighbours that the assessment worked through."""

from __future__ import annotations

from dataclasses import dataclass

from reportlab.platypus import Flowable

from configurator.advice.results import Alternative, Verdict
from configurator.advice.todo import NEW_FABRIC, priced, works
from configurator.assess import Assessment
from configurator.plan.index import gpus, servers
from configurator.plan.model import Plan
from configurator.proposal.blocks import SHAPES, Grid, gap, part, points, section, text, together
from configurator.proposal.fonts import markup
from configurator.proposal.material import Material
from configurator.terms import Estimate

DASH = "—"
MOST_COLUMNS = 5
RENT, SMALLER = "rent", "smaller_model"
MOST_CHANGES = 3
"""Switch points that the summary tells."""
SAME_SPEED = 0.05
"""A difference in speed under this share is none."""


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
    """This plan first, then the other plans, then the neighbours: what costs nothing and works before what is dear."""
    found = [_of_plan(material, material.plan, material.assessment, material.say("This plan"))]
    found += [_of_plan(material, plan, assessment, "") for plan, assessment in material.others]
    told = [each for each in material.assessment.alternatives if material.runs or each.code != RENT]
    told = [each for each in told if not _idle(found[0], each)]
    for each in sorted(told, key=_first_free):
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


def _idle(ours: Column, option: Alternative) -> bool:
    """It changes nothing that anybody would notice: the same answer, speed and price."""
    rates = (ours.tokens_per_s, option.output_tokens_per_s)
    if option.verdict is None or ours.verdict is None or option.verdict.headline.code != ours.verdict.headline.code:
        return False
    if rates[0] is None or rates[1] is None or rates[0].expected <= 0:
        return rates == (None, None)
    faster = rates[1].expected / rates[0].expected - 1
    cheaper = _yearly(ours.total_per_year) - _yearly(option.total_per_year)
    held = _yearly(option.users_served) > _yearly(ours.users_served) * (1 + SAME_SPEED)
    return faster <= SAME_SPEED and cheaper <= SAME_SPEED * _yearly(ours.total_per_year) and not held


def _yearly(value: Estimate | None) -> float:
    return value.expected if value is not None else 0.0


def _first_free(option: Alternative) -> tuple[int, bool, bool, float, int]:
    """Assessed before not assessed, what would run before what would not, cheap before dear."""
    price = option.purchase.expected if option.purchase is not None else 0.0
    return (
        2 if option.verdict is None else 0 if works(option) else 1,
        option.code == SMALLER,
        not priced(option),
        price,
        option.rank,
    )


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


def option_rows(material: Material, shown: list[Column]) -> list[tuple[str, ...]]:
    """The rows of the comparison; a row that says nothing of any option is left out."""
    say, words = material.say, material.wording

    def one(value: Estimate | None) -> str:
        return material.range(value) if value is not None else DASH

    def money(value: Estimate | None) -> str:
        return material.about_without_unit(value) if value is not None else DASH

    def bought(column: Column) -> str:
        return say("ask for a price") if _unpriced(column) else money(column.purchase)

    currency = material.project.currency

    def answer(column: Column) -> str:
        verdict = column.verdict
        if verdict is None:
            return say("the same cards, hired") if column.code == RENT else say("the same model, hired by the token")
        mark = f"{SHAPES[verdict.light]} "
        if verdict.light == "stop":
            return mark + words.word("light.stop")
        limit = verdict.headline.code.startswith("headline.limit.speed")
        return mark + (say("runs, but too slowly") if limit else words.word(f"verdict.{verdict.code}"))

    chat = material.main is not None and material.main[0].task in {"chat", "batch"}
    alone = material.main is not None and material.main[0].users == 1
    speed = say("Speed") if alone else say("Speed in all") if chat else say("Training speed")
    if material.main is not None and material.main[0].task == "chat" and material.main[0].users is None:
        speed = say("Speed in all, memory full")
    rows: list[tuple[str, ...]] = [
        (say("What it is"), *(each.hardware or each.what_changes or DASH for each in shown)),
        (say("Answer"), *(answer(each) for each in shown)),
        (speed, *(one(each.tokens_per_s) for each in shown)),
        (say("People, by memory"), *(one(each.users_served) if chat else DASH for each in shown)),
        (say("If a part fails"), *(each.if_part_fails for each in shown)),
        (say("To buy, {currency}", currency=currency), *(bought(each) for each in shown)),
        (say("Per year, all in, {currency}", currency=currency), *(money(each.total_per_year) for each in shown)),
        (say("Against this plan"), *(_against(material, shown[0], each) for each in shown)),
    ]
    return [row for row in rows if any(cell != DASH for cell in row[1:])]


def _unpriced(column: Column) -> bool:
    """Another connection: its cards and cables are not in the sum."""
    return column.code.startswith(NEW_FABRIC)


def _against(material: Material, ours: Column, other: Column) -> str:
    """What more money buys: "17 900 EUR more for 1.8 × the speed"."""
    if other is ours or other.verdict is None:
        return DASH
    say = material.say
    price = (other.purchase.expected if other.purchase else 0.0) - (ours.purchase.expected if ours.purchase else 0.0)
    bought = material.wording.money(float(f"{abs(price):.2g}"), material.project.currency)
    cost = say("{money} more", money=bought) if price > 0 else say("{money} less", money=bought) if price < 0 else ""
    gain = ""
    if ours.tokens_per_s is not None and other.tokens_per_s is not None and ours.tokens_per_s.expected > 0:
        factor = other.tokens_per_s.expected / ours.tokens_per_s.expected
        same = abs(factor - 1) <= SAME_SPEED
        gain = say("the same speed") if same else say("{factor} the speed", factor=material.wording.factor(factor))
    elif other.tokens_per_s is not None and ours.tokens_per_s is None:
        runs = say("it runs, this plan does not")
        return f"{cost}; {runs}" if cost else say("nothing to buy; {gain}", gain=runs)
    if cost and gain:
        return say("{cost} for {gain}", cost=cost, gain=gain)
    if gain and _unpriced(other):
        return gain
    return cost or (say("nothing to buy: {gain}", gain=gain) if gain else DASH)


def side_by_side(shown: list[Column]) -> list[Column]:
    """This plan and the four others that come first; what is rented stays among them."""
    rented = [each for each in shown[MOST_COLUMNS:] if each.code == RENT][:1]
    return [*shown[: MOST_COLUMNS - len(rented)], *rented]


def options(material: Material) -> list[Flowable]:
    """The comparison, the others in a line each, and what would turn the answer."""
    say = material.say
    shown = columns(material)
    story: list[Flowable] = section(say("Options compared"), "options")
    if len(shown) == 1:
        return [*story, text(say("No neighbour of this plan was worked through; it stands for itself."))]
    group = side_by_side(shown)
    rows = option_rows(material, group)
    head = ("", *(each.title if each is not group[0] else say("This plan") for each in group))
    widths = (14, *([86 / len(group)] * len(group)))
    # One look compares: the table is not parted.
    story = [together(*story, Grid(head, rows, widths, chosen=1, muted_first=True, padding=2.6).flowable())]
    others = [each for each in shown[1:] if each not in group and (each.what_changes or each.hardware)]
    others = [each for each in others if each.verdict is None or each.verdict.light != "stop"]
    if others:
        told = [
            (
                each.title,
                each.what_changes or each.hardware,
                _against(material, shown[0], each),
                material.about_without_unit(each.total_per_year) if each.total_per_year is not None else DASH,
            )
            for each in others
        ]
        per_year = say("{currency} per year", currency=material.project.currency)
        head = (say("Other options"), say("What changes"), say("Against this plan"), per_year)
        grid = Grid(head, told, (24, 36, 22, 18), align="lllr", padding=2.2)
        story += [gap(6), grid.flowable()]
    return story + switch_points(material)


def switch_points(material: Material) -> list[Flowable]:
    """Where the recommendation turns, computed for each quantity; the summary has told the first ones."""
    told = [each for _, answer in material.workloads for each in answer.switch_points]
    money = [each for each in told if each.quantity in {"utilisation", "tariff"}]
    rest = [each for each in told if each not in money][MOST_CHANGES:] + [e for e in money if e.quantity == "tariff"]
    if not rest:
        return []
    lines = [markup(material.text(each.text)) for each in rest]
    return [together(*part(material.say("What else would change the answer"), "options-switch"), *points(lines))]
