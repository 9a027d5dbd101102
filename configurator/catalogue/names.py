"""Names that people and tools write -> records.

GPUs: an exact id, name or alias wins. Otherwise the words of the text are compared with the words of each
record: vendor words count for nothing, every other word must belong to the card, and a memory size must be the
card's. Where several editions remain, the first of ``_EDITION_ORDER`` wins and the others are listed: a bare
"H100" is the SXM module, a bare "PRO 6000" the workstation card; the server or Max-Q edition only if it is said.

Models: an id, a Hugging Face id of the model, of a variant of the same shape or of a known upload wins.
Otherwise owner, upload date, tuning words (instruct, chat, it) and the number format are taken off and what
remains must be one model's name; the number format becomes the weight format.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from configurator.catalogue.problems import UnknownNameError
from configurator.catalogue.records import Checkpoint, GpuRecord, LinkRecord, ModelRecord, ServerRecord, WeightFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from configurator.catalogue.load import Catalogue

R = TypeVar("R", GpuRecord, ServerRecord, LinkRecord, ModelRecord)


@dataclass(frozen=True, slots=True)
class GpuMatch:
    """A GPU with the other records the text could have meant."""

    gpu: GpuRecord
    alternatives: tuple[str, ...]
    """Catalogue ids."""


@dataclass(frozen=True, slots=True)
class ModelMatch:
    """A model, the upload when the text named one, and the weight format when the text or the upload says it."""

    model: ModelRecord
    checkpoint: Checkpoint | None = None
    weight_format_id: str | None = None
    derived: bool = False
    """The text names something made from this model (a fine-tune): taken to have its shape."""


# Words that say nothing about which card it is.
_NOISE_TEXT = """nvidia geforce quadro tesla amd radeon instinct intel gpu graphics card accelerator corporation inc
generation gen series edition class founders tensor core ampere memory vram hbm hbm2 hbm2e hbm3 hbm3e gddr6 gddr6x gddr7
uma unified node system whole of the per wsl2 wsl"""
_GPU_NOISE = frozenset(_NOISE_TEXT.split())
_SAME_WORD = {
    "sxm2": "sxm",
    "sxm4": "sxm",
    "sxm5": "sxm",
    "oam": "sxm",
    "workstation": "ws",
    "sfe": "server",
    "se": "server",
    "maxq": "maxq",
    "nvl72": "",
    "spark": "gb10",
    "arc": "",
    "ai": "",
    "tower": "",
}
_EDITION_ORDER = ("ws", "sxm", "pcie", "nvl", "maxq", "server", "")
"""Which edition a name without an edition means, first wins."""

_WORD = re.compile(r"[\d.]+\s?gi?b\b|\d+x(?=\s)|[a-z]+[a-z0-9]*|\d+[a-z]*")
_MEMORY = re.compile(r"^(\d+)(?:\.\d+)?\s?gi?b$")
_COUNT = re.compile(r"^\d+x$")


def _words(text: str) -> tuple[frozenset[str], int | None]:
    """Telling words of a GPU's name, and the memory size in it."""
    lowered = text.lower().replace("max-q", "maxq").replace("max q", "maxq")
    lowered = re.sub(r"(?<=[a-z])-(?=[a-z])|[_/]", " ", lowered)
    lowered = re.sub(r"\brtx\s?(?=\d)", "rtx ", lowered)
    lowered = re.sub(r"\b\d+[- ]core\b", " ", lowered)
    # "4070ti", "3090ti" and "a100-sxm4-80gb" are written together by some tools.
    lowered = re.sub(r"(\d{4})(ti|super|d|ada|s)\b", r"\1 \2", lowered)
    lowered = lowered.replace("-", " ")
    memory: int | None = None
    words: set[str] = set()
    for word in _WORD.findall(lowered):
        size = _MEMORY.match(word)
        if size:
            memory = int(size.group(1))
            continue
        word = _SAME_WORD.get(word, word)
        if word and word not in _GPU_NOISE and not _COUNT.match(word):
            words.add(word)
    if words & {"dgx", "hgx"}:
        # A DGX or HGX board carries SXM modules; the DGX Spark is a machine of its own.
        words = (words - {"dgx", "hgx", "1"}) | ({"sxm"} if "gb10" not in words else set())
    return frozenset(words), memory


_SILENT = frozenset(
    {"rtx", "pro", "blackwell", "ada", "gtx", "rx", "sxm", "pcie", "nvl", "ws", "maxq", "server", "hopper"}
)
"""Words of a card's name that a person may leave out."""


@dataclass(frozen=True, slots=True)
class _Card:
    gpu: GpuRecord
    words: frozenset[str]
    edition: str


def _cards(gpus: Mapping[str, GpuRecord]) -> tuple[_Card, ...]:
    cards = []
    for gpu in gpus.values():
        extra: frozenset[str] = frozenset()
        if gpu.form in {"sxm", "oam"}:
            extra |= {"sxm"}
        elif gpu.form == "pcie" and gpu.segment != "consumer":
            extra |= {"pcie"}
        for name in (f"{gpu.name} {gpu.id}", *gpu.aliases):
            words = _words(name)[0] | extra
            if "PRO" in gpu.name and gpu.segment != "system" and not words & {"server", "maxq"}:
                words |= {"ws"}
            edition = next((edition for edition in _EDITION_ORDER if edition in words), "")
            cards.append(_Card(gpu, words, edition))
    return tuple(cards)


class _Index:
    """Prepared names of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.cards = _cards(catalogue.gpus)
        self.gpu_names: dict[str, GpuRecord] = {}
        for gpu in catalogue.gpus.values():
            for name in (gpu.id, gpu.name, *gpu.aliases):
                self.gpu_names.setdefault(_plain(name), gpu)
        self.uploads: dict[str, ModelMatch] = {}
        self.model_names: dict[str, ModelRecord] = {}
        for model in catalogue.models.values():
            self._add_model(model)

    def _add_model(self, model: ModelRecord) -> None:
        native = next((each for each in model.checkpoints if each.hf_id == model.hf_id), None)
        native_format = native.weight_format if native is not None else None
        for hf_id in (model.hf_id, *model.hf_variants):
            self.uploads.setdefault(hf_id.lower(), ModelMatch(model, native, native_format))
        for checkpoint in model.checkpoints:
            # The upload itself is more exact than the variant of the same name.
            self.uploads[checkpoint.hf_id.lower()] = ModelMatch(model, checkpoint, checkpoint.weight_format)
        for name in (model.id, model.name, model.hf_id, *model.hf_variants):
            core, _ = split_model_name(name)
            self.model_names.setdefault(core, model)
            # "Mistral-7B" without a version is the newest one; tables list them in order.
            self.model_names[re.sub(r"v0\.\d$", "", core) or core] = model


_INDEXES: WeakKeyDictionary[Catalogue, _Index] = WeakKeyDictionary()


def _index(catalogue: Catalogue) -> _Index:
    found = _INDEXES.get(catalogue)
    if found is None:
        found = _INDEXES[catalogue] = _Index(catalogue)
    return found


def _plain(text: str) -> str:
    plain = re.sub(r"[^a-z0-9.]+", " ", text.lower())
    return " ".join(re.sub(r"(\d) (gi?b)\b", r"\1\2", plain).split())


def match_gpu(catalogue: Catalogue, text: str) -> GpuMatch:
    """The GPU that the text means, with what else it could mean.

    Raises UnknownNameError, which lists the nearest ids.
    """
    if text in catalogue.gpus:
        return GpuMatch(catalogue.gpus[text], ())
    index = _index(catalogue)
    exact = index.gpu_names.get(_plain(text))
    if exact is not None:
        return GpuMatch(exact, ())
    found = _by_words(index, text)
    for cut in (r"\(.*?(\)|$)", r"\(.*?(\)|$)|,.*"):
        # Remarks in brackets or after a comma are not part of the name.
        found = found or _by_words(index, re.sub(cut, " ", text))
    if not found:
        raise UnknownNameError("GPU", text, nearest(text, {gpu.id: gpu.name for gpu in catalogue.gpus.values()}))
    return GpuMatch(found[0].gpu, tuple(card.gpu.id for card in found[1:]))


def _by_words(index: _Index, text: str) -> list[_Card]:
    words, memory = _words(text)
    if not words:
        return []
    fitting = [
        card for card in index.cards if words <= card.words and not (card.words - words - _SILENT - _sizes(card))
    ]
    if memory is not None:
        fitting = [card for card in fitting if _memory_agrees(card.gpu, memory)]
    # Most memory first inside an edition: "A100" without a size is the 80 GB card people buy today.
    fitting.sort(
        key=lambda card: (_EDITION_ORDER.index(card.edition), len(card.words - words), -card.gpu.memory_label_gb)
    )
    return list({card.gpu.id: card for card in reversed(fitting)}.values())[::-1]


@lru_cache(maxsize=256)
def _size_words(gpu_id: str) -> frozenset[str]:
    return frozenset(word for word in re.findall(r"\d+gb", gpu_id))


def _sizes(card: _Card) -> frozenset[str]:
    return _size_words(card.gpu.id)


def _memory_agrees(gpu: GpuRecord, size: int) -> bool:
    """Labels, GiB and driver figures of one card differ by a few percent."""
    usable_gb = gpu.memory_usable_bytes / 1e9
    low, high = min(gpu.memory_label_gb, gpu.memory_usable_bytes / 2**30), max(gpu.memory_label_gb, usable_gb)
    return low * 0.97 - 1 <= size <= high * 1.07 + 0.5


def find_gpu(catalogue: Catalogue, text: str) -> GpuRecord:
    """The GPU that the text means. Raises UnknownNameError."""
    return match_gpu(catalogue, text).gpu


_FORMAT_WORDS: tuple[tuple[str, str], ...] = (
    (r"nvfp4(?:-mtp|-fp8)?", "nvfp4"),
    (r"mxfp4(?:-moe)?", "mxfp4"),
    (r"mxfp8", "mxfp8"),
    (r"fp4", "nvfp4"),
    (r"fp8[-_ ]dynamic|fp8[-_ ]kv", "fp8-channel"),
    (r"w8a8[-_ ]fp8|fp8|float8|f8e4m3", "fp8"),
    (r"w4afp8", "w4a16"),
    (r"awq(?:[-_ ](?:int4|4bit|4-bit|w4a16))?|autoround[-_ ](?:int4|awq)", "awq-int4"),
    (r"gptq[-_ ](?:int8|8bit)", "gptq-int8"),
    (r"gptq(?:[-_ ](?:int4|4bit))?", "gptq-int4"),
    (r"quantized\.w4a16|w4a16", "w4a16"),
    (r"quantized\.w8a8|w8a8|int8", "int8"),
    (r"int4|4bit|4-bit", "awq-int4"),
    (r"bnb[-_ ]4bit|bitsandbytes|nf4", "nf4"),
    (r"bf16|bfloat16", "bf16"),
    (r"fp16|float16", "fp16"),
    (r"(?:ud[-_ ])?(i?q\d(?:_[0-9ksmlxn]+)*|f16)", "gguf"),
)
_FORMATS = tuple((re.compile(rf"(?:^|[-_ ./(])(?:{pattern})(?=$|[-_ ./)])"), name) for pattern, name in _FORMAT_WORDS)
_TUNING = re.compile(
    r"(?:^|[- ])(?:instruct|chat|it|hf|base|gguf|text|mtp|resharded|community|quantized|quantised|native|class"
    r"|thinking|meta|preview|671b)(?=$|[- ])"
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
    model = index.model_names.get(core)
    derived = model is None
    if model is None:
        model = _made_from(index, text)
    if model is None:
        raise UnknownNameError("model", text, nearest(text, {each.id: each.name for each in catalogue.models.values()}))
    if weight_format is not None and weight_format not in catalogue.weight_formats:
        weight_format = None
    if derived:
        return ModelMatch(model, None, weight_format, True)
    checkpoint = _upload_in(model, weight_format)
    return ModelMatch(model, checkpoint, checkpoint.weight_format if checkpoint is not None else weight_format)


_LIKE = {"fp8": ("fp8", "fp8-channel", "fp8-tensor"), "awq-int4": ("awq-int4", "w4a16", "gptq-int4")}
"""A text that says only "FP8" or "4-bit" means any upload of that family, in this order."""


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
            found = index.model_names.get("".join(words[start : start + length]))
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
        if _plain(record.name) == _plain(text):
            return record
    for pattern, format_id in _FORMATS:
        found = pattern.fullmatch(lowered.replace("-", "_") if format_id == "gguf" else lowered)
        if found:
            name = gguf_recipe(found.group(1)) if format_id == "gguf" else format_id
            if name in catalogue.weight_formats:
                return catalogue.weight_formats[name]
    names = {each.id: each.name for each in catalogue.weight_formats.values()}
    raise UnknownNameError("weight format", text, nearest(text, names))


def find_link(catalogue: Catalogue, text: str) -> LinkRecord:
    """The link that the text means: an id, a name, or words like "200G RoCE". Raises UnknownNameError."""
    return _named("link", catalogue.links, text)


def find_server(catalogue: Catalogue, text: str) -> ServerRecord:
    """The chassis that the text means: an id, a name, or one of its examples. Raises UnknownNameError."""
    wanted = _plain(text)
    for server in catalogue.servers.values():
        if wanted in (_plain(example) for example in server.examples):
            return server
    return _named("server", catalogue.servers, text)


def _named(kind: str, records: Mapping[str, R], text: str) -> R:
    if text in records:
        return records[text]
    wanted = _plain(text)
    for record in records.values():
        if wanted in {_plain(record.id), _plain(record.name)}:
            return record
    words = set(wanted.split())
    fitting = [each for each in records.values() if words and words <= set(_plain(f"{each.id} {each.name}").split())]
    if len(fitting) == 1:
        return fitting[0]
    raise UnknownNameError(kind, text, nearest(text, {each.id: each.name for each in records.values()}))


def nearest(text: str, names: Mapping[str, str], count: int = 3) -> tuple[str, ...]:
    """Ids whose id or name looks most like the text, best first."""
    wanted = _plain(text)
    scored = sorted(
        ((-_likeness(wanted, (record_id, name)), record_id) for record_id, name in names.items()),
    )
    return tuple(record_id for score, record_id in scored[:count] if score < -0.4)


def _likeness(wanted: str, names: Iterable[str]) -> float:
    return max(difflib.SequenceMatcher(None, wanted, _plain(name)).ratio() for name in names)
