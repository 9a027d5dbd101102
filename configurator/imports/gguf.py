"""GGUF headers: metadata and tensors of a file, read with limits and without its data.

Source: the GGUF specification and the block sizes of ggml.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from configurator.imports.fields import ModelFileError
from configurator.imports.tensors import MOST_TENSORS, Tensor

MOST_HEADER = 128 * 1024 * 1024
MOST_TEXT = 32 * 1024 * 1024
MOST_PAIRS = 100_000
MOST_LIST = 5_000_000
KEPT_LIST = 4096
"""Longer lists (vocabularies) are skipped; only their length is kept."""

BLOCKS: dict[int, tuple[str, int, int]] = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    16: ("IQ2_XXS", 256, 66), 17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82), 23: ("IQ4_XS", 256, 136),
    24: ("I8", 1, 1), 25: ("I16", 1, 2), 26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54), 35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17),
}  # fmt: skip
"""Type number -> name, weights of a block, bytes of a block."""

FILE_TYPES: dict[int, str] = {
    0: "fp32", 1: "fp16", 2: "q4_0", 3: "q4_1", 7: "q8_0", 8: "q5_0", 9: "q5_1", 10: "q2_k", 11: "q3_k_s",
    12: "q3_k_m", 13: "q3_k_l", 14: "q4_k_s", 15: "q4_k_m", 16: "q5_k_s", 17: "q5_k_m", 18: "q6_k", 19: "iq2_xxs",
    20: "iq2_xs", 21: "q2_k_s", 22: "iq3_xs", 23: "iq3_xxs", 24: "iq1_s", 25: "iq4_nl", 26: "iq3_s", 27: "iq3_m",
    28: "iq2_s", 29: "iq2_m", 30: "iq4_xs", 31: "iq1_m", 32: "bf16", 38: "mxfp4_moe",
}  # fmt: skip
"""general.file_type -> recipe."""

SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT, LIST = 8, 9


class _Reader:
    """Reads with limits; a cut-off file is an error, not a crash."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file = file
        self.name = name
        self.left = MOST_HEADER

    def bytes(self, count: int) -> bytes:
        self._take(count)
        data = self.file.read(count)
        if len(data) < count:
            raise ModelFileError(f"“{self.name}” ends inside its header")
        return data

    def skip(self, count: int) -> None:
        self._take(count)
        self.file.seek(count, 1)

    def _take(self, count: int) -> None:
        self.left -= count
        if count < 0 or self.left < 0:
            raise ModelFileError(f"The header of “{self.name}” is longer than {MOST_HEADER // 1024**2} MiB")

    def scalar(self, kind: int) -> Any:
        layout = SCALARS.get(kind)
        if layout is None:
            raise ModelFileError(f"“{self.name}” holds a value of the unknown type {kind}")
        return struct.unpack(layout, self.bytes(struct.calcsize(layout)))[0]

    def whole(self, layout: str = "<Q") -> int:
        value: int = struct.unpack(layout, self.bytes(struct.calcsize(layout)))[0]
        return value

    def text(self) -> str:
        length = self.whole()
        if length > MOST_TEXT:
            raise ModelFileError(f"“{self.name}” holds a text of {length} bytes")
        return self.bytes(length).decode("utf-8", "replace")

    def skip_text(self) -> None:
        length = self.whole()
        if length > MOST_TEXT:
            raise ModelFileError(f"“{self.name}” holds a text of {length} bytes")
        self.skip(length)

    def value(self, depth: int = 0) -> Any:
        return self.of_kind(self.whole("<I"), depth)

    def of_kind(self, kind: int, depth: int) -> Any:
        if kind == TEXT:
            return self.text()
        if kind != LIST:
            return self.scalar(kind)
        if depth > 2:
            raise ModelFileError(f"“{self.name}” nests lists too deeply")
        inner, count = self.whole("<I"), self.whole()
        if count > MOST_LIST:
            raise ModelFileError(f"“{self.name}” holds a list of {count} values")
        if count <= KEPT_LIST:
            return [self.of_kind(inner, depth + 1) for _ in range(count)]
        if inner in SCALARS:
            self.skip(count * struct.calcsize(SCALARS[inner]))
        elif inner == TEXT:
            for _ in range(count):
                self.skip_text()
        else:
            raise ModelFileError(f"“{self.name}” nests lists too deeply")
        return LongList(count)


class LongList:
    """A list that was skipped; only its length is known."""

    def __init__(self, length: int) -> None:
        self.length = length


def read_gguf(path: Path) -> tuple[dict[str, Any], list[Tensor]]:
    """(metadata, tensors) of one file. Raises ModelFileError for a file that is damaged or not GGUF."""
    with path.open("rb") as file:
        reader = _Reader(file, path.name)
        if file.read(4) != b"GGUF":
            raise ModelFileError(f"“{path.name}” is not a GGUF file")
        version = reader.whole("<I")
        if version not in (2, 3):
            raise ModelFileError(f"“{path.name}” is GGUF version {version}; versions 2 and 3 can be read")
        tensor_count, pair_count = reader.whole(), reader.whole()
        if tensor_count > MOST_TENSORS or pair_count > MOST_PAIRS:
            raise ModelFileError(f"“{path.name}” announces {tensor_count} tensors and {pair_count} values")
        metadata: dict[str, Any] = {}
        for _ in range(pair_count):
            name = reader.text()
            metadata[name] = reader.value()
        return metadata, [_tensor(reader) for _ in range(tensor_count)]


def _tensor(reader: _Reader) -> Tensor:
    name = reader.text()
    dimensions = reader.whole("<I")
    if not 1 <= dimensions <= 8:
        raise ModelFileError(f"The tensor “{name[:80]}” of “{reader.name}” has {dimensions} dimensions")
    shape = tuple(reader.whole() for _ in range(dimensions))
    kind = reader.whole("<I")
    reader.skip(8)
    if kind not in BLOCKS:
        raise ModelFileError(f"The tensor “{name[:80]}” of “{reader.name}” has the unknown type {kind}")
    _, weights, size = BLOCKS[kind]
    elements = 1
    for each in shape:
        elements *= each
    if elements > 10**13 or shape[0] % weights:
        raise ModelFileError(f"The tensor “{name[:80]}” of “{reader.name}” does not fill whole blocks")
    # ggml lists the fastest dimension first; ours is rows by columns.
    return Tensor(name, tuple(reversed(shape)), elements, elements // weights * size)
