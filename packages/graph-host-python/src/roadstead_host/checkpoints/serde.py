"""The user's own serializer, with what `checkpointer.serde` of langgraph.json allows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from inspect import signature
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from ..channel.errors import LoadError

_PICKLES = "pickle_fallback"
_LISTS = ("allowed_json_modules", "allowed_msgpack_modules")


class SerdeSettingsError(LoadError):
    """Settings that can't be kept. The message is a sentence, which names the setting."""


def create_serde(settings: Mapping[str, Any] | None = None) -> JsonPlusSerializer:
    """
    A list names what is allowed by its path, true allows everything, and null only what LangGraph knows as
    safe. What is left out is as in LangGraph; pickles are read and written unless `pickle_fallback` is false.
    """
    return JsonPlusSerializer(
        **serde_options(settings or {}, signature(JsonPlusSerializer.__init__).parameters)
    )


def serde_options(settings: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """What a serializer that knows these options is made with."""
    options: dict[str, Any] = {"pickle_fallback": True} if _PICKLES in known else {}
    for name, value in settings.items():
        if name == _PICKLES:
            setting: Any = _switch(value)
            # A serializer that does not know pickles refuses them.
            is_kept = name in known or setting is False
        elif name in _LISTS:
            setting = _allowed(name, value)
            is_kept = name in known or setting is True
        else:
            continue
        if not is_kept:
            # A setting that nothing enforces would be a promise that nobody keeps.
            raise SerdeSettingsError(
                f"checkpointer.serde.{name} needs a newer langgraph-checkpoint than the project has."
            )
        if name in known:
            options[name] = setting
    return options


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
