"""Pure edits of the project: its variants, its settings."""

from __future__ import annotations

from collections.abc import Callable

from configurator.plan.edits import EditError, rebuilt
from configurator.plan.index import new_id
from configurator.plan.model import Plan, Project
from configurator.terms import message


def new_project(title: str = "", plan_name: str = "Plan") -> Project:
    """A project with one empty plan."""
    return Project(id="project", title=title, plans=(Plan(id="plan-1", name=plan_name),), active_plan_id="plan-1")


def active_plan(project: Project) -> Plan:
    """The plan on the screen."""
    return plan_by_id(project, project.active_plan_id)


def plan_by_id(project: Project, plan_id: str) -> Plan:
    """One plan of the project; raises EditError when there is none of that id."""
    found = next((plan for plan in project.plans if plan.id == plan_id), None)
    if found is None:
        raise EditError(message("edit.no_object", object_id=plan_id))
    return found


def edit_plan(project: Project, edit: Callable[[Plan], Plan], plan_id: str | None = None) -> Project:
    """The project with one plan (the active one by default) changed; the same project when nothing changed."""
    old = plan_by_id(project, plan_id or project.active_plan_id)
    new = edit(old)
    return (
        project if new is old else rebuilt(project, plans=tuple(new if plan is old else plan for plan in project.plans))
    )


def activate(project: Project, plan_id: str) -> Project:
    """Show another plan."""
    plan_by_id(project, plan_id)
    return project if plan_id == project.active_plan_id else rebuilt(project, active_plan_id=plan_id)


def add_plan(project: Project, plan: Plan, name: str) -> tuple[Project, str]:
    """Another variant, shown at once; its id is replaced by a free one."""
    plan_id = new_id({each.id for each in project.plans}, "plan")
    added = rebuilt(plan, id=plan_id, name=name)
    return rebuilt(project, plans=(*project.plans, added), active_plan_id=plan_id), plan_id


def rename_plan(project: Project, plan_id: str, name: str) -> Project:
    """Another name for a variant; blank names are refused."""
    if not name.strip():
        raise EditError(message("edit.blank_name", object_id=plan_id))
    return edit_plan(project, lambda plan: rebuilt(plan, name=name.strip()), plan_id)


def remove_plan(project: Project, plan_id: str) -> Project:
    """Take a variant away; the last one stays. The neighbour is shown then."""
    plan_by_id(project, plan_id)
    if len(project.plans) == 1:
        raise EditError(message("edit.last_plan"))
    number = next(index for index, plan in enumerate(project.plans) if plan.id == plan_id)
    plans = tuple(plan for plan in project.plans if plan.id != plan_id)
    shown = project.active_plan_id if project.active_plan_id != plan_id else plans[max(0, number - 1)].id
    return rebuilt(project, plans=plans, active_plan_id=shown)
