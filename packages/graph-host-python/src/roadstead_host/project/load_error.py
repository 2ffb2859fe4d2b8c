"""Errors of loading, as who wrote the project reads them: with its files, from its root, and without ours."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..channel.errors import LoadError, one_line
from .own_code import is_installed

# What code of a project raises may end neither its host nor a task of it.
USER_FAULTS = (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError)


@contextmanager
def load_errors(what: str, root: Path) -> Iterator[None]:
    """Anything that code of the project raises within is raised as a `LoadError` that begins with `what`."""
    try:
        yield
    except LoadError:
        raise
    except USER_FAULTS as cause:
        raise load_error(what, cause, root) from cause


def load_error(what: str, cause: BaseException, root: Path) -> LoadError:
    """The frames of the project go to the log."""
    if isinstance(cause, LoadError):
        return cause
    fault, more = _first_of(cause)
    frames = _project_frames(fault, root) or _project_frames(cause, root)
    text = _text_of(fault).replace(f"{root}/", "") + (f" (and {more} more)" if more else "")
    if frames:
        lines = (f"  {path}:{line} in {name}" for path, line, name in frames)
        print(f"{what}: {text}", *lines, sep="\n", file=sys.stderr)
    place = _syntax_place(fault, root) or _place_of(frames)
    at = f" ({place})" if place is not None and place not in text else ""
    return LoadError(f"{what}: {text}{at}", _hint_of(fault))


def _first_of(cause: BaseException) -> tuple[BaseException, int]:
    """What is wrong, where tasks that ran together raise a group, and how many errors are beside it."""
    more = 0
    while isinstance(cause, BaseExceptionGroup):
        more += len(cause.exceptions) - 1
        cause = cause.exceptions[0]
    return cause, more


def _text_of(cause: BaseException) -> str:
    if isinstance(cause, SyntaxError):
        return one_line(str(cause.msg)) if cause.msg else type(cause).__name__
    text = _words_of(cause)
    return text if isinstance(cause, (ImportError, ValueError)) and text else _named(cause, text)


def _words_of(cause: BaseException) -> str:
    """Errors may raise, or exit, when they are looked at."""
    try:
        return one_line(_words_without_input(cause) or str(cause))
    except BaseException:
        return ""


def _words_without_input(cause: BaseException) -> str | None:
    """What pydantic refused, without the value: settings are often secrets."""
    kind = type(cause)
    if kind.__name__ != "ValidationError" or not kind.__module__.startswith("pydantic"):
        return None
    errors: Any = getattr(cause, "errors", None)
    title: Any = getattr(cause, "title", None)
    if title is None:
        # Before pydantic 2, whose words have no values.
        return None
    found = errors(include_url=False, include_context=False, include_input=False)
    lines = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}".removeprefix(": ") for one in found)
    return "\n".join((f"{len(found)} validation error{'' if len(found) == 1 else 's'} for {title}", *lines))


def _named(cause: BaseException, text: str) -> str:
    name = type(cause).__name__
    return f"{name}: {text}" if text else name


# A path from the root, a line and a name.
_Frame = tuple[str, int, str]


def _project_frames(cause: BaseException, root: Path) -> list[_Frame]:
    """
    The frames that lie in the project, the innermost last; those of its packages only where there are no
    others.
    """
    stack = traceback.extract_tb(cause.__traceback__)
    frames = [
        (str(path.relative_to(root)), frame.lineno or 0, frame.name)
        for frame in stack
        if (path := Path(frame.filename)).is_relative_to(root)
    ]
    own = [frame for frame in frames if not is_installed(root / frame[0], root)]
    return own or frames


def _place_of(frames: list[_Frame]) -> str | None:
    return f"{frames[-1][0]}:{frames[-1][1]}" if frames else None


def _syntax_place(cause: BaseException, root: Path) -> str | None:
    if not isinstance(cause, SyntaxError) or cause.filename is None or cause.lineno is None:
        return None
    path = Path(cause.filename)
    name = path.relative_to(root) if path.is_relative_to(root) else path.name
    return f"{name}:{cause.lineno}"


def _hint_of(cause: BaseException) -> str | None:
    if isinstance(cause, ModuleNotFoundError) and isinstance(cause.name, str):
        name = cause.name.partition(".")[0]
        return (
            f"Nothing named {name} is installed or on the path: add its package to the project’s "
            "dependencies, or its folder to `dependencies` of langgraph.json."
        )
    if isinstance(cause, ImportError) and "relative import" in _words_of(cause):
        return "The file is no part of a package: import by a whole name, or give its folder an __init__.py."
    return None
