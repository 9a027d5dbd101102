"""Find what this machine lacks and install it, or say in one line how to. Standard library only.

Everything that is right already costs next to nothing: a stamp in the virtual environment holds the checksum of the
lock file it was filled from and the kinds of system libraries that were seen.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from troubles import reason

ROOT = Path(__file__).resolve().parents[1]
VENV = Path(os.environ.get("CONFIGURATOR_VENV") or ROOT / ".venv").absolute()
STAMP = VENV / "configurator-stamp.json"
WHEELS = Path(os.environ.get("CONFIGURATOR_WHEELS") or ROOT / "packaging" / "wheels").absolute()
LOCKS = {
    "run": ROOT / "packaging" / "requirements.lock",
    "dev": ROOT / "packaging" / "requirements-dev.lock",
}
PYTHONS = ((3, 13), (3, 12), (3, 11))
NEEDED_MB = {"run": 800, "dev": 1200}

MISSING = 3
"""Exit code when something is missing that may not or cannot be installed from here."""

LIBRARIES: dict[str, tuple[tuple[str, str], ...]] = {
    # What the wheels of Qt expect from the system, as (library, Debian package).
    "core": (
        ("libglib-2.0.so.0", "libglib2.0-0"),
        ("libGL.so.1", "libgl1"),
        ("libEGL.so.1", "libegl1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libfontconfig.so.1", "libfontconfig1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
    ),
    "window": (
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxcb-icccm.so.4", "libxcb-icccm4"),
        ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
        ("libxcb-shape.so.0", "libxcb-shape0"),
        ("libxcb-xkb.so.1", "libxcb-xkb1"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ),
}


def stop(sentence: str) -> NoReturn:
    """Say what is missing and how to mend it, and end without a traceback."""
    sys.stderr.write(sentence.rstrip() + "\n")
    sys.exit(MISSING)


def say(sentence: str) -> None:
    """Progress, apart from the command's own output."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def environment() -> dict[str, str]:
    """The environment for the program: this tree first, wherever it is started from."""
    values = dict(os.environ)
    old = values.get("PYTHONPATH")
    values["PYTHONPATH"] = str(ROOT) + (os.pathsep + old if old else "")
    values.pop("PYTHONHOME", None)
    return values


def require_display() -> None:
    """A window needs a place to open; Qt's own message about it helps nobody."""
    values = os.environ
    if (
        sys.platform != "linux"
        or values.get("DISPLAY")
        or values.get("WAYLAND_DISPLAY")
        or values.get("QT_QPA_PLATFORM")
    ):
        return
    stop(
        "There is no display here, so no window can open. Start it from a desktop, or connect with: ssh -X\n"
        "Without a window: python3 packaging/dev.py run assess PLAN (see: run --help)."
    )


def ready(kind: str, libraries: tuple[str, ...]) -> Path:
    """The Python of an environment that holds everything of ``kind`` ("run" or "dev"); sets up what is missing.

    ``libraries``: kinds of system libraries the command needs: "core", "window", "display" (Xvfb).
    """
    _use_a_fitting_python()
    stamp = _read_stamp()
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = {kind: _checksum(LOCKS[kind])}
    filled = stamp.get("locks")
    filled = filled if isinstance(filled, dict) else {}
    seen = stamp.get("libraries")
    seen = set(seen) if isinstance(seen, list) else set()
    venv_right = (
        (filled.get(kind) == wanted[kind] or (kind == "run" and filled.get("dev") == _checksum(LOCKS["dev"])))
        and stamp.get("python") == _python_version()
        and stamp.get("folder") == str(VENV)
        and python.exists()
    )
    if venv_right and set(libraries) <= seen:
        return python

    _system(libraries, venv_too=not venv_right)
    if not venv_right:
        _room(kind)
        _virtual_environment(python)
        _fill(python, kind)
        filled = {kind: wanted[kind]} if stamp.get("python") != _python_version() else {**filled, **wanted}
    _write_stamp({
        "locks": filled,
        "python": _python_version(),
        "folder": str(VENV),
        "libraries": sorted(seen | set(libraries)),
    })  # fmt: skip
    return python


# --- Python itself ---------------------------------------------------------------------------------------------------


def _python_version() -> str:
    return "{}.{}".format(*sys.version_info[:2])


def _use_a_fitting_python() -> None:
    """Go on with another Python of this machine when this one is too old or too new."""
    if sys.version_info[:2] in PYTHONS:
        return
    for major, minor in PYTHONS:
        other = shutil.which(f"python{major}.{minor}")
        if other and _starts(other):
            os.execv(other, [other, *sys.argv])
    stop(f"This program needs Python 3.11, 3.12 or 3.13; this is {_python_version()}. Install one of them beside it.")


def _starts(python: str) -> bool:
    """A name on the path may be an empty promise of a version manager."""
    done = subprocess.run([python, "-c", ""], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return done.returncode == 0


# --- the system ------------------------------------------------------------------------------------------------------


def _system(libraries: tuple[str, ...], venv_too: bool) -> None:
    if sys.platform != "linux":
        return
    missing = [(name, package) for kind in libraries for name, package in LIBRARIES.get(kind, ()) if not _loads(name)]
    if "display" in libraries and not shutil.which("Xvfb"):
        missing.append(("Xvfb", "xvfb"))
    if venv_too:
        if not _has_venv():
            missing.append(("python3 -m venv", f"python{_python_version()}-venv"))
        if not Path("/etc/ssl/certs/ca-certificates.crt").exists() and shutil.which("apt-get"):
            missing.append(("certificates", "ca-certificates"))
    if not missing:
        return
    packages = [package for _, package in missing]
    line = "apt-get install -y --no-install-recommends " + " ".join(packages)
    if not shutil.which("apt-get"):
        stop(
            "Missing on this machine: " + ", ".join(name for name, _ in missing) + ".\n"
            "Install what holds them (on Debian they are called: " + " ".join(packages) + ") and start again."
        )
    if os.geteuid() != 0:
        both = f"apt-get update && {line}"
        typed = f"sudo sh -c '{both}'" if shutil.which("sudo") else f"su -c '{both}'"
        stop(f"Some packages of the system are missing. Type this once, then start again:\n\n    {typed}\n")
    say("Installing packages of the system: " + " ".join(packages))
    _apt(["install", "-y", "--no-install-recommends", *packages], line)


def _apt(arguments: list[str], line: str) -> None:
    values = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    output = ""
    # The lists of packages may be absent or old: fetch them when the first try fails.
    for step in (arguments, ["update"], arguments):
        done = subprocess.run(
            ["apt-get", "-q", *step], env=values, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        output = done.stdout + done.stderr
        if done.returncode == 0 and step is arguments:
            return
    tail = "\n".join("    " + each for each in output.strip().splitlines()[-4:])
    sentence = reason(output, VENV.parent) or "The system's packages could not be installed."
    stop(f"{sentence}\nThis was tried:\n\n    {line}\n\nand it said:\n{tail}")


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _has_venv() -> bool:
    # Debian's python3 comes without ensurepip, so `python3 -m venv` would stop half-way.
    return bool(importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"))


# --- the virtual environment -----------------------------------------------------------------------------------------


def _room(kind: str) -> None:
    """A full disk in the middle of an installation says nothing understandable, so look first."""
    folder = VENV if VENV.exists() else VENV.parent
    try:
        free = shutil.disk_usage(folder).free // 1_000_000
    except OSError:
        return
    if free < NEEDED_MB[kind]:
        stop(
            f"Not enough room: about {NEEDED_MB[kind]} MB are needed in {folder}, {free} MB are free. "
            "Make room, or set CONFIGURATOR_VENV to a folder on another disk."
        )


def _virtual_environment(python: Path) -> None:
    """Make the environment, or keep one that works; a half-made one is made anew."""
    if _works(python):
        return
    if VENV.exists():
        ours = (VENV / "pyvenv.cfg").exists() or (VENV / "bin").is_dir() or not any(VENV.iterdir())
        if not ours:
            stop(
                f"{VENV} exists and is no Python environment. Move it away, or set CONFIGURATOR_VENV to another folder."
            )
        say(f"{VENV} is not complete or belongs to another Python; making it anew.")
        shutil.rmtree(VENV, ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode or not _works(python):
        said = (done.stdout + done.stderr).strip()
        stop((reason(said, VENV.parent) or f"No Python environment could be made in {VENV}.") + "\n" + said[-600:])


def _works(python: Path) -> bool:
    """Whether that environment is whole: right Python, and pip in it."""
    if not python.exists():
        return False
    check = "import sys, pip; print('%d.%d' % sys.version_info[:2], sys.prefix)"
    try:
        done = subprocess.run([str(python), "-c", check], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    version, _, prefix = done.stdout.strip().partition(" ")
    return done.returncode == 0 and version == _python_version() and Path(prefix).resolve() == VENV.resolve()


def _fill(python: Path, kind: str) -> None:
    say(f"Setting up in {VENV}; this happens once and takes about a minute.")
    command = [
        str(python),
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar",
        "off",
    ]
    command += ["--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCKS[kind])]
    if WHEELS.is_dir():
        command += ["--no-index", "--find-links", str(WHEELS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        tail = "\n".join("    " + each for each in said.splitlines()[-5:])
        stop((reason(said, VENV.parent) or "The Python packages could not be installed.") + f"\npip said:\n{tail}")
    _start_command(python)


def _start_command(python: Path) -> None:
    """The environment finds this tree, and has the command `configurator`."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    folder = subprocess.run([str(python), "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
    (Path(folder) / "configurator-tree.pth").write_text(str(ROOT) + "\n", "utf-8")
    if os.name == "posix":
        script = python.with_name("configurator")
        script.write_text(f"#!{python}\nimport sys\n\nfrom configurator.cli import main\n\nsys.exit(main())\n", "utf-8")
        script.chmod(0o755)


# --- the stamp -------------------------------------------------------------------------------------------------------


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        stop(f"{path} cannot be read ({error.strerror}). This copy of the program is not complete; fetch it anew.")


def _read_stamp() -> dict[str, object]:
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(stamp: dict[str, object]) -> None:
    fresh = STAMP.with_suffix(".new")
    try:
        fresh.write_text(json.dumps(stamp, indent=1, sort_keys=True) + "\n", "utf-8")
        fresh.replace(STAMP)
    except OSError as error:
        say(f"The stamp could not be written ({error.strerror}); the next start checks everything again.")
