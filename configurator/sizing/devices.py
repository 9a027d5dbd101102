"""The memory of one GPU as an engine sees it: driver reserve, desktop, WSL2, unified memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from configurator.catalogue.records import GpuRecord
from configurator.sizing.profiles import GIB, memory_table

Host = Literal["linux", "wsl2", "windows", "macos"]


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """One GPU. ``memory_bytes`` is what the driver reports in total, ``visible_bytes`` what a program can see of it.

    ``reserved_bytes``: taken by others before the engine starts (desktop, WSL2, operating system).
    """

    gpu_id: str
    gpu: str
    memory_bytes: int
    reserved_bytes: int = 0
    visible_bytes: int = 0
    unified: bool = False
    small_batch_class: bool = False
    """Engines keep small batch defaults in spite of large memory (A100, DGX Spark)."""
    vendor: str = "NVIDIA"

    @property
    def total_bytes(self) -> int:
        """What the engine takes a share of."""
        return self.visible_bytes or self.memory_bytes

    @property
    def context_bytes(self) -> int:
        """Driver context of one process."""
        table = memory_table()["context_gib"]
        size = table["large"] if self.total_bytes >= table["large_from_gib"] * GIB else table["small"]
        return int(size * GIB)

    @property
    def free_bytes(self) -> int:
        """Free memory when the engine starts, its own context taken off."""
        return self.total_bytes - self.reserved_bytes - (0 if self.unified else self.context_bytes)


def device_memory(
    gpu_id: str,
    record: GpuRecord,
    host: Host = "linux",
    *,
    drives_display: bool = False,
    visible_bytes: int | None = None,
) -> DeviceMemory:
    """The memory view of a catalogue GPU in a host. ``visible_bytes``: the owner's own reading."""
    table = memory_table()
    rules = table["host"]
    total = record.memory_usable_bytes
    reserved = 0
    seen = table["visible"]["seen_gib"].get(record.id)
    if record.unified_memory:
        if seen is not None:
            # The catalogue's usable figure leaves out what the system needs.
            visible = int(seen[0] * GIB)
            reserved = max(0, visible - total)
            total = visible
        else:
            # Apple's default GPU share of 75 % is already in the catalogue's usable figure.
            visible = total
    elif visible_bytes is not None:
        visible = visible_bytes
        total = max(total, visible)
    else:
        visible = visible_memory(record)
    if visible_bytes is not None:
        visible = visible_bytes
        total = max(total, visible)
    if host == "wsl2":
        visible = total if visible_bytes is None else visible
        reserved += int(rules["wsl2_gib"] * GIB)
    elif host == "windows":
        visible = total if visible_bytes is None else visible
        reserved += int(rules["windows_gib"] * GIB)
    if drives_display and host in ("linux", "macos"):
        reserved += int(rules["display_gib"] * GIB)
    return DeviceMemory(
        gpu_id=gpu_id,
        gpu=record.id,
        memory_bytes=total,
        reserved_bytes=reserved,
        visible_bytes=visible,
        unified=record.unified_memory,
        small_batch_class="a100" in record.id or record.compute_capability == "12.1",
        vendor=record.vendor,
    )


def visible_memory(record: GpuRecord) -> int:
    """Bytes a CUDA or ROCm program sees of a discrete card under Linux."""
    rules = memory_table()["visible"]
    seen = rules["seen_gib"].get(record.id)
    if seen is not None:
        return int(seen[0] * GIB)
    total = record.memory_usable_bytes
    if record.vendor.upper() != "NVIDIA":
        return total
    if record.architecture in ("Turing", "Volta", "Pascal"):
        return int(total - rules["old_gib"] * GIB)
    return int(total - rules["fixed_gib"] * GIB - rules["share"] * total)
