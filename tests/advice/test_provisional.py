"""Answers while something is open: an unknown line, an unknown crowd, an engine that does not run on the cards."""

from __future__ import annotations

from typing import Any

from configurator.plan.edits import add_gpus, update
from configurator.plan.model import Plan
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import CATALOGUE, EIGHT, H100, HOME, LOAD, PRO, R3090, ask, owned, plan_of, seen, work

HGX = "hgx-h100-8"
GIANT: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "bf16", "users": 4, "context_tokens": 8192}


def unknown_line(plan: Plan) -> Plan:
    for link in plan.links:
        plan = update(plan, link.id, kind="unknown")
    return plan


def test_nodes_on_an_unknown_line_get_the_layout_that_any_line_carries() -> None:
    plan = unknown_line(plan_of((HGX, H100, 8), (HGX, H100, 8), link="ib-ndr", **GIANT))
    verdict = ask(plan).verdict
    assert (verdict.code, verdict.light) == ("tp-inside-pp-across", "unknown")
    assert "has to be checked first" in Wording().text(verdict.headline)
    assert "unknown-topology" in verdict.secondary


def test_single_cards_on_an_unknown_line_wait_for_the_line_or_take_four_bits() -> None:
    both: dict[str, Any] = {"model": "llama-3.3-70b", "users": 1, "context_tokens": 2048}
    wide = ask(unknown_line(plan_of((HOME, PRO, 1), (HOME, PRO, 1), link="eth-10g", weights="bf16", **both)))
    assert (wide.verdict.code, wide.verdict.headline.code) == ("single-node", "headline.four_bits")
    narrow = ask(unknown_line(plan_of((HOME, R3090, 1), (HOME, R3090, 1), link="eth-10g", weights="awq-int4", **both)))
    assert narrow.verdict.code in ("unknown-topology", "does-not-fit")


def test_copies_that_span_servers_are_copies() -> None:
    boxes = [(HGX, H100, 8)] * 4
    load: dict[str, Any] = {**GIANT, "users": 64, "goal": "many_answers"}
    answer = ask(plan_of(*boxes, link="ib-ndr", **load))
    assert there(work(answer).chosen).layout.replicas == 2
    assert (answer.verdict.code, answer.verdict.headline.code) == ("replicas", "headline.copies_across")


def test_a_service_that_must_survive_and_does_not_is_never_green() -> None:
    plan = plan_of((HGX, H100, 8), (HGX, H100, 8), link="ib-ndr", must_survive="server", **GIANT)
    answer = ask(plan)
    assert (answer.verdict.light, answer.verdict.headline.code) == ("step", "headline.limit.survive")
    calm = ask(update(plan, plan.workloads[0].id, must_survive="nothing"))
    assert calm.verdict.light == "good"
    small = plan_of(
        (EIGHT, PRO, 4), (EIGHT, PRO, 4), model="llama-3.3-70b", weights="fp8", must_survive="server", **LOAD
    )
    assert ask(small).verdict.light == "good"


def test_another_engine_answers_for_cards_that_the_asked_one_does_not_know() -> None:
    old = next(key for key, record in CATALOGUE.gpus.items() if "p40" in key and record.vendor == "NVIDIA")
    plan = plan_of((HOME, old, 1), model="llama-3.1-8b", weights="fp16", users=1, context_tokens=4096)
    situation = seen(plan)
    assert (situation.work.refused_engine, situation.workload.engine) == ("vllm", "llama.cpp")
    answer = ask(plan)
    assert answer.verdict.code != "does-not-fit"
    assert "does not run on these cards" in Wording().text(answer.verdict.reasons[0])
    assert plan.workloads[0].engine == "vllm"


def test_without_a_number_of_people_one_person_decides_about_the_speed() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", "context_tokens": 8192}
    answer = ask(plan_of((EIGHT, PRO, 8), **load))
    assert answer.verdict.light == "good"
    alone = there(seen(plan_of((EIGHT, PRO, 8), **load)).alone)
    full = there(there(work(answer).chosen).speed)
    assert alone.output_tokens_per_s_per_user.expected > 2 * full.output_tokens_per_s_per_user.expected


def test_people_at_a_usable_speed_are_not_more_than_memory_holds() -> None:
    heavy: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", "context_tokens": 8192}
    answer = work(ask(plan_of((EIGHT, PRO, 8), **heavy)))
    usable, held = there(answer.usable_users), there(answer.users_served).expected
    assert 0 < usable < held
    slow = there(seen(plan_of((EIGHT, PRO, 8), users=usable + max(2, usable // 4), **heavy)).work.speed_for)
    fast_enough = there(slow(float(usable)))
    too_many = there(slow(float(held)))
    assert fast_enough.output_tokens_per_s_per_user.expected >= 5 or fast_enough.time_to_first_token_s.expected <= 10
    assert too_many.output_tokens_per_s_per_user.expected < 5 or too_many.time_to_first_token_s.expected > 10


def test_unlike_cards_run_on_the_fewest_that_hold_the_model() -> None:
    plan = plan_of(("epyc-sp3-7slot-openframe", R3090, 2), model="llama-3.3-70b", weights="awq-int4", users=1)
    plan, _ = add_gpus(plan, CATALOGUE, "nvidia-rtx-4090", plan.sites[0].servers[0].id, 1)
    small = next(key for key, each in CATALOGUE.gpus.items() if each.memory_label_gb <= 12 and each.vendor == "NVIDIA")
    plan, _ = add_gpus(plan, CATALOGUE, small, plan.sites[0].servers[0].id, 2)
    chosen = there(work(ask(plan)).chosen)
    assert chosen.memory.fit != "no"
    assert len(chosen.idle_gpu_ids) >= 2


def test_one_person_needs_no_more_cards_than_hold_the_model() -> None:
    load: dict[str, Any] = {"model": "qwen3-32b", "weights": "q4_k_m", "engine": "llama.cpp", "goal": "one_fast_answer"}
    plan = plan_of(("epyc-sp3-7slot-openframe", R3090, 4), users=1, context_tokens=4096, **load)
    verdict = ask(plan).verdict
    assert verdict.code == "single-node"
    assert there(work(ask(plan)).chosen).layout.pipeline_parallel == 1


def test_a_full_server_beside_its_twin_means_two_copies() -> None:
    load: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "fp8", "users": 64, "context_tokens": 8192}
    plan = plan_of((EIGHT, PRO, 8), (EIGHT, PRO, 8), link="ib-hdr", goal="one_fast_answer", **load)
    assert ask(owned(plan)).verdict.code == "replicas"


def test_a_layout_that_cannot_be_is_not_green_in_another_one() -> None:
    plan = plan_of((EIGHT, PRO, 6), model="llama-3.3-70b", weights="fp8", users=4, context_tokens=4096)
    asked = update(plan, plan.workloads[0].id, tensor_parallel=3, layout_reason="tried")
    verdict = ask(asked).verdict
    assert (verdict.light, verdict.headline.code) == ("step", "headline.limit.wish")
    assert ask(update(asked, plan.workloads[0].id, tensor_parallel=2)).verdict.light == "good"
