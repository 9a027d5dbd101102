from __future__ import annotations

from itertools import combinations
from typing import Any, cast

import pytest

from configurator.diagram.picture import Picture, overlap
from configurator.diagram.request_path import MOST_COPIES, request_path
from configurator.plan.model import Plan
from configurator.scaling.results import ScoredLayout
from configurator.sizing.results import LayoutMemory
from configurator.terms import Estimate
from configurator.wording import Wording
from tests.diagram.plans import cards, catalogue, examples, layout
from tests.diagram.test_interconnect import Answer

PLANS = examples()


def draw(plan: Plan, chosen: ScoredLayout) -> Picture:
    answer = Answer(chosen)
    answer.workload_id = plan.workloads[0].id
    return request_path(plan, cast(Any, answer), catalogue(), Wording())


def texts(picture: Picture) -> list[str]:
    return [label.text for label in picture.labels]


def test_copies_are_reached_over_one_address_and_each_loads_the_files() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4]], [gpus[4:]]))
    assert [box.kind for box in picture.boxes].count("copy") == 2
    assert picture.box("router") is not None
    loads = [edge for edge in picture.edges if edge.kind == "load"]
    assert len(loads) == 2 and all(edge.dashed and edge.arrow for edge in loads)
    assert any("model files" in text and "GiB" in text for text in texts(picture))
    assert "others go on" in picture.summary


def test_one_copy_needs_no_router_but_all_its_servers() -> None:
    plan = PLANS["two_nodes"]
    gpus = cards(plan)
    picture = draw(plan, layout([gpus[:4], gpus[4:]]))
    assert picture.box("router") is None
    assert [box.kind for box in picture.boxes].count("stage") == 2
    assert "an answer needs node-1, node-2" in texts(picture)
    assert "2 servers at once" in picture.summary.replace("\u00a0", " ")


def test_many_copies_are_counted() -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    picture = draw(plan, layout(*([[gpu]] for gpu in gpus)))
    assert [box.kind for box in picture.boxes].count("copy") == MOST_COPIES
    assert any("3 copies more" in text.replace("\u00a0", " ") for text in texts(picture))


@pytest.mark.parametrize("split", [1, 2, 4, 8])
def test_texts_do_not_overlap(split: int) -> None:
    plan = PLANS["one_node"]
    gpus = cards(plan)
    size = 8 // split
    picture = draw(plan, layout(*([gpus[n * size : n * size + size]] for n in range(split))))
    for one, other in combinations(picture.labels, 2):
        assert not overlap(one.box, other.box), f"{one.text!r} covers {other.text!r}"


def test_nothing_is_drawn_while_nothing_fits() -> None:
    plan = PLANS["one_node"]
    one = Estimate.exact(1.0)
    chosen = layout([cards(plan)])
    failing = ScoredLayout(
        chosen.layout, chosen.instances, (), LayoutMemory("no", (), one, one, one, 0, 1.2, 0.0), None, None, 0.0, None
    )
    assert draw(plan, failing).empty
