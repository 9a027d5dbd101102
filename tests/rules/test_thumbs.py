"""Where a text and measurements disagree, the product tells both."""

from __future__ import annotations

from typing import Any

import pytest

from configurator.wording import Wording
from tests.rules.ask import EIGHT, HOME, LOAD, PRO, R5090, Box, ask, found, plan_of, told

SEVENTY: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "fp8", **LOAD}
GIANT: dict[str, Any] = {**SEVENTY, "model": "llama-3.1-405b"}
TRAIN: dict[str, Any] = {"model": "llama-3.3-70b", "weights": "bf16", "task": "pretrain", "sequence_tokens": 4096}
ONE: tuple[Box, ...] = ((EIGHT, PRO, 8),)
FOURS: tuple[Box, ...] = ((EIGHT, PRO, 4), (EIGHT, PRO, 4))


@pytest.mark.parametrize(
    ("code", "boxes", "link", "load", "figures"),
    [
        ("thumb.pcie.rate", ONE, "", SEVENTY, ("50 GB/s", "54 GB/s", "22 GB/s")),
        ("thumb.latency.rdma", FOURS, "ib-hdr", GIANT, ("5 to 15", "23 GB/s")),
        ("thumb.giant.comfort", ONE, "", GIANT, ("uncomfortable", "50 %")),
        ("thumb.speed.range", ONE, "", SEVENTY, ("500 to 2 000",)),
        ("thumb.one_card.seventy", ONE, "", SEVENTY, ("516 tokens/s",)),
        ("thumb.adam.state", ONE, "", TRAIN, ("eight times", "564 GB")),
        ("thumb.cache.seventy", ONE, "", SEVENTY, ("1 to 2 GB", "2.68 GB")),
        ("thumb.pretrain.months", ONE, "", TRAIN, ("hundreds", "9 589")),
        ("thumb.tp.chain", ONE, "", SEVENTY, ("twice as fast", "1.6 times")),
        ("thumb.ethernet.possible", FOURS, "eth-25g", GIANT, ("InfiniBand", "100 GbE")),
    ],
)
def test_both_figures_are_told(
    code: str, boxes: tuple[Box, ...], link: str, load: dict[str, Any], figures: tuple[str, ...]
) -> None:
    text = Wording().text(told(ask(plan_of(*boxes, link=link, **load)), code).text)
    plain = text.replace("\u00a0", " ").replace("\u202f", " ")
    for figure in figures:
        assert figure in plain


def test_geforce_is_told_to_lack_direct_exchange() -> None:
    answer = ask(plan_of(("epyc-sp3-7slot-openframe", R5090, 2), **{**SEVENTY, "model": "llama-3.1-8b"}))
    assert told(answer, "p2p.off.driver").rule == "R42"


def test_a_small_model_on_one_card_is_spared() -> None:
    answer = ask(plan_of((HOME, "nvidia-rtx-4090", 1), model="llama-3.1-8b", weights="fp8", **LOAD))
    for code in ("thumb.pcie.rate", "thumb.giant.comfort", "thumb.one_card.seventy", "thumb.adam.state"):
        assert found(answer, code) is None
