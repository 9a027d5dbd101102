"""config.json of every catalogue model -> the counts of its published checkpoint.

configs.jsonl holds one configuration a line, in the field names each family publishes, with the number of elements its
checkpoint is published with (Hugging Face safetensors metadata) and how many of them are stored a second time.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configurator.catalogue import load_catalogue
from configurator.imports import ModelFileError, read_model
from configurator.sizing import kv_bytes, weight_bytes
from configurator.wording import Wording

CASES = [json.loads(line) for line in (Path(__file__).parent / "configs.jsonl").read_text("utf-8").splitlines()]
BY_ID = {case["id"]: case for case in CASES}

HASH_TABLE = {"deepseek-v4-flash", "deepseek-v4-pro"}
"""The table that chooses experts by token number is counted as read here, one row of it in the catalogue."""


def test_every_catalogue_model_has_a_configuration() -> None:
    assert set(load_catalogue().models) <= set(BY_ID) | {
        model.id for model in load_catalogue().models.values() if model.architecture_status != "config"
    }


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_counts_are_those_of_the_checkpoint(case: dict[str, Any]) -> None:
    counted = read_model(case["config"]).model.parameters.total
    assert counted + case["stored_twice"] == pytest.approx(case["published_elements"], rel=0.01)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_components_and_cache_equal_the_catalogue(case: dict[str, Any]) -> None:
    known = load_catalogue().models[case["id"]]
    found = read_model(case["config"]).model
    for part in fields(known.parameters):
        if part.name == "duplicates_on_disk":
            continue
        read = part.name in ("active_per_token", "read_per_token_batch1")
        if read and (case["id"] in HASH_TABLE or known.purpose == "embed"):
            continue
        assert getattr(found.parameters, part.name) == getattr(known.parameters, part.name), part.name
    for tokens in (1, 4096, 131_072):
        assert kv_bytes(found, "bf16", tokens) == kv_bytes(known, "bf16", tokens)
    assert found.layers == known.layers
    assert found.max_context_tokens == known.max_context_tokens or known.purpose != "generate"


def changed(model_id: str, **values: Any) -> dict[str, Any]:
    return {**BY_ID[model_id]["config"], **values}


def test_an_unknown_architecture_is_estimated_and_says_so() -> None:
    found = read_model(changed("llama-3.1-8b", model_type="novel_9000", architectures=["NovelForCausalLM"]))
    assert found.model.parameters.total == load_catalogue().models["llama-3.1-8b"].parameters.total
    assert [note.code for note in found.notes] == ["import.generic"]
    assert "novel_9000" in Wording().text(found.notes[0])


@pytest.mark.parametrize("field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_a_missing_field_is_named(field: str) -> None:
    config = changed("llama-3.1-8b")
    del config[field]
    with pytest.raises(ModelFileError, match=field):
        read_model(config)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hidden_size", "wide"),
        ("hidden_size", -4096),
        ("num_hidden_layers", 10**9),
        ("vocab_size", float("inf")),
        ("num_attention_heads", True),
        ("hidden_size", [[]]),
    ],
)
def test_a_field_that_makes_no_sense_is_named(field: str, value: object) -> None:
    with pytest.raises(ModelFileError, match=field):
        read_model(changed("llama-3.1-8b", **{field: value}))


def test_an_unknown_architecture_without_a_width_names_the_field() -> None:
    with pytest.raises(ModelFileError, match="hidden_size"):
        read_model({"model_type": "novel", "num_hidden_layers": 4})


QUANTISED = [
    ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
    ({"quant_method": "fp8"}, "fp8-tensor"),
    ({"quant_method": "fbgemm_fp8"}, "fp8-channel"),
    ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq-int4"),
    ({"quant_method": "gptq", "bits": 4}, "gptq-int4"),
    ({"quant_method": "gptq", "bits": 8}, "gptq-int8"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4"),
    ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_use_double_quant": True}, "nf4-double"),
    ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8"),
    ({"quant_method": "mxfp4"}, "mxfp4"),
    ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
    ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8-tensor"),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
        },
        "fp8-channel",
    ),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}},
        },
        "w4a16",
    ),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}},
        },
        "int4-g32",
    ),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float", "group_size": 16}}},
        },
        "nvfp4",
    ),
    (
        {
            "quant_method": "compressed-tensors",
            "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "int", "strategy": "channel"}}},
        },
        "int8",
    ),
]


@pytest.mark.parametrize(("config", "expected"), QUANTISED, ids=[expected for _, expected in QUANTISED])
def test_quantisation_is_read(config: dict[str, Any], expected: str) -> None:
    found = read_model(changed("llama-3.1-8b", quantization_config=config))
    assert found.weight_format_id == expected
    assert found.weight_format_id in load_catalogue().weight_formats
    assert not found.notes


def test_quantisation_that_is_not_known_counts_16_bits_and_says_so() -> None:
    found = read_model(changed("llama-3.1-8b", quantization_config={"quant_method": "quip9"}))
    assert found.weight_format_id == "bf16"
    assert "quip9" in Wording().text(found.notes[0])


def test_parts_left_unquantised_weigh_16_bits() -> None:
    plain = {"quant_method": "awq", "bits": 4}
    names = [f"model.layers.{layer}.self_attn" for layer in range(32)]
    catalogue = load_catalogue()
    both = read_model(changed("llama-3.1-8b", quantization_config=plain))
    less = read_model(changed("llama-3.1-8b", quantization_config={**plain, "modules_to_not_convert": names}))
    attention = both.model.parameters.attention
    bits = catalogue.weight_formats["awq-int4"].bits
    difference = weight_bytes(less.model, less.weight_format(catalogue)) - weight_bytes(
        both.model, both.weight_format(catalogue)
    )
    assert difference == pytest.approx(attention * (16 - bits) / 8, rel=1e-9)


def test_the_router_alone_left_out_changes_nothing() -> None:
    config = BY_ID["qwen3-30b-a3b"]["config"]
    names = [f"model.layers.{layer}.mlp.gate" for layer in range(48)]
    found = read_model(
        {
            **config,
            "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128], "ignored_layers": names},
        }
    )
    assert not found.plain_parts


def test_mlx_and_mistral_files_are_read() -> None:
    mlx = read_model(changed("llama-3.1-8b", quantization={"bits": 4, "group_size": 64}))
    assert mlx.weight_format_id == "mlx-4bit"
    params = {
        "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32, "n_kv_heads": 8,
        "vocab_size": 32768,
    }  # fmt: skip
    known = load_catalogue().models["mistral-7b-v0.3"]
    assert read_model(params).model.parameters.total == known.parameters.total


def test_a_file_that_lists_weights_is_told_apart() -> None:
    with pytest.raises(ModelFileError, match=r"config\.json"):
        read_model({"metadata": {}, "weight_map": {"a": "b"}})


def test_files_are_read_from_a_path_or_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(BY_ID["gemma-3-27b"]["config"]), encoding="utf-8")
    assert read_model(file).model.parameters == read_model(tmp_path).model.parameters
    file.write_text("{not json", encoding="utf-8")
    with pytest.raises(ModelFileError, match="not JSON"):
        read_model(file)
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_model(tmp_path / "nothing.json")
    file.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(ModelFileError, match="not JSON"):
        read_model(file)


def test_a_window_of_the_whole_context_is_full_attention() -> None:
    config = changed("llama-3.1-8b", sliding_window=131_072, max_position_embeddings=131_072)
    assert read_model(config).model.attention[0].kind == "full"
    shorter = read_model(changed("llama-3.1-8b", sliding_window=4096)).model
    assert shorter.attention[0].window_tokens == 4096
    whole = load_catalogue().models["llama-3.1-8b"]
    assert kv_bytes(shorter, "bf16", 4096) == kv_bytes(whole, "bf16", 4096)
    assert kv_bytes(shorter, "bf16", 65_536) == kv_bytes(whole, "bf16", 4096)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**13), 10**13),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-5, 5), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@settings(max_examples=300, deadline=None)
@given(case=st.sampled_from(CASES), data=st.data())
def test_nonsense_in_a_field_is_read_or_refused(case: dict[str, Any], data: st.DataObject) -> None:
    config = json.loads(json.dumps(case["config"]))
    places = [config, *(part for part in config.values() if isinstance(part, dict))]
    place = data.draw(st.sampled_from(places))
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(JUNK)
    try:
        counted = read_model(config).model.parameters.total
    except ModelFileError:
        counted = 1
    assert counted > 0
