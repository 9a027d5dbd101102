"""R33-R47: links, efficiency, what crosses a network, throughput."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.plan.edits import update
from configurator.scaling.efficiency import efficiency
from configurator.scaling.results import Efficiency
from configurator.scaling.topology import build_topology
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import CATALOGUE, EIGHT, H100, LOAD, PRO, R5090, ask, codes, plan_of, policy, seen, told, work

CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
GIANT: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", **LOAD}
TUNE: dict[str, Any] = {"weights": "bf16", "task": "full", "sequence_tokens": 4096, "micro_batch": 1}


def bandwidth(link: str) -> float:
    return CATALOGUE.links[link].bandwidth.value


def curve_of(plan_link: str, **load: Any) -> Efficiency:
    plan = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link=plan_link, **load)
    return there(seen(plan).work.efficiency)


def test_R33_cards_on_one_switch_exchange_about_50_gigabytes_in_under_a_microsecond() -> None:
    plan = plan_of((EIGHT, PRO, 8), **CHAT)
    server = plan.sites[0].servers[0]
    slots = [slot for slot in server.slots if slot.switch == server.slots[0].switch]
    way = there(build_topology(plan, CATALOGUE).p2p(there(slots[0].gpu).id, there(slots[1].gpu).id))
    assert way.bandwidth_bytes_per_s == pytest.approx(54e9, rel=0.1)
    assert way.latency_s < 1e-6
    narrow = update(plan, slots[0].id, lanes=4, pcie_generation=3)
    assert {"slot.narrow.tensor", "slot.narrow.layers"} & codes(ask(narrow))


def test_R34_ratios_of_fabrics_to_pcie() -> None:
    pcie = 50e9
    assert bandwidth("ib-hdr") == pytest.approx(25e9, rel=0.15)
    assert pcie / bandwidth("ib-hdr") == pytest.approx(2, rel=0.2)
    assert 4 <= pcie / bandwidth("eth-100g-roce") <= 5
    assert pcie / bandwidth("eth-25g-roce") == pytest.approx(16, rel=0.15)


def test_R35_between_nodes_microseconds_and_both_figures_shown() -> None:
    for link in ("eth-100g-roce", "ib-hdr"):
        assert 0.5e-6 <= CATALOGUE.links[link].latency.value <= 15e-6
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="ib-hdr", **GIANT))
    assert told(answer, "thumb.latency.rdma").rule == "R35"


def test_R36_tensor_parallel_across_nodes_is_told() -> None:
    plan = plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", tensor_parallel=8, pipeline_parallel=1, **GIANT)
    situation = seen(plan)
    if max(len(situation.shape.servers_of(stage)) for stage in there(situation.chosen).instances[0].stages) > 1:
        assert told(ask(plan), "fabric.tensor.across").kind == "one_more_step"
    free = there(work(ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **GIANT))).chosen)
    assert free.layout.tensor_parallel <= 4
    assert free.layout.pipeline_parallel >= 2


def test_R37_delay_counts_for_interactive_use() -> None:
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-25g", **GIANT))
    handover = told(answer, "fabric.handover.enough")
    assert handover.rule == "R37"
    assert handover.text.get("token_bytes") == 2 * 16_384
    total = there(there(work(answer).chosen).speed).output_tokens_per_s.expected
    assert handover.text.get("needed_bytes_per_s") == pytest.approx(2 * 16_384 * total)
    assert "More bandwidth brings nothing" in Wording().text(handover.text)
    late = ask(
        plan_of((EIGHT, PRO, 8), time_to_first_token_limit_s=0.001, input_tokens=4096, output_tokens=256, **CHAT)
    )
    assert told(late, "load.wait.long").rule == "R37"


def test_R38_efficiency_is_speed_per_card_over_the_baseline() -> None:
    curve = curve_of("eth-100g-roce", **CHAT)
    base = next(point for point in curve.points if point.gpus == curve.baseline_gpus and point.nodes == 1)
    assert base.efficiency.expected == pytest.approx(1.0, abs=0.35)
    for point in curve.points:
        ratio = point.tokens_per_s.expected / point.gpus / (base.tokens_per_s.expected / base.gpus)
        assert point.efficiency.expected == pytest.approx(ratio * base.efficiency.expected, rel=0.05)


def test_R39_splitting_eight_cards_over_two_nodes_is_never_better() -> None:
    one = there(seen(plan_of((EIGHT, PRO, 8), **CHAT)).work.efficiency)
    two = curve_of("eth-100g-roce", **CHAT)
    inside = max(p.efficiency.expected for p in one.points if p.gpus == 8 and p.mode == "tp")
    across = [p.efficiency.expected for p in two.points if p.gpus == 8 and p.mode == "tp_across"]
    assert across
    assert max(across) <= inside
    answer = ask(plan_of((EIGHT, PRO, 4), (EIGHT, PRO, 4), link="eth-100g-roce", **CHAT))
    assert told(answer, "fabric.order.single").rule == "R39"


def test_R40_copies_scale_over_a_plain_network_where_a_split_does_not() -> None:
    curve = curve_of("eth-100g-tcp", **CHAT, input_tokens=7900, output_tokens=500)
    copies = max(p.efficiency.expected for p in curve.points if p.mode == "dp" and p.nodes == 2)
    split = max(p.efficiency.expected for p in curve.points if p.mode == "tp_across")
    assert copies > 1.5 * split
    assert copies > 0.85


def test_R41_below_the_floor_several_nodes_are_rejected() -> None:
    load: dict[str, Any] = {"model": "llama-3.1-8b", **TUNE}
    boxes = [(EIGHT, PRO, 2)] * 2
    slow = ask(plan_of(*boxes, link="eth-1g", **load), policy=policy(efficiency_floor=0.95))
    finding = next(each for each in slow.findings if each.code == "fabric.efficiency")
    assert finding.text.code in ("finding.fabric.efficiency.low", "finding.fabric.efficiency.none")
    assert "not known" not in Wording().text(finding.text)
    assert finding.rule == "R41"
    assert there(finding.action).code == "do.fabric.efficiency"
    fine = ask(plan_of(*boxes, link="eth-1g", **load), policy=policy(efficiency_floor=0.0))
    assert "fabric.efficiency.fine" in codes(fine)


@pytest.mark.parametrize(
    "gpu", [R5090, PRO, "nvidia-l40", "nvidia-l4", "nvidia-rtx-pro-6000-blackwell-ws", "nvidia-rtx-4090"]
)
def test_R42_no_nvlink_on_these_cards(gpu: str) -> None:
    assert CATALOGUE.gpus[gpu].link_kind == "none"
    assert CATALOGUE.gpus[H100].link_kind == "switch"
    answer = ask(
        plan_of(("epyc-sp3-7slot-openframe", gpu, 2), model="llama-3.1-8b", weights="bf16", tensor_parallel=2, **LOAD)
    )
    assert told(answer, "p2p.nvlink.none").rule == "R42"
    # Where each copy has a card of its own nobody looks for a bridge.
    apart = plan_of(("epyc-sp3-7slot-openframe", gpu, 2), model="llama-3.1-8b", weights="bf16", replicas=2, **LOAD)
    assert "p2p.nvlink.none" not in codes(ask(apart))


def test_R43_pcie_costs_training_time_against_sxm() -> None:
    tune = ask(plan_of((EIGHT, PRO, 8), model="llama-2-13b", **TUNE))
    assert told(tune, "fabric.sxm.tune").rule == "R43"
    scratch = ask(plan_of((EIGHT, PRO, 8), model="llama-2-13b", **{**TUNE, "task": "pretrain"}))
    assert told(scratch, "fabric.sxm.scratch").rule == "R43"
    sxm = ask(plan_of(("hgx-h100-8", H100, 8), model="llama-2-13b", **TUNE))
    assert not {"fabric.sxm.tune", "fabric.sxm.scratch"} & codes(sxm)


def test_R44_a_full_batch_spreads_the_fixed_cost() -> None:
    few = ask(plan_of((EIGHT, PRO, 8), **{**CHAT, "users": 1}))
    many = ask(plan_of((EIGHT, PRO, 8), **{**CHAT, "users": 128, "context_tokens": 2048}))
    energy = [told(each, "cost.energy.million").text.get("million_kwh") for each in (few, many)]
    assert isinstance(energy[0], float)
    assert isinstance(energy[1], float)
    assert energy[1] < energy[0] / 4
    batch = ask(plan_of((EIGHT, PRO, 8), **{**CHAT, "task": "batch"}))
    assert told(batch, "load.batch.full").rule == "R44"


def test_R45_two_boxes_carry_405b_with_tp8_pp2() -> None:
    plan = plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="eth-100g-roce", **GIANT)
    wish = update(plan, plan.workloads[0].id, tensor_parallel=8, pipeline_parallel=2, layout_reason="production")
    chosen = there(work(ask(wish)).chosen)
    assert (chosen.layout.tensor_parallel, chosen.layout.pipeline_parallel) == (8, 2)
    assert chosen.memory.fit == "serves_with_reserve"
    assert "TP8 × PP2" in Wording(audience="operator").text(told(ask(plan), "nodes.several.r56").text)


def test_R46_the_range_of_the_text_stands_beside_the_calculation() -> None:
    answer = ask(plan_of((EIGHT, PRO, 8), **CHAT))
    finding = told(answer, "thumb.speed.range")
    assert finding.rule == "R46"
    assert finding.text.get("total_tokens_per_s") == there(there(work(answer).chosen).speed).output_tokens_per_s


def test_R47_requests_per_second_are_not_tokens_per_second() -> None:
    load: dict[str, Any] = {
        **CHAT,
        "requests_per_s": 100_000.0,
        "output_tokens": 200,
        "input_tokens": 500,
        "many_tenants": True,
    }
    answer = ask(plan_of((EIGHT, PRO, 8), **load))
    units = told(answer, "load.demand.units")
    assert units.rule == "R47"
    assert units.text.get("needed_tokens_per_s") == 20_000_000.0
    assert told(answer, "copies.router.prefix").rule == "R47"


def test_efficiency_needs_a_model() -> None:
    plan = plan_of((EIGHT, PRO, 4), **CHAT)
    model, weights = CATALOGUE.models["llama-3.3-70b"], CATALOGUE.weight_formats["fp8"]
    topologies = (build_topology(plan, CATALOGUE),) * 3
    facts = seen(plan)
    assert efficiency(plan, facts.workload, model, weights, topologies, facts.policy, CATALOGUE) is not None
