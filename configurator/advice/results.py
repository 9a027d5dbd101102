"""What advice answers: steps, findings, verdict, alternatives. Codes and parameters, no language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from configurator.plan.model import Plan
from configurator.terms import Estimate, Light, Message

VerdictCode = Literal[
    "fits",
    "fits-but-no-headroom",
    "does-not-fit",
    "single-node",
    "replicas",
    "tp-inside-pp-across",
    "cluster",
    "change-fabric",
    "unknown-topology",
]
FindingClass = Literal["will_not_work", "one_more_step", "good_to_know", "not_checked"]
StepAnswer = Literal["yes", "no", "unknown", "not_asked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the owner should know. ``rule`` is an id of the rule book (R24) or "" for physics."""

    code: str
    kind: FindingClass
    subjects: tuple[str, ...]
    """Ids of plan objects; a click selects them."""
    text: Message
    action: Message | None
    """What to do."""
    basis: str
    rule: str
    fix: Callable[[Plan], Plan] | None = None
    """An edit that mends it, one undo step."""
    set_aside_remark: str | None = None
    rank: int = 0
    """Place in the order of telling over all classes, 1 first."""
    folded: bool = False
    """A note of less weight for this plan: shown to who asks for it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the decision flow (R59-R64). ``number`` 1-5, 6 is the outcome when all are no."""

    number: int
    scope: Literal["owned", "buy"]
    """On what the owner has, or on the node they could buy."""
    question: Message
    answer: StepAnswer
    numbers: Message
    rule: str
    changes_if: Message | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer: code, light, the headline sentence, up to three reasons."""

    code: VerdictCode
    light: Light
    headline: Message
    reasons: tuple[Message, ...]
    secondary: tuple[VerdictCode, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A neighbour of the plan, assessed. ``edit`` opens it as a new plan."""

    code: str
    title: Message
    what_changes: tuple[Message, ...]
    verdict: Verdict | None
    users_served: Estimate | None
    output_tokens_per_s: Estimate | None
    purchase: Estimate | None
    total_per_year: Estimate | None
    failure_domain: Message | None
    edit: Callable[[Plan], Plan] | None
    rank: int


@dataclass(frozen=True, slots=True)
class SwitchPoint:
    """The recommendation changes when ``quantity`` passes ``value``."""

    quantity: str
    value: float
    unit: str
    from_code: str
    to_code: str
    text: Message


@dataclass(frozen=True, slots=True)
class UnknownFact:
    """Something not known that moves the verdict: the question, who answers, the command, what each answer gives."""

    subject_id: str
    question: Message
    who: str
    command: str
    answers: tuple[tuple[Message, Verdict], ...]
    apply: Callable[[Plan, int], Plan] | None = None
    """The edit that puts the answer of that number into the plan."""
