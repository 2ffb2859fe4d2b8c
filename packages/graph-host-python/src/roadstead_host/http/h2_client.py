"""The side of HTTP/2 that asks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from .h2_connection import Connection
from .h2_errors import ErrorCode, StreamEnded, StreamFault
from .h2_frames import MAX_WINDOW, PREFACE, Setting
from .h2_heads import MalformedHead, ResponseHead, response_head, trailers
from .h2_stream import Stream
from .hpack import Header, HeaderList

# The streams of a peer that tells no limit.
_MAX_STREAMS = 1_000


class Exchange:
    """A request under way, and the head of its answer once that is there."""

    def __init__(self, stream: Stream, head: asyncio.Future[ResponseHead]) -> None:
        self.stream = stream
        self._head = head

    async def head(self) -> ResponseHead:
        return await asyncio.shield(self._head)


class ClientConnection(Connection):
    settings: ClassVar[Mapping[Setting, int]] = {**Connection.settings, Setting.ENABLE_PUSH: 0}
    greeting = PREFACE

    def __init__(self) -> None:
        super().__init__()
        self._next_id = 1
        self._heads: dict[int, asyncio.Future[ResponseHead]] = {}
        self._is_leaving = False
        self._waiting: list[asyncio.Future[None]] = []

    async def ask(self, headers: Sequence[Header], *, ends_stream: bool) -> Exchange:
        """Begins a request, once the peer takes another one."""
        while not self._has_place():
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            try:
                await waiting
            except asyncio.CancelledError:
                # The place that was meant for this one is another's.
                self._wake()
                raise
        stream = self.add_stream(self._next_id)
        self._next_id += 2
        head: asyncio.Future[ResponseHead] = asyncio.get_running_loop().create_future()
        self._heads[stream.id] = head
        stream.ended.add_done_callback(lambda _: self._end(stream.id))
        stream.send_headers(headers, ends_stream=ends_stream)
        return Exchange(stream, head)

    def _has_place(self) -> bool:
        if self.is_closed or self._is_leaving or self._next_id > MAX_WINDOW:
            raise StreamEnded(ErrorCode.REFUSED_STREAM, "The connection takes no requests any more.")
        allowed = self.peer_settings.get(Setting.MAX_CONCURRENT_STREAMS, _MAX_STREAMS)
        return self.has_settings and len(self.streams) < allowed

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def _end(self, stream_id: int) -> None:
        head = self._heads.pop(stream_id)
        if not head.done():
            head.set_exception(StreamEnded(ErrorCode.CANCEL, "The stream ended without an answer."))
            # The caller may be gone.
            head.exception()
        self._wake()

    def take_headers(self, stream_id: int, decoded: HeaderList, *, ends_stream: bool) -> None:
        stream = self.streams.get(stream_id)
        if stream is None:
            self.check_began(stream_id)
            return
        if decoded.is_cut:
            raise StreamFault(stream_id, ErrorCode.ENHANCE_YOUR_CALM, "The head of an answer is too large.")
        head = self._heads[stream_id]
        if stream.is_remote_done:
            raise StreamFault(stream_id, ErrorCode.STREAM_CLOSED, "An answer goes on after its end.")
        if head.done():
            if not ends_stream:
                raise MalformedHead("A second head does not end its stream.")
            stream.trailers = trailers(decoded.headers)
        else:
            answered = response_head(decoded.headers)
            if answered.status < 200:
                return
            head.set_result(answered)
        if ends_stream:
            stream.take_end()

    def settings_changed(self) -> None:
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self._wake()

    def is_idle(self, stream_id: int) -> bool:
        return stream_id % 2 == 0 or stream_id >= self._next_id

    def last_peer_stream(self) -> int:
        return 0

    def peer_leaves(self, last_id: int) -> None:
        self._is_leaving = True
        for stream in list(self.streams.values()):
            if stream.id > last_id:
                stream.fail(StreamEnded(ErrorCode.REFUSED_STREAM, "The peer takes no requests any more."))
        self._wake()
