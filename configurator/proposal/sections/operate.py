"""How to try it before relying on it, and the work list of whoever runs it (R12-R15, R66, R71-R75)."""

from __future__ import annotations

from reportlab.platypus import Flowable

from configurator.advice.advise import situations_of
from configurator.advice.operations_work import When, WorkItem, work_list
from configurator.advice.pilot import PilotPlan, PilotStep, pilot_plan
from configurator.plan.model import Workload
from configurator.proposal.blocks import Cell, Grid, gap, part, points, rich, section, text, together
from configurator.proposal.fonts import markup
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH
from configurator.terms import Estimate


def pilot(material: Material) -> list[Flowable]:
    """For each workload: scenarios under the same conditions, steps with pass marks, failures, limits."""
    say, facts = material.say, material.assessment.facts
    # What does not start, or must be changed first, cannot be tried.
    runs = {workload.id for workload, answer in material.workloads if answer.fit != "no" and material.todo.ready}
    plans = [(s.workload, pilot_plan(s)) for s in situations_of(facts)] if facts is not None else []
    plans = [(workload, plan) for workload, plan in plans if workload.id in runs]
    found = [(workload, plan) for workload, plan in plans if plan is not None]
    if not found:
        return []
    story: list[Flowable] = section(say("Pilot and acceptance"), "pilot")
    story += [text(say("Runs are compared only when everything but the scenario is the same."))]
    for workload, plan in found:
        if len(found) > 1:
            story += part(workload.name)
        story += _plan(material, workload, plan)
    return story


def _plan(material: Material, workload: Workload, plan: PilotPlan) -> list[Flowable]:
    say = material.say
    conditions = plan.scenarios[0].conditions
    held = [
        material.wording.value("model", conditions.model),
        material.wording.value("weights", conditions.weights),
    ]
    if workload.task in {"chat", "batch"}:
        held += [
            material.engine_name(conditions.engine),
            material.wording.counted("tokens", conditions.context_tokens),
            material.wording.counted("users", conditions.users),
            material.wording.gettext(conditions.request_set),
        ]
    fixed = say("Held the same: {list}.", list=", ".join(held))
    compared: list[tuple[Cell, ...]] = [
        (chr(ord("A") + number), material.text(each.title), _code(each.command))
        for number, each in enumerate(plan.scenarios)
    ]
    steps: list[tuple[Cell, ...]] = [
        (str(number), rich(_told(material, each, "<br/>"), "cell"), material.text(each.passes) or DASH)
        for number, each in enumerate(plan.steps, 1)
    ]
    broken = [_told(material, each, " ") for each in plan.failures]
    limits = [(f"{number}", material.text(each)) for number, each in enumerate(plan.limits, 1)]
    passed = material.text(plan.failures[0].passes) if plan.failures else ""
    story: list[Flowable] = [
        text(fixed, "note"),
        Grid(("", say("Scenario"), say("Started with")), compared, (5, 33, 62), padding=2.2).flowable(),
        *part(say("Steps"), "pilot-steps"),
        Grid(("", say("Step"), say("Passed when")), steps, (5, 63, 32), padding=2.2).flowable(),
        together(
            *part(say("Broken on purpose"), "pilot-failures"),
            *points(broken),
            *([text(passed, "note")] if passed else []),
        ),
        *part(say("Accepted when"), "pilot-limits"),
        Grid((), limits, (5, 95), padding=1.9).flowable(),
    ]
    return story


def operations(material: Material) -> list[Flowable]:
    """What has to be set up, kept and rehearsed; empty for one server, where the pilot covers it."""
    say, facts = material.say, material.assessment.facts
    runs = any(answer.fit != "no" for _, answer in material.workloads)
    items = work_list(facts) if facts is not None and runs else ()
    if not items:
        return []
    names: tuple[tuple[When, str], ...] = (
        ("before", say("Before the first real load")),
        ("regular", say("Kept up, every month")),
        ("drill", say("Rehearsed")),
    )
    story: list[Flowable] = section(say("Work list for operations"), "work")
    for when, title in names:
        shown = [each for each in items if each.when == when]
        if shown:
            hours = _hours(material) if when == "regular" else _sum(shown)
            effort = say("{title}: {hours} hours in all", title=title, hours=material.range(hours))
            rows: list[tuple[Cell, ...]] = [_pair(material, shown[at : at + 2]) for at in range(0, len(shown), 2)]
            head = (effort, "")
            grid = Grid(head, rows, (50, 50), padding=1.4, extra=[("SPAN", (0, 0), (1, 0))])
            story += [grid.flowable(), gap(4)]
    story += [
        text(
            say(
                "Hours are an estimate for somebody who has done it before; those of every month are the ones that"
                " “What it costs” counts."
            ),
            "note",
        )
    ]
    return story


def _pair(material: Material, items: list[WorkItem]) -> tuple[Cell, ...]:
    """Two entries side by side, each with a box to tick."""
    told: list[Cell] = [f"☐ {material.text(each.text)}" for each in items]
    return (*told, *([""] * (2 - len(told))))


def _sum(items: list[WorkItem]) -> Estimate:
    hours = [each.hours for each in items if each.hours is not None]
    return Estimate(
        sum(each.low for each in hours), sum(each.expected for each in hours), sum(each.high for each in hours)
    )


def _hours(material: Material) -> Estimate:
    value = material.assessment.cost.staff_hours_per_month
    return Estimate(value.low, value.expected, value.high)


def _told(material: Material, step: PilotStep, between: str) -> str:
    """What is done and the command for it, as markup; commands are never broken inside a word."""
    command = f'{between}<font color="#185fd0" size="8">{markup(step.command)}</font>' if step.command else ""
    return markup(material.text(step.text)) + command


def _code(command: str) -> Flowable:
    return text(command, "code")
