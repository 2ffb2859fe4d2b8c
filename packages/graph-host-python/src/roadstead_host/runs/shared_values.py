"""
Values that one run says again and again, such as the metadata of a model's message with each of its pieces:
numbered, so that they are said once.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

# So many of the last are known on both sides.
MAX_SHARED_VALUES = 16
# The most characters that are kept for a run, names included.
_MAX_CHARACTERS = 65_536
_MAX_LIST = 16
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
    """A small object of texts, numbers and short lists of these."""
    characters = 0
    for name, field in fields.items():
        items = field if isinstance(field, (list, tuple)) else (field,)
        if not isinstance(name, str) or len(items) > _MAX_LIST:
            return False
        characters += len(name)
        for one in items:
            if type(one) not in _SCALARS:
                return False
            characters += len(one) if isinstance(one, str) else 1
        if characters > _MAX_CHARACTERS:
            return False
    return True


def _copy_of(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: [*field] if isinstance(field, list) else field for name, field in fields.items()}
