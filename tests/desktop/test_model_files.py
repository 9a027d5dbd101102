"""A model file dropped on the window: into the own catalogue and the plan, one step back; rubbish; what is missing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from configurator.catalogue import load_catalogue
from configurator.catalogue.own import own_file
from configurator.desktop import dialogs
from configurator.desktop.model_files import weights_with
from configurator.desktop.panels.workload_fields import format_choices, model_said
from configurator.desktop.window import MainWindow
from configurator.plan import store
from configurator.plan.edits import add_workload
from configurator.plan.model import Project, Workload
from configurator.plan.projects import edit_plan
from configurator.sizing import weight_bytes
from tests.desktop.windows import open_window, server_room
from tests.imports.samples import llama_gguf
from tests.imports.test_own import LLAMA, config


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The owner's data folder of this test."""
    folder = tmp_path / "data"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


def project_with(**fields: Any) -> Project:
    return edit_plan(server_room(1), lambda plan: add_workload(plan, "Chat", **fields)[0])


def drop(qtbot: QtBot, window: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(50, 50), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(event)
    qtbot.waitUntil(lambda: window.model_files.idle, timeout=10_000)


def test_the_canvas_leaves_files_to_the_window(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, server_room(1))
    assert window.acceptDrops()
    assert not window.canvas.viewport().acceptDrops()


def workload(window: MainWindow) -> Workload:
    return window.document.plan.workloads[0]


def told(window: MainWindow) -> str:
    return window.desk.toasts.words.text()


def test_a_dropped_configuration_is_the_workloads_model_in_one_step(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, project_with(model="qwen3-32b", weights="fp8"), engines=True)
    steps = window.document.stack.count()
    drop(qtbot, window, config(tmp_path / "My-Tune"))
    assert (workload(window).model, workload(window).weights, workload(window).engine) == ("my-tune", "bf16", "vllm")
    assert window.document.stack.count() == steps + 1
    assert window.workload.model.text() == "My-Tune"
    assert window.workload.model.card.entries.row_of("my-tune") >= 0
    assert "My-Tune" in told(window)
    answer = window.document.assessment
    assert answer is not None
    assert answer.workloads[0].chosen is not None
    window.document.stack.undo()
    assert (workload(window).model, workload(window).weights) == ("qwen3-32b", "fp8")
    assert "my-tune" in window.document.catalogue.models
    kept = load_catalogue(own_file())
    assert kept.problems == ()
    assert kept.models["my-tune"] == window.document.catalogue.models["my-tune"]


def test_a_gguf_brings_its_own_weights_and_engine(qtbot: QtBot, tmp_path: Path) -> None:
    project = project_with(model="qwen3-32b", weights="fp8", kv_cache="fp8")
    window = open_window(qtbot, tmp_path, project, engines=True)
    file = llama_gguf(tmp_path / "small.gguf")
    drop(qtbot, window, file)
    now = workload(window)
    assert (now.model, now.weights, now.engine, now.kv_cache) == (
        "small-test", "small-test.q4_k_m", "llama.cpp", "auto",
    )  # fmt: skip
    catalogue, wording = window.document.catalogue, window.document.wording
    norms = 4 * 1024 * 9
    blocks = 2 * 1024 * 1024 + 2 * 1024 * 256 + 3 * 1024 * 2816
    expected = (32_000 * 1024 + 4 * blocks) * 144 / 256 + 32_000 * 1024 * 210 / 256 + norms
    assert weight_bytes(catalogue.models["small-test"], catalogue.weight_formats[now.weights]) == expected
    assert format_choices(now, catalogue, wording)[0][0] == now.weights
    # Another model does not keep the bytes counted in this file.
    window.workload.model.picked.emit("llama-3.1-8b")
    assert (workload(window).model, workload(window).weights) == ("llama-3.1-8b", "q4_k_m")
    assert "small-test.q4_k_m" not in [each[0] for each in format_choices(workload(window), catalogue, wording)]
    assert weights_with("small-test", "small-test.q4_k_m", catalogue) == "small-test.q4_k_m"


def test_on_the_start_page_a_file_begins_a_workload(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path)
    drop(qtbot, window, config(tmp_path / "My-Tune").parent)
    assert window.at_work
    assert [(each.name, each.model) for each in window.document.plan.workloads] == [("My-Tune", "my-tune")]


def test_the_selected_workload_takes_it(qtbot: QtBot, tmp_path: Path) -> None:
    project = edit_plan(project_with(model="qwen3-32b"), lambda plan: add_workload(plan, "Second")[0])
    window = open_window(qtbot, tmp_path, project)
    window.document.select((window.document.plan.workloads[1].id,))
    drop(qtbot, window, config(tmp_path / "My-Tune"))
    assert [each.model for each in window.document.plan.workloads] == ["qwen3-32b", "my-tune"]


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("config.json", b"{ rubbish", "JSON"),
        ("config.json", b"[]", "JSON object"),
        ("config.json", json.dumps({**LLAMA, "hidden_size": "wide"}).encode(), "hidden_size"),
        ("config.json", json.dumps({"model_type": "llama"}).encode(), "field"),
        ("config.json", b'{"a":' * 100_000, "JSON"),
        ("model.gguf", b"GGUF" + b"\xff" * 64, "GGUF"),
        ("model.gguf", b"", "GGUF"),
        ("model.safetensors", b"\xff" * 64, "safetensors"),
        ("letter.txt", b"Dear all", "letter.txt"),
    ],
)
def test_rubbish_is_refused_in_words(qtbot: QtBot, tmp_path: Path, name: str, content: bytes, word: str) -> None:
    project = project_with(model="qwen3-32b")
    window = open_window(qtbot, tmp_path, project)
    (tmp_path / name).write_bytes(content)
    drop(qtbot, window, tmp_path / name)
    assert window.desk.toasts.isVisible()
    assert word in told(window)
    assert window.document.project is project
    assert not own_file().exists()


def test_a_pipe_is_not_opened(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, server_room(1))
    os.mkfifo(tmp_path / "config.json")
    drop(qtbot, window, tmp_path / "config.json")
    assert "config.json" in told(window)


def test_a_broken_own_catalogue_is_left_alone(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, project_with(model="qwen3-32b"))
    own_file().parent.mkdir(parents=True)
    own_file().write_text("{ half", encoding="utf-8")
    drop(qtbot, window, config(tmp_path / "My-Tune"))
    assert "catalogue.json" in told(window)
    assert own_file().read_text(encoding="utf-8") == "{ half"
    assert workload(window).model == "qwen3-32b"


def test_a_plan_with_an_unknown_model_opens_and_waits_for_its_file(qtbot: QtBot, tmp_path: Path) -> None:
    project = project_with(model="my-tune", weights="bf16")
    store.save(project, tmp_path / "theirs.gpuplan")
    window = open_window(qtbot, tmp_path, engines=True)
    drop(qtbot, window, tmp_path / "theirs.gpuplan")
    assert workload(window).model == "my-tune"
    assert "my-tune" in told(window)
    assert "config.json" in told(window)
    window.document.assess_now()
    answer = window.document.assessment
    assert answer is not None
    assert "finding.unknown.load.missing" in [each.text.code for each in answer.findings]
    steps = window.document.stack.count()
    drop(qtbot, window, config(tmp_path / "My-Tune"))
    assert workload(window) == project.plans[0].workloads[0]
    assert window.document.stack.count() == steps
    answer = window.document.assessment
    assert answer is not None
    assert answer.workloads[0].chosen is not None
    assert "finding.unknown.load.missing" not in [each.text.code for each in answer.findings]


def test_a_plan_with_unknown_weights_gives_no_false_answer(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, project_with(model="qwen3-32b", weights="theirs.q4_k_m"), engines=True)
    window.document.assess_now()
    answer = window.document.assessment
    assert answer is not None
    assert answer.workloads[0].chosen is None
    assert "finding.unknown.load.weights" in [each.text.code for each in answer.findings]


def test_an_estimate_says_so_under_the_models_name(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, tmp_path, project_with(model="qwen3-32b"))
    drop(qtbot, window, config(tmp_path / "Novel", model_type="never_seen", architectures=["NeverSeenForCausalLM"]))
    assert "estimated: architecture not known" in window.workload.model_note.text()
    assert "never_seen" in told(window)
    known = window.document.catalogue.models["qwen3-32b"]
    assert "estimated" not in model_said(known, window.document.wording)


def test_the_choosers_offer_a_file(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(qtbot, tmp_path, project_with(model="qwen3-32b"))
    path = config(tmp_path / "My-Tune")
    monkeypatch.setattr(dialogs, "model_path", lambda *_: path)
    card = window.workload.model.card
    assert card.file.text() == "Model from a file…"
    card.file.click()
    qtbot.waitUntil(lambda: workload(window).model == "my-tune", timeout=10_000)
    window.document.stack.undo()
    window.actions_.run("file.model")
    qtbot.waitUntil(lambda: workload(window).model == "my-tune", timeout=10_000)
