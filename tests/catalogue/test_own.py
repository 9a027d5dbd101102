"""Models of the owner: written into the own file and read again without loss, beside whatever else is in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from configurator.catalogue import load_catalogue
from configurator.catalogue.checks import wrong_field
from configurator.catalogue.own import OwnFileError, keep_model
from configurator.catalogue.records import WeightFormat
from configurator.catalogue.rows import model_row, weight_format_row
from configurator.catalogue.software import model_record, weight_format

SHIPPED = load_catalogue()


def _own_format(model_id: str) -> WeightFormat:
    return replace(
        SHIPPED.weight_formats["q4_k_m"],
        id=f"{model_id}.q4_k_m",
        name="Q4_K_M, as stored in the file",
        bits=4.8125,
        quantised_parts=("stored",),
        whole_file=False,
        other_bits=(("attention", 4.5), ("lm_head", 6.5625)),
        model_id=model_id,
    )


def test_rows_lose_nothing() -> None:
    for model in SHIPPED.models.values():
        assert model_record(json.loads(json.dumps(model_row(model))), "") == model, model.id
    for found in SHIPPED.weight_formats.values():
        assert weight_format(json.loads(json.dumps(weight_format_row(found)))) == found, found.id


@pytest.mark.parametrize("model_id", ["deepseek-v3", "qwen3-32b", "gpt-oss-20b"])
def test_a_model_is_read_back_as_it_was(tmp_path: Path, model_id: str) -> None:
    path = tmp_path / "catalogue.json"
    model = replace(SHIPPED.models[model_id], id="mine", name="Mine")
    own = _own_format("mine")
    keep_model(path, model, (own,))
    found = load_catalogue(path)
    assert found.problems == ()
    assert found.models["mine"] == model
    assert found.weight_formats[own.id] == own
    assert {"mine", own.id} <= found.user_ids


def test_what_else_is_in_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.json"
    others: dict[str, Any] = {
        "gpus": [{"id": "my-card", "like": "nvidia-rtx-4090", "name": "My card"}],
        "models": [{"id": "odd", "layers": "many"}, 5, {"id": "older", "like": "llama-3.1-8b", "name": "Older"}],
        "notes": "mine",
    }
    path.write_text(json.dumps(others), encoding="utf-8")
    model = replace(SHIPPED.models["qwen3-32b"], id="mine", name="Mine")
    keep_model(path, model, (_own_format("mine"),))
    keep_model(path, replace(model, layers=model.layers, name="Mine again"))
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["gpus"] == others["gpus"]
    assert content["models"][:3] == others["models"]
    assert len(content["models"]) == 4
    assert content["notes"] == "mine"
    assert [row["id"] for row in content["weight_formats"]] == ["mine.q4_k_m"]
    found = load_catalogue(path)
    assert found.models["mine"].name == "Mine again"
    assert "older" in found.models
    assert "my-card" in found.gpus
    assert "odd" not in found.models
    assert len(found.problems) == 3
    assert [each.name for each in tmp_path.iterdir()] == ["catalogue.json"]


@pytest.mark.parametrize("content", ["{ not json", "[1, 2]", '{"models": {"id": 1}}', "\ufeff{"])
def test_a_file_that_is_not_understood_is_never_written_over(tmp_path: Path, content: str) -> None:
    path = tmp_path / "catalogue.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(OwnFileError) as caught:
        keep_model(path, SHIPPED.models["qwen3-32b"])
    assert caught.value.message.code == "catalogue.own.broken"
    assert path.read_text(encoding="utf-8") == content


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(OwnFileError) as caught:
        keep_model(tmp_path / "taken" / "catalogue.json", SHIPPED.models["qwen3-32b"])
    assert caught.value.message.code == "catalogue.own.unwritable"


@pytest.mark.parametrize(
    ("kind", "change", "field"),
    [
        ("models", {"hidden_size": "wide"}, "hidden_size"),
        ("models", {"layers": -3}, "layers"),
        ("models", {"vocabulary": True}, "vocabulary"),
        ("models", {"kind": "cloud"}, "kind"),
        ("models", {"max_context_tokens": 1e300}, "max_context_tokens"),
        ("models", {"parameters": {"total": "7B"}}, "parameters.total"),
        ("weight_formats", {"bits": float("nan")}, "bits"),
        ("weight_formats", {"family": "magic"}, "family"),
        ("weight_formats", {"engines": [1]}, "engines"),
        ("weight_formats", {"other_bits": {"attention": -1}}, "other_bits"),
    ],
)
def test_a_row_with_a_wrong_value_is_named_and_the_rest_counts(
    tmp_path: Path, kind: str, change: dict[str, Any], field: str
) -> None:
    path = tmp_path / "catalogue.json"
    good = replace(SHIPPED.models["qwen3-32b"], id="good", name="Good")
    rows = {"models": model_row(replace(good, id="bad")), "weight_formats": weight_format_row(_own_format("good"))}
    row = {**rows[kind], **change}
    if isinstance(change.get("parameters"), dict):
        row["parameters"] = {**rows[kind]["parameters"], **change["parameters"]}
    keep_model(path, good)
    content = json.loads(path.read_text(encoding="utf-8"))
    content[kind] = [row, *content.get(kind, [])]
    path.write_text(json.dumps(content), encoding="utf-8")
    found = load_catalogue(path)
    assert "good" in found.models
    assert "bad" not in found.models
    assert [problem.field for problem in found.problems] == [field]


def test_shipped_records_have_the_types_they_announce() -> None:
    for model in SHIPPED.models.values():
        assert wrong_field(model) == "", model.id
    for found in SHIPPED.weight_formats.values():
        assert wrong_field(found) == "", found.id
