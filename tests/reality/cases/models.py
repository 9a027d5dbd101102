"""The model of a described case: the catalogue's where it is named, else a plain one of the stated size."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from configurator.catalogue import Catalogue, UnknownNameError, find_model
from configurator.catalogue.records import AttentionGroup, ModelRecord, ParameterCounts, WeightFormat
from configurator.sizing.weights import weight_bytes

SHAPES = (
    (2, 24, 2048),
    (4, 32, 3072),
    (10, 32, 4096),
    (16, 40, 5120),
    (40, 64, 5120),
    (80, 80, 8192),
    (130, 88, 12288),
)
"""(parameters in billions up to, layers, hidden): usual dense shapes."""
ONE_CARD_SHARE = 0.85
"""Who names no precision takes the widest that leaves one card room, as far as one card can hold the model."""
WIDE = (126, 16384)
VOCABULARY = 32_000
SMALL_BILLIONS = 8.0
SAME_SIZE = 0.12
SMALL_WORDS = re.compile(r"^(any|various|fits|small)\b", re.IGNORECASE)
NO_MODEL = re.compile(r"^(unspecified|generic|not stated|several|mixed|unknown|to be chosen|none)\b", re.IGNORECASE)


def billions(case: dict[str, Any]) -> float | None:
    """Parameters as stated, or the larger end of "3B-33B" in the name."""
    stated = case["model"].get("params_b")
    if stated:
        return float(stated)
    found = re.findall(r"(\d+(?:\.\d+)?)\s*B\b", case["model"]["name"])
    return float(found[-1]) if found else None


def given_format(text: str | None, engine: str) -> str | None:
    """Catalogue id of the weight format that the words of the case mean; None where they say nothing."""
    if not text:
        return None
    low = text.lower()
    if "int4" in low or "4-bit" in low or "4bit" in low or "awq" in low or "gptq" in low:
        return "q4_k_m" if engine == "llama.cpp" else "awq-int4"
    for word, weights in (
        ("nvfp4", "nvfp4"),
        ("mxfp4", "mxfp4"),
        ("fp4/fp8", "fp4-experts-fp8"),
        ("fp8", "fp8"),
        ("bf16", "bf16"),
        ("fp16", "fp16"),
        ("f16", "f16" if engine == "llama.cpp" else "fp16"),
        ("int8", "int8"),
        ("exl2", "awq-int4"),
        ("iq1", "iq1_s"),
        ("iq2", "iq2_m"),
        ("iq3", "iq3_m"),
        ("iq4", "iq4_xs"),
    ):
        if word in low:
            return weights
    found = re.search(r"q([234568])", low)
    if found:
        return {"2": "q2_k", "3": "q3_k_m", "4": "q4_k_m", "5": "q5_k_m", "6": "q6_k", "8": "q8_0"}[found.group(1)]
    # A GGUF without its level: the middle of what people use.
    return "q5_k_m" if "gguf" in low or "ggml" in low else None


def plain_model(case: dict[str, Any], size_b: float) -> ModelRecord:
    """A dense model of that many parameters with the stated heads and layers, usual ones where not stated."""
    facts = case["model"]
    layers, hidden = next(((n, h) for top, n, h in SHAPES if size_b <= top), WIDE)
    layers = int(facts.get("layers") or layers)
    heads = int(facts.get("attention_heads") or 0)
    hidden = int(facts.get("hidden") or (heads * 128 if heads and heads > 16 else hidden))
    heads = heads or max(1, hidden // 128)
    head_dim = int(facts.get("head_dim") or max(32, hidden // heads))
    kv_heads = int(facts.get("kv_heads") or (min(8, heads) if heads % 8 == 0 else heads))
    total = round(size_b * 1e9)
    embedding = min(VOCABULARY * hidden, total // 20)
    attention = min(layers * (2 * hidden * heads * head_dim + 2 * hidden * kv_heads * head_dim), total // 3)
    mlp = total - 2 * embedding - attention
    parts = ParameterCounts(
        total=total,
        text_without_mtp=total,
        active_per_token=total,
        read_per_token_batch1=total - embedding,
        token_embedding=embedding,
        lm_head=embedding,
        attention=attention,
        linear_or_ssm=0,
        indexer=0,
        compressor=0,
        dense_mlp=mlp,
        router=0,
        routed_experts=0,
        shared_experts=0,
        latent_projections=0,
        mtp=0,
        vision=0,
        small=0,
        duplicates_on_disk=0,
    )
    group = AttentionGroup(
        kind="full",
        layers=layers,
        q_heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        window_tokens=None,
        kv_elements_per_token=2.0 * kv_heads * head_dim,
        recurrent_state_elements=0,
        conv_state_elements=0,
        kv_shared_across_tp=False,
        indexer_elements_per_token=0.0,
    )
    return ModelRecord(
        id="case-model",
        name=facts["name"],
        hf_id="",
        hf_variants=(),
        vendor="",
        family="case",
        kind="dense",
        modality="text",
        nominal_size=f"{size_b:g}B",
        layers=layers,
        hidden_size=hidden,
        intermediate_size=int(facts.get("intermediate_size") or max(1, round(mlp / (3 * layers * hidden)))),
        attention_heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocabulary=VOCABULARY,
        tied_embeddings=False,
        max_context_tokens=131_072,
        attention=(group,),
        layer_pattern="",
        moe=None,
        mtp_layers=0,
        parameters=parts,
        native_dtype="bfloat16",
        native_quantisation="",
        recurrent_state_bytes_per_element=2.0,
        checkpoints=(),
        gguf=(),
        licence="",
        licence_class="",
        architecture_status="case",
        as_of="",
        sources=(case["source"]["url"] or case["source"].get("title", ""),),
    )


def known_model(case: dict[str, Any], catalogue: Catalogue) -> tuple[ModelRecord, str | None] | None:
    """The catalogue's model with the format its name says; None where it is not there or the case contradicts it."""
    facts = case["model"]
    try:
        found = find_model(catalogue, facts["name"])
    except UnknownNameError:
        return None
    model, size_b = found.model, billions(case)
    if size_b and abs(model.parameters.total / 1e9 - size_b) > SAME_SIZE * size_b + 1.5:
        return None
    for field, value in (
        ("layers", model.layers),
        ("attention_heads", model.attention_heads),
        ("kv_heads", model.kv_heads),
    ):
        stated = facts.get(field)
        # A count above the real one is often a copy of the query heads; below it, it is another model.
        if stated and stated != value and found.derived:
            return None
    return model, found.weight_format_id


def case_model(
    case: dict[str, Any], catalogue: Catalogue, engine: str, boxes: list[list[float]]
) -> tuple[ModelRecord | None, WeightFormat]:
    """The model and the weight format of a case; a model of None means that the owner has not named one."""
    facts = case["model"]
    smallest_gb = min((gb for box in boxes for gb in box), default=24.0)
    node_gb = max((sum(box) for box in boxes), default=24.0)
    asked = given_format(facts.get("quant"), engine)
    found = known_model(case, catalogue)
    if found is None and asked is None:
        asked = given_format(facts["name"], engine)
    model = found[0] if found is not None else _unknown(case, smallest_gb, node_gb)
    # Who runs llama.cpp, Ollama or exo without naming a format runs four bits: their tags mean that.
    silent = engine == "llama.cpp" and not facts.get("weights_gb") and not facts.get("quant")
    weights = asked or ("q4_k_m" if silent else "bf16")
    if found is not None:
        weights = asked or found[1] or ("q4_k_m" if silent else native_format(found[0]))
    if model is not None and asked is None and not facts.get("weights_gb") and (found is None or found[1] is None):
        alone = max((gb for box in boxes for gb in box), default=0.0)
        one = _widest(model, weights, catalogue, alone * ONE_CARD_SHARE)
        fits_one = weight_bytes(model, catalogue.weight_formats[one]) <= 0.85e9 * alone * ONE_CARD_SHARE
        every = sum(gb for box in boxes for gb in box)
        weights = one if fits_one else _widest(model, weights, catalogue, every)
    weight_format = catalogue.weight_formats.get(weights, catalogue.weight_formats["bf16"])
    if model is None:
        return None, weight_format
    return model, _sized(case, model, weight_format, engine)


def _widest(model: ModelRecord, weights: str, catalogue: Catalogue, memory_gb: float) -> str:
    """Where no format is said: the widest that the cards hold; the published one where none does."""
    for each in (weights, "fp8", "awq-int4"):
        if weight_bytes(model, catalogue.weight_formats[each]) <= 0.85e9 * memory_gb:
            return each
    return weights


def native_format(model: ModelRecord) -> str:
    """What the model is published in."""
    text = model.native_quantisation
    for word, weights in (("mxfp4", "mxfp4"), ("fp4 experts", "fp4-experts-fp8"), ("int4", "int4-g32"), ("fp8", "fp8")):
        if word in text:
            return weights
    return "bf16"


def _unknown(case: dict[str, Any], smallest_gb: float, node_gb: float) -> ModelRecord | None:
    facts = case["model"]
    size_b = billions(case)
    if size_b is None and facts.get("weights_gb"):
        bits = {"q8/mxfp4": 8.5}.get(
            str(facts.get("quant")), 16.0 if facts.get("quant") in (None, "bf16", "fp16") else 4.5
        )
        size_b = facts.get("weights_gb") * 8 / bits
    if size_b is None and SMALL_WORDS.match(facts["name"]) and case["workload"]["goal"] != "cost":
        size_b = min(SMALL_BILLIONS, max(0.5, smallest_gb * 0.4 / 2))
    if size_b is None and facts["name"].lower().startswith("large"):
        size_b = node_gb * 0.55 / 2
    return plain_model(case, size_b) if size_b else None


def _sized(case: dict[str, Any], model: ModelRecord, weight_format: WeightFormat, engine: str) -> WeightFormat:
    """The stated size rules: a format of that width where the usual one would give another size."""
    stated = case["model"].get("weights_gb")
    quant = (case["model"].get("quant") or "").lower()
    if "or int4" in quant:
        stated = case["model"].get("int4_weights_gb") or None
    # "4.5bpw" is a width too.
    width = re.search(r"([\d.]+)\s*bpw", quant)
    if stated is None and width is not None:
        stated = model.parameters.total * float(width.group(1)) / 8e9
    if not stated or abs(weight_bytes(model, weight_format) / 1e9 - stated) <= 0.06 * stated:
        return weight_format if engine in weight_format.engines else replace(weight_format, engines=(engine,))
    bits = stated * 8e9 / model.parameters.total
    family = "float" if bits > 12 else "fp8" if bits > 7 and weight_format.family == "fp8" else weight_format.family
    if family == "float" and bits <= 12:
        family = "int4" if bits < 6 else "int8"

    if family == "gguf":
        # GGUF recipes have sizes of their own; here the stated size is the one.
        family = "int4" if bits < 6 else "int8"

    def sized(width: float) -> WeightFormat:
        return replace(
            weight_format,
            id="case-weights",
            name=case["model"].get("quant") or weight_format.name,
            bits=width,
            bits_low=width,
            bits_high=width,
            family=family,
            engines=(engine,),
            quantised_parts=(),
            whole_file=True,
            other_bits=(),
        )

    # Some tensors stay wider: the width of the rest is the one that gives the stated size.
    for _ in range(3):
        bits *= stated * 1e9 / weight_bytes(model, sized(bits))
    return sized(bits)
