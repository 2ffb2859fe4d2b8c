"""
Values as LangGraph for JavaScript writes them, in a thread that graphs in JavaScript began. It marks what
JSON has no word for with `lc: 2` and the bare name of a class, which none of Python’s own records have. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from langgraph.types import Send

from .langgraph_checkpoint import DELTA_SNAPSHOT

Hook: TypeAlias = Callable[[dict[str, Any]], Any]

_UNDEFINED = object()
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}


def has_records(text: bytes) -> bool:
    return b'"lc":2' in text


def read_records(text: bytes, revive: Hook) -> Any:
    """`revive` takes the objects that are no records of JavaScript."""

    def read(value: dict[str, Any]) -> Any:
        known = {name: _listed(one) for name, one in value.items() if one is not _UNDEFINED}
        return _record(known) if known.get("lc") == 2 and _is_bare(known) else revive(known)

    value = json.loads(text, object_hook=read)
    return None if value is _UNDEFINED else _listed(value)


def send_of(packet: Any) -> Any:
    """What a graph sent to a node."""
    if isinstance(packet, dict) and isinstance(packet.get("node"), str) and "args" in packet:
        return Send(packet["node"], packet["args"])
    return packet


def _is_bare(record: Mapping[str, Any]) -> bool:
    name = record.get("id")
    return record.get("type") != "constructor" or (isinstance(name, list) and len(name) == 1)


def _record(record: Mapping[str, Any]) -> Any:
    kind, args = record.get("type"), record.get("args") or []
    if kind == "undefined":
        return _UNDEFINED
    if kind == "delta_snapshot" and isinstance(DELTA_SNAPSHOT, type):
        return DELTA_SNAPSHOT(record.get("value"))
    match (record.get("id"), args):
        case (["Set"], [list(items)]):
            return _set_of(items)
        case (["Map"], [list(pairs)]):
            return _map_of(pairs)
        case (["RegExp"], [str(source), str(flags)]):
            return _pattern_of(source, flags)
        case (["Error"], [str(message)]):
            return Exception(message)
        case (["Uint8Array"], [list(numbers)]):
            return bytes(numbers)
    return dict(record)


def _set_of(items: list[Any]) -> Any:
    """A list, where something in it can’t be in a set of Python."""
    try:
        return set(items)
    except TypeError:
        return items


def _map_of(pairs: list[Any]) -> Any:
    try:
        return dict(pairs)
    except (TypeError, ValueError):
        return pairs


def _pattern_of(source: str, flags: str) -> Any:
    """Its text, where Python writes such patterns in another way."""
    try:
        return re.compile(source, sum(_FLAGS.get(flag, 0) for flag in flags))
    except re.error:
        return source


def _listed(value: Any) -> Any:
    """A place in a list can’t be missing."""
    if isinstance(value, list):
        return [None if one is _UNDEFINED else _listed(one) for one in value]
    return value
