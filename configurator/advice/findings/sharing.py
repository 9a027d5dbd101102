"""Training over connections: gradients, sharded weights, and how busy healthy cards are (R32, R37, R40)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, STOP, do, say
from configurator.advice.findings.training import healthy_use
from configurator.advice.results import Finding
from configurator.advice.shape import Fabric
from configurator.advice.situation import GRADIENT, Situation, at_least, offloaded
from configurator.terms import Estimate

GRADIENT_BYTES = 2
"""Per parameter, in 16 bits."""
TEN_GBIT, HUNDRED_GBIT = 1.1e9, 11e9
"""Payload of 10 and of 100 Gbit/s."""


def _boxes(s: Situation) -> tuple[str, ...]:
    return tuple(server.id for server, _ in s.shape.boxes)


def gradients(s: Situation) -> Iterator[Finding]:
    """What plain data parallel sends per step; between places it is out."""
    if s.workload.task not in GRADIENT or s.model is None or len(s.shape.boxes) < 2:
        return
    fabric = _line(s)
    size = s.parameters * GRADIENT_BYTES
    if not fabric.bandwidth_bytes_per_s:
        return
    far = len(s.shape.site_ids) > 1
    seconds = size / fabric.bandwidth_bytes_per_s
    yield say(
        "fabric.gradient.far" if far else "fabric.gradient.near",
        STOP if far else NOTE,
        _boxes(s),
        rule="R40",
        gradient_gb=round(size / 1e9),
        send_s=seconds,
        bandwidth_bytes_per_s=fabric.bandwidth_bytes_per_s,
    )


def _line(s: Situation) -> Fabric:
    """The weakest connection of all servers; between places the real line of the slower one."""
    if len(s.shape.site_ids) < 2:
        return s.shape.fabric(_boxes(s))
    wires = s.facts.topology.wires
    sites = s.shape.site_ids
    ways = [way for a in sites[:1] for b in sites[1:] if (way := wires.wan_route(a, b)) is not None]
    slow = min(ways, key=lambda each: each.bandwidth_bytes_per_s, default=None)
    if slow is None:
        return Fabric("internet", None, None)
    return Fabric("internet", slow.bandwidth_bytes_per_s, slow.latency_s)


def shards(s: Situation) -> Iterator[Finding]:
    """Sharded weights cross on every pass; where one server holds the state that is not needed."""
    if not s.training or s.model is None or len(s.shape.boxes) < 2 or len(s.shape.site_ids) > 1:
        return
    count = len(s.shape.boxes)
    fabric = s.shape.fabric(_boxes(s))
    remote = s.parameters * GRADIENT_BYTES * (count - 1) / count
    bandwidth = fabric.bandwidth_bytes_per_s
    held = any(at_least(each.memory.fit, "starts") and not offloaded(each) for each in s.one_box)
    if not held and s.workload.task not in GRADIENT:
        return
    size = round(remote / 1e9, 1) if remote < 1e10 else round(remote / 1e9)
    if held and bandwidth:
        yield say(
            "fabric.shard.known",
            STEP,
            _boxes(s),
            do("fabric.shard"),
            rule="R37",
            servers=count,
            remote_gb=size,
            bandwidth_bytes_per_s=bandwidth,
            pass_s=remote / bandwidth,
        )
    elif held:
        yield say(
            "fabric.shard.open",
            STEP,
            _boxes(s),
            do("fabric.shard"),
            rule="R37",
            servers=count,
            remote_gb=size,
            ten_s=remote / TEN_GBIT,
            hundred_s=remote / HUNDRED_GBIT,
        )
    elif bandwidth:
        yield say(
            "fabric.shard.needed",
            NOTE,
            _boxes(s),
            rule="R37",
            servers=count,
            remote_gb=size,
            bandwidth_bytes_per_s=bandwidth,
            pass_s=remote / bandwidth,
        )


def healthy(s: Situation) -> Iterator[Finding]:
    """MFU = 6 P r / peak: what a healthy run gives per card, and what a stated rate means."""
    if s.workload.task not in GRADIENT or s.model is None or len(s.shape.boxes) < 2 or not s.shape.cards:
        return
    record = s.shape.kinds[0]
    peak = record.flops_bf16 or record.flops_fp16
    active = float(s.model.parameters.active_per_token or s.parameters)
    if peak is None or not active:
        return
    per_token = 6 * active
    tflops = round(peak.value / 1e12)
    low, _, high = healthy_use(s)
    stated = s.workload.tokens_per_s
    if stated:
        each = stated / len(s.shape.cards)
        yield say(
            "fabric.healthy.stated",
            STEP if each * per_token < 0.2 * peak.value else NOTE,
            _boxes(s),
            rule="R32",
            stated_tokens_per_s=stated,
            used_tflops=round(each * per_token / 1e12),
            used_share=each * per_token / peak.value,
            parameters_billion=round(active / 1e9, 1),
            peak_tflops=tflops,
            low_share=low,
            high_share=high,
        )
        return
    yield say(
        "fabric.healthy.rate",
        NOTE,
        _boxes(s),
        rule="R32",
        basis="measured",
        healthy_tokens_per_s=Estimate(low, (low + high) / 2, high).scaled(peak.value / per_token, "tokens/s"),
        low_share=low,
        high_share=high,
        hundred_tflops=round(100 * per_token / 1e12, 1),
        hundred_share=100 * per_token / peak.value,
        parameters_billion=round(active / 1e9, 1),
        peak_tflops=tflops,
    )


def cards_unknown(s: Situation) -> Iterator[Finding]:
    """Servers with NVSwitch and a connection of which nothing is said: usually a network card per GPU."""
    boxes = [(server, cards) for server, cards in s.shape.boxes if cards and cards[0].record.link_kind == "switch"]
    if len(boxes) < 2 or len(s.shape.site_ids) > 1 or not (s.training or s.spans):
        return
    wide = min(len(cards) for _, cards in boxes)
    fabric = s.shape.fabric(tuple(server.id for server, _ in boxes))
    single = [link for link in s.facts.plan.links if link.count == 1 and link.bandwidth_bytes_per_s is None]
    if wide < 2 or not (fabric.kind == "unknown" or (fabric.kind == "rdma" and single)):
        return
    if any(server.nics for server, _ in boxes):
        return
    yield say(
        "fabric.cards.assumed",
        STEP,
        tuple(link.id for link in single) or tuple(server.id for server, _ in boxes),
        do("fabric.cards"),
        rule="R10",
        basis="assumed",
        gpus_each=wide,
    )
