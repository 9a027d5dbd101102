"""Measured from inside the program, in a process of its own: start, edit to painted verdict, memory. Prints JSON."""

from __future__ import annotations

import time

BEGAN = time.perf_counter()

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
HOME = tempfile.TemporaryDirectory()
for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
    os.environ[name] = HOME.name
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from configurator.desktop.app import make_window
from configurator.plan import edits
from configurator.plan.index import gpus
from configurator.plan.model import Plan

EDITS = 60
PAGE_BYTES = 4096


def resident_mb() -> float:
    """Memory of this process, as Linux counts it."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0.0
    return int(statm.read_text("ascii").split()[1]) * PAGE_BYTES / 1e6


def percentile(times: list[float]) -> float:
    """The 95th of a hundred."""
    return sorted(times)[int(len(times) * 0.95)]


def main() -> int:
    """Open the window, open an example, take a card out and put it back many times."""
    application = QApplication(sys.argv[:1])
    window = make_window(application)
    window.resize(1280, 800)
    window.show()
    application.processEvents()
    start_s = time.perf_counter() - BEGAN
    cpu_start_s = time.process_time()
    idle_mb = resident_mb()

    window.open_example("one-node")
    document = window.document
    document.assess_now()
    # The neighbours are worked through in the background; they are no part of an edit.
    until = time.perf_counter() + 10
    while not document.settled and time.perf_counter() < until:
        application.processEvents()
    server = document.plan.sites[0].servers[0]
    slot = server.slots[-1]
    kind = slot.gpu.gpu if slot.gpu is not None else ""

    def out(plan: Plan) -> Plan:
        return edits.remove(plan, [card.id for _, _, place, card in gpus(plan) if place.id == slot.id])

    def back(plan: Plan) -> Plan:
        return edits.add_gpus(plan, document.catalogue, kind, slot.id, 1)[0]

    times, cpu_times = [], []
    for number in range(EDITS):
        began, cpu_began = time.perf_counter(), time.process_time()
        document.edit("Card", back if number % 2 else out)
        while document.assessment is None:
            application.processEvents()
        application.processEvents()
        application.processEvents()
        times.append((time.perf_counter() - began) * 1000)
        cpu_times.append((time.process_time() - cpu_began) * 1000)
    found = {
        "start_ms": start_s * 1000,
        "cpu_start_ms": cpu_start_s * 1000,
        "idle_mb": idle_mb,
        "edit_ms": percentile(times[4:]),
        "cpu_edit_ms": percentile(cpu_times[4:]),
    }
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()
    # Nothing here is worth saving, and no question about it shall wait for an answer.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
