"""``configurator size``: one case, a file of cases, and cases that make no sense."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from configurator.catalogue import load_catalogue
from configurator.cli_size import answers_to, main
from configurator.cli_size.answers import CaseError, answer
from configurator.paths import resource

CATALOGUE = load_catalogue()
SCHEMA = json.loads(resource("help", "size.schema.json").read_text(encoding="utf-8"))
PLAIN: dict[str, Any] = {
    "gpu": "h100 sxm",
    "count": 8,
    "model": "llama-3.1-70b",
    "weights": "fp8",
    "max_model_len": 32768,
}


def asked(**changes: Any) -> dict[str, Any]:
    return answer({**PLAIN, **changes}, CATALOGUE)


TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,), "number": (int, float),
    "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


def faults(value: Any, schema: dict[str, Any], where: str = "") -> list[str]:
    """What of a value does not follow the parts of JSON Schema the file uses."""
    if "$ref" in schema:
        inner = SCHEMA
        for name in schema["$ref"].removeprefix("#/").split("/"):
            inner = inner[name]
        return faults(value, inner, where)
    if "oneOf" in schema:
        tries = [faults(value, each, where) for each in schema["oneOf"]]
        return [] if sum(not each for each in tries) == 1 else [where, *tries[0]]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: {value!r}"]
    wanted = schema.get("type")
    names = [wanted] if isinstance(wanted, str) else wanted or []
    if names and not any(isinstance(value, TYPES[name]) for name in names):
        return [f"{where}: {value!r} is not {names}"]
    found = []
    if isinstance(value, dict) and "properties" in schema:
        found += [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, each in value.items():
            if name in schema["properties"]:
                found += faults(each, schema["properties"][name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{where}.{name} is not described")
    if isinstance(value, list) and "items" in schema:
        found += [fault for each in value for fault in faults(each, schema["items"], where + "[]")]
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{where}: {value} is below {schema['minimum']}")
    return found


CASES: list[dict[str, Any]] = [
    PLAIN,
    {"id": "a", "gpu": "4090", "model": "Qwen/Qwen3-8B-FP8", "kv": "fp8", "engine": "sglang"},
    {"gpus": [{"gpu": "4090"}, {"gpu": "3090"}], "model": "qwen3-32b", "weights": "q4_k_m", "max_model_len": 16384},
    {"gpu": "pro 6000", "count": 16, "servers": 2, "fabric": "100gbe", "model": "deepseek-r1", "weights": "nvfp4"},
    {"gpu": "h100", "count": 8, "model": "llama-3.1-8b", "task": "full", "sequence_tokens": 4096, "speed": False},
    {"gpu": "4090", "count": 1, "model": "llama-3.1-8b", "task": "qlora", "speed": False},
    {"gpu": "dgx spark", "model": "gpt-oss-120b"},
    {"gpu": "m3 ultra", "model": "deepseek-r1", "weights": "q4_k_m", "max_model_len": 8192, "users": 1},
    {"gpu": "b200", "count": 8, "model": "deepseek-v3.2", "engine": "tensorrt-llm", "remedies": True},
    {"gpu": "4090", "model": "llama-3.1-405b", "remedies": True},
    {"gpu": "h200", "count": 8, "model": "deepseek-r1", "data_parallel": 8, "expert_parallel": True},
    {"gpu": "h100 sxm", "count": 8, "model": "qwen3-32b", "users": 8, "input_tokens": 1000, "output_tokens": 200},
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_answers_follow_the_schema_and_add_up(case: dict[str, Any]) -> None:
    found = answer(case, CATALOGUE)
    assert faults(json.loads(json.dumps(found)), SCHEMA) == []
    assert faults(case, SCHEMA["$defs"]["case"]) == []
    for gpu in found["per_gpu"]:
        parts = ("weights_bytes", "kv_cache_bytes", "activation_bytes", "overhead_bytes", "free_bytes")
        assert sum(gpu[name] for name in parts) == gpu["memory_bytes"]
        assert min(gpu[name] for name in parts) >= 0
    for name in ("kv_cache_tokens", "max_concurrency", "users_served"):
        assert found[name]["low"] <= found[name]["expected"] <= found[name]["high"]
    assert (found["verdict"] == "does-not-fit") == (found["fits"] == "no")


def test_the_schema_finds_faults() -> None:
    found = asked()
    assert faults({**found, "verdict": "maybe"}, SCHEMA)
    assert faults({**found, "surprise": 1}, SCHEMA)
    assert faults({name: value for name, value in found.items() if name != "fits"}, SCHEMA)
    assert not faults({"error": "A sentence."}, SCHEMA)


def test_names_of_options_and_fields_agree() -> None:
    import argparse

    from configurator.cli_size import add_parser

    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    options = vars(parser.parse_args(["size"]))
    fields = set(SCHEMA["$defs"]["case"]["properties"])
    assert {name for name in options if name not in {"run", "json", "cases"}} <= fields


BAD = [
    ({"gpu": "h99"}, "nvidia-h"),
    ({"model": "llama-9"}, "llama-"),
    ({"weights": "q99"}, "q4_k_m"),
    ({"kv": "q99"}, "fp8"),
    ({"engine": "ollama"}, "llama.cpp"),
    ({"count": 0}, "count"),
    ({"count": "8"}, "count"),
    ({"count": 10**9}, "count"),
    ({"tensor_parallel": 16}, "16"),
    ({"pipeline_parallel": 8, "tensor_parallel": 8}, "64"),
    ({"gpu_memory_utilization": 90}, "gpu_memory_utilization"),
    ({"task": "sing"}, "lora"),
    ({"fabric": "carrier pigeon", "servers": 2, "tensor_parallel": 8}, "carrier pigeon"),
    ({"max_model_len": 1.5}, "max_model_len"),
    ({"enforce_eager": "yes"}, "enforce_eager"),
    ({"gpus": {"gpu": "h100"}}, "gpus"),
    ({"model_config": {"model_type": "llama"}}, "num_hidden_layers"),
    ({"model_config": "/nowhere/config.json"}, "/nowhere"),
    ({"servers": 9}, "9 servers"),
    ({"sharding": "zero9", "task": "full"}, "zero1"),
]


@pytest.mark.parametrize(("changes", "part"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_a_case_that_makes_no_sense_is_a_sentence(changes: dict[str, Any], part: str) -> None:
    with pytest.raises(CaseError) as caught:
        asked(**changes)
    text = str(caught.value)
    assert part in text
    assert text.endswith(".")
    assert ".." not in text.replace("...", "")


def test_a_file_of_cases_answers_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.jsonl"
    lines = [json.dumps({"id": 1, **PLAIN}), "", "not json", "[1]", json.dumps({"id": 2, "gpu": "h99", "model": "x"})]
    file.write_text("\n".join([*lines, json.dumps({"id": 3, **PLAIN})]), encoding="utf-8")
    assert main(["--cases", str(file)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each.get("id") for each in answers] == [1, None, None, 2, 3]
    assert ["error" in each for each in answers] == [False, True, True, True, False]
    assert all(not faults(each, SCHEMA) for each in answers)


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "/nowhere/cases.jsonl"]) == 1
    assert "/nowhere/cases.jsonl" in capsys.readouterr().err


def test_the_command_prints_text_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--gpu",
        "4090",
        "--gpu",
        "3090",
        "--model",
        "qwen3-32b",
        "--weights",
        "q4_k_m",
        "--max-model-len",
        "8192",
    ]
    assert main(options) == 0
    text = capsys.readouterr().out
    assert "qwen3-32b" in text
    assert "nvidia-rtx-3090" in text
    assert main([*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert not faults(found, SCHEMA)
    assert {gpu["gpu"] for gpu in found["per_gpu"]} == {"nvidia-rtx-4090", "nvidia-rtx-3090"}
    assert main(["--gpu", "h99", "--model", "qwen3-32b"]) == 1
    assert "h99" in capsys.readouterr().err
    assert main(["--gpu", "4090", "--count", "1", "--count", "2", "--model", "qwen3-32b"]) == 1


def test_what_would_help_does_help() -> None:
    found = asked(gpu="4090", count=1, remedies=True)
    assert found["fits"] == "no"
    remedies = found["remedies"]
    assert asked(gpu="4090", count=remedies["gpus"])["fits"].startswith("serves")
    smaller = asked(gpu="5090", count=2, weights="bf16", max_model_len=8192, remedies=True)
    assert asked(gpu="5090", count=2, weights=smaller["remedies"]["weights"], max_model_len=8192)["fits"].startswith(
        "serves"
    )
    longer = answer({"gpu": "4090", "model": "llama-3.1-8b", "remedies": True}, CATALOGUE)
    length = longer["remedies"]["max_model_len"]
    assert answer({"gpu": "4090", "model": "llama-3.1-8b", "max_model_len": length}, CATALOGUE)["fits"] != "no"
    assert answer({"gpu": "4090", "model": "llama-3.1-8b", "max_model_len": length + 512}, CATALOGUE)["fits"] == "no"


def test_a_split_the_heads_do_not_allow_is_refused() -> None:
    found = asked(count=3, tensor_parallel=3)
    assert found["fits"] == "no"
    assert "does not divide" in " ".join(each["text"] for each in found["findings"])
    assert found["users_served"]["high"] == 0


def test_several_servers() -> None:
    assert asked(count=16, servers=2)["verdict"] == "replicas"
    wide: dict[str, Any] = {
        "model": "deepseek-r1",
        "count": 16,
        "servers": 2,
        "tensor_parallel": 8,
        "pipeline_parallel": 2,
    }
    assert asked(**wide)["verdict"] == "unknown-topology"
    assert asked(**wide, fabric="25gbe")["verdict"] == "change-fabric"
    assert asked(**wide, fabric="ndr")["verdict"] == "tp-inside-pp-across"
    assert asked(**{**wide, "tensor_parallel": 16, "pipeline_parallel": 1}, fabric="ndr")["verdict"] == "cluster"


def test_a_configuration_in_the_case_equals_the_catalogue() -> None:
    config = {
        "model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80,
        "num_attention_heads": 64, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
        "torch_dtype": "bfloat16",
    }  # fmt: skip
    known = asked(engine_version="0.11.0")
    found = answer(
        {**{k: v for k, v in PLAIN.items() if k != "model"}, "model_config": config, "engine_version": "0.11.0"},
        CATALOGUE,
    )
    assert found["per_gpu"] == known["per_gpu"]
    assert found["kv_cache_tokens"] == known["kv_cache_tokens"]


def test_unequal_cards_count_by_the_tightest() -> None:
    both = answer({"gpus": [{"gpu": "4090"}, {"gpu": "3060"}], "model": "llama-3.1-8b", "max_model_len": 8192,
                   "tensor_parallel": 2, "weights": "fp8"}, CATALOGUE)  # fmt: skip
    small = answer({"gpu": "3060", "count": 2, "model": "llama-3.1-8b", "max_model_len": 8192, "tensor_parallel": 2,
                    "weights": "fp8"}, CATALOGUE)  # fmt: skip
    assert both["kv_cache_tokens"] == small["kv_cache_tokens"]


def test_wsl2_may_stand_in_the_name() -> None:
    case: dict[str, Any] = {"count": 1, "model": "qwen3-8b", "engine_version": "0.11.0", "gpu_memory_utilization": 0.97}
    assert asked(gpu="RTX 4090", **case)["fits"] != "no"
    # Windows keeps more than 3 % of the card, so the engine refuses the share it is told to take.
    assert asked(gpu="RTX 4090 (WSL2)", **case)["fits"] == "no"
    assert asked(gpu="RTX 4090", host="wsl2", **case)["fits"] == "no"


@pytest.mark.parametrize(
    ("name", "gpu", "gib"),
    [
        ("RTX 4070 laptop 8GB", "nvidia-rtx-4070", 8),
        ("RTX 2080 Ti 22GB (modified)", "nvidia-rtx-2080-ti", 22),
        ("RTX 4090 48GB", "nvidia-rtx-4090", 48),
    ],
)
def test_a_card_with_other_memory_is_its_sister(name: str, gpu: str, gib: int) -> None:
    found = asked(gpu=name, count=1, model="qwen3-0.6b", weights="bf16")
    assert found["per_gpu"][0]["gpu"] == gpu
    assert found["per_gpu"][0]["memory_bytes"] == gib * 1024**3
    assert "size.other_memory" in {each["code"] for each in found["findings"]}
    with pytest.raises(CaseError):
        asked(gpu="Fantasy 48GB", count=1)


def test_fields_that_are_not_known_are_named() -> None:
    found = asked(colour="green")
    assert "colour" in " ".join(each["text"] for each in found["findings"])


def test_many_cases_are_answered_in_their_order_and_always_alike() -> None:
    cards = ("h100 sxm", "4090", "l40s", "a100 80gb", "pro 6000", "5090")
    models = ("llama-3.1-8b", "qwen3-32b", "llama-3.1-70b", "qwen3-30b-a3b", "gemma-3-27b", "gpt-oss-120b")
    lines = [
        json.dumps({"gpu": gpu, "count": 8, "model": model, "weights": "fp8", "engine": "vllm", "max_model_len": length,
                    "engine_version": "0.11.0", "tensor_parallel": 4, "gpu_memory_utilization": 0.9})
        for gpu in cards for model in models for length in (4096, 8192, 16384, 32768)
    ]  # fmt: skip
    warm = list(answers_to(lines, CATALOGUE))
    assert not any("error" in each for each in warm)
    assert len(warm) == len(lines)
    assert list(answers_to(lines, CATALOGUE)) == warm
    one_by_one = [next(iter(answers_to([line], CATALOGUE))) for line in (lines[0], lines[77], lines[-1])]
    assert one_by_one == [warm[place] for place in (0, 77, len(lines) - 1)]


NONSENSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(field=st.sampled_from(sorted(SCHEMA["$defs"]["case"]["properties"])), value=NONSENSE)
def test_nonsense_is_an_answer_or_a_sentence(field: str, value: Any) -> None:
    line = json.dumps({**PLAIN, "count": 2, "speed": False, field: value})
    (found,) = answers_to([line], CATALOGUE)
    if "error" in found:
        assert found["error"].endswith(".")
    else:
        assert found["verdict"]
