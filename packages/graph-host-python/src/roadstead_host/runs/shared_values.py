"""
Values that one run says again and again, such as the metadata of a model's message with each of its pieces:
numbered, so that they are said once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from copy import copy
from typing import Any

# So many of the last are known on both sides.
MAX_SHARED_VALUES = 16
# The most characters that are kept for a run, names included.
_MAX_CHARACTERS = 65_536
_MAX_ITEMS = 16
_SCALARS = (str, int, float, bool, type(None))


class SharedValues:
    """One that was changed since is another one."""

    def __init__(self, most: int = MAX_SHARED_VALUES) -> None:
        # By identity: the number, the value itself, so that no other gets its identity, and what it held.
        self._known: OrderedDict[int, tuple[int, dict[str, Any], dict[str, Any]]] = OrderedDict()
        self._most = most
        self._count = 0

    def number_of(self, value: Any) -> tuple[int, bool] | None:
        """The number of a value and whether it is new; None for one that may not be shared."""
        if type(value) is not dict:
            return None
        known = self._known.get(id(value))
        if known is not None and known[2] == value:
            return known[0], False
        if not is_shareable(value):
            return None
        self._count += 1
        self._known.pop(id(value), None)
        self._known[id(value)] = (self._count, value, _copy_of(value))
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return self._count, True


def is_shareable(fields: dict[Any, Any]) -> bool:
    """A small object of texts, numbers, and short lists and objects of these."""
    characters = 0
    for name, field in fields.items():
        items = _items_of(field)
        if not isinstance(name, str) or items is None:
            return False
        characters += len(name)
        for one in items:
            if type(one) not in _SCALARS:
                return False
            characters += len(one) if isinstance(one, str) else 1
        if characters > _MAX_CHARACTERS:
            return False
    return True


def _items_of(field: Any) -> Collection[Any] | None:
    """What a member holds, the names of an object in it too; None for more than a few."""
    is_object = type(field) is dict
    if not is_object and not isinstance(field, (list, tuple)):
        return (field,)
    if len(field) > _MAX_ITEMS:
        return None
    if not is_object:
        return field  # type: ignore[no-any-return]
    return (*field, *field.values()) if all(type(name) is str for name in field) else None


def _copy_of(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: copy(field) if isinstance(field, (list, dict)) else field for name, field in fields.items()}
