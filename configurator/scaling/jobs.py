"""Layouts of a training job: one job over linked cards; every copy is a data rank (R28, R41)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from configurator.scaling.candidates import Candidate, Copies, Field, Pool, Rig
from configurator.scaling.results import Layout
from configurator.scaling.splits import split_layers, tensor_degrees
from configurator.terms import message

MAX_TENSOR = 8
"""Wider tensor groups are not trained on PCIe or one baseboard."""


def job_candidates(ground: Field, task: str) -> list[Candidate]:
    """Data, tensor and pipeline splits on the cards of each linked group, and on one server of it alone."""
    found: list[Candidate] = []
    seen: set[object] = set()
    for group in ground.topology.linked_groups:
        for rig, members in _members(ground, group.server_ids):
            pool = max(rig.pools, key=lambda each: len(each.seats))
            for servers in dict.fromkeys((1, len(members))):
                key = (id(rig), servers)
                if key in seen:
                    continue
                seen.add(key)
                hosts = members[:servers]
                if servers > 1 and not _joined(ground, hosts):
                    continue
                found += _on(ground, pool, hosts, task, alone=servers < len(members))
    return found


def _members(ground: Field, server_ids: Sequence[str]) -> list[tuple[Rig, tuple[str, ...]]]:
    return [
        (rig, members) for rig in ground.rigs if (members := tuple(key for key in rig.server_ids if key in server_ids))
    ]


def _joined(ground: Field, hosts: Sequence[str]) -> bool:
    return all(ground.topology.wires.lan_route(a, b) is not None for a, b in pairwise(hosts))


def _on(ground: Field, pool: Pool, hosts: tuple[str, ...], task: str, alone: bool) -> list[Candidate]:
    """``alone``: one server of several; then only the plain way is shown beside the larger jobs."""
    cards = len(pool.seats)
    if alone:
        return [job(ground, pool, hosts, 1, 1, cards)]
    found: list[Candidate] = []
    degrees = [each for each in tensor_degrees(ground.model) if each <= min(cards, MAX_TENSOR) and cards % each == 0]
    for tensor in degrees:
        # Pipelines are a matter of training from scratch; fine-tuning tools shard or split tensors.
        deep = dict.fromkeys((1, 2, cards // tensor)) if task == "pretrain" else {1: None}
        found += [
            job(ground, pool, hosts, tensor, depth, cards)
            for depth in deep
            if (cards // tensor) % depth == 0 and depth <= ground.model.layers
        ]
    widest = degrees[-1]
    if task in {"full", "pretrain"} and 1 < len(hosts) <= ground.model.layers:
        found.append(_pipeline_over(ground, pool, hosts, widest))
    if len(hosts) == 1 and cards > 1:
        found.append(job(ground, pool, hosts, 1, 1, 1))
    return found


def job(ground: Field, pool: Pool, hosts: tuple[str, ...], tensor: int, depth: int, cards: int) -> Candidate:
    """Every server the same: groups of tensor x depth cards, all of them data ranks of one job."""
    each = tensor * depth
    layers = split_layers(ground.model, ground.weight_format, tensor, [1.0] * depth, [1.0] * depth)
    patterns = tuple(
        tuple(
            tuple((0, seat) for seat in pool.seats[start : start + tensor])
            for start in range(first, first + each, tensor)
        )
        for first in range(0, cards - each + 1, each)
    )
    copies = Copies(patterns, tuple((host,) for host in hosts), layers)
    return Candidate(Layout(ground.engine, copies.count, depth, tensor), (copies,))


def _pipeline_over(ground: Field, pool: Pool, hosts: tuple[str, ...], tensor: int) -> Candidate:
    """Tensor groups inside, one pipeline stage per server (R41)."""
    depth = len(hosts)
    layers = split_layers(ground.model, ground.weight_format, tensor, [1.0] * depth, [1.0] * depth)
    patterns = tuple(
        tuple(tuple((host, seat) for seat in pool.seats[start : start + tensor]) for host in range(depth))
        for start in range(0, len(pool.seats) - tensor + 1, tensor)
    )
    copies = Copies(patterns, (hosts,), layers)
    return Candidate(
        Layout(ground.engine, copies.count, depth, tensor), (copies,), (message("layout.stage_per_server"),)
    )
