"""Turns what LangGraph streams into the events of the LangGraph API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message

from ..values.messages import members_of
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
    "messages": ("messages", "values"),
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
            "values": self._values,
        }
        # The modes to have LangGraph stream.
        self.sources = sorted({source for mode in self._asked for source in _SOURCES.get(mode, ())})
        # Whether what happens inside of nodes is wanted, too.
        self.has_inner = "events" in self._asked

    def of(self, part: StreamPart) -> list[Event]:
        """What a part is, in the modes that were asked for."""
        read = self._readers.get(part.mode)
        if read is not None:
            return read(part)
        return [_event(part.mode, part.ns, part.payload)] if part.mode in self._asked else []

    def _messages(self, part: StreamPart) -> list[Event]:
        message, metadata = part.payload
        pieces = self._whole.pieces(message, metadata) if "messages" in self._asked else []
        if "messages-tuple" not in self._asked:
            return pieces
        speaker, after = self._speakers.heard(message)
        event = _event("messages", part.ns, [message, metadata])
        return [*pieces, event if speaker is None else {**event, "speaker": speaker}, *after]

    def _values(self, part: StreamPart) -> list[Event]:
        values = [_event("values", part.ns, part.payload)] if "values" in self._asked else []
        return values + (self._whole.complete(part.payload) if "messages" in self._asked else [])

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
    The mode `messages`, which tells with each piece of a message all of it so far, and each message that came
    into the state once as complete.
    """

    def __init__(self) -> None:
        self._begun: dict[str, BaseMessageChunk] = {}
        self._completed: set[str] = set()

    def pieces(self, piece: BaseMessage, metadata: Any) -> list[Event]:
        if not isinstance(piece, BaseMessageChunk) or piece.id is None:
            return []
        before = self._begun.get(piece.id)
        so_far: Any = piece if before is None else before + piece
        self._begun[piece.id] = so_far
        partial = _event("messages/partial", [], [message_chunk_to_message(so_far)])
        if before is not None:
            return [partial]
        return [_event("messages/metadata", [], {piece.id: {"metadata": metadata}}), partial]

    def complete(self, state: Any) -> list[Event]:
        messages = state.get("messages") if isinstance(state, dict) else next(members_of(state), None)
        fresh = [
            one
            for one in (messages if isinstance(messages, list) else [messages])
            if isinstance(one, BaseMessage) and one.id is not None and one.id not in self._completed
        ]
        self._completed.update(one.id for one in fresh if one.id is not None)
        return [_event("messages/complete", [], fresh)] if fresh else []
