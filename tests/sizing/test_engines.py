"""What engines print when they start, term by term."""

from __future__ import annotations

import pytest

from configurator.sizing import ServeLoad, ServeSettings, device_memory
from configurator.sizing.activations import batch_limits
from configurator.sizing.profiles import profiles_for
from tests.sizing.layouts import CATALOGUE, devices, model, serve

GIB = 1024**3

H100 = [
    # model, format, TP, share, weights, activation peak, non-torch, KV: GiB per GPU
    ("gpt-oss-20b", "mxfp4", 1, 0.90, 13.47, 7.38, 0.13, 50.28),
    ("gpt-oss-120b", "mxfp4", 1, 0.95, 64.38, 7.38, 0.13, 3.33),
    ("llama-3.3-70b", "fp8-channel", 2, 0.90, 33.88, 4.84, 0.55, 32.00),
    ("llama-3.1-8b", "bf16", 1, 0.90, 14.99, 4.76, 0.13, 51.38),
    ("qwen3-0.6b", "bf16", 1, 0.90, 1.12, 5.56, 0.13, 64.45),
    ("qwen3-32b", "bf16", 1, 0.90, 61.03, 5.64, 0.14, 4.45),
    ("qwen3-32b", "bf16", 2, 0.90, 30.59, 5.64, 0.54, 34.49),
    ("mistral-small-3.2-24b", "bf16", 1, 0.95, 44.76, 2.12, 0.14, 28.20),
]
"""llm-d-incubation/llm-d-planner, empirical vLLM memory results: H100 80 GB, 79.18 GiB seen, max-model-len 16000.

The shares of gpt-oss-120b and Mistral are 0.95: the printed terms add up to that, not to the 0.90 of the heading.
"""

OTHER_SAMPLER = {"mistral-small-3.2-24b"}
"""Its run sampled with another kernel that sorts nothing: the peak is the encoder's 2.1 GiB, we count a sort."""


@pytest.mark.parametrize(("name", "form", "tensor", "share", "loaded", "peak", "outside", "pool"), H100)
def test_h100_memory_table(
    name: str, form: str, tensor: int, share: float, loaded: float, peak: float, outside: float, pool: float
) -> None:
    asked = ServeSettings(engine_version="0.10.2", max_model_len=16_000, gpu_memory_utilization=share)
    found = serve(name, form, "h100 sxm", tensor, settings=asked).per_gpu[0]
    assert found.weights_bytes / GIB == pytest.approx(loaded, abs=0.5)
    if name in OTHER_SAMPLER:
        assert found.activation_bytes / GIB > peak
        assert found.kv_pool_bytes / GIB == pytest.approx(pool, rel=0.11)
        return
    assert found.activation_bytes / GIB == pytest.approx(peak, abs=0.5)
    assert found.kv_pool_bytes / GIB == pytest.approx(pool, abs=0.5)
    # Outside the engine's accounts stand the driver's context and what the card keeps, besides the printed term.
    assert outside <= found.overhead_bytes / GIB <= outside + 2


@pytest.mark.parametrize(("length", "starts"), [(20_000, True), (29_000, False), (35_000, True)])
def test_longer_contexts_may_start_where_shorter_ones_do_not(length: int, starts: bool) -> None:
    """vLLM issue 10517, RTX 3090 and Llama 3.1 8B: above 32,768 tokens prompts are cut, and the peak falls."""
    asked = ServeSettings(engine_version="0.6.4", max_model_len=length, gpu_memory_utilization=0.9)
    assert (serve("llama-3.1-8b", "bf16", "3090", settings=asked).fit != "no") is starts


def test_a_whole_run_on_a_4090() -> None:
    """casys-kaist/LLMServingSim, RTX 4090, vLLM 0.19.0: 2,588 blocks = 41,408 tokens."""
    asked = ServeSettings(
        engine_version="0.19.0", max_model_len=32_768, max_num_seqs=256, max_num_batched_tokens=2048,
        gpu_memory_utilization=0.9,
    )  # fmt: skip
    found = serve("llama-3.1-8b", "bf16", "4090", settings=asked)
    assert found.kv_cache_tokens.expected == pytest.approx(41_408, rel=0.02)
    assert found.kv_cache_tokens.expected % 16 == 0


def test_defaults_by_version_and_memory() -> None:
    def tokens(version: str, gpu: str) -> tuple[int, int]:
        (profile,) = profiles_for("vllm", version)
        found = batch_limits(profile, devices(gpu, 1)["gpu0"], model("llama-3.1-8b"), 8192)
        return found.tokens, found.sequences

    assert tokens("0.11.0", "h100 sxm") == (8192, 1024)
    assert tokens("0.11.0", "4090") == (2048, 256)
    assert tokens("0.11.0", "a100 80gb") == (2048, 256)
    assert tokens("0.33.0", "b200")[0] == 16_384
    assert tokens("0.6.4", "4090")[0] == 8192


def test_the_share_changed_with_the_version() -> None:
    old = serve("llama-3.1-8b", "bf16", "h100 sxm", settings=ServeSettings(engine_version="0.11.0", max_model_len=8192))
    same = serve(
        "llama-3.1-8b", "bf16", "h100 sxm",
        settings=ServeSettings(engine_version="0.11.0", max_model_len=8192, gpu_memory_utilization=0.9),
    )  # fmt: skip
    assert old.per_gpu == same.per_gpu
    new = serve("llama-3.1-8b", "bf16", "h100 sxm", settings=ServeSettings(engine_version="0.33.0", max_model_len=8192))
    share = ServeSettings(engine_version="0.33.0", max_model_len=8192, gpu_memory_utilization=0.92)
    assert new.per_gpu == serve("llama-3.1-8b", "bf16", "h100 sxm", settings=share).per_gpu


def test_no_version_is_never_more_hopeful_than_the_worst_release() -> None:
    open_ = serve("llama-3.1-8b", "bf16", "3090", settings=ServeSettings(max_model_len=8192))
    for version in ("0.6.4", "0.8.5", "0.11.0", "0.19.0", "0.33.0"):
        named = serve(
            "llama-3.1-8b", "bf16", "3090", settings=ServeSettings(engine_version=version, max_model_len=8192)
        )
        assert open_.per_gpu[0].kv_pool_bytes <= named.per_gpu[0].kv_pool_bytes
        assert open_.kv_cache_tokens.high >= named.kv_cache_tokens.expected or version != "0.33.0"


def test_eager_mode_and_longer_batches() -> None:
    plain = ServeSettings(engine_version="0.33.0", max_model_len=8192)
    base = serve("qwen3-32b", "fp8", "h100 sxm", settings=plain).per_gpu[0]
    eager = ServeSettings(engine_version="0.33.0", max_model_len=8192, enforce_eager=True)
    assert serve("qwen3-32b", "fp8", "h100 sxm", settings=eager).per_gpu[0].kv_pool_bytes > base.kv_pool_bytes
    long = ServeSettings(engine_version="0.33.0", max_model_len=8192, max_num_batched_tokens=65_536)
    assert serve("qwen3-32b", "fp8", "h100 sxm", settings=long).per_gpu[0].activation_bytes > base.activation_bytes


def test_a_share_larger_than_what_is_free_is_refused() -> None:
    asked = ServeSettings(engine_version="0.11.0", max_model_len=4096, gpu_memory_utilization=0.999)
    assert serve("qwen3-0.6b", "bf16", "h100 sxm", settings=asked).fit == "no"


def test_context_parallel_decoding_divides_a_latent_cache() -> None:
    """voipmonitor/rtx6kpro, Kimi K2 on 8 cards: 8 ranks hold eight times the tokens less a little."""
    one = ServeSettings(engine_version="0.20.1", max_model_len=8192, gpu_memory_utilization=0.94, max_num_seqs=64)
    eight = ServeSettings(
        engine_version="0.20.1", max_model_len=8192, gpu_memory_utilization=0.94, max_num_seqs=64,
        decode_context_parallel=8,
    )  # fmt: skip
    single = serve("kimi-k2.5", "int4-g32", "rtx pro 6000 blackwell server", 8, settings=one).kv_cache_tokens.expected
    shared = serve("kimi-k2.5", "int4-g32", "rtx pro 6000 blackwell server", 8, settings=eight).kv_cache_tokens.expected
    assert single > 0
    assert 6.5 * single < shared < 8 * single


def test_sglang_keeps_no_peak_of_its_own() -> None:
    """Issue 21348: on the same four H100 SGLang holds far more tokens than vLLM, 367,404 against 178,880."""
    vllm = serve("qwen3-235b-a22b", "fp8", "h100 sxm", 4, settings=ServeSettings(max_model_len=40_960))
    asked = ServeSettings(engine="sglang", max_model_len=40_960, gpu_memory_utilization=0.93)
    sglang = serve("qwen3-235b-a22b", "fp8", "h100 sxm", 4, settings=asked)
    assert sglang.kv_cache_tokens.expected > 1.5 * vllm.kv_cache_tokens.expected
    assert sglang.kv_cache_tokens.expected == pytest.approx(367_404, rel=0.1)


def test_tensorrt_takes_a_share_of_what_is_free_after_loading() -> None:
    """TensorRT-LLM issue 4275: RTX 5090, Llama 3.1 8B FP8, FP8 cache: 16.05 GiB, 263,008 tokens."""
    asked = ServeSettings(engine="tensorrt-llm", kv_cache="fp8", gpu_memory_utilization=0.9, max_model_len=8192)
    found = serve("llama-3.1-8b", "fp8", "5090", settings=asked)
    assert found.per_gpu[0].kv_pool_bytes / GIB == pytest.approx(16.05, rel=0.1)


def test_llama_cpp_spreads_layers_over_unequal_cards() -> None:
    asked = ServeSettings(engine="llama.cpp", max_model_len=8192)
    one = serve("qwen3-32b", "q4_k_m", "4090", settings=asked)
    two = serve("qwen3-32b", "q4_k_m", "3090", stages=2, settings=asked)
    assert one.fit != "no"
    assert sum(gpu.kv_pool_bytes for gpu in two.per_gpu) > 3 * one.per_gpu[0].kv_pool_bytes
    assert two.per_gpu[0].weights_bytes < one.per_gpu[0].weights_bytes


def test_what_hosts_keep_for_themselves() -> None:
    card = CATALOGUE.gpus["nvidia-rtx-4090"]
    bare = device_memory("a", card)
    shown = device_memory("a", card, drives_display=True)
    windows = device_memory("a", card, "windows")
    wsl = device_memory("a", card, "wsl2")
    assert bare.free_bytes > shown.free_bytes
    assert bare.free_bytes > wsl.free_bytes > windows.free_bytes
    spark = device_memory("a", CATALOGUE.gpus["nvidia-gb10-dgx-spark"])
    assert spark.unified
    assert 119 < spark.total_bytes / GIB < 122
    apple = device_memory("a", CATALOGUE.gpus["apple-m3-ultra-512gb"])
    assert apple.memory_bytes == pytest.approx(0.75 * 512 * GIB)


def test_users_at_the_mean_are_more_than_full_requests() -> None:
    asked = ServeSettings(engine_version="0.11.0", max_model_len=32_768)
    found = serve("qwen3-32b", "fp8", "h100 sxm", settings=asked, load=ServeLoad(None, 4096))
    assert found.users_served.expected > 6 * found.max_concurrency.expected
    capped = ServeSettings(engine_version="0.11.0", max_model_len=32_768, max_num_seqs=8)
    assert serve("qwen3-32b", "fp8", "h100 sxm", settings=capped, load=ServeLoad(None, 4096)).users_served.expected == 8


def test_an_unknown_engine_or_cache_type_is_named() -> None:
    with pytest.raises(ValueError, match="ollama"):
        serve("llama-3.1-8b", "bf16", "4090", settings=ServeSettings(engine="ollama"))
    with pytest.raises(ValueError, match="q99"):
        serve("llama-3.1-8b", "bf16", "4090", settings=ServeSettings(kv_cache="q99"))
