"""
Values of a graph as the LangGraph API shows them: JSON, in which a message is an object of its fields with
its `type`. What can't be said at all is null, by itself; a place that would hold itself is left out.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from pathlib import PurePath
from re import Pattern
from typing import Any, TypeAlias
from uuid import UUID

import orjson
from langgraph.types import Send
from orjson import Fragment

from ..channel.json_text import json_bytes

__all__ = ["Fragment", "checked_bytes", "json_of", "json_text", "plain_fields"]

# How a value of user code is written that JSON has no form for.
Plain: TypeAlias = Callable[[Any], Any]

# Numbers beyond those that JavaScript keeps exactly are written as their digits.
_OPTIONS = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_STRICT_INTEGER
_MAX_SAFE = 2**53 - 1
# Deeper ones are read by nobody.
_MAX_DEPTH = 600


def plain_fields(value: Any) -> Any:
    """A value as JSON's own kinds, one level of it. None for what has no words, such as a function."""
    for kinds, write in _KINDS:
        if isinstance(value, kinds):
            return write(value)
    if isinstance(value, type):
        return None
    for method in ("model_dump", "dict", "_asdict"):
        dump = getattr(value, method, None)
        if callable(dump):
            return dump()
    return None


def json_text(value: Any, plain: Plain = plain_fields) -> bytes:
    try:
        return orjson.dumps(value, plain, _OPTIONS)
    except Exception:
        # It holds itself, a key or a number that JSON has no place for, or a member that can't be written.
        return _slow_text(value, plain)


def checked_bytes(value: Any) -> bytes:
    """What is known to be JSON without NaN, as the protocol writes it, and several times as fast."""
    try:
        return orjson.dumps(value)
    except TypeError:
        # Half of a surrogate pair, or a whole number of more than 64 bits.
        return json_bytes(value)


def json_of(value: Any) -> Any:
    """The same, read again."""
    return orjson.loads(json_text(value))


def _slow_text(value: Any, plain: Plain) -> bytes:
    try:
        return json.dumps(_written(value, plain, []), allow_nan=False, separators=(",", ":")).encode()
    except Exception:
        return b"null"


class _LeftOut:
    """In the place of what would hold itself."""


_LEFT_OUT = _LeftOut()


def _written(value: Any, plain: Plain, holders: list[Any]) -> Any:
    """The value as JSON's own kinds, each member by itself. `holders` are the values that it is inside of."""
    if value is None or isinstance(value, (bool, str)):
        return value if not isinstance(value, str) else str.__str__(value)
    if isinstance(value, int) and not isinstance(value, Enum):
        return int(value) if abs(value) <= _MAX_SAFE else int.__repr__(value)
    if isinstance(value, float) and not isinstance(value, Enum):
        return float(value) if value - value == 0 else None
    if any(holder is value for holder in holders):
        return _LEFT_OUT
    if len(holders) >= _MAX_DEPTH:
        return None
    try:
        holders.append(value)
        return _written_whole(value, plain, holders)
    except Exception:
        return None
    finally:
        holders.pop()


def _written_whole(value: Any, plain: Plain, holders: list[Any]) -> Any:
    if isinstance(value, dict):
        return dict(_members(value, plain, holders))
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        items = [_written(one, plain, holders) for one in value]
        return [one for one in items if one is not _LEFT_OUT]
    return _written(_one_level(value, plain), plain, holders)


def _one_level(value: Any, plain: Plain) -> Any:
    if isinstance(value, Fragment):
        return orjson.loads(orjson.dumps(value))
    if is_dataclass(value) and not isinstance(value, type):
        shown = (field.name for field in fields(value) if not field.name.startswith("_"))
        return {name: getattr(value, name) for name in shown}
    return plain(value)


def _members(value: Mapping[Any, Any], plain: Plain, holders: list[Any]) -> Iterator[tuple[str, Any]]:
    for key, member in value.items():
        name = _name_of(key)
        written = _written(member, plain, holders)
        if name is not None and written is not _LEFT_OUT:
            yield name, written


def _name_of(key: Any) -> str | None:
    """None for a key that has no text."""
    if isinstance(key, str):
        return str.__str__(key)
    try:
        text = orjson.dumps({key: None}, option=_OPTIONS)
        return str(next(iter(orjson.loads(text))))
    except Exception:
        return str(key) if isinstance(key, int) else None


def _number_of(value: Decimal) -> int | float | None:
    if not value.is_finite():
        return None
    return int(value) if value == value.to_integral_value() and "." not in str(value) else float(value)


def _error_of(error: BaseException) -> dict[str, str]:
    return {"error": type(error).__name__, "message": str(error)}


# In the order in which they are tried.
_KINDS: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((set, frozenset, deque), list),
    ((bytes, bytearray), lambda value: base64.b64encode(value).decode()),
    (Decimal, _number_of),
    (BaseException, _error_of),
    (timedelta, timedelta.total_seconds),
    (tzinfo, lambda value: value.tzname(None)),
    ((datetime, date, time), lambda value: value.isoformat()),
    ((UUID, PurePath), str),
    ((IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network), str),
    (Pattern, lambda value: value.pattern),
    (Enum, lambda value: value.value),
    (Send, lambda value: {"node": value.node, "args": value.arg}),
)
