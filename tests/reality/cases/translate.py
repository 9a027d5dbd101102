"""A described case (hardware, model, workload as JSON) as a project of this program, and a catalogue that knows it."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Any, get_args

from configurator.catalogue import Catalogue
from configurator.plan.edits import rebuilt
from configurator.plan.model import EngineId, Goal, Plan, Project, Task, Workload
from tests.reality.cases.hardware import plan_hardware
from tests.reality.cases.models import case_model

GOALS: dict[str, Goal] = {"latency": "one_fast_answer", "throughput": "many_answers"}
TASKS: dict[str, Task] = {task: task for task in get_args(Task)}
LLAMA_WORDS = (
    "llama.cpp",
    "ollama",
    "rpc",
    "gguf",
    "ggml",
    "lm studio",
    "lmstudio",
    "exo",
    "macbook",
    "mac mini",
    "mlx",
)


def engine_of(case: dict[str, Any]) -> EngineId:
    """The engine that the question is about; vLLM where none is named."""
    text = " ".join(
        str(part or "")
        for part in (case["title"], case["source"].get("repo"), case["model"]["name"], case["model"].get("quant"))
    ).lower()
    cards = " ".join(group["model"].lower() for node in case["hardware"]["nodes"] for group in node["gpus"])
    if any(word in text for word in LLAMA_WORDS) or re.search(r"\bm[1-5] (max|ultra|pro)|mac\b", cards):
        return "llama.cpp"
    if re.match(r"^(i?q\d)", (case["model"].get("quant") or "").lower()):
        return "llama.cpp"
    return "sglang" if "sglang" in text else "vllm"


def task_of(case: dict[str, Any]) -> Task:
    """What is to be done: stated, or in the words of the question."""
    load = case["workload"]
    text = f"{case['title']} {case['model']['name']} {load.get('training') or ''}".lower()
    if load.get("task") in TASKS:
        return TASKS[load["task"]]
    if "qlora" in text:
        return "qlora"
    if re.search(r"\blora\b", text):
        return "lora"
    if re.search(r"pre-?train|from scratch", text):
        return "pretrain"
    if re.search(r"fine-?tun|\btraining of\b|\bto train\b|training a\b", text):
        return "full"
    return "batch" if load.get("offline") else "chat"


def training_words(case: dict[str, Any]) -> str:
    """All that a case says of its training, in small letters."""
    facts = case["model"]
    parts = (case["title"], facts["name"], facts.get("quant"), case["workload"].get("training"))
    return " ".join(str(part or "") for part in parts).lower()


def training_tokens(case: dict[str, Any]) -> float | None:
    """ "400 billion tokens", "1.5T tokens": what a training reads."""
    text = f"{case['title']} {case['workload'].get('training') or ''}"
    found = re.search(r"(\d+(?:\.\d+)?)\s*(billion|trillion|[BT])\s+tokens", text)
    return float(found.group(1)) * (1e9 if found.group(2)[0].lower() == "b" else 1e12) if found else None


def workload_of(case: dict[str, Any], model_id: str | None, weights: str, engine: EngineId, servers: int) -> Workload:
    """The load of a case; what it does not say stays unknown."""
    load = case["workload"]
    goal = load.get("goal")
    users = load.get("concurrent_users") or (1 if goal == "latency" else None)
    mapped = GOALS.get(goal)
    if goal == "cost" and (users or 1) > 1:
        mapped = "many_answers"
    reads, writes = load.get("input_tokens") or None, load.get("output_tokens") or None
    context = load.get("context_tokens") or ((reads + writes) if reads and writes else None)
    tenants = "multi-tenant" in case["title"].lower()
    task = task_of(case)
    stated = {
        name: load[name]
        for name in ("time_to_first_token_limit_s", "tokens_per_s_per_user_limit", "tokens_per_s", "deadline_h")
        if load.get(name)
    }
    samples = load.get("samples") if task == "batch" else None
    # Of a batch so much output is to be made, once.
    volume = float(samples * writes) if samples and writes else load.get("tokens_per_month")
    peak = re.search(r"(\d[\d,]*)\s*tok(?:ens)?/s must|peak of (\d[\d,]*)\s*tok", case["title"].lower())
    if peak:
        stated["tokens_per_s"] = float((peak.group(1) or peak.group(2)).replace(",", ""))
    return Workload(
        **stated,
        optimizer="adamw_8bit" if re.search(r"8-?bit (adam|optimi)", training_words(case)) else "adamw",
        training_tokens=training_tokens(case) if task in ("full", "pretrain") else None,
        id="work",
        name=case["title"][:100],
        model=model_id,
        weights=weights,
        engine=engine,
        task=task,
        goal=mapped,
        users=users,
        context_tokens=context,
        input_tokens=reads,
        output_tokens=writes,
        requests_per_s=load.get("requests_per_s"),
        tokens_per_month=volume,
        prefix_cache_hit_share=0.5 if load.get("shared_prefix") else 0.0,
        many_tenants=tenants,
        sequence_tokens=(context or 4096) if task in ("lora", "qlora", "full", "pretrain") else None,
        must_survive=("server" if servers > 1 else "gpu") if goal == "availability" else "nothing",
    )


SIDE_BILLIONS = (("rerank", 0.57), ("embed", 0.6), ("whisper", 1.5), ("tts", 0.5), ("ocr", 1.0))
"""Size of a side model whose name says only what it does."""


def parts_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The case once per model that it names: "A plus B" are two that share the hardware."""
    facts = case["model"]
    names = [each.strip() for each in re.split(r"\s+(?:plus|and|\+)\s+", facts["name"]) if each.strip()]
    if len(names) < 2 or not all(re.search(r"\d|rerank|embed|whisper|tts|ocr", each.lower()) for each in names):
        return [case]
    quants = [each.strip() for each in re.split(r"\+", facts.get("quant") or "")]
    parts = []
    for place, name in enumerate(names):
        stated = re.search(r"(\d+(?:\.\d+)?)\s*B\b", name)
        kind = next((size for word, size in SIDE_BILLIONS if word in name.lower()), None)
        size = float(stated.group(1)) if stated else facts.get("params_b") if place == 0 else kind
        own = {
            "name": name,
            "params_b": size,
            "quant": quants[min(place, len(quants) - 1)] if len(quants) > 1 or place == 0 else None,
            "weights_gb": None,
        }
        parts.append({**case, "model": own})
    return parts


def project_of(case: dict[str, Any], catalogue: Catalogue) -> tuple[Project, Catalogue]:
    """The case as a project with one plan, and the catalogue with its own cards, model and format added."""
    plan, cards = plan_hardware(case, catalogue)
    known = MappingProxyType({**catalogue.gpus, **cards})
    boxes = [
        [known[slot.gpu.gpu].memory_label_gb for slot in server.slots if slot.gpu is not None]
        for site in plan.sites
        for server in site.servers
    ]
    engine = engine_of(case)
    models, formats, loads = dict(catalogue.models), dict(catalogue.weight_formats), []
    for number, part in enumerate(parts_of(case), 1):
        model, weight_format = case_model(part, catalogue, engine, boxes)
        if number > 1:
            # A side model of its own: its record and format must not stand for the first one's.
            model = None if model is None else replace(model, id=f"{model.id}-{number}")
            weight_format = replace(weight_format, id=f"{weight_format.id}-{number}")
        if model is not None:
            models[model.id] = model
        formats[weight_format.id] = weight_format
        load = workload_of(part, None if model is None else model.id, weight_format.id, engine, len(boxes))
        loads.append(load if number == 1 else rebuilt(load, id=f"work-{number}", name=part["model"]["name"][:100]))
    merged = replace(catalogue, gpus=known, models=MappingProxyType(models), weight_formats=MappingProxyType(formats))
    plan = Plan(**{name: getattr(plan, name) for name in Plan.model_fields} | {"workloads": tuple(loads)})
    project = Project(
        id="case", title=case["title"][:100], question=case["title"], plans=(plan,), active_plan_id=plan.id
    )
    return project, merged
