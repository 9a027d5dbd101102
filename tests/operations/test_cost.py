"""Yearly cost of whole plans: ranges, load, staff, tariffs, what is taken for granted."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations.cost import cost
from configurator.operations.formulas import tornado, yearly_cost
from configurator.operations.power import power_draw
from configurator.operations.ranges import added, divided, multiplied
from configurator.operations.rates import engineering_factor, staff_hours, tariff
from configurator.operations.results import CostEstimate
from configurator.plan.edits import rebuilt, update
from configurator.plan.model import Plan, Policy, Project
from configurator.plan.templates import one_node, sparks, training, two_homes, two_nodes
from configurator.terms import Estimate
from configurator.wording import Wording
from tests.helpers import there
from tests.operations.layouts import gpu_ids, scored

CATALOGUE = load_catalogue()
PARTS = (
    "purchase",
    "capital_per_year",
    "energy_kwh_per_year",
    "energy_per_year",
    "maintenance_per_year",
    "staff_per_year",
    "staff_hours_per_month",
    "network_per_year",
    "other_per_year",
    "rent_per_year",
    "failure_per_year",
    "total_per_year",
    "busy_share",
    "availability",
)


def _settings(project: Project, **changes: float | None) -> Project:
    return rebuilt(project, cost=rebuilt(project.cost, **changes))


def _node(tokens_per_s: float = 2_500.0, **changes: float | None) -> tuple[Project, CostEstimate]:
    project = _settings(one_node(CATALOGUE), **changes)
    plan = project.plans[0]
    chosen = {plan.workloads[0].id: scored((tuple(gpu_ids(plan)),), tokens_per_s=tokens_per_s)}
    return project, cost(project, plan, CATALOGUE, chosen)


@pytest.mark.parametrize("build", [one_node, two_nodes, two_homes, sparks, training])
def test_every_range_is_in_order(build: type) -> None:
    project = build(CATALOGUE)
    plan = project.plans[0]
    found = cost(project, plan, CATALOGUE, {plan.workloads[0].id: scored((tuple(gpu_ids(plan)),))})
    for name in PARTS:
        value: Estimate = getattr(found, name)
        assert 0 <= value.low <= value.expected <= value.high, name
    assert found.total_per_year.unit == "EUR/year"


def test_the_parts_are_the_total() -> None:
    _, found = _node()
    parts = (
        found.capital_per_year,
        found.energy_per_year,
        found.maintenance_per_year,
        found.staff_per_year,
        found.network_per_year,
        found.other_per_year,
        found.rent_per_year,
        found.failure_per_year,
    )
    for name in ("low", "expected", "high"):
        assert getattr(found.total_per_year, name) == pytest.approx(sum(getattr(part, name) for part in parts))
    assert found.running_per_year.expected == pytest.approx(
        found.total_per_year.expected - found.capital_per_year.expected
    )


def test_the_estimate_is_the_plain_formula_with_its_own_inputs() -> None:
    project, found = _node()
    year = yearly_cost(there(found.inputs))
    assert year.total == pytest.approx(found.total_per_year.expected, rel=1e-9)
    assert year.tokens == pytest.approx(there(found.tokens_per_year).expected, rel=1e-9)
    assert year.energy_kwh == pytest.approx(found.energy_kwh_per_year.expected, rel=1e-9)
    assert year.per_million == pytest.approx(there(found.per_million_tokens).expected, rel=1e-9)
    assert project.cost.life_years == there(found.inputs).life_years


def test_tokens_at_the_expected_load_not_at_capacity() -> None:
    _, found = _node(busy_share=0.25, availability=0.985)
    assert there(found.tokens_per_year).expected == pytest.approx(31_536_000 * 0.25 * 0.985 * 2_500)
    assert there(found.per_million_tokens).unit == "EUR/1M tokens"


def test_a_monthly_demand_sets_tokens_and_use() -> None:
    project = _settings(one_node(CATALOGUE), availability=1.0)
    plan = project.plans[0]
    workload = plan.workloads[0].id
    plan = update(plan, workload, tokens_per_month=100e6)
    layout = {workload: scored((tuple(gpu_ids(plan)),), tokens_per_s=2_500.0)}
    found = cost(project, plan, CATALOGUE, layout)
    assert there(found.tokens_per_year).expected == pytest.approx(1.2e9)
    assert found.busy_share.expected == pytest.approx(1.2e9 / 31_536_000 / 2_500)
    greedy = cost(project, update(plan, workload, tokens_per_month=1e12), CATALOGUE, layout)
    assert there(greedy.tokens_per_year).expected == pytest.approx(31_536_000 * 2_500)
    assert greedy.busy_share.expected == 1.0


def test_batching_spreads_the_fixed_cost() -> None:
    """R44: the same machine at the rate of a full batch."""
    _, one_user = _node(tokens_per_s=40.0)
    _, full_batch = _node(tokens_per_s=2_500.0)
    assert one_user.total_per_year == full_batch.total_per_year
    ratio = there(one_user.per_million_tokens).expected / there(full_batch.per_million_tokens).expected
    assert ratio == pytest.approx(2_500 / 40)


def test_without_speed_there_is_no_price_per_token_and_it_is_said() -> None:
    project = one_node(CATALOGUE)
    found = cost(project, project.plans[0], CATALOGUE, {"workload-1": None})
    assert found.tokens_per_year is None
    assert found.per_million_tokens is None
    assert "assume.no_speed" in {note.code for note in found.assumptions}


def test_training_has_no_price_per_answered_token() -> None:
    project = training(CATALOGUE)
    plan = project.plans[0]
    found = cost(project, plan, CATALOGUE, {plan.workloads[0].id: scored((tuple(gpu_ids(plan)),))})
    assert found.per_million_tokens is None
    assert found.busy_share.expected == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("kind", "servers", "low", "high"),
    [
        ("single", 1, 2, 4),
        ("replicas", 2, 6, 12),
        ("replicas", 4, 10, 20),
        ("cluster", 2, 10, 24),
        ("cluster", 8, 58, 144),
    ],
)
def test_hours_by_class(kind: str, servers: int, low: float, high: float) -> None:
    value = staff_hours(
        "single" if kind == "single" else "replicas" if kind == "replicas" else "cluster", servers
    ).value
    assert value.low == pytest.approx(low)
    assert value.high == pytest.approx(high)
    assert value.low <= value.expected <= value.high


def test_each_added_node_adds_four_to_five_times_the_hours() -> None:
    """R68, as an increment: a power would claim 410 times the work for five nodes."""
    factor = Policy().engineering_factor_per_added_node
    assert 4 <= factor <= 5
    assert engineering_factor(1, factor) == 1
    assert engineering_factor(2, factor) == pytest.approx(5.5)
    assert engineering_factor(5, factor) == pytest.approx(19)


def test_a_split_copy_makes_a_cluster_two_copies_make_replicas() -> None:
    project = two_nodes(CATALOGUE)
    plan = project.plans[0]
    gpus, workload = gpu_ids(plan), plan.workloads[0].id
    split = cost(project, plan, CATALOGUE, {workload: scored((tuple(gpus[:4]), tuple(gpus[4:])))})
    apart = cost(project, plan, CATALOGUE, {workload: scored((tuple(gpus[:4]),), (tuple(gpus[4:]),))})
    alone = cost(project, plan, CATALOGUE, {workload: scored((tuple(gpus[:4]),))})
    assert (split.staff_class, apart.staff_class, alone.staff_class) == ("cluster", "replicas", "single")
    assert split.staff_per_year.expected > 1.5 * apart.staff_per_year.expected
    assert split.availability.expected == pytest.approx(0.985**2)
    assert apart.availability.expected == pytest.approx(0.985)
    assert "cable" in {line.category for line in split.shopping}
    assert "cable" not in {line.category for line in apart.shopping}


def test_the_owners_figures_replace_the_assumptions() -> None:
    project, found = _node(
        staff_hours_per_month=5.0, staff_rate_per_h=40.0, availability=0.99, busy_share=0.5, network_per_year=600.0
    )
    assert found.staff_per_year == Estimate.exact(12 * 5 * 40, "EUR/year")
    assert found.busy_share.low == found.busy_share.high == 0.5
    codes = {note.code for note in found.assumptions}
    assert not {"assume.staff_hours", "assume.staff_rate", "assume.availability", "assume.busy_share"} & codes
    assert project.plans[0].sites[0].tariff_per_kwh == 0.19
    assert "assume.tariff" not in codes


def test_every_assumption_names_value_source_and_date() -> None:
    project = two_homes(CATALOGUE)
    found = cost(project, project.plans[0], CATALOGUE)
    notes = {note.code: note for note in found.assumptions}
    for code in ("assume.tariff", "assume.pue", "assume.staff_rate"):
        assert isinstance(notes[code].get("value"), Estimate), code
        assert notes[code].get("source"), code
        assert notes[code].get("as_of"), code


def test_homes_pay_the_household_tariff_of_their_use() -> None:
    project = two_homes(CATALOGUE)
    site = project.plans[0].sites[0]
    rates = {kwh: tariff(site, CATALOGUE, kwh, 1.0).value.expected for kwh in (3_000.0, 9_000.0, 20_000.0)}
    assert rates == {
        3_000.0: pytest.approx(0.177),
        9_000.0: pytest.approx(0.1583),
        20_000.0: pytest.approx(0.1487),
    }
    office = rebuilt(site, kind="office")
    assert tariff(office, CATALOGUE, 50_000.0, 1.0).value.expected == pytest.approx(0.2381)
    # An office has other loads: a machine of less use is not billed in the band of a kiosk.
    small, large = (tariff(office, CATALOGUE, kwh, 1.0).value.expected * kwh for kwh in (18_000.0, 22_000.0))
    assert small < large
    assert tariff(office, CATALOGUE, 9_000.0, 1.0).value.expected == pytest.approx(0.2381)
    nowhere = rebuilt(office, country="ZZ")
    assert tariff(nowhere, CATALOGUE, 50_000.0, 1.0).value.expected == pytest.approx(0.2228)


def test_a_capped_tariff_country_without_bands() -> None:
    site = rebuilt(two_homes(CATALOGUE).plans[0].sites[0], country="GB")
    assert tariff(site, CATALOGUE, 9_000.0, 1.0).value.expected == pytest.approx(0.3157, abs=1e-4)


def test_energy_follows_pue_tariff_and_state() -> None:
    project, found = _node(busy_share=0.25)
    plan = project.plans[0]
    draw = power_draw(plan, CATALOGUE)[-1]
    kwh = 1.3 * 8.760 * (0.25 * draw.busy_w.expected + 0.75 * draw.loaded_idle_w.expected)
    assert found.energy_kwh_per_year.expected == pytest.approx(kwh)
    assert found.energy_per_year.expected == pytest.approx(0.19 * kwh)
    assert there(found.carbon_kg_per_year).expected == pytest.approx(kwh * 0.0965)


def test_an_unloaded_machine_takes_less() -> None:
    _, loaded = _node(busy_share=0.1)
    _, unloaded = _node(busy_share=0.1, loaded_idle_share=0.0)
    assert unloaded.energy_kwh_per_year.expected < loaded.energy_kwh_per_year.expected


def test_colocation_is_counted_with_a_warning() -> None:
    project = one_node(CATALOGUE)
    plan = update(project.plans[0], "site-1", kind="colocation")
    found = cost(project, plan, CATALOGUE)
    draw = power_draw(plan, CATALOGUE)[-1]
    assert found.rent_per_year.expected == pytest.approx(220 * 12 * draw.busy_w.high / 1_000)
    assert found.other_per_year.high == 0, "rent has its own line"
    assert there(found.inputs).rent == found.rent_per_year.expected
    (note,) = [note for note in found.assumptions if note.code == "assume.colocation"]
    said = Wording().text(note)
    assert said.count("per kW") == 1, said


def test_a_place_without_servers_costs_nothing() -> None:
    plan = update(one_node(CATALOGUE).plans[0], "site-1", kind="colocation", servers=())
    bare = rebuilt(plan, workloads=())
    found = cost(one_node(CATALOGUE), bare, CATALOGUE)
    assert found.total_per_year.high == 0
    assert found.staff_hours_per_month.high == 0
    assert not {"assume.staff_hours", "assume.staff_rate"} & {note.code for note in found.assumptions}


def test_money_in_another_currency_scales_as_one() -> None:
    project, euro = _node(staff_hours_per_month=3.0)
    czech = rebuilt(project, currency="CZK")
    plan = update(czech.plans[0], "site-1", tariff_per_kwh=0.19 * 24.353)
    layout = {plan.workloads[0].id: scored((tuple(gpu_ids(plan)),), tokens_per_s=2_500.0)}
    crowns = cost(czech, plan, CATALOGUE, layout)
    assert crowns.currency == "CZK"
    assert crowns.total_per_year.expected == pytest.approx(24.353 * euro.total_per_year.expected, rel=1e-6)


def test_sensitivity_of_a_plan() -> None:
    _, found = _node()
    rows = tornado(there(found.inputs), {name: (low, high) for name, low, high in found.ranges})
    assert rows[0].name == "busy_share"
    assert {"tariff_per_kwh", "staff", "purchase", "tokens_per_s"} <= {name for name, _, _ in found.ranges} | {
        "tariff_per_kwh"
    }


def test_an_unpriced_part_is_not_a_free_part() -> None:
    project = one_node(CATALOGUE)
    plan = project.plans[0]
    site = plan.sites[0]
    server = rebuilt(site.servers[0], chassis="mi350x-8", slots=(), switches=())
    found = cost(project, rebuilt(plan, sites=(rebuilt(site, servers=(server,)),)), CATALOGUE)
    assert not found.purchase_complete


def test_an_empty_plan_costs_its_settings() -> None:
    project = one_node(CATALOGUE)
    found = cost(project, Plan(id="empty", name="empty"), CATALOGUE)
    assert found.purchase.expected == 0
    assert found.energy_kwh_per_year.expected == 0
    assert found.tokens_per_year is None


class TestRanges:
    def test_sums_can_be_added_up_by_the_reader(self) -> None:
        found = added((Estimate(7, 10, 13), Estimate(6, 10, 14)))
        assert (found.low, found.expected, found.high) == (13, 20, 27)

    def test_products_spread_by_ratios(self) -> None:
        found = multiplied(Estimate(5, 10, 20), Estimate(3, 3, 3))
        assert found.low == pytest.approx(15)
        assert found.high == pytest.approx(60)
        assert multiplied(Estimate(0, 0, 1), Estimate(1, 2, 3)).expected == 0

    def test_nothing_divides_by_nothing(self) -> None:
        assert divided(Estimate.exact(1), Estimate.exact(0)) is None
        found = there(divided(Estimate.exact(10), Estimate(1, 2, 4)))
        assert found.low == pytest.approx(2.5)
        assert found.expected == pytest.approx(5)
        assert found.high == pytest.approx(10)
