"""Neighbours assessed, ranked by the owner's goal; rent and API beside them."""

from __future__ import annotations

from math import ceil, log2

from configurator.advice.advise import answer
from configurator.advice.facts import Evaluate, PlanFacts, WorkloadFacts
from configurator.advice.neighbours import Neighbour, apply, neighbours
from configurator.advice.results import Alternative, Verdict
from configurator.advice.situation import Situation, at_least, situation
from configurator.advice.verdict import LIGHTS, plan_verdict
from configurator.operations.compare import input_per_output
from configurator.sizing.results import FIT_ORDER
from configurator.terms import Estimate, Message, message

BEST = 8
SHAPES = ("copies", "one_split", "inside_across")
"""Neighbours that only ask for another layout."""
HOURS = 8766.0
WORKDAY_HOURS = 2_920.0
"""Eight hours a day: rented cards idle too unless they are given back."""
COST_WEIGHT = 0.5
RENTED = "nvidia-h100-sxm5-80gb"
"""The card that is hired nearly everywhere."""
RENTED_MOST = 8
STATE_FACTOR = 8.0
"""State of a full training over its 16-bit weights: 16 bytes a parameter."""


def alternatives(facts: PlanFacts, situations: tuple[Situation, ...], evaluate: Evaluate) -> tuple[Alternative, ...]:
    """The best few neighbours of the plan, rent and API last where data must stay."""
    if not situations:
        return ()
    made: list[tuple[tuple[float, ...], Alternative]] = []
    seen: set[str] = set()
    for s in situations:
        for neighbour in neighbours(s):
            if neighbour.code in seen:
                continue
            plan = apply(neighbour, facts.plan)
            if plan is None:
                continue
            seen.add(neighbour.code)
            other = evaluate(plan)
            found = next(each for each in other.workloads if each.workload.id == s.workload.id)
            if neighbour.code in SHAPES and found.chosen and s.chosen and found.chosen.layout == s.chosen.layout:
                continue  # The wish cannot be met: the same layout again is no alternative.
            made.append((_key(s, other, found), _alternative(neighbour, other, found)))
    for s in situations[:1]:
        made += [(_rented_key(s), each) for each in (*_rent(s), *_api(s))]
    made.sort(key=lambda pair: pair[0])
    working = [pair for pair in made if pair[1].verdict is None or pair[1].verdict.light != "stop"]
    # What does not work either is no alternative, unless nothing else is left.
    made = working or made
    ranked = [each for _, each in made[:BEST]]
    left = [each for _, each in made[BEST:] if each.code in ("rent", "api")]
    return tuple(_ranked(each, rank) for rank, each in enumerate((*ranked, *left), 1))


def _ranked(each: Alternative, rank: int) -> Alternative:
    return Alternative(
        each.code,
        each.title,
        each.what_changes,
        each.verdict,
        each.users_served,
        each.output_tokens_per_s,
        each.purchase,
        each.total_per_year,
        each.failure_domain,
        each.edit,
        rank,
    )


def _alternative(neighbour: Neighbour, facts: PlanFacts, work: WorkloadFacts) -> Alternative:
    verdicts = tuple(answer(situation(facts, each))[0] for each in facts.workloads)
    chosen = work.chosen
    runs = chosen is not None and at_least(chosen.memory.fit, "starts")
    speed = chosen.speed if chosen is not None and runs else None
    training = chosen.training if chosen is not None and runs else None
    # One person reads one speed: their own.
    alone = work.workload.users == 1
    served = (speed.output_tokens_per_s_per_user if alone else speed.output_tokens_per_s) if speed is not None else None
    rate = training.tokens_per_s if training is not None else served
    return Alternative(
        code=neighbour.code,
        title=neighbour.title,
        what_changes=neighbour.changes,
        verdict=plan_verdict(verdicts, True),
        users_served=chosen.memory.users_served if chosen is not None and runs and training is None else None,
        output_tokens_per_s=rate,
        purchase=facts.cost.purchase,
        total_per_year=facts.cost.total_per_year,
        failure_domain=_domain(situation(facts, work)) if runs else None,
        edit=neighbour.edit,
        rank=0,
    )


def _domain(s: Situation) -> Message:
    if s.training:
        used = len(s.used_cards)
        return message("alternative.domain_one", gpus=used, servers=len(s.shape.servers_of(s.used_cards)))
    if s.copies <= 1:
        return message("alternative.domain_one", gpus=len(s.copy_cards), servers=len(s.copy_servers))
    return message(
        "alternative.domain",
        gpus=len(s.copy_cards),
        servers=len(s.copy_servers),
        copies=s.copies,
        left_share=1 - 1 / s.copies,
    )


def _key(s: Situation, facts: PlanFacts, work: WorkloadFacts) -> tuple[float, ...]:
    """Smaller is better: light, fit, then the goal against the yearly cost, then the cost."""
    chosen = work.chosen
    if chosen is None:
        return (len(LIGHTS), 0.0, 0.0, 0.0)
    verdict: Verdict = answer(situation(facts, work))[0]
    light = float(LIGHTS.index(verdict.light))
    fit = -float(FIT_ORDER.index(chosen.memory.fit))
    cost = facts.cost.total_per_year.expected
    speed = chosen.speed
    if chosen.training is not None:
        value = chosen.training.tokens_per_s.expected
    elif speed is None or s.workload.goal is None:
        return (light, fit, cost, 0.0)
    else:
        fast = s.workload.goal == "one_fast_answer"
        value = speed.output_tokens_per_s_per_user.expected if fast else speed.output_tokens_per_s.expected
    # A plan at four times the cost has to be twice as fast to stand beside the cheaper one; in steps of a quarter.
    worth = log2(max(value, 1e-3)) - COST_WEIGHT * log2(max(cost, 1.0))
    return (light, fit, -float(round(worth * 3)), cost)


def _rented_key(s: Situation) -> tuple[float, ...]:
    return (float(len(LIGHTS) if s.workload.data_must_stay else LIGHTS.index("step")), 0.0, 0.0, 0.0)


def _rented_cards(s: Situation) -> int:
    """Hired cards that hold the weights with the owner's reserve, a power of two; in training, the whole state."""
    record = s.catalogue.gpus[RENTED]
    bytes_needed = s.work.weights_bytes * (STATE_FACTOR if s.workload.task in ("full", "pretrain") else 1.0)
    least = bytes_needed / (s.policy.weights_share_high * record.memory_usable_bytes)
    return int(2 ** max(0, ceil(log2(max(least, 1e-9)))))


def _rent(s: Situation) -> tuple[Alternative, ...]:
    """The same or a like card by the hour."""
    if s.model is None or not s.shape.cards:
        return ()
    gpu, cards = s.shape.cards[0].record.id, max(1, len(s.used_cards) or s.cards_needed or 1)
    if gpu not in s.catalogue.rentals or not at_least(s.fit, "starts"):
        # What is hired has to hold the model, whatever the owner's cards do.
        gpu, cards = RENTED, _rented_cards(s)
    rate = s.catalogue.rentals.get(gpu)
    if rate is None or cards > RENTED_MOST:
        return ()
    dollars = s.catalogue.fx["USD"].value
    money = s.catalogue.fx.get(s.facts.cost.currency)
    factor = (money.value if money and s.facts.cost.currency != "EUR" else 1.0) / dollars
    fact = rate.usd_per_gpu_hour
    currency = s.facts.cost.currency
    total = Estimate(
        fact.low * WORKDAY_HOURS * cards * factor,
        fact.value * WORKDAY_HOURS * cards * factor,
        fact.high * HOURS * cards * factor,
        f"{currency}/year",
        "vendor",
    )
    return (
        Alternative(
            "rent",
            message("alternative.rent", cards=cards, gpu=rate.gpu),
            (message("change.rent", usd_per_hour=fact.value, as_of=fact.as_of),),
            None,
            None,
            None,
            Estimate.exact(0.0, currency),
            total,
            message("alternative.domain_provider"),
            None,
            0,
        ),
    )


def _api(s: Situation) -> tuple[Alternative, ...]:
    """The same model by the token."""
    price = s.catalogue.token_prices.get(s.model.id) if s.model else None
    if price is None or s.training:
        return ()
    dollars = s.catalogue.fx["USD"].value
    money = s.catalogue.fx.get(s.facts.cost.currency)
    factor = (money.value if money and s.facts.cost.currency != "EUR" else 1.0) / dollars
    volume = s.workload.tokens_per_month
    total = None
    if volume:
        million = volume * 12 / 1e6

        def blended(name: str) -> float:
            out = float(getattr(price.output_usd_per_million, name))
            read = float(getattr(price.input_usd_per_million, name))
            # Tokens per month are those of the answers; the questions that belong to them are bought as well.
            return (out + input_per_output(s.workload)[0] * read) * million * factor

        total = Estimate(blended("low"), blended("value"), blended("high"), f"{s.facts.cost.currency}/year", "vendor")
    return (
        Alternative(
            "api",
            message("alternative.api", model=price.model),
            (
                message(
                    "change.api",
                    input_usd=price.input_usd_per_million.value,
                    output_usd=price.output_usd_per_million.value,
                    as_of=price.output_usd_per_million.as_of,
                ),
            ),
            None,
            None,
            None,
            Estimate.exact(0.0, s.facts.cost.currency),
            total,
            message("alternative.domain_provider"),
            None,
            0,
        ),
    )
