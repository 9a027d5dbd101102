"""Safetensors headers: names, shapes and bytes of every tensor, without reading the data."""

from __future__ import annotations

import json
import re
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

from configurator.imports.fields import ModelFileError
from configurator.imports.tensors import MOST_TENSORS, Tensor

MOST_HEADER = 100_000_000
"""Bytes; the format's own limit."""

BITS = {
    "F64": 64, "F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F4": 4, "F6_E2M3": 6,
    "F6_E3M2": 6, "I64": 64, "I32": 32, "I16": 16, "I8": 8, "U64": 64, "U32": 32, "U16": 16, "U8": 8, "BOOL": 8,
    "C64": 64,
}  # fmt: skip

SCALES = re.compile(
    r"(scales|_scale|_scale_inv|_scale_2|weight_scale\w*|input_scale|qzeros|g_idx|weight_zero_point|weight_shape"
    r"|absmax|quant_map|nested_absmax|nested_quant_map|quant_state\.\w+|k_scale|v_scale)$"
)
"""Tensors that describe others and are not weights of the model."""


def read_safetensors(path: Path) -> list[Tensor]:
    """Tensors of one file. Raises ModelFileError for a file that is cut off, too large or inconsistent."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        if len(head) < 8:
            raise ModelFileError(f"“{path.name}” is too short for a safetensors file")
        (length,) = struct.unpack("<Q", head)
        if length > MOST_HEADER or length > size - 8:
            raise ModelFileError(f"“{path.name}” is not a safetensors file: its header would be {length} bytes long")
        try:
            header: Any = json.loads(file.read(length))
        except (ValueError, RecursionError) as error:
            raise ModelFileError(f"The header of “{path.name}” is not JSON") from error
    if not isinstance(header, dict) or len(header) > MOST_TENSORS:
        raise ModelFileError(f"The header of “{path.name}” is not a list of tensors")
    room = size - 8 - length
    entries = {name: _entry(path, name, value, room) for name, value in header.items() if name != "__metadata__"}
    spans = sorted(span for _, _, span in entries.values())
    for (_, end), (start, _) in pairwise(spans):
        if start < end:
            raise ModelFileError(f"Tensors of “{path.name}” overlap")
    shapes = {name: shape for name, (_, shape, _) in entries.items()}
    return [
        Tensor(name, shape, _elements(name, kind, shape, shapes), span[1] - span[0])
        for name, (kind, shape, span) in entries.items()
    ]


def _entry(path: Path, name: str, value: Any, room: int) -> tuple[str, tuple[int, ...], tuple[int, int]]:
    try:
        kind = str(value["dtype"])
        shape = tuple(int(each) for each in value["shape"])
        start, end = (int(each) for each in value["data_offsets"])
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise ModelFileError(f"The tensor “{name[:80]}” of “{path.name}” is not described") from error
    if len(shape) > 16 or any(each < 0 for each in shape) or not 0 <= start <= end <= room:
        raise ModelFileError(f"The tensor “{name[:80]}” of “{path.name}” lies outside the file")
    bits = BITS.get(kind)
    if bits is not None:
        count = 1
        for each in shape:
            count *= each
        if -(-count * bits // 8) != end - start:
            raise ModelFileError(f"The tensor “{name[:80]}” of “{path.name}” has {end - start} bytes for its shape")
    return kind, shape, (start, end)


def _elements(name: str, kind: str, shape: tuple[int, ...], shapes: dict[str, tuple[int, ...]]) -> int:
    """Weights a stored tensor stands for: packed ones unpacked, scales none."""
    count = 1
    for each in shape:
        count *= each
    if SCALES.search(name):
        return 0
    if name.endswith("qweight"):
        base = name[: -len("qweight")]
        scales, order = shapes.get(base + "scales"), shapes.get(base + "g_idx")
        if order and order[0] and len(shape) == 2 and shape[0]:
            return order[0] * shape[1]
        if scales and len(scales) == 2 and len(shape) == 2 and scales[1] > shape[1]:
            return shape[0] * scales[1]
        return count * 8
    if name.endswith("weight_packed"):
        return count * (8 if kind == "I32" else 2)
    if kind == "U8" and len(shape) >= 2:
        return count * 2
    return count
