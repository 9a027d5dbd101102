"""A rich assessment made by hand, so that screens can be tried without the engines. Plausible, not computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from configurator.advice.results import Alternative, Finding, Step, SwitchPoint, UnknownFact, Verdict
from configurator.assess import Assessment, WorkloadAssessment
from configurator.catalogue import Catalogue, load_catalogue
from configurator.desktop.document import Assessor, Document
from configurator.operations.results import CostEstimate, FailureEffect, PowerDraw, ShoppingLine
from configurator.plan import templates
from configurator.plan.edits import update
from configurator.plan.index import gpus
from configurator.plan.model import Plan, Project
from configurator.plan.projects import active_plan
from configurator.scaling.results import Efficiency, EfficiencyPoint, Instance, Layout, ScoredLayout, Speed
from configurator.sizing.results import GpuMemory, LayoutMemory
from configurator.terms import Estimate, message

GIB = 2**30


def catalogue() -> Catalogue:
    return load_catalogue()


def project() -> Project:
    return templates.one_node(catalogue())


def spread(low: float, expected: float, high: float, unit: str = "") -> Estimate:
    return Estimate(low, expected, high, unit)


def gpu_memory(plan: Plan) -> tuple[GpuMemory, ...]:
    known = catalogue()
    found = []
    for _, _, _, gpu in gpus(plan):
        total = known.gpus[gpu.gpu].memory_usable_bytes if gpu.gpu in known.gpus else 96 * GIB
        weights, kv, work, overhead = 17 * GIB, 42 * GIB, 4 * GIB, 2 * GIB
        parts = (weights, kv, work, overhead)
        scale = min(1.0, total / (96 * GIB))
        weights, kv, work, overhead = (int(part * scale) for part in parts)
        free = total - weights - kv - work - overhead
        found.append(GpuMemory(gpu.id, gpu.gpu, total, weights, kv, work, overhead, free, kv_pool_bytes=60 * GIB))
    return tuple(found)


def scored(plan: Plan, copies: int = 2) -> ScoredLayout:
    ids = [gpu.id for _, _, _, gpu in gpus(plan)]
    size = max(1, len(ids) // copies)
    instances = tuple(Instance((tuple(ids[number * size : number * size + size]),), (80,)) for number in range(copies))
    speed = Speed(
        output_tokens_per_s=spread(1400, 1650, 1900, "tokens/s"),
        output_tokens_per_s_per_user=spread(25, 31, 36, "tokens/s"),
        time_to_first_token_s=spread(0.6, 0.8, 1.1, "s"),
        time_per_output_token_s=spread(0.028, 0.032, 0.040, "s"),
        prefill_tokens_per_s=spread(9000, 12000, 15000, "tokens/s"),
        users_in_flight=spread(32, 32, 32),
        saturated=False,
        limited_by=message("limited.memory_bandwidth"),
        calibrated=True,
    )
    memory = LayoutMemory(
        fit="serves_with_reserve",
        per_gpu=gpu_memory(plan),
        kv_cache_tokens=spread(1_400_000, 1_500_000, 1_600_000),
        max_concurrency=spread(170, 185, 195),
        users_served=spread(90, 104, 120),
        max_context_tokens=46_000,
        weights_share=0.18,
        headroom_share=0.32,
    )
    return ScoredLayout(
        Layout("vllm", copies, 1, size), instances, tuple(ids[copies * size :]), memory, speed, None, 1.0, None
    )


GOOD = Verdict(
    "single-node",
    "good",
    message("headline.one_node"),
    (
        message("reason.weights", weights_bytes=70 * GIB, memory_bytes=382 * GIB, gpus=4, weights_share=0.18),
        message("reason.load", served_users=spread(90, 104, 120), asked_users=32),
        message(
            "reason.speed",
            user_tokens_per_s=spread(25, 31, 36, "tokens/s"),
            total_tokens_per_s=spread(1400, 1650, 1900, "tokens/s"),
        ),
    ),
)
STOP = Verdict(
    "does-not-fit",
    "stop",
    message("headline.too_large"),
    (message("reason.short", weights_bytes=756 * GIB, memory_bytes=764 * GIB),),
)


def steps() -> tuple[Step, ...]:
    fit = message(
        "step.numbers.fit",
        gpus=4,
        precision_code="precision.asked",
        weights_share=0.18,
        headroom_share=0.32,
        served_users=spread(90, 104, 120),
        asked_users=32,
        fit_code="fit.serves_with_reserve",
        weights_bytes=70 * GIB,
        memory_bytes=382 * GIB,
    )
    question = message("step.1.question.owned", headroom_low_share=0.3, headroom_high_share=0.4)
    not_asked = message("step.not_asked")
    later = (
        message("step.2.question.owned"),
        message("step.3.question"),
        message("step.4.question"),
        message("step.5.question"),
    )
    return (
        Step(1, "owned", question, "yes", fit, "R59", None),
        *(
            Step(number, "owned", each, "not_asked", not_asked, f"R{58 + number}", None)
            for number, each in enumerate(later, 2)
        ),
    )


def findings(plan: Plan) -> tuple[Finding, ...]:
    server = plan.sites[0].servers[0].id
    site = plan.sites[0].id
    cards = [gpu.id for _, _, _, gpu in gpus(plan)]
    return (
        Finding(
            "power.over_limit",
            "will_not_work",
            (site,),
            message("The circuit carries 3 680 W; these cards and their server draw up to 5 900 W."),
            message("Ask for a second circuit, or lower the power limit of the cards to 300 W."),
            "calculated",
            "",
            fix=lambda plan: update(plan, cards[0], power_limit_w=300.0),
        ),
        Finding(
            "topology.assumed",
            "one_more_step",
            (server,),
            message("How the cards of node-1 are wired is assumed from the catalogue."),
            message("Run nvidia-smi topo -m and import what it prints."),
            "assumed",
            "R10",
        ),
        Finding(
            "model.alternative_precision",
            "good_to_know",
            (cards[0],),
            message("In 4 bits the same model serves about twice as many people."),
            None,
            "calculated",
            "R60",
        ),
    )


def alternatives() -> tuple[Alternative, ...]:
    return (
        Alternative(
            "two-nodes",
            message("Two servers with four cards each"),
            (message("One more server, one more power supply, no special network"),),
            replace(GOOD, code="replicas", headline=message("headline.copies", copies=2)),
            spread(85, 98, 115),
            spread(1300, 1550, 1800, "tokens/s"),
            spread(104_000, 104_000, 104_000, "EUR"),
            spread(17_800, 20_000, 23_300, "EUR/year"),
            message("Half stops when a server fails"),
            lambda plan: plan,
            1,
        ),
        Alternative(
            "int4",
            message("The same cards, model in 4 bits"),
            (message("Weights AWQ INT4 in place of FP8"),),
            GOOD,
            spread(150, 170, 190),
            spread(1800, 2100, 2400, "tokens/s"),
            Estimate.exact(0.0, "EUR"),
            spread(15_000, 16_900, 19_300, "EUR/year"),
            None,
            lambda plan: plan,
            2,
        ),
    )


def unknowns(plan: Plan) -> tuple[UnknownFact, ...]:
    return (
        UnknownFact(
            plan.sites[0].servers[0].id,
            message("How are the cards wired inside node-1?"),
            "who.operator",
            "nvidia-smi topo -m",
            (
                (message("Two PCIe switches"), GOOD),
                (message("Through the processor only"), replace(GOOD, light="step")),
            ),
        ),
    )


def power(plan: Plan) -> tuple[PowerDraw, ...]:
    def one(subject: str, factor: float = 1.0) -> PowerDraw:
        return PowerDraw(
            subject,
            spread(400 * factor, 460 * factor, 540 * factor, "W"),
            spread(800 * factor, 920 * factor, 1060 * factor, "W"),
            spread(4800 * factor, 5400 * factor, 5900 * factor, "W"),
            6400 * factor,
        )

    sites = tuple(one(site.id, 1 / len(plan.sites)) for site in plan.sites)
    return (*sites, one("plan"))


def shopping(plan: Plan) -> tuple[ShoppingLine, ...]:
    cards = tuple(gpu.id for _, _, _, gpu in gpus(plan))
    server = tuple(server.id for site in plan.sites for server in site.servers)
    known = catalogue()
    named = known.gpus[gpus_of(plan)[0]].name if cards else "GPU"
    return (
        ShoppingLine(
            gpus_of(plan)[0] if cards else "gpu",
            named,
            "gpu",
            len(cards),
            spread(8_900, 9_700, 10_900, "EUR"),
            spread(71_200, 77_600, 87_200, "EUR"),
            "2026-11-28",
            "street price",
            False,
            cards,
        ),
        ShoppingLine(
            "generic-4u5u-8gpu-switch",
            "4U server with two PCIe switches",
            "server",
            len(server),
            spread(18_000, 20_400, 24_000, "EUR"),
            spread(18_000, 20_400, 24_000, "EUR"),
            "2026-11-12",
            "quote range",
            False,
            server,
        ),
    )


def gpus_of(plan: Plan) -> list[str]:
    return [gpu.gpu for _, _, _, gpu in gpus(plan)]


def cost(plan: Plan, factor: float = 1.0) -> CostEstimate:
    def year(low: float, expected: float, high: float) -> Estimate:
        return spread(low * factor, expected * factor, high * factor, "EUR/year")

    return CostEstimate(
        currency="EUR",
        purchase=spread(89_000 * factor, 98_000 * factor, 111_000 * factor, "EUR"),
        capital_per_year=year(9_300, 10_400, 12_000),
        energy_kwh_per_year=spread(14_000, 17_500, 21_000, "kWh/year"),
        energy_per_year=year(2_700, 3_300, 4_000),
        maintenance_per_year=year(900, 1_100, 1_400),
        staff_per_year=year(1_200, 1_900, 2_900),
        staff_hours_per_month=spread(2, 3, 4, "h"),
        network_per_year=year(0, 0, 0),
        other_per_year=year(0, 0, 0),
        failure_per_year=year(120, 300, 700),
        total_per_year=year(14_900, 17_000, 19_300),
        tokens_per_year=spread(7.2e9, 8.6e9, 1.0e10),
        per_million_tokens=spread(1.9 * factor, 2.2 * factor, 2.6 * factor, "EUR"),
        busy_share=spread(0.16, 0.2, 0.26, "share"),
        availability=spread(0.985, 0.992, 0.996, "share"),
        shopping=shopping(plan),
        assumptions=(
            message("Electricity 0.19 EUR per kWh, entered by the owner."),
            message("Busy 20 % of the year: usual for an office (assumed)."),
        ),
    )


def efficiency() -> Efficiency:
    def point(mode: str, count: int, nodes: int, share: float) -> EfficiencyPoint:
        rate = 260 * count * share
        return EfficiencyPoint(
            mode,
            count,
            nodes,
            spread(rate * 0.9, rate, rate * 1.1, "tokens/s"),
            spread(share * 0.92, share, min(1.0, share * 1.06)),
        )

    return Efficiency(
        1,
        (
            *(point("tp", n, 1, share) for n, share in ((1, 1.0), (2, 0.92), (4, 0.83), (8, 0.73))),
            *(point("dp", n, 1, share) for n, share in ((1, 1.0), (2, 0.995), (4, 0.99), (8, 0.98))),
            *(point("tp_across", n, n // 8, share) for n, share in ((16, 0.41), (32, 0.30))),
        ),
        25e9,
    )


def failures(plan: Plan) -> tuple[FailureEffect, ...]:
    workload = plan.workloads[0].id
    card = next(gpu.id for _, _, _, gpu in gpus(plan))
    server = plan.sites[0].servers[0].id
    half = message("One of two copies stops; the other goes on.")
    none = message("Nothing answers until the server is back.")
    return (
        FailureEffect(card, workload, False, 0.5, spread(4, 10, 16), spread(60, 120, 240, "s"), half),
        FailureEffect(server, workload, True, 0.0, spread(20, 32, 32), spread(600, 1800, 7200, "s"), none),
    )


def switch_points() -> tuple[SwitchPoint, ...]:
    return (
        SwitchPoint(
            "users",
            120,
            "users",
            "single-node",
            "replicas",
            message("More than about 120 people at once: a second server with copies, still no cluster."),
        ),
        SwitchPoint(
            "model",
            400e9,
            "parameters",
            "single-node",
            "cluster",
            message("A model beyond 400 billion parameters: two servers, split inside, chained between."),
        ),
    )


def assessment(
    subject: Project | None = None, *, verdict: Verdict = GOOD, factor: float = 1.0, deep: bool = True
) -> Assessment:
    """The answer for the first example; ``factor`` scales money and speed for tests of differences."""
    subject = subject or project()
    plan = active_plan(subject)
    workloads = []
    for workload in plan.workloads:
        chosen = scored(plan)
        workloads.append(
            WorkloadAssessment(
                workload_id=workload.id,
                fit="serves_with_reserve" if verdict.light == "good" else "no",
                verdict=verdict,
                chosen=chosen,
                layouts=(
                    chosen,
                    replace(
                        chosen,
                        layout=Layout("vllm", 1, 1, 8),
                        score=0.8,
                        lost_because=message("One copy over eight cards answers faster but serves fewer."),
                    ),
                ),
                per_gpu=chosen.memory.per_gpu,
                kv_cache_tokens=chosen.memory.kv_cache_tokens,
                max_concurrency=chosen.memory.max_concurrency,
                users_served=chosen.memory.users_served.scaled(factor),
                max_context_tokens=chosen.memory.max_context_tokens,
                steps=steps(),
                efficiency=efficiency(),
                failures=failures(plan),
                switch_points=switch_points() if deep else (),
                unknowns=unknowns(plan) if deep else (),
            )
        )
    return Assessment(
        project_id=subject.id,
        plan_id=plan.id,
        verdict=verdict,
        workloads=tuple(workloads),
        power=power(plan),
        cost=cost(plan, factor),
        findings=findings(plan) if plan.sites and plan.sites[0].servers and gpus_of(plan) else (),
        alternatives=alternatives() if deep else (),
        not_checked=("not_checked.noise", "not_checked.floor_load"),
    )


def made_up(make: Callable[[Project], Assessment] = assessment) -> Assessor:
    """Something a document can ask instead of the engines."""

    def answer(project: Project, catalogue: Catalogue, plan_id: str | None = None, *, deep: bool = False) -> Assessment:
        return make(project)

    return answer


def document(subject: Project | None = None, make: Callable[[Project], Assessment] = assessment) -> Document:
    """A document that already has a made-up answer."""
    made = Document(catalogue(), subject or project(), made_up(make), deep=False)
    made.assess_now()
    return made
