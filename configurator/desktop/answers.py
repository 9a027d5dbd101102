"""Answers that are known already, and who gives new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from configurator.catalogue import Catalogue
from configurator.plan.model import Project
from configurator.plan.projects import active_plan

if TYPE_CHECKING:
    from configurator.assess import Assessment

KEPT = 32


class Assessor(Protocol):
    """What ``configurator.assess.assess`` looks like."""

    def __call__(
        self, project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False
    ) -> Assessment: ...


def assess_with_engines(
    project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False
) -> Assessment:
    # The engines load when the first answer is asked for, after the window is on the screen.
    from configurator.assess import assess

    return assess(project, catalogue, plan_id, deep=deep)


def _same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def equally_assessed(old: Project, new: Project) -> bool:
    """Whether both projects have the same answer: nothing that assess() reads has changed, by identity."""
    if old is new:
        return True
    a, b = active_plan(old), active_plan(new)
    settings = ("policy", "cost", "currency", "measurements", "id")
    parts = ("sites", "links", "workloads")
    return (
        a.id == b.id
        and all(_same(getattr(a, name), getattr(b, name)) for name in parts)
        # Asked after the parts: comparing settings value by value is slow, and most answers differ in a part.
        and all(getattr(old, name) == getattr(new, name) for name in settings)
        and a.failed_ids == b.failed_ids
        and a.set_aside == b.set_aside
    )


class AnswerBook:
    """The last answers, so that undo and another tab show theirs at once."""

    def __init__(self) -> None:
        self._answers: list[tuple[Project, Assessment, bool]] = []

    def known(self, project: Project) -> tuple[Assessment, bool] | None:
        """The answer for a project and whether it is the deep one; None when it is not known."""
        for known, answer, deep in self._answers:
            if equally_assessed(known, project):
                return answer, deep
        return None

    def keep(self, project: Project, answer: Assessment, deep: bool) -> None:
        """Remember an answer; the oldest is forgotten."""
        self._answers = [each for each in self._answers if not equally_assessed(each[0], project)][: KEPT - 1]
        self._answers.insert(0, (project, answer, deep))

    def clear(self) -> None:
        """Forget everything: another project is on the screen."""
        self._answers.clear()
