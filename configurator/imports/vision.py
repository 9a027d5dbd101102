"""Elements of vision encoders and their projectors, counted from a configuration.

Formulas follow the tensors of the reference implementations (transformers, vLLM) and give published totals exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from configurator.imports.fields import Fields

MOST_WIDTH = 10**6


def vision_elements(raw: Mapping[str, Any], hidden: int) -> tuple[int, bool]:
    """(elements of encoder and projector, whether the family is known). (0, True): the model sees no images."""
    config = raw.get("vision_config") or raw.get("vision_tower_config") or raw.get("vision_encoder")
    if not isinstance(config, Mapping) or not config:
        return 0, True
    tower = _Tower(Fields(config))
    if not tower.width or not tower.layers:
        return 0, False
    names = (str(raw.get("model_type", "")), str(config.get("model_type", "")))
    for name in names:
        for prefix, count in FAMILIES.items():
            if name.startswith(prefix):
                return count(tower, Fields(raw), hidden), True
    return _siglip(tower, Fields(raw), hidden), False


class _Tower:
    """Shape of an encoder under its many names."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.width = fields.whole("hidden_size", "embed_dim", "vt_hidden_size", "width", default=0, most=MOST_WIDTH)
        self.layers = fields.whole(
            "num_hidden_layers", "depth", "vt_num_hidden_layers", "layers", "num_layers", default=0, most=1024
        )
        ratio = fields.any("mlp_ratio")
        inner = int(self.width * ratio) if isinstance(ratio, (int, float)) and 0 < ratio < 100 else 4 * self.width
        self.inner = fields.whole("intermediate_size", "vt_intermediate_size", default=inner, most=MOST_WIDTH)
        self.patch = fields.whole("patch_size", "spatial_patch_size", default=14, most=1024)
        self.image = fields.whole("image_size", default=0, most=1_000_000)
        self.out = fields.whole("out_hidden_size", default=0, most=MOST_WIDTH)

    def patches(self, frames: int = 1) -> int:
        """Weights of the first convolution without its bias."""
        return 3 * frames * self.patch * self.patch * self.width

    def plain_block(self) -> int:
        """A block with two MLP matrices, biases and layer norms."""
        width, inner = self.width, self.inner
        return 4 * width * width + 4 * width + 2 * width * inner + inner + width + 4 * width


def _merger(tower: _Tower, out: int, norm: int) -> int:
    four = 4 * tower.width
    return norm + four * four + four + four * out + out


def _siglip(tower: _Tower, _: Fields, hidden: int) -> int:
    """Gemma 3 and others on SigLIP: learned positions, one projection."""
    side = tower.image // max(tower.patch, 1) or 64
    outer = tower.patches() + tower.width + side * side * tower.width + 2 * tower.width
    return tower.layers * tower.plain_block() + outer + tower.width * hidden + tower.width


def _pixtral(tower: _Tower, raw: Fields, hidden: int) -> int:
    width, inner = tower.width, tower.inner
    block = 4 * width * width + 3 * width * inner + 2 * width
    merge = raw.whole("spatial_merge_size", default=2, most=16)
    projector = merge * merge * width * width + width * hidden + hidden * hidden + width
    return tower.layers * block + tower.patches() + width + projector


def _qwen2(tower: _Tower, _: Fields, hidden: int) -> int:
    if tower.fields.has("embed_dim"):
        # Qwen2-VL: ``hidden_size`` of its vision part is the language model's width.
        tower.width = tower.fields.whole("embed_dim", most=MOST_WIDTH)
        tower.inner = 4 * tower.width
    merger = _merger(tower, hidden, 2 * tower.width)
    return tower.layers * tower.plain_block() + tower.patches(2) + merger


def _qwen2_5(tower: _Tower, _: Fields, hidden: int) -> int:
    width, inner = tower.width, tower.inner
    block = 4 * width * width + 4 * width + 3 * width * inner + 2 * inner + width + 2 * width
    return tower.layers * block + tower.patches(2) + _merger(tower, tower.out or hidden, width)


def _qwen3(tower: _Tower, _: Fields, hidden: int) -> int:
    """Qwen3-VL with its deep mergers, Qwen3.5 without."""
    width = tower.width
    positions = tower.fields.whole("num_position_embeddings", default=2304, most=10**7)
    out = tower.out or hidden
    deep = len(tower.fields.numbers("deepstack_visual_indexes"))
    mergers = _merger(tower, out, 2 * width) + deep * _merger(tower, out, 8 * width)
    return tower.layers * tower.plain_block() + tower.patches(2) + width + positions * width + mergers


def _llama4(tower: _Tower, _: Fields, hidden: int) -> int:
    width = tower.width
    side = (tower.image or 336) // max(tower.patch, 1)
    outer = tower.patches() + width + (side * side + 1) * width + 4 * width
    middle = tower.fields.whole("projector_output_dim", default=4096, most=MOST_WIDTH)
    adapter = tower.inner * middle + middle * middle
    return tower.layers * tower.plain_block() + outer + adapter + middle * hidden


def _gemma4(tower: _Tower, _: Fields, hidden: int) -> int:
    width, inner = tower.width, tower.inner
    head = tower.fields.whole("head_dim", default=72, most=65_536)
    positions = tower.fields.whole("position_embedding_size", default=10_240, most=10**7)
    block = 4 * width * width + 3 * width * inner + 4 * width + 2 * head
    return tower.layers * block + 2 * positions * width + tower.patches() + 2 * width + width * hidden


def _kimi(tower: _Tower, _: Fields, hidden: int) -> int:
    side = tower.fields.whole("init_pos_emb_height", default=64, most=4096)
    outer = tower.patches() + tower.width + side * side * tower.width + 2 * tower.width
    return tower.layers * tower.plain_block() + outer + _merger(tower, hidden, 2 * tower.width)


def _minimax(tower: _Tower, _: Fields, hidden: int) -> int:
    projector = tower.width * hidden + hidden + 2 * (hidden * hidden + hidden) + 4 * hidden * hidden + hidden
    return tower.layers * tower.plain_block() + tower.patches(2) + 2 * tower.width + projector


FAMILIES: dict[str, Callable[[_Tower, Fields, int], int]] = {
    "gemma3": _siglip,
    "siglip": _siglip,
    "pixtral": _pixtral,
    "mistral3": _pixtral,
    "mistral4": _pixtral,
    "mistral_large_3": _pixtral,
    "qwen2_vl": _qwen2,
    "qwen2_5_vl": _qwen2_5,
    "qwen3": _qwen3,
    "llama4": _llama4,
    "gemma4": _gemma4,
    "kimi_k25": _kimi,
    "minimax_m3": _minimax,
}
"""By the beginning of a model_type, of the whole model or of its vision part."""
