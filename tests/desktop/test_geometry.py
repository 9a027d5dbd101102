"""Where boxes stand: inside their box, never over each other, the same each time."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configurator.catalogue import load_catalogue
from configurator.desktop.canvas.geometry import Rect, free_spot, lay_out, server_box, snapped
from configurator.plan import edits
from configurator.plan.model import Plan
from configurator.plan.projects import active_plan
from configurator.plan.templates import TEMPLATES

CATALOGUE = load_catalogue()
EMPTY = Plan(id="plan", name="Plan")


def inside(inner: Rect, outer: Rect) -> bool:
    return outer.x <= inner.x and outer.y <= inner.y and inner.right <= outer.right and inner.bottom <= outer.bottom


@pytest.mark.parametrize("chassis", sorted(CATALOGUE.servers))
def test_slots_of_every_chassis_stand_apart_inside_it(chassis: str) -> None:
    plan, site = edits.add_site(EMPTY, "office", "Office")
    plan, _ = edits.add_server(plan, CATALOGUE, site, chassis)
    server = plan.sites[0].servers[0]
    box = server_box(server)
    assert [key for key, _ in sorted(box.slots)] == sorted(slot.id for slot in server.slots)
    whole = Rect(0, 0, box.w, box.h)
    assert all(inside(rect, whole) for _, rect in box.slots)
    assert not any(a.overlaps(b) for (_, a), (_, b) in combinations(box.slots, 2))
    assert box.w < 760


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_examples_lie_tidy(template: object) -> None:
    build = getattr(template, "build", None)
    assert build is not None
    plan = active_plan(build(CATALOGUE))
    geometry = lay_out(plan)
    assert not any(a.overlaps(b) for a, b in combinations(geometry.sites.values(), 2))
    for site in plan.sites:
        for server in site.servers:
            assert inside(geometry.servers[server.id], geometry.sites[site.id])
    assert set(geometry.routes) == {link.id for link in plan.links}
    assert lay_out(plan) == geometry


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["desktop-1gpu", "generic-4u5u-8gpu-switch", "dgx-spark", "hgx-h100-8"]), max_size=6),
    st.integers(1, 4),
    st.lists(st.tuples(st.floats(-400, 900), st.floats(-400, 900)), min_size=4, max_size=4),
)
def test_boxes_never_overlap_wherever_the_sites_are_put(
    chassis: list[str], sites: int, places: list[tuple[float, float]]
) -> None:
    plan = EMPTY
    for number in range(sites):
        plan, site = edits.add_site(plan, "office", f"Office {number}")
        for each in chassis[number::sites]:
            plan, _ = edits.add_server(plan, CATALOGUE, site, each)
    plan = edits.place_boxes(plan, {site.id: places[n] for n, site in enumerate(plan.sites) if n % 2 == 0})
    geometry = lay_out(plan)
    assert not any(a.overlaps(b) for a, b in combinations(geometry.sites.values(), 2))
    for place in plan.sites:
        boxes = [geometry.servers[server.id] for server in place.servers]
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        assert all(inside(box, geometry.sites[place.id]) for box in boxes)


def test_saved_positions_win_and_a_held_site_pushes_nothing() -> None:
    plan, first = edits.add_site(EMPTY, "home", "A")
    plan, second = edits.add_site(plan, "home", "B")
    plan = edits.place_boxes(plan, {first: (40.0, 80.0), second: (48.0, 88.0)})
    geometry = lay_out(plan)
    assert (geometry.sites[first].x, geometry.sites[first].y) == (40.0, 80.0)
    assert not geometry.sites[first].overlaps(geometry.sites[second])
    held = lay_out(plan, frozenset((second,)))
    assert (held.sites[second].x, held.sites[second].y) == (48.0, 88.0)


def test_links_inside_a_site_get_lanes_of_their_own_where_they_would_meet() -> None:
    plan, site = edits.add_site(EMPTY, "server_room", "Room")
    servers = []
    for _ in range(3):
        plan, server = edits.add_server(plan, CATALOGUE, site, "desktop-1gpu")
        servers.append(server)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        plan, _ = edits.connect(plan, servers[a], servers[b], "eth-10g")
    geometry = lay_out(plan)
    levels = [route.label[1] for route in geometry.routes.values()]
    assert levels[0] == levels[1] != levels[2]
    assert all(route.label[1] < geometry.sites[site].bottom for route in geometry.routes.values())


def test_free_spot_is_free() -> None:
    plan, _ = edits.add_site(EMPTY, "home", "A")
    geometry = lay_out(plan)
    x, y = free_spot(geometry)
    assert not any(rect.overlaps(Rect(x, y, 400, 168)) for rect in geometry.sites.values())
    assert (snapped(x), snapped(y)) == (x, y)
