"""From an empty project to the printed proposal, with the mouse, on a real window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from configurator.desktop import dialogs
from configurator.desktop.widgets.inputs import Choice
from configurator.plan import store
from configurator.plan.index import gpus
from configurator.plan.templates import EIGHT_SLOTS, PRO_6000
from configurator.terms import Estimate
from configurator.wording import Wording
from tests.journeys.person import Person, assess_json, pdf_text, wait_for

pytestmark = pytest.mark.xvfb
CONTROL = Qt.KeyboardModifier.ControlModifier


def plain(text: str) -> str:
    """With ordinary spaces."""
    return " ".join(text.replace("\u202f", " ").replace("\u00a0", " ").split())


def test_eight_cards_for_a_405b_model(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(qtbot, tmp_path)
    window, document = person.window, person.window.document

    # An empty project tells the first step.
    person.click(window.start.new)
    assert "Start with a place" in person.read(window.canvas)

    # A place, a machine, eight cards: all dragged out of the list.
    person.drag("server_room", QPoint(90, 60))
    person.drag(EIGHT_SLOTS, person.spot("site-1"))
    slots = [slot.id for slot in document.plan.sites[0].servers[0].slots]
    for number, slot in enumerate(slots):
        person.drag(PRO_6000, person.spot(slot))
        assert len(list(gpus(document.plan))) == number + 1
    assert [slot.gpu.gpu for _, _, slot, _ in gpus(document.plan) if slot.gpu] == [PRO_6000] * 8

    # What shall run: Llama 3.1 405B, FP8, 32 people, 8k tokens.
    person.choose_model("llama 3.1 405b instruct")
    panel = window.workload
    weights = panel.editors["weights"]
    assert isinstance(weights, Choice)
    weights.setCurrentIndex(weights.findData("fp8"))
    weights.activated.emit(weights.currentIndex())
    person.type_into(panel.editors["users"], "32")
    person.type_into(panel.editors["context_tokens"], "8192")
    person.settle()
    workload = document.plan.workloads[0]
    assert (workload.model, workload.weights) == ("llama-3.1-405b", "fp8")
    assert (workload.users, workload.context_tokens) == (32, 8192)

    # The verdict stands on the screen, with numbers.
    assert document.assessment is not None
    said = plain(person.read(window.verdict))
    headline = person.verdict()
    assert headline
    assert plain(headline) in said
    answer = document.assessment.workloads[0]
    words = document.wording
    assert plain(words.memory(sum(memory.weights_bytes for memory in answer.per_gpu))) in said
    assert answer.users_served is not None
    assert plain(words.estimate(answer.users_served)) in said
    assert len(answer.per_gpu) == 8
    assert sum(memory.weights_bytes for memory in answer.per_gpu) > 380 * 2**30

    # All back, all again: the very same plan and the very same words.
    final, steps = document.project, document.stack.count()
    for _ in range(steps):
        person.press(Qt.Key.Key_Z, CONTROL)
    assert not document.plan.sites
    assert not document.plan.workloads
    assert not document.stack.canUndo()
    for _ in range(steps):
        person.press(Qt.Key.Key_Y, CONTROL)
    assert document.project is final
    assert person.verdict() == headline

    # Save, empty the desk, open again.
    path = tmp_path / "journey.gpuplan"
    monkeypatch.setattr(dialogs, "save_path", lambda *_: path)
    person.press(Qt.Key.Key_S, CONTROL)
    assert "saved" in window._file.text()
    assert store.load(path) == final
    person.press(Qt.Key.Key_N, CONTROL)
    assert not document.plan.sites
    monkeypatch.setattr(dialogs, "open_path", lambda *_: path)
    person.press(Qt.Key.Key_O, CONTROL)
    assert document.project == final
    assert person.verdict() == headline

    # The proposal says the same numbers as the command line.
    pdf = tmp_path / "journey.pdf"
    monkeypatch.setattr(dialogs, "save_path", lambda *_: pdf)
    person.click(window.toolbar.export)
    wait_for(qtbot, lambda: window.desk.toasts.button.isVisible() and pdf.is_file())
    printed = plain(pdf_text(pdf))
    told = assess_json(path)
    english = Wording()
    first = told["workloads"][0]
    for name in ("users_served",):
        figures = Estimate(*(first[name][part] for part in ("low", "expected", "high")))
        assert plain(english.estimate(figures)) in printed, name
    for memory in first["per_gpu"]:
        assert plain(english.memory(memory["weights_bytes"])) in printed
    purchase = told["cost"]["purchase"]
    total = Estimate(purchase["low"], purchase["expected"], purchase["high"], "EUR")
    assert plain(english.estimate(total)) in printed
    assert plain(headline) in printed
    assert first["fit"] == answer.fit


def test_a_card_on_a_full_server_and_a_module_on_a_slot_are_refused(qtbot: QtBot, tmp_path: Path) -> None:
    person = Person(qtbot, tmp_path)
    window = person.window
    window.open_example("one-node")
    person.settle()
    before, picture = window.document.project, window.canvas.grab().toImage()

    end = person.spot("gpu-1")
    person.drag(PRO_6000, end, let_go=False)
    assert window.drag.ghost.isVisible()
    assert "8 of 8" in window.drag.ghost.words
    person.let_go(end)
    assert window.document.project is before
    assert "8 of 8" in window.desk.toasts.words.text()
    window.desk.toasts.hide()

    # A place is made free, so that only the kind of the card speaks against it.
    window.document.select(("gpu-8",))
    window.actions_.run("edit.delete")
    freed = window.document.project
    slot = window.document.plan.sites[0].servers[0].slots[7]
    window.desk.toasts.hide()
    end = person.spot(slot.id)
    person.drag("nvidia-h200-sxm-141gb", end, let_go=False)
    reason = window.drag.ghost.words
    assert "8 of 8" not in reason
    assert "H200" in reason
    assert "module" in reason
    person.let_go(end)
    assert window.document.project is freed
    window.document.stack.undo()
    assert window.document.project is before
    window.document.select(())
    window.desk.toasts.hide()
    window.canvas.plan_scene.hover("")
    person.settle()
    assert window.canvas.grab().toImage().size() == picture.size()


def test_two_homes_do_not_add_up(qtbot: QtBot, tmp_path: Path) -> None:
    person = Person(qtbot, tmp_path)
    window = person.window
    person.click(window.start.new)
    person.drag("home", QPoint(60, 40))
    person.drag("home", QPoint(60, 330))
    person.drag("desktop-1gpu", person.spot("site-1"))
    person.drag("desktop-1gpu", person.spot("site-2"))
    person.drag("nvidia-rtx-3090", person.spot("slot-1"))
    servers = [server for site in window.document.plan.sites for server in site.servers]
    person.drag("nvidia-rtx-4090", person.spot(servers[1].slots[0].id))
    person.choose_model("llama 3.3 70b")
    panel = window.workload
    weights = panel.editors["weights"]
    assert isinstance(weights, Choice)
    weights.setCurrentIndex(weights.findData("awq-int4"))
    weights.activated.emit(weights.currentIndex())
    person.type_into(panel.editors["users"], "2")
    person.type_into(panel.editors["context_tokens"], "8192")
    person.settle()
    assert "does not add up" in person.verdict()
    said = plain(person.read(window.verdict))
    # And what would fit instead: a neighbour of this plan that works, on the screen.
    assert window.document.assessment is not None
    working = [
        each for each in window.document.assessment.alternatives if each.verdict and each.verdict.light == "good"
    ]
    assert working
    titles = [plain(window.document.wording.text(each.title)) for each in working]
    assert any(title in said for title in titles), said
    # The mark stands on both places and says why.
    scene = window.canvas.plan_scene
    assert scene.look.badges["site-1"] == scene.look.badges["site-2"] == "will_not_work"
    assert any("memory" in window.document.wording.text(text).lower() for text in scene.finding_texts("site-1"))
