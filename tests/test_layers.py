"""Rules of the source itself: walls between rooms, size of files, frozen data, clean text."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pydantic
import pytest

import configurator

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for room in ("configurator", "packaging", "tests") for path in (ROOT / room).rglob("*.py"))

LONGEST = 450
"""About 400 lines; a few more are no reason to cut a thought in two."""

LONG_FILES: dict[str, str] = {}
"""Longer files, each with the reason why it is one file."""


def test_imports_run_one_way() -> None:
    """The walls of pyproject.toml hold."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_files_are_short_enough_to_read() -> None:
    lines = {str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n") for path in SOURCES}
    too_long = {name: count for name, count in lines.items() if count > LONGEST and name not in LONG_FILES}
    assert not too_long
    stale = [name for name in LONG_FILES if lines.get(name, 0) <= LONGEST]
    assert not stale, "take these from LONG_FILES"


FROZEN_ROOMS = ("plan", "catalogue", "sizing", "scaling", "operations", "advice", "diagram")


def _modules() -> list[str]:
    rooms = [f"configurator.{room}" for room in FROZEN_ROOMS]
    names = ["configurator.terms", "configurator.assess"]
    for room in rooms:
        package = importlib.import_module(room)
        names += [room, *(each.name for each in pkgutil.walk_packages(package.__path__, room + "."))]
    return names


def _mutable_field(annotation: object) -> bool:
    """Whether a field's type, as written, holds something that can be changed in place. Functions hold no data."""
    written = annotation if isinstance(annotation, str) else str(annotation).replace("typing.", "")
    if "Callable" in written:
        return False
    return bool(re.search(r"\b(list|dict|set|bytearray|List|Dict|Set|defaultdict|deque)\b", written))


@pytest.mark.parametrize("module_name", _modules())
def test_models_hold_no_list_dict_or_set(module_name: str) -> None:
    """Frozen means frozen all the way down: tuples only."""
    module = importlib.import_module(module_name)
    for name, kind in inspect.getmembers(module, inspect.isclass):
        if kind.__module__ != module_name:
            continue
        if issubclass(kind, pydantic.BaseModel):
            assert kind.model_config.get("frozen"), f"{name} is not frozen"
            hints: dict[str, object] = {field: info.annotation for field, info in kind.model_fields.items()}
        elif dataclasses.is_dataclass(kind) and "frozen=True" in inspect.getsource(kind):
            hints = {field.name: field.type for field in dataclasses.fields(kind)}
        else:
            continue
        wrong = [field for field, hint in hints.items() if _mutable_field(hint)]
        assert not wrong, f"{name} holds {wrong}"


def test_every_module_says_what_it_is() -> None:
    sources = [path for path in SOURCES if "tests" not in path.relative_to(ROOT).parts and path.stat().st_size]
    silent = [str(path) for path in sources if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert not silent


def test_no_check_is_switched_off() -> None:
    """No silenced type error, no skipped test, no note to do it later."""
    marks = re.compile(
        r"type:\s*ignore|mypy:\s*ignore|noqa(?!: [A-Z]+\d)"
        r"|pytest\.mark\.skip|pytest\.skip\(|\bTODO\b|\bFIXME\b|assert True\b"
    )
    here = Path(__file__).resolve()
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in SOURCES
        if path != here
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if marks.search(line)
    ]
    assert not found


def test_the_check_for_mutable_fields_sees_them() -> None:
    assert _mutable_field("tuple[dict[str, int], ...]")
    assert _mutable_field(tuple[list[int], ...])
    assert not _mutable_field("tuple[tuple[str, int], ...]")
    assert not _mutable_field("Mapping[str, int]")
    assert not _mutable_field("Callable[[list[int]], None] | None")


def test_version_is_one() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", configurator.__version__)
    assert f"## {configurator.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_installed_package_names_every_folder_of_the_source() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = set(settings["tool"]["setuptools"]["packages"]) - {"configurator.resources"}
    found = {
        ".".join(folder.relative_to(ROOT).parts)
        for folder in (ROOT / "configurator").rglob("*")
        if folder.is_dir() and any(folder.glob("*.py"))
    } | {"configurator"}
    assert named == found
