"""The context of a run, as its graph takes it."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel


def whole_context(schema: Any, given: Any, configured: Sequence[str] = ()) -> Any:
    """
    What is given, as far as the schema of the graph knows it: what only `configurable` gave, the names in
    `configured`, is left out where the schema has no such field. Graphs read its fields without asking
    whether there is one, so without any it has the defaults of its schema.
    """
    if given is not None and not isinstance(given, Mapping):
        return given
    names = _fields_of(schema)
    taken = {
        name: value
        for name, value in (given or {}).items()
        if names is None or name in names or name not in configured
    }
    if given is None and not _has_defaults(schema):
        return None
    return taken


def _fields_of(schema: Any) -> frozenset[str] | None:
    """None where the schema takes anything."""
    if not isinstance(schema, type):
        return None
    if issubclass(schema, BaseModel):
        is_open = schema.model_config.get("extra") == "allow"
        names = {alias for name, one in schema.model_fields.items() for alias in (name, one.alias) if alias}
        return None if is_open else frozenset(names)
    if is_dataclass(schema):
        return frozenset(field.name for field in fields(schema) if field.init)
    return frozenset(schema.__annotations__) if typing.is_typeddict(schema) else None


def _has_defaults(schema: Any) -> bool:
    """Whether an empty context can be made by it."""
    try:
        if isinstance(schema, type) and (issubclass(schema, BaseModel) or is_dataclass(schema)):
            schema()
    except Exception:
        return False
    return True
