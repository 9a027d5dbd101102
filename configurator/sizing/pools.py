"""KV pools: how engines cut the memory left over into pages, and what a request takes of them.

vLLM keeps pages of one size for every layer of a model. Layers of different kinds (full, sliding window, recurrent
state) are put into groups with equally many layers; each block id is one page in every layer slot of a group.
Source: vLLM v1/core/kv_cache_utils.py (0.9 to 0.33).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from configurator.catalogue.records import AttentionGroup, ModelRecord
from configurator.sizing.kv import element_bytes, indexer_page_bytes, layer_token_bytes
from configurator.sizing.profiles import EngineProfile
from configurator.sizing.shape import LATENT, NO_CACHE, RECURRENT, extra, shape_of

Growth = Literal["full", "window", "state"]


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Layers that share a block table. ``block`` tokens a page holds; state groups hold one state a page."""

    growth: Growth
    block: int
    window: int = 0
    state_pages: int = 1

    def pages(self, tokens: int, in_flight: int) -> int:
        """Pages a request of ``tokens`` takes while ``in_flight`` tokens of it are being computed."""
        if self.growth == "state":
            return self.state_pages
        if self.growth == "full":
            return math.ceil(tokens / self.block)
        held = min(self.window - 1 + in_flight, tokens)
        return math.ceil(held / self.block) + 1


@dataclass(frozen=True, slots=True)
class PagePlan:
    """Pages of one model on one tensor rank. ``block_bytes`` per pipeline stage: one block over all layers there."""

    groups: tuple[PageGroup, ...]
    block_bytes: tuple[float, ...]
    padded_share: float
    """Of a block, what padding wastes."""

    def blocks(self, stage_bytes: tuple[float, ...]) -> int:
        """Blocks that fit: the tightest stage decides for all."""
        return max(
            0,
            min(
                (int(have // need) for have, need in zip(stage_bytes, self.block_bytes, strict=True) if need > 0),
                default=0,
            ),
        )

    def request_blocks(self, tokens: int, in_flight: int) -> int:
        """Blocks a request takes."""
        return max(1, sum(group.pages(tokens, in_flight) for group in self.groups))

    @property
    def has_states(self) -> bool:
        """Whether some layers keep a recurrent state per sequence."""
        return any(group.growth == "state" for group in self.groups)

    def printed_tokens(self, blocks: int) -> int:
        """Tokens as vLLM printed them before 0.20: blocks over groups, times the smallest block."""
        if not self.groups:
            return 0
        paged = [group.block for group in self.groups if group.growth != "state"]
        return blocks // len(self.groups) * min(paged or [1])


_plans: dict[tuple[object, ...], tuple[ModelRecord, PagePlan]] = {}


def page_plan(
    model: ModelRecord,
    profile: EngineProfile,
    kv_dtype: str,
    tensor_parallel: int,
    layers_per_stage: tuple[int, ...],
    *,
    block: int | None = None,
    speculative_tokens: int = 0,
    draft_layers: int = 0,
) -> PagePlan:
    """The page layout of vLLM for a model; cached."""
    key = (
        id(model), profile.id, kv_dtype, tensor_parallel, layers_per_stage, block, speculative_tokens, draft_layers,
    )  # fmt: skip
    kept = _plans.get(key)
    if kept is not None and kept[0] is model:
        return kept[1]
    plan = _page_plan(
        model, profile, kv_dtype, tensor_parallel, layers_per_stage, block, speculative_tokens, draft_layers
    )
    if len(_plans) > 8192:
        _plans.clear()
    _plans[key] = (model, plan)
    return plan


@dataclass(frozen=True, slots=True)
class _Spec:
    """One kind of layer: bytes per token (or per state), its window."""

    growth: Growth
    token_bytes: float
    window: int
    state_bytes: float
    counts: tuple[int, ...]

    @property
    def layers(self) -> int:
        return sum(self.counts)


def _specs(
    model: ModelRecord, profile: EngineProfile, kv_dtype: str, ranks: int, split: tuple[int, ...], draft_layers: int
) -> list[_Spec]:
    layers = shape_of(model).layers
    counts = [[0] * len(split) for _ in model.attention]
    first = 0
    for stage, count in enumerate(split):
        for layer in layers[first : first + count]:
            if layer.group is not None:
                counts[layer.group][stage] += 1
        first += count
    specs: dict[tuple[Growth, float, int, float], list[int]] = {}
    for group, per_stage in zip(model.attention, counts, strict=True):
        if group.kind in NO_CACHE:
            continue
        spec = _spec_key(model, group, profile, kv_dtype, ranks)
        merged = specs.setdefault(spec, [0] * len(split))
        for stage, count in enumerate(per_stage):
            merged[stage] += count
    if draft_layers:
        # Draft layers attend to everything and sit on the last stage.
        full = next((key for key in specs if key[0] == "full"), None)
        if full is not None:
            specs[full][-1] += draft_layers
    return [_Spec(*key, tuple(per_stage)) for key, per_stage in specs.items()]


def _spec_key(
    model: ModelRecord, group: AttentionGroup, profile: EngineProfile, kv_dtype: str, ranks: int
) -> tuple[Growth, float, int, float]:
    if group.kind in RECURRENT:
        width = model.recurrent_state_bytes_per_element or 2.0
        state = group.recurrent_state_elements * width + group.conv_state_elements * 2.0
        return "state", 0.0, 0, state / ranks
    token = layer_token_bytes(group, kv_dtype, ranks) + indexer_page_bytes(group)
    if group.kind in LATENT and not profile.latent_cache:
        # Keys and values of every head, heads padded to 256.
        token = math.ceil(group.q_heads / ranks) * 2 * 256 * element_bytes(kv_dtype)
    window = group.window_tokens or 0
    if window and profile.windows_kept and not extra_kinds(model):
        return "window", token, window, 0.0
    return "full", token, 0, 0.0


def extra_kinds(model: ModelRecord) -> bool:
    """Compressed caches (DeepSeek V4): engines lay them out by themselves, all counted as growing."""
    return any(extra(group, "compress_ratio") > 1 for group in model.attention)


def base_block(model: ModelRecord, profile: EngineProfile) -> int:
    """Tokens per page before any adjustment: 64 for latent attention kernels, else the engine's default."""
    if any(group.kind in LATENT or extra(group, "compress_ratio") for group in model.attention):
        return max(profile.block, 64)
    return profile.block


def _page_plan(
    model: ModelRecord,
    profile: EngineProfile,
    kv_dtype: str,
    ranks: int,
    split: tuple[int, ...],
    block: int | None,
    speculative_tokens: int,
    draft_layers: int,
) -> PagePlan:
    specs = _specs(model, profile, kv_dtype, ranks, split, draft_layers)
    size = block or base_block(model, profile)
    if not specs:
        return PagePlan((), tuple(0.0 for _ in split), 0.0)
    growths = {spec.growth for spec in specs}
    one_window = len({spec.window for spec in specs}) == 1
    if len(growths) == 1 and "state" not in growths and (growths == {"full"} or one_window):
        # One kind of growth: every layer has pages of its own size, one group.
        per_stage = tuple(
            sum(spec.counts[stage] * spec.token_bytes * size for spec in specs) for stage in range(len(split))
        )
        kind = specs[0]
        return PagePlan((PageGroup(kind.growth, size, kind.window),), per_stage, 0.0)
    return _hybrid_plan(specs, profile, size, split, block is not None, speculative_tokens)


def _hybrid_plan(
    specs: list[_Spec], profile: EngineProfile, size: int, split: tuple[int, ...], fixed: bool, speculative_tokens: int
) -> PagePlan:
    paged = [spec for spec in specs if spec.growth != "state"]
    states = [spec for spec in specs if spec.growth == "state"]
    widest = max((spec.token_bytes for spec in paged), default=0.0)
    if states and widest:
        # The attention page grows until one recurrent state fits into it.
        state = max(spec.state_bytes for spec in states)
        needed = 16 * math.ceil(state / (16 * widest))
        size = max(size, needed) if fixed else max(needed, size)
    page = size * widest if widest else max(spec.state_bytes for spec in states)
    smallest = min(spec.layers for spec in specs)
    largest = max(spec.layers for spec in specs)
    group_size = largest if largest < 1.5 * smallest else smallest
    groups: list[PageGroup] = []
    slots = [0] * len(split)
    used = 0.0
    for spec in specs:
        count = math.ceil(spec.layers / group_size)
        tokens = int(page // spec.token_bytes) if spec.token_bytes else size
        pages = profile.prefix_state_blocks + speculative_tokens if spec.growth == "state" else 1
        groups.extend([PageGroup(spec.growth, tokens, spec.window, pages)] * count)
        for stage, layers in enumerate(spec.counts):
            slots[stage] = max(slots[stage], math.ceil(layers / count))
        used += spec.layers * (spec.token_bytes * tokens if spec.token_bytes else spec.state_bytes)
    whole = len(groups) * group_size * page
    return PagePlan(tuple(groups), tuple(slot * page for slot in slots), max(0.0, 1.0 - used / whole) if whole else 0.0)


@dataclass(frozen=True, slots=True)
class TokenCost:
    """Bytes a pool without shared pages spends: per token, per windowed token, per sequence."""

    full_bytes: tuple[float, ...]
    window_bytes: tuple[float, ...]
    window: int
    state_bytes: tuple[float, ...]


def token_cost(
    model: ModelRecord, profile: EngineProfile, kv_dtype: str, ranks: int, split: tuple[int, ...], draft_layers: int = 0
) -> TokenCost:
    """Bytes per stage for engines with separate pools (SGLang, TensorRT-LLM, llama.cpp)."""
    specs = _specs(model, profile, kv_dtype, ranks, split, draft_layers)
    stages = range(len(split))

    def total(growth: Growth, state: bool) -> tuple[float, ...]:
        return tuple(
            sum(
                spec.counts[stage] * (spec.state_bytes if state else spec.token_bytes)
                for spec in specs
                if spec.growth == growth
            )
            for stage in stages
        )

    return TokenCost(
        total("full", False),
        total("window", False),
        max((spec.window for spec in specs), default=0),
        total("state", True),
    )
