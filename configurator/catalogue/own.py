"""Writing into the owner's own catalogue file: whole or not at all, and every other record stays as it is."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from configurator.catalogue.files import user_data_folder
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.catalogue.rows import model_row, weight_format_row
from configurator.catalogue.user import MOST_BYTES
from configurator.terms import Message, message


class OwnFileError(Exception):
    """The owner's own file cannot be read or written; ``message`` says what would mend it."""

    def __init__(self, what: Message) -> None:
        self.message = what
        super().__init__(what.code)


def own_file() -> Path:
    """Where the owner's own records are kept, whether the file exists or not."""
    return user_data_folder() / "catalogue.json"


def keep_model(path: Path, model: ModelRecord, formats: tuple[WeightFormat, ...] = ()) -> None:
    """Add a model with the weight formats counted in its own file; rows of the same ids are replaced.

    Raises OwnFileError; the file stays as it was then. A file that is not understood is never written over.
    """
    content = _content(path)
    models, kept = _list(path, content, "models"), _list(path, content, "weight_formats")
    content["models"] = [row for row in models if not _has(row, "id", model.id)] + [model_row(model)]
    ids = {each.id for each in formats}
    if formats:
        rest = [row for row in kept if not any(_has(row, "id", each) for each in ids)]
        content["weight_formats"] = rest + [weight_format_row(each) for each in formats]
    data = json.dumps(content, ensure_ascii=False, indent=1).encode()
    if len(data) > MOST_BYTES:
        raise OwnFileError(message("catalogue.own.full", file=str(path)))
    _write(path, data)


def _has(row: Any, field: str, value: str) -> bool:
    return isinstance(row, dict) and row.get(field) == value


def _content(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise OwnFileError(message("catalogue.own.full", file=str(path)))
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise OwnFileError(_unwritable(path, error)) from error
    except (ValueError, RecursionError) as error:
        raise OwnFileError(message("catalogue.own.broken", file=str(path))) from error
    if not isinstance(content, dict):
        raise OwnFileError(message("catalogue.own.broken", file=str(path)))
    return content


def _list(path: Path, content: dict[str, Any], kind: str) -> list[Any]:
    rows = content.get(kind, [])
    if not isinstance(rows, list):
        raise OwnFileError(message("catalogue.own.broken", file=str(path)))
    return rows


def _write(path: Path, data: bytes) -> None:
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise OwnFileError(_unwritable(path, error)) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> Message:
    return message("catalogue.own.unwritable", file=str(path), reason=error.strerror or str(error))
