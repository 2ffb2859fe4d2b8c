"""Errors as they travel, and those of the channel itself."""

from __future__ import annotations

import traceback
from typing import Any

MAX_MESSAGE = 2000
MAX_STACK = 20_000


class MalformedFrameError(Exception):
    """A frame that breaks the protocol. The message is the rest of a sentence; it repeats no value."""


class HostCallError(Exception):
    """An error of the engine, with the name that it has there."""

    def __init__(self, name: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.hint = hint


class ChannelClosedError(Exception):
    """The connection to the engine has ended."""


class LoadError(Exception):
    """The message is a sentence that says what did not load and where; the hint what can be done about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def host_error_of(thrown: BaseException) -> dict[str, Any]:
    """Anything raised, as data: also what raises, or exits, when it is looked at."""
    try:
        return _read(thrown)
    except BaseException:
        return {"name": "Error", "message": "What was raised can’t be read."}


def _read(thrown: BaseException) -> dict[str, Any]:
    name = getattr(thrown, "name", None) if isinstance(thrown, HostCallError) else type(thrown).__name__
    hint = getattr(thrown, "hint", None)
    error: dict[str, Any] = {"name": str(name), "message": one_line(str(thrown)) or str(name)}
    if thrown.__traceback__ is not None:
        error["stack"] = stack_of(thrown)
    if isinstance(hint, str):
        error["hint"] = one_line(hint)
    return error


def stack_of(thrown: BaseException) -> str:
    """The end of its traceback, where the error itself is."""
    return "".join(traceback.format_exception(thrown))[-MAX_STACK:]


def one_line(text: str) -> str:
    """Its lines in one, as far as a message goes."""
    lines = (line.strip() for line in text.splitlines())
    return " | ".join(line for line in lines if line)[:MAX_MESSAGE]
