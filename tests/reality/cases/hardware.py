"""Hardware of a described case as plan objects: cards the catalogue knows, and stand-ins for those it does not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from configurator.catalogue import Catalogue, UnknownNameError, find_gpu
from configurator.catalogue.records import Fact, GpuRecord
from configurator.plan.model import Gpu, InternetLine, Lanes, Link, NetworkSwitch, Plan, Server, Site, SiteKind, Slot

UNNAMED_GB = 24.0
"""An unnamed card is taken as the smallest that owners of several cards usually have."""
NODE_CLASS_GB = 80.0
"""An unnamed card of an "8-GPU class" node is a data-centre card."""

# (words, memory GB, bandwidth GB/s, dense FP16 TFLOP/s, W, unified). Public data sheets; only for cards outside the
# catalogue.
OTHER_CARDS: tuple[tuple[str, float, float, float, float, bool], ...] = (
    ("rtx 2060 super", 8, 448, 57, 175, False),
    ("rtx 3080 ti", 12, 912, 68, 350, False),
    ("rtx 3080", 10, 760, 60, 320, False),
    ("rtx 3070", 8, 448, 41, 220, False),
    ("rtx 2080 ti", 11, 616, 54, 250, False),
    ("rtx 4070 laptop", 8, 256, 60, 115, False),
    ("rtx 4070", 12, 504, 58, 200, False),
    ("rtx 4080", 16, 717, 97, 320, False),
    ("gt 1030", 2, 48, 1, 30, False),
    ("gtx 1080 ti", 11, 484, 11, 250, False),
    ("gtx 1070", 8, 256, 6, 150, False),
    ("p100", 16, 732, 19, 250, False),
    ("k80", 12, 240, 4, 150, False),
    ("rx 6700 xt", 12, 384, 26, 230, False),
    ("rx 6800 xt", 16, 512, 41, 300, False),
    ("ascend 910b", 64, 1600, 320, 400, False),
    ("mac mini m4 pro", 48, 273, 17, 65, True),
    ("mac mini", 16, 120, 8, 65, True),
    ("m1 max", 64, 400, 10, 90, True),
    ("m1 ultra", 128, 800, 21, 180, True),
    ("m2 ultra", 192, 800, 27, 200, True),
    ("m2 max", 96, 400, 13, 90, True),
    ("m3 max", 128, 400, 14, 90, True),
    ("m3 ultra", 96, 819, 28, 200, True),
    ("m4 max", 128, 546, 17, 120, True),
    ("m4 pro", 48, 273, 9, 80, True),
    ("m5 max", 128, 614, 60, 120, True),
    ("mac studio", 96, 819, 28, 200, True),
    ("macbook", 64, 400, 13, 90, True),
)
P2P_DOUBT = re.compile(r"IOMMU|\bACS\b|\bP2P\b|peer.to.peer|all-?reduce (dead|hang)|freez|dead-?lock", re.IGNORECASE)
LANES: dict[int, Lanes] = {1: 1, 2: 2, 4: 4, 8: 8, 16: 16}
UNIFIED_SHARE = 0.75
"""What unified memory of a desktop machine gives a model at the default limit."""


def size_in(text: str) -> float | None:
    """Memory that a name states: "48 GB class" is 48."""
    found = re.search(r"(\d+(?:\.\d+)?)\s*gi?b", text, re.IGNORECASE)
    return float(found.group(1)) if found else None


def card_record(catalogue: Catalogue, text: str, vram_gb: float | None) -> GpuRecord:
    """The catalogue's record, or a stand-in with the memory the case states."""
    try:
        record = find_gpu(catalogue, text)
    except UnknownNameError:
        return _stand_in(catalogue, text, vram_gb)
    if vram_gb and abs(record.memory_label_gb - vram_gb) > max(9.0, 0.1 * vram_gb):
        return _stand_in(catalogue, text, vram_gb, record)
    return record


def _stand_in(catalogue: Catalogue, text: str, vram_gb: float | None, like: GpuRecord | None = None) -> GpuRecord:
    words = " ".join(re.sub(r"[^a-z0-9. ]+", " ", text.lower()).split())
    known = next((row for row in OTHER_CARDS if row[0] in words), None)
    stated = size_in(text)
    default = NODE_CLASS_GB if "8-gpu" in text.lower() or "80 gb" in text.lower() else UNNAMED_GB
    memory = vram_gb or stated or (known[1] if known else None) or default
    unified = bool(known and known[5])
    base = like or catalogue.gpus["nvidia-gb10-dgx-spark" if unified else "nvidia-rtx-3090"]
    if like is None and memory >= 40 and not unified:
        base = catalogue.gpus["nvidia-a100-sxm4-80gb" if default == NODE_CLASS_GB else "nvidia-rtx-a6000"]
    if known and "ascend" in known[0]:
        base = catalogue.gpus["nvidia-a100-pcie-80gb"]
    told = vram_gb or stated or known or "8-gpu" in text.lower() or "80 gb" in text.lower()
    bandwidth, flops, watts = base.memory_bandwidth.value, base.flops_bf16, base.power_w.value
    if known is not None:
        bandwidth, watts = known[2] * 1e9, known[4]
        flops = _fact(known[3] * 1e12)
    usable = memory * (2**30 if unified else 1e9 * 0.98) * (UNIFIED_SHARE if unified else 1.0)
    vendor = "Apple" if unified else "AMD" if " rx " in f" {words} " else "Huawei" if "ascend" in words else base.vendor
    old = known is not None and bool(re.match(r"gtx?|p100|k80", known[0]))
    return replace(
        base,
        id=f"case-{re.sub('[^a-z0-9]+', '-', words).strip('-')}-{memory:g}gb",
        name=text,
        short_name=text,
        vendor=vendor,
        memory_label_gb=memory,
        memory_usable_bytes=round(usable),
        memory_bandwidth=_fact(bandwidth),
        flops_bf16=flops,
        flops_fp16=flops,
        power_w=_fact(watts),
        native_bf16=base.native_bf16 and not old,
        native_fp8=base.native_fp8 and known is None and like is not None,
        p2p_over_pcie=base.p2p_over_pcie if known or like else "unknown",
        # A bridge is a matter of the card itself: of these only one takes it.
        link_kind="none" if known and like is None and known[0] != "rtx 2080 ti" else base.link_kind,
        price=None,
        memory_known=bool(told),
    )


def _fact(value: float) -> Fact:
    return Fact(value, value, value, "low", ("the case",))


def chassis_for(record: GpuRecord, count: int) -> str:
    """A chassis of the catalogue that would carry such cards."""
    if record.form in ("sxm", "oam"):
        return "hgx-a100-8" if "a100" in record.id or "v100" in record.id else "hgx-h100-8"
    if record.form == "soc":
        return "dgx-spark"
    if count == 1:
        return "desktop-1gpu"
    if record.segment == "consumer":
        return "desktop-2gpu-x8x8" if count == 2 else "epyc-sp3-7slot-openframe"
    return "dell-r760xa-4gpu" if count <= 4 else "generic-4u5u-8gpu-switch"


def lanes_in(text: str, count: int) -> list[tuple[int | None, int | None]]:
    """(generation, lanes) per card as far as the description says; None where it does not."""
    found = [(int(g), int(x)) for g, x in re.findall(r"(\d)\.0[^+/]*?x(\d+)", text)]
    generation = re.search(r"PCIe (\d)", text)
    widths = [int(each) for each in re.findall(r"x(\d+)", text)]
    base: tuple[int | None, int | None] = (None, None)
    if widths and not generation:
        base = (3, widths[0])
    if generation:
        base = (int(generation.group(1)), widths[0] if widths else 16)
    rows = [base] * count
    if "/" in text and len(widths) > 1 and count == 2:
        rows = [(base[0], widths[0]), (base[0], widths[1])]
    if "+" in text and len(found) == count > 1:
        rows = list(found)
    elif "+ one" in text and len(found) > 1:
        rows[-1] = found[-1]
    return rows


def _slot(index: int, record: GpuRecord, row: tuple[int | None, int | None], server: str, display: bool) -> Slot:
    width = max(1, min(4, record.width_slots or 2))
    return Slot(
        id=f"{server}-slot-{index}",
        name=f"slot {index}",
        form=record.form,
        pcie_generation=row[0],
        lanes=LANES.get(row[1] or 0),
        width_slots=width,
        gpu=Gpu(id=f"{server}-gpu-{index}", gpu=record.id, owned=True, drives_display=display),
    )


def server_of(
    node: dict[str, Any], number: int, catalogue: Catalogue, extra: dict[str, GpuRecord], text: str, unsure: bool
) -> Server | None:
    """One machine of the case; records that the catalogue lacks go into ``extra``."""
    cards: list[GpuRecord] = []
    for group in node["gpus"]:
        group = {"vram_gb": None, "count": 1, **group, "model": group.get("model") or "unspecified"}
        group["count"] = 1 if group["count"] is None else group["count"]
        record = card_record(catalogue, group["model"], group["vram_gb"])
        if node.get("intra_link") in ("NVLink", "NVSwitch") and group["model"] in ("A100", "any", "unspecified"):
            record = catalogue.gpus["nvidia-a100-sxm4-80gb"]
        made = [record] * group["count"]
        if re.search(r"\b(uneven|unequal|mixed)\b", group["model"].lower()) and not group["vram_gb"]:
            # "A mixed set" without sizes: two kinds of cards, one with twice the memory.
            other = card_record(catalogue, f"{group['model']} larger", 2 * UNNAMED_GB)
            made = [other if (number + place) % 2 else record for place in range(group["count"])]
        extra.update((each.id, each) for each in made if each.id not in catalogue.gpus)
        cards += made
    name = f"server-{number}"
    if not cards:
        # A machine that only calls, or lends its processor.
        return Server(id=name, name=f"node {number}", chassis="desktop-1gpu", slots=())
    link = node.get("intra_link") or "unknown"
    rows = lanes_in(link, len(cards))
    display = "desktop" in text and "drives" in text
    slots = tuple(
        _slot(index, record, row, name, display and index == 1)
        for index, (record, row) in enumerate(zip(cards, rows, strict=True), 1)
    )
    bridged = link.startswith("NVLink") and cards[0].link_kind == "bridge"
    pairs = tuple((slots[i].id, slots[i + 1].id) for i in range(0, len(slots) - 1, 2)) if bridged else ()
    return Server(
        id=name,
        name=f"node {number}",
        chassis=chassis_for(cards[0], len(cards)),
        slots=slots,
        topology_known=not (link == "unknown" and unsure) or len(cards) == 1,
        p2p="no" if "no P2P" in link else "unknown" if P2P_DOUBT.search(text) else "auto",
        nvlink_pairs=pairs,
        owned=not re.search(r"\b(orders?|buy|buying|purchase)\b", text.lower()),
    )


SPEEDS: dict[float, str] = {
    1: "eth-1g",
    2.5: "eth-2g5",
    5: "eth-5g",
    10: "eth-10g",
    25: "eth-25g",
    50: "eth-50g",
    100: "eth-100g-tcp",
}
RDMA_SPEEDS: dict[float, str] = {25: "eth-25g-roce", 100: "eth-100g-roce", 200: "eth-200g-roce", 400: "eth-400g-roce"}
IB_SPEEDS: dict[float, str] = {100: "ib-edr", 200: "ib-hdr", 400: "ib-ndr", 800: "ib-xdr"}


def link_fields(text: str | None) -> dict[str, Any]:
    """Fields of a Link from the words of the case; kind "unknown" where they say nothing."""
    if not text:
        return {"kind": "unknown"}
    low = text.lower().replace("no infiniband", "").replace("no rdma", "")
    if "thunderbolt" in low or low.startswith("tb"):
        kind = "tb5-rdma" if "rdma" in low else "tb5-net-tcp" if "5" in low else "tb4-net"
        rtt = re.search(r"([\d.]+)\s*ms", low)
        return {"kind": kind, "latency_s": float(rtt.group(1)) / 2e3 if rtt else None}
    if "wi-fi" in low or "wifi" in low:
        return {"kind": "wifi6-80"}
    found = re.search(r"(?:(\d+)\s*x\s*)?(\d+(?:\.\d+)?)\s*(g|m)(?:be|bit|b/s|bps|b\b)", low)
    rdma = any(word in low for word in ("rdma", "roce", "infiniband", " ib", "ndr", "hdr", "edr", "efa"))
    if found is None:
        if "ndr" in low:
            return {"kind": "ib-ndr"}
        if rdma:
            return {"kind": "eth-100g-roce", "count": 2 if "bonded" in low else 1}
        if "lan" in low or "ethernet" in low:
            return {"kind": "eth-1g"}
        return {"kind": "unknown"}
    after = re.search(r"\bx\s?(\d+)\b", low[found.end() :])
    count = int(found.group(1) or (after.group(1) if after else 1))
    gigabits = float(found.group(2)) * (1 if found.group(3) == "g" else 1e-3)
    bits = gigabits * 1e9
    infiniband = " ib" in low or "infiniband" in low or "ndr" in low or "hdr" in low
    table = IB_SPEEDS if infiniband else RDMA_SPEEDS if rdma or gigabits > 100 else SPEEDS
    nearest = min(table, key=lambda speed: abs(speed - gigabits))
    fields: dict[str, Any] = {"kind": table[nearest], "count": count}
    if abs(nearest - gigabits) > 0.2 * gigabits:
        fields["bandwidth_bytes_per_s"] = bits / 8 * 0.9
    return fields


def rails(text: str | None, servers: list[Server], catalogue: Catalogue, extra: dict[str, GpuRecord]) -> dict[str, Any]:
    """ "InfiniBand" without a rate between nodes of eight SXM cards: one port per card, as such nodes are sold."""
    low = (text or "").lower()
    if not re.search(r"infiniband|\bib\b|rdma|roce", low) or re.search(r"\d\s*g", low) or not servers:
        return {}
    cards = [slot.gpu.gpu for slot in servers[0].slots if slot.gpu is not None]
    record = {**catalogue.gpus, **extra}.get(cards[0]) if cards else None
    if record is None or record.form not in ("sxm", "oam") or len(cards) < 8:
        return {}
    return {"kind": "ib-hdr" if re.search("a100|a800|v100", record.id) else "ib-ndr", "count": len(cards)}


def line_in(text: str) -> InternetLine:
    """The internet line of each place: rate and round trip as stated (each place has half of it), else a usual one."""
    rate = re.search(r"(\d+(?:\.\d+)?)\s*(g|m)(?:bit|b/s|bps|b\b)", text.lower())
    trip = re.search(r"(\d+(?:\.\d+)?)\s*ms", text.lower())
    mbit = float(rate.group(1)) * (1000 if rate.group(2) == "g" else 1) if rate else None
    return InternetLine(
        profile="home-ftth-1g",
        up_mbit_s=mbit,
        down_mbit_s=mbit,
        rtt_ms=float(trip.group(1)) / 2 if trip else None,
    )


def plan_hardware(case: dict[str, Any], catalogue: Catalogue) -> tuple[Plan, dict[str, GpuRecord]]:
    """Sites, servers and links of a case."""
    hardware, text = case["hardware"], case["title"]
    extra: dict[str, GpuRecord] = {}
    servers: list[Server] = []
    # Even whether the cards stand in one machine is not known.
    unsure = (hardware.get("inter_node") or "").lower() == "unknown"
    for node in hardware["nodes"]:
        for _ in range(1 if node.get("count") is None else max(0, node["count"])):
            made = server_of(node, len(servers) + 1, catalogue, extra, text, unsure)
            if made is not None:
                servers.append(made)
    wan = (hardware.get("sites") or 1) > 1 or (hardware.get("inter_node") or "").lower().startswith(
        ("internet", "vpn", "wan")
    )
    if wan and len(servers) > 1:
        sites = tuple(
            Site(
                id=f"site-{number}",
                name=f"place {number}",
                kind="home",
                internet=line_in(hardware.get("inter_node") or ""),
                servers=(server,),
            )
            for number, server in enumerate(servers, 1)
        )
        links = tuple(
            Link(id=f"link-{number}", a="site-1", b=site.id, kind="internet", owned=True)
            for number, site in enumerate(sites[1:], 1)
        )
        return Plan(id="plan", name=case["title"][:100], sites=sites, links=links), extra
    place: SiteKind = "home" if re.search(r"\bhomes?\b", text.lower()) else "server_room"
    switches: tuple[NetworkSwitch, ...] = ()
    links = ()
    fields = {**link_fields(hardware.get("inter_node")), **rails(hardware.get("inter_node"), servers, catalogue, extra)}
    bought = "to be bought" in (hardware.get("inter_node") or "")
    if len(servers) == 2:
        links = (Link(id="link-1", a=servers[0].id, b=servers[1].id, owned=not bought, **fields),)
    elif len(servers) > 2:
        switches = (NetworkSwitch(id="switch-1", name="switch", owned=True),)
        links = tuple(
            Link(id=f"link-{number}", a=server.id, b="switch-1", owned=not bought, **fields)
            for number, server in enumerate(servers, 1)
        )
    site = Site(id="site-1", name="place", kind=place, servers=tuple(servers), switches=switches)
    return Plan(id="plan", name=case["title"][:100], sites=(site,), links=links), extra
