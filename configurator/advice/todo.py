"""What to do with the answer, in order: one list for the whole proposal, its first entry is the first step.

Derived from the verdict, what is not known, the neighbours of the plan and the findings. No language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from configurator.advice.advise import situations_of
from configurator.advice.facts import PlanFacts
from configurator.advice.pilot import usable
from configurator.advice.reasons import slot_rates
from configurator.advice.results import Alternative, Finding, UnknownFact, Verdict
from configurator.advice.shape import slot_rate
from configurator.advice.situation import Situation
from configurator.terms import Message, message


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do; ``who`` is a code of wording.

    ``topic``: what a sentence is about that does not say it itself; the question of "ask"; the option of "change".
    """

    code: str
    text: Message
    who: str
    topic: Message | None = None


@dataclass(frozen=True, slots=True)
class Todo:
    """Tasks in order. ``ready``: the plan as it stands may be tried and bought; else it changes first."""

    tasks: tuple[Task, ...]
    ready: bool


OWNER, OPERATOR, ELECTRICIAN = "who.owner", "who.operator", "who.electrician"
NOT_READY = ("change-fabric", "does-not-fit", "unknown-topology")
"""Answers that are about another plan than this one."""
CHOOSE = {
    "headline.no_cards": "todo.cards",
    "headline.no_workload": "todo.workload",
    "headline.no_model": "todo.model",
    "headline.no_model_one_node": "todo.model",
    "headline.homes_no_model": "todo.model",
    "headline.strange_cards": "todo.strange_cards",
    "headline.strange_model": "todo.strange_model",
    "headline.strange_weights": "todo.strange_model",
}
TOPICS: tuple[tuple[str, str], ...] = (
    ("memory", OWNER),
    ("unknown.load.goal", OWNER),
    ("unknown.load", OWNER),
    ("unknown", OPERATOR),
    ("p2p", OPERATOR),
    ("slot", OPERATOR),
    ("failure", OPERATOR),
    ("operations.tax.engineering", OWNER),
    ("operations.storage", OWNER),
    ("operations", OPERATOR),
    ("cost", OWNER),
    ("engine", OPERATOR),
    ("precision", OPERATOR),
    ("split", OPERATOR),
    ("fabric", OPERATOR),
    ("copies", OPERATOR),
    ("load", OWNER),
    ("power", ELECTRICIAN),
    ("site", OWNER),
    ("node", OWNER),
    ("training", OPERATOR),
    ("lab-trap", OWNER),
)
"""Beginning of a finding's text code, who acts; wording has "topic.<beginning>"."""
ASKED = {
    "question.users": "do.unknown.users",
    "question.context": "do.unknown.context",
    "question.goal": "do.unknown.goal",
    "question.model": "do.unknown.model",
    "question.one_chassis": "do.unknown.wiring",
    "question.slots": "do.unknown.wiring",
    "question.link": "do.unknown.link",
    "question.connection": "do.unknown.link",
}
"""A question and the action of a finding that say the same."""
BEHIND = {"headline.limit.survive": "failure.survive"}
"""Which finding says what to do about a headline."""
MET_BY_LAYOUT = ("do.split.heads", "do.split.cut")
"""What the recommended layout keeps already: a note on other layouts, nothing to do."""
LATER = ("failure", "operations.tax.list", "operations.checkpoint")
"""Work of whoever runs it, after the decision: it never is the first step."""
MOST_FINDINGS, MOST_BEFORE_A_CHANGE = 6, 4
"""Actions of findings that are listed; of a plan that changes anyway only the first."""
NEW_MODEL = "smaller_model"
NEW_FABRIC = "fabric-"
NOT_A_PLAN = ("rent", "api")


def todo(
    facts: PlanFacts,
    verdict: Verdict,
    unknowns: Sequence[UnknownFact],
    findings: Sequence[Finding],
    alternatives: Sequence[Alternative],
    buying: bool,
) -> Todo:
    """The list. ``findings`` without those that are set aside; ``buying``: the plan holds things to be bought."""
    ready = is_ready(facts, verdict)
    first = _first(facts, verdict, findings, alternatives)
    found = [first] if first is not None else []
    found += [Task("ask", message("todo.ask"), each.who, each.question) for each in unknowns]
    asked = tuple(ASKED[each.question.code] for each in unknowns if each.question.code in ASKED)
    told = _of_findings(findings, asked, {first.text.code} if first is not None else set())
    now = [each for each in told if not each[0]]
    found += [task for _, task in now[: MOST_FINDINGS if ready else MOST_BEFORE_A_CHANGE]]
    if not ready:
        if first is None or first.code != "choose":
            found.append(Task("renew", message("todo.renew"), OWNER))
        return Todo(tuple(found), ready)
    if buying:
        found += [Task("offers", message("todo.offers"), OWNER), Task("decide", message("todo.decide"), OWNER)]
    found.append(Task("pilot", message("todo.pilot" if buying else "todo.pilot_now"), OPERATOR))
    found += [task for later, task in told if later][:MOST_FINDINGS]
    found.append(Task("measured", message("todo.measured"), OPERATOR))
    return Todo(tuple(found), ready)


def is_ready(facts: PlanFacts, verdict: Verdict) -> bool:
    """The verdict speaks for this very plan, and what runs on it is of use."""
    if verdict.light in ("stop", "unknown") or verdict.code in NOT_READY:
        return False
    if verdict.headline.code == "headline.buy_one" or verdict.headline.code.startswith("headline.limit."):
        return False
    return any(usable(s) for s in situations_of(facts))


def _first(
    facts: PlanFacts, verdict: Verdict, findings: Sequence[Finding], alternatives: Sequence[Alternative]
) -> Task | None:
    """What the headline itself asks for; None where it asks for nothing but a pilot."""
    code = verdict.headline.code
    if code in CHOOSE:
        return Task("choose", message(CHOOSE[code]), OWNER)
    if code == "headline.slot":
        return _move_card(facts)
    if code == "headline.buy_one":
        cards = verdict.headline.get("buy_cards")
        return Task("buy_one", message("todo.buy_one", cards=cards, gpu=facts.project.policy.buy_node_gpu), OWNER)
    if code == "headline.limit.power":
        return Task("power", message("todo.power"), ELECTRICIAN)
    if verdict.light == "good" or is_ready(facts, verdict):
        return None
    urgent = next((each for each in findings if each.kind == "will_not_work" and each.action is not None), None)
    if verdict.code == "does-not-fit" and urgent is not None and urgent.action is not None:
        return Task("change", urgent.action, OWNER)
    way = way_out(alternatives)
    if way is not None:
        return Task("change", _changed(way), OWNER, way.title)
    own = _own_finding(code, findings)
    if own is not None:
        return own
    return None if verdict.light == "unknown" else Task("change", message("todo.change"), OWNER)


def _own_finding(headline: str, findings: Sequence[Finding]) -> Task | None:
    """The action of the finding that stands behind the headline, else of the gravest one."""
    told = [each for each in findings if each.action is not None and each.kind in ("will_not_work", "one_more_step")]
    behind = [each for each in told if each.code == BEHIND.get(headline)]
    stops = [each for each in told if each.kind == "will_not_work"]
    chosen = next(iter([*behind, *stops]), None)
    if chosen is None or chosen.action is None:
        return None
    topic = _topic(chosen)
    return Task("own", chosen.action, OWNER, message(f"topic.{topic[0]}") if topic[0] else None)


def _topic(finding: Finding) -> tuple[str, str]:
    """(what it is about, who acts)."""
    text = finding.text.code.removeprefix("finding.")
    return next(((name, who) for name, who in TOPICS if text.startswith(name)), ("", OWNER))


def _move_card(facts: PlanFacts) -> Task:
    """Which card, and from how slow a slot to how fast a one."""
    slow: list[tuple[float, str, Situation]] = []
    for s in situations_of(facts):
        rates = [(slot_rate(s.shape.by_id[each]), each) for each in s.copy_cards if each in s.shape.by_id]
        slow += [(rate, gpu_id, s) for rate, gpu_id in rates if rate]
    if not slow:
        return Task("move", message("todo.change"), OPERATOR)
    rate, gpu_id, s = min(slow, key=lambda each: each[0])
    usual = slot_rates(s)
    return Task(
        "move",
        message("todo.move", object_id=gpu_id, slot_bytes_per_s=rate, other_bytes_per_s=usual[len(usual) // 2]),
        OPERATOR,
    )


def works(alternative: Alternative) -> bool:
    """A neighbour that would run: green, or all but its reserve."""
    answer = alternative.verdict
    if answer is None or alternative.output_tokens_per_s is None:
        # What has no speed does not run.
        return False
    if answer.headline.code.startswith("headline.limit."):
        return False
    return answer.light == "good" or (answer.light == "step" and answer.code == TIGHT)


def priced(alternative: Alternative) -> bool:
    """Its sum holds all that it takes: network cards, switches and cables of another connection have no price here."""
    return not alternative.code.startswith(NEW_FABRIC)


TIGHT = "fits-but-no-headroom"


def way_out(alternatives: Sequence[Alternative]) -> Alternative | None:
    """The cheapest neighbour that would run; another model only where the asked one runs nowhere."""
    found = [each for each in alternatives if works(each) and each.code not in NOT_A_PLAN]
    return min(
        found,
        key=lambda each: (each.code == NEW_MODEL, not priced(each), _price(each), each.rank),
        default=None,
    )


def _price(alternative: Alternative) -> float:
    return alternative.purchase.expected if alternative.purchase is not None else 0.0


def _changed(way: Alternative) -> Message:
    """The price and the speed of the neighbour that is the way out."""
    free = way.purchase is None or way.purchase.expected <= 0
    code = "todo.change_ask" if not priced(way) else "todo.change_free" if free else "todo.change_buy"
    if way.output_tokens_per_s is None:
        code += "_open"
    return message(code, price_money=way.purchase, tokens_per_s=way.output_tokens_per_s)


def _of_findings(findings: Sequence[Finding], asked: tuple[str, ...], said: set[str]) -> list[tuple[bool, Task]]:
    """(later, task) of each action that is still to be said, in the findings' order."""
    found: list[tuple[bool, Task]] = []
    seen = set(said)
    for each in findings:
        action = each.action
        if action is None or each.kind not in ("will_not_work", "one_more_step"):
            continue
        if action.code in seen or action.code.startswith((*MET_BY_LAYOUT, *asked)):
            continue
        seen.add(action.code)
        text = each.text.code.removeprefix("finding.")
        family, who = _topic(each)
        topic = message(f"topic.{family}") if family else None
        found.append((text.startswith(LATER), Task(each.code, action, who, topic)))
    return found
