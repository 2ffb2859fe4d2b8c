"""Which results of tools clients of A2A are told, by `A2A_ALLOWED_TOOL_CALL_RESULTS`."""

from __future__ import annotations

import os
from typing import Any

from ..values.messages import AnyMessage, field_of, word_of

# Read before user code may change it.
_LISTED = os.environ.get("A2A_ALLOWED_TOOL_CALL_RESULTS")


class ToolResults:
    """
    Results of calls that the agent made. Those of tools that the list names are kept with the task; without a
    list all are told to who follows the run and none is kept, since nobody has said that they are meant for
    callers.
    """

    def __init__(self, *, has_followers: bool, listed: str | None = _LISTED) -> None:
        self._has_followers = has_followers
        self._allowed = None if listed is None else frozenset(name.strip() for name in listed.split(","))
        self._names: dict[str, str] = {}

    def know(self, message: AnyMessage) -> None:
        """Sees which tools are called."""
        for call in field_of(message, "tool_calls") or ():
            if isinstance(call, dict) and isinstance(call.get("id"), str):
                self._names[call["id"]] = word_of(call.get("name"))

    def marked(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message, marked where it is a result that may be told."""
        name = self._names.get(message.get("tool_call_id", "")) if message["role"] == "tool" else None
        is_allowed = self._has_followers if self._allowed is None else name in self._allowed
        if name is None or not is_allowed:
            return message
        return {**message, "name": name, "told": "once" if self._allowed is None else "kept"}
