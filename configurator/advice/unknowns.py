"""What is not known and moves the verdict: the question, who answers, the command, and what each answer gives (R10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from pydantic import ValidationError

from configurator.advice.advise import answer
from configurator.advice.facts import Evaluate, PlanFacts
from configurator.advice.results import UnknownFact, Verdict
from configurator.advice.situation import Situation, situation
from configurator.operations.power import CONTINUOUS_SHARE
from configurator.plan.edits import EditError, connect, rebuilt, update
from configurator.plan.index import new_id
from configurator.plan.model import Plan, Server
from configurator.terms import Message, message

Edit = Callable[[Plan], Plan]

LINKS = ("eth-1g", "eth-10g", "eth-100g-roce")
LANES = (16, 8, 4)
USERS = (1, 8, 32, 128)
CONTEXTS = (2_048, 8_192, 32_768)
CIRCUIT_W = 3680.0
"""16 A at 230 V: the circuit that a place has without asking for more."""
MODELS = ("llama-3.1-8b", "llama-3.3-70b", "llama-3.1-405b")


@dataclass(frozen=True, slots=True)
class Question:
    """One unknown with the edits that stand for its possible answers."""

    subject_id: str
    text: Message
    who: str
    command: str
    answers: tuple[tuple[Message, Edit], ...]
    always: bool = False
    """Shown even where the verdict is the same for every answer."""


def unknowns(s: Situation, evaluate: Evaluate) -> tuple[UnknownFact, ...]:
    """Every unknown of a workload that moves its verdict, with the verdict for each answer."""
    found = []
    now = _verdict(s.facts, s.workload.id)
    for question in questions(s):
        answers: list[tuple[Message, Verdict]] = []
        edits: list[Edit] = []
        for text, edit in question.answers:
            try:
                plan = edit(s.facts.plan)
            except (EditError, ValidationError):
                continue
            answers.append((text, _verdict(evaluate(plan), s.workload.id)))
            edits.append(edit)
        # Also where every answer gives the same: it is then no longer open.
        told = [now, *(verdict for _, verdict in answers)] if answers else []
        moves = len({(verdict.code, verdict.light) for verdict in told}) > 1
        if moves or (question.always and answers):
            found.append(
                UnknownFact(
                    question.subject_id,
                    question.text,
                    question.who,
                    question.command,
                    tuple(answers),
                    _applied(tuple(edits)),
                )
            )
    return tuple(found)


def _applied(edits: tuple[Edit, ...]) -> Callable[[Plan, int], Plan]:
    return lambda plan, number: edits[number](plan)


def _verdict(facts: PlanFacts, workload_id: str) -> Verdict:
    work = next(each for each in facts.workloads if each.workload.id == workload_id)
    return answer(situation(facts, work))[0]


def questions(s: Situation) -> Iterator[Question]:
    """All unknowns of a workload, whether or not they turn out to matter."""
    yield from _wiring(s)
    yield from _links(s)
    yield from _load(s)
    yield from _power(s)


def _power(s: Situation) -> Iterator[Question]:
    """What a place allows, where it is not known: one usual circuit, or enough for this plan."""
    peaks = {draw.subject_id: draw.peak_w for draw in s.facts.power}
    for site in {card.site.id: card.site for card in s.shape.cards}.values():
        peak = peaks.get(site.id, 0.0)
        if site.power_limit_w is not None or peak <= 0:
            continue
        enough = ceil(peak / CONTINUOUS_SHARE / 1000) * 1000.0
        yield Question(
            site.id,
            message("question.power", object_id=site.id, peak_w=peak),
            "who.electrician",
            "",
            (
                (message("answer.power_circuit", limit_w=CIRCUIT_W), _set(site.id, power_limit_w=CIRCUIT_W)),
                (message("answer.power_enough", limit_w=enough), _set(site.id, power_limit_w=enough)),
            ),
        )


def _set(object_id: str, **fields: object) -> Edit:
    return lambda plan: update(plan, object_id, **fields)


def _wiring(s: Situation) -> Iterator[Question]:
    for server, cards in s.shape.boxes:
        if len(cards) > 1 and not server.topology_known:
            yield Question(
                server.id,
                message("question.one_chassis", object_id=server.id, cards=len(cards)),
                "who.owner",
                "nvidia-smi topo -m",
                (
                    (message("answer.one_chassis"), _set(server.id, topology_known=True)),
                    (message("answer.machines", cards=len(cards)), _splitting(server)),
                ),
                always=True,
            )
        open_slots = tuple(
            card.slot.id
            for card in cards
            if card.slot.form == "pcie" and (card.slot.lanes is None or card.slot.pcie_generation is None)
        )
        if open_slots and len(cards) > 1:
            yield Question(
                server.id,
                message("question.slots", object_id=server.id, slots=len(open_slots)),
                "who.operator",
                "lspci -vv",
                tuple((message("answer.lanes", lanes=lanes), _lanes(open_slots, lanes)) for lanes in LANES),
            )
        if server.p2p == "unknown" and len(cards) > 1:
            yield Question(
                server.id,
                message("question.p2p", object_id=server.id),
                "who.operator",
                "nvidia-smi topo -p2p rw",
                (
                    (message("answer.p2p_yes"), _set(server.id, p2p="yes")),
                    (message("answer.p2p_no"), _set(server.id, p2p="no")),
                ),
            )


def _lanes(slot_ids: tuple[str, ...], lanes: int) -> Edit:
    def edit(plan: Plan) -> Plan:
        for slot_id in slot_ids:
            plan = update(plan, slot_id, lanes=lanes, pcie_generation=4)
        return plan

    return edit


def _splitting(server: Server) -> Edit:
    """The other branch: each card in a machine of its own."""

    def edit(plan: Plan) -> Plan:
        sites = []
        for site in plan.sites:
            if all(each.id != server.id for each in site.servers):
                sites.append(site)
                continue
            made: list[Server] = []
            for each in site.servers:
                if each.id != server.id:
                    made.append(each)
                    continue
                taken = {server.id for server in site.servers}
                holding = [slot for slot in each.slots if slot.gpu is not None]
                for index, slot in enumerate(holding):
                    own = each.id if index == 0 else new_id(taken, f"{each.id}-part")
                    taken.add(own)
                    made.append(
                        rebuilt(
                            each,
                            id=own,
                            name=f"{each.name} {index + 1}",
                            slots=(rebuilt(slot, switch=None),),
                            switches=(),
                            nics=(),
                            nvlink_pairs=(),
                            topology_known=True,
                        )
                    )
            sites.append(rebuilt(site, servers=tuple(made)))
        return rebuilt(plan, sites=tuple(sites))

    return edit


def _links(s: Situation) -> Iterator[Question]:
    if len(s.shape.boxes) < 2:
        return
    for link in s.facts.plan.links:
        if s.shape.link_fabric(link).kind == "unknown":
            yield Question(
                link.id,
                message("question.link", object_id=link.id),
                "who.operator",
                "iperf3 -c <other server>; ping -c 100 <other server>",
                tuple((message("answer.link", link=kind), _set(link.id, kind=kind)) for kind in LINKS),
            )
    one_place = len(s.shape.site_ids) == 1
    missing = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes)).kind == "none"
    if one_place and missing and not s.fits_one_box:
        ids = [server.id for server, _ in s.shape.boxes]
        yield Question(
            ids[0],
            message("question.connection", servers=len(ids)),
            "who.owner",
            "ping -c 100 <other server>",
            tuple((message("answer.link", link=kind), _joining(tuple(ids), kind)) for kind in LINKS),
        )


def _joining(ids: tuple[str, ...], kind: str) -> Edit:
    def edit(plan: Plan) -> Plan:
        for a, b in pairwise(ids):
            plan, _ = connect(plan, a, b, kind)
        return plan

    return edit


def _load(s: Situation) -> Iterator[Question]:
    load = s.workload
    if s.model is None:
        known = tuple(each for each in MODELS if each in s.catalogue.models)
        yield Question(
            load.id,
            message("question.model"),
            "who.owner",
            "",
            tuple((message("answer.model", model=each), _set(load.id, model=each)) for each in known),
            always=True,
        )
        return
    if s.training:
        return
    if load.goal is None and len(s.shape.cards) > 1:
        yield Question(
            load.id,
            message("question.goal"),
            "who.owner",
            "",
            (
                (message("answer.one_fast"), _set(load.id, goal="one_fast_answer")),
                (message("answer.many"), _set(load.id, goal="many_answers")),
            ),
        )
    if load.users is None:
        yield Question(
            load.id,
            message("question.users"),
            "who.owner",
            "",
            tuple((message("answer.users", users=each), _set(load.id, users=each)) for each in USERS),
        )
    if load.context_tokens is None:
        longest = s.model.max_context_tokens
        yield Question(
            load.id,
            message("question.context"),
            "who.owner",
            "",
            tuple(
                (message("answer.context", context_tokens=each), _set(load.id, context_tokens=each))
                for each in CONTEXTS
                if each <= longest
            ),
        )
