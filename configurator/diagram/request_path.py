"""The way of a question (R16): where questions arrive, which machines an answer needs, where the weights are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from configurator.catalogue import Catalogue
from configurator.diagram.measure import fitted, text_width
from configurator.diagram.picture import Box, BoxKind, Edge, Key, Label, Picture
from configurator.diagram.placement import workload_of
from configurator.diagram.said import GAP, copy_name, kind_name
from configurator.diagram.sheet import Sheet
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL
from configurator.plan.index import gpus as plan_gpus
from configurator.plan.model import Plan, Server, Site
from configurator.scaling.results import Instance
from configurator.sizing import weight_bytes
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import Assessment

MOST_COPIES = 5
"""Copies drawn one by one; the others are counted."""
PERSON_W, ROUTER_W, STAGE_W, STORE_W = 138.0, 158.0, 184.0, 176.0
ROW_H, STAGE_H, GAP_X, GAP_Y, PAD = 118.0, 52.0, 66.0, 18.0, 14.0


def request_path(
    plan: Plan, assessment: Assessment | None, catalogue: Catalogue, wording: Wording, workload_id: str | None = None
) -> Picture:
    """People, the one address, the copies with their stages, and the files they load. Empty until a layout fits."""
    answer = workload_of(assessment, workload_id)
    chosen = answer.chosen if answer is not None else None
    workload = next((each for each in plan.workloads if answer is not None and each.id == answer.workload_id), None)
    if chosen is None or workload is None or chosen.memory.fit == "no" or not chosen.instances:
        return Picture(0, 0)
    _ = wording.gettext
    homes = {gpu.id: (site, server, gpu.gpu) for site, server, _slot, gpu in plan_gpus(plan)}
    drawn = chosen.instances[:MOST_COPIES]
    more = len(chosen.instances) - len(drawn)
    sheet = Sheet()
    stages = max(len(instance.stages) for instance in drawn)
    several = len(chosen.instances) > 1
    copies_x = PERSON_W + GAP_X + (ROUTER_W + GAP_X if several else 0)
    copy_w = 2 * PAD + stages * STAGE_W + (stages - 1) * GAP_X
    height = len(drawn) * (ROW_H + GAP_Y) - GAP_Y + (40 if more else 0)
    middle = height / 2
    people = wording.counted("users", workload.users) if workload.users else _("people")
    person = _node(sheet, "people", "person", 0, middle, PERSON_W, people, _("ask questions"))
    enter = person
    if several:
        sites = {
            homes[gpu][0].id for each in chosen.instances for stage in each.stages for gpu in stage if gpu in homes
        }
        said = _("shares questions between {copies}").format(copies=wording.counted("copies", len(chosen.instances)))
        if len(sites) > 1:
            said = _("sends each question to one place")
        enter = _node(sheet, "router", "router", PERSON_W + GAP_X, middle, ROUTER_W, _("one address"), said)
        _flow(sheet, "ask", (person.right, middle), (enter.x, middle), wording)
    model = catalogue.models.get(workload.model or "")
    weights = catalogue.weight_formats.get(workload.weights)
    size = wording.memory(weight_bytes(model, weights)) if model is not None and weights is not None else ""
    store_x = copies_x + copy_w + GAP_X
    name = fitted(model.name, STORE_W - 10, SIZE_NOTE, True) if model is not None else _("model files")
    store = _node(
        sheet, "store", "storage", store_x, middle, STORE_W, name, GAP.join(p for p in (_("model files"), size) if p)
    )
    for number, instance in enumerate(drawn):
        y = number * (ROW_H + GAP_Y)
        box = _copy(sheet, number, instance, copies_x, y, copy_w, homes, catalogue, wording, several=several)
        centre = box.centre[1]
        _flow(sheet, f"question-{number}", (enter.right, middle), (box.x, centre), wording)
        facts = (_("Each server reads the weights once, when the service starts"),)
        points = ((store.x, middle), (box.right, centre))
        load = Edge(f"load-{number}", "load", points, "", kind_name("load", wording), facts, "internet", 1.5)
        sheet.line(replace(load, dashed=True, arrow=True, layer=1))
    if more:
        text = _("and {copies} more like these").format(copies=wording.counted("copies", more))
        sheet.text(Label(text, copies_x + copy_w / 2, height - 14, SIZE_NOTE, colour="muted", align="centre"))
    return sheet.picture(16, _("The way of a question"), _summary(chosen.instances, homes, wording), _legend(wording))


def _node(
    sheet: Sheet, box_id: str, kind: BoxKind, x: float, middle: float, width: float, title: str, subtitle: str
) -> Box:
    box = Box(
        id=box_id,
        kind=kind,
        x=x,
        y=middle - 29,
        width=width,
        height=58,
        name=title,
        facts=(subtitle,),
        stroke="line_strong",
        radius=29 if kind == "person" else 8,
        layer=3,
    )
    sheet.add(box)
    sheet.text(
        Label(
            fitted(title, width - 14, SIZE_NOTE, True),
            box.centre[0],
            middle - 9,
            SIZE_NOTE,
            True,
            align="centre",
            owner=box_id,
        )
    )
    lines = _two_lines(subtitle, width - 16)
    for row, line in enumerate(lines):
        y = middle + 8 + 13 * row - (3 if len(lines) > 1 else 0)
        sheet.text(Label(line, box.centre[0], y, SIZE_SMALL, colour="muted", align="centre", owner=box_id))
    return box


def _two_lines(text: str, width: float) -> list[str]:
    if text_width(text, SIZE_SMALL) <= width:
        return [text]
    words = text.split(" ")
    first = words[0]
    for number, word in enumerate(words[1:], 1):
        if text_width(f"{first} {word}", SIZE_SMALL) > width:
            return [first, fitted(" ".join(words[number:]), width, SIZE_SMALL)]
        first = f"{first} {word}"
    return [first]


def _copy(
    sheet: Sheet,
    number: int,
    instance: Instance,
    x: float,
    y: float,
    width: float,
    homes: dict[str, tuple[Site, Server, str]],
    catalogue: Catalogue,
    wording: Wording,
    *,
    several: bool,
) -> Box:
    _ = wording.gettext
    letter = "abcd"[number % 4]
    servers, sites = _needs(instance, homes)
    name = copy_name(number, wording) if several else _("the model")
    needs = _("an answer needs {servers}").format(servers=", ".join(each.name for each in servers))
    box = Box(
        id=f"copy-{number}",
        kind="copy",
        x=x,
        y=y,
        width=width,
        height=ROW_H,
        name=name,
        facts=(needs, *(site.name for site in sites)),
        fill=f"group_{letter}_soft",
        stroke=f"group_{letter}",
        radius=10,
        layer=2,
        members=tuple(gpu for stage in instance.stages for gpu in stage),
    )
    sheet.add(box)
    ink = f"group_{letter}_ink"
    title = f"{name}{GAP}{', '.join(site.name for site in sites)}"
    sheet.text(Label(fitted(title, width - 20, SIZE_SMALL, True), x + 12, y + 16, SIZE_SMALL, True, ink, owner=box.id))
    count = len(instance.stages)
    start = x + (width - count * STAGE_W - (count - 1) * GAP_X) / 2
    previous: Box | None = None
    for stage, group in enumerate(instance.stages):
        made = _stage(sheet, number, stage, group, start + stage * (STAGE_W + GAP_X), y + 30, homes, catalogue)
        if previous is not None:
            level = made.centre[1]
            _flow(sheet, f"stage-{number}-{stage}", (previous.right, level), (made.x, level), wording)
        previous = made
    text = fitted(needs, width - 20, SIZE_SMALL)
    sheet.text(Label(text, x + 12, y + ROW_H - 17, SIZE_SMALL, colour="ink", owner=box.id))
    return box


def _stage(
    sheet: Sheet,
    copy: int,
    stage: int,
    group: Sequence[str],
    x: float,
    y: float,
    homes: dict[str, tuple[Site, Server, str]],
    catalogue: Catalogue,
) -> Box:
    known = [homes[gpu] for gpu in group if gpu in homes]
    names = list(dict.fromkeys(server.name for _site, server, _gpu in known))
    cards = list(dict.fromkeys(gpu for _site, _server, gpu in known))
    said = " + ".join(catalogue.gpus[each].short_name if each in catalogue.gpus else each for each in cards)
    server_id = known[0][1].id if known else ""
    box = Box(
        id=f"stage-{copy}-{stage}",
        kind="stage",
        x=x,
        y=y,
        width=STAGE_W,
        height=STAGE_H,
        object_id=server_id,
        name=" + ".join(names),
        facts=(f"{len(group)} × {said}",),
        stroke="line_strong",
        radius=6,
        layer=4,
        members=tuple(group),
    )
    return sheet.titled(box, " + ".join(names), f"{len(group)} × {said}")


def _flow(sheet: Sheet, edge_id: str, start: tuple[float, float], end: tuple[float, float], wording: Wording) -> None:
    name = kind_name("flow", wording)
    sheet.line(Edge(edge_id, "flow", (start, end), "", name, colour="accent", width=2, arrow=True, layer=3, used=True))


def _needs(instance: Instance, homes: dict[str, tuple[Site, Server, str]]) -> tuple[list[Server], list[Site]]:
    servers: dict[str, Server] = {}
    sites: dict[str, Site] = {}
    for stage in instance.stages:
        for gpu in stage:
            if gpu in homes:
                site, server, _name = homes[gpu]
                servers[server.id], sites[site.id] = server, site
    return list(servers.values()), list(sites.values())


def _summary(instances: Sequence[Instance], homes: dict[str, tuple[Site, Server, str]], wording: Wording) -> str:
    _ = wording.gettext
    most = max(len(_needs(instance, homes)[0]) for instance in instances)
    if most > 1:
        return _("Each answer needs {servers} at once: if one of them stops, its copy stops.").format(
            servers=wording.counted("servers", most)
        )
    if len(instances) > 1:
        return _("Each answer needs one copy only; if a copy stops, the others go on.")
    return _("Every answer needs this one server; if it stops, nothing answers.")


def _legend(wording: Wording) -> tuple[Key, ...]:
    return (
        Key(kind_name("flow", wording), "accent", width=2),
        Key(kind_name("load", wording), "internet", dashed=True, width=1.5),
    )
