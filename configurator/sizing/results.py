"""What sizing answers. Bytes per GPU, tokens per engine copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.terms import Estimate, Message

Fit = Literal["no", "starts", "serves", "serves_with_reserve"]
"""no: does not start; starts: loads and takes one full-length request; serves: holds the asked load;
serves_with_reserve: and keeps the policy's reserve."""

FIT_ORDER: tuple[Fit, ...] = ("no", "starts", "serves", "serves_with_reserve")


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """How the memory of one GPU is used. The five parts add up to ``memory_bytes``.

    ``kv_cache_bytes`` is what the asked load needs (not the whole pool); ``free_bytes`` the rest,
    never negative: a shortfall is ``short_bytes``.
    """

    gpu_id: str
    gpu: str
    memory_bytes: int
    weights_bytes: int
    kv_cache_bytes: int
    activation_bytes: int
    overhead_bytes: int
    free_bytes: int
    short_bytes: int = 0
    kv_pool_bytes: int = 0
    """What the engine would reserve for KV cache."""


@dataclass(frozen=True, slots=True)
class LayoutMemory:
    """Memory answer for one layout of one workload (all copies)."""

    fit: Fit
    per_gpu: tuple[GpuMemory, ...]
    kv_cache_tokens: Estimate
    """Tokens the KV pool of one copy holds."""
    max_concurrency: Estimate
    """Full-length requests at once, one copy."""
    users_served: Estimate
    """Requests at the asked mean context at once, all copies."""
    max_context_tokens: int
    """Longest context that holds for the asked users, all copies; at most the model's own limit, whatever was asked."""
    weights_share: float
    """Weights over usable memory of the tightest GPU."""
    headroom_share: float
    """Free of weights, asked KV, working memory and overhead, over usable memory, tightest GPU."""
    reason: Message | None = None
    """Why it does not fit, when it does not."""
