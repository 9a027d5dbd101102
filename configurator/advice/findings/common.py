"""How a finding is made, and the order in which findings are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from configurator.advice.results import Finding, FindingClass
from configurator.advice.situation import Situation
from configurator.plan.edits import update
from configurator.plan.model import Plan
from configurator.terms import Message, Value, message

Check = Callable[[Situation], Iterator[Finding]]
PlanCheck = Callable[[tuple[Situation, ...]], Iterator[Finding]]

STOP: FindingClass = "will_not_work"
STEP: FindingClass = "one_more_step"
NOTE: FindingClass = "good_to_know"
OPEN: FindingClass = "not_checked"

CLASSES: tuple[FindingClass, ...] = (STOP, STEP, NOTE, OPEN)

ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "llama.cpp": "llama.cpp", "tensorrt-llm": "TensorRT-LLM"}


def say(
    text_code: str,
    kind: FindingClass,
    subjects: tuple[str, ...],
    action: Message | None = None,
    *,
    rule: str = "",
    basis: str = "calculated",
    fix: Callable[[Plan], Plan] | None = None,
    **params: Value,
) -> Finding:
    """A finding; its coarse code is ``text_code`` without its last part, its text "finding.<text_code>"."""
    return told(text_code, kind, subjects, action, params=params, rule=rule, basis=basis, fix=fix)


def told(
    text_code: str,
    kind: FindingClass,
    subjects: tuple[str, ...],
    action: Message | None = None,
    *,
    params: Mapping[str, Value],
    rule: str = "",
    basis: str = "calculated",
    fix: Callable[[Plan], Plan] | None = None,
) -> Finding:
    """The same with the parameters in a mapping."""
    coarse = text_code.rpartition(".")[0]
    text = Message(f"finding.{text_code}", tuple(params.items()))
    return Finding(coarse, kind, subjects, text, action, basis, rule, fix)


def do(code: str, **params: Value) -> Message:
    """What to do: wording has "do.<code>"."""
    return message(f"do.{code}", **params)


def change(object_id: str, **fields: object) -> Callable[[Plan], Plan]:
    """An edit that sets fields of one object."""

    def edit(plan: Plan) -> Plan:
        return update(plan, object_id, **fields)

    return edit
