"""The owner's own file: good rows count, bad rows are named with file, record, field and how to mend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from configurator.catalogue import Catalogue, find_gpu, load_catalogue, user_catalogue_file, user_data_folder


def _with(tmp_path: Path, content: Any) -> Catalogue:
    path = tmp_path / "catalogue.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_catalogue(path)


def test_a_new_card_like_a_known_one(tmp_path: Path) -> None:
    catalogue = _with(
        tmp_path,
        {
            "gpus": [
                {
                    "id": "my-4090-48gb",
                    "like": "nvidia-rtx-4090",
                    "name": "RTX 4090 48 GB modified",
                    "memory": {"label_gb": 48, "driver_mib": 49_140},
                    "power": {"limit_w": 420},
                }
            ]
        },
    )
    card = catalogue.gpus["my-4090-48gb"]
    assert catalogue.problems == ()
    assert card.memory_usable_bytes == 49_140 * 2**20
    assert card.memory_bandwidth == catalogue.gpus["nvidia-rtx-4090"].memory_bandwidth
    assert card.power_w.value == 420
    assert card.power_w.sources == ("The owner's own catalogue file",)
    assert "my-4090-48gb" in catalogue.user_ids
    assert find_gpu(catalogue, "RTX 4090 48 GB modified").id == "my-4090-48gb"
    assert "my-4090-48gb" not in load_catalogue().gpus


def test_an_existing_record_is_changed_field_by_field(tmp_path: Path) -> None:
    catalogue = _with(tmp_path, {"gpus": [{"id": "nvidia-rtx-3090", "power": {"idle_w": 12}}]})
    assert catalogue.gpus["nvidia-rtx-3090"].idle_w.value == 12
    assert catalogue.gpus["nvidia-rtx-3090"].power_w == load_catalogue().gpus["nvidia-rtx-3090"].power_w


def test_usable_memory_replaces_the_driver_figure_of_the_copy(tmp_path: Path) -> None:
    catalogue = _with(tmp_path, {"gpus": [{"id": "nvidia-rtx-3090", "memory": {"usable_gib": 23.5}}]})
    assert catalogue.gpus["nvidia-rtx-3090"].memory_usable_bytes == round(23.5 * 2**30)


def test_server_model_and_price(tmp_path: Path) -> None:
    catalogue = _with(
        tmp_path,
        {
            "servers": [{"id": "my-box", "like": "workstation-wrx90", "name": "My box", "psu_w": 2_000, "idle_w": 95}],
            "models": [{"id": "my-llama", "like": "llama-3.1-8b", "name": "My Llama", "hf_id": "me/my-llama"}],
            "prices": [
                {"id": "nvidia-rtx-4090", "eur": 1_500, "as_of": "2026-11", "basis": "quote"},
                {"id": "sw-qm9700", "usd": 11_172, "as_of": "2026-11"},
            ],
        },
    )
    assert catalogue.problems == ()
    assert catalogue.servers["my-box"].psu_w == 2_000
    assert catalogue.servers["my-box"].idle_w.value == 95
    assert catalogue.models["my-llama"].parameters == catalogue.models["llama-3.1-8b"].parameters
    price = catalogue.gpus["nvidia-rtx-4090"].price
    assert price is not None
    assert (price.eur.value, price.as_of, price.basis) == (1_500, "2026-11", "quote")
    switch = catalogue.parts["sw-qm9700"].price
    assert switch is not None
    assert switch.eur.value == pytest.approx(10_000)


@pytest.mark.parametrize(
    ("row", "kind", "field", "mend"),
    [
        ({"name": "no id"}, "gpus", "id", "id"),
        ({"id": "x", "like": "nope", "name": "X"}, "gpus", "like", "no record “nope”"),
        ({"id": "x", "like": "nvidia-rtx-4090"}, "gpus", "name", "name"),
        ({"id": "x", "name": "X"}, "gpus", "memory", "missing"),
        (
            {"id": "x", "like": "nvidia-t4", "name": "X", "memory": {"driver_mib": "24 GB"}},
            "gpus",
            "memory.driver_mib",
            "number",
        ),
        (
            {"id": "x", "like": "nvidia-t4", "name": "X", "memory": {"driver_mib": -1}},
            "gpus",
            "memory.driver_mib",
            "above 0",
        ),
        ({"id": "x", "like": "nvidia-t4", "name": "X", "memory": {"usable_gib": 1e8}}, "gpus", "memory", "GiB"),
        (
            {"id": "x", "like": "nvidia-t4", "name": "X", "memory": {"bandwidth_gbs": 3e-3}},
            "gpus",
            "memory.bandwidth_gbs",
            "GB/s",
        ),
        ({"id": "x", "like": "llama-3.1-8b", "name": "X", "layers": 33}, "models", "attention", "add up"),
        ({"id": "nvidia-t4", "eur": "cheap", "as_of": "2026"}, "prices", "eur", "number"),
        ({"id": "nvidia-t4", "eur": 500}, "prices", "as_of", "date"),
        ({"id": "nvidia-t4", "as_of": "2026"}, "prices", "eur", "eur"),
        ({"id": "nothing", "eur": 500, "as_of": "2026"}, "prices", "id", "no GPU"),
        ({"id": 7, "like": "nvidia-t4"}, "gpus", "id", "text"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_still_loads(
    tmp_path: Path, row: dict[str, Any], kind: str, field: str, mend: str
) -> None:
    good = {"id": "good", "like": "nvidia-rtx-4090", "name": "Good"}
    content: dict[str, Any] = {"gpus": [good]}
    content[kind] = [*content.get(kind, []), row]
    catalogue = _with(tmp_path, content)
    assert "good" in catalogue.gpus
    (problem,) = catalogue.problems
    assert problem.file == "catalogue.json"
    assert problem.record.startswith(kind)
    assert problem.field == field
    assert mend in problem.advice
    assert problem.message.code == "catalogue.bad_row"
    assert "catalogue.json" in str(problem)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ('{"gpus": [', "line 1"),
        ("[1, 2]", "object"),
        ('{"gpus": {"id": "x"}}', "list"),
        ('{"gpus": ["x"]}', "object"),
        ('{"cards": []}', "no such list"),
        ("", "line 1"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, text: str, mend: str) -> None:
    catalogue = _with(tmp_path, text)
    assert len(catalogue.gpus) == len(load_catalogue().gpus)
    (problem,) = catalogue.problems
    assert mend in problem.advice


def test_a_file_that_is_gone_or_not_text(tmp_path: Path) -> None:
    assert load_catalogue(tmp_path / "gone.json").problems
    path = tmp_path / "binary.json"
    path.write_bytes(b"\xff\xfe\x00\x01")
    (problem,) = load_catalogue(path).problems
    assert "UTF-8" in problem.advice


def test_changes_of_the_file_are_seen(tmp_path: Path) -> None:
    first = _with(tmp_path, {"prices": [{"id": "nvidia-t4", "eur": 1, "as_of": "2026"}]})
    path = tmp_path / "catalogue.json"
    assert load_catalogue(path) is first
    path.write_text("{}", encoding="utf-8")
    import os

    os.utime(path, ns=(1, 1))
    assert load_catalogue(path).user_ids == frozenset()


def test_the_file_lies_in_the_owners_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert user_data_folder().parent == tmp_path
    assert user_catalogue_file() is None
    user_data_folder().mkdir()
    (user_data_folder() / "catalogue.json").write_text("{}", encoding="utf-8")
    assert user_catalogue_file() == user_data_folder() / "catalogue.json"
