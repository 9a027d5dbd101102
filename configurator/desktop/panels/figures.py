"""Figures of an answer as tiles: text, change since the last edit, and how each is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from configurator.desktop.widgets.explain import Explanation
from configurator.plan.model import Workload
from configurator.terms import Estimate
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import WorkloadAssessment

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
    wording: Wording, workload: Workload, answer: WorkloadAssessment, before: WorkloadAssessment | None
) -> tuple[Figure, ...]:
    """Users, first word, words per second for each, tokens per second in all."""
    _ = wording.gettext
    operator = wording.audience == "operator"
    speed = answer.chosen.speed if answer.chosen is not None else None
    old = before.chosen.speed if before is not None and before.chosen is not None else None
    rate = 1.0 if operator else WORDS_PER_TOKEN
    basis = _measured_or_not(wording, answer)
    return (
        _figure(
            wording,
            answer.users_served,
            before.users_served if before is not None else None,
            _("requests at once") if operator else _("people served at once"),
            True,
            _users_explained(wording, workload, answer),
        ),
        _figure(
            wording,
            speed.time_to_first_token_s if speed is not None else None,
            old.time_to_first_token_s if old is not None else None,
            _("time to first token") if operator else _("to the first word"),
            False,
            Explanation(
                _("Time until the answer begins"),
                _("Waiting in the queue + reading the question (its tokens ÷ reading speed) + one step of the answer."),
                _speed_inputs(wording, workload, answer),
                basis,
            ),
        ),
        _figure(
            wording,
            _plain(speed.output_tokens_per_s_per_user, rate) if speed is not None else None,
            _plain(old.output_tokens_per_s_per_user, rate) if old is not None else None,
            _("tokens per second, each stream") if operator else _("words per second for each"),
            True,
            Explanation(
                _("Speed of one answer"),
                _("1 ÷ time of one step. A step reads the weights and the KV cache of all running requests once.")
                + ("" if operator else " " + _("100 tokens are about 75 words.")),
                _speed_inputs(wording, workload, answer),
                basis,
            ),
        ),
        _reading(wording, workload, answer, before, basis)
        if workload.users == 1
        else _figure(
            wording,
            _plain(speed.output_tokens_per_s, 1.0) if speed is not None else None,
            _plain(old.output_tokens_per_s, 1.0) if old is not None else None,
            _("tokens per second, aggregate") if operator else _("tokens per second in all"),
            True,
            Explanation(
                _("Speed of the whole service"),
                _("Requests in flight × speed of one answer, summed over the copies."),
                _speed_inputs(wording, workload, answer),
                basis,
            ),
        ),
    )


def _reading(
    wording: Wording,
    workload: Workload,
    answer: WorkloadAssessment,
    before: WorkloadAssessment | None,
    basis: str,
) -> Figure:
    """For one person the service's total is their own speed: how fast a question is read says more."""
    _ = wording.gettext
    speed = answer.chosen.speed if answer.chosen is not None else None
    old = before.chosen.speed if before is not None and before.chosen is not None else None
    operator = wording.audience == "operator"
    return _figure(
        wording,
        _plain(speed.prefill_tokens_per_s, 1.0) if speed is not None else None,
        _plain(old.prefill_tokens_per_s, 1.0) if old is not None else None,
        _("prefill tokens per second") if operator else _("tokens per second, reading"),
        True,
        Explanation(
            _("Reading of questions"),
            _("2 operations per working parameter and token ÷ what the cards compute per second."),
            _speed_inputs(wording, workload, answer),
            basis,
        ),
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


def _users_explained(wording: Wording, workload: Workload, answer: WorkloadAssessment) -> Explanation:
    _ = wording.gettext
    inputs: list[tuple[str, str]] = []
    if answer.kv_cache_tokens is not None:
        inputs.append((_("Tokens that the memory of one copy holds"), wording.estimate(answer.kv_cache_tokens)))
    if answer.chosen is not None:
        inputs.append((_("Copies"), wording.count(answer.chosen.layout.replicas)))
    inputs.append(
        (_("Tokens per request"), wording.count(workload.context_tokens) if workload.context_tokens else _("not known"))
    )
    return Explanation(
        _("People served at once"),
        _("Memory left for conversations in each copy ÷ tokens of one conversation, times the copies."),
        tuple(inputs),
        _("Memory per token from the architecture of the model; usable memory as the driver reports it."),
    )


def _speed_inputs(wording: Wording, workload: Workload, answer: WorkloadAssessment) -> tuple[tuple[str, str], ...]:
    _ = wording.gettext
    inputs: list[tuple[str, str]] = []
    if workload.users:
        inputs.append((_("People at once"), wording.count(workload.users)))
    if workload.input_tokens:
        inputs.append((_("Tokens of a question"), wording.count(workload.input_tokens)))
    if workload.output_tokens:
        inputs.append((_("Tokens of an answer"), wording.count(workload.output_tokens)))
    speed = answer.chosen.speed if answer.chosen is not None else None
    if speed is not None:
        inputs.append((_("Reading speed"), wording.estimate(speed.prefill_tokens_per_s)))
        inputs.append((_("Time of one step"), wording.estimate(speed.time_per_output_token_s)))
        inputs.append((_("Limited by"), wording.text(speed.limited_by)))
    return tuple(inputs)
