"""One window per file: a second window on the same file is told so. A claim dies with the program that holds it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject

from configurator.desktop.document import Document
from configurator.desktop.settings import state_folder


class FileClaim(QObject):
    """The lock of the file that a document shows, kept in the state folder; another path lets go of it."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._lock: QLockFile | None = None
        self._path: Path | None = None
        document.path_changed.connect(self.take)
        self.take()

    def take(self) -> None:
        """Claim the document's file; nothing is claimed where another window has it or the folder takes no file."""
        path = self._document.path
        if path == self._path and self.held:
            return
        if self._lock is not None:
            self._lock.unlock()
        self._lock, self._path = None, path
        if path is None:
            return
        folder = state_folder() / "open"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:24]
        except OSError:
            return
        self._lock = QLockFile(str(folder / f"{name}.lock"))
        # No age makes a claim void: a window may stay open for days. A dead program's claim is void at once.
        self._lock.setStaleLockTime(0)
        self._lock.tryLock(0)

    @property
    def held(self) -> bool:
        """This window has the file."""
        return self._lock is not None and self._lock.isLocked()

    @property
    def elsewhere(self) -> bool:
        """Another window has the file open."""
        return self._lock is not None and not self._lock.isLocked() and self._lock.error() == LOCKED

    def close(self) -> None:
        """Let go of the file."""
        if self._lock is not None:
            self._lock.unlock()
        self._lock = None


LOCKED = QLockFile.LockError.LockFailedError


def claim_of(document: Document) -> FileClaim:
    """The claim of a document, made when first asked for."""
    return document.findChild(FileClaim) or FileClaim(document)
