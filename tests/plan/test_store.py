"""The project file: written whole or not at all, read with clear faults, never lost."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from configurator.catalogue import load_catalogue
from configurator.plan.edits import EditError, add_site, set_failed
from configurator.plan.index import line_id
from configurator.plan.model import FORMAT, Project
from configurator.plan.projects import activate, active_plan, add_plan, edit_plan, new_project, remove_plan, rename_plan
from configurator.plan.store import StoreError, backup_path, from_bytes, load, save, to_bytes
from configurator.plan.templates import TEMPLATES, Template
from configurator.wording import Wording

CATALOGUE = load_catalogue()
FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_what_is_saved_is_what_is_loaded(template: Template, tmp_path: Path) -> None:
    project = template.build(CATALOGUE)
    path = tmp_path / "plán č.gpuplan"
    save(project, path)
    assert load(path) == project
    assert to_bytes(load(path)) == path.read_bytes()


def test_a_failed_internet_line_is_kept_in_the_file(tmp_path: Path) -> None:
    project = next(each for each in TEMPLATES if each.id == "two-homes").build(CATALOGUE)
    site = active_plan(project).sites[0]
    project = edit_plan(project, lambda plan: set_failed(plan, [line_id(site.id)], failed=True))
    path = tmp_path / "a.gpuplan"
    save(project, path)
    assert load(path) == project
    assert active_plan(load(path)).failed_ids == (f"{site.id}.internet",)


def test_every_past_format_still_opens() -> None:
    for number in range(1, FORMAT + 1):
        project = load(FILES / f"format{number}.gpuplan")
        assert active_plan(project).sites[0].servers[0].slots


def test_saving_keeps_the_former_state_as_backup(tmp_path: Path) -> None:
    path = tmp_path / "a.gpuplan"
    first, second = new_project("first"), new_project("second")
    save(first, path)
    assert not backup_path(path).exists()
    save(second, path)
    assert load(backup_path(path)) == first and load(path) == second
    assert [each.name for each in tmp_path.iterdir() if ".tmp" in each.name] == []


def test_a_failed_save_leaves_the_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.gpuplan"
    save(new_project("kept"), path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("configurator.plan.store.os.fsync", full)
    with pytest.raises(StoreError) as refusal:
        save(new_project("lost"), path)
    assert refusal.value.messages[0].code == "store.unwritable"
    monkeypatch.undo()
    assert load(path).title == "kept"
    assert [each.name for each in tmp_path.iterdir()] == ["a.gpuplan"]


def test_permissions_of_the_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.gpuplan"
    save(new_project(), path)
    path.chmod(0o600)
    save(new_project("again"), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def document(**changes: object) -> bytes:
    body = json.loads(to_bytes(TEMPLATES[0].build(CATALOGUE)))
    body.update(changes)
    return json.dumps(body).encode()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "store.not_json"),
        (b"{", "store.not_json"),
        (b"[1, 2]", "store.not_ours"),
        (b'{"hello": 1}', "store.not_ours"),
        (b"\xff\xfe\x00", "store.not_text"),
        (b"[" * 100_000, "store.not_ours"),
        (document(format=FORMAT + 1), "store.newer"),
        (document(format="1"), "store.no_format"),
        (document(format=True), "store.no_format"),
        (document(plans=[]), "store.bad_value.empty"),
        (document(surprise=1), "store.bad_value.unknown"),
        (document(active_plan_id="nowhere"), "plan.no_active_plan"),
    ],
)
def test_broken_content_is_named(data: bytes, code: str) -> None:
    with pytest.raises(StoreError) as refusal:
        from_bytes(data, "x.gpuplan")
    assert refusal.value.messages[0].code == code


def test_a_bad_value_is_named_with_its_place() -> None:
    body = json.loads(to_bytes(TEMPLATES[0].build(CATALOGUE)))
    body["plans"][0]["sites"][0]["pue"] = 0.2
    with pytest.raises(StoreError) as refusal:
        from_bytes(json.dumps(body).encode())
    (told,) = refusal.value.messages
    assert (told.code, told.get("place")) == ("store.bad_value.least", "plans[0].sites[0].pue")


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("users", 1e30, "number"),
        ("users", float("nan"), "number"),
        ("users", -3, "least"),
        ("users", "many", "number"),
        ("context_tokens", 999_999_999_999, "most"),
        ("task", "guess", "choice"),
        ("evil", 1, "unknown"),
    ],
)
def test_one_fault_is_one_sentence_in_plain_words(name: str, value: object, code: str) -> None:
    body = json.loads(to_bytes(TEMPLATES[0].build(CATALOGUE)))
    body["plans"][0]["workloads"][0][name] = value
    with pytest.raises(StoreError) as refusal:
        from_bytes(json.dumps(body).encode(), "x.gpuplan")
    (told,) = refusal.value.messages
    assert told.code == f"store.bad_value.{code}"
    said = Wording().text(told)
    assert name in said and "x.gpuplan" in said
    assert not {"Input", "Tuple", "validation", "…"} & set(said.split())


def test_duplicate_ids_and_dangling_links_are_named() -> None:
    body = json.loads(to_bytes(TEMPLATES[1].build(CATALOGUE)))
    plan = body["plans"][0]
    plan["links"][0]["a"] = "nowhere"
    plan["sites"][0]["servers"][1]["id"] = plan["sites"][0]["servers"][0]["id"]
    with pytest.raises(StoreError) as refusal:
        from_bytes(json.dumps(body).encode())
    assert {each.code for each in refusal.value.messages} >= {"plan.duplicate_id", "plan.dangling_link"}


def test_a_broken_file_with_a_good_backup_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.gpuplan"
    save(new_project("good"), path)
    save(new_project("newer"), path)
    path.write_bytes(b"{ half")
    with pytest.raises(StoreError) as refusal:
        load(path)
    assert [each.code for each in refusal.value.messages] == ["store.not_json", "store.backup_is_good"]
    assert path.read_bytes() == b"{ half"


def test_a_missing_file_is_a_sentence_not_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refusal:
        load(tmp_path / "no.gpuplan")
    assert refusal.value.messages[0].code == "store.unreadable"


def test_variants_are_added_renamed_shown_and_removed() -> None:
    project = new_project("x", "Today")
    project, second = add_plan(project, active_plan(project), "One node")
    assert project.active_plan_id == second
    project = rename_plan(project, second, "One 8-GPU node")
    project = activate(project, "plan-1")
    edited = edit_plan(project, lambda plan: add_site(plan, "home", "Home")[0])
    assert len(edited.plans[0].sites) == 1 and edited.plans[1] is project.plans[1]
    left = remove_plan(edited, "plan-1")
    assert left.active_plan_id == second
    with pytest.raises(EditError):
        remove_plan(left, second)


def test_an_edit_that_changes_nothing_gives_the_same_project() -> None:
    project: Project = new_project()
    assert edit_plan(project, lambda plan: plan) is project
