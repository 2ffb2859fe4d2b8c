"""Tells the engine what happens in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from threading import RLock
from typing import Any, TypeAlias

from ..channel.frame_checks import host_messages
from ..channel.frames import MAX_FRAME_BYTES, JsonBytes
from ..channel.json_text import json_bytes
from ..channel.peer import Peer, Reply
from ..values.json import json_text
from .shared_values import SharedValues
from .soon import Soon

Event: TypeAlias = dict[str, Any]
# Done once there is room again; None where there is some.
Room: TypeAlias = Future[None] | None

# Waiting events are told at once from this size on, so that a frame stays far below its limit.
_MAX_WAITING = 1_000_000
# After so much the engine is asked for room: it answers once it has written nearly all.
_MAX_UNASKED = 1_000_000
# An event that is longer is a mistake of the graph, and ends its run.
_MAX_EVENT = 32_000_000
# Where its characters take several bytes it must still fit into a frame.
_MAX_EVENT_BYTES = MAX_FRAME_BYTES - 4 * _MAX_WAITING
# Fewer than a frame may hold.
_MAX_EVENTS = 10_000


class Emitter:
    """
    The first events go out at once, later ones together, since a frame per token would cost more than the
    token. Events are written when they happen, because the graph may change their values a moment later. A
    graph that says more than the engine can write waits for it, unless its run is cancelled. Events come from
    any thread.
    """

    def __init__(self, peer: Peer, soon: Soon, *, run_id: str, attempt: int) -> None:
        self._peer = peer
        self._soon = soon
        self._head = json_bytes({"run_id": run_id, "attempt": attempt})[:-1]
        # A finalizer of user code may emit while its own thread does.
        self._lock = RLock()
        self._shared = SharedValues()
        self._waiting: list[bytes] = []
        self._length = 0
        self._unasked = 0
        self._room: Room = None
        self._is_due = False
        self._has_emitted = False
        self._is_cancelled = False
        # The first event that could not be told: callback handlers raise into code that goes on without them.
        self.untold: Exception | None = None

    def add(self, events: Sequence[Event]) -> Room:
        """Answers until when its caller is to say nothing more."""
        if not events:
            return self._room
        with self._lock:
            try:
                for event in events:
                    text = self._text_of(event)
                    self._waiting.append(text)
                    self._length += len(text)
            except Exception as error:
                self.untold = self.untold or error
                raise
            if not self._has_emitted or self._length > _MAX_WAITING:
                self._flush()
            elif not self._is_due:
                self._is_due = True
                self._soon.add(self._flush_due)
            return self._room

    def cancel(self) -> None:
        """From here on nothing waits for room."""
        with self._lock:
            self._is_cancelled = True
            self._leave_room()

    def flush(self) -> Room:
        """Tells what waits; all of it is told where there is room."""
        with self._lock:
            self._flush()
            return self._room

    def _flush_due(self) -> None:
        with self._lock:
            if self._is_due:
                self._flush()

    def _flush(self) -> None:
        self._is_due = False
        while self._waiting and self._room is None:
            count, size = 0, 0
            while count < min(len(self._waiting), _MAX_EVENTS) and size <= _MAX_WAITING:
                size += len(self._waiting[count])
                count += 1
            events, self._waiting = self._waiting[:count], self._waiting[count:]
            self._length -= size
            self._has_emitted = True
            self._send(events, size)

    def _send(self, events: Sequence[bytes], size: int) -> None:
        frame = JsonBytes(b'%b,"events":[%b]}' % (self._head, b",".join(events)))
        self._unasked += size
        if self._unasked < _MAX_UNASKED or self._is_cancelled:
            try:
                self._peer.tell("emit", frame)
            except ValueError as error:
                self.untold = self.untold or error
            return
        self._unasked = 0
        self._room = Future()
        # Who waits for it may give up, and others go on waiting.
        self._room.set_running_or_notify_cancel()
        self._peer.ask("emit", frame).add_done_callback(self._answered)

    def _answered(self, reply: Future[Reply]) -> None:
        with self._lock:
            # A frame that is not taken loses its events; an engine that has gone needs none.
            error = reply.exception()
            if isinstance(error, Exception):
                self.untold = self.untold or error
            self._leave_room()

    def _leave_room(self) -> None:
        room, self._room = self._room, None
        self._flush()
        if room is not None:
            room.set_result(None)

    def _text_of(self, event: Event) -> bytes:
        host_messages.check("emit", {"run_id": "", "attempt": 0, "events": [event]})
        text = json_text(self._shared_form(event) if event.get("event") == "messages" else event)
        if _is_too_long(text):
            name = event.get("event", event["kind"])
            raise ValueError(
                f"What the graph streamed as “{name}” is longer than {_MAX_EVENT // 1_000_000} MB."
            )
        return text

    def _shared_form(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """A piece of a message comes with the metadata of its model's run, which is said once."""
        piece, metadata = event["data"]
        found = self._shared.number_of(metadata)
        if found is None:
            return event
        number, is_new = found
        return {**event, "shares": number} if is_new else {**event, "shared": number, "data": [piece]}


def _is_too_long(text: bytes) -> bool:
    size = len(text)
    return size > _MAX_EVENT_BYTES or (size > _MAX_EVENT and len(text.decode()) > _MAX_EVENT)
