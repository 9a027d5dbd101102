"""Independent copies behind a router: unequal servers, weighted against equal routing, what is left when one fails.

A service of copies is as fast as the sum of its copies only if the router knows their rates (R04): equal shares load
the slowest copy first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from configurator.scaling.results import Speed


@dataclass(frozen=True, slots=True)
class Replica:
    """One copy: what it can do and where it stands."""

    id: str
    requests_per_s: float
    """Most it can answer."""
    users: float = float("inf")
    """Requests it holds at once."""
    network_s: float = 0.0
    """Round trip from the router, added to the first token."""
    domain: str = ""
    """What it fails with: a server or a site."""


@dataclass(frozen=True, slots=True)
class RouterPolicy:
    """How a router picks a copy. Texts are ids for wording."""

    id: str
    knows_rates: bool
    """Copies get shares by their rate."""
    keeps_prefix: bool
    """A conversation returns to the copy that holds its cache."""
    decision_s: float
    """Time to decide, added to the first token."""
    state: str
    """What the router must keep: nothing, load, prefixes."""
    source: str


POLICIES: Final = (
    RouterPolicy("round_robin", False, False, 0.0, "nothing", "nginx, default of most balancers"),
    RouterPolicy("weighted", True, False, 0.0, "nothing", "nginx weight, HAProxy weight: set once from measured rates"),
    RouterPolicy("least_busy", True, False, 0.0005, "load", "nginx least_conn, vLLM router: follows the open requests"),
    RouterPolicy("prefix_affine", True, True, 0.002, "prefixes", "llm-d, SGLang router: radix tree of prefixes"),
)
"""Router policies as data."""

AFFINE_BOUND: Final = 1.25
"""Most load over the mean that affine routers let one copy take before they spill (bounded-load hashing)."""


def policy(policy_id: str) -> RouterPolicy:
    """A policy by id. Raises KeyError for one that is not known."""
    for each in POLICIES:
        if each.id == policy_id:
            return each
    raise KeyError(policy_id)


@dataclass(frozen=True, slots=True)
class Routed:
    """A service of copies under one policy at an offered rate."""

    requests_per_s: float
    """What is answered."""
    shares: tuple[float, ...]
    """Of the requests, in the order of the copies."""
    busiest_id: str
    busiest_load: float
    """Offered over possible of the busiest copy; above 1 it queues without end."""
    lost_share: float
    """Of what weighted routing would answer."""
    network_s: float
    """Mean extra time to the first token: way to the copy and the decision."""
    prefix_hit_share: float
    """What is left of the prefix-cache hits."""


def equal_shares(copies: Sequence[Replica]) -> tuple[float, ...]:
    """Every copy the same."""
    return (1.0 / len(copies),) * len(copies) if copies else ()


def weighted_shares(copies: Sequence[Replica]) -> tuple[float, ...]:
    """By what each copy can do."""
    total = sum(each.requests_per_s for each in copies)
    if total <= 0.0:
        return equal_shares(copies)
    return tuple(each.requests_per_s / total for each in copies)


def answered(copies: Sequence[Replica], shares: Sequence[float], offered_per_s: float) -> float:
    """Requests per second that get an answer when each copy is offered its share."""
    return sum(min(each.requests_per_s, offered_per_s * share) for each, share in zip(copies, shares, strict=True))


def stable_rate(copies: Sequence[Replica], shares: Sequence[float]) -> float:
    """Highest offered rate at which no copy queues without end."""
    bounds = [each.requests_per_s / share for each, share in zip(copies, shares, strict=True) if share > 0.0]
    return min(bounds, default=0.0)


def route(
    copies: Sequence[Replica], offered_per_s: float, router: RouterPolicy, prefix_hit_share: float = 0.0
) -> Routed:
    """The service under a policy. Raises ValueError without copies."""
    if not copies:
        raise ValueError("no copies to route to")
    best = weighted_shares(copies)
    shares = best if router.knows_rates else equal_shares(copies)
    if router.keeps_prefix and len(copies) > 1:
        shares = _affine(copies, best)
    done = answered(copies, shares, offered_per_s)
    ideal = answered(copies, best, offered_per_s)
    loads = [
        offered_per_s * share / each.requests_per_s if each.requests_per_s > 0 else float("inf") * (share > 0)
        for each, share in zip(copies, shares, strict=True)
    ]
    busiest = max(range(len(copies)), key=lambda index: loads[index])
    hit = prefix_hit_share
    if not router.keeps_prefix:
        # The next turn of a conversation finds its cache only on the copy that served the last one.
        hit *= sum(share * share for share in shares)
    return Routed(
        requests_per_s=done,
        shares=shares,
        busiest_id=copies[busiest].id,
        busiest_load=loads[busiest],
        lost_share=max(0.0, 1.0 - done / ideal) if ideal > 0 else 0.0,
        network_s=sum(each.network_s * share for each, share in zip(copies, shares, strict=True)) + router.decision_s,
        prefix_hit_share=hit,
    )


def _affine(copies: Sequence[Replica], best: Sequence[float]) -> tuple[float, ...]:
    """Conversations stick to copies, so loads scatter: the first copy stands for the busiest, within the bound."""
    users = sum(each.users for each in copies if each.users != float("inf")) or 100.0 * len(copies)
    scatter = 1.0 + sqrt(2.0 * log(len(copies)) / max(1.0, users / len(copies)))
    over = min(AFFINE_BOUND, scatter)
    widest = max(range(len(copies)), key=lambda index: best[index])
    taken = min(1.0, best[widest] * over)
    rest = 1.0 - best[widest]
    if rest <= 0.0:
        return tuple(best)
    factor = (1.0 - taken) / rest
    return tuple(taken if index == widest else share * factor for index, share in enumerate(best))


def without_largest(copies: Sequence[Replica]) -> float:
    """Requests per second left when the largest thing that fails together fails: N-1 capacity."""
    domains: dict[str, float] = {}
    for each in copies:
        key = each.domain or each.id
        domains[key] = domains.get(key, 0.0) + each.requests_per_s
    return sum(domains.values()) - max(domains.values(), default=0.0)


def holds_without_one(copies: Sequence[Replica], peak_per_s: float, allowed_share: float = 1.0) -> bool:
    """Whether the peak, cut to the share that is allowed while something is down, is still answered."""
    return without_largest(copies) >= peak_per_s * allowed_share


def from_speeds(
    speeds: Mapping[str, Speed], output_tokens: float, network_s: Mapping[str, float], domains: Mapping[str, str]
) -> tuple[Replica, ...]:
    """Copies from their estimated speeds, tokens turned into requests of ``output_tokens``."""
    return tuple(
        Replica(
            key,
            speed.output_tokens_per_s.expected / max(1.0, output_tokens),
            speed.users_in_flight.expected,
            network_s.get(key, 0.0),
            domains.get(key, ""),
        )
        for key, speed in speeds.items()
    )
