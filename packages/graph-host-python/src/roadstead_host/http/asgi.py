"""One request, answered by an app of ASGI: both bodies are streamed, no faster than they are read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote

from .asgi_fields import fields_of
from .asgi_types import ASGI, App, Complain, Event, Scope
from .h2_errors import ErrorCode, StreamEnded
from .h2_heads import RequestHead
from .h2_stream import Stream
from .user_app import NOT_SERVED_HEADER

_BODILESS = frozenset((204, 205, 304))
_NOT_FOUND = 404


def base_scope(kind: str, head: RequestHead, state: dict[str, Any]) -> Scope:
    """The scope of requests and WebSockets alike. The app sees itself at the root of its origin."""
    raw_path, _, query = head.path.partition(b"?")
    headers = head.headers
    if head.authority and not any(name == b"host" for name, _ in headers):
        headers = [(b"host", head.authority), *headers]
    return {
        "type": kind,
        "asgi": ASGI,
        "http_version": "2",
        "scheme": head.scheme.decode("latin-1"),
        "path": unquote(raw_path.decode("latin-1")),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": headers,
        # The engine asks over a socket of its own, and frameworks want an address.
        "client": ("127.0.0.1", 0),
        "server": _server_of(head),
        "state": dict(state),
        "extensions": {},
    }


def _server_of(head: RequestHead) -> tuple[str, int]:
    host, colon, port = head.authority.decode("latin-1").rpartition(":")
    if colon and port.isdigit():
        return host, int(port)
    return head.authority.decode("latin-1"), 443 if head.scheme in (b"https", b"wss") else 80


async def answer_request(
    app: App, head: RequestHead, stream: Stream, *, state: dict[str, Any], complain: Complain
) -> None:
    exchange = _Exchange(head, stream)
    where = f"http.app, {head.method.decode('latin-1')} {head.path.decode('latin-1')}"
    scope = base_scope("http", head, state)
    scope["method"] = head.method.decode("latin-1")
    scope["extensions"] = {"http.response.trailers": {}}
    stream.ended.add_done_callback(_stopper(exchange))
    try:
        await app(scope, exchange.receive, exchange.send)
        if not exchange.is_done and not stream.ended.done():
            complain(where, "the app returned before its answer was complete.")
    except asyncio.CancelledError:
        if not exchange.is_cut:
            raise
    except Exception as error:
        # An app that fails because its reader is gone has made no error of its own.
        if exchange.is_done or not stream.ended.done():
            complain(where, error)
    await exchange.fail_unless_begun()


def _stopper(exchange: _Exchange) -> Callable[[object], None]:
    """An answer that is being streamed ends when nobody reads it any more; one that is not begun goes on."""
    task = asyncio.current_task()

    def stop(_: object) -> None:
        if task is not None and exchange.is_cut:
            task.cancel()

    return stop


class _Exchange:
    def __init__(self, head: RequestHead, stream: Stream) -> None:
        self.is_done = False
        self._is_head_request = head.method == b"HEAD"
        self._stream = stream
        self._is_body_told = False
        self._has_begun = False
        self._has_trailers = False
        # Whether what the app gives as a body is dropped, since its answer has none.
        self._is_bodiless = False
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_cut(self) -> bool:
        """Whether its reader is gone while it is being streamed."""
        return self._has_begun and not self.is_done and self._stream.ended.done()

    async def receive(self) -> Event:
        if self._is_body_told:
            await asyncio.wait((self._stream.ended, self._done), return_when=asyncio.FIRST_COMPLETED)
            return {"type": "http.disconnect"}
        try:
            piece = await self._stream.receive()
        except StreamEnded:
            return {"type": "http.disconnect"}
        self._is_body_told = piece is None or self._stream.is_read_out
        return {"type": "http.request", "body": piece or b"", "more_body": not self._is_body_told}

    async def send(self, event: Event) -> None:
        kind = event["type"]
        if kind == "http.response.start" and not self._has_begun:
            self._begin(event)
        elif kind == "http.response.body" and self._has_begun and not self.is_done:
            await self._send_body(event)
        elif kind == "http.response.trailers" and self._has_trailers and not self.is_done:
            if not event.get("more_trailers", False):
                self._stream.send_headers(fields_of(event), ends_stream=True)
                self._finish()
        else:
            raise RuntimeError(f"The app sent {kind} where its answer does not take it.")

    def _begin(self, event: Event) -> None:
        status = int(event["status"])
        fields = fields_of(event)
        if status != _NOT_FOUND:
            # A request without a route was answered after all, such as by a page of middleware.
            fields = [one for one in fields if one[0] != NOT_SERVED_HEADER]
        if not any(name == b"date" for name, _ in fields):
            fields.append((b"date", _date()))
        self._has_begun = True
        self._has_trailers = bool(event.get("trailers", False))
        self._is_bodiless = self._is_head_request or status in _BODILESS
        if self._stream.ended.done():
            return
        self._stream.send_headers([(b":status", b"%d" % status), *fields], ends_stream=self._is_bodiless)

    async def _send_body(self, event: Event) -> None:
        is_last = not event.get("more_body", False)
        if not self._is_bodiless and not (self._stream.ended.done() and is_last):
            # An app that has more to say is told that nobody listens.
            ends_stream = is_last and not self._has_trailers
            await self._stream.send(event.get("body", b""), ends_stream=ends_stream)
        if is_last and (self._is_bodiless or not self._has_trailers):
            self._finish()

    def _finish(self) -> None:
        self.is_done = True
        if not self._done.done():
            self._done.set_result(None)

    async def fail_unless_begun(self) -> None:
        """An answer that never began is one of an error; the stream of one that has no end is reset."""
        if self.is_done or self._stream.ended.done():
            return
        if self._has_begun:
            self._stream.reset(ErrorCode.INTERNAL_ERROR)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        self._begin({"type": "http.response.start", "status": 500, "headers": headers})
        await self._send_body({"type": "http.response.body", "body": b"Internal Server Error"})


def _date() -> bytes:
    return formatdate(time.time(), usegmt=True).encode()
