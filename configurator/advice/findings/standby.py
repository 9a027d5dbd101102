"""What a loss leaves: N-1 against the load, k of n, spare cards, detection, and the test of the address in front."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, comb

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least, cards_of
from configurator.operations.rates import AVAILABILITY

UNLIKE = 1.05
"""Copies whose rates differ by more are told one by one."""
DETECT_S = 150.0
"""A cluster manager marks a silent worker as not ready after about this (github.com/gpustack/gpustack, issue 4975)."""
ASKS_PER_PERSON_S = 1 / 30
"""A person at work asks about twice a minute."""


def binomial_up(needed: int, of: int, each: float) -> float:
    """Probability that at least ``needed`` of ``of`` independent ones are up, each with probability ``each``."""
    return sum(comb(of, up) * each**up * (1 - each) ** (of - up) for up in range(needed, of + 1))


def up_share(s: Situation) -> float:
    """Availability of one server that is counted with."""
    return s.facts.project.cost.availability or AVAILABILITY[1]


def homes(s: Situation) -> tuple[tuple[str, ...], ...]:
    """Servers of each copy, in the order of the copies."""
    return tuple(s.shape.servers_of(cards_of(one)) for one in s.chosen.instances) if s.chosen else ()


def running_copies(s: Situation) -> bool:
    """Copies that exist and run."""
    return s.copies > 1 and s.model is not None and not s.training and at_least(s.fit, "starts")


def one_person(s: Situation) -> bool:
    """One person who asks for no spare: one copy answers, the others stand by."""
    return s.workload.users == 1 and s.workload.must_survive == "nothing"


def _by_bandwidth(s: Situation) -> list[float]:
    """Share of each copy in what all make, by the memory rate of its cards."""
    instances = s.chosen.instances if s.chosen else ()
    bands = [sum(s.shape.by_id[each].record.memory_bandwidth.value for each in cards_of(one)) for one in instances]
    return [band / sum(bands) for band in bands]


def rest(s: Situation) -> Iterator[Finding]:
    """N-1 and k of n, for copies that stand apart, one failure taking one share."""
    apart = homes(s)
    if not running_copies(s) or s.chosen is None or s.chosen.speed is None or len(set(apart)) < s.copies:
        return
    if one_person(s):
        return
    total = s.chosen.speed.output_tokens_per_s.expected
    each, count = total / s.copies, s.copies
    up = up_share(s) ** max(len(home) for home in apart)
    asked = s.workload.tokens_per_s
    shares = _by_bandwidth(s)
    if max(shares) > UNLIKE * min(shares):
        rates = sorted((total * share for share in shares), reverse=True)
        yield say(
            "copies.rest.unequal",
            NOTE,
            (s.workload.id,),
            rule="R15",
            each_rates=tuple(round(rate) if rate < 100 else 10 * round(rate / 10) for rate in rates),
            worst_tokens_per_s=total - rates[0],
            best_tokens_per_s=total - rates[-1],
        )
        return
    needed = min(count, max(1, ceil(asked / each))) if asked and each else count - 1
    share, bare = binomial_up(needed, count, up), up**needed
    if asked and asked > (count - 1) * each and count > 2:
        # Too slow by forecast: the rate a measured copy would have to give.
        yield say(
            "copies.rest.short",
            STEP,
            (s.workload.id,),
            do("load.copies"),
            rule="R15",
            copies=count,
            each_tokens_per_s=each,
            asked_tokens_per_s=asked,
            wanted_copies=ceil(asked / each),
            wanted_tokens_per_s=asked / (count - 1),
            left_copies=count - 1,
            server_percent=round(100 * up, 2),
            needed=count - 1,
            of=count,
            needed_share=binomial_up(count - 1, count, up),
            bare_share=up ** (count - 1),
        )
    elif asked and count > 2:
        yield say(
            "copies.rest.asked",
            NOTE,
            (s.workload.id,),
            rule="R15",
            copies=count,
            each_tokens_per_s=each,
            left_copies=count - 1,
            left_tokens_per_s=each * (count - 1),
            asked_tokens_per_s=asked,
            server_percent=round(100 * up, 2),
            needed=needed,
            of=count,
            needed_share=share,
            bare_share=bare,
        )
    elif count == 2:
        yield say(
            "copies.rest.pair_asked" if asked else "copies.rest.pair",
            NOTE if not asked or each >= asked else STEP,
            (s.workload.id,),
            do("load.copies") if asked and each < asked else None,
            rule="R15",
            each_tokens_per_s=each,
            asked_tokens_per_s=asked,
        )
    else:
        yield say(
            "copies.rest.left",
            NOTE,
            (s.workload.id,),
            rule="R15",
            copies=count,
            each_tokens_per_s=each,
            left_copies=count - 1,
            left_tokens_per_s=each * (count - 1),
            server_percent=round(100 * up, 2),
            needed=needed,
            of=count,
            needed_share=share,
            bare_share=bare,
        )


def balancer(s: Situation) -> Iterator[Finding]:
    """The sum of the copies against what comes through the one address."""
    if not running_copies(s) or s.chosen is None or s.chosen.speed is None or s.workload.goal == "one_fast_answer":
        return
    yield say(
        "copies.test.sum",
        NOTE,
        (s.workload.id,),
        rule="R14",
        basis="measured",
        copies=s.copies,
        total_tokens_per_s=s.chosen.speed.output_tokens_per_s,
    )


def spare(s: Situation) -> Iterator[Finding]:
    """Starting a lost copy elsewhere needs a free card there."""
    if s.training or not s.shape.cards or len(s.shape.boxes) < 2 or one_person(s):
        return
    survive = s.workload.must_survive != "nothing"
    if s.model is None:
        if survive:
            yield say("failure.spare.general", NOTE, (s.workload.id,), rule="R15")
        return
    if s.chosen is None or not at_least(s.fit, "starts") or not (survive or s.copies > 1):
        return
    first = cards_of(s.chosen.instances[0])
    memory = {each.gpu_id: each for each in s.chosen.memory.per_gpu}
    need = sum(memory[each].weights_bytes + memory[each].kv_cache_bytes for each in first if each in memory)
    # Of the cards left over, those large enough for the tightest card of a copy.
    floor = max((s.shape.by_id[each].record.memory_usable_bytes for each in first if each in s.shape.by_id), default=0)
    free = [
        card.gpu.id
        for card in s.shape.cards
        if card.gpu.id not in set(s.used_cards) and card.record.memory_usable_bytes >= 0.95 * floor
    ]
    if len(free) >= len(first):
        yield say(
            "failure.spare.free",
            NOTE,
            tuple(free),
            rule="R15",
            spare_cards=len(free),
            need_gb=round(need / 1e9),
        )
    else:
        yield say("failure.spare.none", NOTE, (s.workload.id,), rule="R15", need_gb=round(need / 1e9))


def detection(s: Situation) -> Iterator[Finding]:
    """How long requests go to a dead machine, and how many."""
    if (
        s.training
        or len(s.shape.boxes) < 2
        or one_person(s)
        or not (s.workload.must_survive != "nothing" or running_copies(s))
    ):
        return
    asks = s.workload.requests_per_s or (s.workload.users or 0) * ASKS_PER_PERSON_S
    share = 1 / len(set(homes(s))) if running_copies(s) else 1.0
    lost = round(asks * DETECT_S * share)
    if lost:
        yield say(
            "failure.detect.requests",
            NOTE,
            (s.workload.id,),
            rule="R15",
            basis="measured",
            detect_s=DETECT_S,
            lost_requests=lost,
        )
    else:
        yield say("failure.detect.time", NOTE, (s.workload.id,), rule="R15", basis="measured", detect_s=DETECT_S)
