"""The side of HTTP/2 that answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import ClassVar

from .h2_connection import Connection
from .h2_errors import ConnectionFault, ErrorCode, StreamFault
from .h2_frames import PREFACE, Setting
from .h2_heads import RequestHead, request_head, trailers
from .h2_stream import Stream
from .hpack import HeaderList

# Streams that may be open, and answers that may be under way, at a time.
MAX_STREAMS = 1_000

# Answers a stream, and throws nothing.
Answer = Callable[[RequestHead, Stream], Awaitable[None]]


class ServerConnection(Connection):
    settings: ClassVar[Mapping[Setting, int]] = {
        **Connection.settings,
        Setting.MAX_CONCURRENT_STREAMS: MAX_STREAMS,
        Setting.ENABLE_CONNECT_PROTOCOL: 1,
    }

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer
        self._last_id = 0
        self._answers: set[asyncio.Task[None]] = set()
        self._preface = b""

    def data_received(self, data: bytes) -> None:
        if len(self._preface) < len(PREFACE):
            missing = len(PREFACE) - len(self._preface)
            self._preface += data[:missing]
            data = data[missing:]
            if not PREFACE.startswith(self._preface):
                self.close(ErrorCode.PROTOCOL_ERROR, "This is not HTTP/2.")
                return
        if data:
            super().data_received(data)

    def take_headers(self, stream_id: int, decoded: HeaderList, *, ends_stream: bool) -> None:
        stream = self.streams.get(stream_id)
        if stream is not None:
            self._take_trailers(stream, decoded, ends_stream=ends_stream)
        elif stream_id % 2 == 0:
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A request has a number of the server's.")
        elif stream_id > self._last_id:
            self._last_id = stream_id
            self._begin(stream_id, decoded, ends_stream=ends_stream)
        elif stream_id not in self.out.resets:
            raise ConnectionFault(ErrorCode.STREAM_CLOSED, "A request goes on after its end.")

    def _begin(self, stream_id: int, decoded: HeaderList, *, ends_stream: bool) -> None:
        # A stream that was ended leaves an answer that may still be under way.
        if len(self._answers) >= MAX_STREAMS:
            raise StreamFault(stream_id, ErrorCode.REFUSED_STREAM, "Too many requests are under way.")
        if decoded.is_cut:
            self._refuse(self.add_stream(stream_id))
            return
        head = request_head(decoded.headers)
        stream = self.add_stream(stream_id)
        stream.expect(head.headers)
        if ends_stream:
            stream.take_end()
        task = asyncio.get_running_loop().create_task(self._run(head, stream))
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    def _refuse(self, stream: Stream) -> None:
        stream.send_headers([(b":status", b"431")], ends_stream=True)
        stream.reset(ErrorCode.NO_ERROR)

    async def _run(self, head: RequestHead, stream: Stream) -> None:
        try:
            await self._answer(head, stream)
        finally:
            # A body that nobody reads must not come any more.
            stream.reset(ErrorCode.NO_ERROR if stream.is_local_done else ErrorCode.INTERNAL_ERROR)

    def _take_trailers(self, stream: Stream, decoded: HeaderList, *, ends_stream: bool) -> None:
        if stream.is_remote_done:
            raise StreamFault(stream.id, ErrorCode.STREAM_CLOSED, "A request goes on after its end.")
        if not ends_stream:
            raise StreamFault(stream.id, ErrorCode.PROTOCOL_ERROR, "A second head does not end its stream.")
        stream.trailers = trailers(decoded.headers)
        stream.take_end()

    def is_idle(self, stream_id: int) -> bool:
        return stream_id % 2 == 0 or stream_id > self._last_id

    def last_peer_stream(self) -> int:
        return self._last_id

    def peer_leaves(self, last_id: int) -> None:
        """Nothing was begun here that could be refused; what is under way goes on."""
