"""The decision flow (R59-R64): five questions, the first yes ends; a sixth outcome when all are no.

Asked of the owner's hardware, and of the node they could buy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

from configurator.advice.facts import Precision
from configurator.advice.findings.larger import least_card
from configurator.advice.results import Step, StepAnswer
from configurator.advice.shape import strange_cards
from configurator.advice.situation import (
    GRADIENT,
    LARGE_PARAMETERS,
    Situation,
    at_least,
    cards_of,
    longest_tokens,
    offloaded,
    starts_shorter,
)
from configurator.scaling.results import ScoredLayout
from configurator.sizing.results import FIT_ORDER, Fit
from configurator.terms import Message, message

Scope = Literal["owned", "buy"]
"""Whose node a question is about."""

RULES = ("R59", "R60", "R61", "R62", "R63", "R64")
CLIPPED_SHARE = 0.995
SERVER_SHARE, FEW_SERVERS = 0.9, 4
"""What of a server weights may fill in a chain, and the longest chain that is worth a word."""
FOUR_BITS = 5.0
"""A weight format under five effective bits counts as INT4 (R60)."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The steps of one scope and where they ended: 1-5, 6 when all are no, 0 while something is not known."""

    scope: Scope
    steps: tuple[Step, ...]
    outcome: int
    layout: ScoredLayout | None
    """The layout the yes rests on (steps 1 and 2)."""
    copies_needed: int = 1


def best_in_one_box(s: Situation, scope: Scope, precision: Precision) -> ScoredLayout | None:
    """Best layout on one server alone; the best failing one when none fits there."""
    layouts = s.work.layouts("box" if scope == "owned" else scope, precision)
    return max(
        layouts,
        key=lambda each: (FIT_ORDER.index(each.memory.fit), not offloaded(each), longest_tokens(each) or 0),
        default=None,
    )


def decide(s: Situation, scope: Scope) -> Decision:
    """Ask the five questions of one scope."""
    asked = _Asked(s, scope)
    answers: list[tuple[StepAnswer, Message, Message | None]] = []
    ended = False
    for question in (asked.first, asked.second, asked.third, asked.fourth, asked.fifth):
        if ended:
            answers.append(("not_asked", message("step.not_asked"), None))
            continue
        answer = question()
        answers.append(answer)
        ended = answer[0] in ("yes", "unknown")
    last = next((i for i, (answer, _, _) in enumerate(answers, 1) if answer in ("yes", "unknown")), 0)
    unknown = bool(last) and answers[last - 1][0] == "unknown"
    outcome = 0 if unknown else (last or 6)
    steps = [
        Step(i, scope, asked.question(i), answer, numbers, RULES[i - 1], changes)
        for i, (answer, numbers, changes) in enumerate(answers, 1)
    ]
    six: StepAnswer = "unknown" if unknown else "yes" if outcome == 6 else "not_asked"
    steps.append(Step(6, scope, message("step.6.question"), six, asked.sixth(outcome), "R64", None))
    return Decision(scope, tuple(steps), outcome, asked.layout, asked.copies_needed)


class _Asked:
    """The questions over one scope; remembers the layout that a yes rests on."""

    def __init__(self, s: Situation, scope: Scope) -> None:
        self.s = s
        self.scope = scope
        self.layout: ScoredLayout | None = None
        self.copies_needed = 1
        self.wide: Precision = "fp8" if scope == "buy" and not s.training and s.work.layouts("buy", "fp8") else "asked"
        self.one = best_in_one_box(s, scope, self.wide)

    def question(self, number: int) -> Message:
        """The question in the words of the scope."""
        if number == 1 and self.s.training:
            node = self.s.policy
            return message(f"step.1.training.{self.scope}", cards=node.buy_node_gpus, gpu=node.buy_node_gpu)
        if number in (1, 2):
            return message(
                f"step.{number}.question.{self.scope}",
                cards=self.s.policy.buy_node_gpus,
                gpu=self.s.policy.buy_node_gpu,
                headroom_low_share=self.s.policy.headroom_low,
                headroom_high_share=self.s.policy.headroom_high,
            )
        return message(f"step.{number}.question")

    def first(self) -> tuple[StepAnswer, Message, Message | None]:
        """R59: one node in eight bits with reserve."""
        if self.s.model is None:
            named = self.s.workload.model is not None
            return "unknown", message("step.strange_model" if named else "step.no_model"), message("step.changes.model")
        if self.scope == "owned" and not self.s.shape.cards:
            strange = bool(strange_cards(self.s.facts.plan, self.s.catalogue))
            told = message("step.strange_cards" if strange else "step.no_cards")
            return "unknown", told, message("step.changes.cards")
        if self.one is None:
            return "no", self._too_large(), None
        return self._fits(self.one, self.wide)

    def second(self) -> tuple[StepAnswer, Message, Message | None]:
        """R60: one node in four bits, inference only."""
        if self.s.training:
            return "no", message("step.2.training"), None
        weights = self.s.work.weight_format
        if weights is not None and weights.bits < FOUR_BITS and self.wide == "asked":
            return "no", message("step.2.already", weights=weights.name, weight_bits=round(weights.bits, 1)), None
        four = best_in_one_box(self.s, self.scope, "int4")
        if four is None:
            return "no", self._too_large("int4") if self.one is None else message("step.2.none"), None
        answer = self._fits(four, "int4")
        if answer[0] != "yes" and at_least(four.memory.fit, "starts"):
            self.one = four
        return answer

    def _fits(self, layout: ScoredLayout, precision: Precision) -> tuple[StepAnswer, Message, Message | None]:
        memory, weights = layout.memory, self._weights(precision)
        if memory.fit == "no" and weights > self._node_memory():
            return "no", self._too_large(precision), None
        cause = memory.reason or layout.lost_because
        if memory.fit == "no" and cause is not None and cause.code.startswith("layout.") and not memory.per_gpu:
            # Not a matter of room: the engine, the format or the model's shape refuses.
            return "no", cause, None
        enough: Fit = "serves" if self.s.training else "serves_with_reserve"
        if self.s.training and at_least(memory.fit, "starts") and offloaded(layout):
            return "no", message("step.numbers.offload", weights_bytes=self.s.work.weights_bytes), None
        yes = at_least(memory.fit, enough)
        tightest = max(memory.per_gpu, key=lambda each: each.weights_bytes, default=None)
        code = "training" if self.s.training else "fit" if self.s.workload.users is not None else "fit_open"
        if memory.fit == "no":
            code = "no_training" if self.s.training else "no_length" if starts_shorter(layout) else "no"
        share = memory.weights_share
        if share > CLIPPED_SHARE and memory.fit == "no":
            # A ledger ends at the card; what the weights would take does not.
            share = weights / max(1, self._node_memory())
        copies = len(layout.instances)
        if copies > 1 and code in ("fit", "training"):
            code += "_copies"
        numbers = message(
            f"step.numbers.{code}",
            copies=copies,
            precision_code=f"precision.{precision}",
            gpus=len(cards_of(layout.instances[0])) if layout.instances else 0,
            weights_bytes=tightest.weights_bytes if tightest else 0,
            memory_bytes=tightest.memory_bytes if tightest else 0,
            weights_share=round(share, 2),
            left_share=max(0.0, 1 - round(share, 2)),
            policy_share=self.s.policy.headroom_low,
            headroom_share=memory.headroom_share,
            served_users=memory.users_served,
            asked_users=self.s.workload.users,
            longest_tokens=longest_tokens(layout),
            fit_code=f"trains.{memory.fit}" if self.s.training else f"fit.{memory.fit}",
        )
        changes = None
        if yes:
            self.layout = layout
            if not self.s.training:
                changes = message(
                    "step.changes.load",
                    served_users=memory.users_served,
                    max_context_tokens=memory.max_context_tokens,
                    asked_users=self.s.workload.users,
                )
        elif at_least(memory.fit, "starts") and not self.s.training:
            changes = message("step.changes.fewer", served_users=memory.users_served)
        return ("yes" if yes else "no"), numbers, changes

    def third(self) -> tuple[StepAnswer, Message, Message | None]:
        """R61: the model fits a node, the load does not: copies."""
        if self.s.training:
            return "no", message("step.3.training"), None
        if self.one is not None and starts_shorter(self.one):
            return "no", self._too_long("step.3.length"), None
        if self.one is None or not at_least(self.one.memory.fit, "starts"):
            return "no", self._size_bound(), None
        if self.s.workload.users is None and self.s.workload.tokens_per_s is None:
            return "unknown", message("step.3.load"), message("step.changes.users")
        served = self.one.memory.users_served.expected
        users = self.s.workload.users or 1
        self.copies_needed = max(2, ceil(users / served)) if served >= 1 else 2
        if at_least(self.one.memory.fit, "serves") and served >= users:
            numbers = message("step.3.carried", served_users=self.one.memory.users_served, asked_users=users)
            return "no", numbers, None
        self.layout = self.one
        context = self.s.workload.context_tokens
        if served < 1:
            return "no", message("step.3.context", context_tokens=context or 0), None
        return (
            "yes",
            message(
                "step.3.yes", served_users=self.one.memory.users_served, asked_users=users, nodes=self.copies_needed
            ),
            message("step.changes.fewer", served_users=self.one.memory.users_served),
        )

    def _size_bound(self) -> Message:
        weights, memory = self.s.work.weights_bytes, self._node_memory()
        code = "step.3.size" if weights > memory else "step.3.rest"
        return message(code, weights_bytes=weights, memory_bytes=memory)

    def fourth(self) -> tuple[StepAnswer, Message, Message | None]:
        """R62: training of a model that does not fit one node."""
        if not self.s.training:
            return "no", message("step.4.inference"), None
        if self.s.workload.task == "pretrain" and self.s.parameters >= LARGE_PARAMETERS:
            return "no", message("step.4.scratch"), None
        return "yes", self._efficiency(), message("step.changes.fabric")

    def _efficiency(self) -> Message:
        curve = self.s.work.efficiency
        if curve is None or not curve.points:
            return message("step.4.yes", weights_bytes=self.s.work.weights_bytes)
        if all(each.gpus <= curve.baseline_gpus for each in curve.points):
            # Nothing smaller runs: there is no speed to compare with.
            return message("step.4.smallest", gpus=curve.baseline_gpus, weights_bytes=self.s.work.weights_bytes)
        widest = max(curve.points, key=lambda each: (each.nodes, each.gpus, each.efficiency.expected))
        return message(
            "step.4.efficiency",
            efficiency_share=widest.efficiency,
            gpus=widest.gpus,
            nodes=widest.nodes,
            floor_share=self.s.policy.efficiency_floor,
            fabric_bytes_per_s=curve.fabric_needed_bytes_per_s,
        )

    def fifth(self) -> tuple[StepAnswer, Message, Message | None]:
        """R63: 70B class and larger from scratch."""
        if self.s.workload.task != "pretrain":
            return "no", message("step.5.not_scratch"), None
        if self.s.parameters < LARGE_PARAMETERS:
            return "no", message("step.5.small", parameters_billion=self.s.parameters / 1e9), None
        speed = self.s.chosen.training if self.s.chosen else None
        if speed is None or speed.gpu_months is None:
            return "yes", message("step.5.yes_open"), None
        return "yes", message("step.5.yes", gpu_months=speed.gpu_months), None

    def sixth(self, outcome: int) -> Message:
        """What is left when all five are no."""
        if outcome != 6:
            return message("step.not_asked")
        if self.s.workload.task in GRADIENT:
            return message("step.6.training")
        if self.one is not None and at_least(self.one.memory.fit, "serves"):
            return message("step.6.no_reserve")
        if self.one is not None and starts_shorter(self.one):
            return self._too_long("step.6.length")
        weights, memory = self._weights("int4"), self._node_memory()
        if weights <= memory:
            return message("step.6.rest", weights_bytes=weights, memory_bytes=memory)
        card = least_card(self.s, weights)
        if card is not None and card.memory_usable_bytes > memory:
            return message(
                "step.6.size_card", weights_bytes=weights, memory_bytes=memory, least_gb=card.memory_label_gb
            )
        servers = ceil(weights / (SERVER_SHARE * memory)) if memory else 0
        code = "step.6.size" if 2 <= servers <= FEW_SERVERS else "step.6.size_far"
        return message(code, weights_bytes=weights, memory_bytes=memory, servers=servers)

    def _too_long(self, code: str) -> Message:
        """The weights fit; the length of one request is what does not."""
        load = self.s.workload
        return message(
            code,
            asked_tokens=load.max_context_tokens or load.context_tokens,
            longest_tokens=longest_tokens(self.one),
        )

    def _weights(self, precision: Precision) -> int:
        """Bytes of the whole model in the asked, the 8-bit or the 4-bit format of its engine."""
        asked, size_at = self.s.work.weights_bytes, self.s.work.size_at
        if precision == "asked" or size_at is None:
            return asked
        gguf = self.s.workload.engine == "llama.cpp"
        names = ("q8_0", "q4_k_m") if gguf else ("fp8", "awq-int4")
        return min(asked, size_at(names[precision == "int4"]))

    def _too_large(self, precision: Precision = "asked") -> Message:
        return message(
            "step.numbers.none",
            weights_bytes=self._weights(precision),
            memory_bytes=self._node_memory(),
            precision_code=f"precision.{precision}",
        )

    def _node_memory(self) -> int:
        if self.scope == "buy":
            record = self.s.catalogue.gpus[self.s.policy.buy_node_gpu]
            return record.memory_usable_bytes * self.s.policy.buy_node_gpus
        boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in self.s.shape.boxes]
        return max(boxes, default=0)
