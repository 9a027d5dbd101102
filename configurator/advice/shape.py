"""What stands where: cards, boxes, places and the weakest link between boxes. Small views over the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from configurator.plan.model import Gpu, Link, Plan, Server, Site, Slot

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue
    from configurator.catalogue.records import GpuRecord

FabricKind = Literal["none", "unknown", "internet", "slow", "ethernet", "rdma"]
"""Between boxes: nothing, not known, the internet, under 1 Gbit/s, plain network, remote memory access."""

ORDER: tuple[FabricKind, ...] = ("none", "unknown", "internet", "slow", "ethernet", "rdma")
SMALL_CARD_SHARE = 0.25
"""A card with less than this share of the largest card's memory is not worth its place in a split."""
SLOW_BYTES_PER_S = 0.1e9
"""Under about 1 Gbit/s of payload a distributed model is a demonstration."""

DIRECT_KINDS = ("tb", "usb4")
"""Starts of the catalogue ids of cables that join two machines without a switch."""

Maker = Literal["nvidia", "amd", "apple", "other"]
"""Whose tools speak to the cards."""

LANE_BYTES_PER_S = {1: 0.25e9, 2: 0.5e9, 3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9}
"""Per lane and direction by PCIe generation."""


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU with its surroundings."""

    gpu: Gpu
    record: GpuRecord
    slot: Slot
    server: Server
    site: Site


@dataclass(frozen=True, slots=True)
class Fabric:
    """The weakest connection a group of boxes depends on. Bytes/s and s of one direction; None: not known."""

    kind: FabricKind
    bandwidth_bytes_per_s: float | None
    latency_s: float | None
    link_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shape:
    """The standing cards of a plan (failed objects left out)."""

    plan: Plan
    catalogue: Catalogue
    cards: tuple[Card, ...]

    @cached_property
    def by_id(self) -> dict[str, Card]:
        """Card by the id of its GPU."""
        return {card.gpu.id: card for card in self.cards}

    @cached_property
    def boxes(self) -> tuple[tuple[Server, tuple[Card, ...]], ...]:
        """Servers that hold cards, in the order of the plan."""
        found: dict[str, list[Card]] = {}
        for card in self.cards:
            found.setdefault(card.server.id, []).append(card)
        return tuple((cards[0].server, tuple(cards)) for cards in found.values())

    @cached_property
    def site_ids(self) -> tuple[str, ...]:
        """Places with cards."""
        return tuple(dict.fromkeys(card.site.id for card in self.cards))

    @cached_property
    def memory_bytes(self) -> int:
        """Usable memory of all cards together; capacity only inside one linked group."""
        return sum(card.record.memory_usable_bytes for card in self.cards)

    @cached_property
    def kinds(self) -> tuple[GpuRecord, ...]:
        """Different card models, most memory first."""
        records = {card.record.id: card.record for card in self.cards}
        return tuple(sorted(records.values(), key=lambda record: -record.memory_usable_bytes))

    @cached_property
    def maker(self) -> Maker:
        """Maker of the cards whose tools are to be used: of all cards, else of the most."""
        vendors = [card.record.vendor.lower() for card in self.cards]
        most = max(dict.fromkeys(vendors), key=vendors.count, default="")
        makers: tuple[Maker, ...] = ("nvidia", "amd", "apple")
        return next((maker for maker in makers if maker == most), "other")

    @cached_property
    def direct_links(self) -> tuple[Link, ...]:
        """Direct cables between two servers with cards."""
        holding = {server.id for server, _ in self.boxes}
        return tuple(
            link
            for link, _ in self._links()
            if link.a in holding and link.b in holding and link.kind.startswith(DIRECT_KINDS)
        )

    def servers_of(self, gpu_ids: Iterable[str]) -> tuple[str, ...]:
        """Ids of the servers those GPUs stand in."""
        return tuple(dict.fromkeys(self.by_id[each].server.id for each in gpu_ids if each in self.by_id))

    def sites_of(self, gpu_ids: Iterable[str]) -> tuple[str, ...]:
        """Ids of the sites those GPUs stand in."""
        return tuple(dict.fromkeys(self.by_id[each].site.id for each in gpu_ids if each in self.by_id))

    def fabric(self, server_ids: tuple[str, ...]) -> Fabric:
        """The weakest connection among these servers; "none" with no bandwidth where a path is missing."""
        if len(server_ids) < 2:
            return Fabric("rdma", None, None)
        wanted = set(server_ids)
        place = {server.id: site.id for site in self.plan.sites for server in site.servers}
        reached, used = {server_ids[0]}, []
        # Grow from the first server over the best links first: the weakest used link is the bottleneck.
        links = sorted(
            self._links(), key=lambda pair: (-ORDER.index(pair[1].kind), -(pair[1].bandwidth_bytes_per_s or 0))
        )
        while not wanted <= reached:
            step = next(
                (pair for pair in links if len({pair[0].a, pair[0].b} & reached) == 1),
                None,
            )
            if step is None:
                apart = len({place.get(each, each) for each in wanted}) > 1
                return Fabric("internet" if apart else "none", None, None)
            reached |= {step[0].a, step[0].b}
            reached |= {place[end] for end in (step[0].a, step[0].b) if end in place and len(self.site_ids) > 1}
            used.append(step)
        weakest = min(used, key=lambda pair: (ORDER.index(pair[1].kind), pair[1].bandwidth_bytes_per_s or 0))
        return Fabric(
            weakest[1].kind,
            weakest[1].bandwidth_bytes_per_s,
            weakest[1].latency_s,
            tuple(link.id for link, _ in used),
        )

    def _links(self) -> list[tuple[Link, Fabric]]:
        failed = set(self.plan.failed_ids)
        return [(link, self.link_fabric(link)) for link in self.plan.links if not failed & {link.id, link.a, link.b}]

    def link_fabric(self, link: Link) -> Fabric:
        """Kind and figures of one link of the plan."""
        sites = {site.id: site for site in self.plan.sites}
        if link.kind == "internet" or (link.a in sites and link.b in sites):
            lines = [sites[end].internet for end in (link.a, link.b) if end in sites]
            ups = [self._up(line.profile, line.up_mbit_s) for line in lines]
            slowest = min((up for up in ups if up is not None), default=None)
            return Fabric("internet", link.bandwidth_bytes_per_s or slowest, link.latency_s, (link.id,))
        record = self.catalogue.links.get(link.kind)
        each = link.bandwidth_bytes_per_s or (record.bandwidth.value if record else None)
        bandwidth = each * link.count if each is not None else None
        latency = link.latency_s or (record.latency.value if record else None)
        if bandwidth is None:
            return Fabric("unknown", None, latency, (link.id,))
        kind: FabricKind = "slow" if bandwidth < SLOW_BYTES_PER_S else "ethernet"
        if record is not None and record.rdma and kind != "slow":
            kind = "rdma"
        return Fabric(kind, bandwidth, latency, (link.id,))

    def _up(self, profile: str | None, up_mbit_s: float | None) -> float | None:
        if up_mbit_s is not None:
            return up_mbit_s * 1e6 / 8
        record = self.catalogue.internet.get(profile or "")
        return record.up_bits_per_s / 8 if record else None


def shape_of(
    plan: Plan, catalogue: Catalogue, server_ids: tuple[str, ...] = (), cut_off: frozenset[str] = frozenset()
) -> Shape:
    """The cards of the plan that stand (not failed, not at a site that is cut off), of some servers or of all."""
    failed = {*plan.failed_ids, *cut_off}
    cards = []
    for site in plan.sites:
        if site.id in failed:
            continue
        for server in site.servers:
            if server.id in failed or (server_ids and server.id not in server_ids):
                continue
            for slot in server.slots:
                gpu = slot.gpu
                if gpu is not None and gpu.id not in failed and slot.id not in failed and gpu.gpu in catalogue.gpus:
                    cards.append(Card(gpu, catalogue.gpus[gpu.gpu], slot, server, site))
    return Shape(plan, catalogue, tuple(cards))


def strange_cards(plan: Plan, catalogue: Catalogue) -> dict[str, list[tuple[str, str]]]:
    """Card names of the plan that the catalogue does not know, each with (gpu id, server id) of where it stands."""
    found: dict[str, list[tuple[str, str]]] = {}
    for site in plan.sites:
        for server in site.servers:
            for slot in server.slots:
                if slot.gpu is not None and slot.gpu.gpu not in catalogue.gpus:
                    found.setdefault(slot.gpu.gpu, []).append((slot.gpu.id, server.id))
    return found


def slot_rate(card: Card) -> float | None:
    """Line rate of the card's slot in bytes/s, limited by the card itself; None: not known."""
    generation, lanes = card.slot.pcie_generation, card.slot.lanes
    if generation is None or lanes is None:
        return None
    return LANE_BYTES_PER_S[min(generation, card.record.pcie_generation, 6)] * min(
        lanes, card.record.pcie_lanes or lanes
    )
