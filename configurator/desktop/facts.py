"""Short plain facts about catalogue records and plan objects, for cards, headers, tooltips and screen readers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from configurator.catalogue import Catalogue
from configurator.catalogue.records import GpuRecord, LinkRecord, NetworkPart, Price, ServerRecord
from configurator.diagram.said import place_said
from configurator.plan.index import find, line_id
from configurator.plan.model import Gpu, Link, NetworkSwitch, Nic, Plan, Server, Site, Slot
from configurator.wording import Wording

DOT = " · "
NOT_FOR_NETWORK = "in-box"


@dataclass(frozen=True, slots=True)
class Figures:
    """What a card of the catalogue says: one line of facts, a price and its date ("" where there is none)."""

    line: str
    price: str = ""
    price_note: str = ""
    price_date: str = ""


def slots_text(wording: Wording, count: int) -> str:
    """Such as "8 slots"."""
    return wording.ngettext("{n} slot", "{n} slots", count).replace("{n}", str(count))


def price_of(price: Price | None, catalogue: Catalogue, wording: Wording) -> tuple[str, str]:
    """A planning price in the project's currency, and the sentence with range, date and basis."""
    if price is None:
        return "", ""
    rate = catalogue.fx[wording.currency].value if wording.currency in catalogue.fx else 1.0
    rate = 1.0 if wording.currency == "EUR" else rate
    note = wording.gettext("Planning price {low} to {high} net of VAT, as of {date} ({basis})")
    note = (
        note.replace("{low}", wording.money(round(price.eur.low * rate)))
        .replace("{high}", wording.money(round(price.eur.high * rate)))
        .replace("{date}", price.as_of)
        .replace("{basis}", price.basis or wording.gettext("basis not given"))
    )
    return wording.money(round(price.eur.value * rate)), note


def gpu_figures(record: GpuRecord, catalogue: Catalogue, wording: Wording) -> Figures:
    """Memory, its bandwidth, power; price."""
    parts = [
        wording.memory_label(record.memory_label_gb),
        wording.bandwidth(record.memory_bandwidth.value),
        wording.power(record.power_w.value),
    ]
    price, note = price_of(record.price, catalogue, wording)
    return Figures(DOT.join(parts), price, note, record.price.as_of if record.price is not None else "")


def server_figures(record: ServerRecord, catalogue: Catalogue, wording: Wording) -> Figures:
    """Slots, their links, height; price."""
    slots = slots_text(wording, record.max_gpus)
    links = Counter(
        (group.pcie_generation, group.lanes)
        for group in record.slot_groups
        for _ in range(group.count)
        if group.for_gpus
    )
    if links and record.slot_groups[0].form == "pcie":
        (generation, lanes), _ = links.most_common(1)[0]
        slots += " " + pcie_text(generation, lanes)
    elif record.slot_groups:
        slots += " " + form_text(record.slot_groups[0].form, wording)
    parts = [slots]
    if record.rack_units:
        parts.append(f"{record.rack_units}U")
    price, note = price_of(record.price, catalogue, wording)
    return Figures(DOT.join(parts), price, note, record.price.as_of if record.price is not None else "")


def part_figures(part: NetworkPart, catalogue: Catalogue, wording: Wording) -> Figures:
    """Ports and power of a network card or switch; price."""
    ports = " + ".join(f"{count} × {wording.gigabits(speed)}" for count, speed in part.ports[:2])
    price, note = price_of(part.price, catalogue, wording)
    line = DOT.join(each for each in (ports, wording.power(part.power_high_w)) if each)
    return Figures(line, price, note, part.price.as_of if part.price is not None else "")


def link_figures(record: LinkRecord, wording: Wording) -> Figures:
    """What a network link carries in practice."""
    latency = wording.duration(record.latency.value)
    return Figures(DOT.join((wording.bandwidth(record.bandwidth.value), latency)))


def pcie_text(generation: int | None, lanes: int | None) -> str:
    """Such as "PCIe 5.0 ×16"; what is not known says so."""
    return f"PCIe {f'{generation}.0' if generation else '?'} ×{lanes or '?'}"


def form_text(form: str, wording: Wording) -> str:
    """What kind of place a slot is."""
    names = {
        "sxm": wording.gettext("SXM modules"),
        "oam": wording.gettext("OAM modules"),
        "soc": wording.gettext("built in"),
    }
    return names.get(form, "PCIe")


def server_facts(server: Server, catalogue: Catalogue, wording: Wording) -> str:
    """The line in a server's header: height, slots and their link, sockets."""
    record = catalogue.servers.get(server.chassis)
    parts = []
    if record is not None and record.rack_units:
        parts.append(f"{record.rack_units}U")
    slots = slots_text(wording, len(server.slots))
    links = Counter((slot.pcie_generation, slot.lanes) for slot in server.slots)
    if server.slots and server.slots[0].form != "pcie":
        slots += " " + form_text(server.slots[0].form, wording)
    elif len(links) == 1:
        (generation, lanes), _ = links.most_common(1)[0]
        slots += " " + pcie_text(generation, lanes)
    elif links:
        slots += " " + "/".join(f"×{lanes or '?'}" for _, lanes in sorted(links, key=lambda key: -(key[1] or 0)))
    parts.append(slots)
    if server.sockets > 1:
        parts.append(wording.ngettext("{n} socket", "{n} sockets", server.sockets).replace("{n}", str(server.sockets)))
    return DOT.join(parts)


def site_facts(site: Site, wording: Wording) -> str:
    """The line beside a site's name: what kind of place, its circuit, tariff and cooling factor."""
    parts = [each for each in (place_said(site, wording),) if each]
    if site.power_limit_w is not None:
        parts.append(wording.gettext("circuit {power}").replace("{power}", wording.power(site.power_limit_w)))
    if site.tariff_per_kwh is not None:
        parts.append(wording.gettext("{price}/kWh").replace("{price}", wording.money(site.tariff_per_kwh)))
    if site.pue is not None:
        parts.append(f"PUE {wording.number(site.pue)}")
    return DOT.join(parts)


def slot_label(slot: Slot, wording: Wording) -> tuple[str, str]:
    """Two short lines inside an empty slot."""
    if slot.form in {"sxm", "oam"}:
        return slot.form.upper(), wording.gettext("free")
    return f"×{slot.lanes or '?'}", wording.gettext("free")


def caption(server: Server, socket: int, switch_id: str, wording: Wording) -> str:
    """The words under a group of slots."""
    if not server.topology_known:
        return wording.gettext("wiring not known")
    parts = []
    if server.sockets > 1:
        parts.append(wording.gettext("socket {n}").replace("{n}", str(socket)))
    switch = next((each for each in server.switches if each.id == switch_id), None)
    if switch is not None:
        parts.append(wording.gettext("switch {name}").replace("{name}", switch.name))
    elif server.switches or server.sockets == 1:
        parts.append(wording.gettext("on the CPU"))
    return DOT.join(parts)


def link_kind(link: Link, catalogue: Catalogue, wording: Wording) -> str:
    """Name of the kind of a link."""
    if link.kind == "internet":
        return wording.gettext("internet")
    if link.kind == "unknown":
        return wording.gettext("connection not known")
    record = catalogue.links.get(link.kind)
    return record.name if record is not None else link.kind


def link_label(link: Link, plan: Plan, catalogue: Catalogue, wording: Wording) -> str:
    """The words on a link: kind, bandwidth, latency; a figure that is not known is left out."""
    parts = [link_kind(link, catalogue, wording)]
    if link.count > 1:
        parts[0] = f"{link.count} × {parts[0]}"
    if link.kind == "internet":
        parts += _internet_figures(link, plan, catalogue, wording)
    else:
        record = catalogue.links.get(link.kind)
        bandwidth = link.bandwidth_bytes_per_s or (record.bandwidth.value if record else None)
        latency = link.latency_s or (record.latency.value if record else None)
        if bandwidth is not None:
            parts.append(wording.bandwidth(bandwidth * link.count))
        if latency is not None:
            parts.append(wording.duration(latency))
    return DOT.join(parts)


def _internet_figures(link: Link, plan: Plan, catalogue: Catalogue, wording: Wording) -> list[str]:
    """The slower direction of two lines, and the sum of their delays."""
    if link.bandwidth_bytes_per_s is not None:
        parts = [wording.bit_rate(link.bandwidth_bytes_per_s * 8)]
        return [*parts, wording.duration(link.latency_s)] if link.latency_s is not None else parts
    ups: list[float] = []
    delays: list[float] = []
    for end in (link.a, link.b):
        found = find(plan, end)
        if found is None or found.site is None:
            return []
        line = found.site.internet
        profile = catalogue.internet.get(line.profile or "")
        up = line.up_mbit_s * 1e6 if line.up_mbit_s else (profile.up_bits_per_s if profile else None)
        delay = line.rtt_ms / 1e3 if line.rtt_ms else (profile.rtt.value if profile else None)
        if up is None or delay is None:
            return []
        ups.append(up)
        delays.append(delay)
    return [wording.bit_rate(min(ups)), wording.duration(sum(delays))]


def internet_text(site: Site, catalogue: Catalogue, wording: Wording) -> str:
    """The internet line of a site in words."""
    profile = catalogue.internet.get(site.internet.profile or "")
    return profile.name if profile is not None else wording.gettext("not known")


def describe(plan: Plan, object_id: str, catalogue: Catalogue, wording: Wording) -> str:
    """One sentence about any object, for tooltips and screen readers; "" when there is no such object."""
    found = find(plan, object_id)
    if found is None:
        return ""
    node = found.node
    if isinstance(node, Site):
        servers = wording.counted("servers", len(node.servers))
        down = wording.gettext("internet line failed") if line_id(node.id) in plan.failed_ids else ""
        return DOT.join(each for each in (node.name, site_facts(node, wording), servers, down) if each)
    if isinstance(node, Server):
        record = catalogue.servers.get(node.chassis)
        used = sum(slot.gpu is not None for slot in node.slots)
        full = wording.gettext("{used} of {slots} slots used")
        full = full.replace("{used}", str(used)).replace("{slots}", str(len(node.slots)))
        return DOT.join((node.name, record.name if record else node.chassis, full))
    if isinstance(node, Gpu):
        gpu = catalogue.gpus.get(node.gpu)
        name = gpu.name if gpu is not None else node.gpu
        where = found.server.name if found.server else ""
        slot = wording.gettext("slot {name}").replace("{name}", found.slot.name if found.slot else "")
        return DOT.join((name, gpu_figures(gpu, catalogue, wording).line if gpu else "", where, slot))
    if isinstance(node, Slot):
        where = found.server.name if found.server else ""
        slot_name = wording.gettext("slot {name}").replace("{name}", node.name)
        kind = pcie_text(node.pcie_generation, node.lanes) if node.form == "pcie" else form_text(node.form, wording)
        return DOT.join((where, slot_name, kind, wording.gettext("free") if node.gpu is None else ""))
    if isinstance(node, Link):
        return link_label(node, plan, catalogue, wording)
    if isinstance(node, Nic):
        return DOT.join((node.name, part_name(node.part, catalogue, wording)))
    if isinstance(node, NetworkSwitch):
        return DOT.join((node.name, part_name(node.part, catalogue, wording)))
    return getattr(node, "name", object_id)


def part_name(part: str | None, catalogue: Catalogue, wording: Wording) -> str:
    """Name of a network part."""
    record = catalogue.parts.get(part or "")
    return record.name if record is not None else wording.gettext("kind not known")


def plan_summary(plan: Plan, wording: Wording) -> str:
    """The whole canvas in one sentence, for screen readers."""
    if not plan.sites:
        return wording.gettext("The plan is empty. Add a site first.")
    parts = []
    for site in plan.sites:
        servers = [
            wording.gettext("{server} with {cards}")
            .replace("{server}", server.name)
            .replace("{cards}", wording.counted("cards", sum(slot.gpu is not None for slot in server.slots)))
            for server in site.servers
        ]
        parts.append(f"{site.name}: {', '.join(servers) or wording.gettext('no server')}")
    return "; ".join(parts)


def short_lines(record: GpuRecord) -> tuple[str, ...]:
    """The name of a card broken for its picture, without maker's lines and memory sizes: ("PRO", "6000", "Server")."""
    words = record.short_name.replace("GeForce", "").split()
    label = f"{record.memory_label_gb:g}"
    kept = [word for number, word in enumerate(words) if word != "GB" and not _is_size(words, number, label)]
    return tuple(kept[:4])


def _is_size(words: list[str], number: int, label: str) -> bool:
    return words[number] == label and number + 1 < len(words) and words[number + 1] == "GB"
