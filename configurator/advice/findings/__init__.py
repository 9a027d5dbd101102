"""Everything the owner should know, in a stable order: class by class, in the order of the checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from configurator.advice.findings import (
    copies,
    cost,
    cuts,
    groups,
    host,
    inputs,
    larger,
    length,
    links,
    load,
    memory,
    nodes,
    operations,
    places,
    power,
    precision,
    proof,
    roof,
    sharing,
    split,
    standby,
    thumbs,
    together,
    traffic,
    training,
)
from configurator.advice.findings.common import CLASSES, NOTE, Check
from configurator.advice.findings.weights import SHOWN_NOTES, weight_of
from configurator.advice.results import Finding
from configurator.advice.situation import Situation
from configurator.plan.model import Plan

CHECKS: tuple[Check, ...] = (
    cost.asked,
    inputs.unknown_names,
    places.apart,
    memory.short,
    together.own_cards,
    memory.not_pooled,
    memory.group_share,
    precision.training_weights,
    cuts.divisibility,
    cuts.odd_counts,
    precision.support,
    precision.engine,
    memory.reserve,
    length.context,
    memory.cache,
    host.offload,
    load.unknown,
    links.unknown_wiring,
    links.no_purchase,
    links.not_needed,
    operations.lab_trap,
    operations.consolidate,
    larger.larger_node,
    proof.transport,
    links.across,
    traffic.between,
    traffic.stages,
    sharing.gradients,
    sharing.shards,
    sharing.healthy,
    sharing.cards_unknown,
    links.lan_limit,
    links.order_single,
    links.switch_to_rdma,
    links.peers,
    proof.bridges,
    proof.direct,
    links.slots,
    traffic.prompts,
    traffic.alone,
    traffic.cache,
    links.sxm,
    split.wish,
    split.unequal,
    groups.group,
    groups.compare,
    split.idle,
    split.stages,
    split.small_active,
    copies.unequal,
    copies.joined,
    copies.without_cards,
    copies.router,
    copies.places,
    copies.domain,
    copies.detection,
    standby.rest,
    standby.balancer,
    standby.spare,
    standby.detection,
    operations.repair,
    copies.rates,
    load.targets,
    roof.expectation,
    load.demand,
    load.batch,
    training.state,
    training.time,
    training.loading,
    precision.arithmetic,
    precision.quality,
    precision.experimental,
    memory.usable,
    memory.native_size,
    memory.uneven_layers,
    power.limits,
    power.supplies,
    power.caps,
    places.noise,
    nodes.named,
    operations.tax,
    operations.costly,
    thumbs.memory,
    thumbs.speed,
    thumbs.fabric,
    thumbs.training,
    cost.energy,
    cost.per_million,
    cost.against_api,
    cost.rented,
    cost.kinds,
    cost.people,
    copies.acceptance,
)
"""Order of telling inside a class."""


def findings(situations: tuple[Situation, ...], plan: Plan) -> tuple[Finding, ...]:
    """All findings of the plan, told once each: classes in order, checks in order, workloads in order."""
    remarks = {(each.code, each.subject): each.remark for each in plan.set_aside}
    told: dict[tuple[str, tuple[str, ...]], Finding] = {}
    for check in CHECKS:
        for s in situations:
            for found in check(s):
                key = (found.text.code, found.subjects)
                if key not in told:
                    told[key] = _with_remark(found, remarks)
    ordered = sorted(_merged(told.values()), key=_order)
    notes = 0
    placed = []
    for rank, each in enumerate(ordered, 1):
        notes += each.kind == NOTE and each.set_aside_remark is None
        placed.append(replace(each, rank=rank, folded=each.kind == NOTE and notes > SHOWN_NOTES))
    return tuple(placed)


def _merged(told: Iterable[Finding]) -> list[Finding]:
    """The same sentence about several objects is told once, about all of them (not where a fix mends one of them)."""
    kept: dict[object, Finding] = {}
    for each in told:
        key: object = (each.text, each.kind, each.action, each.set_aside_remark)
        if each.fix is not None:
            key = (key, each.subjects)
        have = kept.get(key)
        if have is None:
            kept[key] = each
        else:
            kept[key] = replace(have, subjects=tuple(dict.fromkeys((*have.subjects, *each.subjects))))
    return list(kept.values())


def _order(each: Finding) -> tuple[int, int]:
    """Class by class; notes by their weight, the others in the order of the checks."""
    return CLASSES.index(each.kind), -weight_of(each.text.code) if each.kind == NOTE else 0


def _with_remark(found: Finding, remarks: dict[tuple[str, str], str]) -> Finding:
    if not remarks:
        return found
    remark = next((remarks[(found.code, each)] for each in found.subjects if (found.code, each) in remarks), None)
    if remark is None:
        return found
    return replace(found, set_aside_remark=remark)
