"""Names in the file that the catalogue does not know: cards, chassis, connections (R06). Nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import strange_cards
from configurator.advice.situation import Situation

LINK_WORDS = ("unknown", "internet")
"""Kinds of a link that are no catalogue ids."""


def unknown_names(s: Situation) -> Iterator[Finding]:
    """Each unknown name once, with the objects that carry it."""
    for name, places in strange_cards(s.facts.plan, s.catalogue).items():
        yield say(
            "unknown.hardware.card", STEP, tuple(gpu for gpu, _ in places), do("unknown.hardware"), rule="R06",
            basis="assumed", name=name, cards=len(places), in_server_ids=tuple(dict.fromkeys(box for _, box in places)),
        )  # fmt: skip
    chassis: dict[str, list[str]] = {}
    for site in s.facts.plan.sites:
        for server in site.servers:
            if server.chassis not in s.catalogue.servers:
                chassis.setdefault(server.chassis, []).append(server.id)
    for name, servers in chassis.items():
        yield say(
            "unknown.hardware.chassis", STEP, tuple(servers), do("unknown.hardware"), rule="R06", basis="assumed",
            name=name, in_server_ids=tuple(servers),
        )  # fmt: skip
    links: dict[str, list[str]] = {}
    for link in s.facts.plan.links:
        if link.kind not in LINK_WORDS and link.kind not in s.catalogue.links:
            links.setdefault(link.kind, []).append(link.id)
    for name, ids in links.items():
        yield say(
            "unknown.hardware.link", STEP, tuple(ids), do("unknown.hardware"), rule="R06", basis="assumed",
            name=name, link_ids=tuple(ids),
        )  # fmt: skip
