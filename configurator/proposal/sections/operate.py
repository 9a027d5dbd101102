"""How to try it before relying on it, and the work list of whoever runs it (R13-R15, R73-R75)."""

from __future__ import annotations

from reportlab.platypus import Flowable

from configurator.assess import WorkloadAssessment
from configurator.plan.index import servers
from configurator.plan.model import Workload
from configurator.proposal.blocks import Cell, Grid, gap, part, section, text
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH

FIRST_WORD_S, EACH_TOKENS_PER_S = 2.0, 15.0
"""Usual limits of an office chat where the owner has set none."""
LINK_TOLERANCE = 0.2


def pilot(material: Material) -> list[Flowable]:
    """Scenarios, what to write down, when it is accepted, what to break."""
    say = material.say
    story: list[Flowable] = section(say("Pilot and acceptance"), "pilot")
    if not material.workloads:
        return [*story, text(say("A pilot needs a model: choose one first."))]
    story += [
        text(
            say(
                "Measured figures replace the forecasts of this proposal. Two scenarios are run with the same model,"
                " the same parameters, the same length of conversation and the same set of requests; runs that differ"
                " in one of these are not compared."
            )
        )
    ]
    scenarios = [
        (say("A. Each on its own"), say("one copy per card or server, requests shared out by weight")),
        (say("B. Together"), say("one model over several cards, as in “How it works”")),
    ]
    story += [Grid((say("Scenario"), say("How")), scenarios, (28, 72), padding=2.8).flowable()]
    story += [*part(say("Accepted when"), "pilot-accept"), _criteria(material)]
    breaks = [
        (say("one worker is killed"), say("requests lost, time until others answer, time until all is back")),
        (say("one card is taken away"), say("what stops, what slows, what is left")),
    ]
    if len(material.servers) > 1:
        breaks.append((say("one server is switched off"), say("time until it is noticed, what the router does")))
        breaks.append((say("the network is delayed by 5 ms"), say("speed of each scenario")))
    title = part(say("Broken on purpose"), "pilot-break")
    story += [*title, Grid((say("What"), say("Written down")), breaks, (34, 66), padding=2.8).flowable()]
    checks = [each for each in material.findings if each.code.startswith("pilot.")]
    if checks:
        rows = [(material.text(each.text), material.text(each.action) or DASH) for each in checks]
        head = (say("Checked before"), say("How"))
        story += [gap(8), Grid(head, rows, (58, 42), padding=2.8).flowable()]
    return story


def _criteria(material: Material) -> Flowable:
    say, words = material.say, material.wording
    rows: list[tuple[Cell, ...]] = []
    for workload, answer in material.workloads:
        rows += _of_workload(material, workload, answer)
    tolerance = words.share(LINK_TOLERANCE)
    rows.append(
        (say("Connections, under load"), say("as drawn in this proposal"), say("within {share}", share=tolerance))
    )
    rows.append(
        (say("Energy for the same work"), say("as under “Running costs”"), say("within {share}", share=tolerance))
    )
    rows.append((say("Answers that fail"), DASH, say("at most {share}", share=words.share(0.005))))
    head = (say("Measured"), say("this proposal expects"), say("accepted"))
    return Grid(head, rows, (36, 32, 32), padding=2.8).flowable()


def _of_workload(material: Material, workload: Workload, answer: WorkloadAssessment) -> list[tuple[Cell, ...]]:
    say, words = material.say, material.wording
    chosen = answer.chosen
    rows: list[tuple[Cell, ...]] = []
    if chosen is None:
        return rows
    if chosen.speed is not None and workload.task == "chat":
        people = words.counted("users", workload.users or 1)
        first = workload.time_to_first_token_limit_s or FIRST_WORD_S
        each = workload.tokens_per_s_per_user_limit or EACH_TOKENS_PER_S
        expects = material.range(chosen.speed.time_to_first_token_s)
        limit = say("{time} for 95 of 100", time=words.duration(first))
        rows.append((say("First word, {people} at once", people=people), expects, limit))
        expects = material.range(chosen.speed.output_tokens_per_s_per_user)
        rows.append(
            (say("Speed for each of {people}", people=people), expects, say("at least {rate}", rate=words.rate(each)))
        )
    if chosen.speed is not None:
        total = chosen.speed.output_tokens_per_s
        rows.append((say("Speed in all"), material.range(total), say("at least {rate}", rate=words.rate(total.low))))
    if chosen.training is not None:
        total = chosen.training.tokens_per_s
        rows.append((say("Training speed"), material.range(total), say("at least {rate}", rate=words.rate(total.low))))
    if answer.max_context_tokens and workload.task == "chat":
        longest = words.counted("tokens", workload.max_context_tokens or workload.context_tokens or 0)
        holds = words.counted("tokens", answer.max_context_tokens)
        rows.append((say("Longest conversation"), holds, say("{tokens}, nothing pushed out", tokens=longest)))
    return rows


def work_list(material: Material) -> list[Flowable]:
    """What has to be set, watched and rehearsed; longer when servers work together."""
    say = material.say
    boxes = list(servers(material.plan))
    if not boxes:
        return []
    joined = _spans_servers(material)
    rows: list[tuple[Cell, ...]] = [
        (
            say("Before the first load"),
            say("width and generation of each slot, read under load"),
            "nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv",
        ),
        ("", say("memory diagnostics, error log of the cards"), "dcgmi diag -r 3"),
        ("", say("power limit of each card as planned"), "nvidia-smi -q -d POWER"),
        ("", say("driver, firmware and engine in fixed versions, written down"), ""),
    ]
    if joined:
        rows += [
            (say("Network between the servers"), say("flow control: PFC and ECN on cards and switch, for RoCE"), ""),
            ("", say("jumbo frames on the whole way"), "ping -M do -s 8972"),
            ("", say("transport of the exchange: the fast card is really used"), "NCCL_DEBUG=INFO"),
            ("", say("file with the topology, ring or tree chosen by measurement"), "all_reduce_perf -b 8 -e 1G -f 2"),
            (say("Storage"), say("shared storage with a network of its own for weights and saved states"), ""),
        ]
    rows += [
        (say("Watched"), say("temperature, power, memory errors of each card"), "dcgm-exporter"),
        ("", say("first word, speed, waiting requests, used memory of the engine"), "/metrics"),
        ("", say("a real question every ten seconds, with an alarm"), ""),
    ]
    if len(boxes) > 1:
        rows.append(("", say("all servers in one view"), "Prometheus federation"))
    if joined:
        rows.append(("", say("traces of the exchange when it slows down"), "NCCL_DEBUG_SUBSYS=COLL"))
    rows += [(say("Rehearsed"), say("restart after a crash; how long the weights take to load"), "")]
    if len(boxes) > 1:
        rows.append(("", say("a server drops out"), ""))
    if joined:
        rows += [("", say("a network card resets"), ""), ("", say("a port of the switch goes down"), "")]
    head = (say("When"), say("What"), say("Seen with"))
    listed = [(when, what, _code(command)) for when, what, command in rows]
    return [*section(say("Work list for operations"), "work"), Grid(head, listed, (20, 46, 34), padding=2.8).flowable()]


def _code(command: object) -> Flowable:
    return text(str(command), "code")


def _spans_servers(material: Material) -> bool:
    home = {
        slot.gpu.id: server.id for server in material.servers.values() for slot in server.slots if slot.gpu is not None
    }
    for _, answer in material.workloads:
        for instance in answer.chosen.instances if answer.chosen is not None else ():
            if len({home.get(gpu) for stage in instance.stages for gpu in stage}) > 1:
                return True
    return False
