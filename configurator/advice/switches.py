"""Where the recommendation changes: solved for users, context, model size, fabric, tariff and utilisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

from configurator.advice.advise import answer
from configurator.advice.facts import Evaluate
from configurator.advice.results import SwitchPoint, Verdict
from configurator.advice.shape import SLOW_BYTES_PER_S
from configurator.advice.situation import Situation, at_least, situation
from configurator.advice.verdict import LIGHTS
from configurator.plan.edits import update
from configurator.terms import message

MOST_USERS = 65_536
LEAST_CONTEXT = 256
CLOSE = 1.05
"""Bisection ends when the bounds are this near."""
STATES = {
    "headline.limit.speed": "state.slow",
    "headline.limit.power": "state.power",
    "headline.context": "state.context",
    "headline.starts_only": "state.starts",
    "headline.no_reserve": "state.no_reserve",
    "headline.tight": "state.tight",
}
"""What two answers of the same name differ in, by their headline."""
CURES = {"state.slow": "state.quick", "state.power": "state.supplied"}

Ask = Callable[[int], Verdict]


def switch_points(s: Situation, evaluate: Evaluate) -> tuple[SwitchPoint, ...]:
    """All switch points of a workload, in a fixed order."""
    if s.model is None or not s.shape.cards:
        return ()
    found: list[SwitchPoint] = []
    if not s.training:
        found += _users(s, evaluate)
        found += _context(s, evaluate)
    found += _model_size(s)
    found += _fabric(s)
    found += _money(s)
    return tuple(found)


def _asking(s: Situation, evaluate: Evaluate, field: str) -> Ask:
    def ask(value: int) -> Verdict:
        fields: dict[str, object] = {field: value}
        if field == "context_tokens":
            fields |= {"max_context_tokens": None, "input_tokens": None, "output_tokens": None}
        facts = evaluate(update(s.facts.plan, s.workload.id, **fields))
        work = next(each for each in facts.workloads if each.workload.id == s.workload.id)
        return answer(situation(facts, work))[0]

    return ask


LACKS = frozenset({"fits-but-no-headroom", "does-not-fit", "change-fabric"})


def _same(a: Verdict, b: Verdict) -> bool:
    return (a.code, a.light) == (b.code, b.light)


def _no_worse(a: Verdict, b: Verdict) -> bool:
    """More load changes nothing that an owner would act on: it runs as well as before, in whichever layout."""
    before, after = LIGHTS.index(a.light), LIGHTS.index(b.light)
    return after < before or (after == before and (a.light == "good" or a.code == b.code or b.code not in LACKS))


def _no_better(a: Verdict, b: Verdict) -> bool:
    """Less load changes nothing: neither a better light, nor one node where copies were needed."""
    better = LIGHTS.index(b.light) < LIGHTS.index(a.light)
    return not better and not (a.light == b.light == "good" and (a.code, b.code) == ("replicas", "single-node"))


def solve(
    ask: Ask, start: int, limit: int, factor: float, same: Callable[[Verdict, Verdict], bool] = _same
) -> tuple[int, int, Verdict, Verdict] | None:
    """Walk from ``start`` by ``factor`` to ``limit`` until the verdict changes, then bisect.

    Returns the last value of the old verdict, the first of the new one, and both verdicts; None without a change.
    """
    here, old = start, ask(start)
    while (here < limit) if factor > 1 else (here > limit):
        step = round(here * factor)
        there = min(limit, max(step, here + 1)) if factor > 1 else max(limit, min(step, here - 1))
        new = ask(there)
        if same(old, new):
            here = there
            continue
        near, far = here, there
        while abs(far - near) > 1 and max(near, far) / max(1, min(near, far)) > CLOSE:
            middle = round(sqrt(near * far))
            if middle in (near, far):
                break
            between = ask(middle)
            if same(old, between):
                near = middle
            else:
                far, new = middle, between
        return near, far, old, new
    return None


def _states(old: Verdict, new: Verdict) -> tuple[str, str]:
    """Codes of the words for both sides: the verdicts, or what tells two answers of the same verdict apart."""
    before, after = STATES.get(old.headline.code), STATES.get(new.headline.code)
    if old.code != new.code and not {before, after} & set(CURES):
        return f"verdict.{old.code}", f"verdict.{new.code}"
    return (
        before or CURES.get(after or "", f"verdict.{old.code}"),
        after or CURES.get(before or "", f"verdict.{new.code}"),
    )


def _change(field: str, unit: str, code: str, value: int, old: Verdict, new: Verdict) -> Iterator[SwitchPoint]:
    """One switch point; without words that tell its two sides apart only the upward one is worth telling."""
    from_code, to_code = _states(old, new)
    if from_code == to_code:
        if code.endswith(".down"):
            return
        code = f"{code.rpartition('.')[0]}.load"
    numbers: dict[str, int | str] = {field: value, "from_code": from_code, "to_code": to_code}
    yield SwitchPoint(field, float(value), unit, old.code, new.code, message(code, **numbers))


def _users(s: Situation, evaluate: Evaluate) -> Iterator[SwitchPoint]:
    ask = _asking(s, evaluate, "users")
    start = s.workload.users or 1
    found = solve(ask, start, MOST_USERS, 2.0, _no_worse)
    if found is not None:
        near, _, old, new = found
        # More than the chosen layout holds: by then another one, with more room, has taken its place.
        held = s.chosen.memory.users_served.high if s.chosen is not None else 0.0
        yield from _change("users", "", "switch.users.relaid" if near > held > 0 else "switch.users.up", near, old, new)
    down = solve(ask, start, 1, 0.5, _no_better) if start > 1 else None
    if down is not None:
        _, far, old, new = down
        yield from _change("users", "", "switch.users.down", far, old, new)


def _context(s: Situation, evaluate: Evaluate) -> Iterator[SwitchPoint]:
    start = s.workload.context_tokens
    if start is None or s.model is None:
        return
    ask = _asking(s, evaluate, "context_tokens")
    limit = max(start, s.model.max_context_tokens)
    found = solve(ask, start, limit, 2.0, _no_worse)
    if found is not None:
        near, _, old, new = found
        yield from _change("context_tokens", "tokens", "switch.context.up", near, old, new)
    down = solve(ask, start, LEAST_CONTEXT, 0.5, _no_better) if start > LEAST_CONTEXT else None
    if down is not None:
        _, far, old, new = down
        yield from _change("context_tokens", "tokens", "switch.context.down", far, old, new)


def _model_size(s: Situation) -> Iterator[SwitchPoint]:
    """The largest weights that keep to the owner's share of one server's memory."""
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    limit = s.policy.weights_share_high * max(boxes)
    fits, within = s.fits_one_box, s.work.weights_bytes <= limit
    if fits and within:
        change = ("single-node", "fits-but-no-headroom", "switch.model.up")
    elif fits:
        change = ("fits-but-no-headroom", "single-node", "switch.model.tight")
    elif within:
        # The weights are not what is too large: another size of the model would not be the cure.
        return
    else:
        change = ("does-not-fit", "single-node", "switch.model.down")
    numbers = {"limit_bytes": limit, "weights_bytes": s.work.weights_bytes}
    yield SwitchPoint("weights_bytes", limit, "bytes", change[0], change[1], message(change[2], **numbers))


def _fabric(s: Situation) -> Iterator[SwitchPoint]:
    curve = s.work.efficiency
    if s.training and curve is not None and curve.fabric_needed_bytes_per_s:
        yield SwitchPoint(
            "fabric",
            curve.fabric_needed_bytes_per_s,
            "bytes/s",
            "change-fabric",
            "cluster",
            message(
                "switch.fabric.training",
                fabric_bytes_per_s=curve.fabric_needed_bytes_per_s,
                floor_share=s.policy.efficiency_floor,
            ),
        )
    elif s.spans and at_least(s.fit, "starts"):
        slow = s.fabric.kind in ("slow", "internet")
        yield SwitchPoint(
            "fabric",
            SLOW_BYTES_PER_S,
            "bytes/s",
            "change-fabric" if slow else "tp-inside-pp-across",
            "tp-inside-pp-across" if slow else "change-fabric",
            message(f"switch.fabric.{_fabric_word(s, slow)}", fabric_bytes_per_s=SLOW_BYTES_PER_S),
        )


def _fabric_word(s: Situation, slow: bool) -> str:
    """Which sentence: a chain that answers needs far less than the rate at which its start and prompts get slow."""
    stages = [stage for one in s.chosen.instances for stage in one.stages] if s.chosen else []
    crossed = s.training or any(len(s.shape.servers_of(stage)) > 1 for stage in stages)
    return "up" if slow else "down" if crossed else "chain"


def _money(s: Situation) -> Iterator[SwitchPoint]:
    """Against an API: the utilisation and the tariff at which owning costs the same, by the one comparison there is."""
    cost = s.facts.cost
    found = cost.comparison
    if found is None or found.api is None or found.even_share is None or not at_least(s.fit, "starts"):
        return
    if found.even_share <= 1:
        yield SwitchPoint(
            "utilisation",
            found.even_share,
            "share",
            "api",
            "own",
            message(
                "switch.use.own",
                busy_share=found.even_share,
                now_share=found.now_share,
                tokens_million=float(f"{found.even_million_per_month or 0.0:.2g}"),
            ),
        )
    else:
        yield SwitchPoint("utilisation", 1.0, "share", "api", "api", message("switch.use.never"))
    made = found.most_million_per_month * 12 * found.now_share
    fixed = cost.total_per_year.expected - cost.energy_per_year.expected
    kwh = cost.energy_kwh_per_year.expected
    tariff = (made * found.api.per_million - fixed) / kwh if kwh else 0.0
    if tariff > 0:
        yield SwitchPoint(
            "tariff",
            tariff,
            f"{cost.currency}/kWh",
            "own",
            "api",
            message("switch.tariff.own", price_money=tariff),
        )
    else:
        yield SwitchPoint("tariff", 0.0, f"{cost.currency}/kWh", "api", "api", message("switch.tariff.none"))
