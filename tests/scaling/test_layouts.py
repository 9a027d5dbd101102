"""Layouts: what is tried, what is refused and why, whose wish counts, and what a loser says."""

from __future__ import annotations

from configurator.catalogue import load_catalogue
from configurator.plan.model import Link, Plan, Policy, Workload
from configurator.scaling.layouts import score_layouts
from configurator.scaling.results import Layout, ScoredLayout
from configurator.scaling.topology import build_topology
from configurator.terms import Message
from tests.scaling.plans import (
    PRO_6000,
    ROOTS,
    RTX_3090,
    RTX_4090,
    RTX_5090,
    SPARK,
    SWITCHED,
    WORKSTATION,
    box,
    one_box,
    plan_of,
    site_of,
    two_boxes,
)

CATALOGUE = load_catalogue()


def work(model: str = "llama-3.3-70b", weights: str = "fp8", **fields: object) -> Workload:
    given = {"users": 8, "context_tokens": 8192, "input_tokens": 2048, "output_tokens": 256, **fields}
    return Workload.model_validate({"id": "w", "name": "w", "model": model, "weights": weights, **given})


def scored(plan: Plan, workload: Workload) -> tuple[ScoredLayout, ...]:
    topologies = (
        build_topology(plan, CATALOGUE, "low"),
        build_topology(plan, CATALOGUE, "expected"),
        build_topology(plan, CATALOGUE, "high"),
    )
    model = CATALOGUE.models[workload.model or ""]
    weight_format = CATALOGUE.weight_formats[workload.weights]
    return score_layouts(plan, workload, model, weight_format, topologies, Policy(), CATALOGUE)


def find(found: tuple[ScoredLayout, ...], **fields: int) -> ScoredLayout:
    return next(each for each in found if all(getattr(each.layout, name) == value for name, value in fields.items()))


def shape(layout: Layout) -> tuple[int, int, int]:
    return layout.replicas, layout.pipeline_parallel, layout.tensor_parallel


def why(layout: ScoredLayout) -> Message:
    assert layout.lost_because is not None
    return layout.lost_because


EIGHT = one_box(CATALOGUE, SWITCHED, *[PRO_6000] * 8)


def test_eight_equal_cards_offer_every_split_that_divides() -> None:
    found = scored(EIGHT, work())
    shapes = {shape(each.layout) for each in found}
    assert {(1, 1, 8), (2, 1, 4), (4, 1, 2), (8, 1, 1), (1, 2, 4), (1, 8, 1), (2, 2, 2)} <= shapes


def test_only_the_first_has_no_reason_and_it_uses_real_cards_once() -> None:
    found = scored(EIGHT, work())
    assert found[0].lost_because is None
    assert all(each.lost_because is not None for each in found[1:])
    for each in found:
        cards = [gpu for one in each.instances for stage in one.stages for gpu in stage]
        assert len(cards) == len(set(cards))
        assert not set(cards) & set(each.idle_gpu_ids)
        if each.instances:
            assert len(cards) + len(each.idle_gpu_ids) == 8
    assert len(found[0].memory.per_gpu) == 8


def test_tensor_groups_stay_on_one_socket_where_they_can() -> None:
    four = find(scored(EIGHT, work()), tensor_parallel=4, pipeline_parallel=1)
    assert four.instances[0].stages[0] == tuple(f"server-gpu-{n}" for n in range(4))


def test_six_cards_and_forty_heads_are_refused_in_words() -> None:
    found = scored(one_box(CATALOGUE, WORKSTATION, *[RTX_3090] * 6), work("qwen2.5-32b", "awq-int4"))
    refusal = why(find(found, tensor_parallel=6))
    assert refusal.code == "layout.heads"
    assert refusal.get("allowed_counts") == (1, 2, 4, 8, 40)
    assert {shape(each.layout) for each in found} >= {(3, 1, 2), (1, 3, 2), (1, 6, 1)}


def test_a_layout_that_leaves_cards_idle_names_them() -> None:
    found = scored(one_box(CATALOGUE, WORKSTATION, *[RTX_3090] * 6), work("qwen2.5-32b", "awq-int4"))
    assert find(found, tensor_parallel=4).idle_gpu_ids == ("server-gpu-4", "server-gpu-5")


def test_what_does_not_fit_says_by_how_much() -> None:
    found = scored(one_box(CATALOGUE, ROOTS, *[PRO_6000] * 2), work("llama-3.1-405b"))
    assert found[0].memory.fit == "no"
    assert max(row.short_bytes for row in found[0].memory.per_gpu) > 50e9
    short = [each for each in found[1:] if why(each).code == "layout.memory_short"]
    assert short
    assert all(isinstance(why(each).get("short_bytes"), int) for each in short)


def test_memory_of_separate_sites_is_never_added_up() -> None:  # R01, R02, R08
    homes = [site_of(box(CATALOGUE, n, "desktop-1gpu", RTX_4090), site_id=f"home-{n}") for n in ("a", "b")]
    plan = plan_of(*homes, links=(Link(id="wan", a="home-a", b="home-b", kind="internet"),))
    found = scored(plan, work("llama-3.3-70b", "awq-int4", users=1))
    assert all(each.memory.fit == "no" for each in found)
    apart = why(found[-1])
    assert apart.code == "layout.sites_apart"
    total, largest = apart.get("total_bytes"), apart.get("largest_bytes")
    assert isinstance(total, int)
    assert isinstance(largest, int)
    assert largest < total
    for each in found:
        for one in each.instances:
            assert len({gpu.split("-")[0] for stage in one.stages for gpu in stage}) == 1


def test_servers_without_a_link_do_not_hold_one_model_together() -> None:  # R01
    found = scored(two_boxes(CATALOGUE, None, ROOTS, *[PRO_6000] * 4), work("llama-3.1-405b"))
    assert all(each.memory.fit == "no" for each in found)
    assert why(found[-1]).code == "layout.no_link"


def test_linked_servers_hold_a_405b_model_as_a_pipeline_of_two() -> None:  # R45
    plan = two_boxes(CATALOGUE, "eth-100g-roce", SWITCHED, *[PRO_6000] * 8)
    found = scored(plan, work("llama-3.1-405b", "bf16", users=4))
    assert found[0].memory.fit != "no"
    two = find(found, tensor_parallel=8, pipeline_parallel=2)
    assert [{gpu.split("-")[0] for gpu in stage} for stage in two.instances[0].stages] == [{"a"}, {"b"}]
    assert two.instances[0].layers_per_stage == (63, 63)
    across = find(found, tensor_parallel=16)
    assert len({gpu.split("-")[0] for gpu in across.instances[0].stages[0]}) == 2


def test_a_model_that_fits_one_server_becomes_replicas() -> None:  # R03, R05
    found = scored(two_boxes(CATALOGUE, None, SWITCHED, *[PRO_6000] * 8), work(users=64))
    assert found[0].memory.fit == "serves_with_reserve"
    assert all(len({gpu.split("-")[0] for stage in one.stages for gpu in stage}) == 1 for one in found[0].instances)
    assert found[0].layout.replicas >= 2


def test_sparks_offer_one_model_over_both_and_a_copy_in_each() -> None:
    found = scored(two_boxes(CATALOGUE, "eth-200g-roce", "dgx-spark", SPARK), work("gpt-oss-120b", "mxfp4", users=1))
    assert {(2, 1, 1), (1, 2, 1), (1, 1, 2)} <= {shape(each.layout) for each in found}


def test_sparks_spread_for_one_fast_answer_and_stay_apart_for_many() -> None:
    plan = two_boxes(CATALOGUE, "eth-200g-roce", "dgx-spark", SPARK)
    fast = scored(plan, work("gpt-oss-120b", "mxfp4", users=1, goal="one_fast_answer"))
    assert shape(fast[0].layout) == (1, 1, 2)
    # With four people each copy has half of them: the second server would bring less than the floor asks for.
    shared = scored(plan, work("gpt-oss-120b", "mxfp4", users=4, goal="one_fast_answer"))
    assert shape(shared[0].layout) == (2, 1, 1)
    gain = next(each.score for each in shared if shape(each.layout) == (1, 1, 2)) / shared[0].score
    assert 1.0 < gain < 2 * Policy().efficiency_floor
    many = scored(plan, work("gpt-oss-120b", "mxfp4", users=8, goal="many_answers"))
    assert shape(many[0].layout) == (2, 1, 1)


def test_an_unknown_link_carries_stages_with_a_note_but_no_tensor_ranks() -> None:  # R10
    found = scored(two_boxes(CATALOGUE, "unknown", ROOTS, *[PRO_6000] * 4), work("llama-3.1-405b", users=2))
    stages = [stage for each in found for one in each.instances for stage in one.stages]
    assert all(len({gpu.split("-")[0] for gpu in stage}) == 1 for stage in stages)
    piped = [each for each in found if each.layout.pipeline_parallel > 1 and each.memory.fit != "no"]
    assert piped
    assert all("layout.link_unknown" in {note.code for note in each.notes} for each in piped)


def test_a_copy_over_two_servers_needs_a_clear_gain() -> None:  # R05, R39
    found = scored(two_boxes(CATALOGUE, "ib-ndr", SWITCHED, *[PRO_6000] * 8), work(users=8, goal="many_answers"))
    assert all(len({gpu.split("-")[0] for stage in one.stages for gpu in stage}) == 1 for one in found[0].instances)


def test_unequal_cards_of_a_workstation_share_one_model_by_layers() -> None:
    plan = one_box(CATALOGUE, WORKSTATION, RTX_5090, RTX_4090, RTX_3090, RTX_3090)
    found = scored(plan, work("qwen2.5-32b", "awq-int4"))
    chain = find(found, pipeline_parallel=4)
    layers = chain.instances[0].layers_per_stage
    assert layers[0] == max(layers)
    assert sum(layers) == CATALOGUE.models["qwen2.5-32b"].layers
    for each in found:
        for one in each.instances:
            for stage in one.stages:
                assert len({gpu_of(plan, gpu) for gpu in stage}) == 1


def gpu_of(plan: Plan, gpu_id: str) -> str:
    return build_topology(plan, CATALOGUE).devices[gpu_id].gpu


def test_unequal_servers_each_get_their_own_copy() -> None:  # R04
    plan = plan_of(site_of(box(CATALOGUE, "a", SWITCHED, *[PRO_6000] * 8), box(CATALOGUE, "b", WORKSTATION, RTX_5090)))
    found = scored(plan, work("qwen2.5-32b", "awq-int4", users=16))
    both = [
        each for each in found if {gpu.split("-")[0] for one in each.instances for gpu in one.stages[0]} == {"a", "b"}
    ]
    assert both


def test_llama_cpp_splits_layers_over_any_count_and_flags_host_memory() -> None:
    three = scored(
        one_box(CATALOGUE, WORKSTATION, RTX_3090, RTX_4090, RTX_3090),
        work("llama-3.3-70b", "q4_k_m", engine="llama.cpp", users=1),
    )
    assert three[0].memory.fit != "no"
    assert three[0].layout.split == "layer"
    assert sum(three[0].instances[0].layers_per_stage) == 80
    one = scored(
        one_box(CATALOGUE, WORKSTATION, RTX_3090), work("llama-3.3-70b", "q4_k_m", engine="llama.cpp", users=1)
    )
    spilled = [each for each in one if each.layout.offload]
    assert spilled
    assert all("layout.offload" in {note.code for note in each.notes} for each in spilled)


def test_row_split_loses_over_pcie_and_gains_on_a_bridge() -> None:
    """Two RTX 3090, 14B: row 0.77 of layer over PCIe (ikawrakow/ik_llama.cpp pull 1106)."""
    server = box(CATALOGUE, "server", WORKSTATION, RTX_3090, RTX_3090)
    slots = (server.slots[0].id, server.slots[1].id)
    shares = []
    for pairs in ((), (slots,)):
        plan = plan_of(site_of(server.model_copy(update={"nvlink_pairs": pairs})))
        found = scored(plan, work("qwen2.5-14b", "q4_0", engine="llama.cpp", users=1))
        row = next(each for each in found if each.layout.split == "row")
        layer = next(each for each in found if each.layout.split == "layer" and each.layout.pipeline_parallel == 2)
        assert row.speed is not None
        assert layer.speed is not None
        shares.append(layer.speed.time_per_output_token_s.expected / row.speed.time_per_output_token_s.expected)
    assert 0.6 <= shares[0] <= 0.95
    assert shares[1] > shares[0] + 0.1
    best = scored(one_box(CATALOGUE, WORKSTATION, RTX_3090, RTX_3090), work("qwen2.5-14b", "q4_0", engine="llama.cpp"))
    assert best[0].layout.split == "layer"


def test_an_engine_that_cannot_run_the_format_offers_nothing() -> None:
    assert not [each for each in scored(EIGHT, work("llama-3.3-70b", "q4_k_m")) if each.memory.fit != "no"]
    old = scored(one_box(CATALOGUE, ROOTS, "nvidia-p40"), work("llama-3.1-8b", "bf16"))
    assert all(each.memory.fit == "no" for each in old)


def test_the_owners_wish_comes_first_when_it_starts() -> None:
    wished = scored(EIGHT, work(tensor_parallel=2, pipeline_parallel=2, layout_reason="as today"))
    assert shape(wished[0].layout) == (2, 2, 2)
    assert "layout.not_the_wish" in {why(each).code for each in wished[1:]}
    impossible = scored(EIGHT, work(tensor_parallel=3))
    assert impossible[0].layout.tensor_parallel != 3
    assert why(find(impossible, tensor_parallel=3)).code == "layout.heads"


def test_a_wish_for_one_copy_leaves_the_other_cards_idle() -> None:
    found = scored(EIGHT, work(tensor_parallel=4, pipeline_parallel=1, replicas=1))
    assert shape(found[0].layout) == (1, 1, 4)
    assert len(found[0].idle_gpu_ids) == 4
    three = scored(EIGHT, work(pipeline_parallel=3))
    assert three[0].layout.pipeline_parallel == 3


def test_what_must_survive_rules_the_choice() -> None:
    for level in ("gpu", "server"):
        plan = two_boxes(CATALOGUE, "eth-25g", SWITCHED, *[PRO_6000] * 8)
        found = scored(plan, work(must_survive=level, users=4))
        assert found[0].layout.replicas > 1
        lost = {why(each).code for each in found[1:] if each.layout.replicas == 1 and each.memory.fit != "no"}
        assert lost <= {"layout.does_not_survive"}


def test_only_the_servers_named_are_used() -> None:
    found = scored(two_boxes(CATALOGUE, None, SWITCHED, *[PRO_6000] * 8), work(server_ids=("b",)))
    cards = {gpu for each in found for one in each.instances for stage in one.stages for gpu in stage}
    assert cards
    assert all(gpu.startswith("b-") for gpu in cards)


def test_one_user_is_not_counted_on_every_copy() -> None:
    found = scored(EIGHT, work("llama-3.1-8b", users=1))
    eight, one = find(found, replicas=8, tensor_parallel=1), find(found, tensor_parallel=8)
    for each in (eight, one):
        assert each.speed is not None
        assert each.speed.users_in_flight.expected <= 1.01
    assert eight.speed is not None
    per_user = eight.speed.output_tokens_per_s_per_user.expected
    assert eight.speed.output_tokens_per_s.expected <= per_user


def test_no_cards_no_layouts() -> None:
    assert scored(one_box(CATALOGUE, SWITCHED), work()) == ()


def test_names_do_not_matter() -> None:
    """The same hardware under other ids gives the same answers for its own cards."""
    other = plan_of(site_of(box(CATALOGUE, "other", SWITCHED, *[PRO_6000] * 8)))
    first, second = scored(EIGHT, work()), scored(other, work())
    assert [shape(each.layout) for each in first] == [shape(each.layout) for each in second]
    assert [each.score for each in first] == [each.score for each in second]
    assert {row.gpu_id for row in second[0].memory.per_gpu} == {f"other-gpu-{n}" for n in range(8)}


def test_hundreds_of_equal_servers_show_all_copies_of_the_chosen_layout() -> None:
    servers = [box(CATALOGUE, f"s{n}", SWITCHED, *[PRO_6000] * 8) for n in range(32)]
    found = scored(plan_of(site_of(*servers)), work(users=1000))
    best = found[0]
    cards = {gpu for one in best.instances for stage in one.stages for gpu in stage}
    assert len(best.instances) == best.layout.replicas
    assert len(cards) == len(best.memory.per_gpu)
    assert len(cards) + len(best.idle_gpu_ids) == 256
