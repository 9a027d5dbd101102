"""What crosses a connection, how it is proved, what a loss leaves: the numbers in the sentences."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.advice.findings.standby import binomial_up
from configurator.assess import Assessment
from configurator.operations.rates import AVAILABILITY
from configurator.plan.edits import update
from configurator.plan.model import Nic, Plan
from configurator.scaling.topology import build_topology
from configurator.terms import Estimate
from configurator.wording import Audience, Wording
from configurator.wording.names import named
from tests.helpers import there
from tests.rules.ask import CATALOGUE, EIGHT, H100, HOME, LOAD, PRO, R3090, ask, codes, plan_of, told, work

SPARK = "nvidia-gb10-dgx-spark"
SMALL: dict[str, Any] = {"model": "llama-3.1-8b", "weights": "bf16", **LOAD}
CHAT: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
GIANT: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", **LOAD}
FOURS = [(EIGHT, PRO, 4)] * 2
V100 = ("dgx1-v100-8", "nvidia-v100-sxm2-16gb", 8)


def said(answer: Assessment, code: str, audience: Audience = "owner") -> str:
    return Wording(audience=audience).text(told(answer, code).text).replace("\u00a0", " ").replace("\u202f", " ")


def slot_of(plan: Plan, lanes: int, generation: int) -> Plan:
    for site in plan.sites:
        for server in site.servers:
            for slot in server.slots:
                if slot.gpu is not None:
                    plan = update(plan, slot.id, lanes=lanes, pcie_generation=generation)
    return plan


# -- proof


def test_a_copy_over_servers_asks_for_the_transport_in_the_log() -> None:
    rdma = ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT))
    assert "NET/IB (or NET/OFI), not NET/Socket" in said(rdma, "fabric.proof.nccl")
    assert "12 GB/s" in said(rdma, "fabric.proof.nccl")
    plain = ask(plan_of(*FOURS, link="eth-25g", **GIANT))
    assert "NET/Socket" in said(plain, "fabric.proof.socket")
    assert not {"fabric.proof.nccl", "fabric.proof.socket"} & codes(ask(plan_of((EIGHT, PRO, 8), **CHAT)))
    llama = ask(plan_of(*FOURS, link="eth-100g-roce", **{**GIANT, "engine": "llama.cpp", "weights": "q4_k_m"}))
    assert not any(code.startswith("fabric.proof") for code in codes(llama))


def test_a_direct_cable_keeps_its_addresses() -> None:
    two = [("dgx-spark", SPARK, 1)] * 2
    text = said(ask(plan_of(*two, link="tb5-net-tcp", **SMALL)), "fabric.direct.address")
    assert "instead of 600 µs" in text
    assert "not on “connected”" in text
    assert "fabric.direct.address" not in codes(ask(plan_of(*two, link="eth-10g", **SMALL)))


def test_acs_is_a_step_where_no_model_hides_it() -> None:
    open_plan = told(ask(plan_of((EIGHT, PRO, 2), users=1)), "p2p.check.iommu")
    assert open_plan.kind == "one_more_step"
    action = Wording().text(there(open_plan.action))
    assert "Switch ACS off" in action
    assert "NCCL_P2P_DISABLE=1" in action
    assert told(ask(plan_of((EIGHT, PRO, 2), **SMALL)), "p2p.check.iommu").kind == "good_to_know"


@pytest.mark.parametrize("vendor", ["AMD", "Apple"])
def test_tools_of_nvidia_are_for_nvidia(vendor: str) -> None:
    records = [gpu for gpu in CATALOGUE.gpus.values() if gpu.vendor == vendor]
    record = next(gpu for gpu in records if gpu.form in ("soc", "pcie"))
    homes = [key for key, box in CATALOGUE.servers.items() if record.id in box.accepts]
    box = (homes[0], record.id, 1) if record.form == "soc" else ("epyc-sp3-7slot-openframe", record.id, 2)
    plan = plan_of(box, **{**SMALL, "engine": "llama.cpp"})
    answer = ask(plan)
    mine = ("p2p.", "slot.", "unknown.wiring", "pilot.accept", "fabric.")
    for each in answer.findings:
        if each.text.code.removeprefix("finding.").startswith(mine):
            for audience in ("owner", "operator"):
                words = named(Wording(audience=audience), plan, CATALOGUE)
                text = words.text(each.text) + (words.text(each.action) if each.action else "")
                assert not {"nvidia-smi", "dcgmi", "Xid"} & set(text.replace(",", " ").replace("(", " ").split())


# -- traffic


def test_the_hand_over_is_set_against_the_connection() -> None:
    answer = ask(plan_of(*FOURS, link="eth-25g", **GIANT))
    total = there(there(work(answer).chosen).speed).output_tokens_per_s.expected
    text = told(answer, "fabric.handover.enough").text
    assert text.get("needed_bytes_per_s") == pytest.approx(2 * 16_384 * total)
    assert "more bandwidth does not help" in said(answer, "fabric.handover.enough", "operator")


def test_no_sentence_says_that_something_takes_not_known() -> None:
    plan = plan_of(*FOURS, **GIANT)
    for link in ("unknown", "eth-25g"):
        linked = plan_of(*FOURS, link=link, **GIANT)
        for audience in ("owner", "operator"):
            words = named(Wording(audience=audience), plan, CATALOGUE)
            for each in ask(linked).findings:
                assert "takes not known" not in words.text(each.text)
                assert "network of not known" not in words.text(each.text)


def test_more_servers_than_a_copy_needs_are_copies_not_stages() -> None:
    text = said(ask(plan_of(*[(EIGHT, PRO, 4)] * 4, link="eth-100g-roce", **GIANT)), "fabric.stages.room")
    assert "takes 2 nodes: 4 nodes hold 2 copies" in text
    assert "not tokens per second" in text
    assert "fabric.stages.room" not in codes(ask(plan_of(*FOURS, link="eth-100g-roce", **GIANT)))


def test_the_cache_of_a_prompt_over_three_connections() -> None:
    text = said(ask(plan_of((HOME, PRO, 1), (HOME, PRO, 1), link="eth-1g", users=4)), "fabric.cache.open")
    assert "2.7 GB of cache, 21 s at 1 Gbit/s, 2.1 s at 10, 0.21 s at 100" in text
    known = told(ask(plan_of((HOME, PRO, 1), (HOME, PRO, 1), link="eth-1g", **SMALL)), "fabric.cache.model").text
    assert known.get("one_s") == pytest.approx(131_072 * 8192 * 8 / 1e9)


def test_a_whole_model_behind_one_lane_only_loads_slowly() -> None:
    plan = slot_of(plan_of((HOME, R3090, 1), **{**SMALL, "users": 1, "context_tokens": 4096}), 1, 1)
    text = told(ask(plan), "slot.alone.card").text
    rate = text.get("slot_bytes_per_s")
    assert isinstance(rate, float)
    assert rate < 0.25e9
    assert text.get("load_about_s") == pytest.approx(
        there(work(ask(plan)).chosen).memory.per_gpu[0].weights_bytes / rate, rel=0.02
    )
    assert "slot.alone.card" not in codes(ask(plan_of((HOME, R3090, 1), **SMALL)))


def test_a_long_prompt_over_narrow_slots_is_counted() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "awq-int4", "users": 1, "context_tokens": 40_000}
    load |= {"input_tokens": 32_768, "output_tokens": 256}
    narrow = slot_of(plan_of(("epyc-sp3-7slot-openframe", R3090, 4), **load), 4, 3)
    text = told(ask(narrow), "slot.prompt.split").text
    assert text.get("prompt_bytes") == 2 * 80 * 8192 * 2 * 32_768
    assert "slot.prompt.split" not in codes(ask(plan_of((EIGHT, PRO, 4), **load)))


def test_a_hybrid_mesh_is_groups_of_four() -> None:
    text = said(ask(plan_of(V100, **{**SMALL, "weights": "fp16"})), "p2p.mesh.groups")
    assert "four of the seven others" in text
    assert "16 GB of 64 GB" in text
    assert not any(code.startswith("p2p.mesh") for code in codes(ask(plan_of(("hgx-h100-8", H100, 8), **SMALL))))


def test_a_bridge_brings_a_few_percent_and_is_no_missing_link() -> None:
    plan = plan_of(("desktop-2gpu-x8x8", R3090, 2), **{**SMALL, "users": 1})
    slots = tuple(slot.id for slot in plan.sites[0].servers[0].slots if slot.gpu is not None)
    bridged = update(plan, plan.sites[0].servers[0].id, nvlink_pairs=((slots[0], slots[1]),))
    assert "p2p.off.driver" in codes(ask(plan))
    assert "p2p.off.driver" not in codes(ask(bridged))
    assert "2 to 4 %" in said(ask(bridged), "p2p.bridge.gain")


def test_only_the_part_that_crosses_is_loaded_over_the_line() -> None:
    answer = ask(plan_of(*FOURS, link="eth-1g", pipeline_parallel=2, layout_reason="asked", **GIANT))
    text = told(answer, "fabric.load.weights").text
    whole, crossing = text.get("weights_bytes"), text.get("crossing_bytes")
    assert isinstance(whole, int)
    assert isinstance(crossing, int | float)
    assert 0.4 * whole < crossing < 0.6 * whole


# -- copies


def test_binomial() -> None:
    assert binomial_up(2, 3, 0.99) == pytest.approx(0.999702)
    assert binomial_up(2, 2, 0.99) == pytest.approx(0.9801)
    assert binomial_up(0, 4, 0.5) == 1


def test_what_remains_after_one_of_three() -> None:
    three = [(HOME, PRO, 1)] * 3
    load = {**SMALL, "users": 40}
    text = told(ask(plan_of(*three, link="eth-10g", **load)), "copies.rest.left").text
    each, left = text.get("each_tokens_per_s"), text.get("left_tokens_per_s")
    assert isinstance(each, float)
    assert left == pytest.approx(2 * each)
    assert text.get("needed_share") == pytest.approx(binomial_up(2, 3, AVAILABILITY[1]))
    enough = told(ask(plan_of(*three, link="eth-10g", **load, tokens_per_s=1.5 * each)), "copies.rest.asked")
    assert enough.text.get("needed") == 2
    short = told(ask(plan_of(*three, link="eth-10g", **load, tokens_per_s=20 * each)), "copies.rest.short")
    assert short.kind == "one_more_step"
    assert short.text.get("wanted_copies") == 20
    assert short.text.get("wanted_tokens_per_s") == pytest.approx(10 * each)


def test_availability_prints_the_number_it_counts_with() -> None:
    text = said(ask(plan_of(*[(HOME, PRO, 1)] * 2, link="eth-10g", **SMALL)), "failure.availability.copies")
    assert "98.5 %" in text
    assert "99.977 %" in text
    many = ask(plan_of(*[(HOME, PRO, 1)] * 4, link="eth-10g", **{**SMALL, "users": 64}))
    assert "more than 99.99 %" in said(many, "failure.availability.many")


def test_copies_of_one_server_fall_together_and_those_of_two_do_not() -> None:
    one = ask(plan_of((EIGHT, PRO, 2), replicas=2, layout_reason="asked", **SMALL))
    assert told(one, "failure.same_box.only").action is None
    assert "failure.availability.copies" not in codes(one)
    two = ask(plan_of((EIGHT, PRO, 2), (EIGHT, PRO, 2), link="eth-10g", replicas=4, layout_reason="asked", **SMALL))
    some = told(two, "failure.same_box.some").text
    assert (some.get("lost_copies"), some.get("servers")) == (2, 2)


def test_shares_are_for_copies_that_run() -> None:
    unequal = ((HOME, R3090, 1), (HOME, "nvidia-rtx-4060-ti-16gb", 1))
    assert "copies.unequal.weights" not in codes(ask(plan_of(*unequal, link="eth-1g", users=4)))
    assert "copies.unequal.weights" not in codes(ask(plan_of(*unequal, link="eth-1g", **GIANT)))
    assert "copies.test.sum" not in codes(ask(plan_of(*unequal, link="eth-1g", **GIANT)))


def test_a_spare_needs_room_and_detection_costs_requests() -> None:
    plan = plan_of(*[(HOME, PRO, 1)] * 2, link="eth-10g", **{**SMALL, "must_survive": "server", "requests_per_s": 2.0})
    answer = ask(plan)
    assert "no such card is free" in said(answer, "failure.spare.none")
    assert told(answer, "failure.detect.requests").text.get("lost_requests") == pytest.approx(150 * 2 / 2, abs=1)
    open_plan = ask(plan_of(*[(HOME, PRO, 1)] * 2, link="eth-10g", must_survive="server"))
    assert "N+1" in said(open_plan, "failure.spare.general")


def test_the_sum_of_the_copies_tests_the_address_in_front() -> None:
    answer = ask(plan_of(*[(HOME, PRO, 1)] * 2, link="eth-10g", **SMALL))
    assert "proxy (one processor core) or the load generator" in said(answer, "copies.test.sum")


# -- training


def test_sharded_training_that_one_server_holds_stays_there() -> None:
    tune: dict[str, Any] = {"weights": "bf16", "task": "lora", "sequence_tokens": 2048, "micro_batch": 1}
    boxes = [(EIGHT, PRO, 2)] * 2
    text = told(ask(plan_of(*boxes, link="eth-10g", model="llama-3.1-8b", **tune)), "fabric.shard.known").text
    assert text.get("pass_s") == pytest.approx(8.03e9 * 2 / 2 / 1.12e9, rel=0.02)
    open_link = ask(plan_of(*boxes, link="unknown", model="llama-3.1-8b", **tune))
    assert "at 10 Gbit/s" in said(open_link, "fabric.shard.open")


def test_gradients_between_places_are_out() -> None:
    tune: dict[str, Any] = {"weights": "bf16", "task": "full", "sequence_tokens": 2048, "micro_batch": 1}
    plan = plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), apart=True, model="llama-3.1-8b", **tune)
    finding = told(ask(plan), "fabric.gradient.far")
    assert finding.kind == "will_not_work"
    assert "DiLoCo" in Wording().text(finding.text)
    assert "site.apart.model" not in codes(ask(plan))


def test_a_healthy_rate_of_training() -> None:
    tune: dict[str, Any] = {
        "weights": "bf16",
        "task": "pretrain",
        "sequence_tokens": 4096,
        "micro_batch": 1,
        "training_tokens": 1e12,
    }
    plan = plan_of(*[("hgx-h100-8", H100, 8)] * 2, link="ib-ndr", model="llama-3.3-70b", **tune)
    rate_text = told(ask(plan), "fabric.healthy.rate").text
    healthy = rate_text.get("healthy_tokens_per_s")
    assert isinstance(healthy, Estimate)
    low = healthy.low
    peak = there(CATALOGUE.gpus[H100].flops_bf16).value
    active = CATALOGUE.models["llama-3.3-70b"].parameters.active_per_token
    assert low == pytest.approx(0.35 * peak / 6 / active)
    rate = update(plan, plan.workloads[0].id, tokens_per_s=16 * 200.0)
    finding = told(ask(rate), "fabric.healthy.stated")
    assert finding.kind == "one_more_step"
    assert finding.text.get("used_tflops") == pytest.approx(200 * 6 * active / 1e12, abs=1)


# -- topology


def test_several_network_cards_add_up_over_as_many_cables() -> None:
    plan = plan_of(("hgx-h100-8", H100, 8), ("hgx-h100-8", H100, 8), link="ib-ndr", **SMALL)
    link = plan.links[0].id
    for site in plan.sites:
        for server in site.servers:
            nics = tuple(Nic(id=f"{server.id}-n{n}", name=f"NIC {n}", bandwidth_gbit_s=400) for n in range(8))
            plan = update(plan, server.id, nics=nics)
    gpus = [there(next(slot.gpu for slot in box.slots if slot.gpu)).id for box in plan.sites[0].servers]

    def rate(count: int) -> float:
        return build_topology(update(plan, link, count=count), CATALOGUE).wires.edges[link].bandwidth_bytes_per_s

    assert rate(8) == pytest.approx(8 * rate(1), rel=0.05)
    way = there(build_topology(plan, CATALOGUE).p2p(*gpus))
    assert way.type == "NET"


def test_a_state_larger_than_a_server_is_sharded_by_need() -> None:
    tune: dict[str, Any] = {"weights": "bf16", "task": "full", "sequence_tokens": 2048, "micro_batch": 1}
    boxes = [("hgx-h100-8", H100, 8)] * 4
    answer = ask(plan_of(*boxes, link="ib-ndr", model="llama-3.3-70b", **tune))
    assert "fabric.shard.needed" in codes(answer)
    assert not {"fabric.shard.known", "fabric.shard.open"} & codes(answer)


def test_many_machines_in_a_row_add_their_hops() -> None:
    boxes = [(HOME, R3090, 1)] * 6
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "q8_0", "engine": "llama.cpp", "users": 1}
    answer = ask(plan_of(*boxes, link="eth-10g", context_tokens=2048, **load))
    text = told(answer, "fabric.hops.sum").text
    servers = text.get("servers")
    assert isinstance(servers, int)
    assert servers >= 4
    assert text.get("hop_s") == pytest.approx(2 / servers)


def test_one_node_and_two_boxes_are_not_said_where_they_do_not_hold() -> None:
    alone = codes(ask(plan_of((EIGHT, PRO, 8), **{**GIANT, "goal": "one_fast_answer"})))
    assert "nodes.several.r56" not in alone
    copies = codes(ask(plan_of(*[(HOME, PRO, 1)] * 3, link="eth-10g", **{**SMALL, "users": 48})))
    assert not {"nodes.one.r48", "nodes.one.r49"} & copies
    spread = codes(ask(plan_of(*[(HOME, R3090, 1)] * 6, link="eth-10g", **{**CHAT, "users": 1})))
    assert "nodes.one.r50" not in spread


def test_one_copy_over_all_servers_cannot_survive_and_says_why() -> None:
    answer = ask(plan_of(*FOURS, link="eth-100g-roce", must_survive="server", **{**GIANT, "users": 2}))
    assert "it needs all 2 servers" in said(answer, "failure.survive.alone")


def test_one_person_needs_no_shares() -> None:
    unequal = ((HOME, R3090, 1), (HOME, "nvidia-rtx-4060-ti-16gb", 1))
    load: dict[str, Any] = {"model": "llama-3.1-8b", "weights": "fp8", "users": 1, "context_tokens": 4096}
    assert not {"copies.unequal.weights", "copies.rest.pair"} & codes(ask(plan_of(*unequal, link="eth-1g", **load)))


def test_the_line_is_measured_before_a_faster_one_is_bought() -> None:
    chosen = codes(ask(plan_of(*FOURS, link="unknown", **CHAT)))
    assert "fabric.purchase.measure" in chosen
    assert "fabric.purchase.wait" not in chosen
    assert "fabric.purchase.wait" in codes(ask(plan_of((HOME, PRO, 1), users=1)))
