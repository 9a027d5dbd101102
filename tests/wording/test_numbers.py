"""Numbers as people say them."""

from __future__ import annotations

import pytest

from configurator.terms import Estimate, Message, message
from configurator.wording import Wording

OWNER = Wording()
N = "\u00a0"
T = "\u202f"


@pytest.mark.parametrize(
    ("low", "high", "unit", "said"),
    [
        (88.3, 121.2, "tokens/s", f"88–120{N}tokens/s"),
        (0.61, 1.12, "s", f"0.61–1.1{N}s"),
        (11_240.0, 15_810.0, "EUR/year", f"11{T}000–16{T}000{N}EUR per year"),
        (0.403, 0.617, "share", f"40–62{N}%"),
        (2 * 86_400.0, 3.4 * 86_400.0, "s", f"2–3.4{N}days"),
        (40 * 2**30, 44 * 2**30, "bytes", f"40–44{N}GiB"),
        (99.6, 100.4, "tokens/s", f"100{N}tokens/s"),
    ],
)
def test_ranges_in_two_figures(low: float, high: float, unit: str, said: str) -> None:
    assert OWNER.estimate(Estimate(low, (low + high) / 2, high, unit)) == said


def test_exact_figures_stay_exact() -> None:
    assert OWNER.estimate(Estimate.exact(229)) == "229"
    assert OWNER.count(131_072) == f"131{T}072"


def test_memory_is_binary_when_computed_and_decimal_on_the_label() -> None:
    assert OWNER.memory(97_887 * 2**20) == f"95.6{N}GiB"
    assert OWNER.memory(327_680) == f"320{N}KiB"
    assert OWNER.memory_label(96) == f"96{N}GB"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (24e-6, f"24{N}µs"),
        (0.012, f"12{N}ms"),
        (0.64, f"0.64{N}s"),
        (300.0, f"5{N}min"),
        (86_400.0 * 3, f"3{N}days"),
        (86_400.0 * 400, f"13{N}months"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert OWNER.duration(seconds) == said


def test_long_forecasts_say_about() -> None:
    assert OWNER.about(3 * 86_400.0) == f"about 3{N}days"
    assert OWNER.about(0.5) == f"0.5{N}s"


def test_money_power_bandwidth_share() -> None:
    assert OWNER.money(12_400.4) == f"12{T}400{N}EUR"
    assert OWNER.money(0.0432) == f"0.043{N}EUR"
    assert OWNER.money(24.5, "USD") == f"24.50{N}USD"
    assert OWNER.power(3680) == f"3.68{N}kW"
    assert OWNER.bandwidth(54e9) == f"54{N}GB/s"
    assert OWNER.share(0.521) == f"52{N}%"
    assert OWNER.share(0.99953) == f"99.953{N}%"
    assert OWNER.share(0.004) == f"0.4{N}%"


def test_counts_take_their_noun() -> None:
    assert OWNER.counted("cards", 1) == f"1{N}card"
    assert OWNER.counted("users", 1200) == f"1{T}200{N}users"
    assert OWNER.value("served_users", Estimate(3, 4, 5)) == f"3–5{N}users"


def test_endings_choose_the_form() -> None:
    assert OWNER.value("weights_bytes", 2**30) == f"1{N}GiB"
    assert OWNER.value("speed_tokens_per_s", 123.4) == f"120{N}tokens/s"
    assert OWNER.value("price_eur", 0.5) == f"0.50{N}EUR"
    assert OWNER.value("valid_counts", (1, 2, 4)) == "1, 2, 4"
    assert OWNER.value("anything", None) == "not known"
    assert OWNER.value("fit_code", "fit.no") == "does not start"


def test_names_stand_for_ids() -> None:
    wording = OWNER.with_names({"server-1": "node-1"})
    assert wording.text(message("failure.survives", object_id="server-1", object_kind="server", copies=1)).startswith(
        "Without node-1 (server)"
    )


def test_a_code_without_text_says_itself_and_never_fails() -> None:
    assert OWNER.text(Message("no.such", (("weights_bytes", 2**30),))) == f"no.such (weights_bytes=1{N}GiB)"


def test_decimal_comma_in_other_languages() -> None:
    assert Wording(language="sk").number(1.5) == "1,5"


def test_two_audiences() -> None:
    code = Message("verdict.replicas")
    assert Wording(audience="owner").text(code) != Wording(audience="operator").text(code)


def test_every_glossary_term_has_one_sentence() -> None:
    terms = OWNER.glossary()
    assert len(terms) == 108
    for term in terms:
        assert term.plain.endswith("."), term.id
        assert 15 < len(term.plain) < 170, term.id
