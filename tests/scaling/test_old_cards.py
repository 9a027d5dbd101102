"""Cards without useful 16-bit arithmetic still answer at the pace people see."""

from __future__ import annotations

import pytest

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan.edits import add_workload
from configurator.plan.projects import edit_plan, new_project
from configurator.scaling.calibration import rates_of
from tests.scaling.plans import WORKSTATION, box, site_of

CATALOGUE = load_catalogue()
P40 = "nvidia-p40"


def test_integer_products_rule_quantised_weights() -> None:
    paths = dict(rates_of(CATALOGUE.gpus[P40], "llama.cpp").paths)
    # 11.8 TFLOP/s in 32 bit and 47 TOP/s in 8-bit integers are the published rates.
    assert 3e12 < paths["bf16"].flops_per_s < 11.8e12
    assert paths["bf16"].flops_per_s < paths["gguf"].flops_per_s < 23.5e12


@pytest.mark.parametrize(("card", "least", "most"), [(P40, 20.0, 60.0), ("nvidia-p100-pcie-16gb", 30.0, 110.0)])
def test_an_eight_billion_model_answers_in_tens_of_tokens(card: str, least: float, most: float) -> None:
    site = site_of(box(CATALOGUE, "server", WORKSTATION, card))
    project = edit_plan(new_project(), lambda plan: plan.model_copy(update={"sites": (site,)}))
    project = edit_plan(
        project,
        lambda plan: add_workload(
            plan, "chat", model="llama-3.1-8b", weights="q4_k_m", engine="llama.cpp", users=1, context_tokens=2048
        )[0],
    )
    chosen = assess(project, CATALOGUE).workloads[0].chosen
    assert chosen is not None
    speed = chosen.speed
    assert speed is not None
    rate = speed.output_tokens_per_s_per_user
    assert least < rate.expected < most
    first = speed.time_to_first_token_s
    assert first.expected < 10.0
