"""Watts at the plug and the limits they meet."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations.power import (
    busy_w,
    cap_effect,
    circuit_w,
    loaded_idle_w,
    power_checks,
    power_draw,
    step_peak_w,
)
from configurator.plan.edits import add_gpus, add_server, add_site, rebuilt, update
from configurator.plan.model import Gpu, NetworkSwitch, Plan
from configurator.plan.templates import one_node, sparks

CATALOGUE = load_catalogue()


def _workstation(card: str, count: int, *, cap_w: float | None = None) -> Plan:
    plan, site = add_site(Plan(id="p", name="p"), "office", "Office")
    plan, server = add_server(plan, CATALOGUE, site, "workstation-wrx90", "box")
    plan, gpus = add_gpus(plan, CATALOGUE, card, server, count)
    for gpu in gpus:
        plan = update(plan, gpu, power_limit_w=cap_w)
    return plan


def test_states_rise_and_add_up() -> None:
    plan = one_node(CATALOGUE).plans[0]
    draws = {draw.subject_id: draw for draw in power_draw(plan, CATALOGUE)}
    assert set(draws) == {"server-1", "site-1", "plan"}
    box = draws["server-1"]
    assert box.idle_w.expected < box.loaded_idle_w.expected < box.busy_w.expected < box.peak_w
    assert draws["site-1"].busy_w == box.busy_w
    assert draws["plan"].peak_w == box.peak_w
    chassis = CATALOGUE.servers["generic-4u5u-8gpu-switch"]
    assert box.peak_w == 8 * 600 + chassis.busy_w.high
    assert box.busy_w.expected == pytest.approx(8 * 0.8 * 600 + chassis.busy_w.value)


def test_a_waiting_card_takes_the_class_of_watts_seen() -> None:
    card = CATALOGUE.gpus["nvidia-rtx-pro-6000-blackwell-server"]
    assert loaded_idle_w(card, Gpu(id="g", gpu=card.id)) == (40, 65, 90)
    consumer = CATALOGUE.gpus["nvidia-rtx-4090"]
    low, expected, high = loaded_idle_w(consumer, Gpu(id="g", gpu=consumer.id))
    assert 20 <= low < expected < high <= 90
    small = CATALOGUE.gpus["nvidia-l4"]
    assert loaded_idle_w(small, Gpu(id="g", gpu=small.id))[2] < small.power_w.value / 2


def test_a_capped_card_draws_its_cap() -> None:
    card = CATALOGUE.gpus["nvidia-rtx-pro-6000-blackwell-ws"]
    assert busy_w(card, Gpu(id="g", gpu=card.id, power_limit_w=300)) == (180, 300, 300)
    assert busy_w(card, Gpu(id="g", gpu=card.id)) == (360, 480, 600)
    capped, free = _workstation(card.id, 2, cap_w=300), _workstation(card.id, 2)
    assert power_draw(free, CATALOGUE)[-1].peak_w - power_draw(capped, CATALOGUE)[-1].peak_w == 600


def test_an_appliance_counts_its_gpu_once() -> None:
    plan = sparks(CATALOGUE).plans[0]
    box = power_draw(plan, CATALOGUE)[0]
    assert box.idle_w.expected == pytest.approx(33.5)
    assert box.busy_w.high == 140
    assert box.peak_w == 240


def test_network_switches_draw_at_the_site() -> None:
    plan = _workstation("nvidia-rtx-3090", 2)
    site = plan.sites[0]
    with_switch = rebuilt(
        plan, sites=(rebuilt(site, switches=(NetworkSwitch(id="sw", name="sw", part="sw-sn2700-used"),)),)
    )
    before, after = power_draw(plan, CATALOGUE)[-1], power_draw(with_switch, CATALOGUE)[-1]
    assert after.idle_w.expected - before.idle_w.expected == pytest.approx((150 + 400) / 2)
    assert after.peak_w - before.peak_w == 400


def _check(plan: Plan, kind: str) -> tuple[float, float, bool]:
    (check,) = [check for check in power_checks(plan, CATALOGUE) if check.kind == kind]
    return check.load_w, check.limit_w, check.ok


def test_breaker_takes_eighty_percent_for_long() -> None:
    plan = update(one_node(CATALOGUE).plans[0], "site-1", power_limit_w=7_000.0)
    assert _check(plan, "site")[2]
    load, limit, ok = _check(plan, "breaker")
    assert limit == 5_600
    assert load == power_draw(plan, CATALOGUE)[-1].busy_w.high
    assert not ok


def test_without_a_limit_nothing_is_checked_against_it() -> None:
    plan = update(one_node(CATALOGUE).plans[0], "site-1", power_limit_w=None)
    assert {check.kind for check in power_checks(plan, CATALOGUE)} == {"psu", "gpu_budget"}


def test_supplies_need_a_fifth_more_than_the_parts() -> None:
    plan = _workstation("nvidia-rtx-3090", 4)
    load, limit, ok = _check(plan, "psu")
    host = CATALOGUE.servers["workstation-wrx90"].busy_w.high
    assert load == pytest.approx(1.2 * (4 * 350 + host))
    assert load == pytest.approx(1.2 * power_draw(plan, CATALOGUE)[0].peak_w)
    assert limit == 3_200
    assert ok
    small = update(plan, "server-1", psu_w=1_600.0)
    assert not _check(small, "psu")[2]


def test_short_peaks_of_a_5090_count() -> None:
    card = CATALOGUE.gpus["nvidia-rtx-5090"]
    assert card.transient_peak_w is not None
    plan = _workstation("nvidia-rtx-5090", 2)
    host = CATALOGUE.servers["workstation-wrx90"].busy_w.high
    assert _check(plan, "transient")[0] > power_draw(plan, CATALOGUE)[0].peak_w
    assert _check(plan, "transient")[0] == pytest.approx(2 * card.transient_peak_w.value + host)
    capped = _workstation("nvidia-rtx-5090", 2, cap_w=400)
    assert _check(capped, "transient")[0] < _check(plan, "transient")[0]


def test_exactly_at_the_limit_is_no_reserve() -> None:
    plan = one_node(CATALOGUE).plans[0]
    (budget,) = [check for check in power_checks(plan, CATALOGUE) if check.kind == "gpu_budget"]
    assert budget.load_w == budget.limit_w == 4_800
    assert budget.ok
    assert budget.at_limit
    (supplies,) = [check for check in power_checks(plan, CATALOGUE) if check.kind == "psu"]
    assert supplies.ok
    assert not supplies.at_limit


def test_a_guessed_supply_is_no_limit_until_it_is_stated() -> None:
    plan = _workstation("nvidia-rtx-3090", 6, cap_w=600)
    server = plan.sites[0].servers[0]
    bought = [check for check in power_checks(plan, CATALOGUE) if not check.ok]
    assert bought
    assert not any(check.assumed for check in bought)
    there_already = update(plan, server.id, owned=True)
    of_server = [check for check in power_checks(there_already, CATALOGUE) if check.subject_id == server.id]
    assert of_server
    assert all(check.assumed for check in of_server)
    stated = update(there_already, server.id, psu_w=1_600.0)
    (psu,) = [check for check in power_checks(stated, CATALOGUE) if check.kind == "psu"]
    assert not psu.ok
    assert not psu.assumed


def test_cards_of_unknown_watts_stop_nothing() -> None:
    card = "nvidia-v100-pcie-32gb"
    assert CATALOGUE.gpus[card].power_w.confidence == "low"
    assert all(check.assumed for check in power_checks(_workstation(card, 2), CATALOGUE))
    capped = _workstation(card, 2, cap_w=200)
    assert not any(check.assumed for check in power_checks(capped, CATALOGUE))


def test_a_cap_costs_prompts_far_more_than_writing() -> None:
    for share, decode, prompt in (
        (1.0, 1.0, 1.0),
        (250 / 350, 70.7 / 72.6, 8436 / 9893),
        (200 / 350, 68.3 / 72.6, 0.6),
    ):
        assert cap_effect(share) == pytest.approx((decode, prompt), abs=0.005)
    # A machine that the curve was not taken from: RTX PRO 6000, 300 of 600 W, 4 % slower for one person, and about
    # half as fast where arithmetic decides (0.55 in a tensor burn).
    writing, reading = cap_effect(0.5)
    assert writing == pytest.approx(0.96, abs=0.07)
    assert reading == pytest.approx(0.55, abs=0.15)
    assert cap_effect(0.1)[0] < 0.2


def test_cards_in_step_peak_together() -> None:
    server = _workstation("nvidia-rtx-3090", 4, cap_w=200).sites[0].servers[0]
    assert step_peak_w(server, CATALOGUE) == pytest.approx((1_280, 1_600))


def test_a_circuit_carries_four_fifths_for_long() -> None:
    assert circuit_w(120, 15) == 1_440
    assert circuit_w(230, 16) == 2_944


def test_one_module_of_a_board_is_not_charged_as_the_whole_host() -> None:
    plan, site = add_site(Plan(id="p", name="p"), "server_room", "Room")
    plan, _ = add_server(plan, CATALOGUE, site, "hgx-h100-8", "box")
    full = power_draw(plan, CATALOGUE)[0]
    box = plan.sites[0].servers[0]
    seven = [slot for slot in box.slots if slot.gpu is not None][1:]
    for slot in seven:
        plan = update(plan, slot.id, gpu=None)
    one = power_draw(plan, CATALOGUE)[0]
    assert one.busy_w.expected == pytest.approx(full.busy_w.expected / 8)
    assert one.peak_w == pytest.approx(full.peak_w / 8)
