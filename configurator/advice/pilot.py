"""The pilot (R12-R15): at least two scenarios, fixed conditions, failures, limits for acceptance."""

from __future__ import annotations

from dataclasses import dataclass, fields

from configurator.advice.situation import Situation, at_least
from configurator.terms import Message, message


@dataclass(frozen=True, slots=True)
class PilotConditions:
    """What must be the same in runs that are compared (R14)."""

    model: str
    weights: str
    engine: str
    context_tokens: int
    request_set: str
    users: int


@dataclass(frozen=True, slots=True)
class PilotScenario:
    """One way to run it in the pilot; ``command`` is the measuring tool's."""

    code: str
    title: Message
    conditions: PilotConditions
    command: str


@dataclass(frozen=True, slots=True)
class PilotStep:
    """One step with its pass mark."""

    code: str
    text: Message
    command: str
    passes: Message | None


@dataclass(frozen=True, slots=True)
class PilotPlan:
    """Scenarios to compare, steps in order, failures to inject, and limits agreed beforehand."""

    scenarios: tuple[PilotScenario, ...]
    steps: tuple[PilotStep, ...]
    failures: tuple[PilotStep, ...]
    limits: tuple[Message, ...]


STEPS: tuple[tuple[str, str, bool], ...] = (
    (
        "inventory",
        "nvidia-smi topo -m; nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv",
        True,
    ),
    ("burn_in", "dcgmi diag -r 3; gpu_burn -tc 3600", True),
    ("links", "p2pBandwidthLatencyTest; all_reduce_perf -b 8 -e 1G -f 2 -g 8", True),
    ("single_card", "vllm bench serve --dataset-name random --max-concurrency 1 --save-result", False),
    ("scenarios", "vllm bench serve --dataset-name custom --max-concurrency 16 --save-result --save-detailed", True),
    ("soak", "vllm bench serve --num-prompts 100000 --request-rate 1", True),
)
FAILURES: tuple[tuple[str, str], ...] = (
    ("worker", "kill -9 <worker>"),
    ("server", "power off one server"),
    ("network", "tc qdisc add dev <nic> root netem delay 5ms loss 0.1%"),
    ("replica", "stop one copy behind the router"),
)


def pilot_plan(s: Situation) -> PilotPlan | None:
    """The plan of the pilot for one workload; None while no model is chosen."""
    if s.model is None:
        return None
    load = s.workload
    conditions = PilotConditions(
        model=s.model.id,
        weights=load.weights,
        engine=load.engine,
        context_tokens=load.context_tokens or 8192,
        request_set="50 own questions, fixed order",
        users=load.users or 1,
    )
    bench = f"vllm bench serve --model {s.model.hf_id or s.model.id} --max-concurrency {conditions.users} --save-result"
    independent = PilotScenario("independent", message("pilot.scenario.independent"), conditions, bench)
    coordinated = PilotScenario("coordinated", message("pilot.scenario.coordinated"), conditions, bench)
    distributed = s.spans or len(s.copy_cards) > 1 or not at_least(s.fit, "starts")
    scenarios = (coordinated, independent) if distributed else (independent, coordinated)
    steps = tuple(
        PilotStep(code, message(f"pilot.step.{code}"), command, message(f"pilot.pass.{code}") if marked else None)
        for code, command, marked in STEPS
    )
    failures = tuple(
        PilotStep(code, message(f"pilot.failure.{code}"), command, message("pilot.pass.failure"))
        for code, command in FAILURES
        if code != "network" or len(s.shape.boxes) > 1
    )
    return PilotPlan(scenarios, steps, failures, _limits(s))


def _limits(s: Situation) -> tuple[Message, ...]:
    load = s.workload
    return (
        message("pilot.limit.first_word", limit_s=load.time_to_first_token_limit_s or 2.0, users=load.users or 1),
        message("pilot.limit.pace", limit_tokens_per_s=load.tokens_per_s_per_user_limit or 15.0),
        message("pilot.limit.errors", limit_share=0.005),
        message("pilot.limit.preemption", context_tokens=load.context_tokens or 8192),
        message("pilot.limit.recovery", limit_s=600.0),
        message("pilot.limit.energy", limit_share=0.2),
    )


def comparable(a: PilotConditions, b: PilotConditions) -> Message | None:
    """R14: why two runs may not be compared; None when they may."""
    differing = tuple(each.name for each in fields(PilotConditions) if getattr(a, each.name) != getattr(b, each.name))
    if not differing:
        return None
    return message("pilot.not_comparable", differing=differing)
