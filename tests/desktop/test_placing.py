"""May it go there? Each thing over each place, with the words at the hand."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.desktop.document import Document
from configurator.desktop.placing import Kind, Payload, Placer, Spot
from configurator.plan.edits import add_gpus, add_server, add_site
from configurator.plan.model import Plan
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from tests.desktop.windows import document, plan_with, server_room

pytestmark = pytest.mark.usefixtures("qapp")

H200_SXM = "nvidia-h200-sxm-141gb"


def two_rooms() -> Document:
    """A full server in one site, an HGX board in another, a home without a server."""

    def make(plan: Plan) -> Plan:
        catalogue = load_catalogue()
        plan, site = add_site(plan, "server_room", "Room")
        plan, server = add_server(plan, catalogue, site, EIGHT_SLOTS)
        plan, _ = add_gpus(plan, catalogue, PRO_6000, server, 8)
        plan, other = add_site(plan, "office", "Office")
        plan, _ = add_server(plan, catalogue, other, "desktop-1gpu")
        plan, _ = add_site(plan, "home", "Home")
        return plan

    return document(plan_with(make))


ROOM, OFFICE, HOME = Spot(site="site-1"), Spot(site="site-2"), Spot(site="site-3")
FULL, DESKTOP, NOWHERE = Spot(server="server-1", site="site-1"), Spot(server="server-2", site="site-2"), Spot()


@pytest.mark.parametrize(
    ("kind", "record", "spot", "ok"),
    [
        ("gpu", PRO_6000, FULL, False),
        ("gpu", "nvidia-rtx-4090", DESKTOP, True),
        ("gpu", H200_SXM, DESKTOP, False),
        ("gpu", PRO_6000, HOME, False),
        ("gpu", PRO_6000, NOWHERE, False),
        ("server", EIGHT_SLOTS, HOME, True),
        ("server", EIGHT_SLOTS, DESKTOP, True),
        ("server", EIGHT_SLOTS, NOWHERE, True),
        ("switch", "sw-crs305", OFFICE, True),
        ("switch", "sw-crs305", NOWHERE, False),
        ("nic", "nic-10g", DESKTOP, True),
        ("nic", "nic-10g", HOME, False),
        ("site", "home", NOWHERE, True),
        ("site", "home", FULL, True),
        ("link", "eth-25g", FULL, True),
        ("link", "eth-25g", NOWHERE, False),
    ],
)
def test_the_answer_before_release_is_what_the_drop_does(kind: Kind, record: str, spot: Spot, ok: bool) -> None:
    doc = two_rooms()
    placer = Placer(doc)
    payload = Payload(kind, record, title="Thing")
    answer = placer.answer(payload, spot)
    assert answer.ok is ok
    assert answer.text
    if kind == "link":
        return
    before = doc.project
    made = placer.put(payload, spot) if ok else ()
    assert bool(made) is ok
    assert (doc.project is not before) is ok
    assert doc.stack.count() == (1 if ok else 0)


def test_a_refusal_names_the_reason() -> None:
    placer = Placer(two_rooms())
    assert "8 of 8" in placer.answer(Payload("gpu", PRO_6000), FULL).text
    assert placer.answer(Payload("gpu", H200_SXM), DESKTOP).text != placer.answer(Payload("gpu", PRO_6000), FULL).text


def test_an_edit_behind_the_answer_refuses_too() -> None:
    doc = two_rooms()
    told: list[object] = []
    doc.failed.connect(told.append)
    before = doc.project
    assert Placer(doc).put(Payload("gpu", PRO_6000), FULL) == ()
    assert doc.project is before
    assert told


def test_lights_agree_with_answers() -> None:
    doc = two_rooms()
    placer = Placer(doc)
    for gpu in (PRO_6000, "nvidia-rtx-4090", H200_SXM, "nvidia-l4"):
        payload = Payload("gpu", gpu)
        for key, light in placer.lights(payload).items():
            spot = Spot(slot=key) if key.startswith("slot") else Spot(server=key)
            if key.startswith("slot"):
                server = next(s for site in doc.plan.sites for s in site.servers if any(x.id == key for x in s.slots))
                spot = Spot(slot=key, server=server.id)
            assert (light == "ok") is placer.answer(payload, spot).ok, (gpu, key)


def test_a_double_click_goes_to_the_selection_else_to_the_first_that_takes_it() -> None:
    doc = document(server_room(cards=8, servers=2))
    placer = Placer(doc)
    assert placer.spot_for(Payload("gpu", PRO_6000)).server == "server-2"
    doc.select(("server-1",))
    assert placer.spot_for(Payload("gpu", PRO_6000)).server == "server-1"
    told: list[str] = []
    doc.told.connect(told.append)
    assert placer.add(Payload("gpu", PRO_6000)) == ()
    assert told
    doc.select(())
    assert placer.add(Payload("gpu", PRO_6000, count=4))
    assert sum(slot.gpu is not None for slot in doc.plan.sites[0].servers[1].slots) == 4
    assert doc.stack.count() == 1


def test_a_server_on_empty_canvas_brings_its_own_place() -> None:
    doc = document()
    made = Placer(doc).put(Payload("server", EIGHT_SLOTS, title="Server"), Spot(x=200.0, y=120.0))
    assert made
    assert [site.kind for site in doc.plan.sites] == ["office"]
    assert doc.stack.count() == 1


def test_a_dropped_site_stands_where_it_was_dropped_and_the_others_stay() -> None:
    from configurator.desktop.canvas.geometry import lay_out

    doc = document(server_room())
    before = lay_out(doc.plan).sites["site-1"]
    Placer(doc).put(Payload("site", "home", title="Home"), Spot(x=803.0, y=401.0))
    after = lay_out(doc.plan).sites
    assert after["site-1"] == before
    assert (after["site-2"].x, after["site-2"].y) == (800.0, 400.0)


def test_mixed_cards_move_together_when_they_fit() -> None:
    def make(plan: Plan) -> Plan:
        catalogue = load_catalogue()
        plan, site = add_site(plan, "home", "Home")
        plan, first = add_server(plan, catalogue, site, "workstation-wrx90")
        plan, _ = add_server(plan, catalogue, site, "workstation-wrx90")
        plan, _ = add_gpus(plan, catalogue, "nvidia-rtx-4090", first)
        return add_gpus(plan, catalogue, "nvidia-rtx-3090", first)[0]

    doc = document(plan_with(make))
    payload = Payload("gpus", "nvidia-rtx-4090", ("gpu-1", "gpu-2"), 2)
    spot = Spot(server="server-2", site="site-1")
    assert Placer(doc).answer(payload, spot).ok
    assert set(Placer(doc).put(payload, spot)) == {"gpu-1", "gpu-2"}
    assert sum(slot.gpu is not None for slot in doc.plan.sites[0].servers[1].slots) == 2
    assert doc.stack.count() == 1


@pytest.mark.parametrize("chassis", ["desktop-1gpu", "hgx-h200-8", "mi300x-8", "dgx-spark", "mining-x1"])
def test_every_refusal_is_a_sentence(chassis: str) -> None:
    def make(plan: Plan) -> Plan:
        plan, site = add_site(plan, "server_room", "Room")
        return add_server(plan, load_catalogue(), site, chassis, "box")[0]

    placer = Placer(document(plan_with(make)))
    for gpu in load_catalogue().gpus:
        for count in (1, 8):
            answer = placer.answer(Payload("gpu", gpu, count=count), Spot(server="server-1", site="site-1"))
            assert not answer.text.startswith("place."), answer.text
            assert answer.ok or answer.text.endswith("."), answer.text


@pytest.mark.parametrize("count", [1, 2, 3])
def test_cards_on_a_taken_slot_go_where_the_answer_said(count: int) -> None:
    doc = document(server_room(cards=2))
    placer = Placer(doc)
    spot = Spot(slot="slot-1", server="server-1", site="site-1")
    payload = Payload("gpu", PRO_6000, count=count)
    said = placer.answer(payload, spot)
    made = placer.put(payload, spot)
    assert said.ok
    assert len(made) == count
    assert {slot.id for slot in doc.plan.sites[0].servers[0].slots if slot.gpu and slot.gpu.id in made} == set(
        said.slot_ids
    )
    doc.close()
