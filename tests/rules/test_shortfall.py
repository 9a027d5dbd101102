"""R02, R06, R22: what does not start says why: engine and format, too large, one card, system memory."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.plan.edits import update
from configurator.wording import Wording
from tests.helpers import there
from tests.rules.ask import CATALOGUE, EIGHT, HOME, PRO, R3090, ask, codes, found, number, plan_of, step, told, work

OPEN = "epyc-sp3-7slot-openframe"
V100 = "nvidia-v100-pcie-32gb"
ONE: dict[str, Any] = {"users": 1, "context_tokens": 4096}


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def test_a_format_without_kernels_is_answered_for_with_one_that_runs() -> None:
    plan = plan_of((OPEN, V100, 2), model="llama-3.1-8b", weights="fp8", **ONE)
    answer = ask(plan)
    assert work(answer).fit != "no"
    assert answer.verdict.reasons[0].code == "reason.other_engine"
    assert "with this precision" in plain(Wording().text(answer.verdict.reasons[0]))


def test_a_format_without_kernels_is_not_called_too_large() -> None:
    answer = ask(plan_of((OPEN, V100, 2), model="llama-3.1-405b", weights="fp8", **ONE))
    assert work(answer).fit == "no"
    finding = told(answer, "memory.refused.format_numbers")
    assert "needs compute capability 7.5, this card has 7.0" in plain(Wording().text(finding.text))
    action = there(finding.action)
    assert action.code == "do.memory.refused.formats"
    assert "gptq-int4" in str(action.get("formats"))
    assert not [code for code in codes(answer) if code.startswith("memory.short")]
    assert answer.verdict.reasons[0].code == "reason.short_refused"


def test_a_gptq_file_runs_where_the_other_four_bit_kernels_do_not() -> None:
    assert work(ask(plan_of((OPEN, V100, 2), model="llama-3.1-8b", weights="gptq-int4", **ONE))).fit != "no"
    other = ask(plan_of((OPEN, V100, 2), model="llama-3.1-8b", weights="awq-int4", **ONE))
    assert other.verdict.reasons[0].code == "reason.other_engine"


def test_an_engine_that_does_not_read_the_file_is_named() -> None:
    answer = ask(plan_of((OPEN, R3090, 2), model="llama-3.1-8b", weights="q4_k_m", engine="vllm", **ONE))
    assert told(answer, "memory.refused.reads").kind == "will_not_work"
    assert found(answer, "memory.short.rest") is None


def test_a_far_too_large_model_says_how_many_times() -> None:
    answer = ask(plan_of((HOME, R3090, 1), model="llama-3.1-405b", weights="awq-int4", **ONE))
    times = told(answer, "memory.short.weights_far").text.get("times_factor")
    assert isinstance(times, float)
    assert times > 8
    assert "100 %" not in plain(Wording().text(told(answer, "memory.short.weights_far").text))


def test_plenty_in_sum_but_one_card_lacks_room() -> None:
    plan = plan_of((EIGHT, "nvidia-a10", 7), model="llama-3.3-70b", weights="bf16", users=1, context_tokens=8192)
    answer = ask(plan)
    assert work(answer).fit == "no"
    finding = told(answer, "memory.short.card")
    short, left = finding.text.get("short_bytes"), finding.text.get("left_bytes")
    assert isinstance(short, int)
    assert isinstance(left, int)
    assert 0 < short < left
    assert "too little for the conversations" not in Wording().text(finding.text)
    assert there(finding.action).get("four_gpus") == 4


@pytest.mark.parametrize(("ram", "code"), [(None, "ask"), (512, "roof"), (64, "short")])
def test_system_memory_gives_a_roof_only_where_it_can_hold_the_rest(ram: float | None, code: str) -> None:
    load: dict[str, Any] = {"model": "llama-3.1-405b", "weights": "q4_k_m", "engine": "llama.cpp", **ONE}
    plan = plan_of((HOME, R3090, 1), **load)
    answer = ask(update(plan, plan.sites[0].servers[0].id, ram_gb=ram))
    finding = told(answer, f"memory.host.{code}")
    assert len([each for each in codes(answer) if each.startswith("memory.host")]) == 1
    read = CATALOGUE.models["llama-3.1-405b"]
    assert read.kind == "dense"
    speed = finding.text.get("desktop_tokens_per_s")
    assert isinstance(speed, float)
    # A dense model reads all that lies outside the card for each token: under a token a second on a desktop.
    assert speed < 0.5


def test_engines_without_offload_are_told_nothing_about_it() -> None:
    answer = ask(plan_of((EIGHT, PRO, 2), model="llama-3.1-405b", weights="fp8", **ONE))
    assert not [each for each in codes(answer) if each.startswith("memory.host")]
    said = " ".join(Wording().text(each.text) for each in answer.findings)
    assert "few tokens per second" not in said


def test_one_appliance_of_the_same_kind_is_named_for_owners_of_appliances() -> None:
    small = [each for each in CATALOGUE.gpus.values() if each.unified_memory and each.vendor == "Apple"]
    least = min(small, key=lambda each: each.memory_label_gb)
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "q8_0", "engine": "llama.cpp", **ONE}
    plan = plan_of(("mac-studio", least.id, 1), ("mac-studio", least.id, 1), link="eth-10g", **load)
    answer = ask(plan)
    proposed = told(answer, "node.holds.machine").text.get("node_gpu")
    assert CATALOGUE.gpus[str(proposed)].vendor == "Apple"
    assert CATALOGUE.gpus[str(proposed)].memory_label_gb > least.memory_label_gb


def test_a_small_model_is_offered_one_card_and_not_a_server() -> None:
    answer = ask(plan_of((HOME, "nvidia-rtx-3060-12gb", 1), model="phi-4-14b", weights="fp8", **ONE))
    assert work(answer).fit == "no"
    finding = told(answer, "node.holds.card_least").text
    card = CATALOGUE.gpus[str(finding.get("node_gpu"))]
    assert number(finding, "least_gb") < card.memory_label_gb
    assert card.memory_label_gb <= 32
    assert found(answer, "node.larger.fits") is None


def test_the_engine_that_was_asked_for_is_told_with_what_it_needs() -> None:
    answer = ask(plan_of((OPEN, "nvidia-p40", 2), model="llama-3.1-8b", weights="fp16", engine="vllm", **ONE))
    assert work(answer).fit != "no"
    text = plain(Wording().text(told(answer, "engine.card.refused_numbers").text))
    assert "needs compute capability 7.0, the" in text
    assert "has 6.1" in text


def test_cards_that_the_newest_releases_leave_are_named() -> None:
    load: dict[str, Any] = {"model": "llama-3.1-8b", "weights": "fp16", **ONE}
    assert told(ask(plan_of((OPEN, V100, 1), **load)), "engine.card.last").text.get("have") == "7.0"
    assert found(ask(plan_of((OPEN, R3090, 1), **load)), "engine.card.last") is None


def test_unequal_cards_have_each_their_own_length() -> None:
    load: dict[str, Any] = {"model": "llama-3.1-8b", "weights": "fp16", "users": 4, "goal": "many_answers"}
    plan = plan_of((HOME, R3090, 1), (HOME, "nvidia-rtx-5090", 1), link="eth-1g", **load)
    rooms = told(ask(plan), "split.rooms.by_card").text.get("rooms")
    assert isinstance(rooms, tuple)
    assert len(rooms) == 2
    assert "RTX 5090" in str(rooms[0])


def test_the_share_says_of_what() -> None:
    load: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "awq-int4", "users": 1, "context_tokens": 2048}
    answer = ask(plan_of((OPEN, R3090, 2), **load))
    thin = next((each for each in answer.findings if each.text.code.startswith("finding.memory.reserve.")), None)
    text = Wording().text(there(thin).text)
    assert "fullest card" in text or "memory is taken" in text


def test_a_little_in_system_memory_gets_no_speed_that_nothing_reaches() -> None:
    load: dict[str, Any] = {"model": "gpt-oss-20b", "weights": "mxfp4", "engine": "llama.cpp", **ONE}
    answer = ask(plan_of((HOME, "nvidia-rtx-3060-12gb", 1), **load))
    assert "tokens/s" not in Wording().text(told(answer, "memory.host.little").text)


@pytest.mark.parametrize(
    ("model", "weights", "gpu", "code"),
    [
        ("qwen2.5-32b", "awq-int4", "nvidia-rtx-3060-12gb", "step.6.size_card"),
        ("llama-3.1-405b", "awq-int4", "nvidia-rtx-3090", "step.6.size_far"),
    ],
)
def test_two_servers_are_offered_only_where_so_many_hold_it(model: str, weights: str, gpu: str, code: str) -> None:
    """19 GB ask for one card of 24 GB, and 200 GB are not two desktops of 24 GB."""
    answer = ask(plan_of((HOME, gpu, 1), model=model, weights=weights, **ONE))
    assert step(answer, 6).numbers.code == code
