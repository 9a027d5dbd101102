"""The best mix of the efficiency curve is never less than what the product recommends on the same cards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from configurator.catalogue import Catalogue, load_catalogue
from configurator.plan.model import Policy, Project
from configurator.plan.templates import one_node, training
from configurator.scaling.efficiency import efficiency
from configurator.scaling.layouts import score_layouts
from configurator.scaling.topology import build_topology
from tests.helpers import there

CATALOGUE = load_catalogue()


@pytest.mark.parametrize("build", [one_node, training])
def test_the_best_mix_reaches_the_recommended_layout(build: Callable[[Catalogue], Project]) -> None:
    plan = build(CATALOGUE).plans[0]
    workload = plan.workloads[0]
    model = CATALOGUE.models[there(workload.model)]
    stored = CATALOGUE.weight_formats[workload.weights]
    low, expected, high = (
        build_topology(plan, CATALOGUE, "low"),
        build_topology(plan, CATALOGUE, "expected"),
        build_topology(plan, CATALOGUE, "high"),
    )
    asked = (plan, workload, model, stored, (low, expected, high), Policy(), CATALOGUE)
    chosen, curve = score_layouts(*asked)[0], there(efficiency(*asked))
    rate = there(chosen.training).tokens_per_s if chosen.training else there(chosen.speed).output_tokens_per_s
    best = {each.gpus: each.tokens_per_s.expected for each in curve.points if each.mode == "best"}
    assert best[8] >= 0.99 * rate.expected
    for each in curve.points:
        assert best[each.gpus] >= each.tokens_per_s.expected * 0.999
    if not chosen.training:
        assert best[8] >= 0.999 * 2 * best[4]
        assert best[3] >= 0.999 * (best[1] + best[2])
