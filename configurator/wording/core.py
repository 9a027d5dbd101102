"""Wording: messages, numbers and names in a language, for an audience. The only place where text is made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from gettext import NullTranslations, translation
from typing import Literal

from configurator.paths import resource
from configurator.terms import Estimate, Message, Value
from configurator.wording import numbers
from configurator.wording.numbers import DASH, NBSP, Unit
from configurator.wording.texts.registry import TEXTS

Audience = Literal["owner", "operator"]
Language = Literal["en", "sk", "ru"]

_SCHEMATIC = re.compile(r"\{(\w+)\}")

COUNTED: Mapping[str, tuple[str, str]] = {
    "cards": ("{n} card", "{n} cards"),
    "gpus": ("{n} GPU", "{n} GPUs"),
    "users": ("{n} user", "{n} users"),
    "requests": ("{n} request", "{n} requests"),
    "servers": ("{n} server", "{n} servers"),
    "nodes": ("{n} node", "{n} nodes"),
    "sites": ("{n} site", "{n} sites"),
    "copies": ("{n} copy", "{n} copies"),
    "stages": ("{n} stage", "{n} stages"),
    "tokens": ("{n} token", "{n} tokens"),
    "layers": ("{n} layer", "{n} layers"),
    "heads": ("{n} head", "{n} heads"),
    "days": ("{n} day", "{n} days"),
    "hours": ("{n} hour", "{n} hours"),
    "hops": ("{n} hop", "{n} hops"),
}
"""Endings that print a count with its noun: ``free_cards=3`` is "3 cards"."""

CURRENCIES = ("EUR", "USD", "GBP", "CZK", "PLN", "HUF", "CHF", "RUB")


@lru_cache(maxsize=8)
def _translation(language: str) -> NullTranslations:
    return translation("configurator", str(resource("translations")), [language], fallback=True)


@lru_cache(maxsize=1)
def _glossary() -> Mapping[str, Mapping[str, str]]:
    text = resource("help", "glossary.json").read_text(encoding="utf-8")
    terms: list[dict[str, str]] = json.loads(text)["terms"]
    return {term["id"]: term for term in terms}


@dataclass(frozen=True)
class Term:
    """A word of the trade with its one-sentence explanation ("" where none is written)."""

    id: str
    group: str
    name: str
    plain: str


@dataclass(frozen=True)
class Wording:
    """Text in one language for one audience. ``names`` turns ids of plan objects and of the catalogue into names."""

    language: Language = "en"
    audience: Audience = "owner"
    names: tuple[tuple[str, str], ...] = ()
    currency: str = "EUR"

    def with_names(self, names: Mapping[str, str]) -> Wording:
        """The same wording knowing more names (see ``wording.names.names_of``)."""
        return Wording(self.language, self.audience, tuple({**dict(self.names), **names}.items()), self.currency)

    def for_audience(self, audience: Audience) -> Wording:
        """The same wording for the other reader."""
        return Wording(self.language, audience, self.names, self.currency)

    # -- sentences

    def text(self, message: Message) -> str:
        """The sentence of a message. A code without a text prints itself with its parameters, never fails."""
        found = TEXTS.get(message.code)
        if found is None:
            known = ", ".join(f"{name}={self.value(name, value)}" for name, value in message.params)
            return f"{message.code} ({known})" if known else message.code
        sentence = self.gettext(found.operator if self.audience == "operator" and found.operator else found.owner)
        values = dict(message.params)
        filled = _SCHEMATIC.sub(lambda name: self._filled(name.group(1), values), sentence)
        return filled[:1].upper() + filled[1:] if sentence.startswith("{") and sentence.endswith(".") else filled

    def word(self, code: str) -> str:
        """A fixed word or phrase by code ("verdict.replicas", "fit.no", "class.good_to_know")."""
        return self.text(Message(code))

    def gettext(self, english: str) -> str:
        """Translation of an English message id."""
        return str(self._translations.gettext(english)) if english else ""

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Translation of a counted phrase; the caller fills the placeholders."""
        return str(self._translations.ngettext(one, many, count))

    def _filled(self, name: str, values: Mapping[str, Value]) -> str:
        return self.value(name, values[name]) if name in values else "…"

    @cached_property
    def _translations(self) -> NullTranslations:
        return _translation(self.language)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return dict(self.names)

    # -- values of parameters

    def value(self, name: str, value: Value) -> str:
        """A parameter printed by the ending of its name (see terms.Message)."""
        if value is None:
            return self.gettext("not known")
        if isinstance(value, bool):
            return self.gettext("yes") if value else self.gettext("no")
        if isinstance(value, tuple):
            return ", ".join(self.value(name.removesuffix("s") if name.endswith("ids") else name, one) for one in value)
        if isinstance(value, Estimate):
            return self._estimate_of(name, value)
        if isinstance(value, str):
            return self._string(name, value)
        return self._number(name, value)

    def _string(self, name: str, value: str) -> str:
        if name.endswith("_code"):
            return self.word(value)
        if name.endswith("_kind") and f"kind.{value}" in TEXTS:
            return self.word(f"kind.{value}")
        return self._names.get(value, value)

    def _number(self, name: str, value: float) -> str:
        for ending, method in _ENDINGS:
            if name.endswith(ending) or name == ending[1:]:
                return str(getattr(self, method)(value))
        noun = name.rpartition("_")[2]
        if noun in COUNTED:
            return self.counted(noun, value)
        for currency in CURRENCIES:
            if name.endswith("_" + currency.lower()):
                return self.money(value, currency)
        if name.endswith("_money"):
            return self.money(value, self.currency)
        return self.count(value) if isinstance(value, int) else self.number(value)

    def _estimate_of(self, name: str, value: Estimate) -> str:
        unit = next((unit for ending, unit in _ESTIMATE_UNITS if name.endswith(ending)), "")
        if unit and not value.unit:
            value = Estimate(value.low, value.expected, value.high, unit, value.basis)
        elif name.endswith("_money") and value.unit in {"", "money"}:
            value = Estimate(value.low, value.expected, value.high, self.currency, value.basis)
        noun = name.rpartition("_")[2]
        if value.unit in {"", noun} and noun in COUNTED:
            return self.counted_range(noun, value)
        return self.estimate(value)

    # -- numbers

    @property
    def decimal(self) -> str:
        """Decimal mark of the language."""
        return "." if self.language == "en" else ","

    def number(self, value: float, figures: int = 3) -> str:
        """A number at some significant figures; whole numbers of up to six digits stay exact."""
        if float(value).is_integer() and abs(value) < 1e6:
            return numbers.plain(value, self.decimal)
        kept = max(figures, len(str(int(abs(value))))) if abs(value) < 1e6 else figures
        return numbers.plain(numbers.rounded(value, kept), self.decimal)

    def count(self, value: float) -> str:
        """A whole number, exact: "131 072"."""
        return numbers.plain(round(value), self.decimal)

    def counted(self, noun: str, value: float) -> str:
        """A count with its noun in the right number: "1 card", "3 cards"."""
        one, many = COUNTED[noun]
        whole = float(value).is_integer()
        printed = self.count(value) if whole else self.number(value)
        return self.ngettext(one, many, int(value) if whole else 2).replace("{n}", printed).replace(" ", NBSP)

    def counted_range(self, noun: str, value: Estimate) -> str:
        """Such as "3–5 users"."""
        _, many = COUNTED[noun]
        low, high = round(value.low), round(value.high)
        if low == high:
            return self.counted(noun, low)
        text = numbers.span(low, high, 2, self.decimal)
        return self.ngettext(COUNTED[noun][0], many, max(high, 2)).replace("{n}", text).replace(" ", NBSP)

    def forecast(self, value: float) -> str:
        """A forecast: two significant figures."""
        return numbers.plain(numbers.rounded(value, 2), self.decimal)

    def memory(self, value: float) -> str:
        """Computed memory from bytes in binary units: "91.2 GiB", "320 KiB"."""
        return self._scaled(value, value, numbers.MEMORY, 3)

    def memory_label(self, gigabytes: float) -> str:
        """Memory as printed on the box: "96 GB"."""
        return self._scaled(gigabytes, gigabytes, (numbers.LABEL[0],), 4)

    def rate(self, tokens_per_s: float) -> str:
        """A forecast speed: "120 tokens/s"."""
        return self._with_unit(self.forecast(tokens_per_s), "tokens/s")

    def duration(self, seconds: float) -> str:
        """A time as people say it: "24 µs", "0.64 s", "45 min", "3 days"."""
        return self._time(seconds, seconds)

    def money(self, amount: float, currency: str = "") -> str:
        """Money: small amounts with cents, whole units above 100: "0.42 EUR", "12 400 EUR"."""
        return self._money(amount, amount, currency or self.currency, forecast=False)

    def share(self, value: float) -> str:
        """A share of one as percent."""
        return numbers.share(value, self.decimal)

    def power(self, watts: float) -> str:
        """Such as "640 W", "3.2 kW"."""
        return self._scaled(watts, watts, numbers.POWER, 3)

    def energy(self, kilowatt_hours: float) -> str:
        """Such as "320 kWh", "14 MWh"."""
        return self._scaled(kilowatt_hours, kilowatt_hours, numbers.ENERGY, 2)

    def bandwidth(self, bytes_per_s: float) -> str:
        """Such as "54 GB/s"."""
        return self._scaled(bytes_per_s, bytes_per_s, numbers.BANDWIDTH, 3)

    def bit_rate(self, bits_per_s: float) -> str:
        """Such as "100 Gbit/s"."""
        return self._scaled(bits_per_s, bits_per_s, numbers.BIT_RATE, 3)

    def gigabits(self, value: float) -> str:
        """Such as "100 Gbit/s" from gigabits."""
        return self.bit_rate(value * 1e9)

    def years(self, value: float) -> str:
        """Such as "4 years"."""
        return self.number(value) + NBSP + self.ngettext("year", "years", int(value) if value == int(value) else 2)

    def factor(self, value: float) -> str:
        """Such as "1.4 ×"."""
        return f"{self.forecast(value)}{NBSP}×"

    def estimate(self, value: Estimate, figures: int = 2) -> str:
        """A range in its unit: "90–120 tokens/s". Without spread it is exact and keeps its figures."""
        exact = value.low == value.high
        figures = 3 if exact else figures
        low, high, unit = value.low, value.high, value.unit
        if unit in {"bytes", "B"}:
            return self._scaled(low, high, numbers.MEMORY, figures)
        if unit in {"bytes/s", "B/s"}:
            return self._scaled(low, high, numbers.BANDWIDTH, figures)
        if unit == "W":
            return self._scaled(low, high, numbers.POWER, figures)
        if unit in {"s", "h"}:
            return self._time(low * (numbers.HOUR if unit == "h" else 1), high * (numbers.HOUR if unit == "h" else 1))
        if unit == "share":
            first, second = self.share(low), self.share(high)
            return first if first == second else f"{first.removesuffix(NBSP + '%')}{DASH}{second}"
        head, _, tail = unit.partition("/")
        if head in CURRENCIES:
            money = self._money(low, high, head, forecast=not exact)
            return f"{money} {self.gettext('per ' + tail)}" if tail else money
        if head == "kWh":
            energy = self._scaled(low, high, numbers.ENERGY, figures)
            return f"{energy} {self.gettext('per ' + tail)}" if tail else energy
        if exact:
            text = self.number(low)
        else:
            text = numbers.span(low, high, figures, self.decimal)
        return self._with_unit(text, unit)

    def _with_unit(self, text: str, unit: str) -> str:
        return f"{text}{NBSP}{self.gettext(unit)}" if unit else text

    def _scaled(self, low: float, high: float, units: tuple[Unit, ...], figures: int) -> str:
        unit = numbers.scale(high, units)
        return self._with_unit(numbers.span(low / unit.size, high / unit.size, figures, self.decimal), unit.name)

    def _time(self, low: float, high: float) -> str:
        if numbers.rounded(high, 2) < 120:
            # One unit for both ends; a tenth of a second and more is said in seconds.
            small = high < 0.0995
            unit = numbers.scale(high, numbers.SHORT_TIME) if small else numbers.SHORT_TIME[-1]
            return self._with_unit(numbers.span(low / unit.size, high / unit.size, 2, self.decimal), unit.name)
        unit = numbers.long_time_unit(high)
        text = numbers.span(low / unit.size, high / unit.size, 2, self.decimal)
        if unit.name in _TIME_NOUNS:
            single = text == "1"
            return (
                text + NBSP + self.ngettext(*_TIME_NOUNS[unit.name], 1 if single else max(2, round(high / unit.size)))
            )
        return self._with_unit(text, unit.name)

    def about(self, seconds: float) -> str:
        """A long time as a forecast: "about 3 days"; a short one as it is."""
        text = self.duration(seconds)
        return self.gettext("about {time}").replace("{time}", text) if seconds >= 120 else text

    def _money(self, low: float, high: float, currency: str, *, forecast: bool) -> str:
        def one(amount: float) -> str:
            if forecast:
                return numbers.plain(numbers.rounded(amount, 2), self.decimal)
            if abs(amount) >= 100 or float(amount).is_integer():
                return numbers.plain(round(amount), self.decimal)
            text = f"{amount:.2f}" if abs(amount) >= 0.1 else f"{numbers.rounded(amount, 2):.4f}".rstrip("0")
            return text.replace(".", self.decimal)

        first, second = one(low), one(high)
        return (first if first == second else f"{first}{DASH}{second}") + NBSP + currency

    # -- glossary

    def term(self, term_id: str) -> Term:
        """A glossary entry in this language (English where a translation is missing); KeyError when there is none."""
        entry = _glossary()[term_id]
        name = entry.get(self.language) or str(entry["en"])
        plain = entry.get("plain_" + self.language) or entry.get("plain_en", "")
        return Term(term_id, entry.get("group", ""), name, plain)

    def glossary(self) -> tuple[Term, ...]:
        """All entries that have an explanation, by name."""
        terms = (self.term(each) for each in _glossary())
        return tuple(sorted((term for term in terms if term.plain), key=lambda term: term.name.casefold()))


_TIME_NOUNS = {"days": ("day", "days"), "months": ("month", "months"), "years": ("year", "years")}

_ENDINGS = (
    ("_bytes_per_s", "bandwidth"),
    ("_tokens_per_s", "rate"),
    ("_bits_per_s", "bit_rate"),
    ("_gbit_s", "gigabits"),
    ("_bytes", "memory"),
    ("_gb", "memory_label"),
    ("_kwh", "energy"),
    ("_share", "share"),
    ("_about_s", "about"),
    ("_years", "years"),
    ("_factor", "factor"),
    ("_w", "power"),
    ("_s", "duration"),
)

_ESTIMATE_UNITS = (
    ("_bytes_per_s", "bytes/s"),
    ("_tokens_per_s", "tokens/s"),
    ("_bytes", "bytes"),
    ("_share", "share"),
    ("_kwh", "kWh"),
    ("_w", "W"),
    ("_s", "s"),
)
