"""Training jobs: data ranks over linked cards, sharding when whole copies do not fit, host memory as the last way."""

from __future__ import annotations

from configurator.catalogue import load_catalogue
from configurator.plan.model import Plan, Policy, Workload
from configurator.scaling.layouts import score_layouts
from configurator.scaling.results import ScoredLayout
from configurator.scaling.topology import build_topology
from tests.scaling.plans import PRO_6000, RTX_5090, SWITCHED, WORKSTATION, one_box, two_boxes

CATALOGUE = load_catalogue()


def scored(plan: Plan, model: str, weights: str, task: str, **fields: object) -> tuple[ScoredLayout, ...]:
    given = {"sequence_tokens": 2048, "micro_batch": 1, "training_tokens": 1e8, **fields}
    workload = Workload.model_validate(
        {"id": "w", "name": "w", "model": model, "weights": weights, "task": task, **given}
    )
    topologies = (
        build_topology(plan, CATALOGUE, "low"),
        build_topology(plan, CATALOGUE, "expected"),
        build_topology(plan, CATALOGUE, "high"),
    )
    weight_format = CATALOGUE.weight_formats[weights]
    return score_layouts(plan, workload, CATALOGUE.models[model], weight_format, topologies, Policy(), CATALOGUE)


def notes(layout: ScoredLayout) -> set[str]:
    return {note.code for note in layout.notes}


EIGHT = one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8)


def test_a_70b_adapter_fits_one_node_of_eight() -> None:  # R26
    best = scored(EIGHT, "llama-3.1-70b", "bf16", "lora", lora_rank=16)[0]
    assert best.memory.fit == "serves_with_reserve"
    assert best.training is not None
    assert best.training.time_to_finish_s is not None
    assert "layout.offload" not in notes(best)


def test_four_5090_need_four_bits_for_a_70b_adapter() -> None:  # R26
    four = one_box(CATALOGUE, WORKSTATION, *[RTX_5090] * 4)
    whole = scored(four, "llama-3.1-70b", "bf16", "lora")
    assert all("layout.offload" in notes(each) for each in whole if each.memory.fit != "no")
    packed = scored(four, "llama-3.1-70b", "nf4", "qlora")[0]
    assert packed.memory.fit != "no"
    assert "layout.offload" not in notes(packed)


def test_a_full_70b_fine_tune_needs_more_than_one_node() -> None:  # R28
    one = scored(EIGHT, "llama-3.1-70b", "bf16", "full")
    assert all("layout.offload" in notes(each) for each in one if each.memory.fit != "no")
    both = scored(two_boxes(CATALOGUE, "ib-ndr", SWITCHED, *[PRO_6000] * 8), "llama-3.1-70b", "bf16", "full")
    assert both[0].memory.fit != "no"
    assert "layout.offload" not in notes(both[0])
    cards = {gpu.split("-")[0] for one_rank in both[0].instances for stage in one_rank.stages for gpu in stage}
    assert cards == {"a", "b"}
    sharded = [each for each in both if each.memory.fit != "no" and "layout.sharded" in notes(each)]
    assert any("layout.offload" not in notes(each) for each in sharded)


def test_a_format_without_a_gradient_is_refused() -> None:  # R21
    found = scored(EIGHT, "llama-3.1-8b", "awq-int4", "full")
    assert all(each.memory.fit == "no" for each in found)
    assert found[0].memory.reason is not None
    assert found[0].memory.reason.code == "memory.not_trainable"


def test_unlinked_servers_do_not_train_together() -> None:  # R01
    found = scored(two_boxes(CATALOGUE, None, SWITCHED, *[PRO_6000] * 8), "llama-3.1-8b", "bf16", "full")
    for each in found:
        servers = {gpu.split("-")[0] for one_rank in each.instances for stage in one_rank.stages for gpu in stage}
        assert len(servers) == 1


def test_stages_per_server_keep_tensor_groups_inside() -> None:  # R41
    plan = two_boxes(CATALOGUE, "eth-25g", SWITCHED, *[PRO_6000] * 8)
    found = scored(plan, "llama-3.1-70b", "bf16", "pretrain", training_tokens=1e12)
    piped = next(each for each in found if "layout.stage_per_server" in notes(each))
    for stage in piped.instances[0].stages:
        assert len({gpu.split("-")[0] for gpu in stage}) == 1


def test_the_chosen_job_says_why_the_others_lost() -> None:
    found = scored(EIGHT, "llama-3.1-8b", "bf16", "lora")
    assert found[0].lost_because is None
    assert all(each.lost_because is not None for each in found[1:])
    rates = [each.training.tokens_per_s.expected for each in found if each.training is not None]
    assert rates[0] == max(rates)
