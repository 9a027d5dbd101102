"""The equipment list: what is bought, what is owned, what must wait for a decision."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations.results import ShoppingLine
from configurator.operations.shopping import (
    STORAGE,
    gross,
    interconnect_decided,
    needs_card,
    shopping,
    storage_needed,
    unpriced,
)
from configurator.plan.edits import add_gpus, add_server, add_site, connect, update
from configurator.plan.model import Plan
from configurator.plan.projects import new_project
from configurator.plan.templates import one_node, sparks, training, two_nodes
from configurator.terms import Estimate
from tests.helpers import there
from tests.operations.layouts import gpu_ids, scored

CATALOGUE = load_catalogue()
NETWORK = {"nic", "switch", "cable"}


def _lines(plan: Plan, shared_storage: bool = False) -> dict[str, ShoppingLine]:
    return {line.item: line for line in shopping(plan, CATALOGUE, shared_storage=shared_storage)}


def _boxes(chassis: str, count: int, card: str, cards: int) -> Plan:
    plan, site = add_site(Plan(id="p", name="p"), "office", "Office")
    for number in range(count):
        plan, server = add_server(plan, CATALOGUE, site, chassis, f"box-{number}")
        if cards:
            plan, _ = add_gpus(plan, CATALOGUE, card, server, cards)
    return plan


def test_cards_and_machines_with_price_date_and_basis() -> None:
    lines = _lines(one_node(CATALOGUE).plans[0])
    card = lines["nvidia-rtx-pro-6000-blackwell-server"]
    price = there(CATALOGUE.gpus[card.item].price)
    assert card.quantity == 8
    assert there(card.unit_price).expected == price.eur.value
    assert there(card.total).expected == 8 * price.eur.value
    assert card.price_date == price.as_of
    assert card.price_basis == price.basis
    assert len(card.subject_ids) == 8
    assert lines["generic-4u5u-8gpu-switch"].quantity == 1


def test_owned_things_are_listed_and_cost_nothing() -> None:
    plan = one_node(CATALOGUE).plans[0]
    for gpu in gpu_ids(plan)[:4]:
        plan = update(plan, gpu, owned=True)
    mine = [line for line in shopping(plan, CATALOGUE) if line.category == "gpu"]
    assert sorted((line.owned, line.quantity) for line in mine) == [(False, 4), (True, 4)]
    owned = next(line for line in mine if line.owned)
    assert owned.unit_price is None
    assert there(owned.total).high == 0


def test_the_owners_price_replaces_the_catalogue() -> None:
    plan = update(one_node(CATALOGUE).plans[0], "server-1", price=15_000.0)
    line = _lines(plan)["generic-4u5u-8gpu-switch"]
    assert line.unit_price == Estimate.exact(15_000, "EUR", "policy")
    assert line.price_basis == "own price"


def test_a_board_with_modules_does_not_list_them_again() -> None:
    plan = _boxes("hgx-h100-8", 1, "nvidia-h100-sxm5-80gb", 0)
    lines = _lines(plan)
    assert set(lines) == {"hgx-h100-8"}
    assert there(lines["hgx-h100-8"].total).expected == 268_500


def test_a_thing_without_a_price_makes_the_list_incomplete() -> None:
    plan = _boxes("mac-studio", 1, "apple-m2-ultra-192gb", 1)
    assert [line.item for line in unpriced(shopping(plan, CATALOGUE))]


def test_no_interconnect_before_the_decision() -> None:
    """R11."""
    plan = two_nodes(CATALOGUE).plans[0]
    assert plan.links
    assert not NETWORK & {line.category for line in shopping(plan, CATALOGUE, interconnect_allowed=False)}
    undecided = update(plan, plan.workloads[0].id, model=None)
    gpus = gpu_ids(plan)
    split = scored((tuple(gpus[:4]), tuple(gpus[4:])))
    apart = scored((tuple(gpus[:4]),), (tuple(gpus[4:]),))
    workload = plan.workloads[0].id
    assert interconnect_decided(plan, {workload: split})
    assert not interconnect_decided(undecided, {workload: split})
    assert not interconnect_decided(plan, {workload: apart})
    assert not interconnect_decided(plan, {workload: None})


def test_a_link_brings_its_cable_and_the_cards_that_are_missing() -> None:
    plan = _boxes("workstation-wrx90", 2, "nvidia-rtx-3090", 1)
    plan, _ = connect(plan, "server-1", "server-2", "eth-100g-roce")
    lines = _lines(plan)
    assert lines["dac-100g"].quantity == 1
    assert lines["nic-100g-used"].quantity == 2
    ten, _ = connect(_boxes("workstation-wrx90", 2, "nvidia-rtx-3090", 1), "server-1", "server-2", "eth-10g")
    assert "nic-10g" not in _lines(ten), "the board has 10 GbE"
    assert _lines(ten)["cable-cat6a"].quantity == 1


def test_sparks_have_their_ports_on_board() -> None:
    plan = sparks(CATALOGUE).plans[0]
    assert not any(needs_card(server, 200, CATALOGUE) for server in plan.sites[0].servers)
    assert {line.category for line in shopping(plan, CATALOGUE)} == {"server", "cable"}


def test_training_over_servers_needs_shared_storage() -> None:
    """R71."""
    project = training(CATALOGUE)
    plan = project.plans[0]
    gpus = gpu_ids(plan)
    workload = plan.workloads[0]
    assert not storage_needed(plan, {workload.id: scored((tuple(gpus),))})
    two = _boxes("dell-r760xa-4gpu", 2, "nvidia-rtx-pro-6000-blackwell-server", 2)
    two = type(two)(**(dict(two) | {"workloads": (workload,)}))
    spread = scored((tuple(gpu_ids(two)[:2]), tuple(gpu_ids(two)[2:])))
    assert storage_needed(two, {workload.id: spread})
    line = _lines(two, shared_storage=True)[STORAGE]
    assert line.unit_price is None
    assert "quote" in line.price_basis


@pytest.mark.parametrize(("chassis", "share"), [("workstation-wrx90", (0.75, 1.1)), ("dell-r760xa-4gpu", (1.0, 1.6))])
def test_two_four_gpu_boxes_cost_about_as_much_as_one_of_eight(chassis: str, share: tuple[float, float]) -> None:
    """R65: after second machine, cards and cable there is nothing saved worth the second failure domain."""
    card = "nvidia-rtx-pro-6000-blackwell-maxq"
    one = _boxes("generic-4u5u-8gpu-switch", 1, card, 8)
    two, _ = connect(_boxes(chassis, 2, card, 4), "server-1", "server-2", "eth-200g-roce")

    def total(plan: Plan) -> float:
        return sum(there(line.total).expected for line in shopping(plan, CATALOGUE))

    assert share[0] <= total(two) / total(one) <= share[1]


def test_prices_in_other_currencies() -> None:
    plan = one_node(CATALOGUE).plans[0]
    euro = there(shopping(plan, CATALOGUE, "EUR")[1].unit_price)
    crowns = there(shopping(plan, CATALOGUE, "CZK")[1].unit_price)
    dollars = there(shopping(plan, CATALOGUE, "USD")[1].unit_price)
    assert crowns.expected == pytest.approx(euro.expected * 24.353)
    assert crowns.unit == "CZK"
    assert dollars.expected == there(CATALOGUE.gpus["nvidia-rtx-pro-6000-blackwell-server"].price).usd.value


def test_vat_is_a_second_column() -> None:
    project = new_project("x")
    assert gross(Estimate.exact(100, "EUR"), project).expected == pytest.approx(123)
