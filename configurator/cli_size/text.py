"""The answer of ``configurator size`` as a few lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from configurator.terms import message
from configurator.wording import Wording


def as_text(result: Mapping[str, Any]) -> str:
    """Verdict, layout, one line per kind of card, what it holds, and the findings."""
    wording = Wording(audience="operator")
    layout = result["layout"]
    lines = [
        f"{wording.word('verdict.' + result['verdict'])}: {result['model']}, {result['weights']}, {result['engine']}",
        (
            f"  TP {layout['tensor_parallel']} x PP {layout['pipeline_parallel']} x {layout['replicas']}"
            f" (EP {layout['expert_parallel']}), {wording.word('fit.' + result['fits'])}"
        ),
    ]
    shown: set[str] = set()
    for gpu in result["per_gpu"]:
        line = (
            "  "
            + gpu["gpu"]
            + ": "
            + ", ".join(
                f"{label} {wording.memory(gpu[name])}"
                for label, name in (
                    (wording.gettext("memory"), "memory_bytes"),
                    (wording.gettext("weights"), "weights_bytes"),
                    (wording.gettext("cache"), "kv_cache_bytes"),
                    (wording.gettext("working memory"), "activation_bytes"),
                    (wording.gettext("overhead"), "overhead_bytes"),
                    (wording.gettext("free"), "free_bytes"),
                )
            )
        )
        if line not in shown:
            shown.add(line)
            lines.append(line)
    if result["task"] in ("serve", "batch"):
        tokens, users = result["kv_cache_tokens"], result["users_served"]
        lines.append(
            f"  {wording.gettext('tokens in the cache')}: {tokens['expected']} ({tokens['low']}-{tokens['high']}),"
            f" {wording.gettext('requests at once')}: {users['expected']} ({users['low']}-{users['high']}),"
            f" {wording.gettext('longest context')}: {result['max_context_tokens']}"
        )
    lines.extend("  " + finding["text"] for finding in result["findings"])
    wanted = result.get("remedies")
    if wanted is not None:
        if wanted["weights"]:
            lines.append("  " + wording.text(message("size.remedy_weights", format=wanted["weights"])))
        if wanted["gpus"]:
            lines.append("  " + wording.text(message("size.remedy_gpus", gpus=wanted["gpus"])))
        if wanted["max_model_len"]:
            lines.append("  " + wording.text(message("size.remedy_context", context_tokens=wanted["max_model_len"])))
        if not any(wanted.values()):
            lines.append("  " + wording.text(message("size.remedy_none")))
    return "\n".join(lines)
