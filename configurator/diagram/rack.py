"""The hardware as it stands: places, servers, cards in their slots with the memory of each. For paper and export."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from configurator.catalogue import Catalogue
from configurator.diagram.compact import cards_said, server_cards
from configurator.diagram.inside import Block
from configurator.diagram.measure import fitted, text_width, wrapped
from configurator.diagram.picture import Box, Key, Label, Picture
from configurator.diagram.placement import workload_of
from configurator.diagram.said import place_said
from configurator.diagram.sheet import Sheet
from configurator.diagram.site_view import shelf
from configurator.diagram.tokens import SIZE_NOTE, SIZE_SMALL, SIZE_TEXT
from configurator.plan.model import Plan, Server, Site, Slot
from configurator.sizing.results import GpuMemory
from configurator.wording import Wording

if TYPE_CHECKING:
    from configurator.assess import Assessment

CARD_W, CARD_H, GAP = 60.0, 128.0, 7.0
PAD, HEAD, FOOT = 14.0, 36.0, 26.0
SITE_PAD, SITE_HEAD = 16.0, 42.0
MOST_SLOTS = 20
"""A server with more is drawn as one line of words."""
ROW = 1180.0
WELL = (8.0, 52.0, 44.0, 52.0)
"""Place of the memory inside a card: x, y, width, height."""


def rack(plan: Plan, catalogue: Catalogue, wording: Wording, assessment: Assessment | None = None) -> Picture:
    """Places in rows with their servers; cards filled by the first workload's answer where there is one."""
    answer = workload_of(assessment, None)
    memory = {each.gpu_id: each for each in answer.per_gpu} if answer is not None else {}
    blocks = [_site(site, catalogue, wording, memory) for site in plan.sites]
    sheet = Sheet()
    for placed in shelf(blocks, max([ROW, *(block.width for block in blocks)]), 24, 24):
        sheet.take(placed.block.sheet, placed.x, placed.y)
    _ = wording.gettext
    legend = (
        Key(_("model"), "weights", line=False),
        Key(_("conversations"), "kv", line=False),
        Key(_("working memory"), "working", line=False),
        Key(_("free"), "card_inner", line=False),
    )
    total = sum(len(server_cards(server)) for site in plan.sites for server in site.servers)
    return sheet.picture(12, _("Hardware"), wording.counted("gpus", total), legend if memory else ())


def _site(site: Site, catalogue: Catalogue, wording: Wording, memory: Mapping[str, GpuMemory]) -> Block:
    sheet = Sheet()
    placed = shelf([_server(each, catalogue, wording, memory) for each in site.servers], ROW - 2 * SITE_PAD, 16, 16)
    title = site.name
    note = place_said(site, wording)
    need = text_width(title, SIZE_TEXT, True) + text_width(note, SIZE_NOTE) + 46
    width = max([need, 220.0, *(each.x + each.block.width + 2 * SITE_PAD for each in placed)])
    bottom = max((each.y + each.block.height for each in placed), default=22.0)
    height = SITE_HEAD + bottom + SITE_PAD
    box = Box(
        f"box-{site.id}", "site", 0, 0, width, height, site.id, site.name, (note,) if note else (), radius=12, layer=0
    )
    sheet.add(box)
    sheet.text(Label(title, SITE_PAD, 21, SIZE_TEXT, True, owner=box.id))
    x = SITE_PAD + text_width(title, SIZE_TEXT, True) + 12
    if note:
        sheet.text(Label(note, x, 21, SIZE_NOTE, colour="muted", owner=box.id))
    if not placed:
        none = wording.gettext("no servers yet")
        sheet.text(Label(none, width / 2, SITE_HEAD + 8, SIZE_NOTE, colour="muted", align="centre"))
    for each in placed:
        sheet.take(each.block.sheet, SITE_PAD + each.x, SITE_HEAD + each.y)
    return Block(sheet, width, height)


def _server(server: Server, catalogue: Catalogue, wording: Wording, memory: Mapping[str, GpuMemory]) -> Block:
    sheet = Sheet()
    slots = server.slots if len(server.slots) <= MOST_SLOTS else ()
    record = catalogue.servers.get(server.chassis)
    said = record.name if record is not None else ""
    if not slots:
        said = cards_said(server, catalogue) or said
    name_width = text_width(server.name, SIZE_TEXT, True)
    inner = len(slots) * (CARD_W + GAP) - GAP
    width = max(inner + 2 * PAD, name_width + min(text_width(said, SIZE_SMALL), 210.0) + 3 * PAD, 180.0)
    height = HEAD + (CARD_H + FOOT + 6 if slots else 10)
    box = Box(
        f"box-{server.id}", "server", 0, 0, width, height, server.id, server.name, (said,), stroke="line_strong",
        dashed=not server.topology_known, radius=10, layer=1,
    )  # fmt: skip
    sheet.add(box)
    sheet.text(Label(server.name, PAD, 18, SIZE_TEXT, True, owner=box.id))
    note = fitted(said, width - name_width - 3 * PAD, SIZE_SMALL)
    sheet.text(Label(note, width - PAD, 18, SIZE_SMALL, False, "muted", "right", owner=box.id))
    for number, slot in enumerate(slots):
        x = PAD + number * (CARD_W + GAP)
        if slot.gpu is None:
            _free(sheet, slot, x, HEAD, wording)
        else:
            _card(sheet, slot, x, HEAD, catalogue, wording, memory.get(slot.gpu.id))
    _roots(sheet, server, slots, wording)
    return Block(sheet, width, height)


def _free(sheet: Sheet, slot: Slot, x: float, y: float, wording: Wording) -> None:
    box = Box(f"slot-{slot.id}", "slot", x, y, CARD_W, CARD_H, slot.id, slot.name, dashed=True, radius=6, layer=2,
              stroke="line_strong")  # fmt: skip
    sheet.add(box)
    lanes = f"×{slot.lanes}" if slot.lanes else "×?"
    sheet.text(Label(lanes, box.centre[0], box.bottom - 26, SIZE_SMALL, colour="muted", align="centre", owner=box.id))
    free = fitted(wording.gettext("free"), CARD_W - 6, SIZE_SMALL)
    sheet.text(Label(free, box.centre[0], box.bottom - 12, SIZE_SMALL, colour="muted", align="centre", owner=box.id))


def _card(
    sheet: Sheet, slot: Slot, x: float, y: float, catalogue: Catalogue, wording: Wording, memory: GpuMemory | None
) -> None:
    gpu = slot.gpu
    if gpu is None:
        return
    record = catalogue.gpus.get(gpu.gpu)
    name = record.short_name if record is not None else gpu.gpu
    box = Box(
        f"box-{gpu.id}", "gpu", x, y, CARD_W, CARD_H, gpu.id, name, fill="card", stroke="card", radius=6, layer=2,
        members=(slot.id,),
    )  # fmt: skip
    sheet.add(box)
    for row, line in enumerate(wrapped(name, CARD_W - 12, SIZE_SMALL, True)[:3]):
        text = fitted(line, CARD_W - 12, SIZE_SMALL, True)
        sheet.text(Label(text, x + 8, y + 13 + 13 * row, SIZE_SMALL, True, "on_card", owner=box.id))
    dx, dy, wide, high = WELL
    well = Box(f"well-{gpu.id}", "segment", x + dx, y + dy, wide, high, gpu.id, name, fill="card_inner",
               stroke="card_inner", radius=2, layer=3)  # fmt: skip
    sheet.add(well)
    if memory is not None and memory.memory_bytes:
        working = memory.activation_bytes + memory.overhead_bytes
        level = well.bottom
        for part, size, colour in (
            ("weights", memory.weights_bytes, "weights"),
            ("kv", memory.kv_cache_bytes, "kv"),
            ("working", working, "working"),
        ):
            tall = min(high * size / memory.memory_bytes, level - well.y)
            level -= tall
            if tall > 0.4:
                sheet.add(
                    Box(f"{part}-{gpu.id}", "segment", well.x, level, wide, tall, gpu.id, name, fill=colour,
                        stroke=colour, stroke_width=0.5, radius=0, layer=4)
                )  # fmt: skip
    if record is not None:
        label = fitted(wording.memory_label(record.memory_label_gb), CARD_W - 12, SIZE_SMALL)
        sheet.text(Label(label, x + 8, box.bottom - 11, SIZE_SMALL, False, "on_card_muted", owner=box.id))


def _roots(sheet: Sheet, server: Server, slots: tuple[Slot, ...], wording: Wording) -> None:
    """Below the slots: which processor and PCIe switch they hang on."""
    if not slots or slots[0].form == "soc":
        return
    names = {each.id: each.name for each in server.switches}
    y = HEAD + CARD_H + 9
    for (socket, switch), run in groupby(enumerate(slots), lambda each: (each[1].socket, each[1].switch)):
        numbers = [number for number, _slot in run]
        left = PAD + numbers[0] * (CARD_W + GAP)
        right = PAD + numbers[-1] * (CARD_W + GAP) + CARD_W
        sheet.add(
            Box(f"root-{server.id}-{numbers[0]}", "note", left, y, right - left, 1.5, fill="line_strong",
                stroke="line_strong", stroke_width=0.5, radius=0, layer=2)
        )  # fmt: skip
        if not server.topology_known:
            said = wording.gettext("wiring not known")
        else:
            said = wording.gettext("socket {n}").format(n=socket) if server.sockets > 1 else ""
            if switch in names:
                switch_said = wording.gettext("switch {name}").format(name=names[switch])
                said = f"{said} · {switch_said}" if said else switch_said
        said = fitted(said, right - left, SIZE_SMALL)
        middle = (left + right) / 2
        sheet.text(Label(said, middle, y + 11, SIZE_SMALL, colour="muted", align="centre", owner=f"box-{server.id}"))
