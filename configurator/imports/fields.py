"""Reading a Hugging Face config.json: bounded numbers, nested text configurations, clear messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

NESTED = ("text_config", "llm_config", "language_config", "thinker_config", "language_model_config", "text_model")
MOST = 10**12


class ModelFileError(ValueError):
    """A file that cannot be read as a model; the text says what, where and how to mend it."""


class Fields:
    """Fields of a configuration with limits; ``assumed`` collects what was missing."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.assumed: list[tuple[str, str]] = []

    def has(self, *names: str) -> bool:
        """Whether one of the names holds something."""
        return any(self.raw.get(name) is not None for name in names)

    def any(self, *names: str) -> Any:
        """First of the names that holds something, or None."""
        return next((self.raw[name] for name in names if self.raw.get(name) is not None), None)

    def whole(self, *names: str, default: int | None = None, least: int = 0, most: int = MOST) -> int:
        """A whole number. Without a default a missing field is an error that names it."""
        value = self.any(*names)
        if value is None:
            if default is None:
                raise ModelFileError(f"The configuration has no field “{names[0]}”, which is needed to count the model")
            return default
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ModelFileError(f"The field “{names[0]}” holds {_shown(value)} where a whole number is needed")
        number = int(value)
        if not least <= number <= most:
            raise ModelFileError(f"The field “{names[0]}” holds {number}, which lies outside {least} to {most}")
        return number

    def flag(self, *names: str, default: bool = False) -> bool:
        """A switch."""
        value = self.any(*names)
        return default if value is None else bool(value)

    def numbers(self, name: str) -> list[int]:
        """A list of whole numbers, empty when missing."""
        value = self.raw.get(name)
        if not isinstance(value, list) or len(value) > 4096:
            return []
        return [int(each) for each in value if isinstance(each, (int, float)) and not isinstance(each, bool)]

    def words(self, name: str) -> list[str]:
        """A list of texts, empty when missing."""
        value = self.raw.get(name)
        if not isinstance(value, list) or len(value) > 4096:
            return []
        return [str(each) for each in value]

    def part(self, *names: str) -> Fields | None:
        """A nested object."""
        value = self.any(*names)
        return Fields(value) if isinstance(value, Mapping) else None


def text_fields(raw: Mapping[str, Any]) -> Fields:
    """The language model's fields: nested ones win over those beside them."""
    for name in NESTED:
        inner = raw.get(name)
        if isinstance(inner, Mapping) and inner:
            deeper = inner.get("text_config")
            if isinstance(deeper, Mapping):
                inner = deeper
            outer = {key: value for key, value in raw.items() if not isinstance(value, Mapping)}
            return Fields({**outer, **inner})
    return Fields(raw)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
