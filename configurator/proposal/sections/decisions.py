"""Why this answer: each question of the flow with its numbers and what would change it; findings, open questions."""

from __future__ import annotations

from reportlab.platypus import CondPageBreak, Flowable

from configurator.advice.results import Finding, FindingClass, Step, Verdict
from configurator.assess import WorkloadAssessment
from configurator.plan.model import Workload
from configurator.proposal.blocks import Cell, Grid, WhatFits, gap, part, points, rich, section, text, together
from configurator.proposal.fonts import STRONG, markup
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH
from configurator.proposal.sections.situation import unknown_rows
from configurator.terms import Light

CLASSES: tuple[FindingClass, ...] = ("will_not_work", "one_more_step", "good_to_know", "not_checked")
SHAPES: dict[FindingClass, tuple[str, str]] = {
    "will_not_work": ("✕", "stop_ink"),
    "one_more_step": ("▲", "step_ink"),
    "good_to_know": ("✓", "good_ink"),
    "not_checked": ("?", "unknown_ink"),
}
MOST_NOTES, MOST_STEPS, MOST_LAYOUTS = 14, 7, 3
"""Lines of the details' notes, of one kind of finding on the owner's pages, of other layouts."""
SHORTENED: tuple[FindingClass, ...] = ("will_not_work", "one_more_step")
SHORT_ACTION = 16
"""Letters of an action that is told elsewhere."""
LIGHTS: dict[Light, tuple[str, str]] = {
    "stop": ("✕", "stop_ink"), "step": ("▲", "step_ink"), "good": ("✓", "good_ink"), "unknown": ("?", "unknown_ink"),
}  # fmt: skip
ANSWERS = {"yes": ("✓", "good_ink"), "no": ("✕", "stop_ink"), "unknown": ("?", "step_ink"), "not_asked": ("–", "muted")}


def rationale(material: Material) -> list[Flowable]:
    """The flow, in the words of the owner, with the operator's numbers below."""
    say = material.say
    story: list[Flowable] = section(say("Why this answer"), "rationale")
    story += [
        text(
            say(
                "The questions are asked in this order; the first yes ends them. They ask about one server; where none"
                " holds the model, the connection of the servers decides."
            ),
            "note",
        )
    ]
    for workload, answer in material.workloads:
        scopes = (("owned", say("On what is planned")), ("buy", say("On one server to buy, for comparison")))
        for scope, words in scopes:
            steps = [each for each in answer.steps if each.scope == scope]
            if scope == "buy" and answer.verdict.light == "good" and not material.to_buy:
                # Who has what works need not hear what another server would do.
                continue
            if scope == "buy" and _same_told(material, answer.steps):
                story += [text(say("On the node that the program would buy the answers are the same."), "note")]
            elif steps:
                story += part(_of(material, workload, words), f"rationale-{workload.id}-{scope}")
                story += [_flow(material, steps)]
        rows = _lost(material, answer)
        if rows:
            head = (say("Another way to run it"), say("Why not"))
            story += [gap(6), Grid(head, rows, (52, 48), padding=2.2).flowable()]
    return story


def _lost(material: Material, answer: WorkloadAssessment) -> list[tuple[str, str]]:
    """Other ways to run it and why not; what reads like the chosen one, or like another, says nothing new."""
    from configurator.proposal.sections.structure import layout_words

    told = {layout_words(material, answer.chosen)} if answer.chosen is not None else set()
    rows: list[tuple[str, str]] = []
    for each in answer.layouts:
        words = layout_words(material, each)
        if each.lost_because is not None and words not in told and len(rows) < MOST_LAYOUTS:
            told.add(words)
            rows.append((words, material.text(each.lost_because)))
    return rows


def _of(material: Material, workload: Workload, words: str) -> str:
    """With the name of the use, where there are several."""
    return f"{workload.name}: {words}" if len(material.workloads) > 1 else words


def _same_told(material: Material, steps: tuple[Step, ...]) -> bool:
    """The owner's server is the one to buy: telling it twice helps nobody."""
    told = {
        scope: [(each.number, each.answer, material.text(each.numbers)) for each in steps if each.scope == scope]
        for scope in ("owned", "buy")
    }
    return bool(told["buy"]) and told["owned"] == told["buy"]


def _flow(material: Material, steps: list[Step]) -> Flowable:
    say = material.say
    rows: list[tuple[Cell, ...]] = []
    asked = [each for each in sorted(steps, key=lambda each: each.number) if each.answer != "not_asked"]
    for step in asked:
        mark, ink = ANSWERS[step.answer]
        word = material.wording.word(f"answer.{step.answer}")
        cells = [f"<b>{markup(material.text(step.question))}</b>"]
        cells += [markup(material.text(step.numbers))]
        if step.changes_if is not None:
            changes = say("Changes if: {what}", what=material.text(step.changes_if))
            cells += [f'<font color="#185fd0">{markup(changes)}</font>']
        answer = rich(f'<font color="{_ink(ink)}"><b>{markup(mark)} {markup(word)}</b></font>', "cell")
        rows.append((str(step.number), rich("<br/>".join(cells), "cell"), answer))
    rest = [each for each in sorted(steps, key=lambda each: each.number) if each.answer == "not_asked"]
    if rest:
        # One line for what did not have to be asked any more.
        number = f"{rest[0].number}–{rest[-1].number}" if len(rest) > 1 else str(rest[0].number)
        questions = " ".join(material.text(each.question) for each in rest)
        mark, ink = ANSWERS["not_asked"]
        word = material.wording.word("answer.not_asked")
        answer = rich(f'<font color="{_ink(ink)}"><b>{markup(mark)} {markup(word)}</b></font>', "cell")
        rows.append((number, text(questions, "cell-muted"), answer))
    head = ("", say("Question and numbers"), say("Answer"))
    return Grid(head, rows, (6, 78, 16), padding=2.6).flowable()


def _ink(token: str) -> str:
    from configurator.diagram.tokens import LIGHT

    return str(getattr(LIGHT, token))


def risks(material: Material) -> list[Flowable]:
    """What will not work, what is still to be done, what is good to know; the lesser notes stand in the details."""
    say = material.say
    story: list[Flowable] = section(say("Risks and findings"), "risks")
    told = _told(material)
    for kind in CLASSES:
        shown = [each for each in told if each.kind == kind and not each.folded]
        if shown and kind in {"good_to_know", "not_checked"}:
            story += [CondPageBreak(0), _class_title(material, kind)]
            story += points([_short(material, each) for each in shown])
        elif shown:
            rows = [_finding(material, each) for each in shown[:MOST_STEPS]]
            # What stands under "Next steps" is not written twice.
            short = all(len(what) <= SHORT_ACTION for _, what in rows)
            grid = Grid((say("Finding"), say("What to do")), rows, (82, 18) if short else (62, 38), padding=2.2)
            story += [CondPageBreak(0), _class_title(material, kind), grid.flowable()]
    if not told:
        story += [text(say("Nothing was found that speaks against this plan."))]
    if material.set_aside:
        aside = [(material.text(each.text), each.set_aside_remark or DASH) for each in material.set_aside]
        columns = (say("Set aside by the owner"), say("Remark"))
        story += [*part(say("Set aside"), "risks-aside"), Grid(columns, aside, (60, 40), padding=3).flowable()]
    return story


def _told(material: Material) -> list[Finding]:
    # What the pilot checks, and what the money's page compares, stands there.
    elsewhere = ("pilot.", "cost.compare", "cost.rent") if material.assessment.cost.comparison else ("pilot.",)
    return [each for each in material.findings if not each.code.startswith(elsewhere)]


def further(material: Material) -> list[Flowable]:
    """Findings that the owner's pages had no room for."""
    told = _told(material)
    rest = [
        each for kind in SHORTENED for each in [one for one in told if one.kind == kind and not one.folded][MOST_STEPS:]
    ]
    if not rest:
        return []
    return [*section(material.say("Further findings"), "further"), *points([_short(material, each) for each in rest])]


def notes(material: Material) -> list[Flowable]:
    """What is of less weight for this plan: as much as the last page still holds, the program shows all of it."""
    rest = [each for each in _told(material) if each.folded]
    if not rest:
        return []
    title = text(material.say("Notes of less weight; the program shows all of them"), "part")
    return [WhatFits(title, points([_short(material, each) for each in rest[:MOST_NOTES]]))]


def _class_title(material: Material, kind: FindingClass) -> Flowable:
    mark, ink = SHAPES[kind]
    word = markup(f"{mark} {material.wording.word('class.' + kind)}", STRONG)
    return rich(f'<font color="{_ink(ink)}">{word}</font>', "part")


def _finding(material: Material, finding: Finding) -> tuple[str, str]:
    steps = {each.text: number for number, each in enumerate(material.todo.tasks, 1)}
    if finding.action is None:
        return material.text(finding.text), DASH
    number = steps.get(finding.action)
    what = material.text(finding.action) if number is None else material.say("next step {number}", number=number)
    return material.text(finding.text), what


def _short(material: Material, finding: Finding) -> str:
    """Finding and advice in one line of markup."""
    action = material.text(finding.action)
    todo = f' <font color="#185fd0">{markup(action)}</font>' if action else ""
    return markup(material.text(finding.text)) + todo


def questions(material: Material) -> list[Flowable]:
    """What is not known, who can say it, the command that shows it, and what each answer would change."""
    say = material.say
    story: list[Flowable] = section(say("Open questions"), "questions")
    unknowns = [each for _, answer in material.workloads for each in answer.unknowns]
    entered = unknown_rows(material)
    if not unknowns and entered:
        story += [text(say("What is not known moves the figures, not the answer."))]
    elif not unknowns:
        story += [text(say("Everything that could change the answer is known."))]
    for each in unknowns:
        who = material.who(each.who)
        lines: list[Flowable] = [
            text(material.text(each.question), "cell-strong"),
            text(say("Who can say: {who}", who=who), "cell"),
        ]
        if each.command:
            lines.append(
                rich(f"{markup(say('Shown by:'))} <font color='#185fd0'>{markup(each.command)}</font>", "cell")
            )
        rows = [
            (material.text(answer).rstrip("."), rich(_lit(material, verdict), "cell"))
            for answer, verdict in each.answers
        ]
        if rows:
            lines += [
                gap(3),
                Grid((say("If the answer is"), say("then")), rows, (34, 66), padding=2.2).flowable(),
            ]
        story += [together(*lines, gap(8))]
    if entered:
        missing = "; ".join(f"{place}: {name}" for place, name in entered)
        story += [text(say("Not entered yet and calculated as a range: {listed}.", listed=missing))]
    if material.assessment.not_checked:
        words = material.wording
        listed = [(words.word(each) if "." in each else each,) for each in material.assessment.not_checked]
        title = part(say("Not checked by this program"), "questions-not-checked")
        story += [together(*title, *points([markup(each) for (each,) in listed]))]
    return story


def _lit(material: Material, verdict: Verdict) -> str:
    """The answer with the shape and the colour of its light."""
    mark, ink = LIGHTS[verdict.light]
    return f'<font color="{_ink(ink)}"><b>{markup(mark)}</b></font> {markup(material.text(verdict.headline))}'
