"""The owner's own records, laid over the shipped ones. A row that cannot be used is named, the others still count.

The file is one JSON object with any of these lists; fields have the names and units of the shipped tables:

    {"gpus":    [{"id": "my-card", "like": "nvidia-rtx-4090", "name": "4090 D", "memory": {"driver_mib": 24564}}],
     "servers": [{"id": "my-box", "like": "workstation-wrx90", "name": "My box", "psu_w": 2000}],
     "models":  [{"id": "my-model", "like": "llama-3.1-8b", "name": "My model", "hf_id": "me/my-model"}],
     "weight_formats": [{"id": "my-model.q4_k_m", "model": "my-model", "name": "My Q4_K_M", "bits": 4.9, ...}],
     "prices":  [{"id": "nvidia-rtx-4090", "eur": 1500, "as_of": "2026-11", "basis": "quote"}]}

``like`` copies an existing record; what the row says replaces the copy's figures, field by field. A figure may be a
plain number. An id that exists already changes that record. Prices are net and may name a GPU, a server or a part.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from configurator.catalogue import hardware, software
from configurator.catalogue.checks import wrong_field
from configurator.catalogue.files import model_tables, table
from configurator.catalogue.problems import CatalogueProblem
from configurator.catalogue.reading import Row, Sources
from configurator.catalogue.records import (
    Fact,
    GpuRecord,
    ModelRecord,
    NetworkPart,
    Price,
    ServerRecord,
    WeightFormat,
)

if TYPE_CHECKING:
    from configurator.catalogue.load import Catalogue

OWN = "own"
OWN_TEXT = "The owner's own catalogue file"
KINDS = ("gpus", "servers", "models", "weight_formats", "prices")
MOST_BYTES = 20_000_000

# Where a plain number may stand for a figure with range and source.
_FIGURES: dict[str, set[tuple[str, ...]]] = {
    "gpus": {
        ("memory", "driver_mib"),
        ("memory", "usable_gib"),
        ("memory", "bandwidth_gbs"),
        *(("dense_tflops", rate) for rate in ("bf16", "fp16", "fp16_fp16acc", "fp8", "fp4", "int8")),
        ("power", "limit_w"),
        ("power", "idle_w"),
        ("power", "transient_peak_w"),
    },
    "servers": {("idle_w",), ("busy_w",)},
    "models": set(),
    "weight_formats": set(),
}
_TEXT_FIELDS = ("id", "name", "like", "as_of")


class _RowError(ValueError):
    """A row that cannot be used: the field, and how to mend it."""

    def __init__(self, field: str, mend: str, **values: str) -> None:
        super().__init__(mend)
        self.field = field
        self.mend = mend
        self.values = tuple(values.items())


def overlay(shipped: Catalogue, path: Path) -> Catalogue:
    """The shipped catalogue with the owner's records on top, and what could not be used in ``problems``."""
    problems = _Problems(path.name)
    content = _content(path, problems)
    gpus, servers = dict(shipped.gpus), dict(shipped.servers)
    models, parts, formats = dict(shipped.models), dict(shipped.parts), dict(shipped.weight_formats)
    ids: set[str] = set()
    makers: tuple[tuple[str, dict[str, Any], Callable[[Row], Any]], ...] = (
        ("gpus", gpus, lambda row: _checked_gpu(hardware.gpu_record(row, _sources("gpus.json")))),
        ("servers", servers, lambda row: _checked_server(hardware.server_record(row, _sources("servers.json")))),
        ("models", models, lambda row: _checked_model(software.model_record(row, row.get("as_of", "")))),
        ("weight_formats", formats, lambda row: _checked_format(software.weight_format(row))),
    )
    for kind, records, make in makers:
        for number, row in _rows(content, kind, problems):
            name = _name(kind, number, row)
            try:
                whole = _whole(kind, row, records)
                records[whole["id"]] = make(whole)
                ids.add(whole["id"])
            except _RowError as error:
                problems.add(name, error.field, error.mend, *error.values)
            except KeyError as error:
                field = str(error.args[0]) if error.args else ""
                problems.add(name, field, "This is missing. Add it, or copy a known record with “like”.")
            except (TypeError, ValueError, AttributeError, LookupError) as error:
                mend = "A value has the wrong form ({error}). Compare with a record of the shipped catalogue."
                problems.add(name, "", mend, ("error", str(error)))
    for number, row in _rows(content, "prices", problems):
        try:
            ids.add(_price(row, shipped, gpus, servers, parts))
        except _RowError as error:
            problems.add(_name("prices", number, row), error.field, error.mend, *error.values)
    return replace(
        shipped,
        gpus=MappingProxyType(gpus),
        servers=MappingProxyType(servers),
        models=MappingProxyType(models),
        weight_formats=MappingProxyType(formats),
        parts=MappingProxyType(parts),
        problems=tuple(problems.found),
        user_ids=frozenset(ids),
    )


class _Problems:
    """What could not be used of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[CatalogueProblem] = []

    def add(self, record: str, field: str, mend: str, *values: tuple[str, str]) -> None:
        self.found.append(CatalogueProblem(self.file, record, field, mend, values))


def _content(path: Path, problems: _Problems) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            problems.add("", "", "The file is larger than 20 MB. Keep only your own records in it.")
            return {}
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        problems.add("", "", "The file cannot be read ({error}).", ("error", error.strerror or ""))
        return {}
    except json.JSONDecodeError as error:
        problems.add(
            "",
            "",
            "This is not JSON: {error} in line {line}, column {column}. Mend that place.",
            ("error", error.msg),
            ("line", str(error.lineno)),
            ("column", str(error.colno)),
        )
        return {}
    except (ValueError, RecursionError):
        problems.add("", "", "The file is not JSON text in UTF-8. Save it as UTF-8.")
        return {}
    if not isinstance(content, dict):
        problems.add("", "", "The outermost thing must be an object with lists in it.")
        return {}
    for key in sorted(set(content) - set(KINDS)):
        problems.add(str(key), "", "There is no such list. The lists are called {lists}.", ("lists", ", ".join(KINDS)))
    return content


def _rows(content: dict[str, Any], kind: str, problems: _Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    rows = content.get(kind, [])
    if not isinstance(rows, list):
        problems.add(kind, "", "This must be a list of records.")
        return
    for number, row in enumerate(rows, 1):
        if isinstance(row, dict):
            yield number, row
        else:
            problems.add(f"{kind} {number}", "", "A record must be an object with fields.")


def _name(kind: str, number: int, row: dict[str, Any]) -> str:
    found = row.get("id")
    return f"{kind} {number} ({found})" if isinstance(found, str) and found else f"{kind} {number}"


def _whole(kind: str, row: dict[str, Any], records: dict[str, Any]) -> dict[str, Any]:
    """The row over the record it is like, in the form of the shipped tables."""
    for key in _TEXT_FIELDS:
        if key in row and not (isinstance(row[key], str) and row[key].strip()):
            raise _RowError(key, "This must be a text in quotes.")
    if "id" not in row:
        raise _RowError("id", "Every record needs an “id” of its own.")
    pattern = row.get("like") or (row["id"] if row["id"] in records else None)
    base: dict[str, Any] = {}
    if pattern is not None:
        shipped = _shipped_row(kind, pattern)
        if shipped is None:
            raise _RowError(
                "like", "There is no record “{id}” to copy. Use an id of the shipped catalogue.", id=pattern
            )
        base = copy.deepcopy(shipped)
    if row.get("like") and "name" not in row:
        raise _RowError("name", "A copied record needs a “name” of its own.")
    figures = {key: value for key, value in row.items() if key != "like"}
    merged = _merged(base, _with_figures(kind, figures), ())
    merged.setdefault("as_of", row.get("as_of", ""))
    memory = figures.get("memory") if kind == "gpus" else None
    if isinstance(memory, dict) and "usable_gib" in memory and "driver_mib" not in memory:
        # A new usable figure must not be hidden behind the copied driver figure.
        merged["memory"].pop("driver_mib", None)
    if kind in {"models", "weight_formats"}:
        merged.setdefault("sources", [OWN_TEXT])
    else:
        merged["src"] = [*merged.get("src", []), OWN]
    return merged


def _shipped_row(kind: str, record_id: str) -> dict[str, Any] | None:
    names = model_tables() if kind == "models" else (f"{kind}.json",)
    for name in names:
        for row in table(name)["formats" if kind == "weight_formats" else kind]:
            if row["id"] == record_id:
                found: dict[str, Any] = row
                return found
    return None


def _with_figures(kind: str, row: dict[str, Any]) -> dict[str, Any]:
    """Plain numbers become figures with the owner as their source."""
    made = copy.deepcopy(row)
    for path in _FIGURES[kind]:
        holder: Any = made
        for key in path[:-1]:
            holder = holder.get(key) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or path[-1] not in holder:
            continue
        value = holder[path[-1]]
        where = ".".join(path)
        if isinstance(value, bool) or not isinstance(value, int | float | dict):
            raise _RowError(where, "This must be a number.")
        figure = value if isinstance(value, dict) else {"value": value}
        number = figure.get("value")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 1e9:
            raise _RowError(where, "This must be a number above 0.")
        holder[path[-1]] = {"conf": "high", **figure, "src": [OWN]}
    return made


def _merged(base: dict[str, Any], over: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Field by field; figures and lists are replaced as a whole."""
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        figure = isinstance(value, dict) and "value" in value
        if isinstance(value, dict) and isinstance(old, dict) and not figure:
            result[key] = _merged(old, value, (*path, key))
        else:
            result[key] = value
    return result


def _sources(name: str) -> Sources:
    return Sources({**table(name)["sources"], OWN: {"title": OWN_TEXT}})


def _checked_gpu(gpu: GpuRecord) -> GpuRecord:
    if not 1 << 28 <= gpu.memory_usable_bytes <= 1 << 42:
        raise _RowError("memory", "Usable memory must lie between 0.25 GiB and 4 TiB. Give driver_mib or usable_gib.")
    if not 1e9 <= gpu.memory_bandwidth.value <= 1e14:
        raise _RowError("memory.bandwidth_gbs", "Give the bandwidth in GB/s.")
    return gpu


def _checked_server(server: ServerRecord) -> ServerRecord:
    if server.max_gpus < 0 or any(group.count < 1 for group in server.slot_groups):
        raise _RowError("slots", "Every slot group needs a “count” of at least 1.")
    return server


def _checked_model(model: ModelRecord) -> ModelRecord:
    _checked(model)
    if model.layers < 1 or sum(group.layers for group in model.attention) != model.layers:
        raise _RowError("attention", "The layers of the attention groups must add up to “layers”.")
    return model


def _checked_format(found: WeightFormat) -> WeightFormat:
    _checked(found)
    if not 0 < found.bits <= 64 or any(not 0 <= bits <= 1024 for _, bits in found.other_bits):
        raise _RowError("bits", "This must be a number above 0.")
    return found


def _checked(record: object) -> None:
    wrong = wrong_field(record)
    if wrong:
        raise _RowError(wrong, "This value has the wrong form. Compare with a record of the shipped catalogue.")


def _price(
    row: dict[str, Any],
    shipped: Catalogue,
    gpus: dict[str, GpuRecord],
    servers: dict[str, ServerRecord],
    parts: dict[str, NetworkPart],
) -> str:
    """Put the owner's price on a record; returns its id."""
    record_id = row.get("id")
    if not isinstance(record_id, str):
        raise _RowError("id", "A price needs the “id” of a GPU, a server or a network part.")
    per_eur = shipped.fx["USD"].value
    euro, dollar = _amount(row, "eur"), _amount(row, "usd")
    if euro is None and dollar is None:
        raise _RowError("eur", "Give the price as “eur” or “usd”, net, a number.")
    euro = euro if euro is not None else (dollar or 0.0) / per_eur
    dollar = dollar if dollar is not None else euro * per_eur
    as_of = row.get("as_of")
    if not isinstance(as_of, str) or not as_of.strip():
        raise _RowError("as_of", "Give the date of the price, for example “2026-11”.")
    made = Price(_exact(euro, as_of), _exact(dollar, as_of), as_of, str(row.get("basis", "own price")))
    if record_id in gpus:
        gpus[record_id] = replace(gpus[record_id], price=made)
    elif record_id in servers:
        servers[record_id] = replace(servers[record_id], price=made)
    elif record_id in parts:
        parts[record_id] = replace(parts[record_id], price=made)
    else:
        raise _RowError("id", "There is no GPU, server or network part “{id}”.", id=record_id)
    return record_id


def _amount(row: dict[str, Any], key: str) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e10:
        raise _RowError(key, "This must be a number, without a currency sign.")
    return float(value)


def _exact(value: float, as_of: str) -> Fact:
    return Fact(value, value, value, "high", (OWN_TEXT,), as_of)
