"""Where the files that ship with the program lie."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def resources_folder() -> Path:
    """The folder with catalogue, calibration, templates, translations, fonts, icons and help.

    In a source tree it stands beside the package, in an installed copy inside it, in a frozen
    build beside the program.
    """
    package = Path(__file__).resolve().parent
    frozen = getattr(sys, "_MEIPASS", None)
    places = [Path(frozen) / "resources"] if frozen else []
    places += [package.parent / "resources", package / "resources"]
    return next((place for place in places if (place / "fonts").is_dir()), places[0])


def resource(*parts: str) -> Path:
    """Path of one shipped file, such as ``resource("fonts", "Inter-Regular.ttf")``."""
    return resources_folder().joinpath(*parts)
