"""What was taken for granted, or could not be read, when a file of another tool was imported."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "import.vision_estimated": Text("The size of the vision part is estimated; the file does not give it."),
    "finding.unknown.load.missing": Text(
        "This plan uses the model {model}, which is not in your catalogue, so nothing can be said about it yet.",
        "Model {model} is not in the catalogue.",
    ),
    "do.unknown.file": Text(
        "Drop its config.json, or a GGUF or safetensors file of it, on the window; or choose another model."
    ),
    "finding.unknown.load.weights": Text(
        "This plan keeps {model} in the form {weights}, which is not in your catalogue, so nothing can be said about it"
        " yet.",
        "Weight format {weights} of {model} is not in the catalogue.",
    ),
    "do.unknown.format": Text("Drop the file with these weights on the window, or choose another precision."),
    "import.missing": Text(
        "Not in your catalogue, but used by this project: {model}. Nothing is lost; drop the model's config.json on the"
        " window and the answer comes."
    ),
    "import.kept": Text("{model} is now in your own catalogue."),
    "import.refused": Text("“{file}” could not be taken as a model. {reason}."),
    "import.no_model": Text(
        "“{file}” holds neither a plan nor a model. Drop a plan, or a model's config.json, GGUF or safetensors file."
    ),
}
