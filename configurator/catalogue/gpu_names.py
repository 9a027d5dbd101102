"""Names of GPUs that people and tools write -> records.

An exact id, name or alias wins. Otherwise the words of the text are compared with the words of each record: vendor
words count for nothing, every other word must belong to the card, and a memory size must be the card's. Where
several editions remain, the first of ``_EDITION_ORDER`` wins and the others are listed: a bare "H100" is the SXM
module, a bare "PRO 6000" the workstation card; the server or Max-Q edition only if it is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from configurator.catalogue.likeness import nearest, plain
from configurator.catalogue.problems import UnknownNameError
from configurator.catalogue.records import GpuRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from configurator.catalogue.load import Catalogue


@dataclass(frozen=True, slots=True)
class GpuMatch:
    """A GPU with the other records the text could have meant."""

    gpu: GpuRecord
    alternatives: tuple[str, ...]
    """Catalogue ids."""


# Words that say nothing about which card it is.
_NOISE_TEXT = """nvidia geforce quadro tesla amd radeon instinct intel gpu graphics card accelerator corporation inc
generation gen series edition class founders tensor core ampere memory vram hbm hbm2 hbm2e hbm3 hbm3e gddr6 gddr6x gddr7
uma unified node system whole of the per wsl2 wsl"""
_GPU_NOISE = frozenset(_NOISE_TEXT.split())
_SAME_WORD = {
    "sxm2": "sxm",
    "sxm4": "sxm",
    "sxm5": "sxm",
    "oam": "sxm",
    "workstation": "ws",
    "sfe": "server",
    "se": "server",
    "maxq": "maxq",
    "nvl72": "",
    "spark": "gb10",
    "arc": "",
    "ai": "",
    "tower": "",
}
_EDITION_ORDER = ("ws", "sxm", "pcie", "nvl", "maxq", "server", "")
"""Which edition a name without an edition means, first wins."""

_WORD = re.compile(r"[\d.]+\s?gi?b\b|\d+x(?=\s)|[a-z]+[a-z0-9]*|\d+[a-z]*")
_MEMORY = re.compile(r"^(\d+)(?:\.\d+)?\s?gi?b$")
_COUNT = re.compile(r"^\d+x$")


def _words(text: str) -> tuple[frozenset[str], int | None]:
    """Telling words of a GPU's name, and the memory size in it."""
    lowered = text.lower().replace("max-q", "maxq").replace("max q", "maxq")
    lowered = re.sub(r"(?<=[a-z])-(?=[a-z])|[_/]", " ", lowered)
    lowered = re.sub(r"\brtx\s?(?=\d)", "rtx ", lowered)
    lowered = re.sub(r"\b\d+[- ]core\b", " ", lowered)
    # "4070ti", "3090ti" and "a100-sxm4-80gb" are written together by some tools.
    lowered = re.sub(r"(\d{4})(ti|super|d|ada|s)\b", r"\1 \2", lowered)
    lowered = lowered.replace("-", " ")
    memory: int | None = None
    words: set[str] = set()
    for word in _WORD.findall(lowered):
        size = _MEMORY.match(word)
        if size:
            memory = int(size.group(1))
            continue
        word = _SAME_WORD.get(word, word)
        if word and word not in _GPU_NOISE and not _COUNT.match(word):
            words.add(word)
    if words & {"dgx", "hgx"}:
        # A DGX or HGX board carries SXM modules; the DGX Spark is a machine of its own.
        words = (words - {"dgx", "hgx", "1"}) | ({"sxm"} if "gb10" not in words else set())
    return frozenset(words), memory


_SILENT = frozenset(
    {"rtx", "pro", "blackwell", "ada", "gtx", "rx", "sxm", "pcie", "nvl", "ws", "maxq", "server", "hopper"}
)
"""Words of a card's name that a person may leave out."""


@dataclass(frozen=True, slots=True)
class _Card:
    gpu: GpuRecord
    words: frozenset[str]
    edition: str
    alias: bool


def _cards(gpus: Mapping[str, GpuRecord]) -> tuple[_Card, ...]:
    cards = []
    for gpu in gpus.values():
        extra: frozenset[str] = frozenset()
        if gpu.form in {"sxm", "oam"}:
            extra |= {"sxm"}
        elif gpu.form == "pcie" and gpu.segment != "consumer":
            extra |= {"pcie"}
        for number, name in enumerate((f"{gpu.name} {gpu.id}", *gpu.aliases)):
            words = _words(name)[0] | extra
            if "PRO" in gpu.name and gpu.segment != "system" and not words & {"server", "maxq"}:
                words |= {"ws"}
            edition = next((edition for edition in _EDITION_ORDER if edition in words), "")
            cards.append(_Card(gpu, words, edition, number > 0))
    return tuple(cards)


class _Index:
    """Prepared names of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.cards = _cards(catalogue.gpus)
        self.names: dict[str, GpuRecord] = {}
        for gpu in catalogue.gpus.values():
            for name in (gpu.id, gpu.name, *gpu.aliases):
                self.names.setdefault(plain(name), gpu)


_INDEXES: WeakKeyDictionary[Catalogue, _Index] = WeakKeyDictionary()


def _index(catalogue: Catalogue) -> _Index:
    found = _INDEXES.get(catalogue)
    if found is None:
        found = _INDEXES[catalogue] = _Index(catalogue)
    return found


def match_gpu(catalogue: Catalogue, text: str) -> GpuMatch:
    """The GPU that the text means, with what else it could mean.

    Raises UnknownNameError, which lists the nearest ids.
    """
    if text in catalogue.gpus:
        return GpuMatch(catalogue.gpus[text], ())
    index = _index(catalogue)
    exact = index.names.get(plain(text))
    if exact is not None:
        return GpuMatch(exact, ())
    found = _by_words(index, text)
    for cut in (r"\(.*?(\)|$)", r"\(.*?(\)|$)|,.*"):
        # Remarks in brackets or after a comma are not part of the name.
        found = found or _by_words(index, re.sub(cut, " ", text))
    if not found:
        raise UnknownNameError("GPU", text, nearest(text, {gpu.id: gpu.name for gpu in catalogue.gpus.values()}))
    return GpuMatch(found[0].gpu, tuple(card.gpu.id for card in found[1:]))


def _by_words(index: _Index, text: str) -> list[_Card]:
    words, memory = _words(text)
    if not words:
        return []
    fitting = [
        card for card in index.cards if words <= card.words and not (card.words - words - _SILENT - _sizes(card))
    ]
    if memory is not None:
        fitting = [card for card in fitting if _memory_agrees(card.gpu, memory)]
    # An alias says which card of the name is meant. Then most memory first: "A100" without a size is the 80 GB
    # card that people buy today.
    fitting.sort(
        key=lambda card: (
            _EDITION_ORDER.index(card.edition),
            len(card.words - words),
            not card.alias,
            -card.gpu.memory_label_gb,
        )
    )
    first: dict[str, _Card] = {}
    for card in fitting:
        first.setdefault(card.gpu.id, card)
    return list(first.values())


@lru_cache(maxsize=256)
def _size_words(gpu_id: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\d+gb", gpu_id))


def _sizes(card: _Card) -> frozenset[str]:
    return _size_words(card.gpu.id)


def _memory_agrees(gpu: GpuRecord, size: int) -> bool:
    """The label, or what the driver reports of it in GiB."""
    label = gpu.memory_label_gb
    return 0.97 * min(label, gpu.memory_usable_bytes / 2**30) - 1 <= size <= 1.015 * label + 0.5


def find_gpu(catalogue: Catalogue, text: str) -> GpuRecord:
    """The GPU that the text means. Raises UnknownNameError."""
    return match_gpu(catalogue, text).gpu
