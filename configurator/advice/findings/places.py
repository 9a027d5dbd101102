"""Places: homes apart, the internet between them, power, heat (R02, R08, R65; power is physics)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.operations import PowerDraw, power_checks
from configurator.plan.model import Site

RTT_S = 0.02
"""Round trip between two homes in one country, where none is given."""
COMPUTE_S = 0.04
"""Time of one token over all layers of a 70B-class model on large cards."""
HOME_HEAT_W = 1500.0
BTU_PER_W = 3.412


def apart(s: Situation) -> Iterator[Finding]:
    """R08: places joined by the internet are never one server."""
    if len(s.shape.site_ids) < 2:
        return
    sites = {card.site.id: card.site for card in s.shape.cards}
    rtts = [site.internet.rtt_ms / 1e3 for site in sites.values() if site.internet.rtt_ms]
    rtt = sum(rtts) if rtts else RTT_S
    ups = [site.internet.up_mbit_s for site in sites.values() if site.internet.up_mbit_s]
    hidden = s.model.hidden_size if s.model else 8192
    prompt = hidden * 2 * 8192
    yield say(
        "site.apart.model",
        STOP if s.spans or (s.model is not None and not s.fits_one_box) else NOTE,
        tuple(sites),
        do("site.apart"),
        rule="R08",
        places=len(sites),
        ceiling_tokens_per_s=1 / (COMPUTE_S + rtt),
        rtt_s=rtt,
        prompt_bytes=prompt,
        prompt_s=prompt * 8 / (min(ups) * 1e6) if ups else prompt * 8 / 40e6,
    )
    yield say("site.apart.router", NOTE, tuple(sites), do("site.router"), rule="R08", basis="measured")


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
