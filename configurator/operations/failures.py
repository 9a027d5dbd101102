"""What the failure of any object does to a workload: which copies stop, what is left, how long it takes to come back.

A copy of a model needs every card it is split over, and every box and wire between those cards. Copies that do not
touch the failed object go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from configurator.operations.results import FailureEffect
from configurator.plan.model import Link, Plan, Server, Site, Workload
from configurator.scaling.results import Instance, ScoredLayout
from configurator.terms import Estimate, message

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

ROUTER_S: Three = (1.0, 5.0, 30.0)
"""A router sees that a copy is gone: 4.3 s measured (leyten/shard hot-standby receipt), longer until a circuit breaker
opens (NVIDIA-NeMo/RL#3613)."""

LOAD_BYTES_PER_S: Three = (5e9, 2e9, 1e9)
"""Reading weights again, fast to slow: local NVMe, a good share, one NFS server (1-2 GB/s, spheron.network)."""

WARM_UP_S: Three = (30.0, 60.0, 180.0)
"""Start of an engine besides reading weights: processes, compilation, graph capture. Assumption."""


def failure_effects(
    plan: Plan, workload: Workload, chosen: ScoredLayout | None, topology: _Topology
) -> tuple[FailureEffect, ...]:
    """One effect per GPU, server, PCIe switch, NIC, network switch, link, internet line and site of the plan.

    Objects that no copy needs survive with full capacity. Empty without a layout.
    """
    if chosen is None or not chosen.instances:
        return ()
    places = _Places(plan)
    copies = [_Copy(instance, places, topology) for instance in chosen.instances]
    whole = sum(copy.weight for copy in copies)
    seen: list[FailureEffect] = []
    for object_id, kind in places.objects():
        lost = [copy for copy in copies if places.breaks(object_id, kind, copy)]
        cut = [copy for copy in copies if copy not in lost and places.cuts_off(object_id, kind, copy)]
        left = 1.0 - sum(copy.weight for copy in (*lost, *cut)) / whole if whole > 0 else 0.0
        seen.append(_effect(object_id, kind, workload, chosen, copies, lost, cut, max(0.0, left)))
    return tuple(seen)


def _effect(
    object_id: str,
    kind: str,
    workload: Workload,
    chosen: ScoredLayout,
    copies: list[_Copy],
    lost: list[_Copy],
    cut: list[_Copy],
    left: float,
) -> FailureEffect:
    gone = [*lost, *cut]
    stops = len(gone) == len(copies)
    if not gone:
        return FailureEffect(
            object_id,
            workload.id,
            False,
            1.0,
            Estimate.exact(0.0, "requests"),
            Estimate.exact(0.0, "s"),
            message("failure.survives", object_id=object_id, object_kind=kind, copies=len(copies)),
        )
    behaviour = BEHAVIOUR.get(chosen.layout.engine, BEHAVIOUR["vllm"])
    remote = kind in {"nic", "network_switch", "link"} or (
        kind == "server" and any(len(copy.servers) > 1 for copy in lost)
    )
    detect = behaviour.link_s if remote and lost else behaviour.process_s
    weights = max((copy_bytes(copy, chosen) for copy in lost), default=0)
    reload_s = tuple(weights / rate + warm for rate, warm in zip(LOAD_BYTES_PER_S, WARM_UP_S, strict=True))
    notice = ROUTER_S if not stops else detect
    # Copies left: service goes on as soon as the router knows. None left: the engine starts again once repaired.
    back = notice if not stops else tuple(found + again for found, again in zip(detect, reload_s, strict=True))
    share = 1.0 - left
    return FailureEffect(
        object_id,
        workload.id,
        stops,
        left,
        _lost_requests(workload, share, notice),
        Estimate.spanning((back[0], back[1], back[2]), "s", "assumed") if lost else None,
        message(
            "failure.stops" if stops else "failure.slows",
            object_id=object_id,
            object_kind=kind,
            copies=len(copies),
            copies_lost=len(lost),
            copies_cut_off=len(cut),
            capacity_left_share=left,
            servers_needed=max(len(copy.servers) for copy in gone),
            gpus_needed=max(len(copy.gpus) for copy in gone),
            engine=chosen.layout.engine,
            detect_s=Estimate.spanning(detect, "s", "assumed"),
            reload_s=Estimate.spanning((reload_s[0], reload_s[1], reload_s[2]), "s", "assumed"),
            source=behaviour.source,
        ),
    )


def copy_bytes(copy: _Copy, chosen: ScoredLayout) -> int:
    """Weights that a lost copy has to read again."""
    return sum(memory.weights_bytes for memory in chosen.memory.per_gpu if memory.gpu_id in copy.gpus)


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

    __slots__ = ("gpus", "servers", "sites", "weight")

    def __init__(self, instance: Instance, places: _Places, topology: _Topology) -> None:
        self.gpus = frozenset(gpu for stage in instance.stages for gpu in stage)
        self.servers = frozenset(places.server_of[gpu] for gpu in self.gpus if gpu in places.server_of)
        self.sites = frozenset(places.site_of[server] for server in self.servers)
        # Memory bandwidth stands for the share of the load a copy takes when the router weights copies.
        self.weight = sum(
            topology.devices[gpu].record.memory_bandwidth.value for gpu in self.gpus if gpu in topology.devices
        )


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
            if site.internet.profile is not None or site.internet.down_mbit_s is not None:
                yield f"{site.id}.internet", "internet"
            for server in site.servers:
                yield server.id, "server"
                yield from ((switch.id, "pcie_switch") for switch in server.switches)
                yield from ((nic.id, "nic") for nic in server.nics)
                yield from ((slot.gpu.id, "gpu") for slot in server.slots if slot.gpu is not None)
            yield from ((switch.id, "network_switch") for switch in site.switches)
        yield from ((link.id, "link") for link in self.plan.links)

    def breaks(self, object_id: str, kind: str, copy: _Copy) -> bool:
        """Whether the copy cannot run without the object."""
        if kind == "gpu":
            return object_id in copy.gpus
        if kind == "server":
            return object_id in copy.servers
        if kind == "site":
            return object_id in copy.sites
        if kind == "pcie_switch":
            return bool(self.pcie_gpus[object_id] & copy.gpus)
        if len(copy.servers) < 2:
            return False
        if kind == "nic":
            server = self.nic_server[object_id]
            return server.id in copy.servers and len(server.nics) == 1
        if kind == "internet":
            return len(copy.sites) > 1 and object_id.removesuffix(".internet") in copy.sites
        return self._joined(copy, "") and not self._joined(copy, object_id)

    def cuts_off(self, object_id: str, kind: str, copy: _Copy) -> bool:
        """Whether people outside cannot reach a copy that still runs: the line of its site, its only network card."""
        if kind == "internet":
            return object_id.removesuffix(".internet") in copy.sites and len(self.plan.sites) > 1
        return False

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
