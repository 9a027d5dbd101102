"""The list of candidates for a workload, refusals included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.plan.model import Workload
from configurator.scaling.ask import longest_request, mean_request
from configurator.scaling.candidates import (
    Candidate,
    Copies,
    Field,
    Rig,
    across,
    depths,
    each_its_own,
    in_server,
    mixed_server,
    rigs_of,
    tensor_across,
    unknown_link,
)
from configurator.scaling.jobs import job_candidates
from configurator.scaling.results import Layout
from configurator.scaling.splits import (
    LATENT_KINDS,
    cut_block,
    expert_degrees,
    plain_degrees,
    quantised_split,
    refuse_tensor,
    replicated_kv,
    tensor_degrees,
)
from configurator.scaling.support import gap
from configurator.scaling.topology import Topology
from configurator.terms import Message, message

MAX_CANDIDATES = 40
"""More are never sized; the list is already one per count of copies."""

MAX_TENSOR = 16
"""Wider tensor groups are not offered inside a server; engines are not tuned for them."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be tried, and the cards the engine cannot use."""

    ground: Field
    candidates: tuple[Candidate, ...]
    refused: tuple[Candidate, ...]
    unusable: tuple[tuple[str, Message], ...]


def engine_refuses(engine: str, record: GpuRecord, weight_format: WeightFormat) -> Message | None:
    """Why this engine cannot run this format on this card; None when it can."""
    lacking = gap(engine, record, weight_format)
    return lacking.told if lacking is not None else None


def offer(
    topology: Topology, server_ids: Sequence[str], model: ModelRecord, weight_format: WeightFormat, workload: Workload
) -> Offer:
    """Every candidate worth sizing for this workload on these servers; kept with the topology."""
    wish = (workload.tensor_parallel, workload.pipeline_parallel, workload.replicas)
    asked = _requests(workload, model)
    key = (
        (tuple(server_ids), id(model), id(weight_format), workload.engine, workload.task, wish),
        # Only unlike cards are cut by what a request takes.
        (workload.kv_cache, asked) if _unlike(topology, server_ids) else (),
    )
    kept = topology.kept.get(key)
    if kept is not None and kept[0] is model and kept[1] is weight_format and isinstance(kept[2], Offer):
        return kept[2]
    made = _offer(topology, server_ids, model, weight_format, workload)
    topology.kept[key] = (model, weight_format, made)
    return made


def _requests(workload: Workload, model: ModelRecord) -> tuple[tuple[int, int], ...]:
    """One request of the longest kind, and all that are asked of the usual length; () for a training."""
    if workload.task not in {"chat", "batch"}:
        return ()
    return (1, longest_request(workload, model)), (workload.users or 1, mean_request(workload, model))


def _unlike(topology: Topology, server_ids: Sequence[str]) -> bool:
    graphs = (topology.servers.get(key) for key in server_ids)
    return len({(each.record.id, each.memory_bytes) for graph in graphs if graph for each in graph.devices}) > 1


def _offer(
    topology: Topology, server_ids: Sequence[str], model: ModelRecord, weight_format: WeightFormat, workload: Workload
) -> Offer:
    engine = workload.engine
    unusable: list[tuple[str, Message]] = []
    rigs: list[Rig] = []
    for rig in rigs_of(topology, server_ids):
        pools = []
        for pool in rig.pools:
            serves = workload.task in {"chat", "batch"}
            refusal = engine_refuses(engine, pool.record, weight_format) if serves else None
            if refusal is None:
                pools.append(pool)
            else:
                for key in rig.server_ids:
                    devices = topology.servers[key].devices
                    unusable += [(devices[seat].id, refusal) for seat in pool.seats]
        if pools:
            seats = {seat for pool in pools for seat in pool.seats}
            rigs.append(replace(rig, pools=tuple(pools), order=tuple(each for each in rig.order if each in seats)))
    ground = Field(topology, model, weight_format, engine, tuple(rigs), workload.kv_cache, _requests(workload, model))
    if workload.task not in {"chat", "batch"}:
        return Offer(ground, tuple(job_candidates(ground, workload.task)), (), ())
    found = _llama(ground) if engine == "llama.cpp" else _tensor_engines(ground)
    found = _distinct([*_wished(ground, workload), *found])
    refused = _refused(ground, workload)
    return Offer(ground, tuple(_noted(ground, each) for each in found[:MAX_CANDIDATES]), refused, tuple(unusable))


def _tensor_engines(ground: Field) -> list[Candidate]:
    model = ground.model
    pools = [pool for rig in ground.rigs for pool in rig.pools]
    largest = max((len(pool.seats) for pool in pools), default=0)
    degrees = [each for each in tensor_degrees(model) if each <= min(largest, MAX_TENSOR)]
    # Between cards on an NVSwitch a deeper pipeline than the weights need only adds bubbles.
    shallow = all(rig.graph.devices[pool.seats[0]].id in rig.graph.fabric for rig in ground.rigs for pool in rig.pools)
    found: list[Candidate] = []
    plain = plain_degrees(model, ground.weight_format)
    for tensor in reversed(degrees):
        wanted = sorted({depth for pool in pools for depth in depths(len(pool.seats) // tensor) if depth})
        # Where a slice would end inside a block of scales, whole experts on each rank are the only way.
        ways = (1,) if tensor in plain else expert_degrees(model, tensor)[1:]
        fitted = False
        for depth in wanted:
            if depth > model.layers or (fitted and shallow):
                continue
            for experts in ways:
                if cut_block(model, ground.weight_format, tensor, experts) is not None:
                    continue
                made = in_server(ground, tensor, depth, experts)
                if made is None:
                    continue
                found.append(made)
                if not made.short_bytes and not fitted:
                    fitted = True
                    found += _expert_variants(ground, tensor, depth)
    degrees = [each for each in degrees if each in plain]
    for rig in ground.rigs:
        if len(rig.pools) > 1:
            for tensor in degrees:
                found += mixed_server(ground, rig, tensor) if tensor <= 2 else []
    if len(pools) > 1:
        own = [each_its_own(ground, whole) for whole in (False, True)]
        found += [each for each in own if each is not None]
    fits = any(not each.short_bytes for each in found)
    for group in ground.topology.linked_groups:
        found += _over_servers(ground, group.server_ids, degrees, fits)
    return _distinct(found)


def _wished(ground: Field, workload: Workload) -> list[Candidate]:
    """The owner's own wish as far as it is said, also where the product would not try it."""
    if workload.tensor_parallel is None and workload.pipeline_parallel is None and workload.replicas is None:
        return []
    plain = plain_degrees(ground.model, ground.weight_format)
    tensors = (workload.tensor_parallel,) if workload.tensor_parallel else plain
    found: list[Candidate] = []
    for tensor in tensors:
        if tensor not in plain:
            continue
        most = max((len(pool.seats) // tensor for rig in ground.rigs for pool in rig.pools), default=0)
        for depth in (workload.pipeline_parallel,) if workload.pipeline_parallel else depths(most):
            made = in_server(ground, tensor, depth) if 0 < depth <= ground.model.layers else None
            if made is not None:
                found.append(made if workload.replicas is None else _trimmed(made, workload.replicas))
    return found


def _trimmed(made: Candidate, copies: int) -> Candidate:
    """The first ``copies`` copies only; unchanged when there are not more."""
    if sum(each.count for each in made.copies) <= copies:
        return made
    kept: list[Copies] = []
    left = copies
    for each in made.copies:
        if left <= 0:
            break
        patterns = each.patterns
        hosts = each.hosts[: max(1, left // len(patterns))]
        if left < len(patterns):
            patterns = patterns[:left]
        kept.append(replace(each, patterns=patterns, hosts=hosts))
        left -= len(patterns) * len(hosts)
    count = sum(each.count for each in kept)
    return replace(made, copies=tuple(kept), layout=replace(made.layout, replicas=count))


def _expert_variants(ground: Field, tensor: int, depth: int) -> list[Candidate]:
    found: list[Candidate | None] = []
    latent = any(group.kind in LATENT_KINDS or group.kv_shared_across_tp for group in ground.model.attention)
    for experts in expert_degrees(ground.model, tensor)[1:]:
        found.append(in_server(ground, tensor, depth, experts))
        if latent:
            found.append(in_server(ground, tensor, depth, experts, tensor))
    return [each for each in found if each is not None and not each.short_bytes]


def _over_servers(ground: Field, members: Sequence[str], degrees: Sequence[int], fits: bool) -> list[Candidate]:
    rig_of = {key: rig for rig in ground.rigs for key in rig.server_ids}
    linked = [key for key in members if key in rig_of]
    if len(linked) < 2:
        return []
    smallest = min(len(pool.seats) for key in linked for pool in rig_of[key].pools)
    inside = [each for each in degrees if each <= smallest] or [1]
    found: list[Candidate] = []
    widths = (inside[-1],) if fits else dict.fromkeys((inside[-1], inside[len(inside) // 2], inside[0]))
    for tensor in widths:
        for servers in range(2, len(linked) + 1):
            made = across(ground, linked, tensor, servers)
            if made is None:
                continue
            if not made.short_bytes:
                found.append(made)
                if not fits:
                    # One server more as well: room for the cache.
                    deeper = across(ground, linked, tensor, servers + 1)
                    found += [deeper] if deeper is not None and not deeper.short_bytes else []
                break
            if servers == len(linked):
                found.append(made)
    for servers in (2,) if fits else (2, 4, 8):
        if servers <= len(linked):
            made = tensor_across(ground, linked, inside[-1], servers)
            if made is not None:
                found.append(made)
    return found


def _llama(ground: Field) -> list[Candidate]:
    found: list[Candidate] = []
    pools = [pool for rig in ground.rigs for pool in rig.pools]
    for depth in sorted({depth for pool in pools for depth in depths(len(pool.seats))}):
        if depth <= ground.model.layers:
            made = in_server(ground, 1, depth)
            if made is not None:
                found.append(made)
                if depth > 1 and not made.short_bytes:
                    # Row split: every matrix over the cards, small layers stay on the first one.
                    layout = replace(made.layout, split="row")
                    found.append(replace(made, layout=layout))
    for rig in ground.rigs:
        if len(rig.pools) > 1:
            found += mixed_server(ground, rig, 1)
    own = [each_its_own(ground, whole) for whole in (False, True)] if len(pools) > 1 else []
    found += [each for each in own if each is not None]
    if not any(not each.short_bytes for each in found):
        for group in ground.topology.linked_groups:
            for servers in range(2, len(group.server_ids) + 1):
                made = across(ground, group.server_ids, 1, servers)
                if made is not None and not made.short_bytes:
                    found.append(made)
                    break
        found += [_offloaded(each) for each in found if each.short_bytes and each.copies]
        found += _offload_whole(ground)
    return _distinct(found)


def _offload_whole(ground: Field) -> list[Candidate]:
    """All cards of a server in layer split, the layers that do not fit in the host's memory."""
    found: list[Candidate] = []
    for rig in ground.rigs:
        stages = tuple(((0, seat),) for seat in rig.order)
        kinds = {seat: pool for pool in rig.pools for seat in pool.seats}
        total = sum(kinds[seat].memory_bytes for seat in rig.order)
        counts = [max(1, round(ground.model.layers * kinds[seat].memory_bytes / total)) for seat in rig.order]
        while sum(counts) > ground.model.layers:
            counts[counts.index(max(counts))] -= 1
        counts[counts.index(max(counts))] += ground.model.layers - sum(counts)
        if min(counts) < 1:
            continue
        copies = Copies((stages,), rig.hosts, tuple(counts))
        layout = Layout("llama.cpp", len(rig.server_ids), len(stages), 1, split="layer", offload=True)
        found.append(Candidate(layout, (copies,), (message("layout.offload"),)))
    return found


def _offloaded(made: Candidate) -> Candidate:
    return replace(
        made, layout=replace(made.layout, offload=True), short_bytes=0, notes=(*made.notes, message("layout.offload"))
    )


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    seen: dict[object, Candidate] = {}
    for each in found:
        seen.setdefault((each.layout, tuple((copies.patterns, copies.hosts) for copies in each.copies)), each)
    # Those that hold the weights first; then the widest of those that do not.
    return sorted(seen.values(), key=lambda each: each.short_bytes)


def _noted(ground: Field, made: Candidate) -> Candidate:
    layout = made.layout
    notes = [
        quantised_split(ground.model, ground.weight_format, layout.tensor_parallel, layout.expert_parallel),
        replicated_kv(ground.model, layout.tensor_parallel // layout.data_parallel_attention),
        unknown_link(ground, made),
    ]
    return replace(made, notes=(*made.notes, *(note for note in notes if note is not None)))


def _refused(ground: Field, workload: Workload) -> tuple[Candidate, ...]:
    """Degrees that people would try first and that cannot be: all cards of a server, powers of two, the wish."""
    if ground.engine == "llama.cpp":
        return ()
    counts = {len(pool.seats) for rig in ground.rigs for pool in rig.pools}
    counts |= {each for each in (2, 4, 8, 16) if each <= max(counts, default=0)}
    if workload.tensor_parallel is not None:
        counts.add(workload.tensor_parallel)
    found: list[Candidate] = []
    for tensor in sorted(counts):
        problem = refuse_tensor(ground.model, tensor) if tensor > 1 else None
        problem = problem or quantised_split(ground.model, ground.weight_format, tensor, 1)
        if problem is not None:
            found.append(Candidate(Layout(ground.engine, 1, 1, tensor), (), problem=problem))
    return tuple(found)
