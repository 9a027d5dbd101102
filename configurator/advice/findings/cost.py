"""Money: energy in two states, cost per million tokens, buy against rent and API (R44, NEEDS cost model)."""

from __future__ import annotations

from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.findings.memory import offload_rate
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.terms import Estimate

JOULES_PER_KWH = 3.6e6
OFFLOADED_TOKENS_PER_S = 6.0
"""What offloaded models of the 100-billion class do on two consumer cards (published user figure)."""
HOURS_PER_YEAR = 8766.0
INPUT_PER_OUTPUT = 3.0
"""Input tokens per output token where the owner gives none; API prices differ for the two."""


def energy(s: Situation) -> Iterator[Finding]:
    """Two states, not nameplate times all hours of the year."""
    cost = s.facts.cost
    draw = next((each for each in s.facts.power if each.subject_id == "plan"), None)
    if draw is None or not s.shape.cards:
        return
    peak_kwh = draw.peak_w * HOURS_PER_YEAR / 1000
    yield say(
        # The year holds cooling as well; where it reaches the nameplate there is nothing to set against.
        "cost.energy.states" if cost.energy_kwh_per_year.high < peak_kwh else "cost.energy.two",
        NOTE,
        (s.workload.id,),
        do("cost.states"),
        busy_w=draw.busy_w,
        idle_w=draw.loaded_idle_w,
        busy_share=cost.busy_share,
        year_kwh=cost.energy_kwh_per_year,
        peak_kwh=peak_kwh,
    )
    total = cost.total_per_year.expected
    if total > 0 and cost.capital_per_year.expected > 0:
        yield say(
            "cost.parts.share",
            NOTE,
            (s.workload.id,),
            energy_share=cost.energy_per_year.expected / total,
            capital_share=cost.capital_per_year.expected / total,
            staff_share=cost.staff_per_year.expected / total,
        )
    if any(site.tariff_per_kwh is None for site in {card.site.id: card.site for card in s.shape.cards}.values()):
        yield say("unknown.cost.tariff", NOTE, s.shape.site_ids, do("cost.tariff"), rule="R10", basis="assumed")


def per_million(s: Situation) -> Iterator[Finding]:
    """Energy of a million output tokens: watts over tokens per second."""
    draw = next((each for each in s.facts.power if each.subject_id == "plan"), None)
    if draw is None or s.training:
        return
    speed = s.chosen.speed if s.chosen and at_least(s.fit, "starts") else None
    kwh_price = _tariff(s)
    if speed is not None and speed.output_tokens_per_s.expected > 0:
        kwh = draw.busy_w.expected / speed.output_tokens_per_s.expected * 1e6 / JOULES_PER_KWH
        yield say(
            "cost.energy.million",
            NOTE,
            (s.workload.id,),
            million_kwh=kwh,
            price_eur=kwh * kwh_price,
            total_tokens_per_s=speed.output_tokens_per_s,
        )
    elif s.model is not None and s.shape.cards and not at_least(s.fit, "starts") and not _largest_box_holds(s):
        rate = min(OFFLOADED_TOKENS_PER_S, offload_rate(s) or OFFLOADED_TOKENS_PER_S)
        kwh = draw.busy_w.expected / rate * 1e6 / JOULES_PER_KWH
        api = s.catalogue.token_prices.get(s.model.id)
        yield say(
            "cost.energy.offloaded" if api else "cost.energy.offloaded_alone",
            STEP,
            (s.workload.id,),
            do("cost.offloaded"),
            basis="assumed",
            million_kwh=kwh,
            price_eur=kwh * kwh_price,
            slow_tokens_per_s=rate,
            api_eur=_api_eur(s, api.output_usd_per_million.value) if api else None,
        )


def _largest_box_holds(s: Situation) -> bool:
    """The weights go into one server: nothing would be kept in its ordinary memory."""
    boxes = [sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes]
    return s.work.weights_bytes <= max(boxes, default=0)


def _tariff(s: Situation) -> float:
    site = s.shape.cards[0].site if s.shape.cards else None
    if site is None:
        return 0.2
    if site.tariff_per_kwh is not None:
        return site.tariff_per_kwh
    tariff = s.catalogue.tariffs.get(site.country)
    fact = None
    if tariff is not None:
        fact = tariff.household_eur_per_kwh if site.kind == "home" else tariff.business_eur_per_kwh
    return fact.value if fact else 0.2


def _forecast(value: float) -> float:
    """Two significant figures: a break-even of two estimates is not finer."""
    return float(f"{value:.2g}")


def _api_eur(s: Situation, usd: float) -> float:
    rate = s.catalogue.fx.get("USD")
    return usd / rate.value if rate else usd


def against_api(s: Situation) -> Iterator[Finding]:
    """Break-even against an API of the same model, at the owner's own volume."""
    if s.training or not s.shape.cards or (s.model is not None and not at_least(s.fit, "starts")):
        # What does not run makes no tokens: no volume would pay for it.
        return
    cost = s.facts.cost
    total = cost.total_per_year
    api = s.catalogue.token_prices.get(s.model.id) if s.model else None
    subjects = (s.workload.id,)
    if api is None:
        yield say("cost.compare.ask", NOTE, subjects, do("cost.volume"), basis="assumed", total_eur=_in_eur(s, total))
        return
    blended = (api.output_usd_per_million.value + INPUT_PER_OUTPUT * api.input_usd_per_million.value) / (
        1 + INPUT_PER_OUTPUT
    )
    price = _api_eur(s, blended)
    yearly = _in_eur(s, total)
    even = yearly.expected / price if price else 0.0
    code = "cost.compare.even"
    volume = s.workload.tokens_per_month
    most = _most_per_month_million(s)
    if most is not None and even / 12 > most:
        code = "cost.compare.never"
    elif volume:
        code = "cost.compare.api" if volume * 12 / 1e6 < even else "cost.compare.own"
    yield say(
        code,
        NOTE,
        subjects,
        do("cost.stays") if s.workload.data_must_stay else do("cost.volume"),
        basis="vendor",
        api_price_eur=price,
        even_million=_forecast(even / 12),
        most_million=_forecast(most) if most is not None else None,
        volume_million=volume / 1e6 if volume else None,
        total_eur=yearly,
        as_of=api.output_usd_per_million.as_of,
    )


def _most_per_month_million(s: Situation) -> float | None:
    """Most million tokens, read and written, that the machine turns out in a month without a pause."""
    speed = s.chosen.speed if s.chosen else None
    if speed is None:
        return None
    return speed.output_tokens_per_s.high * (1 + INPUT_PER_OUTPUT) * HOURS_PER_YEAR / 12 * 3600 / 1e6


def _in_eur(s: Situation, value: Estimate) -> Estimate:
    rate = s.catalogue.fx.get(s.facts.cost.currency)
    factor = 1 / rate.value if rate and s.facts.cost.currency != "EUR" else 1.0
    return Estimate(value.low * factor, value.expected * factor, value.high * factor, "EUR/year", value.basis)
