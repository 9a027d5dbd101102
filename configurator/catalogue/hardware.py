"""GPUs, servers, links and parts from their tables."""

from __future__ import annotations

from typing import Any

from configurator.catalogue.reading import GB, GIB, MIB, MICRO, TERA, Row, Sources, all_sources, fact, known, price
from configurator.catalogue.records import (
    GpuRecord,
    InternetProfile,
    LinkRecord,
    NetworkPart,
    PlatformMeasurement,
    PriceObservation,
    ServerRecord,
    SlotGroup,
    SwitchGroup,
)


def gpu_record(row: Row, sources: Sources, power_curve: tuple[tuple[float, float], ...] = ()) -> GpuRecord:
    """One GPU. Usable memory is what the driver reports, else the usable figure; never the label."""
    memory, flops, power = row["memory"], row["dense_tflops"], row["power"]
    link, p2p, form, native = row["link"], row["p2p"], row["form"], row["native"]
    driver = fact(memory.get("driver_mib"), sources, MIB)
    usable = driver if driver is not None else known(memory.get("usable_gib"), sources, GIB)
    bandwidth = known(memory["bandwidth_gbs"], sources, GB)
    rates = {key: fact(flops.get(key), sources, TERA) for key in ("bf16", "fp16", "fp16_fp16acc", "fp8", "fp4", "int8")}
    measured = row.get("measured_tflops", {})
    cost = price(row.get("price"), sources)
    limit, idle = known(power["limit_w"], sources), known(power["idle_w"], sources)
    return GpuRecord(
        id=row["id"],
        name=row["name"],
        short_name=row["short_name"],
        vendor=row["vendor"],
        segment=row["segment"],
        architecture=row["architecture"],
        compute_capability=row.get("compute_capability", ""),
        aliases=tuple(row.get("aliases", ())),
        memory_label_gb=float(memory["label_gb"]),
        memory_usable_bytes=round(usable.value),
        memory_kind=memory["type"],
        memory_bandwidth=bandwidth,
        flops_bf16=rates["bf16"],
        flops_fp16=rates["fp16"],
        flops_fp8=rates["fp8"],
        flops_fp4=rates["fp4"],
        flops_int8=rates["int8"],
        native_bf16=native["bf16"],
        native_fp8=native["fp8"],
        native_fp4=native["fp4"],
        native_int8=native["int8"],
        power_w=limit,
        power_limit_min_w=power.get("limit_min_w"),
        power_limit_max_w=power.get("limit_max_w"),
        idle_w=idle,
        pcie_generation=row["pcie"].get("generation", 0),
        pcie_lanes=row["pcie"].get("lanes", 0),
        link_kind=link["kind"],
        link_name=link.get("name", ""),
        link_bandwidth_bytes_per_s=float(link["gbs_per_direction"]) * GB,
        link_max_group=link["max_group"],
        p2p_over_pcie=p2p["status"],
        p2p_note=p2p["note"],
        form=form["kind"],
        width_slots=form.get("slots"),
        length_mm=form.get("length_mm"),
        cooling=form["cooling"],
        power_connector=form.get("power_connector", ""),
        launch_date=row["launch_date"],
        price=cost,
        unified_memory=form["kind"] == "soc",
        as_of=row["as_of"],
        sources=all_sources(usable, bandwidth, *rates.values(), limit, idle, also=sources.text(row.get("src", []))),
        chip=row.get("chip", ""),
        half_rate_fp32_accumulate=row.get("half_rate_fp32_accumulate", False),
        flops_fp16_fp16_accumulate=rates["fp16_fp16acc"],
        measured_flops_bf16=fact(measured.get("bf16"), sources, TERA),
        measured_flops_fp8=fact(measured.get("fp8"), sources, TERA),
        transient_peak_w=fact(power.get("transient_peak_w"), sources),
        power_curve=power_curve,
        price_observations=tuple(_observation(each, sources) for each in row.get("price_observations", ())),
        note=row.get("note", ""),
    )


def _observation(row: Row, sources: Sources) -> PriceObservation:
    return PriceObservation(
        row["condition"], row["low"], row["high"], row["currency"], row["as_of"], sources.text(row["src"])
    )


def power_curves(table: dict[str, Any]) -> dict[str, tuple[tuple[float, float], ...]]:
    """GPU id -> (limit in W, share of the rate at the highest measured limit)."""
    curves = {}
    for row in table.get("power_curves", ()):
        top = max(rate for _, rate in row["points"])
        curves[row["gpu"]] = tuple((float(limit), rate / top) for limit, rate in row["points"])
    return curves


def server_record(row: Row, sources: Sources) -> ServerRecord:
    """One chassis."""
    return ServerRecord(
        id=row["id"],
        name=row["name"],
        kind=row["kind"],
        examples=tuple(row.get("examples", ())),
        slot_groups=tuple(_slot_group(each) for each in row["slots"]),
        switches=tuple(SwitchGroup(*each) for each in row.get("switches", ())),
        sockets=row.get("sockets", 1),
        socket_link=row.get("socket_link", ""),
        max_gpus=row["max_gpus"],
        accepts=tuple(row.get("accepts", ())),
        includes_gpus=row.get("includes_gpus", False),
        max_card_length_mm=row.get("max_card_length_mm"),
        psu_w=float(row.get("psu_w", 0.0)),
        max_gpu_power_w=row.get("max_gpu_power_w"),
        idle_w=known(row["idle_w"], sources),
        busy_w=known(row["busy_w"], sources),
        ram_max_gb=row.get("ram_max_gb"),
        rack_units=row.get("rack_units"),
        noise=row.get("noise", ""),
        cooling=row.get("cooling", ""),
        onboard_network=row.get("onboard_network", ""),
        topology_note=row.get("topology_note", ""),
        price=price(row.get("price"), sources),
        measured=tuple((name, float(low), float(high)) for name, low, high in row.get("measured", ())),
        as_of=row["as_of"],
        sources=sources.text(row["src"]),
        form=row.get("form", ""),
        power_includes_gpus=row.get("power_includes_gpus", False),
        topology_known=row.get("topology_known", True),
        psu_count=row.get("psu_count"),
        psu_redundancy=row.get("psu_redundancy", ""),
        power_note=row.get("power_note", ""),
        free_nic_slots=row.get("free_nic_slots", ""),
        traps=tuple(row.get("traps", ())),
        measured_note=row.get("measured_note", ""),
    )


def platform_measurement(row: Row, sources: Sources) -> PlatformMeasurement:
    """A figure measured on a whole machine."""
    key, unit = ("gbs", "GB/s") if "gbs" in row else ("us", "us")
    return PlatformMeasurement(row["what"], float(row[key]), unit, row["conf"], sources.text(row["src"]))


def _slot_group(row: Row) -> SlotGroup:
    return SlotGroup(
        count=row["count"],
        form=row["form"],
        pcie_generation=row["pcie_generation"],
        lanes=row["lanes"],
        socket=row.get("socket", 0),
        switch=row.get("switch"),
        attach=row["attach"],
        for_gpus=row.get("for_gpus", True),
        width_slots=row.get("width", 2),
        note=row.get("note", ""),
    )


def link_record(row: Row, sources: Sources) -> LinkRecord:
    """A network or in-box link."""
    bandwidth, latency = known(row["gbs"], sources, GB), known(row["latency_us"], sources, MICRO)
    kind = row["kind"]
    return LinkRecord(
        id=row["id"],
        name=row["name"],
        kind=kind,
        # Host-staged copies have no nominal rate of their own: the practical ceiling stands in.
        nominal_bytes_per_s=float(row.get("nominal_gbs", row["gbs"].get("high", row["gbs"]["value"]))) * GB,
        bandwidth=bandwidth,
        latency=latency,
        rdma=kind in {"ethernet-rdma", "infiniband"} or row["id"] in {"tb5-rdma", "tb-verbs"},
        note=row.get("note", ""),
        sources=all_sources(bandwidth, latency),
    )


def internet_profile(row: Row, sources: Sources) -> InternetProfile:
    """A class of internet line."""
    rtt = known(row["rtt_ms"], sources, 1e-3)
    monthly = fact(row.get("price_eur_per_month_incl_vat"), sources)
    return InternetProfile(
        id=row["id"],
        name=row["name"],
        down_bits_per_s=row["down_mbit_s"] * 1e6,
        up_bits_per_s=row["up_mbit_s"] * 1e6,
        rtt=rtt,
        price_eur_per_month=monthly,
        sources=all_sources(rtt, monthly),
        note=row.get("note", ""),
    )


def network_part(row: Row, sources: Sources) -> NetworkPart:
    """A network card, switch or cable."""
    return NetworkPart(
        id=row["id"],
        name=row["name"],
        category=row["category"],
        price=price(row.get("price"), sources),
        power_low_w=float(row["power_low_w"]),
        power_high_w=float(row["power_high_w"]),
        ports=tuple((int(count), float(rate)) for count, rate in row["ports"]),
        as_of=row["as_of"],
        sources=sources.text(row["src"]),
        note=row.get("note", ""),
    )
