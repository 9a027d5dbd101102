"""Copy and paste of sites, servers and cards: plan data as JSON, and plain words for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from configurator.catalogue import Catalogue
from configurator.desktop.document import Document
from configurator.desktop.facts import describe
from configurator.plan import edits
from configurator.plan.edits import EditError, rebuilt
from configurator.plan.index import all_ids, find, gpus, new_id, plan_problems
from configurator.plan.model import Frozen, Gpu, Link, Plan, Server, Site
from configurator.terms import message

MIME = "application/x-gpuplan-piece+json"
LIMIT_BYTES = 8 * 1024 * 1024
REFERENCES = ("id", "switch", "a", "b")
"""Fields that hold ids of the plan."""


class Piece(Frozen):
    """What was copied: whole sites, servers without their site, cards without their server."""

    sites: tuple[Site, ...] = ()
    servers: tuple[Server, ...] = ()
    cards: tuple[Gpu, ...] = ()
    links: tuple[Link, ...] = ()

    def as_plan(self) -> Plan:
        """The piece as a plan, for checks and walks."""
        carrier = (Site(id="carrier", name="carrier", servers=self.servers),) if self.servers else ()
        return Plan(id="piece", name="piece", sites=(*self.sites, *carrier), links=self.links)


def to_bytes(plan: Plan, ids: Iterable[str]) -> bytes:
    """The chosen sites, servers and cards, with the links between them."""
    wanted = set(ids)
    sites = tuple(site for site in plan.sites if site.id in wanted)
    covered = {server.id for site in sites for server in site.servers}
    servers = tuple(
        server for site in plan.sites for server in site.servers if server.id in wanted and server.id not in covered
    )
    covered |= {server.id for server in servers}
    cards = tuple(card for _, server, _, card in gpus(plan) if card.id in wanted and server.id not in covered)
    ends = {end.id for site in sites for end in (site, *site.servers, *site.switches)} | covered
    links = tuple(link for link in plan.links if link.a in ends and link.b in ends)
    piece = Piece(sites=sites, servers=servers, cards=cards, links=links)
    return piece.model_dump_json(exclude_defaults=True).encode()


def from_bytes(data: bytes) -> Piece | None:
    """The piece in the clipboard, None when it is not one of ours."""
    if len(data) > LIMIT_BYTES:
        return None
    try:
        piece = Piece.model_validate_json(data)
        return None if plan_problems(piece.as_plan()) else piece
    except ValidationError:
        return None


def plain_text(document: Document, ids: Iterable[str]) -> str:
    """One line per object."""
    lines = (describe(document.plan, key, document.catalogue, document.wording) for key in ids)
    return "\n".join(line for line in lines if line)


def paste_into(
    plan: Plan, catalogue: Catalogue, piece: Piece, selection: tuple[str, ...]
) -> tuple[Plan, tuple[str, ...]]:
    """Put a piece in: sites beside the others, servers into the selected site, cards into the selected server.

    Raises EditError when cards or servers have nowhere to go.
    """
    found = next((each for key in selection if (each := find(plan, key)) is not None), None)
    site = found.site.id if found is not None and found.site is not None else ""
    server = found.server.id if found is not None and found.server is not None else ""
    made: list[str] = []
    fresh = _with_free_ids(piece, plan)
    home = site or (plan.sites[-1].id if plan.sites else "")
    if (fresh.servers and not home) or (fresh.cards and not (server or site)):
        raise EditError(message("edit.paste_where"))
    if fresh.sites or fresh.servers:
        sites = tuple(
            rebuilt(each, servers=(*each.servers, *fresh.servers)) if each.id == home and fresh.servers else each
            for each in plan.sites
        )
        plan = rebuilt(plan, sites=(*sites, *fresh.sites), links=(*plan.links, *fresh.links))
        made += [each.id for each in fresh.sites] or [each.id for each in fresh.servers]
    kinds = [card.gpu for card in fresh.cards]
    for gpu in dict.fromkeys(kinds):
        plan, added = edits.add_gpus(plan, catalogue, gpu, server or site, kinds.count(gpu))
        made += added
    return plan, tuple(made)


def _with_free_ids(piece: Piece, plan: Plan) -> Piece:
    """The piece with ids and names that are free in the plan."""
    taken = all_ids(plan)
    renamed: dict[str, str] = {}
    for old in sorted(all_ids(piece.as_plan()) - {"carrier"}):
        renamed[old] = new_id(taken, old.rsplit("-", 1)[0] or "object")
        taken.add(renamed[old])
    fresh = Piece.model_validate(_exchanged(json.loads(piece.model_dump_json(exclude_defaults=True)), renamed))
    names = {site.name for site in plan.sites} | {server.name for site in plan.sites for server in site.servers}

    def named(server: Server) -> Server:
        free = _free_name(server.name, names)
        return server if free == server.name else rebuilt(server, name=free)

    sites = tuple(
        rebuilt(site, name=_free_name(site.name, names), servers=tuple(named(each) for each in site.servers))
        for site in fresh.sites
    )
    return rebuilt(fresh, sites=sites, servers=tuple(named(each) for each in fresh.servers))


def _exchanged(node: Any, renamed: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_exchanged(each, renamed) for each in node]
    if not isinstance(node, dict):
        return node
    made: dict[str, Any] = {}
    for key, value in node.items():
        if key in REFERENCES and isinstance(value, str):
            made[key] = renamed.get(value, value)
        elif key == "nvlink_pairs":
            made[key] = [[renamed.get(end, end) for end in pair] for pair in value]
        else:
            made[key] = _exchanged(value, renamed)
    return made


def _free_name(name: str, names: set[str]) -> str:
    stem, _, number = name.rpartition("-")
    free = name if name not in names else new_id(names, stem if stem and number.isdigit() else name)
    names.add(free)
    return free
