"""What the speed model adds to a sized case: rates, what limits them, every layout scored, efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from configurator.catalogue import find_link
from configurator.catalogue.records import GpuRecord
from configurator.plan.build import server_from_chassis
from configurator.plan.model import Gpu, Link, NetworkSwitch, Plan, Policy, Server, Site, Workload
from configurator.scaling.efficiency import efficiency
from configurator.scaling.layouts import score_layouts
from configurator.scaling.results import Efficiency, Instance, Layout, ScoredLayout, Speed, TrainingSpeed
from configurator.scaling.serving import ServingLoad, estimate_serving, lengths_of
from configurator.scaling.standard import standard_server
from configurator.scaling.topology import build_topology
from configurator.scaling.training import estimate_training, training_load
from configurator.sizing.results import LayoutMemory
from configurator.sizing.serving import size_serving
from configurator.sizing.settings import ServeLoad
from configurator.terms import Estimate
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue
    from configurator.cli_size.layouts import Placed
    from configurator.cli_size.question import Question

MOST_CARDS = 1024
"""Speed is worked out for cases up to here; larger ones are sized only."""

CHASSIS: tuple[str, ...] = (
    "hgx-a100-8",
    "hgx-h100-8",
    "hgx-h200-8",
    "hgx-b200-8",
    "hgx-b300-8",
    "gb200-nvl72",
    "gb300-nvl72",
    "mi300x-8",
    "mi350x-8",
    "gaudi3-8",
    "dgx1-v100-8",
    "dgx-spark",
)
PCIE_CHASSIS = "generic-4u5u-8gpu-switch"
"""Where cards of a case stand when nobody says: modules on their own board, other cards in a usual 8-slot server."""


def speed_fields(question: Question, placed: Placed) -> dict[str, Any]:
    """``speed``, ``limited_by``, ``layouts`` and ``efficiency`` of a case; None where there is no answer."""
    empty: dict[str, Any] = {
        "speed": None,
        "limited_by": None,
        "limited_by_text": None,
        "layouts": [],
        "efficiency": None,
    }
    if question.ground.gpus > MOST_CARDS:
        return empty
    plan = plan_of(question)
    workload = workload_of(question)
    topologies = (
        build_topology(plan, question.catalogue, "low"),
        build_topology(plan, question.catalogue, "expected"),
        build_topology(plan, question.catalogue, "high"),
    )
    asked = (workload, question.model, question.weight_format, topologies, Policy(), question.catalogue)
    scored = score_layouts(plan, *asked)
    curve = efficiency(plan, *asked)
    speed = training = None
    if placed.memory.fit != "no" and question.training:
        training = estimate_training(
            question.model,
            question.weight_format,
            training_load(workload),
            placed.layout,
            placed.instances,
            topologies,
        )
    elif placed.memory.fit != "no":
        speed = estimate_serving(
            question.model,
            question.weight_format,
            question.settings.kv_cache,
            question.engine,
            placed.layout,
            placed.instances,
            topologies,
            _load(question, workload),
            _running_memory(question, placed, workload),
            engine_version=question.settings.engine_version,
            max_num_seqs=question.settings.max_num_seqs,
            max_num_batched_tokens=question.settings.max_num_batched_tokens,
        )
    found = speed or training
    return {
        "speed": _speed(speed) if speed is not None else _training(training),
        "limited_by": None if found is None else found.limited_by.code.removeprefix("limited."),
        "limited_by_text": None if found is None else Wording().text(found.limited_by),
        "layouts": [_layout(each) for each in scored],
        "efficiency": _curve(curve),
    }


def plan_of(question: Question) -> Plan:
    """The cards of a case in usual servers, joined by the fabric it names (not known: an unknown link)."""
    ground, catalogue = question.ground, question.catalogue
    servers = tuple(
        server_of(f"server-{number}", [(gpu, catalogue.gpus[ground.devices[gpu].gpu]) for gpu in cards], catalogue)
        for number, cards in enumerate(ground.servers)
    )
    switch = NetworkSwitch(id="switch", name="switch")
    links: tuple[Link, ...] = ()
    if len(servers) > 1:
        name = question.case.text("fabric")
        kind = find_link(catalogue, name).id if name else "unknown"
        links = tuple(Link(id=f"link-{each.id}", a="switch", b=each.id, kind=kind) for each in servers)
    site = Site(id="site", name="site", servers=servers, switches=(switch,) if links else ())
    return Plan(id="case", name="case", sites=(site,), links=links)


def server_of(server_id: str, cards: Sequence[tuple[str, GpuRecord]], catalogue: Catalogue) -> Server:
    """A usual server with exactly these cards, under their own ids."""
    record = cards[0][1]
    chassis = next(
        (name for name in CHASSIS if name in catalogue.servers and record.id in catalogue.servers[name].accepts),
        PCIE_CHASSIS if record.form == "pcie" else "",
    )
    server = standard_server(record, len(cards))
    if chassis:
        built = server_from_chassis(catalogue.servers[chassis], server_id, server_id, {server_id}, catalogue)
        server = built if len(built.slots) >= len(cards) else server
    slots = tuple(
        slot.model_copy(update={"id": f"{server_id}-{slot.id}", "switch": slot.switch, "gpu": None})
        for slot in server.slots
    )
    filled = tuple(
        slot.model_copy(update={"gpu": Gpu(id=cards[seat][0], gpu=cards[seat][1].id)}) if seat < len(cards) else slot
        for seat, slot in enumerate(slots)
    )
    renamed = {each.id: f"{server_id}-{each.id}" for each in server.switches}
    return server.model_copy(
        update={
            "id": server_id,
            "name": server_id,
            "slots": tuple(slot.model_copy(update={"switch": renamed.get(slot.switch or "")}) for slot in filled),
            "switches": tuple(each.model_copy(update={"id": renamed[each.id]}) for each in server.switches),
        }
    )


def workload_of(question: Question) -> Workload:
    """The case as a workload of a plan."""
    case = question.case
    known = {
        "users": case.number("users"),
        "input_tokens": case.number("input_tokens"),
        "output_tokens": case.number("output_tokens"),
        "context_tokens": None if case.number("input_tokens") else question.load.context_tokens,
        "max_context_tokens": question.settings.max_model_len,
        "sequence_tokens": case.number("sequence_tokens"),
        "micro_batch": case.number("micro_batch"),
        "lora_rank": case.number("lora_rank"),
        "tensor_parallel": case.number("tensor_parallel"),
        "pipeline_parallel": case.number("pipeline_parallel"),
        "replicas": case.number("replicas"),
    }
    kv = question.settings.kv_cache
    return Workload.model_validate(
        {
            "id": "case",
            "name": "case",
            "model": question.model.id,
            "weights": question.weight_format.id,
            "kv_cache": kv if kv in {"auto", "bf16", "fp8", "q8_0", "q4_0"} else "auto",
            "engine": question.engine,
            "task": "chat" if question.task == "serve" else question.task,
            **{name: value for name, value in known.items() if value is not None},
        }
    )


def _load(question: Question, workload: Workload) -> ServingLoad:
    prompt, answer = lengths_of(workload)
    users = question.case.number("users")
    return ServingLoad(prompt, answer, users=None if users is None else float(users))


def _running_memory(question: Question, placed: Placed, workload: Workload) -> LayoutMemory:
    """Memory at the length requests have on average while they run: it bounds how many run at once."""
    if workload.input_tokens is None or workload.output_tokens is None:
        return placed.memory
    mean = workload.input_tokens + (workload.output_tokens + 1) // 2
    load = ServeLoad(question.load.users, mean, question.load.max_context_tokens)
    return size_serving(
        question.model,
        question.weight_format,
        question.settings,
        placed.layout,
        placed.instances,
        question.ground.devices,
        load,
        Policy(),
    )


def _range(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    return {name: _rounded(getattr(estimate, name)) for name in ("low", "expected", "high")}


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _speed(speed: Speed) -> dict[str, Any]:
    names = (
        "output_tokens_per_s",
        "output_tokens_per_s_per_user",
        "time_to_first_token_s",
        "time_per_output_token_s",
        "prefill_tokens_per_s",
        "users_in_flight",
    )
    found: dict[str, Any] = {name: _range(getattr(speed, name)) for name in names}
    return {**found, "saturated": speed.saturated, "calibrated": speed.calibrated}


def _training(speed: TrainingSpeed | None) -> dict[str, Any] | None:
    if speed is None:
        return None
    names = ("tokens_per_s", "step_s", "model_flops_utilisation", "time_to_finish_s", "gpu_months")
    return {**{name: _range(getattr(speed, name)) for name in names}, "calibrated": speed.calibrated}


def _layout(scored: ScoredLayout) -> dict[str, Any]:
    layout: Layout = scored.layout
    memory: LayoutMemory = scored.memory
    first: Instance | None = scored.instances[0] if scored.instances else None
    reason = scored.lost_because
    speed = _speed(scored.speed) if scored.speed is not None else _training(scored.training)
    return {
        "tensor_parallel": layout.tensor_parallel,
        "pipeline_parallel": layout.pipeline_parallel,
        "expert_parallel": layout.expert_parallel,
        "data_parallel_attention": layout.data_parallel_attention,
        "replicas": layout.replicas,
        "split": layout.split,
        "offload": layout.offload,
        "layers_per_stage": list(first.layers_per_stage) if first is not None else [],
        "idle_gpus": len(scored.idle_gpu_ids),
        "fits": memory.fit,
        "users_served": _range(memory.users_served),
        "headroom_share": round(memory.headroom_share, 4),
        "speed": speed,
        "chosen": reason is None,
        "reason": None if reason is None else {"code": reason.code, "text": Wording().text(reason)},
    }


def _curve(curve: Efficiency | None) -> dict[str, Any] | None:
    if curve is None:
        return None
    return {
        "baseline_gpus": curve.baseline_gpus,
        "fabric_needed_bytes_per_s": curve.fabric_needed_bytes_per_s,
        "points": [
            {
                "mode": each.mode,
                "gpus": each.gpus,
                "nodes": each.nodes,
                "tokens_per_s": _range(each.tokens_per_s),
                "efficiency": _range(each.efficiency),
            }
            for each in curve.points
        ],
    }
