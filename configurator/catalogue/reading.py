"""JSON rows -> records. Vendor units become SI here, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from configurator.catalogue.records import Confidence, Fact, Price

GB = 1e9
MIB = 2**20
GIB = 2**30
TERA = 1e12
MICRO = 1e-6

Row = Mapping[str, Any]


class Sources:
    """Resolves the short source codes of one table into readable text."""

    def __init__(self, table: Mapping[str, Mapping[str, str]], as_of: str = "") -> None:
        self._text = {code: _readable(entry) for code, entry in table.items()}
        self._date = {code: entry.get("as_of", "") for code, entry in table.items()}
        self._cache: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.as_of = as_of

    def text(self, codes: list[str]) -> tuple[str, ...]:
        """Readable titles with addresses. Unknown codes are already readable text."""
        key = tuple(codes)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = tuple(self._text.get(code, code) for code in key)
        return found

    def date(self, codes: list[str]) -> str:
        """Date of the first source that has one."""
        return next((self._date[code] for code in codes if self._date.get(code)), self.as_of)


def _readable(entry: Mapping[str, str]) -> str:
    address = entry.get("address", "")
    return f"{entry['title']} ({address})" if address else entry["title"]


def fact(row: Row | None, sources: Sources, scale: float = 1.0, as_of: str = "") -> Fact | None:
    """A figure with its range; None when the table has no value."""
    if row is None or row.get("value") is None:
        return None
    value = float(row["value"]) * scale
    codes = row.get("src", [])
    return Fact(
        value=value,
        low=float(row["low"]) * scale if row.get("low") is not None else value,
        high=float(row["high"]) * scale if row.get("high") is not None else value,
        confidence=cast(Confidence, row.get("conf", "low")),
        sources=sources.text(codes),
        as_of=str(row.get("as_of") or as_of or sources.date(codes)),
        note=row.get("note", ""),
    )


def known(row: Row | None, sources: Sources, scale: float = 1.0, as_of: str = "") -> Fact:
    """A figure that the table must have."""
    found = fact(row, sources, scale, as_of)
    if found is None:
        raise ValueError("a figure is missing")
    return found


def price(row: Row | None, sources: Sources) -> Price | None:
    """A price with both currencies and its date."""
    if row is None:
        return None

    def currency(code: Literal["eur", "usd"]) -> Fact:
        return Fact(
            value=float(row[code]),
            low=float(row.get(f"{code}_low", row[code])),
            high=float(row.get(f"{code}_high", row[code])),
            confidence=cast(Confidence, row.get("conf", "low")),
            sources=sources.text(row.get("src", [])),
            as_of=str(row["as_of"]),
        )

    return Price(
        currency("eur"),
        currency("usd"),
        str(row["as_of"]),
        row.get("basis", ""),
        row.get("includes", ""),
        row.get("note", ""),
    )


def all_sources(*facts: Fact | None, also: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Every source once, in order of first use."""
    seen: dict[str, None] = dict.fromkeys(also)
    for each in facts:
        if each is not None:
            seen.update(dict.fromkeys(each.sources))
    return tuple(seen)
