"""Figures of an answer as tiles: text, change since the last edit, and how each is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from configurator.desktop.widgets.explain import Explanation
from configurator.plan.model import Workload
from configurator.terms import Estimate
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.advice.facts import PlanFacts
    from configurator.assess import WorkloadAssessment
    from configurator.scaling.results import Speed

WORDS_PER_TOKEN = 0.75
"""English text: 100 tokens are about 75 words (OpenAI help centre, "What are tokens and how to count them")."""

SMALLEST_CHANGE = 0.005
"""Changes below half a percent are not shown."""

TRAINING = frozenset({"lora", "qlora", "full", "pretrain"})


@dataclass(frozen=True, slots=True)
class Figure:
    """One tile."""

    value: str
    caption: str
    change: str
    better: bool | None
    explanation: Explanation


def relative_change(
    wording: Wording, old: Estimate | None, new: Estimate | None, *, more_is_better: bool
) -> tuple[str, bool | None]:
    """Such as ("▲ 12 %", True); ("", None) without a visible change."""
    if old is None or new is None or not old.expected or old.unit != new.unit:
        return "", None
    change = new.expected / old.expected - 1
    if abs(change) < SMALLEST_CHANGE:
        return "", None
    arrow = "▲" if change > 0 else "▼"
    return f"{arrow} {wording.share(abs(change))}", (change > 0) == more_is_better


def serving_figures(
    wording: Wording,
    workload: Workload,
    answer: WorkloadAssessment,
    before: WorkloadAssessment | None,
    facts: PlanFacts | None = None,
    facts_before: PlanFacts | None = None,
) -> tuple[Figure, ...]:
    """People at a usable speed, first word, speed of each, and the whole service (or reading, for one person)."""
    speed = speed_of(workload, answer, facts)
    old = speed_of(workload, before, facts_before) if before is not None else None
    given = _Given(wording, workload, answer, speed, old)
    return (
        _people(wording, workload, answer, before, facts),
        _first_word(given),
        _each(given),
        _reading(given) if workload.users in {None, 1} and workload.task == "chat" else _whole(given),
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """What the tiles of the speed are made of."""

    wording: Wording
    workload: Workload
    answer: WorkloadAssessment
    speed: Speed | None
    old: Speed | None

    @property
    def operator(self) -> bool:
        return self.wording.audience == "operator"

    @property
    def whose(self) -> str:
        """Whose speed it is: one person's alone, or that of each who was asked for."""
        _, workload = self.wording.gettext, self.workload
        if workload.task == "batch":
            return _("each stream") if self.operator else _("each request")
        if workload.users is None or workload.users == 1:
            return _("one request alone") if self.operator else _("one person alone")
        return _("each of {n}").format(n=self.wording.count(workload.users))

    def figure(
        self, name: str, caption: str, more_is_better: bool, title: str, formula: str, unit: str | None = ""
    ) -> Figure:
        """A tile of one field of the speed; ``unit`` None keeps the field's own."""
        new: Estimate | None = getattr(self.speed, name) if self.speed is not None else None
        old: Estimate | None = getattr(self.old, name) if self.old is not None else None
        if unit is not None:
            new, old = (each.scaled(1.0, unit) if each is not None else None for each in (new, old))
        inputs = _speed_inputs(self.wording, self.workload, self.speed)
        said = Explanation(title, formula, inputs, _measured_or_not(self.wording, self.answer))
        return _figure(self.wording, new, old, caption, more_is_better, said)


def speed_of(workload: Workload, answer: WorkloadAssessment, facts: PlanFacts | None) -> Speed | None:
    """What the asked people get; one person alone where nobody said how many, as the headline counts it."""
    if facts is not None and workload.users is None and workload.task == "chat":
        work = next((each for each in facts.workloads if each.workload.id == workload.id), None)
        alone = work.speed_for(1.0) if work is not None and work.speed_for is not None else None
        if alone is not None:
            return alone
    return answer.chosen.speed if answer.chosen is not None else None


def _people(
    wording: Wording,
    workload: Workload,
    answer: WorkloadAssessment,
    before: WorkloadAssessment | None,
    facts: PlanFacts | None,
) -> Figure:
    """People at a usable speed; where nobody counted them, those whom memory holds, and said so."""
    _ = wording.gettext
    operator = wording.audience == "operator"
    usable, held = answer.usable_users, answer.users_served
    said = _people_explained(wording, workload, answer, facts)
    if usable is None:
        caption = _("requests at once that memory holds") if operator else _("people at once that memory holds")
        return _figure(wording, held, before.users_served if before is not None else None, caption, True, said)
    caption = _("requests at once at a usable speed") if operator else _("people at once at a usable speed")
    if held is not None and usable < int(held.expected):
        more = _("memory would hold {held}").format(held=wording.estimate(held))
        caption = f"{caption}; {more}"
    was = before.usable_users if before is not None else None
    old = Estimate.exact(float(was)) if was is not None else None
    change, better = relative_change(wording, old, Estimate.exact(float(usable)), more_is_better=True)
    return Figure(wording.count(usable), caption, change, better, said)


def _first_word(given: _Given) -> Figure:
    _ = given.wording.gettext
    caption = _("time to first token, {whose}") if given.operator else _("to the first word, {whose}")
    return given.figure(
        "time_to_first_token_s",
        caption.format(whose=given.whose),
        False,
        _("Time until the answer begins"),
        _("Waiting in the queue + reading the question (its tokens ÷ reading speed) + one step of the answer."),
        unit=None,
    )


def _each(given: _Given) -> Figure:
    """Tokens, as everywhere else; in words too for who does not think in tokens."""
    wording, _ = given.wording, given.wording.gettext
    caption = _("tokens per second, {whose}")
    if not given.operator and given.speed is not None:
        words = wording.estimate(given.speed.output_tokens_per_s_per_user.scaled(WORDS_PER_TOKEN, ""))
        caption = _("tokens per second ({words} words), {whose}").replace("{words}", words)
    formula = _("1 ÷ time of one step. A step reads the weights and the KV cache of all running requests once.")
    return given.figure(
        "output_tokens_per_s_per_user",
        caption.replace("{whose}", given.whose),
        True,
        _("Speed of one answer"),
        formula + ("" if given.operator else " " + _("100 tokens are about 75 words.")),
    )


def _whole(given: _Given) -> Figure:
    _ = given.wording.gettext
    return given.figure(
        "output_tokens_per_s",
        _("tokens per second, aggregate") if given.operator else _("tokens per second in all"),
        True,
        _("Speed of the whole service"),
        _("Requests in flight × speed of one answer, summed over the copies."),
    )


def _reading(given: _Given) -> Figure:
    """For one person the service's total is their own speed: how fast a question is read says more."""
    _ = given.wording.gettext
    return given.figure(
        "prefill_tokens_per_s",
        _("prefill tokens per second") if given.operator else _("tokens per second, reading the question"),
        True,
        _("Reading of questions"),
        _("2 operations per working parameter and token ÷ what the cards compute per second."),
    )


def training_figures(
    wording: Wording, answer: WorkloadAssessment, before: WorkloadAssessment | None
) -> tuple[Figure, ...]:
    """Tokens per second, time to finish, months of cards, use of the cards."""
    _ = wording.gettext
    new = _training(answer)
    old = _training(before)
    basis = _measured_or_not(wording, answer)
    operator = wording.audience == "operator"
    step = _(
        "Tokens of one step ÷ time of one step. A step computes 6 operations per parameter and token, or 8 when"
        " activations are computed again."
    )
    rows = (
        (_("tokens per second in all"), True, Explanation(_("Speed of the training"), step, (), basis)),
        (
            _("until it is done"),
            False,
            Explanation(
                _("Time to finish"), _("Training tokens ÷ tokens per second, without breaks and restarts."), (), basis
            ),
        ),
        (
            _("months of one card"),
            False,
            Explanation(_("Months of one card"), _("Time to finish × number of cards ÷ 730 hours."), (), basis),
        ),
        (
            _("model FLOPs utilisation") if operator else _("of the cards' speed used"),
            True,
            Explanation(
                _("Share of the cards' arithmetic that is used"),
                _("Useful operations per second ÷ what the data sheet promises for this precision."),
                (),
                basis,
            ),
        ),
    )
    return tuple(
        _figure(wording, now, then, caption, better, explained)
        for now, then, (caption, better, explained) in zip(new, old, rows, strict=True)
    )


def _training(answer: WorkloadAssessment | None) -> tuple[Estimate | None, ...]:
    found = answer.chosen.training if answer is not None and answer.chosen is not None else None
    if found is None:
        return None, None, None, None
    use = found.model_flops_utilisation
    share = Estimate(use.low, use.expected, use.high, "share", use.basis)
    months = found.gpu_months.scaled(1.0, "") if found.gpu_months is not None else None
    return _plain(found.tokens_per_s, 1.0), found.time_to_finish_s, months, share


def _plain(value: Estimate, factor: float) -> Estimate:
    return value.scaled(factor, "")


def _figure(
    wording: Wording,
    new: Estimate | None,
    old: Estimate | None,
    caption: str,
    more_is_better: bool,
    explanation: Explanation,
) -> Figure:
    change, better = relative_change(wording, old, new, more_is_better=more_is_better)
    value = wording.estimate(new) if new is not None else wording.gettext("not known")
    return Figure(value, caption, change, better, explanation)


def _measured_or_not(wording: Wording, answer: WorkloadAssessment) -> str:
    _ = wording.gettext
    chosen = answer.chosen
    speed = None if chosen is None else chosen.speed or chosen.training
    if speed is None:
        return ""
    if getattr(speed, "basis", "calculated") == "measured":
        return _("Measured by you; the measurement stands before the estimate.")
    if not speed.calibrated:
        return _("Calculated outside the measured classes of hardware; the range is wider for that reason.")
    return _("Calculated; constants fitted to published measurements of the same class of hardware.")


def _people_explained(
    wording: Wording, workload: Workload, answer: WorkloadAssessment, facts: PlanFacts | None
) -> Explanation:
    _ = wording.gettext
    inputs: list[tuple[str, str]] = []
    if answer.kv_cache_tokens is not None:
        inputs.append((_("Tokens that the memory of one copy holds"), wording.estimate(answer.kv_cache_tokens)))
    if answer.chosen is not None:
        inputs.append((_("Copies"), wording.count(answer.chosen.layout.replicas)))
    inputs.append(
        (_("Tokens per request"), wording.count(workload.context_tokens) if workload.context_tokens else _("not known"))
    )
    formula = _("Memory left for conversations in each copy ÷ tokens of one conversation, times the copies.")
    if answer.usable_users is not None:
        formula += " " + _("Of these only as many as all get a usable speed.")
        if answer.users_served is not None:
            inputs.append((_("People that memory holds"), wording.estimate(answer.users_served)))
        if facts is not None:
            policy = facts.project.policy
            wait_s = workload.time_to_first_token_limit_s or policy.chat_first_word_s
            pace = workload.tokens_per_s_per_user_limit or policy.chat_tokens_per_s
            inputs.append((_("Usable: first word within"), wording.duration(wait_s)))
            inputs.append((_("Usable: at least"), wording.rate(pace)))
    return Explanation(
        _("People at once"),
        formula,
        tuple(inputs),
        _("Memory per token from the architecture of the model; usable memory as the driver reports it."),
    )


def _speed_inputs(wording: Wording, workload: Workload, speed: Speed | None) -> tuple[tuple[str, str], ...]:
    _ = wording.gettext
    inputs: list[tuple[str, str]] = []
    if workload.users:
        inputs.append((_("People at once"), wording.count(workload.users)))
    if workload.input_tokens:
        inputs.append((_("Tokens of a question"), wording.count(workload.input_tokens)))
    if workload.output_tokens:
        inputs.append((_("Tokens of an answer"), wording.count(workload.output_tokens)))
    if speed is not None:
        inputs.append((_("Reading speed"), wording.estimate(speed.prefill_tokens_per_s)))
        inputs.append((_("Time of one step"), wording.estimate(speed.time_per_output_token_s)))
        inputs.append((_("Limited by"), wording.text(speed.limited_by)))
    return tuple(inputs)
