"""What ``configurator size`` says about speed."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.catalogue import load_catalogue
from configurator.cli_size.answers import answer

CATALOGUE = load_catalogue()
RANGES = (
    "output_tokens_per_s",
    "output_tokens_per_s_per_user",
    "time_to_first_token_s",
    "time_per_output_token_s",
    "prefill_tokens_per_s",
)


def asked(**fields: Any) -> dict[str, Any]:
    given = {"model": "llama-3.3-70b", "weights": "fp8", "users": 16, "input_tokens": 1024, "output_tokens": 256}
    return answer({**given, **fields}, CATALOGUE)


def test_every_rate_has_three_ordered_figures_and_a_limit() -> None:
    found = asked(gpu="RTX PRO 6000 Blackwell Server", count=8, tensor_parallel=4)
    for name in RANGES:
        low, expected, high = (found["speed"][name][each] for each in ("low", "expected", "high"))
        assert 0 < low <= expected <= high
    assert found["limited_by"] in {"memory_bandwidth", "compute", "link", "kv_capacity", "max_num_seqs", "launch"}
    assert found["limited_by_text"].endswith(".")


def test_all_layouts_come_with_speed_or_a_reason() -> None:
    found = asked(gpu="RTX PRO 6000 Blackwell Server", count=8)
    assert [each["chosen"] for each in found["layouts"]].count(True) == 1
    assert found["layouts"][0]["chosen"]
    for each in found["layouts"]:
        assert each["speed"] is not None or each["reason"]["text"]


def test_efficiency_starts_at_one_and_names_its_baseline() -> None:
    curve = asked(gpu="RTX PRO 6000 Blackwell Server", count=8)["efficiency"]
    assert curve["baseline_gpus"] == 1
    first = next(each for each in curve["points"] if each["mode"] == "dp" and each["gpus"] == 1)
    assert first["efficiency"]["expected"] == pytest.approx(1.0)


def test_a_named_fabric_joins_the_servers() -> None:
    found = asked(gpu="RTX PRO 6000 Blackwell Server", count=8, servers=2, fabric="25gbe", tensor_parallel=8)
    inside = asked(gpu="RTX PRO 6000 Blackwell Server", count=8, tensor_parallel=8)
    slow, fast = (each["speed"]["output_tokens_per_s"]["expected"] for each in (found, inside))
    assert slow < 0.7 * fast
    assert found["limited_by"] in {"link", "compute"}


def test_what_does_not_fit_has_no_speed() -> None:
    found = asked(gpu="RTX 4090", count=1)
    assert found["speed"] is None
    assert found["limited_by"] is None
    assert found["efficiency"] is None


def test_training_says_tokens_per_second() -> None:
    found = asked(gpu="H100", count=8, model="llama-3.1-8b", weights="bf16", task="lora", sequence_tokens=2048)
    assert found["speed"]["tokens_per_s"]["expected"] > 0
    assert 0 < found["speed"]["model_flops_utilisation"]["expected"] < 1


def test_unequal_and_odd_cards_are_answered() -> None:
    found = answer(
        {
            "gpus": [{"gpu": "RTX 5090", "count": 1}, {"gpu": "RTX 3090", "count": 2}],
            "model": "qwen2.5-32b",
            "weights": "awq-int4",
            "users": 2,
            "input_tokens": 512,
            "output_tokens": 128,
        },
        CATALOGUE,
    )
    assert found["layouts"]
    assert found["layouts"][0]["speed"] is not None
