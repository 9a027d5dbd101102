"""The graph of a plan: what joins cards, what never does, what is not known."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.plan.model import Link, Nic, Plan, Slot
from configurator.scaling.fabrics import Scenario
from configurator.scaling.graph import Route
from configurator.scaling.topology import Topology, build_topology
from tests.scaling.plans import (
    H100,
    PRO_6000,
    ROOTS,
    RTX_3090,
    RTX_4090,
    SPARK,
    SWITCHED,
    WORKSTATION,
    box,
    one_box,
    plan_of,
    site_of,
    two_boxes,
)

CATALOGUE = load_catalogue()


def top(plan: Plan, scenario: Scenario = "expected") -> Topology:
    return build_topology(plan, CATALOGUE, scenario)


def way(plan: Plan, a: int = 0, b: int = 1, scenario: Scenario = "expected") -> Route:
    found = top(plan, scenario)
    cards = list(found.devices)
    route = found.p2p(cards[a], cards[b])
    assert route is not None
    return route


def test_same_pcie_switch_carries_about_54_gb_s_in_under_a_microsecond() -> None:  # R33
    route = way(one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8))
    assert route.type == "PIX"
    assert route.direct
    assert 50e9 <= route.bandwidth_bytes_per_s <= 56e9
    assert route.latency_s < 1e-6


def test_two_sockets_cross_the_socket_link_and_its_speed_rules() -> None:
    plan = one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8)
    route = way(plan, 0, 4)
    assert route.type == "SYS"
    assert route.slowest == "server/sockets-0-1"
    assert 35e9 <= route.bandwidth_bytes_per_s <= 51e9
    assert [top(plan).edges[edge].kind for edge in route.edges].count("sockets") == 1


def test_two_root_complexes_cross_the_socket_link_too() -> None:
    assert way(one_box(CATALOGUE, ROOTS, *[PRO_6000] * 8), 3, 4).edges[1] == "server/sockets-0-1"


def test_geforce_cards_have_no_p2p_whatever_the_slot() -> None:
    route = way(one_box(CATALOGUE, WORKSTATION, RTX_4090, RTX_4090))
    assert not route.direct
    assert route.latency_s == pytest.approx(14e-6)
    assert route.bandwidth_bytes_per_s == pytest.approx(13e9)


def test_a_patched_driver_is_the_owners_word() -> None:
    assert way(one_box(CATALOGUE, WORKSTATION, RTX_4090, RTX_4090, p2p="yes")).direct
    assert not way(one_box(CATALOGUE, WORKSTATION, PRO_6000, PRO_6000, p2p="no")).direct


@pytest.mark.parametrize(("scenario", "direct"), [("low", False), ("expected", True), ("high", True)])
def test_unknown_p2p_is_resolved_by_scenario(scenario: Scenario, direct: bool) -> None:
    plan = one_box(CATALOGUE, WORKSTATION, PRO_6000, PRO_6000, p2p="unknown")
    assert way(plan, scenario=scenario).direct is direct


def test_windows_and_wsl_have_no_p2p_over_pcie() -> None:
    for host in ("wsl2", "windows"):
        assert not way(one_box(CATALOGUE, WORKSTATION, PRO_6000, PRO_6000, host=host)).direct


def test_cards_of_different_generations_have_no_p2p() -> None:
    assert not way(one_box(CATALOGUE, WORKSTATION, PRO_6000, "nvidia-l40s")).direct


def test_an_nvlink_bridge_gives_geforce_cards_p2p() -> None:
    server = box(CATALOGUE, "server", WORKSTATION, RTX_3090, RTX_3090, RTX_3090)
    joined = server.model_copy(update={"nvlink_pairs": ((server.slots[0].id, server.slots[1].id),)})
    plan = plan_of(site_of(joined))
    assert way(plan, 0, 1).type == "NVL"
    assert 40e9 <= way(plan, 0, 1).bandwidth_bytes_per_s <= 56e9
    assert not way(plan, 1, 2).direct


def test_modules_of_a_baseboard_meet_in_the_nvswitch() -> None:
    plan = one_box(CATALOGUE, "hgx-h100-8", *[H100] * 8)
    route = way(plan, 0, 7)
    assert route.type == "NVL"
    assert 350e9 <= route.bandwidth_bytes_per_s <= 450e9
    assert "nvswitch" in {node.kind for node in top(plan).nodes.values()}


def test_no_nvlink_on_cards_that_have_none() -> None:  # R42
    for gpu in (PRO_6000, "nvidia-rtx-5090", "nvidia-l40", "nvidia-l4"):
        assert CATALOGUE.gpus[gpu].link_kind == "none"
        plan = one_box(CATALOGUE, SWITCHED, *[gpu] * 2)
        assert "nvlink" not in {edge.kind for edge in top(plan).edges.values()}
    for gpu in (H100, "nvidia-b200"):
        assert CATALOGUE.gpus[gpu].form == "sxm"


def narrow(**changes: object) -> Plan:
    server = box(CATALOGUE, "server", WORKSTATION, PRO_6000, PRO_6000)
    first: Slot = server.slots[0].model_copy(update=changes)
    return plan_of(site_of(server.model_copy(update={"slots": (first, *server.slots[1:])})))


def test_narrow_and_tunnelled_slots_are_slow() -> None:
    full = way(narrow()).bandwidth_bytes_per_s
    four = way(narrow(lanes=4)).bandwidth_bytes_per_s
    riser = way(narrow(lanes=1, pcie_generation=3, attach="usb_riser"))
    tunnel = way(narrow(lanes=4, pcie_generation=3, attach="thunderbolt"))
    assert four == pytest.approx(full / 4)
    assert riser.bandwidth_bytes_per_s < 1e9
    assert riser.latency_s > 5e-6
    assert tunnel.bandwidth_bytes_per_s < 3e9


def test_an_unknown_slot_is_marked_and_spans_a_range() -> None:
    plan = narrow(lanes=None, pcie_generation=None)
    routes = [way(plan, scenario=scenario) for scenario in ("low", "expected", "high")]
    rates = [route.bandwidth_bytes_per_s for route in routes]
    assert rates[0] < rates[1] < rates[2]
    assert not any(route.known for route in routes)
    edge = top(plan).edges[routes[1].slowest]
    assert edge.kind == "unknown"
    assert not edge.known


def test_unknown_wiring_is_provisional_but_answers() -> None:  # R10
    plan = one_box(CATALOGUE, WORKSTATION, PRO_6000, PRO_6000, topology_known=False)
    low, high = way(plan, scenario="low"), way(plan, scenario="high")
    assert not low.known
    assert not high.known
    assert low.bandwidth_bytes_per_s < high.bandwidth_bytes_per_s


def test_a_chipset_slot_shares_four_lanes() -> None:
    plan = one_box(CATALOGUE, "desktop-x16-plus-chipset-x4", RTX_4090, RTX_4090)
    edges = top(plan).edges
    assert edges["server/chipset-0/uplink"].bandwidth_bytes_per_s == pytest.approx(6.5e9)
    assert "server/chipset-0/uplink" in way(plan).edges


def test_lan_links_make_a_linked_group() -> None:
    linked = top(two_boxes(CATALOGUE, "eth-25g", ROOTS, *[PRO_6000] * 4))
    assert [group.server_ids for group in linked.linked_groups] == [("a", "b")]
    route = linked.p2p("a-gpu-0", "b-gpu-0")
    assert route is not None
    assert route.type == "NET"
    assert "link" in route.edges
    assert route.bandwidth_bytes_per_s == pytest.approx(CATALOGUE.links["eth-25g"].bandwidth.value)


def test_servers_without_a_link_stay_apart() -> None:  # R01, R02
    apart = top(two_boxes(CATALOGUE, None, ROOTS, *[PRO_6000] * 4))
    assert [group.server_ids for group in apart.linked_groups] == [("a",), ("b",)]
    assert apart.p2p("a-gpu-0", "b-gpu-0") is None


@pytest.mark.parametrize("kind", ["internet", "eth-100g-roce", "unknown"])
def test_sites_never_form_one_group_whatever_the_cable_is_called(kind: str) -> None:  # R08
    first = site_of(box(CATALOGUE, "a", "desktop-1gpu", RTX_3090), site_id="home-1")
    second = site_of(box(CATALOGUE, "b", "desktop-1gpu", RTX_4090), site_id="home-2")
    found = top(plan_of(first, second, links=(Link(id="link", a="home-1", b="home-2", kind=kind),)))
    assert [group.server_ids for group in found.linked_groups] == [("a",), ("b",)]
    route = found.p2p("a-gpu-0", "b-gpu-0")
    assert route is not None
    assert route.type == "WAN"
    assert route.latency_s > 1e-3


def test_a_switch_joins_the_servers_of_its_site() -> None:
    servers = [box(CATALOGUE, name, ROOTS, PRO_6000) for name in ("a", "b", "c")]
    links = tuple(Link(id=f"link-{each.id}", a="site-switch", b=each.id, kind="eth-100g-roce") for each in servers)
    found = top(plan_of(site_of(*servers, switch=True), links=links))
    assert [group.server_ids for group in found.linked_groups] == [("a", "b", "c")]
    route = found.p2p("a-gpu-0", "c-gpu-0")
    assert route is not None
    assert {"link-a", "link-c"} <= set(route.edges)


def test_an_unknown_link_joins_but_is_not_known() -> None:
    found = {scenario: top(two_boxes(CATALOGUE, "unknown", ROOTS, PRO_6000), scenario) for scenario in ("low", "high")}
    assert not found["low"].linked_groups[0].known
    routes = [found[scenario].p2p("a-gpu-0", "b-gpu-0") for scenario in ("low", "high")]
    assert all(route is not None and not route.known for route in routes)
    rates = [route.bandwidth_bytes_per_s for route in routes if route is not None]
    assert rates[0] < 0.2e9 < rates[1]


def test_the_owners_figures_of_a_link_stand_before_the_catalogue() -> None:
    plan = two_boxes(CATALOGUE, "eth-25g", ROOTS, PRO_6000, bandwidth_bytes_per_s=2e9, latency_s=5e-5)
    assert top(plan).edges["link"].bandwidth_bytes_per_s == 2e9
    assert top(plan).edges["link"].latency_s == 5e-5


def test_two_cables_carry_twice_as_much() -> None:
    one = top(two_boxes(CATALOGUE, "eth-25g", ROOTS, PRO_6000)).edges["link"].bandwidth_bytes_per_s
    two = top(two_boxes(CATALOGUE, "eth-25g", ROOTS, PRO_6000, count=2)).edges["link"].bandwidth_bytes_per_s
    assert two == pytest.approx(2 * one)


def test_a_slow_network_card_caps_the_link() -> None:
    nic = Nic(id="nic", name="1G", bandwidth_gbit_s=1.0)
    first = box(CATALOGUE, "a", ROOTS, PRO_6000, nics=(nic,))
    second = box(CATALOGUE, "b", ROOTS, PRO_6000)
    links = (Link(id="link", a="a", b="b", kind="eth-25g"),)
    assert top(plan_of(site_of(first, second), links=links)).edges["link"].bandwidth_bytes_per_s < 0.13e9
    broken = plan_of(site_of(first, second), links=links).model_copy(update={"failed_ids": ("nic",)})
    assert len(top(broken).linked_groups) == 2


@pytest.mark.parametrize(
    ("failed", "left"),
    [("a-gpu-0", 7), ("a", 4), ("site", 0), ("link", 8), ("a-slot-2", 7)],
)
def test_what_failed_is_gone(failed: str, left: int) -> None:
    plan = two_boxes(CATALOGUE, "eth-25g", ROOTS, *[PRO_6000] * 4).model_copy(update={"failed_ids": (failed,)})
    found = top(plan)
    assert len(found.devices) == left
    assert failed not in found.edges
    assert failed not in found.nodes


def test_a_failed_link_parts_the_group() -> None:
    plan = two_boxes(CATALOGUE, "eth-25g", ROOTS, PRO_6000).model_copy(update={"failed_ids": ("link",)})
    assert len(top(plan).linked_groups) == 2


def test_spark_memory_is_no_pcie_slot() -> None:
    found = top(two_boxes(CATALOGUE, "eth-200g-roce", "dgx-spark", SPARK))
    route = found.p2p("a-gpu-0", "b-gpu-0")
    assert route is not None
    assert route.slowest == "link"
    assert found.gpudirect("a")


def test_untouched_servers_keep_their_graph() -> None:
    plan = two_boxes(CATALOGUE, "eth-25g", ROOTS, *[PRO_6000] * 4)
    first, second = plan.sites[0].servers
    changed = second.model_copy(update={"name": "renamed"})
    edited = plan.model_copy(update={"sites": (plan.sites[0].model_copy(update={"servers": (first, changed)}),)})
    before, after = top(plan), top(edited)
    assert before.servers["a"] is after.servers["a"]
    assert before.servers["b"] is not after.servers["b"]
    assert before.servers["b"].shape == after.servers["b"].shape
