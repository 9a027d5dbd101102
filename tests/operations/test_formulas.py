"""The reference calculation, its sensitivity table and break-even figures, energy oracles, and published mistakes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from configurator.operations.formulas import (
    CostInputs,
    annuity,
    break_even_busy_share,
    break_even_rental_hours,
    break_even_utilisation,
    break_even_volume,
    daily_tokens,
    energy_per_million_kwh,
    half_capacity_cost,
    over_years,
    payback_years,
    switch_value,
    tornado,
    yearly_cost,
)

FTE = 60_000.0

REFERENCE = CostInputs(
    purchase=85_000.0,
    residual_share=0.20,
    life_years=3.0,
    cost_of_capital=0.08,
    busy_w=4_200.0,
    loaded_idle_w=590.0,
    busy_share=0.25,
    pue=1.3,
    tariff_per_kwh=0.19,
    maintenance_share=0.05,
    spares_share=0.02,
    staff=0.10 * FTE,
    network=600.0,
    other=1_000.0,
    availability=0.985,
    tokens_per_s=2_500.0,
)


def test_reference_year() -> None:
    cost = yearly_cost(REFERENCE)
    assert cost.capital == pytest.approx(27_746, abs=1)
    assert cost.energy_kwh == pytest.approx(16_997, abs=1)
    assert cost.energy == pytest.approx(3_229, abs=1)
    assert cost.operations == pytest.approx(13_550, abs=1)
    assert cost.total == pytest.approx(44_526, abs=1)
    assert cost.tokens / 1e6 == pytest.approx(19_414, abs=1)
    assert cost.per_million == pytest.approx(2.29, abs=0.005)


@pytest.mark.parametrize(
    ("name", "low", "high", "at_low", "at_high"),
    [
        ("busy_share", 0.05, 0.60, 11.07, 1.01),
        ("tokens_per_s", 1_250.0, 4_000.0, 4.59, 1.43),
        ("staff", 0.05 * FTE, 0.50 * FTE, 2.14, 3.53),
        ("life_years", 2.0, 5.0, 2.90, 1.81),
        ("purchase", 70_000.0, 110_000.0, 1.99, 2.80),
        ("residual_share", 0.0, 0.35, 2.56, 2.09),
        ("cost_of_capital", 0.03, 0.15, 2.13, 2.53),
        ("maintenance_share", 0.02, 0.10, 2.16, 2.51),
        ("tariff_per_kwh", 0.10, 0.38, 2.22, 2.46),
        ("availability", 0.95, 0.999, 2.38, 2.26),
        ("pue", 1.0, 1.8, 2.26, 2.36),
        ("loaded_idle_w", 350.0, 1_000.0, 2.27, 2.33),
    ],
)
def test_sensitivity_table(name: str, low: float, high: float, at_low: float, at_high: float) -> None:
    (row,) = tornado(REFERENCE, {name: (low, high)})
    assert row.at_low == pytest.approx(at_low, abs=0.006)
    assert row.at_high == pytest.approx(at_high, abs=0.006)


def test_tornado_puts_the_longest_bar_first() -> None:
    rows = tornado(REFERENCE, {"pue": (1.0, 1.8), "busy_share": (0.05, 0.60), "purchase": (70_000.0, 110_000.0)})
    assert [row.name for row in rows] == ["busy_share", "purchase", "pue"]


def test_tariff_moves_cost_by_seven_percent_and_use_almost_doubles_it() -> None:
    base = yearly_cost(REFERENCE).per_million
    dear = yearly_cost(replace(REFERENCE, tariff_per_kwh=0.38)).per_million
    rare = yearly_cost(replace(REFERENCE, busy_share=0.125)).per_million
    assert base is not None
    assert dear is not None
    assert rare is not None
    assert dear / base == pytest.approx(1.07, abs=0.01)
    assert 1.9 < rare / base < 2.0


def test_break_even_against_an_api() -> None:
    total = yearly_cost(REFERENCE).total
    assert break_even_volume(total, 2.00) / 12 / 1e6 == pytest.approx(1_855, abs=1)
    at_two = break_even_utilisation(total, 2.00, 2_500.0)
    at_sixty_cents = break_even_utilisation(total, 0.60, 2_500.0)
    assert at_two == pytest.approx(0.28, abs=0.005)
    assert at_sixty_cents == pytest.approx(0.94, abs=0.005)
    assert break_even_utilisation(total, 0.20, 2_500.0) is None


def test_break_even_with_the_energy_of_the_extra_hours_needs_more_use() -> None:
    share = break_even_busy_share(REFERENCE, 2.00)
    assert share is not None
    assert share > 0.28
    assert yearly_cost(replace(REFERENCE, busy_share=share)).per_million == pytest.approx(2.00)
    # At 0.60 the extra energy and the hours out of service push break-even beyond the whole year.
    assert break_even_busy_share(REFERENCE, 0.60) is None


def test_switch_value_solves_for_one_input() -> None:
    tariff = switch_value(REFERENCE, "tariff_per_kwh", 2.40, 0.05, 0.60)
    assert tariff is not None
    assert yearly_cost(replace(REFERENCE, tariff_per_kwh=tariff)).per_million == pytest.approx(2.40)
    assert switch_value(REFERENCE, "pue", 9.99, 1.0, 3.0) is None


def test_break_even_against_hire() -> None:
    assert break_even_rental_hours(44_526, 3.13, 8) == pytest.approx(1_778, abs=1)
    assert break_even_rental_hours(44_526, 0.10, 8) is None


def test_payback_counts_the_demand_only() -> None:
    assert payback_years(85_000, 40_000, 16_779) == pytest.approx(3.66, abs=0.01)
    assert payback_years(85_000, 10_000, 16_779) is None


@pytest.mark.parametrize(
    ("watts", "rate", "kwh"), [(600.0, 6.0, 27.8), (2_000.0, 53.0, 10.5), (4_200.0, 2_500.0, 0.47)]
)
def test_energy_per_million_tokens(watts: float, rate: float, kwh: float) -> None:
    assert energy_per_million_kwh(watts, rate) == pytest.approx(kwh, abs=0.05)


def test_five_years_are_purchase_and_running_cost() -> None:
    cost = yearly_cost(REFERENCE)
    assert over_years(cost, 85_000, 5) == pytest.approx(85_000 + 5 * (3_229 + 13_550), abs=10)


def test_annuity_without_interest_is_straight_line() -> None:
    assert annuity(10_000, 2_000, 4, 0.0) == 2_000
    with pytest.raises(ValueError, match="life"):
        annuity(10_000, 2_000, 0, 0.1)


def test_half_a_year_at_half_capacity_is_a_quarter_of_a_year() -> None:
    """R69."""
    assert half_capacity_cost(40_000) == 10_000


class TestPublishedMistakes:
    """Figures in print that these formulas must not reproduce."""

    def test_cost_of_all_servers_belongs_to_the_prompts_of_all_servers(self) -> None:
        # A course divides the cost of 4.8 servers by the prompts of one: 0.436 per 1,000 prompts.
        right = 0.436 / 4.8
        assert right == pytest.approx(0.091, abs=0.001)
        one = yearly_cost(REFERENCE).per_million
        many = replace(
            REFERENCE,
            purchase=4.8 * REFERENCE.purchase,
            busy_w=4.8 * REFERENCE.busy_w,
            loaded_idle_w=4.8 * REFERENCE.loaded_idle_w,
            staff=4.8 * REFERENCE.staff,
            network=4.8 * REFERENCE.network,
            other=4.8 * REFERENCE.other,
            tokens_per_s=4.8 * REFERENCE.tokens_per_s,
        )
        assert yearly_cost(many).per_million == pytest.approx(one)

    def test_energy_of_a_ten_kilowatt_box_alone(self) -> None:
        # The same course allows 3,000 a year for all of hosting.
        box = replace(REFERENCE, busy_w=10_000.0, busy_share=1.0, pue=1.0, tariff_per_kwh=0.10)
        assert yearly_cost(box).energy == pytest.approx(8_760, rel=0.02)

    def test_a_working_day_is_a_quarter_of_a_billion_tokens_not_eight(self) -> None:
        assert daily_tokens(3.5, 2_500, 8) / 1e9 == pytest.approx(0.25, abs=0.01)

    def test_energy_is_a_small_part_at_office_scale(self) -> None:
        cost = yearly_cost(REFERENCE)
        assert 0.05 < cost.energy / cost.total < 0.15
        assert cost.capital / cost.total > 0.6


@given(
    share=st.floats(0.01, 1.0),
    more=st.floats(1.0, 3.0),
    name=st.sampled_from(["tariff_per_kwh", "pue", "busy_w", "staff"]),
)
def test_no_cost_ever_falls_when_an_input_grows(share: float, more: float, name: str) -> None:
    base = replace(REFERENCE, busy_share=share)
    grown = replace(base, **{name: getattr(base, name) * more})
    assert yearly_cost(grown).total >= yearly_cost(base).total


@given(low=st.floats(0.01, 0.5), step=st.floats(0.0, 0.5))
def test_more_use_never_makes_a_token_dearer(low: float, step: float) -> None:
    rare = yearly_cost(replace(REFERENCE, busy_share=low)).per_million
    often = yearly_cost(replace(REFERENCE, busy_share=low + step)).per_million
    assert rare is not None
    assert often is not None
    assert often <= rare * (1 + 1e-12)


def test_loaded_idle_share_leaves_the_rest_unloaded() -> None:
    half = replace(REFERENCE, loaded_idle_share=0.25, idle_w=100.0)
    expected = 1.3 * 8.760 * (0.25 * 4_200 + 0.25 * 590 + 0.50 * 100)
    assert yearly_cost(half).energy_kwh == pytest.approx(expected)
