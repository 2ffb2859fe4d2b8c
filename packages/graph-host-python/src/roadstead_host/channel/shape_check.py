"""
Checks values against JSON Schemas, as fast as frames come: a schema becomes a function once. It knows only
the keywords that the schemas of the host protocol have.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Shape: TypeAlias = Mapping[str, Any]

# Where a value differs from its schema and what it must be there, such as `.events[0].text must be a text`;
# None for a value that fits. The number is how many blobs the frame brings.
Check: TypeAlias = Callable[[Any, int], str | None]


class ShapeCompiler:
    """Makes checks of shapes; those that others refer to are made once."""

    def __init__(self, definitions: Mapping[str, Shape]) -> None:
        self._definitions = definitions
        self._made: dict[str, Check] = {}

    def compile(self, shape: Shape) -> Check | None:
        """None for a shape that admits everything."""
        if "$ref" in shape:
            return self._definition(shape["$ref"].removeprefix("#/$defs/"))
        union = shape.get("anyOf") or shape.get("oneOf")
        if union is not None:
            return self._union(union)
        if "const" in shape:
            return _one_of_values([shape["const"]])
        if "enum" in shape:
            return _one_of_values(shape["enum"])
        kind = shape.get("type")
        if kind == "object":
            return self._object(shape)
        if kind == "array":
            return self._array(shape)
        return None if kind is None else _plain(shape, kind)

    def _definition(self, name: str) -> Check:
        if name not in self._made:
            shape = self._definitions[name]
            # A definition may refer to itself.
            self._made[name] = self._later(name)
            check = self.compile(shape) or _anything
            max_depth = shape.get("x-max-depth")
            self._made[name] = check if max_depth is None else _bounded(check, max_depth)
        return self._made[name]

    def _later(self, name: str) -> Check:
        def check(value: Any, blobs: int) -> str | None:
            made = self._made[name]
            return made(value, blobs)

        return check

    def _object(self, shape: Shape) -> Check:
        required = frozenset(shape.get("required", ()))
        properties: Mapping[str, Shape] = shape.get("properties", {})
        members = [(name, self.compile(one), name in required) for name, one in properties.items()]
        checked = [one for one in members if one[1] is not None or one[2]]
        pairs = [
            (name, other) for name, others in shape.get("dependentRequired", {}).items() for other in others
        ]
        rest = self.compile(shape.get("additionalProperties", {}))

        def check(value: Any, blobs: int) -> str | None:
            if not isinstance(value, dict):
                return " must be an object"
            for name, member_check, is_required in checked:
                if name not in value:
                    if is_required:
                        return f".{name} is missing"
                elif member_check is not None:
                    fault = member_check(value[name], blobs)
                    if fault is not None:
                        return f".{name}{fault}"
            for name, other in pairs:
                if name in value and other not in value:
                    return f".{other} is missing"
            if rest is not None:
                for name in value.keys() - properties.keys():
                    fault = rest(value[name], blobs)
                    if fault is not None:
                        # The name may be a user's.
                        return f".*{fault}"
            return None

        return check

    def _array(self, shape: Shape) -> Check:
        if "prefixItems" in shape:
            return self._tuple(shape["prefixItems"])
        item = self.compile(shape.get("items", {}))
        most = shape.get("maxItems", math.inf)

        def check(value: Any, blobs: int) -> str | None:
            if not isinstance(value, (list, tuple)):
                return " must be a list"
            if len(value) > most:
                return f" must be a list of at most {most}"
            if item is not None:
                for at, one in enumerate(value):
                    fault = item(one, blobs)
                    if fault is not None:
                        return f"[{at}]{fault}"
            return None

        return check

    def _tuple(self, shapes: Sequence[Shape]) -> Check:
        checks = [self.compile(shape) or _anything for shape in shapes]

        def check(value: Any, blobs: int) -> str | None:
            if not isinstance(value, (list, tuple)) or len(value) != len(checks):
                return f" must be a list of {len(checks)}"
            for at, (one, item) in enumerate(zip(value, checks, strict=True)):
                fault = item(one, blobs)
                if fault is not None:
                    return f"[{at}]{fault}"
            return None

        return check

    def _union(self, shapes: Sequence[Shape]) -> Check:
        others = [shape for shape in shapes if shape.get("type") != "null"]
        check = self._union_of(others)
        if len(others) == len(shapes):
            return check
        return lambda value, blobs: None if value is None else check(value, blobs)

    def _union_of(self, shapes: Sequence[Shape]) -> Check:
        checks = [self.compile(shape) or _anything for shape in shapes]
        if len(checks) == 1:
            return checks[0]
        name = _tag_of(shapes)
        if name is not None:
            return _by_tag(
                name, {_const(shape, name): one for shape, one in zip(shapes, checks, strict=True)}
            )

        def check(value: Any, blobs: int) -> str | None:
            if any(one(value, blobs) is None for one in checks):
                return None
            return f" must have one of {len(checks)} forms"

        return check


def _bounded(check: Check, max_depth: int) -> Check:
    """Counts how deep a check is within itself: what recurs for ever would end the run or the question."""
    # Several threads answer questions.
    here = threading.local()

    def bounded(value: Any, blobs: int) -> str | None:
        depth: int = getattr(here, "depth", 0)
        if depth == max_depth:
            return f" must be at most {max_depth} levels deep"
        here.depth = depth + 1
        try:
            return check(value, blobs)
        finally:
            here.depth = depth

    return bounded


def _anything(_value: Any, _blobs: int) -> None:
    return None


def _const(shape: Shape, name: str) -> Any:
    return shape.get("properties", {}).get(name, {}).get("const")


def _tag_of(shapes: Sequence[Shape]) -> str | None:
    """The property that tells the members of a union apart."""
    for name in shapes[0].get("properties", {}):
        values = [_const(shape, name) for shape in shapes]
        if None not in values and len(set(values)) == len(shapes):
            return str(name)
    return None


def _by_tag(name: str, checks: Mapping[Any, Check]) -> Check:
    must = f".{name} must be {' or '.join(_quoted(one) for one in checks)}"

    def check(value: Any, blobs: int) -> str | None:
        if not isinstance(value, dict):
            return " must be an object"
        tag = value.get(name)
        chosen = checks.get(tag) if isinstance(tag, (str, int)) else None
        return must if chosen is None else chosen(value, blobs)

    return check


def _one_of_values(values: Sequence[Any]) -> Check:
    must = f" must be {' or '.join(_quoted(one) for one in values)}"
    # In Python 1 and True are equal.
    known = [(type(one), one) for one in values]

    def check(value: Any, _blobs: int) -> str | None:
        kind = str if isinstance(value, str) else type(value)
        return None if (kind, value) in known else must

    return check


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


_MAX_SAFE = 2**53 - 1

_PLAIN: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "string": (lambda value: isinstance(value, str), " must be a text"),
    "number": (_is_number, " must be a number"),
    "integer": (
        lambda value: _is_number(value) and value == int(value) and abs(value) <= _MAX_SAFE,
        " must be a whole number",
    ),
    "boolean": (lambda value: isinstance(value, bool), " must be true or false"),
    "null": (lambda value: value is None, " must be null"),
}


def _plain(shape: Shape, kind: str) -> Check:
    fits, must = _PLAIN[kind]
    least = shape.get("minimum")
    if least is None:
        return lambda value, _blobs: None if fits(value) else must
    is_blob = shape.get("x-blob") is True

    def check(value: Any, blobs: int) -> str | None:
        if not fits(value):
            return must
        if value < least:
            return f" must be at least {least}"
        return " must be below the number of blobs" if is_blob and value >= blobs else None

    return check
