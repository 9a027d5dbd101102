"""Whether the values of a record have the types its fields announce: JSON from outside may hold anything."""

from __future__ import annotations

import dataclasses
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

MOST = 1e16


def wrong_field(record: Any) -> str:
    """Name of the first field whose value has another type, lies outside every sense, or is negative; "" when none."""
    kinds = _kinds(type(record))
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if not _is(value, kinds[field.name]):
            return field.name
        for each in value if isinstance(value, tuple) else (value,):
            inner = wrong_field(each) if dataclasses.is_dataclass(each) and not isinstance(each, type) else ""
            if inner:
                return f"{field.name}.{inner}"
    return ""


_known: dict[type, dict[str, Any]] = {}


def _kinds(record: type) -> dict[str, Any]:
    if record not in _known:
        _known[record] = get_type_hints(record)
    return _known[record]


def _is(value: object, kind: Any) -> bool:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return any(_is(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if parts[1:] == (Ellipsis,):
            return all(_is(each, parts[0]) for each in value)
        return len(value) == len(parts) and all(map(_is, value, parts))
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST
    if kind is float:
        # Not a number and infinity fail the comparison.
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < MOST
    return isinstance(value, kind if kind is not None else NoneType)
