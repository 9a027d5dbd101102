"""Power: only stated limits stop; what to ask for, short peaks and caps are told with their numbers."""

from __future__ import annotations

from typing import Any

from configurator.plan.edits import update
from configurator.plan.model import Plan
from configurator.wording import Wording
from tests.rules.ask import R3090, ask, found, owned, plan_of, told

FRAME = "epyc-sp3-7slot-openframe"
DESK = "desktop-2gpu-x8x8"
CHAT: dict[str, Any] = {"model": "llama-3.1-8b", "weights": "bf16", "users": 1}


def capped(plan: Plan, watts: float) -> Plan:
    """The same cards with that limit each."""
    for slot in plan.sites[0].servers[0].slots:
        if slot.gpu is not None:
            plan = update(plan, slot.gpu.id, power_limit_w=watts)
    return plan


def test_an_assumed_supply_never_stops_a_plan_of_owned_machines() -> None:
    bought = ask(capped(plan_of((FRAME, R3090, 6), **CHAT), 500.0))
    assert told(bought, "power.over.gpu_budget").kind == "will_not_work"
    mine = ask(owned(capped(plan_of((FRAME, R3090, 6), **CHAT), 500.0)))
    assert not [each for each in mine.findings if each.text.code.startswith("finding.power.over")]
    assert mine.verdict.headline.code != "headline.limit.power"
    assert told(mine, "power.step.open").kind == "good_to_know"


def test_a_stated_supply_meets_peaks_of_cards_in_step_although_the_caps_are_below_it() -> None:
    plan = owned(plan_of((FRAME, R3090, 4), **CHAT))
    server = plan.sites[0].servers[0]
    plan = update(plan, server.id, psu_w=1_600.0)
    plan = capped(plan, 200.0)
    finding = told(ask(plan), "power.step.over")
    assert (finding.text.get("low_w"), finding.text.get("high_w")) == (1280.0, 1600.0)
    assert finding.kind == "one_more_step"
    said = Wording().text(finding.text).replace("\u00a0", " ")
    assert "800 W is less" in said
    strong = update(plan, server.id, psu_w=3_000.0)
    assert found(ask(strong), "power.step.over") is None


def test_what_to_ask_for_holds_the_cooling_and_counts_circuits() -> None:
    desk = owned(plan_of((DESK, R3090, 2), kind="home", **CHAT))
    desk = update(desk, desk.sites[0].id, power_limit_w=None)
    one = told(ask(desk), "power.limit.one_circuit").text
    assert one.get("cards_w") == 700.0
    assert one.get("small_circuit_w") == 1440.0
    many = told(ask(owned(plan_of((FRAME, R3090, 6), **CHAT))), "power.limit.unknown").text
    peak, cooled = many.get("peak_w"), many.get("cooled_w")
    assert isinstance(peak, float)
    assert isinstance(cooled, float)
    assert cooled > peak
    assert many.get("circuits") == 2


def test_the_price_of_a_cap_is_told_for_prompts_and_for_writing() -> None:
    trade = told(ask(plan_of((FRAME, R3090, 6), **CHAT)), "power.cap.trade").text
    write, read = trade.get("write_share"), trade.get("read_share")
    assert isinstance(write, float)
    assert isinstance(read, float)
    assert 0.02 < write < 0.06
    assert 0.1 < read < 0.4
    plan = capped(plan_of((FRAME, R3090, 2), **CHAT), 250.0)
    assert told(ask(plan), "power.cap.set").text.get("set_w") == 250.0
    assert found(ask(plan_of(("desktop-1gpu", "nvidia-rtx-3060-12gb", 1), **CHAT)), "power.cap.trade") is None


def test_cards_of_unknown_watts_are_called_assumed_and_get_no_cap() -> None:
    plan = owned(plan_of((FRAME, "nvidia-v100-pcie-32gb", 4), **CHAT))
    plan = update(plan, plan.sites[0].servers[0].id, psu_w=1_200.0)
    answer = ask(plan)
    assert told(answer, "power.step.guess").kind == "good_to_know"
    assert found(answer, "power.step.over") is None
    assert found(answer, "power.cap.trade") is None
