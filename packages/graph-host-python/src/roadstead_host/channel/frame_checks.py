"""
Checks of frames, by the schemas of the protocol. What the engine sends is checked, and so is what goes out:
values of user code may be odd, and the engine ends a host with all its runs for a malformed frame.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import MalformedFrameError
from .shape_check import Check, ShapeCompiler

_shapes: Mapping[str, Any] = json.loads(Path(__file__).with_name("frame-shapes.json").read_text("utf-8"))
_compiler = ShapeCompiler(_shapes["$defs"])


class MethodChecks:
    """Checks what is said with each method of a table."""

    def __init__(self, table: str, part: str) -> None:
        self._checks: Mapping[str, Check | None] = {
            method: _compiler.compile(shape) for method, shape in _shapes[table].items()
        }
        self._part = part

    def __contains__(self, method: str) -> bool:
        return method in self._checks

    def check(self, method: str, value: Any, blobs: int = 0) -> None:
        """Raises a `MalformedFrameError` where the value does not fit."""
        check = self._checks[method]
        fault = None if check is None else check(value, blobs)
        if fault is not None:
            raise MalformedFrameError(f'in "{method}", {self._part}{fault}')


engine_questions = MethodChecks("engine_questions", "params")
engine_answers = MethodChecks("engine_answers", "result")
host_questions = MethodChecks("host_questions", "params")
host_answers = MethodChecks("host_answers", "result")
host_messages = MethodChecks("host_messages", "params")
