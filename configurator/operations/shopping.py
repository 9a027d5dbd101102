"""What has to be bought: cards, machines, network parts, storage; with price, date and basis, net of VAT."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from configurator.catalogue import Catalogue
from configurator.catalogue.records import Price
from configurator.operations.results import ShoppingLine
from configurator.plan.model import Link, Plan, Project, Server, Workload
from configurator.scaling.results import ScoredLayout
from configurator.terms import Estimate

TRAINING = frozenset({"lora", "qlora", "full", "pretrain"})

CABLES: tuple[tuple[float, str], ...] = (
    (10.0, "cable-cat6a"),
    (25.0, "dac-25g"),
    (100.0, "dac-100g"),
    (200.0, "dac-200g"),
    (400.0, "dac-400g"),
)
CARDS: tuple[tuple[float, str], ...] = (
    (10.0, "nic-10g"),
    (25.0, "nic-25g-used"),
    (100.0, "nic-100g-used"),
    (200.0, "nic-200g-cx6"),
    (400.0, "nic-400g-cx7"),
    (800.0, "nic-800g-cx8"),
)
"""(up to so many Gbit/s, part)."""

STORAGE = "shared-storage"
"""Not a catalogue part: several nodes that train together need shared storage (R71); ask for a quote."""

_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*(?:gbe|gb/s|g\b)")


@dataclass(slots=True)
class _Line:
    name: str
    category: str
    unit: Estimate | None
    date: str
    basis: str
    owned: bool
    quantity: int = 0
    subjects: list[str] = field(default_factory=list)


class _Basket:
    def __init__(self, currency: str, catalogue: Catalogue) -> None:
        self.currency = currency
        self.per_eur = per_eur(currency, catalogue)
        self.lines: dict[tuple[str, str, bool], _Line] = {}

    def add(
        self,
        item: str,
        name: str,
        category: str,
        price: Price | None,
        *subjects: str,
        own: float | None = None,
        owned: bool = False,
        count: int = 1,
        basis: str = "",
    ) -> None:
        """Count one more of an item. ``own`` is the owner's price per piece; owned things cost nothing."""
        key = (item, f"{own}", owned)
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = self._line(name, category, price, own, owned, basis)
        line.quantity += count
        line.subjects.extend(subjects)

    def _line(self, name: str, category: str, price: Price | None, own: float | None, owned: bool, basis: str) -> _Line:
        if owned:
            return _Line(name, category, None, price.as_of if price is not None else "", "owned", True)
        if own is not None:
            return _Line(name, category, Estimate.exact(own, self.currency, "policy"), "", "own price", False)
        if price is None:
            return _Line(name, category, None, "", basis, False)
        unit = converted(price, self.currency, self.per_eur)
        return _Line(name, category, unit, price.as_of, basis or price.basis, False)

    def result(self) -> tuple[ShoppingLine, ...]:
        """Lines in the order of the plan."""
        return tuple(
            ShoppingLine(
                item=key[0],
                name=line.name,
                category=line.category,
                quantity=line.quantity,
                unit_price=None if line.owned else line.unit,
                total=Estimate.exact(0.0, self.currency, "policy")
                if line.owned
                else (line.unit.scaled(line.quantity) if line.unit is not None else None),
                price_date=line.date,
                price_basis=line.basis,
                owned=line.owned,
                subject_ids=tuple(dict.fromkeys(line.subjects)),
            )
            for key, line in self.lines.items()
        )


def per_eur(currency: str, catalogue: Catalogue) -> float:
    """Units of the currency per EUR. An unknown currency raises KeyError (the plan allows known ones only)."""
    return catalogue.fx[currency].value


def converted(price: Price, currency: str, rate: float) -> Estimate:
    """A catalogue price in the project's currency; its spread is that of the quotes."""
    if currency == "USD":
        return Estimate(price.usd.low, price.usd.value, price.usd.high, currency, "vendor")
    return Estimate(price.eur.low * rate, price.eur.value * rate, price.eur.high * rate, currency, "vendor")


def shopping(
    plan: Plan,
    catalogue: Catalogue,
    currency: str = "EUR",
    *,
    interconnect_allowed: bool = True,
    shared_storage: bool = False,
) -> tuple[ShoppingLine, ...]:
    """The equipment list. Owned things are listed without a price.

    Without ``interconnect_allowed`` no network card, switch or cable is listed: none belongs in the list before the
    workload and replicas-against-one-distributed-model are decided (R11). Chassis whose price holds the modules
    (HGX, DGX Spark) do not list them again.
    """
    basket = _Basket(currency, catalogue)
    for site in plan.sites:
        for server in site.servers:
            _machine(basket, server, catalogue)
    if interconnect_allowed:
        _network(basket, plan, catalogue)
    if shared_storage:
        basket.add(STORAGE, "Shared storage for checkpoints and data", "storage", None, basis="ask for a quote")
    return basket.result()


def _machine(basket: _Basket, server: Server, catalogue: Catalogue) -> None:
    record = catalogue.servers.get(server.chassis)
    name = record.name if record is not None else server.chassis
    price = record.price if record is not None else None
    basket.add(server.chassis, name, "server", price, server.id, own=server.price, owned=server.owned)
    if record is not None and record.includes_gpus:
        return
    for slot in server.slots:
        if slot.gpu is None:
            continue
        card = catalogue.gpus.get(slot.gpu.gpu)
        basket.add(
            slot.gpu.gpu,
            card.name if card is not None else slot.gpu.gpu,
            "gpu",
            card.price if card is not None else None,
            slot.gpu.id,
            owned=slot.gpu.owned,
        )


def _network(basket: _Basket, plan: Plan, catalogue: Catalogue) -> None:
    servers = {server.id: server for site in plan.sites for server in site.servers}
    for site in plan.sites:
        for server in site.servers:
            for nic in server.nics:
                if nic.part is not None and not server.owned:
                    _part(basket, nic.part, catalogue, nic.id)
        for switch in site.switches:
            part = catalogue.parts.get(switch.part) if switch.part is not None else None
            basket.add(
                switch.part or "network-switch",
                part.name if part is not None else "Network switch",
                "switch",
                part.price if part is not None else None,
                switch.id,
                owned=switch.owned,
            )
    for link in plan.links:
        if link.owned:
            continue
        rate = link_gbit(link, catalogue)
        if rate is None:
            continue
        cable = "nic-tb-cable" if link.kind.startswith("tb") else _first(CABLES, rate)
        if cable is not None:
            _part(basket, cable, catalogue, link.id, count=link.count)
        for end in (link.a, link.b):
            near = servers.get(end)
            card = _first(CARDS, rate)
            if near is not None and card is not None and needs_card(near, rate, catalogue):
                _part(basket, card, catalogue, link.id)


def _part(basket: _Basket, item: str, catalogue: Catalogue, *subjects: str, count: int = 1) -> None:
    part = catalogue.parts.get(item)
    if part is not None:
        basket.add(item, part.name, part.category, part.price, *subjects, count=count)


def _first(table: tuple[tuple[float, str], ...], rate: float) -> str | None:
    return next((part for up_to, part in table if rate <= up_to), None)


def link_gbit(link: Link, catalogue: Catalogue) -> float | None:
    """Nominal rate of a link that a cable can carry; None for internet, Wi-Fi and unknown links."""
    record = catalogue.links.get(link.kind)
    if record is None or record.kind in {"wifi", "in-box"}:
        return None
    return record.nominal_bytes_per_s * 8 / 1e9


def needs_card(server: Server, rate_gbit: float, catalogue: Catalogue) -> bool:
    """Whether the machine has no port of that rate yet: neither a card in the plan nor one on board."""
    for nic in server.nics:
        part = catalogue.parts.get(nic.part) if nic.part is not None else None
        rates = [nic.bandwidth_gbit_s or 0.0] + [rate for _, rate in (part.ports if part is not None else ())]
        if max(rates) >= rate_gbit:
            return False
    record = catalogue.servers.get(server.chassis)
    onboard = record.onboard_network.lower() if record is not None else ""
    if "thunderbolt" in onboard or "usb4" in onboard:
        return rate_gbit > 40
    return max((float(found) for found in _RATE.findall(onboard)), default=1.0) < rate_gbit


def spans_servers(chosen: ScoredLayout | None, server_of: Mapping[str, str]) -> int:
    """Most servers that one copy of the chosen layout needs; 0 without a layout."""
    if chosen is None:
        return 0
    return max(
        (
            len({server_of[gpu] for stage in instance.stages for gpu in stage if gpu in server_of})
            for instance in chosen.instances
        ),
        default=0,
    )


def servers_of_gpus(plan: Plan) -> dict[str, str]:
    """GPU id -> server id."""
    return {
        slot.gpu.id: server.id
        for site in plan.sites
        for server in site.servers
        for slot in server.slots
        if slot.gpu is not None
    }


def interconnect_decided(plan: Plan, chosen: Mapping[str, ScoredLayout | None]) -> bool:
    """R11: links may be listed once every workload has a model, and a copy really spans servers."""
    if not plan.workloads or any(workload.model is None for workload in plan.workloads):
        return False
    server_of = servers_of_gpus(plan)
    return any(spans_servers(chosen.get(workload.id), server_of) > 1 for workload in plan.workloads)


def storage_needed(plan: Plan, chosen: Mapping[str, ScoredLayout | None]) -> bool:
    """R71: training over several servers needs shared storage."""
    server_of = servers_of_gpus(plan)

    def trains_across(workload: Workload) -> bool:
        return workload.task in TRAINING and spans_servers(chosen.get(workload.id), server_of) > 1

    return any(trains_across(workload) for workload in plan.workloads)


def unpriced(lines: tuple[ShoppingLine, ...]) -> tuple[ShoppingLine, ...]:
    """Lines whose price is not known: the total is not complete without them."""
    return tuple(line for line in lines if line.unit_price is None and not line.owned)


def gross(amount: Estimate, project: Project) -> Estimate:
    """The same amount with VAT at the owner's rate."""
    return amount.scaled(1.0 + project.cost.vat_share)
