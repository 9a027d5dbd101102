"""Any sequence of what a hand can do: the plan stays whole, the picture agrees with it, undo brings everything back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configurator.desktop.canvas.scene import PlanScene
from configurator.desktop.document import Document
from configurator.desktop.placing import Kind, Payload, Placer, Spot
from configurator.plan import edits
from configurator.plan.index import find, plan_problems, walk
from configurator.plan.model import Gpu, Server, Site, Slot
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from tests.desktop.windows import document, server_room

THINGS: tuple[tuple[Kind, str], ...] = (
    ("site", "home"),
    ("server", EIGHT_SLOTS),
    ("server", "desktop-1gpu"),
    ("server", "hgx-h100-8"),
    ("gpu", PRO_6000),
    ("gpu", "nvidia-rtx-4090"),
    ("gpu", "nvidia-h100-sxm5-80gb"),
    ("switch", "sw-crs305"),
    ("nic", "nic-100g-used"),
)
STEP = st.tuples(
    st.sampled_from(["add", "move", "delete", "duplicate", "connect", "rename", "undo", "redo", "place"]),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
)


def spot_of(doc: Document, number: int) -> Spot:
    places = [found for found in walk(doc.plan) if isinstance(found.node, Site | Server | Slot)]
    if not places:
        return Spot(x=10.0, y=10.0)
    found = places[number % len(places)]
    return Spot(
        found.slot.id if found.slot else "",
        found.server.id if found.server else "",
        "",
        found.site.id if found.site else "",
        10.0,
        10.0,
    )


def some_id(doc: Document, number: int) -> str:
    ids = [found.node.id for found in walk(doc.plan)]
    return ids[number % len(ids)] if ids else "nothing"


def act(doc: Document, placer: Placer, kind: str, first: int, second: int) -> None:
    if kind == "add":
        what, record = THINGS[first % len(THINGS)]
        payload = Payload(what, record, count=1 + second % 3, title="Thing")
        spot = spot_of(doc, second)
        said, made = placer.answer(payload, spot).ok, placer.put(payload, spot)
        assert bool(made) is said
    elif kind == "move":
        cards = [found.node.id for found in walk(doc.plan) if isinstance(found.node, Gpu)]
        if cards:
            card = cards[first % len(cards)]
            found = find(doc.plan, card)
            assert found is not None
            assert isinstance(found.node, Gpu)
            placer.put(Payload("gpus", found.node.gpu, (card,), 1), spot_of(doc, second), copy=bool(second % 2))
    elif kind == "delete":
        doc.edit("Delete", lambda plan: edits.remove(plan, (some_id(doc, first),)))
    elif kind == "duplicate":
        doc.make("Duplicate", lambda plan: edits.duplicate(plan, (some_id(doc, first),)))
    elif kind == "connect":
        doc.make("Connect", lambda plan: edits.connect(plan, some_id(doc, first), some_id(doc, second)))
    elif kind == "rename":
        doc.edit("Rename", lambda plan: edits.rename(plan, some_id(doc, first), f"Name {second}"))
    elif kind == "place":
        sites = [site.id for site in doc.plan.sites]
        if sites:
            doc.edit(
                "Move", lambda plan: edits.place_boxes(plan, {sites[first % len(sites)]: (second % 900, first % 700)})
            )
    elif kind == "undo":
        doc.stack.undo()
    else:
        doc.stack.redo()


@pytest.mark.usefixtures("qapp")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEP, max_size=25))
def test_whatever_is_done_the_plan_stays_whole(steps: list[tuple[str, int, int]]) -> None:
    doc = document(server_room(cards=2))
    scene = PlanScene(doc)
    placer = Placer(doc)
    start = doc.project
    for kind, first, second in steps:
        act(doc, placer, kind, first, second)
        assert not plan_problems(doc.plan)
        assert set(scene.sites) == {site.id for site in doc.plan.sites}
        assert set(scene.servers) == {server.id for site in doc.plan.sites for server in site.servers}
        assert set(scene.slots) == {found.slot.id for found in walk(doc.plan) if found.slot is not None}
        assert set(scene.links) == {link.id for link in doc.plan.links}
        cards = {found.node.id for found in walk(doc.plan) if isinstance(found.node, Gpu)}
        assert {item.gpu_id for item in scene.slots.values()} - {""} == cards
    end, index = doc.project, doc.stack.index()
    while doc.stack.canUndo():
        doc.stack.undo()
    assert doc.project is start
    doc.stack.setIndex(index)
    assert doc.project is end
    doc.close()
