"""Models, weight formats and engines from their tables."""

from __future__ import annotations

from configurator.catalogue.reading import Row
from configurator.catalogue.records import (
    AttentionGroup,
    Checkpoint,
    EngineVersion,
    KvFormat,
    ModelRecord,
    MoeRecord,
    ParameterCounts,
    WeightFormat,
)

_COUNTS = tuple(ParameterCounts.__dataclass_fields__)


def model_record(row: Row, as_of: str) -> ModelRecord:
    """One model."""
    moe = row.get("moe")
    counts = row["parameters"]
    return ModelRecord(
        id=row["id"],
        name=row["name"],
        hf_id=row["hf_id"],
        hf_variants=tuple(row.get("hf_variants", ())),
        vendor=row["vendor"],
        family=row["family"],
        kind=row["kind"],
        modality=row["modality"],
        nominal_size=row["nominal_size"],
        layers=row["layers"],
        hidden_size=row["hidden_size"],
        intermediate_size=row["intermediate_size"],
        attention_heads=row["attention_heads"],
        kv_heads=row["kv_heads"],
        head_dim=row["head_dim"],
        vocabulary=row["vocabulary"],
        tied_embeddings=row["tied_embeddings"],
        max_context_tokens=row["max_context_tokens"],
        attention=tuple(_attention(each) for each in row["attention"]),
        layer_pattern=row["layer_pattern"],
        moe=_moe(moe) if moe else None,
        mtp_layers=row.get("mtp_layers", 0),
        parameters=ParameterCounts(*(counts.get(name, 0) for name in _COUNTS)),
        native_dtype=row["native_dtype"],
        native_quantisation=row.get("native_quantisation", ""),
        recurrent_state_bytes_per_element=float(row["state_bytes"]),
        checkpoints=tuple(_checkpoint(each) for each in row.get("checkpoints", ())),
        gguf=tuple((each[0], float(each[1])) for each in row.get("gguf", ())),
        licence=row.get("licence", ""),
        licence_class=row.get("licence_class", ""),
        architecture_status=row["architecture_status"],
        as_of=row.get("as_of", as_of),
        sources=tuple(row["sources"]),
        purpose=row.get("purpose", "generate"),
        released=row.get("released", ""),
        active_published_billion=row.get("active_published_billion"),
        context_note=row.get("context_note", ""),
        doubts=tuple(row.get("doubts", ())),
    )


def _attention(row: Row) -> AttentionGroup:
    return AttentionGroup(
        kind=row["kind"],
        layers=row["layers"],
        q_heads=row.get("q_heads", 0),
        kv_heads=row.get("kv_heads", 0),
        head_dim=row.get("head_dim", 0),
        window_tokens=row.get("window"),
        kv_elements_per_token=float(row["kv_elements_per_token"]),
        recurrent_state_elements=row.get("recurrent_state", 0),
        conv_state_elements=row.get("conv_state", 0),
        kv_shared_across_tp=row.get("kv_shared", False),
        indexer_elements_per_token=float(row.get("indexer_elements_per_token", 0.0)),
        extras=tuple((name, float(value)) for name, value in row.get("extras", {}).items()),
    )


def _moe(row: Row) -> MoeRecord:
    return MoeRecord(
        routed_experts=row["routed_experts"],
        experts_per_token=row["experts_per_token"],
        shared_experts=row.get("shared_experts", 0),
        intermediate_size=row["intermediate_size"],
        shared_intermediate_size=row.get("shared_intermediate_size", 0),
        first_dense_layers=row.get("first_dense_layers", 0),
        layers=row["layers"],
        matrices_per_expert=row["matrices_per_expert"],
        latent_size=row.get("latent_size", 0),
    )


def _checkpoint(row: Row) -> Checkpoint:
    return Checkpoint(
        hf_id=row["hf_id"],
        format=row["format"],
        quantised_parts=tuple(row.get("parts", ())),
        size_bytes=row.get("size_bytes"),
        basis=row["basis"],
        weight_format=row["weights"],
        kv_cache_factor=float(row.get("kv_factor", 1.0)),
    )


def weight_format(row: Row) -> WeightFormat:
    """A way to store weights."""
    bits = float(row["bits"])
    return WeightFormat(
        id=row["id"],
        name=row["name"],
        bits=bits,
        family=row["family"],
        engines=tuple(row.get("engines", ())),
        quantised_parts=tuple(row.get("parts", ())),
        trainable=row.get("trainable", False),
        whole_file=row.get("whole_file", False),
        sources=tuple(row["sources"]),
        bits_low=float(row.get("bits_low", bits)),
        bits_high=float(row.get("bits_high", bits)),
        adapter_base=row.get("adapter_base", False),
        other_bits=tuple((name, float(bits)) for name, bits in row.get("other_bits", {}).items()),
        note=row.get("note", ""),
        model_id=row.get("model", ""),
    )


def kv_format(row: Row) -> KvFormat:
    """A number format of the KV cache."""
    return KvFormat(row["id"], row["name"], float(row["bytes"]), tuple(row["engines"]), tuple(row["sources"]))


def engine_version(row: Row) -> EngineVersion:
    """Memory defaults of one engine version."""
    return EngineVersion(
        engine=row["engine"],
        version=row["version"],
        date=row["date"],
        gpu_memory_utilization=float(row["gpu_memory_utilization"]),
        block_tokens=row["block_tokens"],
        graphs_in_budget=row["graphs_in_budget"],
        sources=tuple(row["sources"]),
        id=f"{row['engine']}-{row['version']}",
        batched_tokens_by_memory_gib=tuple(
            (float(memory), int(tokens)) for memory, tokens in row.get("batched_tokens_by_memory_gib", ())
        ),
        batched_tokens_a100=row.get("batched_tokens_a100", 0),
        max_num_seqs_large=row.get("max_num_seqs_large", 0),
        max_num_seqs_small=row.get("max_num_seqs_small", 0),
        free_margin_bytes=row.get("free_margin_bytes", 0),
        note=row.get("note", ""),
    )
