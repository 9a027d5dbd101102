"""Names of plan objects and catalogue records, by id: "node-1" instead of "server-3"."""

from __future__ import annotations

from configurator.catalogue import Catalogue
from configurator.plan.index import walk
from configurator.plan.model import Gpu, Link, Plan
from configurator.wording.core import Wording


def catalogue_names(catalogue: Catalogue) -> dict[str, str]:
    """Short names of everything that can be bought or run."""
    names: dict[str, str] = {}
    for records in (catalogue.servers, catalogue.links, catalogue.parts, catalogue.models, catalogue.weight_formats):
        names.update((key, record.name) for key, record in records.items())
    names.update((key, record.short_name or record.name) for key, record in catalogue.gpus.items())
    names.update({"vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "tensorrt-llm": "TensorRT-LLM"})
    return names


def plan_names(plan: Plan, catalogue: Catalogue) -> dict[str, str]:
    """Names of the objects of a plan; a card is named by its kind and slot, a link by its ends."""
    names: dict[str, str] = {}
    for found in walk(plan):
        node = found.node
        if isinstance(node, Gpu):
            record = catalogue.gpus.get(node.gpu)
            place = found.slot.name if found.slot else ""
            server = found.server.name if found.server else ""
            names[node.id] = " ".join(
                part for part in (record.short_name if record else node.gpu, server, place) if part
            )
        elif not isinstance(node, Link):
            names[node.id] = node.name
    for site in plan.sites:
        names[f"{site.id}.internet"] = f"{site.name} – internet"
    for link in plan.links:
        names[link.id] = f"{names.get(link.a, link.a)} – {names.get(link.b, link.b)}"
    return names


def named(wording: Wording, plan: Plan, catalogue: Catalogue) -> Wording:
    """The wording that knows the names of this plan."""
    return wording.with_names({**catalogue_names(catalogue), **plan_names(plan, catalogue)})
