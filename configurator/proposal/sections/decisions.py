"""Why this answer: each question of the flow with its numbers and what would change it; findings, open questions."""

from __future__ import annotations

from reportlab.platypus import CondPageBreak, Flowable

from configurator.advice.results import Finding, FindingClass, Step
from configurator.proposal.blocks import Cell, Grid, gap, part, points, rich, section, text, together
from configurator.proposal.fonts import STRONG, markup
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH
from configurator.proposal.sections.situation import unknown_rows

CLASSES: tuple[FindingClass, ...] = ("will_not_work", "one_more_step", "good_to_know", "not_checked")
SHAPES: dict[FindingClass, tuple[str, str]] = {
    "will_not_work": ("✕", "stop_ink"),
    "one_more_step": ("▲", "step_ink"),
    "good_to_know": ("✓", "good_ink"),
    "not_checked": ("?", "unknown_ink"),
}
ANSWERS = {"yes": ("✓", "good_ink"), "no": ("✕", "stop_ink"), "unknown": ("?", "step_ink"), "not_asked": ("–", "muted")}


def rationale(material: Material) -> list[Flowable]:
    """The flow, in the words of the owner, with the operator's numbers below."""
    say = material.say
    story: list[Flowable] = section(say("Why this answer"), "rationale")
    story += [
        text(
            say(
                "The questions are asked in this order; the first yes ends them. Black is for the owner, grey the same"
                " for the operator; the last column is the rule of the program that stands behind the question."
            ),
            "note",
        )
    ]
    for workload, answer in material.workloads:
        scopes = (("owned", say("{name}, on what is planned")), ("buy", say("{name}, on one node to buy")))
        for scope, words in scopes:
            steps = [each for each in answer.steps if each.scope == scope]
            if scope == "buy" and _same_told(material, answer.steps):
                story += [text(say("On the node that the program would buy the answers are the same."), "note")]
            elif steps:
                story += part(words.replace("{name}", workload.name), f"rationale-{workload.id}-{scope}")
                story += [_flow(material, steps)]
        lost = [each for each in answer.layouts if each.lost_because is not None][:5]
        if lost:
            from configurator.proposal.sections.structure import layout_words

            rows = [(layout_words(material, each), material.text(each.lost_because)) for each in lost]
            head = (say("Another way to run it"), say("Why not"))
            title = part(say("Other layouts of {name}", name=workload.name))
            story += [*title, Grid(head, rows, (52, 48), padding=2.8).flowable()]
    return story


def _same_told(material: Material, steps: tuple[Step, ...]) -> bool:
    """The owner's server is the one to buy: telling it twice helps nobody."""
    told = {
        scope: [(each.number, each.answer, material.text(each.numbers)) for each in steps if each.scope == scope]
        for scope in ("owned", "buy")
    }
    return bool(told["buy"]) and told["owned"] == told["buy"]


def _flow(material: Material, steps: list[Step]) -> Flowable:
    say = material.say
    operator = material.wording.for_audience("operator")
    rows: list[tuple[Cell, ...]] = []
    asked = [each for each in sorted(steps, key=lambda each: each.number) if each.answer != "not_asked"]
    for step in asked:
        mark, ink = ANSWERS[step.answer]
        word = material.wording.word(f"answer.{step.answer}")
        cells = [f"<b>{markup(material.text(step.question))}</b>"]
        cells += [markup(material.text(step.numbers))]
        other = operator.text(step.numbers)
        if other != material.text(step.numbers):
            cells += [f'<font color="#586878">{markup(other)}</font>']
        if step.changes_if is not None:
            changes = say("Changes if: {what}", what=material.text(step.changes_if))
            cells += [f'<font color="#185fd0">{markup(changes)}</font>']
        answer = rich(f'<font color="{_ink(ink)}"><b>{markup(mark)} {markup(word)}</b></font>', "cell")
        rows.append((str(step.number), rich("<br/>".join(cells), "cell"), answer, step.rule))
    rest = [each for each in sorted(steps, key=lambda each: each.number) if each.answer == "not_asked"]
    if rest:
        # One line for what did not have to be asked any more.
        number = f"{rest[0].number}–{rest[-1].number}" if len(rest) > 1 else str(rest[0].number)
        questions = " ".join(material.text(each.question) for each in rest)
        mark, ink = ANSWERS["not_asked"]
        word = material.wording.word("answer.not_asked")
        answer = rich(f'<font color="{_ink(ink)}"><b>{markup(mark)} {markup(word)}</b></font>', "cell")
        rows.append((number, text(questions, "cell-muted"), answer, ""))
    head = ("", say("Question and numbers"), say("Answer"), say("Rule"))
    return Grid(head, rows, (6, 69, 16, 9), padding=3.4).flowable()


def _ink(token: str) -> str:
    from configurator.diagram.tokens import LIGHT

    return str(getattr(LIGHT, token))


def risks(material: Material) -> list[Flowable]:
    """Findings by class, those set aside with the remark, open questions, what was not checked."""
    say = material.say
    story: list[Flowable] = section(say("Risks and findings"), "risks")
    # What the pilot checks stands under "Pilot and acceptance".
    told = [each for each in material.findings if not each.code.startswith("pilot.")]
    for kind in CLASSES:
        shown = [each for each in told if each.kind == kind]
        if shown and kind in {"good_to_know", "not_checked"}:
            story += [CondPageBreak(0), _class_title(material, kind)]
            story += points([_short(material, each) for each in shown if not each.folded])
            rest = [_short(material, each) for each in shown if each.folded]
            if rest:
                story += [text(say("Of less weight for this plan:"), "note"), *points(rest)]
        elif shown:
            rows = [_finding(material, each) for each in shown]
            grid = Grid((say("Finding"), say("What to do")), rows, (62, 38), padding=2.6)
            story += [CondPageBreak(0), _class_title(material, kind), grid.flowable()]
    if not told:
        story += [text(say("Nothing was found that speaks against this plan."))]
    if material.set_aside:
        aside = [(material.text(each.text), each.set_aside_remark or DASH) for each in material.set_aside]
        columns = (say("Set aside by the owner"), say("Remark"))
        story += [*part(say("Set aside"), "risks-aside"), Grid(columns, aside, (60, 40), padding=3).flowable()]
    return story


def _class_title(material: Material, kind: FindingClass) -> Flowable:
    mark, ink = SHAPES[kind]
    word = markup(f"{mark} {material.wording.word('class.' + kind)}", STRONG)
    return rich(f'<font color="{_ink(ink)}">{word}</font>', "part")


def _finding(material: Material, finding: Finding) -> tuple[Cell, ...]:
    return (material.text(finding.text), material.text(finding.action) or DASH)


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
    if not unknowns:
        story += [text(say("Nothing that is still unknown would change the answer."))]
    for each in unknowns:
        who = material.wording.word(each.who) if each.who.startswith("who.") else each.who
        lines: list[Flowable] = [
            text(material.text(each.question), "cell-strong"),
            text(say("Who can say: {who}", who=who), "cell"),
        ]
        if each.command:
            lines.append(
                rich(f"{markup(say('Shown by:'))} <font color='#185fd0'>{markup(each.command)}</font>", "cell")
            )
        rows = [
            (material.text(answer), material.wording.word(f"verdict.{verdict.code}"), material.text(verdict.headline))
            for answer, verdict in each.answers
        ]
        if rows:
            lines += [
                gap(3),
                Grid((say("If the answer is"), say("then"), ""), rows, (30, 22, 48), padding=2.6).flowable(),
            ]
        story += [together(*lines, gap(8))]
    if entered:
        missing = "; ".join(f"{place}: {name}" for place, name in entered)
        story += [text(say("Not entered yet and calculated as a range: {listed}.", listed=missing))]
    if material.assessment.not_checked:
        words = material.wording
        listed = [(words.word(each) if "." in each else each,) for each in material.assessment.not_checked]
        title = part(say("Not checked by this program"), "questions-not-checked")
        story += [*title, Grid((), listed, (100,), padding=2.2).flowable()]
    return story
