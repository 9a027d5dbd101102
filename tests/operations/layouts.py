"""Layouts as scaling would answer them, small enough to check by hand."""

from __future__ import annotations

from configurator.plan.model import Plan
from configurator.scaling.results import Instance, Layout, ScoredLayout, Speed
from configurator.sizing.results import GpuMemory, LayoutMemory
from configurator.terms import Estimate, message

GIB = 2**30


def gpu_ids(plan: Plan) -> list[str]:
    return [
        slot.gpu.id for site in plan.sites for server in site.servers for slot in server.slots if slot.gpu is not None
    ]


def scored(
    *copies: tuple[tuple[str, ...], ...], tokens_per_s: float = 1_000.0, engine: str = "vllm", weights_gib: float = 10.0
) -> ScoredLayout:
    """One ScoredLayout with the given copies (stages of GPU ids)."""
    gpus = [gpu for copy in copies for stage in copy for gpu in stage]
    exact = Estimate.exact
    memory = LayoutMemory(
        fit="serves_with_reserve",
        per_gpu=tuple(
            GpuMemory(gpu, "card", 24 * GIB, int(weights_gib * GIB), 0, 0, 0, int((24 - weights_gib) * GIB))
            for gpu in gpus
        ),
        kv_cache_tokens=exact(100_000),
        max_concurrency=exact(10),
        users_served=exact(10),
        max_context_tokens=8_192,
        weights_share=0.5,
        headroom_share=0.4,
    )
    speed = Speed(
        output_tokens_per_s=Estimate(0.8 * tokens_per_s, tokens_per_s, 1.2 * tokens_per_s, "tokens/s"),
        output_tokens_per_s_per_user=exact(20),
        time_to_first_token_s=exact(1),
        time_per_output_token_s=exact(0.05),
        prefill_tokens_per_s=exact(5_000),
        users_in_flight=exact(10),
        saturated=False,
        limited_by=message("limited.memory_bandwidth"),
        calibrated=True,
    )
    layout = Layout(engine, len(copies), len(copies[0]), len(copies[0][0]))
    instances = tuple(Instance(copy, tuple(1 for _ in copy)) for copy in copies)
    return ScoredLayout(layout, instances, (), memory, speed, None, 1.0, None)
