"""Names, ids and own weights of models read from files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from configurator.catalogue import Catalogue, load_catalogue
from configurator.catalogue.own import keep_model
from configurator.imports import read_model
from configurator.imports.own import own_model
from configurator.sizing import weight_bytes
from tests.imports.samples import llama_gguf, llama_tensors, write_safetensors

CATALOGUE = load_catalogue()
LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 1024, "num_hidden_layers": 4,
    "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 2816, "vocab_size": 32_000,
    "max_position_embeddings": 8192, "torch_dtype": "bfloat16",
}  # fmt: skip
DAY = "2026-11-30"


def config(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.json"
    path.write_text(json.dumps({**LLAMA, **changes}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("folder", "changes", "name", "model_id", "vendor"),
    [
        ("My-Tune 7B", {}, "My-Tune 7B", "my-tune-7b", ""),
        ("Downloads", {}, "llama 0.111B", "llama-0.111b", ""),
        ("Downloads", {"_name_or_path": "acme/Small-Chat"}, "Small-Chat", "small-chat", "acme"),
        ("Downloads", {"_name_or_path": "/data/runs/Small-Chat"}, "Small-Chat", "small-chat", ""),
        ("models--acme--Small-Chat/snapshots/0123456789abcdef0123", {}, "Small-Chat", "small-chat", "acme"),
    ],
)
def test_a_name_from_where_the_file_lies(
    tmp_path: Path, folder: str, changes: dict[str, Any], name: str, model_id: str, vendor: str
) -> None:
    path = config(tmp_path / folder, **changes)
    own = own_model(read_model(path), path, CATALOGUE, DAY)
    assert (own.model.name, own.model.id, own.model.vendor) == (name, model_id, vendor)
    assert own.model.as_of == DAY
    assert own.weights == "bf16"
    assert own.formats == ()


def _with(catalogue: Catalogue, path: Path, file: Path) -> tuple[Catalogue, str]:
    own = own_model(read_model(file), file, catalogue, DAY)
    keep_model(path, own.model, own.formats)
    return load_catalogue(path), own.model.id


def test_the_same_file_keeps_its_id_and_nothing_else_is_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "catalogue.json"
    first, model_id = _with(CATALOGUE, mine, config(tmp_path / "llama-3.1-8b"))
    assert model_id == "llama-3.1-8b-own"
    assert first.models["llama-3.1-8b"] == CATALOGUE.models["llama-3.1-8b"]
    again, same_id = _with(first, mine, config(tmp_path / "llama-3.1-8b"))
    assert same_id == model_id
    other, other_id = _with(again, mine, config(tmp_path / "llama-3.1-8b", num_hidden_layers=6))
    assert other_id == "llama-3.1-8b-own-2"
    assert other.models[model_id].layers == 4
    assert other.models[other_id].layers == 6


def test_two_files_of_one_model_keep_both_sets_of_weights(tmp_path: Path) -> None:
    mine = tmp_path / "catalogue.json"
    small, wide = tmp_path / "a.gguf", tmp_path / "b.gguf"
    llama_gguf(small)
    llama_gguf(wide, kind="Q8_0", more={"general.file_type": 7})
    first, model_id = _with(CATALOGUE, mine, small)
    both, same_id = _with(first, mine, wide)
    assert same_id == model_id == "small-test"
    model = both.models[model_id]
    for form, file in (("q4_k_m", small), ("q8_0", wide)):
        own = both.weight_formats[f"small-test.{form}"]
        assert own.base_id == form
        assert own.engines == ("llama.cpp",)
        assert weight_bytes(model, own) == read_model(file).stored_bytes


def test_stored_weights_take_their_kind_from_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "Eight"
    config(folder, quantization_config={"quant_method": "fp8", "weight_block_size": [128, 128]})
    file = write_safetensors(folder / "model.safetensors", llama_tensors(kind="F8_E4M3"))
    found = read_model(file)
    own = own_model(found, file, CATALOGUE, DAY)
    (form,) = own.formats
    assert form.id == own.weights == "eight.fp8"
    assert form.family == "fp8"
    assert form.engines == CATALOGUE.weight_formats["fp8"].engines
    assert weight_bytes(own.model, form) == found.stored_bytes


def test_plain_sixteen_bit_files_are_plain(tmp_path: Path) -> None:
    file = write_safetensors(tmp_path / "model.safetensors", llama_tensors())
    own = own_model(read_model(file), file, CATALOGUE, DAY)
    assert own.weights == "bf16"
    assert own.formats == ()
    assert own.model.architecture_status == "shapes"


def test_an_unknown_architecture_is_marked(tmp_path: Path) -> None:
    path = config(tmp_path / "Novel", model_type="never_seen", architectures=["NeverSeenForCausalLM"])
    own = own_model(read_model(path), path, CATALOGUE, DAY)
    assert own.model.architecture_status == "generic"
    assert [note.code for note in own.notes] == ["import.generic"]


def test_ids_end_when_everything_is_taken(tmp_path: Path) -> None:
    path = config(tmp_path / "taken")
    record = read_model(path).model
    other = replace(record, parameters=replace(record.parameters, total=1))
    models = dict.fromkeys(("taken", "taken-own", "taken-own-2"), other)
    crowded = replace(CATALOGUE, models=MappingProxyType(models), user_ids=frozenset(models))
    assert own_model(read_model(path), path, crowded, DAY).model.id == "taken-own-3"
