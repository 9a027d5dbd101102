"""The fields of a workload as data: what is asked, in which words, for which task. Every one may stay "not known"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from configurator.catalogue import Catalogue
from configurator.catalogue.records import ModelRecord, WeightFormat
from configurator.desktop.panels.figures import TRAINING
from configurator.desktop.widgets.inputs import HEADING
from configurator.plan.model import EngineId, Task, Workload
from configurator.wording import Wording

Kind = Literal["number", "choice", "flag", "text"]
For = Literal["both", "serving", "training"]
Choices = Sequence[tuple[object, str, str]]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field. ``label`` is a message id; ``term`` a glossary entry whose sentence is the help."""

    name: str
    kind: Kind
    label: str
    asked_for: For = "both"
    advanced: bool = False
    whole: bool = True
    least: float = 1.0
    most: float = float("inf")
    scale: float = 1.0
    """Units of the model per unit on screen."""
    term: str = ""
    empty: str = "not known"
    """What an empty field means; a message id."""

    def shown_for(self, task: str) -> bool:
        """Whether it makes sense for a task."""
        return self.asked_for == "both" or (self.asked_for == "training") == (task in TRAINING)


def N_(text: str) -> str:
    """Marks a message id."""
    return text


FIELDS: tuple[FieldSpec, ...] = (
    FieldSpec("weights", "choice", N_("Precision"), term="precision"),
    FieldSpec("task", "choice", N_("Used for")),
    FieldSpec("users", "number", N_("People at once"), "serving", most=10_000_000, term="concurrent_users"),
    FieldSpec(
        "context_tokens", "number", N_("Tokens per conversation"), "serving", most=100_000_000, term="context_length"
    ),
    FieldSpec("training_tokens", "number", N_("Tokens to learn from"), "training", term="token"),
    FieldSpec("sequence_tokens", "number", N_("Tokens per example"), "training", term="context_length"),
    FieldSpec("micro_batch", "number", N_("Examples per step"), "training", True, empty=N_("as small as fits")),
    FieldSpec("lora_rank", "number", N_("Adapter rank"), "training", True, empty="16"),
    FieldSpec("optimizer", "choice", N_("Optimiser"), "training", True),
    FieldSpec("input_tokens", "number", N_("Tokens of a question"), "serving", True, term="prompt"),
    FieldSpec("output_tokens", "number", N_("Tokens of an answer"), "serving", True, term="token"),
    FieldSpec(
        "max_context_tokens", "number", N_("Longest conversation"), "serving", True, empty=N_("same as the usual one")
    ),
    FieldSpec("kv_cache", "choice", N_("Conversation memory"), "serving", True, term="kv_cache"),
    FieldSpec("engine", "choice", N_("Engine"), "serving", True, term="engine"),
    FieldSpec(
        "time_to_first_token_limit_s", "number", N_("First word within (s)"), "serving", True, False, 1e-3, term="ttft",
        empty=N_("no limit"),
    ),
    FieldSpec(
        "tokens_per_s_per_user_limit", "number", N_("Tokens per second for each, at least"), "serving", True, False,
        1e-3, term="tpot", empty=N_("no limit"),
    ),
    FieldSpec("requests_per_s", "number", N_("Questions per second"), "serving", True, False, 1e-6),
    FieldSpec("tokens_per_s", "number", N_("Tokens per second wanted"), "serving", True, False, 1e-6),
    FieldSpec("tokens_per_month", "number", N_("Tokens per month"), "serving", True, term="cost_per_mtok"),
    FieldSpec("deadline_h", "number", N_("To be done within (hours)"), "both", True, False, 1e-3, empty=N_("no limit")),
    FieldSpec(
        "prefix_cache_hit_share", "number", N_("Repeated beginnings (%)"), "serving", True, False, 0.0, 100.0, 0.01,
        term="prefix_cache", empty="0",
    ),
    FieldSpec(
        "speculative_accepted_tokens", "number", N_("Tokens per guess that hold"), "serving", True, False, 1.0, 16.0,
        term="speculative", empty=N_("not used"),
    ),
    FieldSpec("must_survive", "choice", N_("Must survive the loss of"), "serving", True, term="redundancy"),
    FieldSpec("data_must_stay", "flag", N_("Data may not leave the premises"), "both", True),
    FieldSpec("many_tenants", "flag", N_("Many customers share it"), "serving", True),
    FieldSpec("replicas", "number", N_("Copies"), "both", True, term="replica", empty=N_("chosen for you")),
    FieldSpec("tensor_parallel", "number", N_("Cards that work as one"), "both", True, empty=N_("chosen for you")),
    FieldSpec("pipeline_parallel", "number", N_("Stages in a chain"), "both", True, empty=N_("chosen for you")),
    FieldSpec("layout_reason", "text", N_("Why this layout"), "both", True, empty=N_("needed with your own layout")),
    FieldSpec("name", "text", N_("Name of the workload"), "both", True, empty=""),
)  # fmt: skip

FROM_FILE = ("the given file",)
"""What the import of model files names as the source."""

COMMON_FORMATS = ("bf16", "fp8", "int8", "awq-int4", "gptq-int4", "nvfp4", "mxfp4", "q4_k_m", "q5_k_m", "q6_k", "q8_0")
"""Stand first in the list, in this order."""

ENGINE_NAMES: dict[EngineId, str] = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "llama.cpp": "llama.cpp",
    "tensorrt-llm": "TensorRT-LLM",
}


def choices(spec: FieldSpec, workload: Workload, catalogue: Catalogue, wording: Wording) -> Choices:
    """(value, text, reason why not) of a choice field."""
    _ = wording.gettext
    if spec.name == "weights":
        return format_choices(workload, catalogue, wording)
    if spec.name == "task":
        return [(task, _capital(wording.word("task." + task)), "") for task in get_args(Task)]
    if spec.name == "engine":
        return [(engine, name, "") for engine, name in ENGINE_NAMES.items()]
    if spec.name == "optimizer":
        return [
            ("adamw", _("Adam, 32-bit state"), ""),
            ("adamw_8bit", _("Adam, 8-bit state, weights in BF16"), ""),
        ]
    if spec.name == "kv_cache":
        llama = workload.engine == "llama.cpp"
        only = _("only in llama.cpp")
        return [
            ("auto", _("as the engine does"), ""),
            ("bf16", "BF16", ""),
            ("fp8", "FP8", _("not in llama.cpp") if llama else ""),
            ("q8_0", "Q8_0", "" if llama else only),
            ("q4_0", "Q4_0", "" if llama else only),
        ]
    return [
        ("nothing", _("nothing"), ""),
        ("gpu", _("one card"), ""),
        ("server", _("one server"), ""),
        ("site", _("one place"), ""),
    ]


def format_choices(workload: Workload, catalogue: Catalogue, wording: Wording) -> Choices:
    """Weight formats with the size of the model in each, in parts: those people take with this engine and those the
    model is published in, the others it loads, and well-known ones it does not load, with the reason."""
    _ = wording.gettext
    model = catalogue.models.get(workload.model or "")
    published = {each.weight_format for each in model.checkpoints} if model is not None else set()
    order = {each: number for number, each in enumerate(COMMON_FORMATS)}
    formats = [
        each
        for each in catalogue.weight_formats.values()
        if each.engines and (_for_model(each, model, published) or each.id == workload.weights)
    ]
    formats.sort(key=lambda each: (not each.model_id, order.get(each.id, len(order))))
    loaded = [each for each in formats if workload.engine in each.engines]
    known = {*order, *published, workload.weights}
    usual = [each for each in loaded if each.id in known or each.model_id]
    more = [each for each in loaded if each not in usual]
    not_loaded = [
        each
        for each in formats
        if workload.engine not in each.engines and (each.id in order or each.id == workload.weights or each.model_id)
    ]
    engine = ENGINE_NAMES[workload.engine]
    reason = _("{engine} does not load this format").format(engine=engine)
    found = [(each.id, _format_said(each, model, wording), "") for each in usual]
    if more:
        found.append((HEADING, _("More formats"), ""))
        found += [(each.id, _format_said(each, model, wording), "") for each in more]
    if not_loaded:
        found.append((HEADING, _("Not with {engine}").format(engine=engine), ""))
        found += [(each.id, _format_said(each, model, wording), reason) for each in not_loaded]
    return found


def _for_model(weight_format: WeightFormat, model: ModelRecord | None, published: set[str]) -> bool:
    """A format that stores experts apart is of use to models with experts, a maker's own one to its models."""
    if weight_format.model_id:
        return model is not None and weight_format.model_id == model.id
    if weight_format.quantised_parts == ("routed_experts",):
        return weight_format.id in published
    return True


def _format_said(weight_format: WeightFormat, model: ModelRecord | None, wording: Wording) -> str:
    # The usual ones are known by their first words; the others are told apart by the rest.
    name = weight_format.name.partition(",")[0] if weight_format.id in COMMON_FORMATS else weight_format.name
    # The engines load when the first number is shown, not with the window.
    from configurator.sizing import weight_bytes

    return name if model is None else f"{name} · {wording.memory(weight_bytes(model, weight_format))}"


def model_said(model: ModelRecord, wording: Wording, *, short: bool = False) -> str:
    """Facts under a model's name: maker, licence (with its name unless ``short``), longest context."""
    _ = wording.gettext
    licences = {
        "permissive": _("free licence"),
        "permissive_with_conditions": _("free licence with conditions"),
        "community_with_conditions": _("licence with conditions"),
        "non_commercial": _("not for business"),
    }
    licence = licences.get(model.licence_class, _("licence not known"))
    if not short and model.licence and model.licence not in {"other", "unknown"}:
        licence = f"{licence} ({model.licence})"
    context = _("up to {tokens} tokens").format(tokens=wording.count(model.max_context_tokens))
    said = [model.vendor, licence, context]
    if model.sources == FROM_FILE:
        said[1:2] = [_("from your own file")]
    if model.architecture_status == "generic":
        said.insert(0, _("estimated: architecture not known"))
    elif model.architecture_status == "shapes":
        said.insert(0, _("estimated from the shapes of its tensors"))
    return " · ".join(each for each in said if each)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
