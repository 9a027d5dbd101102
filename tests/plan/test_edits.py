"""Edits are pure, keep untouched children, refuse with a reason, and keep the invariants in any order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from configurator.catalogue import Catalogue, load_catalogue
from configurator.plan import edits
from configurator.plan.edits import EditError
from configurator.plan.index import all_ids, cut_links, find, gpus, line_id, plan_problems, servers
from configurator.plan.model import Nic, Plan, Project
from configurator.plan.place import can_place
from configurator.plan.projects import edit_plan, new_project
from configurator.plan.store import from_bytes, to_bytes
from configurator.plan.templates import EIGHT_SLOTS, MAX_Q, PRO_6000, TEMPLATES, one_node, two_homes, two_nodes
from tests.helpers import server_of, slot_of, there

CATALOGUE = load_catalogue()
EMPTY = Plan(id="plan-1", name="Plan")
H100 = "nvidia-h100-sxm5-80gb"


def room(chassis: str = EIGHT_SLOTS) -> tuple[Plan, str]:
    plan, site_id = edits.add_site(EMPTY, "office", "Office")
    return edits.add_server(plan, CATALOGUE, site_id, chassis)


def plan_of(build: Callable[[Catalogue], Project]) -> Plan:
    return build(CATALOGUE).plans[0]


def test_a_server_gets_the_slots_of_its_chassis_without_nic_slots() -> None:
    plan, server_id = room()
    server = server_of(plan, server_id)
    assert len(server.slots) == min(CATALOGUE.servers[EIGHT_SLOTS].max_gpus, len(server.slots))
    assert len(server.slots) >= 8
    assert {slot.socket for slot in server.slots} == {0, 1}
    assert {slot.switch for slot in server.slots} == {switch.id for switch in server.switches}
    assert plan_problems(plan) == ()


def test_eight_cards_fill_eight_slots_and_the_plan_before_is_untouched() -> None:
    plan, server_id = room()
    full, ids = edits.add_gpus(plan, CATALOGUE, PRO_6000, server_id, 8)
    assert len(ids) == len(set(ids)) == 8
    assert len(list(gpus(full))) == 8
    assert list(gpus(plan)) == []


def test_untouched_children_stay_the_same_objects() -> None:
    plan = plan_of(two_nodes)
    first, second = (server for _, server in servers(plan))
    changed = edits.rename(plan, first.id, "renamed")
    kept = server_of(changed, second.id)
    assert kept is second
    kept_slots = server_of(changed, first.id).slots
    assert all(new is old for new, old in zip(kept_slots, first.slots, strict=True))
    assert changed.links[0] is plan.links[0]


def test_full_server_refuses_with_the_numbers() -> None:
    plan, server_id = room("dell-2u-2gpu")
    slots = len(server_of(plan, server_id).slots)
    plan, _ = edits.fill_server(plan, CATALOGUE, "nvidia-l40s", server_id)
    answer = can_place(plan, CATALOGUE, "nvidia-l40s", server_id)
    assert not answer.ok
    assert there(answer.reason).code in {"place.no_free_slot", "place.too_many"}
    with pytest.raises(EditError) as refusal:
        edits.add_gpus(plan, CATALOGUE, "nvidia-l40s", server_id)
    assert refusal.value.message == answer.reason
    assert slots >= 2


@pytest.mark.parametrize(
    ("chassis", "gpu", "code"),
    [
        (EIGHT_SLOTS, H100, "place.module_needs_board"),
        ("hgx-h100-8", "nvidia-l40s", "place.board_takes_modules"),
        (EIGHT_SLOTS, "no-such-card", "place.unknown_gpu"),
    ],
)
def test_wrong_form_is_refused_with_the_reason(chassis: str, gpu: str, code: str) -> None:
    plan, server_id = room(chassis)
    plan = edits.remove(plan, [card.id for _, _, _, card in gpus(plan)])
    answer = can_place(plan, CATALOGUE, gpu, server_id)
    assert (answer.ok, there(answer.reason).code) == (False, code)


def test_a_board_takes_only_its_own_modules() -> None:
    plan, server_id = room("hgx-h100-8")
    plan = edits.remove(plan, [card.id for _, _, _, card in gpus(plan)])
    assert can_place(plan, CATALOGUE, H100, server_id).ok
    assert there(can_place(plan, CATALOGUE, "nvidia-b200", server_id).reason).code == "place.board_accepts"


def test_slot_width_is_checked() -> None:
    plan, server_id = room("workstation-wrx90")
    slot = server_of(plan, server_id).slots[0]
    plan = edits.update(plan, slot.id, width_slots=1)
    assert there(can_place(plan, CATALOGUE, "nvidia-rtx-4090", slot.id).reason).code == "place.too_wide"
    assert can_place(plan, CATALOGUE, "nvidia-rtx-4090", server_id).ok


def test_power_of_the_chassis_is_checked_and_a_cap_counts() -> None:
    plan, server_id = room("workstation-wrx90")
    plan = edits.update(plan, server_id, max_gpu_power_w=1000.0)
    plan, ids = edits.add_gpus(plan, CATALOGUE, "nvidia-rtx-4090", server_id, 2)
    assert there(can_place(plan, CATALOGUE, "nvidia-rtx-4090", server_id).reason).code == "place.power"
    for gpu_id in ids:
        plan = edits.update(plan, gpu_id, power_limit_w=250.0)
    assert can_place(plan, CATALOGUE, "nvidia-rtx-4090", server_id).ok


def test_moving_keeps_identity_and_settings_and_frees_the_old_slot() -> None:
    plan = plan_of(two_nodes)
    (_, first), (_, second) = servers(plan)
    card = there(first.slots[0].gpu)
    plan = edits.remove(plan, [there(second.slots[0].gpu).id])
    plan = edits.update(plan, card.id, power_limit_w=300.0)
    moved = edits.move_gpus(plan, CATALOGUE, (card.id,), second.slots[0].id)
    assert server_of(moved, card.id).id == second.id
    assert there(slot_of(moved, card.id).gpu).power_limit_w == 300.0
    assert slot_of(moved, first.slots[0].id).gpu is None
    assert len(list(gpus(moved))) == len(list(gpus(plan)))


def test_moving_into_a_full_server_changes_nothing_and_says_why() -> None:
    plan = plan_of(two_nodes)
    (_, first), (_, second) = servers(plan)
    free = sum(slot.gpu is None for slot in second.slots)
    for _ in range(free):
        plan, _ = edits.add_gpus(plan, CATALOGUE, MAX_Q, second.id)
    card = there(first.slots[0].gpu)
    with pytest.raises(EditError) as refusal:
        edits.move_gpus(plan, CATALOGUE, (card.id,), second.id)
    assert refusal.value.message.code in {"place.no_free_slot", "place.too_many", "place.power"}


def test_removing_a_server_takes_its_links_and_references_along() -> None:
    plan = plan_of(two_nodes)
    (_, first), _ = servers(plan)
    plan = edits.update(plan, plan.workloads[0].id, server_ids=(first.id,))
    plan = edits.set_failed(edits.place_boxes(plan, {first.id: (1.0, 2.0)}), [first.id], failed=True)
    plan = edits.remove(plan, [first.id])
    assert plan.links == ()
    assert plan.workloads[0].server_ids == ()
    assert plan.failed_ids == () and plan.positions == ()
    assert plan_problems(plan) == ()


def test_the_internet_line_of_a_site_fails_by_itself() -> None:
    plan = plan_of(two_homes)
    first, second = plan.sites
    failed = edits.set_failed(plan, [line_id(first.id)], failed=True)
    assert failed.failed_ids == (f"{first.id}.internet",)
    assert failed.sites[0] is first and plan_problems(failed) == ()
    assert cut_links(failed) == {plan.links[0].id} and cut_links(plan) == set()
    assert edits.set_failed(failed, [line_id(first.id)], failed=False).failed_ids == ()
    assert edits.remove(failed, [second.id]).failed_ids == failed.failed_ids
    assert edits.remove(failed, [first.id]).failed_ids == ()
    strange = edits.set_failed(plan, ["nowhere.internet"], failed=True)
    assert [each.code for each in plan_problems(strange)] == ["plan.unknown_reference"]


def test_duplicate_gives_new_ids_and_keeps_inner_links() -> None:
    plan = plan_of(two_nodes)
    copied, made = edits.duplicate(plan, [plan.sites[0].id])
    assert len(made) == 3 and len(copied.sites) == 2
    assert len(copied.links) == 2
    assert plan_problems(copied) == ()
    assert len(list(gpus(copied))) == 2 * len(list(gpus(plan)))
    names = [server.name for _, server in servers(copied)]
    assert len(set(names)) == len(names)


def test_a_link_over_a_site_border_becomes_unknown_when_a_server_moves() -> None:
    plan = plan_of(two_nodes)
    (_, first), _ = servers(plan)
    plan, other = edits.add_site(plan, "home", "Home")
    moved = edits.move_server(plan, first.id, other)
    assert moved.links[0].kind == "unknown"
    assert plan_problems(moved) == ()


@pytest.mark.parametrize(
    ("ends", "code"),
    [(("same", "same"), "link.to_itself"), (("same", "nowhere"), "link.no_end")],
)
def test_links_that_make_no_sense_are_refused(ends: tuple[str, str], code: str) -> None:
    plan = plan_of(two_homes)
    first = plan.sites[0].id
    a, b = (first if end == "same" else end for end in ends)
    assert there(edits.can_connect(plan, a, b)).code == code


def test_the_same_pair_is_joined_once() -> None:
    plan = plan_of(two_homes)
    assert there(edits.can_connect(plan, plan.sites[1].id, plan.sites[0].id)).code == "link.exists"


def test_values_out_of_range_are_refused_and_nothing_changes() -> None:
    plan = plan_of(one_node)
    with pytest.raises(ValidationError):
        edits.update(plan, plan.sites[0].id, pue=0.5)
    with pytest.raises(EditError):
        edits.rename(plan, plan.sites[0].id, "   ")


def test_nic_and_switch_are_added_and_removed() -> None:
    plan = plan_of(one_node)
    server_id = next(servers(plan))[1].id
    plan, nic_id = edits.add_nic(plan, server_id, Nic(id="x", name="100 GbE", bandwidth_gbit_s=100.0, rdma="yes"))
    plan, switch_id = edits.add_switch(plan, plan.sites[0].id, None, "switch")
    plan, link_id = edits.connect(plan, server_id, switch_id, "eth-100g-roce")
    plan = edits.remove(plan, [switch_id, nic_id])
    assert find(plan, link_id) is None and find(plan, nic_id) is None


def test_templates_are_whole() -> None:
    assert len(TEMPLATES) >= 4
    for template in TEMPLATES:
        project = template.build(CATALOGUE)
        for plan in project.plans:
            assert plan_problems(plan) == ()
            assert list(gpus(plan)), template.id
            assert plan.workloads[0].model in CATALOGUE.models
            assert plan.workloads[0].weights in CATALOGUE.weight_formats


STEPS = ("site", "server", "gpu", "remove", "move", "copy", "connect", "rename", "fail", "carry")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 10_000)), max_size=14))
def test_any_sequence_of_edits_keeps_the_invariants(steps: list[tuple[str, int]]) -> None:
    plan = plan_of(two_nodes)
    for kind, number in steps:
        before = plan.model_dump_json()
        old = plan
        with contextlib.suppress(EditError):
            plan = _step(plan, kind, number)
        assert old.model_dump_json() == before
        assert plan_problems(plan) == ()
    project = edit_plan(new_project(), lambda _: edits.rebuilt(plan, id="plan-1"))
    assert from_bytes(to_bytes(project)) == project


def _step(plan: Plan, kind: str, number: int) -> Plan:
    ids = sorted(all_ids(plan))
    pick = ids[number % len(ids)] if ids else "none"
    cards = ("nvidia-rtx-4090", PRO_6000, H100)
    if kind == "site":
        return edits.add_site(plan, "home", "Home")[0]
    if kind == "server":
        return edits.add_server(plan, CATALOGUE, pick, "workstation-trx50")[0]
    if kind == "gpu":
        return edits.add_gpus(plan, CATALOGUE, cards[number % 3], pick)[0]
    if kind == "remove":
        return edits.remove(plan, [pick])
    if kind == "move":
        card = next((card.id for _, _, _, card in gpus(plan)), "none")
        return edits.move_gpus(plan, CATALOGUE, (card,), pick)
    if kind == "copy":
        return edits.duplicate(plan, [pick])[0]
    if kind == "connect":
        return edits.connect(plan, pick, ids[(number * 7) % len(ids)])[0] if ids else plan
    if kind == "rename":
        return edits.rename(plan, pick, f"name {number}")
    if kind == "carry":
        return edits.move_server(plan, pick, plan.sites[-1].id) if plan.sites else plan
    return edits.set_failed(plan, [pick], failed=bool(number % 2)) if ids else plan
