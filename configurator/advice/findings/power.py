"""Power: limits of places and supplies, circuits, short peaks, caps, heat. Only stated limits stop anything."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.operations import PowerDraw, power_checks
from configurator.operations.power import (
    SUPPLY_FACTOR,
    cap_effect,
    cards_of,
    circuit_w,
    guessed,
    limit_w,
    step_peak_w,
)
from configurator.operations.rates import pue
from configurator.plan.model import Server, Site

HOME_HEAT_W = 1500.0
BTU_PER_W = 3.412
CAPPED_FROM_W = 600.0
"""Cards that draw less than this together are not worth a cap."""
CAP_SHARES = (0.7, 0.57)
"""The caps that are shown: about the last free one, and about the last useful one."""


def limits(s: Situation) -> Iterator[Finding]:
    """Breakers, supplies and what a chassis feeds its cards, against the load; heat of the room."""
    draws = {draw.subject_id: draw for draw in s.facts.power}
    for check in power_checks(s.facts.plan, s.catalogue):
        if check.ok or check.assumed:
            continue
        stop = check.kind in ("site", "psu", "gpu_budget")
        yield say(
            f"power.over.{check.kind}",
            STOP if stop else STEP,
            (check.subject_id,),
            do("power.over") if check.kind in ("site", "breaker") else do("power.supply"),
            basis="vendor",
            object_id=check.subject_id,
            load_w=check.load_w,
            limit_w=check.limit_w,
        )
    for site in {card.site.id: card.site for card in s.shape.cards}.values():
        draw = draws.get(site.id)
        if draw is None:
            continue
        if site.power_limit_w is None:
            yield from _circuit(s, site, draw)
        yield from _heat(site, draw)


def _circuit(s: Situation, site: Site, draw: PowerDraw) -> Iterator[Finding]:
    """What to ask for, cooling included, in circuits of the usual size."""
    cards = sum(limit_w(record, gpu) for server in site.servers for record, gpu in cards_of(server, s.catalogue))
    cooled = draw.peak_w * pue(site, s.catalogue).value.expected
    circuit = circuit_w(230, 16)
    yield say(
        "power.limit.unknown" if cooled > circuit else "power.limit.one_circuit",
        NOTE,
        (site.id,),
        do("power.ask"),
        basis="assumed",
        peak_w=draw.peak_w,
        cards_w=min(cards, draw.peak_w),
        host_w=max(0.0, draw.peak_w - cards),
        cooled_w=cooled,
        circuit_w=circuit,
        small_circuit_w=circuit_w(120, 15),
        small_share=draw.peak_w / circuit_w(120, 15),
        circuits=ceil(cooled / circuit),
    )


def supplies(s: Situation) -> Iterator[Finding]:
    """What a supply must give for long, and for milliseconds when the cards compute in step (restarts, flicker)."""
    alike: dict[tuple[object, ...], list[Server]] = {}
    for server, cards in s.shape.boxes:
        chassis = s.catalogue.servers.get(server.chassis)
        if chassis is None or chassis.power_includes_gpus or any(card.record.form != "pcie" for card in cards):
            continue
        if len(cards) < 2 or not (server.owned or server.psu_w):
            # One card alone has no others to be in step with; a machine to be bought has the supply of its sheet.
            continue
        group = tuple((card.record.id, card.gpu.power_limit_w) for card in cards)
        alike.setdefault((server.chassis, server.psu_w, group), []).append(server)
    # Equal machines are told once, by all their names.
    for servers in alike.values():
        yield from _supply(s, servers)


def _supply(s: Situation, servers: list[Server]) -> Iterator[Finding]:
    server = servers[0]
    cards = cards_of(server, s.catalogue)
    whole = sum(limit_w(record, gpu) for record, gpu in cards)
    draw = next((each for each in s.facts.power if each.subject_id == server.id), None)
    if draw is None or not whole:
        return
    low, high = step_peak_w(server, s.catalogue)
    host = max(0.0, draw.peak_w - whole)
    stated = server.psu_w
    if stated is not None and stated >= host + high:
        return
    vague = any(guessed(record, gpu) for record, gpu in cards)
    if stated is None or vague:
        code, kind = ("power.step.guess" if vague else "power.step.open"), NOTE
    else:
        code, kind = "power.step.over", STEP
    # Down to where the low end of the peak is within the supply, in steps of 10 W.
    cap = max(0.0, (stated or 0.0) - host) / 1.6 / len(cards)
    yield say(
        code,
        kind,
        tuple(each.id for each in servers),
        do("power.step") if kind == NOTE else do("power.step_cap", cap_w=10.0 * (cap // 10)),
        basis="assumed" if kind == NOTE else "calculated",
        object_id=tuple(each.id for each in servers),
        gpus=len(cards),
        each_w=whole / len(cards),
        cards_w=whole,
        host_w=host,
        lasting_w=SUPPLY_FACTOR * draw.peak_w,
        low_w=low,
        high_w=high,
        supply_w=stated,
    )


def caps(s: Situation) -> Iterator[Finding]:
    """What a cap costs: writing hardly, reading of prompts about in step."""
    cards = [card for card in s.shape.cards if card.record.form == "pcie" and not guessed(card.record, card.gpu)]
    whole = sum(card.record.power_w.value for card in cards)
    if whole < CAPPED_FROM_W or not s.shape.cards:
        return
    card = max(cards, key=lambda each: each.record.power_w.value)
    full = card.record.power_w.value
    capped = card.gpu.power_limit_w
    first, second = (cap_effect(share) for share in CAP_SHARES)
    if s.training:
        yield say(
            "power.cap.training",
            NOTE,
            (s.facts.plan.id,),
            basis="measured",
            card_gpu=card.record.id,
            full_w=full,
            cap_w=round(CAP_SHARES[0] * full, -1),
            lost_share=1 - first[1],
            deep_w=round(CAP_SHARES[1] * full, -1),
            deep_lost_share=1 - second[1],
        )
        return
    yield say(
        "power.cap.set" if capped is not None and capped < full else "power.cap.trade",
        NOTE,
        (s.facts.plan.id,),
        basis="measured",
        card_gpu=card.record.id,
        full_w=full,
        set_w=capped,
        set_write_share=1 - cap_effect((capped or full) / full)[0],
        set_read_share=1 - cap_effect((capped or full) / full)[1],
        cap_w=round(CAP_SHARES[0] * full, -1),
        write_share=1 - first[0],
        read_share=1 - first[1],
        deep_w=round(CAP_SHARES[1] * full, -1),
        deep_write_share=1 - second[0],
        deep_read_share=1 - second[1],
        saved_w=whole * (1 - CAP_SHARES[0]),
    )


def _heat(site: Site, draw: PowerDraw) -> Iterator[Finding]:
    heat = draw.busy_w.expected
    if site.kind in ("home", "office") and heat > HOME_HEAT_W:
        yield say(
            "power.heat.room",
            STEP,
            (site.id,),
            do("power.heat"),
            heat_w=heat,
            btu=round(heat * BTU_PER_W),
            place_code=f"site.{site.kind}",
        )
