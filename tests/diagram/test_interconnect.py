from __future__ import annotations

from itertools import combinations
from typing import Any, cast

import pytest

from configurator.diagram.interconnect import View, chosen_view, interconnect
from configurator.diagram.picture import Picture, bounds, overlap
from configurator.diagram.placement import placement
from configurator.plan import templates
from configurator.plan.edits import rebuilt, set_failed, update
from configurator.plan.index import line_id
from configurator.plan.model import Plan
from configurator.plan.projects import active_plan
from configurator.scaling.results import ScoredLayout
from configurator.scaling.topology import build_topology
from configurator.terms import message
from configurator.wording import Language, Wording
from tests.diagram.plans import bridged, cards, catalogue, examples, farm, hgx, layout

ENGLISH = Wording()
PLANS = examples()
LANGUAGES: tuple[Language, ...] = ("en", "sk", "ru")


class Answer:
    """The two fields of an assessment that a drawing of connections reads."""

    def __init__(self, chosen: ScoredLayout) -> None:
        self.workload_id = "workload-1"
        self.chosen = chosen
        self.workloads = (self,)


def draw(plan: Plan, chosen: ScoredLayout | None = None, wording: Wording = ENGLISH, **options: Any) -> Picture:
    topology = build_topology(plan, catalogue())
    answer = cast(Any, Answer(chosen)) if chosen is not None else None
    return interconnect(plan, topology, answer, wording, **options)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PLANS)
def test_no_text_covers_another_and_none_leaves_the_picture(name: str, language: Language) -> None:
    picture = draw(PLANS[name], wording=Wording(language))
    for one, other in combinations(picture.labels, 2):
        assert not overlap(one.box, other.box), f"{one.text!r} covers {other.text!r}"
    for label in picture.labels:
        left, top, right, bottom = label.box
        assert left >= 0 and top >= 0 and right <= picture.width and bottom <= picture.height, label.text


@pytest.mark.parametrize("name", PLANS)
def test_boxes_of_one_kind_do_not_overlap(name: str) -> None:
    picture = draw(PLANS[name])
    for kind in ("site", "server", "gpu", "socket", "pcie_switch", "nic", "network_switch"):
        same = [box for box in picture.boxes if box.kind == kind]
        for one, other in combinations(same, 2):
            assert not overlap(bounds(one), bounds(other)), f"{one.name} covers {other.name}"


@pytest.mark.parametrize("name", PLANS)
def test_pills_keep_off_the_cards(name: str) -> None:
    picture = draw(PLANS[name])
    solid = [box for box in picture.boxes if box.kind in {"gpu", "socket", "pcie_switch", "network_switch", "nvswitch"}]
    for label in picture.labels:
        if label.pill:
            assert not any(overlap(label.box, bounds(box)) for box in solid), label.text


@pytest.mark.parametrize("name", ["one_node", "two_nodes", "two_homes", "mixed_cards", "sparks", "hgx", "bridged"])
def test_every_card_is_drawn_once_inside_its_server(name: str) -> None:
    plan = PLANS[name]
    picture = draw(plan)
    drawn = [box for box in picture.boxes if box.kind == "gpu"]
    assert sorted(box.object_id for box in drawn) == sorted(cards(plan))
    boxes = {box.object_id: box for box in picture.boxes if box.kind == "server"}
    for site in plan.sites:
        for server in site.servers:
            around = boxes[server.id]
            for slot in server.slots:
                inside = next((box for box in drawn if slot.gpu is not None and box.object_id == slot.gpu.id), None)
                if inside is not None:
                    assert around.x < inside.x and inside.right < around.right
                    assert around.y < inside.y and inside.bottom < around.bottom


def test_the_same_plan_gives_the_same_picture() -> None:
    assert draw(PLANS["three_nodes"]) == draw(PLANS["three_nodes"])


def test_an_empty_plan_gives_an_empty_picture() -> None:
    assert draw(PLANS["empty"]).empty


def test_figures_stand_on_the_connections() -> None:
    texts = [label.text for label in draw(PLANS["one_node"]).labels]
    assert any("54" in text and "GB/s" in text and "µs" in text for text in texts)


def test_unknown_connections_are_dashed_and_said() -> None:
    picture = draw(PLANS["mixed_cards"])
    slots = [edge for edge in picture.edges if edge.kind == "unknown"]
    assert len(slots) == 4
    assert all(edge.dashed and any("assumed" in fact for fact in edge.facts) for edge in slots)
    assert any(key.dashed for key in picture.legend)


def test_known_connections_are_solid() -> None:
    assert not any(edge.dashed for edge in draw(PLANS["one_node"]).edges)


def test_copies_are_tinted_and_named() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4]], [gpus[4:]]))
    groups = [box for box in picture.boxes if box.kind == "group"]
    assert [box.members for box in groups] == [tuple(gpus[:4]), tuple(gpus[4:])]
    assert groups[0].fill != groups[1].fill
    assert {label.text.split(" · ")[0] for label in picture.labels if label.owner.startswith("group-")} == {
        "copy 1",
        "copy 2",
    }


def test_the_operator_reads_the_terms_of_the_trade() -> None:
    plan = PLANS["one_node"]
    picture = draw(plan, layout([cards(plan)]), wording=Wording(audience="operator"))
    assert any(label.text == "tensor group of 8" for label in picture.labels)


def test_the_slowest_part_is_marked_and_named() -> None:
    plan = PLANS["two_nodes"]
    gpus = cards(plan)
    link = plan.links[0].id
    picture = draw(plan, layout([gpus[:4], gpus[4:]], limited=message("limited.link", link_id=link)))
    marked = [edge for edge in picture.edges if edge.bottleneck]
    assert [edge.object_id for edge in marked] == [link]
    assert marked[0].colour == "step" and marked[0].used
    assert any("sets the pace" in label.text for label in picture.labels)
    assert any(key.colour == "step" for key in picture.legend)


def test_a_place_called_by_its_kind_is_named_once() -> None:
    plan = PLANS["one_node"]
    site = plan.sites[0]
    for name, times in (("Hall", 1), ("Rented rack space", 0)):
        named = rebuilt(plan, sites=(rebuilt(site, name=name, kind="colocation"),))
        picture = draw(named, None)
        assert sum(label.text == "rented rack space" for label in picture.labels) == times


def test_equal_lines_are_marked_alike() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    slots = [slot.id for slot in plan.sites[0].servers[0].slots]
    picture = draw(plan, layout([gpus]), wording=Wording())
    assert not [edge for edge in picture.edges if edge.bottleneck]
    picture = draw(plan, layout([gpus], limited=message("limited.link", link_id=slots[0])))
    marked = {edge.object_id for edge in picture.edges if edge.bottleneck}
    assert set(slots) <= marked, "eight equal lines: none of them is the slowest"
    assert sum("sets the pace" in label.text for label in picture.labels) == 1


def test_a_line_says_who_uses_it() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    chosen = layout([gpus[:4]], [gpus[4:]])
    picture = draw(plan, chosen)
    sockets = next(edge for edge in picture.edges if edge.kind == "sockets")
    assert not sockets.used and "Not used by the chosen layout" in sockets.facts
    slot = next(edge for edge in picture.edges if edge.kind == "pcie" and edge.used)
    assert any("copy 1" in fact for fact in slot.facts)


def test_uses_follow_the_routes() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    topology = build_topology(plan, catalogue())
    bound = placement(layout([gpus]), topology)
    assert any("sockets" in edge for edge in bound.uses)
    apart = placement(layout([gpus[:4]], [gpus[4:]]), topology)
    assert not any("sockets" in edge for edge in apart.uses)
    assert (bound.copies, apart.copies) == (1, 2)


def test_nvlink_is_drawn_as_bridges_or_as_a_switch() -> None:
    bridges = [edge for edge in draw(bridged()).edges if edge.kind == "nvlink"]
    assert len(bridges) == 2
    board = draw(hgx())
    assert len([edge for edge in board.edges if edge.kind == "nvlink"]) == 8
    assert [box.kind for box in board.boxes].count("nvswitch") == 1


def test_many_servers_become_boxes_and_then_stacks() -> None:
    assert chosen_view(PLANS["one_node"]) == "cards"
    assert chosen_view(PLANS["fourteen_nodes"]) == "servers"
    assert chosen_view(PLANS["sixty_four_nodes"]) == "groups"
    picture = draw(PLANS["sixty_four_nodes"])
    stacks = [box for box in picture.boxes if box.kind == "servers"]
    assert len(stacks) == 1
    assert sum(member.startswith("server") for member in stacks[0].members) == 64
    assert any("512" in label.text for label in picture.labels)
    assert len(picture.boxes) < 10


def test_4096_cards_stay_few_boxes() -> None:
    plan = farm(8, 64, nic=False)
    assert len(cards(plan)) == 4096
    picture = draw(plan)
    assert len(picture.boxes) < 600
    assert len([edge for edge in picture.edges if edge.kind == "internet"]) == 64
    for one, other in combinations([box for box in picture.boxes if box.kind == "site"], 2):
        assert not overlap(bounds(one), bounds(other))


def test_a_failed_server_leaves_its_stack() -> None:
    plan = PLANS["sixty_four_nodes"]
    failed = plan.sites[0].servers[3].id
    picture = draw(set_failed(plan, (failed,), True))
    assert {box.state for box in picture.boxes if box.object_id == failed} == {"failed"}
    stack = next(box for box in picture.boxes if box.kind == "servers")
    assert failed not in stack.members


def test_what_if_a_card_fails() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4]], [gpus[4:]]), failing=(gpus[0],))
    states = {box.object_id: box.state for box in picture.boxes if box.kind == "gpu"}
    assert [states[gpu] for gpu in gpus[:4]] == ["failed", "stopped", "stopped", "stopped"]
    assert {states[gpu] for gpu in gpus[4:]} == {"normal"}
    assert {"failed", "stops"} <= {label.text for label in picture.labels}


def test_what_if_a_link_fails() -> None:
    plan = PLANS["two_nodes"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4], gpus[4:]]), failing=(plan.links[0].id,))
    assert {box.state for box in picture.boxes if box.kind == "gpu"} == {"stopped"}


def test_what_if_the_internet_line_of_a_home_fails() -> None:
    plan = PLANS["two_homes"]
    first, second = plan.sites
    ours, theirs = (cards(rebuilt(plan, sites=(site,), links=())) for site in plan.sites)
    line = line_id(first.id)
    for picture in (
        draw(plan, layout([ours], [theirs]), failing=(line,)),
        draw(set_failed(plan, (line,), True), layout([theirs])),
    ):
        states = {box.object_id: box.state for box in picture.boxes if box.kind == "gpu"}
        assert {states[gpu] for gpu in ours} == {"unreached"} and {states[gpu] for gpu in theirs} == {"normal"}
        assert next(edge for edge in picture.edges if edge.object_id == plan.links[0].id).state == "failed"
        assert [label.text for label in picture.labels].count("internet line failed") == 1
    assert first.id != second.id


def test_cards_out_of_the_layout_say_so() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4]], idle=gpus[4:]))
    assert [label.text for label in picture.labels].count("not used") == 4


def test_owners_wiring_decides_the_parents() -> None:
    plan = active_plan(templates.one_node(catalogue()))
    server = plan.sites[0].servers[0]
    plan = update(plan, server.slots[0].id, lanes=8)
    texts = [label.text for label in draw(plan).labels]
    assert any(text.startswith(("26", "27")) for text in texts), "the narrow slot shows its own figure"


@pytest.mark.parametrize("view", ["cards", "servers", "groups"])
def test_every_view_holds_every_site(view: View) -> None:
    for name, plan in PLANS.items():
        drawn = {box.object_id for box in draw(plan, view=view).boxes if box.kind == "site"}
        assert drawn == {site.id for site in plan.sites}, name


def test_objects_of_clicks_exist() -> None:
    plan = PLANS["three_nodes"]
    picture = draw(plan)
    known = {site.id for site in plan.sites} | {link.id for link in plan.links} | set(cards(plan))
    for site in plan.sites:
        known |= {each.id for each in (*site.servers, *site.switches)}
        for server in site.servers:
            known |= {each.id for each in (*server.slots, *server.switches, *server.nics)}
    assert {box.object_id for box in picture.boxes} - known <= {""}
    assert {edge.object_id for edge in picture.edges} - known <= {""}


@pytest.mark.parametrize("name", ["two_nodes", "three_nodes", "fourteen_nodes", "nine_halls", "two_homes"])
def test_rows_are_broken_for_the_place_the_picture_is_shown_in(name: str) -> None:
    def scale(picture: Picture, aspect: float) -> float:
        return min(aspect / picture.width, 1 / picture.height)

    wide, high = draw(PLANS[name], aspect=2.5), draw(PLANS[name], aspect=0.8)
    assert scale(wide, 2.5) >= scale(high, 2.5) * 0.95
    assert scale(high, 0.8) >= scale(wide, 0.8) * 0.95
    for picture in (wide, high):
        for one, other in combinations(picture.labels, 2):
            assert not overlap(one.box, other.box), f"{one.text!r} covers {other.text!r}"
