"""The pilot (R12-R15): at least two scenarios, fixed conditions, failures, limits for acceptance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil, floor, log10

from configurator.advice.situation import Situation, at_least, cards_of
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
    (
        "scenarios",
        "vllm bench serve --dataset-name custom --max-concurrency {users} --save-result --save-detailed",
        True,
    ),
    ("soak", "vllm bench serve --num-prompts 100000 --request-rate 1", True),
)
USUAL_FIRST_WORD_S, USUAL_PACE_TOKENS_PER_S = 2.0, 15.0
"""Limits where none is agreed: a wait that is not felt as one, and faster than people read."""
TRAINING_SCRIPT = "<your training script> --max_steps 200"
TRAINING_STEPS: tuple[tuple[str, str, bool], ...] = (
    *STEPS[:3],
    ("short_run", "{run}", True),
    ("resume", "kill -9 <worker>; torchrun ... --resume_from_checkpoint <last one>", True),
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
    if s.training:
        return _training_plan(s, conditions)
    bench = f"vllm bench serve --model {s.model.hf_id or s.model.id} --max-concurrency {conditions.users} --save-result"
    independent = PilotScenario("independent", message("pilot.scenario.independent"), conditions, bench)
    coordinated = PilotScenario("coordinated", message("pilot.scenario.coordinated"), conditions, bench)
    distributed = s.spans or len(s.copy_cards) > 1 or not at_least(s.fit, "starts")
    scenarios = (coordinated, independent) if distributed else (independent, coordinated)
    steps = _steps(STEPS, "{users}", str(conditions.users))
    failures = _failures(s, ("worker", "server", "network", "replica"))
    return PilotPlan(scenarios, steps, failures, _limits(s))


def _training_plan(s: Situation, conditions: PilotConditions) -> PilotPlan:
    """A training answers nobody: it is tried by a short run, and by going on after a stop."""
    cards = sum(len(cards_of(each)) for each in s.chosen.instances) if s.chosen is not None else 1
    boxes = max(1, len(s.shape.boxes))
    nodes = f"--nnodes {boxes} " if boxes > 1 else ""
    run = f"torchrun {nodes}--nproc-per-node {max(1, cards // boxes)} {TRAINING_SCRIPT}"
    scenarios = (
        PilotScenario("coordinated", message("pilot.scenario.all_cards"), conditions, run),
        PilotScenario(
            "independent",
            message("pilot.scenario.one_card"),
            conditions,
            f"torchrun --nproc-per-node 1 {TRAINING_SCRIPT}",
        ),
    )
    limits = [
        message("pilot.limit.resume", limit_s=600.0),
        message("pilot.limit.energy", limit_share=0.2),
    ]
    speed = s.chosen.training if s.chosen is not None else None
    if speed is not None and speed.tokens_per_s.low > 0:
        slowest = _two_figures(speed.tokens_per_s.low, up=False)
        limits.insert(0, message("pilot.limit.training_speed", limit_tokens_per_s=slowest))
    failures = _failures(s, ("worker", "server", "network"))
    return PilotPlan(scenarios, _steps(TRAINING_STEPS, "{run}", run), failures, tuple(limits))


def _steps(table: tuple[tuple[str, str, bool], ...], name: str, value: str) -> tuple[PilotStep, ...]:
    return tuple(
        PilotStep(
            code,
            message(f"pilot.step.{code}"),
            command.replace(name, value),
            message(f"pilot.pass.{code}") if marked else None,
        )
        for code, command, marked in table
    )


def _failures(s: Situation, codes: tuple[str, ...]) -> tuple[PilotStep, ...]:
    return tuple(
        PilotStep(code, message(f"pilot.failure.{code}"), command, message("pilot.pass.failure"))
        for code, command in FAILURES
        if code in codes and (code != "network" or len(s.shape.boxes) > 1)
    )


def _limits(s: Situation) -> tuple[Message, ...]:
    load = s.workload
    return (
        _first_word(s),
        _pace(s),
        message("pilot.limit.errors", limit_share=0.005),
        message("pilot.limit.preemption", context_tokens=load.context_tokens or 8192),
        message("pilot.limit.recovery", limit_s=600.0),
        message("pilot.limit.energy", limit_share=0.2),
    )


def _first_word(s: Situation) -> Message:
    """The agreed limit; without one the usual limit, or the high end of the forecast where that is later."""
    load, speed = s.workload, s.chosen.speed if s.chosen is not None else None
    users = load.users or 1
    if load.time_to_first_token_limit_s:
        return message("pilot.limit.first_word_agreed", limit_s=load.time_to_first_token_limit_s, users=users)
    if speed is not None and speed.time_to_first_token_s.high > USUAL_FIRST_WORD_S:
        latest = _two_figures(speed.time_to_first_token_s.high, up=True)
        return message("pilot.limit.first_word_forecast", limit_s=latest, users=users)
    return message("pilot.limit.first_word", limit_s=USUAL_FIRST_WORD_S, users=users)


def _pace(s: Situation) -> Message:
    """The agreed limit; without one the usual limit, or the low end of the forecast where that is slower.

    A proposal may not ask for more than it forecasts: the pilot could not pass.
    """
    agreed, speed = s.workload.tokens_per_s_per_user_limit, s.chosen.speed if s.chosen is not None else None
    if agreed:
        return message("pilot.limit.pace_agreed", limit_tokens_per_s=agreed)
    if speed is not None and 0 < speed.output_tokens_per_s_per_user.low < USUAL_PACE_TOKENS_PER_S:
        slowest = _two_figures(speed.output_tokens_per_s_per_user.low, up=False)
        return message("pilot.limit.pace_forecast", limit_tokens_per_s=slowest)
    return message("pilot.limit.pace", limit_tokens_per_s=USUAL_PACE_TOKENS_PER_S)


def _two_figures(value: float, *, up: bool) -> float:
    """Two significant figures, never on the far side of the forecast."""
    step = 10.0 ** (floor(log10(value)) - 1)
    # Ends of floating point: 5.3 must not become 5.2.
    whole = ceil(value / step - 1e-9) if up else floor(value / step + 1e-9)
    return float(f"{whole * step:.2g}")


def comparable(a: PilotConditions, b: PilotConditions) -> Message | None:
    """R14: why two runs may not be compared; None when they may."""
    differing = tuple(each.name for each in fields(PilotConditions) if getattr(a, each.name) != getattr(b, each.name))
    if not differing:
        return None
    return message("pilot.not_comparable", differing=differing)
