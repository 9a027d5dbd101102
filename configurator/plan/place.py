"""May this card go there? Yes or no, with the reason, before anything changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from configurator.catalogue import Catalogue
from configurator.catalogue.records import GpuRecord, ServerRecord
from configurator.plan.index import find, gpus
from configurator.plan.model import Gpu, Plan, Server, Site, Slot
from configurator.terms import Message, message


@dataclass(frozen=True, slots=True)
class Placing:
    """Answer of can_place. ``slot_ids`` are the slots the cards would take, in order, when ``ok``."""

    ok: bool
    slot_ids: tuple[str, ...] = ()
    reason: Message | None = None


def gpu_power_w(gpu: Gpu, catalogue: Catalogue) -> float:
    """What the card may draw: its own limit, else the catalogue's."""
    record = catalogue.gpus.get(gpu.gpu)
    if gpu.power_limit_w is not None:
        return gpu.power_limit_w
    return record.power_w.value if record is not None else 0.0


def can_place(
    plan: Plan, catalogue: Catalogue, gpu: str, target_id: str, count: int = 1, moving: tuple[str, ...] = ()
) -> Placing:
    """Whether ``count`` cards of catalogue id ``gpu`` may go to a slot, a server or a site.

    ``moving`` are ids of GPUs that would leave their slots by the same edit (a move): their place and
    power count as free. Never raises; an unknown id is a refusal with its reason.
    """
    record = catalogue.gpus.get(gpu)
    if record is None:
        return Placing(False, reason=message("place.unknown_gpu", gpu=gpu))
    found = find(plan, target_id)
    if found is None:
        return Placing(False, reason=message("place.no_target", target_id=target_id))
    if moving:
        # A card keeps its power cap when it moves.
        capped_w = [gpu_power_w(card, catalogue) for _, _, _, card in gpus(plan) if card.id in moving]
        if capped_w:
            record = replace(record, power_w=replace(record.power_w, value=sum(capped_w) / len(capped_w)))
    if found.server is not None and found.slot is not None:
        return _in_slot(found.server, found.slot, catalogue, record, count, moving)
    if found.server is not None:
        return _in_server(found.server, catalogue, record, count, moving)
    if isinstance(found.node, Site):
        return _in_site(found.node, catalogue, record, count, moving)
    return Placing(False, reason=message("place.not_a_place", target_id=target_id))


def _in_slot(
    server: Server, slot: Slot, catalogue: Catalogue, record: GpuRecord, count: int, moving: tuple[str, ...]
) -> Placing:
    if slot.gpu is not None and slot.gpu.id not in moving:
        return Placing(False, reason=message("place.slot_taken", slot=slot.name, gpu=slot.gpu.gpu))
    if count > 1:
        return _in_server(server, catalogue, record, count, moving, first=slot.id)
    reason = slot_refusal(server, slot, catalogue, record) or _server_refusal(server, catalogue, record, 1, moving)
    return Placing(False, reason=reason) if reason else Placing(True, (slot.id,))


def _in_server(
    server: Server, catalogue: Catalogue, record: GpuRecord, count: int, moving: tuple[str, ...], first: str = ""
) -> Placing:
    free = [slot for slot in server.slots if slot.gpu is None or slot.gpu.id in moving]
    if not server.slots:
        return Placing(False, reason=message("place.no_slots", server_id=server.id))
    if len(free) < count:
        used = len(server.slots) - len(free)
        return Placing(False, reason=message("place.no_free_slot", used=used, slots=len(server.slots), wanted=count))
    refusals = [(slot, slot_refusal(server, slot, catalogue, record)) for slot in free]
    # The fullest link first, so that a card dropped on the box lands in its best slot.
    fitting = sorted(
        (slot for slot, reason in refusals if reason is None),
        key=lambda slot: (slot.id != first, -(slot.pcie_generation or 0) * (slot.lanes or 0)),
    )
    if len(fitting) < count:
        reason = next((reason for _, reason in refusals if reason is not None), None)
        return Placing(False, reason=reason)
    reason = _server_refusal(server, catalogue, record, count, moving)
    return Placing(False, reason=reason) if reason else Placing(True, tuple(slot.id for slot in fitting[:count]))


def _in_site(site: Site, catalogue: Catalogue, record: GpuRecord, count: int, moving: tuple[str, ...]) -> Placing:
    if not site.servers:
        return Placing(False, reason=message("place.site_without_server", site_id=site.id))
    answers = [_in_server(server, catalogue, record, count, moving) for server in site.servers]
    return next((answer for answer in answers if answer.ok), answers[0])


def slot_refusal(server: Server, slot: Slot, catalogue: Catalogue, record: GpuRecord) -> Message | None:
    """Why the card cannot stand in this (free) slot, or None."""
    chassis = catalogue.servers.get(server.chassis)
    if record.form != slot.form:
        code = "place.module_needs_board" if record.form in {"sxm", "oam", "soc"} else "place.board_takes_modules"
        return message(code, gpu=record.id, form=record.form, slot_form=slot.form, server_id=server.id)
    if chassis is not None and chassis.accepts and record.id not in chassis.accepts:
        return message("place.board_accepts", gpu=record.id, server_id=server.id, accepted=chassis.accepts)
    width = record.width_slots
    if slot.form == "pcie" and width is not None and width > slot.width_slots:
        return message("place.too_wide", gpu=record.id, slot=slot.name, wide_slots=width, room_slots=slot.width_slots)
    return _too_long(chassis, record, server)


def _too_long(chassis: ServerRecord | None, record: GpuRecord, server: Server) -> Message | None:
    limit = chassis.max_card_length_mm if chassis is not None else None
    if limit is not None and record.length_mm is not None and record.form == "pcie" and record.length_mm > limit:
        return message("place.too_long", gpu=record.id, length_mm=record.length_mm, room_mm=limit, server_id=server.id)
    return None


def _server_refusal(
    server: Server, catalogue: Catalogue, record: GpuRecord, count: int, moving: tuple[str, ...]
) -> Message | None:
    """Limits of the whole machine: number of cards and power for them."""
    chassis = catalogue.servers.get(server.chassis)
    staying = [slot.gpu for slot in server.slots if slot.gpu is not None and slot.gpu.id not in moving]
    if chassis is not None and chassis.max_gpus and len(staying) + count > chassis.max_gpus:
        return message("place.too_many", gpus=len(staying) + count, max_gpus=chassis.max_gpus, server_id=server.id)
    limit = server.max_gpu_power_w or (chassis.max_gpu_power_w if chassis is not None else None)
    if limit is None:
        return None
    drawn = sum(gpu_power_w(gpu, catalogue) for gpu in staying) + count * record.power_w.value
    if drawn > limit:
        return message("place.power", drawn_w=drawn, limit_w=limit, server_id=server.id)
    return None
