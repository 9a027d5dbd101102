"""Watts at the plug and the limits they meet."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations.power import busy_w, loaded_idle_w, power_checks, power_draw
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
