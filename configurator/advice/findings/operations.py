"""What several servers cost beyond their parts (R65-R77), the lab trap, and where texts and measurements part."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.findings.groups import fewest_cards
from configurator.advice.findings.training import FULL_SHARE, ROOM_SHARE, STATE_BYTES
from configurator.advice.results import Finding
from configurator.advice.situation import GRADIENT, LARGE_PARAMETERS, Situation, at_least, cards_of
from configurator.catalogue.records import GpuRecord

TUNING_MONTHS = 6
LOST_SHARE = 0.5
EIGHT = 8
SERVED_SHARE = 0.9
"""Of the memory, what weights and conversations may take together."""
WRITE_BYTES_PER_S = 1e9
"""A shared folder over NFS takes about this; for the stall of a synchronous checkpoint (R72)."""
TRAINING_STATE_BYTES = 14
"""Per parameter in a full checkpoint: 16-bit weights, FP32 master and two moments."""


def tax(s: Situation) -> Iterator[Finding]:
    """R66, R68, R69: operations double, engineering grows with every added node."""
    nodes = len(s.shape.boxes)
    if nodes < 2:
        return
    ids = tuple(server.id for server, _ in s.shape.boxes)
    k = s.policy.engineering_factor_per_added_node
    joined = s.spans
    yield say("operations.tax.doubled", NOTE, ids, rule="R66", nodes=nodes)
    # What one copy or one training really uses; copies beside it do not make it harder.
    used = len(s.copy_servers) if joined else len(s.shape.servers_of(s.used_cards))
    if (joined or s.training) and used > 1:
        yield say(
            "operations.tax.engineering",
            STEP,
            ids,
            do("operations.tax"),
            rule="R68",
            basis="assumed",
            nodes=used,
            effort_factor=1 + k * (used - 1),
            months=TUNING_MONTHS,
            lost_share=LOST_SHARE,
        )
        # PFC, NCCL and topology files belong to RDMA between NVIDIA or AMD cards; small machines have a cable.
        wired = s.fabric.kind == "rdma" or s.training
        code = "operations.tax.list" if wired and s.shape.maker in ("nvidia", "amd") else "operations.tax.list_plain"
        yield say(code, STEP, ids, do("operations.list"), rule="R73", nodes=nodes)
        if s.training:
            yield say("operations.storage.shared", STEP, ids, do("operations.storage"), rule="R71")
        else:
            yield say("operations.storage.local", NOTE, ids, do("operations.storage_local"), rule="R71")
    if s.workload.task in GRADIENT and nodes > 1 and s.model is not None:
        # Adapters save only themselves, in a moment.
        size = s.parameters * TRAINING_STATE_BYTES
        yield say(
            "operations.checkpoint.stall",
            STEP,
            ids,
            do("operations.checkpoint"),
            rule="R72",
            basis="assumed",
            checkpoint_gb=round(size / 1e9),
            stall_about_s=size / WRITE_BYTES_PER_S,
        )


def repair(s: Situation) -> Iterator[Finding]:
    """R15, R70: minutes for a program, days for a part (suppliers; amcompute.com), and the spare that shortens it."""
    if s.chosen is None or s.model is None or not s.shape.cards or not at_least(s.fit, "starts"):
        return
    cards = s.used_cards
    have = sum(len(box) for server, box in s.shape.boxes if server.id in s.copy_servers)
    if s.training:
        have = len(cards)
    needed = fewest_cards(s)
    if s.copies > 1 and not s.training and len({s.shape.servers_of(cards_of(one)) for one in s.chosen.instances}) > 1:
        code = "copies"
    elif 0 < needed <= have - 1:
        code = "shrinks" if s.training else "left_out"
    else:
        code = "none"
        needed = len(cards) if s.training else max(needed, 1)
    record = s.shape.by_id[cards[0]].record if cards and cards[0] in s.shape.by_id else s.shape.cards[0].record
    yield say(
        f"failure.repair.{code}",
        NOTE,
        (s.workload.id,),
        # A part of a machine in one piece is not changed at home.
        do("failure.spare_card", card_gpu=record.id) if record.form == "pcie" else do("failure.spare_machine"),
        rule="R15",
        basis="vendor",
        needed_cards=max(1, needed),
        have=have,
    )


def lab_trap(s: Situation) -> Iterator[Finding]:
    """R65, R67: two 4-GPU servers for future growth instead of one 8-GPU server."""
    boxes = s.shape.boxes
    if len(boxes) != 2 or any(len(cards) != EIGHT // 2 for _, cards in boxes):
        return
    yield say(
        "lab-trap.two_fours.plan",
        NOTE if all(server.owned for server, _ in boxes) else STEP,
        tuple(server.id for server, _ in boxes),
        do("lab_trap"),
        rule="R67",
        basis="assumed",
    )


def costly(s: Situation) -> Iterator[Finding]:
    """R77: the two costliest mistakes, named where the plan comes near them."""
    boxes = len(s.shape.boxes)
    unowned = any(not server.owned for server, _ in s.shape.boxes)
    if boxes > 1 and unowned and s.fits_one_box and not s.training and s.model is not None:
        yield say("costly-mistake.split_budget.plan", NOTE, (s.facts.plan.id,), rule="R77", basis="assumed")
    if boxes <= 1 and s.workload.task in ("full", "pretrain") and s.parameters >= LARGE_PARAMETERS:
        yield say(
            "costly-mistake.stayed_small.plan",
            STEP,
            (s.facts.plan.id,),
            do("costly_mistake"),
            rule="R77",
            basis="assumed",
        )


def consolidate(s: Situation) -> Iterator[Finding]:
    """More memory in one box beats more boxes; appliances against one server of large cards."""
    boxes = s.shape.boxes
    if len(boxes) < 2 or s.model is not None or len(s.shape.site_ids) > 1:
        return
    if all(len(cards) == 1 and cards[0].record.unified_memory for _, cards in boxes):
        node = s.catalogue.gpus[s.policy.buy_node_gpu]
        ours = boxes[0][1][0].record
        together = s.shape.memory_bytes / 1e9
        large = together > node.memory_label_gb * 4
        if not all(cards[0].record.memory_known for _, cards in boxes):
            return
        yield say(
            "lab-trap.appliances.plan" if large else "lab-trap.appliances.small",
            NOTE,
            tuple(server.id for server, _ in boxes),
            do("appliances", four_gb=node.memory_label_gb * 4) if large else None,
            rule="R67",
            sum_gb=round(together),
            enough_count=max(1, ceil(together / node.memory_label_gb)),
            appliances=len(boxes),
            faster_factor=node.memory_bandwidth.value / ours.memory_bandwidth.value,
            node_gpu=node.id,
            four_gb=node.memory_label_gb * 4,
        )


def larger_node(s: Situation) -> Iterator[Finding]:
    """R41 b: the one larger node that would hold what now spans several: weights, conversations, training state."""
    if s.model is None or not (s.spans or not at_least(s.fit, "starts")):
        return
    need = _needed_bytes(s)
    vendors = {record.vendor for record in s.shape.kinds}
    nodes: list[tuple[float, int, GpuRecord]] = []
    buy = s.catalogue.gpus[s.policy.buy_node_gpu]
    # As few of its cards as hold the model: an answer for 40 GB is not a server of 768 GB.
    counts = sorted({n for n in (1, 2, 4) if n < s.policy.buy_node_gpus} | {s.policy.buy_node_gpus})
    count = next((n for n in counts if buy.memory_label_gb * 1e9 * n >= need), None)
    if count is not None:
        nodes.append((0.0, count, buy))
    for record in s.catalogue.servers.values():
        if not record.includes_gpus or not record.accepts or record.max_gpus > EIGHT:
            continue
        gpu = s.catalogue.gpus.get(record.accepts[0])
        known = gpu is not None and (gpu.vendor in vendors or "NVIDIA" not in vendors)
        if gpu is not None and known and gpu.memory_label_gb * 1e9 * record.max_gpus >= need:
            nodes.append((gpu.memory_label_gb * record.max_gpus, record.max_gpus, gpu))
    if not nodes:
        return
    _, held, gpu = min(nodes, key=lambda each: each[0])
    memory = gpu.memory_label_gb * held
    yield say(
        "node.larger.trains" if s.training else "node.larger.fits",
        NOTE,
        (s.workload.id,),
        do("node.larger" if len(s.shape.boxes) > 1 else "node.larger_alone"),
        rule="R41",
        count=held,
        node_gpu=gpu.id,
        memory_gb=memory,
        weights_gb=round(s.work.weights_bytes / 1e9),
        taken_share=_taken_bytes(s) / (memory * 1e9),
    )


def _taken_bytes(s: Situation) -> float:
    """What the work itself takes: weights and the asked conversations, or the state of the training."""
    load = s.workload
    if load.task in GRADIENT:
        return STATE_BYTES[1] * s.parameters
    if s.training:
        return float(s.work.weights_bytes)
    context = load.context_tokens or load.max_context_tokens or 0
    return s.work.weights_bytes + (load.users or 1) * context * s.work.kv_bytes_per_token


def _needed_bytes(s: Situation) -> float:
    """Memory as printed on the cards that keeps the reserve: weights to the owner's share, all of it to nine tenths."""
    if s.training:
        return _taken_bytes(s) / (FULL_SHARE if s.workload.task in GRADIENT else ROOM_SHARE)
    return max(s.work.weights_bytes / s.policy.weights_share_high, _taken_bytes(s) / SERVED_SHARE)
