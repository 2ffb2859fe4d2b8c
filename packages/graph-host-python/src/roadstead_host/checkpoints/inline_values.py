"""
Which values of channels are in the checkpoint itself, as langgraph-checkpoint-postgres keeps them, and which
are beside it as bytes. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from .langgraph_checkpoint import DELTA_SNAPSHOT

# A longer text is cheaper as bytes.
_MAX_TEXT = 1000
# JSON numbers are doubles to the engine.
_MAX_INTEGER = 2**53


def split_values(values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values in the checkpoint, and those beside it."""
    inline: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for channel, value in values.items():
        if _is_inline(value):
            inline[channel] = value
            continue
        beside[channel] = value
        if isinstance(value, DELTA_SNAPSHOT):
            # By this mark LangGraph's own saver knows that the bytes are a whole value among differences.
            inline[channel] = True
    return inline, beside


def _is_inline(value: Any) -> bool:
    """
    Whether JSON gives it back as it is. A subclass would lose its type, and so would a float that is whole.
    """
    kind = type(value)
    if value is None or kind is bool:
        return True
    if kind is int:
        return value in range(-_MAX_INTEGER, _MAX_INTEGER + 1)
    if kind is float:
        # Infinity and NaN are no numbers of JSON.
        return isfinite(value) and not float.is_integer(value)
    return kind is str and _is_short(value)


def _is_short(text: str) -> bool:
    """PostgreSQL's JSON holds neither U+0000 nor half of a surrogate pair."""
    return (
        len(text) <= _MAX_TEXT
        and "\0" not in text
        and not any("\ud800" <= character <= "\udfff" for character in text)
    )
