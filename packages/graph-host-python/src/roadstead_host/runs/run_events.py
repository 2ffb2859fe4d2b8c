"""Turns what a graph streams into what the engine gets: each message once, interrupts, the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk

from ..graphs.resumption import interrupt_id
from ..values.a2a_words import asks_for_credentials
from ..values.content_parts import text_of
from ..values.messages import (
    AnyMessage,
    MessageIds,
    is_plain_message,
    messages_in,
    plain_message,
    plain_values,
)
from .emitter import Event
from .output_rules import output_of
from .stream_events import StreamPart
from .tool_results import ToolResults

_INTERRUPT = "__interrupt__"


class RunEvents:
    """
    `has_chunks`: somebody reads the pieces that models say. `goes_on`: an earlier attempt of the run began.
    """

    def __init__(self, *, has_chunks: bool, goes_on: bool) -> None:
        self._has_chunks = has_chunks
        self._ids = MessageIds()
        # Messages from before the run, those that were told, and those that were told in pieces.
        self._before: set[str] = set()
        self._sent: set[str] = set()
        self._in_pieces: set[str] = set()
        self._results = ToolResults(has_followers=has_chunks)
        self._interrupts: list[Any] = []
        # The first state is that of before any node, the history and the input; of a run that goes on it
        # holds more.
        self._has_begun = goes_on
        # Whether the graph stopped before its end: it asks something, or was told to stop at a node.
        self.has_stopped = False
        # The last state, as the graph streamed it; None where it streamed none.
        self.last: Any = None

    def know(self, values: Any) -> None:
        """Messages from before the run: a node that returns its whole history does not report them again."""
        self._know(messages_in(values))

    def of(self, part: StreamPart) -> list[Event]:
        """Reads a part of the stream of the graph itself as plain messages."""
        if part.mode == "values":
            return self._of_values(part.payload)
        if part.mode == "updates":
            return self._of_updates(part.payload)
        return self._of_piece(*part.payload) if part.mode == "messages" else []

    def interrupts(self) -> list[dict[str, Any]]:
        """Each interrupt once, in the order in which the graph raised them."""
        # Versions that know no ids hand the same object to every stream mode.
        found = list({id(one): one for one in self._interrupts}.values())
        by_id = {interrupt_id(one) or str(at): one for at, one in enumerate(found)}
        return [self._interrupt(name, one) for name, one in by_id.items()]

    def output(self, channels: str | Sequence[str] | None) -> Any:
        """The last state as far as the output schema shows it, and of its messages only those of this run."""
        last = output_of(self.last, channels, lambda message: self._ids.of(message) not in self._before)
        return plain_values(last, self._ids)

    def _interrupt(self, name: str, interrupt: Any) -> dict[str, Any]:
        value = getattr(interrupt, "value", interrupt)
        shown: dict[str, Any] = {"id": name, "value": plain_values(value, self._ids)}
        schema = getattr(interrupt, "response_schema", None)
        if isinstance(schema, Mapping):
            shown["response_schema"] = plain_values(schema)
        if asks_for_credentials(value):
            shown["wants"] = "credentials"
        return shown

    def _know(self, messages: Sequence[AnyMessage]) -> None:
        for message in messages:
            self._before.add(self._ids.of(message))
            self._results.know(message)

    def _of_message(self, message: AnyMessage) -> list[Event]:
        name = self._ids.of(message)
        is_known = name in self._before or name in self._sent
        plain = None if is_known else plain_message(message, self._ids)
        if plain is None:
            return []
        self._sent.add(name)
        self._results.know(message)
        whole: Event = {"kind": "message", "message": self._results.marked(plain)}
        is_heard = plain["role"] == "assistant" and plain["text"] and name not in self._in_pieces
        if not self._has_chunks or not is_heard:
            return [whole]
        return [{"kind": "chunk", "message_id": name, "text": plain["text"]}, whole]

    def _of_piece(self, message: Any, metadata: Any) -> list[Event]:
        """
        A piece that a model says, or a whole message: one that a node pushed or returned is told at once.
        """
        if not isinstance(message, BaseMessage):
            return []
        if not isinstance(message, BaseMessageChunk):
            is_of_model = isinstance(metadata, dict) and "ls_model_type" in metadata
            return [] if is_of_model else self._of_message(message)
        text = text_of(message.content)
        if not self._has_chunks or not text:
            return []
        name = self._ids.of(message)
        self._in_pieces.add(name)
        return [{"kind": "chunk", "message_id": name, "text": text}]

    def _of_updates(self, payload: Any) -> list[Event]:
        if not isinstance(payload, dict):
            return []
        self._raise(payload.get(_INTERRUPT))
        updates = (value for name, value in payload.items() if name != _INTERRUPT)
        return self._of_messages([message for value in updates for message in messages_in(value)])

    def _of_values(self, payload: Any) -> list[Event]:
        if not isinstance(payload, dict):
            self.last = payload
            return []
        self._raise(payload.get(_INTERRUPT))
        values = {name: value for name, value in payload.items() if name != _INTERRUPT}
        if not values and _INTERRUPT in payload:
            return []
        self.last = values
        messages = _messages_of(values)
        if self._has_begun:
            return self._of_messages(messages)
        self._has_begun = True
        self._know(messages)
        return []

    def _of_messages(self, messages: Sequence[AnyMessage]) -> list[Event]:
        return [event for message in messages for event in self._of_message(message)]

    def _raise(self, raised: Any) -> None:
        if isinstance(raised, (list, tuple)):
            self.has_stopped = True
            self._interrupts.extend(raised)


def _messages_of(values: Mapping[str, Any]) -> list[AnyMessage]:
    """Values that nodes return in other forms than messages are in the state as such, or as plain data."""
    messages = values.get("messages")
    if not isinstance(messages, list):
        return []
    return [one for one in messages if isinstance(one, BaseMessage) or is_plain_message(one)]
