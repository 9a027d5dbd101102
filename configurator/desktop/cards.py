"""The catalogue as cards: what the list on the left shows, in groups, with the words of each card."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from configurator.catalogue import Catalogue
from configurator.catalogue.records import GpuRecord, NetworkPart, ServerRecord
from configurator.desktop.facts import (
    DOT,
    NOT_FOR_NETWORK,
    Figures,
    gpu_figures,
    link_figures,
    part_figures,
    server_figures,
)
from configurator.desktop.placing import Kind, Payload
from configurator.wording import Wording

Shelf = Literal["gpus", "servers", "network", "sites"]
SHELVES: tuple[Shelf, ...] = ("gpus", "servers", "network", "sites")

DROPPED = ("GeForce", "Tesla", "Instinct", "Blackwell", "Edition", "Generation", "(Ampere)", "(HGX)")
"""Words that say nothing beside the rest of a card's name."""


@dataclass(frozen=True, slots=True)
class Card:
    """One thing that can be added."""

    shelf: Shelf
    group: str
    kind: Kind
    record: str
    title: str
    line: str
    price: str
    tip: str
    search: str
    date: str = ""
    """Of the price."""

    def payload(self, count: int = 1) -> Payload:
        """This in the hand."""
        return Payload(self.kind, self.record, count=count if self.kind in {"gpu", "server"} else 1, title=self.title)


def short_title(record: GpuRecord) -> str:
    """A card's name without makers' lines: "RTX PRO 6000 Server"."""
    words = [word for word in record.name.split() if word not in DROPPED]
    if "Max-Q" in words:
        words = [word for word in words if word != "Workstation"]
    return " ".join(words)


def all_cards(catalogue: Catalogue, wording: Wording) -> tuple[Card, ...]:
    """Everything, in the order of the shelves and groups."""
    return (
        *_gpu_cards(catalogue, wording),
        *_server_cards(catalogue, wording),
        *_network_cards(catalogue, wording),
        *_site_cards(wording),
    )


def _gpu_cards(catalogue: Catalogue, wording: Wording) -> Iterator[Card]:
    gettext = wording.gettext
    groups = {
        "card": gettext("Workstation and server cards"),
        "gaming": gettext("Gaming cards"),
        "module": gettext("Modules for boards"),
        "system": gettext("Built into a machine"),
    }

    def group_of(record: GpuRecord) -> str:
        if record.form in {"sxm", "oam"}:
            return "module"
        if record.form == "soc":
            return "system"
        return "gaming" if record.segment == "consumer" else "card"

    order = list(groups)
    newest = sorted(catalogue.gpus.values(), key=lambda record: record.launch_date, reverse=True)
    for record in sorted(newest, key=lambda record: (order.index(group_of(record)), -record.memory_label_gb)):
        figures = gpu_figures(record, catalogue, wording)
        yield Card(
            "gpus",
            groups[group_of(record)],
            "gpu",
            record.id,
            short_title(record),
            figures.line,
            figures.price,
            _gpu_tip(record, figures, wording),
            _searchable(record.id, record.name, record.short_name, record.vendor, *record.aliases),
            figures.price_date,
        )


def _gpu_tip(record: GpuRecord, figures: Figures, wording: Wording) -> str:
    form = {"pcie": "PCIe", "sxm": "SXM", "oam": "OAM", "soc": wording.gettext("built in")}[record.form]
    usable = wording.gettext("{memory} usable").replace("{memory}", wording.memory(record.memory_usable_bytes))
    lines = [f"{record.vendor} {record.name}", DOT.join((figures.line, form, usable))]
    if record.p2p_note:
        lines.append(record.p2p_note)
    return "\n".join(line for line in (*lines, figures.price_note) if line)


def _server_cards(catalogue: Catalogue, wording: Wording) -> Iterator[Card]:
    gettext = wording.gettext
    groups = {
        "server": gettext("Servers"),
        "workstation": gettext("Workstations"),
        "desktop": gettext("Desktops"),
        "board": gettext("Boards with modules"),
        "appliance": gettext("Complete systems"),
        "other": gettext("Used, open frames and risers"),
    }
    kinds = {
        "server": "server",
        "workstation": "workstation",
        "desktop": "desktop",
        "hgx": "board",
        "oam": "board",
        "rack-scale": "board",
        "appliance": "appliance",
    }
    order = list(groups)
    records = sorted(
        catalogue.servers.values(), key=lambda record: (order.index(kinds.get(record.kind, "other")), -record.max_gpus)
    )
    for record in records:
        figures = server_figures(record, catalogue, wording)
        yield Card(
            "servers",
            groups[kinds.get(record.kind, "other")],
            "server",
            record.id,
            record.name,
            figures.line,
            figures.price,
            _server_tip(record, figures, wording),
            _searchable(record.id, record.name, *record.examples),
            figures.price_date,
        )


def _server_tip(record: ServerRecord, figures: Figures, wording: Wording) -> str:
    lines = [record.name, figures.line]
    if record.examples:
        lines.append(wording.gettext("For example {models}").replace("{models}", ", ".join(record.examples[:3])))
    lines += [record.topology_note, figures.price_note]
    return "\n".join(line for line in lines if line)


def _network_cards(catalogue: Catalogue, wording: Wording) -> Iterator[Card]:
    gettext = wording.gettext
    for part in catalogue.parts.values():
        if part.category == "switch":
            yield _part_card(part, "switch", gettext("Switches"), catalogue, wording)
    for part in catalogue.parts.values():
        if part.category == "nic":
            yield _part_card(part, "nic", gettext("Network cards"), catalogue, wording)
    for record in catalogue.links.values():
        if record.kind == NOT_FOR_NETWORK:
            continue
        figures = link_figures(record, wording)
        tip = "\n".join(each for each in (record.name, figures.line, record.note) if each)
        yield Card(
            "network",
            gettext("Connections"),
            "link",
            record.id,
            record.name,
            figures.line,
            "",
            tip,
            _searchable(record.id, record.name),
        )


def _part_card(part: NetworkPart, kind: Kind, group: str, catalogue: Catalogue, wording: Wording) -> Card:
    figures = part_figures(part, catalogue, wording)
    tip = "\n".join(each for each in (part.name, figures.line, figures.price_note) if each)
    search = _searchable(part.id, part.name)
    return Card(
        "network", group, kind, part.id, part.name, figures.line, figures.price, tip, search, figures.price_date
    )


def _site_cards(wording: Wording) -> Iterator[Card]:
    gettext = wording.gettext
    lines = {
        "home": gettext("one household circuit, home internet"),
        "office": gettext("office circuits, people work beside it"),
        "server_room": gettext("own cooling and power, noise is no matter"),
        "colocation": gettext("rented space in a data centre"),
    }
    for kind, line in lines.items():
        word = wording.word(f"site.{kind}")
        title = word[:1].upper() + word[1:]
        yield Card(
            "sites", gettext("Places"), "site", kind, title, line, "", f"{title}\n{line}", _searchable(kind, title)
        )


def _searchable(*texts: str) -> str:
    return " ".join(texts).casefold()


def matches(card: Card, words: str) -> bool:
    """Every word of the search is somewhere in the card's names or facts."""
    text = f"{card.search} {card.line.casefold()}"
    return all(word in text for word in words.casefold().split())
