"""A list of stored tensors -> layers, counts and stored bits of each component, whatever the naming scheme."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from configurator.catalogue.records import WeightFormat

MOST_TENSORS = 2_000_000


@dataclass(frozen=True, slots=True)
class Tensor:
    """One stored tensor. ``elements`` are the model's (packed ones unpacked, scales 0)."""

    name: str
    shape: tuple[int, ...]
    elements: int
    stored_bytes: int


@dataclass(slots=True)
class Block:
    """What one layer stores: elements by component, and rows of the key and value projections."""

    elements: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Census:
    """All tensors of a model by component."""

    elements: dict[str, int] = field(default_factory=dict)
    stored_bytes: dict[str, int] = field(default_factory=dict)
    blocks: dict[int, Block] = field(default_factory=dict)
    embedding: tuple[int, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(self.stored_bytes.values())


VISION = re.compile(r"\b(visual|vision\w*|mm|v|multi_modal_projector|mm_projector|embed_vision|image_newline)\.")
MTP = re.compile(r"\b(mtp|nextn|eh_proj|enorm|hnorm|shared_head)\b|^mtp\.")
EMBEDDING = re.compile(r"\b(token_embd|embed_tokens|wte|word_embeddings|tok_embeddings|embeddings?)\.weight$")
HEAD = re.compile(r"(^|\.)(output|lm_head|embed_out)\.weight$")
BLOCK = re.compile(r"(?:^|\.)(?:blk|layers|h|blocks|layer)\.(\d+)\.")
RULES = (
    ("indexer", re.compile(r"indexer")),
    ("router", re.compile(r"ffn_gate_inp|shared_expert_gate|(mlp|block_sparse_moe|mixer|feed_forward)\.gate\.|router")),
    ("shared_experts", re.compile(r"shexp|shared_expert|shared_mlp")),
    ("routed_experts", re.compile(r"_exps\b|experts\b|block_sparse_moe\.(input|output)_linear")),
    ("linear_or_ssm", re.compile(r"\bssm_|linear_attn|mamba|mixer\.(in|out)_proj")),
    ("attention", re.compile(r"attn|attention|mixer\.[qkvo]_proj")),
    ("dense_mlp", re.compile(r"ffn|mlp|feed_forward|mixer\.(up|down)_proj")),
)


def census(tensors: Iterable[Tensor], mtp_from: int | None = None) -> Census:
    """Sort tensors into components. Blocks from ``mtp_from`` on belong to the multi-token-prediction layer."""
    found = Census()
    for tensor in tensors:
        number = BLOCK.search(tensor.name)
        index = int(number.group(1)) if number else None
        part = _component(tensor)
        if index is not None and part != "vision" and mtp_from is not None and index >= mtp_from:
            part = "mtp"
        if part == "token_embedding" and tensor.elements and len(tensor.shape) > 1:
            found.embedding = tensor.shape
        found.elements[part] = found.elements.get(part, 0) + tensor.elements
        found.stored_bytes[part] = found.stored_bytes.get(part, 0) + tensor.stored_bytes
        if index is None or part in ("vision", "mtp"):
            continue
        block = found.blocks.setdefault(index, Block())
        block.elements[part] = block.elements.get(part, 0) + tensor.elements
        name = tensor.name[number.end() :] if number else tensor.name
        block.names.add(name)
        block.shapes[name] = tensor.shape
    return found


def _component(tensor: Tensor) -> str:
    name = tensor.name
    if VISION.search(name):
        return "vision"
    if MTP.search(name):
        return "mtp"
    if EMBEDDING.search(name):
        return "token_embedding"
    if HEAD.search(name):
        return "lm_head"
    if len(tensor.shape) < 2 and tensor.elements and not re.search(r"packed|qweight", name):
        return "small"
    return next((part for part, pattern in RULES if pattern.search(name)), "small")


PARTS = (
    "token_embedding",
    "lm_head",
    "attention",
    "linear_or_ssm",
    "indexer",
    "compressor",
    "dense_mlp",
    "router",
    "routed_experts",
    "shared_experts",
    "latent_projections",
    "small",
    "vision",
    "mtp",
)


def stored_format(name: str, stored: Mapping[str, int], elements: Mapping[str, int], family: str) -> WeightFormat:
    """A weight format whose every component is as wide as the file stores it."""
    bits = {part: 8.0 * stored.get(part, 0) / elements[part] for part in PARTS if elements.get(part)}
    total = sum(elements.get(part, 0) for part in PARTS)
    average = 8.0 * sum(stored.get(part, 0) for part in PARTS) / max(total, 1)
    gguf = family == "gguf"
    return WeightFormat(
        id=name,
        name=name,
        bits=average,
        family="gguf" if gguf else "float",
        engines=("llama.cpp",) if gguf else ("vllm", "sglang"),
        quantised_parts=("stored",),
        trainable=not gguf and average >= 16,
        whole_file=False,
        sources=("the given file",),
        bits_low=average,
        bits_high=average,
        other_bits=tuple(bits.items()),
    )
