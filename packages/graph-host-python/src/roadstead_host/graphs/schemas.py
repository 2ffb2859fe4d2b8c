"""The JSON Schemas of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ..channel.json_text import Json
from ..values.own_channels import is_own_channel


def schemas_of(graph_id: str, compiled: Any) -> dict[str, Json]:
    """Where a type can't be told as JSON Schema, the names of the fields are."""
    context_schema = _told(lambda: _context_schema(compiled))
    return {
        "graph_id": graph_id,
        "input_schema": _told(compiled.get_input_jsonschema)
        or _fields_schema("Input", _input_types(compiled)),
        "output_schema": _told(compiled.get_output_jsonschema)
        or _fields_schema("Output", _types_of(compiled, compiled.output_channels, "ValueType")),
        "state_schema": _fields_schema(
            "State", _types_of(compiled, compiled.stream_channels_list, "UpdateType")
        ),
        # The configuration of a run is its context.
        "config_schema": context_schema,
        "context_schema": context_schema,
    }


def _told(read: Callable[[], Any]) -> dict[str, Json] | None:
    try:
        schema = read()
    except Exception:
        return None
    return schema if isinstance(schema, dict) else None


def _context_schema(compiled: Any) -> Any:
    read = getattr(compiled, "get_context_jsonschema", None)
    if read is not None:
        return read()
    # Before LangGraph 0.6.
    kind = getattr(compiled, "config_type", None)
    return None if kind is None else TypeAdapter(kind).json_schema()


def _input_types(compiled: Any) -> dict[str, Any]:
    """A compiled graph takes its input by one channel; what it was compiled from knows the fields."""
    builder = getattr(compiled, "builder", None)
    kind = getattr(builder, "input_schema", None) or getattr(builder, "input", None)
    fields = getattr(builder, "schemas", {}).get(kind)
    return _types_of(compiled, compiled.input_channels if fields is None else list(fields), "UpdateType")


def _types_of(compiled: Any, names: Any, part: str) -> dict[str, Any]:
    channels = compiled.channels
    wanted = [names] if isinstance(names, str) else names or list(channels)
    return {name: _type_of(channels.get(name), part) for name in wanted if not is_own_channel(name)}


def _type_of(channel: Any, part: str) -> Any:
    try:
        return getattr(channel, part)
    except Exception:
        return Any


def _fields_schema(title: str, types: Mapping[str, Any]) -> dict[str, Json]:
    whole = _told(lambda: _schema_of(title, types))
    if whole is not None:
        return whole
    return _schema_of(title, {name: kind if _is_told(kind) else Any for name, kind in types.items()})


def _is_told(kind: Any) -> bool:
    return _told(lambda: _schema_of("Field", {"field": kind})) is not None


def _schema_of(title: str, types: Mapping[str, Any]) -> dict[str, Json]:
    fields = TypedDict(title, dict(types), total=False)  # type: ignore[misc]  # noqa: UP013
    return TypeAdapter(fields).json_schema()
