"""Places: homes apart, the internet between them, power, heat (R02, R08, R65; power is physics)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.operations import PowerDraw, power_checks
from configurator.plan.model import Site

STEP_S = 0.02
"""A usual engine step of a large model; scheduling is synchronous."""
PROMPT_TOKENS = 8192
HOME_HEAT_W = 1500.0
BTU_PER_W = 3.412


def apart(s: Situation) -> Iterator[Finding]:
    """R08: places joined by the internet are never one server."""
    if len(s.shape.site_ids) < 2:
        return
    sites = s.shape.site_ids
    if s.training:
        yield say("site.apart.training", STEP, sites, do("site.train"), rule="R08", places=len(sites))
        return
    wires = s.facts.topology.wires
    ways = [way for other in sites[1:] if (way := wires.wan_route(sites[0], other)) is not None]
    if s.model is None or not ways:
        yield say("site.apart.open", NOTE, sites, do("site.apart"), rule="R08", places=len(sites))
    else:
        rtt = 2 * max(way.latency_s for way in ways)
        tokens = s.workload.input_tokens or min(PROMPT_TOKENS, s.workload.context_tokens or PROMPT_TOKENS)
        prompt = s.model.hidden_size * 2 * tokens
        yield say(
            "site.apart.model",
            STOP if s.spans or not s.fits_one_box else NOTE,
            sites,
            do("site.apart"),
            rule="R08",
            places=len(sites),
            ceiling_tokens_per_s=1 / (STEP_S + rtt),
            step_s=STEP_S,
            rtt_s=rtt,
            prompt_tokens=tokens,
            prompt_bytes=prompt,
            prompt_s=prompt / min(way.bandwidth_bytes_per_s for way in ways),
        )
    yield say("site.apart.router", NOTE, sites, do("site.router"), rule="R08", basis="measured")


def power(s: Situation) -> Iterator[Finding]:
    """Breakers, supplies and what a chassis feeds its cards, against the load; heat of the room."""
    draws = {draw.subject_id: draw for draw in s.facts.power}
    for check in power_checks(s.facts.plan, s.catalogue):
        if check.ok:
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
            yield say("power.limit.unknown", NOTE, (site.id,), do("power.ask"), basis="assumed", peak_w=draw.peak_w)
        yield from _heat(site, draw)


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


def noise(s: Situation) -> Iterator[Finding]:
    """Passive cards need a server's wind."""
    records = {server.chassis: s.catalogue.servers.get(server.chassis) for server, _ in s.shape.boxes}
    words = ("desktop", "workstation", "mini", "open")
    desks = {key for key, each in records.items() if each is not None and any(word in each.kind for word in words)}
    for card in s.shape.cards:
        if card.server.chassis in desks and card.record.cooling == "passive":
            yield say(
                "power.cooling.passive",
                STOP,
                (card.gpu.id,),
                do("power.passive"),
                basis="vendor",
                card_gpu=card.record.id,
            )
            return
