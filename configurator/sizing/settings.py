"""What sizing is asked: how the engine is started, what load it shall hold, and on which layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class LayoutLike(Protocol):
    """What sizing reads of a layout (scaling.results.Layout fits)."""

    @property
    def engine(self) -> str: ...
    @property
    def replicas(self) -> int: ...
    @property
    def pipeline_parallel(self) -> int: ...
    @property
    def tensor_parallel(self) -> int: ...
    @property
    def expert_parallel(self) -> int: ...
    @property
    def data_parallel_attention(self) -> int: ...


class InstanceLike(Protocol):
    """One copy on particular GPUs (scaling.results.Instance fits)."""

    @property
    def stages(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def layers_per_stage(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How the engine is started. None: the engine's own default for its version and the card.

    ``engine_version`` "": not stated. Then every release that can run the model must hold, and the most
    demanding one counts. The share of SGLang (mem_fraction_static) and of TensorRT-LLM is passed as
    ``gpu_memory_utilization`` too.
    """

    engine: str = "vllm"
    engine_version: str = ""
    kv_cache: str = "auto"
    gpu_memory_utilization: float | None = None
    max_model_len: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    enforce_eager: bool = False
    chunked_prefill: bool | None = None
    block_tokens: int | None = None
    decode_context_parallel: int = 1
    speculative_tokens: int = 0
    """Draft tokens of the model's own MTP layer; its weights and cache are counted."""
    released: str = ""
    """Month (YYYY-MM) the model came out when it is younger than the record of the same shape."""


@dataclass(frozen=True, slots=True)
class ServeLoad:
    """What is asked: requests at once, mean and longest tokens of one. None: not asked."""

    users: int | None = None
    context_tokens: int | None = None
    max_context_tokens: int | None = None
