"""Helpers shared by the tests."""

from __future__ import annotations

from typing import TypeVar

from configurator.plan.index import find
from configurator.plan.model import Plan, Server, Slot

T = TypeVar("T")


def there(value: T | None) -> T:
    """The value, which must not be None."""
    assert value is not None
    return value


def server_of(plan: Plan, object_id: str) -> Server:
    """The server an object of the plan stands in."""
    return there(there(find(plan, object_id)).server)


def slot_of(plan: Plan, object_id: str) -> Slot:
    """The slot an object of the plan stands in."""
    return there(there(find(plan, object_id)).slot)
