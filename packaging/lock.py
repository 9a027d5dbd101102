"""Write requirements.lock and requirements-dev.lock: exact versions with the hashes of the files for each platform.

Ranges come from pyproject.toml, versions from what pip finds today on this Python, hashes from pip's own report for
each Python and platform we support. The files name no index, so they work with any mirror and with a folder of wheels.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "packaging"
RUN_LOCK, DEV_LOCK = HERE / "requirements.lock", HERE / "requirements-dev.lock"

HELD = ("PySide6-Essentials==6.9.3", "shiboken6==6.9.3")
"""6.9.3 passes everything and shows the picture under the cursor while dragging on GNOME/Wayland; 6.10 does not."""

BUILD = ("setuptools>=77",)
"""For ``dev.py build`` without a second download."""

PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS: dict[str, tuple[str, ...]] = {
    "Linux x86-64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_5_x86_64"),
    "Linux aarch64": (
        "manylinux_2_39_aarch64",
        "manylinux_2_28_aarch64",
        "manylinux_2_17_aarch64",
        "manylinux2014_aarch64",
    ),
    "Windows x86-64": ("win_amd64",),
    "macOS arm64": ("macosx_12_0_universal2", "macosx_12_0_arm64", "macosx_11_0_arm64", "macosx_14_0_arm64"),
}

HEAD = """\
# Exact versions with hashes, made by: python3 packaging/dev.py lock
# Install with: pip install --require-hashes -r {name}
"""


def _pip_report(requirements: list[str], *options: str) -> list[dict[str, Any]]:
    """What pip would install, without installing it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text("\n".join(requirements) + "\n", "utf-8")
        command = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed"]
        command += ["--only-binary", ":all:", "--report", str(report), "--requirement", str(wanted), *options]
        subprocess.run(command, check=True)
        install: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["install"]
        return install


def _name(entry: dict[str, Any]) -> str:
    return re.sub(r"[-_.]+", "-", str(entry["metadata"]["name"])).lower()


def _versions(requirements: list[str]) -> dict[str, str]:
    return {_name(entry): str(entry["metadata"]["version"]) for entry in _pip_report([*requirements, *HELD])}


def _hashes(versions: dict[str, str]) -> dict[str, set[str]]:
    """sha256 of every file that pip would take, on any supported Python and platform."""
    found: dict[str, set[str]] = {name: set() for name in versions}
    pins = [f"{name}=={version}" for name, version in versions.items()]
    for python in PYTHONS:
        for label, tags in PLATFORMS.items():
            options = ["--no-deps", "--python-version", python, "--implementation", "cp", "--target", "unused"]
            options += [part for tag in tags for part in ("--platform", tag)]
            try:
                entries = _pip_report(pins, *options)
            except subprocess.CalledProcessError:
                if label.startswith("Linux x86-64"):
                    raise
                sys.stderr.write(f"not everything exists for Python {python} on {label}; left out\n")
                continue
            for entry in entries:
                found[_name(entry)].add(str(entry["download_info"]["archive_info"]["hashes"]["sha256"]))
            sys.stderr.write(f"hashes for Python {python} on {label}\n")
    return found


def _write(path: Path, versions: dict[str, str], hashes: dict[str, set[str]]) -> None:
    lines = [HEAD.format(name=path.name)]
    for name in sorted(versions):
        files = " \\\n".join(f"    --hash=sha256:{each}" for each in sorted(hashes[name]))
        lines.append(f"{name}=={versions[name]} \\\n{files}\n")
    path.write_text("".join(lines), "utf-8")
    sys.stderr.write(f"{path}: {len(versions)} packages\n")


def main() -> int:
    """Resolve, collect the hashes, write both files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    run = list(project["dependencies"])
    dev = [*run, *project["optional-dependencies"]["dev"], *BUILD]
    everything = _versions(dev)
    # The smaller set takes the versions of the larger one, so that tests see what people run.
    needed = _versions(run)
    hashes = _hashes(everything)
    _write(RUN_LOCK, {name: everything[name] for name in needed}, hashes)
    _write(DEV_LOCK, everything, hashes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
