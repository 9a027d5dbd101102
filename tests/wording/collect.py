"""Reads the source for every message code and the parameters given with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "configurator"
PREFIX = {"message": "", "Message": "", "say": "finding.", "told": "finding.", "do": "do.", "noted": ""}


@dataclass(frozen=True)
class Use:
    """One place where a code is used. ``pattern`` holds "*" for parts computed at run time."""

    pattern: str
    params: frozenset[str] | None
    """None: not readable from the source."""
    where: str


def _patterns(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return _patterns(node.body) + _patterns(node.orelse)
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)]
    return []


def uses() -> Iterator[Use]:
    """Every use in the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name not in PREFIX or not node.args:
                continue
            if name in ("say", "told", "do") and "advice" not in path.parts:
                continue
            given: frozenset[str] | None = frozenset(each.arg for each in node.keywords if each.arg)
            if name in ("Message", "told", "noted") or any(each.arg is None for each in node.keywords):
                given = None
            for pattern in _patterns(node.args[0]):
                if "." in pattern:
                    where = f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
                    yield Use(PREFIX[name] + pattern, given, where)
