"""Model files people have (config.json, GGUF, safetensors) -> catalogue records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.imports.fields import ModelFileError
from configurator.imports.files import model_of_gguf, model_of_safetensors
from configurator.imports.huggingface import model_of_config
from configurator.imports.quantisation import Stored
from configurator.terms import Message, message

if TYPE_CHECKING:
    from configurator.catalogue import Catalogue

__all__ = ["ImportedModel", "ModelFileError", "read_model"]

MOST_CONFIG_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A model read from a file.

    ``stored`` is the exact weight format of the file itself; without one ``weight_format_id`` names the format its
    configuration announces. ``notes`` say what is estimated and why.
    """

    model: ModelRecord
    weight_format_id: str
    stored: WeightFormat | None = None
    stored_bytes: int | None = None
    plain_parts: frozenset[str] = frozenset()
    notes: tuple[Message, ...] = ()
    announced_id: str = ""
    """Weight format that the config.json beside stored weights names."""

    def weight_format(self, catalogue: Catalogue) -> WeightFormat:
        """The format of the weights, with the parts this model leaves at 16 bits."""
        if self.stored is not None:
            return self.stored
        found = catalogue.weight_formats[self.weight_format_id]
        if not self.plain_parts:
            return found
        from configurator.sizing.formats import PART_NAMES

        parts = {part for name in found.quantised_parts for part in PART_NAMES.get(name, (name,))}
        return replace(found, quantised_parts=tuple(sorted(parts - self.plain_parts)))


def read_model(source: Path | Mapping[str, Any]) -> ImportedModel:
    """Read a config.json (as a path, a folder that holds one, or its parsed content), a GGUF or safetensors file.

    Raises ModelFileError with what is wrong, in which file or field, and what would mend it.
    """
    if isinstance(source, Mapping):
        return _from_config(source, "")
    try:
        return _from_path(source)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ModelFileError(f"“{source}” cannot be read: {reason}") from error


def _from_path(path: Path) -> ImportedModel:
    if path.is_dir():
        weights = sorted(path.glob("*.safetensors"))
        if weights:
            return _from_safetensors(weights[0])
        return _from_config(_json(path / "config.json"), path.name)
    if path.suffix == ".gguf":
        record, form, size = model_of_gguf(path)
        return ImportedModel(record, form.id, form, size, notes=(message("import.file_bytes", stored_bytes=size),))
    if path.suffix == ".safetensors":
        return _from_safetensors(path)
    return _from_config(_json(path), path.parent.name)


def _from_config(raw: Any, name: str) -> ImportedModel:
    if not isinstance(raw, Mapping):
        raise ModelFileError("The configuration is not a JSON object")
    if isinstance(raw.get("weight_map"), Mapping):
        raise ModelFileError("This file lists weights but not the architecture: choose config.json beside it")
    record, stored, notes = model_of_config(raw, name)
    return ImportedModel(record, stored.weight_format_id, plain_parts=stored.plain_parts, notes=notes)


def _from_safetensors(path: Path) -> ImportedModel:
    config = path.parent / "config.json"
    known: tuple[ModelRecord, Stored, tuple[Message, ...]] | None = None
    if config.is_file():
        known = model_of_config(_json(config), path.parent.name)
    record, form, size, exact = model_of_safetensors(path, known[0] if known else None)
    notes = [*(known[2] if known else ()), message("import.file_bytes", stored_bytes=size)]
    if not exact:
        notes.append(message("import.from_shapes"))
    announced = known[1].weight_format_id if known else ""
    return ImportedModel(record, form.id, form, size, notes=tuple(notes), announced_id=announced)


def _json(path: Path) -> Any:
    if path.stat().st_size > MOST_CONFIG_BYTES:
        raise ModelFileError(f"“{path.name}” is too large for a configuration")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"“{path.name}” is not JSON") from error
