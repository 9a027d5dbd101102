"""A model read from a file -> a record of the owner's catalogue: with a name, an id and the file's own weights."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.imports import ImportedModel
from configurator.terms import Message

HUB = re.compile(r"^models--(.+?)--(.+)$")
HASH = re.compile(r"^[0-9a-f]{12,64}$")
PLACES = frozenset({
    "desktop", "documents", "downloads", "download", "home", "tmp", "temp", "model", "models", "config", "configs",
    "checkpoint", "checkpoints", "hub", "weights", "snapshots", "data", "main", "root", "users", "new", "folder",
    "files",
})  # fmt: skip
"""Folder names that do not say which model lies in them."""
LONGEST_ID = 80
PLAIN_BITS = (15.9, 16.6)


@dataclass(frozen=True, slots=True)
class OwnModel:
    """What goes into the owner's catalogue; ``weights`` is the format a workload takes with the model."""

    model: ModelRecord
    weights: str
    formats: tuple[WeightFormat, ...] = ()
    notes: tuple[Message, ...] = ()


def own_model(imported: ImportedModel, path: Path, catalogue: Catalogue, as_of: str) -> OwnModel:
    """Name what was read from ``path``. The same file gets the same id on every machine.

    A shipped record, or another model of the owner, is never replaced: then the id gets an ending.
    """
    record = imported.model
    full, name = _title(record, path)
    generic = any(note.code == "import.generic" for note in imported.notes)
    model = replace(
        record,
        id=_free_id(record, name, catalogue),
        name=name,
        hf_id=full,
        vendor=full.partition("/")[0] if "/" in full else "",
        nominal_size=_size(record),
        architecture_status="generic" if generic else record.architecture_status,
        as_of=as_of,
    )
    weights, formats = _weights(imported, model, catalogue)
    return OwnModel(model, weights, formats, imported.notes)


def _title(record: ModelRecord, path: Path) -> tuple[str, str]:
    """(name with its owner where known, short name)."""
    whole = path.absolute()
    for part in reversed(whole.parts):
        found = HUB.match(part)
        if found is not None:
            return f"{found.group(1)}/{found.group(2)}", found.group(2)
    text = " ".join(record.name.split())
    folders = {whole.name, whole.parent.name}
    if text in folders and (text.lower() in PLACES or HASH.match(text)):
        text = ""
    if text.endswith(("ForCausalLM", "ForConditionalGeneration")):
        text = ""
    pieces = [each for each in re.split(r"[/\\]", text) if each not in {"", ".", ".."}]
    if not pieces:
        family = record.family if record.family not in {"", "unknown"} else "model"
        made = f"{family} {_size(record)}"
        return made, made
    owned = len(pieces) == 2 and not text.startswith(("/", "\\", "."))
    return "/".join(pieces) if owned else pieces[-1], pieces[-1]


def _size(record: ModelRecord) -> str:
    total, active = record.parameters.total / 1e9, record.parameters.active_per_token / 1e9
    return f"{total:.3g}B-A{active:.2g}B" if record.moe is not None else f"{total:.3g}B"


def _free_id(record: ModelRecord, name: str, catalogue: Catalogue) -> str:
    stem = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:LONGEST_ID] or "model"
    number = 1
    while True:
        candidate = stem if number == 1 else f"{stem}-own" if number == 2 else f"{stem}-own-{number - 1}"
        known = catalogue.models.get(candidate)
        if known is None or (candidate in catalogue.user_ids and _same_shape(known, record)):
            return candidate
        number += 1


def _same_shape(a: ModelRecord, b: ModelRecord) -> bool:
    return a.parameters == b.parameters and a.attention == b.attention


def _weights(imported: ImportedModel, model: ModelRecord, catalogue: Catalogue) -> tuple[str, tuple[WeightFormat, ...]]:
    """The format to take, and those that only this model has."""
    formats = catalogue.weight_formats
    stored = imported.stored
    if stored is None:
        base = formats.get(imported.weight_format_id) or formats["bf16"]
        if not imported.plain_parts or base.id != imported.weight_format_id:
            return base.id, ()
        own = replace(
            imported.weight_format(catalogue),
            id=f"{model.id}.{base.id}",
            name=f"{_short(base.name)}, as its configuration says",
            model_id=model.id,
        )
        return own.id, (own,)
    gguf = stored.family == "gguf"
    if not gguf and PLAIN_BITS[0] <= stored.bits <= PLAIN_BITS[1]:
        return ("fp16" if imported.announced_id == "fp16" else "bf16"), ()
    known = formats.get(stored.id if gguf else imported.announced_id)
    label = _short(known.name) if known is not None else stored.id.upper()
    own = replace(
        stored,
        id=f"{model.id}.{known.id if known is not None else stored.id}",
        name=f"{label}, as stored in the file",
        model_id=model.id,
    )
    if known is not None and not gguf:
        own = replace(
            own,
            family=known.family,
            engines=known.engines,
            trainable=known.trainable,
            adapter_base=known.adapter_base,
        )
    return own.id, (own,)


def _short(name: str) -> str:
    return name.partition(",")[0].partition(" (")[0]
