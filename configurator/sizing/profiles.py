"""How each engine, by version, divides the memory of a card. Data: resources/calibration/memory.json."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

from configurator.catalogue.files import resource_folder

GIB: Final = 1024**3

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EngineProfile:
    """Memory behaviour from one engine version on. Terms in bytes; see ``sources`` for where each was read.

    ``sampler_copies``: logits of every sequence in FP32, how many times over, at the peak of the start-up run.
    ``mlp_hidden``: hidden-size vectors alive per token besides gate, up and product in the widest layer.
    """

    id: str
    engine: str
    since: Version
    utilization: float
    share: str
    block: int
    chunk: str
    chunk_tokens: int
    large_chunk: int
    huge_chunk: int
    a100_small: bool
    seqs: int
    large_seqs: int
    sampler_copies: float
    mlp_hidden: float
    fixed_bytes: float
    context_in_budget: bool
    graphs_in_budget: bool
    graph_bytes: float
    non_torch_bytes: tuple[tuple[int, float], ...]
    windows_kept: bool
    latent_cache: bool
    window_share: float
    state_share: float
    tokens_by_concurrency: bool
    prefix_state_blocks: int
    margin_bytes: float
    spread_bytes: float
    sources: tuple[str, ...]

    def non_torch(self, ranks: int) -> float:
        """Communication buffers, kernels and other memory outside the tensor library, for a group of ``ranks``."""
        value = 0.0
        for width, size in self.non_torch_bytes:
            if ranks >= width:
                value = size
        return value


@lru_cache(maxsize=1)
def memory_table() -> dict[str, Any]:
    """The shipped calibration of memory."""
    data: dict[str, Any] = json.loads((resource_folder() / "calibration" / "memory.json").read_bytes())
    return data


@lru_cache(maxsize=1)
def _profiles() -> dict[str, tuple[EngineProfile, ...]]:
    grouped: dict[str, list[EngineProfile]] = {}
    for row in memory_table()["profiles"]:
        profile = EngineProfile(
            id=row["id"],
            engine=row["engine"],
            since=parse_version(row["since"]) or (0,),
            utilization=row.get("utilization", 1.0),
            share=row.get("share", ""),
            block=row["block"],
            chunk=row.get("chunk", "always"),
            chunk_tokens=row["chunk_tokens"],
            large_chunk=row["large_chunk"],
            huge_chunk=row["huge_chunk"],
            a100_small=row.get("a100_small", False),
            seqs=row["seqs"],
            large_seqs=row["large_seqs"],
            sampler_copies=row.get("sampler_copies", 0.0),
            mlp_hidden=row.get("mlp_hidden", 3.0),
            fixed_bytes=row.get("fixed_gib", 0.0) * GIB,
            context_in_budget=row.get("context_in_budget", False),
            graphs_in_budget=row.get("graphs_in_budget", False),
            graph_bytes=row["graph_gib"] * GIB,
            non_torch_bytes=tuple((int(width), size * GIB) for width, size in row["non_torch_gib"]),
            windows_kept=row["windows_kept"],
            latent_cache=row.get("latent_cache", True),
            window_share=row.get("window_share", 1.0),
            state_share=row.get("state_share", 0.0),
            tokens_by_concurrency=row.get("tokens_by_concurrency", False),
            prefix_state_blocks=row.get("prefix_state_blocks", 1),
            margin_bytes=row.get("margin_gib", 0.0) * GIB,
            spread_bytes=row["spread_gib"] * GIB,
            sources=tuple(row["sources"]),
        )
        grouped.setdefault(profile.engine, []).append(profile)
    return {engine: tuple(sorted(rows, key=lambda each: each.since)) for engine, rows in grouped.items()}


def engines() -> tuple[str, ...]:
    """Engines with a memory profile."""
    return tuple(_profiles())


def parse_version(text: str) -> Version | None:
    """First version number in a text ("0.29.1rc1", "0.8.x (V0)"), or None."""
    found = re.search(r"(?<![\d.\-])v?(\d+(?:\.\d+){1,2})(?!\d*-\d)", text) or re.fullmatch(r"(\d+)", text.strip())
    return tuple(int(part) for part in found.group(1).split(".")) if found else None


def version_on(engine: str, date: str) -> str:
    """Newest release of an engine on a date (YYYY-MM...), "" when nothing is known."""
    newest = ""
    for version, month in memory_table()["releases"].get(engine, ()):
        if month <= date[:7]:
            newest = version
    return newest


@lru_cache(maxsize=512)
def profiles_for(engine: str, version: str = "", released: str = "") -> tuple[EngineProfile, ...]:
    """Profiles an engine may show, oldest first: one when the version is named, else all that can run the model.

    ``released`` (YYYY-MM) is the model's date: an older engine cannot run it. Releases that cached latent attention
    in full are left out unless named.
    Raises ValueError for an engine without a profile.
    """
    rows = _profiles().get(engine)
    if not rows:
        raise ValueError(f"unknown engine {engine!r}; known: {', '.join(engines())}")
    wanted = _wanted(engine, version)
    if wanted is not None:
        fitting = [row for row in rows if row.since <= wanted]
        return (fitting[-1] if fitting else rows[0],)
    # Tokens are counted the way the newest release counts them: by how many requests fit.
    rows = _one_count(tuple(row for row in rows if row.latent_cache or row is rows[0]))
    floor = parse_version(version_on(engine, released)) if released else None
    if floor is None:
        return rows
    current = [index for index, row in enumerate(rows) if row.since <= floor]
    return rows[current[-1] if current else 0 :]


@cache
def _one_count(rows: tuple[EngineProfile, ...]) -> tuple[EngineProfile, ...]:
    return tuple(replace(row, tokens_by_concurrency=rows[-1].tokens_by_concurrency) for row in rows)


def variant_released(name: str) -> str:
    """Month a model of a catalogued shape came out, from its name; "" when the record's own date holds."""
    plain = name.lower().rsplit("/", 1)[-1]
    return next((month for part, month in memory_table()["variant_released"] if part in plain), "")


def _wanted(engine: str, version: str) -> Version | None:
    if not version:
        return None
    found = parse_version(version)
    if found is None:
        date = re.search(r"20\d\d-\d\d", version)
        found = parse_version(version_on(engine, date.group(0))) if date else None
    if found is not None and engine == "vllm":
        # The old engine could be chosen, and was the default for some models, until it was removed in 0.11.
        if "V0" in version and found >= (0, 8):
            return (0, 7, 99)
        if "V1" in version and found < (0, 8):
            return (0, 8)
    return found
