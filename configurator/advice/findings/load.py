"""What is asked of the machine, and what to expect of it (R25, R37, R44, R46, R47, R52)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, OPEN, STEP, do, say
from configurator.advice.measured import of_workload
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.terms import Estimate

HOUR, DAY = 3600.0, 86_400.0
WORKDAY_H = 8.0
MANY_REQUESTS_PER_S = 1000.0
TOKENS_PER_ANSWER = 200
ASKS_PER_PERSON_S = 1 / 30
"""A person at work asks about twice a minute."""
FULL = 0.9
"""Of the memory of cards, what weights and conversations may take together."""


def unknown(s: Situation) -> Iterator[Finding]:
    """Users, context, goal, model or cards that nobody has said yet."""
    load = s.workload
    subjects = (load.id,)
    if load.model is not None and load.model not in s.catalogue.models:
        yield say(
            "unknown.load.missing", STEP, subjects, do("unknown.file"), rule="R06", basis="assumed", model=load.model
        )
    elif s.model is None and load.model is not None:
        yield say(
            "unknown.load.weights", STEP, subjects, do("unknown.format"), rule="R06", basis="assumed",
            weights=load.weights, model=load.model,
        )  # fmt: skip
    elif s.model is None:
        yield say("unknown.load.model", STEP, subjects, do("unknown.model"), rule="R06", basis="assumed")
        yield say("load.side.models", NOTE, subjects, do("load.side"), rule="R76", basis="assumed")
    if s.training:
        return
    if load.users is None:
        yield say("unknown.load.users", STEP, subjects, do("unknown.users"), rule="R09", basis="assumed")
    if load.context_tokens is None:
        yield say("unknown.load.context", STEP, subjects, do("unknown.context"), rule="R09", basis="assumed")
    if load.goal is None and len(s.shape.cards) > 1:
        yield say("unknown.load.goal", STEP, subjects, do("unknown.goal"), rule="R61", basis="assumed")


def demand(s: Situation) -> Iterator[Finding]:
    """Requests times tokens against what is made: the arithmetic in the open; tokens/s and requests/s are two (R47)."""
    load = s.workload
    if s.model is not None and not s.writes:
        # It answers with numbers, not with words: no answers to count.
        return
    per_request = (load.input_tokens or 0) + (load.output_tokens or 0)
    if load.task == "chat":
        yield from _wanted(s, per_request)
    yield from _need(s)
    subjects = (load.id,)
    if load.requests_per_s and load.requests_per_s >= MANY_REQUESTS_PER_S:
        yield say(
            "load.demand.units",
            STEP,
            subjects,
            do("load.units"),
            rule="R47",
            requests_per_second=load.requests_per_s,
            needed_tokens_per_s=load.requests_per_s * (load.output_tokens or TOKENS_PER_ANSWER),
        )
    if load.users and s.chosen and s.chosen.speed and load.tokens_per_s:
        total = s.chosen.speed.output_tokens_per_s.expected
        if total < load.tokens_per_s:
            yield say(
                "load.speed.short",
                STEP,
                subjects,
                do("load.copies"),
                asked_tokens_per_s=load.tokens_per_s,
                total_tokens_per_s=s.chosen.speed.output_tokens_per_s,
            )


def _wanted(s: Situation, per_request: int) -> Iterator[Finding]:
    """Tokens/s at the peak and tokens a day, set against what the plan makes."""
    load = s.workload
    given = load.requests_per_s
    rate = given or (load.users * ASKS_PER_PERSON_S if load.users else None)
    if not rate or not per_request:
        yield say("load.demand.ask", NOTE, (load.id,), do("load.demand"), rule="R76", basis="assumed")
        return
    answer = load.output_tokens or TOKENS_PER_ANSWER
    wanted = rate * answer
    speed = s.chosen.speed if s.chosen and at_least(s.fit, "starts") else None
    made = speed.output_tokens_per_s if speed else None
    if made is None:
        code = "day" if given else "guess"
    else:
        code = ("" if given else "guess_") + ("carries" if wanted <= made.expected else "falls_short")
    yield say(
        f"load.demand.{code}",
        STEP if code == "falls_short" else NOTE,
        (load.id,),
        do("load.copies") if code == "falls_short" else None if given else do("load.demand"),
        rule="R47",
        basis="calculated" if given else "assumed",
        users=load.users,
        requests_per_second=rate,
        per_request_tokens=per_request,
        answer_tokens=answer,
        wanted_tokens_per_s=wanted,
        made_tokens_per_s=made,
        day_tokens_million=rate * per_request * WORKDAY_H * HOUR / 1e6,
        hours=int(WORKDAY_H),
    )


def _need(s: Situation) -> Iterator[Finding]:
    """Weights plus users times cache, where no cards are there to size (R19)."""
    load = s.workload
    if s.shape.cards or s.model is None or s.training or not s.work.kv_bytes_per_token:
        return
    context = load.max_context_tokens or load.context_tokens
    if not context:
        return
    users = load.users or 1
    each = s.work.kv_bytes_per_token * context / 1e9
    weights = s.work.weights_bytes / 1e9
    whole, half = weights + users * each, weights + users * each / 2
    yield say(
        "load.need.users",
        STEP,
        (load.id,),
        do("load.need"),
        rule="R19",
        weights_gb=round(weights),
        users=users,
        each_gb=round(each, 1) if each < 10 else round(each),
        context_tokens=context,
        need_gb=round(whole),
        half_gb=round(half),
        wanted_gb=round(whole / FULL),
        wanted_half_gb=round(half / FULL),
    )


def targets(s: Situation) -> Iterator[Finding]:
    """Waiting time and speed per person against the owner's limits; R37: latency counts for interactive use."""
    speed = s.chosen.speed if s.chosen else None
    if speed is None or not s.writes or not at_least(s.fit, "starts"):
        return
    load = s.workload
    if load.time_to_first_token_limit_s and speed.time_to_first_token_s.expected > load.time_to_first_token_limit_s:
        yield say(
            "load.wait.long",
            STEP,
            (load.id,),
            do("load.wait"),
            rule="R37",
            wait_s=speed.time_to_first_token_s,
            limit_s=load.time_to_first_token_limit_s,
        )
    limit = load.tokens_per_s_per_user_limit
    if limit and speed.output_tokens_per_s_per_user.expected < limit:
        yield say(
            "load.pace.slow",
            STEP,
            (load.id,),
            do("load.pace"),
            user_tokens_per_s=speed.output_tokens_per_s_per_user,
            limit_tokens_per_s=limit,
        )
    for each in of_workload(s.facts.project.measurements, load.id) if speed.basis == "measured" else ():
        yield say(
            "load.measured.used",
            NOTE,
            (load.id,),
            rule="R12",
            basis="measured",
            quantity_code=f"quantity.{each.quantity}",
            value=each.value,
            conditions=each.conditions,
            source=each.source,
            date=each.date,
        )
    if not speed.calibrated:
        yield say("load.calibration.none", OPEN, (load.id,), do("load.measure"), rule="R12", basis="calculated")


def batch(s: Situation) -> Iterator[Finding]:
    """R52, R44: batch work against its deadline; batching spreads the fixed cost."""
    load = s.workload
    if load.task != "batch" or (s.model is not None and not s.writes):
        return
    yield say("load.batch.full", NOTE, (load.id,), rule="R44")
    speed = s.chosen.speed if s.chosen and at_least(s.fit, "starts") else None
    if speed is None or speed.output_tokens_per_s.expected <= 0:
        return
    rate, output = speed.output_tokens_per_s, load.output_tokens or TOKENS_PER_ANSWER
    tokens = load.tokens_per_month
    if tokens is None and load.requests_per_s:
        tokens = load.requests_per_s * DAY * output
    if not tokens:
        yield say(
            "load.batch.each",
            NOTE,
            (load.id,),
            do("load.batch_ask"),
            rule="R52",
            basis="assumed",
            million_s=1e6 / rate.expected,
            total_tokens_per_s=rate,
            shift_million=float(f"{rate.expected * 8 * HOUR / 1e6:.2g}"),
            day_million=float(f"{rate.expected * DAY / 1e6:.2g}"),
        )
        return
    requests = tokens / output
    read = requests * (load.input_tokens or 0)
    finish = Estimate(tokens / rate.high, tokens / rate.expected, tokens / max(1e-9, rate.low), "s")
    deadline = load.deadline_h * HOUR if load.deadline_h else None
    late = deadline is not None and finish.expected > deadline
    yield say(
        "load.batch.finish" if deadline is None else "load.batch.late" if late else "load.batch.in_time",
        STEP if late else NOTE,
        (load.id,),
        do("load.batch_late") if late else do("load.batch_when") if deadline is None else None,
        rule="R52",
        work_requests=round(requests),
        output_tokens=output,
        output_million=float(f"{tokens / 1e6:.3g}"),
        input_million=float(f"{read / 1e6:.3g}"),
        finish_s=finish,
        deadline_s=deadline,
        total_tokens_per_s=rate,
    )
