"""How long a request may be: what the memory holds, what the model is built for, how the prompt is read (R22, R24)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from configurator.advice.findings.common import NOTE, STEP, do, say
from configurator.advice.findings.fewer import gigabytes, round_tokens
from configurator.advice.results import Finding
from configurator.advice.situation import Situation, at_least
from configurator.catalogue.records import ModelRecord

LONG_CONTEXT_TOKENS = 16_384


def context(s: Situation) -> Iterator[Finding]:
    """The longest request that holds; working memory follows the prefill chunk."""
    if s.model is None or s.chosen is None or s.training or not at_least(s.fit, "starts"):
        return
    wanted = s.workload.max_context_tokens or s.workload.context_tokens
    longest = s.chosen.memory.max_context_tokens
    trained = built_for(s.model)
    if trained:
        longest = min(longest, trained)
    subjects = (s.workload.id,)
    if wanted is not None and longest and longest < wanted:
        yield say(
            "memory.context.short",
            STEP,
            subjects,
            do("memory.context", max_context_tokens=longest),
            max_context_tokens=longest,
            asked_tokens=wanted,
            users=s.workload.users or 1,
        )
    elif longest:
        yield say(
            "memory.context.open"
            if not trained
            else "memory.context.longest"
            if longest < trained
            else "memory.context.whole",
            NOTE,
            subjects,
            max_context_tokens=longest,
            users=s.workload.users or 1,
            trained_tokens=trained,
        )
    if wanted and trained and wanted > trained:
        yield say(
            "memory.context.trained",
            STEP,
            subjects,
            do("memory.context", max_context_tokens=trained),
            basis="vendor",
            asked_tokens=wanted,
            trained_tokens=trained,
        )
    yield from _whole_prompt(s, wanted or 0)
    tight = not at_least(s.fit, "serves_with_reserve") or s.chosen.memory.max_concurrency.expected < 2
    if tight and (wanted or 0) >= LONG_CONTEXT_TOKENS and s.workload.engine in WHOLE_PROMPT_ENGINES:
        yield say("memory.context.chunk", NOTE, subjects, do("memory.chunk"), basis="measured")


LENGTH_IN_NAME = re.compile(r"[-_ ](\d{1,4})k\b", re.IGNORECASE)
"""Variants of one model that differ in length say so in the name (Phi-3-medium-4k)."""


def built_for(model: ModelRecord) -> int:
    """Tokens that a model is built for: by its name, else of its catalogue record; 0 where nobody knows."""
    named = LENGTH_IN_NAME.search(model.name)
    if named is not None:
        return int(named.group(1)) * 1024
    return model.max_context_tokens if model.hf_id else 0


WHOLE_PROMPT_ENGINES = ("vllm", "sglang")


def _whole_prompt(s: Situation, wanted: int) -> Iterator[Finding]:
    """The room where a long prompt is read in one step: its working memory comes off every card (measured: an engine
    refused 131,072 tokens of a 405B on eight cards of 80 GB, 79,392 fitted)."""
    if s.model is None or s.chosen is None or s.model.moe is not None or not s.work.kv_bytes_per_token:
        return
    if wanted < LONG_CONTEXT_TOKENS or s.workload.engine not in WHOLE_PROMPT_ENGINES:
        return
    tensor = s.chosen.layout.tensor_parallel
    work = 2.0 * wanted * 3 * (s.model.hidden_size + s.model.intermediate_size / max(1, tensor))
    copy = set(s.copy_cards)
    rows = [row for row in s.chosen.memory.per_gpu if row.gpu_id in copy]
    room = sum(row.kv_pool_bytes + row.activation_bytes - max(work, row.activation_bytes) for row in rows)
    tokens = max(0.0, room) / s.work.kv_bytes_per_token
    pieces = s.chosen.memory.kv_cache_tokens.expected
    if not rows or tokens >= wanted or pieces < wanted:
        return
    yield say(
        "memory.context.one_step",
        STEP,
        (s.workload.id,),
        do("memory.one_step"),
        rule="R24",
        pieces_tokens=round_tokens(pieces),
        whole_tokens=round_tokens(tokens),
        whole_gb=gigabytes(max(0.0, room)),
        asked_tokens=wanted,
        work_gb=gigabytes(work),
    )
