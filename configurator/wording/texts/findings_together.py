"""Sentences about several models on the same servers."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "finding.together.cards.own": Text(
        "{model} gets cards of its own: {gpu_ids}. Its weights take {weights_bytes} of {memory_bytes} there.",
        "{model} pinned to {gpu_ids}: weights {weights_bytes} of {memory_bytes}.",
    ),
    "finding.together.cards.none": Text(
        "{model} finds no card of its own: the other models need {other_gpus}, and its weights take {weights_bytes}.",
        "{model}: no free GPUs beside {other_gpus} of the other models, weights {weights_bytes}.",
    ),
    "do.together.pin.nvidia": Text(
        "Start one server process per model, each seeing only its own cards (CUDA_VISIBLE_DEVICES), behind one address."
        " Memory of all cards is not one pool.",
    ),
    "do.together.pin.other": Text(
        "Start one server process per model, each seeing only its own cards, behind one address. Memory of all cards is"
        " not one pool.",
    ),
    "do.together.more": Text(
        "Take fewer bits for the largest model, give this one a smaller form, or add a card or a machine for it.",
    ),
}
