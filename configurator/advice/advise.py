"""advise(facts) -> Advice: verdicts, steps and findings."""

from __future__ import annotations

from configurator.advice.facts import Advice, PlanFacts, WorkloadAdvice
from configurator.advice.findings import findings
from configurator.advice.flow import Decision, decide
from configurator.advice.results import Verdict
from configurator.advice.situation import Situation, situation
from configurator.advice.verdict import plan_verdict, verdict

NOT_CHECKED: tuple[str, ...] = (
    "not_checked.quality",
    "not_checked.software_bugs",
    "not_checked.building",
    "not_checked.images",
)
"""What the program says nothing about; codes for wording."""


def situations_of(facts: PlanFacts) -> tuple[Situation, ...]:
    """Each workload read once; a placeholder for bare hardware when there is none."""
    if facts.workloads:
        return tuple(situation(facts, work) for work in facts.workloads)
    return ()


def answer(s: Situation) -> tuple[Verdict, Decision, Decision]:
    """Verdict of one workload with the flow on the owner's hardware and on the node to buy."""
    owned = decide(s, "owned")
    return verdict(s, owned), owned, decide(s, "buy")


def advise(facts: PlanFacts) -> Advice:
    """The answer for one plan, without what costs many evaluations (see ``deepen``)."""
    situations = situations_of(facts)
    answers = []
    for s in situations:
        found, owned, buy = answer(s)
        steps = owned.steps + buy.steps
        answers.append(WorkloadAdvice(s.workload.id, found, steps, s.fit, usable_users=s.usable_users))
    has_cards = any(slot.gpu for site in facts.plan.sites for server in site.servers for slot in server.slots)
    return Advice(
        plan_verdict(tuple(each.verdict for each in answers), has_cards),
        tuple(answers),
        findings(situations, facts.plan),
        NOT_CHECKED,
    )
