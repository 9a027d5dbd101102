"""Languages of the screen that can be offered."""

from __future__ import annotations

from functools import cache

from configurator.paths import resource

LANGUAGES = (("en", "English"), ("sk", "Slovenčina"), ("ru", "Русский"))
"""Code and own name."""


@cache
def languages() -> tuple[tuple[str, str], ...]:
    """Those whose texts are here: English, and those with a finished translation."""
    folder = resource("translations")
    return tuple(
        (code, name)
        for code, name in LANGUAGES
        if code == "en" or (folder / code / "LC_MESSAGES" / "configurator.mo").is_file()
    )
