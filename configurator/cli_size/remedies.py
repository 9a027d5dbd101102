"""The smallest change that makes a case serve: narrower weights on the same cards, or more of the same cards."""

from __future__ import annotations

import copy
from typing import Any

from configurator.cli_size.answers import Sizing
from configurator.cli_size.case import Case, CaseError
from configurator.cli_size.layouts import Placed
from configurator.sizing import FIT_ORDER
from configurator.sizing.formats import upload_format

LADDERS = {
    "llama.cpp": ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "iq4_xs", "q3_k_m", "q2_k"),
    "": ("fp8", "awq-int4"),
}
"""Formats worth trying, widest first (R59, R60)."""

MOST = 128
"""More cards than this are never suggested for one copy."""


def remedies(sizing: Sizing) -> dict[str, Any]:
    """What makes a case serve on its own, None where nothing of the kind does.

    ``weights``: the widest narrower format, ``gpus``: fewest of the same cards, ``max_model_len``: the longest context
    the cards hold when only the context is too long.
    """
    longest = sizing.place().memory.max_context_tokens
    asked = sizing.settings.max_model_len or sizing.load.max_context_tokens or sizing.model.max_context_tokens
    return {
        "weights": _widest_format(sizing),
        "gpus": _fewest_gpus(sizing),
        "max_model_len": longest if 0 < longest < asked and sizing.task in ("serve", "batch") else None,
    }


def _serves(placed: Placed) -> bool:
    return FIT_ORDER.index(placed.memory.fit) >= FIT_ORDER.index("serves")


def _widest_format(sizing: Sizing) -> str | None:
    if sizing.task in ("full", "pretrain", "lora"):
        return None
    for name in LADDERS.get(sizing.engine, LADDERS[""]):
        wanted = sizing.catalogue.weight_formats[name]
        if wanted.bits >= sizing.weight_format.bits - 0.3:
            continue
        other = copy.copy(sizing)
        other.weight_format = upload_format(sizing.model, wanted, None)
        if _serves(other.place()):
            return name
    return None


def _fewest_gpus(sizing: Sizing) -> int | None:
    if len(sizing.case.gpus) != 1:
        return None
    name, count = sizing.case.gpus[0]
    values = dict(sizing.case.values)
    for fixed in ("tensor_parallel", "pipeline_parallel", "replicas", "servers"):
        values.pop(fixed, None)
    tried = count
    while tried < MOST:
        tried = tried + 1 if tried < 4 else tried * 2 - tried % 2
        case = Case(((name, tried),), values, sizing.case.model_config, sizing.case.ignored)
        other = copy.copy(sizing)
        other.case = case
        other.ground = other._ground()
        try:
            if _serves(other.place()):
                return tried
        except CaseError:
            continue
    return None
