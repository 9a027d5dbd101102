"""What a plan names and the catalogue does not have: nothing is computed for it, so it has to be said."""

from __future__ import annotations

from collections.abc import Iterable

from configurator.catalogue import Catalogue, UnknownNameError
from configurator.catalogue.likeness import nearest
from configurator.plan.index import gpus, servers
from configurator.plan.model import Plan
from configurator.terms import Message


def unknown_names(plan: Plan, catalogue: Catalogue) -> tuple[Message, ...]:
    """One message per card, server, model and weight format the catalogue does not have, each once."""
    found: list[Message] = []
    cards = [gpu.gpu for _, _, _, gpu in gpus(plan)]
    boxes = [server.chassis for _, server in servers(plan)]
    models = [each.model for each in plan.workloads if each.model is not None]
    formats = [each.weights for each in plan.workloads]
    known: tuple[tuple[str, Iterable[str], dict[str, str]], ...] = (
        ("card", cards, {each.id: each.name for each in catalogue.gpus.values()}),
        ("server", boxes, {each.id: each.name for each in catalogue.servers.values()}),
        ("model", models, {each.id: each.name for each in catalogue.models.values()}),
        ("precision", formats, {each.id: each.name for each in catalogue.weight_formats.values()}),
    )
    for kind, used, names in known:
        found += [
            UnknownNameError(kind, name, nearest(name, names, 3)).message
            for name in dict.fromkeys(used)
            if name not in names
        ]
    return tuple(found)
