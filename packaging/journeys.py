"""Run the suite: first everything that needs no display, then the journeys on a real window under Xvfb."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
JOURNEYS = ROOT / "tests" / "journeys"
NOTHING_COLLECTED = 5
PROCESSES = 2


def run_tests(python: Path, rest: list[str], environment: dict[str, str]) -> int:
    """Both halves with the same pytest options; the exit code of the worse one."""
    paths = [
        Path(part.split("::")[0]).resolve()
        for part in rest
        if not part.startswith("-") and Path(part.split("::")[0]).exists()
    ]
    pytest = [str(python), "-m", "pytest", *rest]
    offscreen = not paths or any(JOURNEYS not in (path, *path.parents) for path in paths)
    windows = JOURNEYS.is_dir() and (not paths or any(_reaches_journeys(path) for path in paths))
    codes = []
    if offscreen:
        codes.append(_pytest([*pytest, *side_by_side(rest)], {**environment, "QT_QPA_PLATFORM": "offscreen"}))
    if windows:
        with display() as name:
            values = {**environment, "QT_QPA_PLATFORM": "xcb", "DISPLAY": name, "QT_QPA_PLATFORMTHEME": ""}
            values.pop("WAYLAND_DISPLAY", None)
            codes.append(_pytest([*pytest, *([] if paths else [str(JOURNEYS)])], values))
    ran = [code for code in codes if code != NOTHING_COLLECTED]
    return max(ran) if ran else NOTHING_COLLECTED


def side_by_side(rest: list[str]) -> list[str]:
    """Two processes for a longer run; the tests of one file stay together, since they share what is costly to make."""
    chosen = any(part.startswith(("-n", "--numprocesses", "--pdb", "-k")) or "::" in part for part in rest)
    return [] if chosen or (os.cpu_count() or 1) < PROCESSES else ["-n", str(PROCESSES), "--dist", "loadfile"]


def _reaches_journeys(path: Path) -> bool:
    return JOURNEYS in (path, *path.parents) or path in JOURNEYS.parents


def _pytest(command: list[str], values: dict[str, str]) -> int:
    return subprocess.run(command, cwd=ROOT, env=values, check=False).returncode


@contextmanager
def display(size: str = "2720x1560x24") -> Iterator[str]:
    """A screen of its own in memory; Xvfb picks a free number and says it when it is ready."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", size, "-nolisten", "tcp", "-noreset"],
        pass_fds=(write_end,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as said:
            number = said.readline().strip()
        if not number:
            raise SystemExit("Xvfb did not start, so no window could be tried. Type: Xvfb -displayfd 1")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(timeout=10)
