"""Names of models and weight formats that people and tools write -> records.

A catalogue id, a Hugging Face id of the model, of a variant of the same shape or of a known upload wins. Otherwise
owner, upload date, tuning words (instruct, chat, it) and the number format are taken off and what remains must be
one model's name; the number format becomes the weight format. Last, a text that holds one model's whole name is
taken for something made from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from configurator.catalogue.likeness import nearest, plain
from configurator.catalogue.problems import UnknownNameError
from configurator.catalogue.records import Checkpoint, ModelRecord, WeightFormat

if TYPE_CHECKING:
    from configurator.catalogue.load import Catalogue


@dataclass(frozen=True, slots=True)
class ModelMatch:
    """A model, the upload when the text named one, and the weight format when the text or the upload says it."""

    model: ModelRecord
    checkpoint: Checkpoint | None = None
    weight_format_id: str | None = None
    derived: bool = False
    """The text names something made from this model (a fine-tune): taken to have its shape."""


class _Index:
    """Prepared names of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.uploads: dict[str, ModelMatch] = {}
        self.names: dict[str, ModelRecord] = {}
        for model in catalogue.models.values():
            self._add(model)

    def _add(self, model: ModelRecord) -> None:
        native = next((each for each in model.checkpoints if each.hf_id == model.hf_id), None)
        native_format = native.weight_format if native is not None else None
        for hf_id in (model.hf_id, *model.hf_variants):
            self.uploads.setdefault(hf_id.lower(), ModelMatch(model, native, native_format))
        for checkpoint in model.checkpoints:
            # The upload itself is more exact than the variant of the same name.
            self.uploads[checkpoint.hf_id.lower()] = ModelMatch(model, checkpoint, checkpoint.weight_format)
        for name in (model.id, model.name, model.hf_id, *model.hf_variants):
            core, _ = split_model_name(name)
            self.names.setdefault(core, model)
            without_version = re.sub(r"v0\.\d$", "", core)
            if without_version not in {core, ""}:
                # "Mistral-7B" without a version is the newest one; tables list them in order.
                self.names[without_version] = model


_INDEXES: WeakKeyDictionary[Catalogue, _Index] = WeakKeyDictionary()


def _index(catalogue: Catalogue) -> _Index:
    found = _INDEXES.get(catalogue)
    if found is None:
        found = _INDEXES[catalogue] = _Index(catalogue)
    return found


_FORMAT_WORDS: tuple[tuple[str, str], ...] = (
    # Before the plain "4bit", which it holds.
    (r"(?:unsloth[-_ ])?bnb[-_ ]4bit|bitsandbytes(?:[-_ ]4bit)?|nf4", "nf4"),
    (r"bnb[-_ ]8bit", "int8"),
    (r"nvfp4(?:-mtp|-fp8)?", "nvfp4"),
    (r"mxfp4(?:-moe)?", "mxfp4"),
    (r"mxfp8", "mxfp8"),
    (r"fp4", "nvfp4"),
    (r"fp8[-_ ]dynamic|fp8[-_ ]kv", "fp8-channel"),
    (r"w8a8[-_ ]fp8|fp8|float8|f8e4m3", "fp8"),
    (r"w4afp8", "w4a16"),
    (r"autoround[-_ ]int4", "int4"),
    (r"awq(?:[-_ ](?:int4|4bit|4-bit|w4a16))?|autoround[-_ ]awq", "awq-int4"),
    (r"gptq[-_ ](?:int8|8bit)", "gptq-int8"),
    (r"gptq(?:[-_ ](?:int4|4bit))?", "gptq-int4"),
    (r"quantized\.w4a16|w4a16", "w4a16"),
    (r"quantized\.w8a8|w8a8|int8", "int8"),
    (r"int4|4bit|4-bit", "int4"),
    (r"bf16|bfloat16", "bf16"),
    (r"fp16|float16", "fp16"),
    (r"(?:ud[-_ ])?(i?q\d(?:_[0-9ksmlxn]+)*|f16)", "gguf"),
)
_FORMATS = tuple((re.compile(rf"(?:^|[-_ ./(])(?:{pattern})(?=$|[-_ ./)])"), name) for pattern, name in _FORMAT_WORDS)
_TUNING = re.compile(
    r"(?:^|[- ])(?:instruct|chat|it|hf|base|gguf|text|mtp|resharded|community|quantized|quantised|native|class"
    r"|meta|preview|671b)(?=$|[- ])"
)
_UPLOAD_DATE = re.compile(r"(?:^|[- ])(?:0[1-9]|1[0-2])[0-3]\d(?=$|[- ])|[- ]2[3-6](?:0[1-9]|1[0-2])(?=$|[- ])")


def gguf_recipe(text: str) -> str:
    """The recipe that a short or dynamic name stands for: "q4" and "q4_k" are q4_k_m, "q8" is q8_0."""
    if re.fullmatch(r"q[23456]", text):
        return f"{text}_k_m" if text in {"q3", "q4", "q5"} else f"{text}_k"
    if text == "q8":
        return "q8_0"
    return re.sub(
        r"^(q[345]_k)(?:_xl)?$", r"\1_m", re.sub(r"^(q[26]_k)_[a-z]+$", r"\1", text) if text != "q2_k_s" else text
    )


def split_model_name(text: str) -> tuple[str, str | None]:
    """A model's bare name and the weight format that the text says, or None."""
    name = text.strip().lower()
    name = re.split(r"\s/\s|\s\(|,|\s\+\s", name)[0]
    name = name.rsplit("/", 1)[-1].replace("_", "-") if "/" in name else name
    weight_format: str | None = None
    for pattern, format_id in _FORMATS:
        found = pattern.search(name.replace("-", "_") if format_id == "gguf" else name)
        if found:
            if format_id == "gguf":
                weight_format = weight_format or gguf_recipe(found.group(1))
                start = found.start()
                name = name[:start]
            else:
                weight_format = weight_format or format_id
                name = name[: found.start()] + " " + name[found.end() :]
    name = re.sub(r"[_ ]+", "-", name.strip(" -_"))
    previous = None
    while previous != name:
        previous = name
        name = _TUNING.sub("", name).strip("- ")
    without_date = _UPLOAD_DATE.sub("", name).strip("- ")
    return re.sub(r"[^a-z0-9.]+", "", without_date or name), weight_format


def find_model(catalogue: Catalogue, text: str) -> ModelMatch:
    """The model that the text means, with the upload and the weight format when the text says them.

    Raises UnknownNameError, which lists the nearest ids.
    """
    if text in catalogue.models:
        return ModelMatch(catalogue.models[text])
    index = _index(catalogue)
    upload = index.uploads.get(text.strip().lower())
    if upload is not None:
        return upload
    core, weight_format = split_model_name(text)
    # "Thinking" is part of some names and a tuning of others.
    model = index.names.get(core) or index.names.get(core.replace("thinking", ""))
    derived = model is None
    if model is None:
        model = _made_from(index, text)
    if model is None:
        raise UnknownNameError("model", text, nearest(text, {each.id: each.name for each in catalogue.models.values()}))
    checkpoint = None if derived else _upload_in(model, weight_format)
    if checkpoint is not None:
        return ModelMatch(model, checkpoint, checkpoint.weight_format)
    if weight_format is not None:
        weight_format = _LIKE.get(weight_format, (weight_format,))[0]
    return ModelMatch(model, None, weight_format if weight_format in catalogue.weight_formats else None, derived)


_LIKE = {"fp8": ("fp8", "fp8-channel", "fp8-tensor"), "int4": ("awq-int4", "w4a16", "gptq-int4")}
"""A text that says only "FP8" or "4-bit" means any upload of that family, in this order; without one the first."""


def _upload_in(model: ModelRecord, weight_format: str | None) -> Checkpoint | None:
    if weight_format is None:
        return None
    for wanted in _LIKE.get(weight_format, (weight_format,)):
        for checkpoint in model.checkpoints:
            if checkpoint.weight_format == wanted:
                return checkpoint
    return None


def _made_from(index: _Index, text: str) -> ModelRecord | None:
    """The model whose whole name stands inside the text, as fine-tunes are called; the longest name wins."""
    words = re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-").split("-")
    for length in range(len(words), 1, -1):
        for start in range(len(words) - length + 1):
            found = index.names.get("".join(words[start : start + length]))
            if found is not None:
                return found
    return None


def find_weight_format(catalogue: Catalogue, text: str) -> WeightFormat:
    """The weight format that the text means: an id, a name, or words like "int4", "4-bit", "fp8-dynamic", "Q4".

    Raises UnknownNameError.
    """
    lowered = text.strip().lower()
    if lowered in catalogue.weight_formats:
        return catalogue.weight_formats[lowered]
    for record in catalogue.weight_formats.values():
        if plain(record.name) == plain(text):
            return record
    for pattern, format_id in _FORMATS:
        found = pattern.fullmatch(lowered.replace("-", "_") if format_id == "gguf" else lowered)
        if found:
            name = gguf_recipe(found.group(1)) if format_id == "gguf" else _LIKE.get(format_id, (format_id,))[0]
            if name in catalogue.weight_formats:
                return catalogue.weight_formats[name]
    names = {each.id: each.name for each in catalogue.weight_formats.values()}
    raise UnknownNameError("weight format", text, nearest(text, names))
