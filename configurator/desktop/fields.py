"""Fields of the property sheet as data: what can be said about a site, server, slot, card, link, switch, network card.

An empty number and the first entry of a choice mean "not known" (or "as the catalogue says"), and that is a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from configurator.catalogue import Catalogue
from configurator.desktop.facts import NOT_FOR_NETWORK
from configurator.operations.rates import tariff
from configurator.plan.edits import rebuilt
from configurator.plan.model import Frozen, Gpu, Link, NetworkSwitch, Nic, Server, Site, Slot
from configurator.wording import Wording

FieldKind = Literal["text", "number", "choice", "flag", "fact"]
Choice = tuple[object, str]

YEAR_KWH = 20_000.0
"""Use of a year that picks the band of a tariff while the real one is not asked for: one loaded server."""


@dataclass(frozen=True, slots=True)
class Field:
    """One line of the sheet. ``scale``: units of the model per unit on the screen."""

    name: str
    label: str
    kind: FieldKind
    unit: str = ""
    empty: str = ""
    """Words for an empty number."""
    scale: float = 1.0
    choices: tuple[Choice, ...] = ()
    help: str = ""
    fact: str = ""
    inside: str = ""
    """Name of the part of the object that holds the value ("internet")."""
    whole: bool = False
    """The number is a count."""
    most: float = float("inf")
    """Largest number on the screen that can be meant; more is a slip of the hand."""

    def value(self, node: Frozen) -> object:
        """The value now, in the model's units."""
        holder = getattr(node, self.inside) if self.inside else node
        return getattr(holder, self.name)

    def changed(self, node: Frozen, value: object) -> dict[str, object]:
        """Changes of the object that give the field this value."""
        if not self.inside:
            return {self.name: value}
        return {self.inside: rebuilt(getattr(node, self.inside), **{self.name: value})}


def fields_of(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    """The sheet of one object; empty for what has none."""
    for kind, make in _SHEETS.items():
        if isinstance(node, kind):
            return make(node, catalogue, wording)
    return ()


def explained(wording: Wording, term: str) -> str:
    """The glossary's sentence about a word, "" when there is none."""
    try:
        return wording.term(term).plain
    except KeyError:
        return ""


def _answers(wording: Wording) -> tuple[Choice, ...]:
    return (
        ("unknown", wording.word("answer.unknown")),
        ("yes", wording.word("answer.yes")),
        ("no", wording.word("answer.no")),
    )


def _site(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    _ = wording.gettext
    site = node if isinstance(node, Site) else None
    from_table = _("from the table of tariffs")
    if site is not None:
        # What the cost reckons with: a home pays another price than an office.
        assumed = tariff(
            rebuilt(site, tariff_per_kwh=None),
            catalogue,
            YEAR_KWH,
            catalogue.fx[wording.currency].value,
            wording.currency,
        ).value
        from_table = _("{range} assumed").format(range=wording.estimate(assumed.scaled(1.0, "")))
    kinds = tuple((kind, wording.word(f"site.{kind}")) for kind in ("home", "office", "server_room", "colocation"))
    countries = tuple(
        (iso, each.country) for iso, each in sorted(catalogue.tariffs.items(), key=lambda i: i[1].country)
    )
    lines: tuple[Choice, ...] = (
        (None, _("not known")),
        *((key, each.name) for key, each in catalogue.internet.items()),
    )
    unknown = _("not known")
    return (
        Field("name", _("Name"), "text"),
        Field("kind", _("Kind"), "choice", choices=kinds),
        Field("country", _("Country"), "choice", choices=countries, help=_("Decides the tariff while none is given.")),
        Field("power_limit_w", _("Circuit limit"), "number", "kW", unknown, 1000.0, most=100_000),
        Field("tariff_per_kwh", _("Electricity"), "number", f"{wording.currency}/kWh", from_table, most=1_000),
        Field("pue", _("Cooling factor (PUE)"), "number", "", _("by kind of place"), help=explained(wording, "pue")),
        Field("profile", _("Internet line"), "choice", choices=lines, inside="internet"),
        Field("down_mbit_s", _("Download"), "number", "Mbit/s", _("as the line"), inside="internet"),
        Field("up_mbit_s", _("Upload"), "number", "Mbit/s", _("as the line"), inside="internet"),
        Field("rtt_ms", _("Delay there and back"), "number", "ms", _("as the line"), inside="internet"),
    )


def _server(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    _ = wording.gettext
    record = catalogue.servers.get(node.chassis) if isinstance(node, Server) else None
    known: tuple[Choice, ...] = ((True, _("known, as drawn")), (False, _("not known yet")))
    p2p: tuple[Choice, ...] = (
        ("auto", _("by card and driver")),
        ("yes", wording.word("answer.yes")),
        ("no", wording.word("answer.no")),
        ("unknown", wording.word("answer.unknown")),
    )
    hosts: tuple[Choice, ...] = (("linux", "Linux"), ("wsl2", "WSL2"), ("windows", "Windows"), ("macos", "macOS"))
    power = price = _("from the catalogue")
    if record is not None and record.max_gpu_power_w is not None:
        power = wording.number(record.max_gpu_power_w / 1000)
    if record is not None and record.price is not None and wording.currency == "EUR":
        price = wording.count(record.price.eur.value)
    return (
        Field("name", _("Name"), "text"),
        Field("chassis", _("Chassis"), "fact", fact=record.name if record is not None else ""),
        Field("topology_known", _("Wiring of the cards"), "choice", choices=known),
        Field("p2p", _("Cards talk directly (P2P)"), "choice", choices=p2p, help=explained(wording, "p2p")),
        Field("host", _("System"), "choice", choices=hosts),
        Field("ram_gb", _("Main memory"), "number", "GB", _("not known"), most=1_000_000),
        Field("max_gpu_power_w", _("Power for cards"), "number", "kW", power, 1000.0, most=1_000),
        Field("price", _("Price without cards"), "number", wording.currency, price, most=1e9),
        Field("owned", _("Already owned"), "flag"),
    )


def _slot(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    del node, catalogue
    _ = wording.gettext
    unknown: Choice = (None, _("not known"))
    generations = (unknown, *((number, f"PCIe {number}.0") for number in (2, 3, 4, 5, 6)))
    lanes = (unknown, *((number, f"×{number}") for number in (1, 2, 4, 8, 16)))
    attach: tuple[Choice, ...] = (
        ("direct", _("on the CPU or its switch")),
        ("riser", _("by a riser cable")),
        ("chipset", _("behind the chipset")),
        ("oculink", "OCuLink"),
        ("thunderbolt", "Thunderbolt"),
        ("usb_riser", _("on a USB riser")),
        ("baseboard", _("on the baseboard")),
        ("soc", _("built in")),
    )
    return (
        Field("name", _("Name"), "text"),
        Field("pcie_generation", _("Generation"), "choice", choices=generations),
        Field("lanes", _("Lanes"), "choice", choices=lanes),
        Field("attach", _("How it is attached"), "choice", choices=attach),
    )


def _gpu(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    _ = wording.gettext
    record = catalogue.gpus.get(node.gpu) if isinstance(node, Gpu) else None
    full = wording.number(record.power_w.value) if record is not None else _("not limited")
    return (
        Field("gpu", _("Card"), "fact", fact=record.name if record is not None else ""),
        Field("power_limit_w", _("Power limit"), "number", "W", full, most=10_000),
        Field("drives_display", _("A monitor hangs on it"), "flag"),
        Field("owned", _("Already owned"), "flag"),
    )


def _link(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    del node
    _ = wording.gettext
    unknown = _("as the kind")
    return (
        Field("kind", _("Kind"), "choice", choices=link_kinds(catalogue, wording)),
        Field("count", _("How many"), "number", "", "1", whole=True),
        Field("bandwidth_bytes_per_s", _("Measured bandwidth"), "number", "GB/s", unknown, 1e9),
        Field("latency_s", _("Measured delay, one way"), "number", "µs", unknown, 1e-6),
        Field("owned", _("Already there"), "flag"),
    )


def link_kinds(catalogue: Catalogue, wording: Wording) -> tuple[Choice, ...]:
    """What a connection may be, the unknown first."""
    _ = wording.gettext
    network = tuple((key, each.name) for key, each in catalogue.links.items() if each.kind != NOT_FOR_NETWORK)
    return (("unknown", _("not known")), ("internet", _("internet")), *network)


def _nic(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    del node, catalogue
    _ = wording.gettext
    return (
        Field("name", _("Name"), "text"),
        Field("bandwidth_gbit_s", _("Speed"), "number", "Gbit/s", _("not known")),
        Field("rdma", _("RDMA in use"), "choice", choices=_answers(wording), help=explained(wording, "rdma")),
        Field("gpudirect", _("GPUDirect"), "choice", choices=_answers(wording), help=explained(wording, "gpudirect")),
    )


def _switch(node: object, catalogue: Catalogue, wording: Wording) -> tuple[Field, ...]:
    del node
    _ = wording.gettext
    parts = tuple((key, part.name) for key, part in catalogue.parts.items() if part.category == "switch")
    return (
        Field("name", _("Name"), "text"),
        Field("part", _("Kind"), "choice", choices=((None, _("not known")), *parts)),
        Field("owned", _("Already owned"), "flag"),
    )


Sheet = Callable[[object, Catalogue, Wording], tuple[Field, ...]]
_SHEETS: dict[type[Frozen], Sheet] = {
    Site: _site,
    Server: _server,
    Slot: _slot,
    Gpu: _gpu,
    Link: _link,
    Nic: _nic,
    NetworkSwitch: _switch,
}


def parse_number(text: str, decimal: str) -> float | None:
    """A number as people type it, None for an empty field; raises ValueError for anything else."""
    cleaned = "".join(sign for sign in text if not sign.isspace()).replace(decimal, ".").replace(",", ".")
    return float(cleaned) if cleaned else None
