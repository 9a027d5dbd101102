"""What is wrong with a value, as messages a person can act on: never in the words of the library that found it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from configurator.terms import Message, Value, message

MOST_FAULTS = 8

_KINDS: Mapping[str, str] = {
    "less_than_equal": "most",
    "less_than": "below",
    "greater_than_equal": "least",
    "greater_than": "above",
    "too_short": "empty",
    "string_too_short": "empty",
    "missing": "missing",
    "extra_forbidden": "unknown",
    "literal_error": "choice",
}
_LIMITS = ("le", "lt", "ge", "gt")
_NUMBERS = ("int", "float", "finite", "decimal")
_SHOWN = 40
"""Characters of a wrong value that are repeated."""


def fault_messages(error: ValidationError, prefix: str, file: str = "") -> tuple[Message, ...]:
    """One message per fault, ``prefix`` "store.bad_value" or "edit.bad_value" in front of its kind.

    A fault of a part makes its whole look wrong as well; only the part is named.
    """
    faults = error.errors(include_url=False)
    places = [fault["loc"] for fault in faults]
    own = [fault for fault in faults if not any(_inside(place, fault["loc"]) for place in places)]
    shown = [_message(fault, prefix, file) for fault in own[:MOST_FAULTS]]
    if len(own) > len(shown):
        shown.append(message("store.more_faults", count=len(own) - len(shown)))
    return tuple(shown)


def _inside(place: Sequence[int | str], whole: Sequence[int | str]) -> bool:
    return len(place) > len(whole) and tuple(place[: len(whole)]) == tuple(whole)


def _message(fault: Any, prefix: str, file: str) -> Message:
    kind = str(fault["type"])
    context: Mapping[str, Any] = fault.get("ctx", {})
    found = fault["input"]
    code = _KINDS.get(kind) or ("number" if kind.startswith(_NUMBERS) else "other")
    params: dict[str, Value] = {"place": place_said(fault["loc"])}
    if file:
        params["file"] = file
    if code not in {"missing", "unknown", "empty"}:
        params["found"] = found if isinstance(found, int | float) and abs(found) < 1e15 else _short(found)
    limit = next((context[each] for each in _LIMITS if each in context), None)
    if limit is not None:
        params["limit"] = limit
    if code == "choice":
        params["choices"] = str(context.get("expected", "")).replace("'", "")
    return message(f"{prefix}.{code}", **params)


def _short(found: object) -> str:
    if isinstance(found, list | tuple | dict):
        return "…"
    text = str(found)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def place_said(location: Sequence[int | str]) -> str:
    """plans[0].sites[1].name"""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "file"
