"""Places: homes apart, the internet between them, wind for passive cards (R02, R08)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.results import Finding
from configurator.advice.situation import Situation

STEP_S = 0.02
"""A usual engine step of a large model; scheduling is synchronous."""
PROMPT_TOKENS = 8192


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
