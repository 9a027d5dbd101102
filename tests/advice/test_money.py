"""What owning costs against an API and the nameplate: only sentences that are true of this machine."""

from __future__ import annotations

from configurator.wording import Wording
from tests.advice.test_same_cards import example
from tests.rules.ask import EIGHT, PRO, ask, codes, found, plan_of, told


def test_what_does_not_run_never_pays() -> None:
    answer = example("two-homes")
    assert answer.workloads[0].fit == "no"
    assert not [code for code in codes(answer) if code.startswith("cost.compare")]


def test_a_break_even_beyond_the_machine_is_called_never() -> None:
    finding = told(example("sparks"), "cost.compare.never")
    most, even = finding.text.get("most_million"), finding.text.get("even_million")
    assert isinstance(most, float)
    assert isinstance(even, float)
    speed = example("sparks").workloads[0].chosen
    assert speed is not None
    assert speed.speed is not None
    assert most <= speed.speed.output_tokens_per_s.high * 31 * 86_400 / 1e6
    assert most < even
    assert "never pays against this API" in Wording().text(finding.text)


def test_the_nameplate_is_named_only_where_it_is_more() -> None:
    for name in ("two-homes", "sparks", "training", "one-node", "mixed-cards", "two-nodes"):
        answer = example(name)
        states = found(answer, "cost.energy.states")
        if states is not None:
            peak = states.text.get("peak_kwh")
            assert isinstance(peak, float)
            assert answer.cost.energy_kwh_per_year.high < peak
        else:
            assert found(answer, "cost.energy.two") is not None


def test_a_busy_machine_in_a_rack_has_no_sentence_of_the_nameplate() -> None:
    busy = plan_of((EIGHT, PRO, 8), kind="colocation", model="llama-3.1-405b", weights="fp8", users=32, task="batch")
    assert "cost.energy.two" in codes(ask(busy))
