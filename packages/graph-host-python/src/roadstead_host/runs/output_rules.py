"""Finds the answer of a run in which no assistant spoke. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage


def output_of(
    last: Any, channels: str | Sequence[str] | None, is_of_run: Callable[[BaseMessage], bool]
) -> Any:
    """
    Of the last state what the output schema shows, and of its messages those of this run. None where nothing
    is left. `channels` is one name where the value itself is the output.
    """

    def shown(value: Any) -> Any:
        return _without_earlier(value, is_of_run)

    if not isinstance(last, Mapping):
        return shown(last)
    if isinstance(channels, str):
        return shown(last.get(channels, last))
    kept = ((name, shown(value)) for name, value in last.items() if channels is None or name in channels)
    fields = {name: value for name, value in kept if value is not None}
    return fields or None


def _without_earlier(value: Any, is_of_run: Callable[[BaseMessage], bool]) -> Any:
    """None for a list that holds nothing but earlier messages."""
    if not isinstance(value, list):
        return value
    left = [one for one in value if not isinstance(one, BaseMessage) or is_of_run(one)]
    return None if value and not left else left
