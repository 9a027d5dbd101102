"""What the failure of any object does to a workload: which copies stop, what is left, how long it takes to come back.

A copy of a model needs every card it is split over, and every box and wire between those cards. Copies that do not
touch the failed object go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from configurator.operations.results import FailureEffect
from configurator.plan.index import LINE, has_line, line_id
from configurator.plan.model import Link, Plan, Server, Site, Workload
from configurator.scaling.results import Instance, ScoredLayout
from configurator.terms import Estimate, Message, Value

Three = tuple[float, float, float]


class _Record(Protocol):
    @property
    def memory_bandwidth(self) -> _Valued: ...


class _Valued(Protocol):
    @property
    def value(self) -> float: ...


class _Device(Protocol):
    @property
    def record(self) -> _Record: ...


class _Topology(Protocol):
    @property
    def devices(self) -> Mapping[str, _Device]: ...


@dataclass(frozen=True, slots=True)
class EngineBehaviour:
    """How an engine notices a lost part, in seconds (low, expected, high), with where it was observed."""

    process_s: Three
    """A worker or card of the same machine is gone."""
    link_s: Three
    """Another machine or the wire to it is gone."""
    source: str


PROBE_S = 10.0
"""Interval of the health probe that finds a dead engine."""

BEHAVIOUR: dict[str, EngineBehaviour] = {
    "vllm": EngineBehaviour(
        (1.0, PROBE_S, 30.0),
        (PROBE_S, 600.0, 1800.0),
        "engine marked dead, all its requests fail (vllm-project/vllm#30112); a lost link waits for the NCCL watchdog,"
        " 600 s, formerly 1,800 s (vllm-project/vllm#13535)",
    ),
    "sglang": EngineBehaviour(
        (1.0, PROBE_S, 30.0),
        (PROBE_S, 600.0, 1800.0),
        "the process ends when a rank dies (sgl-project/sglang#22344); a lost link waits for the NCCL watchdog",
    ),
    "tensorrt-llm": EngineBehaviour(
        (1.0, PROBE_S, 30.0),
        (PROBE_S, 600.0, 1800.0),
        "not reported for this engine; taken as for engines on the same NCCL library",
    ),
    "llama.cpp": EngineBehaviour(
        (0.5, PROBE_S, 30.0),
        (1.0, PROBE_S, 60.0),
        "a lost RPC worker ends the whole process (ggml-org/llama.cpp#25938)",
    ),
}

BETWEEN = frozenset({"nic", "network_switch", "link", "internet"})
"""Kinds of objects that are ways between machines."""
AROUND = frozenset({"server", "site"})
"""Kinds of objects that hold several cards."""

ROUTER_S: Three = (1.0, 5.0, 30.0)
"""A router sees that a copy is gone: 4.3 s measured (leyten/shard hot-standby receipt), longer until a circuit breaker
opens (NVIDIA-NeMo/RL#3613)."""

LOAD_BYTES_PER_S: Three = (5e9, 2e9, 1e9)
"""Reading weights again, fast to slow: local NVMe, a good share, one NFS server (1-2 GB/s, spheron.network)."""

PARTS = frozenset({"gpu", "server", "nic", "pcie_switch", "network_switch"})
"""Kinds of objects that are replaced when they break."""

REPAIR_S: Three = (86_400.0, 7 * 86_400.0, 20 * 86_400.0)
"""Until the replacement runs: 3-14 business days by an ordinary claim, the next business day with advance replacement
(amcompute.com, when a GPU dies in production); under a day with the part on the shelf."""

WARM_UP_S: Three = (30.0, 60.0, 180.0)
"""Start of an engine besides reading weights: processes, compilation, graph capture. Assumption."""


def failure_effects(
    plan: Plan, workload: Workload, chosen: ScoredLayout | None, topology: _Topology
) -> tuple[FailureEffect, ...]:
    """One effect per GPU, server, PCIe switch, NIC, network switch, link, internet line and site of the plan.

    Objects that no copy needs survive with full capacity. Empty without a layout.
    """
    if chosen is None or not chosen.instances or chosen.memory.fit == "no":
        return ()
    places = _Places(plan)
    bytes_of = {memory.gpu_id: memory.weights_bytes for memory in chosen.memory.per_gpu}
    copies = [_Copy(instance, places, topology, bytes_of) for instance in chosen.instances]
    effects = _Effects(workload, chosen, copies)
    hit = _Hit(places, copies, workload)
    found: list[FailureEffect] = []
    for object_id, kind in places.objects():
        lost, cut = hit.by(object_id, kind)
        found.append(effects.of(object_id, kind, lost, cut, outside=kind == "internet" and hit.outside(object_id)))
    return tuple(found)


def reached_by_line(plan: Plan, workload: Workload, site: Site) -> bool:
    """Whether those who use the workload come to the site by its internet line only (R15).

    A training that runs needs nobody to reach it. Nobody lives in a rented rack: all who use it come by its line.
    Elsewhere some sit beside the machine, unless there are several places.
    """
    if len(plan.sites) > 1:
        return workload.task in ("chat", "batch")
    return workload.task == "chat" and site.kind == "colocation"


def cut_off_sites(plan: Plan, workload: Workload) -> frozenset[str]:
    """Sites whose machines run but serve nobody, since their internet line is taken as failed."""
    if not plan.failed_ids:
        return frozenset()
    failed = set(plan.failed_ids)
    return frozenset(
        site.id for site in plan.sites if line_id(site.id) in failed and reached_by_line(plan, workload, site)
    )


class _Hit:
    """Which copies an object takes down, and which it only cuts off from the people outside."""

    def __init__(self, places: _Places, copies: list[_Copy], workload: Workload) -> None:
        self.places = places
        self.people = workload.task == "chat"
        self.by_line = {site.id for site in places.plan.sites if reached_by_line(places.plan, workload, site)}
        self.of_gpu: dict[str, list[_Copy]] = {}
        self.of_server: dict[str, list[_Copy]] = {}
        self.of_site: dict[str, list[_Copy]] = {}
        self.spread = [copy for copy in copies if len(copy.servers) > 1]
        for copy in copies:
            for ids, index in ((copy.gpus, self.of_gpu), (copy.servers, self.of_server), (copy.sites, self.of_site)):
                for each in ids:
                    index.setdefault(each, []).append(copy)

    def by(self, object_id: str, kind: str) -> tuple[list[_Copy], list[_Copy]]:
        """(copies that cannot run without the object, copies that run but cannot be reached)."""
        if kind == "gpu":
            return self.of_gpu.get(object_id, []), []
        if kind == "server":
            return self.of_server.get(object_id, []), []
        if kind == "site":
            return self.of_site.get(object_id, []), []
        if kind == "pcie_switch":
            found = [copy for gpu in self.places.pcie_gpus[object_id] for copy in self.of_gpu.get(gpu, [])]
            return list(dict.fromkeys(found)), []
        if kind == "internet":
            site_id = object_id.removesuffix(LINE)
            here = self.of_site.get(site_id, [])
            split = [copy for copy in here if len(copy.sites) > 1]
            by_line = site_id in self.by_line
            return split, [copy for copy in here if len(copy.sites) == 1] if by_line else []
        if kind == "nic":
            server = self.places.nic_server[object_id]
            return [copy for copy in self.spread if server.id in copy.servers and len(server.nics) == 1], []
        return [copy for copy in self.spread if self.places.cut_by(copy, object_id)], []

    def outside(self, object_id: str) -> bool:
        """Whether people outside use copies through this line."""
        return self.people and bool(self.of_site.get(object_id.removesuffix(LINE)))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """An effect without the object that causes it."""

    code: str
    stops: bool
    left: float
    requests: Estimate | None
    recovery: Estimate | None
    params: tuple[tuple[str, Value], ...]


class _Effects:
    """Turns the copies an object takes down into the effect on the service. Equal losses are worked out once."""

    def __init__(self, workload: Workload, chosen: ScoredLayout, copies: list[_Copy]) -> None:
        self.workload, self.chosen, self.copies = workload, chosen, copies
        self.whole = sum(copy.weight for copy in copies)
        self.engine = chosen.layout.engine
        self.behaviour = BEHAVIOUR.get(self.engine, BEHAVIOUR["vllm"])
        self.known: dict[tuple[object, ...], _Outcome] = {}

    def of(
        self, object_id: str, kind: str, lost: list[_Copy], cut: list[_Copy], *, outside: bool = False
    ) -> FailureEffect:
        """The effect of one object. ``outside``: people outside come by it, even where nothing else needs it."""
        remote = kind in BETWEEN or (kind in AROUND and any(len(copy.servers) > 1 for copy in lost))
        # A large plan has thousands of objects, most of which take down one copy.
        key: tuple[object, ...]
        if len(lost) == 1 and not cut:
            key = (remote, lost[0].shape)
        else:
            key = (remote, tuple([copy.shape for copy in lost]), tuple([copy.shape for copy in cut]))
        outcome = self.known.get(key)
        if outcome is None:
            outcome = self.known[key] = self._outcome(remote, lost, cut)
        params = (("object_id", object_id), ("object_kind", kind), *outcome.params)
        code = "failure.outside" if outside and not lost and not cut else outcome.code
        return FailureEffect(
            object_id,
            self.workload.id,
            outcome.stops,
            outcome.left,
            outcome.requests,
            outcome.recovery,
            Message(code, params),
            Estimate.spanning(REPAIR_S, "s", "assumed") if kind in PARTS and (lost or cut) else None,
        )

    def _outcome(self, remote: bool, lost: list[_Copy], cut: list[_Copy]) -> _Outcome:
        gone = [*lost, *cut]
        if not gone:
            nothing = Estimate.exact(0.0, "requests"), Estimate.exact(0.0, "s")
            return _Outcome("failure.survives", False, 1.0, *nothing, (("copies", len(self.copies)),))
        stops = len(gone) == len(self.copies)
        left = 0.0 if stops else max(0.0, 1.0 - sum(copy.weight for copy in gone) / self.whole)
        detect = self.behaviour.link_s if remote and lost else self.behaviour.process_s
        weights = max((copy.weights_bytes for copy in lost), default=0)
        again = _each(lambda rate, warm: weights / rate + warm, LOAD_BYTES_PER_S, WARM_UP_S)
        # Copies left: service goes on once the router knows. None left: the engine starts again after the repair.
        notice = detect if stops else ROUTER_S
        back = _each(lambda found, start: found + start, detect, again) if stops else ROUTER_S
        code = ("failure.unreachable" if stops else "failure.apart") if not lost else ""
        return _Outcome(
            code or ("failure.stops" if stops else "failure.slows"),
            stops,
            left,
            _lost_requests(self.workload, 1.0 - left, notice),
            Estimate.spanning(back, "s", "assumed") if lost else None,
            (
                ("copies", len(self.copies)),
                ("copies_lost", len(lost)),
                ("copies_cut_off", len(cut)),
                ("capacity_left_share", left),
                ("needed_servers", max(len(copy.servers) for copy in gone)),
                ("needed_gpus", max(len(copy.gpus) for copy in gone)),
                ("engine", self.engine),
                ("detect_s", Estimate.spanning(detect, "s", "assumed")),
                ("reload_s", Estimate.spanning(again, "s", "assumed")),
                ("source", self.behaviour.source),
            ),
        )


def _each(combine: Callable[[float, float], float], first: Three, second: Three) -> Three:
    return (combine(first[0], second[0]), combine(first[1], second[1]), combine(first[2], second[2]))


def _lost_requests(workload: Workload, share: float, notice_s: Three) -> Estimate | None:
    """Running streams of the lost copies, and what is sent there until somebody notices."""
    if workload.users is None:
        return None
    running = workload.users * share
    arriving = (workload.requests_per_s or 0.0) * share
    return Estimate.spanning(
        (running + arriving * notice_s[0], running + arriving * notice_s[1], running + arriving * notice_s[2]),
        "requests",
        "calculated",
    )


class _Copy:
    """One copy of the model, and the boxes it stands in."""

    __slots__ = ("gpus", "servers", "shape", "sites", "weight", "weights_bytes")

    def __init__(self, instance: Instance, places: _Places, topology: _Topology, bytes_of: Mapping[str, int]) -> None:
        self.gpus = frozenset(gpu for stage in instance.stages for gpu in stage)
        self.servers = frozenset(places.server_of[gpu] for gpu in self.gpus if gpu in places.server_of)
        self.sites = frozenset(places.site_of[server] for server in self.servers)
        # Memory bandwidth stands for the share of the load a copy takes when the router weights copies.
        self.weight = sum(
            topology.devices[gpu].record.memory_bandwidth.value for gpu in self.gpus if gpu in topology.devices
        )
        # What a lost copy has to read again.
        self.weights_bytes = sum(bytes_of.get(gpu, 0) for gpu in self.gpus)
        self.shape = (self.weight, self.weights_bytes, len(self.servers), len(self.gpus))


class _Places:
    """The plan by id, and what hangs on what."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.site_of: dict[str, str] = {}
        self.server_of: dict[str, str] = {}
        self.pcie_gpus: dict[str, frozenset[str]] = {}
        self.nic_server: dict[str, Server] = {}
        self.switch_site: dict[str, str] = {}
        for site in plan.sites:
            self.switch_site.update((switch.id, site.id) for switch in site.switches)
            for server in site.servers:
                self._add(site, server)

    def _add(self, site: Site, server: Server) -> None:
        self.site_of[server.id] = site.id
        for slot in server.slots:
            if slot.gpu is not None:
                self.server_of[slot.gpu.id] = server.id
        for switch in server.switches:
            self.pcie_gpus[switch.id] = frozenset(
                slot.gpu.id for slot in server.slots if slot.switch == switch.id and slot.gpu is not None
            )
        self.nic_server.update((nic.id, server) for nic in server.nics)

    def objects(self) -> Iterable[tuple[str, str]]:
        """(id, kind) of everything that can fail."""
        for site in self.plan.sites:
            yield site.id, "site"
            if has_line(self.plan, site):
                yield line_id(site.id), "internet"
            for server in site.servers:
                yield server.id, "server"
                yield from ((switch.id, "pcie_switch") for switch in server.switches)
                yield from ((nic.id, "nic") for nic in server.nics)
                yield from ((slot.gpu.id, "gpu") for slot in server.slots if slot.gpu is not None)
            yield from ((switch.id, "network_switch") for switch in site.switches)
        yield from ((link.id, "link") for link in self.plan.links)

    def cut_by(self, copy: _Copy, object_id: str) -> bool:
        """Whether one link or network switch is the only way between the servers of a copy."""
        return self._joined(copy, "") and not self._joined(copy, object_id)

    def _joined(self, copy: _Copy, without: str) -> bool:
        """Whether the copy's servers still reach each other when one link or network switch is gone."""
        far = len(copy.sites) > 1
        first, *rest = sorted(copy.servers)
        reached, waiting = {first}, [first]
        while waiting:
            here = waiting.pop()
            for end in self._next(here, without, far):
                if end not in reached:
                    reached.add(end)
                    waiting.append(end)
        return all(server in reached for server in rest)

    def _next(self, here: str, without: str, far: bool) -> Iterable[str]:
        for link in self.plan.links:
            if link.id != without and without not in (link.a, link.b):
                other = _other_end(link, here)
                if other is not None:
                    yield other
        if far:
            # Between sites the way goes through the gateway of each.
            for server, site in self.site_of.items():
                if here in (server, site):
                    yield site if here == server else server


def _other_end(link: Link, here: str) -> str | None:
    if link.a == here:
        return link.b
    return link.a if link.b == here else None
