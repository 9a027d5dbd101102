"""What belongs to this desk and not to a project: theme, language, recent files, window places. Plain JSON."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from PySide6.QtCore import QStandardPaths

log = logging.getLogger(__name__)

RECENT_LIMIT = 10


class Settings(BaseModel):
    """All settings with their defaults; unknown keys of an older or newer program are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    theme: Literal["system", "light", "dark"] = "system"
    language: Literal["en", "sk", "ru"] = "en"
    audience: Literal["owner", "operator"] = "owner"
    reduced_motion: bool = False
    wheel: Literal["zoom", "scroll"] = "zoom"
    """What the mouse wheel does over the canvas; a trackpad always scrolls."""
    recent_files: tuple[str, ...] = ()
    geometry: str = ""
    """Place of the window, base64 of Qt's own bytes."""
    left_open: bool = True
    right_open: bool = True
    left_width: int = 248
    right_width: int = 348
    tour_seen: bool = False


def config_folder() -> Path:
    """Where settings live; created when needed."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppConfigLocation))


def state_folder() -> Path:
    """Where snapshots and crash notes live."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)) / "state"


class SettingsFile:
    """The settings of this desk; ``put`` writes at once. A file that cannot be read gives the defaults."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_folder() / "settings.json"
        self.values = self._read()

    def _read(self) -> Settings:
        try:
            return Settings.model_validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return Settings()
        except (OSError, ValidationError) as error:
            log.info("settings not readable, using defaults: %s", error)
            return Settings()

    def put(self, **changes: object) -> Settings:
        """Change some settings."""
        self.values = Settings.model_validate({**self.values.model_dump(), **changes})
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=".settings.")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(self.values.model_dump(mode="json"), stream, indent=1)
            Path(name).replace(self.path)
        except OSError as error:
            log.info("settings not written: %s", error)
        return self.values

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        name = str(path)
        others = tuple(each for each in self.values.recent_files if each != name)
        self.put(recent_files=(name, *others)[:RECENT_LIMIT])

    def drop_recent(self, path: str) -> None:
        """Forget a recent file."""
        self.put(recent_files=tuple(each for each in self.values.recent_files if each != path))
