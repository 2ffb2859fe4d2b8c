"""
How a graph says to A2A what LangGraph has no word for: by a field `a2a`, which means nothing anywhere else,
of what it raises, asks or returns. Pure.
"""

from __future__ import annotations

from typing import Any


def is_rejection(raised: BaseException) -> bool:
    """An error with `error.a2a = "reject"`: the task is rejected, and the message is its reason."""
    return getattr(raised, "a2a", None) == "reject"


def asks_for_credentials(asked: Any) -> bool:
    """`interrupt({"a2a": "credentials", …})`: the task waits until the caller has signed in somewhere."""
    return bool(_word_of(asked) == "credentials")


def is_by_itself(additional_kwargs: Any) -> bool:
    """`AIMessage(…, additional_kwargs={"a2a": "message"})`: an answer that is no task's."""
    return bool(_word_of(additional_kwargs) == "message")


def _word_of(value: Any) -> Any:
    return value.get("a2a") if isinstance(value, dict) else None
