"""The printed answer of an assessment: everything a reader of the window or of the proposal finds, both audiences."""

from __future__ import annotations

from configurator.assess import Assessment
from configurator.catalogue import Catalogue
from configurator.plan.model import Plan
from configurator.wording import Audience, Wording, named


def printed(assessment: Assessment, plan: Plan, catalogue: Catalogue) -> str:
    """One line per sentence, spaces plain."""
    lines: list[str] = []
    audiences: tuple[Audience, ...] = ("owner", "operator")
    for audience in audiences:
        wording = named(Wording(audience=audience), plan, catalogue)
        lines += [wording.text(assessment.verdict.headline), *map(wording.text, assessment.verdict.reasons)]
        for work in assessment.workloads:
            lines += [wording.text(work.verdict.headline), *map(wording.text, work.verdict.reasons)]
            for step in work.steps:
                lines += [wording.text(step.question), wording.text(step.numbers)]
            for unknown in work.unknowns:
                lines += [wording.text(unknown.question), unknown.command]
            lines += [wording.text(point.text) for point in work.switch_points]
        for found in assessment.findings:
            lines.append(wording.text(found.text) + (f" → {wording.text(found.action)}" if found.action else ""))
        for other in assessment.alternatives:
            lines.append(" ".join((wording.text(other.title), *map(wording.text, other.what_changes))))
    return "\n".join(lines).replace("\u00a0", " ").replace("\u202f", " ")
