"""Laws of serving speed that hold for every card, model and load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import hypothesis.strategies as st
from hypothesis import given, settings

from configurator.catalogue import load_catalogue
from configurator.catalogue.records import Fact, GpuRecord, ModelRecord
from configurator.scaling.serving import plain_engine
from configurator.scaling.steady import Demand, Engine, run

CATALOGUE = load_catalogue()
GPUS = sorted(CATALOGUE.gpus)
MODELS = sorted(CATALOGUE.models)
LITTLE: Final = 1.02
"""The search for the steady state ends at a tenth of a percent; shared passes add steps of about one percent."""

cards = st.sampled_from(GPUS)
models = st.sampled_from(MODELS)
formats = st.sampled_from(("fp8", "bf16", "nvfp4", "awq-int4", "int4-g32"))
engines = st.sampled_from(("vllm", "sglang", "tensorrt-llm"))
widths = st.sampled_from((1, 2, 4, 8))
prompts = st.sampled_from((64, 512, 2048, 9000, 40_000))
answers = st.sampled_from((64, 200, 1024, 4000))
crowds = st.floats(1.0, 400.0)


@dataclass(frozen=True)
class Line:
    """Collectives over a link: a fixed time and a rate."""

    bytes_per_s: float
    step_s: float = 2e-5

    def all_reduce_s(self, nbytes: float) -> float:
        return self.step_s + 2.0 * nbytes / self.bytes_per_s

    def all_gather_s(self, nbytes: float) -> float:
        return self.step_s + nbytes / self.bytes_per_s

    def reduce_scatter_s(self, nbytes: float) -> float:
        return self.step_s + nbytes / self.bytes_per_s


def engine(
    gpu: GpuRecord,
    model: ModelRecord,
    weights: str = "fp8",
    kind: str = "vllm",
    tensor: int = 1,
    link: Line | None = None,
    capacity: float = 1e6,
) -> Engine:
    return plain_engine(
        model,
        CATALOGUE.weight_formats[weights],
        gpu,
        engine=kind,
        tensor_parallel=tensor,
        links=link or Line(5e10),
        capacity=capacity,
    )


def faster(gpu: GpuRecord, factor: float) -> GpuRecord:
    rate = gpu.memory_bandwidth.value * factor
    return replace(gpu, memory_bandwidth=Fact(rate, rate, rate, "high", ("made up",)))


@given(cards, models, formats, engines, widths, prompts, answers, crowds, st.floats(1.0, 3.0))
@settings(max_examples=80, deadline=None)
def test_throughput_never_falls_when_memory_gets_faster(
    card: str, name: str, weights: str, kind: str, tensor: int, prompt: int, answer: int, users: float, factor: float
) -> None:
    gpu, model = CATALOGUE.gpus[card], CATALOGUE.models[name]
    demand = Demand(prompt, answer, users=users)
    slow = run(engine(gpu, model, weights, kind, tensor), demand)
    fast = run(engine(faster(gpu, factor), model, weights, kind, tensor), demand)
    assert fast.output_tokens_per_s * LITTLE >= slow.output_tokens_per_s


@given(cards, models, formats, engines, st.sampled_from((2, 4, 8)), prompts, answers, crowds, st.floats(1.0, 50.0))
@settings(max_examples=80, deadline=None)
def test_throughput_never_falls_when_a_link_gets_faster(
    card: str, name: str, weights: str, kind: str, tensor: int, prompt: int, answer: int, users: float, factor: float
) -> None:
    gpu, model = CATALOGUE.gpus[card], CATALOGUE.models[name]
    demand = Demand(prompt, answer, users=users)
    slow = run(engine(gpu, model, weights, kind, tensor, Line(1e9)), demand)
    fast = run(engine(gpu, model, weights, kind, tensor, Line(1e9 * factor)), demand)
    assert fast.output_tokens_per_s * LITTLE >= slow.output_tokens_per_s


@given(cards, models, formats, engines, prompts, answers, crowds, st.floats(1.0, 4.0), st.sampled_from((8.0, 1e6)))
@settings(max_examples=120, deadline=None)
def test_no_answer_gets_quicker_when_more_people_ask(
    card: str, name: str, weights: str, kind: str, prompt: int, answer: int, users: float, more: float, room: float
) -> None:
    gpu, model = CATALOGUE.gpus[card], CATALOGUE.models[name]
    made = engine(gpu, model, weights, kind, capacity=room)
    few = run(made, Demand(prompt, answer, users=users))
    many = run(made, Demand(prompt, answer, users=users * more))
    assert many.time_per_output_token_s * LITTLE >= few.time_per_output_token_s
    whole = [each.time_to_first_token_s + each.time_per_output_token_s * (answer - 1) for each in (few, many)]
    assert whole[1] * LITTLE >= whole[0]


@given(cards, models, prompts, answers, crowds, st.floats(0.0, 0.9), st.floats(1.0, 3.0))
@settings(max_examples=60, deadline=None)
def test_known_prompts_and_accepted_drafts_never_hurt(
    card: str, name: str, prompt: int, answer: int, users: float, share: float, accepted: float
) -> None:
    gpu, model = CATALOGUE.gpus[card], CATALOGUE.models[name]
    made = engine(gpu, model)
    plain = run(made, Demand(prompt, answer, users=users))
    known = run(made, Demand(prompt, answer, users=users, prefix_hit_share=share))
    drafted = run(made, Demand(prompt, answer, users=users, accepted_tokens=accepted))
    assert known.output_tokens_per_s * LITTLE >= plain.output_tokens_per_s
    assert drafted.output_tokens_per_s * LITTLE >= plain.output_tokens_per_s


@given(cards, models, prompts, answers, st.floats(0.01, 0.95))
@settings(max_examples=60, deadline=None)
def test_requests_below_the_limit_are_all_answered(
    card: str, name: str, prompt: int, answer: int, share: float
) -> None:
    gpu, model = CATALOGUE.gpus[card], CATALOGUE.models[name]
    made = engine(gpu, model, capacity=64.0)
    most = run(made, Demand(prompt, answer, users=64.0)).requests_per_s
    found = run(made, Demand(prompt, answer, requests_per_s=most * share))
    assert abs(found.requests_per_s / (most * share) - 1.0) < 0.05
    assert not found.saturated
    assert run(made, Demand(prompt, answer, requests_per_s=most * 1.5)).saturated
