"""Working memory an engine reserves: the peak of its start-up run with a full batch of dummy tokens."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.catalogue.records import ModelRecord
from configurator.sizing.devices import DeviceMemory
from configurator.sizing.profiles import GIB, EngineProfile, memory_table


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Tokens and sequences one engine step may carry."""

    tokens: int
    sequences: int


def batch_limits(
    profile: EngineProfile,
    device: DeviceMemory,
    model: ModelRecord,
    max_model_len: int,
    max_num_batched_tokens: int | None = None,
    max_num_seqs: int | None = None,
    *,
    chunked_prefill: bool | None = None,
) -> BatchLimits:
    """Batch defaults of an engine version on a card, the owner's own settings first.

    vLLM before 0.8 ran whole prompts: its batch was as long as ``max_model_len`` until 32,768, above that it cut
    prompts into chunks (vLLM issue 10517: 20k starts, 29k is refused, 35k starts).
    """
    large = device.total_bytes >= 70 * GIB and not (profile.a100_small and device.small_batch_class)
    tokens = max_num_batched_tokens
    if tokens is None:
        if profile.chunk == "unless_long":
            chunked = max_model_len > 32_768 if chunked_prefill is None else chunked_prefill
            tokens = profile.chunk_tokens if chunked else max(max_model_len, 2048)
            if not chunked and is_multimodal(model):
                tokens = max(tokens, 5120)
        elif device.total_bytes >= 160 * GIB:
            tokens = profile.huge_chunk
        else:
            tokens = profile.large_chunk if large else profile.chunk_tokens
    sequences = max_num_seqs
    if sequences is None:
        sequences = min(profile.large_seqs if large else profile.seqs, tokens)
    return BatchLimits(max(1, tokens), max(1, sequences))


def peak_bytes(
    model: ModelRecord,
    profile: EngineProfile,
    limits: BatchLimits,
    tensor_parallel: int,
    expert_parallel: int = 1,
    *,
    last_stage: bool = True,
) -> float:
    """Peak of the start-up run on one rank, weights left out.

    The largest of three moments that do not overlap: the widest feed-forward over all tokens, the sampler over all
    sequences (on the last stage), and the vision encoder with the largest image.
    """
    hidden = 2.0 * model.hidden_size * limits.tokens
    width = 0.0
    if model.parameters.dense_mlp:
        width = model.intermediate_size / tensor_parallel
    moe = model.moe
    expert = 0.0
    if moe is not None and moe.layers:
        width = max(width, moe.shared_intermediate_size / tensor_parallel)
        routed = limits.tokens * moe.experts_per_token
        sliced = moe.intermediate_size / (1 if expert_parallel > 1 else tensor_parallel)
        latent = moe.latent_size or model.hidden_size
        expert = 2.0 * routed * (max(2 * sliced, latent) + sliced) + 2.0 * limits.tokens * latent
    feed_forward = 2.0 * limits.tokens * 3 * width + hidden * profile.mlp_hidden
    if expert:
        feed_forward = max(feed_forward, expert + hidden * 3)
    sampler = 0.0
    if last_stage and model.purpose == "generate":
        sampler = 4.0 * limits.sequences * model.vocabulary * profile.sampler_copies + 1.3 * hidden
    return max(feed_forward, sampler, _vision_peak(model)) + profile.fixed_bytes


def is_multimodal(model: ModelRecord) -> bool:
    """Whether the model takes images."""
    return model.parameters.vision > 0


def _vision_peak(model: ModelRecord) -> float:
    """Encoder working memory with the largest image, for families whose images are large."""
    if not model.parameters.vision:
        return 0.0
    table = memory_table()["vision"]
    sizes = table["encoder"].get(model.family)
    if sizes is None:
        return 0.0
    hidden: float = sizes[0]
    wide: float = sizes[1]
    patches: float = table["image_tokens"] * table["merge"]
    return patches * 2.0 * (wide + 6 * hidden)
