"""What the items of the canvas draw beside the plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from configurator.desktop.facts import short_lines

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue
    from configurator.sizing.results import GpuMemory
    from configurator.wording import Wording


@dataclass(slots=True)
class Look:
    """What the items draw beside the plan: selection, answer, drag state. One per scene, shared by all items."""

    catalogue: Catalogue
    wording: Wording
    selected: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    current: str = ""
    """Id the keyboard stands on."""
    focused: bool = False
    hovered: str = ""
    memory: dict[str, GpuMemory] = field(default_factory=dict)
    badges: dict[str, str] = field(default_factory=dict)
    """Id -> gravest class of its findings."""
    power: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Site id -> (words, over the limit)."""
    lit: dict[str, str] = field(default_factory=dict)
    """Id -> ok, no, preview, or target, while something is in the hand."""
    moving: frozenset[str] = frozenset()
    ports: frozenset[str] = frozenset()
    """Ids that show their port for a new link."""
    card_words: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)

    def words_of(self, gpu: str) -> tuple[tuple[str, ...], str]:
        """The lines and the memory on a card, made once."""
        found = self.card_words.get(gpu)
        if found is None:
            record = self.catalogue.gpus.get(gpu)
            label = self.wording.memory_label(record.memory_label_gb) if record is not None else "?"
            found = self.card_words[gpu] = (short_lines(record) if record is not None else (gpu,), label)
        return found
