"""A server as one box with a small square per card, and many equal servers as one stack."""

from __future__ import annotations

from collections import Counter

from configurator.catalogue import Catalogue
from configurator.diagram.inside import Block, Context
from configurator.diagram.measure import fitted
from configurator.diagram.picture import Box, Label
from configurator.diagram.placement import Member
from configurator.diagram.said import GAP, group_name
from configurator.diagram.sheet import Sheet
from configurator.diagram.tokens import SIZE_SMALL, SIZE_TEXT
from configurator.plan.model import Gpu, Server

WIDTH, TOP, SQUARE, STEP, PER_ROW = 214.0, 50.0, 15.0, 20.0, 9
MOST_SQUARES = 36


def server_cards(server: Server) -> tuple[Gpu, ...]:
    """The cards of a server in the order of its slots."""
    return tuple(slot.gpu for slot in server.slots if slot.gpu is not None)


def cards_said(server: Server, catalogue: Catalogue) -> str:
    """Such as "8 × PRO 6000 Server", or "1 × RTX 5090 + 2 × RTX 3090"."""
    counted = Counter(gpu.gpu for gpu in server_cards(server))
    names = {each: catalogue.gpus[each].short_name if each in catalogue.gpus else each for each in counted}
    return " + ".join(f"{count} × {names[each]}" for each, count in counted.items())


def compact_block(server: Server, context: Context) -> Block:
    """One server as one box."""
    sheet = Sheet()
    _ = context.wording.gettext
    gpus = server_cards(server)
    rows = -(-min(len(gpus), MOST_SQUARES) // PER_ROW)
    height = TOP + rows * STEP + (10 if rows else 4)
    state = context.state(server.id)
    parts = tuple(
        dict.fromkeys(
            group_name(context.placement.members[gpu.id], context.placement.copies, context.wording)
            for gpu in gpus
            if gpu.id in context.placement.members
        )
    )
    said = cards_said(server, context.catalogue) or _("no cards yet")
    box = Box(
        id=f"box-{server.id}",
        kind="server",
        x=0,
        y=0,
        width=WIDTH,
        height=height,
        object_id=server.id,
        name=server.name,
        facts=(said, *parts[:4]),
        stroke="stop" if state == "failed" else "line_strong",
        dashed=state == "failed" or not server.topology_known,
        radius=8,
        layer=4,
        state=state,
        members=tuple(gpu.id for gpu in gpus),
    )
    sheet.add(box)
    sheet.text(Label(fitted(server.name, WIDTH - 24, SIZE_TEXT, True), 12, 17, SIZE_TEXT, True, owner=box.id))
    sheet.text(Label(fitted(said, WIDTH - 24, SIZE_SMALL), 12, 35, SIZE_SMALL, colour="muted", owner=box.id, detail=1))
    for number, gpu in enumerate(gpus[:MOST_SQUARES]):
        _square(sheet, context, server, gpu, 12 + number % PER_ROW * STEP, TOP + number // PER_ROW * STEP - 3)
    ports = {nic.id: (WIDTH / 2, 0.0) for nic in server.nics}
    return Block(sheet, WIDTH, height, {**ports, server.id: (WIDTH / 2, 0.0)})


def _square(sheet: Sheet, context: Context, server: Server, gpu: Gpu, x: float, y: float) -> None:
    member: Member | None = context.placement.members.get(gpu.id)
    state = context.state(server.id, gpu.id)
    record = context.catalogue.gpus.get(gpu.gpu)
    facts = (group_name(member, context.placement.copies, context.wording),) if member is not None else ()
    colour = f"group_{'abcd'[member.colour % 4]}_ink" if member is not None else "card"
    hollow = state in {"failed", "stopped", "unreached"} or (member is None and gpu.id in context.placement.idle)
    sheet.add(
        Box(
            id=f"box-{gpu.id}",
            kind="segment",
            x=x,
            y=y,
            width=SQUARE,
            height=SQUARE,
            object_id=gpu.id,
            name=record.name if record is not None else gpu.gpu,
            facts=facts,
            fill="panel" if hollow else colour,
            stroke="stop" if state in {"failed", "stopped", "unreached"} else "line_strong" if hollow else colour,
            dashed=hollow,
            radius=3,
            layer=5,
            state=state,
        )
    )


def stack_block(servers: tuple[Server, ...], context: Context) -> Block:
    """Equal servers as a stack with their number."""
    sheet = Sheet()
    first = servers[0]
    _ = context.wording.gettext
    each = cards_said(first, context.catalogue)
    said = _("each with {cards}").format(cards=each) if each else _("no cards yet")
    total = sum(len(server_cards(each)) for each in servers)
    height = 76.0
    state = context.state(first.id)
    members = tuple(each.id for each in servers)
    gpus = tuple(gpu.id for each in servers for gpu in server_cards(each))
    for depth in (2, 1):
        sheet.add(
            Box(
                f"stack-{depth}-{first.id}", "note", 5 * depth, -5 * depth, WIDTH, height, stroke="line_strong", layer=3
            )
        )
    copies = {context.placement.members[gpu].copy for gpu in gpus if gpu in context.placement.members}
    facts = [_("{first} to {last}").format(first=first.name, last=servers[-1].name), said]
    if copies:
        facts.append(context.wording.counted("copies", len(copies)))
    box = Box(
        id=f"box-{first.id}",
        kind="servers",
        x=0,
        y=0,
        width=WIDTH,
        height=height,
        object_id=first.id,
        name=context.wording.counted("servers", len(servers)),
        facts=tuple(facts),
        stroke="line_strong",
        radius=8,
        layer=4,
        state=state,
        members=(*members, *gpus),
    )
    sheet.add(box)
    title = box.name
    sheet.text(Label(fitted(title, WIDTH - 24, SIZE_TEXT, True), 12, 17, SIZE_TEXT, True, owner=box.id))
    sheet.text(Label(fitted(said, WIDTH - 24, SIZE_SMALL), 12, 36, SIZE_SMALL, colour="muted", owner=box.id))
    line = GAP.join(
        (context.wording.counted("gpus", total), *((context.wording.counted("copies", len(copies)),) if copies else ()))
    )
    sheet.text(Label(fitted(line, WIDTH - 24, SIZE_SMALL), 12, 56, SIZE_SMALL, colour="muted", owner=box.id, detail=1))
    middle = (WIDTH / 2 + 5, 0.0)
    ports = dict.fromkeys(members, middle)
    ports.update((nic.id, middle) for each in servers for nic in each.nics)
    return Block(sheet, WIDTH + 10, height, ports)
