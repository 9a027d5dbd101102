"""Make the table faces out of Inter: digits of one width, so that columns of figures line up.

Run once when Inter changes: ``pip install fonttools && python packaging/fonts.py``. reportlab cannot switch on the
font's own "tnum" feature, so the digit characters are pointed at the even-width glyphs that Inter already holds.
The Open Font License allows this; the face gets a name of its own.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

FONTS = Path(__file__).resolve().parents[1] / "resources" / "fonts"
FAMILY = "Configurator Figures"


def make(weight: str) -> Path:
    """Write the even-digit face of one weight and return its path."""
    ttlib: Any = importlib.import_module("fontTools.ttLib")
    subset: Any = importlib.import_module("fontTools.subset")
    font = ttlib.TTFont(FONTS / f"Inter-{weight}.ttf", recalcTimestamp=False)
    even = _even_digits(font["GSUB"].table)
    for table in font["cmap"].tables:
        for character in "0123456789":
            name = table.cmap.get(ord(character))
            if name in even:
                table.cmap[ord(character)] = even[name]
    for record in font["name"].names:
        if record.nameID in {1, 16}:
            record.string = FAMILY
        elif record.nameID in {3, 4, 6}:
            record.string = f"{FAMILY}-{weight}".replace(" ", "" if record.nameID == 6 else " ")
    options = subset.Options(layout_features=[], name_IDs=["*"], drop_tables=["GSUB", "GPOS", "GDEF", "DSIG"])
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=font.getBestCmap())
    cutter.subset(font)
    target = FONTS / f"ConfiguratorFigures-{weight}.ttf"
    font.save(target)
    return target


def _even_digits(substitutions: Any) -> dict[str, str]:
    for record in substitutions.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            (index,) = record.Feature.LookupListIndex
            table = substitutions.LookupList.Lookup[index].SubTable[0]
            return dict(getattr(table, "ExtSubTable", table).mapping)
    sys.exit("This copy of Inter has no even digits (feature tnum).")


if __name__ == "__main__":
    for each in ("Regular", "SemiBold"):
        print(make(each))
