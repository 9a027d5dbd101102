"""Prove the connection and name its usual faults: sockets instead of RDMA, ACS, a cable that comes back elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.results import Finding
from configurator.advice.shape import Fabric
from configurator.advice.situation import Situation, at_least
from configurator.plan.model import Link

COLLECTIVE_ENGINES = ("vllm", "sglang", "tensorrt-llm")
"""Engines that exchange through NCCL or RCCL."""
RTT_USUAL_S = 0.001
MESH_CARDS, MESH_GROUP = 8, 4
"""Eight V100 in a hybrid cube mesh: six NVLinks per card to four neighbours (NCCL topology file of the DGX-1)."""


def _uses_collectives(s: Situation) -> bool:
    return s.shape.maker in ("nvidia", "amd") and (s.training or s.workload.engine in COLLECTIVE_ENGINES)


def _all_boxes(s: Situation) -> tuple[str, ...]:
    return s.copy_servers if s.spans else tuple(server.id for server, _ in s.shape.boxes)


def transport(s: Situation) -> Iterator[Finding]:
    """The log must name the transport; said where a copy or a training crosses servers, or the link is unknown."""
    if len(s.shape.boxes) < 2 or len(s.shape.site_ids) > 1 or not _uses_collectives(s):
        return
    servers = _all_boxes(s)
    fabric = s.shape.fabric(servers)
    crossing = s.spans or (s.training and s.model is not None) or (s.model is None and fabric.kind == "rdma")
    wanted = s.model is not None and not s.fits_one_box
    if not (crossing or wanted):
        return
    yield from _transport(s, servers, fabric)


def _transport(s: Situation, servers: tuple[str, ...], fabric: Fabric) -> Iterator[Finding]:
    proof = do("fabric.proof_rccl") if s.shape.maker == "amd" else do("fabric.proof")
    if fabric.kind == "rdma":
        yield say(
            "fabric.proof.nccl",
            STEP if s.spans else NOTE,
            servers,
            proof,
            rule="R73",
            basis="measured",
            servers=len(servers),
            bandwidth_bytes_per_s=fabric.bandwidth_bytes_per_s,
        )
    elif fabric.kind == "ethernet":
        yield say(
            "fabric.proof.socket",
            NOTE,
            servers,
            do("fabric.proof_socket"),
            rule="R73",
            basis="measured",
            servers=len(servers),
            bandwidth_bytes_per_s=fabric.bandwidth_bytes_per_s,
        )
    elif fabric.kind in ("unknown", "none"):
        yield say("fabric.proof.open", STEP, servers, proof, rule="R73", basis="measured", servers=len(servers))


def direct(s: Situation) -> Iterator[Finding]:
    """Cables without a switch: fixed addresses, and an alarm on the round trip."""
    for link in s.shape.direct_links:
        record = s.catalogue.links.get(link.kind)
        latency = record.latency.value if record is not None else s.shape.link_fabric(link).latency_s
        yield say(
            "fabric.direct.address",
            STEP if s.spans else NOTE,
            (link.id,),
            do("fabric.direct"),
            rule="R75",
            basis="measured",
            servers=_ends(link),
            rtt_s=2 * latency if latency else RTT_USUAL_S,
        )
    if s.shape.maker == "apple" and len(s.shape.boxes) > 1 and (s.model is None or s.spans):
        yield say(
            "fabric.lost.nodes",
            NOTE,
            tuple(server.id for server, _ in s.shape.boxes),
            do("fabric.lost"),
            rule="R75",
            basis="measured",
        )


def _ends(link: Link) -> int:
    return len({link.a, link.b})


def bridges(s: Situation) -> Iterator[Finding]:
    """What an NVLink bridge brings, and which cards of a hybrid mesh are joined at all."""
    for server, cards in s.shape.boxes:
        if server.nvlink_pairs:
            yield say(
                "p2p.bridge.gain",
                NOTE,
                (server.id,),
                basis="measured",
                cards=len({slot for pair in server.nvlink_pairs for slot in pair}),
            )
        elif len(s.copy_cards) == 2 and not s.spans:
            pairs = [card for card in cards if card.record.link_kind == "bridge" and card.gpu.id in s.copy_cards]
            if len(pairs) > 1 and all(card.record.memory_known for card in pairs):
                yield say("p2p.bridge.buy", NOTE, (server.id,), basis="measured", card_gpu=pairs[0].record.id)
        meshed = [card for card in cards if card.record.link_kind == "mesh" and card.record.vendor == "NVIDIA"]
        if len(meshed) < MESH_CARDS:
            continue
        group = meshed[0].record.memory_label_gb * MESH_GROUP
        weights = s.work.weights_bytes / 1e9
        held = s.model is not None and weights < group and at_least(s.fit, "starts")
        if held:
            yield say(
                "p2p.mesh.groups",
                STEP if any(len(stage) > MESH_GROUP for stage in _stages(s)) else NOTE,
                (server.id,),
                basis="vendor",
                weights_gb=round(weights),
                group_gb=group,
                group_share=weights / group,
            )
        else:
            yield say("p2p.mesh.any", NOTE, (server.id,), basis="vendor")


def _stages(s: Situation) -> tuple[tuple[str, ...], ...]:
    return tuple(stage for one in s.chosen.instances for stage in one.stages) if s.chosen else ()
