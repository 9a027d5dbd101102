"""What stops, what slows, what survives when one object fails."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.operations.failures import BEHAVIOUR, failure_effects
from configurator.operations.results import FailureEffect
from configurator.plan.edits import add_gpus, add_server, add_site, add_switch, connect, rebuilt, update
from configurator.plan.model import Link, Nic, Plan
from configurator.plan.templates import one_node, two_homes, two_nodes
from configurator.scaling.results import ScoredLayout
from configurator.scaling.topology import build_topology
from tests.helpers import there
from tests.operations.layouts import gpu_ids, scored

CATALOGUE = load_catalogue()


def _effects(plan: Plan, layout: ScoredLayout | None) -> dict[str, FailureEffect]:
    topology = build_topology(plan, CATALOGUE, "expected")
    return {effect.object_id: effect for effect in failure_effects(plan, plan.workloads[0], layout, topology)}


def test_one_copy_over_all_cards_stops_with_any_of_them() -> None:
    """The failure domain of an instance is everything it is split over."""
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored((tuple(gpus),)))
    for object_id in (*gpus, "server-1", "site-1", "pcie-1", "pcie-2"):
        assert found[object_id].stops, object_id
        assert found[object_id].capacity_left_share == 0
        assert there(found[object_id].requests_lost).expected == 32


def test_a_broken_part_takes_days_a_stopped_program_minutes() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored((tuple(gpus),)))
    card = found[gpus[0]]
    assert there(card.recovery_s).high < 3_600
    assert there(card.repair_s).low == 86_400
    assert there(card.repair_s).expected > 5 * 86_400
    assert found["site-1"].repair_s is None


def test_copies_lose_their_share_only() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored((tuple(gpus[:4]),), (tuple(gpus[4:]),)))
    assert not found[gpus[0]].stops
    assert found[gpus[0]].capacity_left_share == pytest.approx(0.5)
    assert there(found[gpus[0]].requests_lost).expected == 16
    assert found["server-1"].stops, "both copies stand in one box"
    assert found[gpus[0]].note.code == "failure.slows"


def test_unequal_copies_are_worth_what_they_carry() -> None:
    plan, site = add_site(Plan(id="p", name="p"), "home", "Home")
    plan, box = add_server(plan, CATALOGUE, site, "workstation-wrx90", "box")
    plan, fast = add_gpus(plan, CATALOGUE, "nvidia-rtx-5090", box)
    plan, slow = add_gpus(plan, CATALOGUE, "nvidia-rtx-4060-ti-16gb", box)
    plan = rebuilt(plan, workloads=one_node(CATALOGUE).plans[0].workloads)
    found = _effects(plan, scored(((fast[0],),), ((slow[0],),)))
    bandwidth = {
        gpu: CATALOGUE.gpus[gpu].memory_bandwidth.value for gpu in ("nvidia-rtx-5090", "nvidia-rtx-4060-ti-16gb")
    }
    left = bandwidth["nvidia-rtx-4060-ti-16gb"] / sum(bandwidth.values())
    assert found[fast[0]].capacity_left_share == pytest.approx(left)


def test_an_idle_card_may_fail() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored((tuple(gpus[:4]),)))
    assert found[gpus[7]].note.code == "failure.survives"
    assert found[gpus[7]].capacity_left_share == 1
    assert there(found[gpus[7]].recovery_s).high == 0


def test_the_wire_matters_only_to_a_split_copy() -> None:
    plan = two_nodes(CATALOGUE).plans[0]
    gpus, link = gpu_ids(plan), plan.links[0].id
    split = _effects(plan, scored((tuple(gpus[:4]), tuple(gpus[4:]))))
    apart = _effects(plan, scored((tuple(gpus[:4]),), (tuple(gpus[4:]),)))
    assert split[link].stops
    assert split["server-2"].stops
    assert not apart[link].stops
    assert apart["server-2"].capacity_left_share == pytest.approx(0.5)


def test_a_second_wire_keeps_a_split_copy_going() -> None:
    plan = two_nodes(CATALOGUE).plans[0]
    gpus, first = gpu_ids(plan), plan.links[0].id
    plan = rebuilt(plan, links=(*plan.links, Link(id="second", a="server-1", b="server-2", kind="eth-10g")))
    found = _effects(plan, scored((tuple(gpus[:4]), tuple(gpus[4:]))))
    assert not found[first].stops


def test_a_switch_between_servers_is_one_point_of_failure() -> None:
    plan = two_nodes(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    plan = rebuilt(plan, links=())
    plan, switch = add_switch(plan, plan.sites[0].id, None, "Switch")
    for server in ("server-1", "server-2"):
        plan, _ = connect(plan, server, switch, "eth-100g-roce")
    split = scored((tuple(gpus[:4]), tuple(gpus[4:])))
    assert _effects(plan, split)[switch].stops
    assert not _effects(plan, scored((tuple(gpus[:4]),), (tuple(gpus[4:]),)))[switch].stops


def test_a_single_network_card_of_a_split_copy() -> None:
    plan = two_nodes(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    plan = update(plan, "server-1", nics=(Nic(id="nic-a", name="A"),))
    plan = update(plan, "server-2", nics=(Nic(id="nic-b", name="B"), Nic(id="nic-c", name="C")))
    found = _effects(plan, scored((tuple(gpus[:4]), tuple(gpus[4:]))))
    assert found["nic-a"].stops
    assert not found["nic-b"].stops


def test_two_homes_each_with_its_copy() -> None:
    plan = two_homes(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored(((gpus[0],),), ((gpus[1],),)))
    first, second = plan.sites
    assert 0 < found[first.id].capacity_left_share < 1
    assert found[f"{first.id}.internet"].capacity_left_share == found[first.id].capacity_left_share
    assert not found[f"{second.id}.internet"].stops
    assert not found[plan.links[0].id].stops


def test_people_reach_a_rented_rack_by_its_line_only() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    rented = update(plan, "site-1", kind="colocation")
    line = _effects(rented, scored((tuple(gpus),)))["site-1.internet"]
    assert line.stops
    assert line.note.code == "failure.unreachable"
    assert there(line.requests_lost).expected == 32
    assert line.recovery_s is None, "nothing is loaded again"
    task = rented.workloads[0].id
    assert not _effects(update(rented, task, task="batch"), scored((tuple(gpus),)))["site-1.internet"].stops


def test_people_in_the_house_go_on_without_the_line() -> None:
    plan = two_homes(CATALOGUE).plans[0]
    plan = rebuilt(plan, sites=plan.sites[:1], links=())
    line = _effects(plan, scored(((gpu_ids(plan)[0],),)))[f"{plan.sites[0].id}.internet"]
    assert not line.stops
    assert line.note.code == "failure.outside"
    assert line.capacity_left_share == 1


def test_one_copy_over_two_homes_needs_both_lines() -> None:
    plan = two_homes(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = _effects(plan, scored(((gpus[0],), (gpus[1],)), engine="llama.cpp"))
    for object_id in (
        plan.sites[0].id,
        f"{plan.sites[0].id}.internet",
        f"{plan.sites[1].id}.internet",
        plan.links[0].id,
    ):
        assert found[object_id].stops, object_id


def test_a_lost_link_waits_for_the_watchdog_where_the_engine_does() -> None:
    plan = two_nodes(CATALOGUE).plans[0]
    gpus, link = gpu_ids(plan), plan.links[0].id
    split = (tuple(gpus[:4]), tuple(gpus[4:]))
    vllm = there(_effects(plan, scored(split))[link].recovery_s)
    llama = there(_effects(plan, scored(split, engine="llama.cpp"))[link].recovery_s)
    assert vllm.expected > 600
    assert vllm.high > 1_800
    assert llama.expected < 200
    assert {"vllm", "sglang", "llama.cpp", "tensorrt-llm"} == set(BEHAVIOUR)
    assert all(behaviour.source for behaviour in BEHAVIOUR.values())


def test_recovery_reads_the_weights_again() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    small = there(_effects(plan, scored((tuple(gpus),), weights_gib=1))["gpu-1"].recovery_s)
    large = there(_effects(plan, scored((tuple(gpus),), weights_gib=20))["gpu-1"].recovery_s)
    # 8 x 19 GiB more at 2 GB/s.
    assert large.expected - small.expected == pytest.approx(8 * 19 * 2**30 / 2e9)


def test_a_router_moves_on_in_seconds() -> None:
    """4.3 s to notice was measured with a hot spare."""
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    found = there(_effects(plan, scored((tuple(gpus[:4]),), (tuple(gpus[4:]),)))["gpu-1"].recovery_s)
    assert found.low <= 4.3 <= found.high
    assert found.high <= 30


def test_requests_that_arrive_meanwhile_are_lost_too() -> None:
    plan = one_node(CATALOGUE).plans[0]
    gpus = gpu_ids(plan)
    plan = update(plan, plan.workloads[0].id, requests_per_s=2.0)
    lost = there(_effects(plan, scored((tuple(gpus),)))["gpu-1"].requests_lost)
    assert lost.expected == pytest.approx(32 + 2 * 10)
    unknown = update(plan, plan.workloads[0].id, users=None)
    assert _effects(unknown, scored((tuple(gpus),)))["gpu-1"].requests_lost is None


def test_nothing_runs_nothing_fails() -> None:
    plan = one_node(CATALOGUE).plans[0]
    assert _effects(plan, None) == {}
