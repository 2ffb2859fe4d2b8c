"""The server's side of one WebSocket: between frames on a stream and events of ASGI."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from enum import Enum
from typing import Any

from .asgi_fields import fields_of
from .asgi_types import Event
from .h2_errors import ErrorCode, StreamEnded
from .h2_stream import Stream
from .hpack import Header
from .web_socket_frames import (
    CloseCode,
    Message,
    MessageReader,
    Opcode,
    WebSocketFault,
    close_in,
    text_in,
    written_close,
    written_frame,
)

# How often a silent client is asked whether it is still there, and how often in a row it may fail to answer.
PING_S = 15.0
_MAX_MISSED = 8
# So much is read ahead of the app: pings and the client's close are answered while the app is busy.
_READ_AHEAD = 65_536
_MESSAGE_BYTES = 256


class _Phase(Enum):
    CONNECTING = "connecting"
    OPEN = "open"
    # The app answers with a response of HTTP instead.
    DENYING = "denying"
    CLOSED = "closed"


class WebSocketConversation:
    def __init__(self, stream: Stream, ping_s: float) -> None:
        self._stream = stream
        self._ping_s = ping_s
        self._phase = _Phase.CONNECTING
        self._is_connect_told = False
        self._reader = MessageReader()
        self._events: deque[Event] = deque()
        # The weight of the events that the app has not received.
        self._held = 0
        self._arrived = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        # Frames follow one another whole, no matter who sends them.
        self._sending = asyncio.Lock()
        self._pong: bytes | None = None
        # The answer to the client's close.
        self._close_code: int | None = None
        self._disconnect: Event | None = None
        self._answering: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._missed = 0
        self._is_ping_due = False

    async def receive(self) -> Event:
        """May be cancelled while it waits: then nothing is lost."""
        if not self._is_connect_told:
            self._is_connect_told = True
            return {"type": "websocket.connect"}
        if not self._tasks:
            # A client has nothing to say unless it is accepted, but may go.
            self._begin(self._wait_for_end())
        while not self._events:
            if self._disconnect is not None:
                return {**self._disconnect}
            self._arrived.clear()
            await self._arrived.wait()
        event = self._events.popleft()
        self._held -= _weight(event)
        if self._held < _READ_AHEAD:
            self._room.set()
        return event

    def _begin(self, *work: Coroutine[Any, Any, None]) -> None:
        self._tasks += [asyncio.get_running_loop().create_task(one) for one in work]

    def _add(self, event: Event) -> None:
        self._events.append(event)
        self._held += _weight(event)
        if self._held >= _READ_AHEAD:
            self._room.clear()
        self._arrived.set()

    def _tell_end(self, code: int, reason: str = "") -> None:
        """After all messages the app receives a disconnect, as often as it asks."""
        self._phase = _Phase.CLOSED
        if self._disconnect is None:
            self._disconnect = {"type": "websocket.disconnect", "code": code, "reason": reason}
        self._arrived.set()

    async def _wait_for_end(self) -> None:
        await asyncio.wait((self._stream.ended,))
        if self._phase in (_Phase.CONNECTING, _Phase.DENYING):
            self._tell_end(CloseCode.ABNORMAL)

    async def _read(self) -> None:
        """Reads until the client closes, or is gone."""
        while self._phase is _Phase.OPEN:
            await self._room.wait()
            try:
                data = await self._stream.receive()
            except StreamEnded:
                self._tell_end(CloseCode.ABNORMAL)
                return
            self._missed = 0
            if data is None:
                # The engine sends no more: it stops, or the client is gone.
                self._close_by_server(CloseCode.ABNORMAL)
            else:
                self._take(data)

    async def _keep(self) -> None:
        """Pings, so that no proxy closes a silent connection, and resets one whose client is gone."""
        while self._phase is _Phase.OPEN:
            await asyncio.sleep(self._ping_s)
            if self._phase is not _Phase.OPEN or not self._room.is_set():
                continue
            self._missed += 1
            if self._missed > _MAX_MISSED:
                self._stream.reset(ErrorCode.CANCEL)
            else:
                # Not waited for: a client that reads nothing leaves no room, and is missed all the same.
                self._is_ping_due = True
                self._answer()

    def restart(self) -> None:
        """The host stops: the client may come back, to another."""
        if self._phase is _Phase.OPEN:
            self._close_by_server(CloseCode.RESTART)

    def _close_by_server(self, code: CloseCode) -> None:
        self._tell_end(code)
        self._close_code = CloseCode.RESTART
        self._answer()

    def _take(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                self._take_message(message)
                if self._phase is not _Phase.OPEN:
                    return
        except WebSocketFault as fault:
            self._take_close(fault.code, str(fault))

    def _take_message(self, message: Message) -> None:
        if message.opcode == Opcode.TEXT:
            self._add({"type": "websocket.receive", "text": text_in(message.payload)})
        elif message.opcode == Opcode.BINARY:
            self._add({"type": "websocket.receive", "bytes": message.payload})
        elif message.opcode == Opcode.PING:
            # The newest one is answered where several wait.
            self._pong = message.payload
            self._answer()
        elif message.opcode == Opcode.CLOSE:
            self._take_close(*close_in(message.payload))

    def _take_close(self, code: int, reason: str) -> None:
        self._tell_end(code, reason)
        self._close_code = code
        self._answer()

    def _answer(self) -> None:
        """Sends what is of the server itself, while the app goes on."""
        if self._answering is None or self._answering.done():
            self._answering = asyncio.get_running_loop().create_task(self._send_answers())

    async def _send_answers(self) -> None:
        while self._pong is not None or self._is_ping_due:
            if self._pong is not None:
                payload, self._pong = self._pong, None
                await self._transmit(written_frame(Opcode.PONG, payload))
            if self._is_ping_due:
                self._is_ping_due = False
                await self._transmit(written_frame(Opcode.PING, b""))
        if self._phase is _Phase.CLOSED and self._close_code is not None:
            await self._transmit(written_close(self._close_code, ""), ends_stream=True)

    async def _transmit(self, frame: bytes, *, ends_stream: bool = False) -> None:
        async with self._sending:
            try:
                await self._stream.send(frame, ends_stream=ends_stream)
            except asyncio.CancelledError:
                # A part of it may have gone out.
                self._stream.reset(ErrorCode.INTERNAL_ERROR)
                raise
            except StreamEnded:
                pass

    async def send(self, event: Event) -> None:
        kind = str(event["type"]).removeprefix("websocket.")
        if self._phase is _Phase.CONNECTING and kind == "accept":
            self._accept(event)
        elif self._phase is _Phase.CONNECTING and kind == "close":
            self._deny([(b":status", b"403")], ends_stream=True)
        elif self._phase is _Phase.CONNECTING and kind == "http.response.start":
            status = int(event["status"])
            # To a CONNECT an answer of success would say that the WebSocket is open.
            told = 403 if 200 <= status < 300 else status
            self._deny([(b":status", b"%d" % told), *fields_of(event)])
        elif self._phase is _Phase.DENYING and kind == "http.response.body":
            await self._send_denial(event)
        elif self._phase is _Phase.OPEN and kind == "send":
            await self._send_message(event)
        elif self._phase is _Phase.OPEN and kind == "close":
            await self._close(int(event.get("code") or CloseCode.NORMAL), str(event.get("reason") or ""))
        elif self._phase is not _Phase.CLOSED:
            raise RuntimeError(f"The app sent {event['type']} where its WebSocket does not take it.")
        elif kind == "send":
            raise StreamEnded(ErrorCode.CANCEL, "The WebSocket is closed.")

    def _accept(self, event: Event) -> None:
        headers = [(b":status", b"200"), *fields_of(event)]
        if event.get("subprotocol"):
            headers.append((b"sec-websocket-protocol", str(event["subprotocol"]).encode("latin-1")))
        self._stream.send_headers(headers)
        self._phase = _Phase.OPEN
        self._begin(self._read(), self._keep())

    def _deny(self, headers: list[Header], *, ends_stream: bool = False) -> None:
        self._stream.send_headers(headers, ends_stream=ends_stream)
        self._phase = _Phase.DENYING
        if ends_stream:
            self._tell_end(CloseCode.ABNORMAL)

    async def _send_denial(self, event: Event) -> None:
        is_last = not event.get("more_body", False)
        await self._stream.send(event.get("body", b""), ends_stream=is_last)
        if is_last:
            self._tell_end(CloseCode.ABNORMAL)

    async def _send_message(self, event: Event) -> None:
        if self._stream.ended.done():
            raise StreamEnded(ErrorCode.CANCEL, "The WebSocket is closed.")
        text = event.get("text")
        if text is not None:
            await self._transmit(written_frame(Opcode.TEXT, str(text).encode()))
        else:
            await self._transmit(written_frame(Opcode.BINARY, bytes(event["bytes"])))

    async def _close(self, code: int, reason: str) -> None:
        self._tell_end(code, reason)
        await self._transmit(written_close(code, reason), ends_stream=True)

    async def end(self, code: CloseCode) -> None:
        """The app is done with it, whether it said so or not."""
        if self._phase is _Phase.CONNECTING and not self._stream.ended.done():
            self._deny([(b":status", b"500")], ends_stream=True)
        elif self._phase is _Phase.OPEN:
            await self._close(code, "")
        for task in self._tasks:
            task.cancel()
        if self._answering is not None:
            await self._answering


def _weight(event: Event) -> int:
    return len(event.get("bytes") or event.get("text") or "") + _MESSAGE_BYTES
