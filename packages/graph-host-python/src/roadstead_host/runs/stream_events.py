"""Turns what LangGraph streams into the events of the LangGraph API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message

from .emitter import Event
from .speakers import Speakers
from .stream_rules import checkpoint_mark, shown_checkpoint, shown_task


@dataclass(frozen=True, slots=True)
class StreamPart:
    """A part of what LangGraph streams, with the namespace of the subgraph: empty for the graph itself."""

    ns: Sequence[str]
    mode: str
    payload: Any


# LangGraph's own modes that the modes of the LangGraph API are made of. Versions that have no modes for tasks
# and checkpoints tell of both in `debug`.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "values": ("values",),
    "updates": ("updates",),
    "custom": ("custom",),
    "tools": ("tools",),
    "messages-tuple": ("messages",),
    "messages": ("messages",),
    "tasks": ("debug",),
    "checkpoints": ("debug",),
    "checkpoint-marks": ("debug",),
    "debug": ("debug",),
    "events": (),
}


class StreamEvents:
    def __init__(self, modes: Iterable[str], speakers: Speakers) -> None:
        self._asked = frozenset(modes)
        self._speakers = speakers
        self._whole = _WholeMessages()
        self._readers: Mapping[str, Callable[[StreamPart], list[Event]]] = {
            "messages": self._messages,
            "debug": self._debug,
        }
        # The modes to have LangGraph stream.
        self.sources = sorted({source for mode in self._asked for source in _SOURCES.get(mode, ())})
        # Whether what happens inside of nodes is wanted, too.
        self.has_inner = "events" in self._asked

    def of(self, part: StreamPart) -> list[Event]:
        """Turns a part into events of the modes that were asked for."""
        read = self._readers.get(part.mode)
        if read is not None:
            return read(part)
        return [_event(part.mode, part.ns, part.payload)] if part.mode in self._asked else []

    def _messages(self, part: StreamPart) -> list[Event]:
        message, metadata = part.payload
        pieces = self._whole.heard(message, metadata) if "messages" in self._asked else []
        if "messages-tuple" not in self._asked:
            return pieces
        speaker, after = self._speakers.heard(message)
        event = _event("messages", part.ns, [message, metadata])
        return [*pieces, event if speaker is None else {**event, "speaker": speaker}, *after]

    def _debug(self, part: StreamPart) -> list[Event]:
        payload = part.payload["payload"]
        is_checkpoint = part.payload["type"] == "checkpoint"
        shown = shown_checkpoint(payload) if is_checkpoint else shown_task(payload)
        found: list[Event] = []
        if is_checkpoint and "checkpoint-marks" in self._asked:
            found.append(_event("checkpoint-marks", part.ns, checkpoint_mark(payload)))
        own = "checkpoints" if is_checkpoint else "tasks"
        if own in self._asked:
            found.append(_event(own, part.ns, shown))
        if "debug" in self._asked:
            found.append(_event("debug", part.ns, {**part.payload, "payload": shown}))
        return found


def _event(name: str, ns: Sequence[str], data: Any) -> Event:
    return {"kind": "stream", "event": name, "ns": [*ns], "data": data}


class _WholeMessages:
    """
    The mode `messages`, which tells with each piece of a message all of it so far, and a message that comes
    whole as complete. What a message belongs to comes before it, once.
    """

    def __init__(self) -> None:
        self._begun: dict[str, BaseMessage] = {}

    def heard(self, message: BaseMessage, metadata: Any) -> list[Event]:
        if message.id is None:
            return []
        before = self._begun.get(message.id)
        about = {message.id: {"metadata": metadata}}
        first = [_event("messages/metadata", [], about)] if before is None else []
        if not isinstance(message, BaseMessageChunk):
            self._begun[message.id] = message
            return [*first, _event("messages/complete", [], [message])]
        so_far: Any = before + message if isinstance(before, BaseMessageChunk) else message
        self._begun[message.id] = so_far
        return [*first, _event("messages/partial", [], [message_chunk_to_message(so_far)])]
