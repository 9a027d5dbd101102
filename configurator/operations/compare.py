"""Own, hired by the hour, or bought by the token: one comparison, the same tokens on every side.

The unit is a million tokens of answers together with the questions that belong to them. A machine reads the questions
in the time it also needs for the answers; an API sells both, so its price of the unit is output + k x input, where k is
the number of question tokens per answer token.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, TokenPrice
from configurator.operations.formulas import (
    HOURS_PER_YEAR,
    MILLION,
    CostInputs,
    break_even_busy_share,
    tokens_per_year,
    yearly_cost,
)
from configurator.plan.model import Workload

INPUT_PER_OUTPUT = 3.0
"""Question tokens per answer token where the owner gives none."""

LOW_USE = 0.1
"""Use of a hired card that is set beside full use: an office by day comes to about this."""

HOURS_PER_MONTH = HOURS_PER_YEAR / 12.0
SECONDS_PER_HOUR = 3600.0

CLASS_FACTOR = 2.0
"""A model of at most this many times more or fewer parameters is of the same size class."""

NEAR = math.log(1.3)
"""Models of nearly the same distance are equally good to compare with."""

Answer = Literal["unpriced", "never", "api", "own", "even"]


@dataclass(frozen=True, slots=True)
class Hire:
    """The cards of the layout by the hour; project currency."""

    cards: int
    gpu: str
    """Catalogue id of the card."""
    per_hour: float
    """All cards together."""
    full_per_million: float
    """Price of the unit when they work all the time."""
    tenth_per_million: float
    """The same at ``LOW_USE``."""
    per_month: float
    as_of: str
    tokens_per_s: float = 0.0
    """Rate of answers at full use."""


@dataclass(frozen=True, slots=True)
class TokenOffer:
    """What an API takes for the unit."""

    model: str
    """Catalogue id of the model that is sold."""
    same: bool
    """False: the nearest model of the size class, this one has no price."""
    per_million: float
    as_of: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Project currency and million tokens of answers, questions included in every price."""

    workload_id: str
    input_per_output: float
    ratio_given: bool
    most_million_per_month: float
    """What the machine turns out in a month at full use, its availability counted: as many people at once as it serves,
    without a pause."""
    own_full_per_million: float
    own_now_per_million: float | None
    now_share: float
    """Share of full use that the yearly cost counts with: time at work, and how full the machine then is."""
    volume_million_per_month: float | None
    """Asked for by the owner; None while not given."""
    hire: Hire | None
    api: TokenOffer | None
    even_million_per_month: float | None
    """Volume at which owning costs as much as the API; above ``most_million_per_month``: never."""
    even_cost_per_month: float | None
    """Cost of owning at that volume (working all the time where it is never reached)."""

    @property
    def even_share(self) -> float | None:
        """Break-even volume over what the machine can turn out; above one: never."""
        if self.even_million_per_month is None or self.most_million_per_month <= 0:
            return None
        return self.even_million_per_month / self.most_million_per_month

    @property
    def answer(self) -> Answer:
        """Which side is cheaper, at the owner's volume where it is given."""
        if self.even_million_per_month is None:
            return "unpriced"
        if (self.even_share or 0.0) > 1.0:
            return "never"
        if self.volume_million_per_month is None:
            return "even"
        return "own" if self.volume_million_per_month >= self.even_million_per_month else "api"


def input_per_output(workload: Workload) -> tuple[float, bool]:
    """Question tokens per answer token, and whether the owner gave them."""
    if workload.input_tokens and workload.output_tokens:
        return workload.input_tokens / workload.output_tokens, True
    return INPUT_PER_OUTPUT, False


def rent_per_million(per_hour: float, tokens_per_s: float, use: float = 1.0) -> float:
    """Price of a million tokens from a price per hour: per hour / (tokens/s x 3600 x use) x 1e6."""
    if tokens_per_s <= 0 or use <= 0:
        raise ValueError("the rate and the use must be above nothing")
    return per_hour / (tokens_per_s * SECONDS_PER_HOUR * use) * MILLION


def priced_like(model: ModelRecord, catalogue: Catalogue) -> tuple[TokenPrice, bool] | None:
    """The model's own API price (True), else that of the nearest size class (False), else None."""
    own = catalogue.token_prices.get(model.id)
    if own is not None:
        return own, True

    def distance(price: TokenPrice) -> float:
        other = catalogue.models.get(price.model)
        if other is None:
            return math.inf
        whole = abs(math.log(other.parameters.total / max(1, model.parameters.total)))
        read = abs(math.log(other.parameters.read_per_token_batch1 / max(1, model.parameters.read_per_token_batch1)))
        # What is read per token sets the speed and so the price; the whole size sets the quality.
        return max(whole, read / 1.5)

    priced = [(distance(price), price) for price in catalogue.token_prices.values()]
    least = min((far for far, _ in priced), default=math.inf)
    if least > math.log(CLASS_FACTOR):
        return None
    # Of those about equally near the one that most providers sell: its price is a market's, not one shop's.
    nearest = max((price for far, price in priced if far <= least + NEAR), key=lambda price: price.providers)
    return nearest, False


def hire_of(gpus: Iterable[str], tokens_per_s: float, catalogue: Catalogue, per_eur: float) -> Hire | None:
    """Cards of one kind (catalogue ids) by the hour at that rate of answers; None where they are not let or mixed.

    Hired cards are charged as cards: the host, its power and its upkeep are in the price per hour.
    """
    counts = Counter(gpus)
    dollar = catalogue.fx.get("USD")
    if len(counts) != 1 or tokens_per_s <= 0 or dollar is None:
        return None
    ((gpu, count),) = counts.items()
    rate = catalogue.rentals.get(gpu)
    if rate is None:
        return None
    per_hour = count * rate.usd_per_gpu_hour.value * per_eur / dollar.value
    return Hire(
        cards=count,
        gpu=gpu,
        per_hour=per_hour,
        full_per_million=rent_per_million(per_hour, tokens_per_s),
        tenth_per_million=rent_per_million(per_hour, tokens_per_s, LOW_USE),
        per_month=per_hour * HOURS_PER_MONTH,
        as_of=rate.usd_per_gpu_hour.as_of,
        tokens_per_s=tokens_per_s,
    )


def offer_of(model: ModelRecord, ratio: float, catalogue: Catalogue, per_eur: float) -> TokenOffer | None:
    """What an API takes for a million tokens of answers and ``ratio`` million tokens of questions."""
    found, dollar = priced_like(model, catalogue), catalogue.fx.get("USD")
    if found is None or dollar is None:
        return None
    price, same = found
    usd = price.output_usd_per_million.value + ratio * price.input_usd_per_million.value
    as_of = month_of(price.output_usd_per_million.as_of)
    return TokenOffer(price.model, same, usd * per_eur / dollar.value, as_of)


def month_of(as_of: str) -> str:
    """The newest date of a price that was seen at several: "2026-11 (providers); 2026-09-06 (list)" is "2026-11"."""
    return max((part.strip().split(" ")[0] for part in as_of.split(";")), default=as_of)


def compare(
    workload: Workload,
    model: ModelRecord | None,
    inputs: CostInputs,
    gpus: Iterable[str],
    catalogue: Catalogue,
    per_eur: float,
    full_tokens_per_s: float = 0.0,
) -> Comparison | None:
    """The comparison of one workload that has the machine to itself; None without answers to count.

    ``inputs`` are the expected figures of the plan's year, ``gpus`` the catalogue ids of the cards in use, ``per_eur``
    the project's currency per EUR, ``full_tokens_per_s`` the rate of answers with as many people as are served at once
    where that is more than at the asked load.
    """
    asked = inputs
    inputs = replace(inputs, tokens_per_s=max(inputs.tokens_per_s, full_tokens_per_s))
    most = tokens_per_year(replace(inputs, busy_share=1.0)) / 12.0 / MILLION
    if model is None or most <= 0:
        return None
    ratio, given = input_per_output(workload)
    full = yearly_cost(replace(inputs, busy_share=1.0))
    offer = offer_of(model, ratio, catalogue, per_eur)
    even: float | None = None
    cost: float | None = None
    if offer is not None:
        share = break_even_busy_share(inputs, offer.per_million)
        at = full.total if share is None else yearly_cost(replace(inputs, busy_share=share)).total
        cost = at / 12.0
        even = cost / offer.per_million
    return Comparison(
        workload_id=workload.id,
        input_per_output=ratio,
        ratio_given=given,
        most_million_per_month=most,
        own_full_per_million=full.per_million or 0.0,
        own_now_per_million=yearly_cost(asked).per_million,
        now_share=asked.busy_share * asked.tokens_per_s / inputs.tokens_per_s,
        volume_million_per_month=workload.tokens_per_month / MILLION if workload.tokens_per_month else None,
        hire=hire_of(gpus, inputs.tokens_per_s, catalogue, per_eur),
        api=offer,
        even_million_per_month=even,
        even_cost_per_month=cost,
    )
