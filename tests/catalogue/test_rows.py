"""Integrity of every shipped row: ranges, sources, dates, ids, sums."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import pytest

from configurator.catalogue import Catalogue, load_catalogue
from configurator.catalogue.facts import PRICE_BASES
from configurator.catalogue.files import model_tables, table
from configurator.catalogue.records import Fact, Price

VENDORS = {"NVIDIA", "AMD", "Intel", "Apple"}
DATE = re.compile(r"(19|20)\d\d|undated")
FORMS = {"pcie", "sxm", "oam", "soc"}
ATTACH = {"direct", "riser", "chipset", "oculink", "thunderbolt", "usb_riser", "baseboard", "soc"}
LANES = {1, 2, 4, 8, 16}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def _facts(value: Any, path: str = "") -> Iterator[tuple[str, Fact]]:
    if isinstance(value, Fact):
        yield path, value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _facts(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _facts(each, f"{path}[{number}]")
    elif hasattr(value, "items"):
        for key, each in value.items():
            yield from _facts(each, f"{path}[{key}]")


def test_every_table_is_filled(catalogue: Catalogue) -> None:
    assert len(catalogue.gpus) >= 100
    assert len(catalogue.servers) >= 35
    assert len(catalogue.links) >= 42
    assert len(catalogue.models) == 118
    assert len(catalogue.tariffs) >= 47
    assert len(catalogue.weight_formats) >= 45
    assert catalogue.problems == ()


def test_ids_are_unique_in_the_files() -> None:
    for name, key in (("gpus.json", "gpus"), ("servers.json", "servers"), ("networks.json", "parts")):
        ids = [row["id"] for row in table(name)[key]]
        assert len(ids) == len(set(ids)), name
    ids = [row["id"] for name in model_tables() for row in table(name)["models"]]
    assert len(ids) == len(set(ids))
    networks = table("networks.json")
    ids = [row["id"] for row in networks["links"] + networks["in_box_links"]]
    assert len(ids) == len(set(ids))


def test_every_figure_has_a_range_a_source_and_a_date(catalogue: Catalogue) -> None:
    seen = 0
    for path, fact in _facts(catalogue):
        seen += 1
        assert fact.low <= fact.value <= fact.high, path
        assert fact.sources and all(len(source) > 8 for source in fact.sources), path
        assert DATE.search(fact.as_of), f"{path}: {fact.as_of!r}"
    assert seen > 1_500


def test_weak_figures_say_so(catalogue: Catalogue) -> None:
    """A figure that rests on the authors' estimate alone is never more than low confidence, wherever it is read."""
    for path, fact in _facts(catalogue):
        if fact.sources == ("Planning estimate, no published document",):
            assert fact.confidence == "low", path


def test_source_codes_resolve(catalogue: Catalogue) -> None:
    for name in (
        "gpus.json",
        "servers.json",
        "networks.json",
        "electricity.json",
        "costs.json",
        "rental.json",
        "carbon.json",
    ):
        content = table(name)
        used = set(_codes(content))
        assert used, name
        assert used <= set(content["sources"]), f"{name}: {sorted(used - set(content['sources']))}"
        assert set(content["sources"]) <= used, f"{name}: source without use"


def _codes(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "src":
                yield from each
            elif key != "sources":
                yield from _codes(each)
    elif isinstance(value, list):
        for each in value:
            yield from _codes(each)


def test_gpus(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        assert gpu.vendor in VENDORS, gpu.id
        assert gpu.form in FORMS, gpu.id
        label = gpu.memory_label_gb * 2**30
        assert 0.6 * label <= gpu.memory_usable_bytes <= 1.0005 * label, gpu.id
        assert 1e11 <= gpu.memory_bandwidth.value <= 1e13, gpu.id
        assert 30 <= gpu.power_w.value <= 1_500, gpu.id
        assert gpu.idle_w.high < gpu.power_w.value, gpu.id
        assert gpu.flops_fp16 is not None, gpu.id
        assert (gpu.flops_bf16 is not None) == gpu.native_bf16 or gpu.vendor == "Apple", gpu.id
        assert gpu.native_fp8 == (gpu.flops_fp8 is not None), gpu.id
        assert gpu.native_fp4 == (gpu.flops_fp4 is not None), gpu.id
        assert gpu.sources, gpu.id
        assert gpu.short_name and len(gpu.short_name) <= 26, gpu.id
        if gpu.form == "pcie":
            assert gpu.width_slots in {1, 2, 3, 4}, gpu.id
            assert gpu.pcie_generation >= 3, gpu.id
            assert gpu.pcie_lanes in LANES, gpu.id
        if gpu.link_kind == "none":
            assert gpu.link_bandwidth_bytes_per_s == 0, gpu.id
        else:
            assert gpu.link_bandwidth_bytes_per_s > 1e10 and gpu.link_max_group >= 2, gpu.id


def test_geforce_runs_fp32_accumulation_at_half_rate(catalogue: Catalogue) -> None:
    for gpu in catalogue.gpus.values():
        if gpu.half_rate_fp32_accumulate:
            assert gpu.flops_fp16 is not None
            assert gpu.flops_fp16_fp16_accumulate is not None
            assert gpu.flops_fp16.value == pytest.approx(gpu.flops_fp16_fp16_accumulate.value / 2, rel=0.01), gpu.id
    assert catalogue.gpus["nvidia-rtx-4090"].half_rate_fp32_accumulate
    assert not catalogue.gpus["nvidia-rtx-6000-ada"].half_rate_fp32_accumulate


def test_memory_is_what_the_driver_reports() -> None:
    gpus = load_catalogue().gpus
    assert gpus["nvidia-rtx-pro-6000-blackwell-server"].memory_usable_bytes == 97_887 * 2**20
    assert gpus["nvidia-rtx-4090"].memory_usable_bytes == 24_564 * 2**20
    assert gpus["nvidia-h100-sxm5-80gb"].memory_usable_bytes == 81_559 * 2**20
    assert gpus["nvidia-gb10-dgx-spark"].memory_usable_bytes == 112 * 2**30


def test_peer_to_peer_belongs_to_the_card() -> None:
    gpus = load_catalogue().gpus
    assert gpus["nvidia-rtx-4090"].p2p_over_pcie == "no_by_default"
    assert gpus["nvidia-rtx-5090"].p2p_over_pcie == "no_by_default"
    assert gpus["nvidia-rtx-3090"].p2p_over_pcie == "no_by_default"
    assert gpus["nvidia-rtx-pro-6000-blackwell-server"].p2p_over_pcie == "yes"
    assert gpus["nvidia-h100-sxm5-80gb"].p2p_over_pcie == "yes_nvlink"


@pytest.mark.parametrize("gpu", ["nvidia-rtx-5090", "nvidia-rtx-pro-6000-blackwell-server", "nvidia-l40", "nvidia-l4"])
def test_cards_without_nvlink(gpu: str) -> None:
    """R42."""
    assert load_catalogue().gpus[gpu].link_kind == "none"


@pytest.mark.parametrize("gpu", ["nvidia-h100-sxm5-80gb", "nvidia-b200", "nvidia-gb200"])
def test_sxm_modules_need_boards(gpu: str) -> None:
    """R42: no chassis for cards takes them, and a board does."""
    catalogue = load_catalogue()
    assert catalogue.gpus[gpu].form == "sxm"
    boards = [server for server in catalogue.servers.values() if gpu in server.accepts]
    assert boards
    assert all(group.form == "sxm" for server in boards for group in server.slot_groups if group.for_gpus)


def test_every_module_has_a_board_and_every_board_known_modules(catalogue: Catalogue) -> None:
    taken = {gpu for server in catalogue.servers.values() for gpu in server.accepts}
    for gpu in catalogue.gpus.values():
        if gpu.form != "pcie" and gpu.id != "amd-mi250x":
            assert gpu.id in taken, gpu.id
    assert taken <= set(catalogue.gpus)
    for server in catalogue.servers.values():
        forms = {group.form for group in server.slot_groups if group.for_gpus}
        assert {catalogue.gpus[gpu].form for gpu in server.accepts} <= forms, server.id


def test_servers(catalogue: Catalogue) -> None:
    for server in catalogue.servers.values():
        places = sum(group.count for group in server.slot_groups if group.for_gpus)
        assert 1 <= server.max_gpus <= places, server.id
        assert server.sources, server.id
        assert server.idle_w.value <= server.busy_w.value, server.id
        for group in server.slot_groups:
            assert group.lanes in LANES, server.id
            assert group.attach in ATTACH, server.id
            assert 1 <= group.width_slots <= 4, server.id
            assert 0 <= group.socket < server.sockets, server.id
            assert group.switch is None or group.switch < len(server.switches), server.id
        for switch in server.switches:
            assert switch.socket < server.sockets, server.id
            assert switch.uplink_lanes in {16, 32}, server.id
        if server.sockets > 1 and server.kind != "rack-scale":
            assert server.socket_link in catalogue.links, server.id
        if server.price is None:
            assert not server.includes_gpus, server.id


def test_the_node_to_buy_of_the_policy_exists(catalogue: Catalogue) -> None:
    chassis = catalogue.servers["generic-4u5u-8gpu-switch"]
    card = catalogue.gpus["nvidia-rtx-pro-6000-blackwell-server"]
    assert chassis.max_gpus == 8
    assert chassis.max_gpu_power_w is not None
    assert chassis.max_gpu_power_w >= 8 * card.power_w.value
    assert 8 * card.memory_label_gb == 768
    assert [switch.socket for switch in chassis.switches] == [0, 1]


def test_eight_5090_have_256_gb(catalogue: Catalogue) -> None:
    """R18."""
    assert 8 * catalogue.gpus["nvidia-rtx-5090"].memory_label_gb == 256


def _prices(catalogue: Catalogue) -> Iterator[tuple[str, Price]]:
    for records in (catalogue.gpus, catalogue.servers, catalogue.parts):
        for record in records.values():
            if record.price is not None:
                yield record.id, record.price


def test_prices_are_dated_and_in_both_currencies(catalogue: Catalogue) -> None:
    rate = catalogue.fx["USD"].value
    seen = 0
    for record_id, price in _prices(catalogue):
        seen += 1
        assert DATE.search(price.as_of), record_id
        assert price.basis in PRICE_BASES, record_id
        assert price.eur.value > 0, record_id
        # Rounded to the hundred in the table.
        assert price.usd.value / rate == pytest.approx(price.eur.value, rel=0.08, abs=60), record_id
    assert seen > 120


def test_links(catalogue: Catalogue) -> None:
    for link in catalogue.links.values():
        assert 0 < link.bandwidth.value <= link.nominal_bytes_per_s * 1.25, link.id
        assert 1e-8 < link.latency.value < 0.1, link.id
    assert catalogue.links["pcie5-x16"].bandwidth.value == 54e9
    assert catalogue.links["eth-200g-roce"].rdma
    assert not catalogue.links["eth-25g"].rdma


def test_measured_platform_figures(catalogue: Catalogue) -> None:
    found = {each.what: each for each in catalogue.platform_measurements}
    assert found["PCIe Gen5 P2P under one switch, one way"].value == 53.5
    assert found["P2P small-transfer latency with P2P"].unit == "us"
    assert all(each.sources for each in found.values())


def test_parts(catalogue: Catalogue) -> None:
    for part in catalogue.parts.values():
        assert part.category in {"nic", "switch", "cable"}, part.id
        assert part.ports and all(count > 0 and rate > 0 for count, rate in part.ports), part.id
        assert 0 <= part.power_low_w <= part.power_high_w, part.id


def test_tariffs(catalogue: Catalogue) -> None:
    for tariff in catalogue.tariffs.values():
        assert tariff.household_eur_per_kwh is not None or tariff.business_eur_per_kwh is not None, tariff.iso
        for fact in (tariff.household_eur_per_kwh, tariff.business_eur_per_kwh):
            if fact is not None:
                assert 0.02 < fact.value < 0.7, tariff.iso
    slovakia = catalogue.tariffs["SK"]
    assert slovakia.household_eur_per_kwh is not None
    assert slovakia.business_eur_per_kwh is not None
    assert slovakia.household_eur_per_kwh.value == 0.177
    assert dict(slovakia.household_bands)["DD"] == 0.1583
    assert dict(slovakia.business_bands)["IB"] == 0.2381
    britain = catalogue.tariffs["GB"].household_eur_per_kwh
    assert britain is not None
    assert britain.value == pytest.approx(0.3157, abs=1e-4)


def test_money_and_places(catalogue: Catalogue) -> None:
    assert {"home", "office", "server_room", "colocation"} <= set(catalogue.pue)
    assert all(fact.low >= 1.0 for fact in catalogue.pue.values())
    assert set(catalogue.rentals) <= set(catalogue.gpus)
    assert {"EUR", "USD", "GBP", "CZK", "PLN", "HUF", "CHF", "RUB"} <= set(catalogue.fx)
    assert catalogue.fx["EUR"].value == 1.0
    assert catalogue.depreciation_years.value == 5
    assert {each.unit for each in catalogue.colocation} >= {"eur_per_kw_month", "usd_per_kw_month"}
    assert len(catalogue.failure_studies) >= 4
    assert all(0 < fact.value < 0.2 for fact in catalogue.annual_failure_rates.values())
    assert catalogue.carbon_g_per_kwh["SK"].value == 96.5


def test_engines_agree_with_the_memory_model() -> None:
    """The catalogue shows what sizing computes with."""
    from configurator.sizing.profiles import memory_table

    shown = {each.id: each for each in load_catalogue().engines.values()}
    for row in memory_table()["profiles"]:
        engine = shown[f"{row['engine']}-{row['since']}"]
        assert engine.block_tokens == row["block"], engine.id
        assert engine.graphs_in_budget == bool(row.get("graphs_in_budget", False)), engine.id
        if row.get("utilization"):
            assert engine.gpu_memory_utilization == row["utilization"], engine.id
    assert next(iter(load_catalogue().engines)).startswith("vllm-")


def test_vllm_defaults_by_version() -> None:
    engines = load_catalogue().engines
    assert engines["vllm-0.9"].gpu_memory_utilization == 0.90
    assert engines["vllm-0.28"].gpu_memory_utilization == 0.92
    assert dict(engines["vllm-0.28"].batched_tokens_by_memory_gib) == {160: 16_384, 70: 8_192, 0: 2_048}
    assert engines["vllm-0.28"].max_num_seqs_large == 1_024
    assert engines["vllm-0.28"].max_num_seqs_small == 256


def test_a_frozen_catalogue_cannot_be_changed(catalogue: Catalogue) -> None:
    assert not hasattr(catalogue.gpus, "__setitem__")
    name = "as_of"
    with pytest.raises(AttributeError, match="cannot assign"):
        setattr(catalogue, name, "2030")


def test_the_catalogue_is_read_once(catalogue: Catalogue) -> None:
    assert load_catalogue() is catalogue


def test_a_simulated_price_is_not_called_a_list_price(catalogue: Catalogue) -> None:
    seen = 0
    priced = [(card.id, card.price) for card in catalogue.gpus.values()]
    priced += [(machine.id, machine.price) for machine in catalogue.servers.values()]
    for record_id, price in priced:
        if price is not None and any("simulated" in source for source in price.eur.sources):
            seen += 1
            assert price.basis != "list price of a maker", record_id
    assert seen > 10


def test_the_number_of_slots_in_a_name_is_what_fits(catalogue: Catalogue) -> None:
    """A name that counts places counts those for cards."""
    for record in catalogue.servers.values():
        assert "twenty" not in record.name, record.id
        if "ten double-width cards" in record.name:
            assert record.max_gpus == 10, record.id
