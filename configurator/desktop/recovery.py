"""Unsaved work survives a crash: a snapshot of the project in the state folder, in the format of a saved file.

Each open document owns one snapshot, named by its own id and guarded by a lock file that dies with the program. A
snapshot that cannot be read is moved aside, never deleted.
"""

from __future__ import annotations

import json
import logging
import uuid
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer

from configurator.desktop.document import Document
from configurator.plan import store
from configurator.plan.model import Project

log = logging.getLogger(__name__)

DELAY_MS = 3_000


@dataclass(frozen=True, slots=True)
class Recovered:
    """Unsaved work of a program that ended badly. ``path``: the file it belongs to, None when never saved."""

    project: Project
    path: Path | None
    snapshot: Path


class Autosave(QObject):
    """Writes the snapshot a few seconds after an edit; takes it away when the work is saved or given up."""

    def __init__(self, document: Document, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._folder = folder
        self._name = uuid.uuid4().hex[:12]
        self._lock: QLockFile | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.write)
        document.changed.connect(self._touched)
        document.clean_changed.connect(self._cleaned)

    @property
    def snapshot(self) -> Path:
        return self._folder / f"{self._name}{store.EXTENSION}"

    def _touched(self) -> None:
        if not self._document.clean:
            self._timer.start()

    def _cleaned(self, clean: bool) -> None:
        if clean:
            self.discard()
        else:
            self._timer.start()

    def write(self) -> None:
        """Write the snapshot now (also when the window loses focus). A full disk is no reason to stop work."""
        self._timer.stop()
        if self._document.clean:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._lock is None:
                self._lock = QLockFile(str(self._folder / f"{self._name}.lock"))
                self._lock.setStaleLockTime(0)
                self._lock.tryLock(0)
            meta = {"path": str(self._document.path) if self._document.path else None}
            self.snapshot.with_suffix(".json").write_text(json.dumps(meta), encoding="utf-8")
            store.save(self._document.project, self.snapshot)
        except (OSError, store.StoreError) as error:
            log.info("snapshot not written: %s", error)

    def discard(self) -> None:
        """Take the snapshot away: the work is saved or given up."""
        self._timer.stop()
        forget(self.snapshot)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None


def forget(snapshot: Path) -> None:
    """Remove a snapshot with what belongs to it."""
    for path in (snapshot, snapshot.with_suffix(".json"), store.backup_path(snapshot)):
        path.unlink(missing_ok=True)


def find_unsaved(folder: Path) -> Recovered | None:
    """The newest snapshot whose program has ended, when it is newer than its file and differs from it."""
    for snapshot in sorted(folder.glob(f"*{store.EXTENSION}"), key=_age, reverse=True):
        lock = QLockFile(str(snapshot.with_suffix(".lock")))
        lock.setStaleLockTime(0)
        if not lock.tryLock(0):
            continue  # another window is at work on it
        lock.unlock()
        found = _read(snapshot)
        if found is not None:
            return found
    return None


def _age(path: Path) -> float:
    return path.stat().st_mtime


def _read(snapshot: Path) -> Recovered | None:
    try:
        project = store.load(snapshot)
    except store.StoreError as error:
        log.warning("snapshot %s cannot be read, moved aside: %s", snapshot, error)
        _move_aside(snapshot)
        return None
    path = _base(snapshot.with_suffix(".json"))
    if path is not None and path.is_file():
        try:
            saved = store.to_bytes(store.load(path))
        except store.StoreError:
            saved = b""
        if _age(path) >= _age(snapshot) or saved == store.to_bytes(project):
            forget(snapshot)
            return None
    return Recovered(project, path, snapshot)


def _base(meta: Path) -> Path | None:
    try:
        name = json.loads(meta.read_text(encoding="utf-8")).get("path")
    except (OSError, ValueError, AttributeError):
        return None
    return Path(name) if isinstance(name, str) and name else None


def _move_aside(snapshot: Path) -> None:
    aside = snapshot.parent / "broken"
    try:
        aside.mkdir(parents=True, exist_ok=True)
        snapshot.replace(aside / snapshot.name)
        snapshot.with_suffix(".json").unlink(missing_ok=True)
    except OSError as error:
        log.warning("snapshot not moved: %s", error)
