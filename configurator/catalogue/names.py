"""Names that people and tools write -> records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from configurator.catalogue.gpu_names import GpuMatch, find_gpu, match_gpu
from configurator.catalogue.likeness import nearest, plain
from configurator.catalogue.model_names import ModelMatch, find_model, find_weight_format
from configurator.catalogue.problems import UnknownNameError
from configurator.catalogue.records import LinkRecord, ServerRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from configurator.catalogue.load import Catalogue

__all__ = [
    "GpuMatch",
    "ModelMatch",
    "find_gpu",
    "find_link",
    "find_model",
    "find_server",
    "find_weight_format",
    "match_gpu",
]

R = TypeVar("R", ServerRecord, LinkRecord)


def find_link(catalogue: Catalogue, text: str) -> LinkRecord:
    """The link that the text means: an id, a name, or words like "200G RoCE", "100gbe", "NDR". Raises UnknownNameError.

    A speed alone is Ethernet as it comes out of the box, without RDMA.
    """
    if text not in catalogue.links:
        found = _by_speed(catalogue, text)
        if found is not None:
            return found
    return _named("link", catalogue.links, text)


SPEED = re.compile(r"^(\d+(?:\.\d+)?)\s*(?:g|gb|gbe|gbit|gbit/s|gb/s|gbps|gige)\b", re.IGNORECASE)
INFINIBAND = {"edr": "ib-edr", "hdr": "ib-hdr", "ndr": "ib-ndr", "xdr": "ib-xdr"}


def _by_speed(catalogue: Catalogue, text: str) -> LinkRecord | None:
    words = text.lower().replace("-", " ").replace("infiniband", "ib").split()
    named = next((INFINIBAND[word] for word in words if word in INFINIBAND), None)
    if named is not None:
        return catalogue.links.get(named)
    speed = SPEED.match(text.strip())
    if speed is None:
        return None
    kind = "infiniband" if "ib" in words else "ethernet-rdma" if {"roce", "rdma"} & set(words) else "ethernet-tcp"
    wanted = float(speed.group(1)) * 1e9 / 8
    same = [each for each in catalogue.links.values() if abs(each.nominal_bytes_per_s - wanted) < 0.01 * wanted]
    usual = [each for each in same if each.kind == kind] or [each for each in same if each.kind.startswith("ethernet")]
    return usual[0] if usual else None


def find_server(catalogue: Catalogue, text: str) -> ServerRecord:
    """The chassis that the text means: an id, a name, or one of its examples. Raises UnknownNameError."""
    wanted = plain(text)
    for server in catalogue.servers.values():
        if wanted in (plain(example) for example in server.examples):
            return server
    return _named("server", catalogue.servers, text)


def _named(kind: str, records: Mapping[str, R], text: str) -> R:
    if text in records:
        return records[text]
    wanted = plain(text)
    for record in records.values():
        if wanted in {plain(record.id), plain(record.name)}:
            return record
    words = set(wanted.split())
    fitting = [each for each in records.values() if words and words <= set(plain(f"{each.id} {each.name}").split())]
    if len(fitting) == 1:
        return fitting[0]
    raise UnknownNameError(kind, text, nearest(text, {each.id: each.name for each in records.values()}))
