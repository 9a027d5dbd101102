"""The pilot (R12-R15): two scenarios where two exist, fixed conditions, failures, limits for acceptance."""

from __future__ import annotations

from dataclasses import dataclass, fields

from configurator.advice.pilot_commands import burn_in, exchange, inventory, makers, measured_by, served_by, slotted
from configurator.advice.situation import Situation, at_least, cards_of, offloaded
from configurator.scaling.results import Layout, ScoredLayout, Speed
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


USUAL_FIRST_WORD_S, USUAL_PACE_TOKENS_PER_S = 2.0, 15.0
"""Limits where none is agreed: a wait that is not felt as one, and faster than people read."""
RESTART_S = 600.0
"""Within this a stopped program is back, where loading the model does not take longer."""
TRAINING_SCRIPT = "<your training script> --max_steps 200"
PUSHES_BACK = ("vllm", "sglang", "tensorrt-llm")
"""Engines that push a request back when the memory of the conversations is full."""


def pilot_plan(s: Situation) -> PilotPlan | None:
    """The plan of the pilot for one workload; None while no model is chosen or the plan itself must change first."""
    if s.model is None or s.chosen is None or not usable(s):
        return None
    load = s.workload
    conditions = PilotConditions(
        model=s.model.id,
        weights=load.weights,
        engine=s.chosen.layout.engine,
        context_tokens=load.context_tokens or 8192,
        request_set="50 own questions, fixed order",
        users=load.users or 1,
    )
    if s.training:
        return _training_plan(s, conditions)
    scenarios = (_scenario(s, s.chosen, conditions), *_other(s, s.chosen, conditions))
    return PilotPlan(scenarios, _serving_steps(s, conditions), _failures(s), _limits(s))


def usable(s: Situation) -> bool:
    """It starts, and the forecast keeps the limits of a usable chat: else a pilot would only prove what is known."""
    if s.chosen is None or not at_least(s.fit, "starts"):
        return False
    speed = forecast(s)
    if speed is None or s.workload.task != "chat":
        return True
    most_s, least = _usable_limits(s)
    return speed.time_to_first_token_s.expected <= most_s and speed.output_tokens_per_s_per_user.expected >= least


def forecast(s: Situation) -> Speed | None:
    """The speed of the people that are asked; of one person where nobody said how many."""
    if s.workload.users is None and s.workload.task == "chat" and s.alone is not None:
        return s.alone
    return s.chosen.speed if s.chosen is not None else None


def _usable_limits(s: Situation) -> tuple[float, float]:
    """Longest wait in s and slowest pace in tokens/s: the owner's, else those of the project."""
    load, policy = s.workload, s.policy
    return (
        load.time_to_first_token_limit_s or policy.chat_first_word_s,
        load.tokens_per_s_per_user_limit or policy.chat_tokens_per_s,
    )


def _scenario(s: Situation, scored: ScoredLayout, conditions: PilotConditions, code: str = "") -> PilotScenario:
    layout = scored.layout
    apart = layout.replicas > 1 or layout.width == 1
    return PilotScenario(
        code or ("independent" if apart else "coordinated"), _told(layout), conditions, served_by(s, layout)
    )


def _told(layout: Layout) -> Message:
    """A layout as the title of a scenario."""
    wide, long = layout.tensor_parallel, layout.pipeline_parallel
    shape = "both" if wide > 1 and long > 1 else "split" if wide > 1 else "chain" if long > 1 else "card"
    many = ".copies" if layout.replicas > 1 else ""
    return message(
        f"pilot.scenario.{shape}{many}",
        copies=layout.replicas,
        gpus=layout.width,
        split_gpus=wide,
        stages=long,
    )


def _other(s: Situation, chosen: ScoredLayout, conditions: PilotConditions) -> tuple[PilotScenario, ...]:
    """What the recommended way is compared with (R13): cards on their own against one coordinated run where both
    exist, else another split, else fewer bits; nothing where nothing else runs on these cards.
    """
    running = [
        each
        for each in s.work.owned
        if each.layout != chosen.layout and each.instances and at_least(each.memory.fit, "starts")
        and not offloaded(each)
    ]  # fmt: skip
    apart = chosen.layout.replicas > 1 or chosen.layout.width == 1
    opposite = [
        each
        for each in running
        if (each.layout.replicas == 1 and each.layout.width > 1 if apart else each.layout.replicas > 1)
    ]
    if opposite:
        return (_scenario(s, opposite[0], conditions, "coordinated" if apart else "independent"),)
    if running:
        return (_scenario(s, running[0], conditions, "other_layout"),)
    four = next((each for each in s.work.layouts("owned", "int4") if at_least(each.memory.fit, "starts")), None)
    if four is not None:
        return (PilotScenario("four_bits", message("pilot.scenario.four_bits"), conditions, "<4-bit weights>"),)
    return ()


def _serving_steps(s: Situation, conditions: PilotConditions) -> tuple[PilotStep, ...]:
    bench = measured_by(s, conditions.users)
    steps = list(_machine_steps(s))
    if s.cards_needed == 1 and len(s.used_cards) > 1:
        steps.append(_step("single_card", measured_by(s, 1), None))
    steps.append(_step("scenarios", bench, "scenarios"))
    steps.append(_step("soak", "", "soak"))
    return tuple(steps)


def _machine_steps(s: Situation) -> tuple[PilotStep, ...]:
    """What is checked of the machine itself: only what its cards and connections have."""
    slots, nvidia = slotted(s), "NVIDIA" in makers(s)
    steps = [
        PilotStep(
            "inventory",
            message("pilot.step.inventory" if slots else "pilot.step.inventory_plain"),
            inventory(s),
            message("pilot.pass.inventory" if slots else "pilot.pass.inventory_plain"),
        ),
        PilotStep(
            "burn_in",
            message("pilot.step.burn_in"),
            burn_in(s),
            message("pilot.pass.burn_in" if nvidia else "pilot.pass.burn_in_plain"),
        ),
    ]
    command = exchange(s)
    if command:
        where = "links_across" if len(s.copy_servers) > 1 else "links"
        steps.append(PilotStep("links", message(f"pilot.step.{where}"), command, message("pilot.pass.links")))
    return tuple(steps)


def _step(code: str, command: str, passes: str | None) -> PilotStep:
    return PilotStep(
        code, message(f"pilot.step.{code}"), command, message(f"pilot.pass.{passes}") if passes is not None else None
    )


def _training_plan(s: Situation, conditions: PilotConditions) -> PilotPlan:
    """A training answers nobody: it is tried by a short run, and by going on after a stop."""
    cards = sum(len(cards_of(each)) for each in s.chosen.instances) if s.chosen is not None else 1
    boxes = max(1, len(s.shape.boxes))
    nodes = f"--nnodes {boxes} " if boxes > 1 else ""
    run = f"torchrun {nodes}--nproc-per-node {max(1, cards // boxes)} {TRAINING_SCRIPT}"
    scenarios = [PilotScenario("coordinated", message("pilot.scenario.all_cards"), conditions, run)]
    if cards > 1:
        alone = f"torchrun --nproc-per-node 1 {TRAINING_SCRIPT}"
        scenarios.append(PilotScenario("independent", message("pilot.scenario.one_card"), conditions, alone))
    limits = [
        message("pilot.limit.resume", limit_s=RESTART_S),
        message("pilot.limit.energy", limit_share=0.2),
    ]
    speed = s.chosen.training if s.chosen is not None else None
    if speed is not None and speed.tokens_per_s.low > 0:
        slowest = _two_figures(speed.tokens_per_s.low)
        limits.insert(0, message("pilot.limit.training_speed", limit_tokens_per_s=slowest))
    steps = (
        *_machine_steps(s),
        _step("short_run", run, "short_run"),
        _step("resume", "kill -9 <worker>; torchrun ... --resume_from_checkpoint <last one>", "resume"),
    )
    return PilotPlan(tuple(scenarios), steps, _failures(s), tuple(limits))


def _failures(s: Situation) -> tuple[PilotStep, ...]:
    """What is broken on purpose: only parts that the plan has."""
    boxes = len(s.shape.boxes)
    found = [("worker", "worker", "kill -9 <worker>")]
    found.append(("server", "server" if boxes > 1 else "only_server", "power off, then on"))
    if s.spans or (s.training and boxes > 1):
        linux = "tc qdisc add dev <nic> root netem delay 5ms loss 0.1%"
        found.append(("network", "network", "pull the cable for ten seconds" if makers(s) == ("Apple",) else linux))
    if not s.training and s.copies > 1:
        found.append(("replica", "replica", "stop one copy behind the router"))
    return tuple(
        PilotStep(code, message(f"pilot.failure.{text}"), command, message("pilot.pass.failure"))
        for code, text, command in found
    )


def _limits(s: Situation) -> tuple[Message, ...]:
    load = s.workload
    limits: list[Message] = []
    if load.task == "chat":
        limits += [_first_word(s), _pace(s), message("pilot.limit.forecast")]
    elif s.chosen is not None and s.chosen.speed is not None and s.chosen.speed.output_tokens_per_s.low > 0:
        slowest = _two_figures(s.chosen.speed.output_tokens_per_s.low)
        limits.append(message("pilot.limit.total", limit_tokens_per_s=slowest))
    limits.append(message("pilot.limit.errors", limit_share=0.005))
    if s.chosen is not None and s.chosen.layout.engine in PUSHES_BACK:
        limits.append(message("pilot.limit.preemption", context_tokens=load.context_tokens or 8192))
    limits.append(message("pilot.limit.recovery", limit_s=_restart_s(s)))
    limits.append(message("pilot.limit.energy", limit_share=0.2))
    return tuple(limits)


def _restart_s(s: Situation) -> float:
    """A program that stopped is back within this; loading a large model may take longer than is usual."""
    back = [each.recovery_s for each in s.work.failures if each.recovery_s is not None]
    late = [each.high for each in back if each.high > 0]
    return max(RESTART_S, _two_figures(min(late))) if late else RESTART_S


def _first_word(s: Situation) -> Message:
    """The agreed limit; without one the usual limit, or the high end of the forecast, but never what is unusable."""
    load, speed = s.workload, forecast(s)
    users = load.users or 1
    if load.time_to_first_token_limit_s:
        return message("pilot.limit.first_word_agreed", limit_s=load.time_to_first_token_limit_s, users=users)
    if speed is not None and speed.time_to_first_token_s.high > USUAL_FIRST_WORD_S:
        latest, most = _two_figures(speed.time_to_first_token_s.high), s.policy.chat_first_word_s
        code = "usable" if latest > most else "forecast"
        return message(f"pilot.limit.first_word_{code}", limit_s=min(latest, most), users=users)
    return message("pilot.limit.first_word", limit_s=USUAL_FIRST_WORD_S, users=users)


def _pace(s: Situation) -> Message:
    """The agreed limit; without one the usual limit, or the low end of the forecast, but never what is unusable.

    A proposal may not ask for more than it forecasts: the pilot could not pass.
    """
    agreed, speed = s.workload.tokens_per_s_per_user_limit, forecast(s)
    if agreed:
        return message("pilot.limit.pace_agreed", limit_tokens_per_s=agreed)
    if speed is not None and 0 < speed.output_tokens_per_s_per_user.low < USUAL_PACE_TOKENS_PER_S:
        slowest, least = _two_figures(speed.output_tokens_per_s_per_user.low), s.policy.chat_tokens_per_s
        code = "usable" if slowest < least else "forecast"
        return message(f"pilot.limit.pace_{code}", limit_tokens_per_s=max(slowest, least))
    return message("pilot.limit.pace", limit_tokens_per_s=USUAL_PACE_TOKENS_PER_S)


def _two_figures(value: float) -> float:
    """As the pages of the proposal print a forecast."""
    return float(f"{value:.2g}")


def comparable(a: PilotConditions, b: PilotConditions) -> Message | None:
    """R14: why two runs may not be compared; None when they may."""
    differing = tuple(each.name for each in fields(PilotConditions) if getattr(a, each.name) != getattr(b, each.name))
    if not differing:
        return None
    return message("pilot.not_comparable", differing=differing)
