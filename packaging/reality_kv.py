"""How far memory answers are from what engines printed when they started; calibration and check rows apart.

Every row becomes a case of ``configurator size`` and is answered through the command's own code. The split is by a
hash of the row's id, fixed before anything was fitted: even hashes check, odd ones calibrate.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configurator.catalogue import Catalogue
from configurator.cli_size.answers import CaseError, answer

GIB = 1024**3

COPIED = (
    "engine", "engine_version", "max_model_len", "max_num_seqs", "max_num_batched_tokens", "block_size",
)  # fmt: skip

SHARES = ("gpu_memory_utilization", "mem_fraction_static")


@dataclass(frozen=True)
class Asked:
    """One row with its answer. Errors are answer / measured - 1; None: the row does not say."""

    row: Mapping[str, Any]
    answer: Mapping[str, Any]
    right: bool
    kv_error: float | None
    token_error: float | None

    @property
    def error(self) -> float | None:
        """Of the memory, or of the tokens where only they were printed."""
        return self.kv_error if self.kv_error is not None else self.token_error

    @property
    def checks(self) -> bool:
        """Whether the row was kept apart from calibration."""
        return not int(hashlib.sha256(str(self.row["id"]).encode()).hexdigest(), 16) % 2


def case_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as a case of the size command. Raises CaseError for one that names no model or card."""
    if not row["model"] or not row["gpu_model"]:
        raise CaseError("The row names no model or no card.")
    case: dict[str, Any] = {name: row[name] for name in COPIED if row[name] is not None}
    tensor = row["tp"] or (row["gpu_count"] if not row["dp"] else None)
    case.update(
        id=row["id"],
        gpu=row["gpu_model"],
        count=max(row["gpu_count"] or 1, (tensor or 1) * (row["pp"] or 1)),
        model=row["model"],
        weights=row["weight_quant"],
        kv=row["kv_dtype"],
        tensor_parallel=tensor,
        pipeline_parallel=row["pp"],
        replicas=1,
        data_parallel=row["dp"],
        expert_parallel=row["ep"],
        decode_context_parallel=row["dcp"],
        gpu_memory_gib=_number(row["gpu_mem_gib"]),
        enforce_eager=row["enforce_eager"],
        speculative_tokens=_draft_tokens(row["spec_decode"]),
        gpu_memory_utilization=next((row[name] for name in SHARES if row[name] is not None), None),
    )
    if "WSL2" in f"{row['gpu_model']} {row['notes']}":
        case["host"] = "wsl2"
    return {name: value for name, value in case.items() if value is not None}


def _number(value: Any) -> float | None:
    found = re.search(r"[\d.]+", str(value)) if value is not None else None
    return float(found.group()) if found else None


def _draft_tokens(text: str | None) -> int:
    """Draft tokens of the model's own layer; drafts that are models of their own are not sized."""
    if not text or not text.startswith(("MTP", "EAGLE")):
        return 0
    found = re.search(r"\d+", text)
    return int(found.group()) if found else 1


def ask(row: Mapping[str, Any], catalogue: Catalogue) -> Asked:
    """Answer one row. Raises CaseError when it cannot be asked."""
    found = answer(case_of(row), catalogue)
    pool = min(gpu["kv_cache_bytes"] for gpu in found["per_gpu"]) / GIB
    measured, tokens = row["kv_gib_per_gpu"], row["kv_tokens"]
    return Asked(
        row,
        found,
        (found["fits"] != "no") == (row["result"] == "ok"),
        pool / measured - 1 if measured and measured > 0 else None,
        found["kv_cache_tokens"]["expected"] / tokens - 1 if tokens else None,
    )


def ask_all(rows: Iterable[Mapping[str, Any]], catalogue: Catalogue) -> tuple[list[Asked], list[tuple[str, str]]]:
    """(answers, rows that cannot be asked with the reason)."""
    answers: list[Asked] = []
    left: list[tuple[str, str]] = []
    for row in rows:
        try:
            answers.append(ask(row, catalogue))
        except CaseError as error:
            left.append((str(row["id"]), str(error)))
    return answers, left


def summary(title: str, asked: list[Asked]) -> str:
    """Verdicts right, median and 90th percentile of the memory error."""
    errors = sorted(abs(each.error) for each in asked if each.error is not None and each.row["result"] == "ok")
    right = sum(each.right for each in asked)
    text = f"{title:24} {len(asked):4} rows, verdict right {right:4}"
    if errors:
        tenth = errors[min(len(errors) - 1, int(0.9 * len(errors)))]
        text += f", KV median {errors[len(errors) // 2]:6.1%}, p90 {tenth:6.1%} ({len(errors)} rows)"
    return text


def report(folder: Path, catalogue: Catalogue) -> list[str]:
    """Summary lines, then every strict row with its error, then what was left out."""
    rows = json.loads((folder / "kv.json").read_text(encoding="utf-8"))
    asked, left = ask_all(rows, catalogue)
    strict = [each for each in asked if each.row["strict"]]
    graded = [each for each in asked if each.row["quality"] == "A"]
    lines = [
        summary("strict, calibrating", [each for each in strict if not each.checks]),
        summary("strict, checking", [each for each in strict if each.checks]),
        summary("strict", strict),
        summary("quality A", graded),
        summary("all that can be asked", asked),
    ]
    for each in sorted(asked, key=lambda one: (not one.row["strict"], one.row["id"])):
        error = "" if each.error is None else f"{each.error:+7.1%}"
        lines.append(
            f"  {'strict' if each.row['strict'] else each.row['quality']:6} {each.row['id']:20}"
            f" {each.answer['model']:28}"
            f" {each.answer['weights']:12} {each.row['result']:16} {each.answer['fits']:20}"
            f" {error:8}{'' if each.right else ' WRONG'}"
        )
    lines.extend(f"  left out {name}: {why[:110]}" for name, why in left)
    return lines
