"""What was asked and what is there, each fact marked known, assumed or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from reportlab.platypus import Flowable

from configurator.plan.model import Server, Site, Workload
from configurator.proposal.blocks import Cell, Dot, Grid, gap, part, section, text
from configurator.proposal.material import Material
from configurator.proposal.sections.options import DASH

Mark = Literal["known", "assumed", "unknown"]
Row = tuple[str, str, Mark]


def situation(material: Material) -> list[Flowable]:
    """Use first, then places, servers and connections."""
    say = material.say
    story: list[Flowable] = section(say("What you asked and what you have"), "situation")
    story += [
        text(
            say(
                "“Known” was entered or comes with the equipment. “Assumed” is a planning figure of the program with"
                " its source under “Assumptions and method”. “Unknown” is calculated as a range and asked under “Open"
                " questions”."
            ),
            "note",
        )
    ]
    for workload, _ in material.workloads:
        story += part(say("Use: {name}", name=workload.name) if len(material.workloads) > 1 else say("Use"))
        story += [_facts(material, _use(material, workload))]
    for site in material.plan.sites:
        story += part(say("Place: {name}", name=site.name))
        story += [_facts(material, _place(material, site))]
        if site.servers:
            story += [gap(6), _machines(material, site.servers)]
    if material.plan.links:
        story += [*part(say("Connections")), _connections(material)]
    return story


def unknown_rows(material: Material) -> list[tuple[str, str]]:
    """(thing, fact) for each line of this section that is marked unknown."""
    say = material.say
    several = len(material.workloads) > 1
    found: list[tuple[str, str]] = []
    for work, _ in material.workloads:
        of = work.name if several else say("use")
        found += [(of, name) for name, _, mark in _use(material, work) if mark == "unknown"]
    for site in material.plan.sites:
        found += [(site.name, name) for name, _, mark in _place(material, site) if mark == "unknown"]
        found += [(server.name, say("Wiring")) for server in site.servers if not server.topology_known]
    names = _names(material)
    for link in material.plan.links:
        if link.kind not in material.catalogue.links and link.kind != "internet":
            found.append((f"{names.get(link.a, link.a)} – {names.get(link.b, link.b)}", say("connection")))
    return found


def _facts(material: Material, rows: Sequence[Row]) -> Flowable:
    cells: list[tuple[Cell, ...]] = [(name, value, _dot(material, mark)) for name, value, mark in rows]
    return Grid((), cells, (30, 52, 18), muted_first=True, padding=1.9).flowable()


def _dot(material: Material, mark: Mark) -> Dot:
    words = {"known": material.say("known"), "assumed": material.say("assumed"), "unknown": material.say("unknown")}
    return Dot(mark, words[mark])


def _use(material: Material, workload: Workload) -> list[Row]:
    say, words = material.say, material.wording

    def asked(name: str, value: float | None, printed: str) -> Row:
        return (name, printed, "known") if value is not None else (name, say("not known"), "unknown")

    rows: list[Row] = [
        (say("Model"), material.model_name(workload), "known" if workload.model else "unknown"),
        (say("Task"), material.task_name(workload), "known"),
    ]
    if workload.goal is not None:
        rows.append((say("Wanted"), words.word(f"goal.{workload.goal}"), "known"))
    if workload.task == "chat":
        rows.append(asked(say("People at the same time"), workload.users, words.count(workload.users or 0)))
    if workload.task in {"chat", "batch"}:
        context = words.counted("tokens", workload.context_tokens or 0)
        rows.append(asked(say("Length of a conversation"), workload.context_tokens, context))
        if workload.max_context_tokens:
            longest = words.counted("tokens", workload.max_context_tokens)
            rows.append((say("Longest request"), longest, "known"))
        if workload.input_tokens and workload.output_tokens:
            both = say(
                "{question} in, {answer} out",
                question=words.counted("tokens", workload.input_tokens),
                answer=words.counted("tokens", workload.output_tokens),
            )
            rows.append((say("One question and its answer"), both, "known"))
    else:
        tokens = words.forecast(workload.training_tokens or 0)
        rows.append(asked(say("Tokens to train on"), workload.training_tokens, tokens))
    if workload.time_to_first_token_limit_s:
        rows.append((say("First word within"), words.duration(workload.time_to_first_token_limit_s), "known"))
    if workload.tokens_per_s_per_user_limit:
        rows.append((say("Each person at least"), words.rate(workload.tokens_per_s_per_user_limit), "known"))
    if workload.must_survive != "nothing":
        survive = {"gpu": say("one card"), "server": say("one server"), "site": say("one place")}
        rows.append((say("Must survive the loss of"), survive[workload.must_survive], "known"))
    if workload.data_must_stay:
        rows.append((say("Data"), say("may not leave the premises"), "known"))
    if workload.task in {"chat", "batch"}:
        rows.append((say("Engine"), material.engine_name(workload.engine), "known"))
    return rows


def _place(material: Material, site: Site) -> list[Row]:
    say, words = material.say, material.wording
    currency = material.project.currency
    limit: Row = (
        (say("Power connection"), words.power(site.power_limit_w), "known")
        if site.power_limit_w
        else (say("Power connection"), say("not known"), "unknown")
    )
    tariff: Row = (
        (say("Electricity"), say("{price} per kWh", price=words.money(site.tariff_per_kwh, currency)), "known")
        if site.tariff_per_kwh is not None
        else (say("Electricity"), say("the country's usual tariff ({country})", country=site.country), "assumed")
    )
    cooling: Row = (
        (say("Cooling factor (PUE)"), words.number(site.pue), "known")
        if site.pue is not None
        else (say("Cooling factor (PUE)"), say("usual for such a place"), "assumed")
    )
    line = site.internet
    speeds = [
        say("{rate} down", rate=words.bit_rate(line.down_mbit_s * 1e6)) if line.down_mbit_s else "",
        say("{rate} up", rate=words.bit_rate(line.up_mbit_s * 1e6)) if line.up_mbit_s else "",
        say("{time} there and back", time=words.duration(line.rtt_ms / 1000)) if line.rtt_ms else "",
    ]
    profile = material.catalogue.internet.get(line.profile) if line.profile is not None else None
    # A class of line stands for the figures that were not given, and is marked as what it is.
    named = " · ".join(each for each in (profile.name if profile else "", *speeds) if each)
    mark: Mark = "known" if all(speeds) else "assumed" if profile else "unknown"
    internet: Row = (say("Internet line"), named or say("not known"), mark)
    return [(say("Kind"), words.word(f"site.{site.kind}"), "known"), limit, tariff, cooling, internet]


def _machines(material: Material, boxes: Sequence[Server]) -> Flowable:
    say = material.say
    rows: list[tuple[Cell, ...]] = []
    for server in boxes:
        chassis = material.catalogue.servers.get(server.chassis)
        cards: dict[tuple[str, bool], int] = {}
        for slot in server.slots:
            if slot.gpu is not None:
                key = (material.gpu_name(slot.gpu.gpu), slot.gpu.owned)
                cards[key] = cards.get(key, 0) + 1
        listed = [
            f"{number}\u00a0×\u00a0{name}" + (f" ({say('already there')})" if owned and not server.owned else "")
            for (name, owned), number in cards.items()
        ]
        name = chassis.name if chassis else server.chassis
        rows.append(
            (
                server.name,
                name + (f" ({say('already there')})" if server.owned else ""),
                ", ".join(listed) or say("no card"),
                _dot(material, "known" if server.topology_known else "unknown"),
            )
        )
    head = (say("Server"), say("Machine"), say("Cards"), say("Wiring"))
    return Grid(head, rows, (14, 46, 28, 12), padding=2).flowable()


def _connections(material: Material) -> Flowable:
    say, words = material.say, material.wording
    names = _names(material)
    rows: list[tuple[Cell, ...]] = []
    facts = material.assessment.facts
    for link in material.plan.links:
        record = material.catalogue.links.get(link.kind)
        # What the forecasts count with: both lines of a doubled link, what the slots and the owner's figures leave.
        edge = facts.topology.edge(link.id) if facts is not None else None
        figures = ""
        if edge is not None:
            figures = f"{words.bandwidth(edge.bandwidth_bytes_per_s)} · {words.duration(edge.latency_s)}"
        elif record is not None:
            figures = f"{words.bandwidth(record.bandwidth.value)} · {words.duration(record.latency.value)}"
        if record is not None:
            kind, mark = record.name, "known"
        elif link.kind == "internet":
            kind, mark = say("internet"), "assumed"
        else:
            kind, mark = say("not known"), "unknown"
        between = f"{names.get(link.a, link.a)} – {names.get(link.b, link.b)}"
        rows.append(
            (
                between,
                kind,
                figures or DASH,
                _dot(material, "known" if mark == "known" else "assumed" if mark == "assumed" else "unknown"),
            )
        )
    head = (say("Between"), say("Kind"), say("In practice, one direction"), "")
    return Grid(head, rows, (32, 26, 26, 16), padding=2).flowable()


def _names(material: Material) -> dict[str, str]:
    names: dict[str, str] = {}
    for site in material.plan.sites:
        names[site.id] = site.name
        names.update({each.id: each.name for each in site.servers})
        names.update({each.id: each.name for each in site.switches})
    return names
