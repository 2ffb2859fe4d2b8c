"""One WebSocket over a stream of HTTP/2 (RFC 8441), spoken to an app of ASGI."""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum
from typing import Any

from .asgi import base_scope
from .asgi_fields import fields_of
from .asgi_types import App, Complain, Event
from .h2_errors import ErrorCode, StreamEnded
from .h2_heads import RequestHead
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


async def answer_web_socket(
    app: App, head: RequestHead, stream: Stream, *, state: dict[str, Any], complain: Complain
) -> None:
    conversation = _Conversation(stream)
    where = f"http.app, WebSocket {head.path.decode('latin-1')}"
    scope = base_scope("websocket", head, state)
    scope["scheme"] = "wss" if head.scheme in (b"https", b"wss") else "ws"
    asked = b",".join(value for name, value in head.headers if name == b"sec-websocket-protocol")
    scope["subprotocols"] = [one.strip().decode("latin-1") for one in asked.split(b",") if one.strip()]
    scope["extensions"] = {"websocket.http.response": {}}
    try:
        await app(scope, conversation.receive, conversation.send)
    except StreamEnded:
        pass
    except Exception as error:
        if not stream.ended.done():
            complain(where, error)
    await conversation.end()


class _Phase(Enum):
    CONNECTING = "connecting"
    OPEN = "open"
    # The app answers with a response of HTTP instead.
    DENYING = "denying"
    CLOSED = "closed"


class _Conversation:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._phase = _Phase.CONNECTING
        self._is_connect_told = False
        self._reader = MessageReader()
        self._events: deque[Event] = deque()
        self._accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Frames follow one another whole, no matter who sends them.
        self._sending = asyncio.Lock()
        self._pong: bytes | None = None
        # The answer to the client's close.
        self._close_code: int | None = None
        self._answering: asyncio.Task[None] | None = None

    async def receive(self) -> Event:
        """May be cancelled while it waits: then nothing is lost."""
        if not self._is_connect_told:
            self._is_connect_told = True
            return {"type": "websocket.connect"}
        await asyncio.wait((self._accepted, self._stream.ended), return_when=asyncio.FIRST_COMPLETED)
        while not self._events:
            try:
                data = await self._stream.receive()
            except StreamEnded:
                data = None
            if data is None:
                return {"type": "websocket.disconnect", "code": CloseCode.ABNORMAL, "reason": ""}
            self._take(data)
        return self._events.popleft()

    def _take(self, data: bytes) -> None:
        try:
            for message in self._reader.feed(data):
                self._take_message(message)
        except WebSocketFault as fault:
            self._take_close(fault.code, str(fault))

    def _take_message(self, message: Message) -> None:
        if message.opcode == Opcode.TEXT:
            self._events.append({"type": "websocket.receive", "text": text_in(message.payload)})
        elif message.opcode == Opcode.BINARY:
            self._events.append({"type": "websocket.receive", "bytes": message.payload})
        elif message.opcode == Opcode.PING:
            # The newest one is answered where several wait.
            self._pong = message.payload
            self._answer()
        elif message.opcode == Opcode.CLOSE:
            self._take_close(*close_in(message.payload))

    def _take_close(self, code: int, reason: str) -> None:
        self._events.append({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self._phase is _Phase.OPEN:
            self._phase = _Phase.CLOSED
            self._close_code = code
            self._answer()

    def _answer(self) -> None:
        """Answers what the client asks of the server itself, while the app goes on."""
        if self._answering is None or self._answering.done():
            self._answering = asyncio.get_running_loop().create_task(self._send_answers())

    async def _send_answers(self) -> None:
        while self._pong is not None:
            payload, self._pong = self._pong, None
            await self._transmit(written_frame(Opcode.PONG, payload))
        if self._phase is _Phase.CLOSED and self._close_code is not None:
            await self._transmit(written_close(self._close_code, ""), ends_stream=True)

    async def _transmit(self, frame: bytes, *, ends_stream: bool = False) -> None:
        try:
            async with self._sending:
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
            self._deny([(b":status", b"%d" % int(event["status"])), *fields_of(event)])
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
        if not self._accepted.done():
            self._accepted.set_result(None)

    def _deny(self, headers: list[Header], *, ends_stream: bool = False) -> None:
        self._stream.send_headers(headers, ends_stream=ends_stream)
        self._phase = _Phase.CLOSED if ends_stream else _Phase.DENYING

    async def _send_denial(self, event: Event) -> None:
        is_last = not event.get("more_body", False)
        await self._stream.send(event.get("body", b""), ends_stream=is_last)
        if is_last:
            self._phase = _Phase.CLOSED

    async def _send_message(self, event: Event) -> None:
        if self._stream.ended.done():
            raise StreamEnded(ErrorCode.CANCEL, "The WebSocket is closed.")
        text = event.get("text")
        if text is not None:
            await self._transmit(written_frame(Opcode.TEXT, str(text).encode()))
        else:
            await self._transmit(written_frame(Opcode.BINARY, bytes(event["bytes"])))

    async def _close(self, code: int, reason: str) -> None:
        self._phase = _Phase.CLOSED
        await self._transmit(written_close(code, reason), ends_stream=True)

    async def end(self) -> None:
        """The app is done with it, whether it said so or not."""
        if self._phase is _Phase.CONNECTING and not self._stream.ended.done():
            self._deny([(b":status", b"500")], ends_stream=True)
        elif self._phase is _Phase.OPEN:
            await self._close(CloseCode.INTERNAL_ERROR, "")
        if self._answering is not None:
            await self._answering
