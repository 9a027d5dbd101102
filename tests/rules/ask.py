"""Short ways to a plan and its answer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from configurator.advice.facts import PlanFacts
from configurator.advice.results import Finding, Step
from configurator.advice.situation import Situation, situation
from configurator.assess import Assessment, WorkloadAssessment, assess
from configurator.catalogue import load_catalogue
from configurator.evaluate import evaluate
from configurator.plan.edits import add_gpus, add_server, add_site, add_workload, connect, rebuilt, update
from configurator.plan.model import Plan, Policy, Project, SiteKind
from configurator.terms import Message
from tests.helpers import there

CATALOGUE = load_catalogue()
EIGHT = "generic-4u5u-8gpu-switch"
FOUR = "dell-r760xa-4gpu"
HOME = "desktop-1gpu"
PRO = "nvidia-rtx-pro-6000-blackwell-server"
R5090 = "nvidia-rtx-5090"
R3090 = "nvidia-rtx-3090"
H100 = "nvidia-h100-sxm5-80gb"

Box = tuple[str, str, int]
LOAD: dict[str, Any] = {"users": 16, "context_tokens": 8192, "goal": "many_answers"}


def plan_of(*boxes: Box, link: str = "", kind: SiteKind = "server_room", apart: bool = False, **load: Any) -> Plan:
    """Boxes (chassis, card, count) in one place or each in its own, joined in a chain, with one workload."""
    plan = Plan(id="plan", name="Plan")
    ids: list[str] = []
    site = ""
    for number, (chassis, gpu, count) in enumerate(boxes, 1):
        if apart or not site:
            plan, site = add_site(plan, kind, f"Place {number}")
        plan, server = add_server(plan, CATALOGUE, site, chassis)
        have = sum(
            slot.gpu is not None
            for each in plan.sites
            for box in each.servers
            if box.id == server
            for slot in box.slots
        )
        if gpu and count > have:
            plan, _ = add_gpus(plan, CATALOGUE, gpu, server, count - have)
        ids.append(server)
    if link:
        for a, b in pairwise(ids):
            plan, _ = connect(plan, a, b, link)
    if load:
        plan, _ = add_workload(plan, "Work", **load)
    return plan


def owned(plan: Plan) -> Plan:
    """The same servers, as machines that the owner has already."""
    for site in plan.sites:
        for server in site.servers:
            plan = update(plan, server.id, owned=True)
    return plan


def project_of(plan: Plan, **fields: Any) -> Project:
    return Project(id="project", plans=(plan,), active_plan_id=plan.id, **fields)


def ask(plan: Plan, deep: bool = False, **fields: Any) -> Assessment:
    """The whole answer."""
    return assess(project_of(plan, **fields), CATALOGUE, deep=deep)


def work(answer: Assessment) -> WorkloadAssessment:
    return answer.workloads[0]


def found(answer: Assessment, code: str) -> Finding | None:
    """The finding whose text has that code (without "finding.")."""
    return next((each for each in answer.findings if each.text.code == f"finding.{code}"), None)


def told(answer: Assessment, code: str) -> Finding:
    """The finding, which must be there."""
    return there(found(answer, code))


def number(text: Message, name: str) -> float:
    """A number that the sentence carries."""
    value = text.get(name)
    assert isinstance(value, int | float)
    return float(value)


def codes(answer: Assessment) -> set[str]:
    return {each.text.code.removeprefix("finding.") for each in answer.findings}


def facts_of(plan: Plan, **fields: Any) -> PlanFacts:
    return evaluate(project_of(plan, **fields), plan, CATALOGUE)


def seen(plan: Plan, **fields: Any) -> Situation:
    """The situation of the first workload."""
    facts = facts_of(plan, **fields)
    return situation(facts, facts.workloads[0])


def step(answer: Assessment, number: int, scope: str = "owned") -> Step:
    return next(each for each in work(answer).steps if each.number == number and each.scope == scope)


def policy(**fields: Any) -> Policy:
    return rebuilt(Policy(), **fields)
