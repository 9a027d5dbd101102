"""Small GGUF and safetensors files written for the tests: headers of real shapes, data left out or zero."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from configurator.imports.gguf import BLOCKS

KINDS = {name: number for number, (name, _, _) in BLOCKS.items()}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value_of(value: Any) -> bytes:
    """Type and value of one metadata entry."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(each) for each in value)
    return struct.pack("<IIQ", 9, 5, len(value)) + b"".join(struct.pack("<i", each) for each in value)


def write_gguf(
    path: Path,
    metadata: Mapping[str, Any],
    tensors: Sequence[tuple[str, tuple[int, ...], str]],
    version: int = 3,
) -> Path:
    """A GGUF header without data; shapes as ggml writes them, fastest dimension first."""
    data = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for name, value in metadata.items():
        data += text(name) + value_of(value)
    for name, shape, kind in tensors:
        data += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", each) for each in shape)
        data += struct.pack("<IQ", KINDS[kind], 0)
    path.write_bytes(data)
    return path


SIZES = {"F32": 4, "BF16": 2, "F16": 2, "I32": 4, "U8": 1, "F8_E4M3": 1}


def write_safetensors(path: Path, tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> Path:
    """A safetensors file whose data is a hole in the file."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, (kind, shape) in tensors.items():
        count = SIZES[kind]
        for each in shape:
            count *= each
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [end, end + count]}
        end += count
    raw = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + end)
    return path


def llama_gguf(
    path: Path, *, layers: int = 4, hidden: int = 1024, width: int = 2816, heads: int = 8, kv_heads: int = 2,
    vocabulary: int = 32_000, kind: str = "Q4_K", more: Mapping[str, Any] | None = None,
) -> Path:  # fmt: skip
    """A llama-shaped file: Q6_K head, F32 norms, the rest in one type."""
    pair = hidden // heads * kv_heads
    metadata: dict[str, Any] = {
        "general.architecture": "llama",
        "general.name": "Small test",
        "general.file_type": 15,
        "llama.block_count": layers,
        "llama.embedding_length": hidden,
        "llama.feed_forward_length": width,
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": kv_heads,
        "llama.context_length": 8192,
        "tokenizer.ggml.tokens": [f"t{number}" for number in range(5000)],
        **(more or {}),
    }
    tensors: list[tuple[str, tuple[int, ...], str]] = [
        ("token_embd.weight", (hidden, vocabulary), kind),
        ("output.weight", (hidden, vocabulary), "Q6_K"),
        ("output_norm.weight", (hidden,), "F32"),
    ]
    for number in range(layers):
        block = f"blk.{number}."
        tensors += [
            (block + "attn_q.weight", (hidden, hidden), kind),
            (block + "attn_k.weight", (hidden, pair), kind),
            (block + "attn_v.weight", (hidden, pair), kind),
            (block + "attn_output.weight", (hidden, hidden), kind),
            (block + "ffn_gate.weight", (hidden, width), kind),
            (block + "ffn_up.weight", (hidden, width), kind),
            (block + "ffn_down.weight", (width, hidden), kind),
            (block + "attn_norm.weight", (hidden,), "F32"),
            (block + "ffn_norm.weight", (hidden,), "F32"),
        ]
    return write_gguf(path, metadata, tensors)


def llama_tensors(
    *, layers: int = 4, hidden: int = 1024, width: int = 2816, pair: int = 256, vocabulary: int = 32_000,
    kind: str = "BF16",
) -> dict[str, tuple[str, tuple[int, ...]]]:  # fmt: skip
    """Tensors of a llama-shaped checkpoint under their Hugging Face names."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {
        "model.embed_tokens.weight": (kind, (vocabulary, hidden)),
        "model.norm.weight": (kind, (hidden,)),
        "lm_head.weight": (kind, (vocabulary, hidden)),
    }
    for number in range(layers):
        block = f"model.layers.{number}."
        found |= {
            block + "self_attn.q_proj.weight": (kind, (hidden, hidden)),
            block + "self_attn.k_proj.weight": (kind, (pair, hidden)),
            block + "self_attn.v_proj.weight": (kind, (pair, hidden)),
            block + "self_attn.o_proj.weight": (kind, (hidden, hidden)),
            block + "mlp.gate_proj.weight": (kind, (width, hidden)),
            block + "mlp.up_proj.weight": (kind, (width, hidden)),
            block + "mlp.down_proj.weight": (kind, (hidden, width)),
            block + "input_layernorm.weight": (kind, (hidden,)),
            block + "post_attention_layernorm.weight": (kind, (hidden,)),
        }
    return found
