"""The cards of a server with their lines, NVLink and the tinted groups."""

from __future__ import annotations

from itertools import groupby

from configurator.diagram.inside import CARD_H, CARD_W, TINT, Cluster, Drawing
from configurator.diagram.measure import fitted, text_width, wrapped
from configurator.diagram.picture import Box, Label, State
from configurator.diagram.said import GAP, group_name, group_names, link_facts, rate
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL
from configurator.plan.model import Gpu, Slot
from configurator.scaling import graph as topo

BAR_DROP, BAR_H = 26.0, 30.0


def cards(at: Drawing, y: float) -> float:
    """Draw the row of cards at ``y`` with everything above and below it; returns the y below."""
    numbers = {slot.id: number for number, slot in enumerate(at.server.slots)}
    for cluster in at.clusters:
        for slot in cluster.slots:
            if slot.gpu is not None:
                _card(at, slot, slot.gpu, numbers[slot.id], y)
        if not at.chip:
            _fan(at, cluster, y)
    return _groups(at, y, _nvlink(at, y + CARD_H))


def _card(at: Drawing, slot: Slot, gpu: Gpu, number: int, y: float) -> None:
    _ = at.wording.gettext
    record = at.context.catalogue.gpus.get(gpu.gpu)
    state = at.context.state(at.server.id, slot.switch or "", slot.id, gpu.id)
    member = at.member(slot)
    if member is None and state == "normal" and gpu.id in at.placement.idle:
        state = "idle"
    facts = [record.name, at.wording.memory_label(record.memory_label_gb)] if record is not None else []
    if member is not None:
        facts.append(group_name(member, at.placement.copies, at.wording))
    elif state == "idle":
        facts.append(_("Not used by the chosen layout"))
    name = _("GPU {n}").format(n=number)
    box = _card_box(f"box-{gpu.id}", at.card_x[slot.id], y, state, gpu.id, name, tuple(facts), slot.id)
    at.sheet.add(box)
    notes = {
        "failed": _("failed"),
        "stopped": _("stops"),
        "unreached": _("not reached"),
        "slowed": _("slower"),
        "idle": _("not used"),
    }
    faded = state in {"failed", "stopped", "unreached", "idle"}
    strong, soft = ("ink", "muted") if faded else ("on_card", "on_card_muted")
    if state in {"failed", "stopped", "unreached"}:
        soft = "stop_ink"
    x = box.centre[0]
    lines = wrapped(record.short_name if record is not None else gpu.gpu, CARD_W - 10, SIZE_NOTE, True)[:2]
    top = box.centre[1] - 9 - (len(lines) - 1) * 7
    for row, line in enumerate(lines):
        text = fitted(line, CARD_W - 8, SIZE_NOTE, True)
        at.sheet.text(Label(text, x, top + 14 * row, SIZE_NOTE, True, strong, "centre", owner=box.id))
    note = fitted(notes.get(state, name), CARD_W - 8, SIZE_SMALL)
    at.sheet.text(Label(note, x, top + 14 * len(lines) + 3, SIZE_SMALL, False, soft, "centre", owner=box.id))


def _card_box(
    box_id: str, x: float, y: float, state: State, object_id: str, name: str, facts: tuple[str, ...], slot_id: str
) -> Box:
    faded = state in {"failed", "stopped", "unreached", "idle"}
    marked = {"failed": "stop", "stopped": "stop", "unreached": "stop", "slowed": "step"}
    return Box(
        id=box_id,
        kind="gpu",
        x=x,
        y=y,
        width=CARD_W,
        height=CARD_H,
        object_id=object_id,
        name=name,
        facts=facts,
        fill="stop_soft" if state == "failed" else "panel" if faded else "card",
        stroke=marked.get(state, "line_strong" if faded else "card"),
        stroke_width=1.5 if state in marked else 1,
        dashed=faded,
        radius=6,
        layer=4,
        state=state,
        members=(slot_id,),
    )


def _fan(at: Drawing, cluster: Cluster, y: float) -> None:
    """Lines from a parent down to its cards: one pill where all are equal, one figure above each card where not."""
    parent = at.box(cluster.parent)
    if parent is None:
        return
    start = (parent.centre[0], parent.bottom)
    found: list[tuple[topo.Edge, float]] = []
    for slot in cluster.slots:
        x = at.card_x[slot.id] + CARD_W / 2
        broken = slot.gpu is not None and at.context.state(slot.switch or "", slot.id, slot.gpu.id) == "failed"
        at.connect(slot.id, (start, (x, y)), "pcie", broken=broken)
        edge = None if broken else at.found(slot.id)
        if edge is not None:
            found.append((edge, x))
    if len({(edge.bandwidth_bytes_per_s, edge.known) for edge, _ in found}) == 1:
        first = found[0][0]
        text = at.figures(first)
        half = text_width(text, SIZE_SMALL) / 2 + 10
        level = start[1] + (y - start[1]) * 0.42
        label = Label(text, 0, 0, SIZE_SMALL, align="centre", pill=True, owner=first.id)
        x = start[0]
        at.sheet.pill(label, (x, level), (x + half, level), (x - half, level), (x, level + 10))
        return
    for edge, x in found:
        text = rate(edge, at.wording)
        label = Label(text, 0, 0, SIZE_SMALL, align="centre", pill=True, owner=edge.id)
        at.sheet.pill(label, (x, y - 15), (x, y - 27))


def _nvlink(at: Drawing, bottom: float) -> float:
    """The NVLink fabric below the cards: a bar for a switch or a full mesh, brackets for bridges."""
    middles = {
        slot.gpu.id: at.card_x[slot.id] + CARD_W / 2
        for each in at.clusters
        for slot in each.slots
        if slot.gpu is not None
    }
    fabric = at.nvlink
    if not fabric:
        return bottom
    joined = sorted(
        {end for edge in fabric for end in (edge.a, edge.b)} & middles.keys(), key=lambda each: middles[each]
    )
    star = {edge.a: edge for edge in fabric if edge.b not in middles}
    if star or len(fabric) > len(joined):
        return _nvlink_bar(at, bottom, {each: middles[each] for each in joined}, star)
    for edge in fabric:
        a, b = middles[edge.a], middles[edge.b]
        depth = bottom + 11
        at.connect(edge.id, ((a, bottom), (a, depth), (b, depth), (b, bottom)), "nvlink")
        label = Label(at.figures(edge), 0, 0, SIZE_SMALL, align="centre", pill=True, owner=edge.id)
        at.sheet.pill(label, ((a + b) / 2, depth + 17), ((a + b) / 2, depth + 29))
    return bottom + 42


def _nvlink_bar(at: Drawing, bottom: float, middles: dict[str, float], star: dict[str, topo.Edge]) -> float:
    joined = list(middles)
    left, right = middles[joined[0]] - CARD_W / 2, middles[joined[-1]] + CARD_W / 2
    title = "NVSwitch" if star else at.wording.gettext("every card joined with every card")
    first = next(iter(star.values()), at.nvlink[0])
    box = Box(
        id=f"{at.server.id}/nvswitch",
        kind="nvswitch",
        x=left,
        y=bottom + BAR_DROP,
        width=right - left,
        height=BAR_H,
        object_id=at.server.id,
        name=title,
        facts=link_facts(first, at.placement.uses.get(first.id, ()), at.wording, bottleneck=False),
        stroke="nvlink",
        radius=6,
        layer=4,
        state=at.context.state(at.server.id),
    )
    at.sheet.add(box)
    text = fitted(f"{title}{GAP}{at.figures(first)}", box.width - 16, SIZE_SMALL, True)
    at.sheet.text(Label(text, *box.centre, SIZE_SMALL, True, align="centre", owner=box.id))
    for each, x in middles.items():
        edge = star.get(each)
        broken = at.context.state(each) == "failed"
        at.connect(
            edge.id if edge else f"{each}/mesh", ((x, bottom), (x, box.y)), "nvlink", edge or first, broken=broken
        )
    return box.bottom


def _groups(at: Drawing, top: float, bottom: float) -> float:
    """Tinted grounds under cards of one tensor group; its name at the foot."""
    ordered = [slot for each in at.clusters for slot in each.slots]
    drawn = False
    for group, run in groupby(ordered, lambda slot: member.group if (member := at.member(slot)) else None):
        slots = list(run)
        member = at.member(slots[0])
        if group is None or member is None:
            continue
        drawn = True
        left = at.card_x[slots[0].id] - TINT
        letter = "abcd"[member.colour % 4]
        name = group_name(member, at.placement.copies, at.wording)
        box = Box(
            id=f"group-{member.copy}-{member.stage}-{slots[0].id}",
            kind="group",
            x=left,
            y=top - TINT,
            width=at.card_x[slots[-1].id] + CARD_W + TINT - left,
            height=bottom - top + 2 * TINT + 22,
            name=name,
            fill=f"group_{letter}_soft",
            stroke=f"group_{letter}",
            radius=9,
            layer=2,
            members=tuple(slot.gpu.id for slot in slots if slot.gpu is not None),
        )
        at.sheet.add(box)
        names = group_names(member, at.placement.copies, at.wording)
        short = next((each for each in names if text_width(each, SIZE_SMALL, True) <= box.width - 16), "")
        ink = f"group_{letter}_ink"
        at.sheet.text(Label(short, left + 10, bottom + TINT + 8, SIZE_SMALL, True, ink, owner=box.id))
    return bottom + (TINT + 26 if drawn else 0)
