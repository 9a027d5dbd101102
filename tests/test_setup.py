"""The one command: says what is missing in a sentence, sets up only what is not there, and passes arguments on."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "packaging"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A fresh copy of a module of packaging/."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    spec = importlib.util.spec_from_file_location(name, PACKAGING / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def setup_env(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    monkeypatch.setenv("CONFIGURATOR_VENV", str(tmp_path / "venv"))
    module = load("setup_env", monkeypatch)
    monkeypatch.setattr(module, "_python_version", lambda: "3.11")
    monkeypatch.setattr(module, "_use_a_fitting_python", lambda: None)
    return module


def test_no_display_is_told_in_a_sentence(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(SystemExit) as stopped:
        setup_env.require_display()
    assert stopped.value.code == setup_env.MISSING
    assert "no display" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("NewConnectionError: Failed to establish a new connection: [Errno -3]", "no connection"),
        ("E: Unable to locate package xvfb", "no connection"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "hash differs"),
        ("SSLCertVerificationError: certificate verify failed", "could not be trusted"),
        ("Error: [Errno 13] Permission denied: '/srv/app/.venv'", "may not write"),
        ("E: Could not get lock /var/lib/dpkg/lock-frontend", "Another program"),
    ],
)
def test_known_troubles_become_sentences(said: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = load("troubles", monkeypatch).reason(said, Path("/srv/app"))
    assert sentence is not None
    assert told in sentence
    assert "{" not in sentence


def test_an_unknown_trouble_is_not_explained_away(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load("troubles", monkeypatch).reason("something else", Path("/srv")) is None


def _stamp(module: ModuleType, **changes: object) -> Path:
    python = Path(module.VENV) / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    stamp = {
        "locks": {kind: module._checksum(path) for kind, path in module.LOCKS.items()},
        "python": "3.11",
        "folder": str(module.VENV),
        "libraries": ["core"],
        **changes,
    }
    module.STAMP.write_text(json.dumps(stamp), "utf-8")
    return python


def _forbid_installing(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    done: list[str] = []
    monkeypatch.setattr(module, "_system", lambda libraries, venv_too: done.append(f"system {venv_too}"))
    monkeypatch.setattr(module, "_room", lambda kind: None)
    monkeypatch.setattr(module, "_virtual_environment", lambda python: done.append("environment"))
    monkeypatch.setattr(module, "_fill", lambda python, kind: done.append(f"fill {kind}"))
    return done


def test_second_start_does_nothing(setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    python = _stamp(setup_env)
    done = _forbid_installing(setup_env, monkeypatch)
    assert setup_env.ready("run", ("core",)) == python
    assert not done


@pytest.mark.parametrize(
    "change", [{"locks": {"run": "old", "dev": "old"}}, {"python": "3.12"}, {"folder": "/elsewhere"}, {"locks": None}]
)
def test_a_changed_lock_python_or_place_is_set_up_anew(
    change: dict[str, object], setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stamp(setup_env, **change)
    done = _forbid_installing(setup_env, monkeypatch)
    setup_env.ready("run", ("core",))
    assert done == ["system True", "environment", "fill run"]
    again = _forbid_installing(setup_env, monkeypatch)
    setup_env.ready("run", ("core",))
    assert not again


def test_a_new_kind_of_library_is_looked_for(setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    _stamp(setup_env)
    done = _forbid_installing(setup_env, monkeypatch)
    setup_env.ready("run", ("core", "window"))
    assert done == ["system False"]
    assert json.loads(setup_env.STAMP.read_text("utf-8"))["libraries"] == ["core", "window"]


def test_without_root_the_line_to_type_is_printed(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(setup_env, "_loads", lambda name: False)
    monkeypatch.setattr(setup_env.shutil, "which", lambda name: None if name == "Xvfb" else f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SystemExit) as stopped:
        setup_env._system(("core", "display"), venv_too=False)
    assert stopped.value.code == setup_env.MISSING
    said = capsys.readouterr().err
    assert "sudo sh -c 'apt-get update && apt-get install" in said
    assert "libegl1" in said
    assert "xvfb" in said


def test_without_apt_the_missing_parts_are_named(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(setup_env, "_loads", lambda name: name != "libEGL.so.1")
    monkeypatch.setattr(setup_env.shutil, "which", lambda name: None)
    with pytest.raises(SystemExit):
        setup_env._system(("core",), venv_too=False)
    assert "libEGL.so.1" in capsys.readouterr().err


def test_root_installs_with_apt_and_refreshes_the_lists_once(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        steps.append(command[2:])
        return SimpleNamespace(returncode=1 if len(steps) == 1 else 0, stdout="", stderr="")

    monkeypatch.setattr(setup_env.subprocess, "run", run)
    setup_env._apt(["install", "-y", "libgl1"], "apt-get install -y libgl1")
    assert steps == [["install", "-y", "libgl1"], ["update"], ["install", "-y", "libgl1"]]


def test_a_full_disk_is_seen_before_installing(
    setup_env: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_env.shutil, "disk_usage", lambda folder: SimpleNamespace(free=100_000_000))
    with pytest.raises(SystemExit):
        setup_env._room("run")
    assert "100 MB are free" in capsys.readouterr().err


def test_a_foreign_folder_is_left_alone(setup_env: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    setup_env.VENV.mkdir()
    (setup_env.VENV / "holiday.jpg").touch()
    with pytest.raises(SystemExit):
        setup_env._virtual_environment(setup_env.VENV / "bin" / "python")
    assert (setup_env.VENV / "holiday.jpg").exists()
    assert "no Python environment" in capsys.readouterr().err


def test_headless_commands_need_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    dev = load("dev", monkeypatch)
    assert dev._is_headless(["assess", "plan.gpuplan"])
    assert dev._is_headless(["--version"])
    assert not dev._is_headless(["plan.gpuplan"])
    assert not dev._is_headless([])


def test_an_unknown_command_lists_the_known() -> None:
    done = subprocess.run(
        [sys.executable, str(PACKAGING / "dev.py"), "fly"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "run" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("rest", "halves"),
    [
        ([], ["offscreen", "xcb"]),
        (["-k", "verdict", "-x"], ["offscreen", "xcb"]),
        (["tests/sizing"], ["offscreen"]),
        (["tests/journeys/test_one.py::test_it"], ["xcb"]),
        (["tests"], ["offscreen", "xcb"]),
    ],
)
def test_options_reach_both_halves_of_the_suite(
    rest: list[str], halves: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    journeys = load("journeys", monkeypatch)
    place = tmp_path / "tests" / "journeys"
    place.mkdir(parents=True)
    (place / "test_one.py").touch()
    (tmp_path / "tests" / "sizing").mkdir()
    monkeypatch.setattr(journeys, "JOURNEYS", place)
    monkeypatch.chdir(tmp_path)
    seen: list[str] = []

    class Display:
        def __enter__(self) -> str:
            return ":7"

        def __exit__(self, *_: object) -> None:
            pass

    def pytest_run(command: list[str], values: dict[str, str]) -> int:
        seen.append(values["QT_QPA_PLATFORM"])
        assert all(part in command for part in rest)
        return 0

    monkeypatch.setattr(journeys, "display", Display)
    monkeypatch.setattr(journeys, "_pytest", pytest_run)
    assert journeys.run_tests(Path("python"), rest, {}) == 0
    assert seen == halves


def test_locks_name_exact_versions_with_hashes_and_no_index() -> None:
    run = (PACKAGING / "requirements.lock").read_text("utf-8")
    dev = (PACKAGING / "requirements-dev.lock").read_text("utf-8")
    assert "pyside6-essentials==6.9.3" in run
    for text in (run, dev):
        assert "://" not in text
        assert "--index" not in text
        entries = [line for line in text.splitlines() if line and not line.startswith(("#", " "))]
        assert all("==" in line for line in entries)
        assert text.count("--hash=sha256:") >= len(entries)
    pinned = {line.split(" ")[0] for line in run.splitlines() if "==" in line and not line.startswith("#")}
    assert pinned <= {line.split(" ")[0] for line in dev.splitlines() if "==" in line}


@pytest.mark.parametrize(
    ("rest", "processors", "wanted"),
    [
        ([], 2, ["-n", "2", "--dist", "loadfile"]),
        (["-q", "tests/plan"], 8, ["-n", "2", "--dist", "loadfile"]),
        ([], 1, []),
        (["tests/plan/test_store.py::test_it"], 2, []),
        (["-n0"], 2, []),
        (["--pdb"], 2, []),
    ],
)
def test_longer_runs_use_two_processes(
    rest: list[str], processors: int, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journeys = load("journeys", monkeypatch)
    monkeypatch.setattr(journeys.os, "cpu_count", lambda: processors)
    assert journeys.side_by_side(rest) == wanted
