"""Engine, card and format: what runs, what does not, and what is missing."""

from __future__ import annotations

import pytest

from configurator.scaling.support import gap
from tests.rules.ask import CATALOGUE

RUNS = [
    ("vllm", "nvidia-v100-sxm2-32gb", "fp16"),
    ("vllm", "nvidia-v100-sxm2-32gb", "gptq-int4"),
    ("vllm", "nvidia-rtx-3090", "fp8"),
    ("vllm", "nvidia-rtx-3090", "awq-int4"),
    ("vllm", "amd-mi300x", "fp8"),
    ("vllm", "amd-rx-7900-xtx", "awq-int4"),
    ("llama.cpp", "nvidia-p40", "q4_k_m"),
    ("llama.cpp", "apple-m3-ultra-512gb", "q4_k_m"),
    ("llama.cpp", "amd-mi50-16gb", "q4_k_m"),
]
REFUSED = [
    ("vllm", "nvidia-p40", "fp16", "engine_card"),
    ("vllm", "nvidia-p100-pcie-16gb", "gptq-int4", "engine_card"),
    ("sglang", "nvidia-v100-sxm2-32gb", "fp16", "engine_card"),
    ("vllm", "nvidia-v100-sxm2-32gb", "awq-int4", "format_card"),
    ("vllm", "nvidia-v100-sxm2-32gb", "fp8", "format_card"),
    ("vllm", "nvidia-rtx-3090", "q4_k_m", "engine_reads"),
    ("llama.cpp", "nvidia-rtx-3090", "awq-int4", "engine_reads"),
    ("vllm", "amd-rx-7900-xtx", "fp8", "format_card"),
    ("vllm", "amd-mi50-16gb", "fp16", "engine_card"),
    ("sglang", "amd-rx-7900-xtx", "bf16", "engine_card"),
    ("vllm", "apple-m3-ultra-512gb", "bf16", "engine_card"),
    ("tensorrt-llm", "amd-mi300x", "bf16", "engine_card"),
]


@pytest.mark.parametrize(("engine", "card", "weights"), RUNS)
def test_it_runs(engine: str, card: str, weights: str) -> None:
    assert gap(engine, CATALOGUE.gpus[card], CATALOGUE.weight_formats[weights]) is None


@pytest.mark.parametrize(("engine", "card", "weights", "kind"), REFUSED)
def test_it_is_refused_for_a_reason(engine: str, card: str, weights: str, kind: str) -> None:
    found = gap(engine, CATALOGUE.gpus[card], CATALOGUE.weight_formats[weights])
    assert found is not None
    assert found.kind == kind


def test_what_is_missing_has_numbers() -> None:
    found = gap("vllm", CATALOGUE.gpus["nvidia-p40"], CATALOGUE.weight_formats["fp16"])
    assert found is not None
    assert (found.need, found.have) == (7.0, 6.1)
