"""Which connections carry nothing when something fails."""

from __future__ import annotations

import pytest

from configurator.catalogue import load_catalogue
from configurator.diagram.failure import dead_links
from configurator.plan.edits import add_nic, add_server, add_site, add_switch, connect, set_failed
from configurator.plan.index import line_id
from configurator.plan.model import Nic, Plan
from configurator.plan.projects import new_project
from configurator.plan.templates import EIGHT_SLOTS


@pytest.fixture(scope="module")
def plan() -> Plan:
    """alpha (two network cards) and beta (one) at a switch of one place, gamma at another place over the internet."""
    made = new_project().plans[0]
    made, here = add_site(made, "server_room", "Here")
    made, there = add_site(made, "office", "There")
    boxes = []
    for place, name in ((here, "alpha"), (here, "beta"), (there, "gamma")):
        made, box = add_server(made, load_catalogue(), place, EIGHT_SLOTS, name)
        boxes.append(box)
    for number, box in enumerate((boxes[0], boxes[0], boxes[1]), 1):
        made, _ = add_nic(made, box, Nic(id=f"nic-{number}", name=f"nic {number}"))
    made, switch = add_switch(made, here, None, "switch")
    for a, b, kind in (
        (boxes[0], switch, "eth-100g-roce"),
        (boxes[1], switch, "eth-100g-roce"),
        (here, there, "internet"),
    ):
        made, _ = connect(made, a, b, kind)
    return made


ALPHA, BETA, OUT = "link-1", "link-2", "link-3"


@pytest.mark.parametrize(
    ("failing", "dead"),
    [
        ((), set()),
        ((ALPHA,), {ALPHA}),
        (("server-2",), {BETA}),
        (("switch-1",), {ALPHA, BETA}),
        (("nic-3",), {BETA}),
        (("nic-1",), set()),
        (("nic-1", "nic-2"), {ALPHA}),
        (("site-1",), {ALPHA, BETA, OUT}),
        ((line_id("site-2"),), {OUT}),
        (("server-3",), set()),
    ],
)
def test_a_connection_is_dead_with_what_it_hangs_on(plan: Plan, failing: tuple[str, ...], dead: set[str]) -> None:
    assert dead_links(plan, failing) == dead
    assert dead_links(set_failed(plan, failing, failed=True)) == dead


def test_the_last_network_card_counts_with_those_that_failed_before(plan: Plan) -> None:
    assert dead_links(set_failed(plan, ("nic-1",), failed=True), ("nic-2",)) == {ALPHA}
