"""Sentences of the size command: what was assumed, and what an imported configuration leaves open."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "size.version_open": Text(
        "The engine version is not stated: counted is what the most demanding release that runs this model keeps; the"
        " upper figure is the current release.",
    ),
    "size.other_memory": Text(
        "The catalogue has no {card} with this much memory; the same card was taken with {memory_gib} GiB.",
    ),
    "size.length_taken": Text(
        "The longest request is not stated: the engine is taken to be started for {context_tokens}, the asked length.",
    ),
    "size.idle": Text("{idle_cards} have no part in this layout."),
    "size.fabric_unknown": Text(
        "One copy spans servers and the network between them is not stated: memory holds, speed is open.",
    ),
    "size.ignored": Text("Fields this command does not know were left aside: {field_names}."),
    "size.remedy_weights": Text("Narrower weights on the same cards: {format} would do."),
    "size.remedy_gpus": Text("More of the same cards: {gpus} would do."),
    "size.remedy_context": Text("A shorter context: {context_tokens} would do."),
    "size.remedy_none": Text("Neither narrower weights nor more of these cards make it fit."),
    # Imported configurations.
    "import.generic": Text(
        "The architecture {architecture} is not known in detail: a plain decoder with full attention was counted, so"
        " take the figures as an estimate.",
    ),
    "import.field_missing": Text("The configuration has no {field}; {assumed} was taken."),
    "import.quantisation_unknown": Text(
        "The way the weights are quantised ({method}) is not known; 16 bits were counted.",
    ),
    "import.from_shapes": Text(
        "There is no config.json beside the file: the architecture was read off the shapes of its tensors, with full"
        " attention in every layer.",
    ),
    "import.file_bytes": Text("The file stores {stored_bytes} of weights, counted tensor by tensor."),
}
