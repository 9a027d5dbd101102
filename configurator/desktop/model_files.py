"""Model files: what somebody drops on the window or chooses becomes a model of their own catalogue and of the plan.

Reading happens off the main thread; only headers are read. The catalogue keeps the model; taking it is one step that
can be undone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject

from configurator.catalogue import Catalogue, load_catalogue
from configurator.catalogue.own import OwnFileError, keep_model, own_file
from configurator.desktop.panels.current import CurrentWorkload
from configurator.desktop.worker import LatestWins
from configurator.plan.edits import add_workload, update
from configurator.plan.missing import unknown_names
from configurator.plan.model import EngineId, Plan, Project, Workload
from configurator.terms import Message, message

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk
    from configurator.imports import ImportedModel
    from configurator.imports.own import OwnModel

MODEL_SUFFIXES = (".json", ".gguf", ".safetensors")
EVERYWHERE = ("auto", "bf16")
"""Forms of the conversation memory that every engine has."""


@dataclass(frozen=True, slots=True)
class _Unread:
    """Why a file is not a model."""

    what: Message


def read(path: Path) -> ImportedModel | _Unread:
    """The model of a file or folder, or why there is none. Pipes and devices are not opened."""
    from configurator.imports import ModelFileError, read_model

    if not path.is_dir() and not (path.is_file() and path.suffix.lower() in MODEL_SUFFIXES):
        return _Unread(message("import.no_model", file=path.name))
    try:
        return read_model(path)
    except ModelFileError as error:
        return _Unread(message("import.refused", file=path.name, reason=str(error).rstrip(".")))


def missing_models(project: Project, catalogue: Catalogue) -> tuple[str, ...]:
    """Models that the project's plans name and the catalogue does not have."""
    named = (each.model for plan in project.plans for each in plan.workloads)
    return tuple(dict.fromkeys(each for each in named if each is not None and each not in catalogue.models))


def fields_for(model_id: str, weights: str, workload: Workload | None, catalogue: Catalogue) -> Mapping[str, object]:
    """What changes in a workload with a model from a file: its weights, and the engine when it cannot load them."""
    fields: dict[str, object] = {"model": model_id, "weights": weights}
    engines = catalogue.weight_formats[weights].engines
    now = workload.engine if workload is not None else "vllm"
    if engines and now not in engines:
        fields["engine"] = next((each for each in get_args(EngineId) if each in engines), now)
        if workload is not None and workload.kv_cache not in EVERYWHERE:
            fields["kv_cache"] = "auto"
    return fields


def weights_with(model_id: str | None, weights: str, catalogue: Catalogue) -> str:
    """The form to keep when another model is chosen: one counted in the old model's file gives way to its like."""
    form = catalogue.weight_formats.get(weights)
    if form is None or form.model_id in {"", model_id or ""}:
        return weights
    if form.base_id in catalogue.weight_formats:
        return form.base_id
    alike = [each for each in catalogue.weight_formats.values() if each.family == form.family and not each.model_id]
    return min(alike, key=lambda each: abs(each.bits - form.bits)).id if alike else "bf16"


class ModelFiles(QObject):
    """Reads model files for one window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.main)
        self._desk = desk
        self._current = CurrentWorkload(desk.document, self)
        self._worker = LatestWins(self)

    @property
    def idle(self) -> bool:
        """No file is being read."""
        return self._worker.idle

    def take(self, path: Path) -> None:
        """Read a file; its model goes into the catalogue and the plan when it is understood."""

        def failed(error: Exception) -> None:
            self._tell(message("import.refused", file=path.name, reason=f"{type(error).__name__}: {error}"))

        self._worker.submit(lambda: read(path), lambda found: self._deliver(path, found), failed)

    def close(self) -> None:
        """Deliver nothing more."""
        self._worker.close()

    def tell_missing(self) -> None:
        """What an opened project names and this machine's catalogue does not have."""
        document = self._desk.document
        missing = missing_models(document.project, document.catalogue)
        told = [each for each in unknown_names(document.plan, document.catalogue) if each.get("kind") != "model"]
        if missing:
            told.append(message("import.missing", model=missing))
        if told:
            self._tell(*told)

    def _tell(self, *what: Message) -> None:
        wording = self._desk.document.wording
        self._desk.window.offer("\n".join(wording.text(each) for each in what), "", None)

    def _deliver(self, path: Path, found: ImportedModel | _Unread) -> None:
        if isinstance(found, _Unread):
            self._tell(found.what)
            return
        from configurator.imports.own import own_model

        document = self._desk.document
        was_missing = missing_models(document.project, document.catalogue)
        own = own_model(found, path, document.catalogue, dt.datetime.now(tz=dt.UTC).date().isoformat())
        try:
            keep_model(own_file(), own.model, own.formats)
        except OwnFileError as error:
            self._tell(error.message)
            return
        catalogue = load_catalogue(own_file())
        if own.model.id not in catalogue.models or own.weights not in catalogue.weight_formats:
            self._tell(*(each.message for each in catalogue.problems[:3]))
            return
        document.use_catalogue(catalogue)
        if not self._desk.window.at_work:
            self._desk.window.show_work()
        if own.model.id not in was_missing:
            self._plan_it(own)
        self._said(own)

    def _plan_it(self, own: OwnModel) -> None:
        document, workload = self._desk.document, self._current.workload
        fields = fields_for(own.model.id, own.weights, workload, document.catalogue)
        name = document.gettext("Model from a file")
        if workload is not None:
            document.edit(name, lambda plan: update(plan, workload.id, **fields))
            return

        def make(plan: Plan) -> tuple[Plan, str]:
            return add_workload(plan, own.model.name, **fields)

        made = document.make(name, make)
        if made is not None:
            self._current.choose(made)

    def _said(self, own: OwnModel) -> None:
        wording = self._desk.document.wording
        notes = (message("import.kept", model=own.model.id), *own.notes)
        # Told over the canvas, where the work is now.
        self._desk.toasts.offer("\n".join(wording.text(each) for each in notes), "", None, stay=len(notes) > 1)


__all__ = ["MODEL_SUFFIXES", "ModelFiles", "fields_for", "missing_models", "read", "weights_with"]
