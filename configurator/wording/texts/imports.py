"""What was taken for granted, or could not be read, when a file of another tool was imported."""

from __future__ import annotations

from configurator.wording.texts.text import Text

TEXTS: dict[str, Text] = {
    "import.vision_estimated": Text("The size of the vision part is estimated; the file does not give it."),
}
