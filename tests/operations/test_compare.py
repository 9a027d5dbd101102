"""Own, hired and bought tokens: the same unit on every side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations import CostInputs, yearly_cost
from configurator.operations.compare import (
    compare,
    hire_of,
    input_per_output,
    month_of,
    offer_of,
    priced_like,
    rent_per_million,
)
from configurator.plan.model import Workload
from tests.helpers import there

CATALOGUE = load_catalogue()
MODEL = CATALOGUE.models["llama-3.3-70b"]
H100 = "nvidia-h100-sxm5-80gb"
INPUTS = CostInputs(
    purchase=0.0,
    residual_share=0.2,
    life_years=4.0,
    cost_of_capital=0.08,
    busy_w=3_000.0,
    loaded_idle_w=600.0,
    busy_share=0.2,
    pue=1.3,
    tariff_per_kwh=0.2,
    maintenance_share=0.05,
    spares_share=0.02,
    staff=2_000.0,
    network=0.0,
    other=0.0,
    availability=0.98,
    tokens_per_s=1_000.0,
)


def test_rent_over_tokens_is_the_price_of_a_million() -> None:
    assert rent_per_million(2.5, 700.0) == pytest.approx(0.992, rel=1e-3)
    assert rent_per_million(2.5, 700.0, 0.1) == pytest.approx(9.92, rel=1e-3)
    with pytest.raises(ValueError, match="above nothing"):
        rent_per_million(2.5, 0.0)


def test_break_even_is_monthly_cost_over_price_and_a_share_of_what_can_be_made() -> None:
    found = there(compare(Workload(id="w", name="w"), MODEL, INPUTS, [H100] * 4, CATALOGUE, 1.0))
    api, even = there(found.api), there(found.even_million_per_month)
    assert even == pytest.approx(there(found.even_cost_per_month) / api.per_million)
    share = there(found.even_share)
    assert share == pytest.approx(even / found.most_million_per_month)
    # At that use a million own tokens cost what the API takes.
    assert there(yearly_cost(replace(INPUTS, busy_share=share)).per_million) == pytest.approx(api.per_million)
    assert found.answer == "even"
    asked = Workload(id="w", name="w", tokens_per_month=2 * even * 1e6)
    assert there(compare(asked, MODEL, INPUTS, (), CATALOGUE, 1.0)).answer == "own"
    less = Workload(id="w", name="w", tokens_per_month=even * 0.5e6)
    assert there(compare(less, MODEL, INPUTS, (), CATALOGUE, 1.0)).answer == "api"


def test_a_break_even_beyond_the_machine_is_never() -> None:
    dear = replace(INPUTS, staff=400_000.0)
    found = there(compare(Workload(id="w", name="w"), MODEL, dear, (), CATALOGUE, 1.0))
    assert found.answer == "never"
    assert there(found.even_share) > 1
    assert found.own_full_per_million > there(found.api).per_million


def test_questions_are_in_the_price_of_the_answers_on_the_api_side() -> None:
    price = CATALOGUE.token_prices[MODEL.id]
    dollar = CATALOGUE.fx["USD"].value
    offer = there(offer_of(MODEL, 2.0, CATALOGUE, 1.0))
    wanted = price.output_usd_per_million.value + 2.0 * price.input_usd_per_million.value
    assert offer.per_million == pytest.approx(wanted / dollar)
    assert offer.same
    assert input_per_output(Workload(id="w", name="w", input_tokens=2000, output_tokens=500)) == (4.0, True)
    assert input_per_output(Workload(id="w", name="w"))[1] is False


def test_a_model_without_a_price_is_set_beside_its_size_class() -> None:
    unpriced = replace(MODEL, id="another-70b")
    found, same = there(priced_like(unpriced, CATALOGUE))
    assert (found.model, same) == ("llama-3.3-70b", False)
    parts = replace(MODEL.parameters, total=int(9e12), read_per_token_batch1=int(9e12))
    assert priced_like(replace(MODEL, id="huge", parameters=parts), CATALOGUE) is None


def test_hired_cards_are_charged_as_cards_of_one_kind() -> None:
    hire = there(hire_of([H100] * 4, 1_000.0, CATALOGUE, 1.0))
    one = there(hire_of([H100], 1_000.0, CATALOGUE, 1.0))
    assert hire.per_hour == pytest.approx(4 * one.per_hour)
    assert hire.tenth_per_million == pytest.approx(10 * hire.full_per_million)
    assert hire_of([H100, "nvidia-rtx-3090"], 1_000.0, CATALOGUE, 1.0) is None
    assert hire_of([], 1_000.0, CATALOGUE, 1.0) is None


def test_the_newest_date_of_a_price() -> None:
    assert month_of("2026-11 (providers); 2026-09-06 (list)") == "2026-11"
