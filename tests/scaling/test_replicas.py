"""Copies behind a router: laws of routing, N-1 capacity, the cost of a policy."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from configurator.scaling.replicas import (
    POLICIES,
    Replica,
    RouterPolicy,
    answered,
    equal_shares,
    holds_without_one,
    policy,
    route,
    stable_rate,
    weighted_shares,
    without_largest,
)

rates = st.lists(st.floats(0.01, 1000.0), min_size=1, max_size=12)


def copies(*per_s: float, domains: tuple[str, ...] = ()) -> tuple[Replica, ...]:
    return tuple(Replica(f"copy-{n}", rate, domain=domains[n] if domains else "") for n, rate in enumerate(per_s))


@given(rates, st.floats(0.001, 5000.0))
def test_weighted_routing_is_never_worse_than_equal(per_s: list[float], offered: float) -> None:
    many = copies(*per_s)
    weighted, equal = weighted_shares(many), equal_shares(many)
    assert answered(many, weighted, offered) >= answered(many, equal, offered) * (1 - 1e-9)
    assert stable_rate(many, weighted) >= stable_rate(many, equal) * (1 - 1e-9)


@given(rates, st.floats(0.001, 5000.0), st.sampled_from(POLICIES))
def test_no_policy_answers_more_than_is_asked_or_possible(
    per_s: list[float], offered: float, router: RouterPolicy
) -> None:
    many = copies(*per_s)
    found = route(many, offered, router)
    assert found.requests_per_s <= min(offered, sum(per_s)) * (1 + 1e-9)
    assert sum(found.shares) == pytest.approx(1.0)
    assert 0.0 <= found.lost_share < 1.0


def test_the_sum_of_the_copies_when_weighted_and_the_slowest_when_equal() -> None:
    """R04: a box of 100 and a box of 25 requests per second."""
    pair = copies(100.0, 25.0)
    assert stable_rate(pair, weighted_shares(pair)) == pytest.approx(125.0)
    assert stable_rate(pair, equal_shares(pair)) == pytest.approx(50.0)
    equal = route(pair, 120.0, policy("round_robin"))
    assert equal.busiest_id == "copy-1"
    assert equal.busiest_load == pytest.approx(60.0 / 25.0)
    assert equal.requests_per_s == pytest.approx(60.0 + 25.0)
    assert equal.lost_share == pytest.approx(35.0 / 120.0)
    assert route(pair, 120.0, policy("least_busy")).lost_share == 0.0


def test_only_an_affine_router_keeps_prefixes_and_pays_with_uneven_load() -> None:
    four = tuple(Replica(f"copy-{n}", 10.0, users=50.0) for n in range(4))
    plain = route(four, 20.0, policy("round_robin"), prefix_hit_share=0.8)
    affine = route(four, 20.0, policy("prefix_affine"), prefix_hit_share=0.8)
    assert plain.prefix_hit_share == pytest.approx(0.2)
    assert affine.prefix_hit_share == pytest.approx(0.8)
    assert affine.busiest_load > plain.busiest_load
    assert affine.busiest_load <= 1.25 * plain.busiest_load * (1 + 1e-9)


def test_the_way_to_a_far_site_counts_by_its_share() -> None:
    near, far = Replica("near", 30.0), Replica("far", 10.0, network_s=0.04)
    assert route((near, far), 5.0, policy("weighted")).network_s == pytest.approx(0.01)
    assert route((near, far), 5.0, policy("round_robin")).network_s == pytest.approx(0.02)


def test_what_is_left_when_the_largest_domain_fails() -> None:
    many = copies(40.0, 40.0, 60.0, domains=("box-a", "box-a", "box-b"))
    assert without_largest(many) == pytest.approx(60.0)
    assert holds_without_one(many, 100.0, allowed_share=0.6)
    assert not holds_without_one(many, 100.0)
    assert without_largest(copies(50.0)) == 0.0


def test_a_hundred_thousand_questions_a_second_take_many_copies() -> None:
    """R47: at 200 tokens per answer 100,000 requests per second are 20 million tokens per second."""
    per_copy = 20_000.0 / 200.0
    needed = 100_000.0 / per_copy
    assert needed == 1000.0
    fleet = tuple(Replica(str(n), per_copy) for n in range(1000))
    assert route(fleet, 100_000.0, policy("least_busy")).busiest_load == pytest.approx(1.0)


def test_unknown_policies_and_no_copies_are_errors() -> None:
    with pytest.raises(KeyError):
        policy("astrology")
    with pytest.raises(ValueError, match="no copies"):
        route((), 1.0, policy("weighted"))
