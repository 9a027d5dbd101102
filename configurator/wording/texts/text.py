"""One sentence in two audiences, and the table it stands in."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter


@dataclass(frozen=True, slots=True)
class Text:
    """``owner`` in everyday words; ``operator`` with the terms of the trade, empty where the same.

    Placeholders are names of the message's parameters; their endings choose how a value is printed.
    """

    owner: str
    operator: str = ""

    def variants(self) -> tuple[str, ...]:
        """The sentences to translate."""
        return (self.owner, self.operator) if self.operator else (self.owner,)


def placeholders(sentence: str) -> frozenset[str]:
    """Names in braces of a sentence."""
    return frozenset(name for _, name, _, _ in Formatter().parse(sentence) if name)
