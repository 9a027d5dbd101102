"""Two windows on one file: the second is told, and a closed one holds nothing."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from configurator.desktop.commands.file import open_file
from configurator.desktop.file_claim import claim_of
from configurator.plan import store
from tests.desktop.windows import open_window, server_room


def test_a_second_window_on_the_same_file_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    path, other = tmp_path / "shared.gpuplan", tmp_path / "other.gpuplan"
    store.save(server_room(), path)
    store.save(server_room(), other)
    first, second = open_window(qtbot, tmp_path), open_window(qtbot, tmp_path)
    assert open_file(first.desk, path)
    assert "another window" not in first.desk.toasts.words.text()
    assert open_file(second.desk, path)
    assert "another window" in second.desk.toasts.words.text()
    assert claim_of(first.document).held
    # The first goes on to another file; the second may have this one now.
    assert open_file(first.desk, other)
    claim_of(second.document).take()
    assert claim_of(second.document).held
    claim_of(second.document).close()
    assert open_file(first.desk, path)
    assert claim_of(first.document).held
    claim_of(first.document).close()
