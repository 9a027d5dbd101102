"""GGUF and safetensors headers: exact bytes, exact counts, and files that lie."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from configurator.imports import ModelFileError, read_model
from configurator.sizing import kv_bytes_per_token, weight_bytes
from tests.imports.samples import llama_gguf, llama_tensors, write_gguf, write_safetensors

HIDDEN, WIDTH, VOCABULARY, LAYERS = 1024, 2816, 32_000, 4
BLOCK = 2 * HIDDEN * HIDDEN + 2 * HIDDEN * 256 + 3 * HIDDEN * WIDTH
TOTAL = 2 * VOCABULARY * HIDDEN + HIDDEN + LAYERS * (BLOCK + 2 * HIDDEN)


def test_a_gguf_file_is_counted_to_the_byte(tmp_path: Path) -> None:
    found = read_model(llama_gguf(tmp_path / "small.gguf"))
    bits_4, bits_6 = 144 / 256, 210 / 256
    norms = HIDDEN * (1 + 2 * LAYERS)
    expected = bits_4 * (VOCABULARY * HIDDEN + LAYERS * BLOCK) + bits_6 * VOCABULARY * HIDDEN + 4 * norms
    assert found.stored_bytes == expected
    assert found.stored is not None
    assert weight_bytes(found.model, found.stored) == expected
    assert found.model.parameters.total == TOTAL
    assert found.stored.id == "q4_k_m"
    assert found.model.vocabulary == VOCABULARY
    assert kv_bytes_per_token(found.model, "bf16") == LAYERS * 2 * 256 * 2
    assert [note.code for note in found.notes] == ["import.file_bytes"]


def test_heads_and_windows_per_layer(tmp_path: Path) -> None:
    more = {"llama.attention.head_count_kv": [2, 4, 2, 4], "llama.attention.sliding_window": 512}
    found = read_model(llama_gguf(tmp_path / "layers.gguf", more=more)).model
    assert {group.kv_heads: group.layers for group in found.attention} == {2: 2, 4: 2}
    assert {group.window_tokens for group in found.attention} == {512}


def test_a_split_gguf_needs_all_its_parts(tmp_path: Path) -> None:
    first = llama_gguf(tmp_path / "big-00001-of-00002.gguf")
    with pytest.raises(ModelFileError, match="big-00002-of-00002"):
        read_model(first)
    write_gguf(tmp_path / "big-00002-of-00002.gguf", {"split.no": 1}, [("blk.0.extra.weight", (256,), "F32")])
    whole = read_model(first)
    alone = read_model(llama_gguf(tmp_path / "alone.gguf"))
    assert whole.stored_bytes is not None
    assert alone.stored_bytes is not None
    assert whole.stored_bytes == alone.stored_bytes + 1024


def test_experts_and_latent_attention_in_gguf(tmp_path: Path) -> None:
    metadata = {
        "general.architecture": "deepseek2",
        "deepseek2.block_count": 2,
        "deepseek2.embedding_length": 512,
        "deepseek2.feed_forward_length": 1024,
        "deepseek2.attention.head_count": 8,
        "deepseek2.attention.head_count_kv": 1,
        "deepseek2.attention.kv_lora_rank": 128,
        "deepseek2.rope.dimension_count": 32,
        "deepseek2.expert_count": 16,
        "deepseek2.expert_used_count": 4,
        "deepseek2.expert_shared_count": 1,
        "deepseek2.expert_feed_forward_length": 256,
        "deepseek2.leading_dense_block_count": 1,
        "deepseek2.context_length": 4096,
    }
    attention: list[tuple[str, tuple[int, ...], str]] = [
        ("attn_kv_a_mqa.weight", (512, 160), "Q8_0"),
        ("attn_q.weight", (512, 1024), "Q8_0"),
    ]
    dense: list[tuple[str, tuple[int, ...], str]] = [
        ("ffn_up.weight", (512, 1024), "Q8_0"),
        ("ffn_down.weight", (1024, 512), "Q8_0"),
    ]
    sparse: list[tuple[str, tuple[int, ...], str]] = [
        ("ffn_gate_inp.weight", (512, 16), "F32"),
        ("ffn_up_exps.weight", (512, 256, 16), "Q4_K"),
        ("ffn_gate_exps.weight", (512, 256, 16), "Q4_K"),
        ("ffn_down_exps.weight", (256, 512, 16), "Q4_K"),
        ("ffn_up_shexp.weight", (512, 256), "Q8_0"),
    ]
    tensors: list[tuple[str, tuple[int, ...], str]] = [("token_embd.weight", (512, 1000), "Q8_0")]
    tensors += [(f"blk.0.{name}", shape, kind) for name, shape, kind in attention + dense]
    tensors += [(f"blk.1.{name}", shape, kind) for name, shape, kind in attention + sparse]
    found = read_model(write_gguf(tmp_path / "moe.gguf", metadata, tensors))
    model = found.model
    assert model.tied_embeddings
    assert model.moe is not None
    assert (model.moe.routed_experts, model.moe.experts_per_token, model.moe.layers) == (16, 4, 1)
    assert model.parameters.routed_experts == 3 * 512 * 256 * 16
    assert model.parameters.total - model.parameters.active_per_token == model.parameters.routed_experts * 12 // 16
    assert kv_bytes_per_token(model, "bf16") == 2 * (128 + 32) * 2
    assert found.stored is not None
    assert weight_bytes(model, found.stored) == found.stored_bytes


def test_a_state_space_gguf_keeps_state_instead_of_tokens(tmp_path: Path) -> None:
    metadata = {
        "general.architecture": "mamba2",
        "mamba2.block_count": 2,
        "mamba2.embedding_length": 512,
        "mamba2.ssm.inner_size": 1024,
        "mamba2.ssm.state_size": 64,
        "mamba2.ssm.group_count": 1,
        "mamba2.ssm.conv_kernel": 4,
    }
    tensors = [("token_embd.weight", (512, 1000), "F16")]
    tensors += [(f"blk.{number}.ssm_in.weight", (512, 2048), "F16") for number in range(2)]
    model = read_model(write_gguf(tmp_path / "state.gguf", metadata, tensors)).model
    assert kv_bytes_per_token(model, "bf16") == 0
    assert model.attention[0].recurrent_state_elements == 1024 * 64
    assert model.attention[0].conv_state_elements == (1024 + 128) * 3


def test_a_safetensors_file_is_counted_to_the_byte(tmp_path: Path) -> None:
    found = read_model(write_safetensors(tmp_path / "model.safetensors", llama_tensors()))
    assert found.stored_bytes == 2 * TOTAL
    assert found.stored is not None
    assert weight_bytes(found.model, found.stored) == 2 * TOTAL
    assert found.model.parameters.total == TOTAL
    assert kv_bytes_per_token(found.model, "bf16") == LAYERS * 2 * 256 * 2
    assert "import.from_shapes" in {note.code for note in found.notes}


def test_a_config_beside_the_file_gives_the_architecture(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "model.safetensors", llama_tensors(kind="F8_E4M3"))
    config = {
        "model_type": "llama", "hidden_size": HIDDEN, "intermediate_size": WIDTH, "num_hidden_layers": LAYERS,
        "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": VOCABULARY, "max_position_embeddings": 4096,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    for source in (tmp_path, tmp_path / "model.safetensors"):
        found = read_model(source)
        assert found.model.kv_heads == 2
        assert found.model.max_context_tokens == 4096
        assert found.stored_bytes == TOTAL
        assert found.stored is not None
        assert weight_bytes(found.model, found.stored) == TOTAL
        assert "import.from_shapes" not in {note.code for note in found.notes}


def test_packed_weights_are_unpacked(tmp_path: Path) -> None:
    tensors = llama_tensors()
    for number in range(LAYERS):
        name = f"model.layers.{number}.mlp.up_proj."
        del tensors[name + "weight"]
        tensors[name + "qweight"] = ("I32", (HIDDEN, WIDTH // 8))
        tensors[name + "scales"] = ("F16", (HIDDEN // 128, WIDTH))
        tensors[name + "qzeros"] = ("I32", (HIDDEN // 128, WIDTH // 8))
    found = read_model(write_safetensors(tmp_path / "awq.safetensors", tensors))
    assert found.model.parameters.total == TOTAL
    saved = LAYERS * HIDDEN * WIDTH * (2 - (0.5 + 2 / 128 + 0.5 / 128))
    assert found.stored_bytes == 2 * TOTAL - saved


def test_shards_are_added_up(tmp_path: Path) -> None:
    tensors = llama_tensors()
    names = list(tensors)
    for number, part in enumerate((names[:10], names[10:]), start=1):
        path = tmp_path / f"model-{number:05d}-of-00002.safetensors"
        write_safetensors(path, {name: tensors[name] for name in part})
    assert read_model(tmp_path / "model-00001-of-00002.safetensors").stored_bytes == 2 * TOTAL
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(ModelFileError, match="model-00002-of-00002"):
        read_model(tmp_path / "model-00001-of-00002.safetensors")


def header(count: int) -> bytes:
    return struct.pack("<Q", count)


HOSTILE_SAFETENSORS = [
    b"",
    b"short",
    header(2**63),
    header(50) + b"{}",
    header(2) + b"[]",
    header(4) + b"nope",
    header(34) + b'{"a": {"dtype": "F32", "shape": 3}}'[:34],
    header(200_000) + b"[" * 200_000,
    *(
        header(len(raw)) + raw + b"\0" * 64
        for raw in (
            b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,1000000]}}',
            b'{"a":{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}}',
            b'{"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,16]}}',
            b'{"a":{"dtype":"F32","shape":[400],"data_offsets":[0,16]}}',
            b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[8,24]}}',
            b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
        )
    ),
]


@pytest.mark.parametrize("data", HOSTILE_SAFETENSORS)
def test_hostile_safetensors_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"bad|config\.json"):
        read_model(path)


HOSTILE_GGUF = [
    b"",
    b"GGML" + b"\0" * 100,
    b"GGUF",
    b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
    b"GGUF" + struct.pack("<IQQ", 3, 2**40, 0),
    b"GGUF" + struct.pack("<IQQ", 3, 0, 2**40),
    b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**60),
    b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<I", 99),
    b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 9, 5000) + b"\0" * 99,
    b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"a" + struct.pack("<IIQ", 9, 4, 2**62),
    b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q", 1) + b"a" + struct.pack("<I", 4_000_000),
    b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q", 1) + b"a" + struct.pack("<IQIQ", 1, 8, 77, 0),
    b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q", 1) + b"a" + struct.pack("<IQIQ", 1, 7, 12, 0),
    b"GGUF" + struct.pack("<IQQ", 3, 0, 0),
]


@pytest.mark.parametrize("data", HOSTILE_GGUF)
def test_hostile_gguf_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelFileError):
        read_model(path)


def outcome(path: Path) -> int:
    """Stored bytes, or 0 when the file is refused; anything else is a crash."""
    try:
        return read_model(path).stored_bytes or 0
    except ModelFileError:
        return 0


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(cut=st.integers(0, 6000), at=st.integers(0, 6000), value=st.integers(0, 255))
def test_a_damaged_gguf_is_read_or_refused(tmp_path: Path, cut: int, at: int, value: int) -> None:
    data = bytearray(llama_gguf(tmp_path / "whole.gguf", more={"tokenizer.ggml.tokens": ["a"]}).read_bytes())
    data[at % len(data)] = value
    path = tmp_path / "damaged.gguf"
    path.write_bytes(bytes(data[: max(0, len(data) - cut)]))
    assert outcome(path) >= 0


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.integers(0, 6000), value=st.integers(0, 255))
def test_damaged_safetensors_are_read_or_refused(tmp_path: Path, at: int, value: int) -> None:
    data = bytearray(
        write_safetensors(
            tmp_path / "whole.safetensors", llama_tensors(layers=1, hidden=64, width=128, pair=64, vocabulary=100)
        ).read_bytes()
    )
    data[at % 2500] = value
    path = tmp_path / "damaged.safetensors"
    path.write_bytes(bytes(data))
    assert outcome(path) >= 0
