from __future__ import annotations

import re
from itertools import combinations
from typing import Any, cast
from xml.sax.saxutils import escape

import pytest

from configurator.diagram.interconnect import interconnect
from configurator.diagram.picture import overlap
from configurator.diagram.rack import rack
from configurator.diagram.svg import svg
from configurator.diagram.tokens import DARK, LIGHT
from configurator.scaling.topology import build_topology
from configurator.sizing.results import GpuMemory
from configurator.wording import Wording
from tests.diagram.plans import cards, catalogue, examples

PLANS = examples()


class Filled:
    """An answer that fills the first card by half."""

    def __init__(self, gpu_id: str) -> None:
        self.workload_id = "workload-1"
        self.per_gpu = (GpuMemory(gpu_id, "gpu", 100, 30, 10, 5, 5, 50),)
        self.workloads = (self,)


@pytest.mark.parametrize("name", PLANS)
def test_every_card_stands_in_its_slot_and_texts_stay_apart(name: str) -> None:
    plan = PLANS[name]
    picture = rack(plan, catalogue(), Wording())
    assert sorted(box.object_id for box in picture.boxes if box.kind == "gpu") == sorted(cards(plan))
    if len(picture.labels) < 1500:
        for one, other in combinations(picture.labels, 2):
            assert not overlap(one.box, other.box), f"{one.text!r} covers {other.text!r}"


def test_free_slots_are_shown() -> None:
    picture = rack(PLANS["mixed_cards"], catalogue(), Wording())
    free = [box for box in picture.boxes if box.kind == "slot"]
    assert len(free) == 3 and all(box.dashed for box in free)


def test_the_memory_of_a_card_is_filled_in_proportion() -> None:
    plan = PLANS["one_node"]
    first = cards(plan)[0]
    picture = rack(plan, catalogue(), Wording(), cast(Any, Filled(first)))
    parts = {
        box.id.split("-")[0]: box.height for box in picture.boxes if box.kind == "segment" and box.object_id == first
    }
    assert parts["weights"] / parts["well"] == pytest.approx(0.30)
    assert parts["kv"] / parts["well"] == pytest.approx(0.10)
    assert parts["working"] / parts["well"] == pytest.approx(0.10)
    assert picture.legend


def test_wiring_that_is_not_known_is_said() -> None:
    picture = rack(PLANS["mixed_cards"], catalogue(), Wording())
    assert "wiring not known" in [label.text for label in picture.labels]


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_svg_holds_every_box_line_and_text(look: Any) -> None:
    plan = PLANS["two_nodes"]
    picture = interconnect(plan, build_topology(plan, catalogue()), None, Wording())
    text = svg(picture, look)
    assert re.findall(r"<text[^>]*>(.*?)</text>", text) == [escape(label.text) for label in picture.labels]
    pills = sum(label.pill for label in picture.labels)
    assert text.count("<rect ") == len(picture.boxes) + pills + 1
    assert text.count("<polyline ") == len(picture.edges)
    assert picture.summary in text and look.card in text
    opened = re.findall(r"<(\w+)(?:\s[^>]*[^/])?>", text)
    assert all(opened.count(name) == text.count(f"</{name}>") for name in set(opened))
