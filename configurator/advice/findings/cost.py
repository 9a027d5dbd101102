"""Money: energy in two states, cost per million tokens, buy against rent and API (R44, NEEDS cost model)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say, told
from configurator.advice.findings.host import FAST_TOKENS_PER_S, offload_rate, spilled_bytes
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.operations.compare import LOW_USE, offer_of, rent_per_million
from configurator.operations.power import busy_w
from configurator.operations.rates import engineering_factor
from configurator.terms import Estimate, Value

JOULES_PER_KWH = 3.6e6
OFFLOADED_TOKENS_PER_S = 6.0
"""What offloaded models of the 100-billion class do on two consumer cards (published user figure)."""
HOURS_PER_YEAR = 8766.0
FITS_SHARE = 0.9
"""Weights up to this share of a card leave it a short conversation."""
SINGLE_SHARE = 0.7
"""Of the memory limit, what one person gets: the middle of the usual 60 to 80 %."""
PEOPLE_SHARE = 0.4
"""From this share of the yearly cost on, the hours of people are told."""


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
    if draw is None or s.training or (s.model is not None and not s.writes):
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
    elif s.model is not None and s.shape.cards and not at_least(s.fit, "starts") and _spills(s):
        rate, rest = offload_rate(s) or OFFLOADED_TOKENS_PER_S, spilled_bytes(s) / 1e9
        if rate > FAST_TOKENS_PER_S:
            # Little is read from system memory: what the processor computes sets the pace.
            rate = OFFLOADED_TOKENS_PER_S
        kwh = draw.busy_w.expected / rate * 1e6 / JOULES_PER_KWH
        api = offer_of(s.model, 0.0, s.catalogue, 1.0)
        yield say(
            "cost.energy.offloaded" if api else "cost.energy.offloaded_alone",
            STEP,
            (s.workload.id,),
            do("cost.offloaded"),
            basis="assumed",
            million_kwh=kwh,
            price_eur=kwh * kwh_price,
            slow_tokens_per_s=rate,
            rest_gb=round(rest) if rest >= 20 else round(rest, 1),
            api_eur=api.per_million if api else None,
        )


def _largest_box(s: Situation) -> int:
    """Bytes that the cards of one server hold at most."""
    return max((sum(card.record.memory_usable_bytes for card in cards) for _, cards in s.shape.boxes), default=0)


def _spills(s: Situation) -> bool:
    """Part of the weights would sit in a server's ordinary memory, as far as is known of it; no unified memory."""
    rest = s.work.weights_bytes - _largest_box(s)
    known = [server.ram_gb for server, _ in s.shape.boxes]
    room = max((gb for gb in known if gb is not None), default=0.0)
    enough = any(gb is None for gb in known) or room * 1e9 >= rest
    return rest > 0 and enough and not any(card.record.unified_memory for card in s.shape.cards)


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


def against_api(s: Situation) -> Iterator[Finding]:
    """Own against API, the same tokens on both sides: monthly cost / price = volume, as a share of what can be made."""
    if s.training or not s.shape.cards or (s.model is not None and not at_least(s.fit, "starts")):
        # What does not run makes no tokens: no volume would pay for it.
        return
    found, subjects = s.facts.cost.comparison, (s.workload.id,)
    if s.model is not None and not s.writes:
        return
    if found is not None and found.hire is not None and hired(s):
        # Nothing is owned here: the price per hour speaks.
        return
    if found is None or found.api is None or found.even_million_per_month is None:
        total = s.facts.cost.total_per_year
        yield say("cost.compare.ask", NOTE, subjects, do("cost.volume"), basis="assumed", total=total)
        return
    currency = s.facts.cost.currency
    yield say(
        f"cost.compare.{found.answer}",
        NOTE,
        subjects,
        do("cost.stays") if s.workload.data_must_stay else do("cost.volume") if found.answer == "even" else None,
        basis="vendor",
        sold=found.api.model,
        sold_code="api.same" if found.api.same else "api.class",
        ratio=round(found.input_per_output, 1),
        api_price=Estimate.exact(found.api.per_million, currency),
        as_of=found.api.as_of,
        cost_code=_owned_code(s),
        full_price=Estimate.exact(found.own_full_per_million, currency),
        now_price=Estimate.exact(found.own_now_per_million or 0.0, currency),
        now_share=found.now_share,
        month_price=Estimate.exact(found.even_cost_per_month or 0.0, currency),
        even_million=_forecast(found.even_million_per_month),
        even_share=found.even_share,
        most_million=_forecast(found.most_million_per_month),
        volume_million=found.volume_million_per_month,
    )


HIRED = re.compile(r"\b(rent(s|ed|al|ing)?|hired?|hiring|cloud|runpod|vast\.ai|lambda labs)\b", re.IGNORECASE)
ASKED = re.compile(
    r"\b(how much .{0,40}costs?|costs? per|prices?|pays?|per million|cheaper|an API|rent(ed|al)?|hired?)\b",
    re.IGNORECASE,
)
PER_HOUR = re.compile(r"(\d+(?:[.,]\d+)?)(?: ?(?:€|EUR|USD|\$))? ?(?:/ ?h\b|/ ?hour|an hour|per hour)")


def hired(s: Situation) -> bool:
    """The owner's question speaks of hired machines, or none of the machines in rented racks is owned."""
    sites = {card.site.id: card.site for card in s.shape.cards}.values()
    racks = bool(sites) and all(site.kind == "colocation" for site in sites)
    owned = any(server.owned for server, _ in s.shape.boxes) or any(card.gpu.owned for card in s.shape.cards)
    return bool(HIRED.search(s.facts.project.question)) or (racks and not owned)


def _owned_code(s: Situation) -> str:
    if s.facts.cost.purchase.expected > 0:
        return "own.bought"
    owned = all(server.owned for server, _ in s.shape.boxes)
    return "own.paid" if owned and not hired(s) else "own.hired"


def asked(s: Situation) -> Iterator[Finding]:
    """A question of money without an amount of tokens: price per hour / (tokens/s x 3600) / use, and what it omits."""
    load, question = s.workload, s.facts.project.question
    if s.training or load.tokens_per_month or load.requests_per_s or not ASKED.search(question):
        return
    found = s.facts.cost.comparison
    hire = found.hire if found is not None else None
    stated = PER_HOUR.search(question)
    speed = s.chosen.speed if s.chosen and s.writes and at_least(s.fit, "starts") else None
    rate = hire.tokens_per_s if hire is not None else speed.output_tokens_per_s.expected if speed is not None else 0.0
    hour = float(stated.group(1).replace(",", ".")) if stated else hire.per_hour if hire is not None else None
    if hour is None or rate <= 0 or not (stated or hired(s)):
        yield say("cost.asked.volume", STEP, (load.id,), do("cost.asked"), rule="R76", basis="calculated")
        return
    full = rent_per_million(hour, rate)
    yield say(
        "cost.asked.hour",
        STEP,
        (load.id,),
        do("cost.asked"),
        rule="R76",
        basis="calculated",
        hour_price=Estimate.exact(hour, s.facts.cost.currency),
        hour_code="hour.stated" if stated else "hour.usual",
        rate_tokens_per_s=rate,
        full_price=Estimate.exact(full, s.facts.cost.currency),
        tenth_price=Estimate.exact(full / LOW_USE, s.facts.cost.currency),
    )


def rented(s: Situation) -> Iterator[Finding]:
    """Rent per hour / (tokens/s x 3600) x 1e6: a million tokens from hired cards at full and at a tenth of the time."""
    found = s.facts.cost.comparison
    if s.training or found is None or found.hire is None or not at_least(s.fit, "starts"):
        return
    if PER_HOUR.search(s.facts.project.question) and not s.workload.tokens_per_month:
        # The owner's own price is counted with.
        return
    hire, currency = found.hire, s.facts.cost.currency
    even = hire.per_month / found.api.per_million if found.api else None
    yield say(
        "cost.rent.alone"
        if even is None
        else "cost.rent.api"
        if even <= found.most_million_per_month
        else "cost.rent.never",
        NOTE,
        (s.workload.id,),
        do("cost.stays") if s.workload.data_must_stay else None,
        basis="vendor",
        cards=hire.cards,
        card_gpu=hire.gpu,
        hour_price=Estimate.exact(hire.per_hour, currency),
        as_of=hire.as_of,
        total_tokens_per_s=hire.tokens_per_s,
        full_price=Estimate.exact(hire.full_per_million, currency),
        tenth_price=Estimate.exact(hire.tenth_per_million, currency),
        api_price=Estimate.exact(found.api.per_million, currency) if found.api else None,
        month_price=Estimate.exact(hire.per_month, currency),
        even_million=_forecast(even) if even is not None else None,
        even_share=even / found.most_million_per_month if even is not None else None,
        most_million=_forecast(found.most_million_per_month),
    )


def kinds(s: Situation) -> Iterator[Finding]:
    """kWh per million tokens of every kind of card, and when the thriftier card has returned its price."""
    if s.training or not s.writes or s.model is None or s.workload.task == "batch":
        return
    read = s.work.weights_bytes * s.model.parameters.read_per_token_batch1 / max(1, s.model.parameters.total)
    fitting = [
        card for card in s.shape.cards if s.work.weights_bytes <= FITS_SHARE * card.record.memory_usable_bytes and read
    ]
    alone = {}
    for card in fitting:
        rate = SINGLE_SHARE * card.record.memory_bandwidth.value / read
        alone[card.record.id] = (busy_w(card.record, card.gpu)[1] / rate / 3.6, card.record)
    if len(alone) < 2:
        return
    (thrifty_kwh, thrifty), *_, (hungry_kwh, hungry) = sorted(alone.values(), key=lambda each: each[0])
    tariff, saved = _tariff(s), hungry_kwh - thrifty_kwh
    values: dict[str, Value] = {
        "thrifty_gpu": thrifty.id,
        "thrifty_kwh": thrifty_kwh,
        "thrifty_eur": thrifty_kwh * tariff,
        "hungry_gpu": hungry.id,
        "hungry_kwh": hungry_kwh,
        "hungry_eur": hungry_kwh * tariff,
    }
    dearer = thrifty.price.eur.value - hungry.price.eur.value if thrifty.price and hungry.price else None
    if dearer is None or saved * tariff <= 0:
        yield told("cost.kinds.open", NOTE, (s.workload.id,), params=values)
        return
    if dearer <= 0:
        yield told("cost.kinds.both", NOTE, (s.workload.id,), params=values)
        return
    back = dearer / (saved * tariff)
    yield told(
        "cost.kinds.back",
        NOTE,
        (s.workload.id,),
        params=values
        | {
            "dearer_eur": float(f"{dearer:.2g}"),
            "saved_kwh": saved,
            "back_million": _forecast(back),
            "back_years": back * 1e6 / (SINGLE_SHARE * thrifty.memory_bandwidth.value / read) / (HOURS_PER_YEAR * 3600),
        },
    )


def people(s: Situation) -> Iterator[Finding]:
    """Hours of upkeep where they are most of the yearly cost (R68)."""
    cost = s.facts.cost
    total = cost.total_per_year.expected
    if total <= 0 or cost.staff_per_year.expected < PEOPLE_SHARE * total:
        return
    yield say(
        f"cost.people.{cost.staff_class}",
        NOTE,
        (s.facts.plan.id,),
        rule="R68",
        basis="assumed",
        staff_share=cost.staff_per_year.expected / total,
        staff_hours=Estimate(
            cost.staff_hours_per_month.low, cost.staff_hours_per_month.expected, cost.staff_hours_per_month.high
        ),
        staff=cost.staff_per_year,
        nodes=len(s.shape.boxes),
        effort_factor=engineering_factor(len(s.shape.boxes), s.policy.engineering_factor_per_added_node),
    )


def _forecast(value: float) -> float:
    """Two significant figures: a quotient of two estimates is not finer."""
    return float(f"{value:.2g}")
