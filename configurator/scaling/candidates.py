"""Which layouts the engine could run on these cards: copies on one server, over linked servers, on unequal cards.

Equal servers are looked at once: a candidate keeps seats and hosts and is expanded to GPU ids when it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.scaling.graph import Device
from configurator.scaling.inbox import ServerGraph
from configurator.scaling.results import Instance, Layout
from configurator.scaling.splits import plain_degrees, split_layers
from configurator.scaling.topology import Topology
from configurator.sizing import kv_bytes, rank_weights
from configurator.terms import Message, message

Seat = tuple[int, int]
"""(which host of the copy, seat of the card among the working cards of that host)."""

USABLE_SHARE = 0.97
"""Weights alone beyond this share of a card cannot start."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Equal copies: every pattern of seats on every tuple of hosts."""

    patterns: tuple[tuple[tuple[Seat, ...], ...], ...]
    hosts: tuple[tuple[str, ...], ...]
    layers: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many copies."""
        return len(self.patterns) * len(self.hosts)

    def instances(self, topology: Topology, limit: int | None = None) -> Iterator[Instance]:
        """The copies with their GPU ids."""
        made = 0
        for hosts in self.hosts:
            cards = [topology.servers[host].card_ids for host in hosts]
            for pattern in self.patterns:
                if limit is not None and made >= limit:
                    return
                made += 1
                stages = tuple([tuple([cards[host][seat] for host, seat in stage]) for stage in pattern])
                yield Instance(stages, self.layers)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A layout on particular seats. ``problem`` set: refused before any sizing."""

    layout: Layout
    copies: tuple[Copies, ...]
    notes: tuple[Message, ...] = ()
    problem: Message | None = None
    short_bytes: int = 0
    """By how much the weights alone miss the fullest card; 0: they fit."""

    @property
    def cards(self) -> int:
        """Cards in use."""
        return sum(sum(map(len, each.patterns[0])) * each.count for each in self.copies)


@dataclass(frozen=True, slots=True)
class Pool:
    """Equal cards of a server, in wiring order."""

    record: GpuRecord
    memory_bytes: int
    power_limit_w: float
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rig:
    """Servers that are equal in everything that counts, with their pools of equal cards."""

    server_ids: tuple[str, ...]
    graph: ServerGraph
    pools: tuple[Pool, ...]
    order: tuple[int, ...]
    """All seats in wiring order."""
    hosts: tuple[tuple[str, ...], ...]
    """Each server as the only host of a copy."""

    @property
    def cards(self) -> int:
        """Working cards per server."""
        return len(self.order)


@dataclass(frozen=True, slots=True)
class Field:
    """What the enumeration works on: the rigs, grouped, and the model with its format."""

    topology: Topology
    model: ModelRecord
    weight_format: WeightFormat
    engine: str
    rigs: tuple[Rig, ...]
    kv_cache: str = "auto"
    requests: tuple[tuple[int, int], ...] = ()
    """(how many, tokens of each) that a copy is asked to hold: one of the longest, all of the usual length."""

    def cache_bytes(self, tensor: int) -> float:
        """What the asked requests take of a card for one layer, on average over the layers."""
        sizes = (count * kv_bytes(self.model, self.kv_cache, tokens, tensor) for count, tokens in self.requests)
        return max(sizes, default=0.0) / max(1, self.model.layers)

    def short_bytes(
        self, memory_bytes: Sequence[int], tensor: int, layers: tuple[int, ...], experts: int, attention: int
    ) -> int:
        """Missing bytes on the worst stage for the weights alone; 0 when they fit."""
        weights = rank_weights(self.model, self.weight_format, tensor, layers, experts, attention)
        return max(0, *(need - int(have * USABLE_SHARE) for need, have in zip(weights, memory_bytes, strict=True)))


def seat_order(graph: ServerGraph) -> tuple[int, ...]:
    """Seats along the wiring: socket, PCIe switch, bridge, slot."""
    pair_of: dict[str, int] = {}
    place = {device.id: seat for seat, device in enumerate(graph.devices)}
    for a, b in graph.peers:
        pair_of[a] = min(pair_of.get(a, place[a]), place[b], place[a])

    def key(seat: int) -> tuple[int, str, int, int]:
        card = graph.devices[seat].id
        return (graph.socket_of[card], graph.switch_of.get(card, ""), pair_of.get(card, seat), seat)

    return tuple(sorted(range(len(graph.devices)), key=key))


def rigs_of(topology: Topology, server_ids: Sequence[str]) -> tuple[Rig, ...]:
    """Servers with working cards, equal ones together, in the order of the plan."""
    groups: dict[object, list[str]] = {}
    for key in server_ids:
        graph = topology.servers.get(key)
        if graph is not None and graph.devices:
            groups.setdefault(graph.shape, []).append(key)
    rigs: list[Rig] = []
    for members in groups.values():
        graph = topology.servers[members[0]]
        order = seat_order(graph)
        kinds: dict[tuple[str, int, float], list[int]] = {}
        for seat in order:
            kinds.setdefault(_kind(graph.devices[seat]), []).append(seat)
        pools = tuple(
            Pool(graph.devices[seats[0]].record, kind[1], kind[2], tuple(seats)) for kind, seats in kinds.items()
        )
        rigs.append(Rig(tuple(members), graph, pools, order, tuple((key,) for key in members)))
    return tuple(rigs)


def _kind(device: Device) -> tuple[str, int, float]:
    return (device.record.id, device.memory_bytes, device.power_limit_w)


def speed_of(record: GpuRecord, power_limit_w: float) -> float:
    """Relative speed of a card for layers: memory bandwidth, a little less under a deep power cap."""
    full = record.power_w.value
    return record.memory_bandwidth.value * (0.6 + 0.4 * min(1.0, power_limit_w / full) if full else 1.0)


def depths(groups: int) -> tuple[int, ...]:
    """Pipeline depths worth trying with so many tensor groups: for every count of copies the deepest."""
    return tuple(dict.fromkeys(groups // copies for copies in range(groups, 0, -1)))


def in_server(ground: Field, tensor: int, depth: int, experts: int = 1, attention: int = 1) -> Candidate | None:
    """The same layout on every pool of every server that has the cards and the memory for it."""
    found: list[Copies] = []
    nearest: tuple[int, Copies] | None = None
    layers = split_layers(ground.model, ground.weight_format, tensor, [1.0] * depth, [1.0] * depth)
    each = tensor * depth
    for rig in ground.rigs:
        for pool in rig.pools:
            count = len(pool.seats) // each
            if not count:
                continue
            patterns = tuple(_pattern(pool.seats[n * each : (n + 1) * each], tensor) for n in range(count))
            copies = Copies(patterns, rig.hosts, layers)
            missing = ground.short_bytes([pool.memory_bytes] * depth, tensor, layers, experts, attention)
            if not missing:
                found.append(copies)
            elif nearest is None or missing < nearest[0]:
                nearest = (missing, copies)
    return _made(ground, found, nearest, depth, tensor, experts, attention)


def _made(
    ground: Field,
    found: Sequence[Copies],
    nearest: tuple[int, Copies] | None,
    depth: int,
    tensor: int,
    experts: int = 1,
    attention: int = 1,
) -> Candidate | None:
    """The candidate of the copies that hold the weights, else of the one that comes nearest, else None."""
    if found:
        layout = _layout(ground, sum(each.count for each in found), depth, tensor, experts, attention)
        return Candidate(layout, tuple(found))
    if nearest is None:
        return None
    layout = _layout(ground, nearest[1].count, depth, tensor, experts, attention)
    return Candidate(layout, (nearest[1],), short_bytes=nearest[0])


def _pattern(seats: Sequence[int], tensor: int, host: int = 0) -> tuple[tuple[Seat, ...], ...]:
    return tuple(
        tuple((host, seat) for seat in seats[start : start + tensor]) for start in range(0, len(seats), tensor)
    )


def _layout(ground: Field, copies: int, depth: int, tensor: int, experts: int = 1, attention: int = 1) -> Layout:
    split = "layer" if ground.engine == "llama.cpp" else "tensor"
    return Layout(ground.engine, max(1, copies), depth, tensor, experts, attention, split)


ENGINE_ROOM = {"llama.cpp": (0.995, 1.9e9)}
"""Share of a card that an engine fills, and what it keeps there for the work itself, where layers fall on unlike
cards. Others take nine tenths of a card by default."""
FEWER_CHAINS = 2
"""Shorter chains of unlike cards that are tried: the fewest cards that hold the weights, and one more."""


def mixed_server(ground: Field, rig: Rig, tensor: int) -> list[Candidate]:
    """One copy as unequal pipeline stages in one server: over all cards, and over the fewest that hold the weights.

    Tensor groups are of equal cards only; of unlike groups those with most memory are taken.
    """
    stages: list[tuple[Seat, ...]] = []
    kinds: list[Pool] = []
    for pool in sorted(rig.pools, key=lambda each: -speed_of(each.record, each.power_limit_w)):
        for start in range(0, len(pool.seats) - tensor + 1, tensor):
            stages.append(tuple((0, seat) for seat in pool.seats[start : start + tensor]))
            kinds.append(pool)
    if len(stages) < 2 or len({id(pool) for pool in kinds}) < 2:
        return []
    found = [_chain(ground, stages, kinds, tensor, rig.hosts)]
    largest = sorted(range(len(stages)), key=lambda place: -kinds[place].memory_bytes)
    for count in range(2, len(stages)):
        taken = sorted(largest[:count])
        if len({id(kinds[place]) for place in taken}) < 2:
            continue
        made = _chain(ground, [stages[each] for each in taken], [kinds[each] for each in taken], tensor, rig.hosts)
        if not made.short_bytes:
            found.append(made)
            if len(found) > FEWER_CHAINS:
                break
    return found


def unknown_link(ground: Field, made: Candidate) -> Message | None:
    """A note when a copy hangs on a link that nobody has described yet."""
    for copies in made.copies:
        for a, b in pairwise(copies.hosts[0]):
            way = ground.topology.wires.lan_route(a, b)
            if way is not None and not way.known:
                return message("layout.link_unknown", link_id=way.slowest)
    return None


def _chain(
    ground: Field,
    stages: Sequence[tuple[Seat, ...]],
    kinds: Sequence[Pool],
    tensor: int,
    hosts: tuple[tuple[str, ...], ...],
) -> Candidate:
    room = [pool.memory_bytes * tensor for pool in kinds]
    speeds = [speed_of(pool.record, pool.power_limit_w) for pool in kinds]
    share, fixed = ENGINE_ROOM.get(ground.engine, (0.9, 1.2e9))
    cache = ground.cache_bytes(tensor)
    usable = [each / tensor * (share if cache else 1.0) for each in room]
    layers = split_layers(ground.model, ground.weight_format, tensor, speeds, usable, cache, fixed)
    short = ground.short_bytes([pool.memory_bytes for pool in kinds], tensor, layers, 1, 1)
    layout = _layout(ground, len(hosts), len(stages), tensor)
    copies = Copies((tuple(stages),), hosts, layers)
    return Candidate(layout, (copies,), short_bytes=short)


def across(ground: Field, members: Sequence[str], tensor: int, servers: int) -> Candidate | None:
    """Pipeline over ``servers`` linked servers, tensor groups inside each; as many copies as the group holds."""
    rig_of = {key: rig for rig in ground.rigs for key in rig.server_ids}
    linked = [key for key in members if key in rig_of]
    if servers < 2 or len(linked) < servers:
        return None
    # Servers with most room first, equal ones together, so that a copy uses as few as it can.
    linked.sort(key=lambda key: -sum(pool.memory_bytes * len(pool.seats) for pool in rig_of[key].pools))
    sets: dict[tuple[int, ...], list[tuple[str, ...]]] = {}
    number = {id(rig): place for place, rig in enumerate(ground.rigs)}
    for start in range(0, len(linked) - servers + 1, servers):
        hosts = tuple(linked[start : start + servers])
        if all(ground.topology.wires.lan_route(a, b) for a, b in pairwise(hosts)):
            sets.setdefault(tuple(number[id(rig_of[key])] for key in hosts), []).append(hosts)
    found: list[Copies] = []
    nearest: tuple[int, Copies] | None = None
    depth = 0
    for kinds_key, hosts_of in sets.items():
        stages: list[tuple[Seat, ...]] = []
        kinds: list[Pool] = []
        for host, rig_number in enumerate(kinds_key):
            for pool in ground.rigs[rig_number].pools:
                for start in range(0, len(pool.seats) - tensor + 1, tensor):
                    stages.append(tuple((host, seat) for seat in pool.seats[start : start + tensor]))
                    kinds.append(pool)
        if len({host for stage in stages for host, _ in stage}) < servers:
            continue
        made = _chain(ground, stages, kinds, tensor, tuple(hosts_of))
        if made.short_bytes:
            if nearest is None or made.short_bytes < nearest[0]:
                nearest = (made.short_bytes, made.copies[0])
        elif depth in (0, len(stages)):
            depth = len(stages)
            found.extend(made.copies)
    return _made(ground, found, nearest, depth or (len(nearest[1].patterns[0]) if nearest else 0), tensor)


def tensor_across(ground: Field, members: Sequence[str], per_server: int, servers: int) -> Candidate | None:
    """Tensor ranks over ``servers`` equal linked servers, ``per_server`` cards of each."""
    tensor = per_server * servers
    if tensor not in plain_degrees(ground.model, ground.weight_format):
        return None
    found: list[Copies] = []
    nearest: tuple[int, Copies] | None = None
    for rig in ground.rigs:
        linked = [key for key in rig.server_ids if key in members]
        for pool in rig.pools:
            rounds = len(pool.seats) // per_server
            if not rounds or len(linked) < servers:
                continue
            layers = (ground.model.layers,)
            hosts = tuple(
                chosen
                for start in range(0, len(linked) - servers + 1, servers)
                if _known_way(ground, chosen := tuple(linked[start : start + servers]))
            )
            if not hosts:
                continue
            patterns = tuple(
                (
                    tuple(
                        (host, seat)
                        for host in range(servers)
                        for seat in pool.seats[turn * per_server : (turn + 1) * per_server]
                    ),
                )
                for turn in range(rounds)
            )
            copies = Copies(patterns, hosts, layers)
            missing = ground.short_bytes([pool.memory_bytes], tensor, layers, 1, 1)
            if not missing:
                found.append(copies)
            elif nearest is None or missing < nearest[0]:
                nearest = (missing, copies)
    return _made(ground, found, nearest, 1, tensor)


def _known_way(ground: Field, hosts: Sequence[str]) -> bool:
    """Tensor ranks only meet over links whose figures are known; a guess there decides everything."""
    ways = [ground.topology.wires.lan_route(a, b) for a, b in pairwise(hosts)]
    return all(way is not None and way.known for way in ways)


def each_its_own(ground: Field, whole: bool) -> Candidate | None:
    """Unequal servers, each its own copies: the fewest cards that hold the model, or (``whole``) all of them."""
    found: list[Copies] = []
    tensors: set[int] = set()
    for rig in ground.rigs:
        for pool in rig.pools:
            choice = _own(ground, pool, whole)
            if choice is None:
                continue
            tensor, depth, layers = choice
            tensors.add(tensor * depth)
            each = tensor * depth
            count = len(pool.seats) // each
            patterns = tuple(_pattern(pool.seats[n * each : (n + 1) * each], tensor) for n in range(count))
            found.append(Copies(patterns, rig.hosts, layers))
    if len(tensors) < 2:
        return None
    first = found[0]
    layout = _layout(ground, sum(each.count for each in found), len(first.patterns[0]), len(first.patterns[0][0]))
    return Candidate(layout, tuple(found))


def _own(ground: Field, pool: Pool, whole: bool) -> tuple[int, int, tuple[int, ...]] | None:
    cards = len(pool.seats)
    degrees = [each for each in plain_degrees(ground.model, ground.weight_format) if each <= cards]
    if ground.engine == "llama.cpp":
        degrees = [1]
    options = [(tensor, depth) for tensor in degrees for depth in depths(cards // tensor)]
    options.sort(key=lambda each: (each[0] * each[1], -each[0]), reverse=False)
    if whole:
        options.sort(key=lambda each: (-each[0] * each[1], -each[0]))
    for tensor, depth in options:
        layers = split_layers(ground.model, ground.weight_format, tensor, [1.0] * depth, [1.0] * depth)
        if depth <= ground.model.layers and not ground.short_bytes([pool.memory_bytes] * depth, tensor, layers, 1, 1):
            return tensor, depth, layers
    return None
