"""Names that people and tools write -> records."""

from __future__ import annotations

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
    """The link that the text means: an id, a name, or words like "200G RoCE". Raises UnknownNameError."""
    return _named("link", catalogue.links, text)


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
