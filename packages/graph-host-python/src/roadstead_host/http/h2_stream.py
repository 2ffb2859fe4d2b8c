"""One stream of HTTP/2: a body each way, neither of them faster than it is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from .h2_errors import ErrorCode, StreamEnded, StreamFault
from .h2_frames import MAX_WINDOW
from .h2_heads import content_length
from .h2_outgoing import Outgoing
from .hpack import Header

# How much a peer may send on a stream before the reader has read any of it.
RECEIVE_WINDOW = 262_144


class Stream:
    def __init__(
        self, out: Outgoing, stream_id: int, send_window: int, *, on_end: Callable[[], object]
    ) -> None:
        self.id = stream_id
        self.send_window = send_window
        self.trailers: list[Header] = []
        # Done once the stream has ended: whole, reset, or with its connection.
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._out = out
        self._on_end = on_end
        self._received = bytearray()
        self._receive_window = RECEIVE_WINDOW
        # The bytes read since the peer's window was last widened.
        self._read = 0
        self._reader: asyncio.Future[None] | None = None
        self._untold_length: int | None = None
        self._failure: StreamEnded | None = None
        self.is_remote_done = False
        self.is_local_done = False

    def expect(self, headers: Sequence[Header]) -> None:
        """The head that begins the peer's body."""
        self._untold_length = content_length(headers)

    # Frames from the peer.

    def take_data(self, content: bytes, flow_bytes: int) -> None:
        if self.is_remote_done:
            raise StreamFault(self.id, ErrorCode.STREAM_CLOSED, "A body goes on after its end.")
        self._receive_window -= flow_bytes
        if self._receive_window < 0:
            raise StreamFault(self.id, ErrorCode.FLOW_CONTROL_ERROR, "A body is faster than it is read.")
        if self._untold_length is not None:
            self._untold_length -= len(content)
            if self._untold_length < 0:
                raise StreamFault(self.id, ErrorCode.PROTOCOL_ERROR, "A body is longer than its head tells.")
        self._received += content
        self._give_back(flow_bytes - len(content))
        self._wake_reader()

    def take_end(self) -> None:
        if self._untold_length:
            raise StreamFault(self.id, ErrorCode.PROTOCOL_ERROR, "A body is shorter than its head tells.")
        self.is_remote_done = True
        self._wake_reader()
        self._end_if_done()

    def take_window(self, increment: int) -> None:
        if increment == 0:
            raise StreamFault(self.id, ErrorCode.PROTOCOL_ERROR, "A window is widened by nothing.")
        if self.send_window + increment > MAX_WINDOW:
            raise StreamFault(self.id, ErrorCode.FLOW_CONTROL_ERROR, "A window is wider than allowed.")
        self.send_window += increment

    def fail(self, failure: StreamEnded) -> None:
        """The stream ends without its end: the peer reset it, or the connection is gone."""
        if self.ended.done():
            return
        self._failure = failure
        self.is_remote_done = self.is_local_done = True
        self._wake_reader()
        self._end_if_done()

    # The reader's side.

    @property
    def is_read_out(self) -> bool:
        """Whether the peer's body has ended, and all of it was read."""
        return self.is_remote_done and not self._received

    async def receive(self) -> bytes | None:
        """Waits for more of the body: nothing is its end."""
        while not self._received:
            if self._failure is not None:
                raise self._failure
            if self.is_remote_done:
                return None
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        received = bytes(self._received)
        self._received.clear()
        self._give_back(len(received))
        return received

    def _give_back(self, octets: int) -> None:
        self._read += octets
        if self._read * 2 < RECEIVE_WINDOW or self.is_remote_done:
            return
        self._out.write_window(self.id, self._read)
        self._receive_window += self._read
        self._read = 0

    def _wake_reader(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    # The writer's side.

    def send_headers(self, headers: Sequence[Header], *, ends_stream: bool = False) -> None:
        self._check_open()
        self._out.write_headers(self.id, headers, ends_stream=ends_stream)
        self._sent(ends_stream)

    async def send(self, data: bytes | bytearray | memoryview, *, ends_stream: bool = False) -> None:
        """Waits until the peer and the socket take all of it."""
        rest = memoryview(data).cast("B") if data else memoryview(b"")
        while rest:
            self._check_open()
            size = min(len(rest), self.send_window, self._out.room())
            if size <= 0:
                await self._out.wait_for_room(self.ended)
                continue
            is_last = ends_stream and size == len(rest)
            self.send_window -= size
            self._out.write_data(self.id, rest[:size], ends_stream=is_last)
            rest = rest[size:]
            self._sent(is_last)
        if ends_stream and not data:
            self._check_open()
            self._out.write_data(self.id, rest, ends_stream=True)
            self._sent(ends_stream)

    def reset(self, code: ErrorCode) -> None:
        """Ends the stream in both directions, unless it has ended."""
        if self.ended.done():
            return
        self._out.write_reset(self.id, code)
        self.fail(StreamEnded(code, "The stream was ended."))

    def _sent(self, ends_stream: bool) -> None:
        if ends_stream:
            self.is_local_done = True
            self._end_if_done()

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self.is_local_done:
            raise StreamEnded(ErrorCode.STREAM_CLOSED, "Nothing can be sent after the end of a stream.")

    def _end_if_done(self) -> None:
        if self.is_remote_done and self.is_local_done and not self.ended.done():
            self.ended.set_result(None)
            self._on_end()
