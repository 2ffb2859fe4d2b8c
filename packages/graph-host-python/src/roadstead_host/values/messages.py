"""
LangChain's messages as plain data. A graph may return messages as plain objects, with anything in the place
of a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias
from uuid import uuid4

import orjson
from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from .a2a_words import is_by_itself
from .content_parts import parts_of, text_of
from .json import json_of, json_text, plain_fields

# A message of LangChain, or its fields.
AnyMessage: TypeAlias = BaseMessage | dict[str, Any]

_ROLES: Mapping[str, str] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
# The class names that LangChain has for the types of pieces.
_PIECES: Mapping[str, str] = {
    "HumanMessageChunk": "human",
    "AIMessageChunk": "ai",
    "ToolMessageChunk": "tool",
    "FunctionMessageChunk": "function",
    "SystemMessageChunk": "system",
    "ChatMessageChunk": "chat",
}
_MAX_VALUES = 1_000_000


def is_plain_message(value: Any) -> bool:
    return isinstance(value, dict) and "content" in value and ("role" in value or "type" in value)


def field_of(message: AnyMessage, name: str) -> Any:
    return message.get(name) if isinstance(message, dict) else getattr(message, name, None)


def word_of(value: Any) -> str:
    """A text or a number as text; empty for all else."""
    is_word = isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return str(value) if is_word else ""


def _role_of(message: AnyMessage) -> str | None:
    """None for what is no message of a conversation, such as a removal."""
    kind = field_of(message, "type")
    if kind is None or (isinstance(message, dict) and "role" in message):
        kind = field_of(message, "role")
    kind = _PIECES.get(kind, kind) if isinstance(kind, str) else None
    # LangChain's generic message names its role itself.
    return _ROLES.get(field_of(message, "role") if kind == "chat" else kind or "")


class MessageIds:
    """
    Ids of the messages of a run. One without an id is given one, as LangGraph's reducer would a moment later.
    """

    def __init__(self) -> None:
        # Plain objects by their identity; each is kept, so that no other gets it.
        self._given: dict[int, tuple[dict[str, Any], str]] = {}

    def of(self, message: AnyMessage) -> str:
        known = field_of(message, "id")
        if isinstance(known, str) and known:
            return known
        if isinstance(message, dict):
            return self._given.setdefault(id(message), (message, str(uuid4())))[1]
        message.id = str(uuid4())
        return message.id


def plain_message(message: AnyMessage, ids: MessageIds) -> dict[str, Any] | None:
    role = _role_of(message)
    if role is None:
        return None
    content = field_of(message, "content")
    parts = parts_of(content)
    plain: dict[str, Any] = {"id": ids.of(message), "role": role, "text": text_of(content)}
    if any(part["kind"] != "text" for part in parts):
        plain["parts"] = [_json_part(part) for part in parts]
    if is_by_itself(field_of(message, "additional_kwargs")):
        plain["by_itself"] = True
    calls = [
        {
            "id": word_of(call.get("id")),
            "name": word_of(call.get("name")),
            "args": plain_values(call.get("args")),
        }
        for call in field_of(message, "tool_calls") or ()
        if isinstance(call, dict)
    ]
    if calls:
        plain["tool_calls"] = calls
    for name in ("name", "tool_call_id"):
        if isinstance(value := field_of(message, name), str):
            plain[name] = value
    return plain


def _json_part(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "data": json_of(part["data"])} if "data" in part else part


def members_of(value: Any) -> Iterator[Any]:
    """The fields of what a node returned: an object, a model of pydantic or a dataclass."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, BaseModel):
        yield from (getattr(value, name, None) for name in type(value).model_fields)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, field.name, None) for field in fields(value))


def messages_in(update: Any) -> list[BaseMessage]:
    """The messages in a value that a node returned: in any of its channels, one or a list."""
    if isinstance(update, BaseMessage):
        return [update]
    if isinstance(update, (list, tuple)):
        return [message for one in update for message in messages_in(one)]
    found: list[BaseMessage] = []
    for value in members_of(update):
        if isinstance(value, BaseMessage):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(one for one in value if isinstance(one, BaseMessage))
    return found


def plain_values(values: Any, ids: MessageIds | None = None) -> Any:
    """A state as JSON; messages as plain ones. None when it is larger than a megabyte."""
    known = ids or MessageIds()

    def plain(value: Any) -> Any:
        return plain_message(value, known) if isinstance(value, BaseMessage) else plain_fields(value)

    # A model of pydantic writes its members itself, messages in it too.
    text = json_text(values, plain)
    return None if len(text) > _MAX_VALUES else orjson.loads(text)
