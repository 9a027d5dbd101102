"""What each engine leaves for the KV cache on one GPU: its budget rule and what it counts against it."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.catalogue.records import ModelRecord
from configurator.sizing.activations import BatchLimits, peak_bytes
from configurator.sizing.devices import DeviceMemory
from configurator.sizing.profiles import GIB, EngineProfile, memory_table
from configurator.sizing.settings import ServeSettings
from configurator.sizing.shape import LATENT


@dataclass(frozen=True, slots=True)
class RankLedger:
    """One GPU of a copy before the pool is shared out. ``pool`` is negative by what is missing."""

    device: DeviceMemory
    weights: float
    activation: float
    overhead: float
    pool: float


def working_memory(
    model: ModelRecord,
    profile: EngineProfile,
    limits: BatchLimits,
    tensor_parallel: int,
    expert_parallel: int,
    *,
    last: bool,
) -> float:
    """Activations at their peak on one rank of a stage (``last``: the stage with the output head)."""
    if profile.engine == "llama.cpp":
        # One graph per device: FP32 logits of a micro-batch where the head is, hidden states elsewhere.
        rows = 4.0 * limits.tokens
        inner = rows * (model.hidden_size + 2 * max(model.intermediate_size, model.hidden_size))
        return max(inner, rows * (model.vocabulary + model.hidden_size) if last else 0.0)
    if profile.engine == "sglang":
        wide = model.intermediate_size / tensor_parallel
        return 2.0 * limits.tokens * (3 * wide + 5 * model.hidden_size) + 4.0 * limits.sequences * model.vocabulary
    return peak_bytes(model, profile, limits, tensor_parallel, expert_parallel, last_stage=last)


def rank_ledger(
    device: DeviceMemory,
    weights: float,
    peak: float,
    profile: EngineProfile,
    settings: ServeSettings,
    model: ModelRecord,
    group: int,
    tensor_parallel: int,
) -> RankLedger:
    """Ledger of one GPU in a copy of ``group`` GPUs."""
    graphs = 0.0 if settings.enforce_eager else profile.graph_bytes
    outside = profile.non_torch(group) + _context_parallel_bytes(model, settings)
    context = 0 if device.unified else device.context_bytes
    fixed = device.memory_bytes - device.total_bytes + device.reserved_bytes + context
    if profile.engine == "sglang":
        share = settings.gpu_memory_utilization or sglang_share(profile, device, tensor_parallel, settings)
        free = device.free_bytes - outside
        return RankLedger(
            device, weights, min(peak, max(0.0, free * (1 - share))), fixed + outside, free * share - weights
        )
    if profile.engine == "tensorrt-llm":
        share = settings.gpu_memory_utilization or profile.utilization
        free = device.free_bytes - outside - weights - peak
        return RankLedger(device, weights, peak, fixed + outside, free * share if free > 0 else free)
    if profile.engine == "llama.cpp":
        pool = device.free_bytes - profile.margin_bytes - weights - peak
        return RankLedger(device, weights, peak, fixed + profile.margin_bytes, pool)
    if device.unified:
        # Page cache counts as used there, in the outside memory and in the trial captures of graphs.
        rules = memory_table()["unified"]
        outside += rules["outside_gib"] * GIB
        graphs += rules["graph_gib"] * GIB if profile.graphs_in_budget and graphs else 0.0
    share = settings.gpu_memory_utilization or profile.utilization
    budget = device.total_bytes * share
    counted = graphs if profile.graphs_in_budget else 0.0
    pool = budget - weights - peak - outside - counted - (context if profile.context_in_budget else 0)
    free = device.free_bytes
    if budget > free:
        # vLLM refuses to start when less is free than its share asks for.
        pool = min(pool, free - budget)
    return RankLedger(device, weights, peak, fixed + outside + graphs, pool)


def _context_parallel_bytes(model: ModelRecord, settings: ServeSettings) -> float:
    """Gathered latent of cached prefixes: 65,536 tokens, two buffers for each further context-parallel rank."""
    extra = settings.decode_context_parallel - 1
    latent = [group.kv_elements_per_token for group in model.attention if group.kind in LATENT]
    if extra <= 0 or not latent:
        return 0.0
    return 2.0 * extra * 65_536 * 2 * max(latent)


def sglang_share(profile: EngineProfile, device: DeviceMemory, tensor_parallel: int, settings: ServeSettings) -> float:
    """SGLang's default share of memory for weights and pools, by version. Source: server_args.py."""
    total_mib = device.memory_bytes / 1024**2
    if profile.share == "by_tensor_parallel":
        for ranks, share in ((16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87)):
            if tensor_parallel >= ranks:
                return share
        return 0.88
    if profile.share == "by_memory_class":
        if total_mib < 35 * 1024:
            reserved = (2.8 + tensor_parallel / 10) * 1024
        elif total_mib < 90 * 1024:
            reserved = (9.5 + tensor_parallel / 2) * 1024
        elif total_mib < 160 * 1024:
            reserved = (12 + tensor_parallel / 2) * 1024
        else:
            reserved = 32.0 * 1024
        return round((total_mib - reserved) / total_mib, 3)
    chunk = settings.max_num_batched_tokens or _sglang_chunk(total_mib)
    graphs = _sglang_graph_batch(total_mib, tensor_parallel)
    reserved = 512 + max(chunk, 2048) * 1.5 + graphs * 2 + tensor_parallel / 8 * 1024
    if total_mib > 60 * 1024:
        reserved = max(reserved, 10 * 1024)
    return round((total_mib - reserved) / total_mib, 3)


def _sglang_chunk(total_mib: float) -> int:
    for floor, chunk in ((160, 16384), (60, 8192), (35, 4096), (20, 4096)):
        if total_mib >= floor * 1024:
            return chunk
    return 2048


def _sglang_graph_batch(total_mib: float, tensor_parallel: int) -> int:
    if total_mib < 20 * 1024:
        return 8
    if total_mib < 35 * 1024:
        return 24 if tensor_parallel < 4 else 80
    if total_mib < 60 * 1024:
        return 32 if tensor_parallel < 4 else 160
    return 256 if total_mib < 160 * 1024 else 512
