"""Errors of loading, as who wrote the project reads them: with its files, from its root, and without ours."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from ..channel.errors import one_line
from .own_code import is_installed


class LoadError(Exception):
    """The message is a sentence that says what did not load and where; the hint what can be done about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def load_error(what: str, cause: BaseException, root: Path) -> LoadError:
    """The frames of the project go to the log."""
    if isinstance(cause, LoadError):
        return cause
    frames = _project_frames(cause, root)
    text = _text_of(cause).replace(f"{root}/", "")
    if frames:
        lines = (f"  {path}:{line} in {name}" for path, line, name in frames)
        print(f"{what}: {text}", *lines, sep="\n", file=sys.stderr)
    place = _syntax_place(cause, root) or _place_of(frames)
    at = f" ({place})" if place is not None and place not in text else ""
    return LoadError(f"{what}: {text}{at}", _hint_of(cause))


def _text_of(cause: BaseException) -> str:
    if isinstance(cause, SyntaxError):
        return cause.msg
    text = one_line(str(cause))
    return text if isinstance(cause, (ImportError, ValueError)) and text else _named(cause, text)


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
    if not isinstance(cause, SyntaxError) or cause.filename is None:
        return None
    path = Path(cause.filename)
    name = path.relative_to(root) if path.is_relative_to(root) else path.name
    return f"{name}:{cause.lineno}"


def _hint_of(cause: BaseException) -> str | None:
    if isinstance(cause, ModuleNotFoundError) and cause.name is not None:
        name = cause.name.partition(".")[0]
        return (
            f"Nothing named {name} is installed or on the path: add its package to the project’s "
            "dependencies, or its folder to `dependencies` of langgraph.json."
        )
    if isinstance(cause, ImportError) and "relative import" in str(cause):
        return "The file is no part of a package: import by a whole name, or give its folder an __init__.py."
    return None
