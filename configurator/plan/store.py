"""The file: JSON with a format number, extension .gpuplan, written whole or not at all.

A project file is data and runs nothing. Reading never changes the file; every failure
says what, where and how to mend it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from configurator.plan.faults import fault_messages
from configurator.plan.index import project_problems
from configurator.plan.model import FORMAT, Project
from configurator.terms import Message, message

EXTENSION = ".gpuplan"
KIND = "gpuplan"
MAX_BYTES = 64 * 1024 * 1024
"""Larger than any plan; a bigger file is not one of ours."""

MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""Format number -> change to the next one. Empty while there is one format."""


class StoreError(Exception):
    """A project cannot be read or written. ``messages`` are worded by wording/."""

    def __init__(self, *messages: Message) -> None:
        super().__init__("; ".join(each.code for each in messages))
        self.messages = messages


def to_bytes(project: Project) -> bytes:
    """The file's content: stable order and layout, so that equal projects give equal bytes."""
    # Defaults are written too: a later program with other defaults must not change what this file says.
    body = project.model_dump(mode="json", exclude_none=True)
    document = {"kind": KIND, "format": FORMAT, **{key: value for key, value in body.items() if key != "format"}}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def from_bytes(data: bytes, name: str = "") -> Project:
    """Parse and check a file's content; raises StoreError with the place of each fault."""
    if len(data) > MAX_BYTES:
        raise StoreError(message("store.too_large", file=name, size_bytes=len(data), limit_bytes=MAX_BYTES))
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise StoreError(message("store.not_text", file=name, offset=error.start)) from error
    except json.JSONDecodeError as error:
        raise StoreError(message("store.not_json", file=name, line=error.lineno, column=error.colno)) from error
    except RecursionError as error:
        raise StoreError(message("store.not_ours", file=name)) from error
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise StoreError(message("store.not_ours", file=name))
    return _project(document, name)


def _project(document: dict[str, Any], name: str) -> Project:
    number = document.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise StoreError(message("store.no_format", file=name))
    if number > FORMAT:
        raise StoreError(message("store.newer", file=name, found=number, known=FORMAT))
    document = {key: value for key, value in document.items() if key != "kind"}
    while number < FORMAT:
        document = MIGRATIONS[number](document)
        number += 1
    document["format"] = FORMAT
    try:
        project = Project.model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise StoreError(*fault_messages(error, "store.bad_value", name)) from error
    problems = project_problems(project)
    if problems:
        raise StoreError(*problems[:8])
    return project


def load(path: Path) -> Project:
    """Read a project file; raises StoreError. When the file is broken and a good backup stands beside it, says so."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise StoreError(
                message("store.too_large", file=path.name, size_bytes=path.stat().st_size, limit_bytes=MAX_BYTES)
            )
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(message("store.unreadable", file=str(path), reason=error.strerror or str(error))) from error
    try:
        return from_bytes(data, path.name)
    except StoreError as error:
        backup = backup_path(path)
        if backup.is_file() and _readable(backup):
            raise StoreError(*error.messages, message("store.backup_is_good", file=backup.name)) from error
        raise


def _readable(path: Path) -> bool:
    try:
        from_bytes(path.read_bytes(), path.name)
    except (OSError, StoreError):
        return False
    return True


def backup_path(path: Path) -> Path:
    """The one backup: the state before the last save."""
    return path.with_name(path.name + ".bak")


def stamp(path: Path) -> str:
    """What the file holds, as a short text to compare later; "" when there is none or it cannot be read."""
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def save(project: Project, path: Path) -> None:
    """Write whole or not at all: temporary file in the same folder, fsync, replace; the former state becomes .bak.

    Raises StoreError; the existing file stays as it was then.
    """
    data = to_bytes(project)
    temporary: Path | None = None
    try:
        handle, temporary_name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        temporary = Path(temporary_name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
            _keep_backup(path)
        else:
            temporary.chmod(0o644)
        temporary.replace(path)
        temporary = None
        _sync_folder(path.parent)
    except OSError as error:
        raise StoreError(message("store.unwritable", file=str(path), reason=error.strerror or str(error))) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _keep_backup(path: Path) -> None:
    backup = backup_path(path)
    copy = backup.with_name(backup.name + ".tmp")
    copy.write_bytes(path.read_bytes())
    copy.replace(backup)


def _sync_folder(folder: Path) -> None:
    """Make the new name durable where the system can (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
