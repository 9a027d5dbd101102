"""An answer with every part filled and every figure known, so that the pages can be checked against it.

The figures are hand-made; only cost and power come from the engines.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict
from configurator.assess import Assessment, WorkloadAssessment
from configurator.catalogue import load_catalogue
from configurator.operations import cost, power_draw
from configurator.operations.results import FailureEffect
from configurator.plan.index import gpus, servers
from configurator.plan.model import Plan, Project
from configurator.plan.templates import one_node
from configurator.proposal.material import AtContext, Material
from configurator.scaling.results import Efficiency, EfficiencyPoint, Instance, Layout, ScoredLayout, Speed
from configurator.sizing.results import GpuMemory, LayoutMemory
from configurator.terms import Estimate, Message, message
from configurator.wording import Wording
from configurator.wording.names import named

CATALOGUE = load_catalogue()
GIB = 1024**3
USERS = Estimate(90, 104, 121)
FIRST_WORD = Estimate(0.61, 0.84, 1.12, "s")
EACH = Estimate(19.0, 23.0, 27.0, "tokens/s")
TOTAL = Estimate(1400, 1650, 1900, "tokens/s")
PREFILL = Estimate(8200, 9900, 12000, "tokens/s")


def project() -> Project:
    """One 8-GPU node, with names that need the whole alphabet."""
    base = one_node(CATALOGUE)
    return base.model_validate({
        **base.model_dump(),
        "client": "Ústav ťažkých výpočtov Ľ. Štúra, Žilina & Москва <s.r.o.>",
        "author": "Jana Čierna",
    })  # fmt: skip


def assessment(owner: Project) -> Assessment:
    """Everything answered."""
    plan = owner.plans[0]
    chosen = _chosen(plan)
    power = power_draw(plan, CATALOGUE)
    money = cost(owner, plan, CATALOGUE, {plan.workloads[0].id: chosen}, power=power)
    verdict = Verdict(
        "replicas",
        "good",
        message("headline.copies", copies=2),
        (
            message("reason.weights", weights_bytes=71 * GIB, memory_bytes=382 * GIB, gpus=4, weights_share=0.186),
            message("reason.load", served_users=USERS, asked_users=32),
            message("reason.speed", user_tokens_per_s=EACH, total_tokens_per_s=TOTAL),
        ),
    )
    lost = replace(
        chosen,
        layout=Layout("vllm", 1, 1, 8),
        score=0.5,
        lost_because=message("layout.slower"),
    )
    answer = WorkloadAssessment(
        workload_id=plan.workloads[0].id,
        fit="serves_with_reserve",
        verdict=verdict,
        chosen=chosen,
        layouts=(chosen, lost),
        per_gpu=chosen.memory.per_gpu,
        kv_cache_tokens=chosen.memory.kv_cache_tokens,
        max_concurrency=chosen.memory.max_concurrency,
        users_served=USERS,
        max_context_tokens=24576,
        steps=_steps(),
        efficiency=Efficiency(
            1,
            (
                EfficiencyPoint("dp", 8, 1, TOTAL, Estimate(0.95, 0.97, 1.0)),
                EfficiencyPoint("tp", 8, 1, TOTAL.scaled(0.8), Estimate(0.68, 0.73, 0.77)),
                EfficiencyPoint("tp_across", 8, 2, TOTAL.scaled(0.5), Estimate(0.3, 0.42, 0.5)),
            ),
            23e9,
        ),
        failures=_failures(plan),
        switch_points=(SwitchPoint("users", 121, "users", "replicas", "change-fabric", Message("step.changes.users")),),
        unknowns=(
            UnknownFact(
                "server-1",
                message("step.changes.users"),
                "who.operator",
                "nvidia-smi topo -m",
                ((message("step.3.load"), verdict), (message("step.changes.model"), verdict)),
            ),
        ),
    )
    return Assessment(
        project_id=owner.id,
        plan_id=plan.id,
        verdict=verdict,
        workloads=(answer,),
        power=power,
        cost=money,
        findings=_findings(),
        alternatives=_alternatives(verdict),
        not_checked=("noise", "floor load"),
    )


def _chosen(plan: Plan) -> ScoredLayout:
    ids = [gpu.id for _, _, _, gpu in gpus(plan)]
    usable = 97_887 * 1024**2
    parts = {"weights": 18 * GIB, "kv": 42 * GIB, "working": 4 * GIB, "overhead": 2 * GIB}
    card = GpuMemory(
        "",
        "nvidia-rtx-pro-6000-blackwell-server",
        usable,
        parts["weights"],
        parts["kv"],
        parts["working"],
        parts["overhead"],
        usable - sum(parts.values()),
        kv_pool_bytes=68 * GIB,
    )
    memory = LayoutMemory(
        fit="serves_with_reserve",
        per_gpu=tuple(replace(card, gpu_id=each) for each in ids),
        kv_cache_tokens=Estimate(880_000, 905_000, 930_000, "tokens"),
        max_concurrency=Estimate(107, 110, 113),
        users_served=USERS,
        max_context_tokens=24576,
        weights_share=0.188,
        headroom_share=0.31,
    )
    speed = Speed(TOTAL, EACH, FIRST_WORD, Estimate(0.037, 0.043, 0.052, "s"), PREFILL, Estimate.exact(32), False,
                  message("limited.memory_bandwidth"), True)  # fmt: skip
    instances = tuple(Instance((tuple(ids[start : start + 4]),), (80,)) for start in (0, 4))
    return ScoredLayout(Layout("vllm", 2, 1, 4), instances, (), memory, speed, None, 1.0, None)


def _steps() -> tuple[Step, ...]:
    numbers = message(
        "step.numbers.fit",
        gpus=4,
        precision_code="precision.asked",
        weights_share=0.188,
        headroom_share=0.31,
        served_users=USERS,
        asked_users=32,
        fit_code="fit.serves_with_reserve",
        weights_bytes=71 * GIB,
        memory_bytes=382 * GIB,
    )
    low_high = {"headroom_low_share": 0.3, "headroom_high_share": 0.4}
    changes = message("step.changes.load", served_users=USERS, max_context_tokens=24576)
    rest = message("step.not_asked")
    first = message("step.1.question.owned", **low_high)
    return (
        Step(1, "owned", first, "yes", numbers, "R59", changes),
        Step(2, "owned", message("step.2.question.owned"), "not_asked", rest, "R60", None),
        Step(3, "owned", message("step.3.question"), "not_asked", rest, "R61", None),
        Step(4, "owned", message("step.4.question"), "not_asked", rest, "R62", None),
        Step(5, "owned", message("step.5.question"), "not_asked", rest, "R63", None),
    )


def _failures(plan: Plan) -> tuple[FailureEffect, ...]:
    found = []
    workload = plan.workloads[0].id
    lost, back = Estimate(8, 12, 16), Estimate(120, 240, 600, "s")
    for _, _, _, gpu in gpus(plan):
        found.append(FailureEffect(gpu.id, workload, False, 0.5, lost, back, message("step.3.load")))
    for _, server in servers(plan):
        found.append(FailureEffect(server.id, workload, True, 0.0, lost, back, message("step.3.load")))
    return tuple(found)


def _findings() -> tuple[Finding, ...]:
    text, action = message("reason.no_model"), message("step.changes.model")
    return (
        Finding("one", "one_more_step", ("server-1",), text, action, "rule", "R10"),
        Finding("two", "good_to_know", (), message("reason.giant"), None, "rule", "R33"),
        Finding("three", "will_not_work", (), message("reason.no_cards"), action, "physics", ""),
        Finding("four", "one_more_step", (), text, action, "rule", "R66", set_aside_remark="Prúd posilníme v máji."),
    )


def _alternatives(verdict: Verdict) -> tuple[Alternative, ...]:
    fails = message("step.3.load")
    money = Estimate(88_000, 104_000, 121_000, "EUR")
    year = Estimate(31_000, 38_000, 47_000, "EUR/year")
    return tuple(
        Alternative(
            f"alternative-{number}",
            message("headline.one_node"),
            (message("step.changes.fabric"),),
            verdict,
            USERS.scaled(0.9),
            TOTAL.scaled(0.9),
            money,
            year,
            fails,
            None,
            number,
        )
        for number in range(3)
    )


def material(owner: Project | None = None) -> Material:
    """Everything a proposal is written from."""
    owner = owner or project()
    answer = assessment(owner)
    plan = owner.plans[0]
    date = dt.date(2026, 11, 30)
    workload = plan.workloads[0].id
    return Material(
        project=owner,
        plan=plan,
        catalogue=CATALOGUE,
        assessment=answer,
        others=(),
        wording=named(Wording(currency=owner.currency), plan, CATALOGUE),
        date=date,
        valid_until=date + dt.timedelta(days=30),
        by_context=(
            AtContext(workload, 2048, "serves_with_reserve", USERS.scaled(4.0), False),
            AtContext(workload, 8192, "serves_with_reserve", USERS, True),
            AtContext(workload, 32768, "starts", USERS.scaled(0.25), False),
        ),
    )
