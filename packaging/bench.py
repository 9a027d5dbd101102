"""The speed table: how long an answer, a start, an edit and a proposal take on this machine, beside the goals."""

from __future__ import annotations

import argparse
import datetime as dt
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from configurator.plan.model import Project

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    plan: str
    measured: float
    goal: float
    unit: str

    @property
    def text(self) -> str:
        """Printed with a mark where the goal is missed."""
        mark = "ok" if self.measured <= self.goal else "OVER"
        figures = f"{self.measured:>9.1f} {self.unit:<3} {self.goal:>7.0f} {self.unit:<3}"
        return f"{self.what:<48} {self.plan:<24} {figures} {mark}"


def main() -> int:
    """Print the table; exit code 1 when a goal is missed."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description=__doc__)
    parser.add_argument("--only", help="only lines that contain this")
    options = parser.parse_args()
    print(f"{'what':<48} {'plan':<24} {'measured':>13} {'goal':>11}")
    missed = 0
    for make in (answers, cases, window, proposal):
        for row in make():
            if options.only and options.only not in f"{row.what} {row.plan}":
                continue
            print(row.text, flush=True)
            missed += row.measured > row.goal
    return 1 if missed else 0


def milliseconds(work: Callable[[], object], least: int = 7, budget_s: float = 4.0) -> list[float]:
    """Times of repeated runs, the first one (imports, caches) left out."""
    work()
    times: list[float] = []
    began = time.perf_counter()
    while len(times) < least or (time.perf_counter() - began < budget_s / 4 and len(times) < 200):
        gc.collect()
        start_of_run = time.perf_counter()
        work()
        times.append((time.perf_counter() - start_of_run) * 1000)
        if time.perf_counter() - began > budget_s:
            break
    return times


def answers() -> Iterator[Row]:
    """assess() after one edit, so that what did not change may be kept; processor time, other programs left out."""
    from configurator.assess import assess
    from configurator.catalogue import load_catalogue
    from configurator.plan import edits as edit
    from configurator.plan.model import Plan
    from configurator.plan.projects import edit_plan
    from configurator.plan.templates import EIGHT_SLOTS, PRO_6000, one_node

    catalogue = load_catalogue()

    def large(sites: int, boxes: int) -> Project:
        plan = Plan(id="plan-1", name="Large")
        for site in range(sites):
            plan, site_id = edit.add_site(plan, "server_room", f"Site {site}")
            for _ in range(boxes):
                plan, server_id = edit.add_server(plan, catalogue, site_id, EIGHT_SLOTS)
                plan, _ids = edit.add_gpus(plan, catalogue, PRO_6000, server_id, 8)
        plan, _ = edit.add_workload(plan, "Chat", model="llama-3.3-70b", weights="fp8", users=2000, context_tokens=8192)
        return edit_plan(one_node(catalogue), lambda _: plan)

    cases = (
        ("8 GPUs", one_node(catalogue), 5.0),
        ("64 servers, 512 GPUs", large(1, 64), 30.0),
        ("4 096 GPUs on 64 sites", large(64, 8), 150.0),
    )
    for name, project, goal in cases:
        for what, variants in _edits(project):
            times = in_turn(variants, lambda each: assess(each, catalogue))
            yield Row(f"assess() after an edit: {what}", name, statistics.median(times), goal, "ms")


def in_turn(variants: Sequence[Project], work: Callable[[Project], object]) -> list[float]:
    """Processor time of every variant once, in milliseconds; the first is the plan before the edits."""
    work(variants[0])
    gc.collect()
    times = []
    for each in variants[1:]:
        start_of_run = time.process_time()
        work(each)
        times.append((time.process_time() - start_of_run) * 1000)
    return times


OTHER_MODELS = ("llama-3.1-70b", "qwen2.5-32b", "gpt-oss-120b", "llama-3.1-8b", "qwen2.5-72b", "qwen3-32b")


def _edits(project: Project) -> Iterator[tuple[str, list[Project]]]:
    """The edits of an owner, each a plan not seen before, so that no answer can be kept whole."""
    from configurator.catalogue import load_catalogue
    from configurator.plan import edits
    from configurator.plan.projects import edit_plan

    known = load_catalogue().models
    plan = project.plans[0]
    server = plan.sites[-1].servers[-1]
    cards = [slot.gpu.id for slot in server.slots if slot.gpu is not None]
    workload = plan.workloads[0]

    def changed(object_id: str, **fields: object) -> Project:
        return edit_plan(project, lambda held: edits.update(held, object_id, **fields))

    def without(last: int) -> Project:
        return edit_plan(project, lambda held: edits.remove(held, cards[last:]))

    fewer = [without(last) for last in range(len(cards) - 1, 0, -1)]
    users = workload.users or 1
    models = [name for name in OTHER_MODELS if name in known and name != workload.model]
    yield "number of users", [project, *(changed(workload.id, users=users + 1 + n) for n in range(15))]
    yield "one card less", [project, *fewer]
    yield "the card back", [*fewer[:1], *_returned(project, 6)]
    yield "another model", [project, *(changed(workload.id, model=name) for name in models)]
    yield "power limit of one card", [project, *(changed(cards[0], power_limit_w=300.0 + 5 * n) for n in range(15))]


def _returned(project: Project, times: int) -> list[Project]:
    """The plan with its last card taken out and put in again: a card that was not there before."""
    from configurator.catalogue import load_catalogue
    from configurator.plan import edits
    from configurator.plan.projects import edit_plan

    server = project.plans[0].sites[-1].servers[-1]
    slot, card = [(each, each.gpu) for each in server.slots if each.gpu is not None][-1]
    found = []
    for _ in range(times):
        out = edit_plan(project, lambda held: edits.remove(held, [card.id]))
        found.append(edit_plan(out, lambda held: edits.add_gpus(held, load_catalogue(), card.gpu, slot.id, 1)[0]))
    return found


def window() -> Iterator[Row]:
    """Start, edit and memory, measured inside the program."""
    found: list[dict[str, float]] = []
    # As installed: compiled once, whatever this shell says.
    compiled = tempfile.TemporaryDirectory()
    around = {**os.environ, "PYTHONPYCACHEPREFIX": compiled.name}
    around.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(4):
        inside = [sys.executable, str(ROOT / "packaging" / "bench_window.py")]
        done = subprocess.run(inside, cwd=ROOT, env=around, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.stderr.write(f"The window could not be measured:\n{done.stderr[-800:]}\n")
            return
        found.append(json.loads(done.stdout.splitlines()[-1]))

    def middle(name: str) -> float:
        # The first run fills the system's memory with files.
        return min(each[name] for each in found[1:])

    # On a machine that others use too, the clock counts their work: processor time stands beside it.
    for name, kind in (("cpu_", "processor time"), ("", "by the clock")):
        edit, start = middle(f"{name}edit_ms"), middle(f"{name}start_ms")
        yield Row(f"card in or out to verdict, p95, {kind}", "8 GPUs, 1 workload", edit, 16.0, "ms")
        yield Row(f"start to a usable window, {kind}", "", start, 600.0, "ms")
    yield Row("memory of the idle program", "", middle("idle_mb"), 200.0, "MB")


def cases() -> Iterator[Row]:
    """Many cases of the `size` command in one process, memory alone."""
    from configurator.catalogue import load_catalogue
    from configurator.cli_size import answers_to

    cards = ("h100 sxm", "4090", "l40s", "a100 80gb", "pro 6000", "5090")
    models = ("llama-3.1-8b", "qwen3-32b", "llama-3.1-70b", "qwen3-30b-a3b", "gemma-3-27b", "gpt-oss-120b")
    fixed = {"count": 8, "weights": "fp8", "engine": "vllm", "engine_version": "0.11.0", "tensor_parallel": 4}
    lines = [
        json.dumps({**fixed, "gpu": gpu, "model": model, "max_model_len": length, "gpu_memory_utilization": 0.9})
        for gpu in cards
        for model in models
        for length in (4096, 8192, 16384, 32768)
    ]
    times = milliseconds(lambda: list(answers_to(lines, load_catalogue())), least=3)
    yield Row("size: a case of many", f"{len(lines)} cases", statistics.median(times) / len(lines), 1.0, "ms")


def proposal() -> Iterator[Row]:
    """The PDF of the largest example: gathering (answers with neighbours and drawings) and writing, apart."""
    from configurator.catalogue import load_catalogue
    from configurator.plan.templates import two_nodes
    from configurator.proposal import write

    catalogue = load_catalogue()
    project = two_nodes(catalogue)
    began = time.process_time()
    material = write.gather(project, catalogue, None, dt.date(2026, 11, 30))
    gathered = (time.process_time() - began) * 1000
    times = milliseconds(lambda: write.render(material), least=3)
    yield Row("proposal PDF: answers and neighbours, from nothing", "two nodes", gathered, 1000.0, "ms")
    yield Row("proposal PDF: text and drawings", "two nodes", statistics.median(times), 1000.0, "ms")


if __name__ == "__main__":
    sys.exit(main())
