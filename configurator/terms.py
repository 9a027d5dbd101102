"""The words every room shares: a range with a basis, and a sentence as code plus parameters.

Nothing here knows hardware, Qt or a language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Basis = Literal["measured", "calculated", "vendor", "assumed", "policy"]
"""Where a number comes from; shown beside it."""

Light = Literal["good", "step", "stop", "unknown"]
"""Traffic light of a verdict or a finding: works, one more step, will not work, not known."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One quantity as pessimistic / expected / optimistic figures, low <= expected <= high.

    ``unit`` is an SI-like name ("tokens/s", "s", "bytes", "W", "EUR/year", "" for a share or a count).
    """

    low: float
    expected: float
    high: float
    unit: str = ""
    basis: Basis = "calculated"

    @classmethod
    def exact(cls, value: float, unit: str = "", basis: Basis = "calculated") -> Estimate:
        """An estimate without spread."""
        return cls(value, value, value, unit, basis)

    @classmethod
    def spanning(cls, values: tuple[float, float, float], unit: str = "", basis: Basis = "calculated") -> Estimate:
        """The three scenario results in any order, sorted so that low <= expected <= high holds."""
        low, expected, high = sorted(values)
        return cls(low, expected, high, unit, basis)

    def scaled(self, factor: float, unit: str | None = None) -> Estimate:
        """The same range times a non-negative factor."""
        return Estimate(
            self.low * factor,
            self.expected * factor,
            self.high * factor,
            self.unit if unit is None else unit,
            self.basis,
        )


Value = str | int | float | bool | None | Estimate | tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence before it has a language: a coarse code and exact parameters.

    ``params`` are (name, value) pairs in a fixed order; a name ends in its unit
    (``_bytes``, ``_s``, ``_w``, ``_tokens``, ``_share``, ``_bytes_per_s``, ``_tokens_per_s``, ``_eur``), or in
    ``_id`` for the id of a plan object, ``_gpu``/``_model``/``_server`` for a catalogue id.
    wording/ owns the text of every code.
    """

    code: str
    params: tuple[tuple[str, Value], ...] = ()

    def get(self, name: str) -> Value:
        """Value of one parameter, or None."""
        return next((value for key, value in self.params if key == name), None)


def message(code: str, **params: Value) -> Message:
    """Shorthand for a Message with keyword parameters."""
    return Message(code, tuple(params.items()))
