"""Records -> rows of the tables, the way back of ``software``: what is written is read again without loss."""

from __future__ import annotations

from typing import Any

from configurator.catalogue.records import AttentionGroup, Checkpoint, ModelRecord, MoeRecord, WeightFormat

Written = dict[str, Any]


def model_row(model: ModelRecord) -> Written:
    """The row of a model."""
    same = (
        "id", "name", "hf_id", "vendor", "family", "kind", "modality", "nominal_size", "layers", "hidden_size",
        "intermediate_size", "attention_heads", "kv_heads", "head_dim", "vocabulary", "tied_embeddings",
        "max_context_tokens", "layer_pattern", "mtp_layers", "native_dtype", "native_quantisation", "licence",
        "licence_class", "architecture_status", "purpose", "released", "active_published_billion", "context_note",
    )  # fmt: skip
    row: Written = {name: getattr(model, name) for name in same}
    row["hf_variants"] = list(model.hf_variants)
    row["attention"] = [_attention(each) for each in model.attention]
    row["moe"] = _moe(model.moe) if model.moe is not None else None
    row["parameters"] = {name: getattr(model.parameters, name) for name in model.parameters.__dataclass_fields__}
    row["state_bytes"] = model.recurrent_state_bytes_per_element
    row["checkpoints"] = [_checkpoint(each) for each in model.checkpoints]
    row["gguf"] = [[name, size] for name, size in model.gguf]
    row["sources"] = list(model.sources)
    row["doubts"] = list(model.doubts)
    if model.as_of:
        row["as_of"] = model.as_of
    return row


def _attention(group: AttentionGroup) -> Written:
    return {
        "kind": group.kind,
        "layers": group.layers,
        "q_heads": group.q_heads,
        "kv_heads": group.kv_heads,
        "head_dim": group.head_dim,
        "window": group.window_tokens,
        "kv_elements_per_token": group.kv_elements_per_token,
        "recurrent_state": group.recurrent_state_elements,
        "conv_state": group.conv_state_elements,
        "kv_shared": group.kv_shared_across_tp,
        "indexer_elements_per_token": group.indexer_elements_per_token,
        "extras": dict(group.extras),
    }


def _moe(moe: MoeRecord) -> Written:
    return {name: getattr(moe, name) for name in moe.__dataclass_fields__}


def _checkpoint(upload: Checkpoint) -> Written:
    return {
        "hf_id": upload.hf_id,
        "format": upload.format,
        "parts": list(upload.quantised_parts),
        "size_bytes": upload.size_bytes,
        "basis": upload.basis,
        "weights": upload.weight_format,
        "kv_factor": upload.kv_cache_factor,
    }


def weight_format_row(found: WeightFormat) -> Written:
    """The row of a weight format."""
    same = ("id", "name", "bits", "family", "trainable", "whole_file", "bits_low", "bits_high", "adapter_base", "note")
    row: Written = {name: getattr(found, name) for name in same}
    row["model"] = found.model_id
    row["engines"] = list(found.engines)
    row["parts"] = list(found.quantised_parts)
    row["other_bits"] = dict(found.other_bits)
    row["sources"] = list(found.sources)
    return row
