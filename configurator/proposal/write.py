"""From a project to the file: assess, write the sections, lay them out, put the file in its place at once."""

from __future__ import annotations

import datetime as dt
import errno
import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from reportlab.platypus import Flowable

from configurator.assess import Assessment, assess
from configurator.catalogue import Catalogue
from configurator.plan import edits
from configurator.plan.model import Plan, Project
from configurator.plan.projects import plan_by_id
from configurator.proposal import ProposalError, fonts
from configurator.proposal.blocks import divide
from configurator.proposal.document import Heading, Proposal
from configurator.proposal.flow import keep_headings
from configurator.proposal.material import AtContext, Material
from configurator.proposal.sections import (
    capacity,
    decisions,
    front,
    method,
    money,
    offers,
    operate,
    options,
    situation,
    structure,
)
from configurator.wording import Wording
from configurator.wording.names import named

VALID_DAYS = 30
"""Prices of GPUs move within weeks; a proposal older than this is asked for again."""

CONTEXTS = (2_048, 8_192, 32_768, 131_072)
"""Lengths of conversation for which the number of people is told."""

OWNER: tuple[Callable[[Material], list[Flowable]], ...] = (
    options.options,
    money.equipment,
    money.running_costs,
    offers.offers,
    decisions.risks,
    decisions.questions,
    method.next_steps,
)
"""The owner's pages, after the summary."""

DETAILS: tuple[Callable[[Material], list[Flowable]], ...] = (
    situation.situation,
    structure.structure,
    capacity.capacity,
    capacity.performance,
    decisions.rationale,
    money.power,
    money.cost_details,
    operate.pilot,
    operate.operations,
    decisions.further,
    method.method,
    decisions.notes,
)
"""For whoever buys, installs and runs it."""


def write(
    project: Project,
    catalogue: Catalogue,
    path: Path,
    plan_id: str | None,
    date: dt.date,
    assessment: Assessment | None,
    wording: Wording | None,
) -> None:
    """See ``configurator.proposal.write_proposal``."""
    _put(render(gather(project, catalogue, plan_id, date, assessment, wording)), path)


def render(material: Material) -> bytes:
    """The whole PDF in memory."""
    fonts.register()
    story = _story(material)
    target = io.BytesIO()
    project = material.project
    say = material.say
    document = Proposal(
        target,
        title=fonts.printable(material.title),
        author=fonts.printable(project.author or project.client or say("not named")),
        subject=fonts.printable(material.text(material.assessment.verdict.headline)),
        keywords=[fonts.printable(each) for each in (material.plan.name, say("proposal"), "GPU", "LLM")],
        language=material.wording.language,
        date=material.date,
        footer=f"{material.title} · {material.day(material.date)}",
        page_word=say("Page"),
        of_word=say("of"),
    )
    document.write(story)
    return target.getvalue()


def gather(
    project: Project,
    catalogue: Catalogue,
    plan_id: str | None,
    date: dt.date,
    assessment: Assessment | None = None,
    wording: Wording | None = None,
) -> Material:
    """Assess what has not been assessed yet: the plan with its neighbours, the project's other plans alone."""
    plan = plan_by_id(project, plan_id or project.active_plan_id)
    if assessment is None or not assessment.alternatives:
        assessment = assess(project, catalogue, plan.id, deep=True)
    others = tuple((each, assess(project, catalogue, each.id)) for each in project.plans if each.id != plan.id)
    base = wording or Wording(language=project.language, currency=project.currency)
    spoken = named(base, plan, catalogue)
    lines = {
        f"{site.id}.internet": spoken.gettext("the line of {site}").replace("{site}", site.name) for site in plan.sites
    }
    return Material(
        project=project,
        plan=plan,
        catalogue=catalogue,
        assessment=assessment,
        others=others,
        wording=spoken.with_names(lines),
        date=date,
        valid_until=date + dt.timedelta(days=VALID_DAYS),
        by_context=by_context(project, plan, catalogue, assessment),
    )


def by_context(project: Project, plan: Plan, catalogue: Catalogue, assessment: Assessment) -> tuple[AtContext, ...]:
    """How many people the same machines carry with shorter and longer conversations."""
    found: list[AtContext] = []
    for answer in assessment.workloads:
        workload = next(each for each in plan.workloads if each.id == answer.workload_id)
        model = catalogue.models.get(workload.model or "")
        asked = workload.context_tokens
        if model is None or asked is None or workload.task not in {"chat", "batch"}:
            continue
        lengths = {each for each in CONTEXTS if each <= model.max_context_tokens} | {asked}
        for length in sorted(lengths):
            if length == asked:
                found.append(AtContext(workload.id, length, answer.fit, answer.users_served, True))
                continue
            longest = max(length, workload.max_context_tokens or 0)
            other = edits.update(plan, workload.id, context_tokens=length, max_context_tokens=longest)
            others = tuple(other if each is plan else each for each in project.plans)
            changed = assess(edits.rebuilt(project, plans=others), catalogue, plan.id)
            there = next(each for each in changed.workloads if each.workload_id == workload.id)
            found.append(AtContext(workload.id, length, there.fit, there.users_served, False))
    return tuple(found)


def _story(material: Material) -> list[Flowable]:
    told: list[Flowable] = []
    for make in OWNER:
        told += make(material)
    told += method.sign_off(material)
    summary = front.summary(material)
    # Words are explained on the page on which a reader first meets them.
    owner = [*summary, *method.glossary(material, [*summary, *told]), *told]
    details: list[Flowable] = []
    for make in DETAILS:
        details += make(material)
    details += structure.wide_drawing(material)
    divider = divide(material.say("From here on: details for whoever buys, installs and runs it"))
    return keep_headings([*front.cover(material, _entries(owner), _entries(details)), *owner, *divider, *details])


def _entries(story: list[Flowable]) -> list[tuple[str, str]]:
    """Key and title of each section, for the contents."""
    return [(each.key, each.title) for each in _headings(story) if each.level == 0]


def _headings(story: list[Flowable]) -> list[Heading]:
    found: list[Heading] = []
    for each in story:
        if isinstance(each, Heading):
            found.append(each)
        found += _headings(getattr(each, "_content", None) or [])
    return found


def _put(content: bytes, path: Path) -> None:
    """Whole or not at all: a neighbour file that is then renamed."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise ProposalError(_why(path, error)) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o644)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ProposalError(_why(path, error)) from error


def _why(path: Path, error: OSError) -> str:
    wording = Wording()
    reasons = {
        errno.ENOENT: "{path} cannot be written: there is no folder {folder}. Choose another one.",
        errno.ENOTDIR: "{path} cannot be written: there is no folder {folder}. Choose another one.",
        errno.EACCES: "{path} may not be written. Choose another folder, or close the program that shows the file.",
        errno.EPERM: "{path} may not be written. Choose another folder, or close the program that shows the file.",
        errno.EROFS: "{folder} can only be read. Choose another folder.",
        errno.ENOSPC: "The disk of {folder} is full. Make room or choose another folder.",
        errno.EISDIR: "{path} is a folder. Give the file another name.",
    }
    sentence = wording.gettext(reasons.get(error.errno or 0, "{path} could not be written ({reason})."))
    filled = sentence.replace("{path}", str(path)).replace("{folder}", str(path.parent))
    return filled.replace("{reason}", error.strerror or type(error).__name__)
