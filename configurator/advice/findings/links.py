"""Connections: peer-to-peer, slots, fabrics between servers, what crosses them (R06-R11, R33-R37, R39, R42)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.findings.traffic import real_slot
from configurator.advice.results import Finding
from configurator.advice.shape import slot_rate
from configurator.advice.situation import GRADIENT, Situation, at_least, cards_of
from configurator.plan.edits import remove
from configurator.plan.model import Plan

NARROW_BYTES_PER_S = 13e9
"""Under PCIe 4.0 x8 a slot is narrow for tensor parallel."""
USUAL_HIDDEN = 8192
"""Width of a 70-billion model, where none is chosen."""
PAYLOAD_SHARE = 0.9
"""Of the rate printed on an Ethernet line."""
LOUD_EFFICIENCY = 3.0
"""An efficiency whose high end is so many times its low end says nothing."""
LOAD_PATIENCE_S = 120.0


def shared(s: Situation) -> bool:
    """One copy uses several cards of a server."""
    return len(s.copy_cards) > len(s.copy_servers)


def peers(s: Situation) -> Iterator[Finding]:
    """R06, R42: peer-to-peer is a property of card and driver; professional cards are to be checked."""
    off: dict[str, list[str]] = {}
    check: dict[str, list[str]] = {}
    bare: dict[str, list[str]] = {}
    doubtful = False
    for server, cards in s.shape.boxes:
        pcie = [card for card in cards if card.record.form == "pcie"]
        bridged = {slot for pair in server.nvlink_pairs for slot in pair}
        if len(pcie) < 2 or server.p2p == "yes" or (len(pcie) == 2 and {card.slot.id for card in pcie} <= bridged):
            continue
        if not all(card.record.memory_known for card in pcie):
            # Nobody said which card it is: nothing is known of its exchange.
            continue
        record = pcie[0].record
        if server.p2p == "no" or any(card.record.p2p_over_pcie == "no_by_default" for card in pcie):
            off.setdefault(record.id, []).append(server.id)
        else:
            check.setdefault(record.id, []).append(server.id)
            doubtful = doubtful or server.p2p == "unknown"
        if all(card.record.link_kind == "none" for card in pcie):
            bare.setdefault(record.id, []).append(server.id)
    for gpu, servers in off.items():
        yield say(
            "p2p.off.driver",
            STEP if shared(s) else NOTE,
            tuple(servers),
            do("p2p.off"),
            rule="R42",
            basis="vendor",
            card_gpu=gpu,
        )
    for gpu, servers in check.items():
        yield say(
            "p2p.check.iommu",
            STEP if doubtful or s.model is None else NOTE,
            tuple(servers),
            do("p2p.check_amd") if s.shape.maker == "amd" else do("p2p.check"),
            rule="R12",
            basis="measured",
            card_gpu=gpu,
        )
    # Only where one copy uses several cards of a server would anybody look for a bridge.
    for gpu, servers in bare.items() if s.shape.maker == "nvidia" and shared(s) else ():
        yield say("p2p.nvlink.none", NOTE, tuple(servers), rule="R42", basis="vendor", card_gpu=gpu)


def slots(s: Situation) -> Iterator[Finding]:
    """Narrow slots and risers: they matter for tensor parallel, loading and offload, not for a chain of layers."""
    pcie = [card for _, cards in s.shape.boxes if len(cards) > 1 for card in cards if card.record.form == "pcie"]
    rates = [(slot_rate(card), card) for card in pcie]
    narrow = [(rate, card) for rate, card in rates if rate is not None and rate < NARROW_BYTES_PER_S]
    if narrow:
        rate, worst = min(narrow, key=lambda pair: pair[0])
        tensor = s.chosen is not None and s.chosen.layout.tensor_parallel > 1
        yield say(
            "slot.narrow.tensor" if tensor else "slot.narrow.layers",
            STEP if tensor else NOTE,
            tuple(card.gpu.id for _, card in narrow),
            do("slot.narrow"),
            rule="R33",
            generation=worst.slot.pcie_generation,
            lanes=worst.slot.lanes,
            slot_bytes_per_s=real_slot(s, worst.slot.id, worst.server.id) or rate,
            narrow_cards=len(narrow),
            token_bytes=2 * (s.model.hidden_size if s.model else USUAL_HIDDEN),
        )
    if pcie:
        yield say(
            "slot.width.check",
            STEP if narrow or any(rate is None for rate, _ in rates) else NOTE,
            tuple(dict.fromkeys(card.server.id for card in pcie)),
            do("slot.check") if s.shape.maker == "nvidia" else do("slot.check_other"),
            rule="R12",
            basis="measured",
        )


def unknown_wiring(s: Situation) -> Iterator[Finding]:
    """R10: not knowing is a valid answer; the results are provisional."""
    open_boxes = [
        (server, cards)
        for server, cards in s.shape.boxes
        if len(cards) > 1
        and (not server.topology_known or any(card.slot.lanes is None and card.record.form == "pcie" for card in cards))
    ]
    if open_boxes:
        sure = all(server.topology_known for server, _ in open_boxes)
        yield say(
            "unknown.wiring.slots" if sure else "unknown.wiring.server",
            NOTE if sure and not shared(s) else STEP,
            tuple(server.id for server, _ in open_boxes),
            do("unknown.wiring") if s.shape.maker == "nvidia" else do("unknown.wiring_other"),
            rule="R10",
            basis="assumed",
            gpus=sum(len(cards) for _, cards in open_boxes),
        )
    for link in s.facts.plan.links:
        if s.shape.link_fabric(link).kind == "unknown":
            yield say("unknown.wiring.link", STEP, (link.id,), do("unknown.link"), rule="R10", basis="assumed")
    if len(s.shape.boxes) > 1 and len(s.shape.site_ids) == 1:
        fabric = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes))
        if fabric.kind == "none":
            yield say(
                "unknown.wiring.none",
                NOTE if s.fits_one_box else STEP,
                tuple(server.id for server, _ in s.shape.boxes),
                do("unknown.link"),
                rule="R07",
                basis="assumed",
                servers=len(s.shape.boxes),
            )


def across(s: Situation) -> Iterator[Finding]:
    """R36, R39, R41: one copy over several servers; tensor parallel stays inside."""
    if not s.spans or s.chosen is None or s.model is None:
        return
    subjects = s.copy_servers
    fabric = s.fabric
    layout = s.chosen.layout
    widest = max(len(s.shape.servers_of(stage)) for one in s.chosen.instances for stage in one.stages)
    if widest > 1 and len(s.copy_cards) == len(s.copy_servers):
        # One card in each server: there is nothing to split inside.
        yield say(
            "fabric.tensor.single",
            NOTE,
            subjects,
            do("fabric.compare"),
            rule="R36",
            basis="measured",
            servers=len(s.copy_servers),
            exchanges=2 * s.model.layers,
            token_bytes=2 * s.model.hidden_size,
            latency_s=fabric.latency_s,
        )
    elif widest > 1 and fabric.bandwidth_bytes_per_s:
        yield say(
            "fabric.tensor.across",
            NOTE if fabric.kind == "rdma" else STEP,
            subjects,
            do("fabric.inside"),
            rule="R36",
            basis="measured",
            servers=len(s.copy_servers),
            tensor_count=layout.tensor_parallel,
            bandwidth_bytes_per_s=fabric.bandwidth_bytes_per_s,
            latency_s=fabric.latency_s,
        )
    elif widest > 1:
        yield say(
            "fabric.tensor.open",
            STEP,
            subjects,
            do("fabric.inside"),
            rule="R36",
            basis="measured",
            servers=len(s.copy_servers),
            tensor_count=layout.tensor_parallel,
        )
    if len(s.copy_cards) == len(s.copy_servers) and len(s.copy_servers) > 4:
        yield say(
            "fabric.tensor.worst",
            STEP,
            subjects,
            do("fabric.bigger_box"),
            rule="R36",
            basis="measured",
            servers=len(s.copy_servers),
        )
    yield say("fabric.order.layouts", NOTE, subjects, rule="R39", basis="measured")
    bandwidth = fabric.bandwidth_bytes_per_s
    crossing = _crossing_bytes(s)
    if bandwidth and crossing / bandwidth > LOAD_PATIENCE_S:
        yield say(
            "fabric.load.weights",
            STEP,
            subjects,
            do("fabric.local_copy"),
            weights_bytes=s.work.weights_bytes,
            crossing_bytes=crossing,
            load_about_s=crossing / bandwidth,
        )
    if fabric.kind == "slow":
        fits = at_least(s.fit, "starts")
        yield say(
            "fabric.floor.slow" if fits else "fabric.floor.short",
            STOP,
            subjects,
            do("fabric.floor") if fits else do("fabric.floor_short"),
            rule="R07",
            bandwidth_bytes_per_s=bandwidth,
            line_bits_per_s=float(f"{bandwidth * 8 / PAYLOAD_SHARE:.2g}") if bandwidth else None,
        )


def _crossing_bytes(s: Situation) -> float:
    """Weights that stand in other servers than the one with most of them: only these cross at a start."""
    if s.chosen is None:
        return 0.0
    per_server: dict[str, float] = {}
    copy = set(s.copy_cards)
    for each in s.chosen.memory.per_gpu:
        if each.gpu_id in copy and each.gpu_id in s.shape.by_id:
            home = s.shape.by_id[each.gpu_id].server.id
            per_server[home] = per_server.get(home, 0.0) + each.weights_bytes
    return sum(per_server.values()) - max(per_server.values(), default=0.0)


def lan_limit(s: Situation) -> Iterator[Finding]:
    """No model yet, and an ordinary network between the machines: it limits every split."""
    if s.model is not None or len(s.shape.boxes) < 2 or len(s.shape.site_ids) > 1:
        return
    fabric = s.shape.fabric(tuple(server.id for server, _ in s.shape.boxes))
    if fabric.kind in ("ethernet", "slow"):
        yield say(
            "fabric.lan.limit",
            NOTE,
            fabric.link_ids,
            do("fabric.lan"),
            rule="R36",
            basis="measured",
            bandwidth_bytes_per_s=fabric.bandwidth_bytes_per_s,
            servers=len(s.shape.boxes),
        )


def order_single(s: Situation) -> Iterator[Finding]:
    """R39: several servers, and one is enough; what spreading would gain or lose is counted."""
    if s.spans or len(s.shape.boxes) < 2 or s.model is None or not s.fits_one_box:
        return
    subjects = tuple(server.id for server, _ in s.shape.boxes)
    gain = _spread_gain(s)
    if gain > 1:
        yield say("fabric.order.close", NOTE, subjects, rule="R39", basis="calculated", gain_factor=gain)
    else:
        yield say("fabric.order.single", NOTE, subjects, rule="R39", basis="measured")


def _spread_gain(s: Situation) -> float:
    """Speed under the asked load of the best layout over several servers, over that of the best inside one."""
    rates = {True: 0.0, False: 0.0}
    for each in s.work.owned:
        if each.speed is not None and each.instances and at_least(each.memory.fit, "serves"):
            spread = len(s.shape.servers_of(cards_of(each.instances[0]))) > 1
            rates[spread] = max(rates[spread], each.speed.output_tokens_per_s.expected)
    return rates[True] / rates[False] if rates[False] else 0.0


def not_needed(s: Situation) -> Iterator[Finding]:
    """R11: a fast network bought before, or without, a workload that asks for it."""
    fast = []
    for link in s.facts.plan.links:
        fabric = s.shape.link_fabric(link)
        if not link.owned and fabric.kind == "rdma" and (fabric.bandwidth_bytes_per_s or 0) > 2e9:
            fast.append(link)
    if not fast or s.spans or s.training:
        return
    if s.model is not None and not at_least(s.fit, "starts"):
        return
    ids = tuple(link.id for link in fast)

    def edit(plan: Plan) -> Plan:
        return remove(plan, ids)

    yield say(
        "fabric.purchase.early" if s.model is None else "fabric.purchase.unused",
        STEP,
        ids,
        do("fabric.not_yet"),
        rule="R11",
        fix=edit if s.model is not None else None,
        links=len(fast),
    )


def no_purchase(s: Situation) -> Iterator[Finding]:
    """R11 said aloud where nothing is known yet."""
    open_link = any(s.shape.link_fabric(link).kind == "unknown" for link in s.facts.plan.links)
    unknown = s.model is None or open_link or any(not server.topology_known for server, _ in s.shape.boxes)
    if s.shape.cards and (s.model is None or (unknown and len(s.shape.cards) > 1)):
        chosen = s.model is not None and all(server.topology_known for server, _ in s.shape.boxes)
        yield say(
            "fabric.purchase.measure" if chosen else "fabric.purchase.wait",
            NOTE,
            (s.workload.id,),
            do("unknown.link") if chosen and open_link else do("fabric.wait"),
            rule="R11",
        )


def sxm(s: Situation) -> Iterator[Finding]:
    """R43: what PCIe costs against SXM in training."""
    if not s.training or not shared(s):
        return
    if all(s.shape.by_id[each].record.form == "pcie" for each in s.copy_cards if each in s.shape.by_id):
        scratch = s.workload.task == "pretrain"
        yield say(
            "fabric.sxm.scratch" if scratch else "fabric.sxm.tune",
            NOTE,
            (s.workload.id,),
            rule="R43",
            basis="assumed",
        )


def switch_to_rdma(s: Situation) -> Iterator[Finding]:
    """R41: the floor is missed; what would pass it."""
    curve = s.work.efficiency
    if curve is None or not s.training:
        return
    across_points = [point for point in curve.points if point.nodes > 1]
    if not across_points:
        return
    best = max(across_points, key=lambda point: point.efficiency.expected)
    below = best.efficiency.expected < s.policy.efficiency_floor
    kept = best.efficiency
    if kept.high > LOUD_EFFICIENCY * max(kept.low, 1e-9) or (s.workload.task not in GRADIENT and s.fits_one_box):
        # Too wide a range, or only adapters cross: the arithmetic of the bytes says more.
        return
    needed = curve.fabric_needed_bytes_per_s
    yield say(
        ("fabric.efficiency.low" if needed else "fabric.efficiency.none") if below else "fabric.efficiency.fine",
        STEP if below else NOTE,
        s.copy_servers or (s.workload.id,),
        do("fabric.efficiency") if below else None,
        rule="R41",
        efficiency_share=kept,
        floor_share=s.policy.efficiency_floor,
        nodes=best.nodes,
        gpus=best.gpus,
        fabric_bytes_per_s=needed,
    )
