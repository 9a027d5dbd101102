"""What is loaded at the start decides how long a person waits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _loaded_after(statement: str) -> set[str]:
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import configurator.cli", ("PySide6", "pyqtgraph", "reportlab", "numpy", "pydantic")),
        ("import configurator.assess", ("PySide6", "pyqtgraph", "reportlab")),
        ("import configurator.proposal", ("PySide6", "pyqtgraph", "reportlab")),
        ("import configurator.desktop.app", ("pyqtgraph", "reportlab")),
        ("import configurator.desktop.window", ("pyqtgraph", "reportlab")),
    ],
)
def test_slow_libraries_wait_until_needed(statement: str, absent: tuple[str, ...]) -> None:
    loaded = _loaded_after(statement)
    assert "configurator" in loaded
    assert not loaded & set(absent)
