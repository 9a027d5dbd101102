"""The speed constants of resources/calibration/speed.json, read once, and whether they cover a case."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from configurator.catalogue.records import GpuRecord, ModelRecord, WeightFormat
from configurator.scaling.rates import Rates, bind, gpu_class, path_of
from configurator.sizing.formats import component_bits

SPEED = Path(__file__).parents[2] / "resources" / "calibration" / "speed.json"


@cache
def speed_table() -> dict[str, Any]:
    """The constants with their sources; must not be changed."""
    loaded: dict[str, Any] = json.loads(SPEED.read_text(encoding="utf-8"))
    return loaded


_rates: dict[tuple[int, str, float, str], tuple[GpuRecord, Rates]] = {}


def rates_of(gpu: GpuRecord, engine: str, power_limit_w: float | None = None, version: str = "") -> Rates:
    """The rates of one GPU under one engine and power limit, kept."""
    limit = gpu.power_w.value if power_limit_w is None else min(power_limit_w, gpu.power_w.value)
    key = (id(gpu), engine, limit, version)
    kept = _rates.get(key)
    if kept is not None and kept[0] is gpu:
        return kept[1]
    made = bind(speed_table(), gpu, engine, limit, version)
    if len(_rates) > 2048:
        _rates.clear()
    _rates[key] = (gpu, made)
    return made


_covered: dict[tuple[int, int, int, str], tuple[tuple[GpuRecord, ModelRecord, WeightFormat], bool]] = {}


def covered(gpu: GpuRecord, model: ModelRecord, weight_format: WeightFormat, engine: str) -> bool:
    """Whether rows of this class of card, engine and precision stood behind the constants."""
    key = (id(gpu), id(model), id(weight_format), engine)
    kept = _covered.get(key)
    if kept is not None and kept[0][0] is gpu and kept[0][1] is model and kept[0][2] is weight_format:
        return kept[1]
    found = _covers(gpu, model, weight_format, engine)
    if len(_covered) > 8192:
        _covered.clear()
    _covered[key] = ((gpu, model, weight_format), found)
    return found


def _covers(gpu: GpuRecord, model: ModelRecord, weight_format: WeightFormat, engine: str) -> bool:
    table = speed_table()
    kind = gpu_class(gpu)
    if kind not in table["calibrated_engines"].get(engine, ()):
        return False
    widths = component_bits(model, weight_format)
    part = "routed_experts" if model.moe is not None else "dense_mlp"
    path = path_of(widths[part], weight_format, gpu)
    return bool(table["classes"][kind]["paths"][path].get("fitted_on"))
