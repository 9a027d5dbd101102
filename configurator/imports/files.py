"""GGUF and safetensors files -> a catalogue record with the stored bytes, counted tensor by tensor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from configurator.catalogue.records import AttentionKind, ModelRecord, WeightFormat
from configurator.imports.architecture import Architecture, Experts, FeedForward, LayerSpec, Mixer, record_of
from configurator.imports.fields import Fields, ModelFileError
from configurator.imports.gguf import FILE_TYPES, LongList, read_gguf
from configurator.imports.safetensors import read_safetensors
from configurator.imports.tensors import Block, Census, Tensor, census, stored_format

SHARD = re.compile(r"^(.*)-(\d{5})-of-(\d{5})\.(gguf|safetensors)$")
DELTA = ("qwen3next", "qwen35", "kimi-linear")
WINDOWS = {"gemma2": 2, "gemma3": 6, "cohere2": 4, "gpt-oss": 2, "gemma4": 6}
"""GGUF architectures whose every n-th layer attends to everything."""


def shards_of(path: Path) -> list[Path]:
    """All files of a checkpoint that was cut into several. Raises ModelFileError naming one that is missing."""
    found = SHARD.match(path.name)
    if found is None:
        return [path]
    stem, count, ending = found.group(1), int(found.group(3)), found.group(4)
    files = [path.parent / f"{stem}-{number:05d}-of-{count:05d}.{ending}" for number in range(1, count + 1)]
    for file in files:
        if not file.is_file():
            raise ModelFileError(f"The file “{file.name}” of the same checkpoint is missing beside “{path.name}”")
    return files


def model_of_gguf(path: Path) -> tuple[ModelRecord, WeightFormat, int]:
    """Record, weight format and stored bytes of a GGUF file. Raises ModelFileError."""
    metadata: dict[str, Any] = {}
    tensors: list[Tensor] = []
    for file in shards_of(path):
        part, more = read_gguf(file)
        metadata = {**part, **metadata}
        tensors.extend(more)
    name = str(metadata.get("general.architecture") or "")
    prefix = f"{name}."
    short = {key.removeprefix(prefix): value for key, value in metadata.items() if key.startswith(prefix)}
    fields = Fields({key: value for key, value in short.items() if not isinstance(value, LongList)})
    blocks = fields.whole("block_count", least=1, most=2048)
    extra = fields.whole("nextn_predict_layers", default=0, most=64)
    counted = census(tensors, mtp_from=blocks - extra if extra else None)
    hidden = fields.whole("embedding_length", least=1, most=10**7)
    tokens = metadata.get("tokenizer.ggml.tokens")
    vocabulary = counted.embedding[0] if counted.embedding else 0
    if not vocabulary:
        vocabulary = tokens.length if isinstance(tokens, LongList) else fields.whole("vocab_size", least=1)
    layers = [_gguf_layer(fields, name, counted.blocks.get(index, Block()), index) for index in range(blocks - extra)]
    title = str(metadata.get("general.name") or path.stem)[:200]
    record = _record(counted, layers, fields, name, title, hidden, vocabulary, extra)
    kind = metadata.get("general.file_type")
    recipe = FILE_TYPES.get(kind, "") if isinstance(kind, int) else ""
    form = stored_format(recipe or "gguf", counted.stored_bytes, _counts(record), "gguf")
    return record, form, counted.total_bytes


def _per_layer(value: Any, index: int, default: int) -> int:
    if isinstance(value, list):
        value = value[index] if index < len(value) else default
    return value if isinstance(value, int) and 0 <= value <= 10**6 else default


def _gguf_layer(fields: Fields, name: str, block: Block, index: int) -> LayerSpec:
    heads = _per_layer(fields.any("attention.head_count"), index, 1)
    kv_heads = _per_layer(fields.any("attention.head_count_kv"), index, heads)
    hidden = fields.whole("embedding_length", least=1)
    key = fields.whole("attention.key_length", default=hidden // max(heads, 1), most=65_536)
    value = fields.whole("attention.value_length", default=key, most=65_536)
    window = _gguf_window(fields, name, index)
    if window:
        key = fields.whole("attention.key_length_swa", default=key, most=65_536)
        value = fields.whole("attention.value_length_swa", default=value, most=65_536)
    mixer: Mixer | None = None
    parts = dict(block.elements)
    if any(each.startswith("ssm_") for each in block.names):
        inner, state = fields.whole("ssm.inner_size", least=1), fields.whole("ssm.state_size", default=128)
        groups, kernel = fields.whole("ssm.group_count", default=0), fields.whole("ssm.conv_kernel", default=4, most=64)
        kind: AttentionKind = "linear_gated_delta_net" if name.startswith(DELTA) else "mamba2" if groups else "mamba1"
        matrices = parts.pop("attention", 0) + parts.pop("linear_or_ssm", 0)
        mixer = Mixer(kind, matrices, 0, state=inner * state, conv_state=(inner + 2 * groups * state) * (kernel - 1))
    elif parts.get("attention"):
        rank = fields.whole("attention.kv_lora_rank", default=0)
        matrices = parts.pop("attention")
        indexer = parts.pop("indexer", 0)
        if rank:
            rope = fields.whole("rope.dimension_count", default=64)
            mixer = Mixer(
                "mla_sparse_dsa" if indexer else "mla", matrices, 0, float(rank + rope), heads, heads, 0, shared=True,
                indexer_matrices=indexer,
                indexer_elements=float(fields.whole("attention.indexer.key_length", default=128)) if indexer else 0.0,
                extras=(("kv_lora_rank", float(rank)), ("qk_rope_head_dim", float(rope))),
            )  # fmt: skip
        else:
            mixer = Mixer(
                "sliding" if window else "full", matrices, 0, float(kv_heads * (key + value)), heads, kv_heads, key,
                window,
            )  # fmt: skip
    return LayerSpec(mixer, _feed(parts), parts.get("small", 0))


def _feed(parts: Mapping[str, int]) -> FeedForward | None:
    found = FeedForward(
        dense=parts.get("dense_mlp", 0),
        router=parts.get("router", 0),
        routed=parts.get("routed_experts", 0),
        shared=parts.get("shared_experts", 0),
    )
    return found if found != FeedForward() else None


def _gguf_window(fields: Fields, name: str, index: int) -> int | None:
    window = fields.whole("attention.sliding_window", default=0)
    if not window:
        return None
    pattern = fields.any("attention.sliding_window_pattern")
    if isinstance(pattern, list) and index < len(pattern):
        return window if pattern[index] else None
    step = pattern if isinstance(pattern, int) and not isinstance(pattern, bool) else WINDOWS.get(name, 0)
    return None if step and (index + 1) % step == 0 else window


def _record(
    counted: Census,
    layers: list[LayerSpec],
    fields: Fields,
    family: str,
    title: str,
    hidden: int,
    vocabulary: int,
    mtp_layers: int,
) -> ModelRecord:
    """A record whose counts are those of the stored tensors."""
    experts = None
    routed = fields.whole("expert_count", "num_local_experts", "num_experts", "n_routed_experts", default=0, most=10**5)
    if routed > 1 and counted.elements.get("routed_experts"):
        sparse = sum(1 for each in layers if each.feed_forward is not None and each.feed_forward.routed)
        width = fields.whole("expert_feed_forward_length", "moe_intermediate_size", default=0)
        width = width or counted.elements["routed_experts"] // max(sparse, 1) // routed // (3 * hidden)
        shared = fields.whole("expert_shared_count", default=int(bool(counted.elements.get("shared_experts"))))
        experts = Experts(
            routed, fields.whole("expert_used_count", "num_experts_per_tok", default=1), shared, width,
            fields.whole("expert_shared_feed_forward_length", default=shared * width),
            fields.whole("leading_dense_block_count", default=0),
        )  # fmt: skip
    inside = sum(each.norms for each in layers)
    first = next((each.mixer for each in layers if each.mixer is not None and each.mixer.q_heads), None)
    arch = Architecture(
        hidden=hidden,
        vocabulary=vocabulary,
        tied=not counted.elements.get("lm_head"),
        layers=layers,
        heads=first.q_heads if first is not None else 1,
        kv_heads=first.kv_heads if first is not None else 0,
        head_dim=first.head_dim if first is not None else 0,
        intermediate=fields.whole("feed_forward_length", "intermediate_size", default=0),
        positions=fields.whole("context_length", "max_position_embeddings", default=4096),
        outer_small=counted.elements.get("small", 0) - inside,
        experts=experts,
        embedding=counted.elements.get("token_embedding", 0),
        head=counted.elements.get("lm_head", 0),
        mtp=counted.elements.get("mtp", 0),
        mtp_layers=mtp_layers,
        vision=counted.elements.get("vision", 0),
        state_bytes=4.0,
    )
    return record_of(arch, title, family or "unknown", "bfloat16")


def _counts(record: ModelRecord) -> dict[str, int]:
    parts = record.parameters
    names = (
        "token_embedding", "lm_head", "attention", "linear_or_ssm", "indexer", "compressor", "dense_mlp", "router",
        "routed_experts", "shared_experts", "latent_projections", "small", "vision", "mtp",
    )  # fmt: skip
    return {name: getattr(parts, name) for name in names}


def stored_tensors(path: Path) -> list[Tensor]:
    """Tensors of a safetensors checkpoint with all its files. Raises ModelFileError."""
    return [tensor for file in shards_of(path) for tensor in read_safetensors(file)]


def model_of_safetensors(path: Path, known: ModelRecord | None) -> tuple[ModelRecord, WeightFormat, int, bool]:
    """Record, format, stored bytes, and whether the architecture is exact.

    ``known`` is the record counted from the config.json beside the file; without one the architecture is read off
    the shapes of the tensors. Raises ModelFileError when they do not show one.
    """
    tensors = stored_tensors(path)
    if known is not None:
        counted = census(tensors, mtp_from=known.layers)
        stored = dict(counted.stored_bytes)
        counts = _counts(known)
        for part in list(stored):
            if not counts.get(part):
                # A part the count calls otherwise: its bytes go with the largest part.
                largest = max(counts, key=lambda name: counts[name])
                stored[largest] = stored.get(largest, 0) + stored.pop(part)
        return known, stored_format("stored", stored, counts, "float"), counted.total_bytes, True
    counted = census(tensors)
    if not counted.embedding or not counted.blocks:
        raise ModelFileError(f"“{path.name}” does not show which model it is: put its config.json into the same folder")
    vocabulary, hidden = counted.embedding[0], counted.embedding[-1]
    blocks = max(counted.blocks) + 1
    if blocks > 2048:
        raise ModelFileError(f"“{path.name}” has {blocks} layers")
    layers = [_shaped_layer(counted.blocks.get(index, Block())) for index in range(blocks)]
    routed = _experts_in(counted)
    fields = Fields({"num_experts": routed} if routed else {})
    record = _record(counted, layers, fields, "unknown", path.stem[:200], hidden, vocabulary, 0)
    form = stored_format("stored", counted.stored_bytes, _counts(record), "float")
    return replace(record, architecture_status="shapes"), form, counted.total_bytes, False


def _shaped_layer(block: Block) -> LayerSpec:
    """A layer as its tensor shapes show it: rows of the key and value projections are its cache."""
    parts = dict(block.elements)
    matrices = parts.pop("attention", 0)
    rows: dict[str, int] = {}
    head_dim = 128
    for name, shape in block.shapes.items():
        for part in ("k_proj", "v_proj", "q_proj", "kv_a_proj_with_mqa"):
            if name.endswith(f"{part}.weight") and shape:
                rows[part] = shape[0]
        if re.search(r"\b[qk]_norm\.weight$", name) and len(shape) == 1 and 16 <= shape[0] <= 512:
            head_dim = shape[0]
    mixer: Mixer | None = None
    if "kv_a_proj_with_mqa" in rows:
        mixer = Mixer("mla", matrices, 0, float(rows["kv_a_proj_with_mqa"]), 1, 1, 0, shared=True)
    elif "k_proj" in rows:
        keys, values = rows["k_proj"], rows.get("v_proj", rows["k_proj"])
        query = rows.get("q_proj", keys)
        mixer = Mixer(
            "full", matrices, 0, float(keys + values), max(1, query // head_dim), max(1, keys // head_dim), head_dim
        )
    elif matrices:
        raise ModelFileError("The attention of this file has no “k_proj”: put its config.json into the same folder")
    return LayerSpec(mixer, _feed(parts), parts.get("small", 0))


def _experts_in(counted: Census) -> int:
    numbers = {
        int(found.group(1))
        for block in counted.blocks.values()
        for name in block.names
        if (found := re.search(r"experts\.(\d+)\.", name)) is not None
    }
    return len(numbers)
