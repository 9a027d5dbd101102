"""The headless commands say what they found, or a sentence why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from configurator.cli import main
from configurator.plan.store import EXTENSION


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    assert main(["examples", str(folder)]) == 0
    return folder


def test_examples_are_written(examples: Path) -> None:
    assert len(list(examples.glob("*" + EXTENSION))) >= 4


def test_assess_json_is_complete_and_the_same_each_time(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(examples / f"one-node{EXTENSION}")
    assert main(["assess", path, "--json"]) == 0
    first = capsys.readouterr().out
    assert main(["assess", path, "--json"]) == 0
    assert capsys.readouterr().out == first
    body = json.loads(first)
    assert body["workloads"][0]["fit"] == "serves_with_reserve"
    assert len(body["workloads"][0]["per_gpu"]) == 8
    assert body["verdict"]["code"] in {"fits", "single-node", "replicas"}
    assert body["alternatives"]


def test_assess_in_words(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(examples / f"two-homes{EXTENSION}")]) == 0
    text = capsys.readouterr().out
    assert "does not add up" in text or "do not add up" in text


@pytest.mark.parametrize("table", ["gpus", "servers", "networks", "models"])
def test_catalogue_lists(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", table]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["catalogue", table, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == len(lines) > 10
    assert all(row["id"] and row["name"] for row in rows)


def test_a_missing_plan_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(tmp_path / "no.gpuplan")]) == 1
    error = capsys.readouterr().err
    assert "no.gpuplan" in error and "Traceback" not in error


def test_an_unknown_plan_id_lists_the_known(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(examples / f"one-node{EXTENSION}"), "--plan-id", "nowhere"]) == 1
    assert "plan-1" in capsys.readouterr().err


def test_the_proposal_holds_the_numbers_of_the_assessment(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pypdfium2

    path = str(examples / f"one-node{EXTENSION}")
    target = tmp_path / "out.pdf"
    assert main(["proposal", path, "--output", str(target), "--date", "2026-11-30"]) == 0
    first = target.read_bytes()
    assert main(["proposal", path, "--output", str(target), "--date", "2026-11-30"]) == 0
    assert target.read_bytes() == first
    capsys.readouterr()
    document = pypdfium2.PdfDocument(str(target))
    text = " ".join(page.get_textpage().get_text_range() for page in document)
    assert len(document) >= 8
    assert "■" not in text
    assert "Llama" in text


def test_a_proposal_into_nowhere_says_so(examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(examples / f"one-node{EXTENSION}")
    assert main(["proposal", path, "--output", str(tmp_path / "no" / "such" / "out.pdf")]) == 1
    assert "out.pdf" in capsys.readouterr().err


@pytest.mark.parametrize(("field", "name"), [("gpu", "rtx-9999"), ("chassis", "a-box"), ("model", "llama-99")])
@pytest.mark.parametrize("command", ["assess", "proposal"])
def test_what_the_catalogue_lacks_is_named(
    examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, field: str, name: str
) -> None:
    body = json.loads((examples / "one-node.gpuplan").read_text("utf-8"))
    plan = body["plans"][0]
    server = plan["sites"][0]["servers"][0]
    {"gpu": server["slots"][0]["gpu"], "chassis": server, "model": plan["workloads"][0]}[field][field] = name
    path = tmp_path / "x.gpuplan"
    path.write_text(json.dumps(body), "utf-8")
    more = ["--output", str(tmp_path / "x.pdf")] if command == "proposal" else []
    assert main([command, str(path), *more]) == 1
    told = capsys.readouterr()
    assert f"“{name}”" in told.err and "Did you mean" in told.err
    assert told.out == ""


def test_a_mistyped_command_is_no_window(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bogus"]) == 2
    assert "“bogus”" in capsys.readouterr().err
