"""The user's own serializer, with what `checkpointer.serde` of langgraph.json allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

_LISTS = ("allowed_json_modules", "allowed_msgpack_modules")


class SerdeSettingsError(Exception):
    """Settings that can't be kept. The message is a sentence, which names the setting."""


def create_serde(settings: Mapping[str, Any] | None = None) -> JsonPlusSerializer:
    """
    A list names what is allowed by its path, true allows everything, and null only what LangGraph knows as
    safe. What is left out is as in LangGraph; pickles are read and written unless `pickle_fallback` is false.
    """
    known = signature(JsonPlusSerializer.__init__).parameters
    options: dict[str, Any] = {"pickle_fallback": True}
    for name, value in (settings or {}).items():
        if name == "pickle_fallback":
            options[name] = _switch(value)
        elif name in _LISTS:
            allowed = _allowed(name, value)
            if name in known:
                options[name] = allowed
            elif allowed is not True:
                # A list that nothing enforces would be a promise that nobody keeps.
                raise SerdeSettingsError(
                    f"checkpointer.serde.{name} needs a newer langgraph-checkpoint than the project has."
                )
    return JsonPlusSerializer(**options)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise SerdeSettingsError("checkpointer.serde.pickle_fallback must be true or false.")
    return value


def _allowed(name: str, value: Any) -> list[tuple[str, ...]] | bool | None:
    if value is None or value is True:
        return value
    if value is False:
        return None
    if isinstance(value, Sequence) and not isinstance(value, str) and all(map(_is_path, value)):
        return [tuple(path) for path in value]
    raise SerdeSettingsError(f"checkpointer.serde.{name} must be true, null or a list of lists of names.")


def _is_path(path: Any) -> bool:
    return isinstance(path, list) and bool(path) and all(isinstance(part, str) for part in path)
