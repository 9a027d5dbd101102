"""A Hugging Face ``config.json`` (or Mistral's ``params.json``) -> a catalogue record with exact counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from configurator.catalogue.records import ModelRecord
from configurator.imports.architecture import record_of
from configurator.imports.families import build, known
from configurator.imports.families_more import MORE
from configurator.imports.fields import Fields, ModelFileError, text_fields
from configurator.imports.quantisation import Stored, stored_as
from configurator.imports.vision import vision_elements
from configurator.terms import Message, message

__all__ = ["MORE", "model_of_config"]

MISTRAL = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "hidden_dim": "intermediate_size",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "tied_embeddings": "tie_word_embeddings",
    "max_seq_len": "max_position_embeddings",
    "sliding_window": "sliding_window",
}
MISTRAL_EXPERTS = {
    "num_experts": "n_routed_experts",
    "num_experts_per_tok": "num_experts_per_tok",
    "expert_hidden_dim": "moe_intermediate_size",
    "num_shared_experts": "n_shared_experts",
    "first_k_dense_replace": "first_k_dense_replace",
    "num_experts_per_token": "num_experts_per_tok",
}


def model_of_config(raw: Mapping[str, Any], name: str = "") -> tuple[ModelRecord, Stored, tuple[Message, ...]]:
    """Count a configuration.

    Raises ModelFileError with the field that is missing or wrong. An architecture that is not known is counted as a
    plain decoder and says so in the notes.
    """
    if "dim" in raw and "n_layers" in raw:
        raw = _from_mistral(raw)
    fields = text_fields(raw)
    model_type = _model_type(raw, fields)
    arch = build(fields, model_type)
    arch.vision, vision_known = vision_elements(raw, arch.hidden)
    stored = stored_as(raw, len(arch.layers))
    notes = [message(code, **values) for code, values in arch.notes]
    if not vision_known:
        notes.append(message("import.vision_estimated"))
    if stored.unknown_method:
        notes.append(message("import.quantisation_unknown", method=stored.unknown_method))
    names = Fields(raw).words("architectures")
    title = str(raw.get("_name_or_path") or name or (names[0] if names else model_type) or "model")[:200]
    dtype = "float16" if stored.weight_format_id == "fp16" else "bfloat16"
    return record_of(arch, title, model_type or "unknown", dtype), stored, tuple(notes)


def _model_type(raw: Mapping[str, Any], fields: Fields) -> str:
    """The architecture's name: of the language part when it is known by itself, else of the whole."""
    whole, inner = str(raw.get("model_type") or ""), str(fields.raw.get("model_type") or "")
    for name in (inner, whole, _by_class(raw)):
        if known(name):
            return name
    return inner or whole


CLASSES = {
    "MistralLarge3": "mistral_large_3",
    "Mistral4": "mistral4",
    "DeepseekV4": "deepseek_v4",
    "DeepseekV3": "deepseek_v3",
    "DeepseekV2": "deepseek_v2",
    "KimiK25": "kimi_k25",
    "KimiLinear": "kimi_linear",
    "MiniMaxM3": "minimax_m3",
    "MiniMaxM2": "minimax_m2",
    "DeciLM": "nemotron-nas",
    "NemotronH": "nemotron_h",
    "Qwen3Next": "qwen3_next",
    "Qwen3_5": "qwen3_5",
    "Qwen3Moe": "qwen3_moe",
    "Qwen3": "qwen3",
    "Qwen2Moe": "qwen2_moe",
    "Qwen2": "qwen2",
    "Glm4MoeLite": "glm4_moe_lite",
    "Glm4Moe": "glm4_moe",
    "GlmMoeDsa": "glm_moe_dsa",
    "GptOss": "gpt_oss",
    "Gemma4": "gemma4",
    "Gemma3": "gemma3",
    "Gemma2": "gemma2",
    "Llama4": "llama4",
    "Llama": "llama",
    "Mixtral": "mixtral",
    "Mistral": "mistral",
    "Phi3": "phi3",
}
"""Beginning of an architecture class -> model_type, for files that leave the latter out."""


def _by_class(raw: Mapping[str, Any]) -> str:
    for name in Fields(raw).words("architectures"):
        for prefix, model_type in CLASSES.items():
            if name.startswith(prefix):
                return model_type
    return ""


def _from_mistral(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Mistral's own names -> those of Hugging Face."""
    found: dict[str, Any] = {key: value for key, value in raw.items() if key not in MISTRAL}
    found.update({MISTRAL[key]: value for key, value in raw.items() if key in MISTRAL})
    found["head_dim"] = raw.get("head_dim")
    moe = raw.get("moe")
    if isinstance(moe, Mapping):
        found.update({MISTRAL_EXPERTS[key]: value for key, value in moe.items() if key in MISTRAL_EXPERTS})
        found.setdefault("moe_intermediate_size", raw.get("hidden_dim"))
    if raw.get("kv_lora_rank"):
        found["model_type"] = "mistral_large_3"
    else:
        found["model_type"] = "mixtral" if isinstance(moe, Mapping) else "mistral"
    vision = raw.get("vision_encoder")
    if isinstance(vision, Mapping):
        found["vision_config"] = {**vision, "model_type": "pixtral"}
    if not found.get("hidden_size"):
        raise ModelFileError("The configuration has no field “dim”, which is needed to count the model")
    return found
