"""Where the shipped tables and the owner's own table lie, and reading them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from configurator.paths import resources_folder


def resource_folder() -> Path:
    """Folder of everything that ships with the program."""
    return resources_folder()


def user_data_folder() -> Path:
    """The owner's folder for data of this program, by the customs of the operating system."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "gpu-configurator"


def user_catalogue_file() -> Path | None:
    """The owner's own records, or None when there is no such file."""
    path = user_data_folder() / "catalogue.json"
    return path if path.is_file() else None


def table(name: str) -> dict[str, Any]:
    """A shipped table. Broken shipped data is a broken installation and raises."""
    path = resource_folder() / "catalogue" / name
    data: dict[str, Any] = json.loads(path.read_bytes())
    return data


def model_tables() -> tuple[str, ...]:
    """Names of the tables with models, in a fixed order."""
    folder = resource_folder() / "catalogue" / "models"
    return tuple(sorted(f"models/{path.name}" for path in folder.glob("*.json")))
